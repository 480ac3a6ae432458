/* Maxima near one that is known, and what the looks find besides. */
#include "check.h"

#include "problems.h"
#include "sample/hills.h"
#include "sample/search/near.h"

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

/* The lower factor of a diagonal covariance. */
static void diagonal(double *factor, const double *sd, uint32_t n) {
    memset(factor, 0, (uint64_t)n * n * sizeof *factor);
    for (uint32_t i = 0; i < n; i++)
        factor[i * n + i] = sd[i];
}

static void moved_hills(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (uint32_t n = 1; n <= 6; n++)
        for (int gradients = 1; gradients >= 0; gradients--) {
            static hill h;
            double start[2 * 6], factor[36], sd[6], x[6];
            asif_maximum_info info;
            asif_error error = ASIF_ERROR_INIT;
            h = (hill){.n = n};
            for (uint32_t i = 0; i < n; i++) {
                sd[i] = 0.1 + i;
                h.centre[i] = 3 * sd[i] * (2 * make_uniform(&seed) - 1);
                start[i] = 0;
                start[n + i] = 10 * sd[i];
            }
            hill_correlate(&h, sd, 0.3);
            diagonal(factor, sd, n);
            asif_density density = hill_density(&h);
            density.has_gradient = gradients;
            asif_near near = {.start = start, .starts = 2, .factor = factor, .scale = sd, .tol = 1e-9};
            CHECK(asif_maximise_near(x, context, &density, &near, &info, &error) == ASIF_OK, "%s",
                  error.message);
            CHECK_NEAR(info.value, 0, gradients ? 1e-8 : 1e-5);
            assert_true(hill_distance(&h, x, h.centre) < (gradients ? 1e-3 : 1e-2));
            assert_int_equal(info.agree, 1);
            assert_int_equal(info.evaluations, h.calls);
        }
}

/* Two normal tops, 20 standard deviations apart; the second is higher by 1. */
static asif_status two_tops(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    double a = -x[0] * x[0] / 2, b = 1 - (x[0] - 20) * (x[0] - 20) / 2, top = fmax(a, b);
    double wa = exp(a - top), wb = exp(b - top);
    *value = top + log(wa + wb);
    if (gradient)
        gradient[0] = (-x[0] * wa - (x[0] - 20) * wb) / (wa + wb);
    return ASIF_OK;
}

static void another_top(void **state) {
    (void)state;
    static const double start[] = {0.5}, one[] = {1}, elsewhere[] = {-30, 2, 14, -8};
    asif_density density = {.dimension = 1, .evaluate = two_tops, .has_gradient = true};
    asif_near near = {.start = start, .starts = 1, .factor = one, .scale = one, .tol = 1e-9};
    asif_maximum_info info;
    double x;
    assert_int_equal(asif_maximise_near(&x, context, &density, &near, &info, NULL), ASIF_OK);
    CHECK_NEAR(x, 0, 1e-4); /* nothing along the way tells of the other one */
    near.elsewhere = elsewhere;
    near.others = 4;
    assert_int_equal(asif_maximise_near(&x, context, &density, &near, &info, NULL), ASIF_OK);
    CHECK_NEAR(x, 20, 1e-4);
    CHECK_NEAR(info.value, 1, 1e-8);
    assert_int_equal(info.agree, 1);
}

/* A second, higher top 5 standard deviations along the flattest direction: seen there, without any other
 * point. */
static asif_status second_along(void *user, const double *x, double *value, double *gradient,
                                asif_error *error) {
    (void)user;
    (void)error;
    double across = x[0] - 0.02 * x[1];
    double a = -x[1] * x[1] / 200, b = 0.7 - (x[1] - 50) * (x[1] - 50) / 200, top = fmax(a, b);
    double wa = exp(a - top), wb = exp(b - top);
    *value = top + log(wa + wb) - 50 * across * across;
    if (gradient) {
        gradient[0] = -100 * across;
        gradient[1] = (-x[1] * wa - (x[1] - 50) * wb) / (100 * (wa + wb)) + 2 * across;
    }
    return ASIF_OK;
}

static void along_the_ridge(void **state) {
    (void)state;
    static const double start[] = {0, 0}, scale[] = {1, 1}, factor[] = {0.1, 0, 0, 10};
    asif_density density = {.dimension = 2, .evaluate = second_along, .has_gradient = true};
    asif_near near = {.start = start, .starts = 1, .factor = factor, .scale = scale, .tol = 1e-9};
    asif_maximum_info info;
    double x[2];
    assert_int_equal(asif_maximise_near(x, context, &density, &near, &info, NULL), ASIF_OK);
    CHECK_NEAR(x[1], 50, 0.1);
    CHECK_NEAR(info.value, 0.7, 1e-3);
}

static asif_status nowhere(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)x;
    (void)gradient;
    (void)error;
    *value = -INFINITY;
    return ASIF_OK;
}

static void outside(void **state) {
    (void)state;
    static const double start[] = {0}, scale[] = {1};
    asif_density density = {.dimension = 1, .evaluate = nowhere, .has_gradient = true};
    asif_near near = {.start = start, .starts = 1, .scale = scale, .tol = 1e-9};
    asif_maximum_info info;
    double x;
    assert_int_equal(asif_maximise_near(&x, context, &density, &near, &info, NULL), ASIF_EDOMAIN);
}

static asif_status once(const asif_context *failing, asif_error *error) {
    static const double start[] = {0.5}, one[] = {1}, elsewhere[] = {-30, 2, 14, -8};
    asif_density density = {.dimension = 1, .evaluate = two_tops, .has_gradient = true};
    asif_near near = {start, 1, one, one, elsewhere, 4, 1e-9};
    asif_maximum_info info;
    double x;
    return asif_maximise_near(&x, failing, &density, &near, &info, error);
}

static void out_of_memory(void **state) {
    (void)state;
    check_memory(once);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moved_hills), cmocka_unit_test(another_top),
                                       cmocka_unit_test(along_the_ridge), cmocka_unit_test(outside),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
