/* Climbing a density: the steps of asif_maximise() and asif_profile(). */
#ifndef ASIF_SRC_SAMPLE_SEARCH_SEARCH_H
#define ASIF_SRC_SAMPLE_SEARCH_SEARCH_H

#include "asif/sample.h"

#include <stdatomic.h>

#define ASIF_NONE_HELD UINT32_MAX
#define ASIF_MOST_WHITENINGS 4

/* A density seen through coordinates u in which steps of 1 are natural: x = origin + basis u. The methods
 * below begin at u = 0, which they leave at the best point they find. */
typedef struct {
    const asif_context *context;
    const asif_density *density;
    uint32_t n, m;   /* coordinates of x, and of u: one less where one is held */
    uint32_t held;   /* or ASIF_NONE_HELD */
    double *origin;  /* [n] */
    double *basis;   /* [n][m] */
    double *inverse; /* [m][m]: u of the free coordinates of x - origin */
    double *best;    /* [n]: the best point met */
    double value;    /* there; -inf: none is inside */
    uint64_t evaluations, most;
    asif_status status; /* of `evaluate`, or ASIF_ECANCELLED */
    asif_error error;
    const char *what; /* for the progress */
    double done;
    atomic_bool *stop;    /* set once for all who share it */
    double *x, *gradient; /* [n] */
    double *room;         /* scratch of the methods */
} asif_search;

/* The memory of a search; to be freed also after a failure. */
asif_status asif_search_create(asif_search *search, const asif_context *context, const asif_density *density,
                               uint32_t held, atomic_bool *stop, const char *what, asif_error *error);
void asif_search_free(asif_search *search);

/* Take steps of `scale` in x (NULL: 1) for coordinates. */
void asif_search_scale(asif_search *search, const double *scale);
/* Take the columns of a Cholesky factor, [n][n], of a covariance for coordinates; none is held. */
void asif_search_factor(asif_search *search, const double *factor);
/* The same across a direction, [n], of x: in the hyperplane that is orthogonal to it in units of the scale.
 * The search must have been created with a coordinate held (any), and n be at least 2. */
void asif_search_across(asif_search *search, const double *scale, const double *direction);
/* Start again at x, with a first evaluation, and at most `most` in all. */
void asif_search_begin(asif_search *search, const double *x, uint64_t most);
/* Value, -inf if it is not a number, and gradient in u unless that is NULL. False: stop now; nothing was
 * evaluated. */
bool asif_search_at(asif_search *search, const double *u, double *value, double *gradient);
/* Move u = 0 to the best point. */
void asif_search_centre(asif_search *search);

/* Minus the second derivatives in u at u = 0, [m][m], by steps of about a tenth of a standard deviation.
 * `known`: the steps are taken to be 0.1, else they are found. False: stop now. */
bool asif_search_curvature(asif_search *search, bool known, double *curvature);
/* Take coordinates in which this curvature is the identity; a direction in which it is not positive keeps its
 * length. The ratio of the longest or shortest new step to the old one is returned, at least 1; *positive:
 * every direction was. The curvature is spoilt. */
double asif_search_whiten(asif_search *search, double *curvature, bool *positive);
/* Curvature and whitening at the best point, until the steps are right to a factor of 2. */
void asif_search_adapt(asif_search *search);

/* Distance between two points in coordinates whose inverse [n][n] this is: standard deviations, once
 * whitened. */
double asif_search_distance(const double *inverse, uint64_t n, const double *a, const double *b);
/* The axis of the coordinates [n][n] that is longest, measured by `scale` (NULL: 1). */
uint64_t asif_search_flattest(const double *basis, uint64_t n, const double *scale);

/* Quasi-Newton, with gradients. */
void asif_search_climb(asif_search *search, double tol);
/* Without gradients, from steps of this length to steps of the least, or differences of tol. */
void asif_search_polish(asif_search *search, double step, double least, double tol);

/* Climb near a maximum, whitening on the way; then precisely, and across small kinks unless polishing is off.
 */
void asif_search_ascend(asif_search *search);
void asif_search_finish(asif_search *search, double tol, bool no_polish);

/*
 * Profile: the maximum over the other coordinates with one coordinate held at each of the given values.
 *
 * @param value [points]; -inf where no point inside was found.
 * @param x          [dimension]: where to start, usually a maximum.
 * @param coordinate From 0.
 * @param at         [points], in an order in which neighbours are near each other: each starts from the last.
 * @param scale      [dimension], as in asif_maximise_options; NULL: 1.
 * @param path  [points][dimension]: where the maxima are; may be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (no such coordinate), ASIF_ENOMEM, ASIF_ECANCELLED, or what `evaluate`
 * returned.
 */
asif_status asif_profile(double *value, const asif_context *context, const asif_density *density,
                         const double *x, uint32_t coordinate, const double *at, uint32_t points,
                         const double *scale, double *path, asif_error *error);

#endif
