/**
 * @file
 * Inverse planners (the paper's G): from logs of behaviour to what is estimated. An inverse planner is a row of a registry: an
 * objective on behaviour and logs, with its gradient where the planner gives one. A *target* binds one to a study's
 * estimates and makes a density of it, which asif_sample() and asif_maximise() take.
 */
#ifndef ASIF_INVERSE_H
#define ASIF_INVERSE_H

#include "asif/logs.h"
#include "asif/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A row of the registry, as `asif list` prints it; borrowed, never freed. */
typedef struct {
    const char *name, *summary;
    bool likelihood; /**< the objective is a log-likelihood: with priors it makes a posterior */
} asif_inverse_info;

/** The i-th inverse planner, NULL past the last. */
ASIF_API const asif_inverse_info *asif_inverse_get(uint32_t i);

/** What the target is. */
typedef struct {
    size_t struct_size;
    const char *inverse; /**< name in the registry; NULL: "soft-policy-matching" */
    const double *
        count; /**< [nodes][actions] instead of the tree's (asif_tree_counts()), borrowed for the life of the target */
    bool objective_only; /**< leave the priors out: maximum likelihood */
} asif_target_options;
#define ASIF_TARGET_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_target_options) }

/** A density over the sampled coordinates of the estimates; one thread at a time. */
typedef struct asif_target asif_target;

/**
 * Make a target.
 *
 * @param[out] out   Owned by the caller.
 * @param work       Workspace of the planner: cloned.
 * @param estimates  Borrowed for the life of the target, as is `tree`.
 * @param tree       Logs with the labels of the setting.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EINVALID (other labels), ASIF_EUNSUPPORTED or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_target_create(asif_target **out, const asif_work *work,
                                        const asif_estimates *estimates, const asif_tree *tree,
                                        const asif_target_options *options, asif_error *error);
/** Another for another thread or chain; its warm start is that of `target`. */
ASIF_API asif_status asif_target_clone(asif_target **out, const asif_target *target, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_target_free(asif_target *target);

/** The density, borrowed. Where the planner finds no finite solution, or an action that was taken has probability 0, it is
 * -inf. An observation that no world of the agent allows is ASIF_EZEROPR, with its row. */
ASIF_API const asif_density *asif_target_density(const asif_target *target);
/** The objective alone at a point: the log-likelihood. @param gradient [dimension]; NULL: not wanted. */
ASIF_API asif_status asif_target_objective(asif_target *target, const double *x, double *value,
                                           double *gradient, asif_error *error);
/** The agent at a point: its workspace, solved there; borrowed, and changed by the next call. */
ASIF_API asif_status asif_target_solve(asif_target *target, const double *x, const asif_work **work,
                                       asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
