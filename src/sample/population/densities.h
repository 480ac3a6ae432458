/* Densities of populations at the points of a table, over the density that the points were drawn from:
 * w_a(phi) = p(x_a | phi) / q(x_a). Log-densities of normal populations are linear in 1, u and u u' of u = (x
 * - centre)/scale, so that a population costs a product with these features and an exponential for each
 * point. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_DENSITIES_H
#define ASIF_SRC_SAMPLE_POPULATION_DENSITIES_H

#include "sample/population/normal.h"

/* Most features: 1, u, u u' and log q. */
enum {
    ASIF_MOST_FEATURES = 2 + ASIF_POPULATION_MOST + ASIF_POPULATION_MOST * (ASIF_POPULATION_MOST + 1) / 2
};

/* In single precision, weights and likelihoods are both this many times as large, and 0 where they are below
 * ASIF_SINGLE_LEAST of the largest. Products of two numbers are then neither too large nor denormal. */
#define ASIF_SINGLE_SCALE 0x1p56
#define ASIF_SINGLE_LEAST 1e-36
/* A unit whose likelihood under a population is less, over its largest, rules that population out. */
#define ASIF_LEAST_LIKELIHOOD 1e-30

typedef struct {
    const asif_context *context;
    const asif_normal_population *population; /* borrowed */
    uint64_t points;
    uint32_t features;
    double *feature; /* [features + 1][points]: the last is -log q */
} asif_densities;

/* ASIF_ENOMEM. Call asif_densities_close() in any case. It is of the points that the table has now. */
asif_status asif_densities_open(asif_densities *weights, const asif_context *context, const asif_atoms *atoms,
                                const asif_normal_population *population, asif_error *error);
void asif_densities_close(asif_densities *weights);

/* The weights [points] at phi, over the largest of them. Threads may call at once. */
void asif_densities_at(const asif_densities *weights, const double *phi, double *weight);
/* The sum of weights, and the effective number of points, (sum w)^2 / sum w^2. */
double asif_densities_sum(const asif_densities *weights, const double *weight, double *effective);
/* sum g, sum g x [d] and sum g x x' [d][d] for numbers g [points]. */
double asif_densities_moments(const asif_densities *weights, const double *g, double *first, double *second);
/* The largest of n numbers; -inf if there are none. */
double asif_largest(const double *x, uint64_t n);
/* Numbers of at most 1 in single precision, scaled as above. */
void asif_single(float *out, const double *x, uint64_t n);

#endif
