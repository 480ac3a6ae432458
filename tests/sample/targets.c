#include "targets.h"

#include "check.h"

#include <string.h>

/* ---- densities ---- */

static asif_status normal(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)error;
    const target_normal *t = user;
    double spread = 1 - t->r * t->r, before = 0;
    *value = 0;
    for (uint32_t i = 0; gradient && i < t->n; i++)
        gradient[i] = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        double sd = 1 + i / 10.0, z = (x[i] - i) / sd;
        double off = i ? z - t->r * before : z, variance = i ? spread : 1;
        *value -= off * off / variance / 2;
        if (gradient) {
            gradient[i] -= off / variance / sd;
            if (i)
                gradient[i - 1] += t->r * off / variance / (1 + (i - 1) / 10.0);
        }
        before = z;
    }
    return ASIF_OK;
}

asif_density target_normal_density(target_normal *t) {
    return (asif_density){.dimension = t->n, .evaluate = normal, .has_gradient = true, .user = t};
}

static asif_status funnel(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)error;
    const target_funnel *t = user;
    double v = x[0], rate = exp(-v), sum = 0;
    for (uint32_t i = 1; i < t->n; i++)
        sum += x[i] * x[i];
    *value = -v * v / (2 * t->sd * t->sd) - rate * sum / 2 - (t->n - 1) * v / 2;
    if (!gradient)
        return ASIF_OK;
    gradient[0] = -v / (t->sd * t->sd) + rate * sum / 2 - (t->n - 1) / 2.0;
    for (uint32_t i = 1; i < t->n; i++)
        gradient[i] = -rate * x[i];
    return ASIF_OK;
}

asif_density target_funnel_density(target_funnel *t) {
    return (asif_density){.dimension = t->n, .evaluate = funnel, .has_gradient = true, .user = t};
}

static asif_status banana(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    double off = x[1] - (x[0] * x[0] - 4) / 2;
    *value = -x[0] * x[0] / 8 - off * off / 2;
    if (gradient) {
        gradient[0] = -x[0] / 4 + off * x[0];
        gradient[1] = -off;
    }
    return ASIF_OK;
}

asif_density target_banana_density(void) {
    return (asif_density){.dimension = 2, .evaluate = banana, .has_gradient = true};
}

static asif_status bounded(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    double y = exp(x[0]), z = 1 / (1 + exp(-x[1]));
    *value = 3 * x[0] - 2 * y + 2 * log(z) + 5 * log1p(-z);
    if (gradient) {
        gradient[0] = 3 - 2 * y;
        gradient[1] = 2 * (1 - z) - 5 * z;
    }
    return ASIF_OK;
}

static void bounded_report(void *user, const double *x, double *out) {
    (void)user;
    out[0] = exp(x[0]);
    out[1] = 1 / (1 + exp(-x[1]));
}

asif_density target_bounded_density(void) {
    static const char *const names[] = {"y", "z"};
    return (asif_density){.dimension = 2,
                          .evaluate = bounded,
                          .has_gradient = true,
                          .reported = 2,
                          .name = names,
                          .report = bounded_report};
}

static asif_status edge(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    *value = x[0] > 0 ? -x[0] : -INFINITY;
    if (gradient)
        gradient[0] = -1;
    return ASIF_OK;
}

asif_density target_edge_density(void) {
    return (asif_density){.dimension = 1, .evaluate = edge, .has_gradient = true};
}

/* ---- checks ---- */

static double autocovariance(const double *x, uint64_t n, double mean, uint64_t lag) {
    double sum = 0;
    for (uint64_t i = 0; i + lag < n; i++)
        sum += (x[i] - mean) * (x[i + lag] - mean);
    return sum / (double)n;
}

static double ess_of_chain(const double *x, uint64_t n) {
    double mean = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    double variance = autocovariance(x, n, mean, 0), sum = -variance, last = INFINITY;
    for (uint64_t lag = 0; lag + 1 < n; lag += 2) {
        double pair = autocovariance(x, n, mean, lag) + autocovariance(x, n, mean, lag + 1);
        if (pair <= 0)
            break;
        last = fmin(last, pair);
        sum += 2 * last;
    }
    return (double)n * variance / sum;
}

double target_ess(const double *values, uint32_t chains, uint64_t draws) {
    double ess = 0;
    for (uint32_t i = 0; i < chains; i++)
        ess += ess_of_chain(values + i * draws, draws);
    return ess;
}

static void check_mean(const double *x, uint32_t chains, uint64_t draws, double want, const char *what,
                       const char *column) {
    uint64_t n = chains * draws;
    double mean = 0, square = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)n;
    double ess = target_ess(x, chains, draws), error = sqrt(square / ess);
    if (!(fabs(mean - want) <= 4 * error))
        fail_msg("%s of %s is %g, not %g: %.1f standard errors away (%.0f effective draws)", what, column,
                 mean, want, (mean - want) / error, ess);
    if (!(ess > 50))
        fail_msg("%s of %s: only %.0f effective draws", what, column, ess);
}

void target_check(const asif_draws *draws, uint32_t column, double mean, double variance) {
    asif_draws_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
    uint64_t n = v.chains * v.draws;
    const double *x = v.value + column * n;
    double *off = malloc(n * sizeof *off);
    assert_non_null(off);
    for (uint64_t i = 0; i < n; i++)
        off[i] = (x[i] - mean) * (x[i] - mean);
    check_mean(x, v.chains, v.draws, mean, "mean", v.name[column]);
    check_mean(off, v.chains, v.draws, variance, "variance", v.name[column]);
    free(off);
}

double target_stat(const asif_draws *draws, asif_stat stat) {
    asif_draws_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
    uint64_t n = v.chains * v.draws;
    double mean = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += v.stat[(uint64_t)stat * n + i] / (double)n;
    return mean;
}

bool target_same(const asif_draws *a, const asif_draws *b) {
    asif_draws_view v = {.struct_size = sizeof v}, w = {.struct_size = sizeof w};
    assert_int_equal(asif_draws_get(a, &v, NULL), ASIF_OK);
    assert_int_equal(asif_draws_get(b, &w, NULL), ASIF_OK);
    assert_true(v.columns == w.columns && v.chains == w.chains && v.draws == w.draws &&
                v.dimension == w.dimension);
    uint64_t n = v.chains * v.draws, square = (uint64_t)v.dimension * v.dimension;
    return memcmp(v.value, w.value, v.columns * n * sizeof(double)) == 0 &&
           memcmp(v.stat, w.stat, ASIF_STAT_COUNT * n * sizeof(double)) == 0 &&
           memcmp(v.step, w.step, v.chains * sizeof(double)) == 0 &&
           memcmp(v.metric, w.metric, v.chains * square * sizeof(double)) == 0;
}
