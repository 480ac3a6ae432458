#include "sample/chains/chain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "sample/chains/walk.h"

#include <string.h>

#define CHAIN_SHIFT 40 /* bits of a stream's index that number the steps; the chain is above them */
#define FIRST_WINDOW 25
#define NUTS_VARIANCE 1e-3 /* towards which covariances of NUTS are shrunk */
#define WALK_WINDOW 10     /* first window, times the dimension: a walk sees the target's shape slowly */

static uint64_t stream_index(const asif_chain *c) {
    return (uint64_t)c->number << CHAIN_SHIFT | c->done;
}

static bool warming(const asif_chain *c) {
    return c->done < c->options->warmup;
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

/* ---- the density in the coordinates in which the chain moves ---- */

static asif_status evaluate(void *user, const double *y, double *value, double *gradient, asif_error *error) {
    asif_chain *c = user;
    asif_ridge_map_x(&c->bend, y, c->straightened);
    ASIF_TRY(c->density->evaluate(c->density->user, c->straightened, value, gradient, error));
    if (gradient && isfinite(*value))
        asif_ridge_map_pull(&c->bend, gradient);
    return ASIF_OK;
}

/* ---- methods ---- */

static asif_status nuts_prepare(asif_chain *c, const asif_interruptible_density *target) {
    double step = c->tuning.step;
    if (c->done > 0) /* the coordinates have changed */
        ASIF_TRY(asif_interruptible_density_evaluate(target, &c->at));
    ASIF_TRY(asif_nuts_find_step(c->nuts, target, &c->at, &step, c->options->seed, stream_index(c)));
    asif_tuning_begin(&c->tuning, step, log(10 * step));
    return ASIF_OK;
}

static asif_status nuts_step(asif_chain *c, const asif_interruptible_density *target) {
    return asif_nuts_step(c->nuts, target, &c->at, c->tuning.step, c->options->seed, stream_index(c),
                          c->stat);
}

/* Fit the map to the bent ridge of the target, from draws x [count][n]; the moments are then those of the
 * mapped draws. *fitted is false, and nothing changes, if that cannot be done. */
static asif_status learn_bend(asif_chain *c, const double *x, uint64_t count, bool *fitted) {
    uint64_t n = c->density->dimension;
    asif_status status;
    asif_ridge_map_x(&c->bend, c->at.x, c->straightened);
    *fitted = asif_ridge_map_fit(&c->bend, x, count, &status);
    if (!*fitted)
        return status;
    asif_ridge_map_y(&c->bend, c->straightened, c->at.x);
    asif_moments_clear(&c->moments, (uint32_t)n);
    for (uint64_t i = 0; i < count; i++) {
        asif_ridge_map_y(&c->bend, x + i * n, c->tried);
        asif_moments_add(&c->moments, (uint32_t)n, c->tried, c->scratch);
    }
    return ASIF_OK;
}

/* Make the covariance of the moments the metric. *used: it is positive definite. */
static void use_moments(asif_chain *c, double absolute, double relative, bool *used) {
    uint32_t n = c->density->dimension;
    asif_moments_covariance(&c->moments, n, absolute, relative, c->moments.sum);
    *used = asif_chain_use_metric(c, c->moments.sum);
    if (*used)
        swap(&c->metric, &c->moments.sum);
    asif_moments_clear(&c->moments, n);
}

/* Add a step to the moments. If it ends a window, make the covariance of the window the metric. */
static asif_status learn_metric(asif_chain *c, double absolute, double relative, bool *learnt) {
    uint32_t n = c->density->dimension;
    uint64_t room = c->windows.end - c->windows.begin;
    bool fitted;
    *learnt = false;
    if (!asif_windows_inside(&c->windows, c->done))
        return ASIF_OK;
    if (c->moments.count < (double)room)
        asif_ridge_map_x(&c->bend, c->at.x, c->window + (uint64_t)c->moments.count * n);
    asif_moments_add(&c->moments, n, c->at.x, c->scratch);
    if (!asif_windows_last(&c->windows, c->done))
        return ASIF_OK;
    uint64_t count = c->moments.count < (double)room ? (uint64_t)c->moments.count : room;
    ASIF_TRY(learn_bend(c, c->window, count, &fitted));
    use_moments(c, absolute, relative, learnt);
    return ASIF_OK;
}

static asif_status nuts_learn(asif_chain *c) {
    bool learnt;
    asif_tuning_average(&c->tuning, c->stat[ASIF_STAT_ACCEPT], c->options->target_accept);
    ASIF_TRY(learn_metric(c, NUTS_VARIANCE, 0, &learnt));
    if (learnt)
        c->prepared = 0;
    return ASIF_OK;
}

static asif_status walk_step(asif_chain *c, const asif_interruptible_density *target) {
    return asif_walk_step(target, &c->at, c->lower, c->tuning.step, c->options->seed, stream_index(c),
                          c->tried, c->scratch, c->stat);
}

static asif_status walk_learn(asif_chain *c) {
    uint32_t n = c->density->dimension;
    bool learnt;
    asif_tuning_approach(&c->tuning, c->stat[ASIF_STAT_ACCEPT], asif_walk_target(n));
    ASIF_TRY(learn_metric(c, 0, 0.1, &learnt));
    if (learnt)
        asif_tuning_begin(&c->tuning, asif_walk_scale(n), 0);
    return ASIF_OK;
}

static const asif_chain_method methods[] = {
    [ASIF_METHOD_NUTS] = {true, nuts_prepare, nuts_step, nuts_learn},
    [ASIF_METHOD_METROPOLIS] = {false, NULL, walk_step, walk_learn},
    [ASIF_METHOD_PUBLISHED] = {false, NULL, walk_step, NULL},
};

/* ---- life ---- */

uint64_t asif_chain_length(const asif_sample_options *options) {
    return options->warmup + options->draws * options->thin;
}

uint64_t asif_chain_kept(const asif_chain *c) {
    return warming(c) ? 0 : (c->done - c->options->warmup) / c->options->thin;
}

static asif_status allocate(asif_chain *c, asif_error *error) {
    uint64_t n = c->density->dimension, square = n * n, columns = c->draws->view.columns;
    const struct {
        double **array;
        uint64_t size;
    } part[] = {
        {&c->at.x, n},
        {&c->tried, n},
        {&c->straightened, n},
        {&c->scratch, n},
        {&c->moments.mean, n},
        {&c->row, columns},
        {&c->metric, square},
        {&c->moments.sum, square},
        {&c->lower, square},
        {&c->spare, square},
        {&c->memory, c->density->memory},
        {&c->window, (c->windows.end - c->windows.begin) * n},
        {&c->at.gradient, n},
    };
    for (size_t i = 0; i < sizeof part / sizeof *part - (c->method->gradient ? 0 : 1); i++)
        if (!(*part[i].array = ASIF_ARRAY(c->context, part[i].size, double)))
            return asif_fail_memory(error);
    ASIF_TRY(asif_ridge_map_create(&c->bend, c->context, c->density->dimension, error));
    if (!c->method->gradient)
        return ASIF_OK;
    return asif_nuts_create(&c->nuts, c->context, c->density->dimension, c->options->max_depth, error);
}

bool asif_chain_use_metric(asif_chain *c, const double *covariance) {
    uint32_t n = c->density->dimension;
    memcpy(c->spare, covariance, (uint64_t)n * n * sizeof *c->spare);
    if (!asif_cholesky(c->spare, n))
        return false;
    swap(&c->lower, &c->spare);
    if (c->nuts)
        c->nuts->lower = c->lower;
    return true;
}

static asif_status first_metric(asif_chain *c, asif_error *error) {
    uint64_t n = c->density->dimension;
    const double *given = c->options->method == ASIF_METHOD_PUBLISHED ? NULL : c->options->metric;
    for (uint64_t i = 0; i < n; i++)
        c->metric[i * n + i] = 1;
    for (uint64_t i = 0; given && i < n; i++)
        for (uint64_t j = 0; j < n; j++)
            c->metric[i * n + j] = (given[i * n + j] + given[j * n + i]) / 2;
    if (asif_chain_use_metric(c, c->metric))
        return ASIF_OK;
    return asif_fail(error, ASIF_EDOMAIN, "the metric given is not a positive definite matrix");
}

/* Learn the bend and the metric from the guess of the options. */
static asif_status use_guess(asif_chain *c, asif_error *error) {
    bool used;
    if (learn_bend(c, c->options->guess, c->options->guesses, &used) != ASIF_OK)
        return asif_fail_memory(error);
    if (used)
        use_moments(c, NUTS_VARIANCE, 0, &used);
    return ASIF_OK;
}

static double first_step(const asif_sample_options *options, uint32_t n) {
    const double step[] = {
        [ASIF_METHOD_NUTS] = 1,
        [ASIF_METHOD_METROPOLIS] = asif_walk_scale(n),
        [ASIF_METHOD_PUBLISHED] = options->step,
    };
    return step[options->method];
}

asif_status asif_chain_create(asif_chain **out, const asif_context *context,
                              const asif_sample_options *options, const asif_density *density,
                              asif_draws *draws, uint32_t number, asif_error *error) {
    *out = NULL;
    asif_chain *c = ASIF_NEW(context, asif_chain);
    if (!c)
        return asif_fail_memory(error);
    c->context = context;
    c->options = options;
    c->density = density;
    c->method = &methods[options->method];
    c->draws = draws;
    c->number = number;
    c->straight = *density;
    c->straight.evaluate = evaluate;
    c->straight.evaluate_many = NULL;
    c->straight.user = c;
    uint32_t n = density->dimension;
    uint64_t window = c->method->gradient || n * WALK_WINDOW < FIRST_WINDOW ? FIRST_WINDOW : n * WALK_WINDOW;
    bool nuts = options->method == ASIF_METHOD_NUTS;
    if (c->method->learn && !(nuts && options->settled))
        c->windows = asif_windows_plan(options->warmup, window);
    asif_status status = allocate(c, error);
    if (status == ASIF_OK)
        status = first_metric(c, error);
    if (status == ASIF_OK && options->start)
        memcpy(c->at.x, options->start + (uint64_t)number * n, n * sizeof *c->at.x);
    if (status == ASIF_OK && nuts && options->guess)
        status = use_guess(c, error);
    if (status != ASIF_OK) {
        asif_chain_free(c);
        return status;
    }
    asif_tuning_begin(&c->tuning, first_step(options, n), 0);
    *out = c;
    return ASIF_OK;
}

void asif_chain_free(asif_chain *c) {
    if (!c)
        return;
    double *const part[] = {c->at.x,   c->tried,       c->straightened, c->scratch,     c->moments.mean,
                            c->row,    c->metric,      c->lower,        c->moments.sum, c->spare,
                            c->memory, c->at.gradient, c->window};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        asif_free(c->context, part[i]);
    asif_ridge_map_free(&c->bend);
    asif_nuts_free(c->nuts);
    asif_free(c->context, c);
}

/* ---- steps ---- */

static asif_status begin(asif_chain *c, const asif_interruptible_density *target) {
    asif_status status = asif_interruptible_density_evaluate(target, &c->at);
    if (status != ASIF_OK || isfinite(c->at.value))
        return status;
    asif_fail(target->error, ASIF_EDOMAIN,
              "at the start of chain %u the density, or its gradient, is infinite or not a number",
              c->number + 1);
    asif_error_hint(target->error, "start where the density is finite");
    return ASIF_EDOMAIN;
}

static void keep(asif_chain *c) {
    uint64_t at = asif_chain_kept(c) - 1;
    uint32_t columns = c->draws->view.columns;
    asif_ridge_map_x(&c->bend, c->at.x, c->straightened);
    if (c->density->reported)
        c->density->report(c->density->user, c->straightened, c->row);
    for (uint32_t i = 0; i < columns; i++)
        asif_draws_values(c->draws, i, c->number)[at] = c->density->reported ? c->row[i] : c->straightened[i];
    for (uint32_t i = 0; i < ASIF_STAT_COUNT; i++)
        asif_draws_stats(c->draws, (asif_stat)i, c->number)[at] = c->stat[i];
}

void asif_chain_settle(asif_chain *c) {
    uint64_t n = c->density->dimension;
    if (c->method->learn)
        asif_tuning_end(&c->tuning);
    *asif_draws_step(c->draws, c->number) = c->method->gradient ? c->tuning.step : 0;
    double *metric = asif_draws_metric(c->draws, c->number);
    memcpy(metric, c->metric, n * n * sizeof *metric);
    for (uint64_t i = 0; c->bend.bent && i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            metric[i * n + j] =
                0; /* the covariance of the last window, because u has the identity as covariance */
            for (uint64_t k = 0; k < n; k++)
                metric[i * n + j] += c->bend.axes[i * n + k] * c->bend.axes[j * n + k];
        }
}

static asif_status step(asif_chain *c, const asif_interruptible_density *target) {
    if (c->done == c->options->warmup)
        asif_chain_settle(c);
    ASIF_TRY(c->method->step(c, target));
    if (warming(c) && c->method->learn && c->method->learn(c) != ASIF_OK)
        return asif_fail_memory(target->error);
    c->done++;
    if (c->done > c->options->warmup && (c->done - c->options->warmup) % c->options->thin == 0)
        keep(c);
    return ASIF_OK;
}

asif_status asif_chain_advance(asif_chain *c, const asif_interruptible_density *target) {
    asif_interruptible_density straight = *target;
    straight.density = &c->straight;
    if (!c->begun) {
        ASIF_TRY(begin(c, &straight));
        c->begun = true;
    } else if (c->method->prepare && !c->prepared) {
        ASIF_TRY(c->method->prepare(c, &straight));
        c->prepared = 1;
    } else {
        ASIF_TRY(step(c, &straight));
    }
    if (c->density->memory)
        c->density->save(c->density->user, c->memory);
    return ASIF_OK;
}
