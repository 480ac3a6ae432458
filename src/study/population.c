/* The section `population`: on which covariates the mean of a parameter over people depends, as a formula
 * (`optimism: ~ age + factor(site) + (1 | hospital)`), and how many kinds of people there are (`kinds: 2`).
 */
#include "study/study_reader.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_KINDS 4 /* of people */

/* ---- reading ---- */

static bool is_named(const asif_reader_parameter *p, const char *name) {
    bool same = strcmp(p->name, name) == 0;
    return same || (strcmp(p->name, "beta") == 0 && strcmp(name, "optimism") == 0) ||
           (strcmp(p->name, "optimism") == 0 && strcmp(name, "beta") == 0);
}

static bool is_learnt(asif_reader *draft, const asif_yaml *at, const char *name) {
    const char *names[64];
    uint32_t count = 0;
    for (uint64_t i = 0; i < draft->parameters; i++) {
        const asif_reader_parameter *p = &draft->parameter[i];
        if (is_named(p, name) && (p->learn || p->bad))
            return true;
        if (p->learn && count < sizeof names / sizeof *names)
            names[count++] = p->name;
    }
    const char *near = asif_nearest_word(name, names, count);
    asif_reader_error(draft, at, "`population` describes `%s`, which the agent does not have with `learn`",
                      asif_show(name).text);
    return near ? asif_reader_hint(draft, "did you mean `%s`?", near)
                : asif_reader_hint(draft, "mark it `learn` under `parameters` of the agent");
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* The text from `begin` to `end` without blanks at its ends. */
static char *cut(asif_reader *draft, const char *begin, const char *end) {
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    size_t length = (size_t)(end - begin);
    char *out = asif_reader_alloc(draft, (uint64_t)length + 1, 1);
    if (out)
        memcpy(out, begin, length);
    return out;
}

/* What is between `(1 |` and `)`, with any blanks; NULL: the term is no such text. */
static const char *find_groups(const char *term) {
    static const char signs[] = "(1|";
    for (const char *sign = signs; *sign; sign++, term++) {
        while (is_blank(*term))
            term++;
        if (*term != *sign)
            return NULL;
    }
    return term[0] && term[strlen(term) - 1] == ')' ? term : NULL;
}

/* One term: a column, factor(column), or (1 | column). */
static bool add_term(asif_reader *draft, const asif_yaml *value, const char *parameter, char *term) {
    static const char factor[] = "factor(";
    size_t length = strlen(term), before = sizeof factor - 1;
    const char *groups = find_groups(term);
    asif_effect_kind kind = groups ? ASIF_EFFECT_GROUPS : ASIF_EFFECT_VALUES;
    if (length > before && strncmp(term, factor, before) == 0 && term[length - 1] == ')')
        kind = ASIF_EFFECT_LABELS;
    if (kind != ASIF_EFFECT_VALUES)
        term = cut(draft, groups ? groups : term + before, term + length - 1);
    if (!term)
        return false;
    if (strchr(term, '|')) {
        asif_reader_parse_error(draft, value, "the formula `%s` has a term that is not understood: `%s`",
                                asif_show(value->text).text, asif_show(term).text);
        return asif_reader_hint(draft, "write `(1 | hospital)` for groups of people whose means differ");
    }
    if (!term[0]) {
        asif_reader_parse_error(draft, value, "the formula `%s` lacks a column", asif_show(value->text).text);
        return asif_reader_hint(draft, "write columns of the logs with `+` between them: `~ age + site`");
    }
    if (!asif_reader_grow(draft, &draft->effect, draft->effects, &draft->effect_room, sizeof *draft->effect))
        return false;
    draft->effect[draft->effects++] = (asif_people_effect){parameter, term, kind};
    return true;
}

static void read_formula(asif_reader *draft, const char *parameter, const asif_yaml *value) {
    if (!asif_reader_kind(draft, value, ASIF_YAML_SCALAR, "a formula of `population`"))
        return;
    const char *at = value->text;
    while (is_blank(*at))
        at++;
    if (*at != '~') {
        asif_reader_parse_error(draft, value, "a formula of `population` begins with `~`, and `%s` does not",
                                asif_show(value->text).text);
        asif_reader_hint(draft, "write `%.40s: ~ age + site`, with columns of the logs", parameter);
        return;
    }
    for (const char *end = at; *end;) {
        const char *begin = end + 1;
        end = strchr(begin, '+') ? strchr(begin, '+') : begin + strlen(begin);
        char *term = cut(draft, begin, end);
        if (!term || !add_term(draft, value, parameter, term))
            return;
    }
}

static void read_kinds(asif_reader *draft, const asif_yaml *value) {
    double number;
    if (!asif_reader_kind(draft, value, ASIF_YAML_SCALAR, "`kinds` of `population`"))
        return;
    bool whole = asif_number_read(value->text, strlen(value->text), &number) && number >= 1 &&
                 number <= MOST_KINDS && floor(number) == number;
    if (whole) {
        draft->kinds = (uint32_t)number;
        return;
    }
    asif_reader_parse_error(draft, value, "`kinds` of `population` is a number from 1 to %d, and `%s` is not",
                            MOST_KINDS, asif_show(value->text).text);
    asif_reader_hint(draft, "write `kinds: 2` for two kinds of people, which are compared with one");
}

void asif_reader_read_population(asif_reader *draft, const asif_yaml *node) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "`population`"))
        return;
    for (uint32_t i = 0; i < node->count; i++)
        if (strcmp(node->key[i]->text, "kinds") == 0)
            read_kinds(draft, node->item[i]);
        else if (is_learnt(draft, node->key[i], node->key[i]->text))
            read_formula(draft, node->key[i]->text, node->item[i]);
}

/* ---- the study's own copy ---- */

bool asif_population_make(const asif_reader *draft, asif_study_population *out) {
    const asif_context *context = draft->context;
    out->kinds = draft->kinds ? draft->kinds : 1;
    out->effect = ASIF_ARRAY(context, draft->effects, asif_people_effect);
    if (!out->effect)
        return false;
    for (; out->count < draft->effects; out->count++) {
        const asif_people_effect *from = &draft->effect[out->count];
        asif_people_effect *to = &out->effect[out->count];
        to->kind = from->kind;
        to->parameter = asif_strdup(context, from->parameter);
        to->column = asif_strdup(context, from->column);
        if (!to->parameter || !to->column) {
            out->count++; /* what there is of it is freed with the others */
            return false;
        }
    }
    return true;
}

void asif_population_free(const asif_context *context, asif_study_population *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        asif_free(context, (void *)(uintptr_t)p->effect[i].parameter);
        asif_free(context, (void *)(uintptr_t)p->effect[i].column);
    }
    asif_free(context, p->effect);
}
