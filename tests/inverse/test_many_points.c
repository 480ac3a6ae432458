/* A target's values at many points at once: those of each point alone, -inf where that is, the same bits for
 * any number of threads, and nothing else moved. */
#include "check.h"

#include "inverse/inverse.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "problems.h"
#include "sample/evaluate_many.h"

#include <string.h>

enum { MOST = 5, POINTS = 75, TARGETS = 3 };

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_estimates *estimates;
    asif_work *work;
    asif_tree *tree;
    asif_target *target[TARGETS];
    asif_density density[TARGETS];
} problem;

typedef struct {
    asif_tree_builder *builder;
    uint64_t row;
} gathering;

static asif_status take(void *user, const asif_decision *d) {
    gathering *g = user;
    if (d->step == 0)
        assert_int_equal(asif_tree_episode(g->builder, 0, ASIF_NO_UNIT, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(g->builder, d->action, 1, ++g->row, NULL), ASIF_OK);
    if (d->action == 2)
        assert_int_equal(asif_tree_move(g->builder, d->action, d->observation, g->row, NULL), ASIF_OK);
    return ASIF_OK;
}

static void make_logs(problem *p) {
    static const char *const actions[] = {"declare_healthy", "declare_diseased", "monitor"};
    static const char *const observations[] = {"negative", "positive"};
    const asif_tree_labels labels = {3, 2, actions, observations};
    const asif_logs_info info = {0};
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    gathering g = {0};
    options.episodes = 300;
    assert_int_equal(asif_solve(p->work, p->theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_begin(&g.builder, p->context, 1, false, NULL), ASIF_OK);
    assert_int_equal(asif_simulate(asif_work_behavior(p->work), &options, take, &g, NULL), ASIF_OK);
    assert_int_equal(asif_tree_finish(&p->tree, g.builder, &labels, NULL, NULL, NULL, &info, NULL), ASIF_OK);
}

static problem open_problem(const char *planner, const asif_context_options *options) {
    problem p = {0};
    asif_error error = ASIF_ERROR_INIT;
    static const asif_estimate_spec spec[] = {
        {.name = "alpha"}, {.name = "optimism"}, {.name = "eta"}, {.name = "discount"}};
    assert_int_equal(asif_context_create(&p.context, options, NULL), ASIF_OK);
    p.setting = make_diag(p.context, NULL);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    asif_theta_set(p.theta, "alpha", .5, NULL);
    asif_theta_set(p.theta, "beta", 1.25, NULL);
    asif_theta_set(p.theta, "eta", .2, NULL);
    CHECK(asif_work_create(&p.work, p.context, planner, p.setting, NULL, &error) == ASIF_OK, "%s",
          error.message);
    make_logs(&p);
    for (uint32_t i = 0; i < 4; i++)
        asif_theta_unset(p.theta, spec[i].name, NULL);
    CHECK(asif_estimates_create(&p.estimates, p.context, p.theta, spec, 4, ASIF_PRIORS_STATED, NULL,
                                &error) == ASIF_OK,
          "%s", error.message);
    for (uint32_t i = 0; i < TARGETS; i++) {
        CHECK(asif_target_create(&p.target[i], p.work, p.estimates, p.tree, NULL, &error) == ASIF_OK, "%s",
              error.message);
        p.density[i] = *asif_target_density(p.target[i]);
    }
    return p;
}

static void close_problem(problem *p) {
    for (uint32_t i = 0; i < TARGETS; i++)
        asif_target_free(p->target[i]);
    asif_tree_free(p->tree);
    asif_work_free(p->work);
    asif_estimates_free(p->estimates);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

/* Some of them far outside: values overflow, or the discount rounds to 1. */
static void random_points(double *x) {
    uint64_t seed = 3;
    for (uint32_t i = 0; i < POINTS; i++) {
        x[4 * i] = 3 * make_uniform(&seed) - 2;
        x[4 * i + 1] = 4 * make_uniform(&seed) - 2;
        x[4 * i + 2] = 10 * make_uniform(&seed) - 5;
        x[4 * i + 3] = 4 * make_uniform(&seed);
    }
    x[4 * 5] = 800;
    x[4 * 11] = -800;
    x[4 * 17 + 1] = 1e200;
    x[4 * 23 + 2] = 1e300;
    x[4 * 29 + 3] = 60;
}

static void as_alone(void **state) {
    (void)state;
    problem p = open_problem(NULL, NULL);
    double x[4 * POINTS], value[POINTS], want;
    uint32_t outside = 0;
    random_points(x);
    assert_non_null(p.density[0].evaluate_many);
    assert_int_equal(p.density[0].evaluate_many(p.density[0].user, x, POINTS, value, NULL), ASIF_OK);
    for (uint32_t i = 0; i < POINTS; i++) {
        assert_int_equal(p.density[1].evaluate(p.density[1].user, x + 4 * i, &want, NULL, NULL), ASIF_OK);
        CHECK_NEAR(value[i], want, 1e-9);
        outside += want == -INFINITY;
    }
    assert_in_range(outside, 1, 5);
    close_problem(&p);
}

/* evaluate() goes on where it ended. */
static void leaves_the_rest(void **state) {
    (void)state;
    problem p = open_problem(NULL, NULL);
    double x[4 * POINTS], value[POINTS], one, other;
    random_points(x);
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(p.density[k].evaluate(p.density[k].user, x, &one, NULL, NULL), ASIF_OK);
    assert_int_equal(p.density[0].evaluate_many(p.density[0].user, x, POINTS, value, NULL), ASIF_OK);
    assert_int_equal(p.density[0].evaluate(p.density[0].user, x + 4, &one, NULL, NULL), ASIF_OK);
    assert_int_equal(p.density[1].evaluate(p.density[1].user, x + 4, &other, NULL, NULL), ASIF_OK);
    assert_true(one == other);
    close_problem(&p);
}

static void by_threads(void **state) {
    (void)state;
    double x[4 * POINTS], first[POINTS], value[POINTS];
    random_points(x);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.threads = threads;
        problem p = open_problem(NULL, &options);
        for (uint32_t densities = 1; densities <= TARGETS; densities++) {
            assert_int_equal(
                asif_evaluate_many(value, p.context, p.density, densities, x, POINTS, "points", NULL),
                ASIF_OK);
            if (threads == 1 && densities == 1)
                memcpy(first, value, sizeof first);
            assert_memory_equal(first, value, sizeof first);
        }
        close_problem(&p);
    }
}

static bool refuse(void *user, const char *what, double done) {
    (void)what;
    (void)done;
    return *(const bool *)user;
}

static void can_be_cancelled(void **state) {
    (void)state;
    bool cancel = false;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.progress = refuse;
    options.user = &cancel;
    problem p = open_problem(NULL, &options);
    double x[4 * POINTS], value[POINTS], again[POINTS];
    random_points(x);
    assert_int_equal(p.density[0].evaluate_many(p.density[0].user, x, POINTS, value, NULL), ASIF_OK);
    cancel = true;
    assert_int_equal(p.density[0].evaluate_many(p.density[0].user, x, POINTS, again, NULL), ASIF_ECANCELLED);
    cancel = false;
    assert_int_equal(p.density[0].evaluate_many(p.density[0].user, x, POINTS, again, NULL), ASIF_OK);
    assert_memory_equal(value, again, sizeof value);
    close_problem(&p);
}

static void without_memory(void **state) {
    (void)state;
    double x[4 * POINTS], value[POINTS];
    random_points(x);
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    problem p = open_problem(NULL, &options);
    asif_status status = ASIF_ENOMEM;
    for (long n = 0; n < 1000 && status == ASIF_ENOMEM; n += 3) {
        memory.left = n;
        status = p.density[0].evaluate_many(p.density[0].user, x, 8, value, NULL);
        memory.left = -1;
    }
    assert_int_equal(status, ASIF_OK);
    close_problem(&p);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_alone), cmocka_unit_test(leaves_the_rest),
                                       cmocka_unit_test(by_threads), cmocka_unit_test(can_be_cancelled),
                                       cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
