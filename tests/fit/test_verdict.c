/* What is said of draws, of curvature and of far ends, against closed forms. */
#include "check.h"

#include "asif.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <string.h>

#define N 4000
#define Q95 1.6448536269514722

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

static asif_estimate_info info_of(const char *name, const char *parameter, double prior_sd) {
    return (asif_estimate_info){.name = name,
                                .parameter = parameter,
                                .low = -INFINITY,
                                .high = INFINITY,
                                .proper = true,
                                .prior_q05 = -Q95 * prior_sd,
                                .prior_q95 = Q95 * prior_sd};
}

/* Points of a circle: cos and sin have mean 0, sd 1/sqrt(2) and correlation 0 to rounding. */
static double turn(uint32_t i) {
    return 2 * 3.14159265358979323846 * (i + .5) / N;
}

static void test_lines(void **state) {
    (void)state;
    const asif_estimate_info rows[] = {
        {.line = ASIF_LINE_SAME, .low = -INFINITY, .high = INFINITY},
        {.line = ASIF_LINE_LOG, .low = 2, .high = INFINITY},
        {.line = ASIF_LINE_LOG, .low = -INFINITY, .high = 5},
        {.line = ASIF_LINE_LOGIT, .low = 0, .high = 1},
        {.line = ASIF_LINE_LOGIT, .low = -3, .high = 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (double at = -6; at <= 6; at += .75)
            CHECK_NEAR(asif_estimate_line(&rows[i], asif_line_back(&rows[i], at)), at, 1e-9);
    CHECK_NEAR(asif_estimate_line(&rows[1], 3), 0, 1e-15);
    CHECK_NEAR(asif_estimate_line(&rows[3], .75), log(3), 1e-15);
}

/* A posterior of sd s under a prior of sd S contracts by 1 - (s/S)^2, whatever both are. */
static void test_contraction(void **state) {
    (void)state;
    static const struct {
        double posterior, prior;
        asif_identified want;
    } rows[] = {
        {.1, 1, ASIF_IDENTIFIED_YES},      {.316, 1, ASIF_IDENTIFIED_YES}, {.317, 1, ASIF_IDENTIFIED_WEAKLY},
        {.866, 1, ASIF_IDENTIFIED_WEAKLY}, {.867, 1, ASIF_IDENTIFIED_NO},  {1.1, 1, ASIF_IDENTIFIED_NO},
        {4.6, 46, ASIF_IDENTIFIED_YES},
    };
    static double value[N];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_estimate_info info = info_of("eta", "eta", rows[i].prior);
        asif_fit_parameter p = {.info = &info};
        double correlation;
        p.summary.q05 = 3 - Q95 * rows[i].posterior;
        p.summary.q95 = 3 + Q95 * rows[i].posterior;
        for (uint32_t k = 0; k < N; k++)
            value[k] = cos(turn(k));
        assert_int_equal(asif_verdict_draws(&p, 1, &correlation, context, value, N, NULL), ASIF_OK);
        double ratio = rows[i].posterior / rows[i].prior;
        CHECK_NEAR(p.contraction, 1 - ratio * ratio, 1e-12);
        CHECK(p.identified == rows[i].want, "row %zu: %s", i, asif_identified_text(p.identified));
        assert_int_equal(p.with, ASIF_ANY);
        CHECK_NEAR(correlation, 1, 0);
    }
}

/* The same numbers on another scale: contraction is that of the line. */
static void test_contraction_on_the_line(void **state) {
    (void)state;
    static double value[N];
    asif_estimate_info info = {.name = "discount",
                               .parameter = "discount",
                               .line = ASIF_LINE_LOGIT,
                               .low = 0,
                               .high = 1,
                               .proper = true,
                               .prior_q05 = -2,
                               .prior_q95 = 6};
    asif_fit_parameter p = {.info = &info};
    double correlation;
    p.summary.q05 = 1 / (1 + exp(-1.));
    p.summary.q95 = 1 / (1 + exp(-3.));
    for (uint32_t k = 0; k < N; k++)
        value[k] = .5 + .1 * cos(turn(k));
    assert_int_equal(asif_verdict_draws(&p, 1, &correlation, context, value, N, NULL), ASIF_OK);
    CHECK_NEAR(p.contraction, 1 - (2. / 8) * (2. / 8), 1e-12);
}

static void test_improper(void **state) {
    (void)state;
    static double value[N];
    asif_estimate_info info = info_of("eta", "eta", 1);
    asif_fit_parameter p = {.info = &info};
    double correlation;
    info.proper = false;
    info.prior_q05 = info.prior_q95 = NAN;
    assert_int_equal(asif_verdict_draws(&p, 1, &correlation, context, value, N, NULL), ASIF_OK);
    assert_true(isnan(p.contraction));
    assert_int_equal(p.identified, ASIF_IDENTIFIED_UNKNOWN);
    assert_null(asif_identified_text(p.identified));
}

/* a and b correlate at r by construction, c with nobody, d never changes. */
static void test_correlation(void **state) {
    (void)state;
    static const double sizes[] = {-.97, .91, .89, .3};
    static double value[4][N];
    for (size_t i = 0; i < 4; i++) {
        double r = sizes[i], correlation[16];
        asif_estimate_info info[] = {info_of("a", "a", 100), info_of("b", "b", 100), info_of("c", "c", 100),
                                     info_of("d", "d", 100)};
        asif_fit_parameter p[4];
        for (uint32_t k = 0; k < N; k++) {
            value[0][k] = 5 + cos(turn(k));
            value[1][k] = -2 + 10 * (r * cos(turn(k)) + sqrt(1 - r * r) * sin(turn(k)));
            value[2][k] = cos(2 * turn(k));
            value[3][k] = 7;
        }
        for (int k = 0; k < 4; k++)
            p[k] = (asif_fit_parameter){.info = &info[k], .summary = {.q05 = -1, .q95 = 1}};
        assert_int_equal(asif_verdict_draws(p, 4, correlation, context, value[0], N, NULL), ASIF_OK);
        CHECK_NEAR(correlation[1], r, 1e-10);
        CHECK_NEAR(correlation[4], r, 1e-10);
        CHECK_NEAR(correlation[2], 0, 1e-10);
        assert_true(isnan(correlation[3]));
        assert_int_equal(p[0].with, 1);
        assert_int_equal(p[1].with, 0);
        CHECK_NEAR(p[1].correlation, r, 1e-10);
        assert_int_equal(p[0].identified, fabs(r) > .9 ? ASIF_IDENTIFIED_WEAKLY : ASIF_IDENTIFIED_YES);
        assert_int_equal(p[2].identified, ASIF_IDENTIFIED_YES);
    }
}

/* Two entries of a distribution sum to 1: that is no trade-off. */
static void test_entries_of_a_distribution(void **state) {
    (void)state;
    static double value[2][N];
    asif_estimate_info info[] = {info_of("start.1", "start", 10), info_of("start.2", "start", 10)};
    asif_fit_parameter p[2];
    double correlation[4];
    info[0].label = "healthy";
    info[1].label = "diseased";
    for (uint32_t k = 0; k < N; k++) {
        value[0][k] = .5 + .1 * cos(turn(k));
        value[1][k] = 1 - value[0][k];
    }
    for (int k = 0; k < 2; k++)
        p[k] = (asif_fit_parameter){.info = &info[k], .summary = {.q05 = .4, .q95 = .6}};
    assert_int_equal(asif_verdict_draws(p, 2, correlation, context, value[0], N, NULL), ASIF_OK);
    CHECK_NEAR(correlation[1], -1, 1e-9);
    assert_int_equal(p[0].with, ASIF_ANY);
    assert_int_equal(p[0].identified, ASIF_IDENTIFIED_YES);
}

static void test_signs(void **state) {
    (void)state;
    asif_estimate_info plain = info_of("eta", "eta", 1), logarithm = info_of("log_alpha", "alpha", 1),
                       above = plain;
    /* A utility may be called so, and then is no logarithm. */
    asif_estimate_info called = info_of("log_alpha", "log_alpha", 1);
    above.low = 0;
    const struct {
        const asif_estimate_info *info;
        double q05, q95;
        asif_sign want;
    } rows[] = {
        {&plain, -1, 2, ASIF_SIGN_UNKNOWN},    {&plain, .1, 2, ASIF_SIGN_POSITIVE},
        {&plain, -2, -.1, ASIF_SIGN_NEGATIVE}, {&logarithm, -1, 2, ASIF_SIGN_NONE},
        {&above, 1, 2, ASIF_SIGN_NONE},        {&called, -1, 2, ASIF_SIGN_UNKNOWN},
        {&plain, NAN, NAN, ASIF_SIGN_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_fit_parameter p = {.info = rows[i].info, .summary = {.q05 = rows[i].q05, .q95 = rows[i].q95}};
        asif_verdict_signs(&p, 1);
        CHECK(p.sign == rows[i].want, "row %zu: %d", i, p.sign);
    }
}

/* What is said of each side, from the posterior of a prior that is normal(0, 1). */
static void test_sides(void **state) {
    (void)state;
    enum {
        U = ASIF_IDENTIFIED_UNKNOWN,
        N_ = ASIF_IDENTIFIED_NO,
        W = ASIF_IDENTIFIED_WEAKLY,
        Y = ASIF_IDENTIFIED_YES
    };
    static const struct {
        const char *name;
        double q05, q95, correlation;
        bool flat_below, flat_above, improper;
        int below, above, identified;
        bool near_zero;
    } rows[] = {
        {"narrow, of known sign", .5, 1, 0, false, false, false, Y, Y, Y, false},
        {"narrow, around 0", -.4, .5, 0, false, false, false, Y, Y, Y, true},
        {"narrow, holds 0, reaches far", -.02, .98, 0, false, false, false, W, W, W, false},
        {"the same of the other sign", -.98, .02, 0, false, false, false, W, W, W, false},
        {"narrow, around 0, correlated", -.4, .5, .95, false, false, false, W, W, W, true},
        {"narrow, correlated", .5, 1, -.95, false, false, false, W, W, W, false},
        {"a limit above", .5, 1, 0, true, false, false, N_, Y, N_, false},
        {"a limit below", .5, 1, 0, false, true, false, Y, N_, N_, false},
        {"a limit above, of unknown sign", -.4, .5, 0, true, false, false, N_, Y, N_, false},
        {"a weak limit", -1, 1, 0, false, true, false, W, N_, N_, false},
        {"no limit", .5, 1, 0, true, true, false, N_, N_, N_, false},
        {"the prior", -1.6, 1.6, 0, false, false, false, N_, N_, N_, false},
        {"no prior to compare with", .5, 1, 0, true, false, true, U, U, U, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_estimate_info info = info_of("eta", "eta", 1);
        info.proper = !rows[i].improper;
        asif_fit_parameter p = {.info = &info,
                                .summary = {.q05 = rows[i].q05, .q95 = rows[i].q95},
                                .correlation = rows[i].correlation,
                                .with = 1,
                                .walked = true,
                                .flat_below = rows[i].flat_below,
                                .flat_above = rows[i].flat_above};
        double ratio = (rows[i].q95 - rows[i].q05) / (2 * Q95);
        p.contraction = rows[i].improper ? NAN : 1 - ratio * ratio;
        asif_verdict_signs(&p, 1);
        asif_verdict_judge(&p, 1);
        CHECK((int)p.identified_below == rows[i].below, "%s: below %d", rows[i].name, p.identified_below);
        CHECK((int)p.identified_above == rows[i].above, "%s: above %d", rows[i].name, p.identified_above);
        CHECK((int)p.identified == rows[i].identified, "%s: %d", rows[i].name, p.identified);
        CHECK(p.near_zero == rows[i].near_zero, "%s", rows[i].name);
    }
}

static void test_far_ends(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double best, value[4];
        bool want;
    } rows[] = {
        {"levels off near the best", -10, {-10.1, -10.3, -10.31, -10.312}, true},
        {"levels off too low", -10, {-10.5, -11.3, -11.4, -11.401}, false},
        {"still falls", -10, {-10, -10.1, -10.3, -10.8}, false},
        {"falls for ever", -10, {-11, -20, -100, -900}, false},
        {"ends outside", -10, {-10, -10, -10, -INFINITY}, false},
        {"rises to the best", -10, {-12, -10.5, -10.005, -10}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(asif_goes_flat(rows[i].best, rows[i].value, 4) == rows[i].want, "%s", rows[i].name);
}

/* A doubt never raises a verdict, and "yes" survives none. */
static void test_doubts(void **state) {
    (void)state;
    for (asif_identified v = ASIF_IDENTIFIED_UNKNOWN; v <= ASIF_IDENTIFIED_YES; v++) {
        assert_int_equal(asif_identified_doubted(v, ASIF_DOUBT_NONE), v);
        for (asif_doubt d = ASIF_DOUBT_ASSUMPTIONS; d <= ASIF_DOUBT_TOPS; d++) {
            asif_identified left = asif_identified_doubted(v, d);
            assert_non_null(asif_doubt_text(d));
            if (d == ASIF_DOUBT_TOPS) { /* also where there are no draws: two maxima disagree */
                assert_int_equal(left, ASIF_IDENTIFIED_NO);
                continue;
            }
            assert_true(left <= v && left != ASIF_IDENTIFIED_YES);
            assert_true((left == ASIF_IDENTIFIED_UNKNOWN) == (v == ASIF_IDENTIFIED_UNKNOWN));
            if (v == ASIF_IDENTIFIED_YES)
                assert_int_equal(left, ASIF_IDENTIFIED_WEAKLY);
        }
    }
    assert_null(asif_doubt_text(ASIF_DOUBT_NONE));
}

/* Of a Poisson variable: by the complement where that is accurate, and by the leading terms where it is not.
 */
static void test_rare(void **state) {
    (void)state;
    CHECK_NEAR(asif_rare_tail(1, .3), -expm1(-.3), 1e-15);
    CHECK_NEAR(asif_rare_tail(2, .3), 1 - exp(-.3) * 1.3, 1e-15);
    CHECK_NEAR(asif_rare_tail(4, 2.5), 1 - exp(-2.5) * (1 + 2.5 + 2.5 * 2.5 / 2 + 2.5 * 2.5 * 2.5 / 6),
               1e-14);
    CHECK_NEAR(asif_rare_tail(3, 1e-5) / (1e-15 / 6), 1 - .75e-5, 1e-9); /* m^3/6 (1 - m + m/4 ...) */
    CHECK_NEAR(asif_rare_tail(0, 0), 1, 0);
    CHECK_NEAR(asif_rare_tail(2, 2), 1, 0);
    CHECK_NEAR(asif_rare_tail(1, 0), 0, 0);
    double sum = 0; /* P(X >= 60) of mean 40, by adding up what is below */
    for (int k = 0; k < 60; k++)
        sum += exp(k * log(40) - 40 - lgamma(k + 1.));
    CHECK_NEAR(asif_rare_tail(60, 40), 1 - sum, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_contraction),
        cmocka_unit_test(test_contraction_on_the_line),
        cmocka_unit_test(test_improper),
        cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_entries_of_a_distribution),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_far_ends),
        cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_rare),
    };
    return cmocka_run_group_tests_name("verdict", tests, set_up, tear_down);
}
