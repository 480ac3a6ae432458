/* Curvature of quadratic forms, of kinked ones and of what curves the other way. */
#include "check.h"

#include "problems.h"
#include "sample/hills.h"

#include "base/numeric/dense.h"

#include <string.h>

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

/* |a - b| in units of sqrt(b_ii b_jj). */
static double relative(const double *a, const double *b, uint32_t n) {
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            most = fmax(most, fabs(a[i * n + j] - b[i * n + j]) / sqrt(b[i * n + i] * b[j * n + j]));
    return most;
}

static void inverse(const double *a, uint32_t n, double *out) {
    double l[HILL_MOST * HILL_MOST];
    memcpy(l, a, (size_t)n * n * sizeof *l);
    assert_true(asif_cholesky(l, n));
    asif_cholesky_inverse(l, n, out);
}

static void quadratic_forms(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 10, 50};
    uint64_t seed = 2;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int gradients = 0; gradients < 2; gradients++) {
            static hill h;
            static double got[HILL_MOST * HILL_MOST], covariance[HILL_MOST * HILL_MOST],
                want[HILL_MOST * HILL_MOST];
            double x[HILL_MOST], scale[HILL_MOST];
            bool positive = false;
            h = (hill){.n = sizes[k]};
            if (h.n > 10 && !gradients)
                continue;
            hill_turn(&h, gradients ? 1e6 : 1e4, &seed);
            for (uint32_t i = 0; i < h.n; i++) {
                x[i] = make_uniform(&seed);
                scale[i] = pow(10, 2 * make_uniform(&seed) - 1);
            }
            asif_density density = hill_density(&h);
            density.has_gradient = gradients;
            assert_int_equal(asif_curvature(got, covariance, &positive, context, &density, x, scale, NULL),
                             ASIF_OK);
            assert_true(positive);
            inverse(h.curvature, h.n, want);
            CHECK(relative(got, h.curvature, h.n) < 1e-6, "%u: curvature off by %g", h.n,
                  relative(got, h.curvature, h.n));
            CHECK(relative(covariance, want, h.n) < 1e-6, "%u: covariance off by %g", h.n,
                  relative(covariance, want, h.n));
            for (uint32_t i = 0; i < h.n; i++)
                for (uint32_t j = 0; j < i; j++)
                    assert_true(got[i * h.n + j] == got[j * h.n + i]);
        }
}

/* Scales that are wrong by a thousand do no harm. */
static void a_narrow_ridge(void **state) {
    (void)state;
    static const double sd[] = {0.05, 30, 0.4}, scales[][3] = {{50, 0.03, 1}, {1, 1, 1}, {1e-4, 3e4, 400}};
    hill h = {.n = 3, .centre = {1, 2, 3}};
    double got[9], covariance[9];
    bool positive;
    hill_correlate(&h, sd, -0.99);
    asif_density density = hill_density(&h);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(
            asif_curvature(got, covariance, &positive, context, &density, h.centre, scales[k], NULL),
            ASIF_OK);
        assert_true(positive);
        assert_true(relative(got, h.curvature, 3) < 1e-6);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(sqrt(covariance[4 * i]) / sd[i], 1, 1e-4);
    }
}

/* Small kinks change the standard deviations little, also across a narrow ridge. */
static void kinks(void **state) {
    (void)state;
    static const double sd[] = {0.05, 30, 0.4}, natural[] = {0.2, 50, 1};
    uint64_t seed = 8;
    for (int gradients = 0; gradients < 2; gradients++)
        for (int round = 0; round < 20; round++) {
            hill h = {.n = 3, .centre = {1, 2, 3}};
            double got[9], covariance[9];
            bool positive;
            hill_correlate(&h, sd, -0.97);
            hill_kink(&h, 8, 0.02, &seed);
            asif_density density = hill_density(&h);
            density.has_gradient = gradients;
            assert_int_equal(
                asif_curvature(got, covariance, &positive, context, &density, h.centre, natural, NULL),
                ASIF_OK);
            assert_true(positive);
            for (int i = 0; i < 3; i++)
                CHECK(fabs(sqrt(covariance[4 * i]) / sd[i] - 1) < 0.15, "round %d: sd off by %g", round,
                      sqrt(covariance[4 * i]) / sd[i] - 1);
        }
}

