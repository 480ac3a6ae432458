/* Collects the contents of a report on logs: counts, the most frequent histories, groups. */
#include "report/logs/logs.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/lengths.h"
#include "logs/lost.h"
#include "logs/names.h"
#include "render/report_options.h"

#include <math.h>
#include <string.h>

static double node_total(const asif_tree_view *tree, uint64_t node) {
    double sum = 0;
    for (uint32_t u = 0; u < tree->actions; u++)
        sum += tree->count[node * tree->actions + u];
    return sum;
}

/* Insert an item into the list of the `top` most frequent. */
static void rank(asif_frequent *list, uint32_t *have, uint32_t top, uint64_t what, double count) {
    if (!(count > 0) || (*have == top && !(count > list[top - 1].count)))
        return;
    uint32_t i = *have < top ? (*have)++ : top - 1;
    for (; i > 0 && list[i - 1].count < count; i--)
        list[i] = list[i - 1];
    list[i] = (asif_frequent){what, count};
}

/* Rank whole episodes: those that end with an action at a node took it there and reached no further node. */
static asif_status rank_episodes(asif_logs_report *report, uint32_t top, asif_error *error) {
    const asif_tree_view *tree = &report->tree;
    uint64_t entries = (uint64_t)tree->nodes * tree->actions;
    double *left = ASIF_ARRAY(report->context, entries, double);
    if (!left)
        return asif_fail_memory(error);
    memcpy(left, tree->count, (size_t)entries * sizeof *left);
    for (uint64_t i = 0; i < tree->nodes; i++)
        if (tree->parent[i] != ASIF_ANY)
            left[(uint64_t)tree->parent[i] * tree->actions + tree->action[i]] -= node_total(tree, i);
    for (uint64_t k = 0; k < tree->lost; k++)
        left[asif_lost_after(tree, k)] -= tree->lost_weight[k];
    for (uint64_t i = 0; i < entries; i++)
        rank(report->episode, &report->episodes, top, i, left[i]);
    asif_free(report->context, left);
    return ASIF_OK;
}

static asif_status rank_all(asif_logs_report *report, asif_error *error) {
    const asif_tree_view *tree = &report->tree;
    uint64_t entries = (uint64_t)tree->nodes * tree->actions;
    uint32_t top = report->request->top < entries ? report->request->top : (uint32_t)entries;
    report->episode = ASIF_ARRAY(report->context, top, asif_frequent);
    report->history = ASIF_ARRAY(report->context, top, asif_frequent);
    report->pair = ASIF_ARRAY(report->context, top, asif_frequent);
    if (!report->episode || !report->history || !report->pair)
        return asif_fail_memory(error);
    for (uint64_t i = 0; top && i < tree->nodes; i++)
        rank(report->history, &report->histories, top, i, node_total(tree, i));
    for (uint64_t i = 0; top && tree->states_seen && i < entries; i++)
        rank(report->pair, &report->pairs, top, i, tree->count[i]);
    if (top && !tree->states_seen && !report->weighted)
        return rank_episodes(report, top, error);
    return ASIF_OK;
}

static asif_status find_lengths(asif_logs_report *report, asif_error *error) {
    double *count;
    uint64_t longest, shortest = 1;
    report->shortest = report->median = NAN;
    asif_status status = asif_lengths_make(&count, &longest, report->context, report->request->tree, error);
    if (status == ASIF_OK && longest > 0) {
        while (count[shortest - 1] == 0)
            shortest++;
        report->shortest = (double)shortest;
        report->median = asif_lengths_quantile(count, longest, 0.5);
    }
    asif_free(report->context, count);
    return status;
}

static asif_status find_covariate(const asif_logs_report *report, uint32_t *out, asif_error *error) {
    const char *name;
    for (*out = 0; (name = asif_tree_covariate_name(report->request->tree, *out)); ++*out)
        if (strcmp(name, report->request->by) == 0)
            return ASIF_OK;
    return asif_fail(error, ASIF_EUNKNOWN, "the logs were counted without the column `%.100s`",
                     report->request->by);
}

