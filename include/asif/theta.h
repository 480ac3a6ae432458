/**
 * @file
 * Theta: the values of an agent's parameters. Every parameter has a name: `alpha`, `act_alpha`, `beta` (or
 * `optimism`, which is 1/beta), `eta`, `discount`, and those that the utility names. Its action prior, the
 * weights of its worlds, its start and its means are distributions. Each is given or estimated;
 * ::asif_estimates is what is estimated.
 */
#ifndef ASIF_THETA_H
#define ASIF_THETA_H

#include "asif/setting.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values of the parameters of an agent in one setting; not shared between threads while it changes. */
typedef struct asif_theta asif_theta;

/**
 * Make a theta. Until they are set, the discount, action prior, world weights and start are the setting's,
 * `beta` is inf, `eta` 0, `act_alpha` is `alpha`; `alpha`, the named parameters and the means have no value.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the theta.
 * @param setting    Borrowed for the life of the theta.
 * @param[out] error May be NULL.
 * @return ASIF_OK or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_theta_create(asif_theta **out, const asif_context *context,
                                       const asif_setting *setting, asif_error *error);
/** A copy with a life of its own. */
ASIF_API asif_status asif_theta_copy(asif_theta **out, const asif_theta *theta, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_theta_free(asif_theta *theta);

/**
 * Set a parameter. Limits: alpha +0 is a perfect maximiser, -0 a perfect minimiser, inf the action prior;
 * beta inf is neutral, +0 and -0 the extremes of optimism and pessimism.
 *
 * @return ASIF_OK, ASIF_EUNKNOWN (with the nearest name as a hint) or ASIF_EDOMAIN.
 */
ASIF_API asif_status asif_theta_set(asif_theta *theta, const char *name, double value, asif_error *error);
/** Take a parameter's value away, as a study does with what it marks `learn`: solving then asks for one.
 * @return ASIF_OK or ASIF_EUNKNOWN. */
ASIF_API asif_status asif_theta_unset(asif_theta *theta, const char *name, asif_error *error);
/** The same as asif_theta_set() from text, where also `0+`, `0-`, `inf` and `-inf` are understood. */
ASIF_API asif_status asif_theta_set_text(asif_theta *theta, const char *name, const char *value,
                                         asif_error *error);
/** Value of a parameter; NaN if it has none. @return ASIF_OK or ASIF_EUNKNOWN. */
ASIF_API asif_status asif_theta_get(const asif_theta *theta, const char *name, double *value,
                                    asif_error *error);
/** Number of parameters, and the name of the i-th, borrowed: those every agent has, then the utility's. */
ASIF_API uint32_t asif_theta_count(const asif_theta *theta);
/** See asif_theta_count(); NULL past the end. */
ASIF_API const char *asif_theta_name(const asif_theta *theta, uint32_t i);
/** Values of the named parameters of the utility in the setting's order, borrowed; NaN: none. */
ASIF_API const double *asif_theta_utilities(const asif_theta *theta);

/** Distributions that belong to an agent. */
typedef enum {
    ASIF_ACTION_PRIOR,  /**< [actions], pi0 */
    ASIF_WORLD_WEIGHTS, /**< [worlds], sigma0 */
    ASIF_START,         /**< [states] of a start class: the belief before the first action */
    ASIF_MEANS /**< [states] of an action: the belief that it is nearest to (decision-boundaries); only where
                           there are observations, and without a value until it is set */
} asif_distribution;
/** "action_prior", "world_weights", "start" or "means". */
ASIF_API const char *asif_distribution_text(asif_distribution which);
/** Set a distribution. @param which Which. @param start Start class of ASIF_START, action of ASIF_MEANS; else
 * ignored.
 * @param p Weights, divided by their sum. @return ASIF_OK or ASIF_EDOMAIN. */
ASIF_API asif_status asif_theta_set_distribution(asif_theta *theta, asif_distribution which, uint32_t start,
                                                 const double *p, asif_error *error);
/** Take a distribution away, as a study does with what it marks `learn`. */
ASIF_API asif_status asif_theta_unset_distribution(asif_theta *theta, asif_distribution which, uint32_t start,
                                                   asif_error *error);
/** A distribution, borrowed; its first entry is NaN if it has no value. */
ASIF_API const double *asif_theta_distribution(const asif_theta *theta, asif_distribution which,
                                               uint32_t start);

/* ---- what is estimated ---- */

/** One parameter, or distribution, to be estimated. */
typedef struct {
    const char *name;  /**< as in asif_theta_name(), `optimism`, or asif_distribution_text() */
    uint32_t start;    /**< class of `start`, action of `means` */
    const char *prior; /**< such as "normal(0, 1)"; NULL: the default; ASIF_PRIORS_PUBLISHED ignores it */
    double standard;   /**< usual value of a utility, which sets the scale; NaN: none */
    bool negative;     /**< of alpha and act_alpha: the sign, which is never estimated */
} asif_estimate_spec;

/** In which coordinates, and under which priors, to estimate. */
typedef enum {
    ASIF_PRIORS_STATED,   /**< log|alpha|, optimism, eta, utilities; the priors stated, or their defaults */
    ASIF_PRIORS_PUBLISHED /**< log alpha, log beta, log eta, utilities; a flat density over them (improper) */
} asif_priors;

/** What is estimated, as a vector over R^dimension and back, with priors; immutable. */
typedef struct asif_estimates asif_estimates;

/**
 * Say what is estimated. Nothing is solved, so the default prior of optimism is normal(0, 46/D), D the span
 * of the utility; fits use asif_estimates_scaled() instead.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the estimates.
 * @param theta      Values of what is given; copied. Its setting is borrowed for the life of the estimates.
 * @param spec       [count].
 * @param count      At least 1.
 * @param priors     See ::asif_priors.
 * @param problems   Warnings are added: improper priors; a scale that nothing fixes. May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EPARSE (a prior), ASIF_EINVALID (a utility without a standard;
 * something twice), ASIF_EUNSET (a parameter that is neither given nor estimated) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_estimates_create(asif_estimates **out, const asif_context *context,
                                           const asif_theta *theta, const asif_estimate_spec *spec,
                                           uint32_t count, asif_priors priors, asif_problems *problems,
                                           asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_estimates_free(asif_estimates *estimates);

/** Coordinates that are sampled. */
ASIF_API uint32_t asif_estimates_dimension(const asif_estimates *estimates);

/** How a reported number relates to the line on which its prior and posterior are compared. */
typedef enum {
    ASIF_LINE_SAME, /**< it is the number */
    ASIF_LINE_LOG,  /**< log(number - low), or -log(high - number) where there is no low */
    ASIF_LINE_LOGIT /**< log((number - low)/(high - number)) */
} asif_line;

/** One reported number. */
typedef struct {
    const char
        *name; /**< column of the draws: `log_alpha`, `optimism`, `eta`, `wrong`, `action_prior.1`, ... */
    const char *parameter; /**< of theta: `alpha`, `optimism`, `wrong`, `action_prior` */
    const char *label; /**< of the action, world (its number) or state of an entry of a distribution; NULL: a
                          number */
    uint32_t coordinate; /**< sampled coordinate that it is a function of; ASIF_ANY: of several */
    asif_line line;
    double low, high; /**< limits of the number */
    bool proper;
    double prior_q05, prior_q50, prior_q95; /**< on the line; NaN where the prior is improper */
    const char *prior;                      /**< in words, such as "normal(0, 46)" */
} asif_estimate_info;
/** Is it the logarithm of this parameter that is estimated and reported, as `log_` and its name? A utility
 * whose own name begins so is reported as it is. */
ASIF_API bool asif_parameter_in_logs(const char *parameter);
/** The i-th reported number, borrowed; NULL past the last. */
ASIF_API const asif_estimate_info *asif_estimates_get(const asif_estimates *estimates, uint32_t i);

/** Reported numbers at a point. @param[out] out [reported]. */
ASIF_API void asif_estimates_report(const asif_estimates *estimates, const double *x, double *out);
/** Log-density of the priors at a point, in the sampled coordinates (transforms included), normalised where
 * proper.
 * @param gradient [dimension], added to; NULL: not wanted. */
ASIF_API double asif_estimates_log_prior(const asif_estimates *estimates, const double *x, double *gradient);

/** Put the values at a point into a theta of the same setting, with all that is given.
 * @return ASIF_OK, or ASIF_EDOMAIN where a value overflows. */
ASIF_API asif_status asif_estimates_theta(const asif_estimates *estimates, const double *x, asif_theta *theta,
                                          asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
