/* Reads the section `logs` of a study. */
#include "logs/map/map_section.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

typedef asif_log_section section;
#define PROBLEM ASIF_LOG_PROBLEM

/* The labels to which the values of a column can be mapped. */
typedef struct {
    const char *what, *plural;
    uint32_t count; /* 0: labels are not checked */
    const char *const *name;
    bool lost; /* results of the column can be lost: it is one of the observation */
} labels;

void asif_log_problem(section *s, const asif_yaml *at, asif_error *error, const char *hint) {
    asif_error_hint(error, "%s", hint);
    s->reader->problem(s->reader->user, at, error);
}

char *asif_log_copy(section *s, const char *text) {
    char *copied = asif_strdup(s->context, text);
    s->no_memory = s->no_memory || !copied;
    return copied;
}

static bool is_label(const labels *l, const char *text) {
    char number[16];
    for (uint32_t i = 0; i < l->count; i++) {
        if (!l->name)
            asif_format(number, sizeof number, "%u", i);
        if (strcmp(text, l->name ? l->name[i] : number) == 0)
            return true;
    }
    return false;
}

static bool check_label(section *s, const asif_yaml *node, const labels *l) {
    if (node->kind != ASIF_YAML_SCALAR) {
        PROBLEM(s, node, "", ASIF_EPARSE, "a label must be a single value, not %s",
                asif_yaml_kind_name(node->kind));
        return false;
    }
    if (l->count == 0 || is_label(l, node->text))
        return true;
    char hint[256] = "";
    const char *near = l->name ? asif_nearest_word(node->text, l->name, l->count) : NULL;
    if (near) {
        asif_format(hint, sizeof hint, "did you mean `%.60s`?", near);
    } else if (!l->name) {
        asif_format(hint, sizeof hint, "%s are the numbers from 0 to %u", l->plural, l->count - 1);
    } else {
        size_t used = (size_t)asif_format(hint, sizeof hint, "%s are ", l->plural);
        for (uint32_t i = 0; i < l->count && used + 80 < sizeof hint; i++)
            used +=
                (size_t)asif_format(hint + used, sizeof hint - used, "%s`%.60s`", i ? ", " : "", l->name[i]);
        if (used + 80 >= sizeof hint)
            asif_format(hint + used, sizeof hint - used, ", ...");
    }
    PROBLEM(s, node, hint, ASIF_EINVALID, "there is no %s `%.60s`", l->what, node->text);
    return false;
}

bool asif_log_name(section *s, const asif_yaml *node, char **out) {
    if (node->kind == ASIF_YAML_SCALAR && node->text[0])
        return (*out = asif_log_copy(s, node->text)) != NULL;
    PROBLEM(s, node, "write its name, or {column: NAME, labels: {...}}", ASIF_EPARSE,
            "a column of the logs must be named by a single word");
    return false;
}

