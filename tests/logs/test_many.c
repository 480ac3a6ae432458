/* Many thetas at once against each of them alone, on random problems: values, likelihoods, and that what a
 * theta gets depends on nothing in the others. tests/oracle compares with an independent implementation. */
#include "check.h"

#include "logs/likelihood.h"
#include "planners/planner.h"
#include "random_problem.h"

enum { THETAS = 45 };

static void random_theta(const problem *p, asif_theta *theta, uint64_t *seed) {
    const asif_setting_spec *spec = asif_setting_get(p->setting);
    uint32_t kind = below(12, seed);
    theta->a = exp(3 * make_uniform(seed) - 1) * (below(8, seed) ? 1 : -1);
    theta->a_act = below(6, seed) ? NAN : exp(2 * make_uniform(seed) - 1);
    theta->b = 6 * (make_uniform(seed) - .5);
    theta->b = kind == 0 ? 0 : kind == 1 ? 1e-7 : kind == 2 ? INFINITY : kind == 3 ? -INFINITY : theta->b;
    theta->eta = below(4, seed) ? 4 * (make_uniform(seed) - .5) : 0;
    theta->discount = .3 + .67 * make_uniform(seed);
    for (uint32_t i = 0; i < spec->parameters; i++)
        theta->utility[i] = 6 * (make_uniform(seed) - .5);
    make_row(theta->action_prior, spec->actions, seed);
    make_row(theta->world_weights, spec->worlds, seed);
    if (kind == 4 && spec->worlds > 1) { /* less than the setting allows */
        make_row(theta->world_weights, spec->worlds - 1, seed);
        theta->world_weights[spec->worlds - 1] = 0;
    }
}

static double alone(problem *p, const asif_theta *theta, double *values) {
    double total;
    asif_plan_info info;
    asif_work_forget(p->work);
    assert_int_equal(asif_solve(p->work, theta, &info, NULL), ASIF_OK);
    memcpy(values, asif_work_values(p->work), asif_work_nodes(p->work) * sizeof *values);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(p->work), p->tree, NULL, NULL), ASIF_OK);
    return total;
}

/* Agents that were solved give the same bits when they are restored after others. */
static void restore(problem *p, asif_theta *const *theta, uint32_t count, const bool *solved,
                    const double *total) {
    uint64_t nodes = asif_work_nodes(p->work);
    double *values = malloc(count * nodes * sizeof *values), again[ASIF_MANY];
    bool other, lost[ASIF_MANY] = {false};
    for (uint32_t k = 0; k < count; k++)
        if (solved[k])
            asif_work_many_values(p->work, k, values + k * nodes);
    assert_int_equal(asif_work_solve_many(p->work, (const asif_theta *const *)theta, 1, &other, NULL),
                     ASIF_OK);
    assert_int_equal(
        asif_work_restore_many(p->work, (const asif_theta *const *)theta, count, solved, values, NULL),
        ASIF_OK);
    assert_int_equal(asif_loglik_many(again, lost, asif_work_many(p->work), p->tree, NULL, NULL), ASIF_OK);
    for (uint32_t k = 0; k < count; k++)
        if (solved[k] && !lost[k])
            assert_memory_equal(&again[k], &total[k], sizeof *total);
    free(values);
}

/* In batches of `size`; NaN: to be asked for alone. */
static void together(problem *p, asif_theta *const *theta, uint32_t count, uint32_t size, double *out) {
    asif_error error = ASIF_ERROR_INIT;
    for (uint32_t i = 0; i < count; i += size) {
        uint32_t here = count - i < size ? count - i : size;
        bool solved[ASIF_MANY], lost[ASIF_MANY] = {false}, any = false;
        double total[ASIF_MANY];
        CHECK(asif_work_solve_many(p->work, (const asif_theta *const *)theta + i, here, solved, &error) ==
                  ASIF_OK,
              "%s", error.message);
        for (uint32_t k = 0; k < here; k++)
            any = any || solved[k];
        if (any)
            assert_int_equal(asif_loglik_many(total, lost, asif_work_many(p->work), p->tree, NULL, &error),
                             ASIF_OK);
        for (uint32_t k = 0; k < here; k++)
            out[i + k] = solved[k] && !lost[k] ? total[k] : NAN;
        if (any)
            restore(p, theta + i, here, solved, total);
    }
}

static problem open_problem(bool seen, uint64_t *seed, uint32_t level) {
    problem p = {0};
    asif_error error = ASIF_ERROR_INIT;
    asif_context_options c = ASIF_CONTEXT_OPTIONS_INIT;
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    c.vector_level = level;
    assert_int_equal(asif_context_create(&p.context, &c, NULL), ASIF_OK);
    p.setting = random_setting(p.context, seen, seed);
    uint32_t states = asif_setting_get(p.setting)->states;
    o.resolution = states == 2 ? 40 : states == 3 ? 10 : 5;
    CHECK(asif_theta_create(&p.theta, p.context, p.setting, &error) == ASIF_OK, "%s", error.message);
    CHECK(asif_work_create(&p.work, p.context, NULL, p.setting, &o, &error) == ASIF_OK, "%s", error.message);
    p.theta->a = 1;
    p.theta->b = .5;
    p.theta->eta = .1;
    for (uint32_t i = 0; i < 4; i++)
        p.theta->utility[i] = make_uniform(seed);
    CHECK(asif_solve(p.work, p.theta, NULL, &error) == ASIF_OK, "%s", error.message);
    make_tree(&p, 40, 6);
    return p;
}

