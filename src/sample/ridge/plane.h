/* The plane across a ridge: the point where the density is largest in it, and its width there. All
 * coordinates are in units of the scale: xi = x / scale. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_PLANE_H
#define ASIF_SRC_SAMPLE_RIDGE_PLANE_H

#include "sample/interruptible_density.h"

#define ASIF_RIDGE_MOST 16 /* most dimensions */

typedef struct {
    const asif_context *context;
    asif_interruptible_density target;
    const double *scale;
    uint32_t n, m; /* m = n - 1: dimensions of the plane */
    uint64_t evaluations;
    double *memory;
    double *x, *slope, *point;       /* [n]: a point without scaling, a gradient, and a point of the plane */
    double *q;                       /* [n][m]: orthonormal basis of the plane */
    double *w;                       /* [n][m]: basis of the plane, of steps of about a standard deviation */
    double *old;                     /* [n][m]: the basis w before the last update */
    double *u, *gu, *tried, *slopes; /* [m]: coordinates in w, and gradients in them */
    double *bend, *vectors, *values; /* [m][m], [m][m], [m]: negative second derivatives in u, their
                                        eigenvectors and eigenvalues */
} asif_plane;

/* The maximum of the density in a plane. The caller owns the arrays. */
typedef struct {
    double value; /* log-density at the maximum */
    double mass;  /* value + log-volume of a standard deviation across: approximates the log-density along the
                     ridge, integrated over the plane */
    double *at;   /* [n]: the maximum */
    double *across; /* [n][n]: covariance in the plane */
} asif_plane_top;

/* Make the workspace. Context, density and scale are borrowed. Fails with ASIF_ENOMEM; call asif_plane_free()
 * also then. */
asif_status asif_plane_create(asif_plane *plane, const asif_context *context, const asif_density *density,
                              const double *scale, asif_error *error);
void asif_plane_free(asif_plane *plane);
/* Find the maximum near `centre` [n], in the plane through it that is orthogonal to the unit vector `tangent`
 * [n]. `known` [n][n] is the covariance at a nearby point. *found: there is one within two standard
 * deviations. Returns ASIF_ECANCELLED, or what the density returned. Costs about 2 n evaluations and those of
 * a few Newton steps. */
asif_status asif_plane_maximise(asif_plane *plane, const double *centre, const double *tangent,
                                const double *known, asif_plane_top *out, bool *found);

#endif
