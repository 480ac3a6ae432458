/* Values of a density at many points, in blocks of a fixed size that threads take: the same bits for any
 * number of threads. */
#ifndef ASIF_SRC_SAMPLE_EVALUATE_MANY_H
#define ASIF_SRC_SAMPLE_EVALUATE_MANY_H

#include "asif/sample.h"

#define ASIF_EVALUATE_BLOCK 32 /* points */

/* `x` [count][dimension], `value` [count]; what is not a number becomes -inf. `density` [densities], alike
 * but for their `user`. Where the density has no evaluate_many, the points of a block are evaluated one after
 * the other, each block from the memory that the first density has now: neighbours should be near each other.
 * The densities' memory is changed. Returns the failure of the first block that fails, or ASIF_ECANCELLED. */
asif_status asif_evaluate_many(double *value, const asif_context *context, const asif_density *density,
                               uint32_t densities, const double *x, uint64_t count, const char *what,
                               asif_error *error);

#endif
