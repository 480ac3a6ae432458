/* Least squares by the normal equations G x = r, G = A'A: the unknowns that they determine, and the solution
 * nearest to standard values. */
#ifndef ASIF_SRC_INVERSE_SOLVE_NORMAL_H
#define ASIF_SRC_INVERSE_SOLVE_NORMAL_H

#include "asif/base.h"
#include "inverse/evidence/features.h"

#define ASIF_NORMAL_MOST 1000 /* most unknowns: eigenvectors are computed by Jacobi rotations */

typedef struct {
    const asif_context *context;
    uint32_t n, silent; /* silent: number of directions that G does not determine */
    double *scale;      /* [n]: norms of the columns of A */
    double *values;     /* [n]: eigenvalues of the scaled G, ascending */
    double *vectors;    /* [n][n]: eigenvectors of the scaled G, by rows */
    double *null;       /* [silent][n]: undetermined directions, without scaling */
    double *factor;     /* [silent][silent]: Cholesky factor of their products */
    double *room;       /* [2 n]: scratch */
} asif_normal;

/* Decompose G, `gram` [n][n], which is overwritten; messages name `who`. Fails with ASIF_ETOOBIG above
 * ASIF_NORMAL_MOST, ASIF_EDOMAIN (overflow) or ASIF_ENOMEM; there is then nothing to free. */
asif_status asif_normal_create(asif_normal *out, const asif_context *context, uint32_t n, double *gram,
                               const char *who, asif_error *error);
void asif_normal_free(asif_normal *m);
/* x += a solution of G x = right, with nothing along undetermined directions. */
void asif_normal_step(const asif_normal *m, const double *right, double *x);
/* Move x along the undetermined directions to the point nearest to `usual`. */
void asif_normal_settle(const asif_normal *m, const double *usual, double *x);
/* Whether the i-th unknown is determined. */
bool asif_normal_tells(const asif_normal *m, uint32_t i);
/* Add a warning that names the undetermined parameters; `what` is the evidence that does not determine them,
 * such as "the scores". Fails with ASIF_ENOMEM. */
asif_status asif_normal_warn(const asif_normal *m, const asif_features *features, const asif_setting *setting,
                             const char *what, asif_problems *problems, asif_error *error);

#endif
