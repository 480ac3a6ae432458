/* Values, policy, world weights and recognition (the update of the agent state) at any agent state, by one
 * step of lookahead from the values at the nodes (Theorem 5). A policy is never interpolated. Agent states
 * are handled in blocks; the result for a state does not depend on its block. An action or a future "forgets"
 * if what follows does not depend on the state that it starts from. */
#ifndef ASIF_SRC_ENGINE_LOOKAHEAD_H
#define ASIF_SRC_ENGINE_LOOKAHEAD_H

#include "engine/fixed_point.h"

typedef struct {
    const asif_fixed_point *solver;
    const asif_links *links; /* of the successors; only where agents have beliefs, as the next six */
    const bool *shows;       /* [links][shown]: that of the links */
    bool *alone;             /* [links][shown]: it is a class of its own in the surprise term */
    uint32_t *pool_at;       /* [links + 1]: where the pools (classes of several observations) begin */
    double *pool_emission;   /* [pools][hidden]: sum of the emissions in the class */
    double *pool_scale;      /* [pools]: 1 / rho0 of the class */
    uint32_t *pool_first;    /* [pools]: its first observation */
    double *constant_k;      /* [actions][worlds]: K of futures that forget */
    double *constant_ce;     /* [actions]: CE over the futures of an action that forgets */
    double *constant_sigma;  /* [actions][worlds]: the tilted weights of those futures */
    uint32_t memo_width;     /* numbers of a memo: tilted weights of the futures, which a step uses */
    uint32_t *memo_at;       /* [actions]: where its weights begin in a memo, unless the action forgets */
} asif_lookahead;

asif_status asif_lookahead_create(asif_lookahead *look, const asif_fixed_point *solver, asif_error *error);
void asif_lookahead_free(asif_lookahead *look);
/* Recomputes what depends on theta and the values; must be called after every solve. */
void asif_lookahead_refresh(asif_lookahead *look);

/* With reachable beliefs, the node of an agent state. ASIF_ANY: it cannot be reached; the functions below
 * then know no future of it, but step from it. */
uint32_t asif_lookahead_node(const asif_lookahead *look, const double *state);
/* K of a branch at a node. */
double asif_lookahead_node_k(const asif_operator *op, uint32_t action, uint32_t branch, uint64_t row,
                             const double *values);

/* Checks that the numbers are agent states; on failure error->row is 1 + the index of the first that is not.
 * The functions below do not check. */
asif_status asif_lookahead_check(const asif_lookahead *look, uint64_t n, const double *state,
                                 asif_error *error);
/* Fills the members of `view` that are not NULL, and memo [n][memo_width] unless it is NULL. */
asif_status asif_lookahead_view(const asif_lookahead *look, uint64_t n, const double *state,
                                const asif_view *view, double *memo, asif_error *error);
/* Agent i leaves state from[i] (state i where `from` is NULL). memo may be NULL. next may be the array
 * `state` if `from` is NULL. The observation ASIF_ANY means that nothing was seen. */
asif_status asif_lookahead_step(const asif_lookahead *look, uint64_t n, const uint32_t *from,
                                const double *state, const double *memo, const uint32_t *action,
                                const uint32_t *observation, double *next, asif_error *error);

/* Lists the events of a link over two hidden values: each observation that can be seen, and each class of
 * several observations in the surprise term. `seen` is r(u,x) of the action, [shown][lanes]; where
 * rewarded[x] is false, x has no reward. Returns the number of events, at most twice the number of
 * observations. */
uint32_t asif_lookahead_events(const asif_lookahead *look, uint32_t link, const double *seen, uint32_t lanes,
                               const bool *rewarded, asif_future_event *event);
/* 1 / rho0 of an observation that is a class of its own in the surprise term. */
double asif_lookahead_surprise(const asif_lookahead *look, uint32_t observation);

/* P(s'|s) of a link as [to][from], and P(x|s') as [shown][state reached]. */
static inline const double *asif_lookahead_to(const asif_lookahead *look, uint32_t link) {
    return asif_links_to(look->links, link);
}
static inline const double *asif_lookahead_seen(const asif_lookahead *look, uint32_t link) {
    return asif_links_seen(look->links, link);
}

/* The values at the lattice of a place. */
static inline const double *asif_lookahead_values(const asif_lookahead *look, uint32_t place) {
    return look->solver->values + (uint64_t)place * look->solver->op.successors->lattice.nodes;
}

/* The seen value (the state, where states are seen) that is most likely at the start [states]. */
uint32_t asif_lookahead_likely(const asif_setting_spec *spec, const double *start);
/* The belief over the hidden part, given the seen value whose part of the start this is; returns the
 * probability of the seen value. Where that is 0 the belief is uniform. */
double asif_lookahead_given(const double *start, uint32_t hidden, double *belief);

/* Moves the agents in the same place as the first of n to the front, keeping their order; returns their
 * number. row[i] is the index of agent i in `state`; `who` moves with it, unless it is NULL. Where there is
 * one place all agents are alike. At most ASIF_BLOCK agents. */
uint32_t asif_lookahead_same_place(const asif_lookahead *look, const double *state, uint64_t *row,
                                   uint32_t *who, uint32_t n);

/* The link of a branch that leads from a place to the one that an observation shows, if it can show it; else
 * ASIF_ANY. Where nothing was seen, the only link of the branch from there. */
uint32_t asif_lookahead_link(const asif_lookahead *look, uint32_t branch, uint32_t place,
                             uint32_t observation);
/* The emissions of an observation on a link; NULL: nothing was seen. */
const double *asif_lookahead_emission(const asif_lookahead *look, uint32_t link, uint32_t observation);

/* Calls `handle` for each group of agents in a block of n that took the same action and saw the same
 * observation, until a call fails. An action or observation out of range is a failure with row 1 + first +
 * its index. */
typedef asif_status (*asif_alike)(void *user, const uint32_t *who, uint32_t n, asif_error *error);
asif_status asif_lookahead_alike(const asif_lookahead *look, uint64_t first, uint32_t n,
                                 const uint32_t *action, const uint32_t *observation, asif_alike handle,
                                 void *user, asif_error *error);

#endif
