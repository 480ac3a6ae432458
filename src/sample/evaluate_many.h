/* Values of a density at many points. Points are evaluated in blocks of a fixed size, so that the result has
 * the same bits for any number of threads. */
#ifndef ASIF_SRC_SAMPLE_EVALUATE_MANY_H
#define ASIF_SRC_SAMPLE_EVALUATE_MANY_H

#include "asif/sample.h"

#define ASIF_EVALUATE_BLOCK 32 /* points of a block */

/* Evaluate a density at `x` [count][dimension] into `value` [count]; values that are not finite become -inf.
 * `density` [densities]: alike, with a `user` for each thread. Without `evaluate_many`, the points of a block
 * are evaluated one after the other, each block beginning with the memory that the first density has now, so
 * that neighbours should be near each other. The memory of the densities changes. Returns the failure of the
 * first block that fails, ASIF_ENOMEM, or ASIF_ECANCELLED. */
asif_status asif_evaluate_many(double *value, const asif_context *context, const asif_density *density,
                               uint32_t densities, const double *x, uint64_t count, const char *what,
                               asif_error *error);

#endif
