/* Results that were seen and are lost: all completions of an episode that agree with what was recorded, and
 * their probabilities in the environment.
 *
 * The decisions of an episode then have the probability
 *     sum over completions of prod_t P(x_t | completed history) pi(u_t | completed history),
 * over the same sum without pi. What comes before the first lost result is a factor of both sums, and counted
 * as usual. This holds if whether a result is lost does not depend on what it was, given what was recorded.
 */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define MOST 10000 /* completions of an episode */
#define NONE UINT64_MAX

/* One decision of an episode, and what was seen before it. */
typedef struct {
    uint32_t before;      /* action that was followed by the observation; ASIF_ANY: there is none */
    uint32_t seen;        /* observation, lost or not */
    uint64_t from, step;  /* steps of the observation and of the decision */
    const uint32_t *fits; /* [candidates]: what a lost observation can have been; NULL: it is certain */
    uint64_t candidates;
} decision;

typedef struct {
    uint64_t count;
    uint32_t *seen;          /* [count][length] */
    double *belief, *weight; /* [count][states]: the environment's; [count]: log-probability */
} completions;

typedef struct {
    asif_reading *r;
    const asif_context *context;
    uint32_t states, start;
    uint64_t decisions, first; /* first: the first decision after a lost result */
    decision *decision;        /* [decisions + 1]; the last has only what was seen before it */
    uint32_t *fit;             /* candidates of all decisions */
    completions now, next;
    uint64_t room;
    double *moved; /* [states] */
} completing;

/* ---- the environment ---- */

static double entry(const asif_matrix *m, uint32_t row, uint32_t column) {
    uint64_t begin = 0, end = 0;
    asif_matrix_row(m, row, &begin, &end);
    for (uint64_t k = begin; k < end; k++)
        if (m->column[k] == column)
            return m->value[k];
    return 0;
}

static void mark(const asif_matrix *m, bool *row) {
    for (uint64_t i = 0; i < asif_matrix_entries(m); i++)
        row[m->column[i]] = row[m->column[i]] || m->value[i] > 0;
}

asif_status asif_completions_bind(asif_reading *r, asif_error *error) {
    bool any = false;
    for (uint32_t i = 0; i < r->seen.parts; i++)
        any = any || (r->seen.part[i].map && r->seen.part[i].map->unrecorded);
    if (!any)
        return ASIF_OK;
    if (r->setting && asif_setting_get(r->setting)->seen > 1) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "`missing: unrecorded` is not yet possible where a part of the state is seen");
        asif_error_at(error, r->file, r->table->line, 0);
        return ASIF_EUNSUPPORTED;
    }
    if (!r->setting || r->states_seen) {
        asif_fail(error, ASIF_EINVALID, "`missing: unrecorded` needs a study with an environment");
        asif_error_at(error, r->file, r->table->line, 0);
        return ASIF_EINVALID;
    }
    for (uint32_t i = 0; r->seen.parts > 1 && i < r->seen.names.count; i++) {
        const char *label = asif_names_get(&r->seen.names, i);
        uint32_t slashes = 0;
        for (const char *c = label; *c; c++)
            slashes += *c == '/';
        if (slashes + 1 == r->seen.parts)
            continue;
        asif_fail(error, ASIF_EINVALID,
                  "`missing: unrecorded` needs observations named by their columns, as `a/b`, not `%s`",
                  asif_show(label).text);
        asif_error_at(error, r->file, r->table->line, 0);
        return ASIF_EINVALID;
    }
    const asif_setting_spec *spec = asif_setting_get(r->setting);
    r->real = ASIF_ARRAY(r->context, (uint64_t)spec->actions * spec->observations, bool);
    if (!r->real)
        return asif_fail_memory(error);
    for (uint32_t u = 0; u < spec->actions; u++)
        mark(asif_emissions(r->setting, spec->worlds, u), r->real + (uint64_t)u * spec->observations);
    return ASIF_OK;
}

/* moved = belief times the transitions. */
static void move(const completing *c, uint32_t action, const double *belief) {
    const asif_matrix *m = asif_transitions(c->r->setting, asif_setting_get(c->r->setting)->worlds, action);
    memset(c->moved, 0, c->states * sizeof *c->moved);
    for (uint32_t s = 0; s < c->states; s++) {
        uint64_t begin = 0, end = 0;
        asif_matrix_row(m, s, &begin, &end);
        for (uint64_t k = begin; belief[s] > 0 && k < end; k++)
            c->moved[m->column[k]] += belief[s] * m->value[k];
    }
}

