/* A fit whose truth is known, for tests of predictive checks: DIAG, an agent and its logs. */
#ifndef ASIF_TESTS_CHECKS_CHECKED_H
#define ASIF_TESTS_CHECKS_CHECKED_H

#include "check.h"
#include "problems.h"

#include "acting/simulated.h"
#include "checks/predictive_checks.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_estimates *estimates;
    asif_tree *tree;
    double maximum[1];
    asif_estimate_spec spec;
    asif_fitted fitted;
} problem;

/* Open DIAG with alpha .5 and optimism .8, of which only alpha is estimated. `logs` NULL: none. */
static inline void open_problem(problem *p, const asif_context_options *options, const char *logs) {
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, options, NULL), ASIF_OK);
    p->setting = make_diag(p->context, NULL);
    assert_non_null(p->setting);
    assert_int_equal(asif_theta_create(&p->theta, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->theta, "optimism", .8, NULL), ASIF_OK);
    plan.resolution = 30;
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, p->setting, &plan, NULL), ASIF_OK);
    p->spec = (asif_estimate_spec){.name = "alpha", .standard = NAN};
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, p->theta, &p->spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    reading.setting = p->setting;
    if (logs)
        CHECK(asif_logs_read_text(&p->tree, p->context, logs, strlen(logs), "logs", &reading, NULL, NULL,
                                  &error) == ASIF_OK,
              "%s", error.message);
    p->maximum[0] = log(.5);
    p->fitted = (asif_fitted)ASIF_FITTED_INIT;
    p->fitted.context = p->context;
    p->fitted.setting = p->setting;
    p->fitted.given = p->theta;
    p->fitted.spec = &p->spec;
    p->fitted.specs = 1;
    p->fitted.estimates = p->estimates;
    p->fitted.work = p->work;
    p->fitted.tree = p->tree;
    p->fitted.maximum = p->maximum;
}

static inline void close_problem(problem *p) {
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

static inline void solve(const problem *p, asif_work *work) {
    asif_theta *theta;
    assert_int_equal(asif_theta_copy(&theta, p->theta, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", exp(p->maximum[0]), NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, NULL, NULL), ASIF_OK);
    asif_theta_free(theta);
}

/* Replace the logs by new ones of the same agent. */
static inline void renew_logs(problem *p, const asif_work *solved, uint64_t episodes, uint64_t seed,
                              uint32_t max_steps) {
    asif_simulated_options options = {.episodes = &episodes, .seed = seed, .max_steps = max_steps};
    asif_tree_free(p->tree);
    assert_int_equal(asif_simulated_tree(&p->tree, asif_work_behavior(solved), &options, NULL), ASIF_OK);
    p->fitted.tree = p->tree;
}

static inline asif_predictive_checks *run(const problem *p, const asif_predictive_checks_options *options,
                                          asif_predictive_checks_view *view) {
    asif_predictive_checks *checks;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_predictive_checks_run(&checks, &p->fitted, options, &error) == ASIF_OK, "%s", error.message);
    *view = (asif_predictive_checks_view){.struct_size = sizeof *view};
    assert_int_equal(asif_predictive_checks_get(checks, view, NULL), ASIF_OK);
    return checks;
}

static inline const asif_check_family *family(const asif_predictive_checks_view *view, asif_check_kind kind) {
    for (uint32_t f = 0; f < view->families; f++)
        if (view->family[f].kind == kind)
            return &view->family[f];
    fail_msg("there is no such family");
    return NULL;
}

#endif
