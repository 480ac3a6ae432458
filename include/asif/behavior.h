/**
 * @file
 * Behaviour: the output of a planner. Batch operations on opaque agent states (beliefs, world states, or
 * whatever else the planner's agent remembers), and simulation in the environment.
 */
#ifndef ASIF_BEHAVIOR_H
#define ASIF_BEHAVIOR_H

#include "asif/planner.h"
#include "asif/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The behaviour that the last solve of a workspace found; borrowed from the workspace and changed by its
 * next solve. */
typedef struct asif_behavior asif_behavior;

/** The behaviour of a solved workspace; NULL before the first solve. */
ASIF_API const asif_behavior *asif_work_behavior(const asif_work *work);

/** Width of an agent state, in numbers: the number of states for a belief, 1 for a world state, and 1 + the
 * number of hidden values where a part of the state is seen (see asif_setting_spec). */
ASIF_API uint32_t asif_behavior_width(const asif_behavior *behavior);
/** Whether an agent state is neither a belief nor a world state but something that can only be reached by a
 * history, such as the hidden state of a network, or has a seen value before its belief. */
ASIF_API bool asif_behavior_hidden(const asif_behavior *behavior);
/**
 * Agent state before the first action.
 *
 * @param behavior   See asif_work_behavior().
 * @param start      Start class.
 * @param first      Where states, or a part of them, are seen, the state or seen value at the start;
 * ASIF_ANY: the most likely. Else ignored.
 * @param[out] state [width].
 */
ASIF_API void asif_behavior_init(const asif_behavior *behavior, uint32_t start, uint32_t first,
                                 double *state);

/**
 * Agent states after an action and the observation (next state, where states are seen) that followed.
 *
 * @param n            Agents in the batch.
 * @param state        [n][width].
 * @param action       [n].
 * @param observation  [n]; ASIF_ANY: nothing was seen.
 * @param[out] next    [n][width]; may be `state`.
 * @param[out] error   On ASIF_EZEROPR, `row` is 1 + the index in the batch. May be NULL.
 * @return ASIF_OK, ASIF_EZEROPR (an observation that no candidate world allows), ASIF_EDOMAIN or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_behavior_step(const asif_behavior *behavior, uint64_t n, const double *state,
                                        const uint32_t *action, const uint32_t *observation, double *next,
                                        asif_error *error);
/** Log-probabilities of all actions, [n][actions]; -inf where an action is never taken. */
ASIF_API asif_status asif_behavior_log_policy(const asif_behavior *behavior, uint64_t n, const double *state,
                                              double *log_policy, asif_error *error);

/** Values, policy and world weights at any agent states, by one step of lookahead from V.
 * @return Also ASIF_EUNSUPPORTED if the planner has no values. */
ASIF_API asif_status asif_look(const asif_behavior *behavior, uint64_t n, const double *state,
                               const asif_view *view, asif_error *error);

/** Options of a simulation. */
typedef struct {
    size_t struct_size;
    uint64_t episodes;
    /** Number of the first episode: the number of an episode selects its random stream. */
    uint64_t first_episode;
    uint64_t seed;
    uint32_t start;     /**< start class; ASIF_ANY: drawn by the setting's start_weights */
    uint32_t max_steps; /**< decisions after which an unfinished episode is cut; default 1000 */
    /** Continue episodes beyond actions that end an episode of the log, as the agent planned. */
    bool endless;
    /** [actions]: probability that the agent sees nothing after each action; NULL: 0. */
    const double *unseen;
} asif_simulate_options;
#define ASIF_SIMULATE_OPTIONS_INIT                                                                           \
    { sizeof(asif_simulate_options), 1, 0, 0, 0, 1000, false, NULL }

/** One decision of a simulated episode. */
typedef struct {
    uint64_t episode;
    uint32_t step;
    uint32_t state, action; /**< state of the world before the action */
    /** Observation after the action; ASIF_ANY where states are seen, or nothing was seen. */
    uint32_t observation;
    uint32_t next;             /**< state of the world after the action */
    const double *agent_state; /**< before the action, borrowed during the callback */
    bool cut;                  /**< the episode goes no further, though it has not ended: see `max_steps` */
} asif_decision;

/**
 * Simulate the agent in the environment: states move by the environment's dynamics, while the agent updates
 * its beliefs by its own worlds. Decisions come in order of episode and step, and are the same for any number
 * of threads; episode i does not depend on how many others there are. Progress is reported to the context,
 * which may cancel.
 *
 * @param behavior  See asif_work_behavior().
 * @param options   NULL: the defaults.
 * @param take      Called for every decision; a return other than ASIF_OK stops and is returned.
 * @param user      Passed to `take`.
 * @param[out] error May be NULL.
 */
ASIF_API asif_status asif_simulate(const asif_behavior *behavior, const asif_simulate_options *options,
                                   asif_status (*take)(void *user, const asif_decision *decision), void *user,
                                   asif_error *error);

/** What a simulation has written. */
typedef struct {
    uint64_t decisions; /**< lines after the first */
    uint64_t cut;       /**< episodes that were cut before their end: see `max_steps` */
} asif_simulated;

/**
 * Simulate and write the logs as CSV: a line `episode,t,action,observation` and one for each decision, or
 * `episode,t,state,action` where states are seen. Episodes are numbered from 1.
 *
 * @param behavior       See asif_work_behavior().
 * @param options        NULL: the defaults.
 * @param write          Takes the text in pieces of about 64 KB; a return other than ASIF_OK stops and is
 * returned.
 * @param user           Passed to `write`.
 * @param[out] simulated What was written, up to an error too; may be NULL.
 * @param[out] error     May be NULL.
 */
ASIF_API asif_status asif_simulate_csv(const asif_behavior *behavior, const asif_simulate_options *options,
                                       asif_status (*write)(void *user, const char *data, uint64_t length),
                                       void *user, asif_simulated *simulated, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