/* The belief after one of these observations was seen, and its probability, which is returned. */
static double see(const completing *c, uint32_t action, const uint32_t *seen, uint64_t count,
                  double *belief) {
    const asif_matrix *m = asif_emissions(c->r->setting, asif_setting_get(c->r->setting)->worlds, action);
    double sum = 0;
    for (uint32_t s = 0; s < c->states; s++) {
        double emission = count ? 0 : 1;
        for (uint64_t i = 0; i < count; i++)
            emission += entry(m, s, seen[i]);
        sum += belief[s] = c->moved[s] * emission;
    }
    for (uint32_t s = 0; sum > 0 && s < c->states; s++)
        belief[s] /= sum;
    return sum;
}

/* ---- completions ---- */

static asif_status make_room(completing *c, uint64_t count, asif_error *error) {
    if (count <= c->room)
        return ASIF_OK;
    uint64_t room = 2 * count;
    completions *const both[] = {&c->now, &c->next};
    for (size_t i = 0; i < 2; i++) {
        uint32_t *seen = asif_realloc(c->context, both[i]->seen, room * (c->decisions + 1), sizeof *seen);
        if (seen)
            both[i]->seen = seen;
        double *belief = asif_realloc(c->context, both[i]->belief, room * c->states, sizeof *belief);
        if (belief)
            both[i]->belief = belief;
        double *weight = asif_realloc(c->context, both[i]->weight, room, sizeof *weight);
        if (weight)
            both[i]->weight = weight;
        if (!seen || !belief || !weight)
            return asif_fail_memory(error);
    }
    c->room = room;
    return ASIF_OK;
}

static asif_place place_of(const completing *c, uint64_t step) {
    return asif_reading_at(c->r, step, c->r->seen.part[0].column);
}

/* Extend a completion by an observation, or by any of several (`as` is then what the agent is given). */
static asif_status extend(completing *c, uint64_t from, uint64_t at, const uint32_t *seen, uint64_t count,
                          uint32_t as, asif_error *error) {
    const decision *d = &c->decision[at];
    uint64_t width = c->decisions + 1, to = c->next.count;
    ASIF_TRY(make_room(c, to + 1, error));
    double p = see(c, d->before, seen, count, c->next.belief + to * c->states);
    if (!(p > 0))
        return ASIF_OK;
    memcpy(c->next.seen + to * width, c->now.seen + from * width, at * sizeof *c->next.seen);
    c->next.seen[to * width + at] = as;
    c->next.weight[to] = c->now.weight[from] + log(p);
    c->next.count++;
    return ASIF_OK;
}

/* Extend all completions by what was seen before a decision. */
static asif_status advance(completing *c, uint64_t at, asif_error *error) {
    const decision *d = &c->decision[at];
    uint32_t S = c->states;
    c->next.count = 0;
    for (uint64_t i = 0; i < c->now.count; i++) {
        move(c, d->before, c->now.belief + i * S);
        bool branches = d->fits && d->seen != ASIF_ANY && at < c->decisions;
        if (!d->fits)
            ASIF_TRY(extend(c, i, at, &d->seen, d->seen != ASIF_ANY, d->seen, error));
        else if (!branches)
            ASIF_TRY(extend(c, i, at, d->fits, d->candidates, ASIF_ANY, error));
        for (uint64_t k = 0; branches && k < d->candidates && c->next.count <= MOST; k++)
            ASIF_TRY(extend(c, i, at, &d->fits[k], 1, d->fits[k], error));
    }
    completions swap = c->now;
    c->now = c->next;
    c->next = swap;
    return ASIF_OK;
}

static asif_status complete(completing *c, bool *good, asif_error *error) {
    asif_reading *r = c->r;
    *good = false;
    ASIF_TRY(make_room(c, 1, error));
    memcpy(c->now.belief, asif_setting_get(r->setting)->environment_start + (uint64_t)c->start * c->states,
           c->states * sizeof *c->now.belief);
    c->now.weight[0] = 0;
    c->now.count = 1;
    for (uint64_t at = 0; at <= c->decisions; at++) {
        const decision *d = &c->decision[at];
        if (d->before == ASIF_ANY) {
            for (uint64_t i = 0; i < c->now.count; i++)
                c->now.seen[i * (c->decisions + 1) + at] = ASIF_ANY;
            continue;
        }
        ASIF_TRY(advance(c, at, error));
        if (c->now.count == 0) {
            asif_reading_problem(r, place_of(c, d->from),
                                 "is a label wrong, or the environment of the study?",
                                 "whatever the lost results of this episode were, by the environment it "
                                 "cannot have gone as recorded up to this row");
            return ASIF_OK;
        }
        if (c->now.count > MOST) {
            asif_reading_problem(r, place_of(c, d->from),
                                 "leave out episodes with so many lost results (`require` a column that "
                                 "tells them), or use fewer classes",
                                 "the lost results of this episode can be completed in more than %d ways",
                                 MOST);
            return ASIF_OK;
        }
    }
    *good = true;
    return ASIF_OK;
}

