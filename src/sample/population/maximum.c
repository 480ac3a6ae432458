/* The maximum of a population's posterior, and the error that the table of points makes in it. */
#include "sample/population/population.h"

#include "base/error.h"
#include "base/numeric/dense.h"
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define FLOOR 50. /* effective points that the search needs: beyond, the table says nothing */
#define MOST_EVALUATIONS 500
#define PRECISION 1e-5 /* nats; likelihoods in single precision tell no more */
#define OF_GROUPS .3   /* what is told by groups of units, which are fewer */
#define STEP .1        /* sds, of the differences by which sds of reported numbers are found */

/* About a posterior sd of each number. */
static void fill_scale(const asif_normal_population *p, const double *phi, double units, double *scale) {
    uint64_t n = asif_population_numbers(p), d = p->base->dimension, plain = asif_population_plain(p),
             first = asif_population_first_effect(p);
    for (uint64_t i = 0; i < n; i++)
        scale[i] = (i < d ? exp(phi[d + i]) : 1) / sqrt(units);
    for (uint32_t k = 0; k < p->effects; k++)
        scale[first + k] = p->effect[k].pool ? OF_GROUPS : scale[p->effect[k].coordinate];
    for (uint64_t k = first + p->effects; k < plain; k++)
        scale[k] = OF_GROUPS;
    for (uint64_t k = 0; k + 1 < asif_kinds(p); k++)
        memcpy(scale + plain + k * d, scale, d * sizeof *scale);
}

/* A factor of the covariance; false: it is not known yet. */
static bool fill_known(const asif_population_fit *fit, double *factor) {
    uint64_t n = fit->numbers;
    if (!fit->known)
        return false;
    memcpy(factor, fit->covariance, n * n * sizeof *factor);
    return asif_cholesky(factor, (uint32_t)n);
}

asif_status asif_population_search(const asif_population_fit *fit, asif_marginal_work *work, double *phi,
                                   uint64_t evaluations, double *value, asif_error *error) {
    asif_density density = asif_marginal_density(work, NULL);
    asif_search search = {0};
    atomic_bool stop = false;
    double scale[ASIF_POPULATION_NUMBERS], factor[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS];
    fill_scale(&fit->population, phi, work->marginal->units, scale);
    work->least_effective = FLOOR;
    asif_status status =
        asif_search_create(&search, fit->context, &density, ASIF_NONE_HELD, &stop, "population", error);
    if (status == ASIF_OK) {
        if (fill_known(fit, factor))
            asif_search_factor(&search, factor);
        else
            asif_search_scale(&search, scale);
        asif_search_begin(&search, phi, evaluations);
        if (isfinite(search.value)) {
            asif_search_climb(&search, PRECISION);
            memcpy(phi, search.best, density.dimension * sizeof *phi);
        }
        *value = search.value;
        status = search.status;
        if (status != ASIF_OK && error)
            *error = search.error;
    }
    asif_search_free(&search);
    work->least_effective = 0;
    return status;
}

/* Kinds are in the order of the coordinate in which they differ most. */
static void put_in_order(asif_population_fit *fit) {
    fit->population.sorted = asif_kinds_coordinate(&fit->population, fit->maximum);
    if (asif_kinds(&fit->population) > 1)
        asif_kinds_sort(&fit->population, fit->maximum);
}

