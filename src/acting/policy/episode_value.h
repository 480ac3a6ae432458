/* The critic of policy_value.h: the expected rest of sums over an episode, or over an endless run, from a
 * state of the world and a state of the agent. */
#ifndef ASIF_SRC_ACTING_POLICY_EPISODE_VALUE_H
#define ASIF_SRC_ACTING_POLICY_EPISODE_VALUE_H

#include "acting/decision_utility.h"
#include "behavior/behavior.h"
#include "engine/lattice.h"

/* A way in which the environment goes on after an action in a state. */
typedef struct {
    uint32_t next, observation; /* 0 where states are seen */
    double chance;
} asif_way_on;

typedef struct {
    const asif_context *context;
    const asif_behavior *behavior;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    asif_decision_utility gains;
    bool endless;    /* ending actions lead to the next case; the only sum is the discounted utility */
    double discount; /* discount of the sums; 1 for episodes */
    uint32_t kinds;  /* number of sums: how often each action is taken, wrong endings, utility; or only the
                        utility */
    bool beliefs;
    asif_lattice lattice;
    uint64_t points;  /* pairs (node, state of the world); or states, if they are observed */
    uint64_t *way_at; /* [actions][states] and the end: where the ways on begin; NULL: there is no critic */
    asif_way_on *way;
    bool *shows;   /* [actions][observations]: some way on shows it */
    double *worth; /* [points][kinds]: the critic; NULL: it could not be computed, and is 0 */
    bool exact;    /* nothing was interpolated, and the system is solved */
} asif_episode_value;

/* The agent states that may follow n agent states. */
typedef struct {
    const asif_episode_value *critic;
    uint64_t room; /* most agent states */
    uint64_t n;
    const double *state;
    double *policy, *log_policy, *memo; /* [n][actions], [n][memo width] */
    /* for beliefs: places, which are agent states after an action and an observation */
    uint32_t *place; /* [n][actions][observations]: index of the place; ASIF_ANY: impossible */
    uint64_t places;
    uint32_t *from, *action, *observation;
    double *next;
    uint32_t *node; /* [places][states]: nodes around a place, with their weights */
    double *weight;
} asif_outlook;

/* Solve for the critic; the behaviour is borrowed. `intervals` is the most that the lattice may have; 0: as
 * many as the limits allow. A problem that is too large leaves `worth` NULL. Fails with ASIF_ENOMEM, or as
 * the behaviour does; call asif_episode_value_free() also then. */
asif_status asif_episode_value_create(asif_episode_value *out, const asif_behavior *behavior,
                                      const asif_theta *theta, bool endless, uint32_t max_steps,
                                      uint32_t intervals, asif_error *error);
void asif_episode_value_free(asif_episode_value *critic);

/* Make the arrays for `room` agent states. Fails with ASIF_ENOMEM; call asif_outlook_free() also then. */
asif_status asif_outlook_create(asif_outlook *out, const asif_episode_value *critic, uint64_t room,
                                asif_error *error);
void asif_outlook_free(asif_outlook *outlook);
/* Look ahead from n <= room agent states, which are borrowed. */
asif_status asif_outlook_make(asif_outlook *outlook, uint64_t n, const double *state, asif_error *error);

/* Whether the episode goes on after an action in a state of the world. */
bool asif_episode_value_goes_on(const asif_episode_value *critic, uint32_t action, uint32_t world);
/* Add the gains of an action, times `scale`, to `sum` [kinds]. */
void asif_episode_value_gain(const asif_episode_value *critic, uint32_t action, uint32_t world,
                             const double *state, double scale, double *sum);
/* Add the critic at a state of the world and of the agent, times `scale`, to `sum` [kinds]. */
void asif_episode_value_at(const asif_episode_value *critic, uint32_t world, const double *state,
                           double scale, double *sum);
/* The same for what follows an action of agent state i: the expectation. */
void asif_episode_value_next(const asif_outlook *outlook, uint64_t i, uint32_t action, uint32_t world,
                             double scale, double *sum);
/* Agent states after n moves, as the behaviour's step. If `stays`, an agent that holds what it saw impossible
 * keeps its state; otherwise this is ASIF_EZEROPR. */
asif_status asif_episode_value_step(const asif_episode_value *critic, uint64_t n, const uint32_t *from,
                                    const double *state, const double *memo, const uint32_t *action,
                                    const uint32_t *observation, bool stays, double *next, asif_error *error);

#endif
