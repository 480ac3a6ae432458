/* Random variates of one sweep, drawn one after the other from a stream. */
#ifndef ASIF_SRC_DYNAMICS_VARIATES_H
#define ASIF_SRC_DYNAMICS_VARIATES_H

#include "base/random.h"

typedef struct {
    asif_stream stream;
    uint32_t used;
} asif_variates;

/* Gamma with this shape (> 0) and scale 1: Marsaglia and Tsang (2000). */
double asif_gamma_variate(asif_variates *v, double shape);
/* Binomial: how many of n (a whole number) succeed. Costs O(log n). */
double asif_binomial_variate(asif_variates *v, double n, double p);
/* Add to count [k] a multinomial split of n (a whole number) with weights p [k] >= 0, of which one is
 * positive unless n is 0. */
void asif_multinomial_variate(asif_variates *v, double n, const double *p, uint32_t k, double *count);

#endif
