/* A decision rule against its formula, pi(u|z) ~ pi0(u) exp(score(z,u) / alpha), whatever the discount. */
#include "walk.h"

static const asif_utility_term more[] = {
    {.by = ASIF_BY_OBSERVATION, .parameter = 2, .action = ASIF_ANY, .index = 1, .coefficient = .7},
    {.by = ASIF_BY_BELIEF,
     .parameter = 3,
     .action = 1,
     .index = ASIF_ANY,
     .coefficient = 1.3,
     .test = ASIF_ABOVE,
     .threshold = .5},
};

/* The terms of the utility as they are defined; what is seen is averaged over states, worlds and
 * observations. */
static double score(const small_problem *p, const double *b, uint32_t u) {
    double sum = 0;
    for (uint64_t i = 0; i < p->spec.terms; i++) {
        const asif_utility_term *t = &p->spec.term[i];
        double v = t->coefficient * (t->parameter == ASIF_ANY ? 1 : p->theta->utility[t->parameter]),
               share = 0;
        if (t->action != ASIF_ANY && t->action != u)
            continue;
        if (t->by == ASIF_BY_STATE)
            share = t->index == ASIF_ANY ? 1 : b[t->index];
        else if (t->by == ASIF_BY_BELIEF)
            share = fmax(b[0], fmax(b[1], b[2])) > t->threshold;
        for (uint32_t m = 0; t->by == ASIF_BY_OBSERVATION && m < M; m++)
            for (uint32_t s = 0; s < S; s++)
                for (uint32_t next = 0; next < S; next++) {
                    const asif_matrix *to = &p->matrix[p->transitions[m * U + u]];
                    const asif_matrix *shows = &p->matrix[p->emissions[m * U + u]];
                    share += p->weights[m] * b[s] * to->value[(to->same_rows ? 0 : s) * S + next] *
                             shows->value[next * X + t->index];
                }
        sum += v * share;
    }
    return sum;
}

static void check_policies(small_problem *p, bool seen, double alpha) {
    const asif_behavior *b = asif_work_behavior(p->work);
    uint64_t seed = 5;
    for (int k = 0; k < 50; k++) {
        double z[S], belief[S] = {0}, q[U], want[U], got[U], value, sum = 0;
        asif_view view = ASIF_VIEW_INIT;
        view.value = &value;
        view.q = q;
        view.policy = got;
        random_state(z, seen, &seed);
        if (seen)
            belief[(int)z[0]] = 1;
        else
            memcpy(belief, z, sizeof belief);
        for (uint32_t u = 0; u < U; u++)
            sum += want[u] = p->prior[u] * exp(score(p, belief, u) / alpha);
        assert_int_equal(asif_look(b, 1, z, &view, NULL), ASIF_OK);
        for (uint32_t u = 0; u < U; u++) {
            CHECK_NEAR(q[u], score(p, belief, u), 1e-13);
            CHECK_NEAR(got[u], want[u] / sum, 1e-13);
        }
        CHECK_NEAR(value, alpha * log(sum), 1e-13);
    }
}

static void rule(bool seen) {
    small_problem p;
    make_small(&p, seen, more, seen ? 0 : 2);
    open_work(&p, "decision-rule", NULL);
    static const double alphas[] = {1, .2, 7};
    /* one workspace, warm from the theta before: nothing of it is left */
    for (int k = 0; k < 3; k++) {
        asif_plan_info info;
        if (k > 0)
            assert_int_equal(asif_theta_set(p.theta, "alpha", alphas[k], NULL), ASIF_OK);
        p.theta->utility[k] += k;
        assert_int_equal(asif_solve(p.work, p.theta, &info, NULL), ASIF_OK);
        assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
        assert_true(info.residual == 0 && info.bound == 0 && info.backups <= 2);
        check_policies(&p, seen, alphas[k]);
    }
    p.theta->a = 1.7;
    check_derivatives(&p); /* among them: that in the discount is 0 */
    /* what would be of a discount of 0 is not given */
    asif_costs costs;
    assert_int_equal(asif_occupancy_compute(p.work, NULL, NULL, &costs, NULL), ASIF_EUNSUPPORTED);
    close_small(&p);
}

static void of_states(void **state) {
    (void)state;
    rule(true);
}

static void of_beliefs(void **state) {
    (void)state;
    rule(false);
}

/* Beliefs move as Bayes says, by the mean over the worlds, and the action is as the new belief says. */
static void recognises(void **state) {
    (void)state;
    small_problem p;
    double next[S], want[S] = {0}, z[S];
    make_small(&p, false, NULL, 0);
    open_work(&p, "decision-rule", NULL);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    const asif_behavior *b = asif_work_behavior(p.work);
    asif_behavior_init(b, 0, ASIF_ANY, z);
    uint32_t u = 1, x = 2;
    assert_int_equal(asif_behavior_step(b, 1, z, &u, &x, next, NULL), ASIF_OK);
    for (uint32_t m = 0; m < M; m++) {
        const asif_matrix *to = &p.matrix[p.transitions[m * U + u]],
                          *shows = &p.matrix[p.emissions[m * U + u]];
        double joint[S] = {0}, sum = 0;
        for (uint32_t t = 0; t < S; t++) {
            for (uint32_t s = 0; s < S; s++)
                joint[t] += z[s] * to->value[(to->same_rows ? 0 : s) * S + t];
            sum += joint[t] *= shows->value[t * X + x];
        }
        for (uint32_t t = 0; t < S; t++)
            want[t] += p.weights[m] * joint[t] / sum;
    }
    for (uint32_t t = 0; t < S; t++)
        CHECK_NEAR(next[t], want[t], 1e-14);
    close_small(&p);
}

static void refuses(void **state) {
    (void)state;
    small_problem p;
    asif_error error = ASIF_ERROR_INIT;
    make_small(&p, false, NULL, 0);
    open_work(&p, "decision-rule", NULL);
    static const struct {
        const char *name;
        double value;
    } wrong[] = {{"beta", 2}, {"eta", .1}, {"act_alpha", .5}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        asif_theta *other;
        assert_int_equal(asif_theta_copy(&other, p.theta, NULL), ASIF_OK);
        assert_int_equal(asif_theta_set(other, wrong[i].name, wrong[i].value, NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, other, NULL, &error), ASIF_EDOMAIN);
        asif_theta_free(other);
    }
    static const double mean[] = {.2, .3, .5};
    assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_MEANS, 1, mean, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.hint, "decision-boundaries"));
    close_small(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_states), cmocka_unit_test(of_beliefs),
                                       cmocka_unit_test(recognises), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
