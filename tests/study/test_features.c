/* Utility by the columns of a table, by a parameter a cell, and parameters by pattern: what they mean,
 * against the same written out, and mistakes in them. */
#include "asif.h"
#include "check.h"
#include "theta/estimates.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static asif_context *context;
static char folder[] = "/tmp/asif-features-XXXXXX", study_name[64], table_name[64];

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(study_name, sizeof study_name, "%s/study.yaml", folder);
    snprintf(table_name, sizeof table_name, "%s/f.csv", folder);
    return asif_context_create(&context, NULL, NULL) == ASIF_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    unlink(table_name);
    return rmdir(folder);
}

static const char frame[] = "asif: 1\n"
                            "states: [near, far]\n"
                            "actions: [stay, go]\n"
                            "environment: {start: near, transitions: [[0.5, 0.5], [0.2, 0.8]]}\n"
                            "agent:\n"
                            "  discount: 0.9\n"
                            "  utility: %s\n"
                            "  parameters: %s\n";

static asif_status read_study(asif_study **out, const char *utility, const char *parameters,
                              const char *table, const char *name, asif_problems *problems,
                              asif_error *error) {
    char text[2048];
    if (table) {
        FILE *file = fopen(table_name, "w");
        assert_non_null(file);
        fputs(table, file);
        fclose(file);
    }
    snprintf(text, sizeof text, frame, utility, parameters);
    return asif_study_read(out, context, text, strlen(text), name, problems, error);
}

/* Utility of every action and state with these values of the parameters, by the terms alone. */
static void utility_of(const asif_study *study, double first, double step, double *out) {
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(study));
    for (uint32_t i = 0; i < 4; i++)
        out[i] = 0;
    for (uint64_t k = 0; k < spec->terms; k++) {
        const asif_utility_term *t = &spec->term[k];
        for (uint32_t u = 0; u < 2; u++)
            for (uint32_t s = 0; s < 2; s++)
                if ((t->action == ASIF_ANY || t->action == u) && (t->index == ASIF_ANY || t->index == s))
                    out[2 * u + s] +=
                        t->coefficient * (t->parameter == ASIF_ANY ? 1 : first + step * t->parameter);
    }
}

/* Parameters have the values 10, 11, ... in the order in which the utility has them: [stay near, stay far, go
 * near, go far]. */
static const struct {
    const char *name, *utility, *parameters, *table;
    double want[4];
} meanings[] = {
    {"by state",
     "{features: f.csv}",
     "{alpha: 1, a: 1, b: 2}",
     "state,a,b\nnear,1,0\nfar,0.5,-2\n",
     {10, -17, 10, -17}},
    {"a constant",
     "{features: f.csv}",
     "{alpha: 1, a: 1}",
     "state,constant,a\nfar,3,0\nnear,-1,1\n",
     {9, 3, 9, 3}},
    {"by action",
     "{features: f.csv}",
     "{alpha: 1, a: 1}",
     "action,state,a\ngo,near,2\nany,far,1\nstay,any,-1\n",
     {-10, 0, 20, 10}},
    {"semicolons and quotes",
     "{features: f.csv}",
     "{alpha: 1, a: 1}",
     "\"state\";\"a\"\n\"far\";1\nnear;2\n",
     {20, 10, 20, 10}},
    {"two parts",
     "[{features: f.csv}, {stay: 0, go: b}]",
     "{alpha: 1, a: 1, b: 2}",
     "state,a\nnear,1\nfar,0\n",
     {10, 0, 21, 11}},
    {"a pattern",
     "{features: f.csv}",
     "{alpha: 1, x2: 5, x*: {learn: normal(0, 1), standard: 0}}",
     "state,x1,x2\nnear,1,0\nfar,0,1\n",
     {11, 10, 11, 10}},
    {"the longest pattern",
     "{features: f.csv}",
     "{alpha: 1, \"*\": 7, x.*: {learn: normal(0, 1), standard: 0}}",
     "state,x.1,y\nnear,1,0\nfar,0,1\n",
     {10, 11, 10, 11}},
    {"a table", "{table: v}", "{alpha: 1, v.*: {learn: normal(0, 1), standard: 0}}", NULL, {10, 12, 11, 13}},
    {"a table by state", "{table: v, by: state}", "{alpha: 1, v.far: 3, v.*: 4}", NULL, {11, 10, 11, 10}},
};

static void meaning(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        asif_study *study = NULL;
        asif_error error = ASIF_ERROR_INIT;
        double got[4];
        asif_status status = read_study(&study, meanings[i].utility, meanings[i].parameters,
                                        meanings[i].table, study_name, NULL, &error);
        CHECK(status == ASIF_OK, "%s: %s:%u:%u: %s", meanings[i].name, error.file, error.line, error.column,
              error.message);
        utility_of(study, 10, 1, got);
        for (uint32_t k = 0; k < 4; k++)
            CHECK(got[k] == meanings[i].want[k], "%s, cell %u: %g", meanings[i].name, k, got[k]);
        asif_study_free(study);
    }
}

