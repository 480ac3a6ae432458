/* Reads a table of another model, and matches its units with those of the logs. */
#include "questions/compare/models/pointwise.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "logs/csv/csv.h"
#include "logs/names.h"

#include <math.h>
#include <string.h>

struct asif_pointwise {
    const asif_context *context;
    char *file;
    asif_pointwise_view view;
    asif_names name;         /* names of the units, in their order */
    double *value;           /* [units][chains][draws] */
    double *elpd, *p, *k;    /* [units] */
    uint32_t *line, *column; /* [units]: place of its name */
};

/* The role of a column. */
typedef enum { OTHER, UNIT, ELPD, EFFECTIVE, SHAPE, CHAIN, DENSITY } role;

typedef struct {
    asif_pointwise *table;
    asif_csv_reader csv;
    role *role; /* [columns] */
    uint32_t columns;
    bool matrix;   /* whether rows are draws */
    uint64_t rows; /* number of rows read so far */
    double *row;   /* matrix: [rows][units] */
    uint64_t row_capacity;
    uint32_t *chain; /* matrix: [rows] */
    uint64_t chain_capacity;
    asif_names chains;
    asif_error *error;
} reading;

/* ---- places ---- */

static asif_status fail_at(const reading *r, uint32_t column, asif_status status, const char *hint) {
    asif_error_at(r->error, r->table->file, r->csv.line, column);
    asif_error_hint(r->error, "%s", hint);
    return status;
}

void asif_pointwise_at(const asif_pointwise *table, uint64_t unit, asif_error *error) {
    asif_error_at(error, table->file, table->line[unit], table->column[unit]);
}

/* ---- the header ---- */

static const struct {
    const char *name;
    role role;
} words[] = {
    {"unit", UNIT},    {"elpd", ELPD}, {"elpd_loo", ELPD},  {"p_loo", EFFECTIVE},
    {"p", EFFECTIVE},  {"k", SHAPE},   {"pareto_k", SHAPE}, {"influence_pareto_k", SHAPE},
    {".chain", CHAIN},
};

static role role_of(const char *name) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].name, name) == 0)
            return words[i].role;
    return OTHER;
}

static bool is_log_lik(const char *name) {
    return strncmp(name, "log_lik", 7) == 0;
}

/* Whether a column of a table of draws is no unit: the number of the draw, or a diagnostic of a sampler. */
static bool is_own(const char *name) {
    size_t length = strlen(name);
    return length == 0 || strcmp(name, ".iteration") == 0 || strcmp(name, ".draw") == 0 ||
           (length > 2 && strcmp(name + length - 2, "__") == 0);
}

static uint32_t count_role(const reading *r, role wanted) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->columns; i++)
        count += r->role[i] == wanted;
    return count;
}

static void find_units(reading *r) {
    bool stan = false;
    for (uint32_t i = 0; i < r->columns; i++)
        stan = stan || is_log_lik(r->csv.cell[i].text);
    for (uint32_t i = 0; i < r->columns; i++) {
        const char *name = r->csv.cell[i].text;
        if (r->role[i] != CHAIN)
            r->role[i] = (stan ? is_log_lik(name) : !is_own(name)) ? DENSITY : OTHER;
    }
    r->table->view.named = !stan;
}

static asif_status add_unit(reading *r, const char *name, uint64_t length, uint32_t column) {
    asif_pointwise *t = r->table;
    uint64_t unit = t->name.count;
    if (asif_names_add(&t->name, name, length) == ASIF_NO_NAME)
        return asif_fail_memory(r->error);
    if (t->name.count == unit) {
        asif_fail(r->error, ASIF_EPARSE, "the unit `%s` is there twice", asif_show(name).text);
        return fail_at(r, column, ASIF_EPARSE, "a table has one row (or column) for each unit, of one model");
    }
    t->view.units++;
    return ASIF_OK;
}

static asif_status name_columns(reading *r) {
    asif_pointwise *t = r->table;
    uint64_t units = count_role(r, DENSITY), unit = 0;
    t->line = ASIF_ARRAY(t->context, units, uint32_t);
    t->column = ASIF_ARRAY(t->context, units, uint32_t);
    if (!t->line || !t->column)
        return asif_fail_memory(r->error);
    for (uint32_t i = 0; i < r->columns; i++)
        if (r->role[i] == DENSITY) {
            ASIF_TRY(add_unit(r, r->csv.cell[i].text, r->csv.cell[i].length, i + 1));
            t->line[unit] = r->csv.line;
            t->column[unit++] = i + 1;
        }
    return ASIF_OK;
}

