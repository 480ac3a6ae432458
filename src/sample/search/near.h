/* The maximum of a density that is much like another one whose maximum is known. */
#ifndef ASIF_SRC_SAMPLE_SEARCH_NEAR_H
#define ASIF_SRC_SAMPLE_SEARCH_NEAR_H

#include "asif/sample.h"

typedef struct {
    const double *start; /* [starts][n]: maxima of densities like this one */
    uint32_t starts;
    const double *factor;    /* [n][n]: the Cholesky factor of the covariance there; NULL: `scale` is used */
    const double *scale;     /* [n], as in asif_maximise_options */
    const double *elsewhere; /* [others][n]: points all over the place */
    uint32_t others;
    double tol;
} asif_near;

/* Quasi-Newton from the highest of the starts, in the coordinates of the covariance. Two looks guard against
 * another maximum, each a batch of values: elsewhere, with a climb from the highest of the points; and along
 * the flattest direction, with a climb from where the density falls clearly less than a normal one. `density`
 * is used by one thread; `info->agree` counts the climbs that came within 1e-3. Returns what asif_maximise()
 * does. */
asif_status asif_maximise_near(double *x, const asif_context *context, const asif_density *density,
                               const asif_near *near, asif_maximum_info *info, asif_error *error);

#endif
