/* Power-scaling sensitivity against normal distributions, whose scaled posteriors are known. */
#include "check.h"

#include "asif/sample.h"

#include <math.h>
#include <string.h>

#define CHAINS 4
#define DRAWS 2000
#define N (CHAINS * DRAWS)
#define GRID 20000

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static double below(double z) {
    return .5 * erfc(-z / sqrt(2));
}

/* The quantile by bisection. */
static double quantile(double p) {
    double low = -10, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        *(below(middle) < p ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

typedef struct {
    double mean, sd;
} normal;

/* The posterior of a normal mean with prior^a and likelihood^b. */
static normal posterior(normal prior, normal likelihood, double a, double b) {
    double x = a / (prior.sd * prior.sd), y = b / (likelihood.sd * likelihood.sd);
    return (normal){(x * prior.mean + y * likelihood.mean) / (x + y), 1 / sqrt(x + y)};
}

/* The cumulative Jensen-Shannon distance between two normals on an interval, by the midpoint rule. */
static double distance(normal p, normal q, double from, double to, int sign) {
    double h = (to - from) / GRID, sum = 0, bound = 0;
    for (int i = 0; i < GRID; i++) {
        double x = from + (i + .5) * h;
        double f = below(sign * (x - p.mean) / p.sd), g = below(sign * (x - q.mean) / q.sd), m = (f + g) / 2;
        sum += h * ((f > 0 ? f * log2(f / m) : 0) + (g > 0 ? g * log2(g / m) : 0));
        bound += h * (f + g);
    }
    return sqrt(sum / bound);
}

static double want(normal prior, normal likelihood, int part, double from, double to) {
    normal base = posterior(prior, likelihood, 1, 1);
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        double power = k ? 1.01 : .99;
        normal other = posterior(prior, likelihood, part ? 1 : power, part ? power : 1);
        sum += fmax(distance(base, other, from, to, 1), distance(base, other, from, to, -1)) /
               fabs(log2(power)) / 2;
    }
    return sum;
}

/* A weak prior; one that is as strong as the data; a conflict. The draws are quantiles of the posterior. */
static void test_normal(void **state) {
    (void)state;
    static const struct {
        normal prior, likelihood;
    } rows[] = {{{0, 10}, {1, 1}}, {{0, 1}, {.5, 1}}, {{0, 1}, {3, .5}}, {{2, .3}, {1, 3}}};
    static double x[N], log_part[N];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        normal at = posterior(rows[r].prior, rows[r].likelihood, 1, 1);
        for (int i = 0; i < N; i++)
            x[(i % CHAINS) * DRAWS + i / CHAINS] = at.mean + at.sd * quantile((i + .5) / N);
        for (int part = 0; part < 2; part++) {
            normal of = part ? rows[r].likelihood : rows[r].prior;
            double out;
            for (int i = 0; i < N; i++)
                log_part[i] = -.5 * (x[i] - of.mean) * (x[i] - of.mean) / (of.sd * of.sd) + 7;
            assert_int_equal(asif_power_scaling(&out, context, x, 1, CHAINS, DRAWS, log_part, NULL), ASIF_OK);
            double expected =
                want(rows[r].prior, rows[r].likelihood, part, x[0], x[(CHAINS - 1) * DRAWS + DRAWS - 1]);
            CHECK_NEAR(out / expected, 1, .02);
        }
    }
}

/* A flat prior has no weight, and a constant column does not change. */
static void test_flat(void **state) {
    (void)state;
    static double x[2 * N], log_part[N];
    double out[2];
    for (int i = 0; i < N; i++) {
        x[i] = sin(i);
        x[N + i] = 3;
        log_part[i] = -2.5;
    }
    assert_int_equal(asif_power_scaling(out, context, x, 2, CHAINS, DRAWS, log_part, NULL), ASIF_OK);
    CHECK_NEAR(out[0], 0, 1e-6);
    CHECK_NEAR(out[1], 0, 0);
    for (int i = 0; i < N; i++)
        log_part[i] = x[i];
    assert_int_equal(asif_power_scaling(out, context, x, 2, CHAINS, DRAWS, log_part, NULL), ASIF_OK);
    CHECK(out[0] > .05, "%g", out[0]);
    CHECK_NEAR(out[1], 0, 0);
}

/* Neither a shift or scale of the column nor a constant in the logarithm changes anything. */
static void test_units(void **state) {
    (void)state;
    static double x[3 * N], log_part[N];
    double out[3], again[3];
    for (int i = 0; i < N; i++) {
        double z = quantile((i + .5) / N);
        x[i] = z;
        x[N + i] = 40 + 1e-3 * z;
        x[2 * N + i] = -5 * z;
        log_part[i] = -.2 * (z - 1) * (z - 1);
    }
    asif_power_scaling(out, context, x, 3, CHAINS, DRAWS, log_part, NULL);
    CHECK_NEAR(out[1], out[0], 1e-6);
    CHECK_NEAR(out[2], out[0], 1e-12);
    for (int i = 0; i < N; i++)
        log_part[i] -= 1000;
    asif_power_scaling(again, context, x, 3, CHAINS, DRAWS, log_part, NULL);
    CHECK_NEAR(again[0], out[0], 1e-9);
}

static void test_refused(void **state) {
    (void)state;
    double x[3] = {1, 2, 3}, log_part[3] = {0, -INFINITY, 0}, out;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_power_scaling(&out, context, x, 1, 1, 3, log_part, &error), ASIF_EDOMAIN);
    CHECK(strstr(error.message, "draw 2"), "%s", error.message);
    assert_int_equal(asif_power_scaling(&out, context, x, 1, 1, 0, log_part, NULL), ASIF_EDOMAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("power_scaling", tests, set_up, tear_down);
}