static asif_status read_header(reading *r) {
    r->columns = r->csv.cells;
    r->role = ASIF_ARRAY(r->table->context, r->columns, role);
    if (!r->role)
        return asif_fail_memory(r->error);
    for (uint32_t i = 0; i < r->columns; i++)
        r->role[i] = role_of(r->csv.cell[i].text);
    r->matrix = count_role(r, ELPD) == 0;
    if (!r->matrix) {
        r->table->view.named = count_role(r, UNIT) > 0;
        if (count_role(r, ELPD) == 1 && count_role(r, UNIT) <= 1)
            return ASIF_OK;
        asif_fail(r->error, ASIF_EPARSE, "several columns are `elpd`, `elpd_loo` or `unit`");
        return fail_at(r, 1, ASIF_EPARSE, "keep the one that is meant");
    }
    find_units(r);
    if (count_role(r, DENSITY) > 0)
        return name_columns(r);
    asif_fail(r->error, ASIF_EPARSE, "no column is a unit");
    return fail_at(r, 1, ASIF_EPARSE,
                   "write one row for each unit with a column `elpd_loo`, or one row for each draw and one "
                   "column for each unit");
}

/* ---- rows ---- */

static asif_status read_number(const reading *r, uint32_t column, double *out) {
    const asif_csv_cell *cell = &r->csv.cell[column];
    if (asif_number_read(cell->text, cell->length, out) && isfinite(*out))
        return ASIF_OK;
    asif_fail(r->error, ASIF_EPARSE, "`%s` is not a finite number", asif_show(cell->text).text);
    return fail_at(r, column + 1, ASIF_EPARSE, "expected the logarithm of a density, for example -3.21");
}

/* Read an optional number; NaN: it is missing. */
static double number_or_nan(const reading *r, uint32_t column) {
    const asif_csv_cell *cell = &r->csv.cell[column];
    double number;
    return asif_number_read(cell->text, cell->length, &number) ? number : NAN;
}

static asif_status take_unit(reading *r) {
    asif_pointwise *t = r->table;
    uint64_t unit = r->rows;
    if (unit == r->row_capacity) {
        uint64_t more = 2 * unit + 64;
        double **const arrays[] = {&t->elpd, &t->p, &t->k};
        uint32_t **const places[] = {&t->line, &t->column};
        for (size_t i = 0; i < 3; i++) {
            double *grown = asif_realloc(t->context, *arrays[i], more, sizeof *grown);
            if (!grown)
                return asif_fail_memory(r->error);
            *arrays[i] = grown;
        }
        for (size_t i = 0; i < 2; i++) {
            uint32_t *grown = asif_realloc(t->context, *places[i], more, sizeof *grown);
            if (!grown)
                return asif_fail_memory(r->error);
            *places[i] = grown;
        }
        r->row_capacity = more;
    }
    t->p[unit] = t->k[unit] = NAN;
    t->line[unit] = r->csv.line;
    t->column[unit] = 1;
    for (uint32_t i = 0; i < r->columns; i++) {
        if (r->role[i] == ELPD)
            ASIF_TRY(read_number(r, i, &t->elpd[unit]));
        if (r->role[i] == EFFECTIVE)
            t->p[unit] = number_or_nan(r, i);
        if (r->role[i] == SHAPE)
            t->k[unit] = number_or_nan(r, i);
        if (r->role[i] == UNIT) {
            t->column[unit] = i + 1;
            ASIF_TRY(add_unit(r, r->csv.cell[i].text, r->csv.cell[i].length, i + 1));
        }
    }
    t->view.units = unit + 1;
    return ASIF_OK;
}

static asif_status take_draw(reading *r) {
    asif_pointwise *t = r->table;
    uint64_t units = t->view.units, at = r->rows * units;
    while (at + units > r->row_capacity) {
        uint64_t more = 2 * r->row_capacity + units;
        double *grown = asif_realloc(t->context, r->row, more, sizeof *grown);
        if (!grown)
            return asif_fail_memory(r->error);
        r->row = grown;
        r->row_capacity = more;
    }
    if (!asif_grow(t->context, &r->chain, r->rows, &r->chain_capacity, sizeof *r->chain))
        return asif_fail_memory(r->error);
    r->chain[r->rows] = 0;
    for (uint32_t i = 0; i < r->columns; i++) {
        const asif_csv_cell *cell = &r->csv.cell[i];
        if (r->role[i] == DENSITY)
            ASIF_TRY(read_number(r, i, &r->row[at++]));
        if (r->role[i] == CHAIN) {
            r->chain[r->rows] = asif_names_add(&r->chains, cell->text, cell->length);
            if (r->chain[r->rows] == ASIF_NO_NAME)
                return asif_fail_memory(r->error);
        }
    }
    return ASIF_OK;
}

