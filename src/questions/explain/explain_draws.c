/* The fitted agent and both ideal agents, at the draws of a fit. */
#include "questions/explain/explain.h"

#include "acting/ideals.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/sort.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

asif_band asif_band_of(double *value, uint64_t n) {
    asif_band band = {0, NAN, NAN};
    for (uint64_t i = 0; i < n; i++)
        band.mean += value[i];
    band.mean /= (double)n;
    if (n < 2 || isnan(band.mean))
        return band;
    asif_sort(value, n);
    band.q05 = asif_quantile(value, n, .05);
    band.q95 = asif_quantile(value, n, .95);
    return band;
}

bool asif_ideals_vary(const asif_fitted *fitted) {
    static const char *const bounds[] = {"alpha", "act_alpha", "optimism", "beta", "eta"};
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(fitted->estimates, i)); i++) {
        bool bound = false;
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
            bound = bound || strcmp(info->parameter, bounds[k]) == 0;
        if (!bound)
            return true;
    }
    return false;
}

asif_status asif_explain_points(double **x, double **middle, uint32_t *draws, const asif_fitted *fitted,
                                uint32_t wanted, asif_error *error) {
    const asif_context *c = fitted->context;
    uint64_t n = asif_estimates_dimension(fitted->estimates), most = wanted ? wanted : 1;
    double *line = ASIF_ARRAY(c, most, double);
    *x = ASIF_ARRAY(c, most * n, double);
    *middle = ASIF_ARRAY(c, n, double);
    asif_status status = line && *x && *middle ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_fitted_points(*x, draws, fitted, (uint32_t)most, error);
    if (status == ASIF_OK && *draws == 0)
        status = asif_fail(error, ASIF_EUNSET, "the fit has no draws");
    for (uint64_t i = 0; status == ASIF_OK && i < n; i++) {
        for (uint64_t d = 0; d < *draws; d++)
            line[d] = (*x)[d * n + i];
        asif_sort(line, *draws);
        (*middle)[i] = asif_quantile(line, *draws, .5);
    }
    asif_free(c, line);
    return status;
}

/* ---- blocks of draws ---- */

typedef struct {
    const asif_explain_work *job;
    const asif_work *warm;
    const asif_ideals *unbound;
    asif_status status[ASIF_EXPLAIN_BLOCKS];
    asif_error error[ASIF_EXPLAIN_BLOCKS];
} blocks;

/* The working space of one thread. */
typedef struct {
    asif_work *work;
    asif_ideals unbound;
    asif_theta *theta;
    asif_followed followed;
} desk;

static asif_status desk_create(desk *d, const blocks *all, asif_error *error) {
    const asif_fitted *fitted = all->job->fitted;
    *d = (desk){.unbound = {.context = fitted->context}, .followed = {.context = fitted->context}};
    ASIF_TRY(asif_work_clone(&d->work, all->warm, error));
    ASIF_TRY(asif_ideals_clone(&d->unbound, all->unbound, error));
    ASIF_TRY(asif_theta_copy(&d->theta, fitted->given, error));
    return asif_followed_create(&d->followed, fitted->context, all->job->trail, fitted->setting, true, error);
}

static void desk_free(desk *d) {
    asif_work_free(d->work);
    asif_ideals_free(&d->unbound);
    asif_theta_free(d->theta);
    asif_followed_free(&d->followed);
}

static asif_status solve(const asif_behavior **out, desk *d, uint32_t who, asif_error *error) {
    static const uint32_t mask[ASIF_WHO_COUNT] = {0, ASIF_WITHOUT_BOUNDS, ASIF_IDEAL_TRUE};
    const asif_work *work = d->work;
    const asif_theta *solved;
    asif_plan_info info;
    if (who == ASIF_WHO_FITTED) {
        ASIF_TRY(asif_solve(d->work, d->theta, &info, error));
        if (info.stop == ASIF_STOP_NONFINITE)
            return asif_fail(error, ASIF_EUNSUPPORTED, "the fitted agent has no finite values");
    } else {
        ASIF_TRY(asif_ideals_solve(&d->unbound, d->theta, mask[who], &work, &solved, error));
    }
    *out = asif_work_behavior(work);
    return ASIF_OK;
}

