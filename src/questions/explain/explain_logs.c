/* Reads logs for explanations: episodes by name, each with all observations. */
#include "questions/explain/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/map/log_map.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <string.h>

#define NAMED 5 /* most episodes that a hint lists */

/* ---- reading ---- */

/* Make a setting in which the state is the observation, so that its tree keeps histories, not counts by
 * state. */
static asif_status make_shown(asif_setting **out, const asif_context *context, const asif_setting *setting,
                              asif_error *error) {
    const asif_setting_spec *from = asif_setting_get(setting);
    uint64_t S = from->states, U = from->actions;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    uint64_t *offset = ASIF_ARRAY(context, S + 1, uint64_t);
    uint32_t *column = ASIF_ARRAY(context, S, uint32_t), *which = ASIF_ARRAY(context, 2 * U, uint32_t);
    double *one = ASIF_ARRAY(context, S, double);
    asif_status status = offset && column && which && one ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (uint64_t s = 0; s < S; s++) {
            offset[s + 1] = s + 1;
            column[s] = (uint32_t)s;
            one[s] = 1;
        }
        const asif_matrix identity = {from->states, from->states, false, offset, column, one};
        spec.states = spec.observations = from->states;
        spec.actions = from->actions;
        spec.starts = from->starts;
        spec.state_names = spec.observation_names = from->state_names;
        spec.action_names = from->action_names;
        spec.start_names = from->start_names;
        spec.start_column = from->start_column;
        spec.matrices = 1;
        spec.matrix = &identity;
        spec.transitions = spec.emissions = which;
        spec.environment_start = from->environment_start;
        spec.ends = from->ends;
        status = asif_setting_create(out, context, &spec, error);
    }
    asif_free(context, offset);
    asif_free(context, column);
    asif_free(context, which);
    asif_free(context, one);
    return status;
}

/* Make a mapping in which the column of the state is that of an observation before the action. */
static asif_status make_shown_map(asif_log_map **out, const asif_context *context, const asif_log_map *map,
                                  const asif_setting *setting, asif_error *error) {
    char label[ASIF_LABEL_SIZE];
    ASIF_TRY(map ? asif_log_map_copy(out, map, error) : asif_log_map_create(out, context, error));
    asif_log_map *shown = *out;
    asif_log_role *state = &shown->role[ASIF_ROLE_STATE];
    ASIF_TRY(asif_log_map_columns(shown, ASIF_ROLE_OBSERVATION, 0, error));
    if (state->columns) {
        asif_log_role none = shown->role[ASIF_ROLE_OBSERVATION];
        shown->role[ASIF_ROLE_OBSERVATION] = *state;
        *state = none;
    } else {
        ASIF_TRY(asif_log_map_set(shown, "observation", "state", error));
    }
    shown->before = true;
    if (shown->missing == ASIF_MISSING_NOT_SEEN)
        shown->missing = ASIF_MISSING_REFUSE;
    asif_free(shown->context, shown->initial);
    shown->initial = asif_strdup(shown->context, asif_setting_label(setting, ASIF_LABEL_ACTION, 0, label));
    return shown->initial ? ASIF_OK : asif_fail_memory(error);
}

