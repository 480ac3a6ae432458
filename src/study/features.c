/* Utilities that are linear in features (columns of a table), and utilities with a parameter for each state
 * and action. */
#include "study/study_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/csv/csv.h"
#include "logs/names.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
#define MOST_PROBLEMS 5  /* number of bad rows that are reported */
#define MOST_CELLS 10000 /* limit of a table of parameters, since each cell is a dimension of the search */
#define CONSTANT (ASIF_ANY - 1)
#define SKIPPED (ASIF_ANY - 2)

typedef struct {
    asif_reader *draft;
    const asif_yaml *at; /* node that names the file */
    asif_csv_reader csv;
    uint32_t columns, state, action; /* action: ASIF_ANY if there is none */
    /* [columns]: parameter whose coefficients the column holds; or CONSTANT, or SKIPPED. */
    uint32_t *parameter;
    asif_names states; /* names of the states, if they have any */
    /* [actions + 1][states + 1]: row of the table for each; the last entries stand for `any`. */
    uint64_t *row;
    uint64_t rows, problems;
} table;

/* ---- problems ---- */

/* Report an error in a cell of the current row; cells count from 0. */
static bool complain(table *t, uint32_t cell, asif_error *error, const char *hint) {
    asif_error_at(error, t->csv.name, t->csv.line, cell + 1);
    asif_error_hint(error, "%s", hint);
    t->problems++;
    return asif_reader_pass_on(t->draft, t->at, error);
}

/* ---- the header ---- */

static bool unknown_column(table *t, uint32_t i, const char *name, const asif_reader_parameter *p) {
    asif_error error = ASIF_ERROR_INIT;
    char hint[200];
    const char *near = asif_reader_near_parameter(t->draft, name);
    if (p) {
        asif_fail(&error, ASIF_EINVALID, "the column `%s` is not a utility", asif_show(name).text);
        return complain(t, i, &error, "give it another name; alpha and the like are the agent's own");
    }
    asif_fail(&error, ASIF_EINVALID, "the column `%s` is no parameter of the study", asif_show(name).text);
    if (near)
        asif_format(hint, sizeof hint, "did you mean `%s`?", asif_show(near).text);
    else
        asif_format(hint, sizeof hint,
                    "declare it under `parameters`: `%s: {learn: normal(0, 1), standard: 0}`",
                    asif_show(name).text);
    return complain(t, i, &error, hint);
}

static bool read_column(table *t, uint32_t i) {
    const asif_csv_cell *cell = t->csv.cell;
    const char *name = cell[i].text;
    asif_error error = ASIF_ERROR_INIT;
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(cell[k].text, name) == 0) {
            asif_fail(&error, ASIF_EINVALID, "there are two columns `%s`", asif_show(name).text);
            return complain(t, i, &error, "remove one of them");
        }
    t->parameter[i] = SKIPPED;
    if (strcmp(name, "state") == 0) {
        t->state = i;
    } else if (strcmp(name, "action") == 0) {
        t->action = i;
    } else if (strcmp(name, "constant") == 0) {
        t->parameter[i] = CONSTANT;
    } else {
        const asif_reader_parameter *p = asif_reader_used_parameter(t->draft, name);
        if (t->draft->stop)
            return false;
        if (!p || !p->utility || p->undeclared)
            return unknown_column(t, i, name, p && !p->undeclared ? p : NULL);
        t->parameter[i] = p->index;
    }
    return true;
}

static bool read_header(table *t) {
    asif_error error = ASIF_ERROR_INIT;
    t->columns = t->csv.cells;
    t->state = t->action = ASIF_ANY;
    t->parameter = asif_reader_alloc(t->draft, t->columns, sizeof *t->parameter);
    bool good = t->parameter != NULL;
    for (uint32_t i = 0; t->parameter && i < t->columns && !t->draft->stop; i++)
        good = read_column(t, i) && good;
    if (t->parameter && t->state == ASIF_ANY) {
        asif_fail(&error, ASIF_EINVALID, "the table has no column `state`");
        return complain(t, 0, &error,
                        "name the columns in the first line: state, action if it matters, and one for each "
                        "parameter");
    }
    if (good && t->columns == 1 + (t->action != ASIF_ANY)) {
        asif_fail(&error, ASIF_EINVALID, "the table has no features");
        return complain(t, 0, &error, "give a column for each parameter of the utility");
    }
    return good;
}

/* ---- the rows ---- */

static bool unknown_label(table *t, uint32_t cell, const asif_labels *labels) {
    asif_error error = ASIF_ERROR_INIT;
    char hint[256];
    const char *text = t->csv.cell[cell].text;
    const char *near = labels->name ? asif_nearest_word(text, labels->name, labels->count) : NULL;
    asif_fail(&error, ASIF_EINVALID, "there is no %s `%s`", labels->what, asif_show(text).text);
    if (near)
        asif_format(hint, sizeof hint, "did you mean `%s`?", asif_show(near).text);
    else
        asif_format(hint, sizeof hint, "the %ss are %s", labels->what, asif_list_labels(labels).text);
    return complain(t, cell, &error, hint);
}

