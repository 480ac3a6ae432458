/* A sampled coordinate: a number x on the whole line that stands for a value between limits, and its prior.
 */
#ifndef ASIF_SRC_THETA_COORDINATE_H
#define ASIF_SRC_THETA_COORDINATE_H

#include "asif/theta.h"
#include "theta/prior.h"

/* With t = x - offset, or -x where it is flipped:
 *   ASIF_LINE_SAME   v = t
 *   ASIF_LINE_LOG    v = low + exp(t)
 *   ASIF_LINE_LOGIT  v = low + (high - low)/(1 + exp(-t)) */
typedef struct {
    asif_line line;
    double low, high, offset;
    bool flipped;
    asif_prior prior, drawn; /* drawn: what points are drawn from, the default where the prior is flat */
    double log_mass;         /* log of what the prior holds between the limits */
} asif_coordinate;

/* A coordinate for values in (low, high), cut to the support of the prior. ASIF_EINVALID if the prior has no
 * mass there; `name` is for that message. `drawn` is used where the prior is flat. */
asif_status asif_coordinate_create(asif_coordinate *out, double low, double high, const asif_prior *prior,
                                   const asif_prior *drawn, const char *name, asif_error *error);

/* Where x stands: the value with its log distances from the limits, and their derivatives in x. */
typedef struct {
    asif_prior_point at, slope;
    double log_slope, log_slope_slope; /* log |dv/dx| and its derivative */
} asif_coordinate_point;
void asif_coordinate_at(const asif_coordinate *coordinate, double x, asif_coordinate_point *out);
/* The x at which the value is v; of a v at a limit or beyond, one inside. */
double asif_coordinate_of(const asif_coordinate *coordinate, double v);
/* Log-density over x, with its derivative. */
double asif_coordinate_density(const asif_coordinate *coordinate, double x, double *slope);
/* The x below whose *value* `drawn` has the probability p in (0, 1). */
double asif_coordinate_quantile(const asif_coordinate *coordinate, double p);

#endif
