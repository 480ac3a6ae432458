/* A planner as a table of functions. A new planner is one file with such a table, and one line in registry.c.
 */
#ifndef ASIF_SRC_PLANNERS_PLANNER_H
#define ASIF_SRC_PLANNERS_PLANNER_H

#include "asif/planner.h"
#include "behavior/behavior.h"

/* A number of theta as far as a planner decides on it; 0: it does not. */
typedef struct {
    enum { ASIF_FREE, ASIF_USUAL, ASIF_FIXED } how; /* usual: where nothing is said */
    double value;
} asif_restriction_number;

/* What all agents of a planner have in common: the registry sees to it, in settings, in thetas and in
 * studies. */
typedef struct {
    asif_restriction_number alpha, beta, eta;
    bool acts;          /* act_alpha may be given: a softmax on top of values */
    bool myopic;        /* plans as if the discount were 0, whatever it is */
    bool uniform;       /* has a uniform action prior */
    bool one_world;     /* knows one world */
    bool states_only;   /* no utility by observation or belief */
    bool no_beliefs;    /* no utility by belief */
    bool needs_beliefs; /* has a utility that depends on the belief */
    uint32_t sees;      /* ASIF_SEES_...; 0: of a planner, what its info says */
    bool means;         /* acts by means (ASIF_MEANS) and has no utility */
} asif_restriction;

/* Many thetas at once, vectors along theta; one thread at a time. What a theta gets depends on nothing in the
 * others. */
typedef struct {
    bool (*fits)(const void *self); /* does it pay? */
    /* Of a workspace, which it must not outlive. */
    asif_status (*create)(void **many, void *self, asif_error *error);
    void (*free)(void *many);
    double *(*start)(void *many); /* [nodes]: the values from which every theta is solved; 0 at first */
    /* count <= ASIF_MANY thetas that keep to what the planner narrows; solved[i] false: to be solved alone.
     */
    asif_status (*solve)(void *many, const asif_theta *const *theta, uint32_t count, bool *solved,
                         asif_error *error);
    /* After a solve: of a theta that was solved, [nodes]. */
    void (*values)(const void *many, uint32_t i, double *out);
    uint32_t (*lanes)(const void *many);
    uint32_t (*memo_width)(const void *many);
    asif_many_ops behavior;
} asif_planner_many;

typedef struct asif_planner_ops {
    asif_planner_info info;  /* name, one line for `asif list`, what it gives, what it is for */
    asif_restriction narrow; /* solve() sees thetas that keep to it */
    /* Workspace for a setting, owned by the caller. */
    asif_status (*create)(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error);
    /* Another for another thread; what does not depend on theta may be shared. */
    asif_status (*clone)(void **self, const void *from, asif_error *error);
    void (*free)(void *self);
    /* Solve, warm where it can be; `info` is never NULL. */
    asif_status (*solve)(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error);
    uint32_t (*width)(const void *self); /* numbers in an agent state */
    /* Optional: numbers that behavior.log_policy remembers for behavior.step, after a solve. */
    uint32_t (*memo_width)(const void *self);
    asif_behavior_ops behavior;
    asif_pullback_ops pullback; /* ASIF_GIVES_GRADIENT */
    /* ASIF_GIVES_VALUES */
    uint32_t (*nodes)(const void *self);
    void (*node)(const void *self, uint32_t node, double *state);
    double *(*values)(void *self);
    double (*spread)(const void *self); /* the largest sd of K over the worlds, once solved */
    void (*forget)(void *self);         /* what earlier solves left: the next one starts from nothing */
    const asif_planner_many *many;      /* NULL: thetas are taken one after the other */
    /* ASIF_GIVES_OCCUPANCY */
    asif_status (*occupancy)(void *self, const double *start, double *mu, asif_costs *costs,
                             asif_error *error);
    asif_status (*policy_values)(void *self, const double *policy, const double *worlds, double *values,
                                 asif_plan_info *info, asif_error *error);
    /* Optional: the table to take instead where samples are asked for, of the same name and narrowing. */
    const struct asif_planner_ops *sampled;
    bool learns; /* takes samples anyway */
    bool hidden; /* agent states are neither beliefs nor world states */
} asif_planner_ops;

/* Is a solve good enough to compare behaviour with logs? ASIF_EDOMAIN, in words, where it stopped too far
 * from the fixed point, or where the discount is so near 1 that rounding decides the values; ASIF_ECANCELLED.
 * Values that are not finite are the caller's. */
asif_status asif_plan_judge(const asif_plan_info *info, asif_error *error);

extern const asif_planner_ops asif_planner_bounded_rational;
extern const asif_planner_ops asif_planner_model_based_mdp;
extern const asif_planner_ops asif_planner_maximum_entropy;
extern const asif_planner_ops asif_planner_kl_regularized;
extern const asif_planner_ops asif_planner_model_based_pomdp;
extern const asif_planner_ops asif_planner_belief_aware;
extern const asif_planner_ops asif_planner_decision_rule;
extern const asif_planner_ops asif_planner_decision_boundaries;
extern const asif_planner_ops asif_planner_differentiable;
extern const asif_planner_ops asif_planner_q_learning, asif_planner_soft_q_learning, asif_planner_recurrent;

