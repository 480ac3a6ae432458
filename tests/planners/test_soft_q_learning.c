/* The maximum-entropy planner's `method: samples` against soft value iteration, and against the planner that
 * solves. */
#include "mdps.h"

#include "planners/planner.h"

static mdp problem;
static learner subject;

static void learns(void **state) {
    (void)state;
    static const double alphas[] = {.1, 1, .5};
    for (uint32_t i = 0; i < MDPS; i++) {
        asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
        asif_plan_info info;
        double span;
        options.sampled = true;
        mdps[i](&problem);
        learner_open(&subject, &problem, "maximum-entropy", &options);
        assert_int_equal(asif_theta_set(subject.theta, "alpha", alphas[i], NULL), ASIF_OK);
        assert_int_equal(asif_solve(subject.work, subject.theta, &info, NULL), ASIF_OK);
        assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
        assert_true(info.samples > 0);
        double error = learner_error(&subject, alphas[i], &span);
        printf("problem %u: off by %.2f %% of the span, bound %.2f %%, %.1e samples\n", i + 1, 100 * error,
               100 * info.bound / span, (double)info.samples);
        CHECK(error <= .01, "problem %u: off by %g of the span", i + 1, error);
        CHECK(error > 1e-6, "problem %u was solved, not learnt", i + 1);
        CHECK(error * span <= info.bound, "problem %u: off by %g, bound %g", i + 1, error * span, info.bound);
        learner_close(&subject);
    }
}

/* V and the policy are the soft ones of its own Q. */
static void is_soft(void **state) {
    (void)state;
    double q[MOST_STATES * MOST_ACTIONS], value[MOST_STATES], log_policy[MOST_ACTIONS], alpha = .7;
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    options.sampled = true;
    options.samples = 100000;
    grid_mdp(&problem);
    uint32_t U = problem.actions;
    learner_open(&subject, &problem, "maximum-entropy", &options);
    assert_int_equal(asif_theta_set(subject.theta, "alpha", alpha, NULL), ASIF_OK);
    assert_int_equal(asif_solve(subject.work, subject.theta, NULL, NULL), ASIF_OK);
    learner_look(&subject, q, value);
    for (uint32_t s = 0; s < problem.states; s++) {
        double here = s, sum = 0;
        for (uint32_t u = 0; u < U; u++)
            sum += exp(q[s * U + u] / alpha) / U;
        CHECK_NEAR(value[s], alpha * log(sum), 1e-12);
        assert_int_equal(
            asif_behavior_log_policy(asif_work_behavior(subject.work), 1, &here, log_policy, NULL), ASIF_OK);
        for (uint32_t u = 0; u < U; u++)
            CHECK_NEAR(log_policy[u], (q[s * U + u] - value[s]) / alpha - log(U), 1e-12);
    }
    learner_close(&subject);
}

/* What holds for the agents of the planner holds for those that learn. */
static void keeps_its_row(void **state) {
    (void)state;
    const asif_planner_ops *solves = asif_planner_find("maximum-entropy", NULL), *learns_it = solves->sampled;
    assert_non_null(learns_it);
    assert_string_equal(learns_it->info.name, solves->info.name);
    assert_string_equal(learns_it->info.paper, solves->info.paper);
    assert_int_equal(learns_it->info.sees, solves->info.sees);
    assert_int_equal(learns_it->info.gives & ASIF_GIVES_GRADIENT, 0);
    const asif_restriction_number *numbers[][2] = {{&solves->narrow.alpha, &learns_it->narrow.alpha},
                                                   {&solves->narrow.beta, &learns_it->narrow.beta},
                                                   {&solves->narrow.eta, &learns_it->narrow.eta}};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(numbers[i][0]->how, numbers[i][1]->how);
        assert_true(numbers[i][0]->value == numbers[i][1]->value);
    }
    assert_int_equal(solves->narrow.uniform, learns_it->narrow.uniform);
    assert_int_equal(solves->narrow.acts, learns_it->narrow.acts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(learns), cmocka_unit_test(is_soft),
                                       cmocka_unit_test(keeps_its_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
