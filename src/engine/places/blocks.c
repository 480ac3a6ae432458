#include "engine/places/blocks.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tables are proportional if they agree to this, so that products that were rounded differently agree. */
#define GRAIN 0x1p-46

/* ---- which links share ---- */

/* The probability of a link where it is most likely. */
static double factor_of(const asif_links *l, uint32_t link) {
    const double *to = asif_links_to(l, link);
    double most = 0;
    for (uint32_t from = 0; from < l->hidden; from++) {
        double sum = 0;
        for (uint32_t h = 0; h < l->hidden; h++)
            sum += to[(uint64_t)h * l->hidden + from];
        most = fmax(most, sum);
    }
    return most;
}

/* What is compared: the tables of a link, its transitions divided by its factor, and its number. */
static void write_key(const asif_links *l, uint32_t link, double factor, uint64_t length, double *key) {
    uint64_t H = l->hidden, X = l->shown;
    const double *to = asif_links_to(l, link), *seen = asif_links_seen(l, link);
    for (uint64_t i = 0; i < H * H; i++)
        key[i] = nearbyint(to[i] / factor / GRAIN);
    for (uint64_t i = 0; i < H * X; i++)
        key[H * H + i] = seen[i];
    key[length - 1] = link;
}

/* A key begins with its length in numbers. */
static int by_key(const void *a, const void *b) {
    const double *x = a, *y = b;
    for (uint64_t i = 1; i < (uint64_t)x[0]; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool same_tables(const double *x, const double *y) {
    return memcmp(x, y, ((uint64_t)x[0] - 1) * sizeof *x) == 0;
}

/* Number the blocks of sorted keys. */
static void number(asif_blocks *b, const double *keys, uint64_t length, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        const double *key = keys + i * length;
        uint32_t link = (uint32_t)key[length - 1];
        if (i == 0 || !same_tables(key, key - length))
            b->link[b->count++] = link;
        b->of[link] = b->count - 1;
    }
}

asif_status asif_blocks_find(asif_blocks *b, const asif_context *context, const asif_links *l,
                             asif_error *error) {
    uint64_t length = 2 + (uint64_t)l->hidden * (l->hidden + l->shown), count = 0;
    double *keys = ASIF_ARRAY(context, l->count * length, double);
    b->of = ASIF_ARRAY(context, l->count, uint32_t);
    b->factor = ASIF_ARRAY(context, l->count, double);
    b->link = ASIF_ARRAY(context, l->count, uint32_t);
    bool good = keys && b->of && b->factor && b->link;
    for (uint32_t link = 0; good && link < l->count; link++) {
        b->of[link] = ASIF_ANY;
        b->factor[link] = factor_of(l, link);
        if (l->last[link] || !(b->factor[link] > 0))
            continue;
        double *key = keys + count++ * length;
        key[0] = (double)length;
        write_key(l, link, b->factor[link], length - 1, key + 1);
    }
    if (good) {
        qsort(keys, count, length * sizeof *keys, by_key);
        number(b, keys, length, count);
        b->weights = ASIF_ARRAY(context, b->count, asif_sparse);
    }
    asif_free(context, keys);
    return good && b->weights ? ASIF_OK : asif_fail_memory(error);
}

void asif_blocks_free(const asif_context *context, asif_blocks *b) {
    for (uint32_t i = 0; b->weights && i < b->count; i++)
        asif_sparse_free(context, &b->weights[i]);
    void *const arrays[] = {b->of, b->factor, b->link, b->weights};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    *b = (asif_blocks){0};
}

/* ---- weights ---- */

static bool fill_row(asif_sparse_builder *builder, const asif_links *l, const asif_lattice *lattice,
                     uint32_t link, double factor, uint32_t row) {
    const double *seen = asif_links_seen(l, link);
    double z[ASIF_MOST_BELIEF_STATES], next[ASIF_MOST_BELIEF_STATES], after[ASIF_MOST_BELIEF_STATES],
        weight[ASIF_MOST_BELIEF_STATES];
    uint32_t node[ASIF_MOST_BELIEF_STATES], H = l->hidden;
    asif_lattice_node(lattice, row, z);
    asif_links_follow(l, link, z, next);
    for (uint32_t x = 0; x < l->shown; x++) {
        double p = 0;
        for (uint32_t h = 0; h < H; h++)
            p += after[h] = next[h] * seen[(uint64_t)x * H + h];
        if (!(p > 0))
            continue;
        for (uint32_t h = 0; h < H; h++)
            after[h] /= p;
        asif_lattice_locate(lattice, after, node, weight);
        for (uint32_t k = 0; k < H; k++)
            if (!asif_sparse_add(builder, node[k], p / factor * weight[k]))
                return false;
    }
    return asif_sparse_end_row(builder);
}

bool asif_blocks_fill(asif_blocks *b, const asif_context *context, const asif_links *l,
                      const asif_lattice *lattice, uint32_t block) {
    asif_sparse_builder builder;
    uint32_t link = b->link[block];
    asif_sparse_begin(&builder, context);
    for (uint32_t row = 0; row < lattice->nodes; row++)
        if (!fill_row(&builder, l, lattice, link, b->factor[link], row)) {
            asif_sparse_abandon(&builder);
            return false;
        }
    return asif_sparse_finish(&builder, &b->weights[block]);
}

/* ---- products ---- */

/* Rows that begin with a whole slice. */
static void whole_rows(const asif_blocks *b, const asif_links *l, uint32_t nodes, const asif_simd *simd,
                       uint32_t branch, uint32_t place, uint32_t row, uint32_t n, const double *values,
                       double scale, const double *extra, double c, double *out) {
    uint32_t link, end;
    bool any = false;
    for (asif_links_from(l, branch, place, &link, &end); link < end; link++) {
        if (b->of[link] == ASIF_ANY)
            continue;
        const asif_sparse *w = &b->weights[b->of[link]];
        simd->product(out, w->slice, w->column, w->value, row, n, values + (uint64_t)l->to[link] * nodes,
                      scale * b->factor[link], any ? out : extra, any ? 1 : c);
        any = true;
    }
    for (uint32_t i = 0; i < n && !any; i++)
        out[i] = extra ? c * extra[i] : 0;
}

void asif_blocks_product(const asif_blocks *b, const asif_links *l, uint32_t nodes, const asif_simd *simd,
                         uint32_t branch, uint32_t place, uint32_t row, uint32_t n, const double *values,
                         double scale, const double *extra, double c, double *out) {
    double part[ASIF_BLOCK];
    while (n > 0 && row % ASIF_SLICE) {
        uint32_t before = row % ASIF_SLICE, here = ASIF_BLOCK - before < n ? ASIF_BLOCK - before : n;
        whole_rows(b, l, nodes, simd, branch, place, row - before, before + here, values, scale,
                   extra ? extra - before : NULL, c, part);
        memcpy(out, part + before, here * sizeof *out);
        row += here;
        out += here;
        extra = extra ? extra + here : NULL;
        n -= here;
    }
    if (n > 0)
        whole_rows(b, l, nodes, simd, branch, place, row, n, values, scale, extra, c, out);
}

double asif_blocks_row(const asif_blocks *b, const asif_links *l, uint32_t nodes, uint32_t branch,
                       uint32_t place, uint32_t row, const double *values) {
    uint32_t link, end;
    double sum = 0;
    for (asif_links_from(l, branch, place, &link, &end); link < end; link++) {
        const asif_sparse *w = b->of[link] == ASIF_ANY ? NULL : &b->weights[b->of[link]];
        const double *of = values + (uint64_t)l->to[link] * nodes;
        uint64_t slice = row / ASIF_SLICE;
        for (uint64_t e = w ? w->slice[slice] + row % ASIF_SLICE : 0; w && e < w->slice[slice + 1];
             e += ASIF_SLICE)
            sum += b->factor[link] * w->value[e] * of[w->column[e]];
    }
    return sum;
}

void asif_blocks_scatter(const asif_blocks *b, const asif_links *l, uint32_t nodes, uint32_t branch,
                         uint32_t place, uint32_t row, double weight, double *out) {
    uint32_t link, end;
    for (asif_links_from(l, branch, place, &link, &end); link < end; link++)
        if (b->of[link] != ASIF_ANY)
            asif_sparse_scatter_row(&b->weights[b->of[link]], row, weight * b->factor[link],
                                    out + (uint64_t)l->to[link] * nodes);
}
