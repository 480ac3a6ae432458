/* One pass over the likelihoods, which serves several populations: see marginal.h. */
#include "base/context.h"
#include "base/os.h"
#include "sample/population/marginal.h"

#include <string.h>

#define PULLED 4 /* rows that stay in the cache until they have pulled */

uint64_t asif_marginal_first(const asif_marginal_work *w, uint32_t slot) {
    return w->marginal->rows * slot / w->slots;
}

float *asif_marginal_weights_of(const asif_marginal_work *w, uint64_t block, uint32_t k) {
    const asif_likelihood_block *b = &w->marginal->block[block];
    return w->single + ASIF_POPULATIONS * b->before + k * b->stride;
}

/* The weights of population k. */
static void fill_weights(void *argument, uint32_t k) {
    asif_marginal_work *w = argument;
    const asif_atoms *atoms = w->marginal->atoms;
    double *weight = w->weight + k * atoms->count;
    asif_densities_at(&w->densities, w->phi + (uint64_t)k * asif_population_plain(w->densities.population),
                      weight);
    for (uint64_t a = 0; w->without < ASIF_SCRAMBLES && a < atoms->count; a++)
        if (asif_atoms_scramble(atoms, a) == w->without)
            weight[a] = 0;
    w->sum[k] = asif_densities_sum(&w->densities, weight, &w->effective[k]);
    for (uint64_t b = 0; b < w->marginal->blocks; b++)
        asif_single(asif_marginal_weights_of(w, b, k), weight + w->marginal->block[b].first,
                    w->marginal->block[b].count);
}

void asif_marginal_weights(asif_marginal_work *w, const double *phi, uint32_t count) {
    w->phi = phi;
    w->count = count;
    asif_os_parallel(w->threads, count, fill_weights, w);
}

/* What a tile of points of a block adds to z of the rows [from, to). */
static void add_tile(asif_marginal_work *w, uint64_t block, uint64_t first, uint64_t from, uint64_t to) {
    const asif_marginal *m = w->marginal;
    const asif_likelihood_block *b = &m->block[block];
    uint64_t n = b->count - first < ASIF_MARGINAL_TILE ? b->count - first : ASIF_MARGINAL_TILE;
    for (uint64_t i = from; i < to; i += ASIF_MARGINAL_ROWS) {
        double part[ASIF_MARGINAL_ROWS * ASIF_POPULATIONS];
        uint32_t rows = (uint32_t)(to - i < ASIF_MARGINAL_ROWS ? to - i : ASIF_MARGINAL_ROWS);
        m->context->simd->dots_single(part, b->value + i * b->stride + first, b->stride, rows,
                                      asif_marginal_weights_of(w, block, 0) + first, b->stride, w->count, n);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t k = 0; k < w->count; k++)
                w->z[(i + r) * ASIF_POPULATIONS + k] +=
                    w->share[block * m->rows + i + r] * part[r * w->count + k];
    }
}

/* The pull of the rows [from, to) on the points of a tile. */
static void pull_tile(asif_marginal_work *w, uint64_t block, uint64_t first, uint64_t from, uint64_t to,
                      uint32_t k, const double *part, float *pull) {
    const asif_marginal *m = w->marginal;
    const asif_likelihood_block *b = &m->block[block];
    uint64_t n = b->count - first < ASIF_MARGINAL_TILE ? b->count - first : ASIF_MARGINAL_TILE;
    for (uint64_t i = from; i < to; i++) {
        double z = w->z[i * ASIF_POPULATIONS + k], share = w->share[block * m->rows + i];
        if (share > 0 && z > ASIF_LEAST_LIKELIHOOD)
            m->context->simd->axpy_single(pull + b->first + first,
                                          (float)(part[i] * share / (z * ASIF_SINGLE_SCALE)),
                                          b->value + i * b->stride + first, n);
    }
}

static void fill_rows(asif_marginal_work *w, uint64_t from, uint64_t to) {
    const asif_marginal *m = w->marginal;
    memset(w->z + from * ASIF_POPULATIONS, 0, (to - from) * ASIF_POPULATIONS * sizeof *w->z);
    for (uint64_t b = 0; b < m->blocks; b++)
        for (uint64_t first = 0; first < m->block[b].count; first += ASIF_MARGINAL_TILE)
            add_tile(w, b, first, from, to);
    for (uint64_t i = from; i < to; i++)
        for (uint32_t k = 0; k < w->count; k++)
            w->z[i * ASIF_POPULATIONS + k] /= ASIF_SINGLE_SCALE * ASIF_SINGLE_SCALE;
}

static void pull_rows(asif_marginal_work *w, uint64_t from, uint64_t to, uint32_t k, const double *part,
                      float *pull) {
    const asif_marginal *m = w->marginal;
    for (uint64_t b = 0; b < m->blocks; b++)
        for (uint64_t first = 0; first < m->block[b].count; first += ASIF_MARGINAL_TILE)
            pull_tile(w, b, first, from, to, k, part, pull);
}

void asif_marginal_fill_slot(asif_marginal_work *w, uint32_t slot) {
    fill_rows(w, asif_marginal_first(w, slot), asif_marginal_first(w, slot + 1));
}

void asif_marginal_pull_slot(asif_marginal_work *w, uint32_t slot, uint32_t k, const double *part,
                             float *pull) {
    memset(pull, 0, w->marginal->atoms->count * sizeof *pull);
    pull_rows(w, asif_marginal_first(w, slot), asif_marginal_first(w, slot + 1), k, part, pull);
}

/* Each row comes from memory once. */
void asif_marginal_fill_and_pull_slot(asif_marginal_work *w, uint32_t slot, const double *part, float *pull) {
    uint64_t end = asif_marginal_first(w, slot + 1);
    memset(pull, 0, w->marginal->atoms->count * sizeof *pull);
    for (uint64_t i = asif_marginal_first(w, slot); i < end; i += PULLED) {
        uint64_t to = i + PULLED < end ? i + PULLED : end;
        fill_rows(w, i, to);
        pull_rows(w, i, to, 0, part, pull);
    }
}
