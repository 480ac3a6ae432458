/* A planner as a table of functions. A new planner is one file with such a table, and one line in registry.c.
 */
#ifndef ASIF_SRC_PLANNERS_PLANNER_H
#define ASIF_SRC_PLANNERS_PLANNER_H

#include "asif/planner.h"
#include "behavior/behavior.h"

/* What a planner decides about one parameter of theta; all zeros: nothing. */
typedef struct {
    enum { ASIF_FREE, ASIF_USUAL, ASIF_FIXED } how; /* usual: a default; fixed: the only value allowed */
    double value;
} asif_restriction_number;

/* The restriction of a planner: what all its agents have in common. The registry enforces it in settings, in
 * thetas and in studies. */
typedef struct {
    asif_restriction_number alpha, beta, eta;
    bool acts;          /* act_alpha may be set: the agent acts by a softmax of its values */
    bool myopic;        /* plans as if the discount were 0, whatever the discount is */
    bool uniform;       /* has a uniform action prior */
    bool one_world;     /* knows one world */
    bool states_only;   /* no utility by observation or belief */
    bool no_beliefs;    /* no utility by belief */
    bool needs_beliefs; /* has a utility that depends on the belief */
    uint32_t sees;      /* ASIF_SEES_...; 0 in a planner's table: as in its info */
    bool means;         /* acts on means (ASIF_MEANS) and has no utility */
} asif_restriction;

/* Functions that solve many thetas at once, with vector lanes along theta; to be used by one thread at a
 * time. The result for a theta does not depend on the others. */
typedef struct {
    bool (*fits)(const void *self); /* is it faster than one theta at a time? */
    /* Make the workspace for many thetas from that of a planner, which must outlive it. */
    asif_status (*create)(void **many, void *self, asif_error *error);
    void (*free)(void *many);
    double *(*start)(void *many); /* [nodes]: the values from which every theta is solved; 0 at first */
    /* Solve count <= ASIF_MANY thetas that comply with the planner's restriction. If solved[i] is false, the
     * i-th theta has to be solved alone. */
    asif_status (*solve)(void *many, const asif_theta *const *theta, uint32_t count, bool *solved,
                         asif_error *error);
    /* The same with known values [count][nodes] of those that are solved. */
    asif_status (*restore)(void *many, const asif_theta *const *theta, uint32_t count, const bool *solved,
                           const double *values, asif_error *error);
    /* Values [nodes] of the i-th theta, if it was solved. */
    void (*values)(const void *many, uint32_t i, double *out);
    uint32_t (*lanes)(const void *many);
    uint32_t (*memo_width)(const void *many);
    asif_many_ops behavior;
} asif_planner_many;

typedef struct asif_planner_ops {
    /* Name, summary for `asif list`, results that it provides, settings that it applies to. */
    asif_planner_info info;
    asif_restriction narrow; /* restriction; solve() receives only thetas that comply */
    /* Make a workspace for a setting, owned by the caller. */
    asif_status (*create)(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error);
    /* Copy a workspace for another thread; data that do not depend on theta may be shared. */
    asif_status (*clone)(void **self, const void *from, asif_error *error);
    void (*free)(void *self);
    /* Solve, with a warm start if possible; `info` is never NULL. */
    asif_status (*solve)(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error);
    uint32_t (*width)(const void *self); /* numbers in an agent state */
    /* Optional, after a solve: how many numbers behavior.log_policy stores for behavior.step. */
    uint32_t (*memo_width)(const void *self);
    asif_behavior_ops behavior;
    asif_pullback_ops pullback; /* ASIF_GIVES_GRADIENT */
    /* ASIF_GIVES_VALUES */
    uint32_t (*nodes)(const void *self);
    void (*node)(const void *self, uint32_t node, double *state);
    double *(*values)(void *self);
    double (*spread)(const void *self); /* the largest sd of K over the worlds, once solved */
    void (*forget)(void *self);         /* discard the warm start: the next solve starts from scratch */
    const asif_planner_many *many;      /* NULL: thetas are solved one after the other */
    /* ASIF_GIVES_OCCUPANCY */
    asif_status (*occupancy)(void *self, const double *start, double *mu, asif_costs *costs,
                             asif_error *error);
    asif_status (*policy_values)(void *self, const double *policy, const double *worlds, double *values,
                                 asif_plan_info *info, asif_error *error);
    /* Optional: the planner to use instead with `method: samples`, of the same name and restriction. */
    const struct asif_planner_ops *sampled;
    bool learns; /* always learns from samples */
    bool hidden; /* agent states are neither beliefs nor world states */
    bool parts;  /* knows states of which a part is seen */
} asif_planner_ops;

/* Check that a solve is accurate enough to compare behaviour with logs. ASIF_EDOMAIN with a message if it
 * stopped too far from the fixed point, or if the discount is so near 1 that rounding errors dominate the
 * values; ASIF_ECANCELLED. Values that are not finite are left to the caller. */
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

/* Find a planner by its name; NULL after filling the error. */
const asif_planner_ops *asif_planner_find(const char *name, asif_error *error);
/* restriction.c: the aspects of a setting that a restriction can limit, checked one by one so that a study
 * can report the place of a violation. */
