/* Regularised maximum margin: the objective by a small solver of its own; derivatives against differences;
 * concavity; numbers that come back; what is refused. */
#include "tabular.h"

#define NAME "regularized-maximum-margin"

static asif_target *make_target(const tabular *t, const char *planner, double weight, asif_status want) {
    asif_work *work;
    asif_target *target = NULL;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asked.weight = weight;
    options.inverse = NAME;
    options.inverse_options = &asked;
    options.count = t->count;
    options.objective_only = true;
    assert_int_equal(asif_work_create(&work, t->context, planner, t->setting, NULL, &error), ASIF_OK);
    asif_status status = asif_target_create(&target, work, t->estimates, t->tree, &options, &error);
    if (status != want)
        fail_msg("status %d, not %d: %s", status, want, error.message);
    asif_work_free(work);
    return target;
}

/* Minus (1 - discount) E V - <mu_E, v> + c/2 |x|^2, with V by value iteration; alpha 0 takes the largest,
 * alpha inf the mean. */
static double by_iteration(const tabular *t, const double *x, double alpha, double c) {
    double v[MOST_CELLS] = {0}, V[MOST_STATES] = {0}, mu[MOST_CELLS], sum = 0;
    for (uint32_t f = 0; f < t->free; f++) {
        sum += c / 2 * x[f] * x[f];
        for (uint32_t i = 0; i < t->S * t->U; i++)
            v[i] += x[f] * t->feature[f][i];
    }
    for (int sweep = 0; sweep < 600; sweep++) {
        double next[MOST_STATES];
        for (uint32_t s = 0; s < t->S; s++) {
            double q[MOST_ACTIONS], most = -INFINITY, mean = 0, soft = 0;
            for (uint32_t u = 0; u < t->U; u++) {
                q[u] = v[s * t->U + u];
                for (uint32_t k = 0; k < t->S; k++)
                    q[u] += t->discount * t->tau[u][s * t->S + k] * V[k];
                most = fmax(most, q[u]);
                mean += q[u] / t->U;
            }
            for (uint32_t u = 0; u < t->U && alpha > 0; u++)
                soft += exp((q[u] - most) / alpha) / t->U;
            next[s] = isinf(alpha) ? mean : most + (alpha > 0 ? alpha * log(soft) : 0);
        }
        memcpy(V, next, t->S * sizeof *V);
    }
    tabular_occupancy(t, t->count, false, mu);
    for (uint32_t s = 0; s < t->S; s++)
        sum += (1 - t->discount) * t->start[s] * V[s];
    for (uint32_t i = 0; i < t->S * t->U; i++)
        sum -= mu[i] * v[i];
    return -sum;
}

static void random_x(double *x, uint32_t n, uint64_t *seed) {
    for (uint32_t i = 0; i < n; i++)
        x[i] = 4 * make_uniform(seed) - 2;
}

static void objective(void **state) {
    (void)state;
    uint64_t seed = 4;
    double most = 0;
    for (int k = 0; k < 8; k++) {
        tabular t;
        tabular_options o = {.S = 5,
                             .U = 3,
                             .discount = .9,
                             .alpha = k == 6       ? INFINITY
                                      : k % 4 == 3 ? 0
                                                   : .3 + .2 * k,
                             .features = 4};
        double x[4], value, gradient[4];
        tabular_open(&t, &o, &seed);
        tabular_demonstrator(&t, 3, &seed);
        if (k >= 4) { /* how it acts on its values does not matter */
            asif_estimates_free(t.estimates);
            assert_int_equal(asif_theta_set(t.theta, "act_alpha", 2, NULL), ASIF_OK);
            tabular_estimates(&t, false);
        }
        asif_target *target = make_target(&t, NULL, .2, ASIF_OK);
        random_x(x, 4, &seed);
        assert_int_equal(asif_target_objective(target, x, &value, gradient, NULL), ASIF_OK);
        CHECK_NEAR(value, by_iteration(&t, x, o.alpha, .2), 1e-11);
        for (uint32_t i = 0; i < 4; i++) {
            double side[4], at = x[i], h = 1e-3;
            for (int j = 0; j < 4; j++) {
                x[i] = at + (j % 2 ? -1 : 1) * (j < 2 ? 1 : 2) * h;
                side[j] = by_iteration(&t, x, o.alpha, .2);
            }
            x[i] = at;
            double difference = (8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h);
            most = fmax(most, fabs(difference - gradient[i]));
            CHECK_NEAR(gradient[i], difference, 1e-9);
        }
        asif_target_free(target);
        tabular_close(&t);
    }
    if (getenv("ASIF_SHOW"))
        printf("  largest difference of derivatives %.1e\n", most);
}

static void is_concave(void **state) {
    (void)state;
    uint64_t seed = 6;
    tabular t;
    tabular_options o = {.S = 6, .U = 3, .discount = .9, .alpha = .4, .features = 4};
    tabular_open(&t, &o, &seed);
    tabular_demonstrator(&t, 3, &seed);
    asif_target *target = make_target(&t, NULL, .1, ASIF_OK);
    for (int k = 0; k < 30; k++) {
        double x[3][4], value[3], square = 0;
        random_x(x[0], 4, &seed);
        random_x(x[1], 4, &seed);
        for (int i = 0; i < 4; i++) {
            x[2][i] = (x[0][i] + x[1][i]) / 2;
            square += (x[0][i] - x[1][i]) * (x[0][i] - x[1][i]);
        }
        for (int i = 0; i < 3; i++)
            assert_int_equal(asif_target_objective(target, x[i], &value[i], NULL, NULL), ASIF_OK);
        /* the regulariser alone gives c/8 |difference|^2 */
        assert_true(value[2] >= (value[0] + value[1]) / 2 + .1 / 8 * square - 1e-12);
    }
    asif_target_free(target);
    tabular_close(&t);
}

