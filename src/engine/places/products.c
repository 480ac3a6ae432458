#include "engine/places/products.h"

#include "base/context.h"

static bool in_blocks(const asif_successors *s, uint32_t branch) {
    return s->shares && !s->branch[branch].constant;
}

static uint32_t row_within(const asif_successors *s, uint64_t row, uint32_t *place) {
    *place = asif_successors_place(s, (uint32_t)row);
    return (uint32_t)(row - asif_successors_first(s, *place));
}

void asif_branch_product(const asif_successors *s, uint32_t branch, uint64_t first, uint32_t n,
                         const double *values, double scale, double eta, double *out) {
    const asif_branch *b = &s->branch[branch];
    const double *entropy = eta != 0 ? b->entropy : NULL;
    if (!in_blocks(s, branch)) {
        uint64_t row = b->constant ? 0 : first;
        s->context->simd->product(out, b->weights.slice, b->weights.column, b->weights.value, row,
                                  b->constant ? 1 : n, values, scale, entropy ? entropy + row : NULL, eta);
        return;
    }
    for (uint32_t done = 0, here; done < n; done += here) {
        uint32_t place, row = row_within(s, first + done, &place);
        here = asif_successors_within(s, first + done, n - done);
        asif_blocks_product(&s->blocks, &s->links, s->lattice.nodes, s->context->simd, branch, place, row,
                            here, values, scale, entropy ? entropy + first + done : NULL, eta, out + done);
    }
}

double asif_branch_row(const asif_successors *s, uint32_t branch, uint64_t row, const double *values) {
    const asif_sparse *w = &s->branch[branch].weights;
    uint32_t place, within;
    double sum = 0;
    if (in_blocks(s, branch)) {
        within = row_within(s, row, &place);
        return asif_blocks_row(&s->blocks, &s->links, s->lattice.nodes, branch, place, within, values);
    }
    row = s->branch[branch].constant ? 0 : row;
    uint64_t e = w->slice[row / ASIF_SLICE] + row % ASIF_SLICE, end = w->slice[row / ASIF_SLICE + 1];
    for (; e < end; e += ASIF_SLICE)
        sum += w->value[e] * values[w->column[e]];
    return sum;
}

void asif_branch_scatter_row(const asif_successors *s, uint32_t branch, uint64_t row, double weight,
                             double *out) {
    const asif_branch *b = &s->branch[branch];
    uint32_t place, within;
    if (!in_blocks(s, branch)) {
        asif_sparse_scatter_row(&b->weights, b->constant ? 0 : row, weight, out);
        return;
    }
    within = row_within(s, row, &place);
    asif_blocks_scatter(&s->blocks, &s->links, s->lattice.nodes, branch, place, within, weight, out);
}

void asif_branch_scatter(const asif_successors *s, uint32_t branch, const double *weight, double *out) {
    for (uint64_t row = 0; row < s->nodes; row++)
        if (weight[row] != 0)
            asif_branch_scatter_row(s, branch, row, weight[row], out);
}
