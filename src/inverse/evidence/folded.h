/* Logs folded onto the states of agents: where these are finitely many, and follow from a history in the same
 * way for every theta, histories that lead to the same state count as one. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_FOLDED_H
#define ASIF_SRC_INVERSE_EVIDENCE_FOLDED_H

#include "asif/logs.h"
#include "behavior/behavior.h"

typedef struct asif_folded asif_folded;

/* Fold a tree, with its counts or others [nodes][actions] (NULL: its own). *out is NULL if its histories
 * cannot be folded, and else freed by asif_folded_free().
 *
 * @param behavior Solved, with the tree's labels.
 * @return ASIF_OK; ASIF_ENOMEM, or as asif_loglik() fails: an observation that is impossible, for example.
 * Cost: that of the likelihood. */
asif_status asif_folded_create(asif_folded **out, const asif_behavior *behavior, const asif_tree *tree,
                               const double *count, asif_error *error);
void asif_folded_free(asif_folded *folded);

/* Compute the likelihood as asif_loglik() does, and its derivatives as asif_loglik_gradient() does unless
 * `gradient` is NULL, of any agent of the same setting. They differ by rounding. Not for several threads at
 * once. */
asif_status asif_folded_loglik(double *total, asif_theta_gradient *gradient, asif_folded *folded,
                               const asif_behavior *behavior, asif_error *error);
/* The likelihood of every unit of the tree, which was folded with its own counts: by_unit [units]. Not
 * for several threads at once. Cost: states, and entries of units. */
asif_status asif_folded_loglik_units(double *by_unit, asif_folded *folded, const asif_behavior *behavior,
                                     const asif_tree *tree, asif_error *error);

#endif
