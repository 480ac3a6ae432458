#include "sample/population/marginal.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "sample/population/shifted.h"

#include <math.h>
#include <string.h>

#define SLOTS 16    /* most parts in which rows are summed, whatever the number of threads */
#define SLOT_ROWS 8 /* least rows of a part */
#define SHIFTED 12  /* cost of a weight that a group has for itself, over that of a likelihood */
#define TILE 2048   /* points that are taken together */
#define LINE 16     /* numbers of a line of the cache, on which rows begin: products are faster so */

/* ---- likelihoods ---- */

void asif_marginal_open(asif_marginal *m, const asif_context *context, const asif_atoms *atoms, uint64_t rows,
                        const double *times) {
    *m = (asif_marginal){.context = context, .atoms = atoms, .rows = rows, .times = times};
    for (uint64_t i = 0; i < rows; i++)
        m->units += times[i];
}

void asif_marginal_close(asif_marginal *m) {
    for (uint64_t b = 0; b < m->blocks; b++) {
        asif_free(m->context, m->block[b].memory);
        asif_free(m->context, m->block[b].top);
    }
    if (m->context)
        asif_free(m->context, m->block);
    *m = (asif_marginal){0};
}

/* Room for `count` numbers that begins on a line of the cache, and the memory that it is in; NULL: no memory.
 */
static float *aligned(const asif_context *context, uint64_t count, void **memory) {
    *memory = asif_realloc(context, NULL, count + LINE, sizeof(float));
    uintptr_t beyond = (uintptr_t)*memory / sizeof(float) % LINE;
    return *memory ? (float *)*memory + (LINE - beyond) % LINE : NULL;
}

asif_status asif_marginal_add(asif_marginal *m, uint64_t most, asif_error *error) {
    const asif_likelihood_block *last = m->blocks ? &m->block[m->blocks - 1] : NULL;
    asif_likelihood_block b = {.first = last ? last->first + last->count : 0,
                               .before = last ? last->before + last->stride : 0};
    b.count = m->atoms->count - b.first < most ? m->atoms->count - b.first : most;
    b.stride = ((b.count + LINE - 1) / LINE | 1) * LINE; /* odd: rows do not compete for the same sets */
    if (!asif_grow(m->context, &m->block, m->blocks, &m->capacity, sizeof b))
        return asif_fail_memory(error);
    if (b.stride <= UINT64_MAX / sizeof *b.value / (m->rows + 1))
        b.value = aligned(m->context, m->rows * b.stride, &b.memory);
    b.top = ASIF_ARRAY(m->context, m->rows, double);
    if (!b.value || !b.top) {
        asif_free(m->context, b.memory);
        asif_free(m->context, b.top);
        return asif_fail_memory(error);
    }
    m->block[m->blocks++] = b;
    return ASIF_OK;
}

void asif_marginal_set(asif_marginal *m, uint64_t row, const double *log_likelihood) {
    asif_likelihood_block *b = &m->block[m->blocks - 1];
    double top = -INFINITY, part[TILE];
    for (uint64_t a = 0; a < b->count; a++)
        top = log_likelihood[a] > top ? log_likelihood[a] : top;
    b->top[row] = top;
    for (uint64_t first = 0; first < b->count; first += TILE) {
        uint64_t n = b->count - first < TILE ? b->count - first : TILE;
        for (uint64_t a = 0; a < n; a++)
            part[a] = isfinite(top) ? fmax(log_likelihood[first + a] - top, -100) : -100;
        m->context->simd->exp(part, part, n);
        asif_single(b->value + row * b->stride + first, part, n);
    }
}

void asif_marginal_row(const asif_marginal *m, uint64_t row, double *log_likelihood) {
    const double scale = log(ASIF_SINGLE_SCALE);
    for (uint64_t b = 0; b < m->blocks; b++) {
        const asif_likelihood_block *k = &m->block[b];
        const float *value = k->value + row * k->stride;
        double *out = log_likelihood + k->first;
        for (uint64_t a = 0; a < k->count; a++)
            out[a] = value[a] > 0 ? (double)value[a] : 1;
        m->context->simd->log(out, out, k->count);
        for (uint64_t a = 0; a < k->count; a++)
            out[a] = value[a] > 0 ? out[a] - scale + k->top[row] : -INFINITY;
    }
}

double asif_marginal_cost(const asif_marginal *m) {
    double weights = m->covariates ? SHIFTED * (double)m->covariates->groups : 0;
    return ((double)m->rows + weights) * (double)m->atoms->count;
}

/* ---- evaluation ---- */

