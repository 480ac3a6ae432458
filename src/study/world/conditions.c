/* Conditions: parts of a study that differ by columns of the logs, written {by: COLUMN, VALUE: ..., any:
 * ...}. The study is read once for each combination of the columns' values, with what stands for these in
 * place of such mappings, and the settings that come out are joined. */
#include "base/error.h"
#include "base/text.h"
#include "setting/join.h"
#include "study/study_reader.h"

#include <string.h>

#define MOST_COLUMNS 4
#define MOST_CONDITIONS 1000
#define LONGEST 512 /* label of a condition, in bytes */
#define HOW "write {by: COLUMN, VALUE: ..., VALUE: ..., any: ...}"

/* The parts of a study that can differ. */
static const struct {
    const char *section, *key;
} places[] = {
    {"environment", "start"},     {"environment", "transitions"}, {"environment", "emissions"},
    {"environment", "available"}, {"environment", "terminal"},    {"agent", "start"},
    {"agent", "worlds"},          {"agent", "utility"},           {"agent", "parameters"},
};
#define PLACES (sizeof places / sizeof *places)

static const asif_yaml *at_place(const asif_reader *draft, size_t i) {
    const asif_yaml *section = asif_yaml_get(draft->root, places[i].section);
    return section && section->kind == ASIF_YAML_MAP ? asif_yaml_get(section, places[i].key) : NULL;
}

/* A mapping by columns; `by` is a word of utilities in tables, too. */
static bool is_by(const asif_yaml *node) {
    return node->kind == ASIF_YAML_MAP && asif_yaml_get(node, "by") && !asif_yaml_get(node, "table") &&
           !asif_yaml_get(node, "features");
}

/* A parameter that has the same prior in all conditions, and a value in each: {by: COLUMN, learn: ...}. */
static bool is_alike(const asif_yaml *node) {
    return asif_yaml_get(node, "learn") || asif_yaml_get(node, "standard");
}

/* ---- the columns of a mapping ---- */

typedef struct {
    uint32_t count, column[MOST_COLUMNS];
} by_columns;

static uint32_t find_by(const asif_reader *draft, const char *name) {
    uint32_t i = 0;
    while (i < draft->bys && strcmp(draft->by[i].name, name) != 0)
        i++;
    return i;
}

static bool is_part(const asif_reader *draft, const char *name) {
    const asif_yaml *states = asif_yaml_get(draft->root, "states");
    for (int side = 0; states && states->kind == ASIF_YAML_MAP && side < 2; side++) {
        const asif_yaml *parts = asif_yaml_get(states, side ? "hidden" : "seen");
        if (parts && parts->kind == ASIF_YAML_MAP && asif_yaml_get(parts, name))
            return true;
    }
    return false;
}

static bool add_column(asif_reader *draft, const asif_yaml *at, by_columns *columns) {
    if (!asif_reader_kind(draft, at, ASIF_YAML_SCALAR, "a column of `by`"))
        return asif_reader_hint(draft, HOW);
    const char *name = at->text;
    uint32_t i = find_by(draft, name);
    if (!name[0] || asif_reader_is_role(name) || is_part(draft, name)) {
        asif_reader_error(draft, at, "`%s` cannot be a column by which a study differs",
                          asif_show(name).text);
        return asif_reader_hint(draft,
                                is_part(draft, name)
                                    ? "it is a part of the state: name its values, as in {%s=VALUE: ...}"
                                    : "name a column of the logs that has no other role",
                                asif_show(name).text);
    }
    for (uint32_t k = 0; k < columns->count; k++)
        if (columns->column[k] == i)
            return asif_reader_error(draft, at, "`by` names the column `%s` twice", asif_show(name).text);
    if (i == MOST_COLUMNS)
        return asif_reader_error(draft, at, "a study differs by more than %d columns", MOST_COLUMNS);
    if (i == draft->bys)
        draft->by[draft->bys++] = (asif_reader_part){name, {.what = "value"}};
    columns->column[columns->count++] = i;
    return true;
}

