/* Measures the behaviour of groups: simulated once for each draw and start class, then averaged with weights
 * of the classes. */
#include "questions/compare/groups/compare_groups.h"

#include "acting/episode_measures.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "fit/fit.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define BLOCK 25 /* draws that a job solves one after the other, each from the solution before */
#define HALVES 2 /* number of simulations of each draw, see asif_pairs_denoise() */
#define ALONG 10 /* factor on the episodes at a point on an axis of the spread between subjects */
#define USUAL_STEPS 1000
#define USUAL_LENGTH 100 /* length of episodes if nothing ends them and the logs do not show it */

typedef struct {
    uint32_t points; /* number of draws; 1: the maximum */
    /* Draws and, if subjects are known, two points on each axis of the spread between them. */
    uint32_t all;
    double *x;     /* [all][dimension] */
    double *value; /* [classes][measures][HALVES][all] */
    double *taken; /* [classes][actions]: weight of decisions in the logs */
    double *began; /* [classes]: weight of episodes in the logs; NaN: not known */
} agents;

typedef struct {
    asif_compare_groups *contrast;
    const asif_compare_groups_group *group;
    agents *agents; /* [groups] */
    uint32_t max_steps;
    /* Jobs: a group, and a block of its draws. */
    uint32_t jobs;
    uint32_t *job_group, *job_begin;
    asif_status *status;
    asif_error *error;
} simulation;

static double *values_of(const simulation *s, uint32_t g, uint32_t class, uint32_t measure, uint32_t half) {
    const agents *a = &s->agents[g];
    return a->value +
           (((uint64_t) class * s->contrast->measures + measure) * HALVES + half) * (uint64_t)a->all;
}

/* ---- whether behaviour can be compared ---- */

static bool same_labels(const asif_setting *a, const asif_setting *b, asif_label_kind kind) {
    uint32_t count = asif_setting_count(a, kind);
    if (count != asif_setting_count(b, kind))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        char x[ASIF_LABEL_SIZE], y[ASIF_LABEL_SIZE];
        if (strcmp(asif_setting_label(a, kind, i, x), asif_setting_label(b, kind, i, y)) != 0)
            return false;
    }
    return true;
}

static const char *why_not(const asif_compare_groups *contrast, const asif_compare_groups_group *group) {
    const asif_setting *first = group[contrast->first].fitted->setting;
    for (uint32_t g = 0; g < contrast->groups; g++) {
        if (!same_labels(first, group[g].fitted->setting, ASIF_LABEL_ACTION))
            return "the fits do not have the same actions";
        if (!same_labels(first, group[g].fitted->setting, ASIF_LABEL_START))
            return "the fits do not have the same start classes";
        if (!asif_work_planner(group[g].fitted->work)->purposeful)
            return "some of the planners do not act for the sake of a utility";
    }
    return NULL;
}

static asif_status copy_labels(char ***out, const asif_context *context, const asif_setting *setting,
                               asif_label_kind kind, uint32_t count, asif_error *error) {
    char buffer[ASIF_LABEL_SIZE];
    *out = asif_alloc(context, count, sizeof **out);
    bool good = *out;
    for (uint32_t i = 0; good && i < count; i++)
        good = ((*out)[i] = asif_strdup(context, asif_setting_label(setting, kind, i, buffer))) != NULL;
    return good ? ASIF_OK : asif_fail_memory(error);
}

static asif_status describe(asif_compare_groups *contrast, const asif_setting *setting, asif_error *error) {
    const asif_context *c = contrast->context;
    const asif_setting_spec *spec = asif_setting_get(setting);
    contrast->measures = asif_episode_measures_count(setting);
    contrast->actions = spec->actions;
    ASIF_TRY(copy_labels(&contrast->action, c, setting, ASIF_LABEL_ACTION, spec->actions, error));
    contrast->classes = spec->starts;
    if (spec->starts > 1)
        ASIF_TRY(copy_labels(&contrast->class_name, c, setting, ASIF_LABEL_START, spec->starts, error));
    if (spec->start_column && !(contrast->class_column = asif_strdup(c, spec->start_column)))
        return asif_fail_memory(error);
    return ASIF_OK;
}

/* ---- measures of the logs ---- */

