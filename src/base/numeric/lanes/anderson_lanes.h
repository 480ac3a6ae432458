/* Anderson acceleration (anderson.h) of ASIF_ABREAST independent iterations at once, each with a history of
 * its own. */
#ifndef ASIF_SRC_BASE_NUMERIC_LANES_ANDERSON_LANES_H
#define ASIF_SRC_BASE_NUMERIC_LANES_ANDERSON_LANES_H

#include "asif/base.h"
#include "base/numeric/simd.h"

typedef struct {
    const asif_context *context;
    uint64_t n;
    double *residual, *image;                              /* [n][lanes]: of the points before these */
    double *df[ASIF_LANES_MEMORY], *dg[ASIF_LANES_MEMORY]; /* [n][lanes] each, the newest first */
    double gram[ASIF_LANES_MEMORY][ASIF_LANES_MEMORY][ASIF_ABREAST], right[ASIF_LANES_MEMORY][ASIF_ABREAST];
    int32_t age[ASIF_ABREAST]; /* how many differences are the current agent's; -1: it has not begun */
} asif_anderson_lanes;

asif_status asif_anderson_lanes_create(asif_anderson_lanes *a, const asif_context *context, uint64_t n,
                                       asif_error *error);
void asif_anderson_lanes_free(asif_anderson_lanes *a);
/* Starts a lane anew. `wipe` clears its history, which must be done if that is not finite. */
void asif_anderson_lanes_begin(asif_anderson_lanes *a, uint32_t lane, bool wipe);
/* Takes in points x [n][lanes] and their images g. Returns max |g - x| of each lane, NaN if a number is not
 * finite, and max |g|. */
void asif_anderson_lanes_look(asif_anderson_lanes *a, const double *x, const double *g, double *residual,
                              double *largest);
/* The next points after those taken in. A lane for which `plain` is true goes to its image and forgets
 * its history. */
void asif_anderson_lanes_step(asif_anderson_lanes *a, const double *g, const bool *plain, double *next);

#endif
