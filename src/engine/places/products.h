/* Products with the rows of a branch, which has its weights in one matrix or link by link. */
#ifndef ASIF_SRC_ENGINE_PLACES_PRODUCTS_H
#define ASIF_SRC_ENGINE_PLACES_PRODUCTS_H

#include "engine/successors.h"

/* out = scale * W values + eta * entropy at n <= ASIF_BLOCK rows from `first` on, a multiple of ASIF_SLICE
 * unless blocks are shared; of a constant branch, at its only row. */
void asif_branch_product(const asif_successors *s, uint32_t branch, uint64_t first, uint32_t n,
                         const double *values, double scale, double eta, double *out);
/* The product of one row, and out += weight * row. A constant branch has one row, whatever the number. */
double asif_branch_row(const asif_successors *s, uint32_t branch, uint64_t row, const double *values);
void asif_branch_scatter_row(const asif_successors *s, uint32_t branch, uint64_t row, double weight,
                             double *out);
/* out += W' weight, for all rows of a branch that is not constant. */
void asif_branch_scatter(const asif_successors *s, uint32_t branch, const double *weight, double *out);

#endif
