#include "report/study/draft_columns.h"

#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/table/far.h"
#include "render/report_options.h"
#include "render/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_plain(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    return *text && text[strspn(text, letters)] == 0 && !strchr("./-", *text) &&
           !strchr("./-", text[strlen(text) - 1]);
}

void asif_draft_scalar(asif_text *text, const char *scalar) {
    if (is_plain(scalar)) {
        asif_text_add(text, scalar);
        return;
    }
    char *quoted = NULL;
    if (asif_report_quoted(&quoted, text->context, scalar, NULL) == ASIF_OK)
        asif_text_add(text, quoted);
    else
        text->failed = true;
    asif_free(text->context, quoted);
}

bool asif_draft_texts(asif_text *words, const asif_table_column *column, uint64_t rows) {
    uint64_t cells = rows - column->missing, others = cells - column->numbers;
    char count[ASIF_CELL_SIZE];
    if (others == 0 || column->numbers < others)
        return false;
    for (uint32_t i = 0; i < column->texts; i++) {
        asif_text_addf(words, "%s`%.40s` (%s row%s)", i ? ", " : "", column->text[i],
                       asif_count_text(count, column->of_text[i]), column->of_text[i] == 1 ? "" : "s");
        others -= column->of_text[i];
    }
    if (others)
        asif_text_addf(words, " and %s more", asif_count_text(count, others));
    return true;
}

bool asif_draft_mixed(const asif_table_column *column, uint64_t rows) {
    uint64_t others = rows - column->missing - column->numbers;
    if (others == 0 || column->numbers < others)
        return false;
    for (uint32_t i = 0; i < column->texts; i++)
        others -= column->of_text[i];
    return others == 0;
}

/* ---- spellings ---- */

static char plain_letter(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c == ' ' || c == '-' ? '_' : c;
}

static bool are_alike(const char *x, const char *y) {
    double unused = 0;
    for (size_t i = 0; plain_letter(x[i]) == plain_letter(y[i]); i++)
        if (!x[i])
            return !asif_number_read(x, strlen(x), &unused);
    return false;
}

uint32_t asif_draft_spelling(const asif_table_column *column, uint32_t i) {
    uint32_t best = i;
    for (uint32_t k = 0; k < column->values; k++)
        if (are_alike(column->value[i], column->value[k]) &&
            (column->count[k] > column->count[best] || (column->count[k] == column->count[best] && k < best)))
            best = k;
    return best;
}

/* ---- questions ---- */

static asif_far judge(const asif_table_column *column, double end, bool greatest) {
    return asif_far_judge(column->sample, column->samples, end, greatest);
}

/* Add a question about the least or greatest number of a column. */
static void add_far(asif_text *words, const asif_table_column *column, double end, bool greatest) {
    char cell[ASIF_CELL_SIZE];
    asif_far far = judge(column, end, greatest);
    if (far == ASIF_FAR_CODE)
        asif_text_addf(words, "; does %s stand for a missing value (`missing_values`)?",
                       asif_short_number(cell, end));
    else if (far == ASIF_FAR_OUT)
        asif_text_addf(words, "; is %s right? It is far from the others", asif_short_number(cell, end));
}

void asif_draft_describe(asif_text *words, const asif_table_column *column, uint64_t rows) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (column->missing == rows)
        asif_text_add(words, "empty");
    else if (!column->value)
        asif_text_add(words, "many different values");
    else
        asif_text_addf(words, "%" PRIu32 " different value%s", column->values,
                       column->values == 1 ? "" : "s");
    if (column->numbers && 2 * column->numbers >= rows - column->missing)
        asif_text_addf(words, ", numbers from %s to %s", asif_short_number(a, column->least),
                       asif_short_number(b, column->most));
    else if (column->value && column->values <= 6)
        for (uint32_t i = 0; i < column->values; i++)
            asif_text_addf(words, "%s%.40s", i ? ", " : ": ", column->value[i]);
    if (column->missing && column->missing < rows)
        asif_text_addf(words, "; %s missing", asif_count_text(a, column->missing));
    asif_text cells = {.context = words->context};
    if (asif_draft_texts(&cells, column, rows))
        asif_text_addf(words, "; not numbers: %s", cells.data ? cells.data : "");
    words->failed |= cells.failed;
    asif_text_free(&cells);
    if (2 * column->numbers >= rows - column->missing) {
        add_far(words, column, column->least, false);
        add_far(words, column, column->most, true);
    }
    for (uint32_t i = 0; column->value && i < column->values; i++) {
        uint32_t k = asif_draft_spelling(column, i);
        if (k == i)
            continue;
        asif_text_addf(words, "; are %.40s and %.40s the same?", column->value[i < k ? i : k],
                       column->value[i < k ? k : i]);
        break;
    }
}

