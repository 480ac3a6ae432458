#include "logs/map/log_map.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const char *const roles[ASIF_ROLE_COUNT] = {
    [ASIF_ROLE_SUBJECT] = "subject",
    [ASIF_ROLE_EPISODE] = "episode",
    [ASIF_ROLE_TIME] = "time",
    [ASIF_ROLE_ACTION] = "action",
    [ASIF_ROLE_OBSERVATION] = "observation",
    [ASIF_ROLE_STATE] = "state",
    [ASIF_ROLE_WEIGHT] = "weight",
    [ASIF_ROLE_START] = "start",
    [ASIF_ROLE_LABEL] = "label",
};

const char *asif_role_name(asif_role role) {
    return roles[role];
}

asif_role asif_role_find(const char *name) {
    uint32_t i = 0;
    while (i < ASIF_ROLE_COUNT && strcmp(name, roles[i]) != 0)
        i++;
    return (asif_role)i;
}

asif_status asif_log_map_create(asif_log_map **out, const asif_context *context, asif_error *error) {
    *out = ASIF_NEW(context, asif_log_map);
    if (!*out)
        return asif_fail_memory(error);
    (*out)->context = context;
    (*out)->begin = NAN;
    return ASIF_OK;
}

static void free_texts(const asif_context *context, char **texts, uint32_t count) {
    for (uint32_t i = 0; texts && i < count; i++)
        asif_free(context, texts[i]);
    asif_free(context, texts);
}

static void free_role(const asif_context *context, asif_log_role *role) {
    for (uint32_t i = 0; i < role->columns; i++) {
        asif_log_column *column = &role->column[i];
        asif_free(context, column->name);
        free_texts(context, column->from, column->labels);
        free_texts(context, column->to, column->labels);
        asif_free(context, column->cut);
        asif_free(context, column->present);
        asif_free(context, column->missing);
    }
    asif_free(context, role->column);
    *role = (asif_log_role){0, NULL};
}

static void free_cell_rules(asif_log_map *map) {
    for (uint32_t i = 0; map->cell_rule && i < map->cell_rules; i++) {
        asif_cell_rule *rule = &map->cell_rule[i];
        asif_free(map->context, rule->name);
        asif_free(map->context, rule->date);
        free_texts(map->context, rule->from, rule->recodes);
        free_texts(map->context, rule->to, rule->recodes);
        free_texts(map->context, rule->missing_value, rule->missing_values);
    }
    asif_free(map->context, map->cell_rule);
}

void asif_log_map_free(asif_log_map *map) {
    if (!map)
        return;
    for (uint32_t i = 0; i < ASIF_ROLE_COUNT; i++)
        free_role(map->context, &map->role[i]);
    for (uint32_t i = 0; map->group && i < map->groups; i++) {
        asif_free(map->context, map->group[i].name);
        asif_free(map->context, map->group[i].column);
        asif_free(map->context, map->group[i].value);
    }
    free_texts(map->context, map->require, map->requires);
    free_texts(map->context, map->missing_value, map->missing_values);
    free_cell_rules(map);
    asif_free(map->context, map->group);
    asif_free(map->context, map->initial);
    asif_free(map->context, map);
}

const asif_log_group *asif_log_map_group(const asif_log_map *map, const char *name) {
    for (uint32_t i = 0; i < map->groups; i++)
        if (strcmp(map->group[i].name, name) == 0)
            return &map->group[i];
    return NULL;
}

asif_status asif_log_map_columns(asif_log_map *map, asif_role role, uint32_t count, asif_error *error) {
    asif_log_column *column = ASIF_ARRAY(map->context, count, asif_log_column);
    if (!column)
        return asif_fail_memory(error);
    free_role(map->context, &map->role[role]);
    map->role[role] = (asif_log_role){count, column};
    return ASIF_OK;
}

static bool copy_texts(const asif_context *context, char ***out, char *const *texts, uint32_t count) {
    if (!texts)
        return true;
    *out = ASIF_ARRAY(context, count, char *);
    for (uint32_t i = 0; *out && i < count; i++)
        if (!((*out)[i] = asif_strdup(context, texts[i])))
            return false;
    return *out != NULL;
}

static bool copy_text(const asif_context *context, char **out, const char *text) {
    return !text || (*out = asif_strdup(context, text)) != NULL;
}

static bool copy_column(const asif_context *context, asif_log_column *to, const asif_log_column *from) {
    to->labels = from->labels;
    to->spread = from->spread;
    to->unrecorded = from->unrecorded;
    if (!copy_text(context, &to->present, from->present) || !copy_text(context, &to->missing, from->missing))
        return false;
    if (!(to->name = asif_strdup(context, from->name)) ||
        !copy_texts(context, &to->from, from->from, from->labels) ||
        !copy_texts(context, &to->to, from->to, from->labels))
        return false;
    if (from->cuts) {
        if (!(to->cut = ASIF_ARRAY(context, from->cuts, double)))
            return false;
        memcpy(to->cut, from->cut, from->cuts * sizeof *to->cut);
        to->cuts = from->cuts;
    }
    return true;
}

