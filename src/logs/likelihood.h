/* The likelihood with all intermediate results, with derivatives, and of many agents at once. */
#ifndef ASIF_SRC_LOGS_LIKELIHOOD_H
#define ASIF_SRC_LOGS_LIKELIHOOD_H

#include "asif/logs.h"
#include "behavior/behavior.h"

/* The results of a walk down the tree, by node. */
typedef struct {
    double *state;      /* [nodes][width] */
    double *memo;       /* [nodes][memo_width] */
    double *log_policy; /* [nodes][actions] */
} asif_loglik_walk;

/* Check that behaviour and tree have the same labels; ASIF_EINVALID if not. */
asif_status asif_loglik_check(const asif_behavior *behavior, const asif_tree *tree, asif_error *error);
/* Compute the likelihood as asif_loglik() does, for labels that were checked, and fill the arrays of `keep`,
 * which the caller owns. */
asif_status asif_loglik_keep(double *total, const asif_behavior *behavior, const asif_tree *tree,
                             const double *count, const asif_loglik_walk *keep, asif_error *error);
/* Compute the likelihood, and write its derivatives in theta to `gradient`, which is not touched if the total
 * is not finite. ASIF_EUNSUPPORTED if the planner has no derivatives. */
asif_status asif_loglik_gradient(double *total, asif_theta_gradient *gradient, const asif_behavior *behavior,
                                 const asif_tree *tree, const double *count, asif_error *error);

/* Compute the likelihoods of many agents at once, for labels that were checked: total [lanes]. lost[lane]
 * becomes true where that agent must be computed alone instead. The result of one agent does not depend on
 * the others. Cost: nodes times agents; memory: two levels of the tree for each agent. */
asif_status asif_loglik_many(double *total, bool *lost, const asif_many_behavior *behavior,
                             const asif_tree *tree, const double *count, asif_error *error);
/* The same for every unit of the tree: by_unit [units][lanes]. Memory: also the log-policies of all nodes. */
asif_status asif_loglik_many_units(double *by_unit, bool *lost, const asif_many_behavior *behavior,
                                   const asif_tree *tree, asif_error *error);

#endif
