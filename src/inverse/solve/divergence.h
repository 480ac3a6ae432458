/* Divergences between two distributions, as sums over cells. */
#ifndef ASIF_SRC_INVERSE_SOLVE_DIVERGENCE_H
#define ASIF_SRC_INVERSE_SOLVE_DIVERGENCE_H

#include "asif/inverse.h"

/* The contribution of a cell with probability p of the demonstrator and q of the imitator, and q times its
 * derivative in q. log_q is an argument because q may underflow. Not for ASIF_DIVERGENCE_FEATURES, which is
 * not a sum over cells. */
double asif_divergence_part(asif_divergence which, double p, double q, double log_q, double weight,
                            double *slope);

/* The name of a divergence: "kl", "reverse-kl", "js", "tv", "features" or "conjugate"; NULL past the last. */
const char *asif_divergence_text(asif_divergence divergence);

#endif
