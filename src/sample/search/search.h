/* Climbing a density: the steps that asif_maximise(), asif_profile() and asif_curvature() consist of. */
#ifndef ASIF_SRC_SAMPLE_SEARCH_SEARCH_H
#define ASIF_SRC_SAMPLE_SEARCH_SEARCH_H

#include "asif/sample.h"

#include <stdatomic.h>

#define ASIF_NONE_HELD UINT32_MAX
#define ASIF_MOST_WHITENINGS 4

/* A search: a density in coordinates u in which steps of 1 are natural, x = origin + basis u. The methods
 * below begin at u = 0, and move the origin to the best point that they find. */
typedef struct {
    const asif_context *context;
    const asif_density *density;
    uint32_t n, m;   /* coordinates of x, and of u: one less if one is held */
    uint32_t held;   /* index of the coordinate that is held fixed, or ASIF_NONE_HELD */
    double *origin;  /* [n] */
    double *basis;   /* [n][m] */
    double *inverse; /* [m][m]: maps the free coordinates of x - origin to u */
    double *best;    /* [n]: best point so far */
    double value;    /* value at the best point; -inf: no point had a finite value */
    uint64_t evaluations, most;
    asif_status status; /* status of the density's `evaluate`, or ASIF_ECANCELLED */
    asif_error error;
    const char *what; /* name of the work, for progress */
    double done;
    atomic_bool *stop;    /* shared by searches; true: stop */
    double *x, *gradient; /* [n]: scratch */
    double *room;         /* scratch of the methods */
} asif_search;

/* Make a search. Context, density and `stop` are borrowed. Fails with ASIF_ENOMEM; call asif_search_free()
 * also then. */
asif_status asif_search_create(asif_search *search, const asif_context *context, const asif_density *density,
                               uint32_t held, atomic_bool *stop, const char *what, asif_error *error);
void asif_search_free(asif_search *search);

/* Set the coordinates to steps of `scale` in x (NULL: 1). */
void asif_search_scale(asif_search *search, const double *scale);
/* Set the coordinates to the columns of a Cholesky factor [n][n] of a covariance; no coordinate may be
 * held. */
void asif_search_factor(asif_search *search, const double *factor);
/* Set the coordinates to the hyperplane that is orthogonal to a direction [n] of x, in units of the scale.
 * The search must have been created with a coordinate held (any), and n must be at least 2. */
void asif_search_across(asif_search *search, const double *scale, const double *direction);
/* Start again at x: evaluate there, and allow at most `most` evaluations in all. */
void asif_search_begin(asif_search *search, const double *x, uint64_t most);
/* Evaluate at u: the value, -inf if it or the gradient is not finite, and the gradient in u unless that is
 * NULL. False: the search must stop, and the value is not set. */
bool asif_search_at(asif_search *search, const double *u, double *value, double *gradient);
/* Move the origin, u = 0, to the best point. */
void asif_search_centre(asif_search *search);

/* Compute minus the second derivatives in u at u = 0, [m][m], by differences over a tenth of a standard
 * deviation (without gradients, a half). `known`: u is already in standard deviations; else the steps are
 * found. False: the search must stop. Costs about 2 m evaluations with gradients, else 2 m^2. */
bool asif_search_curvature(asif_search *search, bool known, double *curvature);
/* As asif_curvature(), where a factor [n][n] of about the covariance is known: half as many evaluations.
 * NULL: it is not known, and scales are 1. */
asif_status asif_curvature_near(double *curvature, double *covariance, bool *positive,
                                const asif_context *context, const asif_density *density, const double *x,
                                const double *factor, asif_error *error);
/* Set the coordinates to those in which this curvature is the identity; a direction in which it is not
 * positive keeps its length. Returns the largest factor, at least 1, by which a step became longer or
 * shorter. *positive: the curvature was positive in every direction. The curvature is overwritten. */
double asif_search_whiten(asif_search *search, double *curvature, bool *positive);
/* Compute the curvature at the best point and whiten, at most ASIF_MOST_WHITENINGS times, until steps change
 * by less than a factor of 2. */
void asif_search_adapt(asif_search *search);
/* The same where the coordinates are about right already: half as many evaluations. */
void asif_search_readapt(asif_search *search);

/* Distance between two points in coordinates that have this `inverse` [n][n]; in standard deviations, once
 * whitened. */
double asif_search_distance(const double *inverse, uint64_t n, const double *a, const double *b);
/* Index of the longest axis of the coordinates [n][n], in units of `scale` (NULL: 1). */
uint64_t asif_search_flattest(const double *basis, uint64_t n, const double *scale);

/* Climb with gradients, by BFGS, until two gains in a row are below tol. */
void asif_search_climb(asif_search *search, double tol);
/* Climb without gradients, by simplexes, from steps of length `step` until they are shorter than `least` or
 * values differ by less than tol. */
void asif_search_polish(asif_search *search, double step, double least, double tol);

/* Climb close to a maximum, whitening on the way (ascend); then climb precisely to it, and across small kinks
 * unless polishing is off (finish). */
void asif_search_ascend(asif_search *search);
void asif_search_finish(asif_search *search, double tol, bool no_polish);

/* Compute a profile: the maximum over the other coordinates, with one coordinate held at each of several
 * values.
 *
 * @param value      [points]; -inf where no point with a finite value was found.
 * @param x          [dimension]: where to start, usually a maximum.
 * @param coordinate From 0.
 * @param at         [points]: values of the coordinate, neighbours near each other: each starts from the
 * last.
 * @param scale      [dimension], as in asif_maximise_options; NULL: 1.
 * @param path       [points][dimension]: where the maxima are; may be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (no such coordinate), ASIF_ENOMEM, ASIF_ECANCELLED, or what `evaluate`
 * returned. */
asif_status asif_profile(double *value, const asif_context *context, const asif_density *density,
                         const double *x, uint32_t coordinate, const double *at, uint32_t points,
                         const double *scale, double *path, asif_error *error);

#endif
