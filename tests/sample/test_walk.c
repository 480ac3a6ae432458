/* Random walks on targets of known answer. */
#include "check.h"
#include "sample/chains/walk.h"
#include "targets.h"

#include <string.h>

#define MOST_CHAINS 4

static asif_context *context;

static asif_draws *sample(asif_density density, asif_method method, asif_sample_options options) {
    density.has_gradient = false; /* walks must not need it */
    asif_density densities[MOST_CHAINS] = {density, density, density, density};
    asif_draws *draws;
    asif_error error = ASIF_ERROR_INIT;
    options.method = method;
    if (asif_sample(&draws, context, densities, &options, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    return draws;
}

static asif_sample_options long_run(void) {
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.warmup = 4000;
    options.draws = 4000;
    options.thin = 10;
    return options;
}

static void test_normals(void **state) {
    (void)state;
    const target_normal cases[] = {{1, 0}, {2, 0.95}, {3, 0.99}, {6, 0.8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        target_normal t = cases[k];
        asif_draws *draws = sample(target_normal_density(&t), ASIF_METHOD_METROPOLIS, long_run());
        for (uint32_t i = 0; i < t.n; i++)
            target_check(draws, i, i, (1 + i / 10.0) * (1 + i / 10.0));
        double accept = target_stat(draws, ASIF_STAT_ACCEPT);
        CHECK(fabs(accept - asif_walk_target(t.n)) < 0.08, "dimension %u: accepts %g, aims at %g", t.n,
              accept, asif_walk_target(t.n));
        asif_draws_free(draws);
    }
    CHECK_NEAR(asif_walk_target(1), 0.44, 1e-12);
    CHECK_NEAR(asif_walk_target(1000000), 0.234, 1e-6);
}

/* Tuned to the covariance, a walk does as well on a stretched target as on a round one. */
static void test_tuned(void **state) {
    (void)state;
    const double correlation[] = {0, 0.99};
    double ess[2];
    for (uint32_t k = 0; k < 2; k++) {
        target_normal t = {3, correlation[k]};
        asif_draws *draws = sample(target_normal_density(&t), ASIF_METHOD_METROPOLIS, long_run());
        asif_draws_view v = {.struct_size = sizeof v};
        assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
        ess[k] = target_ess(v.value, v.chains, v.draws);
        const double *step = v.stat + ASIF_STAT_STEP * v.chains * v.draws;
        for (uint64_t i = 0; i < v.chains * v.draws; i++)
            assert_true(step[i] == step[i / v.draws * v.draws] && step[i] > 0.3 && step[i] < 5);
        assert_true(v.step[0] == 0);
        asif_draws_free(draws);
    }
    CHECK(ess[1] > 0.7 * ess[0], "%g effective draws of the stretched target, %g of the round one", ess[1],
          ess[0]);
}

static void test_others(void **state) {
    (void)state;
    asif_sample_options options = long_run();
    options.thin = 30;
    asif_draws *draws = sample(target_banana_density(), ASIF_METHOD_METROPOLIS, options);
    target_check(draws, 0, 0, 4);
    target_check(draws, 1, 0, 9);
    asif_draws_free(draws);
    draws = sample(target_bounded_density(), ASIF_METHOD_METROPOLIS, long_run());
    target_check(draws, 0, 1.5, 0.75);
    target_check(draws, 1, 2.0 / 7, 10.0 / (49 * 8));
    asif_draws_free(draws);
    const double start[] = {1, 1, 1, 1};
    options = long_run();
    options.start = start;
    draws = sample(target_edge_density(), ASIF_METHOD_METROPOLIS, options);
    target_check(draws, 0, 1, 1);
    asif_draws_free(draws);
}

/* Of a normal target a walk of steps s accepts 2/pi atan(2/s). */
static void test_published(void **state) {
    (void)state;
    const double steps[] = {0.1, 1, 2.4};
    for (uint32_t k = 0; k < 3; k++) {
        target_normal t = {1, 0};
        asif_sample_options options = long_run();
        options.step = steps[k];
        options.thin = k ? 10 : 200;
        const double metric[] = {100};
        options.metric = metric;
        asif_draws *draws = sample(target_normal_density(&t), ASIF_METHOD_PUBLISHED, options);
        target_check(draws, 0, 0, 1);
        asif_draws_view v = {.struct_size = sizeof v};
        assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
        for (uint64_t i = 0; i < v.chains * v.draws; i++)
            assert_true(v.stat[ASIF_STAT_STEP * v.chains * v.draws + i] == steps[k]);
        CHECK_NEAR(target_stat(draws, ASIF_STAT_ACCEPT), 2 / acos(-1) * atan(2 / steps[k]), 0.01);
        assert_true(v.metric[0] == 1);
        const asif_stat none[] = {ASIF_STAT_DEPTH, ASIF_STAT_LEAPS, ASIF_STAT_DIVERGED, ASIF_STAT_ENERGY};
        for (uint32_t i = 0; i < 4; i++)
            assert_true(target_stat(draws, none[i]) == 0);
        asif_draws_free(draws);
    }
}

/* Draws are every thin-th state of the same walk, the last of each group. */
static void test_thin(void **state) {
    (void)state;
    target_normal t = {2, 0.5};
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.warmup = 100;
    options.draws = 300;
    asif_draws *all = sample(target_normal_density(&t), ASIF_METHOD_METROPOLIS, options);
    options.draws = 100;
    options.thin = 3;
    asif_draws *some = sample(target_normal_density(&t), ASIF_METHOD_METROPOLIS, options);
    asif_draws_view v = {.struct_size = sizeof v}, w = {.struct_size = sizeof w};
    assert_int_equal(asif_draws_get(all, &v, NULL), ASIF_OK);
    assert_int_equal(asif_draws_get(some, &w, NULL), ASIF_OK);
    for (uint32_t row = 0; row < v.columns * v.chains; row++)
        for (uint64_t i = 0; i < 100; i++)
            assert_true(w.value[row * 100 + i] == v.value[row * 300 + 3 * i + 2]);
    asif_draws_free(all);
    asif_draws_free(some);
}

static int setup(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals),   cmocka_unit_test(test_tuned), cmocka_unit_test(test_others),
        cmocka_unit_test(test_published), cmocka_unit_test(test_thin),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
