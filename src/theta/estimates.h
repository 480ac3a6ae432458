/* The private definition of asif_estimates, and functions for the library's own files. */
#ifndef ASIF_SRC_THETA_ESTIMATES_H
#define ASIF_SRC_THETA_ESTIMATES_H

#include "theta/coordinate.h"
#include "theta/theta.h"

/* A kind of parameter that is a number; all utilities share one entry. */
typedef struct {
    const char *name, *parameter, *reported; /* NULL for a utility */
    size_t theta_at, gradient_at;            /* offsets in asif_theta and asif_theta_gradient */
    bool inverse;                            /* theta holds sign/value; the report has log(value) */
    double low, high;                        /* limits of the value */
    bool log_published, flipped_published;   /* published priors: x is log value, or -log value (log beta) */
    asif_prior (*usual)(const asif_estimates *estimates, double standard); /* the default prior */
} asif_number_kind;

/* One parameter that a spec asks to estimate. */
typedef struct {
    const asif_number_kind *number; /* NULL: the parameter is a distribution */
    uint32_t utility;               /* index among the setting's parameters; ASIF_ANY: not a utility */
    double sign, standard;
    asif_distribution which;
    uint32_t start, entries, *entry; /* indices of the entries that are estimated */
    uint32_t coordinate, reported;   /* index of its first coordinate and of its first reported number */
    char *prior;                     /* text of the prior */
} asif_part;

struct asif_estimates {
    const asif_context *context;
    asif_kept kept;
    asif_theta *given; /* what is not estimated; estimated parameters have placeholders */
    double span;
    double spread; /* see asif_estimates_spread() */
    uint32_t parts, dimension, reported;
    asif_part *part;
    asif_coordinate *coordinate; /* [dimension] */
    asif_estimate_info *info;    /* [reported]; name and label are owned */
};

/* asif_estimates_create() with the spread of the worlds, or NaN if it is not known. */
asif_status asif_estimates_make(asif_estimates **out, const asif_context *context, const asif_theta *theta,
                                const asif_estimate_spec *spec, uint32_t count, asif_priors priors,
                                double spread, asif_problems *problems, asif_error *error);

/* The standard deviation of the default prior of optimism, for a spread of the worlds; 0: worlds do not
 * differ, and there is no such prior (estimate_parts.c). */
double asif_usual_optimism(double spread);
/* Reads the specs into `estimates->part`, and puts placeholders into `given` (estimate_parts.c). */
asif_status asif_estimate_parts_read(asif_estimates *estimates, const asif_estimate_spec *spec,
                                     asif_error *error);

/* The name of a part's parameter, for messages and reports. */
const char *asif_part_name(const asif_estimates *estimates, const asif_part *part);

/* The marginal prior density of the i-th reported number at `number`; NaN if the prior is
 * improper (prior_marginal.c). */
double asif_prior_marginal(const asif_estimates *estimates, uint32_t i, double number);

/* Whether the agent does the same if alpha, beta, eta and all utilities are multiplied by a constant,
 * whatever is estimated (scale.c). */
bool asif_estimates_scale_is_free(const asif_estimates *estimates);
/* Whether it does the same if a constant is added to all estimated utilities. False also where that would
 * take long to see. */
bool asif_estimates_shift_is_free(const asif_estimates *estimates);
/* Warns if nothing but the priors fixes the scale of the utility, and if posteriors are
 * improper (scale.c). */
void asif_estimates_warn(const asif_estimates *estimates, asif_problems *problems);

/* Maps a reported number to the line on which its prior and posterior are compared (info->line). */
double asif_estimate_line(const asif_estimate_info *info, double number);
/* Draws the `index`-th point of a seed from the priors; default priors replace improper ones. */
void asif_estimates_draw(const asif_estimates *estimates, uint64_t seed, uint64_t index, double *x);
/* The point x at which these numbers are reported; numbers at or beyond their limits are moved inside.
 * @param reported [reported]. @param x [dimension]. */
void asif_estimates_locate(const asif_estimates *estimates, const double *reported, double *x);
/* A natural step in each sampled coordinate, into scale [dimension]: roughly the prior's
 * standard deviation. */
void asif_estimates_scale(const asif_estimates *estimates, double *scale);
/* The span D of the utility at fixed and standard values, to which the default priors are scaled. */
double asif_estimates_span(const asif_estimates *estimates);
/* The spread of the agent's worlds, to which the default prior of optimism is scaled
 * (asif_estimates_scaled()); NaN if it is not known. */
double asif_estimates_spread(const asif_estimates *estimates);

#endif