static asif_status count_logs(const simulation *s, uint32_t g, asif_error *error) {
    const asif_compare_groups *contrast = s->contrast;
    const asif_tree *tree = s->group[g].fitted->tree;
    const asif_tree_view *view = asif_tree_inside(tree);
    agents *a = &s->agents[g];
    if (view->actions != contrast->actions || (!view->states_seen && view->starts != contrast->classes))
        return asif_fail(error, ASIF_EINVALID, "the logs of %.60s are not those of its study",
                         contrast->group[g].name);
    uint32_t *root = ASIF_ARRAY(contrast->context, view->nodes, uint32_t);
    if (!root)
        return asif_fail_memory(error);
    /* Where states are seen, nodes are states, and the class of an episode is not kept. */
    bool seen = view->states_seen, known = !seen || contrast->classes == 1;
    for (uint64_t n = 0; n < view->nodes; n++) {
        root[n] = seen || view->parent[n] == ASIF_ANY ? (uint32_t)n : root[view->parent[n]];
        for (uint32_t u = 0; u < view->actions; u++)
            a->taken[(uint64_t)(seen ? 0 : root[n]) * view->actions + u] +=
                view->count[n * view->actions + u];
    }
    for (uint64_t k = 0; k < view->lost; k++)
        asif_lost_taken(a->taken + (uint64_t)asif_lost_root(view, k) * view->actions, view, k);
    asif_status status = ASIF_OK;
    for (uint32_t c = 0; c < contrast->classes; c++)
        a->began[c] = NAN;
    if (!seen)
        status = asif_tree_began(a->began, tree, error);
    uint64_t episodes = asif_tree_info(tree)->episodes;
    if (seen && known && episodes > 0 && !asif_tree_holds_counts(tree))
        a->began[0] = (double)episodes;
    asif_free(contrast->context, root);
    return status;
}

static double sum(const double *x, uint32_t n) {
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += x[i];
    return total;
}

/* Compute the shares of the start classes: of each group, and of all groups together. */
static void find_mixes(const simulation *s) {
    asif_compare_groups *contrast = s->contrast;
    uint32_t C = contrast->classes;
    double all = 0;
    for (uint32_t g = 0; g < contrast->groups; g++) {
        const agents *a = &s->agents[g];
        asif_compare_groups_info *info = &contrast->group[g];
        info->episodes = sum(a->began, C);
        info->decisions = sum(a->taken, C * contrast->actions);
        all += info->episodes;
        for (uint32_t c = 0; c < C; c++) {
            info->share[c] = C == 1 ? 1 : a->began[c] / info->episodes;
            contrast->pooled[c] += a->began[c];
        }
    }
    for (uint32_t c = 0; c < C; c++)
        contrast->pooled[c] = C == 1 ? 1 : contrast->pooled[c] / all;
}

/* A measure of the episodes of one class in the logs (C: of all classes). */
static double observed(const simulation *s, uint32_t g, uint32_t class, uint32_t measure) {
    const asif_compare_groups *contrast = s->contrast;
    const asif_setting_spec *spec = asif_setting_get(s->group[g].fitted->setting);
    const agents *a = &s->agents[g];
    double episodes = 0, decisions = 0, ending = 0, taken = 0;
    bool ends = false;
    for (uint32_t c = 0; c < contrast->classes; c++) {
        const double *count = a->taken + (uint64_t)c * contrast->actions;
        if (class != contrast->classes && class != c)
            continue;
        episodes += a->began[c];
        decisions += sum(count, contrast->actions);
        for (uint32_t u = 0; u < contrast->actions; u++)
            ending += spec->ends[u] ? count[u] : 0;
        if (measure >= ASIF_MEASURE_TAKEN)
            taken += count[measure - ASIF_MEASURE_TAKEN];
    }
    for (uint32_t u = 0; u < contrast->actions; u++)
        ends |= spec->ends[u];
    if (!(episodes > 0))
        return NAN;
    if (measure >= ASIF_MEASURE_TAKEN)
        return taken / episodes;
    if (measure == ASIF_MEASURE_LENGTH)
        return decisions / episodes;
    if (measure == ASIF_MEASURE_BEFORE && ends)
        return (decisions - ending) / episodes;
    return measure == ASIF_MEASURE_CUT && ends ? 1 - ending / episodes : NAN;
}

/* ---- simulation ---- */

