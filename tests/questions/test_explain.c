/* Explanations: episodes by name, the course of each, running out of memory. Numbers are compared in
 * tests/oracle. */
#include "check.h"
#include "problems.h"

#include "asif.h"
#include "logs/tree/tree.h"
#include "questions/explain/explain.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_estimates *estimates;
    asif_work *work;
    asif_fitted fitted;
    double maximum;
} problem;

static const asif_estimate_spec only_alpha = {.name = "alpha", .standard = NAN};

static asif_status open_problem(problem *p, asif_context *context) {
    asif_plan_options solver = ASIF_PLAN_OPTIONS_INIT;
    solver.resolution = 20;
    memset(p, 0, sizeof *p);
    p->context = context;
    p->maximum = log(.5);
    p->setting = make_diag(context, NULL);
    if (!p->setting)
        return ASIF_ENOMEM;
    asif_status status = asif_theta_create(&p->theta, context, p->setting, NULL);
    if (status == ASIF_OK)
        status = asif_theta_set(p->theta, "beta", 1.25, NULL);
    if (status == ASIF_OK)
        status = asif_theta_set(p->theta, "eta", .001, NULL);
    if (status == ASIF_OK)
        status = asif_estimates_create(&p->estimates, context, p->theta, &only_alpha, 1, ASIF_PRIORS_STATED,
                                       NULL, NULL);
    if (status == ASIF_OK)
        status = asif_work_create(&p->work, context, NULL, p->setting, &solver, NULL);
    p->fitted = (asif_fitted)ASIF_FITTED_INIT;
    p->fitted.context = context;
    p->fitted.setting = p->setting;
    p->fitted.given = p->theta;
    p->fitted.spec = &only_alpha;
    p->fitted.specs = 1;
    p->fitted.estimates = p->estimates;
    p->fitted.work = p->work;
    p->fitted.maximum = &p->maximum;
    return status;
}

static void close_problem(problem *p) {
    asif_work_free(p->work);
    asif_estimates_free(p->estimates);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
}

static const char *const table = "subject,episode,t,action,observation,weight\n"
                                 "a,1,0,monitor,positive,1\n"
                                 "a,1,1,monitor,negative,0\n"
                                 "a,1,2,declare_healthy,negative,2\n"
                                 "a,2,0,monitor,negative,1\n"
                                 "a,2,1,monitor,negative,1\n"
                                 "a/2,1,0,monitor,positive,1\n"
                                 "b,7,0,declare_healthy,,1\n";

static asif_status read_table(asif_tree **out, const problem *p) {
    asif_log_map *map = NULL;
    asif_status status = asif_log_map_create(&map, p->context, NULL);
    if (status == ASIF_OK)
        status = asif_log_map_set(map, "weight", "weight", NULL);
    if (status == ASIF_OK)
        status = asif_explain_logs_text(out, p->context, p->setting, map, table, strlen(table), "table", NULL,
                                        NULL);
    asif_log_map_free(map);
    return status;
}

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *subject, *episode, *name; /* NULL: none, or more than one */
    } rows[] = {{"b", NULL, "b/7"},
                {"b", "7", "b/7"},
                {NULL, "7", "b/7"},
                {"a", "1", "a/1"},
                {"a", "2", "a/2"},
                {"a/2", "1", "a/2/1"},
                {"a/2", NULL, "a/2"} /* an exact name comes first */,
                {"a", NULL, NULL},
                {NULL, "1", NULL},
                {"", NULL, NULL},
                {"c", NULL, NULL},
                {"b", "1", NULL},
                {NULL, "", NULL},
                {"b/", NULL, NULL},
                {"b", "", NULL},
                {NULL, "b/7", "b/7"}};
    asif_context *context = NULL;
    problem p;
    asif_tree *tree = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(open_problem(&p, context), ASIF_OK);
    assert_int_equal(read_table(&tree, &p), ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t unit = 0;
        asif_error error = ASIF_ERROR_INIT;
        asif_status status = asif_explain_unit(&unit, tree, rows[i].subject, rows[i].episode, &error);
        CHECK((status == ASIF_OK) == (rows[i].name != NULL), "row %zu: %s", i, error.message);
        if (rows[i].name)
            assert_string_equal(asif_tree_unit_name(tree, unit), rows[i].name);
        else
            assert_int_equal(status, ASIF_EUNKNOWN);
    }
    asif_tree_free(tree);
    close_problem(&p);
    asif_context_free(context);
}

