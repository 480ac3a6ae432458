/* Translates cells to labels. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void asif_coder_free(asif_coder *coder) {
    const asif_context *context = coder->names.context;
    for (uint32_t i = 0; i < coder->parts; i++) {
        asif_free(context, coder->part[i].numbers);
        asif_names_free(&coder->part[i].from);
        asif_names_free(&coder->part[i].classes);
    }
    asif_free(context, coder->part);
    asif_free(context, coder->code);
    asif_free(context, coder->fit);
    asif_free(context, coder->fit_end);
    asif_names_free(&coder->names);
    asif_names_free(&coder->patterns);
    asif_text_free(&coder->joined);
    coder->parts = 0;
    coder->part = NULL;
    coder->code = NULL;
}

static bool same_ignoring_case(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a,
             y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

static bool same_number(const char *a, const char *b) {
    double x = 0, y = 0;
    return asif_number_read(a, strlen(a), &x) && asif_number_read(b, strlen(b), &y) && x == y;
}

/* Write a hint for a text that is not among the names: the name that was probably meant, or all names. */
static void suggest(const asif_names *names, const char *text, const char *what, char *hint, size_t size) {
    enum { MOST = 4096 };
    hint[0] = 0;
    uint32_t count = names->count < MOST ? names->count : MOST;
    const char **list = ASIF_ARRAY(names->context, count, const char *);
    const char *near = NULL;
    if (!list)
        return;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = asif_names_get(names, i);
        if (!near && same_number(list[i], text))
            asif_format(hint, size,
                        "labels are compared as texts: write `%s`, or give {column: ..., labels: {%s: %s}}",
                        asif_show(list[i]).text, asif_show(text).text, asif_show(list[i]).text);
        if (!near && same_ignoring_case(list[i], text))
            near = list[i];
    }
    if (!near)
        near = asif_nearest_word(text, list, count);
    if (hint[0]) {
        asif_free(names->context, list);
        return;
    }
    if (near) {
        asif_format(hint, size, "did you mean `%s`?", asif_show(near).text);
    } else {
        size_t used = (size_t)asif_format(hint, size, "%s are ", what);
        for (uint32_t i = 0; i < names->count && i < count && used + 80 < size; i++)
            used += (size_t)asif_format(hint + used, size - used, "%s`%s`", i ? ", " : "",
                                        asif_show(list[i]).text);
        if (used + 80 >= size)
            asif_format(hint + used, size - used, ", ...");
    }
    asif_free(names->context, list);
}

static const char *const kinds[] = {"state",       "action",     "observation", "parameter",
                                    "start class", "seen value", "state",       "observation"};
static const char *const plurals[] = {"the states",     "the actions",       "the observations",
                                      "the parameters", "the start classes", "the seen values",
                                      "the states",     "the observations"};

static void unknown_label(asif_reading *reading, const asif_coder *coder, const char *text, bool quoted,
                          uint32_t column) {
    if (!asif_reading_wants(reading, ASIF_PROBLEM_ERROR))
        return;
    char hint[256];
    asif_csv_cell bare = {text, (uint32_t)strlen(text), false, 0};
    if (quoted && asif_csv_missing(&bare))
        asif_format(hint, sizeof hint, "in quotes it is a text; without them the cell would be missing");
    else
        suggest(&coder->names, text, plurals[coder->kind], hint, sizeof hint);
    asif_reading_list(reading, ASIF_PROBLEM_ERROR, ASIF_EPARSE, asif_reading_here(reading, column), hint,
                      "there is no %s `%s`", kinds[coder->kind], asif_show(text).text);
}

static void unlabelled(asif_reading *reading, const struct asif_coder_part *part, const char *text) {
    if (!asif_reading_wants(reading, ASIF_PROBLEM_ERROR))
        return;
    char hint[256];
    suggest(&part->from, text, "the values it has labels for", hint, sizeof hint);
    asif_reading_list(reading, ASIF_PROBLEM_ERROR, ASIF_EPARSE, asif_reading_here(reading, part->column),
                      hint, "`%s` is not among the `labels` of the column `%s`", asif_show(text).text,
                      asif_show(part->map->name).text);
}

static void not_a_number(asif_reading *reading, const struct asif_coder_part *part, const char *text) {
    asif_reading_problem(reading, asif_reading_here(reading, part->column),
                         strchr(text, ',')
                             ? "write decimals with a point, or `decimal: \",\"` under `logs`"
                             : "under `columns`, `recode` says which number it means, or `missing_values` "
                               "that nothing is known",
                         "the column `%s` is cut, but `%s` is not a number", asif_show(part->map->name).text,
                         asif_show(text).text);
}