static uint32_t steps(const simulation *s) {
    const asif_compare_groups *contrast = s->contrast;
    double episodes = 0, decisions = 0;
    if (contrast->options.max_steps)
        return contrast->options.max_steps;
    for (uint32_t g = 0; g < contrast->groups; g++) {
        const asif_setting_spec *spec = asif_setting_get(s->group[g].fitted->setting);
        for (uint32_t u = 0; u < spec->actions; u++)
            if (spec->ends[u])
                return USUAL_STEPS;
        episodes += contrast->group[g].episodes;
        decisions += contrast->group[g].decisions;
    }
    double length = ceil(decisions / episodes);
    return length >= 1 && length < 1e9 ? (uint32_t)length : USUAL_LENGTH;
}

static asif_status simulate_draw(const simulation *s, uint32_t g, uint32_t draw, const asif_work *work,
                                 const asif_theta *theta, double *measure, asif_error *error) {
    const asif_compare_groups *contrast = s->contrast;
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    bool drawn = draw < s->agents[g].points;
    options.episodes = contrast->options.episodes / HALVES * (drawn ? 1 : ALONG);
    options.seed = contrast->options.seed;
    options.max_steps = s->max_steps;
    for (uint32_t c = 0; c < contrast->classes; c++)
        for (uint32_t half = 0; half < HALVES; half++) {
            /* Draws with the same number have the same random numbers in all groups and classes; so have all
             * points on the axes. */
            options.first_episode = ((uint64_t)(drawn ? draw : 0) * HALVES + half) * options.episodes;
            options.start = c;
            ASIF_TRY(asif_episode_measures_simulate(measure, NULL, asif_work_behavior(work), theta, &options,
                                                    error));
            for (uint32_t k = 0; k < contrast->measures; k++)
                values_of(s, g, c, k, half)[draw] = measure[k];
        }
    return ASIF_OK;
}

/* Set the measures to NaN at a point on an axis at which the agent cannot be solved. */
static void leave_open(const simulation *s, uint32_t g, uint32_t point) {
    for (uint32_t c = 0; c < s->contrast->classes; c++)
        for (uint32_t k = 0; k < s->contrast->measures; k++)
            for (uint32_t half = 0; half < HALVES; half++)
                values_of(s, g, c, k, half)[point] = NAN;
}

static asif_status run_point(const simulation *s, uint32_t g, uint32_t d, asif_work *work, asif_theta *theta,
                             double *measure, asif_error *error) {
    const asif_fitted *fitted = s->group[g].fitted;
    uint64_t dimension = asif_estimates_dimension(fitted->estimates);
    asif_plan_info info = {.stop = ASIF_STOP_CONVERGED};
    asif_status status =
        asif_estimates_theta(fitted->estimates, s->agents[g].x + d * dimension, theta, error);
    if (status == ASIF_OK)
        status = asif_solve(work, theta, &info, error);
    bool open = status == ASIF_EDOMAIN || (status == ASIF_OK && info.stop == ASIF_STOP_NONFINITE);
    if (open && d >= s->agents[g].points) {
        leave_open(s, g, d);
        return ASIF_OK;
    }
    if (status == ASIF_OK && open)
        status = asif_fail(error, ASIF_EUNSUPPORTED, "the values of a draw of %.60s overflow",
                           s->contrast->group[g].name);
    return status == ASIF_OK ? simulate_draw(s, g, d, work, theta, measure, error) : status;
}

static asif_status run_block(const simulation *s, uint32_t g, uint32_t begin, uint32_t end,
                             asif_error *error) {
    const asif_fitted *fitted = s->group[g].fitted;
    asif_work *work = NULL;
    asif_theta *theta = NULL;
    double *measure = ASIF_ARRAY(fitted->context, s->contrast->measures, double);
    asif_status status = measure ? asif_work_clone(&work, fitted->work, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&theta, fitted->given, error);
    for (uint32_t d = begin; d < end && status == ASIF_OK; d++)
        status = run_point(s, g, d, work, theta, measure, error);
    asif_theta_free(theta);
    asif_work_free(work);
    asif_free(fitted->context, measure);
    return status;
}

