/* Ho and Ermon (2016), recast as Proposition 6 of Jarrett et al. (2021): by the utility of a maximum-entropy
 * agent and a regulariser, or by a decision rule whose occupancy is near in the regulariser's conjugate, one
 * comes to the same occupancy. Ten random problems, two paths that share neither planner nor objective.
 * ASIF_SHOW=1 prints the table of docs/recast.md. */
#include "tabular.h"

#define ALPHA 0.5
#define C 0.01
#define TOLERANCE 1e-15

static void recast(void **state) {
    (void)state;
    uint64_t seed = 2016;
    double worst = 0;
    for (int k = 0; k < 10; k++) {
        tabular_options o = {.S = 6 + (uint32_t)k % 5, .U = 3, .discount = .9, .alpha = ALPHA};
        uint64_t problem = seed;
        tabular soft, rule;
        asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
        double x[MOST_CELLS], scores[MOST_CELLS], policy[2][MOST_CELLS], mu[2][MOST_CELLS], flat[MOST_CELLS],
            uniform[MOST_CELLS], demonstrated[MOST_CELLS];
        tabular_open(&soft, &o, &seed);
        tabular_demonstrator(&soft, 6, &seed);
        asked.weight = C;
        asif_maximum_info a = tabular_fit(&soft, "maximum-entropy", "regularized-maximum-margin", &asked,
                                          TOLERANCE, x, policy[0]);
        o.scores = true;
        o.alpha = 1;
        tabular_open(&rule, &o, &problem);
        memcpy(rule.count, soft.count, sizeof rule.count);
        asked.divergence = ASIF_DIVERGENCE_CONJUGATE;
        asked.entropy = ALPHA;
        asif_maximum_info b = tabular_fit(&rule, "decision-rule", "distribution-matching", &asked, TOLERANCE,
                                          scores, policy[1]);
        uint32_t cells = o.S * o.U;
        for (uint32_t i = 0; i < cells; i++)
            flat[i] = 1.0 / o.U;
        tabular_occupancy(&soft, policy[0], false, mu[0]);
        tabular_occupancy(&soft, policy[1], false, mu[1]);
        tabular_occupancy(&soft, flat, false, uniform);
        tabular_occupancy(&soft, soft.count, false, demonstrated);
        double between = apart(mu[0], mu[1], cells), away = apart(mu[0], uniform, cells);
        if (getenv("ASIF_SHOW"))
            printf("| %d | %u | %.1e | %.3f | %.3f | gradients %.1e %.1e evaluations %llu %llu\n", k + 1, o.S,
                   between, away, apart(mu[0], demonstrated, cells), a.gradient, b.gradient,
                   (unsigned long long)a.evaluations, (unsigned long long)b.evaluations);
        worst = fmax(worst, between);
        for (uint32_t i = 0; i < cells; i++) /* the utility is what is left of the difference, over c */
            CHECK(fabs(C * x[i] - (demonstrated[i] - mu[0][i])) < 1e-7, "problem %d: utility %u is %g", k + 1,
                  i, x[i]);
        CHECK(between < 1e-6, "problem %d: occupancies are %.2g apart", k + 1, between);
        CHECK(away > .05, "problem %d: %.3f from the uniform policy's", k + 1, away);
        tabular_close(&soft);
        tabular_close(&rule);
    }
    if (getenv("ASIF_SHOW"))
        printf("largest distance %.1e\n", worst);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
