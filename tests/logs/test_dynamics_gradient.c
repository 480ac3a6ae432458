/* Derivatives of the likelihood in the transitions and emissions of the agent's worlds against central
 * differences, over settings that are made again for every step. */
#include "check.h"

#include "logs/likelihood.h"
#include "random_problem.h"
#include "setting/setting.h"

#include <stdio.h>

/* The log-likelihood of the same logs and agent, where one row of a matrix has moved: entry `to` has gained
 * what entry `from` has lost. */
static double moved(const problem *p, const asif_plan_options *options, uint32_t matrix, uint64_t to,
                    uint64_t from, double step) {
    asif_setting_spec spec = *asif_setting_get(p->setting);
    double total, *value = (double *)(uintptr_t)spec.matrix[matrix].value;
    double kept_to = value[to], kept_from = value[from];
    spec.terminal = NULL;
    value[to] += step;
    value[from] -= step;
    asif_setting *setting;
    asif_work *work;
    asif_plan_info info;
    assert_int_equal(asif_setting_create(&setting, p->context, &spec, NULL), ASIF_OK);
    value[to] = kept_to;
    value[from] = kept_from;
    asif_theta *theta;
    assert_int_equal(asif_theta_copy(&theta, p->theta, NULL), ASIF_OK);
    asif_setting_free(ASIF_KEPT(asif_setting, theta->setting));
    theta->setting = ASIF_KEEP(setting);
    assert_int_equal(asif_work_create(&work, p->context, NULL, setting, options, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, &info, NULL), ASIF_OK);
    assert_true(info.residual <= 1e-11 * info.scale);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(work), p->tree, NULL, NULL), ASIF_OK);
    asif_theta_free(theta);
    asif_work_free(work);
    asif_setting_free(setting);
    return total;
}

/* Whether the agent has the matrix in one of its worlds; the environment does not count. */
static bool used(const asif_setting_spec *spec, uint32_t matrix) {
    for (uint32_t i = 0; i < spec->worlds * spec->actions; i++)
        if (spec->transitions[i] == matrix || spec->emissions[i] == matrix)
            return true;
    return false;
}

static double check_entry(const problem *p, const asif_plan_options *options, const double *gradient,
                          uint32_t matrix, uint64_t to, uint64_t from, double total, double tolerance) {
    const asif_matrix *m = &asif_setting_get(p->setting)->matrix[matrix];
    double want = gradient[to] - gradient[from], size = fmin(m->value[to], m->value[from]), best = INFINITY;
    for (double h = 3e-3 * size; h > 1e-6 * size && best > tolerance / 10; h /= 3) {
        double side[4];
        for (int k = 0; k < 4; k++)
            side[k] = moved(p, options, matrix, to, from, (k % 2 ? -1 : 1) * (k < 2 ? 1 : 2) * h);
        double difference = (8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h);
        best = fmin(best, fabs(difference - want) / fmax(fabs(want), 1e-2 * fabs(total)));
    }
    if (!(best < tolerance))
        fail_msg("matrix %u, entries %u and %u: derivative %.12g, relative difference %.2g", matrix,
                 (unsigned)to, (unsigned)from, want, best);
    return best;
}

