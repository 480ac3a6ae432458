/* Predictive checks as JSON. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>

#define LISTED 10 /* most misses that the short form lists */

static const char *label(const asif_predictive_checks *checks, asif_label_kind kind, uint32_t i) {
    return i == ASIF_ANY ? NULL : asif_tree_label(checks->tree, kind, i);
}

/* ---- groups ---- */

static void add_history(asif_json *json, const asif_predictive_checks *checks, uint32_t node) {
    const asif_tree_view *tree = asif_tree_inside(checks->tree);
    uint32_t *path = ASIF_ARRAY(checks->context, tree->levels, uint32_t);
    uint32_t depth = 0, root = node;
    char buffer[ASIF_LABEL_SIZE];
    json->text->failed |= !path;
    for (; path && tree->parent[root] != ASIF_ANY; root = tree->parent[root])
        path[depth++] = root;
    if (tree->starts > 1)
        asif_json_count(json, "start", root);
    if (tree->starts > 1 && checks->setting->spec.start_names)
        asif_json_string(json, "start_class",
                         asif_setting_label(checks->setting, ASIF_LABEL_START, root, buffer));
    asif_json_array(json, "history");
    while (depth-- > 0) {
        uint32_t seen = tree->observation[path[depth]], action = tree->action[path[depth]];
        asif_json_object(json, NULL);
        asif_json_string(json, "action", label(checks, ASIF_LABEL_ACTION, action));
        asif_json_string(json, "observation",
                         seen == ASIF_ANY ? NULL : asif_event_label(checks->setting, action, seen, buffer));
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_free(checks->context, path);
}

static const char *measure_of(const asif_check_group *group) {
    if (!group->amount)
        return "length";
    return group->count == 1 ? "histories" : "decisions";
}

static void add_group(asif_json *json, const asif_predictive_checks *checks, const asif_check_family *family,
                      const asif_check_group *g) {
    switch (family->kind) {
    case ASIF_CHECK_STEPS:
        asif_json_count(json, "step", g->step);
        asif_json_bool(json, "later", g->later);
        break;
    case ASIF_CHECK_BELIEFS:
        asif_json_string(json, "of",
                         g->state == ASIF_ANY ? NULL
                                              : asif_setting_label(checks->setting, ASIF_LABEL_HIDDEN,
                                                                   g->state, (char[ASIF_LABEL_SIZE]){0}));
        break;
    case ASIF_CHECK_STATES:
        asif_json_string(json, "state", label(checks, ASIF_LABEL_STATE, g->state));
        break;
    case ASIF_CHECK_HISTORIES:
        add_history(json, checks, g->node);
        break;
    case ASIF_CHECK_SWITCHES:
        asif_json_string(json, "after", label(checks, ASIF_LABEL_ACTION, g->action));
        break;
    case ASIF_CHECK_LENGTHS:
        asif_json_string(json, "measure", measure_of(g));
        break;
    case ASIF_CHECK_SUBJECTS:
        asif_json_string(json, "number", g->number);
        break;
    case ASIF_CHECK_ENVIRONMENT:
        if (g->state != ASIF_ANY)
            asif_json_string(json, "state", label(checks, ASIF_LABEL_STATE, g->state));
        asif_json_string(json, "after", label(checks, ASIF_LABEL_ACTION, g->action));
        break;
    }
    if (!isnan(g->low)) {
        asif_json_number(json, "low", g->low);
        asif_json_number(json, "high", g->high);
    }
    asif_json_number(json, "count", g->count);
}

/* The name of a cell; `buffer` has ASIF_LABEL_SIZE. */
static const char *name_of(const asif_predictive_checks *checks, const asif_check_family *family,
                           const asif_check_group *g, uint32_t cell, char *buffer) {
    if (family->kind == ASIF_CHECK_ENVIRONMENT)
        return g->state != ASIF_ANY         ? label(checks, ASIF_LABEL_STATE, cell)
               : g->observation == ASIF_ANY ? "(any)"
                                            : label(checks, ASIF_LABEL_OBSERVATION, g->observation);
    if (family->kind == ASIF_CHECK_SUBJECTS)
        return "spread";
    if (family->kind != ASIF_CHECK_LENGTHS)
        return label(checks, ASIF_LABEL_ACTION, cell);
    if (g->amount)
        return g->count == 1 ? "number" : "mean";
    asif_format(buffer, ASIF_LABEL_SIZE, "%u%s", g->step + cell, g->later && cell + 1 == g->cells ? "+" : "");
    return buffer;
}

static void add_cell(asif_json *json, const asif_check_cell *c) {
    asif_json_known(json, "observed", c->observed);
    asif_json_known(json, "predicted", c->predicted);
    asif_json_known(json, "q05", c->q05);
    asif_json_known(json, "q95", c->q95);
    asif_json_known(json, "p", c->p);
    asif_json_known(json, "adjusted", c->adjusted);
}

/* ---- families ---- */

static void add_groups(asif_json *json, const asif_predictive_checks *checks,
                       const asif_check_family *family) {
    char buffer[ASIF_LABEL_SIZE];
    asif_json_array(json, "groups");
    for (uint32_t g = 0; g < family->groups; g++) {
        const asif_check_group *group = &family->group[g];
        asif_json_object(json, NULL);
        add_group(json, checks, family, group);
        asif_json_object(json, "cells");
        for (uint32_t k = 0; k < group->cells; k++) {
            asif_json_object(json, name_of(checks, family, group, k, buffer));
            add_cell(json, &group->cell[k]);
            asif_json_bool(json, "missed", group->cell[k].missed);
            asif_json_end(json);
        }
        asif_json_end(json);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static const char *replicates_of(asif_check_kind kind) {
    if (kind == ASIF_CHECK_LENGTHS)
        return "simulated";
    return kind == ASIF_CHECK_ENVIRONMENT ? "environment" : "conditional";
}

static void add_family(asif_json *json, const asif_predictive_checks *checks, const asif_check_family *family,
                       bool brief) {
    asif_json_object(json, NULL);
    asif_json_string(json, "name", asif_check_text(family->kind));
    asif_json_string(json, "replicates", replicates_of(family->kind));
    asif_json_known(json, "p", family->p);
    asif_json_bool(json, "judged", family->judged);
    asif_json_bool(json, "missed", family->missed);
    asif_json_string(json, "why", family->why);
    asif_json_string(json, "why_code", family->why_code);
    if (family->kind == ASIF_CHECK_ENVIRONMENT) {
        asif_json_known(json, "unseen", family->unseen);
        asif_json_known(json, "impossible", family->impossible);
    }
    if (family->kind == ASIF_CHECK_SUBJECTS) {
        asif_json_count(json, "subjects", family->subjects);
        asif_json_count(json, "apart", family->apart);
    }
    if (!brief)
        add_groups(json, checks, family);
    asif_json_end(json);
}

static void add_misses(asif_json *json, const asif_predictive_checks *checks, uint32_t most) {
    char buffer[ASIF_LABEL_SIZE];
    asif_json_count(json, "misses", checks->view.misses);
    asif_json_array(json, "missed");
    for (uint32_t i = 0; i < checks->view.misses && i < most; i++) {
        const asif_check_miss *m = &checks->miss[i];
        const asif_check_family *family = &checks->family[m->family];
        const asif_check_group *group = &family->group[m->group];
        asif_json_object(json, NULL);
        asif_json_string(json, "family", asif_check_text(family->kind));
        add_group(json, checks, family, group);
        asif_json_string(json, "cell", name_of(checks, family, group, m->cell, buffer));
        add_cell(json, &group->cell[m->cell]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_members(asif_json *json, const asif_predictive_checks *checks, bool brief) {
    const asif_predictive_checks_view *view = &checks->view;
    asif_json_count(json, "draws", view->draws);
    asif_json_bool(json, "maximum", view->maximum);
    if (view->prior)
        asif_json_bool(json, "prior", true);
    asif_json_count(json, "replicates", view->replicates);
    asif_json_count(json, "simulated", view->simulated);
    asif_json_object(json, "rule");
    asif_json_known(json, "p", view->level);
    asif_json_number(json, "overall", ASIF_CHECK_P);
    asif_json_number(json, "points", ASIF_CHECK_POINTS);
    asif_json_number(json, "part", ASIF_CHECK_PART);
    asif_json_end(json);
    asif_json_array(json, "families");
    for (uint32_t f = 0; f < view->families; f++)
        add_family(json, checks, &view->family[f], brief);
    asif_json_end(json);
    add_misses(json, checks, brief ? LISTED : UINT32_MAX);
}

void asif_predictive_checks_write(asif_json *json, const char *key, const asif_predictive_checks *checks,
                                  bool brief) {
    if (!checks) {
        asif_json_null(json, key);
        return;
    }
    asif_json_object(json, key);
    add_members(json, checks, brief);
    asif_json_end(json);
}

asif_status asif_predictive_checks_json(char **out, const asif_predictive_checks *checks, asif_error *error) {
    const asif_logs_info *info = asif_tree_info(checks->tree);
    asif_text text = {.context = checks->context};
    asif_json json;
    *out = NULL;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_string(&json, "title", asif_setting_get(checks->setting)->title);
    asif_json_object(&json, "logs");
    bool counts = asif_tree_holds_counts(checks->tree);
    asif_json_known(&json, "episodes", counts ? NAN : (double)info->episodes);
    asif_json_number(&json, "decisions", counts ? info->weight : (double)info->decisions);
    asif_json_end(&json);
    add_members(&json, checks, false);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}
