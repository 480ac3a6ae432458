/* Measures of episodes that are simulated with an agent acting in the environment. */
#ifndef ASIF_SRC_ACTING_EPISODE_MEASURES_H
#define ASIF_SRC_ACTING_EPISODE_MEASURES_H

#include "asif/behavior.h"

/* Measures, each a mean over episodes. NaN: the problem has no such thing. */
enum {
    ASIF_MEASURE_LENGTH, /* decisions */
    ASIF_MEASURE_BEFORE, /* decisions that end nothing (tests, visits); NaN where no action ends an episode */
    ASIF_MEASURE_WRONG,  /* share of wrong endings: another final action would have scored higher, given the
                            true state */
    ASIF_MEASURE_UTILITY, /* sum over the episode, not discounted */
    ASIF_MEASURE_CUT,     /* share that had not ended at max_steps; NaN where no action ends an episode */
    ASIF_MEASURE_TAKEN    /* + action: times that it is taken */
};
/* ASIF_MEASURE_TAKEN + actions. */
uint32_t asif_episode_measures_count(const asif_setting *setting);
/* Whether a measure is undefined: wrong endings need two ending actions, and decisions before the end need
 * one. */
bool asif_episode_measures_lacks(const asif_setting *setting, uint32_t measure);
/* For JSON: "decisions", "before_end", "wrong", "utility", "not_ended"; NULL: an action. */
const char *asif_episode_measures_key(uint32_t measure);

/* Simulate and measure. `theta` is what the behaviour was solved for: its utilities count. `measure`
 * [asif_episode_measures_count()]; `error_of_mean` of the same size, or NULL: standard errors by simulation.
 */
asif_status asif_episode_measures_simulate(double *measure, double *error_of_mean,
                                           const asif_behavior *behavior, const asif_theta *theta,
                                           const asif_simulate_options *options, asif_error *error);

/* Discounted utility of going on for ever as planned (ending actions lead to the next case),
 * `options->episodes` runs of `options->max_steps` decisions; 0 steps: as many as leave one part in 10,000 of
 * the discounting. `value` [episodes] is that of each run: runs of the same number meet the same luck,
 * whoever the agent is. */
asif_status asif_episode_measures_values(double *value, const asif_behavior *behavior,
                                         const asif_theta *theta, const asif_simulate_options *options,
                                         asif_error *error);

#endif
