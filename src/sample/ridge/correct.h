/* Draws of a density that is costly, from the weighted points of one that is near it. Some of the points are
 * kept, each with a probability in proportion to its weight, and are weighed by the costly density: this is
 * importance sampling whose proposal is the points' own, thinned. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_CORRECT_H
#define ASIF_SRC_SAMPLE_RIDGE_CORRECT_H

#include "sample/ridge/weighted.h"

typedef struct {
    double k, kish;  /* see ::asif_ridge_info */
    double moved;    /* the largest shift of a mean, in standard deviations */
    uint64_t points; /* that the costly density was evaluated at */
} asif_correction;

/* Weigh `points` by `exact` [densities]. The points that are kept move to the front, with their values and
 * weights under it. More are kept until Kish's number is a little above ASIF_GOOD_KISH, or all are. @param
 * proposal [count]: the density that the points were drawn from. Fails with ASIF_EDOMAIN (`exact` is -inf at
 * all points that are kept), ASIF_ENOMEM, ASIF_ECANCELLED, or as `exact` does. */
asif_status asif_ridge_correct(asif_weighted *points, asif_correction *out, const asif_context *context,
                               const asif_density *exact, uint32_t densities, const double *proposal,
                               asif_error *error);

#endif
