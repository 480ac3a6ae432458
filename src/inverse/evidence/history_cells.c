#include "inverse/evidence/history_cells.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define NOBODY 1e-9 /* of a count: less is rounding */
#define UNEVEN 1e-6 /* of a count: largest excess that is not an error */

typedef struct {
    const asif_setting *setting;
    const asif_tree_view *tree;
    const double *count;
    uint32_t horizon;
    double *arrived; /* [nodes]: weight of the histories that reach this node */
    double *went;    /* [nodes][actions]: weight of those that go on after an action */
    double *unseen;  /* [nodes][actions]: weight of those that go on without an observation */
    double *base;    /* [nodes]: log-probability without the agent's actions */
    double *belief;  /* [nodes][states]: belief in the environment */
    uint32_t *depth; /* [nodes]: number of earlier decisions */
} counting;

static void count_arrivals(counting *k, bool *forced) {
    const asif_tree_view *t = k->tree;
    uint32_t longest = 1;
    for (uint64_t n = t->nodes; n-- > 0;) {
        double acted = 0, went = 0;
        for (uint64_t i = n * t->actions; i < (n + 1) * t->actions; i++) {
            acted += k->count[i];
            went += k->went[i];
        }
        forced[n] = !(acted > 0) && went > 0;
        k->arrived[n] = forced[n] ? went : acted;
        if (t->parent[n] == ASIF_ANY)
            continue;
        uint64_t from = (uint64_t)t->parent[n] * t->actions + t->action[n];
        k->went[from] += k->arrived[n];
        k->unseen[from] += t->observation[n] == ASIF_ANY ? k->arrived[n] : 0;
    }
    for (uint64_t n = 0; n < t->nodes; n++) {
        uint32_t from = t->parent[n];
        k->depth[n] = from == ASIF_ANY ? 0 : k->depth[from] + !forced[from];
        if (k->arrived[n] > 0 && !forced[n] && k->depth[n] + 1 > longest)
            longest = k->depth[n] + 1;
    }
    if (k->horizon == 0)
        k->horizon = longest;
}

/* Update the belief in the environment by an action and its observation; returns the probability of the
 * observation. */
static double filter(const asif_setting *setting, const double *from, uint32_t action, uint32_t seen,
                     double *to) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    const asif_matrix *move = asif_transitions(setting, spec->worlds, action);
    const asif_matrix *show = asif_emissions(setting, spec->worlds, action);
    uint64_t begin, end;
    double sum = 0;
    memset(to, 0, spec->states * sizeof *to);
    for (uint32_t s = 0; s < spec->states; s++) {
        asif_matrix_row(move, s, &begin, &end);
        for (uint64_t i = begin; i < end; i++)
            to[move->column[i]] += from[s] * move->value[i];
    }
    for (uint32_t s = 0; s < spec->states; s++) {
        double shown = seen == ASIF_ANY;
        asif_matrix_row(show, s, &begin, &end);
        for (uint64_t i = begin; i < end && seen != ASIF_ANY; i++)
            if (show->column[i] == seen)
                shown = show->value[i];
        sum += to[s] *= shown;
    }
    for (uint32_t s = 0; s < spec->states && sum > 0; s++)
        to[s] /= sum;
    return sum;
}

static asif_status enter(counting *k, const bool *forced, uint64_t n, double all, asif_error *error) {
    const asif_tree_view *t = k->tree;
    uint64_t S = asif_setting_get(k->setting)->states;
    uint32_t from = t->parent[n];
    double *belief = k->belief + n * S;
    if (from == ASIF_ANY) {
        memcpy(belief, asif_setting_get(k->setting)->environment_start + n * S, S * sizeof *belief);
        k->base[n] = log(k->arrived[n] / all);
        return ASIF_OK;
    }
    uint64_t at = (uint64_t)from * t->actions + t->action[n];
    double seen = filter(k->setting, k->belief + from * S, t->action[n], t->observation[n], belief);
    double left = forced[from] ? k->arrived[from] : k->count[at];
    double share = (t->observation[n] == ASIF_ANY ? k->unseen[at] : k->went[at] - k->unseen[at]) / left;
    k->base[n] = k->base[from] + log(share * seen);
    if (seen > 0 || !(k->arrived[n] > 0))
        return ASIF_OK;
    char x[ASIF_LABEL_SIZE];
    asif_fail(error, ASIF_EZEROPR, "the environment never shows '%s' there",
              asif_setting_label(k->setting, ASIF_LABEL_OBSERVATION, t->observation[n], x));
    if (error)
        error->row = t->first_row ? t->first_row[n] : 0;
    asif_error_hint(error, "distribution-matching needs an environment that can do what was seen");
    return ASIF_EZEROPR;
}

/* Weight of the histories that end after an action at a node. */
static double over(const counting *k, uint64_t n, uint64_t at) {
    double left = k->depth[n] + 1 >= k->horizon ? k->count[at] : k->count[at] - k->went[at];
    return k->depth[n] < k->horizon && (left < 0 || left > NOBODY * k->count[at]) ? left : 0;
}