static bool read_columns(asif_reader *draft, const asif_yaml *node, by_columns *columns) {
    const asif_yaml *by = asif_yaml_get(node, "by");
    bool good = true;
    *columns = (by_columns){0};
    if (by->kind != ASIF_YAML_LIST)
        return add_column(draft, by, columns);
    if (by->count == 0 || by->count > MOST_COLUMNS)
        return asif_reader_error(draft, by, "`by` names from 1 to %d columns, not %u", MOST_COLUMNS,
                                 by->count);
    for (uint32_t i = 0; good && i < by->count; i++)
        good = add_column(draft, by->item[i], columns);
    return good;
}

/* ---- values ---- */

static bool add_value(asif_reader *draft, const asif_yaml *key, uint32_t column, const char *text,
                      size_t length) {
    asif_labels *values = &draft->by[column].values;
    char *copy = asif_reader_alloc(draft, length + 1, 1);
    const char **name = asif_reader_alloc(draft, (uint64_t)values->count + 1, sizeof *name);
    if (!copy || !name)
        return false;
    memcpy(copy, text, length);
    if (!length || strchr(copy, '='))
        return asif_reader_error(draft, key, "`%s` cannot be a value of the column `%s`",
                                 asif_show(key->text).text, asif_show(draft->by[column].name).text);
    if (values->name && asif_labels_find(values, copy) != ASIF_ANY)
        return true;
    for (uint32_t i = 0; values->name && i < values->count; i++)
        name[i] = values->name[i];
    name[values->count++] = copy;
    values->name = name;
    return true;
}

/* Read the values that a key names, one of each column, joined by `/`. */
static bool read_key(asif_reader *draft, const asif_yaml *key, const by_columns *columns) {
    const char *at = key->text;
    for (uint32_t i = 0; i < columns->count; i++) {
        const char *end = strchr(at, '/');
        if (!end != (i + 1 == columns->count)) {
            asif_reader_error(draft, key, "`%s` does not name one value of each column of `by`",
                              asif_show(key->text).text);
            return asif_reader_hint(draft, columns->count > 1
                                               ? "join a value of each column by `/`, in their order"
                                               : "`/` joins values of several columns; choose another "
                                                 "character in the logs, or recode the column");
        }
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (!add_value(draft, key, columns->column[i], at, length))
            return false;
        at += length + 1;
    }
    return true;
}

static bool is_word(const asif_yaml *key) {
    return strcmp(key->text, "by") == 0 || strcmp(key->text, "any") == 0;
}

static bool read_by(asif_reader *draft, const asif_yaml *node) {
    by_columns columns;
    if (!read_columns(draft, node, &columns))
        return false;
    bool good = true;
    uint32_t names = 0;
    for (uint32_t i = 0, next = 0; !is_alike(node) && i < node->count; i = next) {
        asif_reader_joined(draft, node, i, &next);
        names++;
        good = (is_word(node->key[i]) || read_key(draft, node->key[i], &columns)) && good;
    }
    if (good && !is_alike(node) && names < 2) {
        asif_reader_parse_error(draft, node, "what is by `%s` names no value of it",
                                asif_show(draft->by[columns.column[0]].name).text);
        return asif_reader_hint(draft, HOW);
    }
    return good;
}

/* Call a function for all mappings by columns below a node. Of `parameters`, each value can be one. */
static bool for_each(asif_reader *draft, const asif_yaml *node, bool parameters,
                     bool (*what)(asif_reader *, const asif_yaml *)) {
    bool good = true, by = is_by(node);
    if (by)
        good = what(draft, node);
    for (uint32_t i = 0; node->kind != ASIF_YAML_SCALAR && i < node->count && !draft->stop; i++)
        if (!(by && (parameters || strcmp(node->key[i]->text, "by") == 0)))
            good = for_each(draft, node->item[i], parameters, what) && good;
    return good;
}

/* ---- conditions ---- */

/* The value of a column in the draft's condition; the last column varies fastest. */
static uint32_t value_here(const asif_reader *draft, uint32_t column) {
    uint32_t rest = draft->condition;
    for (uint32_t i = draft->bys - 1; i > column; i--)
        rest /= draft->by[i].values.count;
    return rest % draft->by[column].values.count;
}