static void pattern_gives_all(void **state) {
    (void)state;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_estimate_spec spec[8];
    assert_int_equal(read_study(&study, "{table: v}",
                                "{alpha: 1, v.far.go: 2, v.*: {learn: \"normal(1, 2)\", standard: 3}}", NULL,
                                study_name, NULL, &error),
                     ASIF_OK);
    static const char *const names[] = {"v.near.stay", "v.near.go", "v.far.stay"};
    assert_int_equal(asif_study_estimates(study, spec, 8), 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(spec[i].name, names[i]);
        assert_string_equal(spec[i].prior, "normal(1, 2)");
        assert_true(spec[i].standard == 3);
    }
    double value = 0;
    assert_int_equal(asif_theta_get(asif_study_theta(study), "v.far.go", &value, NULL), ASIF_OK);
    assert_true(value == 2);
    assert_null(asif_study_files(study, 0));
    asif_study_free(study);
}

/* Utilities whose standards are all worth the same are scaled to 1 if each has a prior of its own. */
static void span_of_equal_standards(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        asif_status status;
    } rows[] = {{"{alpha: 1, v.*: {learn: normal(0, 1), standard: 0}}", ASIF_OK},
                {"{alpha: 1, v.*: {learn: \"\", standard: 0}}", ASIF_EINVALID}};
    for (size_t i = 0; i < 2; i++) {
        asif_study *study = NULL;
        asif_estimates *estimates = NULL;
        asif_error error = ASIF_ERROR_INIT;
        asif_estimate_spec spec[8];
        assert_int_equal(read_study(&study, "{table: v}", rows[i].parameters, NULL, study_name, NULL, &error),
                         ASIF_OK);
        uint32_t count = asif_study_estimates(study, spec, 8);
        asif_status status = asif_estimates_create(&estimates, context, asif_study_theta(study), spec, count,
                                                   ASIF_PRIORS_STATED, NULL, &error);
        CHECK(status == rows[i].status, "%s: %d, %s", rows[i].parameters, status, error.message);
        if (status == ASIF_OK)
            assert_true(asif_estimates_span(estimates) == 1);
        asif_estimates_free(estimates);
        asif_study_free(study);
    }
}

static void files_are_named(void **state) {
    (void)state;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(read_study(&study, "[{features: f.csv}, {features: f.csv}]", "{alpha: 1, a: 1}",
                                "state,a\nnear,1\nfar,2\n", study_name, NULL, &error),
                     ASIF_OK);
    assert_string_equal(asif_study_files(study, 0), "f.csv");
    assert_null(asif_study_files(study, 1));
    asif_study_free(study);
}

/* ---- mistakes ---- */

static const struct {
    const char *name, *utility, *parameters, *table, *place, *message, *hint;
} mistakes[] = {
    {"no such file", "{features: g.csv}", "{alpha: 1, a: 1}", NULL, "study.yaml:7:23",
     "`g.csv`:", "folder of the study"},
    {"no state", "{features: f.csv}", "{alpha: 1, a: 1}", "cell,a\nnear,1\n", "f.csv:1:1",
     "no parameter of the study", "declare it"},
    {"no column state", "{features: f.csv}", "{alpha: 1, a: 1}", "a\n1\n", "f.csv:1:1", "no column `state`",
     "first line"},
    {"nothing but states", "{features: f.csv}", "{alpha: 1, a: 1}", "state\nnear\n", "f.csv:1:1",
     "no features", "a column for each"},
    {"a column misspelt", "{features: f.csv}", "{alpha: 1, water: 1}", "state,watr\nnear,1\n", "f.csv:1:2",
     "`watr` is no parameter", "did you mean `water`?"},
    {"a column twice", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a,a\nnear,1,1\n", "f.csv:1:3",
     "two columns `a`", "remove"},
    {"a column of the agent", "{features: f.csv}", "{alpha: 1}", "state,alpha\nnear,1\n", "f.csv:1:2",
     "not a utility", "another name"},
    {"a state misspelt", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nnear,1\nfra,1\n", "f.csv:3:1",
     "there is no state `fra`", "did you mean `far`?"},
    {"an action misspelt", "{features: f.csv}", "{alpha: 1, a: 1}", "state,action,a\nnear,sty,1\n",
     "f.csv:2:2", "there is no action `sty`", "did you mean `stay`?"},
    {"a word", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nnear,yes\n", "f.csv:2:2",
     "must be a finite number, not `yes`", "1 and 0"},
    {"nothing", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nnear,\n", "f.csv:2:2",
     "a feature is missing", "write 0"},
    {"a state twice", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nnear,1\nfar,1\nnear,2\n",
     "f.csv:4:1", "`near` stands twice (first in row 1)", "remove one"},
    {"too few cells", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nnear\n", "f.csv:2:2",
     "the row has 1 cell, the header 2", "every column"},
    {"no rows", "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\n", "study.yaml:7:23", "has no rows",
     "for each state"},
    {"no table", "{features: f.csv}", "{alpha: 1, a: 1}", "", "f.csv:1:1", "the table is empty", ""},
    {"another key", "{features: f.csv, by: state}", "{alpha: 1, a: 1}", "state,a\nnear,1\n",
     "study.yaml:7:30", "unknown key `by`", ""},
    {"a table without parameters", "{table: v}", "{alpha: 1}", NULL, "study.yaml:7:20",
     "the parameter `v.near.stay` of the table is missing", "`v.*: {learn"},
    {"a table by something", "{table: v, by: stat}", "{alpha: 1, v.*: 1}", NULL, "study.yaml:7:27",
     "`by` cannot be `stat`", "did you mean `state`?"},
    {"a pattern without standard", "{table: v}", "{alpha: 1, v.*: learn}", NULL, "study.yaml:8:26",
     "the estimated utility `v.*` has no `standard`", "v.*: {learn"},
    {"a pattern twice", "{table: v}", "{alpha: 1, v.*: 1, \"v.*\": 2}", NULL, "study.yaml:8:34", "twice", ""},
    {"a pattern of no name", "{table: v}", "{alpha: 1, 1v*: 1, v.*: 2}", NULL, "study.yaml:8:26",
     "cannot be the beginning", "begin with a letter"},
};

