/* Fits with rival explanations: what a top does not know is NaN. */
#include "check.h"

#include "asif.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Optimism and pessimism make the same choice more likely: the likelihood is even in optimism. */
#define SELF "p1: p1, p2: p2, m1: m1, m2: m2}"
static const char study_text[] = "asif: 1\n"
                                 "states: [go, p1, p2, m1, m2]\n"
                                 "actions: [A, B]\n"
                                 "environment:\n"
                                 "  start: go\n"
                                 "  terminal: [p1, p2, m1, m2]\n"
                                 "  transitions:\n"
                                 "    A: {go: {p1: 0.6666666667, m2: 0.3333333333}, " SELF "\n"
                                 "    B: {go: {p2: 0.3333333333, m1: 0.6666666667}, " SELF "\n"
                                 "agent:\n"
                                 "  discount: 0.9\n"
                                 "  worlds:\n"
                                 "    - transitions: {A: {go: p1, " SELF ", B: {go: p2, " SELF "}\n"
                                 "    - transitions: {A: {go: p1, " SELF ", B: {go: m1, " SELF "}\n"
                                 "    - transitions: {A: {go: m2, " SELF ", B: {go: m1, " SELF "}\n"
                                 "  utility: {any: {go: 0, p1: 1, p2: 2, m1: -1, m2: -2}}\n"
                                 "  parameters: {alpha: 0.3, optimism: learn, eta: 0}\n";

static asif_tree *make_logs(const asif_context *context, const asif_setting *setting) {
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_text text = {.context = context};
    asif_tree *tree = NULL;
    reading.setting = setting;
    asif_text_add(&text, "episode,t,state,action\n");
    for (int i = 0; i < 400; i++)
        asif_text_addf(&text, "%d,0,go,%s\n", i, i < 328 ? "B" : "A");
    assert_int_equal(
        asif_logs_read_text(&tree, context, text.data, text.length, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    asif_text_free(&text);
    return tree;
}

static void check_tops(const asif_fit_view *view) {
    assert_int_equal(view->tops, 2);
    assert_true(view->rivals);
    for (uint32_t k = 0; k < view->tops; k++) {
        const asif_fit_parameter *p = view->top[k].parameter;
        assert_true(isnan(p->error_outer) && isnan(p->error_clustered));
        assert_true(isnan(p->prior_sensitivity) && isnan(p->likelihood_sensitivity));
        assert_true(isfinite(p->maximum) && isfinite(p->summary.sd));
    }
    assert_true(view->top[0].parameter->maximum * view->top[1].parameter->maximum < 0);
}

static void test_unknown(void **state) {
    (void)state;
    static const asif_fit_method methods[] = {ASIF_FIT_ML, ASIF_FIT_MAP, ASIF_FIT_NUTS};
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_estimates *estimates;
    asif_estimate_spec spec[2];
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_study_read(&study, context, study_text, strlen(study_text), "study", NULL, NULL),
                     ASIF_OK);
    const asif_setting *setting = asif_study_setting(study);
    assert_int_equal(asif_work_create(&work, context, NULL, setting, asif_study_solver(study), NULL),
                     ASIF_OK);
    assert_int_equal(asif_study_estimates(study, spec, 2), 1);
    assert_int_equal(asif_estimates_create(&estimates, context, asif_study_theta(study), spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    asif_tree *tree = make_logs(context, setting);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        asif_fit *fit = NULL;
        asif_fit_options options;
        asif_fit_view view = {.struct_size = sizeof view};
        asif_fit_defaults(&options, methods[i]);
        options.sample.warmup = options.sample.draws = 100;
        assert_int_equal(asif_fit_estimate(&fit, context, work, estimates, tree, &options, NULL, NULL),
                         ASIF_OK);
        assert_int_equal(asif_fit_get(fit, &view, NULL), ASIF_OK);
        check_tops(&view);
        asif_fit_free(fit);
    }
    asif_tree_free(tree);
    asif_estimates_free(estimates);
    asif_work_free(work);
    asif_study_free(study);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
