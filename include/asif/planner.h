/**
 * @file
 * Planners (the paper's F): from a setting and a theta to behaviour. A planner is a row of a registry; it
 * makes a workspace for a setting once and solves it many times, each time starting from the last solution (a
 * warm start).
 */
#ifndef ASIF_PLANNER_H
#define ASIF_PLANNER_H

#include "asif/solve.h"
#include "asif/theta.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Results that a planner can provide in addition to its policy. */
enum {
    ASIF_GIVES_VALUES = 1,    /**< values and world weights: asif_look() */
    ASIF_GIVES_OCCUPANCY = 2, /**< asif_occupancy_compute(), asif_policy_values() */
    ASIF_GIVES_GRADIENT = 4   /**< derivatives with respect to theta */
};

/** The settings that a planner or an inverse planner applies to. */
enum {
    ASIF_SEES_STATES = 1, /**< full observability: the setting has no `observations` */
    ASIF_SEES_BELIEFS = 2 /**< partial observability */
};

/** A row of the registry, as `asif list` prints it; borrowed, never freed. */
typedef struct {
    const char *name, *summary;
    uint32_t gives;    /**< ASIF_GIVES_... */
    uint32_t sees;     /**< ASIF_SEES_... */
    bool purposeful;   /**< acts on a utility; inverse planners that estimate utilities need such a planner */
    const char *paper; /**< its row of Table 2 in Jarrett et al. (2021) */
} asif_planner_info;

/** The i-th planner, NULL past the last. */
ASIF_API const asif_planner_info *asif_planner_get(uint32_t i);

/** A stop reason as a word: "converged", "backups", ... */
ASIF_API const char *asif_stop_text(asif_stop stop);

/** Workspace of a planner in one setting; to be used by one thread at a time. */
typedef struct asif_work asif_work;

/**
 * Make a workspace.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the workspace, as is `setting`.
 * @param planner    Name in the registry; NULL: "bounded-rational".
 * @param setting    See asif_setting_create().
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM, ASIF_EUNKNOWN, ASIF_EDOMAIN, ASIF_EUNSUPPORTED or ASIF_ETOOBIG.
 *
 * Cost: that of the successor weights, O(nodes * actions * worlds * observations * states).
 */
ASIF_API asif_status asif_work_create(asif_work **out, const asif_context *context, const char *planner,
                                      const asif_setting *setting, const asif_plan_options *options,
                                      asif_error *error);
/** Copy a workspace for another thread, including its warm start; data that do not depend on theta are
 * shared. @param[out] out Owned by the caller. */
ASIF_API asif_status asif_work_clone(asif_work **out, const asif_work *work, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_work_free(asif_work *work);

/**
 * Solve for the behaviour of an agent, starting from the last solution if there is one.
 *
 * @param work       Changed, and so is the behaviour that asif_work_behavior() returned before.
 * @param theta      Borrowed during the call.
 * @param[out] info  Why it stopped, residual, counts; may be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNSET, ASIF_EDOMAIN or ASIF_ENOMEM. Running out of time or backups is not a failure:
 *         read info->stop.
 *
 * Jarrett et al. (2021), Theorems 4-5.
 */
ASIF_API asif_status asif_solve(asif_work *work, const asif_theta *theta, asif_plan_info *info,
                                asif_error *error);

/** Nodes of the workspace: lattice points, or world states. */
ASIF_API uint32_t asif_work_nodes(const asif_work *work);
/** The agent state of a node, into `state` of asif_behavior_width() numbers. */
ASIF_API void asif_work_node(const asif_work *work, uint32_t node, double *state);
/** Values at the nodes, [nodes], borrowed. Warm starts and checkpoints store these. */
ASIF_API const double *asif_work_values(const asif_work *work);

/**
 * Make estimates as asif_estimates_create() does, but with a default prior of optimism that depends on how
 * far the agent's worlds differ. Its standard deviation is 1.116 / the spread of expected values between the
 * worlds at standard utilities (`setting.world_spread` in `fit.json`). This gives 1 for the paper's diagnosis
 * example.
 *
 * @param work       Workspace of the planner to be fitted; cloned.
 * @return Also ASIF_EINVALID where optimism is to be estimated and the worlds make no difference.
 *
 * The other parameters are those of asif_estimates_create(). Cost: a solve where optimism is
 * estimated.
 */
ASIF_API asif_status asif_estimates_scaled(asif_estimates **out, const asif_context *context,
                                           const asif_work *work, const asif_theta *theta,
                                           const asif_estimate_spec *spec, uint32_t count, asif_priors priors,
                                           asif_problems *problems, asif_error *error);

/**
 * Occupancy measure of the agent's chain over the nodes; it sums to 1 unless there are terminal states. (1 -
 * discount) times `value` equals utility minus alpha, beta and eta times the three costs, to the residual of
 * the solve, for every agent that acts as it plans (act_alpha has not been set). Lapses are not in it: no
 * agent foresees them.
 *
 * @param work       Solved.
 * @param start      Agent state to start from; NULL: the start of class 0, which is a distribution where
 * states are seen. For other distributions of states, average the results, which are linear in the start.
 * @param[out] mu    [nodes]; may be NULL.
 * @param[out] costs May be NULL.
 * @param[out] error May be NULL.
 */
ASIF_API asif_status asif_occupancy_compute(asif_work *work, const double *start, double *mu,
                                            asif_costs *costs, asif_error *error);

/**
 * Evaluate a policy of the caller's on the nodes (Proposition 3), with the information costs of the last
 * theta.
 *
 * @param work       Solved.
 * @param policy     [nodes][actions], rows sum to 1.
 * @param worlds     [nodes][actions][worlds]; NULL: the world weights sigma0.
 * @param[out] values [nodes].
 * @param[out] info  May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (an infinite cost: the policy leaves its prior at alpha = inf, or the prior's
 *         support) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_policy_values(asif_work *work, const double *policy, const double *worlds,
                                        double *values, asif_plan_info *info, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
