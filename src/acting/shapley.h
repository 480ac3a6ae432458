/* Shares of several causes in a difference: the mean, over all orders in which they are taken away, of what
 * each makes. */
#ifndef ASIF_SRC_ACTING_SHAPLEY_H
#define ASIF_SRC_ACTING_SHAPLEY_H

#include <stdint.h>

#define ASIF_MOST_CAUSES 8

/* Weight of the value without the causes in `mask` in the share of a cause: the share is the sum over all
 * masks of weight times value. */
double asif_shapley_weight(uint32_t causes, uint32_t cause, uint32_t mask);
/* `value` [2^causes] by mask; `share` [causes]. */
void asif_shapley(double *share, uint32_t causes, const double *value);

#endif
