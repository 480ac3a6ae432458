/* The Bayes-optimal agent: the best that can be done without knowing which world is true.
 *
 * Its hidden state is a pair (state, world). The world stays the same within an episode. An action that ends
 * an episode draws a new world from the world weights; what is seen then belongs to the new case and updates
 * both. An episode of the logs begins at the agent's start times the world weights, before anything is seen.
 * Belief terms of the utility use the marginal over states.
 *
 * Reachable beliefs are created when they are needed. At the rim, where beliefs are not expanded, the value
 * has a lower bound (ending now, repeating one action for ever where nothing ends, or following a plan that
 * begins inside) and an upper bound (knowing the world). Inside, backups improve both bounds. */
#ifndef ASIF_SRC_ACTING_BAYES_BAYES_H
#define ASIF_SRC_ACTING_BAYES_BAYES_H

#include "acting/agents.h"
#include "engine/successors.h"

/* ---- bayes_model.c: the hidden pair ---- */

/* A belief is [worlds][states]; where states are seen, the state and [worlds]. */
typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    bool seen;
    double discount, span;
    uint32_t worlds, actions; /* of positive weight */
    uint32_t *world, *action; /* their numbers in the setting */
    double *weight, *prior;
    double *start;              /* [starts][states]: the agent's */
    const double *utility;      /* of the named parameters, borrowed */
    double *gain;               /* [actions][worlds][states]: utility expected, without belief terms */
    double *term_low, *term_up; /* [actions]: bounds on what belief terms add */
    bool *renews;               /* [actions]: what follows does not depend on the belief: a new case */
    uint32_t width, most;       /* numbers in a belief; beliefs that can follow an action */
    double *ahead;              /* [worlds * states] */
    uint32_t *place;            /* [states] where they are seen */
} asif_bayes_model;

/* `theta` is borrowed, complete, and of the setting. Where it fails, asif_bayes_model_free() all the same. */
asif_status asif_bayes_model_create(asif_bayes_model *model, const asif_context *context,
                                    const asif_setting *setting, const asif_theta *theta, asif_error *error);
void asif_bayes_model_free(asif_bayes_model *model);
/* Where an episode of a start class begins; where states are seen, in this state. */
void asif_bayes_begin(const asif_bayes_model *model, uint32_t start, uint32_t state, double *belief);
/* [states] */
void asif_bayes_marginal(const asif_bayes_model *model, const double *belief, double *marginal);
/* Utility expected of each action, [actions]. */
void asif_bayes_rewards(const asif_bayes_model *model, const double *belief, const double *marginal,
                        double *reward);
/* What can follow the i-th action: `label` (observation, or next state), probability and belief of each,
 * [most]. Returns how many. */
uint32_t asif_bayes_follow(asif_bayes_model *model, const double *belief, uint32_t i, uint32_t *label,
                           double *probability, double *next);
/* The belief after an action whose observation was not seen. */
void asif_bayes_unseen(asif_bayes_model *model, const double *belief, uint32_t i, double *next);
/* out = sum over (state, world) that follows of its value, [worlds][states] both. */
void asif_bayes_expect(const asif_bayes_model *model, uint32_t i, const double *value, double *out);

/* ---- bayes_bounds.c: at the rim ---- */

typedef struct {
    const asif_bayes_model *model;
    asif_successors *successors;
    double *blind; /* [actions][worlds][states]: of taking the same action for ever, from below */
    double *known; /* [worlds][stride]: of knowing the world of each case, from above */
} asif_bayes_bounds;

asif_status asif_bayes_bounds_create(asif_bayes_bounds *bounds, const asif_bayes_model *model,
                                     asif_error *error);
void asif_bayes_bounds_free(asif_bayes_bounds *bounds);
/* The best of one action for ever; `*action`, which may be NULL, is that one. */
double asif_bayes_blind(const asif_bayes_bounds *bounds, const double *belief, uint32_t *action);
double asif_bayes_known(const asif_bayes_bounds *bounds, const double *belief);

/* ---- the whole ---- */

typedef struct {
    uint32_t node, label;
    double probability;
} asif_bayes_edge;

typedef struct {
    const asif_context *context;
    asif_bayes_model model;
    asif_bayes_bounds bounds;
    uint32_t count, expanded;
    uint64_t room;
    double *belief;   /* [count][width] */
    double *reward;   /* [count][actions] */
    double *low, *up; /* [count]: values */
    double *mass;     /* [count]: scratch of the search */
    uint32_t *inside; /* [count]: which of the expanded; ASIF_ANY: at the rim */
    uint32_t *chain;  /* [count]: next with the same hash */
    uint32_t *bucket; /* [buckets] */
    uint64_t *first;  /* [expanded][actions + 1]: edges */
    uint64_t first_room, edges, edge_room;
    asif_bayes_edge *edge;
    uint64_t *renewal; /* [actions + 1]: edges of actions that renew, in `fresh` */
    uint64_t fresh_room;
    asif_bayes_edge *fresh;
    bool renewing;                /* some action does */
    double *low_after, *up_after; /* [actions]: of those */
    bool planning;                /* bayes_plans.c is of use */
    uint32_t plans;               /* that bound values at the rim */
    double *plan;                 /* [plans][worlds * states]: their values */
    double *own;                  /* [expanded][worlds * states]: of the plan that begins at a node */
    uint32_t *node;               /* [expanded] */
    uint64_t own_room, node_room;
    uint32_t *best;        /* [count]: at the rim, the best plan */
    double *ahead;         /* [2][worlds * states] */
    const double **follow; /* [observations] */
    uint32_t *begin;       /* [starts]; where states are seen [states], ASIF_ANY: not looked at */
    uint32_t *label;       /* [most] */
    double *probability, *next, *marginal, *q;
    asif_bayes_info info;
} asif_bayes;

