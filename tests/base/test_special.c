/* The normal quantile against the C library's erfc, known values and symmetry. */
#include "check.h"

#include "base/numeric/special.h"

static void test_known(void **state) {
    (void)state;
    /* To the last digit printed: tables, and R's qnorm. */
    static const struct {
        double p, x;
    } known[] = {
        {0.5, 0},
        {0.975, 1.959963984540054},
        {0.95, 1.6448536269514722},
        {0.25, -0.6744897501960817},
        {1e-10, -6.361340902404056},
        {1e-300, -37.0471},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK_NEAR(asif_normal_quantile(known[i].p), known[i].x, known[i].p < 1e-100 ? 1e-6 : 1e-15);
    assert_true(asif_normal_quantile(0) == -INFINITY && asif_normal_quantile(1) == INFINITY);
    assert_true(isnan(asif_normal_quantile(-0.1)) && isnan(asif_normal_quantile(1.1)) &&
                isnan(asif_normal_quantile(NAN)));
}

/* A relative error d of x is one of x phi(x) d of the probability. */
static void check_inverse(double p) {
    double x = asif_normal_quantile(p), back = 0.5 * erfc(-x / sqrt(2));
    double slope = exp(-0.5 * x * x) / sqrt(2 * acos(-1)) * fabs(x) / p;
    CHECK(fabs(back / p - 1) <= 2e-15 * (slope + 1), "p = %.17g: x = %.17g has probability %.17g", p, x,
          back);
    if (p > 1e-15)
        CHECK(fabs(asif_normal_quantile(1 - p) + asif_normal_quantile(1 - (1 - p))) == 0,
              "not symmetric at %.17g", p);
}

static void test_inverse(void **state) {
    (void)state;
    for (double p = 1e-300; p < 0.5; p *= 1.37)
        check_inverse(p);
    for (int i = 1; i < 1000; i++)
        check_inverse(i / 2000.0);
    /* Near the middle it is (p - 1/2) sqrt(2 pi), with full relative accuracy. */
    for (double d = 1e-15; d < 1e-6; d *= 3) {
        double p = 0.5 - d, x = asif_normal_quantile(p), want = (p - 0.5) * sqrt(2 * acos(-1));
        CHECK(fabs(x / want - 1) < 1e-11 + d * d * 10, "%.17g at 1/2 - %.3g, expected %.17g", x, d, want);
    }
}

/* Values of tables (and SciPy's t.ppf, t.cdf); with 1 and 2 degrees there are closed forms. */
static void test_student(void **state) {
    (void)state;
    static const struct {
        double p, degrees, t;
    } known[] = {
        {.95, 5, 2.015048372669157},
        {.975, 10, 2.2281388519649385},
        {.95, 102, 1.6599299750},
        {.99, 3, 4.540702858698419},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_NEAR(asif_t_quantile(known[i].p, known[i].degrees), known[i].t, 1e-7);
        CHECK_NEAR(asif_t_below(known[i].t, known[i].degrees), known[i].p, 1e-9);
        CHECK_NEAR(asif_t_quantile(1 - known[i].p, known[i].degrees), -known[i].t, 1e-7);
    }
    for (double t = -30; t < 30; t += .37) {
        CHECK_NEAR(asif_t_below(t, 1), .5 + atan(t) / acos(-1), 1e-12);
        CHECK_NEAR(asif_t_below(t, 2), .5 + t / (2 * sqrt(2 + t * t)), 1e-12);
        CHECK_NEAR(asif_t_below(t, 1e9), .5 * erfc(-t / sqrt(2)), 1e-8);
    }
    assert_true(asif_t_below(0, 7) == .5 && asif_t_below(INFINITY, 3) == 1 &&
                asif_t_below(-INFINITY, 3) == 0);
    CHECK_NEAR(asif_t_quantile(.95, INFINITY), 1.6448536269514722, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_inverse),
                                       cmocka_unit_test(test_student)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
