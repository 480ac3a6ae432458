/* Points with importance weights, and the draws and diagnostics that follow from them. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_WEIGHTED_H
#define ASIF_SRC_SAMPLE_RIDGE_WEIGHTED_H

#include "sample/draws.h"
#include "sample/ridge/ridge.h"

typedef struct {
    uint32_t n;
    uint64_t count;
    double *x;      /* [count][n]: not scaled */
    double *value;  /* [count]: log-density */
    double *weight; /* [count]: sums to 1 */
    double *place;  /* [count]: place along the ridges, for sorting */
} asif_weighted;

/* A number with its index before sorting. */
typedef struct {
    double key;
    uint64_t index;
} asif_ranked;
/* Sort: returns entries [count] in ascending order, owned by the caller. NULL: no memory. */
asif_ranked *asif_rank(const asif_context *context, const double *key, uint64_t count);

/* Kish's effective sample size: 1 / sum of squared weights. */
double asif_weighted_kish(const asif_weighted *points);
/* Make draws of equal weight: each chain covers all ridges evenly, in random order. @param[out] out Owned by
 * the caller. Fails with ASIF_ENOMEM. */
asif_status asif_weighted_resample(asif_draws **out, const asif_context *context, const asif_weighted *points,
                                   const asif_ridge_request *request, asif_error *error);
/* Compute the arrays of ::asif_ridge_info for each reported column. Fails with ASIF_ENOMEM. */
asif_status asif_weighted_judge(asif_ridge_info *info, const asif_context *context,
                                const asif_weighted *points, const asif_density *density, asif_error *error);

#endif
