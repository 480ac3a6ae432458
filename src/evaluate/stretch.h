/* Coordinates in which chains move: eta in units of alpha, where both are estimated.
 *
 * The logs tell eta/alpha better than eta, so that in (log alpha, eta) their posterior is a bent ridge, of which the narrow
 * end makes a sampler with one metric diverge. In (log alpha, eta/alpha) it is nearly straight. The density is that of
 * the same distribution: the transform brings its Jacobian along. */
#ifndef ASIF_SRC_EVALUATE_STRETCH_H
#define ASIF_SRC_EVALUATE_STRETCH_H

#include "asif/evaluate.h"

/* y[what] = x[what] exp(centre - x[by]); all other coordinates are the same. */
typedef struct {
    uint32_t by, what;
    double centre;
} asif_stretch;

/* Whether there is something to stretch; by then `by` and `what` are known. */
bool asif_stretch_find(asif_stretch *out, const asif_estimates *estimates);
void asif_stretch_forward(const asif_stretch *stretch, double *x);
void asif_stretch_back(const asif_stretch *stretch, double *y);
/* The covariance of y near x, where x[by] is the centre, from that of x. */
void asif_stretch_covariance(const asif_stretch *stretch, const double *x, double *covariance, uint32_t n);

/* A density over y. `inner` is borrowed. */
typedef struct {
    asif_stretch stretch;
    const asif_density *inner;
    double *x; /* [dimension], of the caller */
} asif_stretched;
asif_density asif_stretch_density(asif_stretched *stretched);

#endif