static void mistakes_are_met(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        asif_study *study = NULL;
        asif_error error = ASIF_ERROR_INIT;
        char place[600];
        asif_status status = read_study(&study, mistakes[i].utility, mistakes[i].parameters,
                                        mistakes[i].table, study_name, NULL, &error);
        const char *slash = strrchr(error.file, '/');
        snprintf(place, sizeof place, "%s:%u:%u", slash ? slash + 1 : error.file, error.line, error.column);
        CHECK(status != ASIF_OK && !study, "%s: not met", mistakes[i].name);
        CHECK(strcmp(place, mistakes[i].place) == 0, "%s: at %s (%s)", mistakes[i].name, place,
              error.message);
        CHECK(strstr(error.message, mistakes[i].message), "%s: %s", mistakes[i].name, error.message);
        CHECK(strstr(error.hint, mistakes[i].hint), "%s: hint %s", mistakes[i].name, error.hint);
    }
}

/* A study that is no file opens none. */
static void without_a_folder(void **state) {
    (void)state;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(read_study(&study, "{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nnear,1\nfar,2\n",
                                NULL, NULL, &error),
                     ASIF_EINVALID);
    assert_non_null(strstr(error.message, "not a file"));
}

static void notes(void **state) {
    (void)state;
    static const struct {
        const char *utility, *parameters, *table, *message;
        asif_severity severity;
    } rows[] = {
        {"{features: f.csv}", "{alpha: 1, a: 1}", "state,a\nfar,1\n", "1 of 2 states have no row",
         ASIF_PROBLEM_NOTE},
        {"{features: f.csv}", "{alpha: 1, a: 1}", "state,action,a\nfar,go,1\nnear,go,1\n",
         "the action `stay` has no utility", ASIF_PROBLEM_WARNING},
        {"{features: f.csv}", "{alpha: 1, a: 1, w.*: 1}", "state,a\nfar,1\nnear,1\n", "begins with `w.`",
         ASIF_PROBLEM_WARNING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_study *study = NULL;
        asif_problems *problems = NULL;
        asif_severity severity = ASIF_PROBLEM_ERROR;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
        assert_int_equal(read_study(&study, rows[i].utility, rows[i].parameters, rows[i].table, study_name,
                                    problems, &error),
                         ASIF_OK);
        assert_int_equal(asif_problems_count(problems), 1);
        CHECK(strstr(asif_problems_get(problems, 0, &severity)->message, rows[i].message), "row %zu", i);
        assert_int_equal(severity, rows[i].severity);
        asif_problems_free(problems);
        asif_study_free(study);
    }
}

/* Every allocation fails once. */
static void too_little_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *before = context;
    asif_status status = ASIF_ENOMEM;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    long made = memory.made;
    for (long left = 0; status != ASIF_OK && left < 10000; left++) {
        asif_study *study = NULL;
        long alive = memory.alive;
        memory.left = left;
        status = read_study(&study, "[{features: f.csv}, {table: v}]", "{alpha: 1, a: 1, v.*: 2}",
                            "state,a\nfar,1\nnear,2\n", study_name, NULL, NULL);
        CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "%d after %ld allocations", status, left);
        asif_study_free(study);
        assert_int_equal(memory.alive, alive);
    }
    memory.left = -1;
    assert_int_equal(status, ASIF_OK);
    assert_true(memory.made > made);
    asif_context_free(context);
    context = before;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meaning),
        cmocka_unit_test(pattern_gives_all),
        cmocka_unit_test(files_are_named),
        cmocka_unit_test(span_of_equal_standards),
        cmocka_unit_test(mistakes_are_met),
        cmocka_unit_test(without_a_folder),
        cmocka_unit_test(notes),
        cmocka_unit_test(too_little_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
