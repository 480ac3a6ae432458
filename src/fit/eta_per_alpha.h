/* `eta_per_alpha` changes coordinates for sampling: eta in units of alpha, where both are estimated.
 *
 * Data determine eta/alpha better than eta. In (log alpha, eta) the posterior is therefore a bent ridge,
 * whose narrow end makes a sampler with one metric diverge. In (log alpha, eta/alpha) it is nearly straight.
 * The transform includes its Jacobian, so the distribution is the same. */
#ifndef ASIF_SRC_FIT_ETA_PER_ALPHA_H
#define ASIF_SRC_FIT_ETA_PER_ALPHA_H

#include "asif/fit.h"

/* y[what] = x[what] exp(centre - x[by]); all other coordinates are the same. */
typedef struct {
    uint32_t by, what;
    double centre;
} asif_eta_per_alpha;

/* Find alpha and eta among the estimates, and set `by` and `what`; false: they are not both estimated. */
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
