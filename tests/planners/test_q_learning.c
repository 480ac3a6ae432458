/* Q-learning against value iteration. */
#include "mdps.h"

static mdp problem;
static learner subject;

/* Not further from the fixed point than a hundredth of the span of Q, and not as near as somebody who solved
 * it. */
static void learns(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MDPS; i++) {
        asif_plan_info info;
        double span, q[MOST_ACTIONS][MOST_STATES], value[MOST_STATES], looked[MOST_STATES * MOST_ACTIONS];
        mdps[i](&problem);
        learner_open(&subject, &problem, "q-learning", NULL);
        assert_int_equal(asif_solve(subject.work, subject.theta, &info, NULL), ASIF_OK);
        assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
        double error = learner_error(&subject, 0, &span);
        printf("problem %u: off by %.2f %% of the span, bound %.2f %%, %.1e samples\n", i + 1, 100 * error,
               100 * info.bound / span, (double)info.samples);
        CHECK(error <= .01, "problem %u: off by %g of the span", i + 1, error);
        CHECK(error > 1e-6, "problem %u was solved, not learnt", i + 1);
        CHECK(error * span <= info.bound, "problem %u: off by %g, bound %g", i + 1, error * span, info.bound);
        assert_true(info.residual == 0);
        assert_true(info.samples % ((uint64_t)problem.states * problem.actions) == 0 && info.samples > 0);
        /* the value is that of the best action */
        learner_look(&subject, looked, value);
        mdp_values(&problem, 0, q);
        for (uint32_t s = 0; s < problem.states; s++) {
            double best = -INFINITY;
            for (uint32_t u = 0; u < problem.actions; u++)
                best = fmax(best, looked[s * problem.actions + u]);
            CHECK_NEAR(value[s], best, 1e-15);
        }
        learner_close(&subject);
    }
}

static void policy_of(learner *l, double *out) {
    for (uint32_t s = 0; s < l->problem.states; s++) {
        double state = s;
        assert_int_equal(asif_behavior_log_policy(asif_work_behavior(l->work), 1, &state,
                                                  out + s * l->problem.actions, NULL),
                         ASIF_OK);
    }
}

/* The best action, always; with an acting temperature, a softmax of Q. */
static void acts(void **state) {
    (void)state;
    double log_policy[MOST_STATES * MOST_ACTIONS], q[MOST_STATES * MOST_ACTIONS], value[MOST_STATES];
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    options.samples = 100000;
    machine_mdp(&problem);
    learner_open(&subject, &problem, "q-learning", &options);
    for (int soft = 0; soft < 2; soft++) {
        double heat = .5;
        if (soft)
            assert_int_equal(asif_theta_set(subject.theta, "act_alpha", heat, NULL), ASIF_OK);
        assert_int_equal(asif_solve(subject.work, subject.theta, NULL, NULL), ASIF_OK);
        learner_look(&subject, q, value);
        policy_of(&subject, log_policy);
        for (uint32_t s = 0; s < problem.states; s++) {
            double gap = q[2 * s + 1] - q[2 * s], replace = soft ? 1 / (1 + exp(-gap / heat)) : gap > 0;
            CHECK_NEAR(exp(log_policy[2 * s + 1]), replace, 1e-12);
        }
    }
    learner_close(&subject);
}

/* Samples are those of the seed, whatever was solved before; another seed has others. */
static void repeats(void **state) {
    (void)state;
    double q[4][MOST_STATES * MOST_ACTIONS], value[MOST_STATES];
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    options.samples = 20000;
    random_mdp(&problem);
    size_t size = problem.states * problem.actions * sizeof(double);
    for (uint32_t seed = 0; seed < 2; seed++) {
        options.seed = seed;
        learner_open(&subject, &problem, "q-learning", &options);
        for (uint32_t again = 0; again < 2; again++) {
            assert_int_equal(asif_solve(subject.work, subject.theta, NULL, NULL), ASIF_OK);
            learner_look(&subject, q[2 * seed + again], value);
            assert_int_equal(asif_theta_set(subject.theta, "discount", .5, NULL), ASIF_OK);
            assert_int_equal(asif_solve(subject.work, subject.theta, NULL, NULL), ASIF_OK);
            assert_int_equal(asif_theta_set(subject.theta, "discount", .9, NULL), ASIF_OK);
        }
        learner_close(&subject);
    }
    assert_memory_equal(q[0], q[1], size);
    assert_memory_equal(q[2], q[3], size);
    assert_true(memcmp(q[0], q[2], size) != 0);
}

static bool stop_at(void *user, const char *what, double done) {
    (void)what;
    double *at = user;
    return done >= *at;
}

/* It can be told to stop, and has a clock; then it says so, and that the result is none. */
static void stops(void **state) {
    (void)state;
    double at = .5;
    asif_context *context;
    asif_theta *theta;
    asif_work *work;
    asif_plan_info info;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_plan_options solver = ASIF_PLAN_OPTIONS_INIT;
    options.progress = stop_at;
    options.user = &at;
    grid_mdp(&problem);
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    asif_setting *setting = mdp_setting(&problem, context);
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    for (int timed = 0; timed < 2; timed++) {
        if (timed) {
            at = 2;
            solver.time_limit_sec = 1e-6;
        }
        assert_int_equal(asif_work_create(&work, context, "q-learning", setting, &solver, NULL), ASIF_OK);
        assert_int_equal(asif_solve(work, theta, &info, NULL), ASIF_OK);
        assert_int_equal(info.stop, timed ? ASIF_STOP_TIME : ASIF_STOP_CANCELLED);
        assert_true(info.residual > 1e-6);
        asif_work_free(work);
    }
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

/* No memory at any place: said, and nothing is lost. */
static void runs_out(void **state) {
    (void)state;
    random_mdp(&problem);
    for (long left = 0;; left++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_plan_options solver = ASIF_PLAN_OPTIONS_INIT;
        asif_context *context;
        asif_theta *theta;
        asif_work *work = NULL;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        solver.samples = 1;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        asif_setting *setting = mdp_setting(&problem, context);
        assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
        memory.left = left;
        asif_status status = asif_work_create(&work, context, "q-learning", setting, &solver, NULL);
        if (status == ASIF_OK)
            status = asif_solve(work, theta, NULL, NULL);
        assert_true(status == ASIF_OK || status == ASIF_ENOMEM);
        asif_work_free(work);
        asif_theta_free(theta);
        asif_setting_free(setting);
        asif_context_free(context);
        assert_int_equal(memory.alive, 0);
        if (status == ASIF_OK)
            break;
    }
}

/* A world of its own, and planners that do not sample. */
static void refuses(void **state) {
    (void)state;
    asif_context *context;
    asif_work *work;
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_options sampled = ASIF_PLAN_OPTIONS_INIT;
    sampled.sampled = true;
    random_mdp(&problem);
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = mdp_setting(&problem, context), *other = NULL;
    assert_int_equal(asif_work_create(&work, context, "bounded-rational", setting, &sampled, &error),
                     ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "does not learn from samples"));
    asif_setting_spec spec = *asif_setting_get(setting);
    uint32_t transitions[] = {1, 0, 2, 0, 1, 2};
    spec.transitions = transitions;
    assert_int_equal(asif_setting_create(&other, context, &spec, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&work, context, "q-learning", other, NULL, &error), ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "another world"));
    asif_setting_free(other);
    asif_setting_free(setting);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns), cmocka_unit_test(acts),     cmocka_unit_test(repeats),
        cmocka_unit_test(stops),  cmocka_unit_test(runs_out), cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
