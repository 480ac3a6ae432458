/* From a study with marks and a table to a study with its world; every allocation fails once. */
#include "check.h"

#include "asif.h"

#include <string.h>

static const char study_text[] =
    "asif: 1   # \xc3\xa9t\xc3\xa9\n"
    "states: 4\n"
    "actions: [\"go on\", stop, back]\n"
    "environment:\n"
    "  start: 0\n"
    "  increments: {usual: learn 0 to 1}\n"
    "  transitions:\n"
    "    go on: {increments: usual}   # \xc3\xa9\n"
    "    stop: &rows learn\n"
    "    back: {increments: usual, from: 2}\n"
    "agent: {discount: 0.5, utility: {any: -2 * state}, parameters: {alpha: 1}}\n";
static const char table_text[] = "episode,state,action\n"
                                 "1,0,go on\n1,1,go on\n1,1,go on\n1,2,stop\n1,3,stop\n1,0,stop\n1,0,stop\n"
                                 "2,1,stop\n2,1,back\n2,2,back\n2,3,back\n2,2,stop\n";

/* All of it; *filled is the caller's. */
static asif_status learn(const asif_context *context, char **filled, asif_error *error) {
    asif_study *study = NULL;
    asif_tree *tree = NULL;
    asif_learnt_world *world = NULL;
    asif_logs_options logs = ASIF_LOGS_OPTIONS_INIT;
    asif_status status =
        asif_study_read_unlearnt(&study, context, study_text, sizeof study_text - 1, NULL, NULL, error);
    if (status == ASIF_OK) {
        logs.setting = asif_study_setting(study);
        status = asif_logs_read_text(&tree, context, table_text, sizeof table_text - 1, NULL, &logs, NULL,
                                     NULL, error);
    }
    if (status == ASIF_OK) {
        const asif_world_part part[] = {*asif_study_part(study, 0), *asif_study_part(study, 1)};
        assert_null(asif_study_part(study, 2));
        status = asif_learn_world(&world, context, asif_study_setting(study), tree, part, 2, NULL, error);
    }
    if (status == ASIF_OK)
        status = asif_study_fill(filled, study, study_text, sizeof study_text - 1, world, error);
    if (status == ASIF_OK) {
        char *text = NULL;
        status = asif_report_world(&text, context, study, world, NULL, error);
        asif_memory_free(context, text);
    }
    asif_learnt_world_free(world);
    asif_tree_free(tree);
    asif_study_free(study);
    return status;
}

static void test_fill(void **state) {
    (void)state;
    asif_context *context;
    asif_study *study = NULL;
    char *filled = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(learn(context, &filled, NULL), ASIF_OK);
    /* Increments: go on 0->1 (1), 1->1 (0), 1->2 (1); back, from 2: to 2 (0), 3 (1), 2 (0). The rows of stop:
     * 2->3; 3->0; 0->0; 1->1. */
    assert_non_null(strstr(filled, "  increments: {usual: [0.5, 0.5]}\n"));
    assert_non_null(strstr(filled,
                           "    stop: &rows {\n        0: {0: 1},\n        1: {1: 1},\n        2: {3: 1},\n"
                           "        3: {0: 1}}\n    back: {increments: usual, from: 2}\n"));
    assert_int_equal(strncmp(filled, study_text, 40), 0);
    assert_int_equal(asif_study_read(&study, context, filled, strlen(filled), NULL, NULL, NULL), ASIF_OK);
    assert_null(asif_study_part(study, 0));
    asif_study_free(study);
    asif_memory_free(context, filled);
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_study_read(&study, context, study_text, sizeof study_text - 1, NULL, NULL, &error),
                     ASIF_EINVALID);
    assert_int_equal(error.line, 6);
    assert_int_equal(error.column, 23);
    asif_context_free(context);
}

static void test_too_little_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    long alive = memory.alive, left = 0;
    asif_status status = ASIF_ENOMEM;
    for (; status == ASIF_ENOMEM; left++) {
        char *filled = NULL;
        memory.left = left;
        status = learn(context, &filled, NULL);
        CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "status %d after %ld", (int)status, left);
        asif_memory_free(context, filled);
        CHECK(memory.alive == alive, "after %ld: %ld blocks are left", left, memory.alive - alive);
    }
    assert_true(left > 50);
    memory.left = -1;
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill), cmocka_unit_test(test_too_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
