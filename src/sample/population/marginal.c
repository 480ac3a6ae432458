#include "sample/population/marginal.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/os.h"

#include <math.h>
#include <string.h>

#define SLOTS 16    /* most parts in which rows are summed, whatever the number of threads */
#define SLOT_ROWS 8 /* least rows of a part */
#define TINY 1e-30  /* smaller likelihoods, over the largest of a row, count as 0 */

/* ---- likelihoods ---- */

void asif_marginal_open(asif_marginal *m, const asif_context *context, const asif_atoms *atoms, uint64_t rows,
                        const double *times) {
    *m = (asif_marginal){.context = context, .atoms = atoms, .rows = rows, .times = times};
    for (uint64_t i = 0; i < rows; i++)
        m->units += times[i];
}

void asif_marginal_close(asif_marginal *m) {
    for (uint64_t b = 0; b < m->blocks; b++) {
        asif_free(m->context, m->block[b].value);
        asif_free(m->context, m->block[b].top);
    }
    if (m->context)
        asif_free(m->context, m->block);
    *m = (asif_marginal){0};
}

asif_status asif_marginal_add(asif_marginal *m, asif_error *error) {
    const asif_likelihood_block *last = m->blocks ? &m->block[m->blocks - 1] : NULL;
    asif_likelihood_block b = {.first = last ? last->first + last->count : 0};
    b.count = m->atoms->count - b.first;
    if (!asif_grow(m->context, &m->block, m->blocks, &m->capacity, sizeof b))
        return asif_fail_memory(error);
    b.value = b.count <= UINT64_MAX / 8 / (m->rows + 1)
                  ? asif_realloc(m->context, NULL, m->rows * b.count + 1, sizeof *b.value)
                  : NULL;
    b.top = ASIF_ARRAY(m->context, m->rows, double);
    if (!b.value || !b.top) {
        asif_free(m->context, b.value);
        asif_free(m->context, b.top);
        return asif_fail_memory(error);
    }
    m->block[m->blocks++] = b;
    return ASIF_OK;
}

void asif_marginal_set(asif_marginal *m, uint64_t row, const double *log_likelihood) {
    asif_likelihood_block *b = &m->block[m->blocks - 1];
    double top = -INFINITY, *to = b->value + row * b->count;
    for (uint64_t a = 0; a < b->count; a++)
        top = log_likelihood[a] > top ? log_likelihood[a] : top;
    b->top[row] = top;
    for (uint64_t a = 0; a < b->count; a++)
        to[a] = isfinite(top) ? fmax(log_likelihood[a] - top, -100) : -100;
    m->context->simd->exp(to, to, b->count);
    for (uint64_t a = 0; a < b->count; a++)
        to[a] = to[a] < TINY ? 0 : to[a];
}

/* ---- evaluation ---- */

enum { MOST_FEATURES = 1 + ASIF_POPULATION_MOST + ASIF_POPULATION_MOST * (ASIF_POPULATION_MOST + 1) / 2 };

static uint32_t features(const asif_normal_population *p) {
    uint32_t d = p->base->dimension;
    return 1 + d + d * (d + 1) / 2;
}

static void fill_features(asif_marginal_work *w) {
    const asif_atoms *atoms = w->marginal->atoms;
    uint64_t d = atoms->base->dimension, n = atoms->count;
    for (uint64_t a = 0; a < n; a++) {
        double u[ASIF_POPULATION_MOST], *to = w->feature + a;
        to[0] = 1;
        for (uint64_t i = 0; i < d; i++) {
            u[i] = (atoms->x[a * d + i] - w->population->centre[i]) / w->population->scale[i];
            to[(1 + i) * n] = u[i];
        }
        to += (1 + d) * n;
        for (uint64_t i = 0; i < d; i++)
            for (uint64_t j = 0; j <= i; j++, to += n)
                *to = u[i] * u[j];
    }
}

