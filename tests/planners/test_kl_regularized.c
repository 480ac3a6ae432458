/* Soft value iteration with an action prior; and the objective itself: the policy that was found is worth V,
 * and no other is worth more, when what each costs, alpha KL(pi || prior), is added up along the chain. */
#include "random_mdp.h"

/* Values of a policy with its divergences, by iteration. */
static void evaluate(const random_mdp *m, double alpha, double pi[S][U], double *V) {
    memset(V, 0, S * sizeof *V);
    for (int sweep = 0; sweep < 500; sweep++) {
        double next[S] = {0};
        for (int s = 0; s < S; s++)
            for (int u = 0; u < U; u++) {
                double x = m->v[u][s] - alpha * log(pi[s][u] / m->prior[u]);
                for (int t = 0; t < S; t++)
                    x += DISCOUNT * m->P[0][u][s][t] * V[t];
                next[s] += pi[s][u] * x;
            }
        memcpy(V, next, sizeof next);
    }
}

static void soft(void **state) {
    (void)state;
    static const double alphas[] = {.3, 2};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        random_mdp m = make_random(seed);
        solved_agent a;
        open_agent(&a, "kl-regularized", &m, 1, true);
        for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
            double V[S], q[S][U], W[S], pi[S][U];
            iterate(&m, 1, alphas[k], m.prior, V, q);
            assert_int_equal(asif_theta_set(a.theta, "alpha", alphas[k], NULL), ASIF_OK);
            solve_agent(&a);
            for (int s = 0; s < S; s++) {
                CHECK_NEAR(a.V[s], V[s], 1e-10);
                for (int u = 0; u < U; u++) {
                    CHECK_NEAR(a.log_pi[s][u], log_softmax(q[s], m.prior, alphas[k], u), 1e-9);
                    pi[s][u] = exp(a.log_pi[s][u]);
                }
            }
            evaluate(&m, alphas[k], pi, W);
            for (int s = 0; s < S; s++)
                CHECK_NEAR(W[s], a.V[s], 1e-10);
            for (int s = 0; s < S; s++)
                for (int u = 0; u < U; u++)
                    pi[s][u] = .98 * pi[s][u] + .02 * m.prior[u];
            evaluate(&m, alphas[k], pi, W);
            for (int s = 0; s < S; s++)
                CHECK(W[s] < a.V[s], "seed %u: %.17g, not below %.17g", (unsigned)seed, W[s], a.V[s]);
        }
        close_agent(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(soft)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
