/* `tops` finds the separate maxima (tops) of a density among the points at which climbs ended.
 *
 * Two maxima are one top if a path connects them on which the density never falls more than half a nat below
 * the lower one. Paths are sought along the segment between them: straight, or else by climbing across it at
 * 15 points, each from the end of the last climb, so that a bent ridge counts as one top. Tops count by
 * height and volume (the logarithm of the mass that a normal distribution around them would have), within 5
 * nats of the best. */
#ifndef ASIF_SRC_SAMPLE_SEARCH_TOPS_H
#define ASIF_SRC_SAMPLE_SEARCH_TOPS_H

#include "asif/sample.h"
#include "sample/search/search.h"

#define ASIF_MOST_TOPS 8
#define ASIF_TOPS_WITHIN 5.0 /* nats */

typedef struct {
    double value;       /* the log-density there */
    double log_volume;  /* half the log-determinant of the covariance */
    bool curved;        /* the curvature is positive; else directions without are limited to the scale */
    double *x;          /* [n] */
    double *covariance; /* [n][n] */
    double *factor;     /* [n][n]: its lower Cholesky factor */
} asif_top;

typedef struct {
    const asif_context *context;
    const asif_density *density;
    const double *scale;
    bool no_polish;
    uint32_t n, count;
    asif_top top[ASIF_MOST_TOPS + 1]; /* from asif_tops_weigh() on the largest mass first */
    bool more; /* there may be more tops: for some places there was no room, or no time */
    uint64_t evaluations;
    uint64_t most; /* evaluations after which no more places are looked at; no limit unless it is set */
    atomic_bool stop;
    asif_search search, across; /* in all directions, and along hyperplanes */
    double *memory, *room;
} asif_tops;

/* Density and scale ([n]) are borrowed. To be freed also after a failure. */
asif_status asif_tops_create(asif_tops *tops, const asif_context *context, const asif_density *density,
                             const double *scale, bool no_polish, asif_error *error);
void asif_tops_free(asif_tops *tops);
/* A maximum that is known; `covariance` there as of asif_curvature(). */
void asif_tops_begin(asif_tops *tops, const double *x, double value, const double *covariance, bool curved);
/* Add a point x at which a climb ended with this value: a new top, or part of a known one, which it replaces
 * if it is higher. Points whose mass is too small to count are left out. Points at which the density fails
 * count as outside. */
asif_status asif_tops_add(asif_tops *tops, const double *x, double value, asif_error *error);
/* The same after a climb from x. */
asif_status asif_tops_climb(asif_tops *tops, const double *x, asif_error *error);
/* Whether the density falls by more than `fall` nats below the lower one between the first top and another.
 */
asif_status asif_tops_apart(asif_tops *tops, double fall, bool *apart, asif_error *error);
/* Order by mass, and leave out what does not count. */
void asif_tops_weigh(asif_tops *tops);
/* Height and volume. */
double asif_top_mass(const asif_top *top);
/* The top whose normal distribution, of its height, is densest at x. */
uint32_t asif_tops_nearest(const asif_tops *tops, const double *x);

#endif
