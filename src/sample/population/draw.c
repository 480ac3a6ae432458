/* Draws of a population's numbers: by NUTS, or by importance sampling from a Student t around the maximum
 * where evaluations are costly and the posterior, of many units, is nearly normal. */
#include "sample/population/population.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "base/random.h"
#include "base/text.h"
#include "sample/draws.h"
#include "sample/ridge/sobol.h"

#include <math.h>
#include <string.h>

#define POINTS 512  /* of importance sampling */
#define DEGREES 7   /* of its Student t */
#define WIDER 1.1   /* its scale, over the posterior's standard deviation */
#define GOOD_K 0.7  /* k-hat above which NUTS is used after all */
#define ACCEPT 0.85 /* of NUTS */
#define FLOOR                                                                                                \
    50. /* effective points below which a population has density 0: the table knows nothing of it            \
         */

/* ---- NUTS ---- */

static void keep_phi(asif_population_fit *fit, const asif_draws_view *v) {
    for (uint64_t i = 0; i < fit->count; i++)
        for (uint32_t k = 0; k < fit->numbers; k++)
            fit->phi[i * fit->numbers + k] = v->value[((uint64_t)fit->numbers + k) * fit->count + i];
}

/* Reported numbers, then phi itself: chains report both. */
static void report_both(void *user, const double *phi, double *out) {
    const asif_marginal_work *w = user;
    uint32_t n = asif_population_numbers(w->population);
    asif_population_report(w->population, phi, out);
    memcpy(out + n, phi, n * sizeof *phi);
}

/* The draws without the columns of phi. */
static asif_status without_phi(asif_population_fit *fit, const asif_draws_view *v, const char *const *name,
                               asif_error *error) {
    uint64_t one = (uint64_t)v->chains * v->draws;
    ASIF_TRY(asif_draws_create(&fit->draws, fit->context, v->chains, v->draws, fit->numbers, name,
                               v->dimension, error));
    memcpy(asif_draws_values(fit->draws, 0, 0), v->value, fit->numbers * one * sizeof(double));
    memcpy(asif_draws_stats(fit->draws, 0, 0), v->stat, ASIF_STAT_COUNT * one * sizeof(double));
    asif_draws_view *own = &fit->draws->view;
    for (uint32_t c = 0; c < v->chains; c++)
        *asif_draws_step(fit->draws, c) = v->step[c];
    if (v->metric)
        memcpy(asif_draws_metric(fit->draws, 0), v->metric,
               (uint64_t)v->chains * v->dimension * v->dimension * sizeof(double));
    own->method = v->method;
    own->warmup = v->warmup;
    own->thin = v->thin;
    own->seed = v->seed;
    own->max_depth = v->max_depth;
    return ASIF_OK;
}

static asif_status sample(asif_population_fit *fit, asif_marginal_work *work,
                          const asif_population_request *r, asif_error *error) {
    asif_sample_options o = ASIF_SAMPLE_OPTIONS_INIT;
    asif_draws_view v = {.struct_size = sizeof v};
    asif_draws *both = NULL;
    uint64_t n = fit->numbers;
    asif_density *density = ASIF_ARRAY(fit->context, r->chains, asif_density);
    const char **name = ASIF_ARRAY(fit->context, 2 * n, const char *);
    double *start = ASIF_ARRAY(fit->context, r->chains * n, double);
    char(*own)[16] = asif_alloc(fit->context, 2 * n, sizeof *own);
    asif_status status = density && name && start && own ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t k = 0; status == ASIF_OK && k < 2 * n; k++) {
        asif_format(own[k], sizeof own[k], "x.%u", k + 1);
        name[k] = own[k];
    }
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++) {
        density[c] = asif_marginal_density(&work[c], name);
        density[c].reported = (uint32_t)(2 * n);
        density[c].report = report_both;
        memcpy(start + c * n, fit->maximum, n * sizeof *start);
    }
    o.chains = r->chains;
    o.warmup = r->warmup;
    o.draws = r->draws;
    o.seed = r->seed;
    o.target_accept = ACCEPT;
    o.start = start;
    o.metric = fit->covariance;
    if (status == ASIF_OK)
        status = asif_sample(&both, fit->context, density, &o, error);
    if (status == ASIF_OK)
        status = asif_draws_get(both, &v, error);
    if (status == ASIF_OK)
        status = without_phi(fit, &v, r->name, error);
    if (status == ASIF_OK)
        keep_phi(fit, &v);
    asif_draws_free(both);
    asif_free(fit->context, density);
    asif_free(fit->context, (void *)name);
    asif_free(fit->context, start);
    asif_free(fit->context, own);
    return status;
}

/* ---- importance sampling ---- */

/* Point i, and minus its log-density under the proposal up to a constant. */
static double propose(const asif_population_fit *fit, const double *factor, uint64_t seed, uint32_t i,
                      double *phi) {
    uint32_t n = fit->numbers;
    double t[ASIF_POPULATION_NUMBERS], sum = 0;
    asif_stream stream = {seed, ASIF_FOR_POPULATIONS, i};
    for (uint32_t k = 0; k < n; k++) {
        double u = k < ASIF_SOBOL_MOST ? asif_sobol(i, k, seed) : asif_uniform(&stream, k);
        t[k] = asif_t_quantile(u, DEGREES);
        sum += (DEGREES + 1) / 2. * log1p(t[k] * t[k] / DEGREES);
    }
    asif_lower_times(factor, n, t, phi);
    for (uint32_t k = 0; k < n; k++)
        phi[k] = fit->maximum[k] + WIDER * phi[k];
    return sum;
}

