/* Coordinates in units of alpha: the same distribution, and coordinates along which nothing changes. */
#include "check.h"

#include "fit/per_alpha.h"
#include "sample/evaluate_many.h"

#include <string.h>

#define N 7
#define H 1e-5

/* Eta alone, as where utilities are assumed; everything; and utilities without a constant that is free. */
static const asif_per_alpha hows[] = {
    {.by = 3, .eta = 5, .optimism = ASIF_ANY, .centre = .4},
    {.by = 3,
     .eta = 5,
     .optimism = 1,
     .utilities = 3,
     .utility = {0, 6, 2},
     .shift = true,
     .weight = {.5, .3, .2},
     .centre = .4},
    {.by = 3,
     .eta = ASIF_ANY,
     .optimism = 1,
     .utilities = 2,
     .utility = {6, 2},
     .weight = {.5, .5},
     .centre = -.2},
};
#define HOWS (sizeof hows / sizeof *hows)

static const double at[N] = {1.3, -.8, 2.1, -.3, .6, 2.7, -1.9};

/* A correlated normal. */
static asif_status normal(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user, (void)error;
    double sum = 0;
    *value = 0;
    for (int i = 0; i < N; i++)
        sum += .3 * (x[i] - i);
    for (int i = 0; i < N; i++) {
        *value -= .5 * (1 + .2 * i) * (x[i] - i) * (x[i] - i);
        if (gradient)
            gradient[i] = -(1 + .2 * i) * (x[i] - i) - .3 * sum;
    }
    *value -= .5 * sum * sum;
    return ASIF_OK;
}

static asif_status normal_many(void *user, const double *x, uint64_t count, double *value,
                               asif_error *error) {
    for (uint64_t i = 0; i < count; i++)
        normal(user, x + N * i, &value[i], NULL, error);
    return ASIF_OK;
}

static void same(void *user, const double *x, double *out) {
    (void)user;
    memcpy(out, x, N * sizeof *x);
}

/* dy/dx at `x` by differences. */
static void differentiate(const asif_per_alpha *how, const double *x, double jacobian[N][N]) {
    for (int j = 0; j < N; j++) {
        double up[N], down[N];
        memcpy(up, x, sizeof up);
        memcpy(down, x, sizeof down);
        up[j] += H;
        down[j] -= H;
        asif_per_alpha_forward(how, up);
        asif_per_alpha_forward(how, down);
        for (int i = 0; i < N; i++)
            jacobian[i][j] = (up[i] - down[i]) / (2 * H);
    }
}

/* log |det|, by elimination. */
static double log_volume(double a[N][N]) {
    double sum = 0;
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        for (int j = 0; j < N; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        sum += log(fabs(a[k][k]));
        for (int i = k + 1; i < N; i++)
            for (int j = N - 1; j >= k; j--)
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    return sum;
}

static void test_values(void **state) {
    (void)state;
    double y[N];
    memcpy(y, at, sizeof y);
    asif_per_alpha_forward(&hows[1], y);
    double s = exp(.4 + .3);
    const double want[N] = {(1.3 - 2.1) * s, -.8 / s,         .5 * 1.3 - .3 * 1.9 + .2 * 2.1, -.3, .6,
                            2.7 * s,         (-1.9 - 2.1) * s};
    for (int i = 0; i < N; i++)
        CHECK_NEAR(y[i], want[i], 1e-14);
}

/* The density is that of x with the change of volume; its gradient is that of differences. */
static void test_density(void **state) {
    (void)state;
    for (size_t k = 0; k < HOWS; k++) {
        const asif_density inner = {
            .dimension = N, .evaluate = normal, .has_gradient = true, .reported = N, .report = same};
        double room[N], y[N], back[N], value, plain, gradient[N], jacobian[N][N];
        asif_per_alpha_target target = {hows[k], &inner, room, NULL};
        asif_density density = asif_per_alpha_density(&target);
        memcpy(y, at, sizeof y);
        asif_per_alpha_forward(&hows[k], y);
        density.report(density.user, y, back);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(back[i], at[i], 1e-14);
        normal(NULL, at, &plain, NULL, NULL);
        assert_int_equal(density.evaluate(density.user, y, &value, gradient, NULL), ASIF_OK);
        differentiate(&hows[k], at, jacobian);
        CHECK_NEAR(value, plain - log_volume(jacobian), 1e-8);
        for (int i = 0; i < N; i++) {
            double up[N], down[N], a, b;
            memcpy(up, y, sizeof up);
            memcpy(down, y, sizeof down);
            up[i] += H;
            down[i] -= H;
            density.evaluate(density.user, up, &a, NULL, NULL);
            density.evaluate(density.user, down, &b, NULL, NULL);
            CHECK_NEAR(gradient[i], (a - b) / (2 * H), 1e-6);
        }
    }
}

static void test_many(void **state) {
    (void)state;
    enum { POINTS = 2 * ASIF_EVALUATE_BLOCK + 5 };
    const asif_density inner = {.dimension = N, .evaluate = normal, .evaluate_many = normal_many};
    static double many[N * ASIF_EVALUATE_BLOCK], y[N * POINTS], value[POINTS];
    double room[N], one;
    asif_per_alpha_target target = {hows[1], &inner, room, many};
    asif_density density = asif_per_alpha_density(&target);
    for (int i = 0; i < N * POINTS; i++)
        y[i] = sin(i);
    assert_int_equal(density.evaluate_many(density.user, y, POINTS, value, NULL), ASIF_OK);
    for (uint64_t i = 0; i < POINTS; i++) {
        assert_int_equal(density.evaluate(density.user, y + N * i, &one, NULL, NULL), ASIF_OK);
        CHECK_NEAR(value[i], one, 1e-15);
    }
}

/* J C J' with the Jacobian by differences. */
static void test_covariance(void **state) {
    (void)state;
    for (size_t k = 0; k < HOWS; k++) {
        asif_per_alpha how = hows[k];
        double c[N * N], want[N * N] = {0}, jacobian[N][N];
        how.centre = at[how.by];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                c[N * i + j] = cos(i) * cos(j) + (i == j);
        differentiate(&how, at, jacobian);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int a = 0; a < N; a++)
                    for (int b = 0; b < N; b++)
                        want[N * i + j] += jacobian[i][a] * c[N * a + b] * jacobian[j][b];
        asif_per_alpha_covariance(&how, at, c, N);
        for (int i = 0; i < N * N; i++)
            CHECK_NEAR(c[i], want[i], 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_density),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_covariance),
    };
    return cmocka_run_group_tests_name("per_alpha", tests, NULL, NULL);
}
