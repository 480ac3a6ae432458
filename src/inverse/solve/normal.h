/* Least squares by the normal equations G x = r, G = A'A: which unknowns they determine, and the solution
 * nearest to usual values. */
#ifndef ASIF_SRC_INVERSE_SOLVE_NORMAL_H
#define ASIF_SRC_INVERSE_SOLVE_NORMAL_H

#include "asif/base.h"
#include "inverse/evidence/features.h"

#define ASIF_NORMAL_MOST 1000 /* unknowns: eigenvectors are by Jacobi's rotations */

typedef struct {
    const asif_context *context;
    uint32_t n, silent; /* directions about which G says nothing */
    double *scale;      /* [n]: of the columns of A */
    double *values;     /* [n]: eigenvalues of the scaled G, ascending */
    double *vectors;    /* [n][n]: its eigenvectors, by rows */
    double *null;       /* [silent][n]: directions as they are, not scaled */
    double *factor;     /* [silent][silent]: Cholesky factor of their products */
    double *room;       /* [2 n] */
} asif_normal;

/* `gram` [n][n] is spoilt. ASIF_ETOOBIG, in the name of `who`, beyond ASIF_NORMAL_MOST. */
asif_status asif_normal_create(asif_normal *out, const asif_context *context, uint32_t n, double *gram,
                               const char *who, asif_error *error);
void asif_normal_free(asif_normal *m);
/* x += a solution of G x = right, with nothing along undetermined directions. */
void asif_normal_step(const asif_normal *m, const double *right, double *x);
/* Move x along the undetermined directions to the point nearest to `usual`. */
void asif_normal_settle(const asif_normal *m, const double *usual, double *x);
/* Whether the i-th unknown is determined. */
bool asif_normal_tells(const asif_normal *m, uint32_t i);
/* Add a warning that names the undetermined parameters. `what` leaves them open: "the scores". */
asif_status asif_normal_warn(const asif_normal *m, const asif_features *features, const asif_setting *setting,
                             const char *what, asif_problems *problems, asif_error *error);

#endif
