/* A study and logs from text, and the target of the study's inverse planner. */
#ifndef ASIF_TESTS_INVERSE_ASKING_H
#define ASIF_TESTS_INVERSE_ASKING_H

#include "asif.h"
#include "inverse/inverse.h"
#include "theta/estimates.h"

#include <string.h>

enum { ASKING_MOST = 64 }; /* most estimates */

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_estimates *estimates;
    asif_tree *tree;
    asif_target *target;
    uint32_t count;
} asking;

static inline asif_status asking_open(asking *a, asif_context *context, const char *study, const char *logs,
                                      asif_error *error) {
    *a = (asking){.context = context};
    asif_status status = asif_study_read(&a->study, context, study, strlen(study), NULL, NULL, error);
    if (status != ASIF_OK)
        return status;
    const char *column = asif_study_asked(a->study)->column;
    const char *covariates[] = {column, NULL};
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.setting = asif_study_setting(a->study);
    options.map = asif_study_logs(a->study);
    if (column) {
        options.units = ASIF_UNITS_EPISODES;
        options.covariates = covariates;
    }
    status = asif_logs_read_text(&a->tree, context, logs, strlen(logs), "logs", &options, NULL, NULL, error);
    asif_estimate_spec spec[ASKING_MOST];
    a->count = asif_study_estimates(a->study, spec, ASKING_MOST);
    if (status == ASIF_OK)
        status = asif_estimates_create(&a->estimates, context, asif_study_theta(a->study), spec, a->count,
                                       ASIF_PRIORS_STATED, NULL, error);
    if (status == ASIF_OK)
        status = asif_work_create(&a->work, context, asif_study_planner(a->study),
                                  asif_study_setting(a->study), asif_study_solver(a->study), error);
    asif_target_options asked = ASIF_TARGET_OPTIONS_INIT;
    asked.inverse = asif_study_inverse(a->study);
    asked.inverse_options = asif_study_asked(a->study);
    asked.objective_only = true;
    if (status == ASIF_OK)
        status = asif_target_create(&a->target, a->work, a->estimates, a->tree, &asked, error);
    return status;
}

static inline void asking_close(asking *a) {
    asif_target_free(a->target);
    asif_work_free(a->work);
    asif_estimates_free(a->estimates);
    asif_tree_free(a->tree);
    asif_study_free(a->study);
}

/* Compute the answer as values of the estimated parameters, in their order. */
static inline asif_status asking_answer(asking *a, double *number, double *value, asif_error *error) {
    double x[ASKING_MOST];
    asif_status status = asif_target_answer(a->target, x, value, error);
    if (status == ASIF_OK)
        asif_estimates_report(a->estimates, x, number);
    return status;
}

/* Compute the objective at values of the parameters, and its derivatives in the coordinates unless NULL. */
static inline asif_status asking_objective(asking *a, const double *number, double *value, double *gradient,
                                           asif_error *error) {
    double x[ASKING_MOST];
    asif_estimates_locate(a->estimates, number, x);
    return asif_target_objective(a->target, x, value, gradient, error);
}

#endif