/* ---- episodes ---- */

/* Find what an observation can have been. One that is certain is taken as recorded; of an action that shows
 * nothing, any result leaves the same belief as none. */
static void resolve(completing *c, decision *d, uint64_t *used) {
    asif_reading *r = c->r;
    uint64_t count = 0;
    if (!asif_code_lost(d->seen) || d->before == ASIF_ANY)
        return;
    const uint32_t *fits = asif_coder_fits(&r->seen, d->seen, &count);
    d->fits = c->fit + *used;
    for (uint64_t i = 0; i < count; i++)
        if (r->real[(uint64_t)d->before * r->observations + fits[i]])
            c->fit[*used + d->candidates++] = fits[i];
    *used += d->candidates;
    if (d->candidates == 1) {
        d->seen = d->fits[0];
        d->fits = NULL;
    } else if (!asif_lacks_shows(r, d->before)) {
        d->seen = ASIF_ANY;
    }
}

static bool branches(const decision *d) {
    return d->fits && d->seen != ASIF_ANY;
}

/* List the decisions of an episode with what was seen before each, and what was seen after the last. */
static void list(completing *c, const uint64_t *order) {
    asif_reading *r = c->r;
    bool before = r->map->before;
    uint64_t n = c->decisions;
    for (uint64_t i = 0; i <= n; i++) {
        decision *d = &c->decision[i];
        *d = (decision){.before = ASIF_ANY, .seen = ASIF_ANY, .from = NONE, .step = i < n ? order[i] : NONE};
        if (before ? i == n : i == 0)
            continue;
        uint32_t action = i ? r->step[order[i - 1]].action : r->initial;
        d->from = order[before ? i : i - 1];
        d->seen = r->step[d->from].seen;
        bool nothing = i == 0 ? d->seen == ASIF_CODE_MISSING : i == n && asif_reading_ends(r, action);
        d->before = nothing ? ASIF_ANY : action;
    }
}

static bool same_weights(const completing *c) {
    for (uint64_t i = 1; i < c->decisions; i++)
        if (asif_reading_weight(c->r, c->decision[i].step) != asif_reading_weight(c->r, c->decision[0].step))
            return false;
    return true;
}

/* Report what cannot be done with an episode. */
static bool check(completing *c, bool lost_first) {
    asif_reading *r = c->r;
    bool good = true;
    if (lost_first && r->initial == ASIF_ANY) {
        asif_reading_problem(r, place_of(c, c->decision[0].from),
                             "name the action whose emissions it follows: initial_observation: ACTION",
                             "an observation comes before the first action, and no action explains it");
        return false;
    }
    for (uint64_t i = 0; i <= c->decisions; i++) {
        const decision *d = &c->decision[i];
        for (uint64_t k = 0; branches(d) && i < c->decisions && k < d->candidates; k++)
            asif_reading_possible(r, d->before, d->fits[k], d->from);
        if (d->fits && d->candidates == 0) {
            asif_reading_problem(r, place_of(c, d->from), "is the rest of the row right?",
                                 "no result that fits this row can follow its action in the environment");
            good = false;
        }
    }
    if (good && c->first < c->decisions && !same_weights(c)) {
        asif_reading_problem(r, place_of(c, c->decision[c->first].from),
                             "give all rows of the episode the same weight",
                             "a result is lost, and the weights differ within the episode");
        good = false;
    }
    return good && !r->failed;
}

/* Subtract the logarithm of the sum of all weights. */
static void normalise(const completions *c) {
    double top = -INFINITY, sum = 0;
    for (uint64_t i = 0; i < c->count; i++)
        top = fmax(top, c->weight[i]);
    for (uint64_t i = 0; i < c->count; i++)
        sum += exp(c->weight[i] - top);
    for (uint64_t i = 0; i < c->count; i++)
        c->weight[i] -= top + log(sum);
}

static asif_status add_counted(const completing *c, asif_error *error) {
    asif_reading *r = c->r;
    for (uint64_t i = 0; i < c->first; i++) {
        const decision *d = &c->decision[i];
        if (d->before != ASIF_ANY) {
            asif_reading_possible(r, d->before, d->seen, d->from);
            if (r->failed)
                return ASIF_OK;
            ASIF_TRY(asif_tree_move(r->builder, d->before, d->seen, r->step[d->from].row, error));
            asif_tree_label_state(r->builder, r->step[d->from].label);
        }
        ASIF_TRY(asif_tree_act(r->builder, r->step[d->step].action, asif_reading_weight(r, d->step),
                               r->step[d->step].row, error));
    }
    return ASIF_OK;
}

