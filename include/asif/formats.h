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

/** A .pomdp file as it was written, every form of T, O and R resolved; immutable. */
typedef struct asif_pomdp asif_pomdp;

/**
 * Read a problem in Cassandra's format (POMDP, or MDP if it names no observations).
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the result.
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
/** Write in Cassandra's format; reading it back gives the same numbers to the last bit. The text is
 * terminated and given back with asif_memory_free(). */
ASIF_API asif_status asif_pomdp_write(char **out, const asif_pomdp *pomdp, asif_error *error);
/**
 * A setting with one world, the environment. Rewards that depend on the action and state stay utilities by
 * state, on the action and observation become utilities by observation, and all others are averaged over
 * what follows, which is exact for one world; `*averaged` says so. Costs become negative utilities.
 */
ASIF_API asif_status asif_pomdp_setting(asif_setting **out, bool *averaged, const asif_pomdp *pomdp,
                                        asif_error *error);
/** The .pomdp of a setting's environment with its given utilities.
 * @param parameters Values of the named parameters of the utility, or NULL where there are none.
 * @return Also ASIF_EUNSUPPORTED for what the format cannot say (belief terms, several start classes). */
ASIF_API asif_status asif_pomdp_from_setting(asif_pomdp **out, const asif_setting *setting,
                                             const double *parameters, asif_error *error);

/**
 * Read an MDP in Storm's explicit format (DRN, `@type: MDP`); every state must offer the same actions.
 *
 * The first reward model, or the one named, gives the utility; the states labelled `init` the start. The
 * format has no discount: it is the caller's. Arguments, ownership and errors as asif_pomdp_read().
 */
ASIF_API asif_status asif_drn_read(asif_setting **out, const asif_context *context, const char *text,
                                   uint64_t length, const char *name, const char *reward_model,
                                   double discount, asif_error *error);
/** Write a fully observable setting's environment as DRN. As asif_pomdp_write(). */
ASIF_API asif_status asif_drn_write(char **out, const asif_setting *setting, const double *parameters,
                                    asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
