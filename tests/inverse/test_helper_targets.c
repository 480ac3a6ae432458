/* Targets of the inverse planners that are told more than actions: derivatives against differences, answers
 * at the maximum of their objective, every allocation failing once, and what they refuse. */
#include "check.h"

#include "asif.h"
#include "inverse/inverse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char seen[] = "asif: 1\nstates: [a, b]\nactions: [go, stay]\n"
                           "environment: {start: [0.5, 0.5], transitions: {go: [[0.3, 0.7], [0.6, 0.4]], "
                           "stay: [[0.9, 0.1], [0.2, 0.8]]}}\n"
                           "agent:\n  discount: 0.8\n  utility: {go: {a: x, b: y}, stay: {a: 1.5, b: z}}\n"
                           "  parameters: {alpha: 0.7, x: {learn: 'normal(0, 5)', standard: 1}, y: {learn: "
                           "'normal(0, 5)', standard: 2},"
                           " z: {learn: 'normal(0, 5)', standard: -1}}\n";
static const char hidden[] = "asif: 1\nstates: [a, b]\nactions: [go, stay]\nobservations: [u, v]\n"
                             "environment: {start: [0.5, 0.5], transitions: {go: [[0.3, 0.7], [0.6, 0.4]], "
                             "stay: [[0.9, 0.1], [0.2, 0.8]]},"
                             " emissions: [[0.8, 0.2], [0.4, 0.6]]}\n"
                             "agent:\n  discount: 0.8\n  utility: {go: {a: x, b: y}, stay: {a: 1.5, b: z}}\n"
                             "  parameters: {alpha: 0.7, x: {learn: 'normal(0, 5)', standard: 1}, y: {learn: "
                             "'normal(0, 5)', standard: 2},"
                             " z: {learn: 'normal(0, 5)', standard: -1}}\n";
static const char seen_logs[] =
    "episode,t,state,action,score,batch\n"
    "1,0,a,go,3,1\n1,1,b,go,3,1\n2,0,b,stay,-1,1\n2,1,b,stay,-1,1\n2,2,a,go,-1,1\n"
    "3,0,a,stay,2.5,2\n4,0,b,stay,-2,2\n4,1,a,stay,-2,2\n4,2,b,go,-2,2\n4,3,b,go,-2,2\n"
    "5,0,a,go,4,10\n5,1,a,go,4,10\n5,2,b,stay,4,10\n6,0,b,go,1,10\n";
static const char hidden_logs[] =
    "episode,t,action,observation,score,batch\n"
    "1,0,go,u,3,1\n1,1,go,v,3,1\n2,0,stay,u,-1,1\n2,1,stay,u,-1,1\n2,2,go,,-1,1\n"
    "3,0,stay,v,2.5,2\n4,0,stay,v,-2,2\n4,1,stay,u,-2,2\n4,2,go,v,-2,2\n4,3,go,,-2,2\n"
    "5,0,go,v,4,3\n5,1,go,v,4,3\n5,2,stay,u,4,3\n6,0,go,v,1,3\n";
static const char pair_rows[] = "note,better,worse\n,1,2\n,3,4\n,5,2\n,5,6\n,6,5\n,1,4\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_tree *tree;
    asif_work *work;
    asif_estimates *estimates;
    asif_target *target;
} subject;

static char pairs_path[] = "asif-pairs-XXXXXX";

static int set_up(void **state) {
    (void)state;
    int fd = mkstemp(pairs_path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return 1;
    fputs(pair_rows, file);
    return fclose(file);
}

static int tear_down(void **state) {
    (void)state;
    return unlink(pairs_path);
}

static asif_status open_subject(subject *s, asif_context *context, const char *inverse, double p, bool states,
                                bool units, asif_error *error) {
    static const char *const columns[] = {"score", "batch", NULL};
    const char *study = states ? seen : hidden, *logs = states ? seen_logs : hidden_logs;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    asif_estimate_spec spec[4];
    memset(s, 0, sizeof *s);
    s->context = context;
    asif_status status = asif_study_read(&s->study, context, study, strlen(study), "study", NULL, error);
    if (status == ASIF_OK) {
        reading.setting = asif_study_setting(s->study);
        reading.units = units ? ASIF_UNITS_EPISODES : ASIF_UNITS_NONE;
        reading.covariates = units ? columns : NULL;
        status =
            asif_logs_read_text(&s->tree, context, logs, strlen(logs), "logs", &reading, NULL, NULL, error);
    }
    if (status == ASIF_OK)
        status = asif_work_create(&s->work, context, NULL, asif_study_setting(s->study), NULL, error);
    if (status == ASIF_OK) {
        assert_int_equal(asif_study_estimates(s->study, spec, 4), 3);
        status = asif_estimates_create(&s->estimates, context, asif_study_theta(s->study), spec, 3,
                                       ASIF_PRIORS_STATED, NULL, error);
    }
    options.inverse = inverse;
    options.inverse_options = &asked;
    options.objective_only = true;
    asked.p = p;
    asked.pairs = pairs_path;
    if (status == ASIF_OK)
        status = asif_target_create(&s->target, s->work, s->estimates, s->tree, &options, error);
    return status;
}

static void close_subject(subject *s) {
    asif_target_free(s->target);
    asif_estimates_free(s->estimates);
    asif_work_free(s->work);
    asif_tree_free(s->tree);
    asif_study_free(s->study);
}

static const struct {
    const char *inverse;
    double p;
    bool states;
} rows[] = {{"distance-minimization", 2, true},        {"distance-minimization", 1, true},
            {"distance-minimization", INFINITY, true}, {"distance-minimization", 2, false},
            {"soft-policy-inversion", 2, true},        {"preference-extrapolation", 2, true},
            {"preference-extrapolation", 2, false}};
enum { ROWS = sizeof rows / sizeof *rows };

static void derivatives(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        subject s;
        asif_context *context;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
        asif_status status =
            open_subject(&s, context, rows[i].inverse, rows[i].p, rows[i].states, true, &error);
        CHECK(status == ASIF_OK, "%s: %s", rows[i].inverse, error.message);
        double x[3] = {.31, -1.2, .77}, value, gradient[3], above, below, step = 1e-5;
        assert_int_equal(asif_target_objective(s.target, x, &value, gradient, &error), ASIF_OK);
        assert_true(isfinite(value) && value < 0);
        for (int k = 0; k < 3; k++) {
            double y[3] = {x[0], x[1], x[2]};
            y[k] = x[k] + step;
            assert_int_equal(asif_target_objective(s.target, y, &above, NULL, &error), ASIF_OK);
            y[k] = x[k] - step;
            assert_int_equal(asif_target_objective(s.target, y, &below, NULL, &error), ASIF_OK);
            CHECK_NEAR(gradient[k], (above - below) / (2 * step), 1e-7);
        }
        close_subject(&s);
        asif_context_free(context);
    }
}

