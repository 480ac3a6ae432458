/* The best actions of random problems, by value iteration; several worlds are their mixture; what the planner
 * refuses. */
#include "random_mdp.h"

static const double uniform[U] = {1. / U, 1. / U, 1. / U};

static void best(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (uint32_t worlds = 1; worlds <= WORLDS; worlds++) {
            random_mdp m = make_random(seed);
            double V[S], q[S][U];
            iterate(&m, worlds, 0, NULL, V, q);
            solved_agent a;
            open_agent(&a, "model-based-mdp", &m, worlds, false);
            solve_agent(&a); /* alpha 0, beta inf and eta 0 without being told */
            for (int s = 0; s < S; s++) {
                CHECK_NEAR(a.V[s], V[s], 1e-10);
                for (int u = 0; u < U; u++) {
                    CHECK_NEAR(a.Q[s][u], q[s][u], 1e-10);
                    CHECK_NEAR(exp(a.log_pi[s][u]), q[s][u] == V[s], 1e-12);
                }
            }
            /* the Boltzmann agent: a softmax on top of the same values */
            assert_int_equal(asif_theta_set(a.theta, "act_alpha", .4, NULL), ASIF_OK);
            solve_agent(&a);
            for (int s = 0; s < S; s++) {
                CHECK_NEAR(a.V[s], V[s], 1e-10);
                for (int u = 0; u < U; u++)
                    CHECK_NEAR(a.log_pi[s][u], log_softmax(q[s], uniform, .4, u), 1e-9);
            }
            close_agent(&a);
        }
}

static void refused(void **state) {
    (void)state;
    random_mdp m = make_random(1);
    solved_agent a;
    open_agent(&a, "model-based-mdp", &m, 1, false);
    static const struct {
        const char *name;
        double value;
    } wrong[] = {{"alpha", 1}, {"alpha", -0.}, {"beta", 2}, {"eta", 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        asif_theta *theta;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_theta_copy(&theta, a.theta, NULL), ASIF_OK);
        assert_int_equal(asif_theta_set(theta, wrong[i].name, wrong[i].value, NULL), ASIF_OK);
        assert_int_equal(asif_solve(a.work, theta, NULL, &error), ASIF_EDOMAIN);
        CHECK(strstr(error.message, wrong[i].name) && error.hint[0], "%s", error.message);
        asif_theta_free(theta);
    }
    asif_setting *diag = make_diag(a.context, NULL);
    asif_work *work;
    assert_int_equal(asif_work_create(&work, a.context, "model-based-mdp", diag, NULL, NULL),
                     ASIF_EUNSUPPORTED);
    asif_setting_free(diag);
    close_agent(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(best), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
