/* Reports of studies and plans: what they say of settings of many shapes, and what they do without memory. */
#include "check.h"

#include "asif.h"

#include <string.h>

/* Labels of two alphabets and with quotes, worlds of unequal weight, an action prior. */
static const char odd[] = "asif: 1\n"
                          "title: Na\xc3\xafve\n"
                          "states: [\xe5\x81\xa5\xe5\xba\xb7, malade, \"say \\\"ill\\\"\"]\n"
                          "actions: [wait, look closely, act]\n"
                          "observations: [quiet, loud]\n"
                          "environment:\n"
                          "  start: [0.5, 0.25, 0.25]\n"
                          "  transitions: {act: reset}\n"
                          "  emissions: [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]\n"
                          "  ends: [act]\n"
                          "agent:\n"
                          "  discount: 0.8\n"
                          "  action_prior: [0.5, 0.25, 0.25]\n"
                          "  worlds:\n"
                          "    - weight: 3\n"
                          "    - emissions: [[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]]\n"
                          "  utility:\n"
                          "    act: {malade: gain, any: -1}\n"
                          "  parameters: {gain: 4, alpha: 0.5, beta: 2, eta: 0.1}\n"
                          "solver: {resolution: 10}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_theta *theta;
    asif_work *work;
    asif_plan_info info;
} planned;

static void plan(planned *p, const asif_context_options *options, const char *text) {
    asif_error error = ASIF_ERROR_INIT;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, options, &error), ASIF_OK);
    asif_status status = asif_study_read(&p->study, p->context, text, strlen(text), "odd.yaml", NULL, &error);
    CHECK(status == ASIF_OK, "line %u: %s", (unsigned)error.line, error.message);
    assert_int_equal(asif_theta_copy(&p->theta, asif_study_theta(p->study), &error), ASIF_OK);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, asif_study_setting(p->study),
                                      asif_study_solver(p->study), &error),
                     ASIF_OK);
    assert_int_equal(asif_solve(p->work, p->theta, &p->info, &error), ASIF_OK);
}

static void give_back(planned *p) {
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* Bytes 10xxxxxx continue a character; only the two signs of the first state are wider than one column. */
static void check_lines(const char *text, uint32_t width, bool ascii) {
    uint32_t column = 0;
    for (const char *s = text; *s; s++) {
        unsigned char byte = (unsigned char)*s;
        column = byte == '\n'            ? 0
                 : (byte & 0xc0) == 0x80 ? column
                                         : column + (byte >= 0xe5 && byte < 0xea ? 2 : 1);
        CHECK(column <= width, "a line is wider than %u columns:\n%s", (unsigned)width, text);
        CHECK(byte != '\n' || s == text || s[-1] != ' ', "a line ends with a blank:\n%s", text);
        CHECK(!ascii || byte < 0xe2 || byte > 0xe2, "drawn with more than ASCII:\n%s", text);
    }
}

static char *report_of(planned *p, const asif_plan_request *request, const asif_report_options *options,
                       asif_error *error) {
    char *text = NULL;
    asif_status status =
        asif_report_plan(&text, p->context, p->study, p->work, p->theta, &p->info, request, options, error);
    assert_int_equal(status == ASIF_OK, text != NULL);
    return text;
}

static void test_widths(void **state) {
    (void)state;
    planned p;
    plan(&p, NULL, odd);
    const double belief[] = {0.2, 0.3, 0.5, 1, 0, 0};
    const uint32_t action[] = {0, 1}, observation[] = {1, 0};
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    for (uint32_t width = 60; width <= 100; width += 20)
        for (int asked = 0; asked < 2; asked++) {
            asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
            options.width = width;
            options.unicode = asked == 1;
            if (asked) {
                request.beliefs = 2;
                request.belief = belief;
                request.events = 2;
                request.action = action;
                request.observation = observation;
            }
            char *text = report_of(&p, &request, &options, NULL);
            assert_non_null(text);
            check_lines(text, width, !options.unicode);
            asif_memory_free(p.context, text);
            assert_int_equal(asif_report_study(&text, p.context, p.study, &options, NULL), ASIF_OK);
            check_lines(text, width, !options.unicode);
            asif_memory_free(p.context, text);
        }
    give_back(&p);
}

static void test_study(void **state) {
    (void)state;
    planned p;
    plan(&p, NULL, odd);
    char *text = NULL;
    assert_int_equal(asif_report_study(&text, p.context, p.study, NULL, NULL), ASIF_OK);
    static const char *const words[] = {
        "act (ends an episode)",
        "after wait, look closely: the state stays as it is",
        "after act: a new case begins",
        "prior       wait 0.5, look closely 0.25, act 0.25",
        "world 1, weight 75.0 %: the world as it is",
        "world 2, weight 25.0 %: differs in this",
        "gain=4",
        "a lattice of 66", /* C(12, 2) */
        "to estimate nothing",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CHECK(strstr(text, words[i]), "'%s' is not in:\n%s", words[i], text);
    asif_memory_free(p.context, text);
    give_back(&p);
}

static void test_mistakes(void **state) {
    (void)state;
    planned p;
    plan(&p, NULL, odd);
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    request.start = 1;
    assert_null(report_of(&p, &request, NULL, &error));
    assert_int_equal(error.status, ASIF_EDOMAIN);

    const uint32_t action[] = {3}, observation[] = {0};
    request = (asif_plan_request)ASIF_PLAN_REQUEST_INIT;
    request.events = 1;
    request.action = action;
    request.observation = observation;
    assert_null(report_of(&p, &request, NULL, &error));
    assert_int_equal(error.status, ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "step 1"));
    give_back(&p);
}

static void test_no_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options context_options = ASIF_CONTEXT_OPTIONS_INIT;
    context_options.reallocate = failing_reallocate;
    context_options.user = &memory;
    planned p;
    plan(&p, &context_options, odd);
    const double belief[] = {0.2, 0.3, 0.5};
    const uint32_t action[] = {0}, observation[] = {1};
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    request.beliefs = 1;
    request.belief = belief;
    request.events = 1;
    request.action = action;
    request.observation = observation;
    request.occupancy = true;
    /* What the workspace makes at its first use and keeps is not a leak. */
    asif_memory_free(p.context, report_of(&p, &request, NULL, NULL));
    for (int kind = 0; kind < 4; kind++) {
        asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
        options.json = kind & 1;
        bool done = false;
        for (long left = 0; !done; left++) {
            long alive = memory.alive;
            asif_error error = ASIF_ERROR_INIT;
            char *text = NULL;
            memory.left = left;
            if (kind & 2)
                asif_report_study(&text, p.context, p.study, &options, &error);
            else
                text = report_of(&p, &request, &options, &error);
            memory.left = -1;
            done = text != NULL;
            assert_int_equal(error.status, done ? ASIF_OK : ASIF_ENOMEM);
            asif_memory_free(p.context, text);
            assert_int_equal(memory.alive, alive);
            assert_true(left < 100000);
        }
    }
    give_back(&p);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_study),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
