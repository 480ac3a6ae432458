/* Behaviour is a table of functions over opaque agent states. A planner fills the table; logs and simulation
 * use nothing else of the planner. */
#ifndef ASIF_SRC_BEHAVIOR_BEHAVIOR_H
#define ASIF_SRC_BEHAVIOR_BEHAVIOR_H

#include "asif/behavior.h"
#include "theta/theta.h"

/* Each function must be safe to call from several threads at once, and must give the same bits for an agent
 * state whatever else is in its batch. */
typedef struct {
    void (*init)(const void *self, uint32_t start, uint32_t first, double *state);
    /* `check` finds out whether the numbers are agent states; on failure error->row is 1 + the index of the
     * first that is not. The other functions do not check their states. */
    asif_status (*check)(const void *self, uint64_t n, const double *state, asif_error *error);
    /* `log_policy` writes log-probabilities [n][actions] and, unless memo is NULL, memo [n][memo_width]:
     * numbers of these states that `step` would otherwise compute again. */
    asif_status (*log_policy)(const void *self, uint64_t n, const double *state, double *log_policy,
                              double *memo, asif_error *error);
    /* Agent i leaves state from[i] (state i where `from` is NULL). memo is what log_policy wrote for those
     * states, or NULL; the result is the same with and without it. next may be the array `state` where `from`
     * is NULL. */
    asif_status (*step)(const void *self, uint64_t n, const uint32_t *from, const double *state,
                        const double *memo, const uint32_t *action, const uint32_t *observation, double *next,
                        asif_error *error);
    /* `look` may be NULL: not every planner has it. */
    asif_status (*look)(const void *self, uint64_t n, const double *state, const asif_view *view,
                        asif_error *error);
    /* Optional: the number of a state among finitely many, through which histories lead in the same way for
     * every theta. States with the same number are equal but for rounding. ASIF_ANY: it has none. */
    uint32_t (*number)(const void *self, const double *state);
    /* The state of a number, with the same bits for all that have it. NULL where `number` is. */
    void (*numbered)(const void *self, uint32_t number, double *state);
} asif_behavior_ops;

/* Derivatives of behaviour in theta, computed backward (optional: ASIF_GIVES_GRADIENT). A "bar" is the
 * derivative of a scalar L in the quantity of that name. Between `begin` and `end`, the caller calls the
 * other three in the reverse order of the computation; `self` accumulates the derivatives. Only one thread
 * may call at a time. */
typedef struct {
    /* `dynamics`: the derivatives in the matrices of the setting are wanted too, in `matrix` of what `end`
     * writes to. Fails with ASIF_EUNSUPPORTED where the planner has none. */
    asif_status (*begin)(void *self, bool dynamics, asif_error *error);
    /* Derivatives through log_policy at n states. policy_bar [n][actions] is dL/d(log policy); memo_bar
     * [n][memo_width] is what `step` below added for these states; log_policy and memo are as they were
     * computed. dL/d(state) is added to state_bar [n][width]. */
    asif_status (*log_policy)(void *self, uint64_t n, const double *state, const double *log_policy,
                              const double *memo, const double *policy_bar, const double *memo_bar,
                              double *state_bar, asif_error *error);
    /* Derivatives through step: from next_bar [n][width], adds to state_bar and memo_bar of the states that
     * the agents left. */
    asif_status (*step)(void *self, uint64_t n, const uint32_t *from, const double *state, const double *memo,
                        const uint32_t *action, const uint32_t *observation, const double *next,
                        const double *next_bar, double *state_bar, double *memo_bar, asif_error *error);
    void (*init)(void *self, uint32_t start, const double *state_bar);
    /* `end` writes the derivatives in theta, including those through the planner's solution. */
    asif_status (*end)(void *self, asif_theta_gradient *out, asif_error *error);
} asif_pullback_ops;

/* The largest number of agents handled at once. */
#define ASIF_MANY 32

