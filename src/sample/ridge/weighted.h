/* Points with importance weights, in the order of the ridge. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_WEIGHTED_H
#define ASIF_SRC_SAMPLE_RIDGE_WEIGHTED_H

#include "sample/draws.h"
#include "sample/ridge/ridge.h"

typedef struct {
    uint32_t n;
    uint64_t count;
    double *x;      /* [count][n]: not scaled */
    double *value;  /* [count] */
    double *weight; /* [count]: sums to 1 */
    double *place;  /* [count]: along the ridges */
} asif_weighted;

/* An entry of numbers in order. */
typedef struct {
    double key;
    uint64_t index;
} asif_ranked;
/* [count], ascending; of the caller. NULL: no memory. */
asif_ranked *asif_rank(const asif_context *context, const double *key, uint64_t count);

/* Kish's number. */
double asif_weighted_kish(const asif_weighted *points);
/* Draws of equal weight, in each chain from all along the ridge and in random order. */
asif_status asif_weighted_resample(asif_draws **out, const asif_context *context, const asif_weighted *points,
                                   const asif_ridge_request *request, asif_error *error);
/* The numbers of each column: see ::asif_ridge_info. */
asif_status asif_weighted_judge(asif_ridge_info *info, const asif_context *context,
                                const asif_weighted *points, const asif_density *density, asif_error *error);

#endif
