#include "fit/per_alpha.h"

#include "base/error.h"
#include "sample/evaluate_many.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

/* ---- which coordinates ---- */

static bool is_plain(const asif_estimate_info *info) {
    return info->line == ASIF_LINE_SAME && info->low == -INFINITY && info->high == INFINITY &&
           info->coordinate != ASIF_ANY;
}

static uint32_t find_named(const asif_estimates *estimates, const char *name) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++)
        if (strcmp(info->name, name) == 0)
            return is_plain(info) ? info->coordinate : ASIF_ANY;
    return ASIF_ANY;
}

/* Find all estimated utilities, with weights 1 / sd^2; none if one has limits or there are too many. */
static void find_utilities(asif_per_alpha *out, const asif_estimates *estimates) {
    double sum = 0;
    for (uint32_t i = 0; i < estimates->parts; i++) {
        const asif_part *part = &estimates->part[i];
        const asif_estimate_info *info = &estimates->info[part->reported];
        if (!part->number || part->utility == ASIF_ANY)
            continue;
        if (out->utilities == ASIF_PER_ALPHA_MOST || !is_plain(info) || !info->proper) {
            out->utilities = 0;
            return;
        }
        double width = info->prior_q95 - info->prior_q05;
        out->weight[out->utilities] = 1 / (width * width);
        sum += out->weight[out->utilities];
        out->utility[out->utilities++] = info->coordinate;
    }
    for (uint32_t k = 0; k < out->utilities; k++)
        out->weight[k] /= sum;
}

bool asif_per_alpha_find(asif_per_alpha *out, const asif_estimates *estimates) {
    *out = (asif_per_alpha){
        .by = find_named(estimates, "log_alpha"), .eta = find_named(estimates, "eta"), .optimism = ASIF_ANY};
    if (out->by != ASIF_ANY && asif_estimates_scale_is_free(estimates)) {
        out->optimism = find_named(estimates, "optimism");
        find_utilities(out, estimates);
        out->shift = out->utilities > 1 && asif_estimates_shift_is_free(estimates);
    }
    return out->by != ASIF_ANY && (out->eta != ASIF_ANY || out->optimism != ASIF_ANY || out->utilities);
}

/* ---- points ---- */

static double mean_of(const asif_per_alpha *how, const double *x) {
    double mean = 0;
    for (uint32_t k = 0; k < how->utilities; k++)
        mean += how->weight[k] * x[how->utility[k]];
    return mean;
}

/* Powers of 1/s in the change of volume from y to x. */
static double powers(const asif_per_alpha *how) {
    return (how->eta != ASIF_ANY) - (how->optimism != ASIF_ANY) + (double)how->utilities - how->shift;
}

double asif_per_alpha_log_volume(const asif_per_alpha *how, const double *x) {
    return powers(how) * (x[how->by] - how->centre);
}

void asif_per_alpha_forward(const asif_per_alpha *how, double *x) {
    double s = exp(how->centre - x[how->by]), mean = mean_of(how, x);
    if (how->eta != ASIF_ANY)
        x[how->eta] *= s;
    if (how->optimism != ASIF_ANY)
        x[how->optimism] /= s;
    double last = how->shift ? x[how->utility[how->utilities - 1]] : 0;
    for (uint32_t k = 0; k < how->utilities; k++)
        x[how->utility[k]] = (x[how->utility[k]] - last) * s;
    if (how->shift)
        x[how->utility[how->utilities - 1]] = mean;
}

void asif_per_alpha_back(const asif_per_alpha *how, double *y) {
    double s = exp(how->centre - y[how->by]), last = 0;
    if (how->eta != ASIF_ANY)
        y[how->eta] /= s;
    if (how->optimism != ASIF_ANY)
        y[how->optimism] *= s;
    if (how->shift) {
        double *mean = &y[how->utility[how->utilities - 1]];
        last = *mean;
        *mean = 0;
        last -= mean_of(how, y) / s;
    }
    for (uint32_t k = 0; k < how->utilities; k++)
        y[how->utility[k]] = y[how->utility[k]] / s + last;
}

/* ---- covariances ---- */

