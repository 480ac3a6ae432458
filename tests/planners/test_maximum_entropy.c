/* Soft value iteration with entropies, V = alpha log sum_u exp(Q / alpha): the same policy, and values that
 * differ by the entropy of a uniform policy, alpha log U, at every step. */
#include "random_mdp.h"

static const double one[U] = {1, 1, 1};

static void soft(void **state) {
    (void)state;
    static const double alphas[] = {.2, 1, 5};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (uint32_t worlds = 1; worlds <= WORLDS; worlds++) {
            random_mdp m = make_random(seed);
            solved_agent a;
            open_agent(&a, "maximum-entropy", &m, worlds, false);
            for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
                double V[S], q[S][U], shift = alphas[k] * log(U) / (1 - DISCOUNT);
                iterate(&m, worlds, alphas[k], one, V, q);
                assert_int_equal(asif_theta_set(a.theta, "alpha", alphas[k], NULL), ASIF_OK);
                solve_agent(&a);
                for (int s = 0; s < S; s++) {
                    CHECK_NEAR(a.V[s], V[s] - shift, 1e-10);
                    for (int u = 0; u < U; u++)
                        CHECK_NEAR(a.log_pi[s][u], (q[s][u] - V[s]) / alphas[k], 1e-9);
                }
            }
            close_agent(&a);
        }
}

static void refused(void **state) {
    (void)state;
    random_mdp m = make_random(2);
    asif_context *context;
    asif_work *work;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = random_setting(context, &m, 1, true);
    assert_int_equal(asif_work_create(&work, context, "maximum-entropy", setting, NULL, &error),
                     ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "uniform action prior"));
    assert_non_null(strstr(error.hint, "kl-regularized"));
    asif_setting_free(setting);
    asif_context_free(context);

    /* the same prior in a theta, and a temperature to act with */
    solved_agent a;
    open_agent(&a, "maximum-entropy", &m, 1, false);
    assert_int_equal(asif_theta_set(a.theta, "alpha", 1, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set_distribution(a.theta, ASIF_ACTION_PRIOR, 0, m.prior, NULL), ASIF_OK);
    assert_int_equal(asif_solve(a.work, a.theta, NULL, NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_set_distribution(a.theta, ASIF_ACTION_PRIOR, 0, one, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(a.theta, "act_alpha", 2, NULL), ASIF_OK);
    assert_int_equal(asif_solve(a.work, a.theta, NULL, NULL), ASIF_EDOMAIN);
    close_agent(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(soft), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
