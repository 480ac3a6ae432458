/* Random-walk Metropolis. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_WALK_H
#define ASIF_SRC_SAMPLE_CHAINS_WALK_H

#include "sample/interruptible_density.h"

/* Take one Metropolis step: a normal proposal of covariance step^2 L L', keyed by (seed, index). `tried` and
 * `scratch` ([n]) are scratch. Returns what the density returned; `at` changes only after ASIF_OK. */
asif_status asif_walk_step(const asif_interruptible_density *target, asif_point *at, const double *lower,
                           double step, uint64_t seed, uint64_t index, double *tried, double *scratch,
                           double *stat);

/* The acceptance at which a walk is most efficient, 0.44 in one dimension and 0.234 in many (Roberts and
 * Rosenthal 2001), and the step that gives it on a normal target. */
double asif_walk_target(uint32_t n);
double asif_walk_scale(uint32_t n);

#endif