static void check_dynamics(const problem *p, const asif_plan_options *options, double tolerance) {
    const asif_setting_spec *spec = asif_setting_get(p->setting);
    asif_theta_gradient plain, g;
    double total, again, largest = 0;
    assert_int_equal(asif_theta_gradient_create(&plain, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_gradient_create(&g, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_gradient_add_matrices(&g, p->context, p->setting, NULL), ASIF_OK);
    const asif_behavior *b = asif_work_behavior(p->work);
    assert_int_equal(asif_loglik_gradient(&again, &plain, b, p->tree, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_loglik_gradient(&total, &g, b, p->tree, NULL, NULL), ASIF_OK);
    assert_true(total == again);
    /* the derivatives in theta are those without derivatives in the dynamics */
    const double *scalar[] = {&plain.a, &plain.b, &plain.eta, &plain.discount},
                 *with[] = {&g.a, &g.b, &g.eta, &g.discount};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(*with[i], *scalar[i], 1e-8 * fmax(1, fabs(*scalar[i])));
    for (uint32_t i = 0; i < spec->parameters; i++)
        CHECK_NEAR(g.utility[i], plain.utility[i], 1e-8 * fmax(1, fabs(plain.utility[i])));
    uint64_t checks = 0;
    for (uint32_t i = 0; i < spec->matrices; i++) {
        const asif_matrix *m = &spec->matrix[i];
        for (uint32_t r = 0; r < (m->same_rows ? 1 : m->rows); r++)
            for (uint64_t e = m->offset[r] + 1; e < m->offset[r + 1]; e++) {
                if (!used(spec, i)) {
                    assert_true(g.matrix[i][e] == 0);
                    continue;
                }
                double off = check_entry(p, options, g.matrix[i], i, e, m->offset[r], total, tolerance);
                largest = fmax(largest, off);
                checks++;
            }
    }
    assert_true(checks > 0);
    if (getenv("ASIF_SHOW"))
        printf("  %u entries, largest relative difference %.2g\n", (unsigned)checks, largest);
    asif_theta_gradient_free(p->context, &plain);
    asif_theta_gradient_free(p->context, &g);
}

static void random_problem_of(uint64_t seed) {
    problem p = {0};
    assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
    p.setting = random_setting(p.context, false, &seed);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    asif_theta_set(p.theta, "alpha", .1 + make_uniform(&seed), NULL);
    asif_theta_set(p.theta, "optimism", below(4, &seed) ? 2 * make_uniform(&seed) - 1 : 1e-5, NULL);
    asif_theta_set(p.theta, "eta", below(4, &seed) ? make_uniform(&seed) - .5 : 0, NULL);
    for (uint32_t i = 0; i < 4; i++)
        asif_theta_set(p.theta, asif_setting_get(p.setting)->parameter_names[i], 2 * make_uniform(&seed) - 1,
                       NULL);
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    o.resolution = 7;
    o.tol = 1e-14;
    assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, &o, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    make_tree(&p, 8, 4);
    check_dynamics(&p, &o, 1e-6);
    close_problem(&p);
}

static void random_problems(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        random_problem_of(seed);
}

/* DIAG: two states, three worlds, actions that end an episode, observations of which the test shows both. */
static void diag(void **state) {
    (void)state;
    static const double agents[][3] = {{.5, .8, 1e-3}, {.5, -1.3, 5}, {.3, .4, -6}};
    for (size_t k = 0; k < sizeof agents / sizeof *agents; k++) {
        problem p = {0};
        assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
        p.setting = make_diag(p.context, NULL);
        assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
        asif_theta_set(p.theta, "alpha", agents[k][0], NULL);
        asif_theta_set(p.theta, "optimism", agents[k][1], NULL);
        asif_theta_set(p.theta, "eta", agents[k][2], NULL);
        static const double start[] = {.4871, .5129}; /* not a node of the lattice, where V has a kink */
        assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_START, 0, start, NULL), ASIF_OK);
        asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
        o.resolution = 37; /* from one half, the tests lead to no node */
        o.tol = 1e-14;
        assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, &o, NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
        make_tree(&p, 100, 30);
        check_dynamics(&p, &o, 1e-6);
        close_problem(&p);
    }
}

/* The planner that sees the state has none, and says so. */
static void states_that_are_seen(void **state) {
    (void)state;
    problem p = {0};
    uint64_t seed = 3;
    assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
    p.setting = random_setting(p.context, true, &seed);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    asif_theta_set(p.theta, "alpha", .5, NULL);
    asif_theta_set(p.theta, "optimism", .1, NULL);
    asif_theta_set(p.theta, "eta", 0, NULL);
    for (uint32_t i = 0; i < 4; i++)
        asif_theta_set(p.theta, asif_setting_get(p.setting)->parameter_names[i], 1, NULL);
    assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    const asif_behavior *b = asif_work_behavior(p.work);
    assert_int_equal(b->pullback->begin(b->self, true, NULL), ASIF_EUNSUPPORTED);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems), cmocka_unit_test(diag),
                                       cmocka_unit_test(states_that_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