/* A decision without weight is a step of the way, but none that counts. */
static void test_course(void **state) {
    (void)state;
    asif_context *context = NULL;
    problem p;
    asif_tree *tree = NULL;
    asif_course course = {0};
    uint64_t unit = 0;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(open_problem(&p, context), ASIF_OK);
    assert_int_equal(read_table(&tree, &p), ASIF_OK);
    const asif_tree_view *view = asif_tree_inside(tree);
    assert_int_equal(asif_explain_unit(&unit, tree, "a", "1", NULL), ASIF_OK);
    assert_int_equal(asif_course_read(&course, tree, false, unit, NULL), ASIF_OK);
    assert_int_equal(course.length, 3);
    assert_int_equal(course.number, 1);
    assert_int_equal(course.action[0], 2);
    assert_int_equal(course.action[1], ASIF_ANY);
    assert_int_equal(course.action[2], 0);
    assert_int_equal(view->observation[course.node[1]], 1);
    assert_int_equal(view->observation[course.node[2]], 0);
    assert_int_equal(asif_explain_unit(&unit, tree, "b", NULL, NULL), ASIF_OK);
    assert_int_equal(asif_course_read(&course, tree, false, unit, NULL), ASIF_OK);
    assert_int_equal(course.length, 1);

    /* Subjects as units: two episodes of `a` are no one episode. */
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *subjects = NULL;
    options.setting = p.setting;
    options.units = ASIF_UNITS_SUBJECTS;
    assert_int_equal(
        asif_logs_read_text(&subjects, context, table, strlen(table), "table", &options, NULL, NULL, NULL),
        ASIF_OK);
    assert_int_equal(asif_course_read(&course, subjects, false, 0, NULL), ASIF_EINVALID);
    asif_course_free(&course);
    asif_tree_free(subjects);
    asif_tree_free(tree);
    close_problem(&p);
    asif_context_free(context);
}

static asif_status explain_all(const problem *p, const asif_tree *tree, asif_error *error) {
    asif_status status = ASIF_OK;
    for (uint32_t what = 0; status == ASIF_OK && what < 4; what++) {
        asif_explain_options options = ASIF_EXPLAIN_OPTIONS_INIT;
        asif_explain *explain = NULL;
        char *json = NULL, *text = NULL;
        options.what = what < 3 ? (asif_explain_what)what : ASIF_EXPLAIN_PATH;
        options.tree = what < 3 ? tree : NULL;
        status = asif_explain_run(&explain, &p->fitted, &options, error);
        if (status == ASIF_OK)
            status = asif_explain_json(&json, explain, error);
        if (status == ASIF_OK)
            status = asif_report_explain(&text, p->context, json, strlen(json), "it", NULL, error);
        asif_memory_free(p->context, json);
        asif_memory_free(p->context, text);
        asif_explain_free(explain);
    }
    return status;
}

static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context = NULL;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    problem p;
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(open_problem(&p, context), ASIF_OK);
    assert_int_equal(read_table(&tree, &p), ASIF_OK);
    long alive = memory.alive, before = memory.made;
    assert_int_equal(explain_all(&p, tree, &error), ASIF_OK);
    long needed = memory.made - before;
    assert_true(needed > 100);
    for (long left = 0; left < needed; left += 1 + left / 40) {
        memory.left = left;
        assert_int_equal(explain_all(&p, tree, &error), ASIF_ENOMEM);
        assert_int_equal(memory.alive, alive);
    }
    memory.left = -1;
    asif_tree_free(tree);
    close_problem(&p);
    asif_context_free(context);
    assert_int_equal(memory.alive, 0);
}

