/* Solving through the C API: stop reasons, warm starts, threads, clones, memory that runs out, large
 * problems. What the values should be is tested against the oracle in tests/oracle. */
#include "check.h"

#include "planners/planner.h"
#include "problems.h"

#include <string.h>

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
} bench;

static void set(asif_theta *theta, const char *name, double value) {
    assert_int_equal(asif_theta_set(theta, name, value, NULL), ASIF_OK);
}

static bench open_diag(const asif_context_options *context, const asif_plan_options *options) {
    bench b = {0};
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&b.context, context, &error), ASIF_OK);
    b.setting = make_diag(b.context, &error);
    assert_non_null(b.setting);
    assert_int_equal(asif_theta_create(&b.theta, b.context, b.setting, &error), ASIF_OK);
    set(b.theta, "alpha", .5);
    set(b.theta, "beta", 1.25);
    set(b.theta, "eta", .001);
    assert_int_equal(asif_work_create(&b.work, b.context, NULL, b.setting, options, &error), ASIF_OK);
    return b;
}

static void close_bench(bench *b) {
    asif_work_free(b->work);
    asif_theta_free(b->theta);
    asif_setting_free(b->setting);
    asif_context_free(b->context);
}

static void residual_is_what_it_says(void **state) {
    (void)state;
    bench b = open_diag(NULL, NULL);
    asif_plan_info info;
    assert_int_equal(asif_solve(b.work, b.theta, &info, NULL), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
    assert_true(info.residual <= 1e-12 * info.scale && info.nodes == 101 && info.backups > 5);
    CHECK_NEAR(info.bound, .95 / .05 * info.residual, 1e-15);
    /* lookahead at a node is one more backup */
    for (uint32_t i = 0; i < info.nodes; i++) {
        double z[2], v;
        asif_view view = ASIF_VIEW_INIT;
        view.value = &v;
        asif_work_node(b.work, i, z);
        assert_int_equal(asif_look(asif_work_behavior(b.work), 1, z, &view, NULL), ASIF_OK);
        CHECK(fabs(v - asif_work_values(b.work)[i]) <= info.residual + 1e-13 * info.scale, "node %u", i);
    }
    close_bench(&b);
}

/* Anderson, Newton, and from other values: one fixed point. */
static void ways_agree(void **state) {
    (void)state;
    static const double agents[][3] = {{1e-3, 1e3, 1e-3}, {10, 1e3, 1e-3},        {.5, 1.25, .001},
                                       {.5, -.75, .001},  {-.5, 1e3, 75},         {0., 0., -3},
                                       {-0., -0., 2},     {INFINITY, INFINITY, 1}};
    asif_plan_options newton = ASIF_PLAN_OPTIONS_INIT;
    newton.newton_only = true;
    bench a = open_diag(NULL, NULL), b = open_diag(NULL, &newton);
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++) {
        asif_plan_info one, two, three;
        for (int k = 0; k < 2; k++) {
            set(k ? b.theta : a.theta, "alpha", agents[i][0]);
            set(k ? b.theta : a.theta, "beta", agents[i][1]);
            set(k ? b.theta : a.theta, "eta", agents[i][2]);
        }
        double values[101], wild[101];
        assert_int_equal(asif_solve(a.work, a.theta, &one, NULL), ASIF_OK);
        assert_int_equal(asif_solve(b.work, b.theta, &two, NULL), ASIF_OK);
        memcpy(values, asif_work_values(a.work), sizeof values);
        for (int n = 0; n < 101; n++)
            wild[n] = n % 2 ? 1e5 : -300;
        asif_work_set_values(a.work, wild);
        assert_int_equal(asif_solve(a.work, a.theta, &three, NULL), ASIF_OK);
        assert_true(one.stop == ASIF_STOP_CONVERGED && two.stop == ASIF_STOP_CONVERGED &&
                    three.stop == ASIF_STOP_CONVERGED);
        for (int n = 0; n < 101; n++) {
            CHECK(fabs(values[n] - asif_work_values(b.work)[n]) <= one.bound + two.bound + 1e-12,
                  "agent %zu: Newton", i);
            CHECK(fabs(values[n] - asif_work_values(a.work)[n]) <= one.bound + three.bound + 1e-12,
                  "agent %zu: warm", i);
        }
    }
    close_bench(&a);
    close_bench(&b);
}

static bool cancel(void *user, const char *what, double done) {
    (void)what;
    (void)done;
    return ++*(int *)user > 2;
}

