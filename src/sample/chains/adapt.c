#include "sample/chains/adapt.h"

#include <math.h>
#include <string.h>

void asif_tuning_begin(asif_tuning *t, double step, double centre) {
    *t = (asif_tuning){.step = step, .centre = centre};
}

void asif_tuning_average(asif_tuning *t, double accept, double target) {
    const double shrink = 0.05, delay = 10, forget = 0.75;
    t->count++;
    double weight = 1 / (t->count + delay);
    t->lack += weight * (target - fmin(accept, 1) - t->lack);
    double x = t->centre - t->lack * sqrt(t->count) / shrink;
    t->mean += pow(t->count, -forget) * (x - t->mean);
    t->step = exp(x);
}

void asif_tuning_approach(asif_tuning *t, double accept, double target) {
    const double decay = 0.6;
    t->count++;
    double x = log(t->step) + pow(t->count, -decay) * (fmin(accept, 1) - target);
    t->mean += 2 / (t->count + 1) * (x - t->mean);
    t->step = exp(x);
}

void asif_tuning_end(asif_tuning *t) {
    if (t->count > 0)
        t->step = exp(t->mean);
}

void asif_moments_clear(asif_moments *m, uint32_t n) {
    m->count = 0;
    memset(m->mean, 0, n * sizeof *m->mean);
    memset(m->sum, 0, (uint64_t)n * n * sizeof *m->sum);
}

void asif_moments_add(asif_moments *m, uint32_t n, const double *x, double *scratch) {
    m->count++;
    for (uint32_t i = 0; i < n; i++) {
        scratch[i] = x[i] - m->mean[i];
        m->mean[i] += scratch[i] / m->count;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            m->sum[(uint64_t)i * n + j] += (x[i] - m->mean[i]) * scratch[j];
}

void asif_moments_covariance(const asif_moments *m, uint32_t n, double absolute, double relative,
                             double *out) {
    const double prior = 5;
    double own = m->count / (m->count + prior), other = prior / (m->count + prior);
    for (uint32_t i = 0; i < n; i++) {
        double variance = m->sum[(uint64_t)i * n + i] / (m->count - 1);
        for (uint32_t j = 0; j <= i; j++) {
            double c = own * m->sum[(uint64_t)i * n + j] / (m->count - 1);
            out[(uint64_t)i * n + j] = out[(uint64_t)j * n + i] = c;
        }
        out[(uint64_t)i * n + i] += other * (absolute + relative * variance);
    }
}

/* Stan's plan: 75 steps, windows, 50 steps. If the warm-up is too short for that: 15 %, one window, 10 %. */
asif_windows asif_windows_plan(uint64_t warmup, uint64_t base) {
    const uint64_t fewest = 20, first = 75, last = 50;
    if (warmup < fewest)
        return (asif_windows){warmup, warmup, base};
    if (first + base + last > warmup) {
        uint64_t begin = warmup * 15 / 100, end = warmup - warmup / 10;
        return (asif_windows){begin, end, end - begin};
    }
    return (asif_windows){first, warmup - last, base};
}

bool asif_windows_inside(const asif_windows *w, uint64_t step) {
    return w->begin <= step && step < w->end;
}

bool asif_windows_last(const asif_windows *w, uint64_t step) {
    uint64_t from = w->begin, size = w->base;
    while (from < w->end && from <= step) {
        uint64_t end = from + size;
        if (w->end - from < 3 * size) /* no room for the next one, twice as long */
            end = w->end;
        if (step + 1 == end)
            return true;
        from = end;
        size *= 2;
    }
    return false;
}
