/* Behaviour as a table of functions over opaque agent states. A planner fills it; logs and simulation know
 * nothing else. */
#ifndef ASIF_SRC_BEHAVIOR_BEHAVIOR_H
#define ASIF_SRC_BEHAVIOR_BEHAVIOR_H

#include "asif/behavior.h"
#include "theta/theta.h"

/* Each function must be safe to call from several threads at once, and must give the same bits for an agent
 * state whatever else is in its batch. */
typedef struct {
    void (*init)(const void *self, uint32_t start, uint32_t first, double *state);
    /* Are these agent states? On failure error->row is 1 + the first that is not. The others trust their
     * callers. */
    asif_status (*check)(const void *self, uint64_t n, const double *state, asif_error *error);
    /* Log-probabilities [n][actions], and what `step` wants to know of the states it leaves: memo
     * [n][memo_width], which may be NULL. */
    asif_status (*log_policy)(const void *self, uint64_t n, const double *state, double *log_policy,
                              double *memo, asif_error *error);
    /* Agent i leaves state from[i] (i, where `from` is NULL) of which memo, if not NULL, is what log_policy
     * said; the result is the same with and without it. next may be state where `from` is NULL. */
    asif_status (*step)(const void *self, uint64_t n, const uint32_t *from, const double *state,
                        const double *memo, const uint32_t *action, const uint32_t *observation, double *next,
                        asif_error *error);
    /* Optional. */
    asif_status (*look)(const void *self, uint64_t n, const double *state, const asif_view *view,
                        asif_error *error);
} asif_behavior_ops;

/* The derivatives of behaviour in theta, backward (optional: ASIF_GIVES_GRADIENT). Of a scalar L, a bar is
 * dL/d(...). Between `begin` and `end` come the other three in the reverse order of what was computed; `self`
 * gathers. One thread at a time. */
typedef struct {
    asif_status (*begin)(void *self, asif_error *error);
    /* Of log_policy at n states: policy_bar [n][actions] is dL/d(log policy), memo_bar [n][memo_width] what
     * the steps from these states left there. dL/d(state) is added to state_bar [n][width]. log_policy and
     * memo as they were. */
    asif_status (*log_policy)(void *self, uint64_t n, const double *state, const double *log_policy,
                              const double *memo, const double *policy_bar, const double *memo_bar,
                              double *state_bar, asif_error *error);
    /* Of step: from next_bar [n][width], adds to state_bar and memo_bar of the states that were left. */
    asif_status (*step)(void *self, uint64_t n, const uint32_t *from, const double *state, const double *memo,
                        const uint32_t *action, const uint32_t *observation, const double *next,
                        const double *next_bar, double *state_bar, double *memo_bar, asif_error *error);
    void (*init)(void *self, uint32_t start, const double *state_bar);
    /* The derivatives in theta, what goes through the solution included. */
    asif_status (*end)(void *self, asif_theta_gradient *out, asif_error *error);
} asif_pullback_ops;

/* Agents that are handled at once, at most. */
#define ASIF_MANY 32

/* Behaviour of many agents at once, in `lanes` lanes, of which the first are theirs: rows of numbers are
 * [n][lanes], and rows of an array `stride` numbers apart. What an agent gets depends on nothing in the
 * others. Arrays: state [width], memo [memo_width], log_policy [actions] rows. Several threads at once only
 * where `self` is their own. */
typedef struct {
    void (*init)(const void *self, uint32_t start, uint32_t first, double *state, uint64_t stride);
    void (*log_policy)(const void *self, uint32_t n, const double *state, uint64_t stride, double *log_policy,
                       uint64_t policy_stride, double *memo);
    /* Child i leaves state from[i] of the rows of state and memo. lost[lane] becomes true where a lane cannot
     * go on: its agent is to be asked alone. */
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
} asif_many_behavior;

struct asif_behavior {
    const asif_behavior_ops *ops;
    const asif_pullback_ops *pullback; /* NULL: none */
    void *self;
    const asif_context *context;
    const asif_setting *setting;
    uint32_t width, memo_width;
    bool hidden;             /* see asif_behavior_hidden() */
    const asif_theta *theta; /* of the agent that behaves so; not before it is solved */
};

#endif
