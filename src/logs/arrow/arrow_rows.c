/* The rows of an Arrow stream. */
#include "logs/arrow/arrow_rows.h"
#include "asif/arrow.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/arrow/arrow_value.h"
#include "logs/reading.h"

#include <math.h>
#include <string.h>

/* Beyond the codes of texts, some are for words that mean missing. */
enum { MOST_TEXTS = 200, MOST_CODED = 3 /* columns, so that the number of the row has room */ };

typedef struct {
    const asif_arrow_type *type; /* NULL: not one that can be a cell */
    bool whole;                  /* integers, and no dictionary; or codes */
    bool key;                    /* it tells episodes apart */
    asif_csv_cell *code;         /* [ASIF_ARROW_CODES]: the cell of each code; NULL: it has no codes */
    asif_csv_cell *cell;         /* of the current row */
    double *number;              /* of the cell, if it is an integer below 2^53; else NaN */
    /* Of integers, in the current piece. */
    const unsigned char *value; /* from the first row on */
    const uint8_t *valid;       /* NULL: none is missing */
    int64_t offset;             /* of the first row, in `valid` */
    /* The integer of the row before, and its digits; length 0: none. */
    uint64_t bits;
    uint32_t length;
    char digits[ASIF_ARROW_DIGITS];

    uint32_t child;                   /* which column of the pieces it is */
    bool text;                        /* by the header */
    const asif_arrow_type *values;    /* of the dictionary, where there is one */
    const struct ArrowSchema *schema; /* of the pieces */
} arrow_column;

typedef struct {
    asif_row_source rows;
    const asif_context *context;
    const char *name;                /* for messages */
    const asif_arrow_source *source; /* NULL: the stream is all there is */
    struct ArrowArrayStream *stream;
    struct ArrowSchema header; /* the columns of the table */
    struct ArrowSchema result; /* the columns of what the source gives, which are those that are used */
    bool started, surprised;   /* surprised: a text was not among those that were expected */
    bool keyed;                /* what tells episodes apart are integers */
    uint32_t coded;            /* columns that arrive as codes */
    struct ArrowArray *batch;  /* [batches]: all that came so far, or the last one if there is a source */
    uint64_t batches, capacity;
    bool ended;
    uint32_t columns, reads; /* reads: how many of them are used, apart from those with codes */
    arrow_column *column, **read;
    arrow_column *with_code[MOST_CODED]; /* [coded] */
    arrow_column number;                 /* of the row, the last column of what the source gives */
    const char **unreadable;
    asif_csv_cell *cell;
    double *numbers;  /* [columns]: of the cells */
    uint64_t *begin;  /* [columns]: where the cells that are texts begin in `text` */
    asif_text text;   /* of the current row */
    uint64_t current; /* batch of the next row, */
    int64_t at;       /* its place there, */
    int64_t end;      /* and where the batch ends */
    bool lacks_rows;  /* some rows of the batch are missing as a whole */
    asif_error flaw;
} arrow_rows;

static asif_status fail_stream(const arrow_rows *s, asif_error *error, const char *message) {
    asif_fail(error, ASIF_EPARSE, "%s", message);
    asif_error_at(error, s->name, 0, 0);
    asif_error_hint(error, "this is a fault of the program that gives the table");
    return ASIF_EPARSE;
}

/* The stream's own words for what went wrong. */
static asif_status fail_source(const arrow_rows *s, asif_error *error) {
    const char *why = s->stream->get_last_error ? s->stream->get_last_error(s->stream) : NULL;
    asif_fail(error, ASIF_EIO, "the table could not be read%s%s", why ? ": " : "", why ? why : "");
    asif_error_at(error, s->name, 0, 0);
    return ASIF_EIO;
}

/* ---- columns ---- */

/* Set the type of a column, which may be one that cannot be a cell. */
static asif_status set_type(const arrow_rows *s, arrow_column *column, const struct ArrowSchema *schema,
                            asif_error *error) {
    if (!schema || !schema->format)
        return fail_stream(s, error, "a column of the Arrow stream has no type");
    column->schema = schema;
    column->type = asif_arrow_type_of(schema->format);
    column->values = NULL;
    column->whole = column->type && !schema->dictionary && asif_arrow_whole(column->type);
    column->length = 0;
    if (!schema->dictionary)
        return ASIF_OK;
    column->values = asif_arrow_type_of(schema->dictionary->format);
    if (!column->type || !asif_arrow_whole(column->type))
        return fail_stream(s, error, "a dictionary of the Arrow stream is not indexed by integers");
    if (!column->values)
        column->type = NULL;
    return ASIF_OK;
}