static void reasons_for_stopping(void **state) {
    (void)state;
    asif_plan_info info;
    asif_plan_options few = ASIF_PLAN_OPTIONS_INIT, fine = ASIF_PLAN_OPTIONS_INIT,
                      quick = ASIF_PLAN_OPTIONS_INIT;
    few.max_backups = 3;
    fine.tol = 1e-18; /* beyond rounding; on a fine lattice no residual is exactly 0 */
    fine.resolution = 3000;
    quick.time_limit_sec = 1e-9;
    const struct {
        const asif_plan_options *options;
        asif_stop stop;
    } rows[] = {{&few, ASIF_STOP_BACKUPS}, {&fine, ASIF_STOP_STALLED}, {&quick, ASIF_STOP_TIME}};
    for (size_t i = 0; i < 3; i++) {
        bench b = open_diag(NULL, rows[i].options);
        assert_int_equal(asif_solve(b.work, b.theta, &info, NULL), ASIF_OK);
        assert_string_equal(asif_stop_text(info.stop), asif_stop_text(rows[i].stop));
        if (info.stop == ASIF_STOP_STALLED)
            assert_true(info.residual < 1e-13 * info.scale);
        close_bench(&b);
    }
    int calls = 0;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.progress = cancel;
    options.user = &calls;
    fine.max_backups = 1000;
    bench b = open_diag(&options, &fine);
    assert_int_equal(asif_solve(b.work, b.theta, &info, NULL), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_CANCELLED);
    close_bench(&b);
    /* utilities beyond what a double can add up */
    b = open_diag(NULL, NULL);
    set(b.theta, "eta", 1e308);
    assert_int_equal(asif_solve(b.work, b.theta, &info, NULL), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_NONFINITE);
    set(b.theta, "eta", 0);
    assert_int_equal(asif_solve(b.work, b.theta, &info, NULL), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
    close_bench(&b);
}

static void no_value_no_plan(void **state) {
    (void)state;
    bench b = open_diag(NULL, NULL);
    asif_error error = ASIF_ERROR_INIT;
    assert_null(asif_work_behavior(b.work));
    assert_int_equal(asif_theta_unset(b.theta, "alpha", NULL), ASIF_OK);
    assert_int_equal(asif_theta_unset(b.theta, "beta", NULL), ASIF_OK);
    assert_int_equal(asif_solve(b.work, b.theta, NULL, &error), ASIF_EUNSET);
    assert_string_equal(error.message, "alpha, beta have no value");
    assert_non_null(strstr(error.hint, "-p alpha=VALUE -p beta=VALUE"));
    assert_int_equal(asif_theta_set(b.theta, "gamma", 1, &error), ASIF_EUNKNOWN);
    assert_int_equal(asif_theta_set(b.theta, "eta", INFINITY, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_set(b.theta, "discount", 1, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_set_text(b.theta, "beta", "0", &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.hint, "0+"));
    double value;
    assert_int_equal(asif_theta_set_text(b.theta, "beta", "0-", &error), ASIF_OK);
    assert_int_equal(asif_theta_get(b.theta, "optimism", &value, NULL), ASIF_OK);
    assert_true(value == -INFINITY);
    assert_int_equal(asif_theta_set_text(b.theta, "alpha", "inf", &error), ASIF_OK);
    assert_int_equal(asif_theta_get(b.theta, "act_alpha", &value, NULL), ASIF_OK);
    assert_true(value == INFINITY);
    close_bench(&b);
}

static void impossible_and_out_of_range(void **state) {
    (void)state;
    bench b = open_diag(NULL, NULL);
    asif_error error = ASIF_ERROR_INIT;
    asif_work *none;
    assert_int_equal(asif_solve(b.work, b.theta, NULL, NULL), ASIF_OK);
    const asif_behavior *behavior = asif_work_behavior(b.work);
    double z[4] = {.5, .5, .7, .4}, next[4];
    uint32_t action[] = {2, 2}, observation[] = {1, 1};
    assert_int_equal(asif_behavior_step(behavior, 2, z, action, observation, next, &error), ASIF_EDOMAIN);
    assert_int_equal(error.row, 2);
    observation[0] = 2;
    assert_int_equal(asif_behavior_step(behavior, 1, z, action, observation, next, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_work_create(&none, b.context, "bounded-rationale", b.setting, NULL, &error),
                     ASIF_EUNKNOWN);
    assert_non_null(strstr(error.hint, "bounded-rational"));
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    options.memory_limit = 10000;
    assert_int_equal(asif_work_create(&none, b.context, NULL, b.setting, &options, &error), ASIF_ETOOBIG);
    assert_non_null(strstr(error.hint, "a resolution of "));
    close_bench(&b);
}

static void clones_share_and_agree(void **state) {
    (void)state;
    bench b = open_diag(NULL, NULL);
    asif_work *clone;
    asif_plan_info info;
    assert_int_equal(asif_solve(b.work, b.theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_work_clone(&clone, b.work, NULL), ASIF_OK);
    assert_int_equal(asif_solve(clone, b.theta, &info, NULL), ASIF_OK);
    assert_true(info.backups <= 2);
    asif_work_free(b.work);
    b.work = NULL;
    set(b.theta, "alpha", 2);
    assert_int_equal(asif_solve(clone, b.theta, &info, NULL), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
    asif_work_free(clone);
    close_bench(&b);
}

/* A maximum-entropy MDP large enough for threads: same bits for 1 and 2, and B V = V by an independent
 * backup. */
static void threads_and_mdp(void **state) {
    (void)state;
    enum { S = 20000, U = 3, N = 4 };
    double *values[2] = {0}, alpha = .3;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.threads = threads;
        asif_context *context;
        asif_theta *theta;
        asif_work *work;
        asif_plan_info info;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        asif_setting *setting = make_mdp(context, S, U, N, .97, NULL);
        assert_non_null(setting);
        assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
        set(theta, "alpha", alpha);
        assert_int_equal(asif_work_create(&work, context, NULL, setting, NULL, NULL), ASIF_OK);
        assert_int_equal(asif_solve(work, theta, &info, NULL), ASIF_OK);
        assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
        const double *v = asif_work_values(work);
        const asif_setting_spec *spec = asif_setting_get(setting);
        for (uint32_t s = 0; s < S; s += 37) {
            double sum = 0;
            for (uint32_t u = 0; u < U; u++) {
                const asif_matrix *t = &spec->matrix[spec->transitions[u]];
                double q = spec->utility[(uint64_t)u * S + s];
                for (uint64_t e = t->offset[s]; e < t->offset[s + 1]; e++)
                    q += .97 * t->value[e] * v[t->column[e]];
                sum += exp(q / alpha) / U;
            }
            CHECK_NEAR(v[s], alpha * log(sum), 1e-11);
        }
        values[threads - 1] = malloc(S * sizeof(double));
        memcpy(values[threads - 1], v, S * sizeof(double));
        double mass = 0, *mu = malloc(S * sizeof(double));
        assert_int_equal(asif_occupancy_compute(work, NULL, mu, NULL, NULL), ASIF_OK);
        for (uint32_t s = 0; s < S; s++)
            mass += mu[s];
        CHECK_NEAR(mass, 1, 1e-10);
        free(mu);
        asif_work_free(work);
        asif_theta_free(theta);
        asif_setting_free(setting);
        asif_context_free(context);
    }
    assert_memory_equal(values[0], values[1], S * sizeof(double));
    free(values[0]);
    free(values[1]);
}

/* Every allocation in turn fails; the calls say so and leave nothing behind. */
static void memory_runs_out(void **state) {
    (void)state;
    for (int adni = 0; adni < 2; adni++)
        for (long left = 0;; left++) {
            failing_memory memory = {.left = left};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            options.reallocate = failing_reallocate;
            options.user = &memory;
            asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
            plan.resolution = 4;
            plan.newton_only = true;
            asif_context *context = NULL;
            asif_setting *setting = NULL;
            asif_theta *theta = NULL;
            asif_work *work = NULL, *clone = NULL;
            asif_error error = ASIF_ERROR_INIT;
            double policy[2 * 5 * 3];
            asif_view view = ASIF_VIEW_INIT;
            view.policy = policy;
            asif_status status = asif_context_create(&context, &options, &error);
            if (status == ASIF_OK && !(setting = (adni ? make_adni_shape : make_diag)(context, &error)))
                status = error.status;
            if (status == ASIF_OK)
                status = asif_theta_create(&theta, context, setting, &error);
            if (status == ASIF_OK)
                set(theta, "alpha", .4);
            if (status == ASIF_OK)
                status = asif_work_create(&work, context, NULL, setting, &plan, &error);
            if (status == ASIF_OK)
                status = asif_solve(work, theta, NULL, &error);
            if (status == ASIF_OK)
                status = asif_occupancy_compute(work, NULL, NULL, NULL, &error);
            double z[3];
            if (status == ASIF_OK) {
                asif_work_node(work, 1, z);
                status = asif_look(asif_work_behavior(work), 1, z, &view, &error);
            }
            if (status == ASIF_OK)
                status = asif_work_clone(&clone, work, &error);
            asif_work_free(clone);
            asif_work_free(work);
            asif_theta_free(theta);
            asif_setting_free(setting);
            asif_context_free(context);
            CHECK(memory.alive == 0, "%ld blocks left behind after failure %ld", memory.alive, left);
            if (status == ASIF_OK) {
                assert_true(left > 30);
                break;
            }
            CHECK(status == ASIF_ENOMEM && error.status == ASIF_ENOMEM, "failure %ld: %s", left,
                  error.message);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_is_what_it_says),
        cmocka_unit_test(ways_agree),
        cmocka_unit_test(reasons_for_stopping),
        cmocka_unit_test(no_value_no_plan),
        cmocka_unit_test(impossible_and_out_of_range),
        cmocka_unit_test(clones_share_and_agree),
        cmocka_unit_test(threads_and_mdp),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