/* Index of a label; `any` has the index after the last label. */
static bool find_label(table *t, uint32_t cell, const asif_labels *labels, uint32_t *out) {
    const asif_csv_cell *text = &t->csv.cell[cell];
    *out = labels->name && labels == &t->draft->states ? asif_names_find(&t->states, text->text, text->length)
                                                       : asif_labels_find(labels, text->text);
    if (*out == ASIF_ANY && strcmp(text->text, "any") == 0)
        *out = labels->count;
    return *out != ASIF_ANY ? true : unknown_label(t, cell, labels);
}

static bool read_number(table *t, uint32_t i, double *out) {
    const asif_csv_cell *cell = &t->csv.cell[i];
    asif_error error = ASIF_ERROR_INIT;
    if (asif_number_read(cell->text, cell->length, out) && isfinite(*out))
        return true;
    if (asif_csv_missing(cell)) {
        asif_fail(&error, ASIF_EINVALID, "a feature is missing");
        return complain(t, i, &error, "write 0 where there is none of it");
    }
    asif_fail(&error, ASIF_EPARSE, "a feature must be a finite number, not `%s`", asif_show(cell->text).text);
    return complain(t, i, &error, "write decimals with a point, and yes and no as 1 and 0");
}

static bool note_row(table *t, uint32_t state, uint32_t action) {
    const asif_reader *d = t->draft;
    uint64_t *row = &t->row[(uint64_t)action * (d->states.count + 1ull) + state];
    asif_error error = ASIF_ERROR_INIT;
    if (*row) {
        asif_fail(&error, ASIF_EINVALID, "`%s`%s%s%s stands twice (first in row %llu)",
                  asif_show(t->csv.cell[t->state].text).text, t->action == ASIF_ANY ? "" : " with `",
                  t->action == ASIF_ANY ? "" : asif_show(t->csv.cell[t->action].text).text,
                  t->action == ASIF_ANY ? "" : "`", (unsigned long long)*row);
        return complain(t, t->state, &error, "remove one of the two rows");
    }
    *row = t->csv.row;
    return true;
}

static bool read_row(table *t, bool *covered) {
    asif_reader *d = t->draft;
    uint32_t state = 0, action = d->actions.count;
    asif_error error = ASIF_ERROR_INIT;
    if (t->csv.flaw.status != ASIF_OK) {
        t->problems++;
        return asif_reader_pass_on(d, t->at, &t->csv.flaw);
    }
    if (t->csv.cells != t->columns) {
        asif_fail(&error, ASIF_EPARSE, "the row has %u cell%s, the header %u", t->csv.cells,
                  t->csv.cells == 1 ? "" : "s", t->columns);
        return complain(t, t->csv.cells < t->columns ? t->csv.cells : t->columns, &error,
                        "give a cell for every column");
    }
    if (!find_label(t, t->state, &d->states, &state) ||
        (t->action != ASIF_ANY && !find_label(t, t->action, &d->actions, &action)) ||
        !note_row(t, state, action))
        return false;
    for (uint32_t u = 0; u < d->actions.count; u++)
        covered[u] = covered[u] || action == d->actions.count || action == u;
    asif_utility_term term = {.by = ASIF_BY_STATE,
                              .action = action == d->actions.count ? ASIF_ANY : action,
                              .index = state == d->states.count ? ASIF_ANY : state};
    for (uint32_t i = 0; i < t->columns; i++) {
        if (t->parameter[i] == SKIPPED)
            continue;
        if (!read_number(t, i, &term.coefficient))
            return false;
        term.parameter = t->parameter[i] == CONSTANT ? ASIF_ANY : t->parameter[i];
        if (term.coefficient != 0 && !asif_reader_add_term(d, &term))
            return false;
    }
    return true;
}

static bool prepare(table *t) {
    asif_reader *d = t->draft;
    t->states.context = d->context;
    for (uint32_t i = 0; d->states.name && i < d->states.count; i++)
        if (asif_names_add(&t->states, d->states.name[i], strlen(d->states.name[i])) == ASIF_NO_NAME)
            return asif_reader_no_memory(d);
    t->row = asif_reader_alloc(d, (d->actions.count + 1ull) * (d->states.count + 1ull), sizeof *t->row);
    return t->row != NULL;
}

static void read_rows(table *t, bool *covered) {
    asif_error error = ASIF_ERROR_INIT;
    bool more = true;
    while (more && !t->draft->stop && t->problems < MOST_PROBLEMS) {
        if (asif_csv_next(&t->csv, &more, &error) != ASIF_OK) {
            asif_reader_pass_on(t->draft, t->at, &error);
            return;
        }
        if (more && read_row(t, covered))
            t->rows++;
    }
    if (t->problems || t->draft->stop || t->rows)
        return;
    asif_reader_error(t->draft, t->at, "the table `%s` has no rows", asif_show(t->at->text).text);
    asif_reader_hint(t->draft, "give one for each state, or for each state and action");
}