static void fill_shares(asif_marginal_work *w) {
    const asif_marginal *m = w->marginal;
    for (uint64_t i = 0; i < m->rows; i++) {
        w->top[i] = -INFINITY;
        for (uint64_t b = 0; b < m->blocks; b++)
            w->top[i] = fmax(w->top[i], m->block[b].top[i]);
        for (uint64_t b = 0; b < m->blocks; b++) {
            double share = isfinite(w->top[i]) ? exp(m->block[b].top[i] - w->top[i]) : 0;
            w->share[b * m->rows + i] = share < ASIF_SINGLE_LEAST ? 0 : share;
        }
    }
}

asif_status asif_marginal_work_open(asif_marginal_work *w, const asif_marginal *m,
                                    const asif_normal_population *population, uint32_t threads,
                                    asif_error *error) {
    const asif_likelihood_block *last = m->blocks ? &m->block[m->blocks - 1] : NULL;
    uint64_t n = m->atoms->count, slots = m->rows / SLOT_ROWS < SLOTS ? m->rows / SLOT_ROWS + 1 : SLOTS;
    *w = (asif_marginal_work){.marginal = m,
                              .threads = threads,
                              .without = ASIF_SCRAMBLES,
                              .slots = (uint32_t)slots,
                              .top = ASIF_ARRAY(m->context, m->rows, double),
                              .share = ASIF_ARRAY(m->context, m->blocks * m->rows, double),
                              .weight = ASIF_ARRAY(m->context, ASIF_POPULATIONS * n, double),
                              .z = ASIF_ARRAY(m->context, ASIF_POPULATIONS * m->rows, double),
                              .values = ASIF_ARRAY(m->context, ASIF_POPULATIONS * slots, double),
                              .pulls = ASIF_ARRAY(m->context, slots * n, float),
                              .pull = ASIF_ARRAY(m->context, n, double)};
    w->single = aligned(m->context, ASIF_POPULATIONS * (last ? last->before + last->stride : 0), &w->memory);
    if (!w->top || !w->share || !w->weight || !w->single || !w->z || !w->values || !w->pulls || !w->pull)
        return asif_fail_memory(error);
    fill_shares(w);
    ASIF_TRY(asif_densities_open(&w->densities, m->context, m->atoms, population, error));
    if (population->kinds > 1)
        ASIF_TRY(asif_kinds_open(w, error));
    return population->effects ? asif_shifted_open(w, error) : ASIF_OK;
}

