#include "engine/merged.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

bool asif_merged_fits(const asif_operator *op) {
    const asif_successors *s = op->successors;
    bool fits = !s->beliefs;
    for (uint32_t i = 0; i < op->actives && fits; i++)
        for (uint32_t j = 0; j < op->futures[op->active[i]].count; j++)
            fits = fits && !s->branch[op->futures[op->active[i]].branch[j]].constant;
    return fits;
}

/* The number of entries of all branches, an upper bound on the entries of the chain. */
static uint64_t most_entries(const asif_operator *op) {
    uint64_t entries = 0;
    for (uint32_t i = 0; i < op->actives; i++)
        for (uint32_t j = 0; j < op->futures[op->active[i]].count; j++)
            entries += op->successors->branch[op->futures[op->active[i]].branch[j]].weights.entries;
    return entries;
}

static asif_status reserve(asif_merged *c, const asif_operator *op, uint64_t entries, asif_error *error) {
    uint64_t nodes = op->successors->nodes;
    c->context = op->context;
    if (!c->offset)
        c->offset = ASIF_ARRAY(c->context, nodes + 1, uint64_t);
    if (!c->place)
        c->place = ASIF_ARRAY(c->context, nodes + 1, uint64_t);
    if (c->room < entries) {
        asif_free(c->context, c->column);
        asif_free(c->context, c->value);
        c->column = ASIF_ARRAY(c->context, entries, uint32_t);
        c->value = ASIF_ARRAY(c->context, entries, double);
        c->room = c->column && c->value ? entries : 0;
    }
    return c->offset && c->place && c->room >= entries ? ASIF_OK : asif_fail_memory(error);
}

/* Adds one branch's row to the row of the chain that begins at `first` and so far ends at `end`; returns its
 * new end. */
static uint64_t add_row(asif_merged *c, const asif_sparse *m, uint64_t row, double weight, uint64_t first,
                        uint64_t end) {
    uint64_t s = row / ASIF_SLICE;
    for (uint64_t e = m->slice[s] + row % ASIF_SLICE; e < m->slice[s + 1]; e += ASIF_SLICE) {
        uint32_t column = m->column[e];
        double value = weight * m->value[e];
        uint64_t at = c->place[column];
        if (value == 0)
            continue;
        if (at >= first && at < end && c->column[at] == column) {
            c->value[at] += value;
            continue;
        }
        c->place[column] = end;
        c->column[end] = column;
        c->value[end++] = value;
    }
    return end;
}

static void make_rows(asif_merged *c, const asif_operator *op, const double *share) {
    const asif_successors *s = op->successors;
    uint64_t end = 0;
    memset(c->place, 0, s->nodes * sizeof *c->place);
    for (uint64_t r = 0; r < s->nodes; r++) {
        uint64_t first = end;
        for (uint32_t i = 0; i < op->actives; i++) {
            uint32_t u = op->active[i];
            for (uint32_t j = 0; j < op->futures[u].count; j++)
                end = add_row(c, &s->branch[op->futures[u].branch[j]].weights, r,
                              share[((uint64_t)u * op->most_futures + j) * s->stride + r], first, end);
        }
        c->offset[r + 1] = end;
    }
}

static void transpose(asif_merged *to, const asif_merged *from, uint64_t nodes) {
    memset(to->offset, 0, (nodes + 1) * sizeof *to->offset);
    for (uint64_t e = 0; e < from->offset[nodes]; e++)
        to->offset[from->column[e] + 1]++;
    for (uint64_t i = 0; i < nodes; i++)
        to->offset[i + 1] += to->offset[i];
    memcpy(to->place, to->offset, nodes * sizeof *to->place);
    for (uint64_t r = 0; r < nodes; r++)
        for (uint64_t e = from->offset[r]; e < from->offset[r + 1]; e++) {
            uint64_t at = to->place[from->column[e]]++;
            to->column[at] = (uint32_t)r;
            to->value[at] = from->value[e];
        }
}

asif_status asif_merged_make(asif_merged *chain, asif_merged *spare, const asif_operator *op,
                             const double *share, bool transposed, asif_error *error) {
    asif_merged *rows = transposed ? spare : chain;
    uint64_t nodes = op->successors->nodes;
    ASIF_TRY(reserve(rows, op, most_entries(op), error));
    make_rows(rows, op, share);
    if (!transposed)
        return ASIF_OK;
    ASIF_TRY(reserve(chain, op, rows->offset[nodes], error));
    transpose(chain, rows, nodes);
    return ASIF_OK;
}

void asif_merged_rest(const asif_merged *c, uint32_t nodes, double factor, const double *x, double *y) {
    for (uint32_t r = 0; r < nodes; r++) {
        double sum = 0;
        for (uint64_t e = c->offset[r]; e < c->offset[r + 1]; e++)
            sum += c->value[e] * x[c->column[e]];
        y[r] = x[r] - factor * sum;
    }
}

void asif_merged_free(asif_merged *c) {
    if (!c->context)
        return;
    void *const arrays[] = {c->offset, c->column, c->value, c->place};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c->context, arrays[i]);
    *c = (asif_merged){0};
}