static bool copy_groups(asif_log_map *to, const asif_log_map *from) {
    if (!(to->group = ASIF_ARRAY(to->context, from->groups, asif_log_group)))
        return false;
    to->groups = from->groups;
    for (uint32_t i = 0; i < from->groups; i++) {
        const asif_log_group *g = &from->group[i];
        to->group[i].test = g->test;
        to->group[i].number = g->number;
        if (!copy_text(to->context, &to->group[i].name, g->name) ||
            !copy_text(to->context, &to->group[i].column, g->column) ||
            !copy_text(to->context, &to->group[i].value, g->value))
            return false;
    }
    return true;
}

static bool copy_cell_rules(asif_log_map *to, const asif_log_map *from) {
    if (!(to->cell_rule = ASIF_ARRAY(to->context, from->cell_rules, asif_cell_rule)))
        return false;
    to->cell_rules = from->cell_rules;
    for (uint32_t i = 0; i < from->cell_rules; i++) {
        const asif_cell_rule *r = &from->cell_rule[i];
        asif_cell_rule *copy = &to->cell_rule[i];
        *copy = (asif_cell_rule){.recodes = r->recodes,
                                 .missing_values = r->missing_values,
                                 .least = r->least,
                                 .most = r->most,
                                 .outside_missing = r->outside_missing};
        if (!copy_text(to->context, &copy->name, r->name) || !copy_text(to->context, &copy->date, r->date) ||
            !copy_texts(to->context, &copy->from, r->from, r->recodes) ||
            !copy_texts(to->context, &copy->to, r->to, r->recodes) ||
            !copy_texts(to->context, &copy->missing_value, r->missing_value, r->missing_values))
            return false;
    }
    return true;
}

/* Copy the rules, except those by role. */
static bool copy_rules(asif_log_map *to, const asif_log_map *from) {
    to->missing = from->missing;
    to->gaps = from->gaps;
    to->before = from->before;
    to->step = from->step;
    to->off_grid_out = from->off_grid_out;
    to->begin = from->begin;
    to->requires = from->requires;
    to->comma = from->comma;
    to->missing_values = from->missing_values;
    return copy_text(to->context, &to->initial, from->initial) &&
           copy_texts(to->context, &to->require, from->require, from->requires) &&
           copy_texts(to->context, &to->missing_value, from->missing_value, from->missing_values) &&
           copy_groups(to, from) && copy_cell_rules(to, from);
}

asif_status asif_log_map_copy(asif_log_map **out, const asif_log_map *map, asif_error *error) {
    ASIF_TRY(asif_log_map_create(out, map->context, error));
    asif_log_map *copy = *out;
    bool good = copy_rules(copy, map);
    for (uint32_t i = 0; good && i < ASIF_ROLE_COUNT; i++) {
        const asif_log_role *role = &map->role[i];
        good = asif_log_map_columns(copy, (asif_role)i, role->columns, error) == ASIF_OK;
        for (uint32_t k = 0; good && k < role->columns; k++)
            good = copy_column(map->context, &copy->role[i].column[k], &role->column[k]);
    }
    if (good)
        return ASIF_OK;
    asif_log_map_free(copy);
    *out = NULL;
    return asif_fail_memory(error);
}

/* Name other columns for a role. Its labels and cuts stay, if the number of columns is the same as before. */
static asif_status rename_columns(asif_log_map *map, asif_role role, const char *columns, uint32_t count,
                                  asif_error *error) {
    if (map->role[role].columns != count)
        ASIF_TRY(asif_log_map_columns(map, role, count, error));
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strcspn(columns, ",");
        if (count == 1)
            length = strlen(columns);
        char *name = ASIF_ARRAY(map->context, length + 1, char);
        if (!name) {
            free_role(map->context, &map->role[role]);
            return asif_fail_memory(error);
        }
        memcpy(name, columns, length);
        asif_free(map->context, map->role[role].column[i].name);
        map->role[role].column[i].name = name;
        columns += length + 1;
    }
    return ASIF_OK;
}

asif_status asif_log_map_set(asif_log_map *map, const char *role, const char *columns, asif_error *error) {
    asif_role which = asif_role_find(role);
    if (which == ASIF_ROLE_COUNT) {
        asif_fail(error, ASIF_EUNKNOWN, "columns have no role `%.60s`", role);
        const char *near = asif_nearest_word(role, roles, ASIF_ROLE_COUNT);
        if (near)
            asif_error_hint(error, "did you mean `%s`?", near);
        else
            asif_error_hint(
                error,
                "the roles are subject, episode, time, action, observation, state, weight, start and label");
        return ASIF_EUNKNOWN;
    }
    uint32_t count = 1;
    if (which == ASIF_ROLE_OBSERVATION || which == ASIF_ROLE_STATE)
        for (const char *c = columns; *c; c++)
            count += *c == ',';
    size_t length = strlen(columns);
    if (length == 0 || columns[0] == ',' ||
        (count > 1 && (columns[length - 1] == ',' || strstr(columns, ",,")))) {
        asif_fail(error, ASIF_EUNKNOWN, "the name of a column of `%s` is empty", role);
        asif_error_hint(error, "write %s=COLUMN", role);
        return ASIF_EUNKNOWN;
    }
    return rename_columns(map, which, columns, count, error);
}