/* Read `mean +- X sd`, with the sign in ASCII or not. False: the text is not of this form. */
static bool read_spread(const char *text, double *out) {
    static const char *const signs[] = {"+-", "\xc2\xb1", "+/-"};
    size_t length = 0;
    if (strncmp(text, "mean", 4) != 0)
        return false;
    text += 4 + strspn(text + 4, " ");
    for (uint32_t i = 0; i < COUNT(signs) && !length; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            length = strlen(signs[i]);
    text += length;
    text += strspn(text, " ");
    size_t digits = strcspn(text, " s");
    const char *unit = text + digits + strspn(text + digits, " ");
    return length && strcmp(unit, "sd") == 0 && asif_number_read(text, digits, out) && *out > 0 &&
           isfinite(*out);
}

static void read_cut(section *s, const asif_yaml *node, asif_log_column *column) {
    if (node->kind == ASIF_YAML_SCALAR && read_spread(node->text, &column->spread)) {
        if ((column->cut = ASIF_ARRAY(s->context, 2, double)))
            column->cut[0] = column->cut[1] = NAN;
        column->cuts = column->cut ? 2 : 0;
        s->no_memory = s->no_memory || !column->cut;
        return;
    }
    bool one = node->kind == ASIF_YAML_SCALAR && node->text[0];
    uint32_t count = one ? 1 : node->count;
    if (!one && (node->kind != ASIF_YAML_LIST || count == 0)) {
        PROBLEM(s, node, "write [0.5, 4.5]", ASIF_EPARSE, "`cut` must be a list of numbers, not %s",
                node->kind == ASIF_YAML_LIST ? "an empty one" : asif_yaml_kind_name(node->kind));
        return;
    }
    column->cut = ASIF_ARRAY(s->context, count, double);
    if (!column->cut) {
        s->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const asif_yaml *item = one ? node : node->item[i];
        double *x = &column->cut[i];
        if (item->kind != ASIF_YAML_SCALAR || !asif_number_read(item->text, strlen(item->text), x) ||
            !isfinite(*x)) {
            PROBLEM(s, item,
                    item->kind != ASIF_YAML_SCALAR        ? ""
                    : strchr(item->text, ',')             ? "write decimals with a point"
                    : strncmp(item->text, "mean", 4) == 0 ? "write `cut: mean +- 0.5 sd`"
                                                          : "",
                    ASIF_EPARSE, "`cut` must be a number, not %s%.60s%s",
                    item->kind == ASIF_YAML_SCALAR ? "`" : asif_yaml_kind_name(item->kind),
                    item->kind == ASIF_YAML_SCALAR ? item->text : "",
                    item->kind == ASIF_YAML_SCALAR ? "`" : "");
            return;
        }
        if (i && !(*x > column->cut[i - 1])) {
            PROBLEM(s, item, "", ASIF_EINVALID, "the numbers of `cut` must ascend, but %.7g follows %.7g", *x,
                    column->cut[i - 1]);
            return;
        }
    }
    column->cuts = count;
}

/* Read the names of the classes that the cuts make. */
static void read_class_names(section *s, const asif_yaml *node, const labels *l, asif_log_column *column) {
    if (node->kind != ASIF_YAML_LIST) {
        PROBLEM(s, node, "write [low, middle, high]", ASIF_EPARSE,
                "with a `cut`, `labels` must be a list of the classes' names, not %s",
                asif_yaml_kind_name(node->kind));
        return;
    }
    if (column->cuts && node->count != column->cuts + 1) {
        PROBLEM(s, node, "", ASIF_EINVALID, "%u cuts make %u classes, but there are %u names", column->cuts,
                column->cuts + 1, node->count);
        return;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (!check_label(s, node->item[i], l))
            return;
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(node->item[k]->text, node->item[i]->text) != 0)
                continue;
            PROBLEM(s, node->item[i], "leave out the cut between them", ASIF_EINVALID,
                    "`%.60s` is the name of two classes", node->item[i]->text);
            return;
        }
    }
    column->to = ASIF_ARRAY(s->context, node->count, char *);
    s->no_memory = s->no_memory || !column->to;
    for (uint32_t i = 0; column->to && i < node->count; i++, column->labels++)
        if (!(column->to[i] = asif_log_copy(s, node->item[i]->text)))
            return;
}

static void read_labels(section *s, const asif_yaml *node, const labels *l, asif_log_column *column) {
    if (node->kind != ASIF_YAML_MAP || node->count == 0) {
        PROBLEM(s, node, "write {0: skip, 1: scan}", ASIF_EPARSE,
                "`labels` must be a mapping from the column's values, not %s",
                node->kind == ASIF_YAML_MAP ? "an empty one" : asif_yaml_kind_name(node->kind));
        return;
    }
    for (uint32_t i = 0; i < node->count; i++)
        if (!check_label(s, node->item[i], l))
            return;
    column->from = ASIF_ARRAY(s->context, node->count, char *);
    column->to = ASIF_ARRAY(s->context, node->count, char *);
    s->no_memory = s->no_memory || !column->from || !column->to;
    for (uint32_t i = 0; !s->no_memory && i < node->count; i++, column->labels++) {
        column->from[i] = asif_log_copy(s, node->key[i]->text);
        column->to[i] = asif_log_copy(s, node->item[i]->text);
    }
}