static asif_status read_schema(const arrow_rows *s, struct ArrowSchema *out, asif_error *error) {
    if (s->stream->get_schema(s->stream, out) != 0) {
        out->release = NULL;
        return fail_source(s, error);
    }
    if (!out->release || !out->format || strcmp(out->format, "+s") != 0 || out->n_children < 0 ||
        out->n_children >= UINT32_MAX || (out->n_children && !out->children))
        return fail_stream(s, error, "the Arrow stream is not a table");
    return ASIF_OK;
}

static asif_status read_header(arrow_rows *s, asif_error *error) {
    ASIF_TRY(read_schema(s, &s->header, error));
    if (s->header.n_children == 0)
        return asif_fail(error, ASIF_EPARSE, "the table has no columns");
    s->columns = (uint32_t)s->header.n_children;
    s->column = ASIF_ARRAY(s->context, s->columns, arrow_column);
    s->cell = ASIF_ARRAY(s->context, s->columns, asif_csv_cell);
    s->begin = ASIF_ARRAY(s->context, s->columns, uint64_t);
    s->read = ASIF_ARRAY(s->context, s->columns, arrow_column *);
    s->numbers = ASIF_ARRAY(s->context, s->columns, double);
    s->unreadable = ASIF_ARRAY(s->context, s->columns, const char *);
    s->rows.used = ASIF_ARRAY(s->context, s->columns, bool);
    s->rows.expected = ASIF_ARRAY(s->context, s->columns, const asif_names *);
    if (!s->column || !s->cell || !s->begin || !s->read || !s->numbers || !s->unreadable || !s->rows.used ||
        !s->rows.expected)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < s->columns; i++) {
        const struct ArrowSchema *schema = s->header.children[i];
        ASIF_TRY(set_type(s, &s->column[i], schema, error));
        s->column[i].child = i;
        s->column[i].cell = &s->cell[i];
        s->column[i].number = &s->numbers[i];
        s->column[i].text =
            s->column[i].type && !s->column[i].values && asif_arrow_is_text(s->column[i].type);
        if (!s->column[i].type)
            s->unreadable[i] = schema->dictionary ? schema->dictionary->format : schema->format;
    }
    s->rows.unreadable = s->unreadable;
    s->rows.cell = s->cell;
    s->rows.number = s->numbers;
    s->rows.cells = s->columns;
    return ASIF_OK;
}