static asif_status read_rows(reading *r) {
    bool more = true;
    for (;; r->rows++) {
        ASIF_TRY(asif_csv_next(&r->csv, &more, r->error));
        if (!more)
            break;
        if (r->csv.flaw.status != ASIF_OK) {
            if (r->error)
                *r->error = r->csv.flaw;
            return r->csv.flaw.status;
        }
        if (r->csv.cells != r->columns) {
            asif_fail(r->error, ASIF_EPARSE, "cells in the row: %u; expected %u, as in the header",
                      r->csv.cells, r->columns);
            return fail_at(r, 1, ASIF_EPARSE, "the file was perhaps cut off");
        }
        ASIF_TRY(r->matrix ? take_draw(r) : take_unit(r));
    }
    if (r->rows > 0)
        return ASIF_OK;
    asif_fail(r->error, ASIF_EPARSE, "the table has a header and no rows");
    return fail_at(r, 1, ASIF_EPARSE, "write one row for each unit, or one row for each draw");
}

/* ---- draws by unit and chain ---- */

/* Count the rows of each chain; all must have the same number. */
static asif_status count_chains(reading *r) {
    asif_pointwise *t = r->table;
    uint32_t chains = r->chains.count ? r->chains.count : 1;
    uint64_t each = r->rows / chains;
    uint64_t *count = ASIF_ARRAY(t->context, chains, uint64_t);
    if (!count)
        return asif_fail_memory(r->error);
    for (uint64_t d = 0; d < r->rows; d++)
        count[r->chain[d]]++;
    bool equal = true;
    for (uint32_t c = 0; c < chains; c++)
        equal = equal && count[c] == each;
    asif_free(t->context, count);
    if (!equal) {
        asif_fail(r->error, ASIF_EPARSE, "the chains are not of one length");
        return fail_at(r, 1, ASIF_EPARSE,
                       "is the file complete? without the column `.chain` draws count as independent");
    }
    t->view.chains = chains;
    t->view.draws = each;
    t->view.independent = r->chains.count == 0;
    return ASIF_OK;
}

static asif_status arrange(reading *r) {
    asif_pointwise *t = r->table;
    ASIF_TRY(count_chains(r));
    uint64_t units = t->view.units, chains = t->view.chains, draws = t->view.draws;
    uint64_t *next = ASIF_ARRAY(t->context, chains, uint64_t);
    t->value = ASIF_ARRAY(t->context, units * r->rows, double);
    if (next && t->value)
        for (uint64_t d = 0; d < r->rows; d++) {
            uint64_t c = r->chain[d], to = c * draws + next[c]++;
            for (uint64_t u = 0; u < units; u++)
                t->value[u * r->rows + to] = r->row[d * units + u];
        }
    bool enough = next && t->value;
    asif_free(t->context, next);
    return enough ? ASIF_OK : asif_fail_memory(r->error);
}

/* ---- the file ---- */

/* Blank out comments, so that lines keep their numbers. */
static void blank_comments(char *text, uint64_t length) {
    bool begins = true, comment = false;
    for (uint64_t i = 0; i < length; i++) {
        bool ends = text[i] == '\n' || text[i] == '\r';
        comment = ends ? false : comment || (begins && text[i] == '#');
        begins = ends;
        if (comment)
            text[i] = ' ';
    }
}

/* Refuse saved warm-up draws of Stan, which are not from the posterior. */
static asif_status check_warmup(const char *text, const char *name, asif_error *error) {
    static const char *const saved[] = {"save_warmup = 1", "save_warmup = true"};
    const char *found = NULL;
    for (size_t i = 0; !found && i < 2; i++)
        found = strstr(text, saved[i]);
    if (!found || (found > text && found[-1] != ' ' && found[-1] != '#'))
        return ASIF_OK;
    asif_fail(error, ASIF_EPARSE, "the file holds draws of the warm-up");
    asif_error_at(error, name, 0, 0);
    asif_error_hint(error, "run Stan with save_warmup = 0, or take those rows out");
    return ASIF_EPARSE;
}

static asif_status read_table(reading *r, char *text, uint64_t length) {
    asif_pointwise *t = r->table;
    ASIF_TRY(check_warmup(text, t->file, r->error));
    blank_comments(text, length);
    asif_csv_bytes bytes = {text, length};
    ASIF_TRY(asif_csv_open(&r->csv, t->context, asif_csv_memory(&bytes), t->file, 0, r->error));
    ASIF_TRY(read_header(r));
    ASIF_TRY(read_rows(r));
    return r->matrix ? arrange(r) : ASIF_OK;
}