/* Stands in a pattern for what is lost. */
static const char lost_mark[] = "\1";

/* The label of a missing cell, or the mark of a lost one; NULL: it has none. */
static const char *missing_label(const struct asif_coder_part *part, uint32_t *length) {
    const char *label = part->map ? part->map->missing : NULL;
    if (part->map && part->map->unrecorded)
        label = lost_mark;
    *length = label ? (uint32_t)strlen(label) : 0;
    return label;
}

/* A label of the state that tells a change, "X to Y", stands for the new state. */
static const char *after_change(const char *text) {
    const char *now = text;
    for (const char *at = text; (at = strstr(at, " to ")); at += 4)
        now = at + 4;
    return now;
}

/* The text of a part of a label; NULL if it is missing or bad, see *out. */
static const char *read_part(asif_reading *reading, const asif_coder *coder, struct asif_coder_part *part,
                             uint32_t *length, uint32_t *out) {
    const asif_csv_cell *cell = &reading->table->cell[part->column];
    uint32_t i;
    *out = ASIF_CODE_MISSING;
    if (part->map && (part->map->present || part->map->cuts) && asif_csv_missing(cell))
        return missing_label(part, length);
    if (part->map && part->map->present) {
        *length = (uint32_t)strlen(part->map->present);
        return part->map->present;
    }
    if (part->map && part->map->cuts) {
        double x = 0;
        if (!asif_number_read(cell->text, cell->length, &x)) {
            not_a_number(reading, part, cell->text);
            *out = ASIF_CODE_BAD;
            return NULL;
        }
        asif_numbers_take(reading, part, x);
        for (i = 0; i < part->map->cuts && x >= part->cut[i];)
            i++;
        *length = part->classes.name[i].length;
        return asif_names_get(&part->classes, i);
    }
    if (part->map && part->map->labels) {
        i = asif_names_find(&part->from, cell->text, cell->length);
        if (i == ASIF_NO_NAME && coder->role == ASIF_ROLE_LABEL) {
            const char *now = after_change(cell->text);
            i = asif_names_find(&part->from, now, strlen(now));
        }
        if (i != ASIF_NO_NAME) {
            *length = (uint32_t)strlen(part->map->to[i]);
            return part->map->to[i];
        }
        if (asif_csv_missing(cell))
            return missing_label(part, length);
        unlabelled(reading, part, cell->text);
        *out = ASIF_CODE_BAD;
        return NULL;
    }
    /* A label of the setting that looks like a missing cell, such as NA, counts as a label. */
    if (asif_csv_missing(cell) && (coder->parts > 1 || coder->open || cell->length == 0 ||
                                   asif_names_find(&coder->names, cell->text, cell->length) == ASIF_NO_NAME))
        return missing_label(part, length);
    if (coder->role == ASIF_ROLE_LABEL &&
        asif_names_find(&coder->names, cell->text, cell->length) == ASIF_NO_NAME) {
        const char *now = after_change(cell->text);
        *length = (uint32_t)strlen(now);
        return now;
    }
    *length = cell->length;
    return cell->text;
}

/* ---- lost observations ---- */

/* Whether a label fits a pattern; parts of labels have no `/`. */
static bool fits(const char *pattern, const char *label) {
    for (; *pattern; pattern++) {
        if (*pattern == lost_mark[0])
            label += strcspn(label, "/");
        else if (*pattern != *label++)
            return false;
    }
    return !*label;
}

/* Find the labels that fit a new pattern. False: no memory. */
static bool add_fits(asif_coder *coder, const char *pattern) {
    const asif_context *context = coder->names.context;
    uint32_t n = coder->patterns.count - 1;
    if (!asif_grow(context, &coder->fit_end, n, &coder->fit_end_capacity, sizeof *coder->fit_end))
        return false;
    for (uint32_t i = 0; i < coder->names.count; i++) {
        if (coder->parts > 1 && !fits(pattern, asif_names_get(&coder->names, i)))
            continue;
        if (!asif_grow(context, &coder->fit, coder->fits, &coder->fit_capacity, sizeof *coder->fit))
            return false;
        coder->fit[coder->fits++] = coder->code ? coder->code[i] : i;
    }
    coder->fit_end[n] = coder->fits;
    return true;
}

const uint32_t *asif_coder_fits(const asif_coder *coder, uint32_t code, uint64_t *count) {
    uint32_t n = code - ASIF_CODE_LOST;
    uint64_t first = n ? coder->fit_end[n - 1] : 0;
    *count = coder->fit_end[n] - first;
    return coder->fit + first;
}

