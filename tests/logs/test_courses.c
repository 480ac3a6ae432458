/* Courses: tables of them that are wrong, and too little memory. What databases make of the query is in
 * tests/cli/test_courses.py. */
#include "asif.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static const char study_text[] =
    "asif: 1\n"
    "states: [healthy, diseased]\n"
    "actions: [stop, monitor]\n"
    "observations: [negative, positive]\n"
    "environment:\n"
    "  start: [0.5, 0.5]\n"
    "  transitions: {monitor: identity, any: reset}\n"
    "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
    "  ends: [stop]\n"
    "agent: {planner: bounded-rational, discount: 0.95, utility: {stop: 1, monitor: 0},\n"
    "  parameters: {alpha: 1, beta: 1, eta: 0}}\n";

static asif_context *context;
static asif_study *study;
static char count_name[64];

static const asif_setting *setting(void) {
    return asif_study_setting(study);
}

static int set_up(void **state) {
    (void)state;
    asif_error error = ASIF_ERROR_INIT;
    asif_courses_request request = ASIF_COURSES_REQUEST_INIT;
    char *sql = NULL;
    if (asif_context_create(&context, NULL, NULL) != ASIF_OK ||
        asif_study_read(&study, context, study_text, sizeof study_text - 1, "study", NULL, &error) != ASIF_OK)
        return -1;
    request.dialect = "duckdb";
    request.setting = setting();
    request.longest = 3;
    if (asif_courses_query(&sql, context, &request, &error) != ASIF_OK)
        return -1;
    (void)sscanf(strstr(sql, "asif_courses_"), "%63[a-z0-9_]", count_name);
    asif_memory_free(context, sql);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    asif_study_free(study);
    asif_context_free(context);
    return 0;
}

static asif_status read_courses(const asif_context *in, const char *columns, const char *rows,
                                asif_tree **out, asif_error *error) {
    char text[512];
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.setting = setting();
    int length = snprintf(text, sizeof text, "%s%s\n%s\n", count_name, columns, rows);
    return asif_logs_read_text(out, in, text, (uint64_t)length, "courses", &options, NULL, NULL, error);
}

/* Two actions and two observations have codes below 8, of 3 bits: 0 is no decision, 1 a decision without an
 * action, then 2 + 3 a + o, where o is 0 for a missing observation. Monitoring (a = 1) with a positive result
 * (o = 2) is 7, stopping without a result is 2: one after the other they are 7 + 8 * 2. */
static void counts(void **state) {
    (void)state;
    asif_tree *tree;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree_view view = {.struct_size = sizeof view};
    assert_int_equal(
        read_courses(context, ",asif_fault,asif_rows,asif_w0", "5,0,2,23\n2,0,1,2", &tree, &error), ASIF_OK);
    assert_int_equal(asif_tree_get(tree, &view, NULL), ASIF_OK);
    assert_int_equal(view.nodes, 2);
    assert_true(view.count[0] == 2 && view.count[1] == 5); /* stop, monitor at the start */
    assert_true(view.count[2] == 5 && view.count[3] == 0); /* after a positive result */
    assert_int_equal(view.observation[1], 1);
    assert_int_equal(view.first_row[1], 0);
    const asif_logs_info *info = asif_tree_info(tree);
    assert_int_equal(info->episodes, 7);
    assert_int_equal(info->decisions, 12);
    assert_int_equal(info->rows, 12);
    assert_int_equal(info->subjects, 7);
    assert_int_equal(info->longest, 2);
    asif_tree_free(tree);
}

static void wrong_tables(void **state) {
    (void)state;
    static const char all[] = ",asif_fault,asif_rows,asif_w0";
    static const char *const tables[][3] = {
        {all, "5,0,2,7", "a time is missing or repeats"},
        {all, "5,2,2,23", "a time is missing or repeats"},
        {all, "5,3,2,23", "a cell of the action"},
        {all, "5,99,2,23", "not as the query makes them"},
        {all, "0,0,2,23", "not as the query makes them"},
        {all, "5,0,2,-23", "not as the query makes them"},
        {all, "5,0,2,", "not as the query makes them"},
        {all, "5,0,,23", "not as the query makes them"},
        {all, "99999999999999999999,0,2,23", "not as the query makes them"},
        {all, "5,0,2", "not as the query makes them"},
        {all, "5,0,1,1", "the action is missing"},
        {all, "5,0,2,18", "a row follows `stop`"},
        {",asif_fault,asif_rows", "5,0,2", "lacks a column"},
        {",asif_rows,asif_w0", "5,2,23", "lacks a column"},
        {all, "", "the table has no rows"},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        asif_tree *tree;
        asif_error error = ASIF_ERROR_INIT;
        asif_status status = read_courses(context, tables[i][0], tables[i][1], &tree, &error);
        CHECK(status != ASIF_OK && !tree && strstr(error.message, tables[i][2]), "%s: %s", tables[i][1],
              error.message);
    }
}

static asif_status all_steps(const asif_context *poor) {
    asif_courses_request request = ASIF_COURSES_REQUEST_INIT;
    asif_tree *tree = NULL;
    char *sql = NULL;
    request.dialect = "spark";
    request.setting = setting();
    asif_status status = asif_courses_query(&sql, poor, &request, NULL);
    asif_memory_free(poor, sql);
    if (status == ASIF_OK)
        status = read_courses(poor, ",asif_fault,asif_rows,asif_w0", "5,0,2,23", &tree, NULL);
    asif_tree_free(tree);
    return status;
}

static void without_memory(void **state) {
    (void)state;
    for (long n = 0;; n++) {
        failing_memory memory = {.left = n};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *poor = NULL;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        if (asif_context_create(&poor, &options, NULL) != ASIF_OK)
            continue;
        asif_status status = all_steps(poor);
        asif_context_free(poor);
        assert_int_equal(memory.alive, 0);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(wrong_tables),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
