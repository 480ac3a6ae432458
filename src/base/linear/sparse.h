/* Sparse matrices for products with a vector. ASIF_SLICE rows are stored interleaved, padded with zeros to
 * the longest of them, so that a product runs down eight rows at a time. Immutable once built. */
#ifndef ASIF_SRC_BASE_LINEAR_SPARSE_H
#define ASIF_SRC_BASE_LINEAR_SPARSE_H

#include "asif/base.h"
#include "base/numeric/simd.h"

typedef struct {
    uint64_t rows;    /* rows of the matrix, without padding */
    uint64_t entries; /* number of entries stored, padding included */
    uint64_t *slice;  /* [slices + 1]: where a slice begins */
    uint32_t *column;
    double *value;
} asif_sparse;

/* A matrix under construction. Rows are added one after the other; the entries of a row may come in any
 * order, and those of the same column are added up. */
typedef struct {
    const asif_context *context;
    asif_sparse matrix;
    uint64_t slice_capacity, capacity;
    uint64_t slices;
    uint32_t filled;                   /* number of rows in the open slice */
    uint32_t count[ASIF_SLICE];        /* number of entries of these rows */
    uint64_t row_capacity[ASIF_SLICE]; /* room for entries of these rows */
    struct asif_entry {
        uint32_t column;
        double value;
    } * row[ASIF_SLICE];
} asif_sparse_builder;

void asif_sparse_begin(asif_sparse_builder *builder, const asif_context *context);
bool asif_sparse_add(asif_sparse_builder *builder, uint32_t column, double value); /* adds to the open row */
bool asif_sparse_end_row(asif_sparse_builder *builder);
/* Passes the matrix to the caller; false: no memory, and nothing to free. */
bool asif_sparse_finish(asif_sparse_builder *builder, asif_sparse *out);
void asif_sparse_abandon(asif_sparse_builder *builder);
void asif_sparse_free(const asif_context *context, asif_sparse *matrix);

/* The transposed product: out[column] += weight[i] * entry, over all rows i. */
void asif_sparse_scatter(const asif_sparse *matrix, const double *weight, double *out);
/* asif_sparse_scatter() for one row. */
void asif_sparse_scatter_row(const asif_sparse *matrix, uint64_t row, double weight, double *out);

#endif