/* By name; NULL after filling the error. */
const asif_planner_ops *asif_planner_find(const char *name, asif_error *error);
/* restriction.c: what is narrowed of a setting, piece by piece, so that a study can say where it is broken.
 */
typedef enum {
    ASIF_PIECE_SEES,
    ASIF_PIECE_WORLDS,
    ASIF_PIECE_OBSERVATION, /* utility by observation */
    ASIF_PIECE_BELIEF,      /* utility by belief */
    ASIF_PIECE_NO_BELIEF,   /* the lack of one */
    ASIF_PIECE_ACTION_PRIOR,
    ASIF_PIECES
} asif_piece;
typedef struct {
    bool observes; /* there are observations */
    bool by_observation, by_belief;
    uint32_t worlds, actions;
    const double *action_prior; /* [actions]; NULL: uniform */
} asif_restriction_facts;
/* What is asked where a piece breaks a narrowing, to be said after the name of the planner; NULL where it
 * does not. */
const char *asif_restriction_broken(const asif_restriction *narrow, asif_piece piece,
                                    const asif_restriction_facts *facts, const char **hint);
/* The narrowing of a planner, `sees` included. */
asif_restriction asif_planner_restriction(const asif_planner_ops *planner);
/* The i-th number that can be narrowed, with its name; false past the last. */
bool asif_restriction_number_get(const asif_restriction *narrow, uint32_t i, const char **name,
                                 asif_restriction_number *out);
/* Is it that value? The sign of an alpha of 0 matters. */
bool asif_restriction_same(double value, double narrowed);
/* Does the planner go with the setting? */
asif_status asif_restriction_setting(const asif_planner_ops *planner, const asif_setting *setting,
                                     asif_error *error);
/* Give a theta what the planner fixes, and what is usual where nothing is said. ASIF_EDOMAIN where it says
 * otherwise. */
asif_status asif_restriction_theta(const asif_planner_ops *planner, asif_theta *theta, asif_error *error);

/* The setting of a workspace, what its planner gives (ASIF_GIVES_...), and its behaviour as far as it is
 * known before a solve: labels and width. */
const asif_setting *asif_work_setting(const asif_work *work);
uint32_t asif_work_gives(const asif_work *work);
/* The largest sd of K over the worlds, once solved; NaN: the planner has none. */
double asif_work_spread(const asif_work *work);
const asif_planner_info *asif_work_planner(const asif_work *work);
const asif_behavior *asif_work_unsolved(const asif_work *work);
/* The next solve starts from nothing, and its result is a function of its theta alone. */
void asif_work_forget(asif_work *work);

/* Does the planner solve many thetas at once here? If not, asif_work_solve_many() solves none. */
bool asif_work_has_many(const asif_work *work);
/* The values [nodes] from which asif_work_solve_many() starts every theta; without them, from 0. */
asif_status asif_work_start_many(asif_work *work, const double *values, asif_error *error);
/* Solve count <= ASIF_MANY thetas at once; the workspace's own solution and its behaviour stay as they are.
 * solved[i] false: the i-th has to be solved alone (all of them, if the planner takes one at a time). What a
 * theta gets depends on nothing in the others. ASIF_ECANCELLED, ASIF_ENOMEM, or what asif_solve() says of a
 * theta. */
asif_status asif_work_solve_many(asif_work *work, const asif_theta *const *theta, uint32_t count,
                                 bool *solved, asif_error *error);
/* Of what was solved last: how these agents behave, until the next call; and the values of the i-th, [nodes].
 */
const asif_many_behavior *asif_work_many(const asif_work *work);
void asif_work_many_values(const asif_work *work, uint32_t i, double *out);

/* Give a theta what the agents of a planner have in common (alpha 0 of those that always take the best
 * action), and what is usual where nothing is said. @return ASIF_OK, ASIF_EUNKNOWN (no such planner) or
 * ASIF_EDOMAIN (theta says otherwise). */
asif_status asif_planner_settle(const char *planner, asif_theta *theta, asif_error *error);
/* Start the next solve from these values, [nodes]. */
void asif_work_set_values(asif_work *work, const double *values);
/*
 * How far the agent's worlds differ in what they promise: the largest standard deviation over the world
 * weights of K(z,u,m), the expected future of action u in world m (Theorem 4), over nodes z and actions u.
 * The agent is that of `theta`, but neutral (optimism 0, eta 0) and with an alpha of .01 of `span`.
 *
 * @param out   To 4 significant digits, so that rounding does not show; 0: the worlds make no
 * difference.
 * @param work       Cloned; it is not changed.
 * @param theta      Complete but for alpha, act_alpha, beta and eta.
 * @param span       Of the utility, above 0.
 * @param error May be NULL.
 * @return ASIF_OK, ASIF_EUNSUPPORTED (a planner without worlds, values that overflow), ASIF_EUNSET or
 * ASIF_ENOMEM.
 *
 * Cost: a solve; none where there is one world.
 */
asif_status asif_world_spread(double *out, const asif_work *work, const asif_theta *theta, double span,
                              asif_error *error);

#endif
