/* Special functions that C's library lacks. */
#ifndef ASIF_SRC_BASE_SPECIAL_H
#define ASIF_SRC_BASE_SPECIAL_H

/* x such that a standard normal number is below it with probability p. Relative error of some 1e-15 for p
 * from 1e-300 to 1 - 2^-53; -inf at 0, inf at 1, NaN outside [0, 1]. */
double asif_normal_quantile(double p);

#endif
