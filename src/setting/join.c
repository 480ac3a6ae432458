#include "setting/join.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "setting/setting.h"

#include <string.h>

#define MOST_STATES 1000000
#define LONGEST 512 /* label, in bytes */

typedef struct {
    const asif_joint *joint;
    const asif_setting_spec *first; /* of block 0 */
    asif_arena arena;
    asif_setting_spec spec;
    asif_matrix *matrix;
    const char **block_name; /* [blocks] */
} joining;

static const asif_setting_spec *block(const joining *j, uint32_t k) {
    return &j->joint->part[k]->spec;
}

static void *take(joining *j, uint64_t count, size_t size) {
    return asif_arena_alloc(&j->arena, count, size);
}

/* ---- what must be alike ---- */

static asif_status check_block(const joining *j, uint32_t k, asif_error *error) {
    const asif_setting_spec *a = j->first, *b = block(j, k);
    const char *differs = NULL;
    if (a->states != b->states || a->actions != b->actions || a->observations != b->observations)
        differs = "states, actions and observations";
    else if (a->worlds != b->worlds)
        differs = "number of the agent's worlds";
    else if (memcmp(a->world_weights, b->world_weights, a->worlds * sizeof *a->world_weights) != 0)
        differs = "weights of the agent's worlds";
    else if (a->horizon != b->horizon || memcmp(a->ends, b->ends, a->actions) != 0 ||
             memcmp(a->stops, b->stops, a->actions) != 0)
        differs = "actions that end an episode";
    return differs ? asif_fail(error, ASIF_EINVALID, "the %s must be the same in all conditions", differs)
                   : ASIF_OK;
}

static asif_status check(const joining *j, asif_error *error) {
    uint32_t K = j->joint->blocks;
    for (uint32_t k = 0; k < K; k++) {
        ASIF_TRY(check_block(j, k, error));
        for (uint64_t i = 0; i < block(j, k)->terms; i++)
            if (block(j, k)->term[i].by == ASIF_BY_BELIEF)
                return asif_fail(error, ASIF_EUNSUPPORTED,
                                 "a utility by belief is not yet possible with conditions");
    }
    if (j->first->observation_columns)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "crossed observations are not yet possible with conditions");
    if ((uint64_t)j->first->states * K > MOST_STATES)
        return asif_fail(error, ASIF_ETOOBIG, "%u conditions of %u states are too many", K, j->first->states);
    return ASIF_OK;
}

/* ---- labels ---- */

static const char *join_text(joining *j, const char *before, const char *after) {
    char text[2 * LONGEST];
    int length = asif_format(text, sizeof text, "%s/%s", before, after);
    char *copy = take(j, (uint64_t)length + 1, 1);
    return copy ? memcpy(copy, text, (size_t)length + 1) : NULL;
}

/* Labels of the blocks: the classes of their columns joined by `/`. */
static bool name_blocks(joining *j) {
    const asif_joint *joint = j->joint;
    j->block_name = take(j, joint->blocks, sizeof *j->block_name);
    for (uint32_t k = 0; j->block_name && k < joint->blocks; k++) {
        const char *name = NULL;
        uint32_t rest = joint->blocks;
        for (uint32_t i = 0; i < joint->columns; i++) {
            rest /= joint->column[i].classes;
            const char *label = joint->column[i].class_names[k / rest % joint->column[i].classes];
            name = name ? join_text(j, name, label) : label;
            if (!name)
                return false;
        }
        j->block_name[k] = name;
    }
    return j->block_name != NULL;
}

/* Labels of what each block has `count` of. */
static const char *const *name_all(joining *j, asif_label_kind kind, uint32_t count) {
    uint32_t K = j->joint->blocks;
    const char **name = take(j, (uint64_t)K * count, sizeof *name);
    char buffer[ASIF_LABEL_SIZE];
    for (uint64_t i = 0; name && i < (uint64_t)K * count; i++) {
        const char *label = asif_setting_label(j->joint->part[0], kind, (uint32_t)(i % count), buffer);
        if (!(name[i] = join_text(j, j->block_name[i / count], label)))
            return NULL;
    }
    return name;
}

/* Labels of block 0, which all blocks share. */
static const char *const *name_one(joining *j, asif_label_kind kind, uint32_t count) {
    const char **name = take(j, count, sizeof *name);
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t i = 0; name && i < count; i++) {
        const char *label = asif_setting_label(j->joint->part[0], kind, i, buffer);
        char *copy = take(j, strlen(label) + 1, 1);
        if (!copy)
            return NULL;
        name[i] = memcpy(copy, label, strlen(label) + 1);
    }
    return name;
}

static bool set_columns(joining *j) {
    const asif_joint *joint = j->joint;
    uint32_t count = joint->columns + j->first->seen_columns;
    asif_observation_column *column = take(j, count, sizeof *column);
    if (!column)
        return false;
    for (uint32_t i = 0; i < count; i++)
        column[i] = i < joint->columns ? joint->column[i] : j->first->seen_column[i - joint->columns];
    j->spec.seen_columns = count;
    j->spec.seen_column = column;
    j->spec.condition_columns = joint->conditions + j->first->condition_columns;
    return true;
}

