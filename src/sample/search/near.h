/* A fast search for the maximum of a density that is similar to another one, whose maximum is known. */
#ifndef ASIF_SRC_SAMPLE_SEARCH_NEAR_H
#define ASIF_SRC_SAMPLE_SEARCH_NEAR_H

#include "asif/sample.h"

/* A request; all of it is borrowed. */
typedef struct {
    const double *start; /* [starts][n]: maxima of similar densities */
    uint32_t starts;
    const double *factor;    /* [n][n]: Cholesky factor of the covariance there; NULL: `scale` is used */
    const double *scale;     /* [n], as in asif_maximise_options */
    const double *elsewhere; /* [others][n]: points spread widely, to look for other maxima */
    uint32_t others;
    double tol;
} asif_near;

/* Climb from the highest of the starts, in the coordinates of the covariance. Two checks guard against
 * another maximum, each with one batch of values: at the points elsewhere, with a climb from the highest; and
 * along the flattest direction, with climbs from where the density falls clearly less than a normal one.
 * `density` is used by one thread. `info->agree` counts the climbs that ended within 1e-3 of the best.
 * Returns what asif_maximise() returns. */
asif_status asif_maximise_near(double *x, const asif_context *context, const asif_density *density,
                               const asif_near *near, asif_maximum_info *info, asif_error *error);

#endif
