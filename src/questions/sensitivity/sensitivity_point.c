/* Finds the maximum a posteriori with one assumption changed, and the curvature there. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "fit/fit.h"
#include "inverse/inverse.h"
#include "questions/sensitivity/sensitivity.h"
#include "sample/search/near.h"
#include "sample/search/search.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define BETTER 1e-4 /* gain in nats from which an improvement is polished */
#define MOST_EVALUATIONS 10000
#define TOLERANCE 1e-9
#define FALLS 0.75 /* of a normal density's fall: where this one falls less, another maximum may be near */
#define LOOKS 16   /* points looked at elsewhere, for each start that is requested */

bool asif_refit_impossible(asif_status status) {
    return status == ASIF_EDOMAIN || status == ASIF_EZEROPR || status == ASIF_EINVALID ||
           status == ASIF_EUNSUPPORTED;
}

/* ---- search ---- */

/* The centre of the priors; a drawn value for those that are improper. */
static void centre(const asif_refitting *r, const asif_estimates *estimates, double *number, double *x) {
    const asif_estimate_info *info;
    asif_estimates_draw(estimates, r->options->seed, 0, x);
    asif_estimates_report(estimates, x, number);
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++)
        if (info->proper && isfinite(info->prior_q50))
            number[i] = asif_line_back(info, info->prior_q50);
    asif_estimates_locate(estimates, number, x);
}

/* Further points to look at: the centre of the priors, and draws from them. */
static void look_around(const asif_refitting *r, const asif_estimates *estimates, uint32_t count,
                        double *number, double *x) {
    uint64_t n = asif_estimates_dimension(estimates);
    centre(r, estimates, number, x);
    for (uint32_t i = 1; i < count; i++)
        asif_estimates_draw(estimates, r->options->seed, i, x + i * n);
}

static asif_status seek(asif_refit *refit, const asif_refitting *r, const asif_varied *v, const double *from,
                        uint32_t count, bool only, asif_error *error) {
    uint64_t n = asif_estimates_dimension(v->estimates);
    uint32_t others = only ? 0 : 1 + LOOKS * r->options->starts;
    asif_maximum_info info;
    double *start = ASIF_ARRAY(r->context, (count + others + 2) * n + r->numbers, double);
    if (!start)
        return asif_fail_memory(error);
    double *elsewhere = start + count * n, *scale = elsewhere + others * n, *x = scale + n, *number = x + n;
    for (uint32_t i = 0; i < count; i++)
        asif_estimates_locate(v->estimates, from + (uint64_t)i * r->numbers, start + i * n);
    if (count > 2) /* the third is where the line through the two points before leads */
        for (uint64_t i = 0; i < n; i++)
            start[2 * n + i] = 2 * start[n + i] - start[2 * n + i];
    if (others > 0)
        look_around(r, v->estimates, others, number, elsewhere);
    asif_estimates_scale(v->estimates, scale);
    asif_near near = {start, count, r->factor, scale, elsewhere, others, TOLERANCE};
    asif_maximise_options anywhere = ASIF_MAXIMISE_OPTIONS_INIT;
    anywhere.starts = 1 + r->options->starts;
    anywhere.start = elsewhere;
    anywhere.scale = scale;
    const asif_density *density = asif_target_density(v->target);
    asif_status status = count > 0 ? asif_maximise_near(x, r->context, density, &near, &info, error)
                                   : asif_maximise(x, r->context, density, 1, &anywhere, &info, error);
    if (status == ASIF_OK && (!refit->found || info.value > refit->log_posterior)) {
        asif_estimates_report(v->estimates, x, refit->x);
        refit->log_posterior = info.value;
        if (!refit->found) /* other threads may read it */
            refit->found = true;
        refit->starts = count > 0 ? 1 + (others > 0) : anywhere.starts;
        refit->agree = info.agree < refit->starts ? info.agree : refit->starts;
    }
    asif_free(r->context, start);
    return status;
}

