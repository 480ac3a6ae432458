/* Draws the posterior at an end of a variation: by importance sampling along the ridge through its maximum
 * and, if that cannot be trusted, by short chains around it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/random.h"
#include "fit/fit.h"
#include "fit/per_alpha.h"
#include "inverse/inverse.h"
#include "questions/sensitivity/sensitivity.h"
#include "sample/evaluate_many.h"
#include "sample/ridge/ridge.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define POINTS 1280 /* weighted points: about as many are effective as are drawn by default */
#define THIN 4      /* steps of the walk for each draw */
#define NEARER 8    /* halvings of the distance of a start outside the density from the maximum */

typedef struct {
    const asif_refitting *r;
    const asif_varied *varied;
    uint32_t n, chains;
    asif_target **target;          /* [chains] */
    asif_density *inner, *density; /* [chains]: of the targets, and in the coordinates in which chains move */
    asif_per_alpha_target *stretched; /* [chains] */
    double *x;                        /* [n]: the maximum */
    double *away;                     /* [n] */
    double *start;                    /* [chains][n] */
    double *room;                     /* [chains][1 + ASIF_EVALUATE_BLOCK][n] */
    double *metric, *factor;          /* [n][n] */
} drawing;

static asif_status prepare(drawing *d, const double *numbers, asif_error *error) {
    const asif_context *c = d->r->context;
    uint64_t n = d->n, chains = d->chains, room = chains * (1 + ASIF_EVALUATE_BLOCK) * n;
    d->target = ASIF_ARRAY(c, chains, asif_target *);
    d->inner = ASIF_ARRAY(c, 2 * chains, asif_density);
    d->stretched = ASIF_ARRAY(c, chains, asif_per_alpha_target);
    d->x = ASIF_ARRAY(c, 2 * n + chains * n + room + 2 * n * n, double);
    if (!d->target || !d->inner || !d->stretched || !d->x)
        return asif_fail_memory(error);
    d->density = d->inner + chains;
    d->away = d->x + n;
    d->start = d->away + n;
    d->room = d->start + chains * n;
    d->metric = d->room + room;
    d->factor = d->metric + n * n;
    asif_estimates_locate(d->varied->estimates, numbers, d->x);
    for (uint32_t k = 0; k < chains; k++) {
        ASIF_TRY(asif_target_clone(&d->target[k], d->varied->target, error));
        d->inner[k] = d->density[k] = *asif_target_density(d->target[k]);
    }
    return ASIF_OK;
}

static void clean_up(drawing *d) {
    const asif_context *c = d->r->context;
    for (uint32_t k = 0; d->target && k < d->chains; k++)
        asif_target_free(d->target[k]);
    void *const arrays[] = {d->target, d->inner, d->stretched, d->x};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
}

static asif_status find_metric(drawing *d, asif_error *error) {
    uint64_t n = d->n;
    double *scale = d->away;
    asif_estimates_scale(d->varied->estimates, scale);
    ASIF_TRY(asif_curvature(d->factor, d->metric, NULL, d->r->context, &d->inner[0], d->x, scale, error));
    memcpy(d->factor, d->metric, n * n * sizeof *d->factor);
    if (asif_cholesky(d->factor, d->n))
        return ASIF_OK;
    memset(d->factor, 0, n * n * sizeof *d->factor);
    for (uint64_t j = 0; j < n; j++)
        d->factor[j * n + j] = scale[j];
    return ASIF_OK;
}

/* Place a start about a standard deviation from the maximum, or nearer if it would be outside the density. */
static asif_status place_start(drawing *d, uint32_t chain, asif_error *error) {
    asif_stream stream = {d->r->options->seed, ASIF_FOR_CHAINS, chain};
    double *start = d->start + (uint64_t)chain * d->n, *normal = d->room, value = -INFINITY, distance = 1;
    for (uint32_t j = 0; j < d->n; j++)
        normal[j] = asif_normal(&stream, j);
    asif_lower_times(d->factor, d->n, normal, d->away);
    for (uint32_t k = 0; k <= NEARER && !isfinite(value); k++, distance /= 2) {
        for (uint32_t j = 0; j < d->n; j++)
            start[j] = d->x[j] + (k < NEARER ? distance * d->away[j] : 0);
        ASIF_TRY(d->inner[chain].evaluate(d->inner[chain].user, start, &value, NULL, error));
    }
    return ASIF_OK;
}

/* Set the densities in which chains move in units of alpha, as in a fit; false if this problem has none. The
 * caller converts the starts. */
static bool stretch(drawing *d, asif_per_alpha *how) {
    if (!asif_per_alpha_find(how, d->varied->estimates))
        return false;
    how->centre = d->x[how->by];
    for (uint32_t k = 0; k < d->chains; k++) {
        double *room = d->room + (uint64_t)k * (1 + ASIF_EVALUATE_BLOCK) * d->n;
        d->stretched[k] = (asif_per_alpha_target){*how, &d->inner[k], room, room + d->n};
        d->density[k] = asif_per_alpha_density(&d->stretched[k]);
    }
    return true;
}

