/* Coordinates in which chains move: eta in units of alpha, where both are estimated.
 *
 * The logs tell eta/alpha better than eta, so that in (log alpha, eta) their posterior is a bent ridge, of
 * which the narrow end makes a sampler with one metric diverge. In (log alpha, eta/alpha) it is nearly
 * straight. The density is that of the same distribution: the transform brings its Jacobian along. */
#ifndef ASIF_SRC_FIT_ETA_PER_ALPHA_H
#define ASIF_SRC_FIT_ETA_PER_ALPHA_H

#include "asif/fit.h"

/* y[what] = x[what] exp(centre - x[by]); all other coordinates are the same. */
typedef struct {
    uint32_t by, what;
    double centre;
} asif_eta_per_alpha;

/* Whether there is something to stretch; by then `by` and `what` are known. */
bool asif_eta_per_alpha_find(asif_eta_per_alpha *out, const asif_estimates *estimates);
void asif_eta_per_alpha_forward(const asif_eta_per_alpha *stretch, double *x);
void asif_eta_per_alpha_back(const asif_eta_per_alpha *stretch, double *y);
/* The covariance of y near x, where x[by] is the centre, from that of x. */
void asif_eta_per_alpha_covariance(const asif_eta_per_alpha *stretch, const double *x, double *covariance,
                                   uint32_t n);

/* A density over y. `inner` is borrowed. */
typedef struct {
    asif_eta_per_alpha stretch;
    const asif_density *inner;
    double *x;    /* [dimension], of the caller */
    double *many; /* [ASIF_EVALUATE_BLOCK][dimension], of the caller; NULL: points are evaluated one by one */
} asif_eta_per_alpha_target;
asif_density asif_eta_per_alpha_density(asif_eta_per_alpha_target *stretched);

#endif
