/* Values, policy, world weights and recognition at any agent state, by one step of lookahead from the values at the nodes
 * (Theorem 5). A policy is never interpolated. Agent states are handled in blocks; what one gets does not depend on its block. */
#ifndef ASIF_SRC_ENGINE_LOOKAHEAD_H
#define ASIF_SRC_ENGINE_LOOKAHEAD_H

#include "asif/behavior.h"
#include "engine/fixed_point.h"

typedef struct {
    const asif_fixed_point *solver;
    double *transition;     /* [branches][to][from], for beliefs */
    double *emission;       /* [branches][observation][state reached] */
    bool *shows;            /* [branches][observation]: in some state */
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

/* Are these agent states? On failure error->row is 1 + the first that is not. The functions below do not ask. */
asif_status asif_lookahead_check(const asif_lookahead *look, uint64_t n, const double *state,
                                 asif_error *error);
/* memo [n][memo_width] may be NULL. */
asif_status asif_lookahead_view(const asif_lookahead *look, uint64_t n, const double *state,
                                const asif_view *view, double *memo, asif_error *error);
/* Agent i comes from state from[i], which is i where `from` is NULL; memo may be NULL. next may be state if from is NULL. An
 * observation of ASIF_ANY: nothing was seen. */
asif_status asif_lookahead_step(const asif_lookahead *look, uint64_t n, const uint32_t *from,
                                const double *state, const double *memo, const uint32_t *action,
                                const uint32_t *observation, double *next, asif_error *error);

#endif
