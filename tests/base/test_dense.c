/* Small dense algebra against what defines it, and a few closed forms. */
#include "check.h"

#include "base/numeric/dense.h"
#include "problems.h"

#include <string.h>

enum { MOST = 40 };

/* B B' + c I, symmetric to the last bit. */
static void make_positive(double *a, uint32_t n, double c, uint64_t *seed) {
    double b[MOST * MOST];
    for (uint32_t i = 0; i < n * n; i++)
        b[i] = 2 * make_uniform(seed) - 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = i == j ? c : 0;
            for (uint32_t k = 0; k < n; k++)
                sum += b[i * n + k] * b[j * n + k];
            a[i * n + j] = a[j * n + i] = sum;
        }
}

static void cholesky_and_its_solves(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t n = 1; n <= MOST; n++) {
        double a[MOST * MOST], l[MOST * MOST], inverse[MOST * MOST], x[MOST], y[MOST], z[MOST];
        make_positive(a, n, 0.5, &seed);
        memcpy(l, a, sizeof l);
        assert_true(asif_cholesky(l, n));
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                double sum = 0;
                for (uint32_t k = 0; k < n; k++)
                    sum += l[i * n + k] * l[j * n + k];
                CHECK_NEAR(sum, a[i * n + j], 1e-13);
                assert_true(j <= i || l[i * n + j] == 0);
                assert_true(i != j || l[i * n + i] > 0);
            }
        for (uint32_t i = 0; i < n; i++)
            x[i] = 2 * make_uniform(&seed) - 1;
        /* L (L' x) = A x, and back. */
        asif_upper_times(l, n, x, y);
        asif_lower_times(l, n, y, z);
        asif_dense_times(a, n, n, x, y);
        for (uint32_t i = 0; i < n; i++)
            CHECK_NEAR(z[i], y[i], 1e-13);
        asif_lower_solve(l, n, z);
        asif_upper_solve(l, n, z);
        for (uint32_t i = 0; i < n; i++)
            CHECK_NEAR(z[i], x[i], 1e-10);
        asif_cholesky_inverse(l, n, inverse);
        for (uint32_t i = 0; i < n; i++) {
            asif_dense_times(a, n, n, inverse + i * n, y); /* rows are columns */
            for (uint32_t j = 0; j < n; j++)
                CHECK_NEAR(y[j], i == j, 1e-10);
        }
    }
}

static void by_hand(void **state) {
    (void)state;
    double a[] = {4, 2, 2, 10}, inverse[4], x[] = {1, 2, 3}, y[2];
    assert_true(asif_cholesky(a, 2));
    CHECK_NEAR(a[0], 2, 1e-15);
    CHECK_NEAR(a[2], 1, 1e-15);
    CHECK_NEAR(a[3], 3, 1e-15);
    asif_cholesky_inverse(a, 2, inverse);
    CHECK_NEAR(inverse[0], 10. / 36, 1e-15);
    CHECK_NEAR(inverse[1], -2. / 36, 1e-15);
    CHECK_NEAR(inverse[3], 4. / 36, 1e-15);
    static const double wide[] = {1, 2, 3, 4, 5, 6};
    asif_dense_times(wide, 2, 3, x, y);
    CHECK_NEAR(y[0], 14, 0);
    CHECK_NEAR(y[1], 32, 0);
}

static void indefinite_is_refused(void **state) {
    (void)state;
    double bad[][4] = {{1, 2, 2, 1}, {0, 0, 0, 1},   {-1, 0, 0, 1},
                       {1, 1, 1, 1}, {NAN, 0, 0, 1}, {1, 0, 0, INFINITY}};
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(asif_cholesky(bad[k], 2));
    uint64_t seed = 3;
    for (uint32_t n = 2; n <= MOST; n++) {
        double a[MOST * MOST];
        make_positive(a, n, 0.5, &seed);
        a[(n - 1) * n + n - 1] -= 1e3;
        assert_false(asif_cholesky(a, n));
    }
}

static void eigenvalues(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (uint32_t n = 1; n <= MOST; n++) {
        double a[MOST * MOST], copy[MOST * MOST], values[MOST], vectors[MOST * MOST];
        double trace = 0, sum = 0;
        make_positive(a, n, -0.3 * n, &seed); /* of both signs */
        memcpy(copy, a, sizeof copy);
        asif_eigen(copy, n, values, vectors);
        for (uint32_t i = 0; i < n; i++) {
            trace += a[i * n + i];
            sum += values[i];
            assert_true(i == 0 || values[i] >= values[i - 1]);
        }
        CHECK_NEAR(sum, trace, 1e-12);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                double dot = 0, back = 0;
                for (uint32_t k = 0; k < n; k++) {
                    dot += vectors[i * n + k] * vectors[j * n + k];
                    back += values[k] * vectors[k * n + i] * vectors[k * n + j];
                }
                CHECK_NEAR(dot, i == j, 1e-12);
                CHECK_NEAR(back, a[i * n + j], 1e-11);
            }
    }
}

/* Second differences: 2 - 2 cos(k pi / (n + 1)). */
static void eigenvalues_in_closed_form(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= MOST; n++) {
        double a[MOST * MOST] = {0}, values[MOST], vectors[MOST * MOST];
        for (uint32_t i = 0; i < n; i++) {
            a[i * n + i] = 2;
            if (i)
                a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
        }
        asif_eigen(a, n, values, vectors);
        for (uint32_t k = 0; k < n; k++)
            CHECK_NEAR(values[k], 2 - 2 * cos((k + 1) * 3.14159265358979323846 / (n + 1)), 1e-13);
    }
    /* Equal ones, a zero matrix, and sizes far apart. */
    double same[] = {3, 0, 0, 3}, zero[4] = {0}, apart[] = {1e12, 1, 1, 1e-6}, values[2], vectors[4];
    asif_eigen(same, 2, values, vectors);
    assert_true(values[0] == 3 && values[1] == 3);
    asif_eigen(zero, 2, values, vectors);
    assert_true(values[0] == 0 && values[1] == 0);
    asif_eigen(apart, 2, values, vectors);
    CHECK_NEAR(values[1] / 1e12, 1, 1e-14);
    CHECK_NEAR(values[0] / (1e-6 - 1e-12), 1, 1e-9); /* determinant over the larger one */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_and_its_solves),    cmocka_unit_test(by_hand),
        cmocka_unit_test(indefinite_is_refused),      cmocka_unit_test(eigenvalues),
        cmocka_unit_test(eigenvalues_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