static void features_of(const tabular *t, const double *policy, double *out) {
    double mu[MOST_CELLS];
    tabular_occupancy(t, policy, false, mu);
    for (uint32_t f = 0; f < t->free; f++) {
        out[f] = 0;
        for (uint32_t i = 0; i < t->S * t->U; i++)
            out[f] += mu[i] * t->feature[f][i];
    }
}

/* At the maximum f_E - f = c x; with little regularisation features agree, and so do the numbers, where alpha
 * is given. */
static void recovers(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int k = 0; k < 5; k++) {
        tabular t;
        tabular_options o = {.S = 8, .U = 3, .discount = .9, .alpha = .5, .features = 3};
        asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
        double truth[3], x[3], policy[MOST_CELLS], f[2][3], worst = 0;
        tabular_open(&t, &o, &seed);
        random_x(truth, 3, &seed);
        tabular_agent(&t, truth, t.count);
        asked.weight = 1e-7;
        asif_maximum_info info = tabular_fit(&t, NULL, NAME, &asked, 1e-15, x, policy);
        double exact = apart(x, truth, 3);
        CHECK(info.gradient < 1e-7, "the gradient is %.2g", info.gradient);
        CHECK(exact < 1e-4, "numbers are off by %.2g", exact);
        tabular_simulate(&t, truth, 500, 20);
        asked.weight = .01;
        tabular_fit(&t, NULL, NAME, &asked, 1e-15, x, policy);
        features_of(&t, t.count, f[0]);
        features_of(&t, policy, f[1]);
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(f[0][i] - f[1][i] - .01 * x[i]));
        CHECK(worst < 1e-8, "features less c x are off by %.2g", worst);
        asked.weight = 1e-4;
        tabular_fit(&t, NULL, NAME, &asked, 1e-15, x, policy);
        double loss = tabular_loss(&t, truth, policy);
        if (getenv("ASIF_SHOW"))
            printf("  off by %.1e from exact shares, gradient %.1e; from logs %.3f, value loss %.4f %%\n",
                   exact, info.gradient, apart(x, truth, 3), 100 * loss);
        CHECK(loss < .01, "value loss %.3f", loss);
        CHECK(apart(x, truth, 3) < .2, "numbers from logs are off by %.3f", apart(x, truth, 3));
        tabular_close(&t);
    }
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double value;
        asif_status want;
    } rows[] = {{"act_alpha", 2, ASIF_OK},
                {"alpha", -1, ASIF_EUNSUPPORTED},
                {"eta", .5, ASIF_EUNSUPPORTED},
                {"alpha", 2, ASIF_OK}};
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tabular t;
        tabular_options o = {.S = 4, .U = 3, .discount = .9, .alpha = 1, .features = 2};
        tabular_open(&t, &o, &seed);
        tabular_demonstrator(&t, 3, &seed);
        asif_estimates_free(t.estimates);
        assert_int_equal(asif_theta_set(t.theta, rows[i].name, rows[i].value, NULL), ASIF_OK);
        tabular_estimates(&t, false);
        asif_target_free(make_target(&t, NULL, .1, rows[i].want));
        make_target(&t, "decision-rule", .1, ASIF_EUNSUPPORTED);
        /* something else than utilities is estimated */
        asif_estimates_free(t.estimates);
        tabular_estimates(&t, true);
        make_target(&t, NULL, .1, ASIF_EUNSUPPORTED);
        tabular_close(&t);
    }
}

static void no_memory(void **state) {
    (void)state;
    asif_status status = ASIF_ENOMEM;
    for (long left = 0; status != ASIF_OK; left++) {
        uint64_t seed = 3;
        failing_memory memory = {.left = -1};
        asif_context_options c = ASIF_CONTEXT_OPTIONS_INIT;
        tabular t;
        tabular_options o = {.S = 4, .U = 3, .discount = .9, .alpha = 1, .features = 2};
        asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
        asif_target *target = NULL;
        asif_work *work;
        double value, gradient[2], x[2] = {.1, .2};
        c.reallocate = failing_reallocate;
        c.user = &memory;
        tabular_open_with(&t, &o, &seed, &c);
        tabular_demonstrator(&t, 3, &seed);
        options.inverse = NAME;
        options.count = t.count;
        assert_int_equal(asif_work_create(&work, t.context, NULL, t.setting, NULL, NULL), ASIF_OK);
        memory.left = left;
        status = asif_target_create(&target, work, t.estimates, t.tree, &options, NULL);
        if (status == ASIF_OK)
            status = asif_target_objective(target, x, &value, gradient, NULL);
        memory.left = -1;
        assert_true(status == ASIF_OK || status == ASIF_ENOMEM);
        asif_target_free(target);
        asif_work_free(work);
        tabular_close(&t);
        assert_int_equal(memory.alive, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective), cmocka_unit_test(is_concave), cmocka_unit_test(recovers),
        cmocka_unit_test(refusals),  cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