/* The coefficients of the features in the log-density of a population. */
static void fill_coefficients(const asif_normal_population *p, const double *phi, double *c) {
    uint64_t d = p->base->dimension;
    double mean[ASIF_POPULATION_MOST], factor[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        inverse[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST];
    asif_population_at(p, phi, mean, factor);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j <= i; j++)
            factor[i * d + j] /= p->scale[i];
    asif_cholesky_inverse(factor, (uint32_t)d, inverse);
    double *square = c + 1 + d;
    c[0] = -.5 * (double)d * log(2 * acos(-1));
    for (uint64_t i = 0; i < d; i++) {
        c[0] -= log(factor[i * d + i] * p->scale[i]);
        c[1 + i] = 0;
        for (uint64_t j = 0; j < d; j++) {
            c[1 + i] += inverse[i * d + j] * phi[j]; /* the mean in u is phi itself */
            c[0] -= inverse[i * d + j] * phi[i] * phi[j] / 2;
        }
        for (uint64_t j = 0; j <= i; j++)
            *square++ = i == j ? -inverse[i * d + j] / 2 : -inverse[i * d + j];
    }
}

asif_status asif_marginal_work_open(asif_marginal_work *w, const asif_marginal *m,
                                    const asif_normal_population *population, uint32_t threads,
                                    asif_error *error) {
    uint64_t n = m->atoms->count;
    *w = (asif_marginal_work){.marginal = m,
                              .population = population,
                              .threads = threads,
                              .without = ASIF_SCRAMBLES,
                              .slot_count =
                                  m->rows / SLOT_ROWS < SLOTS ? (uint32_t)(m->rows / SLOT_ROWS) + 1 : SLOTS,
                              .feature = ASIF_ARRAY(m->context, features(population) * n, double),
                              .weight = ASIF_ARRAY(m->context, n, double),
                              .pull = ASIF_ARRAY(m->context, n, double),
                              .values = ASIF_ARRAY(m->context, SLOTS, double)};
    w->slots = ASIF_ARRAY(m->context, w->slot_count * n, double);
    if (!w->weight || !w->pull || !w->slots || !w->values || !w->feature)
        return asif_fail_memory(error);
    fill_features(w);
    return ASIF_OK;
}

