/* GMRES with restarts, for a linear system whose matrix is known by its products. */
#ifndef ASIF_SRC_BASE_LINEAR_GMRES_H
#define ASIF_SRC_BASE_LINEAR_GMRES_H

#include "asif/base.h"

typedef struct {
    const asif_context *context;
    uint64_t n;
    uint32_t restart;
    double *basis; /* [restart + 1][n] */
    double *small; /* Hessenberg matrix, rotations and right side */
} asif_gmres;

/* Allocates the vectors; `restart` is lowered if they would take more than 256 MB. */
asif_status asif_gmres_create(asif_gmres *out, const asif_context *context, uint64_t n, uint32_t restart,
                              asif_error *error);
void asif_gmres_free(asif_gmres *gmres);

/* Solves A x = right, starting from x, until |residual|_2 <= tol |right|_2 or `most` products were made.
 * Returns the residual over |right|_2; adds the number of products to *products. product(user, x, y) computes
 * y = A x. */
double asif_gmres_solve(asif_gmres *gmres, void (*product)(void *user, const double *x, double *y),
                        void *user, const double *right, double *x, double tol, uint64_t most,
                        uint64_t *products);

#endif
