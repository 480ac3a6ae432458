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
    for (uint32_t width = 40; width <= 100; width += 20)
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
        "world 1, weight 75.0 %: the environment as it is",
        "world 2, weight 25.0 %: differs as follows",
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

/* Sizes of another version: what a struct does not hold is the default, one that is larger is refused. */
static void test_sizes(void **state) {
    (void)state;
    planned p;
    plan(&p, NULL, odd);
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    request.start = 1;
    request.struct_size = offsetof(asif_plan_request, start);
    char *text = report_of(&p, &request, NULL, &error);
    assert_non_null(text);
    asif_memory_free(p.context, text);
    request.struct_size = sizeof request + 8;
    assert_null(report_of(&p, &request, NULL, &error));
    assert_int_equal(error.status, ASIF_EDOMAIN);

    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.struct_size = sizeof options + 8;
    assert_int_equal(asif_report_study(&text, p.context, p.study, &options, NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_report_list(&text, p.context, NULL, &options, NULL), ASIF_EDOMAIN);
    assert_null(text);
    give_back(&p);
}

/* A state to begin with: only where states are seen, and only one that there is. */
static void test_first(void **state) {
    (void)state;
    static const char seen[] = "asif: 1\nstates: 3\nactions: [u]\nenvironment: {start: [0.2, 0.5, 0.3]}\n"
                               "agent: {discount: 0.5, utility: {u: {0: 1, 1: 2, 2: 4}}, parameters: "
                               "{alpha: 1}}\n";
    planned p;
    plan(&p, NULL, seen);
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = true;
    request.occupancy = true;
    /* States stay as they are, so that a value is twice the utility. */
    static const struct {
        uint32_t first;
        const char *state, *value;
    } rows[] = {{ASIF_ANY, "\"state\": \"1\"", "\"utility\": 2.4"}, /* 0.2 + 2 0.5 + 4 0.3 */
                {0, "\"state\": \"0\"", "\"utility\": 1"},
                {2, "\"state\": \"2\"", "\"utility\": 4"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        request.first = rows[i].first;
        char *text = report_of(&p, &request, &options, NULL);
        CHECK(text && strstr(text, rows[i].state) && strstr(text, rows[i].value), "%s and %s are not in:\n%s",
              rows[i].state, rows[i].value, text);
        asif_memory_free(p.context, text);
    }
    asif_error error = ASIF_ERROR_INIT;
    request.first = 3;
    assert_null(report_of(&p, &request, &options, &error));
    assert_int_equal(error.status, ASIF_EDOMAIN);
    give_back(&p);
}

static void test_problems(void **state) {
    (void)state;
    static const char text[] = "asif: 1\nstates: [a]\nactions: [u]\nzebra: \"\"\nenvironment: {}\nagent: "
                               "{discount: 0.5, utility: {u: x}, parameters: {alpha: 1}}\n";
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    char *shown = NULL;
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_problems_create(&problems, context, 2, NULL), ASIF_OK);
    assert_int_equal(asif_report_problems(&shown, context, problems, &options, NULL), ASIF_OK);
    assert_string_equal(shown, "");
    asif_memory_free(context, shown);

    assert_int_equal(asif_study_read(&study, context, text, sizeof text - 1, "z.yaml", problems, NULL),
                     ASIF_EPARSE);
    assert_int_equal(asif_report_problems(&shown, context, problems, NULL, NULL), ASIF_OK);
    static const char zebra[] = "z.yaml:4:1: unknown key `zebra`\n  hint: the keys here are `asif`, ";
    static const char note[] = "\nz.yaml:5:14: note: no `start` is given: all states are as likely\n  hint: ";
    CHECK(strncmp(shown, zebra, sizeof zebra - 1) == 0, "%s", shown);
    CHECK(strstr(shown, note), "%s", shown);
    /* The error in the utility found no room. */
    CHECK(strcmp(shown + strlen(shown) - 11, "and 1 more\n") == 0, "%s", shown);
    asif_memory_free(context, shown);

    options.errors_only = options.json = true;
    assert_int_equal(asif_report_problems(&shown, context, problems, &options, NULL), ASIF_OK);
    static const char json[] =
        "[\n  {\n    \"severity\": \"error\",\n    \"file\": \"z.yaml\",\n    \"line\": "
        "4,\n    \"column\": 1,\n    \"message\": \"unknown key `zebra`\",\n    \"hint\": ";
    CHECK(strncmp(shown, json, sizeof json - 1) == 0, "%s", shown);
    CHECK(!strstr(shown, "note"), "%s", shown);
    asif_memory_free(context, shown);
    asif_problems_free(problems);
    asif_context_free(context);
}

static void test_list(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_error error = ASIF_ERROR_INIT;
    char *text = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_report_list(&text, context, NULL, NULL, NULL), ASIF_OK);
    for (uint32_t i = 0; asif_planner_get(i); i++)
        CHECK(strstr(text, asif_planner_get(i)->name), "%s", text);
    for (uint32_t i = 0; asif_preset_get(i); i++)
        CHECK(strstr(text, asif_preset_get(i)->name), "%s", text);
    check_lines(text, 80, true);
    asif_memory_free(context, text);

    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = true;
    assert_int_equal(asif_report_list(&text, context, "formats", &options, NULL), ASIF_OK);
    CHECK(strncmp(text, "{\n  \"formats\": [\n    {\n      \"name\": \"yaml\"", 43) == 0, "%s", text);
    assert_null(strstr(text, "presets"));
    asif_memory_free(context, text);
    assert_int_equal(asif_report_list(&text, context, "planers", NULL, &error), ASIF_EUNKNOWN);
    assert_null(text);
    assert_non_null(strstr(error.hint, "'planners'"));
    assert_int_equal(asif_report_list(&text, context, "cats", NULL, &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.hint, "planners, inverses, presets, formats and pairs"));

    assert_int_equal(asif_report_quoted(&text, context, "a \"b\"\n\xff", NULL), ASIF_OK);
    assert_string_equal(text, "\"a \\\"b\\\"\\n\xef\xbf\xbd\"");
    asif_memory_free(context, text);
    asif_context_free(context);
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
    asif_problems *problems = NULL;
    assert_int_equal(asif_problems_create(&problems, p.context, 0, NULL), ASIF_OK);
    asif_study *none = NULL;
    asif_study_read(&none, p.context, "zebra: 1", 8, NULL, problems, NULL);
    for (int kind = 0; kind < 8; kind++) {
        asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
        options.json = kind & 1;
        bool done = false;
        for (long left = 0; !done; left++) {
            long alive = memory.alive;
            asif_error error = ASIF_ERROR_INIT;
            char *text = NULL;
            memory.left = left;
            if (kind >= 6)
                asif_report_list(&text, p.context, NULL, &options, &error);
            else if (kind >= 4)
                asif_report_problems(&text, p.context, problems, &options, &error);
            else if (kind & 2)
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
    asif_problems_free(problems);
    give_back(&p);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths), cmocka_unit_test(test_study),     cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_first),     cmocka_unit_test(test_problems),
        cmocka_unit_test(test_list),   cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
