/* The critic of policy_value.h: the expected rest of an episode, or of an endless run, from a state of the
 * world and a state of the agent. */
#ifndef ASIF_SRC_ACTING_EPISODE_VALUE_H
#define ASIF_SRC_ACTING_EPISODE_VALUE_H

#include "acting/decision_utility.h"
#include "behavior/behavior.h"
#include "engine/lattice.h"

typedef struct {
    const asif_context *context;
    const asif_behavior *behavior;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    asif_decision_utility gains;
    bool endless;    /* ending actions lead on; the only sum is that of the utility, discounted */
    double discount; /* of the sums: 1 of episodes */
    uint32_t kinds;  /* sums: times that each action is taken, wrong endings, utility; or the utility only */
    bool beliefs;
    asif_lattice lattice;
    uint64_t points; /* (node, state of the world), or states where they are seen */
    double *worth;   /* [points][kinds]; NULL: it could not be computed, and the critic is 0 */
    bool exact;      /* nothing was interpolated, and the system is solved */
} asif_episode_value;

/* What may follow n agent states. */
typedef struct {
    const asif_episode_value *critic;
    uint64_t room; /* agent states at most */
    uint64_t n;
    const double *state;
    double *policy, *log_policy, *memo; /* [n][actions], [n][memo width] */
    /* of beliefs: places after an action and an observation */
    uint32_t *place; /* [n][actions][observations]: which; ASIF_ANY: cannot be */
    uint64_t places;
    uint32_t *from, *action, *observation;
    double *next;
    uint32_t *node; /* [places][states] and their weights */
    double *weight;
} asif_outlook;

asif_status asif_episode_value_create(asif_episode_value *out, const asif_behavior *behavior,
                                      const asif_theta *theta, bool endless, uint32_t max_steps,
                                      asif_error *error);
void asif_episode_value_free(asif_episode_value *critic);

asif_status asif_outlook_create(asif_outlook *out, const asif_episode_value *critic, uint64_t room,
                                asif_error *error);
void asif_outlook_free(asif_outlook *outlook);
/* Look ahead from n <= room agent states, borrowed. `world` [n]: states that the world is in; NULL: any. */
asif_status asif_outlook_make(asif_outlook *outlook, uint64_t n, const double *state, const uint32_t *world,
                              asif_error *error);

/* Whether anything follows an action in a state of the world. */
bool asif_episode_value_goes_on(const asif_episode_value *critic, uint32_t action, uint32_t world);
/* Gains of an action, [kinds], times `scale`, added to `sum`. */
void asif_episode_value_gain(const asif_episode_value *critic, uint32_t action, uint32_t world,
                             const double *state, double scale, double *sum);
/* Worth of a state of the world and of the agent, times `scale`, added to `sum` [kinds]. */
void asif_episode_value_at(const asif_episode_value *critic, uint32_t world, const double *state,
                           double scale, double *sum);
/* The same of what follows an action of agent i: on average, and for one that was seen. */
void asif_episode_value_next(const asif_outlook *outlook, uint64_t i, uint32_t action, uint32_t world,
                             double scale, double *sum);
void asif_episode_value_seen(const asif_outlook *outlook, uint64_t i, const asif_decision *decision,
                             double scale, double *sum);

#endif
