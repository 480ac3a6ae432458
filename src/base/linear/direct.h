/* Linear systems that GMRES cannot solve: factorised, as long as they are small. */
#ifndef ASIF_SRC_BASE_LINEAR_DIRECT_H
#define ASIF_SRC_BASE_LINEAR_DIRECT_H

#include "asif/base.h"

/* Solve A x = right, A being given by its product as in gmres.h. Arrays that `product` sees are [stride]
 * long, n <= stride; only the first n are the system's. *solved is false, and x as it was, where A is
 * singular. Cost: n products and n^3/3 multiplications. */
asif_status asif_direct_solve(const asif_context *context, uint32_t n, uint64_t stride,
                              void (*product)(void *user, const double *x, double *y), void *user,
                              const double *right, double *x, bool *solved, asif_error *error);

#endif
