#include "sample/population/shifted.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <string.h>

#define LEFT_OUT (-1e30F) /* log weight of a point that is left out, which then counts as next to nothing */

asif_status asif_shifted_open(asif_marginal_work *w, asif_error *error) {
    const asif_marginal *m = w->marginal;
    const asif_context *context = m->context;
    uint64_t n = m->atoms->count, d = m->atoms->base->dimension;
    asif_shifted_work *s = w->shifted = ASIF_NEW(context, asif_shifted_work);
    if (!s)
        return asif_fail_memory(error);
    s->workers = w->threads ? w->threads : 1;
    s->kept = ASIF_ARRAY(context, n, float);
    s->weight = ASIF_ARRAY(context, s->workers * ASIF_POPULATIONS * n, float);
    s->pull = ASIF_ARRAY(context, s->workers * n, float);
    s->moment = ASIF_ARRAY(context, m->covariates->groups * (1 + d), double);
    s->least = ASIF_ARRAY(context, w->slots * ASIF_POPULATIONS, double);
    s->few = ASIF_ARRAY(context, w->slots * ASIF_POPULATIONS, uint64_t);
    if (!s->kept || !s->weight || !s->pull || !s->moment || !s->least || !s->few)
        return asif_fail_memory(error);
    return asif_single_points_open(&s->points, context, m->atoms, w->densities.population, error);
}

void asif_shifted_close(asif_marginal_work *w) {
    asif_shifted_work *s = w->shifted;
    if (!s)
        return;
    void *const arrays[] = {s->kept, s->weight, s->pull, s->moment, s->least, s->few};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(w->marginal->context, arrays[i]);
    asif_single_points_close(&s->points);
    asif_free(w->marginal->context, s);
    w->shifted = NULL;
}

/* ---- one group ---- */

/* z of a row under each population: sum_a w_a L_ia, over the largest of both. */
static void fill_row(asif_marginal_work *w, uint64_t i, const float *weight) {
    const asif_marginal *m = w->marginal;
    double part[ASIF_POPULATIONS], *z = w->z + i * ASIF_POPULATIONS;
    memset(z, 0, ASIF_POPULATIONS * sizeof *z);
    for (uint64_t b = 0; b < m->blocks; b++) {
        const asif_likelihood_block *k = &m->block[b];
        double share = w->share[b * m->rows + i];
        if (share == 0)
            continue;
        m->context->simd->dots_single(part, k->value + i * k->stride, 0, 1, weight + k->first,
                                      m->atoms->count, w->count, k->count);
        for (uint32_t j = 0; j < w->count; j++)
            z[j] += share * part[j] / (ASIF_SINGLE_SCALE * ASIF_SINGLE_SCALE);
    }
}

static void pull_row(const asif_marginal_work *w, uint64_t i, float *pull) {
    const asif_marginal *m = w->marginal;
    double z = w->z[i * ASIF_POPULATIONS];
    for (uint64_t b = 0; b < m->blocks; b++) {
        const asif_likelihood_block *k = &m->block[b];
        double share = w->share[b * m->rows + i];
        if (share > 0 && z > ASIF_LEAST_LIKELIHOOD)
            m->context->simd->axpy_single(pull + k->first,
                                          (float)(m->times[i] * share / (z * ASIF_SINGLE_SCALE)),
                                          k->value + i * k->stride, k->count);
    }
}

/* What the rows of a group pull at the points, g_a = w_a (sum_i n_i L_ia / Z_i - n / W), is added to `sum`;
 * and its moments. */
static void pull_group(asif_marginal_work *w, uint64_t group, const float *weight, double total, float *pull,
                       float *sum) {
    asif_shifted_work *s = w->shifted;
    const asif_marginal *m = w->marginal;
    const asif_covariates *c = m->covariates;
    uint32_t d = m->atoms->base->dimension;
    memset(pull, 0, m->atoms->count * sizeof *pull);
    for (uint64_t r = c->first[group]; r < c->first[group + 1]; r++)
        pull_row(w, c->row[r], pull);
    m->context->simd->tilt_single(pull, sum, weight, (float)(1 / ASIF_SINGLE_SCALE),
                                  (float)(c->size[group] / total), m->atoms->count);
    m->context->simd->dots_single(s->moment + group * (1 + d), pull, 0, 1, s->points.feature, m->atoms->count,
                                  1 + d, m->atoms->count);
}

static void run_group(asif_marginal_work *w, uint64_t group, uint32_t slot, uint32_t worker) {
    asif_shifted_work *s = w->shifted;
    const asif_marginal *m = w->marginal;
    const asif_covariates *c = m->covariates;
    uint64_t n = s->points.points; /* the table may have more by now */
    float *weight = s->weight + worker * ASIF_POPULATIONS * n;
    double sum[ASIF_POPULATIONS] = {0}, effective, *value = w->values + (uint64_t)slot * ASIF_POPULATIONS,
           *least = s->least + (uint64_t)slot * ASIF_POPULATIONS;
    for (uint32_t k = 0; k < w->count; k++) {
        sum[k] = asif_single_weights(weight + k * n, &effective, &s->points, &s->at[k],
                                     c->z + group * c->columns, s->plus);
        if (effective < least[k]) {
            least[k] = effective;
            s->few[(uint64_t)slot * ASIF_POPULATIONS + k] = group;
        }
    }
    if (!s->with_units)
        return;
    for (uint64_t r = c->first[group]; r < c->first[group + 1]; r++) {
        uint64_t i = c->row[r];
        fill_row(w, i, weight);
        for (uint32_t k = 0; k < w->count; k++) {
            double z = w->z[i * ASIF_POPULATIONS + k];
            value[k] += z > ASIF_LEAST_LIKELIHOOD ? m->times[i] * (log(z / sum[k]) + w->top[i]) : -INFINITY;
        }
    }
    if (w->pulled)
        pull_group(w, group, weight, sum[0], s->pull + worker * n, w->pulls + slot * n);
}