static asif_status load_saved(asif_tree **out, const asif_context *context, const asif_setting *setting,
                              const char *path, asif_error *error) {
    asif_status status = asif_tree_load(out, context, path, error);
    if (status != ASIF_OK)
        return status;
    const asif_tree_view *tree = asif_tree_inside(*out);
    if (tree->states_seen || tree->units == 0 || tree->units != asif_tree_info(*out)->episodes) {
        status = asif_fail(error, ASIF_EINVALID, "the tree was saved without the course of its %s",
                           tree->states_seen ? "episodes: where states are seen it holds counts only"
                                             : "episodes");
        asif_error_hint(error, "give the table itself");
    } else if (!asif_tree_has_labels(*out, setting, ASIF_LABEL_ACTION) ||
               !asif_tree_has_labels(*out, setting, ASIF_LABEL_OBSERVATION) ||
               tree->starts != asif_setting_get(setting)->starts) {
        status = asif_fail(error, ASIF_EINVALID, "the tree was counted with other labels than the study's");
        asif_error_hint(error, "count the table again with --study, or give the table itself");
    }
    asif_error_at(status == ASIF_OK ? NULL : error, path, 0, 0);
    if (status != ASIF_OK) {
        asif_tree_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- selection ---- */

static bool is_wanted(const asif_tree *tree, uint64_t unit, uint32_t column, const asif_logs_where *where) {
    const char *value = asif_tree_covariate(tree, unit, column);
    for (uint32_t k = 0; k < where->values; k++)
        if (strcmp(where->value[k], value) == 0)
            return true;
    return false;
}

static asif_status no_column(const char *column, const char *name, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              "the tree was saved without the column `%s`, by which the fit chose its episodes",
              asif_show(column).text);
    asif_error_hint(error, "give the table itself");
    asif_error_at(error, name, 0, 0);
    return ASIF_EINVALID;
}

static asif_status nobody(const asif_logs_where *where, uint32_t wheres, const char *name,
                          asif_error *error) {
    const asif_logs_where *last = &where[wheres - 1];
    asif_fail(error, ASIF_EINVALID, "no episode is of the part of the logs that was fitted (%s = %s)",
              asif_show(last->column).text, asif_show(last->value[0]).text);
    asif_error_hint(error, "give the logs that the fit was made from");
    asif_error_at(error, name, 0, 0);
    return ASIF_EINVALID;
}

/* Reduce the tree to the selected episodes. */
static asif_status take_part(asif_tree **tree, uint32_t wheres, const asif_logs_where *where,
                             const char *name, asif_error *error) {
    const asif_context *context = asif_tree_context(*tree);
    uint64_t units = asif_tree_inside(*tree)->units, left = 0;
    asif_tree *whole = *tree, *chosen_tree = NULL;
    bool *chosen = ASIF_ARRAY(context, units, bool);
    asif_status status = chosen ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t u = 0; chosen && u < units; u++)
        chosen[u] = true;
    for (uint32_t i = 0; status == ASIF_OK && i < wheres; i++) {
        uint32_t column = 0;
        const char *called;
        while ((called = asif_tree_covariate_name(whole, column)) && strcmp(called, where[i].column) != 0)
            column++;
        if (!called)
            status = no_column(where[i].column, name, error);
        for (uint64_t u = 0; called && u < units; u++)
            chosen[u] = chosen[u] && is_wanted(whole, u, column, &where[i]);
    }
    for (uint64_t u = 0; chosen && u < units; u++)
        left += chosen[u];
    if (status == ASIF_OK)
        status = left ? asif_tree_select_units(&chosen_tree, whole, chosen, NULL, true, error)
                      : nobody(where, wheres, name, error);
    asif_free(context, chosen);
    asif_tree_free(whole);
    *tree = chosen_tree;
    return status;
}

/* ---- the whole reading ---- */

/* Read the logs from text, or from a file if the text is NULL. */
static asif_status read_logs(asif_tree **out, const asif_context *context, const asif_setting *setting,
                             const asif_log_map *map, const char *text, uint64_t length, const char *name,
                             const char *const *columns, asif_problems *problems, asif_error *error) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_setting *shown = NULL;
    asif_log_map *shown_map = NULL;
    asif_status status = ASIF_OK;
    options.map = map;
    options.setting = setting;
    options.units = ASIF_UNITS_EPISODES;
    options.covariates = columns;
    *out = NULL;
    if (asif_setting_get(setting)->observations == 0) {
        status = make_shown(&shown, context, setting, error);
        if (status == ASIF_OK)
            status = make_shown_map(&shown_map, context, map, setting, error);
        options.setting = shown;
        options.map = shown_map;
    }
    if (status == ASIF_OK)
        status = text ? asif_logs_read_text(out, context, text, length, name, &options, NULL, problems, error)
                      : asif_logs_read(out, context, name, &options, NULL, problems, error);
    asif_log_map_free(shown_map);
    asif_setting_free(shown);
    return status;
}

asif_status asif_explain_logs(asif_tree **out, const asif_context *context, const asif_setting *setting,
                              const asif_log_map *map, const char *path, uint32_t wheres,
                              const asif_logs_where *where, asif_problems *problems, asif_error *error) {
    *out = NULL;
    if (!path)
        return asif_fail_null(error, "path");
    const char **column = ASIF_ARRAY(context, (uint64_t)wheres + 1, const char *);
    if (!column)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < wheres; i++)
        column[i] = where[i].column;
    asif_status status = asif_tree_recognise(path) ? load_saved(out, context, setting, path, error)
                                                   : read_logs(out, context, setting, map, NULL, 0, path,
                                                               wheres ? column : NULL, problems, error);
    if (status == ASIF_OK && wheres)
        status = take_part(out, wheres, where, path, error);
    asif_free(context, column);
    return status;
}

asif_status asif_explain_logs_text(asif_tree **out, const asif_context *context, const asif_setting *setting,
                                   const asif_log_map *map, const char *text, uint64_t length,
                                   const char *name, asif_problems *problems, asif_error *error) {
    return read_logs(out, context, setting, map, text ? text : "", length, name, NULL, problems, error);
}

/* ---- names ---- */

/* Whether a unit has this name. Units are named SUBJECT/EPISODE, or by the one of the two that the table
 * has. */
static bool is_called(const char *name, const char *subject, const char *episode) {
    size_t length = strlen(name), before = subject ? strlen(subject) : 0,
           after = episode ? strlen(episode) : 0;
    if (subject && episode)
        return length == before + 1 + after && strncmp(name, subject, before) == 0 && name[before] == '/' &&
               strcmp(name + before + 1, episode) == 0;
    if (subject)
        return strncmp(name, subject, before) == 0 && (name[before] == 0 || name[before] == '/');
    return length >= after && strcmp(name + length - after, episode) == 0 &&
           (length == after || name[length - after - 1] == '/');
}

