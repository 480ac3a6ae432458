/* The marginal likelihood of a population of several kinds: see marginal.h. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "sample/population/marginal.h"

#include <math.h>
#include <string.h>

asif_status asif_kinds_open(asif_marginal_work *w, asif_error *error) {
    const asif_marginal *m = w->marginal;
    uint64_t kinds = w->densities.population->kinds;
    asif_kinds_work *s = w->mixed = ASIF_NEW(m->context, asif_kinds_work);
    if (!s)
        return asif_fail_memory(error);
    s->part = ASIF_ARRAY(m->context, kinds * m->rows, double);
    s->values = ASIF_ARRAY(m->context, w->slots * ASIF_POPULATIONS, double);
    s->units = ASIF_ARRAY(m->context, w->slots * kinds, double);
    s->pulls = ASIF_ARRAY(m->context, w->slots * kinds * m->atoms->count, float);
    return s->part && s->values && s->units && s->pulls ? ASIF_OK : asif_fail_memory(error);
}

void asif_kinds_close(asif_marginal_work *w) {
    asif_kinds_work *s = w->mixed;
    if (!s)
        return;
    void *const arrays[] = {s->part, s->values, s->units, s->pulls};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(w->marginal->context, arrays[i]);
    asif_free(w->marginal->context, s);
    w->mixed = NULL;
}

/* The likelihood of row i under population j, over the largest; `own` [kinds]: the parts of its kinds. */
static double mix_row(const asif_marginal_work *w, uint64_t i, uint32_t j, double *own) {
    uint32_t kinds = w->densities.population->kinds;
    double sum = 0;
    for (uint32_t k = 0; k < kinds; k++) {
        uint32_t at = j * kinds + k;
        sum += own[k] = w->mixed->share[at] * w->z[i * ASIF_POPULATIONS + at] / w->sum[at];
    }
    return sum;
}

static void run_slot(void *argument, uint32_t slot) {
    asif_marginal_work *w = argument;
    asif_kinds_work *s = w->mixed;
    const asif_marginal *m = w->marginal;
    uint32_t kinds = w->densities.population->kinds;
    uint64_t from = m->rows * slot / w->slots, to = m->rows * (slot + 1) / w->slots, n = m->atoms->count;
    double *value = s->values + (uint64_t)slot * ASIF_POPULATIONS, *units = s->units + (uint64_t)slot * kinds,
           own[ASIF_KINDS_MOST] = {0};
    memset(value, 0, ASIF_POPULATIONS * sizeof *value);
    memset(units, 0, kinds * sizeof *units);
    asif_marginal_fill_slot(w, slot);
    for (uint64_t i = from; i < to; i++)
        for (uint32_t j = 0; j < s->count; j++) {
            double z = mix_row(w, i, j, own);
            value[j] += z > ASIF_LEAST_LIKELIHOOD ? m->times[i] * (log(z) + w->top[i]) : -INFINITY;
            for (uint32_t k = 0; w->pulled && k < kinds; k++)
                units[k] += s->part[k * m->rows + i] = z > 0 ? m->times[i] * own[k] / z : 0;
        }
    for (uint32_t k = 0; w->pulled && k < kinds; k++)
        asif_marginal_pull_slot(w, slot, k, s->part + k * m->rows, s->pulls + (slot * kinds + k) * n);
}

/* At most ASIF_POPULATIONS / kinds populations. */
static void run(asif_marginal_work *w, const double *phi, uint32_t count, bool pulled, double *effective,
                double *value) {
    asif_kinds_work *s = w->mixed;
    const asif_normal_population *p = w->densities.population;
    uint64_t numbers = asif_population_numbers(p), plain = asif_population_plain(p);
    bool any = false;
    for (uint32_t j = 0; j < count; j++) {
        asif_kinds_shares(p, phi + j * numbers, s->share + (uint64_t)j * p->kinds);
        for (uint32_t k = 0; k < p->kinds; k++)
            asif_kinds_plain(p, phi + j * numbers, k, s->plain + (j * p->kinds + k) * plain);
    }
    asif_marginal_weights(w, s->plain, count * p->kinds);
    for (uint32_t j = 0; j < count; j++) {
        effective[j] = INFINITY;
        for (uint32_t k = 0; k < p->kinds; k++)
            effective[j] = fmin(effective[j], w->effective[j * p->kinds + k]);
        any = any || effective[j] >= w->least_effective;
        if (value)
            value[j] = effective[j] >= w->least_effective ? 0 : -INFINITY;
    }
    if (!value || !any)
        return;
    w->pulled = pulled;
    s->count = count;
    asif_os_parallel(w->threads, w->slots, run_slot, w);
    for (uint32_t j = 0; j < count; j++) {
        for (uint64_t slot = 0; slot < w->slots; slot++)
            value[j] += s->values[slot * ASIF_POPULATIONS + j];
        value[j] = isfinite(value[j]) ? value[j] : -INFINITY;
    }
}

void asif_kinds_at(asif_marginal_work *w, const double *phi, uint32_t count, double *value) {
    uint64_t numbers = asif_population_numbers(w->densities.population);
    uint32_t at_once = ASIF_POPULATIONS / w->densities.population->kinds;
    double effective[ASIF_POPULATIONS];
    for (uint32_t first = 0; first < count; first += at_once)
        run(w, phi + first * numbers, count - first < at_once ? count - first : at_once, false,
            effective + first, value ? value + first : NULL);
    memcpy(w->effective, effective, count * sizeof *effective);
}

/* What the units of a kind pull at its numbers. */
static void pull_kind(asif_marginal_work *w, uint32_t kind, double *gradient) {
    const asif_normal_population *p = w->densities.population;
    const asif_kinds_work *s = w->mixed;
    uint64_t n = w->marginal->atoms->count, d = p->base->dimension, plain = asif_population_plain(p);
    double first[ASIF_POPULATION_MOST], second[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        units = 0, own[ASIF_POPULATION_NUMBERS] = {0};
    memset(w->pull, 0, n * sizeof *w->pull);
    for (uint64_t slot = 0; slot < w->slots; slot++) {
        const float *pulls = s->pulls + (slot * p->kinds + kind) * n;
        units += s->units[slot * p->kinds + kind];
        for (uint64_t a = 0; a < n; a++)
            w->pull[a] += (double)pulls[a];
    }
    for (uint64_t a = 0; a < n; a++)
        w->pull[a] = w->weight[kind * n + a] * (w->pull[a] - units / w->sum[kind]);
    double all = asif_densities_moments(&w->densities, w->pull, first, second);
    asif_population_pull(p, s->plain + kind * plain, all, first, second, own);
    for (uint64_t i = 0; i < plain; i++)
        gradient[i < d ? asif_kinds_mean(p, kind) + i : i] += own[i];
    if (kind)
        gradient[asif_kinds_ratios(p) + kind - 1] += units - s->share[kind] * w->marginal->units;
}

double asif_kinds_slope(asif_marginal_work *w, const double *phi, double *gradient) {
    double value = -INFINITY, effective;
    run(w, phi, 1, gradient != NULL, &effective, &value);
    for (uint32_t k = 0; gradient && isfinite(value) && k < w->densities.population->kinds; k++)
        pull_kind(w, k, gradient);
    w->effective[0] = effective;
    return value;
}
