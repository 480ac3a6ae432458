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
#define ASIF_TOPS_WITHIN 5.0 /* nats of mass below the best */

typedef struct {
    double value;      /* log-density at the maximum */
    double log_volume; /* half the log-determinant of the covariance */
    bool curved; /* all directions have positive curvature; else those without have the scale as width */
    double *x;   /* [n]: the maximum */
    double *covariance; /* [n][n] */
    double *factor;     /* [n][n]: lower Cholesky factor of the covariance */
} asif_top;

typedef struct {
    const asif_context *context;
    const asif_density *density;
    const double *scale;
    bool no_polish;
    uint32_t n, count;
    asif_top top[ASIF_MOST_TOPS + 1]; /* [count]; after asif_tops_weigh(), the largest mass first */
    bool more;                        /* there may be more tops: the list was full, or evaluations ran out */
    uint64_t evaluations;
    uint64_t most; /* no more points are examined after so many evaluations; default UINT64_MAX */
    atomic_bool stop;
    asif_search search, across; /* searches in all directions, and in a hyperplane */
    double *memory, *room;
} asif_tops;

/* Make an empty list. Context, density and scale ([n]) are borrowed. Fails with ASIF_ENOMEM; call
 * asif_tops_free() also then. */
asif_status asif_tops_create(asif_tops *tops, const asif_context *context, const asif_density *density,
                             const double *scale, bool no_polish, asif_error *error);
void asif_tops_free(asif_tops *tops);
/* Add a known maximum, without looking for paths to others; `covariance` as of asif_curvature(). If the list
 * is full, the top with the smallest mass is dropped. */
void asif_tops_begin(asif_tops *tops, const double *x, double value, const double *covariance, bool curved);
/* Add a point x at which a climb ended with this value: a new top, or part of a known one, which it replaces
 * if it is higher. Points whose mass is too small to count are left out. Points at which the density fails
 * count as outside. Returns ASIF_OK, ASIF_ENOMEM or ASIF_ECANCELLED. Costs a few hundred evaluations for each
 * top that is already known. */
asif_status asif_tops_add(asif_tops *tops, const double *x, double value, asif_error *error);
/* Climb from x, and add the end of the climb in the same way. */
asif_status asif_tops_climb(asif_tops *tops, const double *x, asif_error *error);
/* Compute whether every path that was tried from the first top to some other falls by more than `fall` nats
 * below the lower of the two. */
asif_status asif_tops_apart(asif_tops *tops, double fall, bool *apart, asif_error *error);
/* Sort by mass, and remove tops whose mass is too small to count. */
void asif_tops_weigh(asif_tops *tops);
/* Logarithm of the mass: height plus log-volume. */
double asif_top_mass(const asif_top *top);
/* Index of the top whose normal approximation, scaled to its height, is largest at x. */
uint32_t asif_tops_nearest(const asif_tops *tops, const double *x);

#endif
