/* GMRES with restarts for a linear system given by its product. */
#ifndef ASIF_SRC_BASE_LINEAR_GMRES_H
#define ASIF_SRC_BASE_LINEAR_GMRES_H

#include "asif/base.h"

typedef struct {
    const asif_context *context;
    uint64_t n;
    uint32_t restart;
    double *basis; /* [restart + 1][n] */
    double *small; /* Hessenberg matrix, rotations, right side */
} asif_gmres;

/* `restart` is lowered if its vectors would take more than 256 MB. */
asif_status asif_gmres_create(asif_gmres *out, const asif_context *context, uint64_t n, uint32_t restart,
                              asif_error *error);
void asif_gmres_free(asif_gmres *gmres);

/* Solve A x = right, from the x given, until |residual|_2 <= tol |right|_2 or `most` products were made.
 * Returns the residual over |right|_2; *products is counted up. product(user, x, y): y = A x. */
double asif_gmres_solve(asif_gmres *gmres, void (*product)(void *user, const double *x, double *y),
                        void *user, const double *right, double *x, double tol, uint64_t most,
                        uint64_t *products);

#endif
