/* Measures of simulated episodes, in which an agent acts in the environment. */
#ifndef ASIF_SRC_ACTING_EPISODE_MEASURES_H
#define ASIF_SRC_ACTING_EPISODE_MEASURES_H

#include "asif/behavior.h"

/* Measures, each a mean over episodes. NaN: not defined for the problem. */
enum {
    ASIF_MEASURE_LENGTH,  /* decisions */
    ASIF_MEASURE_BEFORE,  /* decisions that do not end the episode (tests, visits); NaN: no action ends an
                             episode */
    ASIF_MEASURE_WRONG,   /* share of wrong endings: another final action would have scored much higher, given
                             the   true state */
    ASIF_MEASURE_UTILITY, /* undiscounted sum over the episode */
    ASIF_MEASURE_CUT,     /* share that had not ended at max_steps; NaN: no action ends an episode */
    ASIF_MEASURE_TAKEN    /* + action: how often it is taken */
};
/* Number of measures: ASIF_MEASURE_TAKEN + actions. */
uint32_t asif_episode_measures_count(const asif_setting *setting);
/* Whether a measure is undefined: wrong endings need two ending actions, and decisions before the end need
 * one. */
bool asif_episode_measures_lacks(const asif_setting *setting, uint32_t measure);
/* Key of a measure in JSON: "decisions", "before_end", "wrong", "utility", "not_ended"; NULL: an action. */
const char *asif_episode_measures_key(uint32_t measure);

/* Simulate episodes and measure them. `theta` is what the behaviour was solved for: its utilities count.
 * `measure` [asif_episode_measures_count()]; `error_of_mean` [the same]: standard errors of the simulation;
 * may be NULL. Fails as asif_simulate() does, or with ASIF_ENOMEM. */
asif_status asif_episode_measures_simulate(double *measure, double *error_of_mean,
                                           const asif_behavior *behavior, const asif_theta *theta,
                                           const asif_simulate_options *options, asif_error *error);

/* Simulate the discounted utility of acting for ever (ending actions lead to the next case):
 * `options->episodes` runs of `options->max_steps` decisions; 0 steps: as many as leave out one part in
 * 10,000 of the discounting. `value` [episodes] is the utility of each run. Runs of the same number have the
 * same random numbers for any agent. */
asif_status asif_episode_measures_values(double *value, const asif_behavior *behavior,
                                         const asif_theta *theta, const asif_simulate_options *options,
                                         asif_error *error);

#endif