/* ---- bayes_graph.c ---- */

#define ASIF_BAYES_MOST 200000    /* beliefs */
#define ASIF_BAYES_BUCKETS 262144 /* of the hash */
/* The number of a belief, which is added at the rim if it is new. */
asif_status asif_bayes_node(asif_bayes *bayes, const double *belief, uint32_t *node, asif_error *error);
/* What follows the i-th action at a node, added to a list of edges. */
asif_status asif_bayes_edges(asif_bayes *bayes, uint32_t from, uint32_t i, asif_bayes_edge **edge,
                             uint64_t *edges, uint64_t *room, asif_error *error);
/* Expand a node at the rim. */
asif_status asif_bayes_expand(asif_bayes *bayes, uint32_t node, asif_error *error);
/* Whether the limit of beliefs is reached. */
bool asif_bayes_full(const asif_bayes *bayes);

/* ---- bayes_search.c: values ---- */

/* Compute the values. If `bayes->info.computed` is false afterwards, they are not known well enough, and none
 * of the functions below may be called. Call asif_bayes_free() whether it fails or not. Cost: a few
 * milliseconds for DIAG; some seconds at the limit of beliefs. */
asif_status asif_bayes_create(asif_bayes *bayes, const asif_context *context, const asif_setting *setting,
                              const asif_theta *theta, asif_error *error);
void asif_bayes_free(asif_bayes *bayes);
/* Refine the values at beliefs, so that the gap, sum weight (up - low), is small: info.computed says whether
 * it is, and info.gap is the widest that was left of all searches. */
asif_status asif_bayes_search(asif_bayes *bayes, uint32_t n, const uint32_t *root, const double *weight,
                              asif_error *error);

/* Value of the i-th action at a node that is inside, or of one that renews; `after` is what follows those. */
double asif_bayes_q(const asif_bayes *bayes, uint32_t node, uint32_t i, const double *value,
                    const double *after);
/* The action of the best lower value at a node inside. */
uint32_t asif_bayes_best_below(const asif_bayes *bayes, uint32_t node);
/* Lower bound on the value of acting at a node of the rim as asif_bayes_act() does. */
double asif_bayes_rim(const asif_bayes *bayes, uint32_t node);
/* Bring all values up to date. */
asif_status asif_bayes_settle(asif_bayes *bayes, asif_error *error);
/* The gap to reach, in utility: smaller as long as that is cheap. */
double asif_bayes_aim(const asif_bayes *bayes);

/* ---- bayes_plans.c: bounds from below that are better than ending now ---- */

#define ASIF_BAYES_PLANS 128 /* that begin inside */
/* Whether there are few enough pairs of state and world, all hidden. */
bool asif_bayes_plans_fit(const asif_bayes_model *model);
/* Make plans from all beliefs inside, and the lower bounds that they give at the rim. Cost: O(count plans
 * worlds states). */
void asif_bayes_plans(asif_bayes *bayes);
/* The same for one node: at the rim, and when it is expanded. */
void asif_bayes_plan_rim(asif_bayes *bayes, uint32_t node);
void asif_bayes_plan_begin(asif_bayes *bayes, uint32_t node);

/* ---- bayes_act.c ---- */

/* Probabilities of the model's actions at a node; those that tie share. At the rim an ending action, or none:
 * `*blind` is then the action to take for ever; else ASIF_ANY. */
void asif_bayes_act(const asif_bayes *bayes, uint32_t node, double *policy, uint32_t *blind);
/* Policy after a history, [actions of the setting]; NaN where it is not known. */
asif_status asif_bayes_after(asif_bayes *bayes, const asif_outcome_history *history, double *policy,
                             asif_error *error);

/* ---- bayes_measures.c: in the environment ---- */

/* The measures of episode_measures.h by an exact forward pass; `behavior` is any behaviour of the setting.
 * Use them only if info.computed is true afterwards: it is false if beliefs that matter in the environment
 * are not known well enough. */
asif_status asif_bayes_measures(asif_bayes *bayes, double *measure, const asif_behavior *behavior,
                                const asif_theta *theta, uint32_t start, uint32_t max_steps,
                                asif_error *error);

#endif
