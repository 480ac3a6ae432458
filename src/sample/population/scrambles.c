/* Values of populations without the points of each scramble of the table, in one pass over the likelihoods:
 * see marginal.h. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "sample/population/marginal.h"

#include <math.h>
#include <string.h>

#define CHUNK 512 /* rows whose sums by scramble are kept together */

/* z by scramble, [CHUNK][ASIF_SCRAMBLES][ASIF_POPULATIONS], and values of a slot, which are without each of
 * them and then with all. */
typedef struct {
    double z[CHUNK][ASIF_SCRAMBLES][ASIF_POPULATIONS];
    double value[ASIF_SCRAMBLES + 1][ASIF_POPULATIONS];
} by_scramble;

typedef struct {
    asif_marginal_work *work;
    by_scramble *slot; /* [slots] */
} scrambled;

/* Add what the points [first, first + n) of a block, all of one scramble, are for the rows [from, to). */
static void add_part(const asif_marginal_work *w, by_scramble *out, uint64_t block, uint64_t first,
                     uint64_t n, uint64_t from, uint64_t to) {
    const asif_marginal *m = w->marginal;
    const asif_likelihood_block *b = &m->block[block];
    uint32_t scramble = asif_atoms_scramble(m->atoms, b->first + first);
    for (uint64_t i = from; i < to; i += ASIF_MARGINAL_ROWS) {
        double part[ASIF_MARGINAL_ROWS * ASIF_POPULATIONS];
        uint32_t rows = (uint32_t)(to - i < ASIF_MARGINAL_ROWS ? to - i : ASIF_MARGINAL_ROWS);
        m->context->simd->dots_single(part, b->value + i * b->stride + first, b->stride, rows,
                                      asif_marginal_weights_of(w, block, 0) + first, b->stride, w->count, n);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t k = 0; k < w->count; k++)
                out->z[i + r - from][scramble][k] +=
                    w->share[block * m->rows + i + r] * part[r * w->count + k];
    }
}

static void add_values(const asif_marginal_work *w, by_scramble *out, uint64_t from, uint64_t to) {
    const asif_marginal *m = w->marginal;
    for (uint64_t i = from; i < to; i++)
        for (uint32_t k = 0; k < w->count; k++) {
            double all = 0;
            for (uint32_t s = 0; s < ASIF_SCRAMBLES; s++)
                all += out->z[i - from][s][k] / (ASIF_SINGLE_SCALE * ASIF_SINGLE_SCALE);
            for (uint32_t s = 0; s <= ASIF_SCRAMBLES; s++) {
                double less =
                    s < ASIF_SCRAMBLES ? out->z[i - from][s][k] / (ASIF_SINGLE_SCALE * ASIF_SINGLE_SCALE) : 0;
                out->value[s][k] += all - less > ASIF_LEAST_LIKELIHOOD
                                        ? m->times[i] * (log(all - less) + w->top[i])
                                        : -INFINITY;
            }
        }
}

static void fill_scrambles(void *argument, uint32_t slot) {
    const scrambled *a = argument;
    const asif_marginal_work *w = a->work;
    const asif_marginal *m = w->marginal;
    by_scramble *out = &a->slot[slot];
    uint64_t end = asif_marginal_first(w, slot + 1), to;
    memset(out->value, 0, sizeof out->value);
    for (uint64_t from = asif_marginal_first(w, slot); from < end; from = to) {
        to = end - from < CHUNK ? end : from + CHUNK;
        memset(out->z, 0, sizeof out->z);
        for (uint64_t b = 0; b < m->blocks; b++)
            for (uint64_t first = 0, n; first < m->block[b].count; first += n) {
                uint64_t left = m->block[b].count - first, at = m->block[b].first + first;
                uint32_t scramble = asif_atoms_scramble(m->atoms, at);
                left = left < ASIF_MARGINAL_TILE ? left : ASIF_MARGINAL_TILE;
                for (n = 1; n < left && asif_atoms_scramble(m->atoms, at + n) == scramble;)
                    n++;
                add_part(w, out, b, first, n, from, to);
            }
        add_values(w, out, from, to);
    }
}

/* Of at most ASIF_POPULATIONS, whose weights are there. */
static void sum_scrambles(scrambled *a, uint32_t stride, double *value) {
    const asif_marginal_work *w = a->work;
    const asif_atoms *atoms = w->marginal->atoms;
    asif_os_parallel(w->threads, w->slots, fill_scrambles, a);
    for (uint32_t k = 0; k < w->count; k++) {
        double part[ASIF_SCRAMBLES + 1] = {0};
        for (uint64_t i = 0; i < atoms->count; i++)
            part[asif_atoms_scramble(atoms, i)] += w->weight[k * atoms->count + i];
        for (uint32_t s = 0; s <= ASIF_SCRAMBLES; s++) {
            double *out = &value[s * (uint64_t)stride + k];
            *out = -w->marginal->units * log(w->sum[k] - part[s]);
            for (uint32_t slot = 0; slot < w->slots; slot++)
                *out += a->slot[slot].value[s][k];
            *out = isfinite(*out) ? *out : -INFINITY;
        }
    }
}

asif_status asif_marginal_without_each(asif_marginal_work *w, const double *phi, uint32_t count,
                                       double *value, asif_error *error) {
    uint32_t numbers = asif_population_numbers(w->densities.population);
    for (uint32_t s = 0; (w->shifted || w->mixed) && s <= ASIF_SCRAMBLES; s++) {
        w->without = s;
        asif_marginal_at_many(w, phi, count, value + (uint64_t)s * count);
    }
    if (w->shifted || w->mixed)
        return ASIF_OK;
    scrambled a = {w, ASIF_ARRAY(w->marginal->context, w->slots, by_scramble)};
    if (!a.slot)
        return asif_fail_memory(error);
    for (uint32_t first = 0; first < count; first += ASIF_POPULATIONS) {
        asif_marginal_weights(w, phi + (uint64_t)first * numbers,
                              count - first < ASIF_POPULATIONS ? count - first : ASIF_POPULATIONS);
        sum_scrambles(&a, count, value + first);
    }
    asif_free(w->marginal->context, a.slot);
    return ASIF_OK;
}