/* The values of some columns in the draft's condition, joined by a character. */
static void label_here(const asif_reader *draft, const by_columns *columns, char with, char *out) {
    size_t used = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < columns->count && used < LONGEST; i++) {
        const asif_labels *values = &draft->by[columns->column[i]].values;
        char between[2] = {i ? with : 0, 0};
        used += (size_t)asif_format(out + used, LONGEST - used, "%s%s", between,
                                    values->name[value_here(draft, columns->column[i])]);
    }
}

/* Report a mapping that says nothing of some condition. */
static bool check_by(asif_reader *draft, const asif_yaml *node) {
    by_columns columns;
    char label[LONGEST];
    if (!read_columns(draft, node, &columns) || is_alike(node) || asif_yaml_get(node, "any"))
        return true;
    for (draft->condition = 0; draft->condition < draft->conditions; draft->condition++) {
        label_here(draft, &columns, '/', label);
        if (asif_yaml_get(node, label))
            continue;
        draft->condition = 0;
        asif_reader_error(draft, node,
                          "`%s` is not named here, and elsewhere the study names it as a value of "
                          "the column%s",
                          asif_show(label).text, columns.count > 1 ? "s" : "");
        return asif_reader_hint(draft, "name every value, or give `any` for the others");
    }
    draft->condition = 0;
    return true;
}

static bool is_named(const asif_yaml *list, const char *label) {
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++)
        if (asif_is(list->item[i]->text, label))
            return true;
    return false;
}

/* Whether `by` is a label of the study, as it could be before there were conditions. */
static bool is_label(const asif_reader *draft) {
    static const char *const spaces[] = {"states", "actions", "observations"};
    bool found = false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        found = found || is_named(asif_yaml_get(draft->root, spaces[i]), "by");
    return found;
}

/* Whether anything but a start is by a column: only then are there conditions, and else start classes. */
static bool mark_any(asif_reader *draft, const asif_yaml *node) {
    (void)draft, (void)node;
    return false;
}

static bool for_each_at(asif_reader *draft, size_t place, bool (*what)(asif_reader *, const asif_yaml *)) {
    const asif_yaml *node = at_place(draft, place);
    bool parameters = strcmp(places[place].key, "parameters") == 0, good = true;
    if (!node || (parameters && node->kind != ASIF_YAML_MAP))
        return true;
    if (!parameters)
        return for_each(draft, node, false, what);
    for (uint32_t i = 0; i < node->count; i++)
        good = for_each(draft, node->item[i], true, what) && good;
    return good;
}

static bool differs(asif_reader *draft) {
    bool any = false;
    for (size_t i = 0; i < PLACES; i++)
        any = any || (strcmp(places[i].key, "start") != 0 && !for_each_at(draft, i, mark_any));
    return any;
}

bool asif_reader_find_conditions(asif_reader *draft) {
    if (!draft->root || draft->root->kind != ASIF_YAML_MAP || is_label(draft) || !differs(draft))
        return true;
    draft->by = asif_reader_alloc(draft, MOST_COLUMNS, sizeof *draft->by);
    bool good = draft->by != NULL;
    for (size_t i = 0; draft->by && i < PLACES; i++)
        good = for_each_at(draft, i, read_by) && good;
    uint64_t count = 1;
    for (uint32_t i = 0; good && i < draft->bys && count <= MOST_CONDITIONS; i++) {
        count *= draft->by[i].values.count;
        if (count == 0) {
            asif_reader_error(draft, NULL, "no part of the study names a value of the column `%s`",
                              asif_show(draft->by[i].name).text);
            return asif_reader_hint(draft, HOW);
        }
    }
    if (!good || draft->stop)
        return false;
    if (count < 2 || count > MOST_CONDITIONS)
        return asif_reader_error(draft, NULL, "a study has from 2 to %d conditions", MOST_CONDITIONS);
    draft->conditions = (uint32_t)count;
    for (size_t i = 0; i < PLACES; i++)
        for_each_at(draft, i, check_by);
    asif_reader_flush(draft);
    return draft->first.status == ASIF_OK;
}

/* ---- the study in a condition ---- */

