/**
 * @file
 * Theta: the values of an agent's parameters. Every parameter has a name: `alpha`, `act_alpha`, `beta` (or
 * `optimism`, which is 1/beta), `eta`, `discount`, `lapse`, and those that the utility names. The agent's
 * action prior, world weights, start and means are distributions. Each parameter or distribution is either
 * assumed or estimated; ::asif_estimates describes the estimated ones.
 */
#ifndef ASIF_THETA_H
#define ASIF_THETA_H

#include "asif/setting.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values of the parameters of an agent in one setting; not to be shared between threads while it changes. */
typedef struct asif_theta asif_theta;

/**
 * Make a theta. Until they are set, the discount, action prior, world weights and start are the setting's,
 * `beta` is inf, `eta` and `lapse` are 0, `act_alpha` is `alpha`; `alpha`, the named parameters and the means
 * have no value.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the theta.
 * @param setting    Kept for the life of the theta.
 * @param[out] error May be NULL.
 * @return ASIF_OK or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_theta_create(asif_theta **out, const asif_context *context,
                                       const asif_setting *setting, asif_error *error);
/** Copy a theta. @param[out] out Owned by the caller, independent of `theta`. */
ASIF_API asif_status asif_theta_copy(asif_theta **out, const asif_theta *theta, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_theta_free(asif_theta *theta);

/**
 * Set a parameter. Limits are allowed: alpha of +0 is a perfect maximiser, of -0 a perfect minimiser, and of
 * inf an agent that follows the action prior; beta of inf is neutral, and of +0 and -0 the extremes of
 * optimism and pessimism.
 *
 * @return ASIF_OK, ASIF_EUNKNOWN (with the nearest name as a hint) or ASIF_EDOMAIN.
 */
ASIF_API asif_status asif_theta_set(asif_theta *theta, const char *name, double value, asif_error *error);
/** Remove a parameter's value, as a study does for what it marks `learn`: solving then returns ASIF_EUNSET.
 * @return ASIF_OK or ASIF_EUNKNOWN. */
ASIF_API asif_status asif_theta_unset(asif_theta *theta, const char *name, asif_error *error);
/** Set a parameter from text, which may also be `0+`, `0-`, `inf` or `-inf`; otherwise as asif_theta_set().
 */
ASIF_API asif_status asif_theta_set_text(asif_theta *theta, const char *name, const char *value,
                                         asif_error *error);
/** Value of a parameter; NaN if it has none. @return ASIF_OK or ASIF_EUNKNOWN. */
ASIF_API asif_status asif_theta_get(const asif_theta *theta, const char *name, double *value,
                                    asif_error *error);
/** Number of parameters: those that every agent has (`lapse` unless it is 0), then those of the utility. */
ASIF_API uint32_t asif_theta_count(const asif_theta *theta);
/** Name of the i-th parameter, in the order of asif_theta_count(); borrowed. NULL past the end. */
ASIF_API const char *asif_theta_name(const asif_theta *theta, uint32_t i);
/** Values of the named parameters of the utility in the setting's order, borrowed; NaN: no value. */
ASIF_API const double *asif_theta_utilities(const asif_theta *theta);

/** Distributions that belong to an agent. */
typedef enum {
    ASIF_ACTION_PRIOR,  /**< [actions], pi0 */
    ASIF_WORLD_WEIGHTS, /**< [worlds], sigma0 */
    ASIF_START,         /**< [states], for each start class: the belief before the first action */
    /** [states], for each action: the mean belief of the action, which is the more probable the nearer the
     * belief is to it (planner decision-boundaries). Only in settings with observations, and without a value
     * until it is set. */
    ASIF_MEANS
} asif_distribution;
/** "action_prior", "world_weights", "start" or "means". */
ASIF_API const char *asif_distribution_text(asif_distribution which);
/** Set a distribution. @param start Start class for ASIF_START, action for ASIF_MEANS; else ignored. @param p
 * Weights, which are divided by their sum. @return ASIF_OK or ASIF_EDOMAIN. */
ASIF_API asif_status asif_theta_set_distribution(asif_theta *theta, asif_distribution which, uint32_t start,
                                                 const double *p, asif_error *error);
/** Remove the value of a distribution, as a study does for what it marks `learn`. */
ASIF_API asif_status asif_theta_unset_distribution(asif_theta *theta, asif_distribution which, uint32_t start,
                                                   asif_error *error);
/** A distribution, borrowed; its first entry is NaN if it has no value. */
ASIF_API const double *asif_theta_distribution(const asif_theta *theta, asif_distribution which,
                                               uint32_t start);

/* ---- what is estimated ---- */

/** One parameter, or distribution, to be estimated. */
typedef struct {
    const char *name;  /**< as in asif_theta_name(), `optimism`, or asif_distribution_text() */
    uint32_t start;    /**< start class of `start`, or action of `means` */
    const char *prior; /**< such as "normal(0, 1)"; NULL: the default; ASIF_PRIORS_PUBLISHED ignores it */
    double standard;   /**< usual value of a utility, which sets the scale of its prior; NaN: none */
    bool negative;     /**< alpha or act_alpha is negative; the sign is never estimated */
} asif_estimate_spec;

/** Coordinates and priors of the estimation. */
typedef enum {
    ASIF_PRIORS_STATED,   /**< log|alpha|, optimism, eta, utilities; with the stated or default priors */
    ASIF_PRIORS_PUBLISHED /**< log alpha, log beta, log eta, utilities; with a flat (improper) prior */
} asif_priors;

/** The estimated parameters: their priors, and the map between their values and a vector in R^dimension;
 * immutable. */
typedef struct asif_estimates asif_estimates;

/**
 * Define what is estimated. Nothing is solved, so the default prior of optimism is normal(0, 46/D), where D
 * is the span of the utility; fits use asif_estimates_scaled() instead.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the estimates.
 * @param theta      Assumed values; copied. Its setting is kept for the life of the estimates.
 * @param spec       [count].
 * @param count      At least 1.
 * @param priors     See ::asif_priors.
 * @param problems   Warnings are added: improper priors; a common scale of utilities and
 * alpha, beta and eta that only the priors fix. May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EPARSE (a prior), ASIF_EINVALID (a utility without a standard;
 * a parameter listed twice), ASIF_EUNSET (a parameter that is neither assumed nor estimated) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_estimates_create(asif_estimates **out, const asif_context *context,
                                           const asif_theta *theta, const asif_estimate_spec *spec,
                                           uint32_t count, asif_priors priors, asif_problems *problems,
                                           asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_estimates_free(asif_estimates *estimates);

/** Number of sampled coordinates. */
ASIF_API uint32_t asif_estimates_dimension(const asif_estimates *estimates);

/** Transformation of a reported number to the real line, on which its prior and posterior are compared. */
typedef enum {
    ASIF_LINE_SAME, /**< the number itself */
    ASIF_LINE_LOG,  /**< log(number - low), or -log(high - number) where there is no low */
    ASIF_LINE_LOGIT /**< log((number - low)/(high - number)) */
} asif_line;

/** Description of one reported number. */
typedef struct {
    const char
        *name; /**< column of the draws: `log_alpha`, `optimism`, `eta`, `wrong`, `action_prior.1`, ... */
    const char *parameter; /**< its parameter: `alpha`, `optimism`, `wrong`, `action_prior` */
    /** For an entry of a distribution, label of its action or state, or number of its world; else NULL. */
    const char *label;
    uint32_t coordinate; /**< sampled coordinate that it is a function of; ASIF_ANY: it depends on several */
    asif_line line;
    double low, high; /**< limits of the number */
    bool proper;
    double prior_q05, prior_q50, prior_q95; /**< on the real line of `line`; NaN if the prior is improper */
    const char *prior;                      /**< as text, such as "normal(0, 46)" */
} asif_estimate_info;
/** Whether the logarithm of this parameter is estimated and reported, as `log_` and its name. A utility whose
 * own name begins with `log_` is reported as it is. */
ASIF_API bool asif_parameter_in_logs(const char *parameter);
/** The i-th reported number, borrowed; NULL past the last. */
ASIF_API const asif_estimate_info *asif_estimates_get(const asif_estimates *estimates, uint32_t i);

/** Compute the reported numbers at a point. @param[out] out [reported]. */
ASIF_API void asif_estimates_report(const asif_estimates *estimates, const double *x, double *out);
/** Log-density of the priors at a point, in the sampled coordinates (with the Jacobians of transformations),
 * normalised if they are proper.
 * @param gradient [dimension], added to; NULL: not wanted. */
ASIF_API double asif_estimates_log_prior(const asif_estimates *estimates, const double *x, double *gradient);

/** Set a theta of the same setting to the estimates at a point and the assumed values.
 * @return ASIF_OK, or ASIF_EDOMAIN where a value overflows. */
ASIF_API asif_status asif_estimates_theta(const asif_estimates *estimates, const double *x, asif_theta *theta,
                                          asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
