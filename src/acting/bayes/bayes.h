/* The Bayes-optimal agent: the best agent that does not know which world is true.
 *
 * Its hidden state is a pair (state, world). The world stays the same within an episode. An action that ends
 * an episode draws a new world from the world weights; the observation after it belongs to the new case and
 * updates both. An episode of the logs begins at the agent's start times the world weights, before anything
 * is observed. Belief terms of the utility use the marginal over states.
 *
 * Reachable beliefs are the nodes of a graph, and are created when they are needed. Nodes that are expanded
 * are inside; the others are at the rim. At the rim, the value has a lower bound (ending now, repeating one
 * action for ever if nothing ends, or following a plan that begins inside) and an upper bound (knowing the
 * world). Inside, backups improve both bounds. */
#ifndef ASIF_SRC_ACTING_BAYES_BAYES_H
#define ASIF_SRC_ACTING_BAYES_BAYES_H

#include "acting/agents.h"
#include "engine/successors.h"

#include "asif/planner.h"

/* ---- bayes_model.c: the hidden pair ---- */

/* The model. A belief is [worlds][states]; if states are observed, it is the state and [worlds]. Worlds and
 * actions of weight 0 are left out; the i-th action is the i-th of the rest. */
typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    bool seen;
    double discount, span;
    uint32_t worlds, actions; /* numbers of worlds and actions of positive weight */
    uint32_t *world, *action; /* [worlds], [actions]: their indices in the setting */
    double *weight, *prior;
    double *start;              /* [starts][states]: the agent's start, borrowed */
    const double *utility;      /* values of the named parameters, borrowed */
    double *gain;               /* [actions][worlds][states]: expected utility, without belief terms */
    double *term_low, *term_up; /* [actions]: bounds on the sum of belief terms */
    bool *renews; /* [actions]: the action ends the case, and what follows does not depend on the belief */
    uint32_t width, most; /* numbers in a belief; most beliefs that can follow an action */
    double *ahead;        /* [worlds * states]: scratch */
    uint32_t *place;      /* [states]: scratch, if states are observed */
} asif_bayes_model;

/* Make the model. `theta` is of the setting, complete, and borrowed. Fails with ASIF_ENOMEM, or as
 * asif_theta_complete() does; call asif_bayes_model_free() also then. */
asif_status asif_bayes_model_create(asif_bayes_model *model, const asif_context *context,
                                    const asif_setting *setting, const asif_theta *theta, asif_error *error);
void asif_bayes_model_free(asif_bayes_model *model);
/* Set the belief at the beginning of an episode of a start class; if states are observed, in this state. */
void asif_bayes_begin(const asif_bayes_model *model, uint32_t start, uint32_t state, double *belief);
/* Set the marginal of a belief over states, [states]. */
void asif_bayes_marginal(const asif_bayes_model *model, const double *belief, double *marginal);
/* Set the expected utility of each action, [actions]. */
void asif_bayes_rewards(const asif_bayes_model *model, const double *belief, const double *marginal,
                        double *reward);
/* List what can follow the i-th action: the label (observation, or next state), probability and belief of
 * each, [most]. Returns their number. */
uint32_t asif_bayes_follow(asif_bayes_model *model, const double *belief, uint32_t i, uint32_t *label,
                           double *probability, double *next);
/* Set the belief after an action whose observation was not seen. */
void asif_bayes_unseen(asif_bayes_model *model, const double *belief, uint32_t i, double *next);
/* out = the expectation of `value` over the next pair (state, world), both [worlds][states]. */
void asif_bayes_expect(const asif_bayes_model *model, uint32_t i, const double *value, double *out);

/* ---- bayes_bounds.c: bounds at the rim ---- */

typedef struct {
    const asif_bayes_model *model;
    asif_successors *successors;
    double *blind; /* [actions][worlds][states]: lower bounds, taking one action for ever */
    double *known; /* [worlds][stride]: upper bounds, knowing the world of each case */
} asif_bayes_bounds;

