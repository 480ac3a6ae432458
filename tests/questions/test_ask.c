/* Questions through asif_ask(): mistakes are named, and the answer is that of the function behind it. */
#include "check.h"
#include "problems.h"

#include "asif/ask.h"
#include "asif/files.h"
#include "questions/identify/identify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char choice[] =
    "asif: 1\n"
    "states: [s, t]\n"
    "actions: [a, b]\n"
    "observations: [nothing]\n"
    "environment: {transitions: reset, start: uniform, emissions: uniform, ends: [a, b]}\n"
    "agent: {discount: 0.5, utility: {a: x, b: 0}, parameters: {alpha: learn, x: 1}}\n"
    "solver: {resolution: 4}\n";

typedef struct {
    asif_context *context;
    char folder[64], path[96];
    uint32_t told; /* times that problems were told */
} fixture;

static void open_fixture(fixture *f) {
    memset(f, 0, sizeof *f);
    strcpy(f->folder, "/tmp/asif-ask-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/study.yaml", f->folder);
    assert_int_equal(asif_context_create(&f->context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_file_write(f->context, f->path, choice, strlen(choice), NULL, NULL), ASIF_OK);
}

static void close_fixture(fixture *f) {
    asif_context_free(f->context);
    unlink(f->path);
    rmdir(f->folder);
}

static void count_told(void *user, asif_problems *problems, const char *line) {
    fixture *f = user;
    f->told += problems != NULL;
    assert_true(problems || line);
}

/* The status, message and hint of a question that cannot be answered. */
static asif_status ask_wrongly(fixture *f, const char *question, const char *operand, const char *name,
                               const char *value, asif_error *error) {
    asif_given given = {name, value};
    asif_asked asked = ASIF_ASKED_INIT;
    asif_answer *answer = (asif_answer *)f; /* anything but NULL */
    asked.operand = &operand;
    asked.operands = operand ? 1 : 0;
    asked.given = &given;
    asked.givens = 1;
    asif_status status = asif_ask(&answer, f->context, question, &asked, NULL, error);
    assert_null(answer);
    assert_int_not_equal(status, ASIF_OK);
    return status;
}

static void test_mistakes(void **state) {
    (void)state;
    fixture f;
    asif_error error = ASIF_ERROR_INIT;
    open_fixture(&f);
    assert_int_equal(ask_wrongly(&f, "identfy", f.path, "seed", "1", &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.message, "identfy"));
    assert_int_equal(ask_wrongly(&f, NULL, f.path, "seed", "1", &error), ASIF_EUNKNOWN);
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "sede", "1", &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.message, "sede"));
    assert_non_null(strstr(error.hint, "`seed`"));
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "chains", "0", &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "from 1 to 1000"));
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "chains", "many", &error), ASIF_EINVALID);
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "target-accept", "1.5", &error), ASIF_EINVALID);
    assert_int_equal(ask_wrongly(&f, "identify", NULL, "seed", "1", &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "STUDY"));
    assert_int_equal(ask_wrongly(&f, "identify", f.path, NULL, "1", &error), ASIF_EINVALID);
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "seed", NULL, &error), ASIF_EINVALID);
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "param", "alpha", &error), ASIF_EINVALID);
    assert_int_equal(ask_wrongly(&f, "identify", f.path, "seed", "1", NULL), ASIF_EINVALID);
    assert_int_equal(ask_wrongly(&f, "identify", "/nonexistent/study.yaml", "seed", "1", &error),
                     ASIF_ENOFILE);
    close_fixture(&f);
}

static void test_what_is_asked(void **state) {
    (void)state;
    fixture f;
    asif_asked asked = ASIF_ASKED_INIT;
    const char *const missing[] = {NULL};
    asif_answer *answer;
    open_fixture(&f);
    assert_int_equal(asif_ask(&answer, f.context, "identify", NULL, NULL, NULL), ASIF_EDOMAIN);
    asked.struct_size = 1;
    assert_int_equal(asif_ask(&answer, f.context, "identify", &asked, NULL, NULL), ASIF_EDOMAIN);
    asked.struct_size = sizeof asked;
    asked.operand = missing;
    asked.operands = 1;
    assert_int_equal(asif_ask(&answer, f.context, "identify", &asked, NULL, NULL), ASIF_EINVALID);
    asif_answer_free(NULL);
    close_fixture(&f);
}

