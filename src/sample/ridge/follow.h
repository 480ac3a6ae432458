/* Following a ridge: from a maximum both ways along the flattest direction, turning as the ridge turns. At
 * each node the density is maximised across the direction of the walk: a step ahead, then Newton's steps back
 * onto the ridge, from exact gradients. Everything is in units of the scale: xi = x / scale. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_FOLLOW_H
#define ASIF_SRC_SAMPLE_RIDGE_FOLLOW_H

#include "sample/ridge/plane.h"

#define ASIF_RIDGE_SIDE 64 /* nodes to each side of the maximum, at most */
#define ASIF_RIDGE_NODES (2 * ASIF_RIDGE_SIDE + 1)

typedef struct {
    asif_plane_top top; /* in the plane across */
    double *along;      /* [n]: unit tangent, in the order of the nodes */
} asif_ridge_node;

typedef struct {
    const asif_context *context;
    uint32_t n, nodes;
    asif_ridge_node node[ASIF_RIDGE_NODES]; /* from one end to the other */
    uint64_t evaluations;
    bool cut; /* the density was still high where the walk was given up */
    double *memory;
} asif_ridge;

/* `x` [n] and `covariance` [n][n]: a maximum and the inverse of the curvature there, not scaled. The density
 * must have gradients, and at most ASIF_RIDGE_MOST dimensions. To be freed also after a failure. *found:
 * there is a maximum at x. */
asif_status asif_ridge_follow(asif_ridge *out, const asif_context *context, const asif_density *density,
                              const double *scale, const double *x, const double *covariance, bool *found,
                              asif_error *error);
void asif_ridge_free(asif_ridge *ridge);

#endif
