/* Densities whose maxima are known. */
#ifndef ASIF_TESTS_SAMPLE_HILLS_H
#define ASIF_TESTS_SAMPLE_HILLS_H

#include "asif/sample.h"

#define HILL_MOST 50 /* most coordinates */
#define HILL_KINKS 8

/* -(x - centre)' curvature (x - centre) / 2 - sum of weight |slope.x - offset|: concave kinks where the
 * weight is positive, convex ones where it is negative. */
typedef struct {
    uint32_t n, kinks;
    double centre[HILL_MOST], curvature[HILL_MOST * HILL_MOST];
    double slope[HILL_KINKS][HILL_MOST], offset[HILL_KINKS], weight[HILL_KINKS];
    uint64_t calls;
} hill;
asif_density hill_density(hill *h);
double hill_value(const hill *h, const double *x);

/* Set a curvature with eigenvalues from 1 to `condition`, in random axes. */
void hill_turn(hill *h, double condition, uint64_t *seed);
/* Set the curvature from standard deviations and one correlation between all coordinates. */
void hill_correlate(hill *h, const double *sd, double r);
/* Add random kinks near the centre that change the slope by up to `jump` per standard deviation. */
void hill_kink(hill *h, uint32_t kinks, double jump, uint64_t *seed);
/* Find the maximum by brute force: a global maximum lies in a cell or on concave kinks, where the density of
 * that cell is stationary; all of these points are tried. */
double hill_maximum(const hill *h, double *x);
/* Distance in standard deviations, without the kinks. */
double hill_distance(const hill *h, const double *x, const double *y);

/* Call with an allocator that fails after 1, 2, 3, ... allocations: `call` must return ASIF_ENOMEM until it
 * has enough, and leak nothing. */
void check_memory(asif_status (*call)(const asif_context *context, asif_error *error));

#endif
