/* Shapley values: the shares of several causes in a difference. The share of a cause is the mean, over all
 * orders in which causes are removed, of the change when it is removed. */
#ifndef ASIF_SRC_ACTING_SHAPLEY_H
#define ASIF_SRC_ACTING_SHAPLEY_H

#include <stdint.h>

#define ASIF_MOST_CAUSES 8

/* Weight, in the share of a cause, of the value without the causes in `mask`. The share is the sum over all
 * masks of weight times value. */
double asif_shapley_weight(uint32_t causes, uint32_t cause, uint32_t mask);
/* Compute `share` [causes] from `value` [2^causes], by mask. */
void asif_shapley(double *share, uint32_t causes, const double *value);

#endif
