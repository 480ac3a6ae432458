/* Soft policy iteration backward: from the policies of a learner to a regression for its utility. */
#ifndef ASIF_SRC_INVERSE_INVERSION_H
#define ASIF_SRC_INVERSE_INVERSION_H

#include "inverse/solve/regression.h"

#define ASIF_INVERSION_STATES 2000

/* A learner's policies, [batches][state][action], positive, and how much each cell of a step from one to the
 * next is to count, [batches - 1][state][action]. */
typedef struct {
    const asif_setting *setting;
    uint32_t batches;
    const double *policy, *weight;
    double alpha, discount;
    const double *prior; /* [actions]: pi0 */
} asif_learner;

/* For each k and cell with a weight, v(s,u) + g_k(s) - discount sum tau g_k(s') = alpha [log(pi_{k+1}/pi0) +
 * discount sum tau KL(pi_k || pi_{k+1})(s')], from which the best g_k has been taken out; rows carry the
 * roots of their weights. */
asif_status asif_inversion_create(asif_regression *out, const asif_context *context,
                                  const asif_features *features, const asif_learner *learner,
                                  asif_error *error);

#endif
