/* Regression of targets on features, linear in the estimated utilities: minimises the p-norm of target - row
 * x. */
#ifndef ASIF_SRC_INVERSE_SOLVE_REGRESSION_H
#define ASIF_SRC_INVERSE_SOLVE_REGRESSION_H

#include "inverse/evidence/features.h"
#include "inverse/inverse.h"
#include "inverse/solve/normal.h"

typedef struct {
    const asif_context *context;
    const asif_features *features; /* borrowed */
    uint64_t rows;
    double *row;        /* [rows][features] */
    double *target;     /* [rows] */
    double *miss;       /* [rows]: target - row x */
    double *x, *right;  /* [features]: scratch */
    asif_normal normal; /* equations of the last estimate */
} asif_regression;

/* Make a regression of zeros, whose rows and targets the caller fills. Fails with ASIF_ENOMEM. */
asif_status asif_regression_create(asif_regression *out, const asif_context *context,
                                   const asif_features *features, uint64_t rows, asif_error *error);
void asif_regression_free(asif_regression *regression);

/* Compute -sum |miss|^p (inf: -max |miss|) at the utilities of the behaviour's theta, with derivatives in
 * them unless `gradient` is NULL. */
asif_status asif_regression_objective(asif_regression *regression, double p, double *value,
                                      asif_theta_gradient *gradient, const asif_behavior *behavior);
/* Minimise the p-norm, into utility [parameters of the setting]: p = 2 by least squares, 1 and inf by a
 * linear programme. In directions that the rows do not determine, the estimate is nearest to the standard
 * values. Fails with ASIF_EDOMAIN (the programme has no solution), ASIF_ETOOBIG or ASIF_ENOMEM; messages name
 * `who`. */
asif_status asif_regression_answer(asif_regression *regression, double p, const asif_estimates *estimates,
                                   const char *who, double *utility, asif_error *error);

#endif
