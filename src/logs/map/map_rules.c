/* Reads rules of the section `logs`: the grid of time, what is left out, missing values, and groups. */
#include "logs/map/map_section.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_GROUPS 32 /* bits of `groups` of a step */
#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

bool asif_log_number(asif_log_section *s, const asif_yaml *node, const char *key, double *out) {
    if (node->kind == ASIF_YAML_SCALAR && asif_number_read(node->text, strlen(node->text), out) &&
        isfinite(*out))
        return true;
    bool scalar = node->kind == ASIF_YAML_SCALAR;
    ASIF_LOG_PROBLEM(s, node, "", ASIF_EPARSE, "`%s` must be a number, not %s%.60s%s", key, scalar ? "`" : "",
                     scalar ? node->text : asif_yaml_kind_name(node->kind), scalar ? "`" : "");
    return false;
}

bool asif_log_texts(asif_log_section *s, const asif_yaml *node, const char *key, uint32_t most, char ***out,
                    uint32_t *out_count) {
    bool one = node->kind == ASIF_YAML_SCALAR;
    uint32_t count = one ? 1 : node->count;
    if (node->kind == ASIF_YAML_MAP || count == 0 || count > most) {
        ASIF_LOG_PROBLEM(s, node, "write [A, B]", ASIF_EPARSE, "`%s` must be a list of 1 to %u texts", key,
                         most);
        return false;
    }
    if (!(*out = ASIF_ARRAY(s->context, count, char *))) {
        s->no_memory = true;
        return false;
    }
    *out_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const asif_yaml *item = one ? node : node->item[i];
        if (item->kind != ASIF_YAML_SCALAR || !item->text[0]) {
            ASIF_LOG_PROBLEM(s, item, "", ASIF_EPARSE, "`%s` must be a list of texts that are not empty",
                             key);
            return false;
        }
        if (!((*out)[i] = asif_log_copy(s, item->text)))
            return false;
    }
    return true;
}

