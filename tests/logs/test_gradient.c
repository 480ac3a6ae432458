/* Derivatives of the likelihood against central differences, for every kind of parameter. tests/oracle
 * compares with an independent implementation. */
#include "check.h"

#include "logs/likelihood.h"
#include "random_problem.h"

#include <stdio.h>
#include <string.h>

/* ---- derivatives ---- */

/* The i-th number of theta, or of its derivatives. */
static double *number_of(double *scalar[5], double *utility, double *action_prior, double *world_weights,
                         double *start, const asif_setting_spec *spec, uint32_t i, char *name) {
    static const char *const names[] = {"a", "a_act", "b", "eta", "discount"};
    if (i < 5) {
        strcpy(name, names[i]);
        return scalar[i];
    }
    i -= 5;
    const struct {
        const char *what;
        double *array;
        uint32_t count;
    } part[] = {{"utility", utility, spec->parameters},
                {"action_prior", action_prior, spec->actions},
                {"world_weights", world_weights, spec->worlds},
                {"start", start, spec->starts * spec->states}};
    for (size_t k = 0; k < 4; k++) {
        sprintf(name, "%s %u", part[k].what, i);
        if (i < part[k].count)
            return part[k].array + i;
        i -= part[k].count;
    }
    return NULL;
}

static double value_at(problem *p, const asif_theta *theta) {
    double total;
    asif_plan_info info;
    assert_int_equal(asif_solve(p->work, theta, &info, NULL), ASIF_OK);
    assert_true(info.residual <= 1e-11 * info.scale);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(p->work), p->tree, NULL, NULL), ASIF_OK);
    return total;
}

/* Distributions move by taking from the last of their entries what one gains. */
static double partner_index(const asif_setting_spec *spec, uint32_t i, uint32_t *last) {
    uint32_t from = 5 + spec->parameters;
    *last = UINT32_MAX;
    const uint32_t size[] = {spec->actions, spec->worlds, spec->states, spec->states};
    for (uint32_t k = 0; k < 2 + spec->starts; k++) {
        if (i >= from && i < from + size[k])
            *last = from + size[k] - 1;
        from += size[k];
    }
    return 0;
}

static void check_gradient(problem *p, double tolerance, bool skip_a_act) {
    const asif_setting_spec *spec = asif_setting_get(p->setting);
    asif_theta_gradient g;
    double total, again, largest = 0;
    char name[64];
    assert_int_equal(asif_theta_gradient_create(&g, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->work, p->theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_loglik_gradient(&total, &g, asif_work_behavior(p->work), p->tree, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_loglik(&again, asif_work_behavior(p->work), p->tree, NULL, NULL), ASIF_OK);
    assert_true(total == again);
    double *scalar_g[5] = {&g.a, &g.a_act, &g.b, &g.eta, &g.discount};
    asif_theta *moved;
    assert_int_equal(asif_theta_copy(&moved, p->theta, NULL), ASIF_OK);
    double *scalar[5] = {&moved->a, &moved->a_act, &moved->b, &moved->eta, &moved->discount};
    for (uint32_t i = 0;; i++) {
        uint32_t last;
        double *gi = number_of(scalar_g, g.utility, g.action_prior, g.world_weights, g.start, spec, i, name);
        double *xi = number_of(scalar, moved->utility, moved->action_prior, moved->world_weights,
                               moved->start, spec, i, name);
        if (!gi)
            break;
        partner_index(spec, i, &last);
        if (last == i || (i == 1 && skip_a_act) ||
            (last != UINT32_MAX && !spec->observations &&
             i >= 5 + spec->parameters + spec->actions + spec->worlds))
            continue;
        char other[64];
        double *gl = last == UINT32_MAX ? NULL
                                        : number_of(scalar_g, g.utility, g.action_prior, g.world_weights,
                                                    g.start, spec, last, other);
        double *xl = last == UINT32_MAX ? NULL
                                        : number_of(scalar, moved->utility, moved->action_prior,
                                                    moved->world_weights, moved->start, spec, last, other);
        double want = *gi - (gl ? *gl : 0), kept = *xi, kept_last = xl ? *xl : 0, best = INFINITY;
        double size = fmax(fabs(kept), .01);
        for (double h = 1e-3 * size; h > 5e-7 * size; h /= 3) {
            double side[4];
            for (int k = 0; k < 4; k++) {
                double step = (k % 2 ? -1 : 1) * (k < 2 ? 1 : 2) * h;
                *xi = kept + step;
                if (xl)
                    *xl = kept_last - step;
                side[k] = value_at(p, moved);
            }
            /* fourth order: large steps leave rounding behind */
            double difference = (8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h);
            double off = fabs(difference - want) / fmax(fabs(want), 1e-3 * fabs(total) / size);
            best = off < best ? off : best;
        }
        *xi = kept;
        if (xl)
            *xl = kept_last;
        largest = best > largest ? best : largest;
        if (!(best < tolerance))
            fail_msg("%s: derivative %.12g, relative difference %.2g", name, want, best);
    }
    asif_theta_free(moved);
    asif_theta_gradient_free(p->context, &g);
    if (getenv("ASIF_SHOW"))
        printf("  largest relative difference %.2g\n", largest);
}

static void diag(void **state) {
    (void)state;
    static const double agents[][3] = {{.5, .8, 1e-3}, {.5, -1.3, 1e-3}, {.5, 1e-3, 75},
                                       {.5, 0, 0},     {.3, .4, -6},     {2, 1e-6, 5}};
    for (size_t k = 0; k < sizeof agents / sizeof *agents; k++) {
        problem p = {0};
        assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
        p.setting = make_diag(p.context, NULL);
        assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
        asif_theta_set(p.theta, "alpha", agents[k][0], NULL);
        asif_theta_set(p.theta, "optimism", agents[k][1], NULL);
        asif_theta_set(p.theta, "eta", agents[k][2], NULL);
        /* a half would be a node of the lattice, where V has a kink and a one-sided derivative is all there
         * is */
        static const double start[] = {.4871, .5129};
        assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_START, 0, start, NULL), ASIF_OK);
        asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
        o.tol = 1e-14;
        assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, &o, NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
        make_tree(&p, 300, 100);
        check_gradient(&p, 1e-6, true);
        close_problem(&p);
    }
}

static void random_problems(bool seen, uint64_t seed) {
    problem p = {0};
    assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
    p.setting = random_setting(p.context, seen, &seed);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    bool apart = below(3, &seed) == 0;
    asif_theta_set(p.theta, "alpha", (.1 + make_uniform(&seed)) * (below(5, &seed) ? 1 : -1), NULL);
    if (apart)
        asif_theta_set(p.theta, "act_alpha", .5 + make_uniform(&seed), NULL);
    asif_theta_set(p.theta, "optimism", below(4, &seed) ? 2 * make_uniform(&seed) - 1 : 1e-5, NULL);
    asif_theta_set(p.theta, "eta", below(4, &seed) ? make_uniform(&seed) - .5 : 0, NULL);
    for (uint32_t i = 0; i < 4; i++)
        asif_theta_set(p.theta, asif_setting_get(p.setting)->parameter_names[i], 2 * make_uniform(&seed) - 1,
                       NULL);
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    o.resolution = 12;
    o.tol = 1e-14;
    assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, &o, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    make_tree(&p, 20, 6);
    check_gradient(&p, 1e-6, !apart);
    close_problem(&p);
}

static void random_beliefs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++)
        random_problems(false, seed);
}

static void random_states(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 115; seed++)
        random_problems(true, seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(diag), cmocka_unit_test(random_beliefs),
                                       cmocka_unit_test(random_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
