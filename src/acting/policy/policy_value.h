/* Expected measures and utility of an agent in the environment, with little simulation noise.
 *
 * A critic W(s, z) is the expected rest of a sum if the world is in state s and the agent in state z. It is
 * solved on a lattice of its own. For any W, the sum of gains g over the decisions before T satisfies
 *
 *     E sum g_t = E W(s_0, z_0) + E sum E[ g_t + W(s_t+1, z_t+1) - W(s_t, z_t) | s_t, z_t ] - E W(s_T, z_T)
 *
 * Simulated episodes therefore correct only the errors of interpolation between the nodes. */
#ifndef ASIF_SRC_ACTING_POLICY_POLICY_VALUE_H
#define ASIF_SRC_ACTING_POLICY_POLICY_VALUE_H

#include "asif/behavior.h"

/* Intervals of the critic that are enough for one draw of many, whose mean and quantiles are reported: with
 * two states its error is then far below the spread of the draws. */
#define ASIF_DRAW_INTERVALS 250

typedef struct {
    uint64_t episodes, first_episode, seed;
    uint32_t start;     /* start class */
    uint32_t max_steps; /* most decisions of an episode */
    /* Most intervals of the critic's lattice; 0: as many as it can have. With fewer, an episode takes less
     * time and is less precise. */
    uint32_t intervals;
    /* Agent states [n][width] at which decisions are made, the number of decisions [n], and the policy
     * [n][actions]; NULL: not wanted. */
    asif_status (*visit)(void *user, const asif_behavior *behavior, uint64_t n, const double *state,
                         const double *times, const double *policy, asif_error *error);
    void *user;
} asif_policy_value_options;

/* Compute the measures of episode_measures.h, as means over episodes. `error_of_mean`: standard errors of the
 * simulation; may be NULL. Fails with ASIF_ENOMEM, or as the behaviour or `visit` does. */
asif_status asif_policy_measures(double *measure, double *error_of_mean, const asif_behavior *behavior,
                                 const asif_theta *theta, const asif_policy_value_options *options,
                                 asif_error *error);

/* Compute the mean discounted utility of acting for ever, as asif_episode_measures_values() does, with less
 * noise. It makes options->episodes runs (at least 2) at a time, until the standard error is `enough` or
 * less, or `most` were made. `variance` is that of the mean. options->visit is not called. */
asif_status asif_policy_value_mean(double *value, double *variance, const asif_behavior *behavior,
                                   const asif_theta *theta, const asif_policy_value_options *options,
                                   uint64_t most, double enough, asif_error *error);

#endif