bool asif_log_keys(section *s, const asif_yaml *node, const char *const *known, uint32_t count) {
    for (uint32_t i = 0; i < node->count; i++) {
        const char *key = node->key[i]->text, *near = NULL;
        char hint[200];
        uint32_t k = 0;
        while (k < count && strcmp(key, known[k]) != 0)
            k++;
        if (k < count)
            continue;
        size_t used = 0;
        if ((near = asif_nearest_word(key, known, count)))
            asif_format(hint, sizeof hint, "did you mean `%s`?", near);
        else
            for (k = 0; k < count; k++)
                used += (size_t)asif_format(hint + used, sizeof hint - used, "%s`%s`",
                                            k ? ", " : "the keys here are ", known[k]);
        PROBLEM(s, node->key[i], hint, ASIF_EPARSE, "unknown key `%.60s` in `logs`", key);
        return false;
    }
    return true;
}

/* Read the labels of cells that are there, and of missing ones. */
static void read_presence(section *s, const asif_yaml *present, const asif_yaml *missing, const labels *l,
                          asif_log_column *column) {
    if (present && (column->cuts || column->from)) {
        PROBLEM(s, present, "leave out `labels` and `cut`", ASIF_EINVALID,
                "`present` gives all cells that are there the same label");
        return;
    }
    if (present && check_label(s, present, l))
        column->present = asif_log_copy(s, present->text);
    if (missing && missing->kind == ASIF_YAML_SCALAR && strcmp(missing->text, "unrecorded") == 0 &&
        !is_label(l, missing->text)) {
        column->unrecorded = l->lost;
        if (!l->lost)
            PROBLEM(s, missing, "leave such episodes out: `missing: drop_episode` under `logs`",
                    ASIF_EUNSUPPORTED, "only observations can be `unrecorded`");
        return;
    }
    if (missing && check_label(s, missing, l))
        column->missing = asif_log_copy(s, missing->text);
}

/* Read a column: its name, or a mapping. */
static void read_column(section *s, const asif_yaml *node, const labels *l, asif_log_column *column) {
    static const char *const known[] = {"column", "labels", "cut", "present", "missing"};
    if (node->kind != ASIF_YAML_MAP) {
        asif_log_name(s, node, &column->name);
        return;
    }
    if (!asif_log_keys(s, node, known, COUNT(known)))
        return;
    const asif_yaml *name = asif_yaml_get(node, "column"), *values = asif_yaml_get(node, "labels"),
                    *cut = asif_yaml_get(node, "cut");
    if (!name)
        PROBLEM(s, node, "write {column: NAME, labels: {...}}", ASIF_EPARSE, "the `column` is missing");
    else
        asif_log_name(s, name, &column->name);
    if (cut)
        read_cut(s, cut, column);
    if (values && cut)
        read_class_names(s, values, l, column);
    else if (values)
        read_labels(s, values, l, column);
    read_presence(s, asif_yaml_get(node, "present"), asif_yaml_get(node, "missing"), l, column);
}

/* Classes of cuts without names of their own are those of the study's column, in order. */
static void name_classes(section *s, const asif_yaml *node, const asif_observation_column *of,
                         asif_log_column *column) {
    char number[16];
    if (!column->cuts || column->labels)
        return;
    if (column->missing || of->classes != column->cuts + 1) {
        PROBLEM(s, node, "name the classes that the cuts make: `labels: [...]`", ASIF_EINVALID,
                "%u cut%s %u classes, but `%.60s` has %u%s", column->cuts,
                column->cuts == 1 ? " makes" : "s make", column->cuts + 1, of->name, of->classes,
                column->missing ? ", one of them for missing cells" : "");
        return;
    }
    column->to = ASIF_ARRAY(s->context, of->classes, char *);
    s->no_memory = s->no_memory || !column->to;
    for (uint32_t i = 0; column->to && i < of->classes; i++, column->labels++) {
        asif_format(number, sizeof number, "%u", i);
        if (!(column->to[i] = asif_log_copy(s, of->class_names ? of->class_names[i] : number)))
            return;
    }
}

