#include "fit/eta_per_alpha.h"

#include "base/error.h"
#include "sample/evaluate_many.h"

#include <math.h>
#include <string.h>

static bool is_plain(const asif_estimate_info *info) {
    return info->line == ASIF_LINE_SAME && info->low == -INFINITY && info->high == INFINITY &&
           info->coordinate != ASIF_ANY;
}

bool asif_eta_per_alpha_find(asif_eta_per_alpha *out, const asif_estimates *estimates) {
    const asif_estimate_info *info;
    *out = (asif_eta_per_alpha){ASIF_ANY, ASIF_ANY, 0};
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++) {
        if (strcmp(info->name, "log_alpha") == 0 && is_plain(info))
            out->by = info->coordinate;
        if (strcmp(info->name, "eta") == 0 && is_plain(info))
            out->what = info->coordinate;
    }
    return out->by != ASIF_ANY && out->what != ASIF_ANY;
}

void asif_eta_per_alpha_forward(const asif_eta_per_alpha *s, double *x) {
    x[s->what] *= exp(s->centre - x[s->by]);
}

void asif_eta_per_alpha_back(const asif_eta_per_alpha *s, double *y) {
    y[s->what] *= exp(y[s->by] - s->centre);
}

/* dy[what] = dx[what] - x[what] dx[by] at the centre: a row and a column change. */
void asif_eta_per_alpha_covariance(const asif_eta_per_alpha *s, const double *x, double *c, uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        c[(uint64_t)s->what * n + j] -= x[s->what] * c[(uint64_t)s->by * n + j];
    for (uint32_t j = 0; j < n; j++)
        c[(uint64_t)j * n + s->what] -= x[s->what] * c[(uint64_t)j * n + s->by];
}

static asif_status evaluate(void *user, const double *y, double *value, double *gradient, asif_error *error) {
    asif_eta_per_alpha_target *s = user;
    uint32_t by = s->stretch.by, what = s->stretch.what;
    memcpy(s->x, y, s->inner->dimension * sizeof *y);
    asif_eta_per_alpha_back(&s->stretch, s->x);
    ASIF_TRY(s->inner->evaluate(s->inner->user, s->x, value, gradient, error));
    if (!isfinite(*value))
        return ASIF_OK;
    double log_slope = y[by] - s->stretch.centre; /* log dx/dy */
    *value += log_slope;
    if (gradient) {
        gradient[by] += gradient[what] * s->x[what] + 1;
        gradient[what] *= exp(log_slope);
    }
    return ASIF_OK;
}

static asif_status evaluate_many(void *user, const double *y, uint64_t count, double *value,
                                 asif_error *error) {
    asif_eta_per_alpha_target *s = user;
    uint64_t n = s->inner->dimension;
    for (uint64_t from = 0; from < count; from += ASIF_EVALUATE_BLOCK) {
        uint64_t block = count - from < ASIF_EVALUATE_BLOCK ? count - from : ASIF_EVALUATE_BLOCK;
        memcpy(s->many, y + from * n, block * n * sizeof *y);
        for (uint64_t i = 0; i < block; i++)
            asif_eta_per_alpha_back(&s->stretch, s->many + i * n);
        ASIF_TRY(s->inner->evaluate_many(s->inner->user, s->many, block, value + from, error));
        for (uint64_t i = from; i < from + block; i++)
            value[i] += y[i * n + s->stretch.by] - s->stretch.centre;
    }
    return ASIF_OK;
}

static void report(void *user, const double *y, double *out) {
    asif_eta_per_alpha_target *s = user;
    memcpy(s->x, y, s->inner->dimension * sizeof *y);
    asif_eta_per_alpha_back(&s->stretch, s->x);
    s->inner->report(s->inner->user, s->x, out);
}

static void save(void *user, double *memory) {
    const asif_eta_per_alpha_target *s = user;
    s->inner->save(s->inner->user, memory);
}

static void load(void *user, const double *memory) {
    const asif_eta_per_alpha_target *s = user;
    s->inner->load(s->inner->user, memory);
}

asif_density asif_eta_per_alpha_density(asif_eta_per_alpha_target *stretched) {
    asif_density density = *stretched->inner;
    density.evaluate = evaluate;
    density.evaluate_many = density.evaluate_many && stretched->many ? evaluate_many : NULL;
    density.report = report;
    density.save = density.save ? save : NULL;
    density.load = density.load ? load : NULL;
    density.user = stretched;
    return density;
}
