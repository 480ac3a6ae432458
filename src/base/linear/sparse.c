#include "base/linear/sparse.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define SHORT 48 /* entries of a row that are sorted by insertion */

void asif_sparse_begin(asif_sparse_builder *builder, const asif_context *context) {
    memset(builder, 0, sizeof *builder);
    builder->context = context;
}

bool asif_sparse_add(asif_sparse_builder *b, uint32_t column, double value) {
    uint32_t r = b->filled;
    if (value == 0)
        return true;
    if (!asif_grow(b->context, &b->row[r], b->count[r], &b->row_capacity[r], sizeof *b->row[r]))
        return false;
    b->row[r][b->count[r]++] = (struct asif_entry){column, value};
    return true;
}

static int by_column(const void *x, const void *y) {
    uint32_t a = ((const struct asif_entry *)x)->column, b = ((const struct asif_entry *)y)->column;
    return (a > b) - (a < b);
}

/* Insertion keeps entries of the same column in the order in which they came. Rows are short as a rule. */
static void sort(struct asif_entry *row, uint32_t n) {
    if (n > SHORT) {
        qsort(row, n, sizeof *row, by_column);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        struct asif_entry entry = row[i];
        uint32_t at = i;
        for (; at > 0 && row[at - 1].column > entry.column; at--)
            row[at] = row[at - 1];
        row[at] = entry;
    }
}

/* Sorts a row by columns and merges its entries: products then read memory in order, and the order of
 * addition is fixed. */
static void merge(asif_sparse_builder *b, uint32_t r) {
    struct asif_entry *row = b->row[r];
    bool sorted = true;
    for (uint32_t i = 1; i < b->count[r]; i++)
        sorted = sorted && row[i - 1].column < row[i].column;
    if (sorted)
        return;
    sort(row, b->count[r]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count[r]; i++)
        if (kept && row[kept - 1].column == row[i].column)
            row[kept - 1].value += row[i].value;
        else
            row[kept++] = row[i];
    b->count[r] = kept;
}

static bool close_slice(asif_sparse_builder *b) {
    uint32_t width = 0;
    for (uint32_t r = 0; r < ASIF_SLICE; r++)
        width = b->count[r] > width ? b->count[r] : width;
    uint64_t need = b->matrix.entries + (uint64_t)width * ASIF_SLICE;
    if (need > b->capacity) {
        uint64_t capacity =
            need > b->capacity + b->capacity / 2 ? need + 1024 : b->capacity + b->capacity / 2;
        uint32_t *column = asif_realloc(b->context, b->matrix.column, capacity, sizeof *column);
        if (!column)
            return false;
        b->matrix.column = column;
        double *value = asif_realloc(b->context, b->matrix.value, capacity, sizeof *value);
        if (!value)
            return false;
        b->matrix.value = value;
        b->capacity = capacity;
    }
    if (!asif_grow(b->context, &b->matrix.slice, b->slices + 1, &b->slice_capacity, sizeof *b->matrix.slice))
        return false;
    b->matrix.slice[0] = 0;
    for (uint32_t e = 0; e < width; e++)
        for (uint32_t r = 0; r < ASIF_SLICE; r++) {
            bool there = e < b->count[r];
            uint64_t at = b->matrix.entries + (uint64_t)e * ASIF_SLICE + r;
            b->matrix.column[at] = there ? b->row[r][e].column : (b->count[r] ? b->row[r][0].column : 0);
            b->matrix.value[at] = there ? b->row[r][e].value : 0;
        }
    b->matrix.entries = need;
    b->matrix.slice[++b->slices] = need;
    memset(b->count, 0, sizeof b->count);
    b->filled = 0;
    return true;
}

bool asif_sparse_end_row(asif_sparse_builder *b) {
    merge(b, b->filled);
    b->matrix.rows++;
    return ++b->filled < ASIF_SLICE || close_slice(b);
}

bool asif_sparse_finish(asif_sparse_builder *b, asif_sparse *out) {
    if (b->filled && !close_slice(b)) {
        asif_sparse_abandon(b);
        return false;
    }
    *out = b->matrix;
    memset(&b->matrix, 0, sizeof b->matrix);
    asif_sparse_abandon(b);
    /* Returns unused memory; if that fails, the larger arrays stay. */
    void *column = asif_realloc(b->context, out->column, out->entries, sizeof *out->column);
    void *value = asif_realloc(b->context, out->value, out->entries, sizeof *out->value);
    out->column = column ? column : out->column;
    out->value = value ? value : out->value;
    return true;
}

void asif_sparse_abandon(asif_sparse_builder *b) {
    for (uint32_t r = 0; r < ASIF_SLICE; r++) {
        asif_free(b->context, b->row[r]);
        b->row[r] = NULL;
    }
    asif_sparse_free(b->context, &b->matrix);
}

void asif_sparse_free(const asif_context *context, asif_sparse *matrix) {
    asif_free(context, matrix->slice);
    asif_free(context, matrix->column);
    asif_free(context, matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

void asif_sparse_scatter_row(const asif_sparse *m, uint64_t row, double weight, double *out) {
    uint64_t s = row / ASIF_SLICE, r = row % ASIF_SLICE;
    for (uint64_t e = m->slice[s] + r; e < m->slice[s + 1]; e += ASIF_SLICE)
        out[m->column[e]] += weight * m->value[e];
}

void asif_sparse_scatter(const asif_sparse *m, const double *weight, double *out) {
    for (uint64_t i = 0; i < m->rows; i++)
        if (weight[i] != 0)
            asif_sparse_scatter_row(m, i, weight[i], out);
}