/* Read the column of the logs that has the i-th of the study's columns of observations. */
static void read_class_column(section *s, const asif_yaml *node, uint32_t i) {
    const asif_observation_column *of = &s->reader->column[i];
    asif_log_column *column = &s->map->role[ASIF_ROLE_OBSERVATION].column[i];
    char what[80], plural[96];
    asif_format(what, sizeof what, "class of `%.60s`:", of->name);
    asif_format(plural, sizeof plural, "the classes of `%.60s`", of->name);
    labels l = {what, plural, of->classes, of->class_names, true};
    read_column(s, node, &l, column);
    name_classes(s, node, of, column);
}

static const asif_yaml *find_named(section *s, const asif_yaml *node, const char *name) {
    const asif_yaml *found = asif_yaml_get(node, name);
    if (found)
        return found;
    char hint[128];
    asif_format(hint, sizeof hint, "write `%.60s: COLUMN`", name);
    PROBLEM(s, node, hint, ASIF_EPARSE, "no column of the logs is named for the observations of `%.60s`",
            name);
    return NULL;
}

/* Report names that the study does not have; false if there are any. */
static bool check_names(section *s, const asif_yaml *node, const char *const *name, uint32_t count) {
    bool good = true;
    for (uint32_t k = 0; k < node->count; k++) {
        uint32_t i = 0;
        while (i < count && strcmp(node->key[k]->text, name[i]) != 0)
            i++;
        if (i < count)
            continue;
        char hint[128];
        const char *near = asif_nearest_word(node->key[k]->text, name, count);
        asif_format(hint, sizeof hint, near ? "did you mean `%.60s`?" : "it has `%.60s`%s",
                    near ? near : name[0], count > 1 ? " and others" : "");
        PROBLEM(s, node->key[k], hint, ASIF_EPARSE, "the study has no column of observations `%.60s`",
                node->key[k]->text);
        good = false;
    }
    return good;
}

