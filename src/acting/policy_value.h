/* Expected measures and utility of an agent in the environment, with little simulation noise.
 *
 * A critic W(s, z) is the expected rest of a sum if the world is in state s and the agent in state z. It is
 * solved on a lattice of its own. For any W, the sum of gains g over the decisions before T satisfies
 *
 *     E sum g_t = E W(s_0, z_0) + E sum E[ g_t + W(s_t+1, z_t+1) - W(s_t, z_t) | s_t, z_t ] - E W(s_T, z_T)
 *
 * Simulated episodes therefore correct only the errors of interpolation between the nodes. */
#ifndef ASIF_SRC_ACTING_POLICY_VALUE_H
#define ASIF_SRC_ACTING_POLICY_VALUE_H

#include "asif/behavior.h"

typedef struct {
    uint64_t episodes, first_episode, seed;
    uint32_t start;     /* start class */
    uint32_t max_steps; /* most decisions of an episode */
    /* Called with the agent states [n][width] at which decisions are made, and the policy [n][actions] there;
     * NULL: not wanted. */
    asif_status (*visit)(void *user, const asif_behavior *behavior, uint64_t n, const double *state,
                         const double *policy, asif_error *error);
    void *user;
} asif_policy_value_options;

/* Compute the measures of episode_measures.h, as means over episodes. `error_of_mean`: standard errors of the
 * simulation; may be NULL. Fails with ASIF_ENOMEM, or as the behaviour or `visit` does. */
asif_status asif_policy_measures(double *measure, double *error_of_mean, const asif_behavior *behavior,
                                 const asif_theta *theta, const asif_policy_value_options *options,
                                 asif_error *error);

/* Compute the discounted utility of acting for ever, as asif_episode_measures_values() does, with less noise:
 * `value` [episodes], runs whose mean is the utility. */
asif_status asif_policy_value_all(double *value, const asif_behavior *behavior, const asif_theta *theta,
                                  const asif_policy_value_options *options, asif_error *error);

#endif
