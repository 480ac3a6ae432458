/* What points are proposed from: a mixture of Student t distributions, set closely along ridges, so that it
 * has a density everywhere, however the ridges turn or cross. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_MIXTURE_H
#define ASIF_SRC_SAMPLE_RIDGE_MIXTURE_H

#include "sample/ridge/follow.h"

#define ASIF_MIXTURE_DEGREES 6 /* of freedom */

typedef struct {
    const asif_context *context;
    uint32_t n, count;
    uint64_t capacity;
    /* [count], in the order of the ridges. */
    double *ridge;   /* number of the ridge it lies on; -1: none */
    double *height;  /* logarithm of the weight, but for a constant */
    double *weight;  /* sums to 1 */
    double *below;   /* sum of the weights before it */
    double *peak;    /* density at the centre */
    double *centre;  /* [count][n] */
    double *spread;  /* [count][n][n]: x = centre + spread z, the first column along the ridge */
    double *inverse; /* [count][n][n] */
} asif_mixture;

#define ASIF_MIXTURE_WIDER 1.1 /* than curvature or points say: proposals that are too narrow cost more */

void asif_mixture_init(asif_mixture *mixture, const asif_context *context, uint32_t n);
void asif_mixture_free(asif_mixture *mixture);
/* Components of a ridge: a few for every step between nodes, with the height and the width that lie between
 * theirs. */
asif_status asif_mixture_add_ridge(asif_mixture *mixture, const asif_ridge *ridge, asif_error *error);
/* One more component: `spread` is a multiple of the identity, `share` of all weight. To be added last. */
asif_status asif_mixture_add_wide(asif_mixture *mixture, const double *centre, double spread, double share,
                                  asif_error *error);
/* From heights and spreads all that follows, after the last change. */
void asif_mixture_finish(asif_mixture *mixture);
/* The same, taken from another. */
asif_status asif_mixture_copy(asif_mixture *out, const asif_mixture *from, asif_error *error);

/* The point of uniform numbers u [n + 1]; the component is returned. u[0] goes along the ridges. */
uint32_t asif_mixture_point(const asif_mixture *mixture, const double *u, double *x);
/* Density at x. `part` [count]: of each component, times its weight; may be NULL. */
double asif_mixture_density(const asif_mixture *mixture, const double *x, double *part);
/* Squared distance of x from the nearest centre, in spreads. */
double asif_mixture_distance(const asif_mixture *mixture, const double *x);

/* The spread of a component: its first column `step` along the unit vector, the others a factor of the
 * covariance in the plane across it. */
void asif_mixture_set_spread(double *spread, uint32_t n, const double *along, double step,
                             const double *covariance);
/* Fit it better to points x [count][n] with weights that sum to 1, whose effective number is `effective`:
 * weights, centres and spreads on ridges move towards those of the points that belong to each component and
 * its neighbours. To be finished afterwards. */
asif_status asif_mixture_adapt(asif_mixture *mixture, const double *x, const double *weight, uint64_t count,
                               double effective, asif_error *error);

#endif
