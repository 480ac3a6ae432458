/* Agents of the prior: what `asif predict --prior` compares the logs with, from a study and logs, or from a
 * fit. */
#include "questions/predict/prior_agents.h"

#include "base/error.h"
#include "sample/draws.h"
#include "theta/estimates.h"

#include <string.h>

static void discard_draws(void *draws) {
    asif_draws_free(draws);
}

static asif_status check_proper(const asif_estimates *estimates, asif_error *error) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++)
        if (!info->proper) {
            asif_fail(error, ASIF_EINVALID, "the prior of %s is flat: there is nothing to draw from it",
                      info->parameter);
            asif_error_hint(error, "leave it out for the default, or give one such as normal(0, 10)");
            return ASIF_EINVALID;
        }
    return ASIF_OK;
}

/* Replace the draws of a fit by draws from its priors. */
static asif_status draw(asif_asking *asking, asif_fitted *fitted, uint32_t count, uint64_t seed,
                        asif_error *error) {
    const asif_estimates *estimates = fitted->estimates;
    uint32_t columns = 0;
    ASIF_TRY(check_proper(estimates, error));
    while (asif_estimates_get(estimates, columns))
        columns++;
    const char **name = ASIF_ARENA_ARRAY(&asking->arena, columns, const char *);
    double *x = ASIF_ARENA_ARRAY(&asking->arena, asif_estimates_dimension(estimates) + columns, double);
    if (!name || !x)
        return asif_fail_memory(error);
    double *number = x + asif_estimates_dimension(estimates);
    for (uint32_t i = 0; i < columns; i++)
        name[i] = asif_estimates_get(estimates, i)->name;
    asif_draws *draws = NULL;
    ASIF_TRY(asif_draws_create(&draws, asking->context, 1, count, columns, name, 0, error));
    ASIF_TRY(asif_asking_own(asking, draws, discard_draws, error));
    for (uint64_t d = 0; d < count; d++) {
        asif_estimates_draw(estimates, seed, d, x);
        asif_estimates_report(estimates, x, number);
        for (uint32_t i = 0; i < columns; i++)
            asif_draws_values(draws, i, 0)[d] = number[i];
    }
    fitted->draws = draws;
    fitted->maximum = NULL;
    fitted->seed = seed;
    return ASIF_OK;
}

/* Read the logs by person, with the columns that the study's population depends on. */
static asif_status read_people(asif_asking *asking, const asif_study *study, const asif_list_option *map,
                               asif_error *error) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    uint32_t effects, count = 0;
    const asif_people_effect *effect = asif_study_effects(study, &effects);
    const char **column = ASIF_ARENA_ARRAY(&asking->arena, effects + (uint64_t)1, const char *);
    if (!column)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < effects; i++) {
        uint32_t k = 0;
        while (k < count && strcmp(column[k], effect[i].column) != 0)
            k++;
        column[k] = effect[i].column;
        count += k == count;
    }
    ASIF_TRY(asif_asking_map(asking, study, map, error));
    options.map = asking->map;
    options.setting = asif_study_setting(study);
    options.units = ASIF_UNITS_SUBJECTS;
    options.covariates = count ? column : NULL;
    return asif_asking_logs(asking, asking->operand[1], &options, error);
}

asif_status asif_prior_begin(asif_asking *asking, asif_fitted *out, asif_study **of,
                             const asif_prior_asked *asked, bool units, asif_error *error) {
    static const asif_solve_asked as_stated = {.resolution = {false, 0}};
    asif_study *study = NULL;
    asif_estimate_spec *spec = NULL;
    asif_theta *given = NULL;
    asif_work *work = NULL;
    asif_estimates *estimates = NULL;
    uint32_t specs = 0;
    ASIF_TRY(asif_asking_study(asking, &study, asking->operand[0], error));
    ASIF_TRY(asif_asking_specs(asking, &spec, &specs, study, error));
    ASIF_TRY(asif_asking_values(asking, &given, study, &asked->param, error));
    specs = asif_study_left(spec, specs, asked->param.item, asked->param.count);
    if (specs == 0) {
        asif_fail(error, ASIF_EINVALID, "nothing is left to estimate, so that there is no prior");
        asif_error_hint(error, "mark a parameter `learn`, or leave out its -p");
        return ASIF_EINVALID;
    }
    ASIF_TRY(asif_asking_work(asking, &work, study, &as_stated, error));
    ASIF_TRY(asif_asking_estimates(asking, &estimates, work, given, spec, specs, asking->problems, error));
    ASIF_TRY(units ? read_people(asking, study, &asked->map, error)
                   : asif_asking_decisions(asking, study, &asked->map, error));
    *of = study;
    *out = (asif_fitted)ASIF_FITTED_INIT;
    out->context = asking->context;
    out->inverse = asif_study_inverse(study);
    out->inverse_options = asif_study_asked(study);
    out->setting = asif_study_setting(study);
    out->given = given;
    out->spec = spec;
    out->specs = specs;
    out->estimates = estimates;
    out->work = work;
    out->tree = asking->tree;
    return ASIF_OK;
}

asif_status asif_prior_agents(asif_asking *asking, asif_fitted *out, const asif_prior_asked *asked,
                              uint32_t count, asif_error *error) {
    if (asking->operands > 1) {
        asif_study *study;
        ASIF_TRY(asif_prior_begin(asking, out, &study, asked, false, error));
    } else {
        asif_result_view fit;
        ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
        *out = *fit.fitted;
    }
    return draw(asking, out, count, asked->seed.given ? asked->seed.value : out->seed, error);
}