/* A state without a row has utility 0, which a note points out. */
static void note_missing(const table *t) {
    asif_reader *d = t->draft;
    uint64_t width = d->states.count + 1ull, missing = 0;
    uint32_t first = ASIF_ANY;
    for (uint32_t s = 0; s < d->states.count; s++) {
        bool there = false;
        for (uint32_t u = 0; u <= d->actions.count && !there; u++)
            there = t->row[u * width + s] || t->row[u * width + d->states.count];
        missing += !there;
        first = !there && first == ASIF_ANY ? s : first;
    }
    if (!missing)
        return;
    asif_reader_problem(d, ASIF_PROBLEM_NOTE, ASIF_OK, t->at,
                        "%llu of %u states have no row in `%s`, the first `%s`: 0 is taken",
                        (unsigned long long)missing, d->states.count, asif_show(t->at->text).text,
                        asif_show_label(&d->states, first).text);
    asif_reader_hint(d, "give them a row of zeros if that is meant");
}

void asif_reader_read_features(asif_reader *draft, const asif_yaml *node, bool *covered) {
    static const asif_study_key keys[] = {
        {"features", NULL, "a table with a column `state` and one for each parameter"}};
    const asif_yaml *file = asif_yaml_get(node, "features");
    char *text = NULL;
    asif_csv_bytes left = {0};
    table t = {.draft = draft, .at = file};
    if (!asif_reader_keys(draft, node, "utility", keys, COUNT(keys)) ||
        !asif_reader_kind(draft, file, ASIF_YAML_SCALAR, "`features`"))
        return;
    const char *path = NULL;
    if (!asif_reader_open(draft, file, &text, &left.length, &path))
        return;
    left.text = text;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_csv_open(&t.csv, draft->context, asif_csv_memory(&left), path, 0, &error) != ASIF_OK) {
        asif_reader_pass_on(draft, file, &error);
    } else if (read_header(&t) && prepare(&t)) {
        read_rows(&t, covered);
        if (!t.problems && !draft->stop && t.rows)
            note_missing(&t);
    }
    asif_csv_close(&t.csv);
    asif_names_free(&t.states);
    asif_free(draft->context, text);
}

/* ---- a parameter for each cell ---- */

static bool add_cell(asif_reader *draft, const asif_yaml *at, uint32_t state, uint32_t action) {
    asif_text name = {.context = draft->context};
    asif_text_addf(&name, "%s.", at->text);
    char number[16];
    const asif_labels *labels[] = {&draft->states, &draft->actions};
    uint32_t index[] = {state, action};
    for (uint32_t k = 0; k < 2 && index[k] != ASIF_ANY; k++) {
        asif_format(number, sizeof number, "%u", index[k]);
        asif_text_add(&name, k ? "." : "");
        asif_text_add(&name, labels[k]->name ? labels[k]->name[index[k]] : number);
    }
    if (name.failed) {
        asif_text_free(&name);
        return asif_reader_no_memory(draft);
    }
    const asif_reader_parameter *p = asif_reader_used_parameter(draft, name.data);
    bool good = p && p->utility && !draft->stop;
    if (!good) {
        asif_reader_error(draft, at, "the parameter `%s` of the table is missing", asif_show(name.data).text);
        asif_reader_hint(
            draft, "give all of them at once under `parameters`: `%s.*: {learn: normal(0, 1), standard: 0}`",
            asif_show(at->text).text);
    }
    asif_text_free(&name);
    asif_utility_term term = {.by = ASIF_BY_STATE, .action = action, .index = state, .coefficient = 1};
    term.parameter = good ? p->index : ASIF_ANY;
    return good && asif_reader_add_term(draft, &term);
}

void asif_reader_read_table(asif_reader *draft, const asif_yaml *node, bool *covered) {
    static const asif_study_key keys[] = {
        {"table", NULL, "how the names of its parameters begin"},
        {"by", NULL, "state: one for each state; left out: for each state and action"}};
    static const char *const choices[] = {"action", "state"};
    const asif_yaml *name = asif_yaml_get(node, "table"), *by = asif_yaml_get(node, "by");
    uint32_t by_state = 0;
    if (!asif_reader_keys(draft, node, "utility", keys, COUNT(keys)) ||
        !asif_reader_kind(draft, name, ASIF_YAML_SCALAR, "`table`") ||
        (by && !asif_reader_choice(draft, by, "`by`", choices, COUNT(choices), &by_state)) ||
        draft->parameters_misspelt)
        return;
    uint64_t cells = (uint64_t)draft->states.count * (by_state ? 1 : draft->actions.count);
    if (cells > MOST_CELLS) {
        asif_reader_error(draft, name, "a table of %llu parameters is more than can be estimated (%u)",
                          (unsigned long long)cells, MOST_CELLS);
        asif_reader_hint(draft, "describe the states by features: {features: FILE.csv}");
        return;
    }
    memset(covered, 1, draft->actions.count * sizeof *covered);
    for (uint32_t s = 0; s < draft->states.count; s++)
        for (uint32_t u = 0; u < (by_state ? 1 : draft->actions.count); u++)
            if (!add_cell(draft, name, s, by_state ? ASIF_ANY : u))
                return;
}
