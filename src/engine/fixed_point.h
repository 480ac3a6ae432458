/* The fixed point V = B V. */
#ifndef ASIF_SRC_ENGINE_FIXED_POINT_H
#define ASIF_SRC_ENGINE_FIXED_POINT_H

#include "asif/solve.h"
#include "base/linear/gmres.h"
#include "base/numeric/anderson.h"
#include "engine/merged.h"
#include "engine/operator.h"

/* Error of the values, over the largest of them, at which they are not known, whatever the tolerance: at
 * discounts very near 1 a small residual says little. */
#define ASIF_VALUES_KNOWN 1e-3

typedef struct {
    asif_operator op;
    asif_plan_options options;
    bool solved;
    double *values;       /* [stride]: the last solution, and the next start */
    double *image, *step; /* [stride] */
    asif_anderson anderson;
    asif_gmres gmres;         /* made when first needed */
    asif_merged chain, spare; /* the same */
    bool stubborn;            /* iterations have failed before: small systems are factorised at once */
} asif_fixed_point;

asif_status asif_fixed_point_create(asif_fixed_point *s, const asif_context *context,
                                    asif_successors *successors, const asif_plan_options *options,
                                    asif_error *error);
void asif_fixed_point_free(asif_fixed_point *solver);
/* From solver->values, for the theta given. */
asif_status asif_fixed_point_solve(asif_fixed_point *solver, const asif_theta *theta, asif_plan_info *info,
                                   asif_error *error);
/* x = (I - discount T)^-1 right, or with the transpose of T, to a relative residual; the shares are op.share
 * or others of its shape. Returns the relative residual reached. */
asif_status asif_fixed_point_linear(asif_fixed_point *solver, const double *share, bool transposed,
                                    const double *right, double *x, double tol, double *reached,
                                    uint64_t *products, asif_error *error);

#endif
