/* Diagnostics where the answer is known: independent and autoregressive draws, chains that disagree,
 * invariances, and what is not defined. Numbers of other software are compared in the Python tests beside
 * this one. */
#include "check.h"

#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/autocovariance.h"
#include "sample/draws.h"

#include <string.h>

enum { CHAINS = 4, DRAWS = 1000, LONG = 4000, COLUMNS = 20 };

static asif_context *context;

static int setup(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static asif_column_summary summarise(const double *x, uint32_t chains, uint64_t draws) {
    asif_column_summary s;
    assert_int_equal(asif_summarise(&s, context, x, chains, draws, NULL), ASIF_OK);
    return s;
}

/* Stationary normal chains of variance 1, in which neighbours correlate by phi. */
static void fill(double *x, uint32_t chains, uint32_t draws, double phi, uint64_t seed) {
    double innovation = sqrt(1 - phi * phi);
    for (uint32_t c = 0; c < chains; c++) {
        asif_stream stream = {seed, ASIF_FOR_TESTS, c};
        for (uint32_t i = 0; i < draws; i++) {
            double z = asif_normal_quantile(asif_uniform(&stream, i)), *to = &x[(uint64_t)c * draws + i];
            *to = i == 0 ? z : phi * to[-1] + innovation * z;
        }
    }
}

/* ---- what is known of the numbers ---- */

static void test_independent(void **state) {
    (void)state;
    static double x[CHAINS * DRAWS];
    double bulk = 0, tail = 0, n = CHAINS * DRAWS;
    for (uint64_t k = 0; k < COLUMNS; k++) {
        fill(x, CHAINS, DRAWS, 0, k);
        asif_column_summary s = summarise(x, CHAINS, DRAWS);
        bulk += s.ess_bulk / COLUMNS;
        tail += s.ess_tail / COLUMNS;
        assert_true(s.rhat > 0.999 && s.rhat < 1.01);
        CHECK_NEAR(s.mean, 0, 5 / sqrt(n));
        CHECK_NEAR(s.sd, 1, 5 / sqrt(2 * n));
        CHECK_NEAR(s.q05, -1.6449, 0.15);
        CHECK_NEAR(s.q50, 0, 0.1);
        CHECK_NEAR(s.q95, 1.6449, 0.15);
        /* Of independent normal numbers: 1/sqrt(n), and 1/sqrt(2n) of the standard deviation. */
        CHECK_NEAR(s.mcse_mean * sqrt(n), 1, 0.15);
        CHECK_NEAR(s.mcse_sd * sqrt(2 * n), 1, 0.2);
    }
    CHECK_NEAR(bulk / n, 1, 0.03);
    CHECK_NEAR(tail / n, 0.96, 0.06); /* the smaller of two */
}

static void test_autoregressive(void **state) {
    (void)state;
    static const double phi[] = {0.9, 0.5, -0.5};
    static double x[CHAINS * LONG];
    double n = CHAINS * LONG;
    for (size_t i = 0; i < sizeof phi / sizeof *phi; i++) {
        /* The autocorrelation time of phi^lag. */
        double want = n * (1 - phi[i]) / (1 + phi[i]), bulk = 0, by_error = 0;
        for (uint64_t k = 0; k < COLUMNS; k++) {
            fill(x, CHAINS, LONG, phi[i], 100 + k);
            asif_column_summary s = summarise(x, CHAINS, LONG);
            bulk += s.ess_bulk / COLUMNS;
            by_error += s.sd * s.sd / (s.mcse_mean * s.mcse_mean) / COLUMNS;
        }
        CHECK_NEAR(bulk / want, 1, 0.04);
        CHECK_NEAR(by_error / want, 1, 0.04);
    }
}

static void test_disagreement(void **state) {
    (void)state;
    static double x[CHAINS * DRAWS];
    /* Half of the chains shifted by 2d: between chains d^2 is added to a variance of 1, whatever the ranks
     * make of it. */
    fill(x, CHAINS, DRAWS, 0, 1);
    for (uint32_t i = 0; i < CHAINS * DRAWS; i++)
        x[i] += i < CHAINS * DRAWS / 2 ? -1 : 1;
    asif_column_summary s = summarise(x, CHAINS, DRAWS);
    CHECK_NEAR(s.rhat, sqrt(2), 0.1);
    assert_true(s.ess_bulk < 3 * CHAINS);

    /* One chain wider: only folding sees it. */
    fill(x, CHAINS, DRAWS, 0, 2);
    for (uint32_t i = 0; i < DRAWS; i++)
        x[i] *= 4;
    s = summarise(x, CHAINS, DRAWS);
    assert_true(s.rhat > 1.1);

    /* A chain that drifts disagrees with itself. */
    fill(x, 1, DRAWS, 0, 3);
    for (uint32_t i = 0; i < DRAWS; i++)
        x[i] += 4.0 * i / DRAWS;
    s = summarise(x, 1, DRAWS);
    assert_true(s.rhat > 1.2);
}

/* ---- invariances ---- */

static void check_same(const asif_column_summary *a, const asif_column_summary *b) {
    CHECK_NEAR(a->rhat, b->rhat, 1e-12);
    CHECK_NEAR(a->ess_bulk, b->ess_bulk, 1e-10);
    CHECK_NEAR(a->ess_tail, b->ess_tail, 1e-10);
}

static void test_invariance(void **state) {
    (void)state;
    static double x[CHAINS * DRAWS], y[CHAINS * DRAWS];
    fill(x, CHAINS, DRAWS, 0.7, 5);
    for (uint32_t i = 0; i < DRAWS; i++)
        x[i] += 0.5; /* the bulk's R-hat is the larger */
    asif_column_summary s = summarise(x, CHAINS, DRAWS), t;

    for (uint32_t c = 0; c < CHAINS; c++)
        memcpy(y + (size_t)c * DRAWS, x + (size_t)(CHAINS - 1 - c) * DRAWS, DRAWS * sizeof *x);
    t = summarise(y, CHAINS, DRAWS);
    check_same(&s, &t);
    CHECK_NEAR(s.mcse_mean, t.mcse_mean, 1e-12);
    CHECK_NEAR(s.mcse_sd, t.mcse_sd, 1e-12);

    for (uint32_t i = 0; i < CHAINS * DRAWS; i++)
        y[i] = exp(3 * x[i]);
    t = summarise(y, CHAINS, DRAWS);
    check_same(&s, &t);

    /* Far beyond where squares vanish or overflow. */
    static const double scale[] = {-3, 0x1p-500, 0x1p500};
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
        for (uint32_t i = 0; i < CHAINS * DRAWS; i++)
            y[i] = x[i] * scale[k];
        t = summarise(y, CHAINS, DRAWS);
        check_same(&s, &t);
        if (k == 0)
            CHECK_NEAR(t.mcse_mean, 3 * s.mcse_mean, 1e-12);
    }
}