static bool set_names(joining *j) {
    const asif_setting_spec *first = j->first;
    asif_setting_spec *s = &j->spec;
    uint32_t K = j->joint->blocks, values = asif_column_values(first);
    bool seen = s->observations > 0;
    *(seen ? &s->seen : &s->leading) = K * values;
    return set_columns(j) && (s->state_names = name_all(j, ASIF_LABEL_STATE, first->states)) &&
           (s->seen_names = values > 1 ? name_all(j, ASIF_LABEL_SEEN, values) : j->block_name) &&
           (s->hidden_names = name_one(j, ASIF_LABEL_HIDDEN, first->states / values)) &&
           (!seen || ((s->observation_names = name_all(j, ASIF_LABEL_OBSERVATION, first->observations)) &&
                      (s->shown_names = name_one(j, ASIF_LABEL_SHOWN, asif_shown_values(first)))));
}

/* ---- dynamics ---- */

/* Matrix indices of one use in the blocks. */
static const uint32_t *uses_of(const asif_setting_spec *s, bool emissions) {
    return emissions ? s->emissions : s->transitions;
}

static bool same_use(const joining *j, bool emissions, uint64_t a, uint64_t b) {
    bool same = true;
    for (uint32_t k = 0; same && k < j->joint->blocks; k++)
        same = uses_of(block(j, k), emissions)[a] == uses_of(block(j, k), emissions)[b];
    return same;
}

/* Put the matrices of a use, one from each block, along a diagonal. */
static bool add_diagonal(joining *j, bool emissions, uint64_t use, asif_matrix *out) {
    uint32_t K = j->joint->blocks, S = j->first->states, row = 0;
    uint64_t entries = 0, begin, end;
    for (uint32_t k = 0; k < K; k++)
        for (uint32_t s = 0; s < S; s++) {
            asif_matrix_row(&block(j, k)->matrix[uses_of(block(j, k), emissions)[use]], s, &begin, &end);
            entries += end - begin;
        }
    uint64_t *offset = take(j, (uint64_t)K * S + 1, sizeof *offset), at = 0;
    uint32_t *column = take(j, entries, sizeof *column), width = emissions ? j->first->observations : S;
    double *value = take(j, entries, sizeof *value);
    if (!offset || !column || !value)
        return false;
    for (uint32_t k = 0; k < K; k++) {
        const asif_matrix *from = &block(j, k)->matrix[uses_of(block(j, k), emissions)[use]];
        for (uint32_t s = 0; s < S; s++) {
            asif_matrix_row(from, s, &begin, &end);
            for (; begin < end; begin++, at++) {
                column[at] = k * width + from->column[begin];
                value[at] = from->value[begin];
            }
            offset[++row] = at;
        }
    }
    *out = (asif_matrix){K * S, K * width, false, offset, column, value};
    return true;
}

static bool set_dynamics(joining *j, bool emissions) {
    uint64_t uses = ((uint64_t)j->first->worlds + 1) * j->first->actions;
    uint32_t *index = take(j, uses, sizeof *index);
    if (!index)
        return false;
    *(emissions ? &j->spec.emissions : &j->spec.transitions) = index;
    for (uint64_t i = 0; i < uses; i++) {
        uint64_t same = 0;
        while (same < i && !same_use(j, emissions, same, i))
            same++;
        index[i] = same < i ? index[same] : j->spec.matrices;
        if (same == i && !add_diagonal(j, emissions, i, &j->matrix[j->spec.matrices++]))
            return false;
    }
    return true;
}

/* Each block begins in start classes of its own, and all blocks are as likely. */
static bool set_starts(joining *j) {
    uint32_t K = j->joint->blocks, n = 0, S = j->first->states;
    for (uint32_t k = 0; k < K; k++)
        n += block(j, k)->starts;
    uint64_t width = (uint64_t)K * S;
    double *world = take(j, n * width, sizeof *world), *agent = take(j, n * width, sizeof *agent),
           *weight = take(j, n, sizeof *weight);
    const char **name = take(j, n, sizeof *name);
    if (!world || !agent || !weight || !name)
        return false;
    j->spec.starts = n;
    j->spec.environment_start = world;
    j->spec.agent_start = agent;
    j->spec.start_weights = weight;
    j->spec.start_names = name;
    n = 0;
    for (uint32_t k = 0; k < K; k++) {
        const asif_setting_spec *from = block(j, k);
        for (uint32_t c = 0; c < from->starts; c++, n++) {
            memcpy(world + n * width + (uint64_t)k * S, from->environment_start + (uint64_t)c * S,
                   S * sizeof *world);
            memcpy(agent + n * width + (uint64_t)k * S, from->agent_start + (uint64_t)c * S,
                   S * sizeof *agent);
            weight[n] = (from->start_weights ? from->start_weights[c] : 1) / K;
            name[n] =
                from->start_names ? join_text(j, j->block_name[k], from->start_names[c]) : j->block_name[k];
            if (!name[n])
                return false;
        }
    }
    return true;
}

