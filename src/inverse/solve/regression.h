/* Regression of targets on features, linear in the estimated utilities: the least p-norm of target - row x.
 */
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
    double *miss;       /* [rows] */
    double *x, *right;  /* [features] */
    asif_normal normal; /* of the last answer */
} asif_regression;

/* All numbers 0, for the caller to fill. */
asif_status asif_regression_create(asif_regression *out, const asif_context *context,
                                   const asif_features *features, uint64_t rows, asif_error *error);
void asif_regression_free(asif_regression *regression);

/* -sum |miss|^p (inf: -max |miss|) at the utilities of the behaviour's theta, with derivatives in them. */
asif_status asif_regression_objective(asif_regression *regression, double p, double *value,
                                      asif_theta_gradient *gradient, const asif_behavior *behavior);
/* The least p-norm, into utility [parameters of the setting]: p 2 by least squares, 1 and inf by a linear
 * programme. Along directions in which rows never differ, the nearest to the standard values. */
asif_status asif_regression_answer(asif_regression *regression, double p, const asif_estimates *estimates,
                                   const char *who, double *utility, asif_error *error);

#endif
