/**
 * @file
 * Theta: the values of an agent's parameters. Every parameter has a name: `alpha`, `act_alpha`, `beta` (or
 * `optimism`, which is 1/beta), `eta`, `discount`, and those that the utility names.
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
 * `beta` is inf, `eta` 0, `act_alpha` is `alpha`; `alpha` and the named parameters have no value.
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

#ifdef __cplusplus
}
#endif
#endif
