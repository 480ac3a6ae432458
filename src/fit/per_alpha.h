/* `per_alpha` changes coordinates for sampling: numbers are taken in units of alpha, which is what data
 * determine.
 *
 * Data determine eta/alpha better than eta. In (log alpha, eta) the posterior is therefore a bent ridge,
 * whose narrow end makes a sampler with one metric diverge. In (log alpha, eta/alpha) it is nearly straight.
 * Where nothing fixes the scale of the utilities (asif_estimates_scale_is_free()), data say nothing about
 * alpha itself: optimism times alpha and utilities over alpha are taken too. Where they say nothing about a
 * constant that is added to all utilities either, these are differences from the last one, and the last one
 * becomes their mean weighted by the precision of the priors, which is independent of the differences. The
 * transform includes its Jacobian, so the distribution is the same. */
#ifndef ASIF_SRC_FIT_PER_ALPHA_H
#define ASIF_SRC_FIT_PER_ALPHA_H

#include "asif/fit.h"

#define ASIF_PER_ALPHA_MOST 16 /* most utilities */

/* Coordinates, by their number; ASIF_ANY: none. With s = exp(centre - x[by]), y[eta] = s x[eta], y[optimism]
 * = x[optimism] / s, and y[utility] = s x[utility]; or, if `shift`, s times the difference from the last, and
 * the mean for the last. All other coordinates are the same. */
typedef struct {
    uint32_t by, eta, optimism;
    uint32_t utilities, utility[ASIF_PER_ALPHA_MOST];
    bool shift;
    double weight[ASIF_PER_ALPHA_MOST]; /* weights in the mean; they sum to 1 */
    double centre;
} asif_per_alpha;

/* Find the coordinates among the estimates; false: there is nothing to change. The caller sets the centre. */
bool asif_per_alpha_find(asif_per_alpha *out, const asif_estimates *estimates);
/* Turn x into y, and y into x, in place. */
void asif_per_alpha_forward(const asif_per_alpha *how, double *x);
void asif_per_alpha_back(const asif_per_alpha *how, double *y);
/* The log-volume log |dx/dy| at x. */
double asif_per_alpha_log_volume(const asif_per_alpha *how, const double *x);
/* Turn the covariance of x into that of y, in place, near an x at which x[by] is the centre. */
void asif_per_alpha_covariance(const asif_per_alpha *how, const double *x, double *covariance, uint32_t n);

/* A density over y; `inner`, over x, is borrowed. The density that asif_per_alpha_density() returns borrows
 * this. */
typedef struct {
    asif_per_alpha how;
    const asif_density *inner;
    double *x;    /* [dimension]: scratch of the caller */
    double *many; /* [ASIF_EVALUATE_BLOCK][dimension]: scratch of the caller; NULL: points are evaluated one
                     by one */
} asif_per_alpha_target;
asif_density asif_per_alpha_density(asif_per_alpha_target *target);

#endif
