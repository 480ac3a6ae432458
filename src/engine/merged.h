/* The agent's chain over states, T = sum pi sigma W, as one sparse matrix. Linear systems with T need many
 * products, and where actions lead to the same states this matrix has fewer entries than the branches. */
#ifndef ASIF_SRC_ENGINE_MERGED_H
#define ASIF_SRC_ENGINE_MERGED_H

#include "engine/operator.h"

/* Compressed sparse rows. Zero-initialise. */
typedef struct {
    const asif_context *context;
    uint64_t room;    /* entries that the arrays can hold */
    uint64_t *offset; /* [nodes + 1] */
    uint32_t *column;
    double *value;
    uint64_t *place; /* [nodes]: index of a column in the row being made, or in the transpose */
} asif_merged;

/* Whether the merged matrix is worthwhile: not on a lattice, and not where all nodes have the
 * same successors. */
bool asif_merged_fits(const asif_operator *op);
/* Makes T with these shares (see asif_operator_linearise()), or its transpose, which needs `spare`
 * as scratch. */
asif_status asif_merged_make(asif_merged *chain, asif_merged *spare, const asif_operator *op,
                             const double *share, bool transposed, asif_error *error);
/* y = x - factor T x. */
void asif_merged_rest(const asif_merged *chain, uint32_t nodes, double factor, const double *x, double *y);
void asif_merged_free(asif_merged *chain);

#endif