const char *asif_coder_lost_text(asif_coder *coder, uint32_t code) {
    coder->joined.length = 0;
    for (const char *c = asif_names_get(&coder->patterns, code - ASIF_CODE_LOST); *c; c++)
        asif_text_add_n(&coder->joined, *c == lost_mark[0] ? "unrecorded" : c, *c == lost_mark[0] ? 10 : 1);
    return coder->joined.failed ? "" : coder->joined.data;
}

/* Number a pattern. False: no memory. */
static bool code_lost(asif_reading *reading, asif_coder *coder, const char *pattern, uint32_t length,
                      uint32_t *out) {
    uint32_t before = coder->patterns.count, i = asif_names_add(&coder->patterns, pattern, length);
    uint64_t count = 0;
    if (i == ASIF_NO_NAME || (i == before && !add_fits(coder, asif_names_get(&coder->patterns, i))))
        return false;
    *out = ASIF_CODE_LOST + i;
    asif_coder_fits(coder, *out, &count);
    if (count == 0) {
        unknown_label(reading, coder, asif_coder_lost_text(coder, *out), false, coder->part[0].column);
        *out = ASIF_CODE_BAD;
    }
    return true;
}

static bool code_cells(asif_reading *reading, asif_coder *coder, uint32_t *out) {
    const char *text = NULL;
    uint32_t length = 0, code = 0;
    bool lost = false;
    if (coder->parts == 1) {
        text = read_part(reading, coder, &coder->part[0], &length, out);
        lost = text == lost_mark;
    } else {
        coder->joined.length = 0;
        bool missing = false, bad = false;
        for (uint32_t i = 0; i < coder->parts; i++) {
            text = read_part(reading, coder, &coder->part[i], &length, &code);
            missing = missing || (!text && code == ASIF_CODE_MISSING);
            bad = bad || (!text && code == ASIF_CODE_BAD);
            if (!text)
                continue;
            lost = lost || text == lost_mark;
            if (i)
                asif_text_add_n(&coder->joined, "/", 1);
            asif_text_add_n(&coder->joined, text, length);
        }
        if (coder->joined.failed)
            return false;
        *out = bad ? ASIF_CODE_BAD : ASIF_CODE_MISSING;
        text = bad || missing ? NULL : coder->joined.data;
        length = (uint32_t)coder->joined.length;
    }
    if (!text)
        return true;
    if (lost)
        return code_lost(reading, coder, text, length, out);
    uint32_t i = asif_names_find(&coder->names, text, length);
    if (i == ASIF_NO_NAME && coder->open) {
        i = asif_names_add(&coder->names, text, length);
        if (i == ASIF_NO_NAME)
            return false;
    }
    if (i == ASIF_NO_NAME) {
        const struct asif_coder_part *part = &coder->part[0];
        unknown_label(reading, coder, text, coder->parts == 1 && reading->table->cell[part->column].quoted,
                      part->column);
        *out = ASIF_CODE_BAD;
        return true;
    }
    *out = coder->code ? coder->code[i] : i;
    return true;
}

bool asif_coder_read(asif_reading *reading, asif_coder *coder, uint32_t *out) {
    const asif_csv_cell *cell = &reading->table->cell[coder->part[0].column];
    uint32_t length = cell->length;
    if (coder->parts == 1 && cell->code) {
        if (coder->known[cell->code]) {
            *out = coder->known[cell->code] - 1;
            return true;
        }
        if (!code_cells(reading, coder, out))
            return false;
        coder->known[cell->code] = *out < ASIF_CODE_BAD ? *out + 1 : 0;
        return true;
    }
    if (coder->parts == 1 && length == 0) {
        if (!coder->knows_empty && !code_cells(reading, coder, &coder->empty))
            return false;
        coder->knows_empty = coder->empty != ASIF_CODE_BAD;
        *out = coder->empty;
        return true;
    }
    if (coder->parts > 1 || length > sizeof coder->lately[0].text)
        return code_cells(reading, coder, out);
    uint32_t hash = (uint8_t)cell->text[0] + 3U * (uint8_t)cell->text[length - 1] + 5U * length;
    struct asif_coded *coded = &coder->lately[hash % 16];
    if (coded->length == length && coded->quoted == cell->quoted &&
        memcmp(coded->text, cell->text, length) == 0) {
        *out = coded->code;
        return true;
    }
    if (!code_cells(reading, coder, out))
        return false;
    if (*out != ASIF_CODE_BAD) { /* bad cells are not remembered, so that each is reported */
        coded->length = length;
        coded->code = *out;
        coded->quoted = cell->quoted;
        memcpy(coded->text, cell->text, length);
    }
    return true;
}
