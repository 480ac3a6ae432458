/* The differentiable planner against a plain loop, against soft value iteration to its end, and against
 * differences. */
#include "walk.h"

typedef struct {
    double v[S], q[S][U];
} plain;

/* n backups from 0, from the definition. */
static void iterate(plain *out, const small_problem *p, uint32_t n, const bool *terminal) {
    const asif_theta *t = p->theta;
    double alpha = 1 / t->a;
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < n; k++) {
        double before[S];
        memcpy(before, out->v, sizeof before);
        for (uint32_t s = 0; s < S; s++) {
            double sum = 0, best = -INFINITY;
            for (uint32_t u = 0; u < U; u++) {
                double q = 0;
                for (uint64_t i = 0; i < p->spec.terms; i++) {
                    const asif_utility_term *term = &p->spec.term[i];
                    if ((term->action == ASIF_ANY || term->action == u) &&
                        (term->index == ASIF_ANY || term->index == s))
                        q += term->coefficient *
                             (term->parameter == ASIF_ANY ? 1 : t->utility[term->parameter]);
                }
                for (uint32_t m = 0; m < M; m++)
                    for (uint32_t next = 0; next < S && !(terminal && terminal[s]); next++) {
                        const asif_matrix *to = &p->matrix[p->transitions[m * U + u]];
                        q += t->discount * t->world_weights[m] *
                             to->value[(to->same_rows ? 0 : s) * S + next] * before[next];
                    }
                out->q[s][u] = q;
                best = t->action_prior[u] > 0 && q > best ? q : best;
            }
            for (uint32_t u = 0; u < U; u++)
                sum += t->action_prior[u] * exp((out->q[s][u] - best) / alpha);
            out->v[s] = alpha > 0 ? best + alpha * log(sum) : best;
        }
    }
}

static double check_against(const small_problem *p, const plain *want, double tolerance) {
    double farthest = 0;
    for (uint32_t s = 0; s < S; s++) {
        double z = s, q[U], pi[U], log_pi[U], value, k[U * M], sigma[U * M], sum = 0;
        asif_view view = {sizeof view, &value, q, pi, log_pi, k, sigma};
        assert_int_equal(asif_look(asif_work_behavior(p->work), 1, &z, &view, NULL), ASIF_OK);
        CHECK_NEAR(value, want->v[s], tolerance);
        CHECK_NEAR(asif_work_values(p->work)[s], want->v[s], tolerance);
        for (uint32_t u = 0; u < U; u++) {
            CHECK_NEAR(q[u], want->q[s][u], tolerance);
            sum += p->theta->action_prior[u] * exp(p->theta->a * (want->q[s][u] - want->v[s]));
        }
        for (uint32_t u = 0; u < U; u++) {
            double p0 = p->theta->action_prior[u], mean = 0;
            CHECK_NEAR(pi[u], p0 * exp(p->theta->a * (want->q[s][u] - want->v[s])) / sum, tolerance);
            for (uint32_t m = 0; m < M; m++) {
                CHECK_NEAR(sigma[u * M + m], p->theta->world_weights[m], 0);
                mean += sigma[u * M + m] * (k[u * M + m] - k[u * M]);
            }
            farthest = fmax(farthest, fabs(mean));
        }
    }
    return farthest;
}

static void open_unrolled(small_problem *p, uint32_t n) {
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    o.unrolled = n;
    open_work(p, "differentiable", &o);
}

static void few_backups(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 7};
    for (int i = 0; i < 3; i++) {
        small_problem p;
        plain want, end;
        asif_plan_info info;
        make_small(&p, true, NULL, 0);
        open_unrolled(&p, counts[i]);
        assert_int_equal(asif_theta_set(p.theta, "alpha", .4, NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, p.theta, &info, NULL), ASIF_OK);
        assert_true(info.stop == ASIF_STOP_CONVERGED && info.residual == 0 && info.backups == counts[i]);
        iterate(&want, &p, counts[i], NULL);
        assert_true(check_against(&p, &want, 1e-13) > 0 || i == 0); /* the worlds do differ */
        /* the bound is one, and not an idle one */
        double off = 0;
        iterate(&end, &p, 2000, NULL);
        for (uint32_t s = 0; s < S; s++)
            off = fmax(off, fabs(end.v[s] - want.v[s]));
        assert_true(off <= info.bound && info.bound < 10 * off);
        close_small(&p);
    }
}