static asif_status add_lost(completing *c, asif_error *error) {
    asif_reading *r = c->r;
    uint64_t n = c->decisions - c->first, width = c->decisions + 1;
    uint32_t *before = ASIF_ARRAY(c->context, n, uint32_t), *action = ASIF_ARRAY(c->context, n, uint32_t);
    uint64_t *row = ASIF_ARRAY(c->context, n, uint64_t);
    asif_status status = before && action && row ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < n; i++) {
        const decision *d = &c->decision[c->first + i];
        before[i] = d->before;
        action[i] = r->step[d->step].action;
        row[i] = r->step[d->from].row;
        asif_reading_possible(r, d->before, d->seen, d->from);
    }
    if (status == ASIF_OK && !r->failed) {
        for (uint64_t i = 0; i < c->now.count; i++)
            memmove(c->now.seen + i * n, c->now.seen + i * width + c->first, n * sizeof *c->now.seen);
        normalise(&c->now);
        asif_tree_completions all = {c->now.count, c->now.seen, c->now.weight};
        status = asif_tree_lose(r->builder, n, before, action, row,
                                asif_reading_weight(r, c->decision[c->first].step), &all, error);
    }
    asif_free(c->context, before);
    asif_free(c->context, action);
    asif_free(c->context, row);
    return status;
}

static asif_status add(completing *c, asif_error *error) {
    bool good = false;
    ASIF_TRY(complete(c, &good, error));
    if (!good)
        return ASIF_OK;
    ASIF_TRY(add_counted(c, error));
    if (c->r->lost.completions < c->now.count)
        c->r->lost.completions = c->now.count;
    return c->r->failed ? ASIF_OK : add_lost(c, error);
}

static void count_lost(const completing *c) {
    asif_reading *r = c->r;
    for (uint64_t i = 0; i < c->decisions; i++) {
        if (!branches(&c->decision[i]))
            continue;
        if (r->lost.results++ == 0)
            r->lost.first = place_of(c, c->decision[i].from);
    }
    r->lost.episodes++;
}

/* Where no lost result comes before a decision, replace those that are certain; others were not seen, or tell
 * nothing. */
static void settle(const completing *c) {
    for (uint64_t i = 0; i <= c->decisions; i++) {
        const decision *d = &c->decision[i];
        if (d->from != NONE && asif_code_lost(c->r->step[d->from].seen))
            c->r->step[d->from].seen = d->before == ASIF_ANY || branches(d) ? ASIF_CODE_MISSING : d->seen;
    }
}

asif_status asif_completions_add(asif_reading *r, uint64_t *order, uint64_t count, uint32_t start,
                                 bool *handled, asif_error *error) {
    uint64_t candidates = 0, used = 0, fits = 0;
    *handled = false;
    for (uint64_t i = 0; i < count; i++)
        if (asif_code_lost(r->step[order[i]].seen)) {
            asif_coder_fits(&r->seen, r->step[order[i]].seen, &fits);
            candidates += fits;
        }
    if (candidates == 0)
        return ASIF_OK;
    const asif_context *context = r->context;
    completing c = {.r = r,
                    .context = context,
                    .states = asif_setting_get(r->setting)->states,
                    .start = start,
                    .decisions = count,
                    .first = count,
                    .decision = ASIF_ARRAY(context, count + 1, decision),
                    .fit = ASIF_ARRAY(context, candidates, uint32_t)};
    c.moved = ASIF_ARRAY(context, c.states, double);
    asif_status status = c.decision && c.fit && c.moved ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        list(&c, order);
        bool lost_first = asif_code_lost(c.decision[0].seen);
        for (uint64_t i = 0; i <= count; i++)
            resolve(&c, &c.decision[i], &used);
        for (c.first = 0; c.first < count && !branches(&c.decision[c.first]);)
            c.first++;
        *handled = !check(&c, lost_first) || c.first < count;
    }
    if (status == ASIF_OK && *handled && !r->failed) {
        count_lost(&c);
        status = add(&c, error);
    }
    if (status == ASIF_OK && !*handled)
        settle(&c);
    void *const arrays[] = {c.decision,   c.fit,       c.moved,       c.now.seen,   c.now.belief,
                            c.now.weight, c.next.seen, c.next.belief, c.next.weight};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}

void asif_completions_say(asif_reading *r) {
    if (r->failed || !r->lost.results || !asif_reading_wants(r, ASIF_PROBLEM_NOTE))
        return;
    asif_reading_list(
        r, ASIF_PROBLEM_NOTE, ASIF_OK, r->lost.first,
        "this assumes that whether a result was lost does not depend on what it was",
        "%llu result%s of %llu episode%s unrecorded: the likelihood averages over what they can "
        "have been, in up to %llu ways an episode, by their probabilities in the environment",
        (unsigned long long)r->lost.results, r->lost.results == 1 ? "" : "s",
        (unsigned long long)r->lost.episodes, r->lost.episodes == 1 ? " is" : "s are",
        (unsigned long long)r->lost.completions);
}
