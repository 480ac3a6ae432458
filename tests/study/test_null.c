/* Public functions that take a text, a path or a name: without one they return a status, and do not crash.
 * Each runs in a process of its own, so that a crash has a name. */
#include "check.h"

#include "asif.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static asif_context *context;
static asif_study *study;
static asif_tree *tree;
static asif_theta *theta;
static asif_error error;

static const char diag[] = "asif: 1\n"
                           "states: [a, b]\n"
                           "actions: [go, end]\n"
                           "observations: [x, y]\n"
                           "environment:\n"
                           "  start: [0.5, 0.5]\n"
                           "  transitions: {go: identity, end: reset}\n"
                           "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                           "  ends: [end]\n"
                           "agent:\n"
                           "  discount: 0.9\n"
                           "  utility: {go: -1, end: {a: 1, b: -1}}\n"
                           "  parameters: {alpha: 0.5, beta: inf, eta: 0}\n";
static const char table[] = "episode,t,action,observation\n1,0,go,x\n1,1,end,\n";

/* Every call has its outputs here; what it makes is left to the end of the process. */
static void *out;
static char *text;
static uint64_t length;
static const asif_logs_options logs = ASIF_LOGS_OPTIONS_INIT;
static uint32_t *some, *more;
static double number;
static bool flag;

#define OUT(type) ((type **)(void *)&out)

typedef struct {
    const char *name;
    asif_status (*call)(void);
} entry;

#define CALL(name, ...)                                                                                      \
    static asif_status call_##name(void) {                                                                   \
        return asif_##name(__VA_ARGS__);                                                                     \
    }
#define CALLS(X)                                                                                             \
    X(study_read, OUT(asif_study), context, NULL, 0, NULL, NULL, &error)                                     \
    X(study_read_unlearnt, OUT(asif_study), context, NULL, 0, NULL, NULL, &error)                            \
    X(study_load, OUT(asif_study), context, NULL, NULL, &error)                                              \
    X(pomdp_read, OUT(asif_pomdp), context, NULL, 0, NULL, &error)                                           \
    X(drn_read, OUT(asif_setting), context, NULL, 0, NULL, NULL, 0.9, &error)                                \
    X(logs_read, OUT(asif_tree), context, NULL, NULL, NULL, NULL, &error)                                    \
    X(logs_read_text, OUT(asif_tree), context, NULL, 0, NULL, NULL, NULL, NULL, &error)                      \
    X(logs_open, OUT(asif_tree), context, NULL, &logs, NULL, &error)                                         \
    X(wheres_read, OUT(asif_logs_where), context, NULL, 1, &error)                                           \
    X(tree_values, OUT(asif_covariate_value), &length, tree, NULL, NULL, &error)                             \
    X(ask, OUT(asif_answer), context, NULL, NULL, NULL, &error)                                              \
    X(tree_load, OUT(asif_tree), context, NULL, &error)                                                      \
    X(tree_load_bytes, OUT(asif_tree), context, NULL, 0, &error)                                             \
    X(tree_save, tree, NULL, &error)                                                                         \
    X(table_scan, OUT(asif_columns), context, NULL, 0, 0, &error)                                            \
    X(result_load, OUT(asif_result), context, NULL, NULL, &error)                                            \
    X(fits_find, OUT(asif_fits), context, NULL, &error)                                                      \
    X(fit_read, &text, &length, context, NULL, NULL, &error)                                                 \
    X(output_open, OUT(asif_output), context, NULL, NULL, &error)                                            \
    X(output_check, context, NULL, NULL, &error)                                                             \
    X(file_write, context, NULL, NULL, 0, NULL, &error)                                                      \
    X(file_read, &text, &length, context, NULL, &error)                                                      \
    X(folder_make, context, NULL, &error)                                                                    \
    X(theta_set, theta, NULL, 1, &error)                                                                     \
    X(theta_unset, theta, NULL, &error)                                                                      \
    X(theta_set_text, theta, "alpha", NULL, &error)                                                          \
    X(theta_get, theta, NULL, &number, &error)                                                               \
    X(report_list, &text, context, "no such list", NULL, &error)                                             \
    X(report_summary, &text, &flag, context, NULL, 0, NULL, NULL, &error)
CALLS(CALL)

#define ENTRY(name, ...) {#name, call_##name},
static const entry entries[] = {CALLS(ENTRY)};

/* 0: a status and a message; 1: success; 2: no message. */
static int judge(const entry *e) {
    asif_status status = e->call();
    return status == ASIF_OK ? 1 : error.message[0] ? 0 : 2;
}

static void test_all(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        int ended = 0;
        (void)fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)signal(SIGSEGV, SIG_DFL);
            (void)signal(SIGABRT, SIG_DFL);
            _exit(judge(&entries[i]));
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
            continue;
        wrong++;
        print_message("asif_%s: %s\n", entries[i].name,
                      WIFSIGNALED(ended)        ? "crash"
                      : WEXITSTATUS(ended) == 1 ? "success"
                      : WEXITSTATUS(ended) == 2 ? "no message"
                                                : "a sanitizer complains");
    }
    assert_int_equal(wrong, 0);
}

/* Where NULL means something, there is an answer. */
static void test_meant(void **state) {
    (void)state;
    asif_work *work = NULL;
    assert_int_equal(asif_work_create(&work, context, NULL, asif_study_setting(study), NULL, &error),
                     ASIF_OK);
    asif_work_free(work);
    assert_int_equal(
        asif_setting_read_history(&some, &more, &length, context, asif_study_setting(study), NULL, &error),
        ASIF_OK);
    assert_int_equal(length, 0);
    assert_int_equal(asif_report_quoted(&text, context, NULL, &error), ASIF_OK);
    assert_string_equal(text, "null");
    asif_memory_free(context, text);
    asif_memory_free(context, some);
    asif_memory_free(context, more);
}

/* Those that answer with a pointer or a truth value. */
static void test_answers(void **state) {
    (void)state;
    assert_null(asif_question_named(NULL));
    assert_null(asif_inverse_named(NULL));
    assert_null(asif_preset_named(NULL));
    assert_null(asif_nearest_word(NULL, NULL, 0));
    assert_false(asif_tree_recognise(NULL));
    assert_false(asif_parameter_in_logs(NULL));
    assert_int_equal(asif_setting_find(asif_study_setting(study), ASIF_LABEL_STATE, NULL), ASIF_ANY);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_meant),
                                       cmocka_unit_test(test_answers)};
    if (asif_context_create(&context, NULL, &error) != ASIF_OK ||
        asif_study_read(&study, context, diag, sizeof diag - 1, "diag", NULL, &error) != ASIF_OK ||
        asif_logs_read_text(&tree, context, table, sizeof table - 1, "table", NULL, NULL, NULL, &error) !=
            ASIF_OK ||
        asif_theta_copy(&theta, asif_study_theta(study), &error) != ASIF_OK) {
        print_error("%s\n", error.message);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    asif_theta_free(theta);
    asif_tree_free(tree);
    asif_study_free(study);
    asif_context_free(context);
    return failed;
}
