/* Effective sample size of several chains, and the plain statistics it is made of. */
#ifndef ASIF_SRC_SAMPLE_EFFECTIVE_H
#define ASIF_SRC_SAMPLE_EFFECTIVE_H

#include "sample/autocovariance.h"

double asif_mean(const double *x, uint64_t n);
/* Sample variance, with the divisor n - 1. */
double asif_variance(const double *x, uint64_t n, double mean);
/* Largest minus smallest value. */
double asif_range(const double *x, uint64_t n);

/* Set `mean` [chains] to the means of x [chains][draws]. */
void asif_chain_means(double *mean, const double *x, uint64_t chains, uint64_t draws);

/* Effective sample size of the mean: the number of independent draws with the same error as the chains in x,
 * [chains][the spectrum's length], which are not split. It does not depend on the scale of x. NaN if x never
 * changes. `mean` [chains] is scratch. */
double asif_effective_size(asif_autocovariance *spectrum, const double *x, uint64_t chains, double *mean);

#endif
