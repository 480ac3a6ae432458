/* Densities of draws: a curve in one dimension, contour lines in two. */
#ifndef ASIF_SRC_RENDER_FIGURES_DENSITY_H
#define ASIF_SRC_RENDER_FIGURES_DENSITY_H

#include "asif/base.h"

/* Width of a Gaussian kernel by Silverman's rule (1986, eq. 3.31), 0.9 min(sd, interquartile range / 1.34)
 * n^(-1/5); 0 if all values are equal. */
double asif_density_width(const double *sorted, uint64_t n);
/* Density at x: the mean of Gaussian kernels around the values. Cost: the number of values near x. */
double asif_density_at(const double *sorted, uint64_t n, double width, double x);

#define ASIF_PLANE_SIZE 96 /* points along an edge of a plane */

/* A density on a square lattice; 0 on its edge. */
typedef struct {
    double low[2], step[2];
    double value[ASIF_PLANE_SIZE][ASIF_PLANE_SIZE]; /* [second coordinate][first coordinate] */
} asif_plane;

/* Compute the kernel density of pairs that are uncorrelated with standard deviation 1, with Scott's width
 * n^(-1/6) (1992). */
void asif_plane_fill(asif_plane *out, const double *x, const double *y, uint64_t n);
/* The density at a point, interpolated between lattice points; 0 outside. */
double asif_plane_at(const asif_plane *plane, double x, double y);

/* Closed contour lines, as points. */
typedef struct {
    uint32_t count;
    double *x, *y;
    uint32_t *path; /* line to which each point belongs, from 0 */
} asif_contour;

/* Trace the lines where the density crosses a level. ASIF_ENOMEM. Call asif_contour_free() in either case. */
asif_status asif_contour_trace(asif_contour *out, const asif_context *context, const asif_plane *plane,
                               double level, asif_error *error);
void asif_contour_free(const asif_context *context, asif_contour *contour);

#endif
