/* An inverse planner as a table of functions. A new one is one file with such a table, and one line in registry.c. */
#ifndef ASIF_SRC_INVERSE_INVERSE_H
#define ASIF_SRC_INVERSE_INVERSE_H

#include "asif/inverse.h"
#include "behavior/behavior.h"

/* What behaviour is compared with; borrowed. */
typedef struct {
    const asif_tree *tree;
    const double *count; /* [nodes][actions]; NULL: the tree's */
} asif_evidence;

typedef struct {
    asif_inverse_info info;
    /* Does the evidence go with the behaviour's setting? Asked once. */
    asif_status (*check)(const asif_behavior *behavior, const asif_evidence *evidence, asif_error *error);
    /* What is to be maximised, and its derivatives in theta unless `gradient` is NULL; they are not read where the value is not
     * finite. */
    asif_status (*objective)(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_evidence *evidence, asif_error *error);
} asif_inverse_ops;

/* NULL after filling the error. */
const asif_inverse_ops *asif_inverse_find(const char *name, asif_error *error);

extern const asif_inverse_ops asif_inverse_soft_policy_matching;

#endif
