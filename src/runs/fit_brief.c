/* The short answers that every fit contains: outcomes, predictive checks and sensitivity. */
#include "runs/whole_fit.h"

#include "base/error.h"
#include "base/memory.h"

/* Whether the whole fit fails; after other failures an answer is only left out. */
static bool serious(asif_status status) {
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED;
}

static asif_status answer(asif_whole_fit *w, const asif_fitted *fitted, bool rivals, asif_error *error) {
    asif_outcomes_options outcomes = ASIF_OUTCOMES_OPTIONS_BRIEF;
    asif_predictive_checks_options checks = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    asif_sensitivity_options sensitivity = ASIF_SENSITIVITY_OPTIONS_INIT;
    asif_status status = asif_outcomes_run(&w->outcomes, fitted, &outcomes, error);
    /* Without a likelihood the estimate has no uncertainty, and there is nothing to check. */
    if (!asif_inverse_named(fitted->inverse)->likelihood)
        return serious(status) ? status : ASIF_OK;
    checks.seed = fitted->seed;
    checks.most_episodes = ASIF_CHECKED_EPISODES;
    if (!serious(status))
        status = asif_predictive_checks_run(&w->checks, fitted, &checks, error);
    sensitivity.seed = fitted->seed;
    sensitivity.brief = true;
    /* Rival explanations have no single answer whose changes could be followed. */
    if (!serious(status) && fitted->maximum && w->how.method != ASIF_FIT_ML && !w->request.no_sensitivity &&
        !rivals)
        status = asif_sensitivity_run(&w->sensitivity, fitted, &sensitivity, error);
    return serious(status) ? status : ASIF_OK;
}

asif_fitted asif_whole_fit_as_fitted(const asif_whole_fit *w) {
    return (asif_fitted){.struct_size = sizeof(asif_fitted),
                         .context = w->context,
                         .planner = asif_study_planner(w->request.study),
                         .solver = &w->solver,
                         .inverse = w->how.inverse,
                         .inverse_options = &w->inverse_options,
                         .setting = asif_study_setting(w->request.study),
                         .given = w->given,
                         .spec = w->spec,
                         .specs = w->specs,
                         .estimates = w->estimates,
                         .work = w->work,
                         .tree = w->request.logs,
                         .seed = w->how.sample.seed};
}

asif_status asif_fit_brief(asif_whole_fit *w, asif_error *error) {
    asif_fit_view view = {.struct_size = sizeof view};
    if (w->how.method == ASIF_FIT_PUBLISHED)
        return ASIF_OK;
    ASIF_TRY(asif_fit_get(w->fit, &view, error));
    double *maximum = ASIF_ARRAY(w->context, view.parameters, double);
    if (!maximum)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < view.parameters; i++)
        maximum[i] = view.parameter[i].maximum;
    asif_fitted fitted = asif_whole_fit_as_fitted(w);
    fitted.draws = view.draws;
    fitted.maximum = view.maximised ? maximum : NULL;
    asif_status status = answer(w, &fitted, view.rivals, error);
    asif_free(w->context, maximum);
    return status;
}