static asif_status fail_name(const asif_tree *tree, const char *subject, const char *episode, uint64_t found,
                             asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(tree);
    const char *kind = subject ? "subject" : "episode", *wanted = subject ? subject : episode;
    char list[400];
    size_t used = 0, listed = 0;
    for (uint64_t i = 0; i < view->units && listed < NAMED; i++) {
        const char *name = asif_tree_unit_name(tree, i);
        if (found && !is_called(name, subject, episode))
            continue;
        used += (size_t)asif_format(list + used, sizeof list - used, "%s%s", listed ? ", " : "",
                                    asif_show(name).text);
        listed++;
    }
    if (found)
        asif_fail(error, ASIF_EUNKNOWN, "%s `%s` is in %llu episodes", kind, asif_show(wanted).text,
                  (unsigned long long)found);
    else
        asif_fail(error, ASIF_EUNKNOWN, "there is no %s `%s`%s%s%s", kind, asif_show(wanted).text,
                  subject && episode ? " with an episode `" : "",
                  subject && episode ? asif_show(episode).text : "", subject && episode ? "`" : "");
    asif_error_hint(error, found ? "name one of them with --episode: %s%s" : "there are %s%s", list,
                    listed < (found ? found : view->units) ? ", ..." : "");
    return ASIF_EUNKNOWN;
}

asif_status asif_explain_unit(uint64_t *unit, const asif_tree *tree, const char *subject, const char *episode,
                              asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(tree);
    uint64_t found = 0, exact = 0, exact_unit = 0;
    if (!subject && !episode)
        return asif_fail(error, ASIF_EDOMAIN, "no subject and no episode is named");
    for (uint64_t i = 0; i < view->units; i++) {
        const char *name = asif_tree_unit_name(tree, i);
        if (!is_called(name, subject, episode))
            continue;
        found++;
        *unit = i;
        if (!(subject && episode) && strcmp(name, subject ? subject : episode) == 0) {
            exact++;
            exact_unit = i;
        }
    }
    if (exact == 1) {
        *unit = exact_unit;
        return ASIF_OK;
    }
    return found == 1 ? ASIF_OK : fail_name(tree, subject, episode, found, error);
}

/* ---- the course of an episode ---- */

static asif_status several(const asif_tree *tree, uint64_t unit, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "`%s` is more than one episode",
              asif_show(asif_tree_unit_name(tree, unit)).text);
    asif_error_hint(error, "the table needs a column that tells episodes apart: --map episode=COLUMN");
    return ASIF_EINVALID;
}

static asif_status make_room(asif_course *chain, const asif_tree *tree, uint32_t length, asif_error *error) {
    chain->context = asif_tree_context(tree);
    if (length <= chain->room)
        return ASIF_OK;
    asif_course_free(chain);
    chain->node = ASIF_ARRAY(chain->context, length, uint32_t);
    chain->action = ASIF_ARRAY(chain->context, length, uint32_t);
    chain->room = length;
    return chain->node && chain->action ? ASIF_OK : asif_fail_memory(error);
}

void asif_course_free(asif_course *chain) {
    asif_free(chain->context, chain->node);
    asif_free(chain->context, chain->action);
    *chain = (asif_course){.context = chain->context};
}

asif_status asif_course_read(asif_course *chain, const asif_tree *tree, bool states_seen, uint64_t unit,
                             asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(tree);
    uint64_t first = view->unit[unit], entries = view->unit[unit + 1] - first;
    chain->length = 0;
    if (entries == 0)
        return ASIF_OK;
    /* Nodes are ordered by level and entries by node, so the last entry is the end of the episode. */
    uint32_t last = view->entry_node[first + entries - 1], length = 1;
    for (uint32_t i = last; view->parent[i] != ASIF_ANY; i = view->parent[i])
        length++;
    ASIF_TRY(make_room(chain, tree, length, error));
    uint32_t at = length;
    for (uint32_t i = last; i != ASIF_ANY; i = view->parent[i]) {
        chain->node[--at] = i;
        chain->action[at] = ASIF_ANY;
        if (entries && view->entry_node[first + entries - 1] == i)
            chain->action[at] = view->entry_action[first + --entries];
    }
    if (entries > 0)
        return several(tree, unit, error);
    chain->length = length;
    chain->number = chain->action[0] == ASIF_ANY ? 0 : 1;
    if (states_seen) { /* the first place is before the first state, where nothing is decided */
        chain->length--;
        chain->number = 1;
        memmove(chain->node, chain->node + 1, chain->length * sizeof *chain->node);
        memmove(chain->action, chain->action + 1, chain->length * sizeof *chain->action);
    }
    return ASIF_OK;
}