asif_status asif_population_climb(asif_population_fit *fit, asif_marginal_work *work, const double *phi,
                                  asif_error *error) {
    asif_density density = asif_marginal_density(work, NULL);
    uint64_t n = fit->numbers;
    double factor[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS],
        curvature[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS], value;
    bool positive = false;
    memcpy(fit->maximum, phi, n * sizeof *phi);
    asif_status status = asif_population_search(fit, work, fit->maximum, MOST_EVALUATIONS, &value, error);
    put_in_order(fit);
    if (status == ASIF_OK && !isfinite(value)) { /* the table knows nothing of where the search began */
        memset(fit->covariance, 0, n * n * sizeof *fit->covariance);
        fit->log_marginal = value;
        fit->effective = 0;
        fit->known = false;
        return ASIF_OK;
    }
    if (status == ASIF_OK)
        status = asif_curvature_near(curvature, fit->covariance, &positive, fit->context, &density,
                                     fit->maximum, fill_known(fit, factor) ? factor : NULL, error);
    if (status == ASIF_OK) {
        fit->log_marginal = asif_marginal_at(work, fit->maximum, NULL);
        fit->effective = work->effective[0];
        fit->known = positive;
    }
    return status;
}

/* The sd of each reported number by the curvature: along the columns of a factor of the covariance, numbers
 * move independently. */
static void find_sds(const asif_population_fit *fit, double *sd) {
    uint64_t n = fit->numbers;
    double factor[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS], phi[ASIF_POPULATION_NUMBERS],
        up[ASIF_POPULATION_NUMBERS], down[ASIF_POPULATION_NUMBERS];
    memset(sd, 0, n * sizeof *sd);
    memcpy(factor, fit->covariance, n * n * sizeof *factor);
    if (!asif_cholesky(factor, (uint32_t)n))
        return;
    for (uint64_t k = 0; k < n; k++) {
        for (uint64_t i = 0; i < n; i++)
            phi[i] = fit->maximum[i] + STEP * factor[i * n + k];
        asif_population_report(&fit->population, phi, up);
        for (uint64_t i = 0; i < n; i++)
            phi[i] = fit->maximum[i] - STEP * factor[i * n + k];
        asif_population_report(&fit->population, phi, down);
        for (uint64_t i = 0; i < n; i++)
            sd[i] += (up[i] - down[i]) * (up[i] - down[i]) / (4 * STEP * STEP);
    }
    for (uint64_t i = 0; i < n; i++)
        sd[i] = sqrt(sd[i]);
}

void asif_population_take_error(asif_population_fit *fit, double (*at)[ASIF_POPULATION_NUMBERS],
                                const double *sd) {
    fit->worst_error = 0;
    for (uint32_t i = 0; i < fit->numbers; i++) {
        double mean = 0, sum = 0;
        for (uint32_t s = 0; s < ASIF_SCRAMBLES; s++)
            mean += at[s][i] / ASIF_SCRAMBLES;
        for (uint32_t s = 0; s < ASIF_SCRAMBLES; s++)
            sum += (at[s][i] - mean) * (at[s][i] - mean);
        fit->table_error[i] = sqrt(sum * (ASIF_SCRAMBLES - 1) / ASIF_SCRAMBLES);
        double error = fit->table_error[i] / sd[i];
        if (!(error <= fit->worst_error)) {
            fit->worst_error = isnan(error) ? INFINITY : error;
            fit->worst = i;
        }
    }
}

void asif_population_judge_table(asif_population_fit *fit, asif_marginal_work *work) {
    uint64_t n = fit->numbers;
    double at[ASIF_SCRAMBLES][ASIF_POPULATION_NUMBERS], gradient[ASIF_POPULATION_NUMBERS],
        phi[ASIF_POPULATION_NUMBERS], sd[ASIF_POPULATION_NUMBERS];
    for (uint32_t s = 0; s < ASIF_SCRAMBLES; s++) {
        memset(gradient, 0, sizeof gradient);
        work->without = s;
        asif_marginal_at(work, fit->maximum, gradient);
        asif_population_log_prior(&fit->population, fit->maximum, gradient);
        asif_dense_times(fit->covariance, (uint32_t)n, (uint32_t)n, gradient, phi);
        for (uint64_t i = 0; i < n; i++)
            phi[i] += fit->maximum[i];
        asif_population_report(&fit->population, phi, at[s]);
    }
    work->without = ASIF_SCRAMBLES;
    find_sds(fit, sd);
    asif_population_take_error(fit, at, sd);
}
