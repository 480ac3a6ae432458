#include "inverse/evidence/pairs.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "logs/csv/csv.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

#define MOST_COMPARED 20000 /* most names among which the nearest is sought */

static const char *const columns[] = {"worse", "better"};

typedef struct {
    asif_pairs *pairs;
    const asif_tree *tree;
    const char *path;
    bool partial;
    asif_csv_reader reader;
    uint32_t column[2];
} reading;

static asif_status read_piece(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    return asif_os_read(user, to, room, got, error);
}

static asif_status place(const reading *r, uint32_t column, asif_error *error) {
    asif_error_at(error, r->path, r->reader.line, column);
    if (error)
        error->row = r->reader.row;
    return ASIF_EINVALID;
}

/* ---- the header ---- */

static asif_status no_column(const reading *r, const char *name, asif_error *error) {
    const char *near[64];
    uint32_t n = 0;
    for (; n < 64 && n < r->reader.cells; n++)
        near[n] = r->reader.cell[n].text;
    asif_fail(error, ASIF_EINVALID, "there is no column `%s`", name);
    asif_error_at(error, r->path, r->reader.line, 0);
    const char *word = asif_nearest_word(name, near, n);
    if (word)
        asif_error_hint(error, "is it `%s`? Each row of the table names the `worse` episode and the `better`",
                        asif_show(word).text);
    else
        asif_error_hint(error, "each row of the table names the `worse` episode and the `better`");
    return ASIF_EINVALID;
}

static asif_status find_columns(reading *r, asif_error *error) {
    for (uint32_t k = 0; k < 2; k++) {
        for (r->column[k] = 0; r->column[k] < r->reader.cells; r->column[k]++)
            if (strcmp(r->reader.cell[r->column[k]].text, columns[k]) == 0)
                break;
        if (r->column[k] == r->reader.cells)
            return no_column(r, columns[k], error);
    }
    return ASIF_OK;
}

/* ---- rows ---- */

/* Find a unit by its name, by bisection: units are in the order of their names. */
static uint64_t find_unit(const asif_tree *tree, const char *name) {
    uint64_t low = 0, high = tree->size.units;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = asif_tree_name_order(name, asif_tree_unit_name(tree, middle));
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return tree->size.units;
}

static asif_status no_episode(const reading *r, uint32_t k, const char *name, asif_error *error) {
    const asif_context *context = r->pairs->context;
    uint64_t units = r->tree->size.units, n = units < MOST_COMPARED ? units : MOST_COMPARED;
    const char **names = ASIF_ARRAY(context, n, const char *);
    const char *near = NULL;
    for (uint64_t i = 0; names && i < n; i++)
        names[i] = asif_tree_unit_name(r->tree, i);
    if (names)
        near = asif_nearest_word(name, names, (uint32_t)n);
    asif_fail(error, ASIF_EINVALID, "there is no episode `%s` in the logs (`%s` of the pair)",
              asif_show(name).text, columns[k]);
    if (near)
        asif_error_hint(error, "did you mean `%s`?", asif_show(near).text);
    else
        asif_error_hint(error, "episodes are named as in the logs: %s, %s, ...",
                        asif_show(asif_tree_unit_name(r->tree, 0)).text,
                        units > 1 ? asif_show(asif_tree_unit_name(r->tree, 1)).text : "");
    asif_free(context, names);
    return place(r, r->column[k] + 1, error);
}

static asif_status read_row(reading *r, asif_error *error) {
    uint64_t units = r->tree->size.units, unit[2] = {units, units};
    if (r->reader.flaw.status != ASIF_OK) {
        if (error)
            *error = r->reader.flaw;
        return r->reader.flaw.status;
    }
    for (uint32_t k = 0; k < 2; k++) {
        const asif_csv_cell *cell = r->column[k] < r->reader.cells ? &r->reader.cell[r->column[k]] : NULL;
        if (!cell || asif_csv_missing(cell)) {
            asif_fail(error, ASIF_EINVALID, "the row has no `%s` episode", columns[k]);
            asif_error_hint(error, "a pair names two episodes: remove the row, or say which it is");
            return place(r, r->column[k] + 1, error);
        }
        unit[k] = find_unit(r->tree, cell->text);
        if (unit[k] == units && !r->partial)
            return no_episode(r, k, cell->text, error);
    }
    if (unit[0] == units || unit[1] == units)
        return ASIF_OK;
    if (unit[0] == unit[1]) {
        asif_fail(error, ASIF_EINVALID, "episode `%s` cannot be better than itself",
                  asif_show(asif_tree_unit_name(r->tree, unit[0])).text);
        asif_error_hint(error, "a pair names two different episodes");
        return place(r, r->column[1] + 1, error);
    }
    asif_pairs *p = r->pairs;
    if (!asif_grow(p->context, &p->unit, p->count, &p->capacity, 2 * sizeof *p->unit))
        return asif_fail_memory(error);
    memcpy(p->unit + 2 * p->count++, unit, sizeof unit);
    return ASIF_OK;
}

static asif_status read_table(reading *r, asif_os_stream *stream, asif_error *error) {
    bool more = true;
    ASIF_TRY(asif_csv_open(&r->reader, r->pairs->context, (asif_csv_source){read_piece, stream}, r->path, 0,
                           error));
    ASIF_TRY(find_columns(r, error));
    while (more) {
        ASIF_TRY(asif_csv_next(&r->reader, &more, error));
        if (more)
            ASIF_TRY(read_row(r, error));
    }
    if (r->pairs->count)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "there are no pairs in it%s",
              r->partial ? " of episodes in these logs" : "");
    asif_error_at(error, r->path, 0, 0);
    return ASIF_EINVALID;
}

asif_status asif_pairs_read(asif_pairs *out, const asif_context *context, const char *path, bool partial,
                            const asif_tree *tree, asif_error *error) {
    *out = (asif_pairs){.context = context};
    asif_os_stream stream;
    ASIF_TRY(asif_os_open(&stream, path, error));
    reading r = {.pairs = out, .tree = tree, .path = path, .partial = partial};
    asif_status status = read_table(&r, &stream, error);
    asif_csv_close(&r.reader);
    asif_os_close(&stream);
    return status;
}

void asif_pairs_free(asif_pairs *pairs) {
    asif_free(pairs->context, pairs->unit);
    *pairs = (asif_pairs){.context = pairs->context};
}
