/* The environment's chain of states under a policy, where states are seen: values, and the occupancy measure.
 * Policies are [state][action]; utilities and occupancies are cells [action][state]. */
#ifndef ASIF_SRC_INVERSE_SOLVE_FLOW_H
#define ASIF_SRC_INVERSE_SOLVE_FLOW_H

#include "asif/logs.h"
#include "base/linear/gmres.h"

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    uint32_t states, actions, world; /* world: which dynamics; spec.worlds is the environment */
    double discount;
    const double *policy; /* borrowed, of the last call */
    bool transposed;
    double *room; /* [2 states] */
    asif_gmres gmres;
} asif_flow;

/* In the setting's environment, with its discount. */
asif_status asif_flow_create(asif_flow *out, const asif_context *context, const asif_setting *setting,
                             asif_error *error);
void asif_flow_free(asif_flow *flow);

/* V = (I - discount P_policy)^-1 reward, [states]; nothing follows a terminal state, where V is the reward.
 * ASIF_EDOMAIN if the linear solver does not come to `1e-12`. */
asif_status asif_flow_values(asif_flow *flow, const double *policy, const double *reward, double *values,
                             asif_error *error);
/* The transposed: d = (I - discount P')^-1 source. Discounted visits of states are (1 - discount) d of the
 * start. */
asif_status asif_flow_visits(asif_flow *flow, const double *policy, const double *source, double *visits,
                             asif_error *error);
/* Normalised discounted occupancy of cells from a distribution of states; start NULL: the environment's
 * (class 0). */
asif_status asif_flow_occupancy(asif_flow *flow, const double *policy, const double *start, double *mu,
                                asif_error *error);
/* Q(s,u) = v + discount sum tau V, as cells. */
void asif_flow_q(const asif_flow *flow, const double *v, const double *values, double *q);

/* The demonstrated policy, from the counts of a tree in which states are seen: shares of the actions, uniform
 * in states without decisions. `visited` [states] may be NULL. `count` is as in asif_inverse_input. */
void asif_demonstrated(const asif_tree *tree, const double *count, double *policy, bool *visited);

#endif
