/* Soft policy iteration in reverse: from the policies of a learner to a regression for its utility. */
#ifndef ASIF_SRC_INVERSE_INVERSION_H
#define ASIF_SRC_INVERSE_INVERSION_H

#include "inverse/solve/regression.h"

#define ASIF_INVERSION_STATES 2000

/* A learner: its policies [batches][state][action], which are positive, and the weights [batches -
 * 1][state][action] of the cells in each step from one policy to the next. */
typedef struct {
    const asif_setting *setting;
    uint32_t batches;
    const double *policy, *weight;
    double alpha, discount;
    const double *prior; /* [actions]: pi0 */
} asif_learner;

/* Make the regression. For each k and each cell with a weight, its equation is v(s,u) + g_k(s) - discount sum
 * tau g_k(s') = alpha [log(pi_{k+1}/pi0) + discount sum tau KL(pi_k || pi_{k+1})(s')], from which the best
 * g_k is eliminated; rows are multiplied by the roots of their weights. Fails with ASIF_ETOOBIG above
 * ASIF_INVERSION_STATES states, ASIF_EDOMAIN (too few data in a batch) or ASIF_ENOMEM. Costs O(batches
 * states^2 (states + features)). */
asif_status asif_inversion_create(asif_regression *out, const asif_context *context,
                                  const asif_features *features, const asif_learner *learner,
                                  asif_error *error);

#endif
