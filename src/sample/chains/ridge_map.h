/* `ridge_map` maps the bent ridge of a density to a straight one, so that a sampler can take long steps.
 *
 * x = mean + axes u, where the first coordinates of u lie along the long directions of the target, and each
 * later one is shifted by a polynomial of those before it, u_k = y_k + f_k(u_1, ..., u_{k-1}). The map from y
 * to x preserves volume up to a constant, so the density of y is that of x. The polynomials are fitted to
 * draws. The target is the same for any of them; a good fit only makes it easier to sample. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_RIDGE_MAP_H
#define ASIF_SRC_SAMPLE_CHAINS_RIDGE_MAP_H

#include "asif/sample.h"

/* Coordinates that polynomials depend on, and their terms: first, second and third powers, and products of
 * two. */
#define ASIF_RIDGE_MAP_PIVOTS 3
#define ASIF_RIDGE_MAP_TERMS                                                                                 \
    (3 * ASIF_RIDGE_MAP_PIVOTS + ASIF_RIDGE_MAP_PIVOTS * (ASIF_RIDGE_MAP_PIVOTS - 1) / 2)

/* The map. Checkpoints save bent, mean, axes, back and shape, in this order. */
typedef struct {
    const asif_context *context;
    uint32_t n;
    uint64_t bent; /* 0: y is x */
    double *mean;  /* [n] */
    double *axes;  /* [n][n] */
    double *back;  /* [n][n]: u = back (x - mean) */
    double *shape; /* [n][ASIF_RIDGE_MAP_TERMS]: coefficients of f_k */
    double *u;     /* [2][n]: scratch */
} asif_ridge_map;

/* Make a map that is the identity. Fails with ASIF_ENOMEM; call asif_ridge_map_free() also then. */
asif_status asif_ridge_map_create(asif_ridge_map *out, const asif_context *context, uint32_t n,
                                  asif_error *error);
void asif_ridge_map_free(asif_ridge_map *bend);
/* Map y to x, and x to y. */
void asif_ridge_map_x(asif_ridge_map *bend, const double *y, double *x);
void asif_ridge_map_y(asif_ridge_map *bend, const double *x, double *y);
/* Turn the gradient in x into that in y, in place, at the y of the last asif_ridge_map_x(). */
void asif_ridge_map_pull(asif_ridge_map *bend, double *gradient);
/* Fit the map to `count` draws x [count][n]. False, and nothing changes, if there are too few draws, they do
 * not vary, or memory is short (*status is then ASIF_ENOMEM). */
bool asif_ridge_map_fit(asif_ridge_map *bend, const double *x, uint64_t count, asif_status *status);

#endif