static void run_job(void *argument, uint32_t i) {
    simulation *s = argument;
    uint32_t g = s->job_group[i], begin = s->job_begin[i], last = s->agents[g].all;
    s->status[i] = run_block(s, g, begin, begin + BLOCK < last ? begin + BLOCK : last, &s->error[i]);
}

static asif_status run_jobs(simulation *s, asif_error *error) {
    const asif_context *c = s->contrast->context;
    uint32_t jobs = 0, count = 0;
    for (uint32_t g = 0; g < s->contrast->groups; g++)
        jobs += (s->agents[g].all + BLOCK - 1) / BLOCK;
    s->job_group = ASIF_ARRAY(c, jobs, uint32_t);
    s->job_begin = ASIF_ARRAY(c, jobs, uint32_t);
    s->status = ASIF_ARRAY(c, jobs, asif_status);
    s->error = ASIF_ARRAY(c, jobs, asif_error);
    if (!s->job_group || !s->job_begin || !s->status || !s->error)
        return asif_fail_memory(error);
    for (uint32_t g = 0; g < s->contrast->groups; g++)
        for (uint32_t begin = 0; begin < s->agents[g].all; begin += BLOCK) {
            s->job_group[count] = g;
            s->job_begin[count++] = begin;
        }
    asif_os_parallel(c->options.threads, jobs, run_job, s);
    for (uint32_t i = 0; i < jobs; i++)
        if (s->status[i] != ASIF_OK) {
            if (error)
                *error = s->error[i];
            return s->status[i];
        }
    return ASIF_OK;
}

/* ---- tables ---- */

/* Working space for one measure at a time. */
typedef struct {
    double *room;               /* [HALVES][draws] */
    double *level;              /* [groups][draws] */
    double *slope;              /* [groups][3][widest] */
    asif_spread_number *number; /* [groups] */
    uint64_t widest;            /* largest number of coordinates */
} workroom;

static asif_status table_create(asif_compare_groups_table *table, const asif_compare_groups *contrast,
                                asif_error *error) {
    *table = (asif_compare_groups_table){.rows = contrast->measures, .groups = contrast->groups};
    table->cell =
        ASIF_ARRAY(contrast->context, (uint64_t)table->rows * table->groups, asif_compare_groups_cell);
    if (table->cell)
        return ASIF_OK;
    table->rows = 0;
    return asif_fail_memory(error);
}

/* Compute one measure of one group in a mix of classes, for each draw; false: the problem has no such
 * measure. `room` is [HALVES][points]. */
static bool mix(const simulation *s, uint32_t g, uint32_t measure, const double *weight, double *room,
                double *level) {
    uint64_t n = s->agents[g].points;
    memset(room, 0, HALVES * n * sizeof *room);
    for (uint32_t c = 0; c < s->contrast->classes; c++)
        for (uint32_t half = 0; half < HALVES; half++) {
            const double *value = values_of(s, g, c, measure, half);
            for (uint64_t d = 0; d < n; d++)
                room[half * n + d] += weight[c] * value[d];
        }
    if (isnan(room[0]))
        return false;
    asif_pairs_denoise(level, room, room + n, n);
    return true;
}

/* One measure in a mix of classes, at a point on an axis. */
static double mix_at(const simulation *s, uint32_t g, uint32_t measure, const double *weight,
                     uint32_t point) {
    double sum = 0;
    for (uint32_t c = 0; c < s->contrast->classes; c++)
        for (uint32_t half = 0; half < HALVES; half++)
            sum += weight[c] * values_of(s, g, c, measure, half)[point] / HALVES;
    return sum;
}

/* Compute the derivatives of a measure in the coordinates, and its variance; NaN: not known. Sorts its draws.
 * `room` is [3][dimension]. */
static void take_slope(const simulation *s, uint32_t g, uint32_t measure, const double *weight, double *level,
                       double *room, asif_spread_number *out) {
    const agents *a = &s->agents[g];
    const asif_compare_groups_info *info = &s->contrast->group[g];
    uint32_t n = (a->all - a->points) / 2;
    double *low = room + info->spread.dimension, *high = low + info->spread.dimension;
    *out = (asif_spread_number){room, info->drawn ? asif_pairs_variance(level, a->points) : NAN};
    for (uint32_t k = 0; k < n; k++) {
        low[k] = mix_at(s, g, measure, weight, a->points + 2 * k);
        high[k] = mix_at(s, g, measure, weight, a->points + 2 * k + 1);
    }
    if (n) {
        asif_spread_along(room, &info->spread, low, high);
        double curved = asif_spread_variance(&info->spread, room);
        if (!info->drawn || isnan(curved))
            out->variance = curved;
    }
    asif_pairs_sort(level, a->points);
}

