/* `available`: actions that can be taken only with some seen values, by conditions such as `draws < 20`. */
#include "study/study_reader.h"

#include "base/text.h"

#include <string.h>

#define MOST_TEXT 256
#define HOW "write PART < NUMBER (or <=, >, >=), PART = VALUE or PART != VALUE; ` and ` joins several"

typedef enum { LESS, AT_MOST, MORE, AT_LEAST, SAME, OTHER } comparison;

static bool holds(comparison how, double x, double y) {
    switch (how) {
    case LESS:
        return x < y;
    case AT_MOST:
        return x <= y;
    case MORE:
        return x > y;
    case AT_LEAST:
        return x >= y;
    case SAME:
        return x == y;
    case OTHER:
        return x != y;
    }
    return false;
}

static bool refuse(asif_reader *draft, const asif_yaml *node) {
    asif_reader_parse_error(draft, node, "`%s` is no condition on a seen part", asif_show(node->text).text);
    return asif_reader_hint(draft, HOW);
}

/* Cut a comparison into the name of a part and a value; the text is changed. */
static bool split(char *text, char **name, char **value, comparison *how) {
    static const char *const signs[] = {"<", "<=", ">", ">=", "=", "!="};
    char *sign = strpbrk(text, "<>=!");
    size_t length = sign ? strspn(sign, "<>=!") : 0, i = 0;
    while (i < 6 && !(length == strlen(signs[i]) && strncmp(sign, signs[i], length) == 0))
        i++;
    if (i == 6)
        return false;
    *how = (comparison)i;
    *value = sign + length;
    *value += strspn(*value, " ");
    *name = text + strspn(text, " ");
    while (sign > *name && sign[-1] == ' ')
        sign--;
    *sign = 0;
    char *end = *value + strlen(*value);
    while (end > *value && end[-1] == ' ')
        end--;
    *end = 0;
    return **name && **value;
}

/* Clear marked [states] where a comparison does not hold; the text is changed. */
static bool compare(asif_reader *draft, const asif_yaml *node, char *text, bool *marked) {
    char *name = NULL, *value = NULL;
    comparison how = SAME;
    if (!split(text, &name, &value, &how))
        return refuse(draft, node);
    uint32_t part = asif_reader_find_part(draft, name);
    if (part >= draft->seen_parts) {
        asif_reader_error(draft, node,
                          part == ASIF_ANY ? "`%s` is no part of the state"
                                           : "`%s` is hidden: the agent knows what it can do",
                          asif_show(name).text);
        return asif_reader_hint(draft, "name a part that is seen, such as `%s`",
                                asif_show(draft->part[0].name).text);
    }
    const asif_labels *values = &draft->part[part].values;
    bool named = how == SAME || how == OTHER;
    double limit = asif_labels_find(values, value), number = 0;
    if (named ? limit == ASIF_ANY : !asif_number_read(value, strlen(value), &limit)) {
        asif_reader_error(draft, node, named ? "`%s` is no value of `%s`" : "`%s` is not a number: `%s`",
                          asif_show(value).text, named ? asif_show(name).text : asif_show(node->text).text);
        return asif_reader_hint(draft, "its values are %s", asif_list_labels(values).text);
    }
    for (uint32_t s = 0; s < draft->states.count; s++) {
        uint32_t i = asif_reader_value_of(draft, part, s);
        if (!named && !asif_number_read(values->name[i], strlen(values->name[i]), &number)) {
            asif_reader_error(draft, node, "`%s` has the value `%s`, which is not a number",
                              asif_show(name).text, asif_show(values->name[i]).text);
            return asif_reader_hint(draft, "compare it by `=`, or list several such conditions");
        }
        marked[s] = marked[s] && holds(how, named ? i : number, limit);
    }
    return true;
}

/* Mark the states [states] where all comparisons of a condition hold. */
static bool read_condition(asif_reader *draft, const asif_yaml *node, bool *marked) {
    char text[MOST_TEXT];
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "a condition of `available`"))
        return asif_reader_hint(draft, HOW);
    if (strlen(node->text) >= sizeof text)
        return refuse(draft, node);
    memcpy(text, node->text, strlen(node->text) + 1);
    memset(marked, 1, draft->states.count * sizeof *marked);
    for (char *at = text; at;) {
        char *next = strstr(at, " and ");
        if (next)
            *next = 0;
        if (!compare(draft, node, at, marked))
            return false;
        at = next ? next + 5 : NULL;
    }
    return true;
}

/* Read when an action can be taken: where one of the conditions holds. */
static bool read_action(asif_reader *draft, const asif_yaml *node, uint32_t action, bool *marked) {
    uint32_t H = draft->hidden_values, U = draft->actions.count,
             count = node->kind == ASIF_YAML_LIST ? node->count : 1;
    for (uint32_t y = 0; y < draft->seen_values; y++)
        draft->available[(uint64_t)y * U + action] = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_condition(draft, node->kind == ASIF_YAML_LIST ? node->item[i] : node, marked))
            return false;
        for (uint32_t y = 0; y < draft->seen_values; y++)
            draft->available[(uint64_t)y * U + action] |= marked[(uint64_t)y * H];
    }
    return true;
}

void asif_reader_read_available(asif_reader *draft, const asif_yaml *node) {
    uint64_t U = draft->actions.count, cells = U * draft->seen_values;
    if (!draft->parts) {
        asif_reader_error(draft, node, "`available` needs a part of the state that is seen");
        asif_reader_hint(draft,
                         "write `states: {seen: {NAME: 0 to 20}, hidden: ...}`, and `available` by NAME");
        return;
    }
    if (!asif_reader_spaces_known(draft) || !asif_reader_kind(draft, node, ASIF_YAML_MAP, "`available`"))
        return;
    draft->available_at = node;
    draft->available = asif_reader_alloc(draft, cells, sizeof *draft->available);
    bool *marked = asif_reader_alloc(draft, draft->states.count, sizeof *marked);
    if (!draft->available || !marked)
        return;
    memset(draft->available, 1, cells * sizeof *draft->available);
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t u = 0;
        if (!asif_reader_label(draft, node->key[i], &draft->actions, &u) ||
            !read_action(draft, node->item[i], u, marked))
            return;
    }
}

void asif_reader_check_available(asif_reader *draft) {
    uint32_t U = draft->actions.count;
    for (uint32_t y = 0; draft->available && y < draft->seen_values; y++) {
        bool any = false;
        for (uint32_t u = 0; u < U; u++)
            any = any || (draft->available[(uint64_t)y * U + u] &&
                          (!draft->action_prior || draft->action_prior[u] > 0));
        if (any)
            continue;
        asif_reader_error(draft, draft->available_at, "no action is available where `%s` is seen%s",
                          asif_show_label(&draft->seen_labels, y).text,
                          draft->action_prior ? " (an action whose `action_prior` is 0 is never taken)" : "");
        asif_reader_hint(draft, "with every seen value the agent must have something to do");
        return;
    }
}
