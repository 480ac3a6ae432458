/* Climbing a density on spheres around a place, in coordinates in which it is about as wide there in all
 * directions. Whatever continues from there crosses the spheres. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_SPHERE_H
#define ASIF_SRC_SAMPLE_RIDGE_SPHERE_H

#include "sample/ridge/plane.h"

#define ASIF_SPHERE_CLIMBS 6 /* that find what there is, for each dimension */

/* A place, and coordinates z around it: x = at + spread z. */
typedef struct {
    double value;                                     /* log-density there */
    double at[ASIF_RIDGE_MOST];                       /* [n]: not scaled */
    double spread[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST]; /* [n][n] */
} asif_place;

/* Set the coordinates around a maximum in a plane across the unit vector `along` [n]. `top` and `along` are
 * in units of the scale. */
void asif_place_set(asif_place *out, const asif_plane_top *top, const double *along, uint32_t n,
                    const double *scale);

typedef struct {
    const asif_interruptible_density *target;
    const asif_place *place;
    uint64_t evaluations;
    double x[ASIF_RIDGE_MOST]; /* [n]: where the last climb ended, not scaled */
    double slope[ASIF_RIDGE_MOST];
} asif_sphere;

/* Climb on the sphere of this radius, along great circles. The start depends on `number` alone. @param[out] u
 * [n]: unit vector of the end. @param[out] value There; -inf: the start is outside the density. Returns
 * ASIF_ECANCELLED, or what the density returned. Costs up to 40 evaluations. */
asif_status asif_sphere_climb(asif_sphere *sphere, double radius, uint32_t number, double *u, double *value);

#endif
