/* The inside of estimates. */
#ifndef ASIF_SRC_THETA_ESTIMATES_H
#define ASIF_SRC_THETA_ESTIMATES_H

#include "theta/coordinate.h"
#include "theta/theta.h"

/* A parameter that is a number; all utilities share a row. */
typedef struct {
    const char *name, *parameter, *reported; /* NULL: of a utility */
    size_t theta_at, gradient_at;            /* where it stands in asif_theta and asif_theta_gradient */
    bool inverse;                            /* theta holds sign/value, and log(value) is reported */
    double low, high;                        /* limits of the value */
    bool log_published, flipped_published;   /* coordinates as published: log value, -log value (log beta) */
    asif_prior (*usual)(const asif_estimates *estimates, double standard); /* the default prior */
} asif_number_kind;

/* What one spec asks for. */
typedef struct {
    const asif_number_kind *number; /* NULL: a distribution */
    uint32_t utility;               /* index among the setting's parameters; ASIF_ANY: none */
    double sign, standard;
    asif_distribution which;
    uint32_t start, entries, *entry; /* entries of the distribution that are estimated */
    uint32_t coordinate, reported;   /* first of each */
    char *prior;                     /* in words */
} asif_part;

struct asif_estimates {
    const asif_context *context;
    asif_theta *given; /* with something in the place of all that is estimated */
    double span;
    double spread; /* see asif_estimates_spread() */
    uint32_t parts, dimension, reported;
    asif_part *part;
    asif_coordinate *coordinate; /* [dimension] */
    asif_estimate_info *info;    /* [reported]; name and label are owned */
};

/* asif_estimates_create() with the spread of the worlds; NaN: not known. */
asif_status asif_estimates_make(asif_estimates **out, const asif_context *context, const asif_theta *theta,
                                const asif_estimate_spec *spec, uint32_t count, asif_priors priors,
                                double spread, asif_problems *problems, asif_error *error);

/* parts.c: the standard deviation of the default prior of optimism for a spread of the worlds; 0: there is
 * none. */
double asif_usual_optimism(double spread);
/* parts.c: what the specs ask for; `given` is filled where they ask. */
asif_status asif_estimate_parts_read(asif_estimates *estimates, const asif_estimate_spec *spec,
                                     asif_error *error);

/* parameter of a part, for messages and info */
const char *asif_part_name(const asif_estimates *estimates, const asif_part *part);

/* prior_marginal.c: the prior density of the i-th reported number, at a value; NaN: the prior is improper. */
double asif_prior_marginal(const asif_estimates *estimates, uint32_t i, double number);

/* scale.c: a warning if nothing but priors fixes the scale; one if posteriors are improper. */
void asif_estimates_warn(const asif_estimates *estimates, asif_problems *problems);

/* A reported number on the line of its prior's quantiles. */
double asif_estimate_line(const asif_estimate_info *info, double number);
/* A point drawn from the priors, the default ones in the place of improper ones: the `index`-th of a seed.
 */
void asif_estimates_draw(const asif_estimates *estimates, uint64_t seed, uint64_t index, double *x);
/* The point at which these numbers are reported; numbers at or beyond their limits are moved inside.
 * @param reported [reported]. @param x [dimension]. */
void asif_estimates_locate(const asif_estimates *estimates, const double *reported, double *x);
/* A natural step in each sampled coordinate: the prior's standard deviation or so. @param scale
 * [dimension]. */
void asif_estimates_scale(const asif_estimates *estimates, double *scale);
/* Span D of the utility at given and standard values, to which the default priors are scaled. */
double asif_estimates_span(const asif_estimates *estimates);
/* The spread of the agent's worlds, to which the default prior of optimism is scaled
 * (asif_estimates_scaled()); NaN: not known. */
double asif_estimates_spread(const asif_estimates *estimates);

#endif
