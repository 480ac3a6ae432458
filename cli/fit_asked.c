#include "fit_asked.h"

#include <stdlib.h>

#define CHECKED_EPISODES 250000 /* to simulate at most while fitting: a second or so */

/* The fit as it will be read back; `solver` and `maximum` [parameters] are room for it. */
static asif_fitted fitted_of(const cli_fit_job *fit, const cli_group *group, const asif_estimates *estimates,
                             const asif_fit_view *view, asif_plan_options *solver, double *maximum) {
    cli_job *job = fit->job;
    *solver = cli_job_solver(job);
    for (uint32_t i = 0; i < view->parameters; i++)
        maximum[i] = view->parameter[i].maximum;
    return (asif_fitted){.struct_size = sizeof(asif_fitted),
                         .context = job->context,
                         .planner = asif_study_planner(job->study),
                         .solver = solver,
                         .inverse = asif_study_inverse(job->study),
                         .inverse_options = &fit->asked,
                         .setting = asif_study_setting(job->study),
                         .given = job->theta,
                         .spec = fit->spec,
                         .specs = fit->specs,
                         .estimates = estimates,
                         .work = job->work,
                         .tree = group->tree,
                         .draws = view->draws,
                         .maximum = view->maximised ? maximum : NULL,
                         .seed = job->args->seed.value};
}

static bool serious(asif_status status) {
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED;
}

static asif_status ask(cli_asked *out, const cli_fit_job *fit, const asif_fitted *fitted, bool rivals) {
    asif_error *error = &fit->job->error;
    asif_outcomes_options outcomes = ASIF_OUTCOMES_OPTIONS_BRIEF;
    asif_predictive_checks_options checks = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    asif_sensitivity_options sensitivity = ASIF_SENSITIVITY_OPTIONS_INIT;
    asif_status status = asif_outcomes_run(&out->outcomes, fitted, &outcomes, error);
    if (!asif_inverse_named(fitted->inverse)
             ->likelihood) /* an answer without uncertainty: nothing to judge */
        return serious(status) ? status : ASIF_OK;
    checks.seed = fitted->seed;
    checks.most_episodes = CHECKED_EPISODES;
    if (!serious(status))
        status = asif_predictive_checks_run(&out->checks, fitted, &checks, error);
    sensitivity.seed = fitted->seed;
    sensitivity.brief = true;
    /* Among rival explanations there is no answer whose changes could be told. */
    if (!serious(status) && fitted->maximum && fit->method != ASIF_FIT_ML &&
        !fit->job->args->no_sensitivity && !rivals)
        status = asif_sensitivity_run(&out->sensitivity, fitted, &sensitivity, error);
    return serious(status) ? status : ASIF_OK;
}

asif_status cli_asked_make(cli_asked *out, const cli_fit_job *fit, const cli_group *group,
                           const asif_estimates *estimates, const asif_fit_view *view) {
    cli_job *job = fit->job;
    asif_plan_options solver;
    *out = (cli_asked){0};
    if (fit->method == ASIF_FIT_PUBLISHED)
        return ASIF_OK;
    double *maximum = calloc((size_t)view->parameters + 1, sizeof *maximum);
    if (!maximum) {
        job->error = (asif_error){.status = ASIF_ENOMEM, .message = "out of memory"};
        return ASIF_ENOMEM;
    }
    asif_fitted fitted = fitted_of(fit, group, estimates, view, &solver, maximum);
    asif_status status = ask(out, fit, &fitted, view->rivals);
    cli_progress_end(&job->progress);
    free(maximum);
    return status;
}

void cli_asked_free(cli_asked *asked) {
    asif_outcomes_free(asked->outcomes);
    asif_predictive_checks_free(asked->checks);
    asif_sensitivity_free(asked->sensitivity);
    *asked = (cli_asked){0};
}