/* Compute the bounds; the model is borrowed. Fails with ASIF_ENOMEM, or as asif_successors_create() does;
 * call asif_bayes_bounds_free() also then. */
asif_status asif_bayes_bounds_create(asif_bayes_bounds *bounds, const asif_bayes_model *model,
                                     asif_error *error);
void asif_bayes_bounds_free(asif_bayes_bounds *bounds);
/* The value of the best action that is taken for ever; `*action`, which may be NULL, is that action. */
double asif_bayes_blind(const asif_bayes_bounds *bounds, const double *belief, uint32_t *action);
/* The upper bound on the value of a belief. */
double asif_bayes_known(const asif_bayes_bounds *bounds, const double *belief);

/* ---- the graph of beliefs ---- */

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
    double *low, *up; /* [count]: bounds on the values */
    double *mass;     /* [count]: scratch of the search */
    uint32_t *inside; /* [count]: index among the expanded nodes; ASIF_ANY: at the rim */
    uint32_t *chain;  /* [count]: next node with the same hash */
    uint32_t *bucket; /* [buckets] */
    uint64_t *first;  /* [expanded][actions + 1]: first edge of each action */
    uint64_t first_room, edges, edge_room;
    asif_bayes_edge *edge;
    uint64_t *renewal; /* [actions + 1]: first edge, in `fresh`, of each action that renews */
    uint64_t fresh_room;
    asif_bayes_edge *fresh;
    bool renewing;                /* some action renews */
    double *low_after, *up_after; /* [actions]: expected bounds after actions that renew */
    bool planning;                /* bayes_plans.c is used */
    uint32_t plans;               /* number of plans that bound values at the rim */
    double *plan;                 /* [plans][worlds * states]: values of plans */
    double *own;                  /* [expanded][worlds * states]: value of the plan that begins at a node */
    uint32_t *node;               /* [expanded]: node */
    uint64_t own_room, node_room;
    uint32_t *best;        /* [count]: best plan of a node at the rim */
    double *ahead;         /* [2][worlds * states]: scratch */
    const double **follow; /* [observations]: scratch */
    uint32_t *begin;       /* [starts], or [states] if observed: first node of an episode; ASIF_ANY: never */
    uint32_t *label;       /* [most]: scratch, as the next four */
    double *probability, *next, *marginal, *q;
    asif_bayes_info info;
} asif_bayes;

/* ---- bayes_graph.c ---- */

#define ASIF_BAYES_MOST 200000    /* most beliefs */
#define ASIF_BAYES_BUCKETS 262144 /* buckets of the hash */
/* Find the node of a belief, which is added at the rim if it is new. Fails with ASIF_ENOMEM. */
asif_status asif_bayes_node(asif_bayes *bayes, const double *belief, uint32_t *node, asif_error *error);
/* Add the edges of the i-th action at a node to a list. Fails with ASIF_ENOMEM. */
asif_status asif_bayes_edges(asif_bayes *bayes, uint32_t from, uint32_t i, asif_bayes_edge **edge,
                             uint64_t *edges, uint64_t *room, asif_error *error);
/* Expand a node at the rim, so that it is inside. Fails with ASIF_ENOMEM. */
asif_status asif_bayes_expand(asif_bayes *bayes, uint32_t node, asif_error *error);
/* Whether the limit of beliefs is reached. */
bool asif_bayes_full(const asif_bayes *bayes);

/* ---- bayes_search.c: values ---- */

/* Compute the values. If `bayes->info.computed` is false afterwards, they are not precise enough, and none of
 * the functions below may be called. Fails as asif_bayes_model_create() and asif_bayes_bounds_create() do, or
 * with ASIF_ECANCELLED; call asif_bayes_free() in any case. Costs a few milliseconds for DIAG, and some
 * seconds at the limit of beliefs. */
asif_status asif_bayes_create(asif_bayes *bayes, const asif_context *context, const asif_setting *setting,
                              const asif_theta *theta, asif_error *error);
