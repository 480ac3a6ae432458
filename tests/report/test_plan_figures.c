/* Figures of one agent through the API: which there are, what is refused, and what happens without memory. */
#include "check.h"

#include "asif.h"
#include "asif/report.h"

#include <string.h>

static const char two[] = "asif: 1\n"
                          "states: [well, \"\xe2\x80\xaeill\"]\n"
                          "actions: [go, look]\n"
                          "observations: [no, yes]\n"
                          "environment:\n"
                          "  start: [0.5, 0.5]\n"
                          "  transitions: {go: reset}\n"
                          "  emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
                          "  ends: [go]\n"
                          "agent:\n"
                          "  discount: 0.8\n"
                          "  utility: {go: {well: -5, any: 5}, look: -1}\n"
                          "  parameters: {alpha: 0.5, beta: 2, eta: 0.1}\n"
                          "solver: {resolution: 10}\n";
static const char three[] = "asif: 1\n"
                            "states: [a, b, c]\n"
                            "actions: [go, look]\n"
                            "observations: [no, yes]\n"
                            "environment:\n"
                            "  start: [0.5, 0.25, 0.25]\n"
                            "  transitions: {go: reset}\n"
                            "  emissions: [[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]]\n"
                            "  ends: [go]\n"
                            "agent:\n"
                            "  discount: 0.8\n"
                            "  worlds: [{}, {emissions: [[0.7, 0.3], [0.5, 0.5], [0.3, 0.7]]}]\n"
                            "  utility: {go: {a: -5, any: 5}, look: -1}\n"
                            "  parameters: {alpha: 0.5, beta: 2, eta: 0.1}\n"
                            "solver: {resolution: 6}\n";
static const char seen[] = "asif: 1\n"
                           "states: [a, b]\n"
                           "actions: [go, stay]\n"
                           "environment: {start: [0.5, 0.5], transitions: {go: reset}}\n"
                           "agent:\n"
                           "  discount: 0.8\n"
                           "  utility: {go: {a: 1, b: 0}}\n"
                           "  parameters: {alpha: 0.5, beta: 2, eta: 0.1}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
} planned;

static void plan(planned *p, const asif_context_options *options, const char *text, bool solve) {
    asif_error error = ASIF_ERROR_INIT;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, options, &error), ASIF_OK);
    asif_status status =
        asif_study_read(&p->study, p->context, text, strlen(text), "study.yaml", NULL, &error);
    CHECK(status == ASIF_OK, "line %u: %s", (unsigned)error.line, error.message);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, asif_study_setting(p->study),
                                      asif_study_solver(p->study), &error),
                     ASIF_OK);
    if (solve)
        assert_int_equal(asif_solve(p->work, asif_study_theta(p->study), NULL, &error), ASIF_OK);
}

static void give_back(planned *p) {
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

static asif_status draw(asif_figures **out, const planned *p, const asif_plan_request *request,
                        asif_error *error) {
    return asif_figures_plan(out, p->context, p->study, p->work, asif_study_theta(p->study), request, error);
}

static void test_which(void **state) {
    static const struct {
        const char *study, *name;
    } rows[] = {{two, "policy"}, {three, "simplex"}, {seen, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_figure_view view = {.struct_size = sizeof view};
        asif_error error = ASIF_ERROR_INIT;
        asif_figures *figures = NULL;
        planned p;
        plan(&p, NULL, rows[i].study, true);
        assert_int_equal(draw(&figures, &p, NULL, &error), ASIF_OK);
        assert_int_equal(asif_figures_count(figures), rows[i].name ? 1 : 0);
        if (rows[i].name) {
            assert_int_equal(asif_figures_get(figures, 0, &view, &error), ASIF_OK);
            assert_string_equal(view.name, rows[i].name);
            assert_int_equal(strlen(view.json), view.length);
        }
        asif_figures_free(figures);
        give_back(&p);
    }
}

static void test_refused(void **state) {
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_figures *figures = NULL;
    planned p;
    (void)state;
    plan(&p, NULL, two, false);
    assert_int_equal(draw(&figures, &p, NULL, &error), ASIF_EDOMAIN);
    assert_null(figures);
    give_back(&p);
    plan(&p, NULL, two, true);
    request.start = 1;
    assert_int_equal(draw(&figures, &p, &request, &error), ASIF_EDOMAIN);
    uint32_t action = 7, observation = 0;
    request = (asif_plan_request)ASIF_PLAN_REQUEST_INIT;
    request.events = 1;
    request.action = &action;
    request.observation = &observation;
    assert_int_equal(draw(&figures, &p, &request, &error), ASIF_EDOMAIN);
    assert_null(figures);
    give_back(&p);
}

static void test_memory(void **state) {
    static const char *const studies[] = {two, three};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        planned p;
        plan(&p, &options, studies[i], true);
        long alive = memory.alive, step = 1;
        asif_status status = ASIF_ENOMEM;
        for (long left = 0; status != ASIF_OK; left += step) {
            asif_error error = ASIF_ERROR_INIT;
            asif_figures *figures = NULL;
            memory.left = left;
            status = draw(&figures, &p, NULL, &error);
            memory.left = -1;
            CHECK(status == ASIF_OK || (status == ASIF_ENOMEM && !figures), "left %ld: %d", left,
                  (int)status);
            asif_figures_free(figures);
            CHECK(memory.alive == alive, "left %ld: %ld pieces are left", left, memory.alive - alive);
            step = 1 + left / 40;
        }
        give_back(&p);
        assert_int_equal(memory.alive, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
