/* Solver of the fixed point V = B V, the values of an agent at the nodes (Theorem 4). */
#ifndef ASIF_SRC_ENGINE_FIXED_POINT_H
#define ASIF_SRC_ENGINE_FIXED_POINT_H

#include "asif/solve.h"
#include "base/linear/gmres.h"
#include "base/numeric/anderson.h"
#include "engine/merged.h"
#include "engine/operator.h"

/* The values count as unknown if their error, relative to the largest of them, exceeds this, whatever the
 * tolerance on the residual is: at discounts very near 1 a small residual allows a large error. */
#define ASIF_VALUES_KNOWN 1e-3

typedef struct {
    asif_operator op;
    asif_plan_options options;
    bool solved;
    double *values;       /* [stride]: the last solution, from which the next solve starts */
    double *image, *step; /* [stride] */
    asif_anderson anderson;
    asif_gmres gmres;         /* allocated when first needed */
    asif_merged chain, spare; /* likewise */
    bool stubborn;            /* GMRES has failed before: small systems are factorised at once */
} asif_fixed_point;

asif_status asif_fixed_point_create(asif_fixed_point *s, const asif_context *context,
                                    asif_successors *successors, const asif_plan_options *options,
                                    asif_error *error);
void asif_fixed_point_free(asif_fixed_point *solver);
/* Solves for this theta, starting from solver->values. */
asif_status asif_fixed_point_solve(asif_fixed_point *solver, const asif_theta *theta, asif_plan_info *info,
                                   asif_error *error);
/* Solves (I - discount T) x = right, or the same with the transpose of T, to the relative residual `tol`;
 * *reached is the relative residual reached. `share` defines T: op.share, or another array of its shape. */
asif_status asif_fixed_point_linear(asif_fixed_point *solver, const double *share, bool transposed,
                                    const double *right, double *x, double tol, double *reached,
                                    uint64_t *products, asif_error *error);

#endif