/* Make a table from `text`, which is terminated by 0 and is changed. */
static asif_status make(asif_pointwise **out, const asif_context *context, char *text, uint64_t length,
                        const char *name, asif_error *error) {
    asif_pointwise *t = ASIF_NEW(context, asif_pointwise);
    if (!t)
        return asif_fail_memory(error);
    *t = (asif_pointwise){
        .context = context, .file = asif_strdup(context, name), .name = {.context = context}};
    reading r = {.table = t, .chains = {.context = context}, .error = error, .csv = {.context = context}};
    asif_status status = t->file ? read_table(&r, text, length) : asif_fail_memory(error);
    asif_csv_close(&r.csv);
    asif_free(context, r.role);
    asif_free(context, r.row);
    asif_free(context, r.chain);
    asif_names_free(&r.chains);
    if (status != ASIF_OK) {
        asif_pointwise_free(t);
        return status;
    }
    t->view.struct_size = sizeof t->view;
    t->view.value = t->value;
    t->view.elpd = t->elpd;
    t->view.p = t->p;
    t->view.k = t->k;
    *out = t;
    return ASIF_OK;
}

asif_status asif_pointwise_read(asif_pointwise **out, const asif_context *context, const char *path,
                                asif_error *error) {
    char *text = NULL;
    uint64_t length = 0;
    *out = NULL;
    ASIF_TRY(asif_os_read_file(&text, &length, context, path, error));
    asif_status status =
        make(out, context, text, length, strcmp(path, "-") == 0 ? "standard input" : path, error);
    asif_free(context, text);
    return status;
}

asif_status asif_pointwise_read_text(asif_pointwise **out, const asif_context *context, const char *text,
                                     uint64_t length, const char *name, asif_error *error) {
    *out = NULL;
    if (!text || !name)
        return asif_fail_null(error, text ? "name" : "text");
    char *copy = ASIF_ARRAY(context, length + 1, char);
    if (!copy)
        return asif_fail_memory(error);
    memcpy(copy, text, (size_t)length);
    asif_status status = make(out, context, copy, length, name, error);
    asif_free(context, copy);
    return status;
}

void asif_pointwise_free(asif_pointwise *table) {
    if (!table)
        return;
    const asif_context *c = table->context;
    asif_names_free(&table->name);
    void *const arrays[] = {table->file, table->value, table->elpd,  table->p,
                            table->k,    table->line,  table->column};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    asif_free(c, table);
}

asif_status asif_pointwise_get(const asif_pointwise *table, asif_pointwise_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &table->view, size);
    view->struct_size = size;
    return ASIF_OK;
}

const char *asif_pointwise_unit(const asif_pointwise *table, uint64_t unit) {
    return table->view.named && unit < table->name.count ? asif_names_get(&table->name, (uint32_t)unit)
                                                         : NULL;
}

/* ---- matching units ---- */

/* Match the units of the logs by name; returns how many the table names. Others get UINT64_MAX. */
static uint64_t match_names(uint64_t *match, const asif_pointwise *table, const asif_units *units) {
    uint64_t found = 0;
    for (uint64_t u = 0; u < units->units; u++) {
        const char *name = asif_units_name(units, u);
        uint32_t i = table->view.named ? asif_names_find(&table->name, name, strlen(name)) : ASIF_NO_NAME;
        match[u] = i == ASIF_NO_NAME ? UINT64_MAX : i;
        found += i != ASIF_NO_NAME;
    }
    return found;
}

/* Fail with the first unit of the table that is not in the logs. */
static asif_status fail_unknown_unit(const uint64_t *match, const asif_pointwise *table,
                                     const asif_units *units, asif_error *error) {
    const asif_context *c = table->context;
    bool *known = ASIF_ARRAY(c, table->view.units, bool);
    uint64_t unknown = 0;
    if (!known)
        return asif_fail_memory(error);
    for (uint64_t u = 0; u < units->units; u++)
        if (match[u] != UINT64_MAX)
            known[match[u]] = true;
    while (unknown + 1 < table->view.units && known[unknown])
        unknown++;
    asif_free(c, known);
    asif_fail(error, ASIF_EINVALID, "the logs have no unit `%s`",
              asif_show(asif_pointwise_unit(table, unknown)).text);
    asif_pointwise_at(table, unknown, error);
    asif_error_hint(error, "the table is of other logs, or its units are others (subjects, episodes)");
    return ASIF_EINVALID;
}

asif_status asif_pointwise_match(uint64_t *match, const asif_pointwise *table, const asif_units *units,
                                 asif_error *error) {
    uint64_t found = match_names(match, table, units), named = table->view.units;
    if (found == units->units && found == named)
        return ASIF_OK;
    if (found > 0 && found < named)
        return fail_unknown_unit(match, table, units, error);
    if (named != units->units) {
        asif_fail(error, ASIF_EINVALID, "units in the table: %llu; the logs have %llu",
                  (unsigned long long)named, (unsigned long long)units->units);
        asif_pointwise_at(table, 0, error);
        asif_error_hint(error, "it needs one %s for each unit of the logs, by its name or in their order",
                        table->view.value ? "column" : "row");
        return ASIF_EINVALID;
    }
    for (uint64_t u = 0; u < units->units; u++)
        match[u] = u;
    return ASIF_OK;
}