/* Compare a measure of a group with that of the first. Nothing is judged if subjects matter but their spread
 * is not known. */
static void compare_levels(asif_compare_groups_cell *cell, const simulation *s, uint32_t g,
                           const double *level, const asif_spread_number *number) {
    const asif_compare_groups *contrast = s->contrast;
    uint32_t first = contrast->first;
    const asif_compare_groups_info *a = &contrast->group[g], *b = &contrast->group[first];
    uint64_t most = contrast->options.draws;
    bool drawn = a->drawn && b->drawn;
    asif_pairs_contrast(cell, level + g * most, s->agents[g].points, level + first * most,
                        s->agents[first].points, drawn);
    if (drawn && (isnan(number[g].variance) || isnan(number[first].variance)))
        cell->d05 = cell->d95 = cell->larger = NAN;
    else
        asif_spread_judge(cell, contrast, g, &number[g], &number[first]);
}

static void fill_cell(asif_compare_groups_cell *cell, const double *level, uint64_t n, bool drawn,
                      double seen) {
    *cell = (asif_compare_groups_cell){.there = true,
                                       .observed = seen,
                                       .q05 = drawn ? asif_quantile(level, n, 0.05) : NAN,
                                       .q50 = asif_quantile(level, n, 0.5),
                                       .q95 = drawn ? asif_quantile(level, n, 0.95) : NAN};
}

/* Fill a table. `weight` [classes]: weights of the classes; NULL: those of each group. `class`: the class
 * whose logs are shown; ASIF_ANY: none. */
static asif_status fill_table(asif_compare_groups_table *table, const simulation *s, const double *weight,
                              uint32_t class, const workroom *w, asif_error *error) {
    const asif_compare_groups *contrast = s->contrast;
    uint32_t first = contrast->first;
    uint64_t most = contrast->options.draws;
    ASIF_TRY(table_create(table, contrast, error));
    for (uint32_t k = 0; k < table->rows; k++) {
        asif_compare_groups_cell *cell = table->cell + (uint64_t)k * table->groups;
        for (uint32_t g = 0; g < table->groups; g++) {
            const double *share = weight ? weight : contrast->group[g].share;
            double *level = w->level + g * most;
            if (!mix(s, g, k, share, w->room, level))
                continue;
            take_slope(s, g, k, share, level, w->slope + 3 * g * w->widest, &w->number[g]);
            fill_cell(&cell[g], level, s->agents[g].points, contrast->group[g].drawn,
                      class == ASIF_ANY ? NAN : observed(s, g, class, k));
        }
        for (uint32_t g = 0; g < table->groups; g++)
            if (g != first && cell[g].there && cell[first].there)
                compare_levels(&cell[g], s, g, w->level, w->number);
    }
    return asif_pairs_judge(table, contrast->context, error);
}

static asif_status fill_classes(const simulation *s, const workroom *w, asif_error *error) {
    asif_compare_groups *contrast = s->contrast;
    uint32_t C = contrast->classes;
    double *one = ASIF_ARRAY(contrast->context, C, double);
    contrast->by_class = ASIF_ARRAY(contrast->context, C, asif_compare_groups_table);
    asif_status status = one && contrast->by_class ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t c = 0; c < C && status == ASIF_OK; c++) {
        for (uint32_t k = 0; k < C; k++)
            one[k] = k == c;
        status = fill_table(&contrast->by_class[c], s, one, c, w, error);
    }
    asif_free(contrast->context, one);
    return status;
}

