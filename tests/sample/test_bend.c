/* The map from the coordinates in which NUTS moves to those of the density: it must be a bijection that keeps
 * volumes, with the right chain rule, whatever it was fitted to; and on a banana it must find the bend. */
#include "check.h"

#include "base/numeric/dense.h"
#include "base/random.h"
#include "sample/chains/ridge_map.h"

enum { N = 4, DRAWS = 600 };

static double normal(uint32_t i) {
    asif_stream stream = {3, ASIF_FOR_TESTS, 77};
    return asif_normal(&stream, i);
}

/* Draws from a ridge that is bent in two ways, with scales far apart. */
static void make_draws(double *x, uint32_t n) {
    for (uint32_t r = 0; r < DRAWS; r++) {
        double *row = x + r * n, t = normal(r * n);
        row[0] = 5 + 30 * t;
        for (uint32_t k = 1; k < n; k++)
            row[k] = .1 * normal(r * n + k) + (k == 1 ? t * t : k == 2 ? .3 * t * t * t - t : .5 * row[1]);
        row[n - 1] *= 1e-3;
    }
}

static asif_ridge_map fitted(const asif_context *context, uint32_t n, double *x) {
    asif_ridge_map bend;
    asif_status status;
    assert_int_equal(asif_ridge_map_create(&bend, context, n, NULL), ASIF_OK);
    assert_true(asif_ridge_map_fit(&bend, x, DRAWS, &status));
    return bend;
}

static void there_and_back(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    double x[DRAWS * N], y[N], again[N];
    make_draws(x, N);
    asif_ridge_map bend = fitted(context, N, x);
    for (uint32_t r = 0; r < DRAWS; r++) {
        asif_ridge_map_y(&bend, x + r * N, y);
        asif_ridge_map_x(&bend, y, again);
        for (uint32_t k = 0; k < N; k++)
            CHECK_NEAR(again[k], x[r * N + k], 1e-9);
    }
    asif_ridge_map_free(&bend);
    asif_context_free(context);
}

/* The Jacobian by differences: its determinant is the same everywhere, and pulling a gradient is the product
 * with it. */
static void volume_and_chain_rule(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    double x[DRAWS * N], first = 0;
    make_draws(x, N);
    asif_ridge_map bend = fitted(context, N, x);
    for (uint32_t r = 0; r < 20; r++) {
        double y[N], jacobian[N * N], g[N], pulled[N], gram[N * N] = {0};
        asif_ridge_map_y(&bend, x + r * N, y);
        for (uint32_t k = 0; k < N; k++) {
            double side[2][N], kept = y[k], h = 1e-5;
            for (int s = 0; s < 2; s++) {
                y[k] = kept + (s ? -h : h);
                asif_ridge_map_x(&bend, y, side[s]);
            }
            y[k] = kept;
            for (uint32_t i = 0; i < N; i++)
                jacobian[i * N + k] = (side[0][i] - side[1][i]) / (2 * h);
        }
        for (uint32_t i = 0; i < N; i++) {
            g[i] = pulled[i] = normal(90000 + r * N + i);
            for (uint32_t j = 0; j < N; j++)
                for (uint32_t k = 0; k < N; k++)
                    gram[i * N + j] += jacobian[i * N + k] * jacobian[j * N + k];
        }
        double here[N];
        asif_ridge_map_x(&bend, y, here);
        asif_ridge_map_pull(&bend, pulled);
        for (uint32_t k = 0; k < N; k++) {
            double want = 0, size = 0;
            for (uint32_t i = 0; i < N; i++) {
                want += jacobian[i * N + k] * g[i];
                size += fabs(jacobian[i * N + k] * g[i]);
            }
            CHECK_NEAR(pulled[k] / size, want / size, 1e-7);
        }
        assert_true(asif_cholesky(gram, N));
        double volume = 0;
        for (uint32_t i = 0; i < N; i++)
            volume += log(gram[i * N + i]);
        first = r ? first : volume;
        CHECK_NEAR(volume, first, 1e-6);
    }
    asif_ridge_map_free(&bend);
    asif_context_free(context);
}

/* x2 = t^2 + noise: what is left of x2 after the map does not depend on t. */
static void finds_the_bend(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    static double x[DRAWS * 2];
    double before = 0, after = 0, mean[2] = {0}, y[2];
    make_draws(x, 2);
    for (uint32_t r = 0; r < DRAWS; r++) /* without the factor of the last coordinate, and longer than bent */
        x[2 * r + 1] = 8 * normal(2 * r) + normal(2 * r) * normal(2 * r) + .1 * normal(2 * r + 1);
    asif_ridge_map bend = fitted(context, 2, x);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < DRAWS; r++) {
            asif_ridge_map_y(&bend, x + 2 * r, y);
            double u = bend.u[1];
            mean[0] += pass ? 0 : u / DRAWS;
            mean[1] += pass ? 0 : y[1] / DRAWS;
            before += pass ? (u - mean[0]) * (u - mean[0]) / DRAWS : 0;
            after += pass ? (y[1] - mean[1]) * (y[1] - mean[1]) / DRAWS : 0;
        }
    CHECK_NEAR(before, 1, 1e-6);
    CHECK(after < .05, "what is left of the variance is %g", after);
    asif_ridge_map_free(&bend);
    asif_context_free(context);
}

static void refuses(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_ridge_map bend;
    asif_status status;
    double x[DRAWS * 2], y[2] = {3, 4}, same[2];
    for (uint32_t r = 0; r < DRAWS; r++) {
        x[2 * r] = r;
        x[2 * r + 1] = 7; /* never changes */
    }
    assert_int_equal(asif_ridge_map_create(&bend, context, 2, NULL), ASIF_OK);
    assert_false(asif_ridge_map_fit(&bend, x, DRAWS, &status));
    assert_int_equal(status, ASIF_OK);
    assert_false(asif_ridge_map_fit(&bend, x, 10, &status)); /* too few */
    asif_ridge_map_x(&bend, y, same);
    assert_true(same[0] == 3 && same[1] == 4);
    asif_ridge_map_free(&bend);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back),
                                       cmocka_unit_test(volume_and_chain_rule),
                                       cmocka_unit_test(finds_the_bend), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
