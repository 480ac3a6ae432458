/* A normal population of points in R^d: its mean, standard deviations and correlations, as the numbers phi on
 * the real line that samplers move in, with a prior on them.
 *
 *   phi = (mean - centre)/scale [d], log(s/scale) [d], and if correlated the inverse hyperbolic tangents of
 *   the partial correlations that build the Cholesky factor of the correlations R row by row [d (d - 1)/2],
 *   then the effects of covariates [effects], each over the scale of its coordinate; those of a pool also
 *   over its standard deviation, whose logarithm, over the same scale, follows for each pool [pools].
 *
 * A population of several kinds of units is a mixture of such normals, with means of their own and the same
 * standard deviations and correlations. The numbers above are then those of the first kind, and phi goes on
 * with (mean - centre)/scale of each further kind [kinds - 1][d], and with log(share/share of the first kind)
 * of each further kind [kinds - 1].
 *
 * With covariates z of a unit, the mean of its coordinate i is that of all plus the sum of effect k times
 * z[column of k] over the effects k on i. Those of groups
 * are 1 for their units and else 0, and others have mean 0 over units.
 *
 * The covariance is diag(s) R diag(s) plus a diagonal of (ASIF_LEAST_SPREAD scale)^2. A population without
 * that least spread can become narrower than the distance between points of any table, and then sits on
 * single points.
 *
 * A pool is what the effects of groups of units, such as hospitals, have in common: they are
 * normal(0, sd of the pool).
 *
 * Priors: means as the base density of the points, s half-normal(scale), R LKJ(2) (Lewandowski, Kurowicka and
 * Joe, 2009), effects normal(0, scale), sds of pools half-normal(scale), shares uniform:
 * Dirichlet(1, ..., 1). */
#ifndef ASIF_SRC_SAMPLE_POPULATION_NORMAL_H
#define ASIF_SRC_SAMPLE_POPULATION_NORMAL_H

#include "sample/population/atoms.h"

#define ASIF_POPULATION_MOST 8 /* most coordinates of a point */
#define ASIF_LEAST_SPREAD .05  /* of a population, over the scale of the coordinate */
#define ASIF_EFFECTS_MOST 64   /* most effects of covariates */
#define ASIF_POOLS_MOST 8      /* most pools of them */
#define ASIF_KINDS_MOST 4      /* most kinds of units */
#define ASIF_LKJ 2             /* eta of the prior of correlations */
/* most numbers of a population */
#define ASIF_POPULATION_NUMBERS                                                                              \
    (2 * ASIF_POPULATION_MOST + ASIF_POPULATION_MOST * (ASIF_POPULATION_MOST - 1) / 2 + ASIF_EFFECTS_MOST +  \
     ASIF_POOLS_MOST + (ASIF_KINDS_MOST - 1) * (ASIF_POPULATION_MOST + 1))

/* A covariate moves the mean of a coordinate. */
typedef struct {
    uint32_t coordinate, column; /* column: of the covariates */
    uint32_t pool;               /* from 1; 0: none */
} asif_effect;

typedef struct {
    const asif_base_density *base;
    bool correlated;
    double centre[ASIF_POPULATION_MOST], scale[ASIF_POPULATION_MOST];
    uint32_t effects;
    asif_effect effect[ASIF_EFFECTS_MOST]; /* all effects of a pool are on the same coordinate */
    uint32_t pools;
    uint32_t kinds;  /* 0 and 1: all units are of one kind */
    uint32_t sorted; /* kinds are in ascending order of their means in this coordinate */
} asif_normal_population;

/* How many numbers phi has, which is also how many are reported. */
uint32_t asif_population_numbers(const asif_normal_population *population);
/* How many of them describe one kind: the numbers of phi without those of further kinds. */
uint32_t asif_population_plain(const asif_normal_population *population);
/* Number of the first effect in phi. */
uint32_t asif_population_first_effect(const asif_normal_population *population);
/* Number of the sd of an effect's pool in phi; 0: it has none. */
uint32_t asif_population_pool(const asif_normal_population *population, uint32_t effect);
/* Set the effects, and count their pools. */
void asif_population_set_effects(asif_normal_population *population, const asif_effect *effect,
                                 uint32_t effects);
/* By how much covariates z move the mean, over the scale of each coordinate [d]. */
void asif_population_shift(const asif_normal_population *population, const double *phi, const double *z,
                           double *shift);
/* The mean [d] and the lower factor [d][d] of the covariance, where all covariates are 0. */
void asif_population_at(const asif_normal_population *population, const double *phi, double *mean,
                        double *factor);
/* The lower factor [d][d] of the correlations R. */
void asif_population_correlations(const asif_normal_population *population, const double *phi,
                                  double *factor);
/* The reported numbers: means, sds, and correlations by rows of the lower triangle, all of the population
 * with its least spread; then effects; then sds of pools; then means and shares of further kinds. */
void asif_population_report(const asif_normal_population *population, const double *phi, double *out);
/* A phi whose population has this mean and nearly this covariance, which is positive definite: just so where
 * it is wider than the least spread in every direction. Effects and further kinds stay as they are. */
void asif_population_of(const asif_normal_population *population, const double *mean,
                        const double *covariance, double *phi);
/* The log-density of phi's prior up to a constant; adds its gradient. */
double asif_population_log_prior(const asif_normal_population *population, const double *phi,
                                 double *gradient);
/* The log-densities of points x [count][d] where all covariates are 0. */
void asif_population_log_density(const asif_normal_population *population, const double *phi, const double *x,
                                 uint64_t count, double *out);
/* The gradient in phi of sum_a g_a log p(x_a | phi), from the moments of g: its sum, sum g x [d] and sum g x
 * x' [d][d]. It is added to `gradient`. Where the mean of unit i is moved by s_i, moments are those of x -
 * s_i. */
void asif_population_pull(const asif_normal_population *population, const double *phi, double sum,
                          const double *first, const double *second, double *gradient);

/* The same for the effects, from the first moments sum_i z_ic sum_a g_ia (x_a - s_i - mean) [columns][d] of
 * covariate c. */
void asif_population_pull_effects(const asif_normal_population *population, const double *phi,
                                  const double *first, double *gradient);

/* ---- kinds ---- */

/* At least 1. */
uint32_t asif_kinds(const asif_normal_population *population);
/* Where phi has the mean of a kind, and the log-ratio of the second kind. */
uint64_t asif_kinds_mean(const asif_normal_population *population, uint32_t kind);
uint64_t asif_kinds_ratios(const asif_normal_population *population);
/* Kind `kind` as a population of its own: `out` [asif_population_plain()]. */
void asif_kinds_plain(const asif_normal_population *population, const double *phi, uint32_t kind,
                      double *out);
/* The shares of units that are of each kind [kinds]. */
void asif_kinds_shares(const asif_normal_population *population, const double *phi, double *share);
/* The coordinate in which kinds differ most, in standard deviations. */
uint32_t asif_kinds_coordinate(const asif_normal_population *population, const double *phi);
/* Put the kinds into the order of `sorted`: phi of another order is the same population. */
void asif_kinds_sort(const asif_normal_population *population, double *phi);
/* A population with one kind more: kind `kind` of phi is divided along a coordinate. `out` has the numbers of
 * the larger population. */
void asif_kinds_split(const asif_normal_population *population, const double *phi, uint32_t kind,
                      uint32_t coordinate, double *out);

#endif
