#include "inverse/evidence/episodes.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "inverse/evidence/demonstration.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <string.h>

/* ---- requirements of the logs ---- */

const char *asif_helper_column(asif_helper helper, const asif_inverse_options *inverse_options) {
    static const char *const usual[] = {[ASIF_HELPER_SCORES] = "score",
                                        [ASIF_HELPER_BATCHES] = "batch",
                                        [ASIF_HELPER_ENVIRONMENTS] = "environment"};
    const char *name = (size_t)helper < sizeof usual / sizeof *usual ? usual[helper] : NULL;
    return name && inverse_options && inverse_options->column ? inverse_options->column : name;
}

asif_status asif_episodes_column(uint32_t *out, const asif_inverse_input *evidence, asif_helper helper,
                                 asif_error *error) {
    const char *column = asif_helper_column(helper, evidence->inverse_options), *name;
    for (*out = 0; (name = asif_tree_covariate_name(evidence->tree, *out)); (*out)++)
        if (strcmp(name, column) == 0)
            return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "the logs were read without the column `%s`", asif_show(column).text);
    asif_error_hint(error, "read them with episodes as units, and this column of each");
    return ASIF_EINVALID;
}

asif_status asif_episodes_check(const asif_inverse_input *evidence, const char *who, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(evidence->tree);
    const asif_logs_info *info = asif_tree_info(evidence->tree);
    if (!t->units) {
        asif_fail(error, ASIF_EINVALID, "%s is about episodes, and the logs were read without them", who);
        asif_error_hint(error, "read a table, not a saved tree that was counted without episodes");
        return ASIF_EINVALID;
    }
    if (evidence->count)
        return asif_fail(error, ASIF_EUNSUPPORTED, "%s is about episodes: counts cannot replace them", who);
    if (info->weight != (double)info->decisions) {
        asif_fail(error, ASIF_EUNSUPPORTED, "%s is about episodes, each of which counts once", who);
        asif_error_hint(error, "leave the weights out of `logs`");
        return ASIF_EUNSUPPORTED;
    }
    return ASIF_OK;
}

void asif_episodes_warn(const asif_inverse_input *evidence, asif_problems *problems) {
    const asif_tree_view *t = asif_tree_inside(evidence->tree);
    asif_error warning = ASIF_ERROR_INIT;
    if (t->ends_known || t->states_seen)
        return;
    asif_fail(&warning, ASIF_EINVALID,
              "the saved tree is of version 1: states were inferred without what was seen after the last "
              "decision of each episode");
    asif_error_hint(&warning, "fit the table itself, or count it again");
    asif_problems_add(problems, ASIF_PROBLEM_WARNING, &warning);
}

/* ---- features by cell ---- */

static void add_cell(asif_episodes *e, const asif_by_cell *cells, uint64_t episode, uint64_t cell,
                     double weight) {
    double *feature = e->feature + episode * e->features.count;
    e->constant[episode] += weight * e->features.constant[cell];
    for (uint64_t i = cells->offset[cell]; i < cells->offset[cell + 1]; i++)
        feature[cells->which[i]] += weight * cells->value[i];
}

/* ---- hidden states ---- */

/* Smoothing along one episode. `before`: the distribution of the state given all observations up to here;
 * `after`: the probability of later observations from each state. */
typedef struct {
    const asif_setting *setting;
    const asif_tree_view *tree;
    uint32_t states, world;
    uint32_t *path; /* [levels]: nodes from the root */
    uint32_t length;
    uint32_t last_action, last_seen; /* action and observation after the last node; ASIF_ANY: none */
    double *before, *after;          /* [levels][states] */
} smoother;

