/* What the cells of a row hold: other spellings, codes for missing values, numbers with a decimal comma,
 * dates and plausible numbers, by the rules that the mapping has for columns. This comes before all rules on
 * rows. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/table/dates.h"

#include <math.h>
#include <string.h>

static const asif_csv_cell empty = {"", 0, false, 0};

/* Whether a cell holds one of these values: as a text, or as a number. */
static bool holds(const asif_csv_cell *cell, char *const *value, uint32_t count, uint32_t *which) {
    double x = 0, y = 0;
    bool number = count && asif_number_read(cell->text, cell->length, &x);
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(cell->text, value[k]) == 0 ||
            (number && asif_number_read(value[k], strlen(value[k]), &y) && x == y)) {
            *which = k;
            return true;
        }
    return false;
}

/* Put a point in the place of a number's comma. */
static void replace_comma(asif_csv_cell *cell, char *written) {
    const char *comma = memchr(cell->text, ',', cell->length);
    double unused = 0;
    if (!comma || cell->length >= ASIF_WRITTEN)
        return;
    memcpy(written, cell->text, cell->length + 1);
    written[comma - cell->text] = '.';
    if (asif_number_read(written, cell->length, &unused))
        cell->text = written;
}

static void read_date(asif_reading *r, const asif_cell_rule *rule, uint32_t column) {
    asif_csv_cell *cell = &r->table->cell[column];
    char *written = r->written[column];
    if (!asif_date_read(rule->date, cell->text, written)) {
        asif_reading_problem(r, asif_reading_here(r, column), "correct the cell, or `date` in the study",
                             "`%s` is not a date of the form %s", asif_show(cell->text).text, rule->date);
        return;
    }
    *cell = (asif_csv_cell){written, (uint32_t)strlen(written), false, 0};
}

static void check_range(asif_reading *r, uint32_t i, uint32_t column) {
    const asif_cell_rule *rule = &r->map->cell_rule[i];
    asif_csv_cell *cell = &r->table->cell[column];
    double x = 0;
    bool number = asif_number_read(cell->text, cell->length, &x);
    if (number && x >= rule->least && x <= rule->most)
        return;
    if (number && rule->outside_missing) {
        if (!r->muted && r->outside[i].count++ == 0)
            r->outside[i].first = asif_reading_here(r, column);
        *cell = empty;
    } else if (number)
        asif_reading_problem(r, asif_reading_here(r, column),
                             "correct the cell or the `range`, or write `outside: missing`",
                             "the number is outside the range of the column `%s`, %.7g to %.7g",
                             asif_show(rule->name).text, rule->least, rule->most);
    else
        asif_reading_problem(r, asif_reading_here(r, column),
                             "say what it means with `recode`, or list it in `missing_values`",
                             "the column `%s` has a `range`, but `%s` is not a number",
                             asif_show(rule->name).text, asif_show(cell->text).text);
}

static void read_column(asif_reading *r, uint32_t i, uint32_t column) {
    const asif_cell_rule *rule = &r->map->cell_rule[i];
    asif_csv_cell *cell = &r->table->cell[column];
    uint32_t which = 0;
    if (holds(cell, rule->missing_value, rule->missing_values, &which))
        *cell = empty;
    else if (holds(cell, rule->from, rule->recodes, &which))
        *cell = (asif_csv_cell){rule->to[which], (uint32_t)strlen(rule->to[which]), false, 0};
    if (asif_csv_missing(cell))
        return;
    if (rule->date)
        read_date(r, rule, column);
    else if (isfinite(rule->least))
        check_range(r, i, column);
}

void asif_cells_read(asif_reading *r) {
    uint32_t unused = 0;
    for (uint32_t i = 0; r->map->comma && i < r->table->cells; i++)
        replace_comma(&r->table->cell[i], r->written[i]);
    for (uint32_t i = 0; i < r->map->cell_rules; i++)
        if (r->cell_column[i] != ASIF_NO_COLUMN)
            read_column(r, i, r->cell_column[i]);
    for (uint32_t i = 0; r->map->missing_values && i < r->table->cells; i++)
        if (holds(&r->table->cell[i], r->map->missing_value, r->map->missing_values, &unused))
            r->table->cell[i] = empty;
}

asif_status asif_cells_bind(asif_reading *r, asif_error *error) {
    const asif_log_map *map = r->map;
    bool writes = map->comma;
    r->cells_change = map->cell_rules || map->missing_values || map->comma;
    r->number = r->cells_change ? NULL : r->table->number;
    r->cell_column = ASIF_ARRAY(r->context, map->cell_rules, uint32_t);
    r->outside = ASIF_ARRAY(r->context, map->cell_rules, asif_outside);
    if (!r->cell_column || !r->outside)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < map->cell_rules; i++) {
        ASIF_TRY(asif_reading_column(r, map->cell_rule[i].name, &r->cell_column[i], error));
        writes = writes || map->cell_rule[i].date;
    }
    if (writes && !(r->written = asif_alloc(r->context, r->header, sizeof *r->written)))
        return asif_fail_memory(error);
    return ASIF_OK;
}

void asif_cells_say(asif_reading *r) {
    for (uint32_t i = 0; i < r->map->cell_rules; i++) {
        const asif_cell_rule *rule = &r->map->cell_rule[i];
        const asif_outside *outside = &r->outside[i];
        if (r->cell_column[i] == ASIF_NO_COLUMN && asif_reading_wants(r, ASIF_PROBLEM_WARNING))
            asif_reading_list(r, ASIF_PROBLEM_WARNING, ASIF_EUNKNOWN, (asif_place){0, 0, 0},
                              "is the name under `columns` spelt as in the table?",
                              "the study says how to read the column `%s`, which the table does not have",
                              asif_show(rule->name).text);
        if (outside->count && asif_reading_wants(r, ASIF_PROBLEM_NOTE))
            asif_reading_list(
                r, ASIF_PROBLEM_NOTE, ASIF_OK, outside->first, "",
                "%llu cell%s of `%s` outside %.7g to %.7g count%s as missing (outside: missing)",
                (unsigned long long)outside->count, outside->count == 1 ? "" : "s",
                asif_show(rule->name).text, rule->least, rule->most, outside->count == 1 ? "s" : "");
    }
}