static void many_backups(void **state) {
    (void)state;
    small_problem p;
    plain want;
    asif_plan_info info;
    make_small(&p, true, NULL, 0);
    open_unrolled(&p, 300);
    assert_int_equal(asif_solve(p.work, p.theta, &info, NULL), ASIF_OK);
    assert_true(info.bound < 1e-12);
    p.theta->a = 1; /* as it is where nothing is said */
    iterate(&want, &p, 2000, NULL);
    check_against(&p, &want, 1e-12);
    close_small(&p);
}

/* An action that the prior rules out, states at which all ends, and an agent that takes the best. */
static void edges(void **state) {
    (void)state;
    static const bool terminal[S] = {false, true, false};
    small_problem p;
    plain want;
    make_small(&p, true, NULL, 0);
    asif_theta_free(p.theta);
    asif_setting_free(p.setting);
    p.prior[0] = 0;
    p.prior[1] = p.prior[2] = .3;
    p.prior[3] = .4;
    p.spec.terminal = terminal;
    assert_int_equal(asif_setting_create(&p.setting, p.context, &p.spec, NULL), ASIF_OK);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    for (uint32_t i = 0; i < PARAMETERS; i++)
        p.theta->utility[i] = .3 * i - .4;
    open_unrolled(&p, 12);
    p.theta->a = 2.5;
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    iterate(&want, &p, 12, terminal);
    check_against(&p, &want, 1e-13);
    assert_int_equal(asif_theta_set(p.theta, "alpha", 0, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    iterate(&want, &p, 12, terminal);
    for (uint32_t s = 0; s < S; s++) {
        double z = s, pi[U];
        assert_int_equal(asif_behavior_log_policy(asif_work_behavior(p.work), 1, &z, pi, NULL), ASIF_OK);
        for (uint32_t u = 0; u < U; u++)
            assert_true(pi[u] == (u > 0 && want.q[s][u] == want.v[s] ? 0 : -INFINITY));
    }
    assert_int_equal(
        asif_work_behavior(p.work)->pullback->begin(asif_work_behavior(p.work)->self, false, NULL),
        ASIF_EDOMAIN);
    close_small(&p);
}

static void derivatives(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 15};
    static const double a[] = {2.2, -1.3, 1e-6};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            small_problem p;
            make_small(&p, true, NULL, 0);
            open_unrolled(&p, counts[i]);
            p.theta->a = a[k];
            check_derivatives(&p);
            close_small(&p);
        }
}

static void refuses(void **state) {
    (void)state;
    static const asif_utility_term belief = {.by = ASIF_BY_BELIEF,
                                             .parameter = 0,
                                             .action = 0,
                                             .index = ASIF_ANY,
                                             .coefficient = 1,
                                             .threshold = .5};
    small_problem p;
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    make_small(&p, true, &belief, 1);
    assert_int_equal(asif_work_create(&p.work, p.context, "differentiable", p.setting, NULL, &error),
                     ASIF_EUNSUPPORTED);
    close_small(&p);
    make_small(&p, false, NULL, 0);
    assert_int_equal(asif_work_create(&p.work, p.context, "differentiable", p.setting, NULL, &error),
                     ASIF_EUNSUPPORTED);
    close_small(&p);
    make_small(&p, true, NULL, 0);
    o.unrolled = 1000000;
    o.memory_limit = 1000000;
    assert_int_equal(asif_work_create(&p.work, p.context, "differentiable", p.setting, &o, &error),
                     ASIF_ETOOBIG);
    close_small(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_backups), cmocka_unit_test(many_backups),
                                       cmocka_unit_test(edges), cmocka_unit_test(derivatives),
                                       cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
