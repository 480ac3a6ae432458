/* Pieces of SQL: how the databases write texts and numbers, and cells as labels. The rules are those of
 * cells.c, coder.c and rules.c. */
#include "base/error.h"
#include "logs/courses/query.h"

#include <math.h>
#include <string.h>

static const asif_dialect dialects[] = {
    {"duckdb", '"', false, "VARCHAR", "DOUBLE", "BIGINT", "TRY_CAST(", " AS DOUBLE)", "(%s << %s)", "", true},
    {"postgresql", '"', false, "text", "double precision", "bigint", NULL, NULL, "(%s << %s)", " OFFSET 0",
     false},
    {"spark", '`', true, "STRING", "DOUBLE", "BIGINT", "TRY_CAST(", " AS DOUBLE)", "shiftleft(%s, %s)", "",
     true},
};

const asif_dialect *asif_dialect_find(const char *name) {
    for (size_t i = 0; name && i < sizeof dialects / sizeof *dialects; i++)
        if (strcmp(dialects[i].name, name) == 0)
            return &dialects[i];
    return NULL;
}

static void quote(asif_text *sql, const char *text, char with, bool escapes) {
    asif_text_add_n(sql, &with, 1);
    for (; *text; text++) {
        char before = escapes ? '\\' : with;
        if (*text == with || (escapes && *text == '\\'))
            asif_text_add_n(sql, &before, 1);
        asif_text_add_n(sql, text, 1);
    }
    asif_text_add_n(sql, &with, 1);
}

void asif_sql_name(asif_text *sql, const asif_dialect *d, const char *name) {
    quote(sql, name, d->quote, false);
}

void asif_sql_text(asif_text *sql, const asif_dialect *d, const char *text) {
    quote(sql, text, '\'', d->escapes);
}

void asif_sql_number(asif_text *sql, const asif_dialect *d, const char *value) {
    if (d->try_number)
        asif_text_addf(sql, "%s%s%s", d->try_number, value, d->after_try);
    else
        asif_text_addf(sql,
                       "CASE WHEN %s ~ '^[ ]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ ]*$' THEN "
                       "CAST(%s AS %s) END",
                       value, value, d->number);
}

void asif_sql_missing(asif_text *sql, const asif_dialect *d, const char *value) {
    (void)d;
    asif_text_addf(sql, "(%s IS NULL OR %s IN (" ASIF_SQL_MISSING_WORDS "))", value, value);
}

static bool is_number(const char *text, double *out) {
    return asif_number_read(text, strlen(text), out) && isfinite(*out);
}

/* Add a text to a list. A column of numbers may show whole ones with a point, and then means the same. */
static void list_text(asif_text *sql, const asif_dialect *d, const char *text, bool first) {
    bool whole =
        d->point && text[0] && strspn(text + (*text == '-'), "0123456789") == strlen(text) - (*text == '-');
    asif_text_add(sql, first ? "" : ", ");
    asif_sql_text(sql, d, text);
    if (whole)
        asif_text_addf(sql, ", '%s.0'", text);
}

void asif_sql_holds(asif_text *sql, const asif_dialect *d, const char *value, char *const *list,
                    uint32_t count) {
    double x = 0;
    bool numbers = false;
    asif_text_addf(sql, "(%s IN (", value);
    for (uint32_t i = 0; i < count; i++) {
        list_text(sql, d, list[i], i == 0);
        numbers = numbers || is_number(list[i], &x);
    }
    asif_text_add(sql, ")");
    if (numbers) {
        const char *comma = "";
        asif_text_add(sql, " OR coalesce(");
        asif_sql_number(sql, d, value);
        asif_text_add(sql, " IN (");
        for (uint32_t i = 0; i < count; i++)
            if (is_number(list[i], &x)) {
                asif_text_add(sql, comma);
                asif_text_add_number(sql, x);
                comma = ", ";
            }
        asif_text_add(sql, "), false)");
    }
    asif_text_add(sql, ")");
}

/* ---- labels ---- */

static uint32_t label_of(const asif_names *label, const char *text) {
    return asif_names_find(label, text, strlen(text)) + 1;
}

/* The label of a missing cell: 0 if it has none. */
static uint32_t missing_label(const asif_log_column *map, const asif_names *label) {
    return map && map->missing ? label_of(label, map->missing) : 0;
}

