/* Situations of simulated episodes: a state of the agent, and what an observer who knows the environment
 * believes about the state of the world. Episodes that come into the same situation share what is computed
 * there: the policy, the correction of the critic (policy_value.h), and what follows. Situations that differ
 * by rounding only are the same. */
#ifndef ASIF_SRC_ACTING_POLICY_SITUATIONS_H
#define ASIF_SRC_ACTING_POLICY_SITUATIONS_H

#include "acting/policy/episode_value.h"

/* Moves followed at once. */
#define ASIF_SITUATIONS_MOVES 256

/* What follows an action and an observation (the next state where states are seen). */
typedef struct {
    uint32_t action, seen, situation;
    uint32_t next; /* another one of the same situation; ASIF_ANY: none */
} asif_situation_edge;

typedef struct {
    const asif_episode_value *critic;
    asif_outlook outlook;
    uint32_t count, room;
    uint32_t known;     /* those before it have their policy, memo and correction */
    double *state;      /* [count][width] */
    double *world;      /* [count][hidden values] */
    double *policy;     /* [count][actions] */
    double *memo;       /* [count][memo width] */
    double *correction; /* [count][kinds] */
    double *times;      /* [count]: decisions made there, counted by the caller */
    uint32_t *edges;    /* [count]: the first edge; ASIF_ANY: none */
    asif_situation_edge *edge;
    uint64_t edge_count, edge_room;
    uint32_t *table; /* [slots]: situations by their rounded numbers; ASIF_ANY: free */
    uint32_t slots;  /* a power of 2 */
    /* Moves that were not made before: the edges to be filled, who asked, and the agent states that follow.
     */
    uint32_t missing;
    uint32_t *gap, *asker, *from, *action, *seen; /* [ASIF_SITUATIONS_MOVES] */
    double *next;                                 /* [ASIF_SITUATIONS_MOVES][width] */
    double *state_room, *world_room;              /* [width], [hidden values] */
} asif_situations;

/* Make an empty set. The critic is borrowed. Fails with ASIF_ENOMEM; call asif_situations_free() also then.
 */
asif_status asif_situations_create(asif_situations *set, const asif_episode_value *critic, asif_error *error);
void asif_situations_free(asif_situations *set);
/* Forget all situations. */
void asif_situations_clear(asif_situations *set);

/* Where an episode of a start class begins; `first` is the state of the world. */
asif_status asif_situations_start(asif_situations *set, uint32_t start, uint32_t first, uint32_t *out,
                                  asif_error *error);
/* Compute the policy and the correction of those that lack them. */
asif_status asif_situations_look(asif_situations *set, asif_error *error);
/* Where n <= ASIF_SITUATIONS_MOVES moves lead to. An observation that the agent holds impossible is
 * ASIF_EZEROPR with error->row 1 + the index of its move, or, if `stays`, leaves the agent's state as it is.
 */
asif_status asif_situations_follow(asif_situations *set, uint32_t n, const uint32_t *from,
                                   const uint32_t *action, const uint32_t *seen, bool stays, uint32_t *out,
                                   asif_error *error);

#endif
