/* The parameters that a study estimates: names and priors. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study/study.h"

#include <string.h>

static bool has_optimism(const asif_estimate_spec *spec, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(spec[i].name, "optimism") == 0 || strcmp(spec[i].name, "beta") == 0)
            return true;
    return false;
}

/* Make the estimates. A workspace is needed only if a prior is scaled by the values of the agent's worlds. */
static asif_status make_estimates(asif_estimates **out, const asif_study_report *report,
                                  const asif_estimate_spec *spec, uint32_t count, asif_error *error) {
    const asif_theta *theta = asif_study_theta(report->study);
    asif_work *work = NULL;
    if (!has_optimism(spec, count))
        return asif_estimates_create(out, report->context, theta, spec, count, ASIF_PRIORS_STATED, NULL,
                                     error);
    asif_status status = asif_work_create(&work, report->context, asif_study_planner(report->study),
                                          report->setting, asif_study_solver(report->study), error);
    if (status == ASIF_OK)
        status = asif_estimates_scaled(out, report->context, work, theta, spec, count, ASIF_PRIORS_STATED,
                                       NULL, error);
    asif_work_free(work);
    return status;
}

asif_estimates *asif_study_new_estimates(const asif_study_report *report, asif_error *error) {
    uint32_t count = asif_study_estimates(report->study, NULL, 0);
    asif_estimate_spec *spec = ASIF_ARRAY(report->context, count, asif_estimate_spec);
    asif_estimates *estimates = NULL;
    if (!spec) {
        asif_fail_memory(error);
        return NULL;
    }
    asif_study_estimates(report->study, spec, count);
    make_estimates(&estimates, report, spec, count, error);
    asif_free(report->context, spec);
    return estimates;
}

/* The prior of a parameter in words; NULL if there are no estimates. */
static const char *prior_of(const asif_estimates *estimates, const asif_study_parameter *parameter,
                            uint32_t *reported) {
    const asif_estimate_info *info;
    const char *name = strcmp(parameter->name, "beta") == 0 ? "optimism" : parameter->name;
    const char *words = NULL;
    /* Entries of a distribution follow each other; those of the next start class have another prior. */
    while (estimates && (info = asif_estimates_get(estimates, *reported)) &&
           strcmp(info->parameter, name) == 0) {
        if (words && info->prior != words)
            break;
        words = info->prior;
        ++*reported;
    }
    return words;
}

void asif_study_estimated(const asif_study_report *report, const asif_estimates *estimates,
                          const asif_study_parameter *parameter, uint32_t *reported, asif_text *name,
                          const char **prior) {
    char buffer[ASIF_LABEL_SIZE];
    asif_text_add(name, parameter->name);
    if (strcmp(parameter->name, asif_distribution_text(ASIF_MEANS)) == 0)
        asif_text_addf(name, " of %s",
                       asif_setting_label(report->setting, ASIF_LABEL_ACTION, parameter->start, buffer));
    if (strcmp(parameter->name, asif_distribution_text(ASIF_START)) == 0 && report->spec->starts > 1)
        asif_text_addf(name, " of %s",
                       asif_setting_label(report->setting, ASIF_LABEL_START, parameter->start, buffer));
    const char *words = prior_of(estimates, parameter, reported);
    *prior = words ? words : parameter->prior;
}