static asif_yaml *copy_node(asif_reader *draft, const asif_yaml *node, uint64_t room) {
    asif_yaml *to = asif_reader_alloc(draft, 1, sizeof *to);
    if (!to)
        return NULL;
    *to = *node;
    to->count = 0;
    to->item = asif_reader_alloc(draft, room, sizeof *to->item);
    to->key = asif_reader_alloc(draft, room, sizeof *to->key);
    return to->item && to->key ? to : NULL;
}

static void put(asif_yaml *to, const asif_yaml *key, const asif_yaml *item) {
    to->key[to->count] = (asif_yaml *)(uintptr_t)key;
    to->item[to->count++] = (asif_yaml *)(uintptr_t)item;
}

/* What a mapping by columns holds for the draft's condition. */
static const asif_yaml *chosen(asif_reader *draft, const asif_yaml *node, const by_columns *columns) {
    char label[LONGEST];
    const asif_yaml *found = NULL;
    label_here(draft, columns, '/', label);
    for (uint32_t i = 0, next = 0; i < node->count; i = next) {
        const char *text = asif_reader_joined(draft, node, i, &next);
        bool any = strcmp(node->key[i]->text, "any") == 0;
        if ((!any && strcmp(node->key[i]->text, label) != 0) || (any && found))
            continue;
        found = node->item[i];
        if (text && text != found->text) {
            asif_yaml *whole = asif_reader_alloc(draft, 1, sizeof *whole);
            if (!whole)
                return NULL;
            *whole = *found;
            whole->text = text;
            found = whole;
        }
        if (!any)
            return found;
    }
    return found;
}

static const asif_yaml *here(asif_reader *draft, const asif_yaml *node) {
    by_columns columns;
    if (draft->stop || node->kind == ASIF_YAML_SCALAR)
        return node;
    if (is_by(node)) {
        const asif_yaml *found = read_columns(draft, node, &columns) ? chosen(draft, node, &columns) : NULL;
        return found ? here(draft, found) : node;
    }
    asif_yaml *to = copy_node(draft, node, node->count);
    for (uint32_t i = 0; to && i < node->count; i++)
        put(to, node->kind == ASIF_YAML_MAP ? node->key[i] : NULL, here(draft, node->item[i]));
    return to ? to : node;
}

/* A mapping without `by`. */
static const asif_yaml *without_by(asif_reader *draft, const asif_yaml *node) {
    asif_yaml *to = copy_node(draft, node, node->count);
    for (uint32_t i = 0; to && i < node->count; i++)
        if (strcmp(node->key[i]->text, "by") != 0)
            put(to, node->key[i], node->item[i]);
    return to ? to : node;
}

static const asif_yaml *name_key(asif_reader *draft, const asif_yaml *key, const char *label) {
    size_t length = strlen(key->text) + strlen(label) + 2;
    asif_yaml *to = asif_reader_alloc(draft, 1, sizeof *to);
    char *text = asif_reader_alloc(draft, length, 1);
    if (!to || !text)
        return key;
    asif_format(text, length, "%s.%s", key->text, label);
    *to = *key;
    to->text = text;
    return to;
}

/* Add a parameter by condition: one for each combination of its columns, `price.0.1`. */
static void expand(asif_reader *draft, asif_yaml *to, uint64_t room, const asif_yaml *key,
                   const asif_yaml *value) {
    by_columns columns;
    uint32_t now = draft->condition;
    char label[LONGEST], mine[LONGEST];
    if (!read_columns(draft, value, &columns))
        return;
    label_here(draft, &columns, '.', mine);
    for (draft->condition = 0; draft->condition < draft->conditions; draft->condition++) {
        label_here(draft, &columns, '.', label);
        const asif_yaml *name = name_key(draft, key, label),
                        *found = is_alike(value) ? without_by(draft, value) : chosen(draft, value, &columns);
        bool there = false;
        for (uint32_t i = 0; i < to->count; i++)
            there = there || strcmp(to->key[i]->text, name->text) == 0;
        if (there || !found || to->count == room)
            continue;
        put(to, name, found);
        if (strcmp(label, mine) == 0 && asif_reader_grow(draft, &draft->by_name, draft->by_names,
                                                         &draft->by_name_room, sizeof *draft->by_name))
            draft->by_name[draft->by_names++] = (struct asif_by_name){key->text, name->text};
    }
    draft->condition = now;
}

