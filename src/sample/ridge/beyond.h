/* What a walk that lost the ridge has left out. Whatever continues there crosses spheres around the place
 * where it was lost, in coordinates in which the density is about as wide there in all directions. So the
 * density is climbed on these spheres from many directions. Where it is high at the end of a climb, but the
 * importance weight is far above those of the points, the proposal misses a part of it. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_BEYOND_H
#define ASIF_SRC_SAMPLE_RIDGE_BEYOND_H

#include "sample/ridge/mixture.h"
#include "sample/ridge/sphere.h"
#include "sample/ridge/weighted.h"

/* High ends of climbs. Empty at first: {.context = context, .n = n}. */
typedef struct {
    const asif_context *context;
    uint32_t n;
    uint64_t count, capacity;
    double *end; /* [count][n + 1]: the place, not scaled, and the log-density there; owned */
} asif_climbs;

/* Climb around a place, and add the ends at which the density is high. @param evaluations Those that this
 * takes are added. Fails with ASIF_ENOMEM, ASIF_ECANCELLED, or as the density does. Costs some hundred
 * evaluations for each dimension. */
asif_status asif_climbs_add(asif_climbs *climbs, uint64_t *evaluations, const asif_density *density,
                            const asif_place *lost, asif_error *error);
void asif_climbs_free(asif_climbs *climbs);

/* All of it is borrowed. */
typedef struct {
    const asif_ridge_request *request;
    const asif_weighted *points;
    const double *proposal;      /* [points->count]: sum of the densities of the mixtures */
    const asif_mixture *mixture; /* [mixtures] */
    uint32_t mixtures;
} asif_weighing;

/* Find the log-weight above which a point shows that a part is missed. Fails with ASIF_ENOMEM. */
asif_status asif_ridge_limit(double *limit, const asif_context *context, const asif_weighing *weighing,
                             asif_error *error);
/* Log-weight of a point x, not scaled, with the log-density `value`. */
double asif_ridge_log_weight(const asif_weighing *weighing, const double *x, double value);

#endif