void asif_marginal_work_close(asif_marginal_work *w) {
    void *const arrays[] = {w->weight, w->pull, w->slots, w->values, w->feature};
    for (size_t i = 0; w->marginal && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(w->marginal->context, arrays[i]);
    *w = (asif_marginal_work){0};
}

/* w_a over the largest; returns their sum. */
static double fill_weights(asif_marginal_work *w, const double *phi) {
    const asif_atoms *atoms = w->marginal->atoms;
    double sum = 0, squares = 0, top = -INFINITY, c[MOST_FEATURES];
    fill_coefficients(w->population, phi, c);
    w->marginal->context->simd->weighted(w->weight, w->feature, atoms->count, c, features(w->population),
                                         atoms->count);
    for (uint64_t a = 0; a < atoms->count; a++) {
        w->weight[a] -= atoms->log_q[a];
        top = w->weight[a] > top ? w->weight[a] : top;
    }
    for (uint64_t a = 0; a < atoms->count; a++)
        w->weight[a] = w->weight[a] - top > -700 ? w->weight[a] - top : -700;
    w->marginal->context->simd->exp(w->weight, w->weight, atoms->count);
    for (uint64_t a = 0; w->without < ASIF_SCRAMBLES && a < atoms->count; a++)
        if (asif_atoms_scramble(atoms, a) == w->without)
            w->weight[a] = 0;
    for (uint64_t a = 0; a < atoms->count; a++) {
        sum += w->weight[a];
        squares += w->weight[a] * w->weight[a];
    }
    w->effective = sum * sum / squares;
    return sum;
}

static void sum_slot(void *argument, uint32_t slot) {
    asif_marginal_work *w = argument;
    const asif_marginal *m = w->marginal;
    const asif_simd *simd = m->context->simd;
    double *pull = w->slots + slot * m->atoms->count, value = 0;
    if (w->pulled)
        memset(pull, 0, m->atoms->count * sizeof *pull);
    for (uint64_t i = m->rows * slot / w->slot_count; i < m->rows * (slot + 1) / w->slot_count; i++) {
        double z = 0, top = -INFINITY;
        for (uint64_t b = 0; b < m->blocks; b++)
            top = fmax(top, m->block[b].top[i]);
        for (uint64_t b = 0; isfinite(top) && b < m->blocks; b++) {
            const asif_likelihood_block *k = &m->block[b];
            z += exp(k->top[i] - top) * simd->dot(w->weight + k->first, k->value + i * k->count, k->count);
        }
        value += m->times[i] * (log(z) + top);
        for (uint64_t b = 0; w->pulled && z > 0 && b < m->blocks; b++) {
            const asif_likelihood_block *k = &m->block[b];
            simd->axpy(pull + k->first, m->times[i] * exp(k->top[i] - top) / z, k->value + i * k->count,
                       k->count);
        }
    }
    w->values[slot] = value;
}

/* Fill weight, and pull if it is wanted; the sum of weights goes to *sum. */
static double pass(asif_marginal_work *w, const double *phi, bool pulled, double *sum) {
    const asif_marginal *m = w->marginal;
    *sum = fill_weights(w, phi);
    if (!(w->effective >= w->least_effective) || !(*sum > 0))
        return -INFINITY;
    w->pulled = pulled;
    asif_os_parallel(w->threads, w->slot_count, sum_slot, w);
    double value = 0;
    memset(w->pull, 0, m->atoms->count * sizeof *w->pull);
    for (uint32_t s = 0; s < w->slot_count; s++) {
        value += w->values[s];
        if (pulled)
            m->context->simd->axpy(w->pull, 1, w->slots + s * m->atoms->count, m->atoms->count);
    }
    value -= m->units * log(*sum);
    return isfinite(value) ? value : -INFINITY;
}

/* sum, sum g x and sum g x x' of g_a = weight_a (pull_a - less); the pull is overwritten by g. */
static double moments(asif_marginal_work *w, double less, double *first, double *second) {
    const asif_normal_population *p = w->population;
    const asif_simd *simd = w->marginal->context->simd;
    uint64_t d = p->base->dimension, n = w->marginal->atoms->count;
    double s[MOST_FEATURES] = {0}, *g = w->pull;
    const double *square = s + 1 + d;
    for (uint64_t a = 0; a < n; a++)
        g[a] = w->weight[a] * (g[a] - less);
    for (uint32_t k = 0; k < features(p); k++)
        s[k] = simd->dot(g, w->feature + k * n, n);
    for (uint64_t i = 0; i < d; i++) { /* from u back to x */
        first[i] = p->centre[i] * s[0] + p->scale[i] * s[1 + i];
        for (uint64_t j = 0; j <= i; j++)
            second[i * d + j] = second[j * d + i] =
                p->centre[i] * p->centre[j] * s[0] + p->centre[i] * p->scale[j] * s[1 + j] +
                p->centre[j] * p->scale[i] * s[1 + i] + p->scale[i] * p->scale[j] * *square++;
    }
    return s[0];
}

double asif_marginal_at(asif_marginal_work *w, const double *phi, double *gradient) {
    double first[ASIF_POPULATION_MOST], second[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST], sum = 0;
    double value = pass(w, phi, gradient != NULL, &sum);
    if (gradient && isfinite(value)) {
        double g = moments(w, w->marginal->units / sum, first, second);
        asif_population_pull(w->population, phi, g, first, second, gradient);
    }
    return value;
}

double asif_marginal_effective(asif_marginal_work *w, const double *phi) {
    fill_weights(w, phi);
    return w->effective;
}

bool asif_marginal_moments(asif_marginal_work *w, const double *phi, double *mean, double *covariance) {
    uint64_t d = w->marginal->atoms->base->dimension;
    double sum = 0;
    if (!isfinite(pass(w, phi, true, &sum)))
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
        memset(gradient, 0, asif_population_numbers(w->population) * sizeof *gradient);
    *value = asif_marginal_at(w, phi, gradient);
    if (isfinite(*value))
        *value += asif_population_log_prior(w->population, phi, gradient ? gradient : unused);
    return ASIF_OK;
}

static void report(void *user, const double *phi, double *out) {
    asif_population_report(((const asif_marginal_work *)user)->population, phi, out);
}

asif_density asif_marginal_density(asif_marginal_work *w, const char *const *name) {
    uint32_t numbers = asif_population_numbers(w->population);
    return (asif_density){.dimension = numbers,
                          .evaluate = evaluate,
                          .has_gradient = true,
                          .reported = numbers,
                          .name = name,
                          .report = report,
                          .user = w,
                          .smooth = true};
}
