/* Direct solution of small linear systems, for those that GMRES cannot solve. */
#ifndef ASIF_SRC_BASE_LINEAR_DIRECT_H
#define ASIF_SRC_BASE_LINEAR_DIRECT_H

#include "asif/base.h"

/* Solves A x = right, where `product` computes A x as in gmres.h. Arrays that `product` sees are [stride]
 * long, n <= stride; only their first n numbers belong to the system. If A is singular, *solved is false and
 * x is unchanged. Cost: n products and n^3/3 multiplications. */
asif_status asif_direct_solve(const asif_context *context, uint32_t n, uint64_t stride,
                              void (*product)(void *user, const double *x, double *y), void *user,
                              const double *right, double *x, bool *solved, asif_error *error);

#endif