void asif_bayes_free(asif_bayes *bayes);
/* Refine the values at n beliefs `root`, so that the gap, sum weight (up - low), is small. info.computed
 * tells whether it is, and info.gap is the widest gap that any search left. */
asif_status asif_bayes_search(asif_bayes *bayes, uint32_t n, const uint32_t *root, const double *weight,
                              asif_error *error);

/* Value of the i-th action at a node inside, or of one that renews at any node; `after` are the values that
 * follow those that renew. */
double asif_bayes_q(const asif_bayes *bayes, uint32_t node, uint32_t i, const double *value,
                    const double *after);
/* The action with the best lower bound at a node inside. */
uint32_t asif_bayes_best_below(const asif_bayes *bayes, uint32_t node);
/* Lower bound on the value of a node at the rim if the agent acts as asif_bayes_act() does. */
double asif_bayes_rim(const asif_bayes *bayes, uint32_t node);
/* Repeat backups until all values are up to date. Fails with ASIF_ECANCELLED. */
asif_status asif_bayes_settle(asif_bayes *bayes, asif_error *error);
/* The gap to reach, in units of utility: smaller as long as that is cheap. */
double asif_bayes_aim(const asif_bayes *bayes);

/* ---- bayes_plans.c: better lower bounds than ending now ---- */

#define ASIF_BAYES_PLANS 128 /* most plans that begin inside */
/* Whether plans are used: there are few enough pairs of state and world, all hidden. */
bool asif_bayes_plans_fit(const asif_bayes_model *model);
/* Make plans from all beliefs inside, and the lower bounds that they give at the rim. Costs O(count plans
 * worlds states). */
void asif_bayes_plans(asif_bayes *bayes);
/* The same for one node: when it is added at the rim, and when it is expanded. */
void asif_bayes_plan_rim(asif_bayes *bayes, uint32_t node);
void asif_bayes_plan_begin(asif_bayes *bayes, uint32_t node);

/* ---- bayes_act.c ---- */

/* Set the probabilities of the model's actions at a node; ties are shared. At the rim, the agent ends the
 * case; or, if no action does, `*blind` is the action that it takes for ever. Else `*blind` is ASIF_ANY. */
void asif_bayes_act(const asif_bayes *bayes, uint32_t node, double *policy, uint32_t *blind);
/* Compute the policy after a history, [actions of the setting]; NaN: not known. Fails with ASIF_ENOMEM or
 * ASIF_ECANCELLED. */
asif_status asif_bayes_after(asif_bayes *bayes, const asif_outcome_history *history, double *policy,
                             asif_error *error);

/* ---- bayes_measures.c: in the environment ---- */

/* Compute the measures of episode_measures.h by an exact forward pass; `behavior` is any behaviour of the
 * setting. Use them only if info.computed is true afterwards; it is false if beliefs that matter in the
 * environment are not known precisely enough. Fails with ASIF_EZEROPR if the environment shows something that
 * every world of the agent rules out, ASIF_ENOMEM or ASIF_ECANCELLED. */
asif_status asif_bayes_measures(asif_bayes *bayes, double *measure, const asif_behavior *behavior,
                                const asif_theta *theta, uint32_t start, uint32_t max_steps,
                                asif_error *error);

/* ---- bayes_flat.c: where no place can come again ---- */

/* The same agent, in a setting of one world in which the world is a part of what is hidden. */
typedef struct {
    asif_setting *setting;
    asif_work *work; /* solved */
    asif_theta *theta;
    uint64_t beliefs; /* that can be reached */
} asif_bayes_flat;

/* Make and solve it, exactly. Fails with ASIF_EUNSUPPORTED where places can come again or utilities depend on
 * beliefs, ASIF_ETOOBIG if too many beliefs can be reached, ASIF_ENOMEM, or as asif_solve() does; call
 * asif_bayes_flat_free() in any case. */
asif_status asif_bayes_flat_create(asif_bayes_flat *out, const asif_context *context,
                                   const asif_setting *setting, const asif_theta *theta, asif_error *error);
void asif_bayes_flat_free(asif_bayes_flat *flat);

#endif