/* Read the columns of the logs by the names of the study's columns of observations. */
static void read_by_name(section *s, const asif_yaml *node) {
    uint32_t count = s->reader->columns;
    const char **name = ASIF_ARRAY(s->context, count, const char *);
    if (!name || asif_log_map_columns(s->map, ASIF_ROLE_OBSERVATION, count, NULL) != ASIF_OK) {
        asif_free(s->context, name);
        s->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        name[i] = s->reader->column[i].name;
    bool known = check_names(s, node, name, count);
    for (uint32_t i = 0; i < count && known; i++) {
        const asif_yaml *found = find_named(s, node, name[i]);
        if (found)
            read_class_column(s, found, i);
    }
    asif_free(s->context, name);
}

static void read_columns(section *s, const asif_yaml *node, asif_role role, const labels *l) {
    const labels any = {"label", "the labels", 0, NULL, role == ASIF_ROLE_OBSERVATION};
    bool several = node->kind == ASIF_YAML_LIST;
    uint32_t count = several ? node->count : 1;
    if (count == 0) {
        PROBLEM(s, node, "", ASIF_EPARSE, "the list of columns is empty");
        return;
    }
    if (asif_log_map_columns(s->map, role, count, NULL) != ASIF_OK) {
        s->no_memory = true;
        return;
    }
    /* With several columns, the labels of one are only parts of the setting's labels, so they are not
     * checked unless the study names its columns. */
    bool named = role == ASIF_ROLE_OBSERVATION && several && s->reader->columns == count;
    for (uint32_t i = 0; i < count; i++)
        if (named)
            read_class_column(s, node->item[i], i);
        else
            read_column(s, several ? node->item[i] : node, count == 1 ? l : &any,
                        &s->map->role[role].column[i]);
}

static void read_plain(section *s, const asif_yaml *node, uint32_t role) {
    if (asif_log_map_columns(s->map, (asif_role)role, 1, NULL) != ASIF_OK)
        s->no_memory = true;
    else
        asif_log_name(s, node, &s->map->role[role].column[0].name);
}

static labels actions_of(const section *s) {
    return (labels){"action", "the actions", s->reader->actions, s->reader->action_name, false};
}

static void read_action(section *s, const asif_yaml *node, uint32_t role) {
    labels l = actions_of(s);
    if (node->kind == ASIF_YAML_LIST)
        PROBLEM(s, node, "make one column of them before", ASIF_EPARSE,
                "several columns cannot make one action");
    else
        read_columns(s, node, (asif_role)role, &l);
}

static void read_observation(section *s, const asif_yaml *node, uint32_t role) {
    labels l = {"observation", "the observations", s->reader->observations, s->reader->observation_name,
                true};
    if (s->reader->columns && node->kind == ASIF_YAML_MAP && !asif_yaml_get(node, "column"))
        read_by_name(s, node);
    else
        read_columns(s, node, (asif_role)role, &l);
}

static void read_state(section *s, const asif_yaml *node, uint32_t role) {
    labels l = {"state", "the states", s->reader->states, s->reader->state_name, false};
    read_columns(s, node, (asif_role)role, &l);
}

static void read_state_label(section *s, const asif_yaml *node, uint32_t role) {
    labels l = {"state", "the states", s->reader->states, s->reader->state_name, false};
    if (node->kind == ASIF_YAML_LIST)
        PROBLEM(s, node, "make one column of them before", ASIF_EPARSE,
                "several columns cannot make one label");
    else
        read_columns(s, node, (asif_role)role, &l);
}

/* The labels are those of `start`; they are checked when a table is read. */
static void read_start(section *s, const asif_yaml *node, uint32_t role) {
    static const labels any = {"start class", "the start classes", 0, NULL, false};
    if (node->kind == ASIF_YAML_LIST)
        PROBLEM(s, node, "make one column of them before", ASIF_EPARSE,
                "several columns cannot make one start class");
    else
        read_columns(s, node, (asif_role)role, &any);
}

uint32_t asif_log_choice(section *s, const asif_yaml *node, const char *key, const char *const *words,
                         uint32_t count) {
    char hint[160];
    for (uint32_t i = 0; node->kind == ASIF_YAML_SCALAR && i < count; i++)
        if (strcmp(node->text, words[i]) == 0)
            return i;
    const char *near = node->kind == ASIF_YAML_SCALAR ? asif_nearest_word(node->text, words, count) : NULL;
    size_t used = 0;
    if (near)
        asif_format(hint, sizeof hint, "did you mean `%s`?", near);
    else
        for (uint32_t i = 0; i < count; i++)
            used += (size_t)asif_format(hint + used, sizeof hint - used, "%s`%s`",
                                        i == 0           ? "it can be "
                                        : i + 1 == count ? " or "
                                                         : ", ",
                                        words[i]);
    if (node->kind == ASIF_YAML_SCALAR)
        PROBLEM(s, node, hint, ASIF_EPARSE, "`%s` cannot be `%.60s`", key, node->text);
    else
        PROBLEM(s, node, hint, ASIF_EPARSE, "`%s` must be a single value, not %s", key,
                asif_yaml_kind_name(node->kind));
    return 0;
}

static void read_observes(section *s, const asif_yaml *node, uint32_t unused) {
    static const char *const words[] = {"after", "before"};
    (void)unused;
    s->map->before = asif_log_choice(s, node, "observes", words, COUNT(words)) == 1;
}

static void read_missing(section *s, const asif_yaml *node, uint32_t unused) {
    static const char *const words[] = {"refuse", "drop_row", "drop_episode", "not_seen"};
    (void)unused;
    if (node->kind == ASIF_YAML_SCALAR && strcmp(node->text, "unrecorded") == 0) {
        PROBLEM(s, node, "write it there: `observation: {column: NAME, missing: unrecorded}`", ASIF_EPARSE,
                "`missing: unrecorded` is said of a column of observations, not of all logs");
        return;
    }
    s->map->missing = (asif_log_missing)asif_log_choice(s, node, "missing", words, COUNT(words));
}

static void read_gaps(section *s, const asif_yaml *node, uint32_t unused) {
    static const char *const words[] = {"ignore", "cut", "refuse"};
    (void)unused;
    s->map->gaps = (asif_log_gaps)asif_log_choice(s, node, "gaps", words, COUNT(words));
}

static void read_initial(section *s, const asif_yaml *node, uint32_t unused) {
    labels l = actions_of(s);
    (void)unused;
    if (check_label(s, node, &l))
        s->map->initial = asif_log_copy(s, node->text);
}

static const struct {
    const char *name;
    void (*read)(section *s, const asif_yaml *node, uint32_t role);
    uint32_t role;
    const char *help;
} keys[] = {
    {"subject", read_plain, ASIF_ROLE_SUBJECT, "column that tells the decision-maker"},
    {"episode", read_plain, ASIF_ROLE_EPISODE, "column that tells the episode"},
    {"time", asif_log_time, ASIF_ROLE_TIME, "column that orders the rows of an episode"},
    {"action", read_action, ASIF_ROLE_ACTION, "column of the action"},
    {"observation", read_observation, ASIF_ROLE_OBSERVATION,
     "column of the observation that followed the action"},
    {"state", read_state, ASIF_ROLE_STATE, "column of the state before the action"},
    {"weight", read_plain, ASIF_ROLE_WEIGHT, "column that says how often a row counts"},
    {"start", read_start, ASIF_ROLE_START, "column of the start class"},
    {"observes", read_observes, 0, "does a row's observation follow its action, or come before it?"},
    {"missing", read_missing, 0, "what to do with empty cells"},
    {"gaps", read_gaps, 0, "what to do where whole-number times leap"},
    {"initial_observation", read_initial, 0,
     "action whose emissions an observation before the first action follows"},
    {"missing_values", asif_log_missing_values, 0, "values that stand for a missing cell, such as -4"},
    {"columns", asif_log_columns, 0,
     "how cells of a column are read: other spellings, codes, plausible numbers, dates"},
    {"decimal", asif_log_decimal, 0, "what stands before decimals in the numbers of the table: `.` or `,`"},
    {"require", asif_log_require, 0, "columns without which a row is left out"},
    {"begin", asif_log_begin, 0, "time at which every episode begins; others are left out"},
    {"groups", asif_log_groups, 0, "groups of subjects, by a condition on a column"},
    {"label", read_state_label, ASIF_ROLE_LABEL,
     "column with a label of the state: shown, never used to fit"},
};

bool asif_log_map_key(uint32_t i, const char **name, const char **help) {
    if (i >= COUNT(keys))
        return false;
    *name = keys[i].name;
    *help = keys[i].help;
    return true;
}

asif_status asif_log_map_read(asif_log_map **out, const asif_context *context, const asif_yaml *node,
                              const asif_log_map_reader *reader, asif_error *error) {
    ASIF_TRY(asif_log_map_create(out, context, error));
    section s = {context, reader, *out, false};
    for (uint32_t i = 0; node && node->kind == ASIF_YAML_MAP && i < COUNT(keys); i++) {
        const asif_yaml *value = asif_yaml_get(node, keys[i].name);
        if (value)
            keys[i].read(&s, value, keys[i].role);
    }
    if (!s.no_memory)
        return ASIF_OK;
    asif_log_map_free(*out);
    *out = NULL;
    return asif_fail_memory(error);
}
