/* Small dense matrices, stored by rows. With tens of rows, a library of linear algebra would be a
 * larger burden. */
#ifndef ASIF_SRC_BASE_NUMERIC_DENSE_H
#define ASIF_SRC_BASE_NUMERIC_DENSE_H

#include "asif/base.h"

/* Factorises a = L L': the lower triangle in place, the upper one set to 0. False if a is not positive
 * definite; the contents of a are then lost. */
bool asif_cholesky(double *a, uint32_t n);
/* y = L x, and y = L' x; y must not be x. */
void asif_lower_times(const double *l, uint32_t n, const double *x, double *y);
void asif_upper_times(const double *l, uint32_t n, const double *x, double *y);
/* Solves L x = y, and L' x = y, in place. */
void asif_lower_solve(const double *l, uint32_t n, double *x);
void asif_upper_solve(const double *l, uint32_t n, double *x);
/* (L L')^-1 into out, which must not be l. */
void asif_cholesky_inverse(const double *l, uint32_t n, double *out);
/* Factorises P a = L U with partial pivoting, in place; pivot[i] is the row that was exchanged with row i.
 * False if a is singular. */
bool asif_lu(double *a, uint32_t n, uint32_t *pivot);
/* Solves a x = y in place, by the factors of asif_lu(). */
void asif_lu_solve(const double *lu, uint32_t n, const uint32_t *pivot, double *x);
/* Eigenvalues, ascending, and eigenvectors (the rows of `vectors`) of a symmetric matrix, by Jacobi's
 * rotations. The contents of a are lost. */
void asif_eigen(double *a, uint32_t n, double *values, double *vectors);
/* y = A x. */
void asif_dense_times(const double *a, uint32_t rows, uint32_t columns, const double *x, double *y);

#endif
