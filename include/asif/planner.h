/**
 * @file
 * Planners (the paper's F): from a setting and a theta to behaviour. A planner is a row of a registry; it
 * makes a workspace once for a setting and solves it many times, each time warm from the last.
 */
#ifndef ASIF_PLANNER_H
#define ASIF_PLANNER_H

#include "asif/solve.h"
#include "asif/theta.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a planner's behaviour can be asked for beyond its policy. */
enum {
    ASIF_GIVES_VALUES = 1,    /**< values and world weights: asif_look() */
    ASIF_GIVES_OCCUPANCY = 2, /**< asif_occupancy_compute(), asif_policy_values() */
    ASIF_GIVES_GRADIENT = 4   /**< derivatives in theta */
};

/** Which settings something is for. */
enum {
    ASIF_SEES_STATES = 1, /**< full observability: no `observations` */
    ASIF_SEES_BELIEFS = 2 /**< partial observability */
};

/** A row of the registry, as `asif list` prints it; borrowed, never freed. */
typedef struct {
    const char *name, *summary;
    uint32_t gives;    /**< ASIF_GIVES_... */
    uint32_t sees;     /**< ASIF_SEES_... */
    bool purposeful;   /**< acts for the sake of a utility: without one, inverse planners of utilities make no
                          sense */
    const char *paper; /**< its row of Table 2 in Jarrett et al. (2021) */
} asif_planner_info;

/** The i-th planner, NULL past the last. */
ASIF_API const asif_planner_info *asif_planner_get(uint32_t i);

/** The stop reason in a word: "converged", "backups", ... */
ASIF_API const char *asif_stop_text(asif_stop stop);

/** Workspace of a planner in one setting; one thread at a time. */
typedef struct asif_work asif_work;

/**
 * Make a workspace.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the workspace, as is `setting`.
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
/** A second workspace for another thread; what does not depend on theta is shared, the warm start copied. */
ASIF_API asif_status asif_work_clone(asif_work **out, const asif_work *work, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_work_free(asif_work *work);

/**
 * Solve for the behaviour of an agent, warm if the workspace has been solved before.
 *
 * @param work       Changed: the behaviour asked of it before is now the new one.
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
/** Values at the nodes: what warm starts and checkpoints keep; borrowed, [nodes]. */
ASIF_API const double *asif_work_values(const asif_work *work);

/**
 * Say what is estimated: asif_estimates_create(), with the default prior of optimism scaled to what optimism
 * can do. Its standard deviation is 1.116 / the spread of what the agent's worlds promise, at standard
 * utilities (`setting.world_spread` in `fit.json`): 1 for the paper's diagnosis.
 *
 * @param work       Of the planner that is fitted; cloned.
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
 * the solve, for every agent that acts as it plans (act_alpha not given).
 *
 * @param work       Solved.
 * @param start      Agent state to start from; NULL: the start of class 0, which is a distribution where
 * states are seen. For other distributions of states average the results: all of them are linear in it.
 * @param[out] mu    [nodes]; may be NULL.
 * @param[out] costs May be NULL.
 * @param[out] error May be NULL.
 */
ASIF_API asif_status asif_occupancy_compute(asif_work *work, const double *start, double *mu,
                                            asif_costs *costs, asif_error *error);

/**
 * Values of a *given* policy on the nodes (Proposition 3), with the information costs of the last theta.
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
