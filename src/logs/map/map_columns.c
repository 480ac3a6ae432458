/* Reads the keys `columns` and `decimal` of the section `logs`: how the cells of a column are read. */
#include "logs/map/map_section.h"

#include "base/memory.h"
#include "logs/table/dates.h"

#include <math.h>
#include <string.h>

#define MOST_COLUMNS 256
#define MOST_VALUES 1000
#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static void read_recode(asif_log_section *s, const asif_yaml *node, asif_cell_rule *rule) {
    if (node->kind != ASIF_YAML_MAP || node->count == 0) {
        ASIF_LOG_PROBLEM(s, node, "write {\"<5\": 2.5, north: North}", ASIF_EPARSE,
                         "`recode` must be a mapping from what the cells hold to what is meant");
        return;
    }
    for (uint32_t i = 0; i < node->count; i++)
        if (node->item[i]->kind != ASIF_YAML_SCALAR || !node->item[i]->text[0]) {
            ASIF_LOG_PROBLEM(s, node->item[i], "if the cell is missing, list it in `missing_values`",
                             ASIF_EPARSE, "`recode` does not say what `%.60s` means", node->key[i]->text);
            return;
        }
    rule->from = ASIF_ARRAY(s->context, node->count, char *);
    rule->to = ASIF_ARRAY(s->context, node->count, char *);
    s->no_memory = s->no_memory || !rule->from || !rule->to;
    for (uint32_t i = 0; !s->no_memory && i < node->count; i++, rule->recodes++) {
        rule->from[i] = asif_log_copy(s, node->key[i]->text);
        rule->to[i] = asif_log_copy(s, node->item[i]->text);
    }
}

static void read_range(asif_log_section *s, const asif_yaml *node, asif_cell_rule *rule) {
    if (node->kind != ASIF_YAML_LIST || node->count != 2) {
        ASIF_LOG_PROBLEM(s, node, "write [0, 500]", ASIF_EPARSE,
                         "`range` must be a list of the least and the largest plausible number");
        return;
    }
    double least = 0, most = 0;
    if (!asif_log_number(s, node->item[0], "range", &least) ||
        !asif_log_number(s, node->item[1], "range", &most))
        return;
    if (!(least < most)) {
        ASIF_LOG_PROBLEM(s, node, "write the smaller one first", ASIF_EINVALID,
                         "no number is between %.7g and %.7g", least, most);
        return;
    }
    rule->least = least;
    rule->most = most;
}

static void read_outside(asif_log_section *s, const asif_yaml *node, const asif_yaml *range,
                         asif_cell_rule *rule) {
    static const char *const choices[] = {"error", "missing"};
    rule->outside_missing = asif_log_choice(s, node, "outside", choices, COUNT(choices)) == 1;
    if (!range)
        ASIF_LOG_PROBLEM(s, node, "write {range: [0, 500], outside: missing}", ASIF_EINVALID,
                         "`outside` needs the `range` of plausible numbers");
}

static void read_date(asif_log_section *s, const asif_yaml *node, asif_cell_rule *rule) {
    const char *wrong = node->kind == ASIF_YAML_SCALAR ? asif_date_form_wrong(node->text) : "";
    if (!wrong)
        rule->date = asif_log_copy(s, node->text);
    else
        ASIF_LOG_PROBLEM(s, node, "write \"%d.%m.%Y\", \"%m/%d/%y\" or \"%d %b %Y %H:%M\"", ASIF_EPARSE,
                         "`date` must be the form of the column's dates%s%s", *wrong ? "; " : "", wrong);
}

static void read_rule(asif_log_section *s, const asif_yaml *key, const asif_yaml *node,
                      asif_cell_rule *rule) {
    static const char *const known[] = {"recode", "missing_values", "range", "outside", "date"};
    rule->name = asif_log_copy(s, key->text);
    rule->least = -INFINITY;
    rule->most = INFINITY;
    if (node->kind != ASIF_YAML_MAP || node->count == 0) {
        ASIF_LOG_PROBLEM(s, node, "write {recode: {...}, missing_values: [...], range: [...], date: ...}",
                         ASIF_EPARSE, "the rules of the column `%.60s` must be a mapping", key->text);
        return;
    }
    if (!asif_log_keys(s, node, known, COUNT(known)))
        return;
    const asif_yaml *recode = asif_yaml_get(node, "recode"), *missing = asif_yaml_get(node, "missing_values"),
                    *range = asif_yaml_get(node, "range"), *outside = asif_yaml_get(node, "outside"),
                    *date = asif_yaml_get(node, "date");
    if (recode)
        read_recode(s, recode, rule);
    if (missing)
        asif_log_texts(s, missing, "missing_values", MOST_VALUES, &rule->missing_value,
                       &rule->missing_values);
    if (range)
        read_range(s, range, rule);
    if (outside)
        read_outside(s, outside, range, rule);
    if (date)
        read_date(s, date, rule);
    if (date && range)
        ASIF_LOG_PROBLEM(s, range, "leave out `range` or `date`", ASIF_EINVALID,
                         "a column of dates has no `range` of numbers");
}

void asif_log_columns(asif_log_section *s, const asif_yaml *node, uint32_t unused) {
    (void)unused;
    if (node->kind != ASIF_YAML_MAP || node->count == 0 || node->count > MOST_COLUMNS) {
        ASIF_LOG_PROBLEM(s, node, "write {COLUMN: {recode: {...}, missing_values: [...]}}", ASIF_EPARSE,
                         "`columns` must be a mapping from 1 to %d columns of the table to their rules",
                         MOST_COLUMNS);
        return;
    }
    if (!(s->map->cell_rule = ASIF_ARRAY(s->context, node->count, asif_cell_rule))) {
        s->no_memory = true;
        return;
    }
    s->map->cell_rules = node->count;
    for (uint32_t i = 0; i < node->count && !s->no_memory; i++)
        read_rule(s, node->key[i], node->item[i], &s->map->cell_rule[i]);
}

void asif_log_decimal(asif_log_section *s, const asif_yaml *node, uint32_t unused) {
    static const char *const choices[] = {".", ","};
    (void)unused;
    s->map->comma = asif_log_choice(s, node, "decimal", choices, COUNT(choices)) == 1;
}