/* Summarise the draws; `ridge` NULL: they are from chains. */
static asif_status summarise(const drawing *d, const asif_draws *draws, const asif_ridge_info *ridge,
                             asif_sensitivity_point *out, asif_sensitivity_number *number,
                             asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_draws_get(draws, &view, error));
    out->drawn = true;
    out->rhat = out->ess = NAN;
    for (uint32_t i = 0; i < view.columns; i++) {
        asif_fit_parameter p = {.info = asif_estimates_get(d->varied->estimates, i)};
        ASIF_TRY(asif_summarise(&p.summary, d->r->context, view.value + i * view.chains * view.draws,
                                view.chains, view.draws, error));
        asif_verdict_signs(&p, 1);
        number[i].q05 = p.summary.q05;
        number[i].q50 = p.summary.q50;
        number[i].q95 = p.summary.q95;
        number[i].sign = p.sign;
        out->rhat = ridge ? NAN : fmax(out->rhat, p.summary.rhat);
        out->ess = fmin(out->ess, ridge ? fmin(ridge->ess_bulk[i], ridge->ess_tail[i])
                                        : fmin(p.summary.ess_bulk, p.summary.ess_tail));
        if (ridge) /* draws are resampled points */
            out->ess = fmin(out->ess, (double)(view.chains * view.draws));
    }
    return ASIF_OK;
}

/* Draw along the ridge. *good becomes whether the weights can be trusted; only then `out` is filled. */
static asif_status draw_ridge(drawing *d, bool *good, asif_sensitivity_point *out,
                              asif_sensitivity_number *number, asif_error *error) {
    asif_per_alpha how;
    asif_ridge_info info = {0};
    asif_draws *draws = NULL;
    double *scale = d->away, *top = d->start;
    *good = false;
    asif_estimates_scale(d->varied->estimates, scale);
    memcpy(top, d->x, d->n * sizeof *top);
    if (stretch(d, &how))
        asif_per_alpha_forward(&how, top);
    const asif_ridge_request request = {.density = d->density,
                                        .densities = d->chains,
                                        .scale = scale,
                                        .maxima = 1,
                                        .maximum = top,
                                        .chains = d->chains,
                                        .draws = d->r->options->draws,
                                        .seed = d->r->options->seed,
                                        .points = POINTS};
    asif_status status = asif_ridge_sample(&draws, &info, d->r->context, &request, error);
    *good = status == ASIF_OK && info.good;
    if (*good)
        status = summarise(d, draws, &info, out, number, error);
    asif_draws_free(draws);
    asif_ridge_info_free(&info, d->r->context);
    return status == ASIF_EUNSUPPORTED || status == ASIF_EDOMAIN ? ASIF_OK : status;
}

static asif_status draw_chains(drawing *d, asif_sensitivity_point *out, asif_sensitivity_number *number,
                               asif_error *error) {
    const asif_sensitivity_options *o = d->r->options;
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    asif_per_alpha how;
    asif_draws *draws = NULL;
    ASIF_TRY(find_metric(d, error));
    for (uint32_t k = 0; k < d->chains; k++)
        ASIF_TRY(place_start(d, k, error));
    if (stretch(d, &how)) {
        asif_per_alpha_covariance(&how, d->x, d->metric, d->n);
        for (uint32_t k = 0; k < d->chains; k++)
            asif_per_alpha_forward(&how, d->start + (uint64_t)k * d->n);
    }
    options.method = ASIF_METHOD_METROPOLIS;
    options.chains = o->chains;
    options.warmup = o->warmup;
    options.draws = o->draws;
    options.thin = THIN;
    options.seed = o->seed;
    options.start = d->start;
    options.metric = d->metric;
    asif_status status = asif_sample(&draws, d->r->context, d->density, &options, error);
    if (status == ASIF_OK)
        status = summarise(d, draws, NULL, out, number, error);
    asif_draws_free(draws);
    return status;
}

asif_status asif_refit_draw(const asif_refit *refit, const asif_refitting *r, asif_sensitivity_point *out,
                            asif_sensitivity_number *number, asif_error *error) {
    asif_varied varied = {.context = NULL};
    drawing d = {.r = r, .varied = &varied, .chains = r->options->chains};
    asif_status status = asif_varied_create(&varied, r->fitted, refit->vary, refit->value, error);
    if (status == ASIF_OK) {
        d.n = asif_estimates_dimension(varied.estimates);
        status = prepare(&d, refit->x, error);
    }
    bool good = false;
    if (status == ASIF_OK && d.inner[0].has_gradient)
        status = draw_ridge(&d, &good, out, number, error);
    if (status == ASIF_OK && !good)
        status = draw_chains(&d, out, number, error);
    clean_up(&d);
    asif_varied_free(&varied);
    return asif_refit_impossible(status) ? ASIF_OK : status;
}