/* Of least squares, no step from the answer makes the objective larger. */
static void answers(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        subject s;
        asif_context *context;
        double x[3], best, value, gradient[3];
        if (rows[i].p != 2 || strcmp(rows[i].inverse, "preference-extrapolation") == 0)
            continue;
        assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
        assert_int_equal(open_subject(&s, context, rows[i].inverse, 2, rows[i].states, true, NULL), ASIF_OK);
        assert_true(asif_target_answers(s.target));
        assert_int_equal(asif_target_answer(s.target, x, &best, NULL), ASIF_OK);
        assert_int_equal(asif_target_objective(s.target, x, &value, gradient, NULL), ASIF_OK);
        CHECK_NEAR(value, best, 0);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(gradient[k], 0, 1e-9);
        for (int k = 0; k < 6; k++) {
            double y[3] = {x[0], x[1], x[2]};
            y[k / 2] += k % 2 ? .01 : -.01;
            assert_int_equal(asif_target_objective(s.target, y, &value, NULL, NULL), ASIF_OK);
            assert_true(value <= best + 1e-12);
        }
        close_subject(&s);
        asif_context_free(context);
    }
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        asif_status status = ASIF_ENOMEM;
        for (long left = 0; status != ASIF_OK; left += 1 + left / 60) {
            failing_memory memory = {.left = -1};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            asif_context *context;
            asif_error error = ASIF_ERROR_INIT;
            double x[3], value;
            subject s;
            options.reallocate = failing_reallocate;
            options.user = &memory;
            assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
            memory.left = left;
            status = open_subject(&s, context, rows[i].inverse, 2, rows[i].states, true, &error);
            if (status == ASIF_OK && asif_target_answers(s.target))
                status = asif_target_answer(s.target, x, &value, &error);
            CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "%s", error.message);
            close_subject(&s);
            memory.left = -1;
            asif_context_free(context);
            assert_int_equal(memory.alive, 0);
        }
    }
}

static void refusals(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (int i = 0; i < ROWS; i++) {
        subject s;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(open_subject(&s, context, rows[i].inverse, 2, rows[i].states, false, &error),
                         ASIF_EINVALID);
        CHECK(strstr(error.message, "is about episodes"), "%s", error.message);
        close_subject(&s);
    }
    subject s;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(open_subject(&s, context, "soft-policy-inversion", 2, false, true, &error),
                     ASIF_EUNSUPPORTED);
    CHECK(strstr(error.message, "needs states that are seen"), "%s", error.message);
    close_subject(&s);
    asif_context_free(context);
}

static void columns(void **state) {
    (void)state;
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    assert_string_equal(asif_helper_column(ASIF_HELPER_SCORES, NULL), "score");
    assert_string_equal(asif_helper_column(ASIF_HELPER_BATCHES, &asked), "batch");
    assert_string_equal(asif_helper_column(ASIF_HELPER_ENVIRONMENTS, &asked), "environment");
    asked.column = "site";
    assert_string_equal(asif_helper_column(ASIF_HELPER_ENVIRONMENTS, &asked), "site");
    assert_null(asif_helper_column(ASIF_HELPER_PAIRS, &asked));
    assert_null(asif_helper_column(ASIF_HELPER_NONE, &asked));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(answers),
                                       cmocka_unit_test(memory_runs_out), cmocka_unit_test(refusals),
                                       cmocka_unit_test(columns)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
