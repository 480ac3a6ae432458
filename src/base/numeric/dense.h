/* Small dense matrices, by rows: matrices of tens, for which a library of linear algebra would be the larger
 * burden. */
#ifndef ASIF_SRC_BASE_NUMERIC_DENSE_H
#define ASIF_SRC_BASE_NUMERIC_DENSE_H

#include "asif/base.h"

/* a = L L', the lower triangle in place, the upper one set to 0. False where a is not positive definite; a is
 * then spoilt. */
bool asif_cholesky(double *a, uint32_t n);
/* y = L x and y = L' x; y is not x. */
void asif_lower_times(const double *l, uint32_t n, const double *x, double *y);
void asif_upper_times(const double *l, uint32_t n, const double *x, double *y);
/* Solve L x = y and L' x = y in place. */
void asif_lower_solve(const double *l, uint32_t n, double *x);
void asif_upper_solve(const double *l, uint32_t n, double *x);
/* (L L')^-1 into out, which is not l. */
void asif_cholesky_inverse(const double *l, uint32_t n, double *out);
/* P a = L U with partial pivoting, in place; `pivot` [n]: the row each was exchanged with, in turn. False
 * where a is singular. */
bool asif_lu(double *a, uint32_t n, uint32_t *pivot);
/* Solve a x = y in place. */
void asif_lu_solve(const double *lu, uint32_t n, const uint32_t *pivot, double *x);
/* Eigenvalues, ascending, and eigenvectors (the rows of `vectors`) of a symmetric matrix, by Jacobi's
 * rotations; a is spoilt. */
void asif_eigen(double *a, uint32_t n, double *values, double *vectors);
/* y = A x. */
void asif_dense_times(const double *a, uint32_t rows, uint32_t columns, const double *x, double *y);

#endif
