/**
 * @file
 * Decision problems in the formats of other software: Cassandra's .pomdp, and Storm's explicit DRN files for
 * large sparse MDPs.
 */
#ifndef ASIF_FORMATS_H
#define ASIF_FORMATS_H

#include "asif/setting.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The contents of a .pomdp file, with all forms of T, O and R entries resolved to numbers; immutable. */
typedef struct asif_pomdp asif_pomdp;

/**
 * Read a problem in Cassandra's format (POMDP, or MDP if it names no observations).
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the result.
 * @param text       Need not be terminated.
 * @param length     Bytes in `text`.
 * @param name       For error messages; may be NULL.
 * @param[out] error Position, message and hint; may be NULL.
 * @return ASIF_OK, ASIF_ENOMEM, ASIF_EPARSE, ASIF_EINVALID or ASIF_ETOOBIG.
 */
ASIF_API asif_status asif_pomdp_read(asif_pomdp **out, const asif_context *context, const char *text,
                                     uint64_t length, const char *name, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_pomdp_free(asif_pomdp *pomdp);
/** Write a problem in Cassandra's format; reading it back gives the same numbers to the last bit. @param[out]
 * out 0-terminated text, owned by the caller (asif_memory_free()). */
ASIF_API asif_status asif_pomdp_write(char **out, const asif_pomdp *pomdp, asif_error *error);
/**
 * Make a setting with one world, the environment. Rewards that depend on action and state become utilities by
 * state, and rewards that depend on action and observation become utilities by observation. All others are
 * averaged over the next state and observation, which is exact for one world; `*averaged` says whether there
 * were such rewards. Costs become negative utilities. The caller owns `*out`.
 */
ASIF_API asif_status asif_pomdp_setting(asif_setting **out, bool *averaged, const asif_pomdp *pomdp,
                                        asif_error *error);
/** Make the .pomdp of a setting's environment and utilities. The caller owns `*out`.
 * @param parameters Values of the named parameters of the utility, or NULL where there are none.
 * @return Also ASIF_EUNSUPPORTED for what the format cannot say (belief terms, several start classes). */
ASIF_API asif_status asif_pomdp_from_setting(asif_pomdp **out, const asif_setting *setting,
                                             const double *parameters, asif_error *error);

/**
 * Read an MDP in Storm's explicit format (DRN, `@type: MDP`); every state must offer the same actions.
 *
 * The utility is the first reward model, or the one that `reward_model` names; the start is the states
 * labelled `init`. The format has no discount, so the caller passes it. Arguments, ownership and errors are
 * those of asif_pomdp_read().
 */
ASIF_API asif_status asif_drn_read(asif_setting **out, const asif_context *context, const char *text,
                                   uint64_t length, const char *name, const char *reward_model,
                                   double discount, asif_error *error);
/** Write a fully observable setting's environment as DRN; ownership as in asif_pomdp_write(). */
ASIF_API asif_status asif_drn_write(char **out, const asif_setting *setting, const double *parameters,
                                    asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
