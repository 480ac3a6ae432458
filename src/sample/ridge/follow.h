/* Following a ridge of a density: a walk from a maximum to both sides along the flattest direction, turning
 * as the ridge turns. After each step the density is maximised in the plane across the direction of the walk,
 * by Newton's steps with exact gradients. All coordinates are in units of the scale: xi = x / scale. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_FOLLOW_H
#define ASIF_SRC_SAMPLE_RIDGE_FOLLOW_H

#include "sample/ridge/sphere.h"

#define ASIF_RIDGE_SIDE 64   /* most nodes on each side of the maximum */
#define ASIF_RIDGE_CORNERS 4 /* most corners on each side */
#define ASIF_RIDGE_LOST (2 * (ASIF_RIDGE_CORNERS + 1))
#define ASIF_RIDGE_NODES (2 * ASIF_RIDGE_SIDE + 1)

typedef struct {
    asif_plane_top top; /* maximum in the plane across the ridge */
    double *along;      /* [n]: unit tangent, towards the next node */
} asif_ridge_node;

typedef struct {
    const asif_context *context;
    uint32_t n, nodes;
    asif_ridge_node node[ASIF_RIDGE_NODES]; /* [nodes], from one end of the ridge to the other */
    uint64_t evaluations;
    /* Places where the walk ran out of nodes, lost the ridge, or came to the end of the density, while it was
     * still high; also if it found a way round the corner there. */
    uint32_t lost;
    asif_place lost_at[ASIF_RIDGE_LOST];
    double *memory;
} asif_ridge;

/* Follow the ridge through a maximum. `x` [n] and `covariance` [n][n], the inverse of the curvature there,
 * are not scaled. *found: there is a maximum at x. The density needs gradients and at most ASIF_RIDGE_MOST
 * dimensions. Returns ASIF_ENOMEM, ASIF_ECANCELLED, or what the density returned. Call asif_ridge_free() also
 * after a failure. Costs at least 2 n evaluations for each node. */
asif_status asif_ridge_follow(asif_ridge *out, const asif_context *context, const asif_density *density,
                              const double *scale, const double *x, const double *covariance, bool *found,
                              asif_error *error);
void asif_ridge_free(asif_ridge *ridge);

#endif
