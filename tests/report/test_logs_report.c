/* Reports on logs, drafts and judgements: what they do without memory. What they say is tested through the
 * command. */
#include "check.h"

#include "asif.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char study_text[] = "asif: 1\n"
                                 "states: [left, right]\n"
                                 "actions: [look, go]\n"
                                 "observations: [l, r]\n"
                                 "environment: {start: [0.5, 0.5], emissions: identity, ends: go}\n"
                                 "agent:\n"
                                 "  discount: 0.5\n"
                                 "  utility: {look: -1, go: {left: -20, right: 5}}\n"
                                 "  parameters: {alpha: 0}\n"
                                 "solver: {resolution: 4}\n";

static const char table_text[] = "episode,t,action,observation,ward\n"
                                 "1,0,look,r,A\n"
                                 "1,1,look,r,A\n"
                                 "2,0,look,l,B\n"
                                 "2,1,go,,B\n";

static const char draft_text[] = "who_id,t,choice,outcome,note\n"
                                 "1,0,a,0.5,x y\n"
                                 "1,1,b,1.5,\n"
                                 "2,0,a,2.5,z\n"
                                 "2,1,a,3.5,z\n";

static const char path[] = "logs_report_table.csv";

static asif_status report_logs(asif_context *context, const asif_study *study, bool json, asif_error *error) {
    const char *file = path, *by[] = {"ward", NULL};
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_logs_request request = ASIF_LOGS_REQUEST_INIT;
    asif_report_options report = ASIF_REPORT_OPTIONS_INIT;
    asif_tree *tree = NULL;
    char *text = NULL;
    options.setting = asif_study_setting(study);
    options.units = ASIF_UNITS_EPISODES;
    options.covariates = by;
    asif_status status = asif_logs_read_text(&tree, context, table_text, strlen(table_text), path, &options,
                                             NULL, NULL, error);
    if (status == ASIF_OK) {
        request.file = &file;
        request.files = 1;
        request.tree = tree;
        request.by = "ward";
        report.json = json;
        status = asif_report_logs(&text, context, &request, &report, error);
        assert_true((status == ASIF_OK) == (text != NULL));
    }
    asif_memory_free(context, text);
    asif_tree_free(tree);
    return status;
}

static asif_status judge(asif_context *context, const asif_study *study, asif_error *error) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *tree = NULL;
    asif_work *work = NULL;
    asif_problems *problems = NULL;
    asif_plan_info info;
    double total = 0;
    options.setting = asif_study_setting(study);
    asif_status status = asif_logs_read_text(&tree, context, table_text, strlen(table_text), path, &options,
                                             NULL, NULL, error);
    if (status == ASIF_OK)
        status = asif_problems_create(&problems, context, 0, error);
    if (status == ASIF_OK)
        status = asif_work_create(&work, context, NULL, asif_study_setting(study), asif_study_solver(study),
                                  error);
    if (status == ASIF_OK)
        status = asif_solve(work, asif_study_theta(study), &info, error);
    if (status == ASIF_OK)
        status = asif_logs_judge(&total, asif_work_behavior(work), tree, path, problems, error);
    if (status == ASIF_OK) {
        /* Having seen r, the best is to go. */
        assert_true(total == -INFINITY);
        const asif_error *problem = asif_problems_get(problems, 0, NULL);
        if (problem) {
            assert_int_equal(problem->row, 1);
            assert_non_null(strstr(problem->message, "`look`"));
        }
    }
    asif_problems_free(problems);
    asif_work_free(work);
    asif_tree_free(tree);
    return status;
}

static asif_status draft(asif_context *context, asif_error *error) {
    asif_columns *columns = NULL;
    char *text = NULL;
    asif_status status = asif_table_scan(&columns, context, path, 3, 0, error);
    if (status == ASIF_OK) {
        assert_int_equal(asif_columns_rows(columns), 4);
        status = asif_report_study_template(&text, context, columns, path, "a title", NULL, error);
        assert_true((status == ASIF_OK) == (text != NULL));
    }
    asif_memory_free(context, text);
    asif_columns_free(columns);
    return status;
}

static void without_memory(void **state) {
    (void)state;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(draft_text, 1, strlen(draft_text), file) == strlen(draft_text));
    assert_int_equal(fclose(file), 0);
    for (int which = 0; which < 4; which++) {
        bool done = false;
        for (long left = 0; !done; left++) {
            failing_memory memory = {.left = left};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            asif_context *context = NULL, *plenty = NULL;
            asif_study *study = NULL;
            asif_error error = ASIF_ERROR_INIT;
            assert_int_equal(asif_context_create(&plenty, NULL, &error), ASIF_OK);
            assert_int_equal(
                asif_study_read(&study, plenty, study_text, strlen(study_text), "s", NULL, &error), ASIF_OK);
            options.reallocate = failing_reallocate;
            options.user = &memory;
            asif_status status = asif_context_create(&context, &options, &error);
            if (status == ASIF_OK)
                status = which == 0   ? draft(context, &error)
                         : which == 1 ? judge(context, study, &error)
                                      : report_logs(context, study, which == 2, &error);
            CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "%d, %ld: %s", which, left, error.message);
            done = status == ASIF_OK;
            asif_context_free(context);
            assert_int_equal(memory.alive, 0);
            asif_study_free(study);
            asif_context_free(plenty);
            assert_true(left < 100000);
        }
    }
    remove(path);
}

/* What a scan says of a column, against a count by hand. */
static void scan(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_columns *columns = NULL;
    asif_error error = ASIF_ERROR_INIT;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("n,mixed,empty,many\n", file);
    for (int i = 0; i < 50000; i++)
        fprintf(file, "%d,%s,,v%d\n", 49999 - i,
                i % 5 == 0   ? "NA"
                : i % 5 == 1 ? "10"
                : i % 5 == 2 ? "9"
                             : "x",
                i);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(asif_context_create(&context, NULL, &error), ASIF_OK);
    assert_int_equal(asif_table_scan(&columns, context, path, 0, 0, &error), ASIF_OK);
    assert_int_equal(asif_columns_rows(columns), 50000);
    const asif_table_column *n = asif_columns_get(columns, 0), *mixed = asif_columns_get(columns, 1);
    assert_string_equal(n->name, "n");
    assert_int_equal(n->numbers, 50000);
    assert_true(n->whole);
    assert_int_equal(n->values, 101);
    assert_null(n->value);
    assert_true(n->samples > 8000 && n->samples <= 16384);
    for (uint32_t i = 0; i < n->samples; i++) /* evenly spread */
        CHECK(fabs(n->sample[i] - 50000.0 * (i + 0.5) / n->samples) < 10, "%u: %g", i, n->sample[i]);
    assert_int_equal(mixed->missing, 10000);
    assert_int_equal(mixed->numbers, 20000);
    assert_int_equal(mixed->values, 3);
    assert_string_equal(mixed->value[0], "9");
    assert_string_equal(mixed->value[1], "10");
    assert_string_equal(mixed->value[2], "x");
    assert_int_equal(mixed->count[0], 10000);
    assert_int_equal(mixed->count[2], 20000);
    assert_int_equal(asif_columns_get(columns, 2)->missing, 50000);
    assert_int_equal(asif_columns_get(columns, 2)->values, 0);
    assert_int_equal(asif_columns_get(columns, 3)->numbers, 0);
    assert_null(asif_columns_get(columns, 4));
    asif_columns_free(columns);
    assert_int_equal(asif_table_scan(&columns, context, "no-such-table.csv", 0, 0, &error), ASIF_ENOFILE);
    assert_null(columns);
    asif_context_free(context);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_memory), cmocka_unit_test(scan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
