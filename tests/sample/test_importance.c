/* Draws of a population by importance sampling against NUTS on the same table, where the units tell little of
 * one number. Its standard deviation may be anything down to 0, and the smaller it is, the less is known
 * about its correlations. ctest label: slow */
#include "check.h"

#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/population/population.h"

#include <math.h>
#include <stdlib.h>

enum { D = 3, NUMBERS = 2 * D + D * (D - 1) / 2, UNITS = 100 };
static const double NOISE[D] = {.3, .3, 5};

static double quantile(void *user, uint32_t i, double p) {
    (void)user, (void)i;
    return asif_normal_quantile(p);
}

static double log_density(void *user, const double *x, double *gradient) {
    double sum = -D * log(2 * acos(-1)) / 2;
    (void)user;
    for (int i = 0; i < D; i++) {
        sum -= x[i] * x[i] / 2;
        if (gradient)
            gradient[i] -= x[i];
    }
    return sum;
}

/* Units [UNITS][D] as they were measured: standard normal, with noise. */
static asif_status evaluate(void *user, const double *x, uint64_t count, asif_take_row *take, void *taker,
                            asif_error *error) {
    const double *y = user;
    double *row = malloc(count * sizeof *row);
    (void)error;
    for (uint64_t i = 0; i < UNITS; i++) {
        for (uint64_t a = 0; a < count; a++) {
            row[a] = 0;
            for (uint64_t k = 0; k < D; k++) {
                double z = (x[a * D + k] - y[i * D + k]) / NOISE[k];
                row[a] -= z * z / 2;
            }
        }
        take(taker, 0, i, row);
    }
    free(row);
    return ASIF_OK;
}

static void fit(asif_population_fit *out, const asif_context *context, double *y, bool nuts) {
    static const asif_base_density base = {D, quantile, log_density, NULL};
    double times[UNITS];
    for (int i = 0; i < UNITS; i++)
        times[i] = 1;
    asif_population_request r = {.base = &base,
                                 .correlated = true,
                                 .rows = UNITS,
                                 .times = times,
                                 .evaluate = evaluate,
                                 .user = y,
                                 .seed = 1,
                                 .points = 512,
                                 .most_points = 8192,
                                 .chains = 4,
                                 .warmup = 200,
                                 .draws = 250,
                                 .nuts = nuts,
                                 .many = nuts ? UINT64_MAX : 0};
    assert_int_equal(asif_population_estimate(out, context, &r, NULL), ASIF_OK);
}

static void funnel(void **state) {
    (void)state;
    asif_context_options o = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context;
    o.threads = 2;
    assert_int_equal(asif_context_create(&context, &o, NULL), ASIF_OK);
    double y[UNITS * D];
    for (uint64_t i = 0; i < UNITS; i++) {
        asif_stream s = {2, ASIF_FOR_POPULATIONS, i};
        for (uint32_t k = 0; k < D; k++)
            y[i * D + k] = asif_normal(&s, k) + NOISE[k] * asif_normal(&s, D + k);
    }
    asif_population_fit a, b;
    fit(&a, context, y, false);
    CHECK(a.usable && a.khat < .7 && a.kish >= 100, "table %g, k-hat %g, kish %g", a.worst_error, a.khat,
          a.kish);
    fit(&b, context, y, true);
    assert_true(b.usable);
    for (uint32_t k = 0; k < NUMBERS; k++) {
        double mean[2] = {0}, square[2] = {0};
        for (uint64_t i = 0; i < 1000; i++)
            for (int w = 0; w < 2; w++) {
                double v = (w ? b : a).phi[i * NUMBERS + k];
                mean[w] += v / 1000;
                square[w] += v * v / 1000;
            }
        double sd[2] = {sqrt(square[0] - mean[0] * mean[0]), sqrt(square[1] - mean[1] * mean[1])};
        CHECK(fabs(mean[0] - mean[1]) < .3 * sd[1], "number %u: mean %g, by NUTS %g (sd %g)", k, mean[0],
              mean[1], sd[1]);
        CHECK(fabs(sd[0] / sd[1] - 1) < .3, "number %u: sd %g, by NUTS %g", k, sd[0], sd[1]);
    }
    asif_population_fit_close(&a);
    asif_population_fit_close(&b);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(funnel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