/* Behaviour of many agents at once. Agent i has lane i of `lanes`; the lanes beyond the last agent are
 * padding. A row is [n][lanes] numbers, and consecutive rows of an array are `stride` numbers apart. The
 * arrays have these rows: state [width], memo [memo_width], log_policy [actions]. The result of an agent does
 * not depend on the other agents. Several threads may call at once only if each has its own `self`. */
typedef struct {
    void (*init)(const void *self, uint32_t start, uint32_t first, double *state, uint64_t stride);
    void (*log_policy)(const void *self, uint32_t n, const double *state, uint64_t stride, double *log_policy,
                       uint64_t policy_stride, double *memo);
    /* New state i follows state from[i] of the rows of state and memo. lost[lane] becomes true where a lane
     * cannot go on: the caller then computes that agent alone, by asif_behavior_ops. */
    void (*step)(const void *self, uint32_t n, const uint32_t *from, const double *state, const double *memo,
                 uint64_t stride, const uint32_t *action, const uint32_t *observation, double *next,
                 uint64_t next_stride, bool *lost);
} asif_many_ops;

typedef struct {
    const asif_many_ops *ops;
    const void *self;
    const asif_context *context;
    const asif_setting *setting;
    uint32_t width, memo_width, lanes;
    const asif_theta *const *theta; /* [agents] */
    uint32_t agents;
} asif_many_behavior;

struct asif_behavior {
    const asif_behavior_ops *ops;
    const asif_pullback_ops *pullback; /* NULL: no derivatives */
    void *self;
    const asif_context *context;
    const asif_setting *setting;
    uint32_t width, memo_width;
    bool hidden;             /* see asif_behavior_hidden() */
    const asif_theta *theta; /* parameters of the agent; not set before it is solved */
};

/* What agents do, lapses included (lapse.c). `log_policy` of the tables above is what the agent planned: only
 * planners ask for that, and inverse planners that are no likelihood, which refuse lapses. */
asif_status asif_policies(const asif_behavior *behavior, uint64_t n, const double *state, double *log_policy,
                          double *memo, asif_error *error);
/* Puts lapses into the policies of a view as they were planned. */
void asif_lapse_mix_view(const asif_behavior *behavior, uint64_t n, const double *state,
                         const asif_view *view);
/* `log_policy` of asif_many_ops. room: [n][lanes]. */
void asif_policies_many(const asif_many_behavior *behavior, uint32_t n, const double *state, uint64_t stride,
                        double *log_policy, uint64_t policy_stride, double *memo, double *room);

/* Derivatives in the lapse and, through it, in the action prior [actions]; 0 at first. */
typedef struct {
    double lapse, *prior;
} asif_lapse_bars;
/* `log_policy` of asif_pullback_ops, from what asif_policies() wrote; adds to `bars`. After `end`,
 * asif_lapse_add() adds them to the derivatives in theta. */
asif_status asif_policies_pull(const asif_behavior *behavior, uint64_t n, const double *state,
                               const double *log_policy, const double *memo, const double *policy_bar,
                               const double *memo_bar, double *state_bar, asif_lapse_bars *bars,
                               asif_error *error);
void asif_lapse_add(asif_theta_gradient *gradient, const asif_behavior *behavior,
                    const asif_lapse_bars *bars);

/* asif_simulate() whose progress is called `what`; NULL: none is reported, and nothing cancels. */
asif_status asif_simulate_as(const asif_behavior *behavior, const asif_simulate_options *options,
                             const char *what, asif_status (*take)(void *user, const asif_decision *decision),
                             void *user, asif_error *error);
/* Draws a column from a row of a compressed matrix. */
uint32_t asif_matrix_draw(const asif_matrix *matrix, uint32_t row, double uniform);

/* Where the belief over the hidden values begins in an agent state; ASIF_ANY: agent states hold no beliefs.
 */
uint32_t asif_behavior_belief_at(const asif_behavior *behavior);

#endif
