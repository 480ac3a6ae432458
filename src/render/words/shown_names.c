#include "render/words/shown_names.h"

#include "base/error.h"

#include <string.h>

typedef enum { ACTION, STATE, OBSERVATION, PARAMETER, SEEN_NEXT, KINDS } kind;

typedef struct {
    const asif_yaml *names[SEEN_NEXT]; /* label of each name, by kind; NULL: no labels */
} shown;

static const char *const kind_key[SEEN_NEXT] = {"actions", "states", "observations", "parameters"};

const char *asif_name_part(const asif_yaml *labels, const char *of, const char *name, const char *part) {
    const asif_yaml *names = asif_yaml_part(labels, of);
    return name ? asif_yaml_text(asif_yaml_part(names, name), part) : NULL;
}

const char *asif_shown_title(const char *title) {
    return title && *title ? title : "A study without a title";
}

const char *asif_name_unit(const asif_yaml *labels, const char *parameter) {
    const asif_yaml *names = asif_yaml_part(labels, "parameters");
    for (uint32_t i = 0; names && names->kind == ASIF_YAML_MAP && i < names->count; i++) {
        const char *label = asif_yaml_text(names->item[i], "label");
        if (asif_is(label ? label : names->key[i]->text, parameter))
            return asif_yaml_text(names->item[i], "unit");
    }
    return NULL;
}

static void show(const shown *s, kind k, asif_yaml *node) {
    if (node->kind != ASIF_YAML_SCALAR || !node->quoted)
        return;           /* numbers, booleans and null are no names */
    if (k == SEEN_NEXT) { /* what follows an action is an observation or, where states are seen, a state */
        const char *before = node->text;
        show(s, OBSERVATION, node);
        if (node->text == before)
            show(s, STATE, node);
        return;
    }
    const char *label = s->names[k] ? asif_yaml_text(asif_yaml_part(s->names[k], node->text), "label") : NULL;
    if (label)
        node->text = label;
}

/* Keys whose values are names: a text, a list of texts, or the values of a mapping. */
static const struct {
    const char *key;
    kind kind;
} values[] = {
    {"action", ACTION},           {"actions", ACTION},     {"after", ACTION},        {"would", ACTION},
    {"same_as", ACTION},          {"never_taken", ACTION}, {"state", STATE},         {"states", STATE},
    {"observation", OBSERVATION}, {"seen", OBSERVATION},   {"parameter", PARAMETER}, {"variation", PARAMETER},
};

/* Keys whose values are mappings with names as their keys. */
static const struct {
    const char *key;
    kind kind;
} keyed[] = {
    {"actions", ACTION}, {"policy", ACTION},   {"q", ACTION},
    {"belief", STATE},   {"given", PARAMETER}, {"values", PARAMETER},
};

static kind find(const char *key, bool of_keys) {
    for (size_t i = 0; !of_keys && i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].key, key) == 0)
            return values[i].kind;
    for (size_t i = 0; of_keys && i < sizeof keyed / sizeof *keyed; i++)
        if (strcmp(keyed[i].key, key) == 0)
            return keyed[i].kind;
    return KINDS;
}

static void show_values(const shown *s, kind k, asif_yaml *node) {
    show(s, k, node);
    for (uint32_t i = 0; node->kind != ASIF_YAML_SCALAR && i < node->count; i++)
        show(s, k, node->item[i]);
}

static void show_keys(const shown *s, kind k, asif_yaml *node) {
    for (uint32_t i = 0; node->kind == ASIF_YAML_MAP && i < node->count; i++)
        show(s, k, node->key[i]);
}

/* The kind of a name that only other keys of its mapping tell; KINDS: it is no name. */
static kind find_apart(const asif_yaml *map, const char *key) {
    const char *parameter = asif_yaml_text(map, "parameter");
    if (strcmp(key, "cell") == 0) /* of a check that was missed */
        return asif_is(asif_yaml_text(map, "family"), "environment") ? SEEN_NEXT : ACTION;
    if (strcmp(key, "of") == 0) /* of a range of beliefs, or of an episode that was found */
        return asif_yaml_part(map, "low") ? STATE : ACTION;
    if (strcmp(key, "name") == 0) /* of an action that is compared, or of an assumption that is varied */
        return asif_yaml_flag(map, "action") ? ACTION : asif_yaml_part(map, "effects") ? PARAMETER : KINDS;
    if (strcmp(key, "label") == 0 && asif_is(parameter, "start"))
        return STATE;
    if (strcmp(key, "label") == 0 && (asif_is(parameter, "action_prior") || asif_is(parameter, "means")))
        return ACTION;
    return KINDS;
}

/* `cells`: what the cells of predictive checks are below this node. */
static void walk(const shown *s, asif_yaml *node, kind cells) {
    if (node->kind == ASIF_YAML_MAP && asif_yaml_part(node, "groups"))
        cells = asif_is(asif_yaml_text(node, "name"), "environment") ? SEEN_NEXT : ACTION;
    for (uint32_t i = 0; node->kind != ASIF_YAML_SCALAR && i < node->count; i++) {
        const char *key = node->kind == ASIF_YAML_MAP ? node->key[i]->text : NULL;
        if (key && strcmp(key, "labels") == 0 && asif_yaml_part(node, "asif"))
            continue; /* the labels themselves */
        walk(s, node->item[i], cells);
        if (!key)
            continue;
        kind of = find(key, false), by = strcmp(key, "cells") == 0 ? cells : find(key, true),
             apart = find_apart(node, key);
        if (of != KINDS)
            show_values(s, of, node->item[i]);
        if (by != KINDS)
            show_keys(s, by, node->item[i]);
        if (apart != KINDS)
            show(s, apart, node->item[i]);
    }
}

void asif_names_show(asif_yaml_document *document, const asif_yaml *labels) {
    shown s = {{NULL}};
    if (!labels || labels->kind != ASIF_YAML_MAP)
        return;
    for (uint32_t k = 0; k < SEEN_NEXT; k++)
        s.names[k] = asif_yaml_part(labels, kind_key[k]);
    walk(&s, asif_yaml_change(document), ACTION);
}

asif_status asif_shown_read(asif_yaml_document **out, const asif_context *context, const char *json,
                            uint64_t length, const char *name, asif_error *error) {
    ASIF_TRY(asif_yaml_read(out, context, json, length, name, error));
    asif_names_show(*out, asif_yaml_part(asif_yaml_root(*out), "labels"));
    return ASIF_OK;
}