/* Read the columns of the time: the first in which a row has a value counts. */
static void read_time_columns(asif_log_section *s, const asif_yaml *node, asif_role role) {
    uint32_t count = node->kind == ASIF_YAML_LIST ? node->count : 1;
    if (count == 0) {
        ASIF_LOG_PROBLEM(s, node, "", ASIF_EPARSE, "the list of columns is empty");
        return;
    }
    if (asif_log_map_columns(s->map, role, count, NULL) != ASIF_OK) {
        s->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        asif_log_name(s, node->kind == ASIF_YAML_LIST ? node->item[i] : node,
                      &s->map->role[role].column[i].name);
}

void asif_log_time(asif_log_section *s, const asif_yaml *node, uint32_t role) {
    static const char *const known[] = {"column", "step", "off_grid"};
    static const char *const choices[] = {"error", "leave_out"};
    if (node->kind != ASIF_YAML_MAP) {
        read_time_columns(s, node, (asif_role)role);
        return;
    }
    if (!asif_log_keys(s, node, known, COUNT(known)))
        return;
    const asif_yaml *column = asif_yaml_get(node, "column"), *step = asif_yaml_get(node, "step"),
                    *off = asif_yaml_get(node, "off_grid");
    if (column)
        read_time_columns(s, column, (asif_role)role);
    if (step && asif_log_number(s, step, "step", &s->map->step) && !(s->map->step > 0)) {
        ASIF_LOG_PROBLEM(s, step, "it is the time between rows that follow each other", ASIF_EINVALID,
                         "`step` must be above 0, not %.60s", step->text);
        s->map->step = 0;
    }
    if (off)
        s->map->off_grid_out = asif_log_choice(s, off, "off_grid", choices, COUNT(choices)) == 1;
    if (off && !step)
        ASIF_LOG_PROBLEM(s, off, "write {column: M, step: 6, off_grid: leave_out}", ASIF_EINVALID,
                         "`off_grid` needs the `step` of the grid");
}

void asif_log_begin(asif_log_section *s, const asif_yaml *node, uint32_t unused) {
    double begin = 0;
    (void)unused;
    if (asif_log_number(s, node, "begin", &begin))
        s->map->begin = begin;
}

void asif_log_require(asif_log_section *s, const asif_yaml *node, uint32_t unused) {
    (void)unused;
    asif_log_texts(s, node, "require", ASIF_MOST_REQUIRED, &s->map->require, &s->map->requires);
}

void asif_log_missing_values(asif_log_section *s, const asif_yaml *node, uint32_t unused) {
    (void)unused;
    asif_log_texts(s, node, "missing_values", 100, &s->map->missing_value, &s->map->missing_values);
}

/* Find the sign of a condition, from the second character on; its length in *length, 0 if there is none. */
static const char *find_sign(const char *text, asif_log_test *test, size_t *length) {
    static const struct {
        const char *sign;
        asif_log_test test;
    } signs[] = {{">=", ASIF_TEST_AT_LEAST}, {"<=", ASIF_TEST_AT_MOST}, {"!=", ASIF_TEST_UNEQUAL},
                 {"==", ASIF_TEST_EQUAL},    {"=", ASIF_TEST_EQUAL},    {">", ASIF_TEST_ABOVE},
                 {"<", ASIF_TEST_BELOW}};
    for (const char *at = text + (text[0] != 0); *at; at++)
        for (uint32_t i = 0; i < COUNT(signs); i++) {
            *length = strlen(signs[i].sign);
            *test = signs[i].test;
            if (strncmp(at, signs[i].sign, *length) == 0)
                return at;
        }
    *length = 0;
    return NULL;
}

/* Copy the part of a text between two places, without blanks around it. */
static char *copy_part(asif_log_section *s, const char *from, const char *to) {
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    char *out = ASIF_ARRAY(s->context, (size_t)(to - from) + 1, char);
    s->no_memory = s->no_memory || !out;
    if (out)
        memcpy(out, from, (size_t)(to - from));
    return out;
}

static void read_group(asif_log_section *s, const asif_yaml *key, const asif_yaml *node,
                       asif_log_group *group) {
    size_t length = 0;
    const char *sign = node->kind == ASIF_YAML_SCALAR ? find_sign(node->text, &group->test, &length) : NULL;
    group->name = asif_log_copy(s, key->text);
    group->number = NAN;
    if (!sign) {
        ASIF_LOG_PROBLEM(s, node, "write COLUMN > NUMBER, or COLUMN = VALUE", ASIF_EPARSE,
                         "the condition of the group `%.60s` must compare a column with a value", key->text);
        return;
    }
    group->column = copy_part(s, node->text, sign);
    group->value = copy_part(s, sign + length, sign + strlen(sign));
    if (s->no_memory)
        return;
    if (!asif_number_read(group->value, strlen(group->value), &group->number))
        group->number = NAN;
    if (!group->column[0] || !group->value[0])
        ASIF_LOG_PROBLEM(s, node, "write COLUMN > NUMBER, or COLUMN = VALUE", ASIF_EPARSE,
                         "the condition of the group `%.60s` lacks its %s", key->text,
                         group->column[0] ? "value" : "column");
    else if (group->test >= ASIF_TEST_ABOVE && isnan(group->number))
        ASIF_LOG_PROBLEM(s, node, "texts can be compared by = and !=", ASIF_EINVALID,
                         "`%.60s` is not a number", group->value);
}

void asif_log_groups(asif_log_section *s, const asif_yaml *node, uint32_t unused) {
    (void)unused;
    if (node->kind != ASIF_YAML_MAP || node->count == 0 || node->count > MOST_GROUPS) {
        ASIF_LOG_PROBLEM(s, node, "write {over75: AGE > 75, female: SEX = F}", ASIF_EPARSE,
                         "`groups` must be a mapping from 1 to %d names to conditions", MOST_GROUPS);
        return;
    }
    if (!(s->map->group = ASIF_ARRAY(s->context, node->count, asif_log_group))) {
        s->no_memory = true;
        return;
    }
    s->map->groups = node->count;
    for (uint32_t i = 0; i < node->count && !s->no_memory; i++)
        read_group(s, node->key[i], node->item[i], &s->map->group[i]);
}