/* ---- utilities ---- */

static bool set_terms(joining *j) {
    uint32_t K = j->joint->blocks;
    uint64_t terms = 0;
    for (uint32_t k = 0; k < K; k++)
        for (uint64_t i = 0; i < block(j, k)->terms; i++) {
            const asif_utility_term *t = &block(j, k)->term[i];
            terms += t->index != ASIF_ANY           ? 1
                     : t->by == ASIF_BY_OBSERVATION ? j->first->observations
                                                    : j->first->states;
        }
    asif_utility_term *term = take(j, terms, sizeof *term);
    if (!term)
        return false;
    j->spec.term = term;
    for (uint32_t k = 0; k < K; k++)
        for (uint64_t i = 0; i < block(j, k)->terms; i++) {
            const asif_utility_term *t = &block(j, k)->term[i];
            uint32_t width = t->by == ASIF_BY_OBSERVATION ? j->first->observations : j->first->states,
                     from = t->index == ASIF_ANY ? 0 : t->index,
                     end = t->index == ASIF_ANY ? width : t->index + 1;
            for (; from < end; from++) {
                asif_utility_term *to = &term[j->spec.terms++];
                *to = *t;
                to->index = k * width + from;
            }
        }
    return true;
}

static bool set_constant(joining *j) {
    uint32_t K = j->joint->blocks, S = j->first->states, U = j->first->actions;
    bool any = false;
    for (uint32_t k = 0; k < K; k++)
        any = any || block(j, k)->utility;
    double *utility = any ? take(j, (uint64_t)U * K * S, sizeof *utility) : NULL;
    j->spec.utility = utility;
    for (uint32_t k = 0; utility && k < K; k++)
        for (uint32_t u = 0; block(j, k)->utility && u < U; u++)
            memcpy(utility + ((uint64_t)u * K + k) * S, block(j, k)->utility + (uint64_t)u * S,
                   S * sizeof *utility);
    return utility || !any;
}

/* ---- the rest, which each block has for its own states ---- */

/* Put arrays with `count` entries of each block one after the other. */
static bool stack(joining *j, void *out, const void *const *from, uint64_t count, size_t size) {
    char *to = take(j, j->joint->blocks * count, size);
    for (uint32_t k = 0; to && k < j->joint->blocks; k++)
        memcpy(to + k * count * size, from[k], (size_t)count * size);
    memcpy(out, &to, sizeof to);
    return to != NULL;
}

static bool set_rest(joining *j) {
    uint32_t K = j->joint->blocks, values = asif_column_values(j->first);
    const void **from = take(j, K, sizeof *from);
    bool *all = take(j, (uint64_t)values * j->first->actions, sizeof *all), some = false, priors = true;
    if (!from || !all)
        return false;
    for (uint32_t k = 0; k < K; k++)
        from[k] = block(j, k)->terminal;
    bool good = stack(j, &j->spec.terminal, from, j->first->states, sizeof(bool));
    memset(all, 1, (uint64_t)values * j->first->actions);
    for (uint32_t k = 0; k < K; k++) {
        some = some || block(j, k)->available;
        from[k] = block(j, k)->available ? block(j, k)->available : all;
    }
    if (some)
        good = good && stack(j, &j->spec.available, from, (uint64_t)values * j->first->actions, sizeof(bool));
    for (uint32_t k = 0; k < K; k++)
        priors = priors && (from[k] = block(j, k)->belief_prior);
    if (priors)
        good =
            good && stack(j, &j->spec.belief_prior, from,
                          j->first->observations ? j->first->observations : j->first->states, sizeof(double));
    return good;
}

static asif_status make(asif_setting **out, joining *j, asif_error *error) {
    const asif_setting_spec *first = j->first;
    uint64_t uses = ((uint64_t)first->worlds + 1) * first->actions;
    asif_setting_spec *s = &j->spec;
    *s = *first;
    s->states = j->joint->blocks * first->states;
    s->observations = j->joint->blocks * first->observations;
    s->start_column = NULL;
    s->matrices = 0;
    s->terms = 0;
    s->utility = NULL;
    s->world_shares = NULL;
    s->available = NULL;
    s->belief_prior = NULL;
    s->observation_names = NULL;
    s->matrix = j->matrix = take(j, 2 * uses, sizeof *j->matrix);
    if (!j->matrix || !name_blocks(j) || !set_names(j) || !set_dynamics(j, false) ||
        (s->observations && !set_dynamics(j, true)) || !set_starts(j) || !set_terms(j) || !set_constant(j) ||
        !set_rest(j))
        return asif_fail_memory(error);
    return asif_setting_create(out, j->arena.context, s, error);
}

asif_status asif_setting_join(asif_setting **out, const asif_context *context, const asif_joint *joint,
                              asif_error *error) {
    joining j = {.joint = joint, .first = &joint->part[0]->spec, .arena = {.context = context}};
    *out = NULL;
    ASIF_TRY(check(&j, error));
    asif_status status = make(out, &j, error);
    asif_arena_free(&j.arena);
    return status;
}
