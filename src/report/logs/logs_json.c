#include "base/data/json.h"
#include "base/memory.h"
#include "logs/lost.h"
#include "render/report_options.h"
#include "report/logs/logs.h"

#include <math.h>

static void add_number(asif_json *json, const char *key, double number) {
    if (isnan(number))
        asif_json_null(json, key);
    else
        asif_json_number(json, key, number);
}

static void add_actions(asif_json *json, const asif_logs_report *report, const double *count) {
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u < report->tree.actions; u++)
        asif_json_number(json, asif_logs_label(report, ASIF_LABEL_ACTION, u), count[u]);
    asif_json_end(json);
}

static void add_history(asif_json *json, const asif_logs_report *report, uint32_t node, uint32_t *path) {
    const asif_tree_view *tree = &report->tree;
    uint32_t depth = asif_logs_path(report, node, path);
    if (tree->starts > 1)
        asif_json_count(json, "start", depth ? tree->parent[path[0]] : node);
    asif_json_array(json, "history");
    for (uint32_t i = 0; i < depth; i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "action", asif_logs_label(report, ASIF_LABEL_ACTION, tree->action[path[i]]));
        uint32_t seen = tree->observation[path[i]];
        asif_json_string(json, "observation",
                         seen == ASIF_ANY ? NULL : asif_logs_label(report, ASIF_LABEL_OBSERVATION, seen));
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_histories(asif_json *json, const asif_logs_report *report) {
    uint32_t *path = ASIF_ARRAY(report->context, report->tree.levels, uint32_t);
    uint32_t actions = report->tree.actions;
    if (!path) {
        json->text->failed = true;
        return;
    }
    asif_json_array(json, "histories");
    for (uint32_t i = 0; i < report->histories; i++) {
        uint32_t node = (uint32_t)report->history[i].what;
        asif_json_object(json, NULL);
        add_history(json, report, node, path);
        add_actions(json, report, report->tree.count + (uint64_t)node * actions);
        asif_json_number(json, "count", report->history[i].count);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_array(json, "courses");
    for (uint32_t i = 0; i < report->episodes; i++) {
        asif_json_object(json, NULL);
        add_history(json, report, (uint32_t)(report->episode[i].what / actions), path);
        asif_json_string(
            json, "then",
            asif_logs_label(report, ASIF_LABEL_ACTION, (uint32_t)(report->episode[i].what % actions)));
        asif_json_number(json, "count", report->episode[i].count);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_free(report->context, path);
}

static void add_states(asif_json *json, const asif_logs_report *report) {
    const asif_tree_view *tree = &report->tree;
    asif_json_object(json, "states");
    for (uint32_t i = 0; i < tree->nodes; i++) {
        double sum = 0;
        for (uint32_t u = 0; u < tree->actions; u++)
            sum += tree->count[(uint64_t)i * tree->actions + u];
        asif_json_number(json, asif_logs_label(report, ASIF_LABEL_STATE, tree->observation[i]), sum);
    }
    asif_json_end(json);
    asif_json_array(json, "pairs");
    for (uint32_t i = 0; i < report->pairs && tree->actions > 0; i++) {
        uint64_t what = report->pair[i].what;
        asif_json_object(json, NULL);
        asif_json_string(json, "state",
                         asif_logs_label(report, ASIF_LABEL_STATE, tree->observation[what / tree->actions]));
        asif_json_string(json, "action",
                         asif_logs_label(report, ASIF_LABEL_ACTION, (uint32_t)(what % tree->actions)));
        asif_json_number(json, "count", report->pair[i].count);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_groups(asif_json *json, const asif_logs_report *report) {
    asif_json_object(json, "by");
    asif_json_string(json, "column", report->request->by);
    asif_json_array(json, "groups");
    for (uint32_t g = 0; g < report->groups; g++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "value", report->group[g].value[0] ? report->group[g].value : NULL);
        asif_json_count(json, "episodes", report->group[g].episodes);
        asif_json_number(json, "decisions", report->group[g].decisions);
        add_actions(json, report, report->group[g].action);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

static void add_left_out(asif_json *json, const asif_logs_info *info) {
    asif_json_array(json, "left_out");
    for (uint32_t i = 0; i < info->rules; i++) {
        const asif_left_out *out = &info->left_out[i];
        asif_json_object(json, NULL);
        asif_json_string(json, "rule", asif_rule_text(out->rule));
        asif_json_string(json, "column", out->column[0] ? out->column : NULL);
        asif_json_count(json, "rows", out->rows);
        asif_json_count(json, "episodes", out->episodes);
        asif_json_end(json);
    }
    asif_json_end(json);
}

void asif_logs_json(asif_text *text, const asif_logs_report *report) {
    const asif_logs_request *request = report->request;
    const asif_logs_info *info = report->info;
    asif_json json;
    asif_json_init(&json, text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "file", request->files == 1 ? request->file[0] : NULL);
    asif_json_array(&json, "files");
    for (uint32_t i = 0; i < request->files; i++)
        asif_json_string(&json, NULL, request->file[i]);
    asif_json_end(&json);
    asif_json_count(&json, "rows", info->rows);
    asif_json_count(&json, "excluded", info->excluded);
    add_left_out(&json, info);
    asif_json_bool(&json, "sorted", info->sorted);
    asif_json_count(&json, "subjects", info->subjects);
    asif_json_count(&json, "episodes", info->episodes);
    asif_json_count(&json, "decisions", info->decisions);
    asif_json_number(&json, "weight", info->weight);
    if (report->tree.lost)
        asif_json_number(&json, "after_lost", asif_lost_decisions(&report->tree));
    asif_json_bool(&json, "states_seen", info->states_seen);
    asif_json_count(&json, "nodes", info->nodes);
    asif_json_count(&json, "levels", report->tree.levels);
    asif_json_object(&json, "lengths");
    add_number(&json, "shortest", report->shortest);
    add_number(&json, "median", report->median);
    asif_json_count(&json, "longest", info->longest);
    asif_json_end(&json);
    add_actions(&json, report, report->action);
    if (info->states_seen)
        add_states(&json, report);
    else
        add_histories(&json, report);
    if (request->by)
        add_groups(&json, report);
    asif_problems_json(&json, "problems", request->problems, report->errors_only);
    asif_json_end(&json);
}
