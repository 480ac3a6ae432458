#include "report/plan/plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "planners/planner.h"
#include "render/report_options.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

static asif_status follow_history(double *state, const asif_plan_report *report, asif_error *error) {
    const asif_plan_request *request = report->request;
    uint64_t width = asif_behavior_width(report->behavior);
    asif_behavior_init(report->behavior, request->start, request->first, state);
    for (uint64_t i = 0; i < request->events; i++, state += width) {
        asif_status status = asif_behavior_step(report->behavior, 1, state, &request->action[i],
                                                &request->observation[i], state + width, error);
        if (status == ASIF_OK)
            continue;
        if (status != ASIF_EZEROPR)
            return status;
        char action[ASIF_LABEL_SIZE], observation[ASIF_LABEL_SIZE];
        asif_fail(error, status, "step %llu of the history, %s:%s, cannot happen in any world of the agent",
                  (unsigned long long)i + 1,
                  asif_setting_label(report->setting, ASIF_LABEL_ACTION, request->action[i], action),
                  asif_setting_label(report->setting, ASIF_LABEL_OBSERVATION, request->observation[i],
                                     observation));
        asif_error_hint(error, "each step is ACTION:%s, what followed after the colon",
                        report->seen ? "STATE" : "OBSERVATION");
        return status;
    }
    return ASIF_OK;
}

static asif_status check_request(const asif_plan_report *report, asif_error *error) {
    const asif_plan_request *request = report->request;
    if (request->start >= report->spec->starts)
        return asif_fail(error, ASIF_EDOMAIN, "there is no start class %u", (unsigned)request->start);
    if (report->seen && request->first != ASIF_ANY && request->first >= report->spec->states)
        return asif_fail(error, ASIF_EDOMAIN, "there is no state %u to begin with", (unsigned)request->first);
    if (report->hidden && request->beliefs > 0) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "the planner %s has no beliefs: what it remembers is hidden in it",
                  asif_study_planner(report->study));
        asif_error_hint(error, "a history shows what it does: --history ACTION:OBSERVATION,...");
        return ASIF_EUNSUPPORTED;
    }
    if (report->lead && request->place != ASIF_ANY && request->place >= asif_places(report->spec))
        return asif_fail(error, ASIF_EDOMAIN, "there is no place %u", (unsigned)request->place);
    if (report->spec->horizon && request->events >= report->spec->horizon) {
        asif_fail(error, ASIF_EDOMAIN, "the history has %llu steps, and the horizon is %u decisions",
                  (unsigned long long)request->events, (unsigned)report->spec->horizon);
        asif_error_hint(error, "after the last decision there is nothing that the agent could do");
        return ASIF_EDOMAIN;
    }
    uint32_t observations = asif_setting_count(report->setting, ASIF_LABEL_OBSERVATION);
    for (uint64_t i = 0; i < request->events; i++)
        if (request->action[i] >= report->spec->actions || request->observation[i] >= observations)
            return asif_fail(error, ASIF_EDOMAIN,
                             "step %llu of the history has no such action or observation",
                             (unsigned long long)i + 1);
    return ASIF_OK;
}

static asif_status write_plan(asif_text *text, const asif_plan_report *report, bool json, asif_error *error) {
    const asif_plan_request *request = report->request;
    asif_points beliefs = {0}, history = {0};
    uint64_t width = asif_behavior_width(report->behavior), steps = request->events + 1;
    double *state = ASIF_ARRAY(report->context, steps * width, double);
    asif_status status = state ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = follow_history(state, report, error);
    if (status == ASIF_OK)
        status = asif_points_look(&history, report, steps, state, error);
    if (status == ASIF_OK)
        status = asif_points_look(&beliefs, report, request->beliefs, request->belief, error);
    if (status == ASIF_OK && json)
        asif_plan_json(text, report, &beliefs, &history);
    else if (status == ASIF_OK)
        status = asif_plan_tables(text, report, &beliefs, &history, error);
    asif_points_free(&beliefs, report->context);
    asif_points_free(&history, report->context);
    asif_free(report->context, state);
    return status;
}