static void as_each_alone(void **state) {
    (void)state;
    uint32_t batched = 0, all = 0;
    for (uint64_t k = 0; k < 24; k++) {
        uint64_t seed = 100 + k;
        problem p = open_problem(k % 4 == 0, &seed, 0);
        uint32_t nodes = asif_work_nodes(p.work);
        double *values = malloc(nodes * sizeof *values), *many = malloc(nodes * sizeof *many), got[THETAS],
               again[THETAS];
        asif_theta *theta[THETAS], *shuffled[THETAS];
        for (uint32_t i = 0; i < THETAS; i++) {
            assert_int_equal(asif_theta_copy(&theta[i], p.theta, NULL), ASIF_OK);
            random_theta(&p, theta[i], &seed);
        }
        together(&p, theta, THETAS, 32, got);
        for (uint32_t i = 0; i < THETAS; i++) {
            bool ordinary = isfinite(theta[i]->b);
            for (uint32_t w = 0; w < asif_setting_get(p.setting)->worlds; w++)
                ordinary = ordinary && theta[i]->world_weights[w] > 0;
            all += ordinary;
            batched += isnan(got[i]) ? 0 : 1;
            assert_true(ordinary || isnan(got[i]));
            double want = alone(&p, theta[i], values);
            if (isnan(got[i]))
                continue;
            CHECK_NEAR(got[i], want, 1e-9);
            bool solved;
            assert_int_equal(
                asif_work_solve_many(p.work, (const asif_theta *const *)theta + i, 1, &solved, NULL),
                ASIF_OK);
            assert_true(solved);
            asif_work_many_values(p.work, 0, many);
            for (uint32_t n = 0; n < nodes; n++)
                CHECK_NEAR(many[n], values[n], 1e-9);
        }
        /* other neighbours, other places, other sizes: the same bits */
        for (uint32_t i = 0; i < THETAS; i++)
            shuffled[i] = theta[(i * 7 + 3) % THETAS];
        for (uint32_t size = 1; size <= 32; size = size * 3 + 2) {
            together(&p, shuffled, THETAS, size, again);
            for (uint32_t i = 0; i < THETAS; i++)
                assert_memory_equal(&again[i], &got[(i * 7 + 3) % THETAS], sizeof *got);
        }
        for (uint32_t i = 0; i < THETAS; i++)
            asif_theta_free(theta[i]);
        free(values);
        free(many);
        close_problem(&p);
    }
    CHECK(batched >= .97 * all, "%u of %u were taken together", batched, all);
}

static void by_all_vectors(void **state) {
    (void)state;
    double first[THETAS], other[THETAS];
    for (uint32_t level = 1; level <= 4; level++) {
        uint64_t seed = 77;
        asif_context_options c = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *context;
        c.vector_level = level;
        if (asif_context_create(&context, &c, NULL) != ASIF_OK)
            continue;
        asif_context_free(context);
        problem p = open_problem(false, &seed, level);
        asif_theta *theta[THETAS];
        for (uint32_t i = 0; i < THETAS; i++) {
            assert_int_equal(asif_theta_copy(&theta[i], p.theta, NULL), ASIF_OK);
            random_theta(&p, theta[i], &seed);
        }
        together(&p, theta, THETAS, 32, level == 1 ? first : other);
        for (uint32_t i = 0; i < THETAS; i++) {
            if (level > 1 && !isnan(first[i]))
                CHECK_NEAR(other[i], first[i], 1e-9);
            asif_theta_free(theta[i]);
        }
        close_problem(&p);
    }
}

/* A theta without a finite solution does no harm to the others. */
static void failures_stay_alone(void **state) {
    (void)state;
    uint64_t seed = 5;
    problem p = open_problem(false, &seed, 0);
    asif_theta *theta[9];
    double clean[9], got[9];
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(asif_theta_copy(&theta[i], p.theta, NULL), ASIF_OK);
        theta[i]->b = .1 * i;
    }
    together(&p, theta, 9, 9, clean);
    for (uint32_t i = 0; i < 4; i++)
        theta[4]->utility[i] = 1e308;
    together(&p, theta, 9, 9, got);
    for (uint32_t i = 0; i < 9; i++) {
        if (i == 4)
            assert_true(isnan(got[i]));
        else
            assert_true(got[i] == clean[i]);
        asif_theta_free(theta[i]);
    }
    close_problem(&p);
}

/* Planners that take one at a time say so. */
static void others_are_looped(void **state) {
    (void)state;
    asif_context *context;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = make_diag(context, NULL);
    asif_theta *theta;
    asif_work *work;
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    bool solved = true;
    o.newton_only = true;
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    asif_theta_set(theta, "alpha", .5, NULL);
    asif_theta_set(theta, "beta", 1, NULL);
    asif_theta_set(theta, "eta", 0, NULL);
    CHECK(asif_work_create(&work, context, NULL, setting, &o, &error) == ASIF_OK, "%s", error.message);
    assert_false(asif_work_has_many(work));
    assert_int_equal(asif_work_solve_many(work, (const asif_theta *const *)&theta, 1, &solved, NULL),
                     ASIF_OK);
    assert_false(solved);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_each_alone), cmocka_unit_test(by_all_vectors),
                                       cmocka_unit_test(failures_stay_alone),
                                       cmocka_unit_test(others_are_looped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