/* Turn a change `d` of x into that of y, at the centre, in place; entries are `stride` apart. */
static void push(const asif_per_alpha *how, const double *x, double *d, uint64_t stride) {
    double by = d[how->by * stride], mean = 0, last = 0, x_last = 0;
    if (how->eta != ASIF_ANY)
        d[how->eta * stride] -= x[how->eta] * by;
    if (how->optimism != ASIF_ANY)
        d[how->optimism * stride] += x[how->optimism] * by;
    for (uint32_t k = 0; k < how->utilities; k++)
        mean += how->weight[k] * d[how->utility[k] * stride];
    if (how->shift) {
        x_last = x[how->utility[how->utilities - 1]];
        last = d[how->utility[how->utilities - 1] * stride];
    }
    for (uint32_t k = 0; k < how->utilities; k++)
        d[how->utility[k] * stride] -= last + (x[how->utility[k]] - x_last) * by;
    if (how->shift)
        d[how->utility[how->utilities - 1] * stride] = mean;
}

void asif_per_alpha_covariance(const asif_per_alpha *how, const double *x, double *c, uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        push(how, x, c + j, n);
    for (uint32_t j = 0; j < n; j++)
        push(how, x, c + (uint64_t)j * n, 1);
}

/* ---- the density ---- */

/* Turn the gradient in x into that in y, in place, without the derivative of the Jacobian. */
static void pull(const asif_per_alpha *how, const double *x, double s, double *g) {
    double sum = 0, mean = how->shift ? mean_of(how, x) : 0, *by = &g[how->by];
    if (how->eta != ASIF_ANY) {
        *by += g[how->eta] * x[how->eta];
        g[how->eta] /= s;
    }
    if (how->optimism != ASIF_ANY) {
        *by -= g[how->optimism] * x[how->optimism];
        g[how->optimism] *= s;
    }
    for (uint32_t k = 0; k < how->utilities; k++) {
        *by += g[how->utility[k]] * (x[how->utility[k]] - mean);
        sum += g[how->utility[k]];
    }
    for (uint32_t k = 0; k < how->utilities; k++)
        g[how->utility[k]] = (g[how->utility[k]] - (how->shift ? how->weight[k] * sum : 0)) / s;
    if (how->shift)
        g[how->utility[how->utilities - 1]] = sum;
}

static asif_status evaluate(void *user, const double *y, double *value, double *gradient, asif_error *error) {
    asif_per_alpha_target *t = user;
    memcpy(t->x, y, t->inner->dimension * sizeof *y);
    asif_per_alpha_back(&t->how, t->x);
    ASIF_TRY(t->inner->evaluate(t->inner->user, t->x, value, gradient, error));
    if (!isfinite(*value))
        return ASIF_OK;
    *value += asif_per_alpha_log_volume(&t->how, y);
    if (gradient) {
        pull(&t->how, t->x, exp(t->how.centre - y[t->how.by]), gradient);
        gradient[t->how.by] += powers(&t->how);
    }
    return ASIF_OK;
}

static asif_status evaluate_many(void *user, const double *y, uint64_t count, double *value,
                                 asif_error *error) {
    asif_per_alpha_target *t = user;
    uint64_t n = t->inner->dimension;
    for (uint64_t from = 0; from < count; from += ASIF_EVALUATE_BLOCK) {
        uint64_t block = count - from < ASIF_EVALUATE_BLOCK ? count - from : ASIF_EVALUATE_BLOCK;
        memcpy(t->many, y + from * n, block * n * sizeof *y);
        for (uint64_t i = 0; i < block; i++)
            asif_per_alpha_back(&t->how, t->many + i * n);
        ASIF_TRY(t->inner->evaluate_many(t->inner->user, t->many, block, value + from, error));
        for (uint64_t i = from; i < from + block; i++)
            value[i] += asif_per_alpha_log_volume(&t->how, y + i * n);
    }
    return ASIF_OK;
}

static void report(void *user, const double *y, double *out) {
    asif_per_alpha_target *t = user;
    memcpy(t->x, y, t->inner->dimension * sizeof *y);
    asif_per_alpha_back(&t->how, t->x);
    t->inner->report(t->inner->user, t->x, out);
}

static void save(void *user, double *memory) {
    const asif_per_alpha_target *t = user;
    t->inner->save(t->inner->user, memory);
}

static void load(void *user, const double *memory) {
    const asif_per_alpha_target *t = user;
    t->inner->load(t->inner->user, memory);
}

asif_density asif_per_alpha_density(asif_per_alpha_target *target) {
    asif_density density = *target->inner;
    density.evaluate = evaluate;
    density.evaluate_many = density.evaluate_many && target->many ? evaluate_many : NULL;
    density.report = report;
    density.save = density.save ? save : NULL;
    density.load = density.load ? load : NULL;
    density.user = target;
    return density;
}