static asif_status costs_of_belief(const asif_plan_report *report, asif_work *work, asif_costs *costs,
                                   asif_error *error) {
    double *start = ASIF_ARRAY(report->context, asif_behavior_width(report->behavior), double);
    if (!start)
        return asif_fail_memory(error);
    asif_behavior_init(report->behavior, report->request->start, ASIF_ANY, start);
    asif_status status = asif_occupancy_compute(work, start, NULL, costs, error);
    asif_free(report->context, start);
    return status;
}

/* Compute the costs from one state, or from a distribution over states; costs are linear in the latter. */
static asif_status costs_of_states(const asif_plan_report *report, asif_work *work, asif_costs *costs,
                                   asif_error *error) {
    const asif_plan_request *request = report->request;
    const double *start = asif_theta_distribution(report->theta, ASIF_START, request->start);
    double first = request->first;
    if (request->first != ASIF_ANY)
        return asif_occupancy_compute(work, &first, NULL, costs, error);
    if (request->start == 0)
        return asif_occupancy_compute(work, NULL, NULL, costs, error);
    *costs = (asif_costs){0};
    for (uint32_t s = 0; s < report->spec->states; s++) {
        double state = s;
        asif_costs part;
        if (start[s] == 0)
            continue;
        asif_status status = asif_occupancy_compute(work, &state, NULL, &part, error);
        if (status != ASIF_OK)
            return status;
        costs->value += start[s] * part.value;
        costs->utility += start[s] * part.utility;
        costs->decision += start[s] * part.decision;
        costs->specification += start[s] * part.specification;
        costs->recognition += start[s] * part.recognition;
    }
    return ASIF_OK;
}

asif_status asif_report_plan(char **out, const asif_context *context, const asif_study *study,
                             asif_work *work, const asif_theta *theta, const asif_plan_info *info,
                             const asif_plan_request *request, const asif_report_options *options,
                             asif_error *error) {
    asif_report_options filled;
    asif_plan_request asked = ASIF_PLAN_REQUEST_INIT;
    *out = NULL;
    asif_status status = asif_report_fill(&filled, options, error);
    if (status != ASIF_OK)
        return status;
    if (request) {
        if (request->struct_size == 0 || request->struct_size > sizeof asked)
            return asif_fail(error, ASIF_EDOMAIN, "the request for a plan has an unknown size");
        memcpy(&asked, request, request->struct_size);
    }
    const asif_behavior *behavior = asif_work_behavior(work);
    if (!behavior)
        return asif_fail(error, ASIF_EDOMAIN, "the agent has not been solved yet: call asif_solve() first");

    const asif_setting *setting = asif_study_setting(study);
    const asif_setting_spec *spec = asif_setting_get(setting);
    asif_plan_report report = {
        .context = context,
        .study = study,
        .setting = setting,
        .spec = spec,
        .behavior = behavior,
        .theta = theta,
        .info = info,
        .request = &asked,
        .seen = spec->observations == 0,
        .hidden = behavior->hidden && !asif_has_place(spec),
        .lead = asif_has_place(spec),
        .hidden_values = asif_hidden_values(spec),
        .valued = behavior->ops->look != NULL,
        .reached = asif_work_reached(work),
        .unicode = filled.unicode,
        .width = filled.width,
    };
    status = check_request(&report, error);
    if (status != ASIF_OK)
        return status;

    asif_costs costs;
    if (asked.occupancy) {
        status = report.seen ? costs_of_states(&report, work, &costs, error)
                             : costs_of_belief(&report, work, &costs, error);
        if (status != ASIF_OK)
            return status;
        report.costs = &costs;
    }

    asif_text text = {.context = context};
    status = write_plan(&text, &report, filled.json, error);
    if (status != ASIF_OK) {
        asif_text_free(&text);
        return status;
    }
    return asif_text_finish(out, &text, error);
}
