#include "sample/population/densities.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>

#define LEAST (-700.) /* smaller log weights, over the largest, count as this */
#define ABREAST 8     /* maxima that are taken side by side */

static void fill_features(const asif_densities *w, const asif_atoms *atoms) {
    const asif_normal_population *p = w->population;
    uint64_t d = p->base->dimension, n = w->points;
    for (uint64_t a = 0; a < n; a++) {
        double u[ASIF_POPULATION_MOST], *to = w->feature + a;
        to[0] = 1;
        for (uint64_t i = 0; i < d; i++) {
            u[i] = (atoms->x[a * d + i] - p->centre[i]) / p->scale[i];
            to[(1 + i) * n] = u[i];
        }
        to += (1 + d) * n;
        for (uint64_t i = 0; i < d; i++)
            for (uint64_t j = 0; j <= i; j++, to += n)
                *to = u[i] * u[j];
        *to = -atoms->log_q[a];
    }
}

asif_status asif_densities_open(asif_densities *w, const asif_context *context, const asif_atoms *atoms,
                                const asif_normal_population *population, asif_error *error) {
    uint32_t d = population->base->dimension;
    *w = (asif_densities){.context = context,
                          .population = population,
                          .points = atoms->count,
                          .features = 1 + d + d * (d + 1) / 2};
    w->feature = ASIF_ARRAY(context, (w->features + 1) * atoms->count, double);
    if (!w->feature)
        return asif_fail_memory(error);
    fill_features(w, atoms);
    return ASIF_OK;
}

void asif_densities_close(asif_densities *w) {
    if (w->context)
        asif_free(w->context, w->feature);
    *w = (asif_densities){0};
}

/* The coefficients of the features in the log-density of a population. */
static void fill_coefficients(const asif_normal_population *p, const double *phi, double *c) {
    uint64_t d = p->base->dimension;
    double mean[ASIF_POPULATION_MOST], factor[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        inverse[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST];
    asif_population_at(p, phi, mean, factor);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j <= i; j++)
            factor[i * d + j] /= p->scale[i];
    asif_cholesky_inverse(factor, (uint32_t)d, inverse);
    double *square = c + 1 + d;
    c[0] = -.5 * (double)d * log(2 * acos(-1));
    for (uint64_t i = 0; i < d; i++) {
        c[0] -= log(factor[i * d + i] * p->scale[i]);
        c[1 + i] = 0;
        for (uint64_t j = 0; j < d; j++) {
            c[1 + i] += inverse[i * d + j] * phi[j]; /* the mean in u is phi itself */
            c[0] -= inverse[i * d + j] * phi[i] * phi[j] / 2;
        }
        for (uint64_t j = 0; j <= i; j++)
            *square++ = i == j ? -inverse[i * d + j] / 2 : -inverse[i * d + j];
    }
    *square = 1; /* of -log q */
}

double asif_largest(const double *x, uint64_t n) {
    double top[ABREAST], most = -INFINITY;
    uint64_t i = 0;
    for (int j = 0; j < ABREAST; j++)
        top[j] = -INFINITY;
    for (; i + ABREAST <= n; i += ABREAST)
        for (uint64_t j = 0; j < ABREAST; j++)
            top[j] = x[i + j] > top[j] ? x[i + j] : top[j];
    for (; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int j = 0; j < ABREAST; j++)
        most = top[j] > most ? top[j] : most;
    return most;
}

void asif_densities_at(const asif_densities *w, const double *phi, double *weight) {
    const asif_simd *simd = w->context->simd;
    double c[ASIF_MOST_FEATURES];
    fill_coefficients(w->population, phi, c);
    simd->weighted(weight, w->feature, w->points, c, w->features + 1, w->points);
    double top = asif_largest(weight, w->points);
    for (uint64_t a = 0; a < w->points; a++)
        weight[a] = weight[a] - top > LEAST ? weight[a] - top : LEAST;
    simd->exp(weight, weight, w->points);
}

double asif_densities_sum(const asif_densities *w, const double *weight, double *effective) {
    const asif_simd *simd = w->context->simd;
    double sum = simd->dot(weight, w->feature, w->points); /* the first feature is 1 */
    *effective = sum * sum / simd->dot(weight, weight, w->points);
    return sum;
}

double asif_densities_moments(const asif_densities *w, const double *g, double *first, double *second) {
    const asif_normal_population *p = w->population;
    const asif_simd *simd = w->context->simd;
    uint64_t d = p->base->dimension, n = w->points;
    double s[ASIF_MOST_FEATURES] = {0};
    const double *square = s + 1 + d;
    for (uint32_t k = 0; k < w->features; k++)
        s[k] = simd->dot(g, w->feature + k * n, n);
    for (uint64_t i = 0; i < d; i++) { /* from u back to x */
        first[i] = p->centre[i] * s[0] + p->scale[i] * s[1 + i];
        for (uint64_t j = 0; j <= i; j++)
            second[i * d + j] = second[j * d + i] =
                p->centre[i] * p->centre[j] * s[0] + p->centre[i] * p->scale[j] * s[1 + j] +
                p->centre[j] * p->scale[i] * s[1 + i] + p->scale[i] * p->scale[j] * *square++;
    }
    return s[0];
}

void asif_single(float *out, const double *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        out[i] = x[i] < ASIF_SINGLE_LEAST ? 0 : (float)(x[i] * ASIF_SINGLE_SCALE);
}