/* The middle draw of an odd number is in no half. */
static void test_odd(void **state) {
    (void)state;
    double x[2 * 101];
    fill(x, 2, 101, 0.3, 6);
    asif_column_summary s = summarise(x, 2, 101);
    x[50] += x[50] > s.q50 ? 1e-6 : -1e-6;
    asif_column_summary t = summarise(x, 2, 101);
    assert_true(s.ess_bulk == t.ess_bulk && s.rhat == t.rhat && s.mean != t.mean);
    /* Any other is. */
    x[51] += 3;
    t = summarise(x, 2, 101);
    assert_true(s.ess_bulk != t.ess_bulk);
}

/* ---- what is not defined, and limits ---- */

static void check_undefined(const asif_column_summary *s, const char *what) {
    CHECK(isnan(s->rhat) && isnan(s->ess_bulk) && isnan(s->ess_tail) && isnan(s->mcse_mean) &&
              isnan(s->mcse_sd),
          "%s: R-hat %g, bulk %g, tail %g, errors %g, %g", what, s->rhat, s->ess_bulk, s->ess_tail,
          s->mcse_mean, s->mcse_sd);
}

static void test_undefined(void **state) {
    (void)state;
    double x[40];
    for (int i = 0; i < 40; i++)
        x[i] = 0.1;
    asif_column_summary s = summarise(x, 2, 20);
    check_undefined(&s, "constant");
    assert_true(s.mean == 0.1 && s.sd == 0 && s.q05 == 0.1 && s.q95 == 0.1);

    fill(x, 2, 20, 0, 7);
    x[3] = INFINITY;
    s = summarise(x, 2, 20);
    check_undefined(&s, "infinite");
    assert_true(s.mean == INFINITY && isfinite(s.q50));
    x[3] = NAN;
    s = summarise(x, 2, 20);
    check_undefined(&s, "not a number");
    assert_true(isnan(s.mean) && isnan(s.q50));

    fill(x, 2, 20, 0, 7);
    s = summarise(x, 2, 7);
    check_undefined(&s, "seven draws");
    assert_true(isfinite(s.mean) && isfinite(s.sd));
    s = summarise(x, 2, 8);
    assert_true(isfinite(s.rhat) && isfinite(s.ess_bulk));
    s = summarise(x, 1, 1);
    assert_true(s.mean == x[0] && s.q50 == x[0] && isnan(s.sd));
    s = summarise(x, 0, 0);
    check_undefined(&s, "nothing");
    assert_true(isnan(s.mean));

    /* Chains that stand still at different places have no variance within. */
    for (int i = 0; i < 40; i++)
        x[i] = i / 10;
    s = summarise(x, 4, 10);
    assert_true(s.rhat == INFINITY);
}