/* Fill fit->phi by systematic resampling. */
static void resample(asif_population_fit *fit, const double *point, const double *log_weight) {
    uint64_t n = fit->numbers, made = 0;
    double below = 0;
    for (uint64_t i = 0; i < POINTS; i++) {
        below += exp(log_weight[i]);
        for (; made < fit->count && ((double)made + .5) / (double)fit->count < below; made++)
            memcpy(fit->phi + made * n, point + i * n, n * sizeof *point);
    }
    for (; made < fit->count; made++)
        memcpy(fit->phi + made * n, made ? fit->phi + (made - 1) * n : fit->maximum, n * sizeof *point);
}

static asif_status fill_draws(asif_population_fit *fit, const asif_population_request *r, asif_error *error) {
    double row[ASIF_POPULATION_NUMBERS];
    ASIF_TRY(
        asif_draws_create(&fit->draws, fit->context, r->chains, r->draws, fit->numbers, r->name, 0, error));
    asif_draws_view *view = &fit->draws->view;
    view->method = ASIF_METHOD_RIDGE;
    view->thin = 1;
    view->seed = r->seed;
    view->khat = fit->khat;
    for (uint64_t i = 0; i < fit->count; i++) { /* neighbours go to different chains */
        asif_population_report(&fit->population, fit->phi + i * fit->numbers, row);
        uint32_t chain = (uint32_t)(i % r->chains);
        for (uint32_t k = 0; k < fit->numbers; k++)
            asif_draws_values(fit->draws, k, chain)[i / r->chains] = row[k];
        asif_draws_stats(fit->draws, ASIF_STAT_ACCEPT, chain)[i / r->chains] = 1;
    }
    return ASIF_OK;
}

static asif_status weigh(asif_population_fit *fit, asif_marginal_work *work, const double *factor,
                         double *point, double *ratio, const asif_population_request *r, asif_error *error) {
    asif_density density = asif_marginal_density(work, NULL);
    double most = -INFINITY;
    for (uint32_t i = 0; i < POINTS; i++) {
        double *phi = point + (uint64_t)i * fit->numbers, value = 0;
        if (asif_progress(fit->context, "population", (double)i / POINTS))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        double less = propose(fit, factor, r->seed, i, phi);
        ASIF_TRY(density.evaluate(work, phi, &value, NULL, error));
        ratio[i] = value + less;
        most = fmax(most, ratio[i]);
    }
    for (uint32_t i = 0; i < POINTS; i++)
        ratio[i] = isfinite(ratio[i]) ? ratio[i] : most - 700;
    return asif_psis(ratio, &fit->khat, fit->context, ratio, 1, POINTS, 1, error);
}

/* *good: the weights can be trusted. */
static asif_status importance(asif_population_fit *fit, asif_marginal_work *work,
                              const asif_population_request *r, bool *good, asif_error *error) {
    uint64_t n = fit->numbers;
    double factor[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS];
    double *point = ASIF_ARRAY(fit->context, POINTS * n, double),
           *ratio = ASIF_ARRAY(fit->context, POINTS, double);
    memcpy(factor, fit->covariance, n * n * sizeof *factor);
    *good = asif_cholesky(factor, (uint32_t)n);
    asif_status status = point && ratio ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && *good)
        status = weigh(fit, work, factor, point, ratio, r, error);
    *good = *good && status == ASIF_OK && fit->khat < GOOD_K;
    if (*good) {
        resample(fit, point, ratio);
        status = fill_draws(fit, r, error);
    }
    asif_free(fit->context, point);
    asif_free(fit->context, ratio);
    return status;
}

/* ---- both ---- */

/* The least effective number of points over all draws, and whose it is. */
static void check(asif_population_fit *fit, asif_marginal_work *work) {
    fit->least_effective = INFINITY;
    for (uint64_t i = 0; i < fit->count; i++) {
        double effective = asif_marginal_effective(work, fit->phi + i * fit->numbers);
        if (effective < fit->least_effective) {
            fit->least_effective = effective;
            fit->least = i;
        }
    }
    fit->usable = fit->least_effective >= ASIF_POPULATION_EFFECTIVE;
}

asif_status asif_population_draw(asif_population_fit *fit, const asif_marginal *marginal,
                                 const asif_population_request *r, asif_error *error) {
    bool good = false;
    asif_draws_free(fit->draws);
    fit->draws = NULL;
    asif_free(fit->context, fit->phi);
    fit->count = r->chains * r->draws;
    fit->phi = ASIF_ARRAY(fit->context, fit->count * fit->numbers, double);
    asif_marginal_work *work = ASIF_ARRAY(fit->context, r->chains, asif_marginal_work);
    asif_status status = fit->phi && work ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && (double)marginal->rows * (double)marginal->atoms->count > (double)r->many) {
        status = asif_marginal_work_open(&work[0], marginal, &fit->population, fit->context->options.threads,
                                         error);
        work[0].least_effective = FLOOR;
        if (status == ASIF_OK)
            status = importance(fit, &work[0], r, &good, error);
        asif_marginal_work_close(&work[0]);
    }
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++)
        status = asif_marginal_work_open(&work[c], marginal, &fit->population, 1, error);
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++)
        work[c].least_effective = FLOOR;
    if (status == ASIF_OK && !good) {
        fit->khat = NAN;
        status = sample(fit, work, r, error);
    }
    if (status == ASIF_OK)
        check(fit, &work[0]);
    for (uint32_t c = 0; work && c < r->chains; c++)
        asif_marginal_work_close(&work[c]);
    asif_free(fit->context, work);
    return status;
}