static double emitted(const smoother *m, uint32_t action, uint32_t state, uint32_t seen) {
    const asif_matrix *o = asif_emissions(m->setting, m->world, action);
    uint64_t begin, end;
    if (seen == ASIF_ANY)
        return 1;
    asif_matrix_row(o, state, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        if (o->column[i] == seen)
            return o->value[i];
    return 0;
}

static bool scale(double *p, uint32_t n) {
    double sum = 0;
    for (uint32_t s = 0; s < n; s++)
        sum += p[s];
    for (uint32_t s = 0; sum > 0 && s < n; s++)
        p[s] /= sum;
    return sum > 0;
}

static bool forward(const smoother *m, uint32_t t) {
    const double *from = m->before + (uint64_t)(t - 1) * m->states;
    double *to = m->before + (uint64_t)t * m->states;
    uint32_t u = m->tree->action[m->path[t]], seen = m->tree->observation[m->path[t]];
    const asif_matrix *tau = asif_transitions(m->setting, m->world, u);
    memset(to, 0, m->states * sizeof *to);
    for (uint32_t s = 0; s < m->states; s++) {
        uint64_t begin, end;
        asif_matrix_row(tau, s, &begin, &end);
        for (uint64_t i = begin; from[s] > 0 && i < end; i++)
            to[tau->column[i]] += from[s] * tau->value[i];
    }
    for (uint32_t s = 0; s < m->states; s++)
        to[s] *= to[s] > 0 ? emitted(m, u, s, seen) : 0;
    return scale(to, m->states);
}

/* Compute `after` at the t-th node, from the next action and observation and the `after` that follows
 * them. */
static void backward(const smoother *m, uint32_t t, uint32_t u, uint32_t seen, const double *after,
                     double *room) {
    double *here = m->after + (uint64_t)t * m->states;
    const asif_matrix *tau = asif_transitions(m->setting, m->world, u);
    for (uint32_t s = 0; s < m->states; s++)
        room[s] = after[s] > 0 ? after[s] * emitted(m, u, s, seen) : 0;
    for (uint32_t s = 0; s < m->states; s++) {
        uint64_t begin, end;
        asif_matrix_row(tau, s, &begin, &end);
        here[s] = 0;
        for (uint64_t i = begin; i < end; i++)
            here[s] += tau->value[i] * room[tau->column[i]];
    }
    scale(here, m->states);
}

/* Find the observation after the last decision. An observation after an ending action is not the episode's,
 * although a tree that was counted without a study may have it. False: there are several, or it is
 * elsewhere. */
static bool find_end(smoother *m, uint64_t episode) {
    const asif_tree_view *t = m->tree;
    uint64_t first = t->unit_end[episode], n = t->unit_end[episode + 1] - first;
    m->last_action = m->last_seen = ASIF_ANY;
    if (n == 0)
        return true;
    uint32_t end = t->ending[first];
    if (!asif_setting_get(m->setting)->ends[t->end_action[end]]) {
        m->last_action = t->end_action[end];
        m->last_seen = t->end_observation[end];
    }
    return n == 1 && t->end_node[end] == m->path[m->length - 1];
}

/* Find the nodes of an episode, from the root to the deepest one with a decision. */
static void find_path(smoother *m, uint64_t episode) {
    const asif_tree_view *t = m->tree;
    uint32_t deepest = t->entry_node[t->unit[episode]];
    for (uint64_t i = t->unit[episode]; i < t->unit[episode + 1]; i++)
        if (t->entry_node[i] > deepest) /* nodes are ordered by level */
            deepest = t->entry_node[i];
    m->length = 0;
    for (uint32_t node = deepest; node != ASIF_ANY; node = t->parent[node])
        m->path[m->length++] = node;
    for (uint32_t i = 0; i < m->length / 2; i++) {
        uint32_t other = m->path[m->length - 1 - i];
        m->path[m->length - 1 - i] = m->path[i];
        m->path[i] = other;
    }
}

static asif_status fail_unseen(const smoother *m, uint64_t episode, uint32_t t, const asif_tree *tree,
                               asif_error *error) {
    asif_fail(error, ASIF_EZEROPR, "episode `%s` saw what the environment does not allow",
              asif_show(asif_tree_unit_name(tree, episode)).text);
    if (error && m->tree->first_row)
        error->row = m->tree->first_row[m->path[t]];
    return ASIF_EZEROPR;
}

static asif_status fail_several(const asif_tree *tree, uint64_t episode, asif_error *error) {
    return asif_fail(error, ASIF_EINVALID, "episode `%s` is not one history",
                     asif_show(asif_tree_unit_name(tree, episode)).text);
}

static asif_status smooth(smoother *m, uint64_t episode, double *room, const asif_tree *tree,
                          asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(m->setting);
    find_path(m, episode);
    if (!find_end(m, episode))
        return fail_several(tree, episode, error);
    memcpy(m->before, spec->environment_start + (uint64_t)m->path[0] * m->states,
           m->states * sizeof *m->before);
    for (uint32_t t = 1; t < m->length; t++)
        if (!forward(m, t))
            return fail_unseen(m, episode, t, tree, error);
    double *last = m->after + (uint64_t)(m->length - 1) * m->states;
    for (uint32_t s = 0; s < m->states; s++)
        last[s] = room[m->states + s] = 1;
    if (m->last_action != ASIF_ANY)
        backward(m, m->length - 1, m->last_action, m->last_seen, room + m->states, room);
    for (uint32_t t = m->length - 1; t-- > 0;)
        backward(m, t, m->tree->action[m->path[t + 1]], m->tree->observation[m->path[t + 1]],
                 m->after + (t + 1ull) * m->states, room);
    for (uint32_t t = 0; t < m->length; t++) {
        double *p = m->before + (uint64_t)t * m->states;
        for (uint32_t s = 0; s < m->states; s++)
            p[s] *= m->after[(uint64_t)t * m->states + s];
        if (!scale(p, m->states))
            return fail_unseen(m, episode, m->length - 1, tree, error);
    }
    return ASIF_OK;
}

static asif_status sum_smoothed(asif_episodes *e, const asif_by_cell *cells, smoother *m, double *room,
                                const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = m->tree;
    for (uint64_t h = 0; h < e->count; h++) {
        ASIF_TRY(smooth(m, h, room, tree, error));
        for (uint64_t i = t->unit[h]; i < t->unit[h + 1]; i++) {
            uint32_t at = 0;
            while (at < m->length && m->path[at] != t->entry_node[i])
                at++;
            if (at == m->length)
                return fail_several(tree, h, error);
            for (uint32_t s = 0; s < m->states; s++)
                add_cell(e, cells, h, (uint64_t)t->entry_action[i] * m->states + s,
                         t->entry_count[i] * m->before[(uint64_t)at * m->states + s]);
        }
    }
    return ASIF_OK;
}

static asif_status sum_hidden(asif_episodes *e, const asif_by_cell *cells, const asif_setting *setting,
                              const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t room = (uint64_t)t->levels * spec->states;
    smoother m = {.setting = setting, .tree = t, .states = spec->states, .world = spec->worlds};
    m.path = ASIF_ARRAY(e->context, t->levels, uint32_t);
    m.before = ASIF_ARRAY(e->context, room, double);
    m.after = ASIF_ARRAY(e->context, room, double);
    double *one = ASIF_ARRAY(e->context, 2ull * spec->states, double);
    asif_status status = m.path && m.before && m.after && one ? sum_smoothed(e, cells, &m, one, tree, error)
                                                              : asif_fail_memory(error);
    void *const arrays[] = {m.path, m.before, m.after, one};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(e->context, arrays[i]);
    return status;
}

/* ---- all episodes ---- */

static void sum_seen(asif_episodes *e, const asif_by_cell *cells, const asif_tree *tree) {
    const asif_tree_view *t = asif_tree_inside(tree);
    for (uint64_t h = 0; h < e->count; h++)
        for (uint64_t i = t->unit[h]; i < t->unit[h + 1]; i++)
            add_cell(e, cells, h,
                     (uint64_t)t->entry_action[i] * e->features.states + t->observation[t->entry_node[i]],
                     t->entry_count[i]);
}

static asif_status fill(asif_episodes *e, const asif_behavior *behavior, const asif_inverse_input *evidence,
                        const char *who, asif_error *error) {
    asif_by_cell cells;
    ASIF_TRY(asif_loglik_check(behavior, evidence->tree, error));
    ASIF_TRY(asif_episodes_check(evidence, who, error));
    ASIF_TRY(
        asif_features_create(&e->features, e->context, behavior->setting, evidence->estimates, who, error));
    e->count = asif_tree_inside(evidence->tree)->units;
    e->constant = ASIF_ARRAY(e->context, e->count, double);
    e->feature = ASIF_ARRAY(e->context, e->count * e->features.count, double);
    if (!e->constant || !e->feature)
        return asif_fail_memory(error);
    asif_status status = asif_by_cell_create(&cells, &e->features, error);
    if (status == ASIF_OK && asif_tree_inside(evidence->tree)->states_seen)
        sum_seen(e, &cells, evidence->tree);
    else if (status == ASIF_OK)
        status = sum_hidden(e, &cells, behavior->setting, evidence->tree, error);
    asif_by_cell_free(&cells);
    return status;
}

asif_status asif_episodes_create(asif_episodes *out, const asif_behavior *behavior,
                                 const asif_inverse_input *evidence, const char *who, asif_error *error) {
    *out = (asif_episodes){.context = behavior->context};
    asif_status status = fill(out, behavior, evidence, who, error);
    if (status != ASIF_OK)
        asif_episodes_free(out);
    return status;
}

void asif_episodes_free(asif_episodes *e) {
    if (e->features.context)
        asif_features_free(&e->features);
    asif_free(e->context, e->constant);
    asif_free(e->context, e->feature);
    *e = (asif_episodes){.context = e->context};
}
