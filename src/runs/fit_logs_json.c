/* The part `logs` of `fit.json`: counts of what was read, and how often everything was done and seen. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"
#include "logs/lengths.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "runs/whole_fit.h"
#include "setting/setting.h"

void asif_json_known_count(asif_json *json, const char *key, uint64_t count, bool known) {
    if (known)
        asif_json_count(json, key, count);
    else
        asif_json_null(json, key);
}

static void add_left_out(asif_json *json, const asif_logs_info *info) {
    asif_json_array(json, "left_out");
    for (uint32_t i = 0; i < info->rules; i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "rule", asif_rule_text(info->left_out[i].rule));
        asif_json_string(json, "column", info->left_out[i].column[0] ? info->left_out[i].column : NULL);
        asif_json_count(json, "rows", info->left_out[i].rows);
        asif_json_count(json, "episodes", info->left_out[i].episodes);
        asif_json_end(json);
    }
    asif_json_end(json);
}

/* How many episodes have how many decisions, where this is known. */
static asif_status add_lengths(asif_json *json, const asif_fit *fit) {
    double *count;
    uint64_t longest;
    ASIF_TRY(asif_lengths_make(&count, &longest, fit->context, fit->tree, NULL));
    if (longest > 0)
        asif_json_array(json, "lengths");
    for (uint64_t k = 0; k < longest; k++) {
        if (count[k] == 0)
            continue;
        asif_json_object(json, NULL);
        asif_json_count(json, "decisions", k + 1);
        asif_json_number(json, "episodes", count[k]);
        asif_json_end(json);
    }
    if (longest > 0)
        asif_json_end(json);
    asif_free(fit->context, count);
    return ASIF_OK;
}

/* How often each action was taken, and, where states are hidden, what was seen how often. */
static asif_status add_frequencies(asif_json *json, const asif_fit *fit) {
    const asif_tree_view *tree = asif_tree_inside(fit->tree);
    double *taken = ASIF_ARRAY(fit->context, tree->actions + tree->observations + 1, double);
    if (!taken)
        return ASIF_ENOMEM;
    double *seen = taken + tree->actions;
    asif_tree_taken(taken, tree);
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u < tree->actions; u++)
        asif_json_number(json, asif_tree_label(fit->tree, ASIF_LABEL_ACTION, u), taken[u]);
    asif_json_end(json);
    if (!tree->states_seen) {
        asif_tree_seen(seen, tree);
        asif_json_object(json, "observations");
        for (uint32_t o = 0; o < tree->observations; o++)
            asif_json_number(json, asif_tree_label(fit->tree, ASIF_LABEL_OBSERVATION, o), seen[o]);
        asif_json_end(json);
        asif_json_number(json, "nothing_seen", seen[tree->observations]);
    }
    asif_free(fit->context, taken);
    return ASIF_OK;
}

void asif_fit_logs_json(asif_json *json, const asif_fit *fit, const asif_tree *table,
                        const asif_setting *setting, const double *labels) {
    const asif_logs_info *info = asif_tree_info(fit->tree);
    asif_json_object(json, "logs");
    asif_json_known_count(json, "subjects", info->subjects, info->subjects > 0);
    asif_json_known_count(json, "episodes", info->episodes, info->episodes > 0);
    asif_json_known_count(json, "decisions", info->decisions, info->decisions > 0);
    asif_json_number(json, "weight", info->weight);
    asif_json_known_count(json, "rows", info->rows, info->rows > 0);
    asif_json_known_count(json, "excluded", info->excluded, info->rows > 0);
    add_left_out(json, info);
    if (table && asif_tree_info(table)->rows > 0) {
        asif_json_object(json, "table");
        asif_json_count(json, "rows", asif_tree_info(table)->rows);
        asif_json_count(json, "excluded", asif_tree_info(table)->excluded);
        add_left_out(json, asif_tree_info(table));
        asif_json_end(json);
    }
    if (asif_tree_inside(fit->tree)->lost)
        asif_json_number(json, "after_lost", asif_lost_decisions(asif_tree_inside(fit->tree)));
    asif_json_count(json, "nodes", info->nodes);
    asif_json_bool(json, "states_seen", info->states_seen);
    if (asif_tree_holds_counts(fit->tree))
        asif_json_bool(json, "counted", true);
    asif_json_array(json, "never_taken");
    for (uint64_t i = 0; i < fit->never_length; i++)
        asif_json_string(json, NULL, asif_tree_label(fit->tree, ASIF_LABEL_ACTION, fit->never[i]));
    asif_json_end(json);
    if (add_lengths(json, fit) != ASIF_OK || add_frequencies(json, fit) != ASIF_OK)
        json->text->failed = true;
    if (labels) {
        uint64_t S = asif_setting_get(setting)->states;
        asif_dynamics_agreement_json(json, "labels", setting, labels, labels + S * S);
    }
    asif_json_end(json);
}
