/* Draws that are found on a coarse lattice and weighted on a fine one are those of the fine lattice. */
#include "check.h"

#include "acting/simulated.h"
#include "asif.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

enum { COARSE = 12, FINE = 30, NUMBERS = 2 };

static const char study_text[] =
    "asif: 1\n"
    "states: [well, ill, worse]\n"
    "actions: [discharge, look, treat]\n"
    "observations: 3\n"
    "environment:\n"
    "  start: [0.4, 0.3, 0.3]\n"
    "  transitions: {look: [[0.95, 0.05, 0], [0, 0.95, 0.05], [0, 0, 1]], any: reset}\n"
    "  emissions: [[0.6, 0.3, 0.1], [0.25, 0.5, 0.25], [0.1, 0.3, 0.6]]\n"
    "  ends: [discharge, treat]\n"
    "agent:\n"
    "  discount: 0.95\n"
    "  worlds:\n"
    "    - emissions: [[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]]\n"
    "    - {}\n"
    "    - emissions: [[0.8, 0.15, 0.05], [0.15, 0.7, 0.15], [0.05, 0.15, 0.8]]\n"
    "  utility:\n"
    "    discharge: {well: 10, ill: -10, worse: -30}\n"
    "    treat: {well: -20, ill: -5, worse: 10}\n"
    "    look: cost\n"
    "  parameters: {alpha: learn, beta: -2, eta: 0, cost: {learn: 'normal(-1, 5)', standard: -1}}\n"
    "solver: {tol: 1e-9}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_tree *logs;
    asif_estimates *estimates;
    asif_work *coarse, *fine;
} problem;

static asif_work *make_work(const problem *p, uint32_t resolution) {
    asif_plan_options solver = *asif_study_solver(p->study);
    asif_work *work = NULL;
    solver.resolution = resolution;
    assert_int_equal(asif_work_create(&work, p->context, NULL, asif_study_setting(p->study), &solver, NULL),
                     ASIF_OK);
    return work;
}

static void make_logs(problem *p) {
    const uint64_t episodes = 400;
    asif_simulated_options simulated = {.episodes = &episodes, .seed = 5, .max_steps = 8};
    asif_theta *theta = NULL;
    assert_int_equal(asif_theta_copy(&theta, asif_study_theta(p->study), NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", .6, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "cost", -1, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->fine, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulated_tree(&p->logs, asif_work_behavior(p->fine), &simulated, NULL), ASIF_OK);
    asif_theta_free(theta);
}

static problem open_problem(uint32_t threads) {
    problem p = {0};
    asif_error error = ASIF_ERROR_INIT;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_estimate_spec spec[NUMBERS];
    options.threads = threads;
    assert_int_equal(asif_context_create(&p.context, &options, NULL), ASIF_OK);
    CHECK(asif_study_read(&p.study, p.context, study_text, strlen(study_text), "s.yaml", NULL, &error) ==
              ASIF_OK,
          "%s", error.message);
    p.coarse = make_work(&p, COARSE);
    p.fine = make_work(&p, FINE);
    make_logs(&p);
    assert_int_equal(asif_study_estimates(p.study, spec, NUMBERS), NUMBERS);
    CHECK(asif_estimates_scaled(&p.estimates, p.context, p.coarse, asif_study_theta(p.study), spec, NUMBERS,
                                ASIF_PRIORS_STATED, NULL, &error) == ASIF_OK,
          "%s", error.message);
    return p;
}

static void close_problem(problem *p) {
    asif_estimates_free(p->estimates);
    asif_tree_free(p->logs);
    asif_work_free(p->coarse);
    asif_work_free(p->fine);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

static asif_fit *fit_on(const problem *p, const asif_work *work, const asif_work *fine, asif_fit_view *view) {
    asif_fit_options how;
    asif_fit *fit = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_fit_defaults(&how, ASIF_FIT_RIDGE);
    how.draws_only = true;
    how.starts = 2;
    how.fine = fine;
    CHECK(asif_fit_estimate(&fit, p->context, work, p->estimates, p->logs, &how, NULL, &error) == ASIF_OK,
          "%s", error.message);
    *view = (asif_fit_view){.struct_size = sizeof *view};
    assert_int_equal(asif_fit_get(fit, view, NULL), ASIF_OK);
    CHECK(view->trusted, "k-hat %g, Kish %g", view->trust.khat, view->trust.kish);
    return fit;
}

/* In standard deviations of the second. */
static double apart(const asif_fit_view *a, const asif_fit_view *b, uint32_t i) {
    return (a->parameter[i].summary.mean - b->parameter[i].summary.mean) / b->parameter[i].summary.sd;
}

static void weights_move_to_the_fine_lattice(void **state) {
    (void)state;
    problem p = open_problem(0);
    asif_fit_view coarse, corrected, fine;
    asif_fit *fits[] = {fit_on(&p, p.coarse, NULL, &coarse), fit_on(&p, p.coarse, p.fine, &corrected),
                        fit_on(&p, p.fine, NULL, &fine)};
    double bias = 0;
    assert_int_equal(coarse.corrected, 0);
    assert_int_equal(fine.corrected, 0);
    assert_true(corrected.corrected >= 1000 && corrected.corrected < 4096);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        const asif_column_summary *a = &corrected.parameter[i].summary, *b = &fine.parameter[i].summary;
        bias = fmax(bias, fabs(apart(&coarse, &fine, i)));
        /* The errors of some 1,000 and 3,000 draws: 4 of their standard deviations. */
        CHECK(fabs(apart(&corrected, &fine, i)) < .15, "mean %g of %u, not %g (sd %g)", a->mean, i, b->mean,
              b->sd);
        CHECK(fabs(a->sd / b->sd - 1) < .12, "sd %g of %u, not %g", a->sd, i, b->sd);
    }
    CHECK(bias > .25, "the coarse lattice is as good: %g", bias);
    CHECK_NEAR(corrected.correction_moved, bias, .2);
    for (size_t k = 0; k < 3; k++)
        asif_fit_free(fits[k]);
    close_problem(&p);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    asif_fit_view view[2];
    problem p[2];
    asif_fit *fit[2];
    for (uint32_t k = 0; k < 2; k++) {
        p[k] = open_problem(k ? 4 : 1);
        fit[k] = fit_on(&p[k], p[k].coarse, p[k].fine, &view[k]);
    }
    asif_draws_view one = {.struct_size = sizeof one}, four = one;
    assert_int_equal(asif_draws_get(view[0].draws, &one, NULL), ASIF_OK);
    assert_int_equal(asif_draws_get(view[1].draws, &four, NULL), ASIF_OK);
    assert_true(one.chains == four.chains && one.draws == four.draws && one.columns == four.columns);
    assert_memory_equal(one.value, four.value, one.columns * one.chains * one.draws * sizeof *one.value);
    for (uint32_t k = 0; k < 2; k++) {
        asif_fit_free(fit[k]);
        close_problem(&p[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(weights_move_to_the_fine_lattice),
                                       cmocka_unit_test(threads_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