static void add_missing(asif_text *sql, const asif_dialect *d, const char *value, const asif_log_column *map,
                        const asif_names *label) {
    asif_text_add(sql, " WHEN ");
    asif_sql_missing(sql, d, value);
    asif_text_addf(sql, " THEN %u", missing_label(map, label));
}

static void add_cuts(asif_text *sql, const asif_dialect *d, const char *value,
                     const struct asif_coder_part *part, const asif_names *label) {
    asif_text_add(sql, " WHEN (");
    asif_sql_number(sql, d, value);
    asif_text_add(sql, ") IS NULL THEN -1");
    for (uint32_t i = 0; i <= part->map->cuts; i++) {
        uint32_t number = label_of(label, asif_names_get(&part->classes, i));
        if (i == part->map->cuts) {
            asif_text_addf(sql, " ELSE %u", number);
            return;
        }
        asif_text_add(sql, " WHEN (");
        asif_sql_number(sql, d, value);
        asif_text_add(sql, ") < ");
        asif_text_add_number(sql, part->cut[i]);
        asif_text_addf(sql, " THEN %u", number);
    }
}

/* Cells that are labels: those of `from` mean those of `to`, or are themselves the labels (NULL). */
static void add_labels(asif_text *sql, const asif_dialect *d, const char *value, const asif_names *from,
                       char *const *to, const asif_names *label) {
    for (uint32_t i = 0; i < from->count; i++) {
        asif_text_addf(sql, " WHEN %s IN (", value);
        list_text(sql, d, asif_names_get(from, i), true);
        asif_text_addf(sql, ") THEN %u", to ? label_of(label, to[i]) : i + 1);
    }
}

void asif_sql_label(asif_text *sql, const asif_dialect *d, const char *value, const asif_coder *coder,
                    uint32_t part_number, const asif_names *label) {
    const struct asif_coder_part *part = &coder->part[part_number];
    const asif_log_column *map = part->map;
    asif_text_add(sql, "CASE");
    if (map && (map->present || map->cuts)) {
        add_missing(sql, d, value, map, label);
        if (map->present)
            asif_text_addf(sql, " ELSE %u", label_of(label, map->present));
        else
            add_cuts(sql, d, value, part, label);
    } else {
        bool mapped = map && map->labels, late = mapped || coder->parts == 1;
        if (!late)
            add_missing(sql, d, value, map, label);
        add_labels(sql, d, value, mapped ? &part->from : label, mapped ? map->to : NULL, label);
        if (late)
            add_missing(sql, d, value, map, label);
        asif_text_add(sql, " ELSE -1");
    }
    asif_text_add(sql, " END");
}

void asif_sql_member(asif_text *sql, const asif_dialect *d, const char *value, const asif_log_group *group) {
    static const char *const tests[] = {
        [ASIF_TEST_EQUAL] = "=",     [ASIF_TEST_UNEQUAL] = "<>", [ASIF_TEST_ABOVE] = ">",
        [ASIF_TEST_AT_LEAST] = ">=", [ASIF_TEST_BELOW] = "<",    [ASIF_TEST_AT_MOST] = "<="};
    bool order = group->test >= ASIF_TEST_ABOVE, number = !isnan(group->number);
    asif_text_add(sql, "CASE WHEN ");
    asif_sql_missing(sql, d, value);
    asif_text_add(sql, " THEN 'no' WHEN ");
    if (number) {
        asif_text_add(sql, "(");
        asif_sql_number(sql, d, value);
        asif_text_addf(sql, ") %s ", tests[group->test]);
        asif_text_add_number(sql, group->number);
    } else {
        asif_text_addf(sql, "%s %s ", value, tests[group->test]);
        asif_sql_text(sql, d, group->value);
    }
    asif_text_add(sql, " THEN 'yes'");
    if (number && !order) { /* a text that is no number is compared as a text */
        asif_text_add(sql, " WHEN (");
        asif_sql_number(sql, d, value);
        asif_text_addf(sql, ") IS NULL AND %s %s ", value, tests[group->test]);
        asif_sql_text(sql, d, group->value);
        asif_text_add(sql, " THEN 'yes'");
    } else if (order) {
        asif_text_add(sql, " WHEN (");
        asif_sql_number(sql, d, value);
        asif_text_add(sql, ") IS NULL THEN NULL");
    }
    asif_text_add(sql, " ELSE 'no' END");
}
