/* The Markov chain of observed states in the environment under a policy: values, and the occupancy measure.
 * Policies are [state][action]; utilities and occupancies are cells [action][state]. */
#ifndef ASIF_SRC_INVERSE_SOLVE_FLOW_H
#define ASIF_SRC_INVERSE_SOLVE_FLOW_H

#include "asif/logs.h"
#include "base/linear/gmres.h"

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    uint32_t states, actions, world; /* world: index of the dynamics; spec.worlds is the environment */
    double discount;
    const double *policy; /* borrowed during a call */
    bool transposed;
    double *room; /* [2][states]: scratch */
    asif_gmres gmres;
} asif_flow;

/* Make a flow in the setting's environment, with its discount. Fails with ASIF_ENOMEM, and has then nothing
 * to free. */
asif_status asif_flow_create(asif_flow *out, const asif_context *context, const asif_setting *setting,
                             asif_error *error);
void asif_flow_free(asif_flow *flow);

/* Compute V = (I - discount P_policy)^-1 reward, [states]; nothing follows a terminal state, where V is the
 * reward. `values` may be `reward`. Fails with ASIF_EDOMAIN if the linear solver does not reach a residual of
 * 1e-11. */
asif_status asif_flow_values(asif_flow *flow, const double *policy, const double *reward, double *values,
                             asif_error *error);
/* Solve the transposed system: d = (I - discount P')^-1 source. Discounted visits of states are (1 -
 * discount) d for the start as source. */
asif_status asif_flow_visits(asif_flow *flow, const double *policy, const double *source, double *visits,
                             asif_error *error);
/* Compute the normalised discounted occupancy of cells from a distribution of states; start NULL: the
 * environment's (class 0). */
asif_status asif_flow_occupancy(asif_flow *flow, const double *policy, const double *start, double *mu,
                                asif_error *error);
/* Compute Q(s,u) = v + discount sum tau V, as cells. */
void asif_flow_q(const asif_flow *flow, const double *v, const double *values, double *q);

/* Compute the demonstrated policy from the counts of a tree with observed states: shares of the actions,
 * uniform in states without decisions. `visited` [states] may be NULL. `count` is as in
 * asif_inverse_input. */
void asif_demonstrated(const asif_tree *tree, const double *count, double *policy, bool *visited);

#endif