static void end_stream(arrow_rows *s) {
    for (uint64_t i = 0; i < s->batches; i++)
        s->batch[i].release(&s->batch[i]);
    s->batches = 0;
    if (s->result.release)
        s->result.release(&s->result);
    if (s->stream->release)
        s->stream->release(s->stream);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Whether codes can stand for these texts; blanks around a text of the table do not count. */
static bool can_be_codes(const asif_names *names) {
    bool can = names && names->count > 0 && names->count <= MOST_TEXTS;
    for (uint32_t i = 0; can && i < names->count; i++) {
        const char *text = asif_names_get(names, i);
        can = !is_blank(text[0]) && (!text[0] || !is_blank(text[strlen(text) - 1]));
    }
    return can;
}

/* The cells for codes of these texts. NULL: no memory. */
static asif_csv_cell *make_codes(const asif_context *context, const asif_names *names) {
    asif_csv_cell *cell = ASIF_ARRAY(context, ASIF_ARROW_CODES, asif_csv_cell);
    for (uint32_t code = 0; cell && code < ASIF_ARROW_CODES; code++)
        cell[code] = (asif_csv_cell){"", 0, false, 0};
    for (uint32_t i = 0; cell && i < names->count; i++)
        cell[i + 1] =
            (asif_csv_cell){asif_names_get(names, i), names->name[i].length, false, (uint8_t)(i + 1)};
    return cell;
}

/* Choose the columns that arrive as codes of expected texts. */
static asif_status choose_codes(arrow_rows *s, asif_error *error) {
    bool codes = s->source->codes && !s->surprised;
    s->coded = 0;
    for (uint32_t i = 0; i < s->columns; i++) {
        arrow_column *column = &s->column[i];
        asif_free(s->context, column->code);
        column->code = NULL;
        if (!codes || s->coded == MOST_CODED || !column->text || !s->rows.used[i] ||
            !can_be_codes(s->rows.expected[i])) {
            s->rows.expected[i] = NULL;
            continue;
        }
        column->code = make_codes(s->context, s->rows.expected[i]);
        if (!column->code)
            return asif_fail_memory(error);
        s->with_code[s->coded++] = column;
        column->whole = true;
    }
    return ASIF_OK;
}

/* Find the columns that tell episodes apart, which are keys but for the time. */
static void choose_keys(arrow_rows *s) {
    s->keyed = true;
    for (uint32_t i = 0; i < s->columns; i++)
        s->column[i].key = false;
    for (uint32_t k = 0; k + s->rows.timed < s->rows.keys; k++) {
        arrow_column *column = &s->column[s->rows.key[k]];
        column->key = true;
        s->keyed = s->keyed && column->whole;
    }
}

/* Have the source give the columns that are used, in the order that the reading wants. */
static asif_status start(arrow_rows *s, asif_error *error) {
    uint32_t used = 0;
    end_stream(s);
    ASIF_TRY(choose_codes(s, error));
    ASIF_TRY(s->source->open(s->source->user, &s->rows, s->stream, error));
    ASIF_TRY(read_schema(s, &s->result, error));
    for (uint32_t i = 0; i < s->columns; i++)
        if (s->rows.used[i] && !s->column[i].code) {
            s->column[i].child = used++;
            if (used <= s->result.n_children)
                ASIF_TRY(set_type(s, &s->column[i], s->result.children[used - 1], error));
            if (!s->column[i].type) /* SQLite knows the types of values only when it has some */
                return asif_fail(error, ASIF_EUNSUPPORTED, "the column `%s` has values that are no cells",
                                 asif_show(s->cell[i].text).text);
        }
    if (s->result.n_children != (int64_t)used + 1)
        return fail_stream(s, error, "the query has other columns than the table");
    ASIF_TRY(set_type(s, &s->number, s->result.children[used], error));
    s->number.child = used;
    if (!s->number.whole)
        return fail_stream(s, error, "the query does not number the rows");
    choose_keys(s);
    s->rows.ordered = s->started = true;
    s->ended = false;
    return ASIF_OK;
}

static asif_status begin(asif_row_source *source, asif_error *error) {
    arrow_rows *s = (arrow_rows *)source;
    if (!s->header.release && s->source)
        ASIF_TRY(s->source->open(s->source->user, NULL, s->stream, error));
    if (!s->header.release)
        ASIF_TRY(read_header(s, error));
    for (uint32_t i = 0; i < s->columns; i++) {
        const char *name = s->header.children[i]->name ? s->header.children[i]->name : "";
        s->cell[i] = (asif_csv_cell){name, (uint32_t)strlen(name), false, 0};
        s->numbers[i] = NAN;
        s->column[i].length = 0;
    }
    s->started = s->rows.again = false;
    s->current = 0;
    s->at = s->end = 0;
    s->rows.row = 0;
    s->flaw.status = ASIF_OK;
    return ASIF_OK;
}

/* ---- pieces ---- */

static bool is_good(const arrow_rows *s, const struct ArrowArray *batch) {
    if (batch->length < 0 || batch->offset < 0 || batch->length > INT64_MAX - batch->offset ||
        batch->n_children != (s->source ? s->result : s->header).n_children || !batch->children ||
        batch->n_buffers < 0 || batch->n_buffers > 1 || (batch->n_buffers && !batch->buffers))
        return false;
    int64_t rows = batch->offset + batch->length;
    for (uint32_t i = 0; i < s->columns; i++) {
        const arrow_column *column = &s->column[i];
        if (!column->type || !s->rows.used[i] || column->code)
            continue;
        const struct ArrowArray *array = batch->children[column->child], *values;
        if (!asif_arrow_good(column->type, array, rows))
            return false;
        values = array->dictionary;
        if (column->values && (!values || !asif_arrow_good(column->values, values, values->length)))
            return false;
    }
    return !s->source || asif_arrow_good(s->number.type, batch->children[batch->n_children - 1], rows);
}

/* Ask the stream for another piece, unless it has ended. */
static asif_status fetch(arrow_rows *s, asif_error *error) {
    if (!asif_grow(s->context, &s->batch, s->batches, &s->capacity, sizeof *s->batch))
        return asif_fail_memory(error);
    struct ArrowArray *batch = &s->batch[s->batches];
    *batch = (struct ArrowArray){0};
    int code = s->stream->get_next(s->stream, batch);
    if (code != 0)
        return code == asif_os_cancelled() ? asif_fail(error, ASIF_ECANCELLED, "cancelled")
                                           : fail_source(s, error);
    if (asif_progress(s->context, "reading", -1)) {
        s->batches += batch->release != NULL;
        return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    }
    s->ended = batch->release == NULL;
    if (s->ended)
        return ASIF_OK;
    s->batches++;
    return is_good(s, batch)
               ? ASIF_OK
               : fail_stream(s, error, "a piece of the Arrow stream does not have the shape it tells");
}

/* ---- a row ---- */

/* Add the value of a column to the text of the row. False: the piece contradicts itself. */
static bool add_value(arrow_rows *s, uint32_t i, const struct ArrowArray *batch, int64_t at) {
    const arrow_column *column = &s->column[i];
    const struct ArrowSchema *schema = column->schema;
    const struct ArrowArray *array = batch->children[column->child];
    if (!column->values)
        return asif_arrow_value(column->type, schema->format, array, at, &s->text);
    int64_t place;
    if (!asif_arrow_index(column->type, array, at, &place))
        return false;
    const struct ArrowArray *values = array->dictionary;
    return place < 0 ||
           (place < values->length &&
            asif_arrow_value(column->values, schema->dictionary->format, values, place, &s->text));
}

static void note_flaw(arrow_rows *s, uint32_t column) {
    if (s->flaw.status != ASIF_OK)
        return;
    asif_fail(&s->flaw, ASIF_EPARSE, "there is a byte 0 in a text");
    asif_error_at(&s->flaw, s->name, 0, column + 1);
    asif_error_hint(&s->flaw, "take it out of the text");
    s->flaw.row = s->rows.row;
}

/* Find the integers of a column in a piece. */
static void enter(arrow_column *column, const struct ArrowArray *batch) {
    const struct ArrowArray *array = batch->children[column->child];
    column->offset = array->offset + batch->offset;
    column->value = (const unsigned char *)array->buffers[1] + column->offset * column->type->width;
    column->valid = array->null_count != 0 ? array->buffers[0] : NULL;
}

/* Find what is read in a piece. Cells of other columns are empty. */
static void enter_piece(arrow_rows *s, const struct ArrowArray *batch) {
    s->reads = 0;
    for (uint32_t i = 0; i < s->columns; i++) {
        arrow_column *column = &s->column[i];
        s->cell[i] = (asif_csv_cell){"", 0, false, 0};
        if (!column->type || !s->rows.used[i] || column->code)
            continue;
        s->read[s->reads++] = column;
        if (column->whole)
            enter(column, batch);
    }
    if (s->source)
        enter(&s->number, batch);
    s->lacks_rows = batch->n_buffers > 0 && batch->null_count != 0 && batch->buffers[0];
}

/* The integer of a row, if it is not missing. */
static inline bool get_number(const arrow_column *column, int64_t at, uint64_t *bits) {
    int64_t k = column->offset + at;
    if (column->valid && !(column->valid[k / 8] >> (k % 8) & 1))
        return false;
    *bits = asif_arrow_load(column->type, column->value + at * column->type->width);
    return true;
}

/* Write another integer into the cell of a column. */
static void change_number(arrow_column *column, uint64_t bits) {
    char *last = column->digits + column->length - 1;
    if (column->length && bits == column->bits + 1 && *last < '9' && column->digits[0] != '-')
        ++*last; /* times are mostly the next ones */
    else
        column->length = asif_arrow_digits(column->type, bits, column->digits);
    column->bits = bits;
    double number = column->type->sign ? (double)(int64_t)bits : (double)bits;
    *column->number = fabs(number) < 0x1p53 ? number : NAN;
}

/* Write the cells that need the text of the row, which were empty. */
static asif_status take_texts(arrow_rows *s, const struct ArrowArray *batch, int64_t at, asif_error *error) {
    s->text.length = 0;
    for (uint32_t k = 0; k < s->reads; k++) {
        uint32_t i = (uint32_t)(s->read[k] - s->column);
        if (s->column[i].whole)
            continue;
        s->begin[i] = s->text.length;
        if (!add_value(s, i, batch, batch->offset + at))
            return fail_stream(s, error, "a column of the Arrow stream contradicts itself");
        s->cell[i].length = (uint32_t)(s->text.length - s->begin[i]);
        asif_text_add_n(&s->text, "", 1);
    }
    if (s->text.failed)
        return asif_fail_memory(error);
    for (uint32_t k = 0; k < s->reads; k++) {
        uint32_t i = (uint32_t)(s->read[k] - s->column);
        if (s->column[i].whole)
            continue;
        s->cell[i].text = s->text.data + s->begin[i];
        if (memchr(s->cell[i].text, 0, s->cell[i].length))
            note_flaw(s, i);
    }
    return ASIF_OK;
}

/* Find the number of the row, and take the cells whose codes are below it. */
static asif_status take_codes(arrow_rows *s, int64_t at, asif_error *error) {
    uint64_t codes = 0;
    if (!get_number(&s->number, at, &codes) || codes > INT64_MAX)
        codes = 0;
    for (uint32_t k = 0; k < s->coded; k++, codes /= ASIF_ARROW_CODES) {
        uint64_t code = codes % ASIF_ARROW_CODES;
        *s->with_code[k]->cell = s->with_code[k]->code[code];
        if (code == ASIF_ARROW_OTHER)
            s->surprised = s->rows.again = true;
    }
    s->rows.row = codes;
    return codes ? ASIF_OK : fail_stream(s, error, "the query does not number the rows");
}

static asif_status take_row(arrow_rows *s, const struct ArrowArray *batch, int64_t at, asif_error *error) {
    bool empty = s->lacks_rows && asif_arrow_null(batch, at), texts = false, same = s->keyed;
    s->flaw.status = ASIF_OK;
    if (s->source)
        ASIF_TRY(take_codes(s, at, error));
    for (uint32_t k = 0; k < s->reads; k++) {
        arrow_column *column = s->read[k];
        uint64_t bits = 0;
        if (empty || !column->whole || !get_number(column, at, &bits)) {
            texts = texts || !(empty || column->whole);
            same = same && !column->key;
            column->length = 0;
            *column->cell = (asif_csv_cell){"", 0, false, 0};
            *column->number = NAN;
            continue;
        }
        if (!column->length || bits != column->bits) {
            same = same && !column->key;
            change_number(column, bits);
        }
        *column->cell = (asif_csv_cell){column->digits, column->length, false, 0};
    }
    s->rows.repeated = same;
    return texts ? take_texts(s, batch, at, error) : ASIF_OK;
}

/* Go to the next piece that has rows; false in *more: there is none. */
static asif_status next_piece(arrow_rows *s, bool *more, asif_error *error) {
    if (s->source && !s->started)
        ASIF_TRY(start(s, error));
    while (s->current == s->batches || s->at == s->batch[s->current].length) {
        if (s->current < s->batches) {
            s->current++;
            s->at = s->end = 0;
            if (s->source) { /* it is not needed again */
                s->batch[0].release(&s->batch[0]);
                s->batches = s->current = 0;
            }
        } else if (s->ended) {
            return ASIF_OK;
        } else {
            ASIF_TRY(fetch(s, error));
        }
    }
    *more = true;
    s->end = s->batch[s->current].length;
    enter_piece(s, &s->batch[s->current]);
    return ASIF_OK;
}

static asif_status next(asif_row_source *source, bool *more, asif_error *error) {
    arrow_rows *s = (arrow_rows *)source;
    s->rows.row++;
    *more = s->at < s->end;
    if (!*more) {
        ASIF_TRY(next_piece(s, more, error));
        if (!*more)
            return ASIF_OK;
    }
    return take_row(s, &s->batch[s->current], s->at++, error);
}

static void end_table(arrow_rows *s) {
    for (uint32_t i = 0; s->column && i < s->columns; i++)
        asif_free(s->context, s->column[i].code);
    void *const arrays[] = {s->column,     s->cell,      s->begin,         s->read, s->numbers,
                            s->unreadable, s->rows.used, s->rows.expected, s->batch};
    end_stream(s);
    if (s->header.release)
        s->header.release(&s->header);
    asif_text_free(&s->text);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(s->context, arrays[i]);
}

asif_status asif_arrow_read(asif_tree **out, const asif_context *context, struct ArrowArrayStream *stream,
                            const asif_arrow_source *source, const char *name,
                            const asif_logs_options *options, asif_logs_info *info, asif_problems *problems,
                            asif_error *error) {
    asif_logs_options given = asif_reading_options(options);
    arrow_rows rows = {.rows = {.begin = begin, .next = next},
                       .context = context,
                       .name = name ? name : "table",
                       .source = source,
                       .stream = stream,
                       .text = {.context = context}};
    rows.rows.flaw = &rows.flaw;
    given.separator = 0;
    asif_status status =
        asif_reading_table(out, context, &rows.rows, rows.name, &given, info, problems, error);
    end_table(&rows);
    return status;
}

asif_status asif_logs_read_arrow(asif_tree **out, const asif_context *context,
                                 struct ArrowArrayStream *stream, const char *name,
                                 const asif_logs_options *options, asif_logs_info *info,
                                 asif_problems *problems, asif_error *error) {
    *out = NULL;
    if (!stream || !stream->release)
        return asif_fail_null(error, "stream");
    return asif_arrow_read(out, context, stream, NULL, name, options, info, problems, error);
}