asif_status asif_refit_seek(asif_refit *refit, const asif_refitting *r, const double *from, uint32_t count,
                            bool only, asif_error *error) {
    asif_varied v = {.context = NULL};
    asif_error why = ASIF_ERROR_INIT;
    asif_status status = asif_varied_create(&v, r->fitted, refit->vary, refit->value, &why);
    if (status == ASIF_OK)
        status = seek(refit, r, &v, from, count, only, &why);
    asif_varied_free(&v);
    if (asif_refit_impossible(status)) {
        refit->why = why;
        return ASIF_OK;
    }
    if (status != ASIF_OK && error)
        *error = why;
    return status;
}

asif_status asif_refit_factor(double *factor, const asif_refit *refit, const asif_refitting *r,
                              asif_error *error) {
    uint32_t n = asif_estimates_dimension(r->fitted->estimates);
    asif_varied v = {.context = NULL};
    double *room = ASIF_ARRAY(r->context, (uint64_t)n * n + 2 * (uint64_t)n, double);
    asif_status status = asif_varied_create(&v, r->fitted, refit->vary, refit->value, error);
    if (status == ASIF_OK && !room)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        double *x = room + (uint64_t)n * n, *scale = x + n;
        asif_estimates_locate(v.estimates, refit->x, x);
        asif_estimates_scale(v.estimates, scale);
        status =
            asif_curvature(room, factor, NULL, r->context, asif_target_density(v.target), x, scale, error);
    }
    if (status == ASIF_OK && !asif_cholesky(factor, n))
        status = asif_fail(error, ASIF_EDOMAIN, "the curvature at the maximum cannot be computed");
    asif_varied_free(&v);
    asif_free(r->context, room);
    return status;
}

/* Whether another maximum than `own`, where the density is `top`, may be near the point that a search begins
 * at: it falls less towards that point than a normal density would. */
static bool promises(const asif_search *search, const double *own, double top) {
    double away = asif_search_distance(search->inverse, search->n, search->best, own);
    return !(search->value < top - FALLS * away * away / 2);
}

/* Climb from `x`, which becomes the end of the climb; `value` becomes the density there. Unless that promises
 * more than the maximum `own`, whose density `value` holds. */
static asif_status climb(double *x, const double *own, double *value, const asif_refitting *r,
                         const asif_varied *v, asif_error *error) {
    asif_search search;
    atomic_bool stop;
    double *scale = ASIF_ARRAY(r->context, asif_estimates_dimension(v->estimates), double);
    atomic_init(&stop, false);
    asif_status status = asif_search_create(&search, r->context, asif_target_density(v->target),
                                            ASIF_NONE_HELD, &stop, "maximum", error);
    if (status == ASIF_OK && !scale)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_estimates_scale(v->estimates, scale);
        if (r->factor)
            asif_search_factor(&search, r->factor);
        else
            asif_search_scale(&search, scale);
        asif_search_begin(&search, x, MOST_EVALUATIONS);
        if (!r->factor || promises(&search, own, *value))
            asif_search_ascend(&search);
        *value = search.value;
        memcpy(x, search.best, search.n * sizeof *x);
        status = search.status;
        if (status != ASIF_OK && error)
            *error = search.error;
    }
    asif_search_free(&search);
    asif_free(r->context, scale);
    return status;
}

