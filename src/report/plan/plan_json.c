#include "report/plan/plan.h"

#include "base/data/json.h"

#include <math.h>

static void add_by_action(asif_json *json, const asif_plan_report *report, const char *key,
                          const double *values) {
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, key);
    for (uint32_t u = 0; u < report->spec->actions; u++)
        asif_json_number(json, asif_setting_label(report->setting, ASIF_LABEL_ACTION, u, buffer), values[u]);
    asif_json_end(json);
}

static void add_worlds(asif_json *json, const asif_plan_report *report, const double *weights) {
    char buffer[ASIF_LABEL_SIZE];
    uint32_t worlds = report->spec->worlds;
    asif_json_object(json, "worlds");
    for (uint32_t u = 0; u < report->spec->actions; u++)
        asif_json_numbers(json, asif_setting_label(report->setting, ASIF_LABEL_ACTION, u, buffer), worlds,
                          weights + (uint64_t)u * worlds);
    asif_json_end(json);
}

static void add_point(asif_json *json, const asif_plan_report *report, const asif_points *points,
                      uint64_t i) {
    uint64_t width = asif_behavior_width(report->behavior), actions = report->spec->actions;
    const double *state = points->state + i * width;
    char buffer[ASIF_LABEL_SIZE];
    if (report->spec->seen > 1)
        asif_json_string(json, "seen",
                         asif_setting_label(report->setting, ASIF_LABEL_SEEN,
                                            (uint32_t)state[0] % report->spec->seen, buffer));
    if (report->spec->horizon)
        asif_json_count(json, "decision", asif_plan_decision(report, state));
    if (report->seen)
        asif_json_string(json, "state",
                         asif_setting_label(report->setting, ASIF_LABEL_STATE, (uint32_t)state[0], buffer));
    else
        asif_json_numbers(json, report->hidden ? "hidden" : "belief", width - report->lead,
                          state + report->lead);
    if (points->value) {
        asif_json_number(json, "value", points->value[i]);
        add_by_action(json, report, "q", points->q + i * actions);
    }
    add_by_action(json, report, "policy", points->policy + i * actions);
    add_by_action(json, report, "log_policy", points->log_policy + i * actions);
    if (points->worlds)
        add_worlds(json, report, points->worlds + i * actions * report->spec->worlds);
}

static void add_parameters(asif_json *json, const asif_plan_report *report) {
    asif_json_object(json, "parameters");
    for (uint32_t i = 0; i < asif_theta_count(report->theta); i++) {
        const char *name = asif_theta_name(report->theta, i);
        double value;
        if (asif_theta_get(report->theta, name, &value, NULL) == ASIF_OK && !isnan(value))
            asif_json_number(json, name, value);
    }
    asif_json_end(json);
}

static void add_solver(asif_json *json, const asif_plan_info *info) {
    asif_json_object(json, "solver");
    asif_json_number(json, "residual", info->residual);
    asif_json_number(json, "bound", info->bound);
    asif_json_count(json, "backups", info->backups);
    asif_json_count(json, "nodes", info->nodes);
    if (info->samples)
        asif_json_count(json, "samples", info->samples);
    asif_json_number(json, "seconds", info->seconds);
    asif_json_string(json, "stop", asif_stop_text(info->stop));
    asif_json_end(json);
}

static void add_history(asif_json *json, const asif_plan_report *report, const asif_points *history) {
    const asif_plan_request *request = report->request;
    char buffer[ASIF_LABEL_SIZE];
    asif_json_array(json, "history");
    for (uint64_t i = 0; i < history->count; i++) {
        asif_json_object(json, NULL);
        if (i > 0) {
            asif_json_string(
                json, "action",
                asif_setting_label(report->setting, ASIF_LABEL_ACTION, request->action[i - 1], buffer));
            asif_json_string(json, "observation",
                             asif_setting_label(report->setting, ASIF_LABEL_OBSERVATION,
                                                request->observation[i - 1], buffer));
        }
        add_point(json, report, history, i);
        asif_json_end(json);
    }
    asif_json_end(json);
}

void asif_plan_json(asif_text *text, const asif_plan_report *report, const asif_points *beliefs,
                    const asif_points *history) {
    asif_json json;
    asif_json_init(&json, text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "planner", asif_study_planner(report->study));
    add_parameters(&json, report);
    add_solver(&json, report->info);
    asif_json_array(&json, "beliefs");
    for (uint64_t i = 0; i < beliefs->count; i++) {
        asif_json_object(&json, NULL);
        add_point(&json, report, beliefs, i);
        asif_json_end(&json);
    }
    asif_json_end(&json);
    add_history(&json, report, history);
    if (report->costs) {
        asif_json_object(&json, "occupancy");
        asif_json_number(&json, "value", report->costs->value);
        asif_json_number(&json, "utility", report->costs->utility);
        asif_json_number(&json, "decision", report->costs->decision);
        asif_json_number(&json, "specification", report->costs->specification);
        asif_json_number(&json, "recognition", report->costs->recognition);
        asif_json_end(&json);
    }
    asif_json_end(&json);
}