/* Draws that alternate are worth more than independent ones, but no more than n log10 n. */
static void test_cap(void **state) {
    (void)state;
    static double x[CHAINS * DRAWS];
    double n = CHAINS * DRAWS;
    fill(x, CHAINS, DRAWS, -0.95, 8);
    asif_column_summary s = summarise(x, CHAINS, DRAWS);
    CHECK_NEAR(s.ess_bulk, n * log10(n), 1e-12);
}

static void test_quantile(void **state) {
    (void)state;
    static const double x[] = {1, 2, 4, 8};
    assert_true(asif_quantile(x, 4, 0) == 1 && asif_quantile(x, 4, 1) == 8 && asif_quantile(x, 1, 0.3) == 1);
    CHECK_NEAR(asif_quantile(x, 4, 0.5), 3, 1e-15);
    CHECK_NEAR(asif_quantile(x, 4, 0.25), 1.75, 1e-15);
    CHECK_NEAR(asif_quantile(x, 4, 0.9), 4 * 0.3 + 8 * 0.7, 1e-15);
    static const double ends[] = {-INFINITY, -INFINITY, 0, INFINITY};
    assert_true(asif_quantile(ends, 4, 0.1) == -INFINITY && asif_quantile(ends, 4, 1) == INFINITY);
    assert_true(isnan(asif_quantile(x, 0, 0.5)) && isnan(asif_quantile(x, 4, -0.1)) &&
                isnan(asif_quantile(x, 4, NAN)));
}

/* ---- the parts ---- */

static void test_autocovariance(void **state) {
    (void)state;
    double x[4 * 40], mean[4];
    for (uint32_t n = 4; n <= 40; n++) {
        fill(x, 4, n, 0.5, n);
        asif_autocovariance a;
        assert_true(asif_autocovariance_init(&a, context, n));
        for (uint32_t c = 0; c < 4; c++) {
            mean[c] = 0;
            for (uint32_t i = 0; i < n; i++)
                mean[c] += x[c * n + i] / n;
        }
        asif_autocovariance_begin(&a);
        asif_autocovariance_add(&a, x, mean[0], x + n, mean[1], 2);
        asif_autocovariance_add(&a, x + 2 * n, mean[2], x + 3 * n, mean[3], 2);
        const double *got = asif_autocovariance_end(&a);
        for (uint32_t lag = 0; lag < n; lag++) {
            double want = 0;
            for (uint32_t c = 0; c < 4; c++)
                for (uint32_t i = 0; i + lag < n; i++)
                    want += 4 * (x[c * n + i] - mean[c]) * (x[c * n + i + lag] - mean[c]) / n;
            CHECK_NEAR(got[lag], want, 1e-14);
        }
        asif_autocovariance_free(&a);
    }
}

static void test_memory(void **state) {
    (void)state;
    double x[80];
    fill(x, 4, 20, 0, 1);
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *failing;
    assert_int_equal(asif_context_create(&failing, &options, NULL), ASIF_OK);
    long alive = memory.alive;
    asif_column_summary s;
    int failures = 0;
    for (long left = 0;; left++) {
        memory.left = left;
        asif_status status = asif_summarise(&s, failing, x, 4, 20, NULL);
        memory.left = -1;
        assert_int_equal(memory.alive, alive);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
        failures++;
    }
    assert_true(failures > 3);
    asif_context_free(failing);
}

/* ---- trust ---- */