void asif_marginal_work_close(asif_marginal_work *w) {
    void *const arrays[] = {w->top, w->share, w->weight, w->memory, w->z, w->values, w->pulls, w->pull};
    for (size_t i = 0; w->marginal && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(w->marginal->context, arrays[i]);
    asif_densities_close(&w->densities);
    asif_shifted_close(w);
    asif_kinds_close(w);
    *w = (asif_marginal_work){0};
}

static void sum_slot(void *argument, uint32_t slot) {
    asif_marginal_work *w = argument;
    const asif_marginal *m = w->marginal;
    uint64_t from = asif_marginal_first(w, slot), to = asif_marginal_first(w, slot + 1);
    double *value = w->values + (uint64_t)slot * ASIF_POPULATIONS;
    memset(value, 0, ASIF_POPULATIONS * sizeof *value);
    if (w->pulled)
        asif_marginal_fill_and_pull_slot(w, slot, m->times, w->pulls + slot * m->atoms->count);
    else
        asif_marginal_fill_slot(w, slot);
    for (uint64_t i = from; i < to; i++)
        for (uint32_t k = 0; k < w->count; k++) {
            double z = w->z[i * ASIF_POPULATIONS + k];
            value[k] += z > ASIF_LEAST_LIKELIHOOD ? m->times[i] * (log(z) + w->top[i]) : -INFINITY;
        }
}

/* The values of the populations whose weights are there. */
static void pass(asif_marginal_work *w, bool pulled, double *value) {
    const asif_marginal *m = w->marginal;
    bool any = false;
    for (uint32_t k = 0; k < w->count; k++) {
        value[k] = w->effective[k] >= w->least_effective && w->sum[k] > 0 ? 0 : -INFINITY;
        any = any || value[k] == 0;
    }
    if (!any)
        return;
    w->pulled = pulled;
    asif_os_parallel(w->threads, w->slots, sum_slot, w);
    for (uint32_t s = 0; s < w->slots; s++)
        for (uint32_t k = 0; k < w->count; k++)
            value[k] += w->values[s * ASIF_POPULATIONS + k];
    for (uint32_t k = 0; k < w->count; k++) {
        value[k] -= m->units * log(w->sum[k]);
        value[k] = isfinite(value[k]) ? value[k] : -INFINITY;
    }
    if (!pulled)
        return;
    memset(w->pull, 0, m->atoms->count * sizeof *w->pull);
    for (uint32_t s = 0; s < w->slots; s++)
        for (uint64_t a = 0; a < m->atoms->count; a++)
            w->pull[a] += (double)w->pulls[s * m->atoms->count + a];
}

void asif_marginal_at_many(asif_marginal_work *w, const double *phi, uint32_t count, double *value) {
    uint32_t numbers = asif_population_numbers(w->densities.population);
    for (uint32_t first = 0; first < count; first += ASIF_POPULATIONS) {
        uint32_t here = count - first < ASIF_POPULATIONS ? count - first : ASIF_POPULATIONS;
        if (w->shifted) {
            asif_shifted_at(w, phi + (uint64_t)first * numbers, here, value + first);
            continue;
        }
        if (w->mixed) {
            asif_kinds_at(w, phi + (uint64_t)first * numbers, here, value + first);
            continue;
        }
        asif_marginal_weights(w, phi + (uint64_t)first * numbers, here);
        pass(w, false, value + first);
    }
}

/* sum, sum g x and sum g x x' of g_a = weight_a (pull_a - less); the pull is overwritten by g. */
static double moments(asif_marginal_work *w, double less, double *first, double *second) {
    for (uint64_t a = 0; a < w->marginal->atoms->count; a++)
        w->pull[a] = w->weight[a] * (w->pull[a] - less);
    return asif_densities_moments(&w->densities, w->pull, first, second);
}

double asif_marginal_at(asif_marginal_work *w, const double *phi, double *gradient) {
    double first[ASIF_POPULATION_MOST], second[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        value = -INFINITY;
    if (w->shifted)
        return asif_shifted_slope(w, phi, gradient);
    if (w->mixed)
        return asif_kinds_slope(w, phi, gradient);
    asif_marginal_weights(w, phi, 1);
    pass(w, gradient != NULL, &value);
    if (gradient && isfinite(value)) {
        double g = moments(w, w->marginal->units / w->sum[0], first, second);
        asif_population_pull(w->densities.population, phi, g, first, second, gradient);
    }
    return value;
}

void asif_marginal_effective(asif_marginal_work *w, const double *phi, uint64_t count, double *effective) {
    uint32_t numbers = asif_population_numbers(w->densities.population);
    for (uint64_t first = 0; first < count; first += ASIF_POPULATIONS) {
        uint32_t here = count - first < ASIF_POPULATIONS ? (uint32_t)(count - first) : ASIF_POPULATIONS;
        if (w->shifted)
            asif_shifted_effective(w, phi + first * numbers, here);
        else if (w->mixed)
            asif_kinds_at(w, phi + first * numbers, here, NULL);
        else
            asif_marginal_weights(w, phi + first * numbers, here);
        memcpy(effective + first, w->effective, here * sizeof *effective);
    }
}

bool asif_marginal_moments(asif_marginal_work *w, const double *phi, double *mean, double *covariance) {
    uint64_t d = w->marginal->atoms->base->dimension;
    double value = -INFINITY;
    asif_marginal_weights(w, phi, 1);
    pass(w, true, &value);
    if (!isfinite(value))
        return false;
    double all = moments(w, 0, mean, covariance);
    for (uint64_t i = 0; i < d; i++)
        mean[i] /= all;
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j < d; j++)
            covariance[i * d + j] = covariance[i * d + j] / all - mean[i] * mean[j];
    return true;
}

/* ---- as a density ---- */

static asif_status evaluate(void *user, const double *phi, double *value, double *gradient,
                            asif_error *error) {
    asif_marginal_work *w = user;
    double unused[ASIF_POPULATION_NUMBERS] = {0};
    (void)error;
    if (gradient)
        memset(gradient, 0, asif_population_numbers(w->densities.population) * sizeof *gradient);
    *value = asif_marginal_at(w, phi, gradient);
    if (isfinite(*value))
        *value += asif_population_log_prior(w->densities.population, phi, gradient ? gradient : unused);
    return ASIF_OK;
}

static void report(void *user, const double *phi, double *out) {
    asif_population_report(((const asif_marginal_work *)user)->densities.population, phi, out);
}

asif_density asif_marginal_density(asif_marginal_work *w, const char *const *name) {
    uint32_t numbers = asif_population_numbers(w->densities.population);
    return (asif_density){.dimension = numbers,
                          .evaluate = evaluate,
                          .has_gradient = true,
                          .reported = numbers,
                          .name = name,
                          .report = report,
                          .user = w,
                          .smooth = true};
}