static const asif_yaml *parameters_here(asif_reader *draft, const asif_yaml *node) {
    uint64_t room = node->count * (uint64_t)draft->conditions;
    asif_yaml *to = node->kind == ASIF_YAML_MAP ? copy_node(draft, node, room) : NULL;
    for (uint32_t i = 0; to && i < node->count; i++) {
        if (!is_by(node->item[i])) {
            put(to, node->key[i], node->item[i]);
        } else if (asif_reader_is_builtin(node->key[i]->text)) {
            asif_reader_error(draft, node->key[i], "`%s` is the same in all conditions",
                              asif_show(node->key[i]->text).text);
            asif_reader_hint(draft, "parameters of the utility can be by a column; with `asif fit --by "
                                    "COLUMN`, each condition has an agent of its own");
        } else {
            expand(draft, to, room, node->key[i], node->item[i]);
        }
    }
    return to ? to : node;
}

static const asif_yaml *section_here(asif_reader *draft, const asif_yaml *section, const char *name) {
    asif_yaml *to = copy_node(draft, section, section->count);
    for (uint32_t i = 0; to && i < section->count; i++) {
        const asif_yaml *item = section->item[i];
        for (size_t k = 0; k < PLACES; k++)
            if (strcmp(places[k].section, name) == 0 && strcmp(places[k].key, section->key[i]->text) == 0)
                item = strcmp(places[k].key, "parameters") == 0 ? parameters_here(draft, item)
                                                                : here(draft, item);
        put(to, section->key[i], item);
    }
    return to ? to : section;
}

const asif_yaml *asif_reader_in_condition(asif_reader *draft, const asif_yaml *root) {
    asif_yaml *to = copy_node(draft, root, root->count);
    for (uint32_t i = 0; to && i < root->count; i++) {
        const char *name = root->key[i]->text;
        bool differ = strcmp(name, "environment") == 0 || strcmp(name, "agent") == 0;
        put(to, root->key[i],
            differ && root->item[i]->kind == ASIF_YAML_MAP ? section_here(draft, root->item[i], name)
                                                           : root->item[i]);
    }
    return to ? to : root;
}

const char *asif_reader_value_here(const asif_reader *draft, const char *column) {
    uint32_t i = find_by(draft, column);
    return i < draft->bys ? draft->by[i].values.name[value_here(draft, i)] : NULL;
}

/* ---- what comes out ---- */

void asif_reader_check_conditions(asif_reader *draft) {
    const char *what = draft->unlearnts || draft->hiddens ? "dynamics that are to be learnt"
                       : draft->environments_at           ? "several `environments` of an inverse planner"
                       : draft->means_at                  ? "`means` of actions"
                                                          : NULL;
    for (uint32_t i = 0; !what && draft->agent_start.learn && i < draft->agent_start.classes; i++)
        what = draft->agent_start.learn[i] ? "a `start` that is to be estimated" : what;
    if (!draft->conditions || !what)
        return;
    asif_reader_error(draft, NULL, "%s cannot be combined with conditions (`by: %s`) yet", what,
                      asif_show(draft->by[0].name).text);
    asif_reader_hint(draft, "cut the logs by condition, and write a study for each");
}

bool asif_reader_join_conditions(asif_reader *draft, asif_setting *const *part, asif_setting **out) {
    asif_observation_column *column = asif_reader_alloc(draft, draft->bys, sizeof *column);
    if (!column)
        return false;
    for (uint32_t i = 0; i < draft->bys; i++)
        column[i] =
            (asif_observation_column){draft->by[i].name, draft->by[i].values.count, draft->by[i].values.name};
    asif_joint joint = {draft->conditions, (const asif_setting *const *)part, draft->bys, column, draft->bys};
    asif_error error = ASIF_ERROR_INIT;
    if (asif_setting_join(out, draft->context, &joint, &error) != ASIF_OK)
        return asif_reader_pass_on(draft, NULL, &error);
    return true;
}
