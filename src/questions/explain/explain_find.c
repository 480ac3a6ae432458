/* Finds belated and surprising episodes in logs. */
#include "questions/explain/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-9
#define WOULD 0.5 /* probability from which an ideal agent counts as doing something */

/* Means over draws at all nodes of the tree. */
typedef struct {
    const asif_context *context;
    asif_explain *explain;
    const asif_tree_view *tree;
    uint64_t cells; /* nodes times actions */
    uint32_t draws[ASIF_WHO_COUNT];
    double *sum;                         /* [blocks][quantities][cells] */
    double *mean[ASIF_WHO_COUNT], *cost; /* [cells], in the first block of `sum` */
} tableau;

enum { COST = ASIF_WHO_COUNT, QUANTITIES };

static double *sums(const tableau *t, uint32_t block, uint32_t quantity) {
    return t->sum + ((uint64_t)block * QUANTITIES + quantity) * t->cells;
}

static void take(void *user, uint32_t block, uint32_t draw, uint32_t who, const asif_followed *f) {
    tableau *t = user;
    uint64_t U = t->tree->actions;
    double *sum = sums(t, block, who), *cost = sums(t, block, COST);
    (void)draw;
    for (uint64_t i = 0; i < t->cells; i++)
        sum[i] += exp(f->log_policy[i]) / t->draws[who];
    for (uint64_t n = 0; who == ASIF_WHO_TRUE && n < t->tree->nodes; n++) {
        double best = -INFINITY;
        for (uint64_t u = 0; u < U; u++)
            best = isnan(f->q[n * U + u]) ? NAN : fmax(best, f->q[n * U + u]);
        for (uint64_t u = 0; u < U; u++)
            cost[n * U + u] += (best - f->q[n * U + u]) / t->draws[who];
    }
}

static asif_status say_impossible(const tableau *t, asif_error *error) {
    if (!error || error->row == 0 || error->row > t->tree->nodes)
        return ASIF_EZEROPR;
    uint64_t node = error->row - 1, row = t->tree->first_row[node];
    const asif_tree *tree = t->explain->options.tree;
    asif_fail(error, ASIF_EZEROPR, "`%s` cannot follow `%s` in any world of the agent",
              asif_show(asif_tree_label(tree, ASIF_LABEL_OBSERVATION, t->tree->observation[node])).text,
              asif_show(asif_tree_label(tree, ASIF_LABEL_ACTION, t->tree->action[node])).text);
    asif_error_hint(error, "is the label right? `asif check STUDY LOGS` looks at all of the logs");
    error->row = row;
    return ASIF_EZEROPR;
}

static asif_status fill(tableau *t, const double *x, const double *middle, const asif_work *work,
                        asif_error *error) {
    const asif_tree_view *tree = t->tree;
    const asif_fitted *fitted = t->explain->fitted;
    const asif_trail trail = {.states_seen = asif_setting_get(fitted->setting)->observations == 0,
                              .nodes = tree->nodes,
                              .levels = tree->levels,
                              .level = tree->level,
                              .parent = tree->parent,
                              .action = tree->action,
                              .observation = tree->observation};
    asif_explain_work job = {.fitted = fitted, .trail = &trail, .x = x, .take = take, .user = t};
    memcpy(job.draws, t->draws, sizeof job.draws);
    t->sum = ASIF_ARRAY(t->context, ASIF_EXPLAIN_BLOCKS * QUANTITIES * t->cells, double);
    if (!t->sum)
        return asif_fail_memory(error);
    asif_status status = asif_explain_over_draws(&job, work, middle, error);
    if (status != ASIF_OK)
        return status == ASIF_EZEROPR ? say_impossible(t, error) : status;
    for (uint32_t b = 1; b < ASIF_EXPLAIN_BLOCKS; b++)
        for (uint64_t i = 0; i < QUANTITIES * t->cells; i++)
            t->sum[i] += t->sum[b * QUANTITIES * t->cells + i];
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
        t->mean[who] = sums(t, 0, who);
    t->cost = sums(t, 0, COST);
    return ASIF_OK;
}