/* x^2 - y^2 / 2 - 3 z^2 / 2 in turned coordinates, and flat in the last. */
static asif_status saddle(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    double u = 0.6 * x[0] + 0.8 * x[1], v = 0.6 * x[1] - 0.8 * x[0];
    *value = u * u - v * v / 2 - 3 * x[2] * x[2] / 2;
    if (g) {
        g[0] = 2 * u * 0.6 + v * 0.8;
        g[1] = 2 * u * 0.8 - v * 0.6;
        g[2] = -3 * x[2];
        g[3] = 0;
    }
    return ASIF_OK;
}

static void not_a_maximum(void **state) {
    (void)state;
    double x[4] = {0.3, -0.1, 0.2, 7}, curvature[16], covariance[16];
    bool positive = true;
    /* -2 along u, 1 along v. */
    double want[] = {
        -2 * 0.36 + 0.64, -3 * 0.48, 0, 0, -3 * 0.48, -2 * 0.64 + 0.36, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0};
    for (int gradients = 0; gradients < 2; gradients++) {
        asif_density density = {.dimension = 4, .evaluate = saddle, .has_gradient = gradients};
        assert_int_equal(asif_curvature(curvature, covariance, &positive, context, &density, x, NULL, NULL),
                         ASIF_OK);
        assert_false(positive);
        for (int i = 0; i < 16; i++)
            CHECK_NEAR(curvature[i], want[i], 1e-6);
        /* Along u and the flat coordinate the covariance is that of the scale, 1. */
        CHECK_NEAR(covariance[0] * 0.36 + 2 * 0.48 * covariance[1] + covariance[5] * 0.64, 1, 1e-6);
        CHECK_NEAR(covariance[0] * 0.64 - 2 * 0.48 * covariance[1] + covariance[5] * 0.36, 1, 1e-6);
        CHECK_NEAR(covariance[10], 1. / 3, 1e-6);
        CHECK_NEAR(covariance[15], 1, 1e-6);
    }
}

/* log x - x, seen from close to its edge: 1/x^2. */
static asif_status edge(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    *value = *x > 0 ? log(*x) - *x : -INFINITY;
    if (g)
        *g = 1 / *x - 1;
    return ASIF_OK;
}

static void at_an_edge(void **state) {
    (void)state;
    asif_density density = {.dimension = 1, .evaluate = edge, .has_gradient = true};
    double x = 1e-3, scale = 10, curvature, outside = -1;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_curvature(&curvature, NULL, NULL, context, &density, &x, &scale, NULL), ASIF_OK);
    CHECK_NEAR(curvature * 1e-6, 1, 0.05);
    assert_int_equal(asif_curvature(&curvature, NULL, NULL, context, &density, &outside, &scale, &error),
                     ASIF_EDOMAIN);
    assert_int_equal(error.status, ASIF_EDOMAIN);
}

static asif_status call_curvature(const asif_context *own, asif_error *error) {
    hill h = {.n = 2, .curvature = {1, 0, 0, 1}};
    asif_density density = hill_density(&h);
    double x[2] = {0}, curvature[4], covariance[4];
    return asif_curvature(curvature, covariance, NULL, own, &density, x, NULL, error);
}

static void without_memory(void **state) {
    (void)state;
    check_memory(call_curvature);
}

static bool cancel(void *user, const char *what, double done) {
    (void)user;
    (void)what;
    (void)done;
    return true;
}

static void cancelled(void **state) {
    (void)state;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *own;
    options.progress = cancel;
    assert_int_equal(asif_context_create(&own, &options, NULL), ASIF_OK);
    assert_int_equal(call_curvature(own, NULL), ASIF_ECANCELLED);
    asif_context_free(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_forms), cmocka_unit_test(a_narrow_ridge), cmocka_unit_test(kinks),
        cmocka_unit_test(not_a_maximum),   cmocka_unit_test(at_an_edge),     cmocka_unit_test(without_memory),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