static void test_refusals(void **state) {
    (void)state;
    asif_context *context = NULL;
    problem p;
    asif_explain *explain = NULL;
    const uint32_t bad = 3, fine = 0;
    char *text = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(open_problem(&p, context), ASIF_OK);
    asif_explain_options options = ASIF_EXPLAIN_OPTIONS_INIT;
    options.what = ASIF_EXPLAIN_BELATED;
    assert_int_equal(asif_explain_run(&explain, &p.fitted, &options, NULL), ASIF_EDOMAIN);
    options = (asif_explain_options)ASIF_EXPLAIN_OPTIONS_INIT;
    options.typed = true;
    options.events = 1;
    options.action = &bad;
    options.observation = &fine;
    assert_int_equal(asif_explain_run(&explain, &p.fitted, &options, NULL), ASIF_EDOMAIN);
    options.action = &fine;
    options.start = 1;
    assert_int_equal(asif_explain_run(&explain, &p.fitted, &options, NULL), ASIF_EDOMAIN);
    assert_null(explain);
    p.fitted.maximum = NULL;
    assert_int_equal(asif_explain_run(&explain, &p.fitted, NULL, NULL), ASIF_EUNSET);
    assert_int_equal(asif_report_explain(&text, context, "{\"what\": 1}", 11, "it", NULL, NULL), ASIF_EPARSE);
    close_problem(&p);
    asif_context_free(context);
}

/* Where an observation is impossible and passed over, there is no error. */
static void test_follow(void **state) {
    (void)state;
    static const char text[] =
        "asif: 1\nstates: [s, t]\nactions: [a]\nobservations: [x, y]\n"
        "environment: {start: uniform, transitions: identity, emissions: [[1, 0], [1, 0]]}\n"
        "agent: {discount: 0.5, utility: {a: 1}, parameters: {alpha: 1}}\nsolver: {resolution: 4}\n";
    static const uint64_t level[] = {0, 1, 2, 3};
    static const uint32_t parent[] = {ASIF_ANY, 0, 1}, action[] = {ASIF_ANY, 0, 0},
                          observation[] = {ASIF_ANY, 1, 0};
    const asif_trail trail = {.nodes = 3,
                              .levels = 3,
                              .level = level,
                              .parent = parent,
                              .action = action,
                              .observation = observation};
    asif_context *context = NULL;
    asif_study *study = NULL;
    asif_work *work = NULL;
    asif_followed followed;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_study_read(&study, context, text, strlen(text), "study", NULL, NULL), ASIF_OK);
    const asif_setting *setting = asif_study_setting(study);
    assert_int_equal(asif_work_create(&work, context, NULL, setting, asif_study_solver(study), NULL),
                     ASIF_OK);
    assert_int_equal(asif_solve(work, asif_study_theta(study), NULL, NULL), ASIF_OK);
    assert_int_equal(asif_followed_create(&followed, context, &trail, setting, false, NULL), ASIF_OK);
    assert_int_equal(asif_follow(&followed, asif_work_behavior(work), &trail, false, &error), ASIF_EZEROPR);
    assert_true(error.status == ASIF_EZEROPR && error.row == 2);
    error = (asif_error)ASIF_ERROR_INIT;
    assert_int_equal(asif_follow(&followed, asif_work_behavior(work), &trail, true, &error), ASIF_OK);
    assert_true(error.status == ASIF_OK && error.message[0] == 0);
    assert_true(followed.log_policy[0] == 0 && isnan(followed.log_policy[1]) &&
                isnan(followed.log_policy[2]));
    asif_followed_free(&followed);
    asif_work_free(work);
    asif_study_free(study);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_course),   cmocka_unit_test(test_follow),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