/* ---- all groups ---- */

static void run_slots(void *argument, uint32_t worker) {
    asif_marginal_work *w = argument;
    uint64_t groups = w->marginal->covariates->groups, n = w->shifted->points.points;
    for (uint32_t slot = worker; slot < w->slots; slot += w->shifted->workers) {
        for (uint32_t k = 0; k < ASIF_POPULATIONS; k++) {
            w->values[(uint64_t)slot * ASIF_POPULATIONS + k] = 0;
            w->shifted->least[(uint64_t)slot * ASIF_POPULATIONS + k] = INFINITY;
        }
        if (w->pulled)
            memset(w->pulls + slot * n, 0, n * sizeof *w->pulls);
        for (uint64_t g = groups * slot / w->slots; g < groups * (slot + 1) / w->slots; g++)
            run_group(w, g, slot, worker);
    }
}

static void leave_out(asif_marginal_work *w) {
    asif_shifted_work *s = w->shifted;
    s->plus = s->points.plus;
    if (w->without >= ASIF_SCRAMBLES)
        return;
    for (uint64_t a = 0; a < s->points.points; a++)
        s->kept[a] = asif_atoms_scramble(w->marginal->atoms, a) == w->without ? LEFT_OUT : s->points.plus[a];
    s->plus = s->kept;
}

/* Sums of the slots, whatever the number of threads. */
static void run(asif_marginal_work *w, const double *phi, uint32_t count, bool pulled, double *value) {
    asif_shifted_work *s = w->shifted;
    const asif_normal_population *p = w->densities.population;
    w->phi = phi;
    w->count = count;
    w->pulled = pulled;
    s->with_units = value != NULL;
    leave_out(w);
    for (uint32_t k = 0; k < count; k++)
        asif_single_population_at(&s->at[k], p, phi + (uint64_t)k * asif_population_numbers(p));
    asif_os_parallel(w->threads, s->workers, run_slots, w);
    for (uint32_t k = 0; k < count; k++) {
        double sum = 0;
        w->effective[k] = INFINITY;
        for (uint64_t slot = 0; slot < w->slots; slot++) {
            uint64_t at = slot * ASIF_POPULATIONS + k;
            sum += w->values[at];
            if (s->least[at] < w->effective[k]) {
                w->effective[k] = s->least[at];
                s->worst = k == 0 ? s->few[at] : s->worst;
            }
        }
        if (value)
            value[k] = w->effective[k] >= w->least_effective && isfinite(sum) ? sum : -INFINITY;
    }
}

void asif_shifted_at(asif_marginal_work *w, const double *phi, uint32_t count, double *value) {
    run(w, phi, count, false, value);
}

void asif_shifted_effective(asif_marginal_work *w, const double *phi, uint32_t count) {
    run(w, phi, count, false, NULL);
}

/* Moments of all groups' pulls, of x less the shift of each group: sum, first [d] and second [d][d]; and
 * those that effects need, sum_g z_gc sum_a g_a (x_a - s_g - mean) [columns][d]. */
static double moments(asif_marginal_work *w, const double *phi, double *first, double *second,
                      double *by_column) {
    const asif_normal_population *p = w->densities.population;
    const asif_covariates *c = w->marginal->covariates;
    uint64_t d = p->base->dimension;
    double all = asif_densities_moments(&w->densities, w->pull, first, second);
    memset(by_column, 0, c->columns * d * sizeof *by_column);
    for (uint64_t g = 0; g < c->groups; g++) {
        const double *moment = w->shifted->moment + g * (1 + d), *z = c->z + g * c->columns;
        double shift[ASIF_POPULATION_MOST] = {0}, own[ASIF_POPULATION_MOST] = {0};
        asif_population_shift(p, phi, z, shift);
        for (uint64_t i = 0; i < d; i++) {
            own[i] = p->centre[i] * moment[0] + p->scale[i] * moment[1 + i]; /* from u back to x */
            shift[i] *= p->scale[i];
        }
        for (uint64_t i = 0; i < d; i++) {
            double mean = p->centre[i] + p->scale[i] * phi[i];
            first[i] -= moment[0] * shift[i];
            for (uint64_t j = 0; j < d; j++)
                second[i * d + j] -= own[i] * shift[j] + shift[i] * own[j] - moment[0] * shift[i] * shift[j];
            for (uint64_t k = 0; k < c->columns; k++)
                by_column[k * d + i] += z[k] * (own[i] - moment[0] * (shift[i] + mean));
        }
    }
    return all;
}

double asif_shifted_slope(asif_marginal_work *w, const double *phi, double *gradient) {
    const asif_normal_population *p = w->densities.population;
    double first[ASIF_POPULATION_MOST], second[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        by_column[ASIF_EFFECTS_MOST * ASIF_POPULATION_MOST], value = -INFINITY;
    run(w, phi, 1, gradient != NULL, &value);
    if (!gradient || !isfinite(value))
        return value;
    uint64_t n = w->marginal->atoms->count;
    memset(w->pull, 0, n * sizeof *w->pull);
    for (uint32_t s = 0; s < w->slots; s++)
        for (uint64_t a = 0; a < n; a++)
            w->pull[a] += (double)w->pulls[s * n + a];
    double all = moments(w, phi, first, second, by_column);
    asif_population_pull(p, phi, all, first, second, gradient);
    asif_population_pull_effects(p, phi, by_column, gradient);
    return value;
}