static asif_status fill(asif_history_cells *c, counting *k, asif_error *error) {
    const asif_tree_view *t = k->tree;
    double all = 0;
    count_arrivals(k, c->forced);
    for (uint32_t n = 0; n < t->starts; n++)
        all += k->arrived[n];
    if (!(all > 0))
        return asif_fail(error, ASIF_EINVALID, "the logs hold no decision");
    for (uint64_t n = 0; n < t->nodes; n++) {
        ASIF_TRY(enter(k, c->forced, n, all, error));
        for (uint32_t u = 0; u < t->actions; u++) {
            uint64_t at = n * t->actions + u;
            double left = c->forced[n] ? 0 : over(k, n, at);
            if (left < -UNEVEN * k->count[at]) {
                asif_fail(error, ASIF_EINVALID, "weights differ within an episode");
                asif_error_hint(error, "distribution-matching needs one weight for each episode");
                return ASIF_EINVALID;
            }
            if (!(left > 0))
                continue;
            c->node[c->cells] = (uint32_t)n;
            c->action[c->cells] = u;
            c->share[c->cells] = left / all;
            c->base[c->cells++] = k->base[n] + log(left / k->count[at]);
        }
    }
    return ASIF_OK;
}

asif_status asif_history_cells_create(asif_history_cells *out, const asif_context *context,
                                      const asif_setting *setting, const asif_tree *tree, const double *count,
                                      uint32_t horizon, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    uint64_t nodes = t->nodes, pairs = nodes * t->actions;
    asif_history_cells *c = out;
    *c = (asif_history_cells){.context = context, .nodes = nodes, .actions = t->actions};
    c->node = ASIF_ARRAY(context, pairs, uint32_t);
    c->action = ASIF_ARRAY(context, pairs, uint32_t);
    c->share = ASIF_ARRAY(context, pairs, double);
    c->base = ASIF_ARRAY(context, pairs, double);
    c->forced = ASIF_ARRAY(context, nodes, bool);
    counting k = {.setting = setting,
                  .tree = t,
                  .count = count ? count : t->count,
                  .horizon = horizon,
                  .arrived = ASIF_ARRAY(context, nodes, double),
                  .went = ASIF_ARRAY(context, pairs, double),
                  .unseen = ASIF_ARRAY(context, pairs, double),
                  .base = ASIF_ARRAY(context, nodes, double),
                  .belief = ASIF_ARRAY(context, nodes * asif_setting_get(setting)->states, double),
                  .depth = ASIF_ARRAY(context, nodes, uint32_t)};
    bool made = c->node && c->action && c->share && c->base && c->forced && k.arrived && k.went && k.unseen &&
                k.base && k.belief && k.depth;
    asif_status status = made ? fill(c, &k, error) : asif_fail_memory(error);
    void *const rooms[] = {k.arrived, k.went, k.unseen, k.base, k.belief, k.depth};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        asif_free(context, rooms[i]);
    if (status != ASIF_OK)
        asif_history_cells_free(c);
    return status;
}

void asif_history_cells_free(asif_history_cells *c) {
    void *const arrays[] = {c->node, c->action, c->share, c->base, c->forced};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c->context, arrays[i]);
    *c = (asif_history_cells){0};
}

void asif_history_cells_logs(const asif_history_cells *c, const asif_tree *tree, const double *log_policy,
                             double *room, double *out) {
    const asif_tree_view *t = asif_tree_inside(tree);
    for (uint64_t n = 0; n < c->nodes; n++) {
        uint64_t from = t->parent[n];
        room[n] = from == ASIF_ANY
                      ? 0
                      : room[from] + (c->forced[from] ? 0 : log_policy[from * c->actions + t->action[n]]);
    }
    for (uint64_t i = 0; i < c->cells; i++)
        out[i] = c->base[i] + room[c->node[i]] + log_policy[(uint64_t)c->node[i] * c->actions + c->action[i]];
}

void asif_history_cells_pull(const asif_history_cells *c, const asif_tree *tree, const double *slope,
                             double *bar) {
    const asif_tree_view *t = asif_tree_inside(tree);
    memset(bar, 0, c->nodes * c->actions * sizeof *bar);
    for (uint64_t i = 0; i < c->cells; i++)
        bar[(uint64_t)c->node[i] * c->actions + c->action[i]] = slope[i];
    for (uint64_t n = c->nodes; n-- > 0;) {
        uint64_t from = t->parent[n];
        double below = 0;
        for (uint32_t u = 0; u < c->actions; u++)
            below += bar[n * c->actions + u];
        if (from != ASIF_ANY)
            bar[from * c->actions + t->action[n]] += below;
    }
    for (uint64_t n = 0; n < c->nodes; n++)
        if (c->forced[n])
            memset(bar + n * c->actions, 0, c->actions * sizeof *bar);
}
