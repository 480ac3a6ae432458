/* Values, policy, world weights and recognition at any agent state, by one step of lookahead from the values at the nodes
 * (Theorem 5). A policy is never interpolated. */
#ifndef ASIF_SRC_ENGINE_LOOKAHEAD_H
#define ASIF_SRC_ENGINE_LOOKAHEAD_H

#include "asif/behavior.h"
#include "engine/fixed_point.h"

typedef struct {
    const asif_fixed_point *solver;
    double *dense;      /* [branches]: transitions and emissions unpacked, for beliefs */
    double *constant_k; /* [actions][worlds]: K of futures that forget the node */
} asif_lookahead;

asif_status asif_lookahead_create(asif_lookahead *look, const asif_fixed_point *solver, asif_error *error);
void asif_lookahead_free(asif_lookahead *look);
/* After every solve. */
void asif_lookahead_refresh(asif_lookahead *look);

asif_status asif_lookahead_view(const asif_lookahead *look, uint64_t n, const double *state,
                                const asif_view *view, asif_error *error);
asif_status asif_lookahead_step(const asif_lookahead *look, uint64_t n, const double *state,
                                const uint32_t *action, const uint32_t *observation, double *next,
                                asif_error *error);

#endif
