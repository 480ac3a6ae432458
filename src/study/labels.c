/* Reads the section `labels`: what people call actions, states, observations and parameters. */
#include "study/study_reader.h"

#include "base/text.h"
#include "study/study.h"

#include <string.h>

#define MOST_LABEL 80     /* bytes of a label or a unit, which have to fit in tables and figures */
#define MOST_SENTENCE 480 /* bytes of a sentence */

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

const char *asif_named_text(asif_named kind) {
    static const char *const words[ASIF_NAMED_COUNT] = {"action", "state", "observation", "parameter"};
    return words[kind];
}

static const asif_labels *names_of(const asif_reader *draft, asif_named kind) {
    return kind == ASIF_NAMED_ACTION        ? &draft->actions
           : kind == ASIF_NAMED_STATE       ? (draft->parts ? &draft->hidden_labels : &draft->states)
           : kind == ASIF_NAMED_OBSERVATION ? (draft->parts ? &draft->shown : &draft->observations)
                                            : NULL;
}

/* ---- one name ---- */

static bool read_words(asif_reader *draft, const asif_yaml *node, const char *what, size_t most,
                       const char **out) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, what))
        return false;
    if (!node->text[0])
        return asif_reader_error(draft, node, "%s is empty", what);
    if (strlen(node->text) > most)
        return asif_reader_error(draft, node, "%s is longer than %zu bytes", what, most);
    for (const char *at = node->text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return asif_reader_error(draft, node, "%s has a line break or another control character", what);
    *out = node->text;
    return true;
}

static void read_parts(asif_reader *draft, const asif_yaml *node, asif_study_label *out) {
    static const asif_study_key parts[] = {
        {"label", NULL, "what people call it"},
        {"unit", NULL, "unit of its numbers"},
        {"sentence", NULL, "what it is, in one sentence"},
    };
    const asif_yaml *at;
    if (node->kind == ASIF_YAML_SCALAR) {
        read_words(draft, node, "a label", MOST_LABEL, &out->label);
        return;
    }
    if (!asif_reader_keys(draft, node, "labels", parts, COUNT(parts)))
        return;
    if ((at = asif_yaml_get(node, "label")))
        read_words(draft, at, "a label", MOST_LABEL, &out->label);
    if ((at = asif_yaml_get(node, "unit")))
        read_words(draft, at, "a unit", MOST_LABEL, &out->unit);
    if ((at = asif_yaml_get(node, "sentence")))
        read_words(draft, at, "a sentence", MOST_SENTENCE, &out->sentence);
}

/* Check that a key names something of the study. */
static bool is_known(asif_reader *draft, const asif_yaml *key, asif_named kind) {
    const asif_labels *names = names_of(draft, kind);
    uint32_t i;
    if (names)
        return asif_reader_label(draft, key, names, &i);
    if (asif_reader_is_builtin(key->text)) {
        asif_reader_error(draft, key, "`%s` has a name of its own in every output", key->text);
        return asif_reader_hint(draft, "labels are for parameters that the study names itself");
    }
    if (asif_reader_find_parameter(draft, key->text))
        return true;
    const char *near = asif_reader_near_parameter(draft, key->text);
    asif_reader_error(draft, key, "there is no parameter `%s`", asif_show(key->text).text);
    return near ? asif_reader_hint(draft, "did you mean `%s`?", near)
                : asif_reader_hint(draft, "parameters are listed under `agent`, `parameters`");
}

/* Check that no two of a kind are shown alike: a label must not be another one's label or name. */
static bool is_alone(asif_reader *draft, const asif_yaml *at, const asif_study_label *label) {
    const asif_labels *names = names_of(draft, label->kind);
    uint32_t other = names ? asif_labels_find(names, label->label) : ASIF_ANY;
    if (other != ASIF_ANY && strcmp(label->label, label->name) != 0)
        return asif_reader_error(draft, at, "`%s` is also the name of another %s",
                                 asif_show(label->label).text, asif_named_text(label->kind));
    if (!names && strcmp(label->label, label->name) != 0 && asif_reader_find_parameter(draft, label->label))
        return asif_reader_error(draft, at, "`%s` is also the name of another parameter",
                                 asif_show(label->label).text);
    for (uint64_t i = 0; i < draft->label_count; i++) {
        const asif_study_label *before = &draft->label[i];
        if (before->kind == label->kind && before->label && strcmp(before->label, label->label) == 0)
            return asif_reader_error(draft, at, "`%s` is the label of two %ss, `%s` and `%s`",
                                     asif_show(label->label).text, asif_named_text(label->kind),
                                     asif_show(before->name).text, asif_show(label->name).text);
    }
    return true;
}

static void read_kind(asif_reader *draft, const asif_yaml *node, asif_named kind) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "labels"))
        return;
    for (uint32_t i = 0; i < node->count && !draft->stop; i++) {
        asif_study_label label = {.kind = kind, .name = node->key[i]->text};
        if (!is_known(draft, node->key[i], kind))
            continue;
        read_parts(draft, node->item[i], &label);
        if (label.label && !is_alone(draft, node->item[i], &label))
            continue;
        if (!asif_reader_grow(draft, &draft->label, draft->label_count, &draft->label_room,
                              sizeof *draft->label))
            return;
        draft->label[draft->label_count++] = label;
    }
}

/* ---- the section ---- */

static void read_actions(asif_reader *draft, const asif_yaml *node) {
    if (draft->actions.count)
        read_kind(draft, node, ASIF_NAMED_ACTION);
}

static void read_states(asif_reader *draft, const asif_yaml *node) {
    if (draft->states.count)
        read_kind(draft, node, ASIF_NAMED_STATE);
}

static void read_observations(asif_reader *draft, const asif_yaml *node) {
    if (draft->observations.count)
        read_kind(draft, node, ASIF_NAMED_OBSERVATION);
    else if (draft->sees_states)
        asif_reader_error(draft, node, "the study has no observations to give labels to");
}

static void read_parameters(asif_reader *draft, const asif_yaml *node) {
    if (!draft->parameters_misspelt)
        read_kind(draft, node, ASIF_NAMED_PARAMETER);
}

static const asif_study_key label_keys[] = {
    {"actions", read_actions, "labels of actions"},
    {"states", read_states, "labels of states"},
    {"observations", read_observations, "labels of observations"},
    {"parameters", read_parameters, "labels of parameters"},
};

void asif_reader_read_labels(asif_reader *draft, const asif_yaml *node) {
    asif_reader_section(draft, node, "labels", label_keys, COUNT(label_keys));
}

/* ---- what was read ---- */

static bool keep(asif_arena *arena, const char **text) {
    if (*text && !(*text = asif_arena_text(arena, *text, strlen(*text))))
        return false;
    return true;
}

bool asif_study_labels_make(asif_reader *draft, asif_study_labels *out) {
    out->arena.context = draft->context;
    if (draft->label_count == 0)
        return true;
    out->label = ASIF_ARENA_ARRAY(&out->arena, draft->label_count, asif_study_label);
    if (!out->label)
        return asif_reader_no_memory(draft);
    for (uint64_t i = 0; i < draft->label_count; i++) {
        asif_study_label *label = &out->label[i];
        *label = draft->label[i];
        if (!keep(&out->arena, &label->name) || !keep(&out->arena, &label->label) ||
            !keep(&out->arena, &label->unit) || !keep(&out->arena, &label->sentence))
            return asif_reader_no_memory(draft);
    }
    out->count = (uint32_t)draft->label_count;
    return true;
}
