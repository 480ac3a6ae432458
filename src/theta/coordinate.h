/* A sampled coordinate: a number x on the whole real line that represents a value v between limits, with the
 * prior of v. */
#ifndef ASIF_SRC_THETA_COORDINATE_H
#define ASIF_SRC_THETA_COORDINATE_H

#include "asif/theta.h"
#include "theta/prior.h"

/* The value v at the coordinate x, with t = x - offset, or t = -x if the coordinate is flipped:
 *   ASIF_LINE_SAME   v = t
 *   ASIF_LINE_LOG    v = low + exp(t)
 *   ASIF_LINE_LOGIT  v = low + (high - low)/(1 + exp(-t)) */
typedef struct {
    asif_line line;
    double low, high, offset;
    bool flipped;
    asif_prior prior, drawn; /* random points come from `drawn`: the prior, or the default if it is flat */
    double log_mass;         /* log of the prior's probability between the limits */
} asif_coordinate;

/* Makes a coordinate for values in (low, high), cut to the support of the prior. `drawn` replaces a flat
 * prior where points are drawn. ASIF_EINVALID if the prior has no mass between the limits; `name` is the
 * parameter's in that message. */
asif_status asif_coordinate_create(asif_coordinate *out, double low, double high, const asif_prior *prior,
                                   const asif_prior *drawn, const char *name, asif_error *error);

/* The value at x with the logs of its distances from the limits (`at`), and their derivatives in
 * x (`slope`). */
typedef struct {
    asif_prior_point at, slope;
    double log_slope, log_slope_slope; /* log |dv/dx| and its derivative */
} asif_coordinate_point;
void asif_coordinate_at(const asif_coordinate *coordinate, double x, asif_coordinate_point *out);
/* The x whose value is v; if v is at a limit or beyond, an x inside. */
double asif_coordinate_of(const asif_coordinate *coordinate, double v);
/* Log-density of the prior over x, with its derivative. */
double asif_coordinate_density(const asif_coordinate *coordinate, double x, double *slope);
/* The x whose value is the p-quantile of `drawn`, p in (0, 1). */
double asif_coordinate_quantile(const asif_coordinate *coordinate, double p);

#endif
