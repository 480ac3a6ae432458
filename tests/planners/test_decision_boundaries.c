/* Decision boundaries against their formula, pi(u|b) ~ pi0(u) exp(-|b - mu_u|^2 / alpha). */
#include "walk.h"

static const double means[U][S] = {{.8, .1, .1}, {.1, .7, .2}, {0, .25, .75}, {.3, .3, .4}};

static double distance(const double *x, const double *y) {
    double sum = 0;
    for (uint32_t s = 0; s < S; s++)
        sum += (x[s] - y[s]) * (x[s] - y[s]);
    return sum;
}

static void open_boundaries(small_problem *p) {
    make_small(p, false, NULL, 0);
    open_work(p, "decision-boundaries", NULL);
    for (uint32_t u = 0; u < U; u++)
        assert_int_equal(asif_theta_set_distribution(p->theta, ASIF_MEANS, u, means[u], NULL), ASIF_OK);
}

static void formula(void **state) {
    (void)state;
    small_problem p;
    open_boundaries(&p);
    static const double alphas[] = {.1, .02, 3};
    for (int k = 0; k < 3; k++) {
        asif_plan_info info;
        uint64_t seed = 5;
        if (k > 0) /* .1 where nothing is said */
            assert_int_equal(asif_theta_set(p.theta, "alpha", alphas[k], NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, p.theta, &info, NULL), ASIF_OK);
        assert_true(info.stop == ASIF_STOP_CONVERGED && info.residual == 0 && info.bound == 0);
        for (int i = 0; i < 50; i++) {
            double b[S], q[U], got[U], want[U], value, sum = 0;
            asif_view view = ASIF_VIEW_INIT;
            view.value = &value;
            view.q = q;
            view.policy = got;
            random_state(b, false, &seed);
            for (uint32_t u = 0; u < U; u++)
                sum += want[u] = p.prior[u] * exp(-distance(b, means[u]) / alphas[k]);
            assert_int_equal(asif_look(asif_work_behavior(p.work), 1, b, &view, NULL), ASIF_OK);
            for (uint32_t u = 0; u < U; u++) {
                CHECK_NEAR(q[u], -distance(b, means[u]), 1e-14);
                CHECK_NEAR(got[u], want[u] / sum, 1e-12);
            }
            CHECK_NEAR(value, alphas[k] * log(sum), 1e-13);
        }
    }
    close_small(&p);
}

/* Between two actions alone the boundary is the perpendicular bisector of their means. */
static void boundary(void **state) {
    (void)state;
    small_problem p;
    open_boundaries(&p);
    for (uint32_t u = 0; u < U; u++)
        p.theta->action_prior[u] = .25;
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    /* the middle, and from there along a direction that is orthogonal to mu_1 - mu_0 = (-.7, .6, .1) and
     * keeps the sum */
    static const double along[S] = {-.5, -.8, 1.3};
    for (int k = -1; k < 2; k++) {
        double b[S], log_pi[U];
        for (uint32_t s = 0; s < S; s++)
            b[s] = (means[0][s] + means[1][s]) / 2 + .1 * k * along[s];
        assert_int_equal(asif_behavior_log_policy(asif_work_behavior(p.work), 1, b, log_pi, NULL), ASIF_OK);
        CHECK_NEAR(log_pi[0], log_pi[1], 1e-12);
    }
    close_small(&p);
}

/* Means that lie on a sphere, as those of two actions do, may be drawn together about its centre if alpha
 * shrinks with them: nobody could tell. */
static void not_identified(void **state) {
    (void)state;
    small_problem p;
    double log_pi[2][20][U];
    open_boundaries(&p);
    p.theta->action_prior[0] = p.theta->action_prior[1] = .5;
    p.theta->action_prior[2] = p.theta->action_prior[3] = 0;
    for (int k = 0; k < 2; k++) {
        double c = k ? .4 : 1;
        p.theta->a = 1 / (.2 * c);
        for (uint32_t u = 0; u < 2; u++)
            for (uint32_t s = 0; s < S; s++) {
                double centre = (means[0][s] + means[1][s]) / 2;
                p.theta->means[u * S + s] = centre + c * (means[u][s] - centre);
            }
        assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
        uint64_t seed = 8;
        for (int i = 0; i < 20; i++) {
            double b[S];
            random_state(b, false, &seed);
            assert_int_equal(asif_behavior_log_policy(asif_work_behavior(p.work), 1, b, log_pi[k][i], NULL),
                             ASIF_OK);
            for (uint32_t u = 0; k && u < 2; u++)
                CHECK_NEAR(log_pi[1][i][u], log_pi[0][i][u], 1e-12);
        }
    }
    close_small(&p);
}

static void derivatives(void **state) {
    (void)state;
    small_problem p;
    open_boundaries(&p);
    p.theta->a = 1 / .3;
    p.theta->means[2 * S] = .05; /* away from the edge, to have two sides */
    p.theta->means[2 * S + 2] = .7;
    check_derivatives(&p); /* among them: those in the utility and in the discount are 0 */
    close_small(&p);
}

static void needs_means(void **state) {
    (void)state;
    small_problem p;
    asif_error error = ASIF_ERROR_INIT;
    open_boundaries(&p);
    assert_int_equal(asif_theta_unset_distribution(p.theta, ASIF_MEANS, 2, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, &error), ASIF_EUNSET);
    assert_string_equal(error.message, "means of 2 has no value");
    assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_MEANS, U, means[0], &error), ASIF_EDOMAIN);
    close_small(&p);
    make_small(&p, true, NULL, 0);
    assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_MEANS, 0, means[0], &error), ASIF_EDOMAIN);
    assert_null(asif_theta_distribution(p.theta, ASIF_MEANS, 0));
    assert_int_equal(asif_work_create(&p.work, p.context, "decision-boundaries", p.setting, NULL, &error),
                     ASIF_EUNSUPPORTED);
    close_small(&p);
}

static void no_memory(void **state) {
    (void)state;
    for (long left = 0;; left++) {
        small_problem p;
        failing_memory memory = {.left = left};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *context;
        asif_work *work = NULL;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        make_small(&p, false, NULL, 0);
        asif_status status = asif_context_create(&context, &options, NULL);
        if (status == ASIF_OK) {
            status = asif_work_create(&work, context, "decision-boundaries", p.setting, NULL, NULL);
            asif_work_free(work);
            asif_context_free(context);
        }
        close_small(&p);
        assert_int_equal(memory.alive, 0);
        if (status == ASIF_OK)
            return;
        assert_int_equal(status, ASIF_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(formula),        cmocka_unit_test(boundary),
                                       cmocka_unit_test(not_identified), cmocka_unit_test(derivatives),
                                       cmocka_unit_test(needs_means),    cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