static asif_status sum_groups(asif_logs_report *report, const asif_names *values, const uint32_t *order,
                              uint32_t covariate, asif_error *error) {
    const asif_tree_view *tree = &report->tree;
    report->groups = values->count;
    report->group = ASIF_ARRAY(report->context, values->count, asif_log_group);
    report->group_action = ASIF_ARRAY(report->context, (uint64_t)values->count * tree->actions, double);
    if (!report->group || !report->group_action)
        return asif_fail_memory(error);
    for (uint32_t g = 0; g < report->groups; g++)
        report->group[g].action = report->group_action + (uint64_t)g * tree->actions;
    for (uint64_t i = 0; i < tree->units; i++) {
        const char *value = asif_tree_covariate(report->request->tree, i, covariate);
        asif_log_group *group = &report->group[order[asif_names_find(values, value, strlen(value))]];
        group->value = value;
        group->episodes++;
        for (uint64_t e = tree->unit[i]; e < tree->unit[i + 1]; e++) {
            group->action[tree->entry_action[e]] += tree->entry_count[e];
            group->decisions += tree->entry_count[e];
        }
        for (uint64_t k = tree->unit_lost[i]; k < tree->unit_lost[i + 1]; k++) {
            asif_lost_taken(group->action, tree, k);
            group->decisions += tree->lost_weight[k] * tree->lost_length[k];
        }
    }
    return ASIF_OK;
}

static asif_status find_groups(asif_logs_report *report, asif_error *error) {
    uint32_t covariate;
    if (!report->request->by)
        return ASIF_OK;
    ASIF_TRY(find_covariate(report, &covariate, error));
    asif_names values = {.context = report->context};
    bool good = true;
    for (uint64_t i = 0; good && i < report->tree.units; i++) {
        const char *value = asif_tree_covariate(report->request->tree, i, covariate);
        good = asif_names_add(&values, value, strlen(value)) != ASIF_NO_NAME;
    }
    uint32_t *order = ASIF_ARRAY(report->context, values.count, uint32_t);
    good = good && order && asif_names_order(&values, order);
    asif_status status =
        good ? sum_groups(report, &values, order, covariate, error) : asif_fail_memory(error);
    asif_free(report->context, order);
    asif_names_free(&values);
    return status;
}

static asif_status prepare(asif_logs_report *report, asif_error *error) {
    report->tree.struct_size = sizeof report->tree;
    ASIF_TRY(asif_tree_get(report->request->tree, &report->tree, error));
    report->info = asif_tree_info(report->request->tree);
    report->weighted = report->info->weight != (double)report->info->decisions;
    report->action = ASIF_ARRAY(report->context, report->tree.actions, double);
    if (!report->action)
        return asif_fail_memory(error);
    asif_tree_taken(report->action, &report->tree);
    ASIF_TRY(find_lengths(report, error));
    ASIF_TRY(rank_all(report, error));
    return find_groups(report, error);
}

asif_status asif_report_logs(char **out, const asif_context *context, const asif_logs_request *request,
                             const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    asif_logs_request asked = ASIF_LOGS_REQUEST_INIT;
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    if (request->struct_size == 0 || request->struct_size > sizeof asked)
        return asif_fail(error, ASIF_EDOMAIN, "the request has an unknown size");
    memcpy(&asked, request, request->struct_size);
    asif_logs_report report = {
        .context = context,
        .request = &asked,
        .unicode = filled.unicode,
        .errors_only = filled.errors_only,
        .width = filled.width,
    };
    asif_text text = {.context = context};
    asif_status status = prepare(&report, error);
    if (status == ASIF_OK && filled.json)
        asif_logs_json(&text, &report);
    else if (status == ASIF_OK)
        asif_logs_text(&text, &report);
    if (status == ASIF_OK)
        status = asif_text_finish(out, &text, error);
    void *arrays[] = {report.action, report.episode, report.history,
                      report.pair,   report.group,   report.group_action};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}
