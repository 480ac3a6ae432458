/* The plane across a ridge: where the density is largest in it, and how wide it is there. Everything is in
 * units of the scale: xi = x / scale. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_PLANE_H
#define ASIF_SRC_SAMPLE_RIDGE_PLANE_H

#include "sample/interruptible_density.h"

#define ASIF_RIDGE_MOST 16 /* dimensions */

typedef struct {
    const asif_context *context;
    asif_interruptible_density target;
    const double *scale;
    uint32_t n, m; /* m = n - 1: directions across */
    uint64_t evaluations;
    double *memory;
    double *x, *slope, *point;       /* [n]: not scaled; gradient; a point of the plane */
    double *q;                       /* [n][m]: orthonormal, across the tangent */
    double *w;                       /* [n][m]: steps across of about a standard deviation */
    double *old;                     /* [n][m] */
    double *u, *gu, *tried, *slopes; /* [m]: coordinates in w, gradients in them */
    double *bend, *vectors, *values; /* [m][m], [m][m], [m] */
} asif_plane;

/* What was found; of the caller. */
typedef struct {
    double value;   /* the log-density */
    double mass;    /* the same with the log-volume across: that of the density along the ridge, about */
    double *at;     /* [n] */
    double *across; /* [n][n]: covariance in the plane */
} asif_plane_top;

/* To be freed also after a failure. */
asif_status asif_plane_create(asif_plane *plane, const asif_context *context, const asif_density *density,
                              const double *scale, asif_error *error);
void asif_plane_free(asif_plane *plane);
/* The maximum near `centre` [n] in the plane through it across the unit vector `tangent` [n]. `known` [n][n]
 * is a covariance from nearby. *found: there is one within two standard deviations. */
asif_status asif_plane_maximise(asif_plane *plane, const double *centre, const double *tangent,
                                const double *known, asif_plane_top *out, bool *found);

#endif
