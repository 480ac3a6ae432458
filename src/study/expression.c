/* Utilities that depend on parts of the state which are numbers: a sum of products, such as
 * 10 - price * cost * draws. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_TEXT 256

bool asif_reader_utility_name(asif_reader *draft, const asif_yaml *node, const char *name,
                              uint32_t *parameter) {
    asif_reader_parameter *p = asif_reader_used_parameter(draft, name);
    if (draft->stop || draft->parameters_misspelt || (p && p->undeclared))
        return false;
    if (p && p->utility) {
        *parameter = p->index;
        return true;
    }
    if (p) {
        asif_reader_error(draft, node, "`%s` is not a utility", asif_show(name).text);
        return asif_reader_hint(draft, "declare a parameter of another name under `parameters`");
    }
    const char *near = asif_reader_near_parameter(draft, name);
    asif_reader_undeclared(draft, name, node);
    asif_reader_error(draft, node, "`%s` is neither a number nor a parameter", asif_show(name).text);
    return near ? asif_reader_hint(draft, "did you mean `%s`?", asif_show(near).text)
                : asif_reader_hint(draft, "declare it under `parameters`: `%s: 1`", asif_show(name).text);
}

static bool is_numeric(asif_reader *draft, const asif_yaml *node, const asif_reader_part *part) {
    for (uint32_t i = 0; i < part->values.count; i++) {
        double number = 0;
        const char *label = part->values.name[i];
        if (asif_number_read(label, strlen(label), &number) && isfinite(number))
            continue;
        asif_reader_error(draft, node, "`%s` cannot be a factor: its value `%s` is not a number",
                          asif_show(part->name).text, asif_show(label).text);
        return asif_reader_hint(draft, "give the utility by its values: {%s=%s: ..., any: ...}",
                                asif_show(part->name).text, asif_show(label).text);
    }
    return true;
}

static bool refuse(asif_reader *draft, const asif_yaml *node) {
    asif_reader_parse_error(draft, node, "`%s` cannot be read", asif_show(node->text).text);
    return asif_reader_hint(draft,
                            "write a sum of products of numbers, parameters and parts that are numbers, "
                            "with at most one parameter in each: 10 - price * cost * draws");
}

static bool read_factor(asif_reader *draft, const asif_yaml *node, const char *text,
                        struct asif_product *out) {
    double number = 0;
    uint32_t part = asif_reader_find_part(draft, text);
    if (!text[0])
        return refuse(draft, node);
    if (asif_number_read(text, strlen(text), &number)) {
        out->coefficient *= number;
        return isfinite(number) || refuse(draft, node);
    }
    asif_reader_parameter *known = asif_reader_find_parameter(draft, text);
    const char *value = known ? NULL : asif_reader_value_here(draft, text);
    if (value && asif_number_read(value, strlen(value), &number) && isfinite(number)) {
        out->coefficient *= number;
        return true;
    }
    if (value) {
        asif_reader_error(draft, node, "`%s` cannot be a factor: its value `%s` is not a number",
                          asif_show(text).text, asif_show(value).text);
        return asif_reader_hint(draft, "give the utility by its values: {by: %s, %s: ..., any: ...}",
                                asif_show(text).text, asif_show(value).text);
    }
    if (part != ASIF_ANY && !known) {
        if (out->parts == sizeof out->part / sizeof *out->part)
            return refuse(draft, node);
        out->part[out->parts++] = part;
        return is_numeric(draft, node, &draft->part[part]);
    }
    if (out->parameter != ASIF_ANY)
        return refuse(draft, node);
    return asif_reader_utility_name(draft, node, text, &out->parameter);
}

/* Read factors joined by `*`; the text is changed. */
static bool read_product(asif_reader *draft, const asif_yaml *node, char *text, struct asif_product *out) {
    bool good = true;
    for (char *at = text; at;) {
        char *star = strchr(at, '*'), *end = star ? star : at + strlen(at);
        at += strspn(at, " ");
        while (end > at && end[-1] == ' ')
            end--;
        *end = 0;
        good = read_factor(draft, node, at, out) && good;
        at = star ? star + 1 : NULL;
    }
    return good;
}

/* The next ` + ` or ` - `; NULL: there is none. */
static char *next_sign(char *text) {
    for (char *at = text; *at; at++)
        if (at[0] == ' ' && (at[1] == '+' || at[1] == '-') && at[2] == ' ')
            return at;
    return NULL;
}

bool asif_reader_expression(asif_reader *draft, const asif_yaml *node, asif_expression *out) {
    char text[MOST_TEXT];
    *out = (asif_expression){0};
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "a utility"))
        return false;
    if (strlen(node->text) >= sizeof text || !node->text[0])
        return refuse(draft, node);
    memcpy(text, node->text, strlen(node->text) + 1);
    double sign = 1;
    char *at = text + strspn(text, " ");
    bool good = true;
    if (at[0] == '-' && !(at[1] >= '0' && at[1] <= '9') && at[1] != '.') {
        sign = -1;
        at++;
    }
    while (at) {
        char *next = next_sign(at), then = next ? next[1] : 0;
        if (out->count == sizeof out->product / sizeof *out->product)
            return refuse(draft, node);
        if (next)
            *next = 0;
        struct asif_product *product = &out->product[out->count++];
        *product = (struct asif_product){.parameter = ASIF_ANY, .coefficient = sign};
        good = read_product(draft, node, at, product) && good;
        at = next ? next + 3 : NULL;
        sign = then == '-' ? -1 : 1;
    }
    return good;
}

double asif_reader_factor(const asif_reader *draft, const struct asif_product *product, uint32_t state) {
    double factor = product->coefficient;
    for (uint32_t k = 0; k < product->parts; k++) {
        const asif_reader_part *part = &draft->part[product->part[k]];
        const char *label = part->values.name[asif_reader_value_of(draft, product->part[k], state)];
        double number = 0;
        asif_number_read(label, strlen(label), &number);
        factor *= number;
    }
    return factor;
}
