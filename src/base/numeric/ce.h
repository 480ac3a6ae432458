/* The certainty equivalent of a few outcomes, one point at a time:
 *     CE(b; y, w) = (1/b) log sum_i w_i exp(b y_i),  b = 0: the mean, +inf: the largest, -inf: the smallest.
 */
#ifndef ASIF_SRC_BASE_NUMERIC_CE_H
#define ASIF_SRC_BASE_NUMERIC_CE_H

#include <stdint.h>

#include "base/numeric/simd.h"

/* The CE of n outcomes. Outcomes of weight 0 do not count; at least one weight is positive. */
double asif_ce(const asif_simd *simd, double b, const double *y, const double *w, uint32_t n);
/* The derivative of the CE in y: the tilted weights w exp(b y) / Z, and their logarithms (-inf where the
 * weight is 0). At b = +-inf, outcomes within 1e-10 max(1, |best|) of the best share their weights. Either
 * output may be NULL. */
void asif_ce_tilt(double b, const double *y, const double *w, uint32_t n, double *p, double *log_p);

/* The derivative of the CE in b and, unless dw [n] is NULL, in the weights (up to a common constant, as they
 * sum to 1). Takes the CE and the tilted weights; outcome i is y[i * stride], and its tilted weight likewise.
 * All weights are positive. The derivatives are 0 at b = +-inf. */
double asif_ce_slope(double b, double ce, const double *y, uint64_t stride, const double *w,
                     const double *tilted, uint32_t n, double *dw);

#endif
