/* The sides on which the likelihood becomes flat. The profile is followed outwards from the maximum, beyond
 * the values that are likely under prior and posterior. */
#include "fit/fit.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "inverse/inverse.h"
#include "sample/search/search.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define POINTS 4        /* points on a side, each twice as far away as the last */
#define WIDTHS 3        /* how far to go: widths of the prior beyond its 90 % range, or of the posterior */
#define SCALES 10       /* how far to go, in natural scales, if the prior is improper */
#define NEAR 1.35       /* nats: half the 90 % quantile of a chi-squared with 1 degree of freedom */
#define FLAT 0.01       /* nats: largest change in the last step */
#define HOPELESS 20     /* nats below the maximum at the nearest point: the likelihood does not rise again */
#define MOST_NUMBERS 16 /* with more, the profiles would cost as much as the fit */

bool asif_goes_flat(double best, const double *value, uint32_t points) {
    double last = value[points - 1], before = value[points - 2];
    return isfinite(last) && isfinite(before) && best - last <= NEAR && fabs(last - before) < FLAT;
}

typedef struct {
    const asif_context *context;
    const asif_estimates *estimates;
    const asif_density *density;
    uint32_t numbers, dimension;
    const double *scale, *x, *reported;
    double *number, *at; /* [numbers], [dimension]: scratch */
} walk;

/* The end of the walk on the line, on the side of `direction`. */
static double far_end(const walk *w, const asif_fit_parameter *p, double from, double direction) {
    const asif_estimate_info *info = p->info;
    double a = asif_estimate_line(info, p->summary.q05), b = asif_estimate_line(info, p->summary.q95);
    double reach = 0;
    if (isfinite(a) && isfinite(b))
        reach = WIDTHS * fabs(b - a);
    if (info->proper) {
        double prior = direction < 0 ? info->prior_q05 : info->prior_q95;
        double beyond = direction * (prior - from) + WIDTHS * fabs(info->prior_q95 - info->prior_q05);
        reach = fmax(reach, beyond);
    } else {
        reach = fmax(reach, SCALES * w->scale[info->coordinate]);
    }
    return from + direction * reach;
}

/* The value of the sampled coordinate for a value of the number on its line. */
static double coordinate_at(const walk *w, uint32_t i, const asif_estimate_info *info, double on_line) {
    memcpy(w->number, w->reported, w->numbers * sizeof *w->number);
    w->number[i] = asif_line_back(info, on_line);
    asif_estimates_locate(w->estimates, w->number, w->at);
    return w->at[info->coordinate];
}

static asif_status walk_side(const walk *w, uint32_t i, const asif_fit_parameter *p, double direction,
                             double best, double *value, asif_error *error) {
    const asif_estimate_info *info = p->info;
    double from = asif_estimate_line(info, w->reported[i]), to = far_end(w, p, from, direction), at[POINTS];
    for (uint32_t k = 0; k < POINTS; k++) {
        at[k] = coordinate_at(w, i, info, from + (to - from) * ldexp(1, (int)k - (POINTS - 1)));
        value[k] = -INFINITY;
    }
    for (uint32_t points = 1; w->dimension > 1 && points <= POINTS; points += POINTS - 1) {
        ASIF_TRY(asif_profile(value, w->context, w->density, w->x, info->coordinate, at, points, w->scale,
                              NULL, error));
        if (points == POINTS || value[0] < best - HOPELESS)
            return ASIF_OK;
    }
    for (uint32_t k = 0; k < POINTS; k++)
        ASIF_TRY(w->density->evaluate(w->density->user, &at[k], &value[k], NULL, error));
    return ASIF_OK;
}

/* Whether a failure ends the whole fit; after any other, the values of that side count as -inf. */
static bool ends_all(asif_status status) {
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED;
}

static asif_status walk_number(const walk *w, uint32_t i, asif_fit_parameter *p, double *best,
                               asif_error *error) {
    double value[2][POINTS];
    for (int side = 0; side < 2; side++) {
        asif_status status = walk_side(w, i, p, side ? 1 : -1, *best, value[side], error);
        if (ends_all(status))
            return status;
        for (uint32_t k = 0; k < POINTS; k++) {
            if (status != ASIF_OK || isnan(value[side][k]))
                value[side][k] = -INFINITY;
            *best = fmax(*best, value[side][k]);
        }
    }
    /* `below` and `above` refer to the number, which may fall where its coordinate rises. */
    p->walked = true;
    p->flat_below = asif_goes_flat(*best, value[0], POINTS);
    p->flat_above = asif_goes_flat(*best, value[1], POINTS);
    return ASIF_OK;
}

static asif_status walk_all(walk *w, asif_fit_parameter *parameter, double *room, asif_error *error) {
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    asif_maximum_info info;
    options.start = w->x;
    options.scale = w->scale;
    options.no_polish = true;
    /* The maximum of the likelihood is not that of the posterior. */
    asif_status status = asif_maximise(room, w->context, w->density, 1, &options, &info, error);
    double best = status == ASIF_OK ? info.value : -INFINITY;
    if (ends_all(status))
        return status;
    for (uint32_t i = 0; i < w->numbers; i++) {
        if (asif_progress(w->context, "looking for what the logs leave open", i / (double)w->numbers))
            return asif_fail(error, ASIF_ECANCELLED, "the fit was cancelled");
        if (parameter[i].info->coordinate != ASIF_ANY)
            ASIF_TRY(walk_number(w, i, &parameter[i], &best, error));
    }
    return ASIF_OK;
}

asif_status asif_bounds(asif_fit_parameter *parameter, uint32_t count, const asif_context *context,
                        const asif_estimates *estimates, asif_target *likelihood, const double *x,
                        asif_error *error) {
    uint64_t n = asif_estimates_dimension(estimates);
    if (n > MOST_NUMBERS)
        return ASIF_OK;
    double *room = ASIF_ARRAY(context, 3 * n + 2 * (uint64_t)count, double);
    if (!room)
        return asif_fail_memory(error);
    double *scale = room, *at = room + n, *maximum = at + n, *reported = maximum + n;
    asif_estimates_scale(estimates, scale);
    asif_estimates_report(estimates, x, reported);
    walk w = {.context = context,
              .estimates = estimates,
              .density = asif_target_density(likelihood),
              .numbers = count,
              .dimension = (uint32_t)n,
              .scale = scale,
              .x = x,
              .reported = reported,
              .number = reported + count,
              .at = at};
    asif_status status = walk_all(&w, parameter, maximum, error);
    asif_free(context, room);
    return status;
}
