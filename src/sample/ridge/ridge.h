/* Draws by a walk along ridges and exact importance weights: from every maximum its ridge is followed, points
 * are proposed around all of them at once, weighted by the density, and resampled.
 *
 * Weights are judged by the shape k of their tail (Vehtari, Simpson, Gelman, Yao and Gabry, 2024) and by
 * Kish's effective number, 1 / sum of squares. Where these are not good, the proposal is fitted to the
 * weighted points, and there are more of them; points of all rounds are weighted by the mean of all proposals
 * (Cornuet, Marin, Mira and Robert, 2012). */
#ifndef ASIF_SRC_SAMPLE_RIDGE_RIDGE_H
#define ASIF_SRC_SAMPLE_RIDGE_RIDGE_H

#include "asif/sample.h"

/* What is wanted; all of it is borrowed. */
typedef struct {
    const asif_density *density; /* [densities], alike but for their `user`; with gradients */
    uint32_t densities;
    const double *scale; /* [n]: a natural step in each coordinate */
    uint32_t maxima;
    const double *maximum; /* [maxima][n]: the highest first */
    uint32_t chains;
    uint64_t draws; /* of each chain */
    uint64_t seed;
    uint64_t points; /* of a round; 0: 4,096 */
} asif_ridge_request;

/* How it went. */
typedef struct {
    double k;    /* shape of the tail of the weights */
    double kish; /* effective number of draws */
    uint64_t evaluations;
    uint32_t ridges, components, rounds;
    bool inside; /* every maximum lies inside the proposal, and no ridge was left before its end */
    bool good;   /* k, Kish's number and `inside` are */
    /* [columns]: effective numbers of the mean and of the 5 and 95 % points, and Monte Carlo errors of mean
     * and standard deviation; owned. */
    double *ess_bulk, *ess_tail, *mcse_mean, *mcse_sd;
} asif_ridge_info;

/* @param[out] out  Owned by the caller. @param[out] info To be freed by asif_ridge_info_free(). Returns
 * ASIF_OK, also where the weights are not good; ASIF_EUNSUPPORTED (no gradients, too many dimensions),
 * ASIF_EDOMAIN (the density is -inf at all maxima, or at all points), ASIF_ENOMEM, ASIF_ECANCELLED, or what
 * the density returned. The densities' memory is changed. */
asif_status asif_ridge_sample(asif_draws **out, asif_ridge_info *info, const asif_context *context,
                              const asif_ridge_request *request, asif_error *error);
void asif_ridge_info_free(asif_ridge_info *info, const asif_context *context);

#endif