asif_status asif_refit_improve(asif_refit *refit, const asif_refitting *r, const double *from, bool *better,
                               asif_error *error) {
    asif_varied v = {.context = NULL};
    double value = refit->log_posterior, before = value;
    *better = false;
    uint64_t n = asif_estimates_dimension(r->fitted->estimates);
    double *x = ASIF_ARRAY(r->context, 2 * n + r->numbers, double), *own = x ? x + n + r->numbers : NULL;
    asif_status status = asif_varied_create(&v, r->fitted, refit->vary, refit->value, error);
    if (status == ASIF_OK && !x)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_estimates_locate(v.estimates, from, x);
        asif_estimates_locate(v.estimates, refit->x, own);
        status = climb(x, own, &value, r, &v, error);
    }
    if (status == ASIF_OK && value > before + BETTER) {
        asif_estimates_report(v.estimates, x, x + n);
        status = seek(refit, r, &v, x + n, 1, true, error);
        *better = status == ASIF_OK && refit->log_posterior > before;
    }
    asif_varied_free(&v);
    asif_free(r->context, x);
    return asif_refit_impossible(status) ? ASIF_OK : status;
}

/* ---- results ---- */

static asif_status add_curvature(const asif_refitting *r, const asif_varied *v, const double *x,
                                 asif_sensitivity_number *number, asif_error *error) {
    uint64_t n = asif_estimates_dimension(v->estimates);
    double *room = ASIF_ARRAY(r->context, 2 * n * n + n, double);
    asif_fit_parameter *parameter = ASIF_ARRAY(r->context, r->numbers, asif_fit_parameter);
    bool curved = true;
    asif_status status = room && parameter ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (uint32_t i = 0; i < r->numbers; i++)
            parameter[i].info = asif_estimates_get(v->estimates, i);
        asif_estimates_scale(v->estimates, room + 2 * n * n);
        status = asif_curvature(room, room + n * n, &curved, r->context, asif_target_density(v->target), x,
                                room + 2 * n * n, error);
    }
    if (status == ASIF_OK)
        status =
            asif_laplace(parameter, r->numbers, r->context, v->estimates, x, room + n * n, &curved, error);
    for (uint32_t i = 0; status == ASIF_OK && i < r->numbers; i++)
        number[i].sd = parameter[i].summary.sd;
    asif_free(r->context, room);
    asif_free(r->context, parameter);
    return status;
}

asif_status asif_refit_describe(const asif_refit *refit, const asif_refitting *r, asif_sensitivity_point *out,
                                asif_sensitivity_number *number, bool curvature, asif_error *error) {
    asif_varied v = {.context = NULL};
    bool drawn = out->drawn;
    double rhat = out->rhat, ess = out->ess;
    *out = (asif_sensitivity_point){.value = refit->value,
                                    .given = !refit->vary || refit->value == refit->vary->given,
                                    .log_likelihood = NAN,
                                    .log_posterior = NAN,
                                    .span = NAN,
                                    .nats = NAN,
                                    .drawn = drawn,
                                    .rhat = drawn ? rhat : NAN,
                                    .ess = drawn ? ess : NAN,
                                    .starts = refit->starts,
                                    .agree = refit->agree,
                                    .number = number};
    for (uint32_t i = 0; i < r->numbers; i++) {
        asif_sensitivity_number *k = &number[i];
        k->maximum = refit->found ? refit->x[i] : NAN;
        k->sd = k->moved = NAN;
        if (!drawn)
            k->q05 = k->q50 = k->q95 = NAN;
    }
    if (!refit->found)
        return ASIF_OK;
    double *x = ASIF_ARRAY(r->context, asif_estimates_dimension(r->fitted->estimates), double);
    asif_status status = asif_varied_create(&v, r->fitted, refit->vary, refit->value, error);
    if (status == ASIF_OK && !x)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_estimates_locate(v.estimates, refit->x, x);
        out->span = asif_estimates_span(v.estimates);
        out->log_posterior = refit->log_posterior;
        status = asif_target_objective(v.likelihood, x, &out->log_likelihood, NULL, error);
    }
    if (status == ASIF_OK && curvature) {
        status = add_curvature(r, &v, x, number, error);
        if (asif_refit_impossible(status)) /* there are no standard deviations then */
            status = ASIF_OK;
    }
    asif_varied_free(&v);
    asif_free(r->context, x);
    return status;
}