static asif_status run_draw(const blocks *all, desk *d, uint32_t block, uint32_t draw, asif_error *error) {
    const asif_explain_work *job = all->job;
    const asif_fitted *fitted = job->fitted;
    uint64_t n = asif_estimates_dimension(fitted->estimates);
    ASIF_TRY(asif_estimates_theta(fitted->estimates, job->x + draw * n, d->theta, error));
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++) {
        const asif_behavior *behavior = NULL;
        if (draw >= job->draws[who])
            continue;
        ASIF_TRY(solve(&behavior, d, who, error));
        ASIF_TRY(asif_follow(&d->followed, behavior, job->trail, who == ASIF_WHO_TRUE, error));
        job->take(job->user, block, draw, who, &d->followed);
    }
    return ASIF_OK;
}

static void run_block(void *argument, uint32_t block) {
    blocks *all = argument;
    uint64_t draws = all->job->draws[ASIF_WHO_FITTED];
    uint32_t from = (uint32_t)(block * draws / ASIF_EXPLAIN_BLOCKS);
    uint32_t to = (uint32_t)((block + 1) * draws / ASIF_EXPLAIN_BLOCKS);
    desk d = {.unbound = {.context = all->job->fitted->context},
              .followed = {.context = all->job->fitted->context}};
    asif_error *error = &all->error[block];
    asif_status status = from < to ? desk_create(&d, all, error) : ASIF_OK;
    for (uint32_t draw = from; status == ASIF_OK && draw < to; draw++)
        status = run_draw(all, &d, block, draw, error);
    all->status[block] = status;
    desk_free(&d);
}

/* Solve the ideal agents once, so that all blocks start from the same solutions. */
static asif_status warm_up(asif_ideals *unbound, const asif_fitted *fitted, const double *middle,
                           asif_error *error) {
    asif_theta *theta = NULL;
    const asif_work *work;
    const asif_theta *solved;
    asif_status status = asif_ideals_create(unbound, fitted, error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&theta, fitted->given, error);
    if (status == ASIF_OK)
        status = asif_estimates_theta(fitted->estimates, middle, theta, error);
    if (status == ASIF_OK)
        status = asif_ideals_solve(unbound, theta, ASIF_WITHOUT_BOUNDS, &work, &solved, error);
    if (status == ASIF_OK)
        status = asif_ideals_solve(unbound, theta, ASIF_IDEAL_TRUE, &work, &solved, error);
    asif_theta_free(theta);
    return status;
}

asif_status asif_explain_over_draws(const asif_explain_work *job, const asif_work *work, const double *middle,
                                    asif_error *error) {
    const asif_context *c = job->fitted->context;
    asif_ideals unbound;
    blocks *all = ASIF_NEW(c, blocks);
    if (!all)
        return asif_fail_memory(error);
    *all = (blocks){.job = job, .warm = work, .unbound = &unbound};
    asif_status status = warm_up(&unbound, job->fitted, middle, error);
    if (status == ASIF_OK && asif_progress(c, "explaining", -1))
        status = asif_fail(error, ASIF_ECANCELLED, "cancelled");
    if (status == ASIF_OK)
        asif_os_parallel(c->options.threads, ASIF_EXPLAIN_BLOCKS, run_block, all);
    for (uint32_t b = 0; status == ASIF_OK && b < ASIF_EXPLAIN_BLOCKS; b++) {
        status = all->status[b];
        if (status != ASIF_OK && error)
            *error = all->error[b];
    }
    asif_ideals_free(&unbound);
    asif_free(c, all);
    return status;
}
