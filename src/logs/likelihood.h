/* The likelihood with all that it went through, and its derivatives. */
#ifndef ASIF_SRC_LOGS_LIKELIHOOD_H
#define ASIF_SRC_LOGS_LIKELIHOOD_H

#include "asif/logs.h"
#include "behavior/behavior.h"

/* What a walk down the tree leaves at the nodes. */
typedef struct {
    double *state;      /* [nodes][width] */
    double *memo;       /* [nodes][memo_width] */
    double *log_policy; /* [nodes][actions] */
} asif_loglik_walk;

/* Are these the tree's labels? ASIF_EINVALID if not. */
asif_status asif_loglik_check(const asif_behavior *behavior, const asif_tree *tree, asif_error *error);
/* As asif_loglik(), for labels that were checked. */
asif_status asif_loglik_keep(double *total, const asif_behavior *behavior, const asif_tree *tree,
                             const double *count, const asif_loglik_walk *keep, asif_error *error);
/* With the derivatives in theta; where the total is not finite they are not touched. ASIF_EUNSUPPORTED if the
 * planner gives none. */
asif_status asif_loglik_gradient(double *total, asif_theta_gradient *gradient, const asif_behavior *behavior,
                                 const asif_tree *tree, const double *count, asif_error *error);

/* Of many agents at once, for labels that were checked: total [lanes]; lost[lane] becomes true where an agent
 * has to be asked alone. What one gets depends on nothing in the others. Cost: nodes times agents; memory:
 * two levels of the tree for each. */
asif_status asif_loglik_many(double *total, bool *lost, const asif_many_behavior *behavior,
                             const asif_tree *tree, const double *count, asif_error *error);

#endif
