/* The proposal of ridge sampling: a mixture of Student t distributions, set closely along the ridges. Its
 * density can be computed at any point, however the ridges turn or cross. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_MIXTURE_H
#define ASIF_SRC_SAMPLE_RIDGE_MIXTURE_H

#include "sample/ridge/follow.h"

#define ASIF_MIXTURE_DEGREES 6 /* degrees of freedom of each component */

typedef struct {
    const asif_context *context;
    uint32_t n, count;
    uint64_t capacity;
    /* Arrays [count] of the components, in the order of the ridges. */
    double *ridge;   /* number of the ridge it lies on; -1: none */
    double *height;  /* log-weight plus a constant */
    double *weight;  /* sums to 1 */
    double *below;   /* sum of the weights of earlier components */
    double *peak;    /* density at the centre */
    double *centre;  /* [count][n] */
    double *spread;  /* [count][n][n]: x = centre + spread z, the first column along the ridge */
    double *inverse; /* [count][n][n]: inverse of `spread` */
} asif_mixture;

#define ASIF_MIXTURE_WIDER 1.1 /* factor on estimated widths: too narrow is worse than too wide */

/* A mixture of no components. It owns its arrays; asif_mixture_free() is also called after a failure. The
 * functions below that return a status fail only with ASIF_ENOMEM. */
void asif_mixture_init(asif_mixture *mixture, const asif_context *context, uint32_t n);
void asif_mixture_free(asif_mixture *mixture);
/* Add the components of a ridge: a few between any two nodes, with heights and widths interpolated between
 * theirs. */
asif_status asif_mixture_add_ridge(asif_mixture *mixture, const asif_ridge *ridge, asif_error *error);
/* Add one component around a point that lies on no ridge, with this covariance [n][n]; `value` is the
 * log-density there. Nothing is added if the covariance is singular. */
asif_status asif_mixture_add_point(asif_mixture *mixture, const double *centre, const double *covariance,
                                   double value, asif_error *error);
/* Add one component with `spread` times the identity; `share` is its part of all weight. To be added last. */
asif_status asif_mixture_add_wide(asif_mixture *mixture, const double *centre, double spread, double share,
                                  asif_error *error);
/* Compute the derived arrays (weight, below, peak, inverse) from heights and spreads; call it after the last
 * change. */
void asif_mixture_finish(asif_mixture *mixture);
/* Copy a mixture; the copy is finished. */
asif_status asif_mixture_copy(asif_mixture *out, const asif_mixture *from, asif_error *error);

/* Turn uniform numbers u [n + 1] into a point of the mixture; returns its component. u[0] runs along the
 * ridges, in their order. */
uint32_t asif_mixture_point(const asif_mixture *mixture, const double *u, double *x);
/* Density at x. `part` [count]: weight times density of each component; may be NULL. Costs O(count n^2). */
double asif_mixture_density(const asif_mixture *mixture, const double *x, double *part);
/* Squared distance of x from the nearest centre, in units of its spread; INFINITY without components. */
double asif_mixture_distance(const asif_mixture *mixture, const double *x);

/* Set the spread of a component: the first column is `step` along the unit vector `along`, the others are a
 * factor of the covariance in the plane across it, widened by ASIF_MIXTURE_WIDER. */
void asif_mixture_set_spread(double *spread, uint32_t n, const double *along, double step,
                             const double *covariance);
/* Improve the fit of the mixture to points x [count][n] with weights that sum to 1 and an effective sample
 * size of `effective`. The weights, centres and spreads of components on ridges move towards those of the
 * points near each component and its neighbours. Call asif_mixture_finish() afterwards. Costs as much as the
 * density at every point. */
asif_status asif_mixture_adapt(asif_mixture *mixture, const double *x, const double *weight, uint64_t count,
                               double effective, asif_error *error);

#endif