/* ---- belated ---- */

/* Whether an action is one that is waited for: the action `of`, or for ASIF_ANY any that ends the episode. */
static bool belongs(const asif_setting_spec *spec, uint32_t of, uint32_t action) {
    return action != ASIF_ANY && (of == ASIF_ANY ? spec->ends[action] : of == action);
}

static double probability_of(const tableau *t, uint32_t who, uint32_t of, uint32_t node) {
    const asif_setting_spec *spec = asif_setting_get(t->explain->setting);
    double sum = 0;
    for (uint32_t u = 0; u < spec->actions; u++)
        if (belongs(spec, of, u))
            sum += t->mean[who][(uint64_t)node * spec->actions + u];
    return sum;
}

/* Number of other decisions, from the place on at which the ideal agent would have taken the action. *place
 * becomes that place, *done where the action was taken. */
static uint32_t lateness(const tableau *t, const asif_course *chain, uint32_t who, uint32_t of,
                         uint32_t *place, uint32_t *done) {
    const asif_setting_spec *spec = asif_setting_get(t->explain->setting);
    uint32_t late = 0, k = 0;
    while (k < chain->length && !(probability_of(t, who, of, chain->node[k]) >= WOULD))
        k++;
    *place = k < chain->length ? k : ASIF_ANY;
    *done = ASIF_ANY;
    for (; k < chain->length; k++) {
        if (belongs(spec, of, chain->action[k])) {
            *done = k;
            break;
        }
        late += chain->action[k] != ASIF_ANY;
    }
    return *place == ASIF_ANY ? 0 : late;
}

static uint32_t number_of(const asif_course *chain, uint32_t place) {
    return place == ASIF_ANY ? 0 : place + chain->number;
}

static void judge_belated(const tableau *t, const asif_course *chain, uint32_t of,
                          asif_explain_episode *out) {
    uint32_t place, done, same, same_done;
    uint32_t late = lateness(t, chain, ASIF_WHO_TRUE, of, &place, &done);
    uint32_t late_same = lateness(t, chain, ASIF_WHO_SAME, of, &same, &same_done);
    if (late <= out->late && (out->late > 0 || late_same <= out->late_same))
        return;
    done = done == ASIF_ANY ? same_done : done;
    out->late = late;
    out->late_same = late_same;
    out->step = number_of(chain, place);
    out->step_same = number_of(chain, same);
    out->at = number_of(chain, done);
    out->action = done == ASIF_ANY ? ASIF_ANY : chain->action[done];
    out->of = of;
}

static void find_belated(const tableau *t, const asif_course *chain, asif_explain_episode *out) {
    const asif_setting_spec *spec = asif_setting_get(t->explain->setting);
    bool ends = false;
    for (uint32_t u = 0; u < spec->actions; u++)
        ends = ends || spec->ends[u];
    out->of = out->action = ASIF_ANY;
    if (ends)
        judge_belated(t, chain, ASIF_ANY, out);
    for (uint32_t u = 0; !ends && u < spec->actions; u++)
        judge_belated(t, chain, u, out);
}

/* A cost rounded for comparison, so that differences by rounding do not count. */
static double known(double cost) {
    return isnan(cost) ? -INFINITY : round(cost * 1e9);
}

