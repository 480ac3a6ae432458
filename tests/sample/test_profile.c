/* Profiles in closed form. */
#include "check.h"

#include "problems.h"
#include "sample/hills.h"
#include "sample/search/search.h"

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

/* Of a normal: -(x - mean)^2 / (2 sd^2), the others at their conditional means. */
static void correlated_normals(void **state) {
    (void)state;
    static const double sd[] = {0.05, 30, 0.4, 2};
    for (uint32_t n = 1; n <= 4; n++)
        for (uint32_t coordinate = 0; coordinate < n; coordinate++)
            for (int gradients = 0; gradients < 2; gradients++) {
                hill h = {.n = n, .centre = {-0.7, 42, 1, 0}};
                double r = n == 2 ? -0.99 : -0.9, at[13], value[13], path[13 * 4];
                hill_correlate(&h, sd, r);
                asif_density density = hill_density(&h);
                density.has_gradient = gradients;
                for (int k = 0; k < 13; k++)
                    at[k] = h.centre[coordinate] + (k < 7 ? k : 6 - k) * 0.5 * sd[coordinate];
                assert_int_equal(
                    asif_profile(value, context, &density, h.centre, coordinate, at, 13, NULL, path, NULL),
                    ASIF_OK);
                for (int k = 0; k < 13; k++) {
                    double z = (at[k] - h.centre[coordinate]) / sd[coordinate];
                    CHECK_NEAR(value[k], -z * z / 2, gradients ? 1e-8 : 1e-6);
                    assert_true(path[(uint32_t)k * n + coordinate] == at[k]);
                    for (uint32_t i = 0; i < n; i++) {
                        double rho = i == coordinate ? 1 : (i + coordinate) % 2 ? r : fabs(r);
                        CHECK_NEAR((path[(uint32_t)k * n + i] - h.centre[i]) / sd[i], rho * z, 2e-3);
                    }
                }
            }
}

/* Against the maximum by brute force with the coordinate put in. */
static void kinks(void **state) {
    (void)state;
    static const double sd[] = {0.05, 30, 0.4}, natural[] = {0.2, 50, 1};
    uint64_t seed = 21;
    for (int round = 0; round < 10; round++) {
        hill h = {.n = 3, .centre = {-0.7, 42, 1}};
        double x[3], at[9], value[9];
        hill_correlate(&h, sd, -0.95);
        hill_kink(&h, 8, 0.02, &seed);
        hill_maximum(&h, x);
        for (int k = 0; k < 9; k++)
            at[k] = x[0] + (k - 4) * 0.02;
        asif_density density = hill_density(&h);
        assert_int_equal(asif_profile(value, context, &density, x, 0, at, 9, natural, NULL, NULL), ASIF_OK);
        for (int k = 0; k < 9; k++) {
            /* The first coordinate as a number: what is left is a hill of the other two. */
            hill two = {.n = 2,
                        .kinks = h.kinks,
                        .curvature = {h.curvature[4], h.curvature[5], h.curvature[7], h.curvature[8]}};
            double d = at[k] - h.centre[0], y[2];
            double det = h.curvature[4] * h.curvature[8] - h.curvature[5] * h.curvature[7];
            two.centre[0] =
                h.centre[1] - d * (h.curvature[8] * h.curvature[3] - h.curvature[5] * h.curvature[6]) / det;
            two.centre[1] =
                h.centre[2] - d * (h.curvature[4] * h.curvature[6] - h.curvature[7] * h.curvature[3]) / det;
            for (uint32_t i = 0; i < h.kinks; i++) {
                two.slope[i][0] = h.slope[i][1];
                two.slope[i][1] = h.slope[i][2];
                two.offset[i] = h.offset[i] - h.slope[i][0] * at[k];
                two.weight[i] = h.weight[i];
            }
            hill_maximum(&two, y);
            double all[3] = {at[k], y[0], y[1]};
            CHECK(fabs(value[k] - hill_value(&h, all)) < 1e-5, "round %d, point %d: off by %g", round, k,
                  value[k] - hill_value(&h, all));
        }
    }
}

/* log x - x y^2 - x with x > 0: the profile of x is log x - x, and of y it is -log(1 + y^2) - 1. */
static asif_status edge(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    *value = x[0] > 0 ? log(x[0]) - x[0] * (1 + x[1] * x[1]) : -INFINITY;
    if (g) {
        g[0] = 1 / x[0] - 1 - x[1] * x[1];
        g[1] = -2 * x[0] * x[1];
    }
    return ASIF_OK;
}

static void edges(void **state) {
    (void)state;
    asif_density density = {.dimension = 2, .evaluate = edge, .has_gradient = true};
    static const double x[] = {1, 0}, at[] = {1, 0.3, 0.05, -1, 0.3, 2, 4}, far[] = {0, 1, 2, 5, 12};
    double value[7], path[14];
    assert_int_equal(asif_profile(value, context, &density, x, 0, at, 7, NULL, path, NULL), ASIF_OK);
    for (int k = 0; k < 7; k++)
        CHECK_NEAR(value[k], at[k] > 0 ? log(at[k]) - at[k] : -INFINITY, 1e-8);
    assert_int_equal(asif_profile(value, context, &density, x, 1, far, 5, NULL, NULL, NULL), ASIF_OK);
    for (int k = 0; k < 5; k++)
        CHECK_NEAR(value[k], -log(1 + far[k] * far[k]) - 1, 1e-8);
    assert_int_equal(asif_profile(value, context, &density, x, 2, at, 7, NULL, NULL, NULL), ASIF_EDOMAIN);
}

static asif_status call_profile(const asif_context *own, asif_error *error) {
    hill h = {.n = 2, .curvature = {1, 0, 0, 1}};
    asif_density density = hill_density(&h);
    double x[2] = {0}, at[3] = {0, 1, 2}, value[3];
    return asif_profile(value, own, &density, x, 1, at, 3, NULL, NULL, error);
}

static void without_memory(void **state) {
    (void)state;
    check_memory(call_profile);
}

static bool cancel_later(void *user, const char *what, double done) {
    (void)what;
    assert_true(done >= 0 && done <= 1);
    return (*(int *)user)-- <= 0;
}

static void cancelled(void **state) {
    (void)state;
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *own;
        asif_error error = ASIF_ERROR_INIT;
        options.progress = cancel_later;
        options.user = &left;
        assert_int_equal(asif_context_create(&own, &options, NULL), ASIF_OK);
        assert_int_equal(call_profile(own, &error), ASIF_ECANCELLED);
        assert_int_equal(error.status, ASIF_ECANCELLED);
        asif_context_free(own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correlated_normals), cmocka_unit_test(kinks),     cmocka_unit_test(edges),
        cmocka_unit_test(without_memory),     cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