/* What `identify` answers, by the function itself. */
static char *by_hand(asif_context *context) {
    asif_study *study = NULL;
    asif_theta *agent = NULL, *given = NULL;
    asif_work *work = NULL;
    asif_estimate_spec spec[1];
    asif_estimates *estimates = NULL;
    asif_fitted fitted = ASIF_FITTED_INIT;
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_rival rival = ASIF_RIVAL_INIT;
    asif_identify *made = NULL;
    char *json = NULL;
    assert_int_equal(asif_study_read(&study, context, choice, strlen(choice), NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_study_estimates(study, spec, 1), 1);
    assert_int_equal(
        asif_work_create(&work, context, NULL, asif_study_setting(study), asif_study_solver(study), NULL),
        ASIF_OK);
    assert_int_equal(asif_estimates_scaled(&estimates, context, work, asif_study_theta(study), spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_theta_copy(&agent, asif_study_theta(study), NULL), ASIF_OK);
    assert_int_equal(asif_theta_copy(&given, asif_study_theta(study), NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(agent, "alpha", 0.5, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(given, "alpha", 2, NULL), ASIF_OK);
    fitted.context = context;
    fitted.setting = asif_study_setting(study);
    fitted.given = asif_study_theta(study);
    fitted.spec = spec;
    fitted.specs = 1;
    fitted.estimates = estimates;
    fitted.work = work;
    fitted.seed = 3;
    options.title = asif_study_title(study);
    options.agent = agent;
    options.rivals_only = true;
    options.rival_episodes = 400;
    rival.name = "alpha=2";
    rival.work = work;
    rival.given = given;
    assert_int_equal(asif_identify_run(&made, &fitted, &options, &rival, 1, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_identify_json(&json, made, NULL), ASIF_OK);
    asif_identify_free(made);
    asif_estimates_free(estimates);
    asif_work_free(work);
    asif_theta_free(agent);
    asif_theta_free(given);
    asif_study_free(study);
    return json;
}

static void test_answer(void **state) {
    (void)state;
    static const asif_given given[] = {
        {"draws", "0"}, {"against", "alpha=2"}, {"param", "alpha=0.5"}, {"rival-logs", "400"}, {"seed", "3"}};
    fixture f;
    open_fixture(&f);
    const char *const operand[] = {f.path};
    asif_asked asked = ASIF_ASKED_INIT;
    asif_answer *answer = NULL;
    asif_problems *problems = NULL;
    char *json = NULL, *text = NULL, *expected = by_hand(f.context);
    asked.operand = operand;
    asked.operands = 1;
    asked.given = given;
    asked.givens = 5;
    asked.tell = count_told;
    asked.user = &f;
    assert_int_equal(asif_problems_create(&problems, f.context, 0, NULL), ASIF_OK);
    assert_int_equal(asif_ask(&answer, f.context, "identify", &asked, problems, NULL), ASIF_OK);
    assert_int_equal(f.told, 2); /* of the study, and of the agent */
    assert_int_equal(asif_answer_json(&json, answer, NULL), ASIF_OK);
    assert_string_equal(json, expected);
    assert_int_equal(asif_answer_text(&text, answer, NULL, NULL), ASIF_OK);
    assert_non_null(strstr(text, "alpha=2"));
    assert_false(asif_answer_no(answer));
    asif_memory_free(f.context, text);
    assert_int_equal(asif_answer_table(&text, answer, NULL), ASIF_EUNSUPPORTED);
    assert_null(text);
    asif_memory_free(f.context, json);
    asif_memory_free(f.context, expected);
    asif_problems_free(problems);
    asif_answer_free(answer);
    close_fixture(&f);
}

/* Every question has what its help is made of. */
static void test_registry(void **state) {
    (void)state;
    const asif_question_info *info;
    uint32_t count = 0;
    for (; (info = asif_question(count)); count++) {
        assert_ptr_equal(asif_question_named(info->name), info);
        assert_true(info->summary && info->about && info->examples && info->operands);
        assert_true(info->least_operands <= info->most_operands);
        for (const asif_option *option = info->option; option->name; option++)
            assert_true(option->help && option->least <= option->most);
    }
    assert_true(count > 0);
    assert_null(asif_question_named("nothing"));
    assert_null(asif_question_named(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_what_is_asked),
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
