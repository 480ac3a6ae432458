/* Ridge sampling: draws from importance sampling around the ridges of a density. The ridge through each
 * maximum is followed, points are proposed around all ridges at once, weighted by the density, and resampled.
 *
 * Weights are judged by the shape k of their tail (Vehtari, Simpson, Gelman, Yao and Gabry, 2024) and by
 * Kish's effective sample size, 1 / sum of squares. While these are not good, the proposal is fitted to the
 * weighted points, and another round of points is drawn, up to four; points of all rounds are weighted by the
 * mean of all proposals (Cornuet, Marin, Mira and Robert, 2012). Where a walk lost its ridge, what the
 * proposals miss is sought (beyond.h), and further rounds are drawn there, up to eight in all. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_RIDGE_H
#define ASIF_SRC_SAMPLE_RIDGE_RIDGE_H

#include "asif/sample.h"

/* A request; all of it is borrowed. */
typedef struct {
    const asif_density *density; /* [densities]: alike, with a `user` for each thread */
    uint32_t densities;
    /* [densities]: what is drawn from, if that costs much more than `density`, which is near it: points are
     * found by `density`, and if their weights are good, some of them are weighed by this. NULL: `density`
     * itself. */
    const asif_density *exact;
    const double *scale; /* [n]: a natural step in each coordinate */
    uint32_t maxima;
    const double *maximum; /* [maxima][n]: the highest first */
    uint32_t chains;
    uint64_t draws; /* draws of each chain */
    uint64_t seed;
    /* Points of a round; 0: 4,096. With fewer, the Kish's number that is good is smaller in proportion. */
    uint64_t points;
} asif_ridge_request;

/* Diagnostics of ridge sampling. */
typedef struct {
    double k;    /* shape of the tail of the weights */
    double kish; /* Kish's effective sample size of all points */
    uint64_t evaluations;
    uint32_t ridges, components, rounds;
    bool inside; /* every maximum lies inside the proposal, and no ridge was cut before its end */
    bool good;   /* k and kish are good, and `inside` is true */
    /* Points that were weighed by asif_ridge_request::exact (0: there is none), and the largest shift of a
     * mean that came of it, in standard deviations. */
    uint64_t corrected;
    double moved;
    /* [columns]: effective sample sizes of the mean and of the 5 and 95 % quantiles, and Monte Carlo errors
     * of mean and standard deviation; one array, owned. */
    double *ess_bulk, *ess_tail, *mcse_mean, *mcse_sd;
} asif_ridge_info;

/* Draw samples. @param[out] out Owned by the caller. @param[out] info To be freed by asif_ridge_info_free();
 * empty after a failure. Returns ASIF_OK, also if the weights are not good; ASIF_EUNSUPPORTED (no gradients,
 * too many dimensions), ASIF_EDOMAIN (the density is -inf at all maxima, or at all points), ASIF_ENOMEM,
 * ASIF_ECANCELLED, or what the density returned. The memory of the densities changes. Costs the walks along
 * the ridges, and up to eight rounds of evaluations, in parallel. */
asif_status asif_ridge_sample(asif_draws **out, asif_ridge_info *info, const asif_context *context,
                              const asif_ridge_request *request, asif_error *error);
void asif_ridge_info_free(asif_ridge_info *info, const asif_context *context);

#endif