static asif_status fill_tables(const simulation *s, asif_error *error) {
    asif_compare_groups *contrast = s->contrast;
    const asif_context *c = contrast->context;
    uint64_t most = contrast->options.draws, groups = contrast->groups;
    workroom w = {.widest = 1};
    for (uint32_t g = 0; g < groups; g++)
        w.widest =
            contrast->group[g].spread.dimension > w.widest ? contrast->group[g].spread.dimension : w.widest;
    w.room = ASIF_ARRAY(c, HALVES * most, double);
    w.level = ASIF_ARRAY(c, groups * most, double);
    w.slope = ASIF_ARRAY(c, 3 * groups * w.widest, double);
    w.number = ASIF_ARRAY(c, groups, asif_spread_number);
    asif_status status = w.room && w.level && w.slope && w.number ? ASIF_OK : asif_fail_memory(error);
    bool known = !isnan(contrast->pooled[0]);
    if (status == ASIF_OK && known)
        status = fill_table(&contrast->own, s, NULL, contrast->classes, &w, error);
    if (status == ASIF_OK && known && contrast->classes > 1)
        status = fill_table(&contrast->same, s, contrast->pooled, ASIF_ANY, &w, error);
    if (status == ASIF_OK && contrast->classes > 1)
        status = fill_classes(s, &w, error);
    void *const arrays[] = {w.room, w.level, w.slope, w.number};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}

/* ---- the whole simulation ---- */

/* Add points at one standard deviation between subjects from the maximum, on both sides of each axis. */
static void add_axes(agents *a, const asif_fitted *fitted, const asif_spread *spread) {
    uint64_t n = spread->dimension;
    for (uint64_t k = 0; k < n; k++)
        for (int side = -1; side <= 1; side += 2) {
            double *x = a->x + a->all++ * n;
            asif_estimates_locate(fitted->estimates, fitted->maximum, x);
            for (uint64_t j = 0; j < n; j++)
                x[j] += side * spread->axis[k * n + j];
        }
}

static asif_status prepare(simulation *s, uint32_t g, asif_error *error) {
    asif_compare_groups *contrast = s->contrast;
    const asif_context *c = contrast->context;
    const asif_fitted *fitted = s->group[g].fitted;
    uint64_t C = contrast->classes;
    agents *a = &s->agents[g];
    uint64_t n = asif_estimates_dimension(fitted->estimates);
    a->x = ASIF_ARRAY(c, (contrast->options.draws + 2 * n) * n, double);
    a->taken = ASIF_ARRAY(c, C * contrast->actions, double);
    a->began = ASIF_ARRAY(c, C, double);
    contrast->group[g].share = ASIF_ARRAY(c, C, double);
    if (!a->x || !a->taken || !a->began || !contrast->group[g].share)
        return asif_fail_memory(error);
    ASIF_TRY(asif_fitted_points(a->x, &a->points, fitted, contrast->options.draws, error));
    a->all = a->points;
    if (contrast->group[g].spread.axis)
        add_axes(a, fitted, &contrast->group[g].spread);
    a->value = ASIF_ARRAY(c, C * contrast->measures * HALVES * a->all, double);
    return a->value ? count_logs(s, g, error) : asif_fail_memory(error);
}

static asif_status simulate_groups(simulation *s, asif_error *error) {
    asif_compare_groups *contrast = s->contrast;
    ASIF_TRY(describe(contrast, s->group[contrast->first].fitted->setting, error));
    s->agents = ASIF_ARRAY(contrast->context, contrast->groups, agents);
    contrast->pooled = ASIF_ARRAY(contrast->context, contrast->classes, double);
    if (!s->agents || !contrast->pooled)
        return asif_fail_memory(error);
    for (uint32_t g = 0; g < contrast->groups; g++)
        ASIF_TRY(prepare(s, g, error));
    find_mixes(s);
    s->max_steps = contrast->options.max_steps = steps(s);
    ASIF_TRY(run_jobs(s, error));
    return fill_tables(s, error);
}

asif_status asif_compare_groups_behaviour(asif_compare_groups *contrast,
                                          const asif_compare_groups_group *group, asif_error *error) {
    const asif_context *c = contrast->context;
    simulation s = {.contrast = contrast, .group = group};
    contrast->silent =
        contrast->options.numbers_only ? "only numbers were asked for" : why_not(contrast, group);
    if (contrast->silent)
        return ASIF_OK;
    asif_status status = simulate_groups(&s, error);
    for (uint32_t g = 0; s.agents && g < contrast->groups; g++) {
        void *const arrays[] = {s.agents[g].x, s.agents[g].value, s.agents[g].taken, s.agents[g].began};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            asif_free(c, arrays[i]);
    }
    void *const arrays[] = {s.agents, s.job_group, s.job_begin, s.status, s.error};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}
