/* Coordinates in which the posterior of a population's numbers phi may be nearly normal.
 *
 * Which they are depends on what the units tell. Logarithms of standard deviations and partial correlations,
 * as in phi, are best where units are few but each is well known. Where a number of each unit is hardly
 * known, its standard deviation may be anything down to 0, and the smaller it is, the less is known about its
 * correlations. What the units tell then is about covariances. In the same way effects of a pool are known
 * over the pool's standard deviation where groups hardly differ, and else by themselves. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_POSTERIOR_COORDINATES_H
#define ASIF_SRC_SAMPLE_POPULATION_POSTERIOR_COORDINATES_H

#include "sample/population/normal.h"

typedef enum {
    ASIF_COORDINATES_PHI,
    ASIF_COORDINATES_COVARIANCES, /* s/scale and covariances over both scales, in the places of phi */
    ASIF_COORDINATES_EFFECTS,     /* effects of pools, not over the standard deviation of the pool */
    ASIF_COORDINATES_COUNT
} asif_coordinates;

/* Whether they differ from phi. */
bool asif_coordinates_differ(const asif_normal_population *population, asif_coordinates coordinates);
/* The coordinates x [numbers] of phi. Returns log |dx/dphi|. */
double asif_coordinates_of(const asif_normal_population *population, asif_coordinates coordinates,
                           const double *phi, double *x);
/* The phi of x, which may be the same array. False: there is no such population. */
bool asif_coordinates_back(const asif_normal_population *population, asif_coordinates coordinates,
                           const double *x, double *phi);

#endif