typedef enum {
    ASIF_PIECE_SEES,
    ASIF_PIECE_WORLDS,
    ASIF_PIECE_OBSERVATION, /* utility by observation */
    ASIF_PIECE_BELIEF,      /* utility by belief */
    ASIF_PIECE_NO_BELIEF,   /* no utility by belief although one is needed */
    ASIF_PIECE_ACTION_PRIOR,
    ASIF_PIECES
} asif_piece;
typedef struct {
    bool observes; /* there are observations */
    bool by_observation, by_belief;
    uint32_t worlds, actions;
    const double *action_prior; /* [actions]; NULL: uniform */
} asif_restriction_facts;
/* The requirement that an aspect violates, as a text that continues the name of the planner; NULL if it
 * violates none. */
const char *asif_restriction_broken(const asif_restriction *narrow, asif_piece piece,
                                    const asif_restriction_facts *facts, const char **hint);
/* The restriction of a planner, with `sees` filled in. */
asif_restriction asif_planner_restriction(const asif_planner_ops *planner);
/* The i-th parameter that can be restricted, with its name; false past the last. */
bool asif_restriction_number_get(const asif_restriction *narrow, uint32_t i, const char **name,
                                 asif_restriction_number *out);
/* Whether a value equals the restricted one; +0 and -0 differ. */
bool asif_restriction_same(double value, double narrowed);
/* Check that the planner applies to the setting. */
asif_status asif_restriction_setting(const asif_planner_ops *planner, const asif_setting *setting,
                                     asif_error *error);
/* Set the parameters of a theta that the planner fixes, and the defaults of those without a value.
 * ASIF_EDOMAIN if theta contradicts the planner. */
asif_status asif_restriction_theta(const asif_planner_ops *planner, asif_theta *theta, asif_error *error);

/* Parts of a workspace: its setting, what its planner provides (ASIF_GIVES_...) and, further below, the parts
 * of its behaviour that are known before a solve (labels and width). */
const asif_setting *asif_work_setting(const asif_work *work);
/* Keep a work until asif_work_free() is called once more. */
void asif_work_keep(const asif_work *work);
uint32_t asif_work_gives(const asif_work *work);
/* The largest sd of K over the worlds, once solved; NaN: the planner has none. */
double asif_work_spread(const asif_work *work);
/* Whether its nodes are the beliefs that can be reached from the start. */
bool asif_work_reached(const asif_work *work);
const asif_planner_info *asif_work_planner(const asif_work *work);
const asif_behavior *asif_work_unsolved(const asif_work *work);
/* Discard the warm start: the next solve starts from scratch, and its result depends on its theta alone. */
void asif_work_forget(asif_work *work);

/* Whether the planner can solve many thetas at once in this setting. If not, asif_work_solve_many() solves
 * none. */
bool asif_work_has_many(const asif_work *work);
/* Set the values [nodes] from which asif_work_solve_many() starts every theta; by default they are 0. */
asif_status asif_work_start_many(asif_work *work, const double *values, asif_error *error);
/* Solve count <= ASIF_MANY thetas at once; the workspace's own solution and its behaviour stay as they are.
 * If solved[i] is false, the i-th has to be solved alone (all of them, if the planner cannot solve many at
 * once). The result for a theta does not depend on the others. ASIF_ECANCELLED, ASIF_ENOMEM, or what
 * asif_solve() would return for a theta. */
asif_status asif_work_solve_many(asif_work *work, const asif_theta *const *theta, uint32_t count,
                                 bool *solved, asif_error *error);
/* The behaviour of the agents that asif_work_solve_many() solved last, valid until its next call; and the
 * values [nodes] of the i-th. */
const asif_many_behavior *asif_work_many(const asif_work *work);
void asif_work_many_values(const asif_work *work, uint32_t i, double *out);
/* Go back to agents that asif_work_solve_many() solved before, of which these are the thetas, what it wrote
 * to `solved`, and the values [count][nodes]: the behaviour is the same, to the bit, and nothing is solved.
 */
asif_status asif_work_restore_many(asif_work *work, const asif_theta *const *theta, uint32_t count,
                                   const bool *solved, const double *values, asif_error *error);

/* Set the parameters of a theta that a planner fixes (such as alpha 0 for agents that always take the best
 * action), and the defaults of those without a value; the discount stays as it is. @return ASIF_OK,
 * ASIF_EUNKNOWN (no such planner) or ASIF_EDOMAIN (theta contradicts the planner). */
asif_status asif_planner_settle(const char *planner, asif_theta *theta, asif_error *error);
/* Start the next solve from these values, [nodes]. */
void asif_work_set_values(asif_work *work, const double *values);
/*
 * Compute how far the agent's worlds differ in expected value: the largest standard deviation, over worlds by
 * their weights, of K(z,u,m), the expected future of action u in world m (Theorem 4), over nodes z and
 * actions u. The agent is that of `theta`, but neutral (optimism 0, eta 0) and with an alpha of .01 of
 * `span`.
 *
 * @param out        Rounded to 4 significant digits, to hide rounding errors; 0: the worlds do not differ.
 * @param work       Cloned; it is not changed.
 * @param theta      Complete except for alpha, act_alpha, beta and eta.
 * @param span       Span of the utility, above 0.
 * @param error      May be NULL.
 * @return ASIF_OK, ASIF_EUNSUPPORTED (a planner without worlds, values that overflow), ASIF_EUNSET or
 * ASIF_ENOMEM.
 *
 * Cost: a solve; none where there is one world.
 */
asif_status asif_world_spread(double *out, const asif_work *work, const asif_theta *theta, double span,
                              asif_error *error);

#endif