static int latest_first(const void *a, const void *b) {
    const asif_explain_episode *x = a, *y = b;
    if (x->late != y->late)
        return x->late > y->late ? -1 : 1;
    if (x->late == 0 && x->late_same != y->late_same)
        return x->late_same > y->late_same ? -1 : 1;
    if (known(x->cost) != known(y->cost))
        return known(x->cost) > known(y->cost) ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* ---- surprising ---- */

static void find_surprising(const tableau *t, const asif_course *chain, asif_explain_episode *out) {
    uint64_t U = t->tree->actions;
    uint32_t place = ASIF_ANY;
    for (uint32_t k = 0; k < chain->length; k++) {
        if (chain->action[k] == ASIF_ANY)
            continue;
        double p = t->mean[ASIF_WHO_FITTED][chain->node[k] * U + chain->action[k]];
        if (place != ASIF_ANY && !(p < out->probability))
            continue;
        place = k;
        out->probability = p;
    }
    const double *policy = t->mean[ASIF_WHO_FITTED] + chain->node[place] * U;
    out->step = out->at = number_of(chain, place);
    out->action = chain->action[place];
    out->would = 0;
    for (uint32_t u = 1; u < U; u++)
        if (policy[u] > policy[out->would])
            out->would = u;
}

static int least_first(const void *a, const void *b) {
    const asif_explain_episode *x = a, *y = b;
    if (x->probability != y->probability)
        return x->probability < y->probability ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Count how many of all decisions are as improbable as that of the episode, and how many are expected to be,
 * in the same situations. */
static void count_alike(const tableau *t, asif_explain_episode *episode) {
    uint64_t U = t->tree->actions;
    for (uint64_t n = 0; n < t->tree->nodes; n++) {
        const double *policy = t->mean[ASIF_WHO_FITTED] + n * U, *count = t->tree->count + n * U;
        double decisions = 0, alike = 0;
        for (uint64_t u = 0; u < U; u++) {
            decisions += count[u];
            if (policy[u] > episode->probability * (1 + ROUNDING))
                continue;
            alike += policy[u];
            episode->observed += count[u];
        }
        episode->expected += decisions * alike;
    }
}

/* ---- all episodes ---- */

static asif_status judge_all(tableau *t, asif_explain_episode *list, uint64_t *count, asif_error *error) {
    asif_explain *e = t->explain;
    bool states_seen = asif_setting_get(e->setting)->observations == 0;
    bool belated = e->options.what == ASIF_EXPLAIN_BELATED;
    asif_course chain = {.context = t->context};
    asif_status status = ASIF_OK;
    *count = 0;
    for (uint64_t unit = 0; status == ASIF_OK && unit < t->tree->units; unit++) {
        status = asif_course_read(&chain, e->options.tree, states_seen, unit, error);
        if (status != ASIF_OK || chain.length == 0)
            continue;
        asif_explain_episode *episode = &list[*count];
        *episode = (asif_explain_episode){.unit = unit};
        for (uint32_t k = 0; k < chain.length; k++) {
            if (chain.action[k] == ASIF_ANY)
                continue;
            episode->decisions++;
            episode->cost += t->cost[(uint64_t)chain.node[k] * t->tree->actions + chain.action[k]];
        }
        (belated ? find_belated : find_surprising)(t, &chain, episode);
        e->found += belated && episode->late > 0;
        e->found_same += belated && episode->late_same > 0;
        *count += !belated || episode->late > 0 || episode->late_same > 0;
    }
    asif_course_free(&chain);
    return status;
}

asif_status asif_explain_find(asif_explain *e, const double *x, const double *middle, const asif_work *work,
                              asif_error *error) {
    uint32_t ideals = asif_ideals_vary(e->fitted) ? e->draws : 1;
    const asif_tree_view *tree = asif_tree_inside(e->options.tree);
    tableau t = {.context = e->context,
                 .explain = e,
                 .tree = tree,
                 .cells = (uint64_t)tree->nodes * tree->actions,
                 .draws = {e->draws, ideals, ideals}};
    uint64_t count = 0;
    asif_explain_episode *list = ASIF_ARRAY(e->context, tree->units, asif_explain_episode);
    asif_status status = list ? fill(&t, x, middle, work, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = judge_all(&t, list, &count, error);
    if (status == ASIF_OK) {
        bool belated = e->options.what == ASIF_EXPLAIN_BELATED;
        if (count)
            qsort(list, (size_t)count, sizeof *list, belated ? latest_first : least_first);
        e->listed = count < e->options.top ? count : e->options.top;
        for (uint64_t i = 0; !belated && i < e->listed; i++)
            count_alike(&t, &list[i]);
        e->episode = list;
        list = NULL;
    }
    asif_free(e->context, list);
    asif_free(e->context, t.sum);
    return status;
}
