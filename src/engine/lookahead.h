/* Values, policy, world weights and recognition at any agent state, by one step of lookahead from the values
 * at the nodes (Theorem 5). A policy is never interpolated. Agent states are handled in blocks; what one gets
 * does not depend on its block. */
#ifndef ASIF_SRC_ENGINE_LOOKAHEAD_H
#define ASIF_SRC_ENGINE_LOOKAHEAD_H

#include "engine/fixed_point.h"

typedef struct {
    const asif_fixed_point *solver;
    double *transition;     /* [branches][to][from], for beliefs */
    double *emission;       /* [branches][observation][state reached] */
    bool *shows;            /* [branches][observation]: in some state */
    bool *alone;            /* [branches][observation]: a class of its own in the surprise term */
    uint32_t *pool_at;      /* [branches + 1]: where the pools of a branch begin: its classes of several */
    double *pool_emission;  /* [pools][state reached]: the sum over the class */
    double *pool_scale;     /* [pools]: 1 / rho0 of the class */
    double *constant_k;     /* [actions][worlds]: K of futures that forget the node */
    double *constant_ce;    /* [actions]: CE over the futures of an action that forgets, */
    double *constant_sigma; /* [actions][worlds]: and their weights */
    uint32_t
        memo_width; /* numbers that a step needs to know of the state it leaves: the weights of the futures */
    uint32_t *memo_at; /* [actions]; not of those that forget */
} asif_lookahead;

asif_status asif_lookahead_create(asif_lookahead *look, const asif_fixed_point *solver, asif_error *error);
void asif_lookahead_free(asif_lookahead *look);
/* After every solve. */
void asif_lookahead_refresh(asif_lookahead *look);

/* Are these agent states? On failure error->row is 1 + the first that is not. The functions below do not ask.
 */
asif_status asif_lookahead_check(const asif_lookahead *look, uint64_t n, const double *state,
                                 asif_error *error);
/* memo [n][memo_width] may be NULL. */
asif_status asif_lookahead_view(const asif_lookahead *look, uint64_t n, const double *state,
                                const asif_view *view, double *memo, asif_error *error);
/* Agent i comes from state from[i], which is i where `from` is NULL; memo may be NULL. next may be state if
 * from is NULL. An observation of ASIF_ANY: nothing was seen. */
asif_status asif_lookahead_step(const asif_lookahead *look, uint64_t n, const uint32_t *from,
                                const double *state, const double *memo, const uint32_t *action,
                                const uint32_t *observation, double *next, asif_error *error);

/* What can be seen in a branch over two states, and classes that count as one in the surprise term; `seen` is
 * r(u,x) of the action, rows of `lanes`, and where `rewarded` is false, there is none. Returns how many: no
 * more than twice the observations. */
uint32_t asif_lookahead_events(const asif_lookahead *look, uint32_t branch, const double *seen,
                               uint32_t lanes, const bool *rewarded, asif_future_event *event);
/* 1 / rho0 of an observation that is a class of its own in the surprise term. */
double asif_lookahead_surprise(const asif_lookahead *look, uint32_t observation);

/* P(s'|s) of a branch as [to][from], and P(x|s') as [observation][state reached]. */
static inline const double *asif_lookahead_to(const asif_lookahead *look, uint32_t branch) {
    uint64_t S = look->solver->op.setting->spec.states;
    return look->transition + branch * S * S;
}
static inline const double *asif_lookahead_seen(const asif_lookahead *look, uint32_t branch) {
    const asif_setting_spec *spec = &look->solver->op.setting->spec;
    return look->emission + (uint64_t)branch * spec->observations * spec->states;
}

/* Call `handle` for those of a block of n agents that did the same and saw the same, until it fails. Actions
 * or observations out of range are a failure at row 1 + first + their index. */
typedef asif_status (*asif_alike)(void *user, const uint32_t *who, uint32_t n, asif_error *error);
asif_status asif_lookahead_alike(const asif_lookahead *look, uint64_t first, uint32_t n,
                                 const uint32_t *action, const uint32_t *observation, asif_alike handle,
                                 void *user, asif_error *error);

#endif
