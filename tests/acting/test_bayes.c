/* The Bayes-optimal agent: closed forms, one world, failures of memory, cancelling. The numbers of other
 * problems are held against plain recursion in tests/oracle/test_ideals.py. */
#include "check.h"
#include "problems.h"

#include "acting/bayes/bayes.h"
#include "acting/episode_measures.h"
#include "planners/planner.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

/* Who stops at three net results of a .7 test, going up and down by one. */
#define WRONG (1 / (1 + pow(7. / 3, 3)))
#define TESTS (3 * (1 - 2 * WRONG) / .4)

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
} problem;

static void close_problem(problem *p) {
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

static void open_problem(problem *p, const asif_context_options *options) {
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, options, NULL), ASIF_OK);
    p->setting = make_diag(p->context, NULL);
    assert_non_null(p->setting);
    assert_int_equal(asif_theta_create(&p->theta, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->theta, "alpha", 0, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, p->setting, NULL, NULL), ASIF_OK);
}

static asif_status run(problem *p, asif_bayes *b, double *measure) {
    asif_status status = asif_bayes_create(b, p->context, p->setting, p->theta, NULL);
    return status == ASIF_OK
               ? asif_bayes_measures(b, measure, asif_work_unsolved(p->work), p->theta, 0, 1000, NULL)
               : status;
}

static void test_diag(void **state) {
    (void)state;
    problem p;
    asif_bayes b;
    double measure[ASIF_MEASURE_TAKEN + 3];
    open_problem(&p, NULL);
    assert_int_equal(run(&p, &b, measure), ASIF_OK);
    assert_true(b.info.computed);
    assert_true(b.info.gap <= 1e-4 && b.info.low <= b.info.up);
    CHECK_NEAR(measure[ASIF_MEASURE_BEFORE], TESTS, 2e-4);
    CHECK_NEAR(measure[ASIF_MEASURE_WRONG], WRONG, 2e-5);
    CHECK_NEAR(measure[ASIF_MEASURE_UTILITY], 10 - 46 * WRONG - TESTS, 5e-4);
    CHECK_NEAR(measure[ASIF_MEASURE_TAKEN], .5, 1e-9);
    CHECK_NEAR(measure[ASIF_MEASURE_TAKEN + 1], .5, 1e-9);
    assert_true(measure[ASIF_MEASURE_CUT] == 0);
    asif_bayes_free(&b);
    close_problem(&p);
}

/* After this many positives in a row it declares, or not. */
static void test_histories(void **state) {
    (void)state;
    static const uint32_t action[] = {2, 2, 2, 2}, seen[] = {1, 1, 1, ASIF_ANY};
    problem p;
    asif_bayes b;
    open_problem(&p, NULL);
    assert_int_equal(asif_bayes_create(&b, p.context, p.setting, p.theta, NULL), ASIF_OK);
    for (uint32_t n = 0; n <= 4; n++) {
        asif_outcome_history history = {
            .state = ASIF_ANY, .events = n, .action = action, .observation = seen};
        double policy[3];
        assert_int_equal(asif_bayes_after(&b, &history, policy, NULL), ASIF_OK);
        CHECK_NEAR(policy[1], n >= 3, 0);
        CHECK_NEAR(policy[2], n < 3, 0);
    }
    asif_bayes_free(&b);
    close_problem(&p);
}

/* With one world it is the agent without bounds, whose values on a fine lattice are as good from above. */
static void test_one_world(void **state) {
    (void)state;
    problem p;
    asif_bayes b;
    double measure[ASIF_MEASURE_TAKEN + 3], value, half[] = {.5, .5};
    const double weight[] = {0, 1, 0};
    asif_view view = ASIF_VIEW_INIT;
    view.value = &value;
    open_problem(&p, NULL);
    assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_WORLD_WEIGHTS, 0, weight, NULL), ASIF_OK);
    assert_int_equal(run(&p, &b, measure), ASIF_OK);
    assert_true(b.info.computed);
    assert_int_equal(b.model.worlds, 1);
    CHECK_NEAR(measure[ASIF_MEASURE_BEFORE], TESTS, 1e-9);
    CHECK_NEAR(measure[ASIF_MEASURE_WRONG], WRONG, 1e-9);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_look(asif_work_behavior(p.work), 1, half, &view, NULL), ASIF_OK);
    assert_true(value > b.info.low - 1e-9);
    assert_true(value < b.info.up + .1); /* what interpolation adds */
    asif_bayes_free(&b);
    close_problem(&p);
}

static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1, .once = true};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    double measure[ASIF_MEASURE_TAKEN + 3], whole[ASIF_MEASURE_TAKEN + 3];
    problem p;
    asif_bayes b;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    open_problem(&p, &options);
    long opened = memory.made, before = memory.alive;
    assert_int_equal(run(&p, &b, whole), ASIF_OK);
    asif_bayes_free(&b);
    long all = memory.made - opened;
    assert_int_equal(memory.alive, before);
    for (long fails = 0; fails < all; fails++) {
        memory.left = fails;
        measure[ASIF_MEASURE_LENGTH] = measure[ASIF_MEASURE_TAKEN] = -1;
        asif_status status = run(&p, &b, measure);
        memory.left = -1;
        asif_bayes_free(&b);
        if (status == ASIF_OK) /* what could not be given back stays */
            assert_memory_equal(measure, whole, sizeof whole);
        else {
            assert_int_equal(status, ASIF_ENOMEM);
            double length = measure[ASIF_MEASURE_LENGTH]; /* not summed up after a failure */
            CHECK(length == -1 || length == 0, "%g", length);
        }
        assert_int_equal(memory.alive, before);
    }
    close_problem(&p);
    assert_int_equal(memory.alive, 0);
}

static bool stop(void *user, const char *what, double done) {
    (void)user;
    (void)what;
    return done >= 0;
}

static void test_cancel(void **state) {
    (void)state;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    problem p;
    asif_bayes b;
    open_problem(&p, NULL);
    asif_context *impatient;
    options.progress = stop;
    assert_int_equal(asif_context_create(&impatient, &options, NULL), ASIF_OK);
    assert_int_equal(asif_bayes_create(&b, impatient, p.setting, p.theta, NULL), ASIF_ECANCELLED);
    asif_bayes_free(&b);
    asif_context_free(impatient);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diag),   cmocka_unit_test(test_histories), cmocka_unit_test(test_one_world),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