/* ---- the section ---- */

static void begin_key(asif_text *text, bool *any, const char *name, const char *key) {
    if (!*any) {
        asif_text_add(text, "    ");
        asif_draft_scalar(text, name);
    }
    asif_text_addf(text, "%s%s: ", *any ? ", " : ": {", key);
    *any = true;
}

static void add_recode(asif_text *text, const asif_table_column *column, bool *any) {
    bool begun = false;
    for (uint32_t i = 0; column->value && i < column->values; i++) {
        uint32_t k = asif_draft_spelling(column, i);
        if (k == i)
            continue;
        if (!begun)
            begin_key(text, any, column->name, "recode");
        asif_text_add(text, begun ? ", " : "{");
        asif_draft_scalar(text, column->value[i]);
        asif_text_add(text, ": ");
        asif_draft_scalar(text, column->value[k]);
        begun = true;
    }
    asif_text_add(text, begun ? "}" : "");
}

/* Add the codes of a column of numbers, and the cells that are none. */
static void add_missing_values(asif_text *text, const asif_table_column *column, bool texts, bool *any) {
    const double end[] = {column->least, column->most};
    char number[ASIF_NUMBER_SIZE];
    bool begun = false;
    for (uint32_t i = 0; texts && i < column->texts; i++) {
        if (!begun)
            begin_key(text, any, column->name, "missing_values");
        asif_text_add(text, begun ? ", " : "[");
        asif_draft_scalar(text, column->text[i]);
        begun = true;
    }
    for (uint32_t k = 0; k < 2; k++) {
        if (judge(column, end[k], k == 1) != ASIF_FAR_CODE)
            continue;
        if (!begun)
            begin_key(text, any, column->name, "missing_values");
        asif_text_addf(text, "%s%s", begun ? ", " : "[", asif_number_text(number, end[k]));
        begun = true;
    }
    asif_text_add(text, begun ? "]" : "");
}

/* The least or greatest number that is no code; false: it is not known. */
static bool find_end(const asif_table_column *column, bool greatest, double *end) {
    *end = greatest ? column->most : column->least;
    return judge(column, *end, greatest) != ASIF_FAR_CODE ||
           asif_far_next(column->sample, column->samples, *end, greatest, end);
}

/* Add the range of the numbers that are no codes; false: not all numbers are known. */
static bool add_range(asif_text *text, const asif_table_column *column, bool *any) {
    double least = 0, most = 0;
    char a[ASIF_NUMBER_SIZE], b[ASIF_NUMBER_SIZE];
    if (column->samples < column->numbers || !find_end(column, false, &least) ||
        !find_end(column, true, &most) || !(least < most))
        return false;
    begin_key(text, any, column->name, "range");
    asif_text_addf(text, "[%s, %s]", asif_number_text(a, least), asif_number_text(b, most));
    return true;
}

void asif_draft_cells(asif_text *text, const asif_columns *columns, const bool *cut) {
    const asif_table_column *column;
    asif_text lines = {.context = text->context};
    for (uint32_t i = 0; (column = asif_columns_get(columns, i)); i++) {
        uint64_t rows = asif_columns_rows(columns);
        bool any = false, texts = cut[i] && asif_draft_mixed(column, rows);
        add_recode(&lines, column, &any);
        if (cut[i])
            add_missing_values(&lines, column, texts, &any);
        bool range = cut[i] && add_range(&lines, column, &any);
        asif_text_add(&lines, any ? "}" : "");
        asif_text_add(&lines,
                      texts ? "\n      # TO FILL IN: `recode: {TEXT: NUMBER}` where a text means a number"
                            : "");
        asif_text_add(
            &lines,
            range ? "\n      # TO FILL IN: the `range` of plausible numbers; this is that of the table" : "");
        asif_text_add(&lines, any ? "\n" : "");
    }
    if (lines.length)
        asif_text_addf(text, "  columns:                  # how cells are read: look at each line\n%s",
                       lines.data);
    text->failed |= lines.failed;
    asif_text_free(&lines);
}
