#include "report/study/study.h"

#include "base/data/json.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define LISTED 1000 /* longer lists of labels and utilities are left out (null) */

static void add_labels(asif_json *json, const asif_study_report *report, asif_label_kind kind,
                       const char *key) {
    uint32_t count = asif_setting_count(report->setting, kind);
    char buffer[ASIF_LABEL_SIZE];
    if (count > LISTED) {
        asif_json_null(json, key);
        return;
    }
    asif_json_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        asif_json_string(json, NULL, asif_setting_label(report->setting, kind, i, buffer));
    asif_json_end(json);
}

static void add_marked(asif_json *json, const asif_study_report *report, asif_label_kind kind,
                       const char *key, const bool *marked) {
    uint32_t count = asif_setting_count(report->setting, kind);
    char buffer[ASIF_LABEL_SIZE];
    asif_json_array(json, key);
    for (uint32_t i = 0; i < count && marked; i++)
        if (marked[i])
            asif_json_string(json, NULL, asif_setting_label(report->setting, kind, i, buffer));
    asif_json_end(json);
}

/* For each action that is not always available, the seen values with which it is. */
static void add_available(asif_json *json, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    char action[ASIF_LABEL_SIZE], seen[ASIF_LABEL_SIZE];
    asif_json_object(json, "available");
    for (uint32_t u = 0; u < spec->actions; u++) {
        uint32_t count = 0;
        for (uint32_t y = 0; y < spec->seen; y++)
            count += asif_is_available(spec, y, u);
        if (count == spec->seen)
            continue;
        asif_json_array(json, asif_setting_label(report->setting, ASIF_LABEL_ACTION, u, action));
        for (uint32_t y = 0; y < spec->seen; y++)
            if (asif_is_available(spec, y, u))
                asif_json_string(json, NULL, asif_setting_label(report->setting, ASIF_LABEL_SEEN, y, seen));
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_utility(asif_json *json, const asif_study_report *report, const char *key,
                        bool by_observation) {
    asif_label_kind kind = by_observation ? ASIF_LABEL_OBSERVATION : ASIF_LABEL_STATE;
    uint32_t columns = asif_setting_count(report->setting, kind);
    char action[ASIF_LABEL_SIZE], column[ASIF_LABEL_SIZE];
    if ((uint64_t)columns * report->spec->actions > LISTED || !asif_utility_has(report, by_observation)) {
        asif_json_null(json, key);
        return;
    }
    asif_json_object(json, key);
    for (uint32_t u = 0; u < report->spec->actions; u++) {
        asif_json_object(json, asif_setting_label(report->setting, ASIF_LABEL_ACTION, u, action));
        for (uint32_t j = 0; j < columns; j++) {
            asif_text words = {.context = report->context};
            asif_utility_words(&words, report, by_observation, u, j);
            asif_json_string(json, asif_setting_label(report->setting, kind, j, column), words.data);
            json->text->failed |= words.failed;
            asif_text_free(&words);
        }
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_class(void *to, const asif_study_report *report, const bool *action,
                      const bool *observation) {
    asif_json *json = to;
    asif_json_object(json, NULL);
    add_marked(json, report, ASIF_LABEL_ACTION, "actions", action);
    add_marked(json, report, ASIF_LABEL_OBSERVATION, "observations", observation);
    asif_json_end(json);
}

/* Add the observations that count as one event in the surprise term. */
static void add_classes(asif_json *json, const asif_study_report *report) {
    if (report->seen) {
        asif_json_null(json, "surprise_classes");
        return;
    }
    asif_json_array(json, "surprise_classes");
    json->text->failed |= !asif_study_classes(report, add_class, json);
    asif_json_end(json);
}

/* Add the priors by name and, if estimates cannot be made, the reason. */
static void add_priors(asif_json *json, const asif_study_report *report) {
    asif_error error = ASIF_ERROR_INIT;
    const asif_study_parameter *parameter;
    uint32_t reported = 0;
    asif_estimates *estimates = NULL;
    if (asif_study_estimates(report->study, NULL, 0) > 0)
        estimates = asif_study_new_estimates(report, &error);
    asif_json_object(json, "priors");
    for (uint32_t i = 0; (parameter = asif_study_parameter_get(report->study, i)); i++) {
        asif_text name = {.context = report->context};
        const char *prior = NULL;
        if (!parameter->learn)
            continue;
        asif_study_estimated(report, estimates, parameter, &reported, &name, &prior);
        if (name.failed)
            json->text->failed = true;
        else
            asif_json_string(json, name.data, prior);
        asif_text_free(&name);
    }
    asif_json_end(json);
    asif_json_string(json, "not_estimable", error.status == ASIF_OK ? NULL : error.message);
    json->text->failed |= error.status == ASIF_ENOMEM;
    asif_estimates_free(estimates);
}

static void add_parameters(asif_json *json, const asif_study_report *report) {
    const asif_theta *theta = asif_study_theta(report->study);
    const asif_study_parameter *parameter;
    double alpha = NAN;
    asif_theta_get(theta, "alpha", &alpha, NULL);
    asif_json_object(json, "given");
    for (uint32_t i = 0; i < asif_theta_count(theta); i++) {
        const char *name = asif_theta_name(theta, i);
        double value;
        bool follows = asif_theta_get(theta, name, &value, NULL) != ASIF_OK || isnan(value) ||
                       (strcmp(name, "act_alpha") == 0 && value == alpha); /* estimated, or as alpha */
        if (!follows)
            asif_json_number(json, name, value);
    }
    asif_json_end(json);
    asif_json_array(json, "estimated");
    for (uint32_t i = 0; (parameter = asif_study_parameter_get(report->study, i)); i++)
        if (parameter->learn)
            asif_json_string(json, NULL, parameter->name);
    asif_json_end(json);
    add_priors(json, report);
}

/* Add the name of the preset, and what a class of the paper's Table 1 estimates as a rule. */
static void add_preset(asif_json *json, const char *name) {
    const asif_preset_info *preset = name ? asif_preset_named(name) : NULL;
    asif_json_string(json, "preset", name);
    asif_json_string(json, "preset_estimates", preset ? preset->estimated : NULL);
}

/* Add the means by action, for agents that have them; null: the mean is estimated. */
static void add_means(asif_json *json, const asif_study_report *report) {
    const asif_planner_ops *planner = asif_planner_find(asif_study_planner(report->study), NULL);
    char buffer[ASIF_LABEL_SIZE];
    if (!planner || !planner->narrow.means)
        return;
    asif_json_object(json, "means");
    for (uint32_t u = 0; u < report->spec->actions; u++) {
        const double *mean = asif_theta_distribution(asif_study_theta(report->study), ASIF_MEANS, u);
        const char *action = asif_setting_label(report->setting, ASIF_LABEL_ACTION, u, buffer);
        if (isnan(mean[0]))
            asif_json_null(json, action);
        else
            asif_json_numbers(json, action, report->spec->states, mean);
    }
    asif_json_end(json);
}

static void add_columns(asif_json *json, const asif_setting_spec *spec, uint32_t columns) {
    for (uint32_t p = 0; p < columns; p++) {
        asif_json_array(json, spec->seen_column[p].name);
        for (uint32_t i = 0; i < spec->seen_column[p].classes; i++)
            asif_json_string(json, NULL, spec->seen_column[p].class_names[i]);
        asif_json_end(json);
    }
}

/* Add the values of the seen parts of the state, of the hidden part, and what is shown beside them. */
static void add_parts(asif_json *json, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    asif_json_object(json, "seen");
    add_columns(json, spec, spec->seen_columns);
    asif_json_end(json);
    add_labels(json, report, ASIF_LABEL_HIDDEN, "hidden");
    add_labels(json, report, ASIF_LABEL_SHOWN, "shown");
}

void asif_study_json(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    asif_json json;
    asif_json_init(&json, text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "title", asif_study_title(report->study));
    asif_study_labels_json(&json, report->study);
    asif_json_string(&json, "planner", asif_study_planner(report->study));
    asif_json_string(&json, "inverse", asif_study_inverse(report->study));
    add_preset(&json, asif_study_preset(report->study));
    asif_json_object(&json, "counts");
    asif_json_count(&json, "states", spec->states);
    asif_json_count(&json, "actions", spec->actions);
    asif_json_count(&json, "observations", spec->observations);
    asif_json_count(&json, "worlds", spec->worlds);
    asif_json_end(&json);
    add_labels(&json, report, ASIF_LABEL_STATE, "states");
    add_labels(&json, report, ASIF_LABEL_ACTION, "actions");
    if (report->seen)
        asif_json_null(&json, "observations");
    else
        add_labels(&json, report, ASIF_LABEL_OBSERVATION, "observations");
    if (spec->condition_columns) {
        asif_json_object(&json, "conditions");
        add_columns(&json, spec, spec->condition_columns);
        asif_json_end(&json);
    }
    if (spec->seen > 1)
        add_parts(&json, report);
    add_marked(&json, report, ASIF_LABEL_ACTION, "ends", spec->ends);
    add_marked(&json, report, ASIF_LABEL_STATE, "terminal", spec->terminal);
    if (asif_setting_stops(spec))
        add_marked(&json, report, ASIF_LABEL_ACTION, "stops", spec->stops);
    if (spec->available)
        add_available(&json, report);
    if (spec->horizon)
        asif_json_count(&json, "horizon", spec->horizon);
    const double *weight = asif_theta_distribution(asif_study_theta(report->study), ASIF_WORLD_WEIGHTS, 0);
    if (isnan(weight[0]))
        asif_json_null(&json, "world_weights");
    else
        asif_json_numbers(&json, "world_weights", spec->worlds, weight);
    if (spec->world_shares)
        asif_json_numbers(&json, "world_shares", spec->worlds, spec->world_shares);
    add_classes(&json, report);
    add_means(&json, report);
    add_utility(&json, report, "utility_by_state", false);
    add_utility(&json, report, "utility_by_observation", true);
    add_parameters(&json, report);
    asif_json_object(&json, "solver");
    asif_json_count(&json, "resolution", asif_study_solver(report->study)->resolution);
    asif_json_number(&json, "tol", asif_study_solver(report->study)->tol);
    asif_json_number(&json, "nodes", asif_study_nodes(report));
    if (asif_study_reached(report->study))
        asif_json_string(&json, "beliefs", "reachable");
    else if (asif_study_solver(report->study)->beliefs == ASIF_BELIEFS_GRADED)
        asif_json_string(&json, "beliefs", "graded");
    asif_json_number(&json, "bytes", asif_study_bytes(report));
    asif_json_end(&json);
    asif_json_end(&json);
}