static asif_draws *good_draws(asif_column_summary *summary) {
    asif_draws *d;
    assert_int_equal(asif_draws_create(&d, context, CHAINS, DRAWS, 3, NULL, 0, NULL), ASIF_OK);
    d->view.method = ASIF_METHOD_NUTS;
    d->view.max_depth = 10;
    for (uint32_t c = 0; c < CHAINS; c++)
        for (uint32_t i = 0; i < DRAWS; i++) {
            asif_stream stream = {11, ASIF_FOR_TESTS, c};
            asif_draws_stats(d, ASIF_STAT_ACCEPT, c)[i] = 0.75 + 0.05 * c;
            asif_draws_stats(d, ASIF_STAT_DEPTH, c)[i] = 3;
            asif_draws_stats(d, ASIF_STAT_ENERGY, c)[i] = asif_normal_quantile(asif_uniform(&stream, i));
        }
    for (int k = 0; k < 3; k++)
        summary[k] = (asif_column_summary){.rhat = 1.001, .ess_bulk = 900, .ess_tail = 800};
    return d;
}

static asif_trust judge(const asif_draws *d, const asif_column_summary *summary) {
    asif_trust t;
    assert_int_equal(asif_draws_trust(&t, d, summary, NULL), ASIF_OK);
    return t;
}

static void test_trust(void **state) {
    (void)state;
    asif_column_summary s[3];
    asif_draws *d = good_draws(s);
    asif_trust t = judge(d, s);
    assert_true(t.good && t.divergent == 0 && t.deepest == 0 && t.worst_rhat == 1.001 && t.least_ess == 800);
    CHECK_NEAR(t.accept, 0.825, 1e-12);
    CHECK_NEAR(t.least_ebfmi, 2, 0.2); /* of independent energies */

    s[1].rhat = 1.0101;
    t = judge(d, s);
    assert_true(!t.good && t.worst_column == 1 && t.worst_rhat == 1.0101);
    s[0].rhat = 1.5;
    s[2].rhat = NAN;
    t = judge(d, s);
    assert_true(!t.good && t.worst_column == 2 && isnan(t.worst_rhat));
    s[0].rhat = s[1].rhat = s[2].rhat = 1;

    s[2].ess_bulk = 100 * CHAINS;
    t = judge(d, s);
    assert_true(t.good && t.least_column == 2 && t.least_ess == 100 * CHAINS);
    s[0].ess_tail = 100 * CHAINS - 1;
    t = judge(d, s);
    assert_true(!t.good && t.least_column == 0);
    s[0].ess_tail = NAN;
    t = judge(d, s);
    assert_true(!t.good && isnan(t.least_ess) && t.least_column == 0);
    s[0].ess_tail = 800;

    asif_draws_stats(d, ASIF_STAT_DEPTH, 2)[7] = 10;
    t = judge(d, s);
    assert_true(t.good && t.deepest == 1);
    /* one draw in 200 may diverge */
    uint32_t allowed = CHAINS * DRAWS / 200;
    for (uint32_t i = 0; i < allowed; i++)
        asif_draws_stats(d, ASIF_STAT_DIVERGED, 3)[i] = 1;
    t = judge(d, s);
    assert_true(t.good && t.divergent == allowed);
    asif_draws_stats(d, ASIF_STAT_DIVERGED, 2)[5] = 1;
    t = judge(d, s);
    assert_true(!t.good && t.divergent == allowed + 1);
    memset(asif_draws_stats(d, ASIF_STAT_DIVERGED, 3), 0, DRAWS * sizeof(double));
    asif_draws_stats(d, ASIF_STAT_DIVERGED, 2)[5] = 0;

    /* Energies of a line: steps of 1 and a variance of (n^2 - 1)/12, so 12/(n (n + 1)). */
    for (uint32_t i = 0; i < DRAWS; i++)
        asif_draws_stats(d, ASIF_STAT_ENERGY, 1)[i] = i;
    t = judge(d, s);
    assert_false(t.good);
    CHECK_NEAR(t.least_ebfmi * 1e6, 12e6 / ((double)DRAWS * (DRAWS + 1)), 1e-12);

    /* A random walk has no energy to judge by. */
    d->view.method = ASIF_METHOD_METROPOLIS;
    t = judge(d, s);
    assert_true(t.good && isnan(t.least_ebfmi));
    asif_draws_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_independent),
        cmocka_unit_test(test_autoregressive),
        cmocka_unit_test(test_disagreement),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_autocovariance),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_trust),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
