/* Arrow streams made by hand, of columns whose cells are told as texts. */
#ifndef ASIF_TESTS_LOGS_ARROW_TABLE_H
#define ASIF_TESTS_LOGS_ARROW_TABLE_H

#include "asif.h"
#include "check.h"

#include <string.h>

#define MOST_ROWS 400
#define MOST_COLUMNS 12

/* A column: a format of Arrow's, or `dictionary:` and one, whose values then stand in a dictionary. */
typedef struct {
    const char *name, *format;
    const char *cell[MOST_ROWS]; /* NULL: null */
} told_column;

typedef struct {
    told_column column[MOST_COLUMNS];
    int columns, rows;
    int piece;  /* rows of a piece; 0: all in one */
    int before; /* values that stand before those that count, in every array */
    /* What to spoil in the next piece; called after it is made. */
    void (*spoil)(struct ArrowArray *batch);
    void (*spoil_types)(struct ArrowSchema *types);
    bool no_types; /* the stream cannot say its types */
    int fails_at;  /* the piece, from 1, at which the stream fails; 0: never */
    int given;     /* rows given so far */
    int alive;     /* arrays, schemas and streams that were not released */
} told_table;

/* ---- arrays ---- */

/* A buffer that we made, to be written to. */
static inline void *buffer_of(const struct ArrowArray *array, int64_t i) {
    void *buffer;
    memcpy(&buffer, &array->buffers[i], sizeof buffer);
    return buffer;
}
static inline void drop_buffer(struct ArrowArray *array, int64_t i) {
    free(buffer_of(array, i));
    array->buffers[i] = NULL;
}

static inline const char *values_format(const char *format) {
    return strncmp(format, "dictionary:", 11) == 0 ? format + 11 : format;
}

static inline void release_array(struct ArrowArray *array) {
    told_table *table = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary) {
        array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    for (int64_t i = 0; array->buffers && i < array->n_buffers; i++)
        drop_buffer(array, i);
    free(array->buffers);
    free(array->children);
    array->release = NULL;
    table->alive--;
}

static inline void begin_array(struct ArrowArray *array, told_table *table, int64_t length, int64_t buffers) {
    *array = (struct ArrowArray){.length = length,
                                 .offset = table->before,
                                 .n_buffers = buffers,
                                 .release = release_array,
                                 .private_data = table};
    array->buffers = calloc((size_t)buffers + 1, sizeof *array->buffers);
    table->alive++;
}

static inline void put_text(struct ArrowArray *array, const char *format, int at, const char *text) {
    size_t length = text ? strlen(text) : 0;
    if (strcmp(format, "vu") == 0) {
        int32_t view[4] = {(int32_t)length};
        if (length <= 12) {
            memcpy(&view[1], text ? text : "", length);
        } else {
            int64_t *size = buffer_of(array, 3);
            char *bytes = buffer_of(array, 2);
            memcpy(&view[1], text, 4);
            view[3] = (int32_t)*size;
            memcpy(bytes + *size, text, length);
            *size += (int64_t)length;
        }
        memcpy((char *)buffer_of(array, 1) + 16 * at, view, 16);
        return;
    }
    char *bytes = buffer_of(array, 2);
    if (*format == 'u') {
        int32_t *end = buffer_of(array, 1);
        memcpy(bytes + end[at], text ? text : "", length);
        end[at + 1] = end[at] + (int32_t)length;
    } else {
        int64_t *end = buffer_of(array, 1);
        memcpy(bytes + end[at], text ? text : "", length);
        end[at + 1] = end[at] + (int64_t)length;
    }
}

static inline void put_value(struct ArrowArray *array, const char *format, int at, const char *text) {
    char *to = buffer_of(array, 1);
    long long whole = text ? strtoll(text, NULL, 10) : 77;
    float single = text ? strtof(text, NULL) : 77;
    double number = text ? strtod(text, NULL) : 77;
    unsigned long long natural = text ? strtoull(text, NULL, 0) : 77;
    switch (*format) {
    case 'b':
        to[at / 8] |= (char)((text && strcmp(text, "true") == 0) << at % 8);
        break;
    case 'c':
        to[at] = (char)whole;
        break;
    case 'C':
        to[at] = (char)natural;
        break;
    case 's':
        ((int16_t *)to)[at] = (int16_t)whole;
        break;
    case 'S':
    case 'e':
        ((uint16_t *)to)[at] = (uint16_t)natural;
        break;
    case 'i':
        ((int32_t *)to)[at] = (int32_t)whole;
        break;
    case 'I':
        ((uint32_t *)to)[at] = (uint32_t)natural;
        break;
    case 'l':
        ((int64_t *)to)[at] = whole;
        break;
    case 'L':
        ((uint64_t *)to)[at] = natural;
        break;
    case 'f':
        ((float *)to)[at] = single;
        break;
    case 'g':
        ((double *)to)[at] = number;
        break;
    case 't':
        if (strcmp(format, "tdD") == 0)
            ((int32_t *)to)[at] = (int32_t)whole;
        else
            ((int64_t *)to)[at] = whole;
        break;
    default:
        put_text(array, format, at, text);
        break;
    }
}

/* An array of these cells. */
static inline void make_array(struct ArrowArray *array, told_table *table, const char *format,
                              const char *const *cell, int rows) {
    bool view = strcmp(format, "vu") == 0, text = *format == 'u' || *format == 'U';
    int before = table->before, all = before + rows;
    size_t bytes = 16;
    for (int i = 0; i < rows; i++)
        bytes += cell[i] ? strlen(cell[i]) : 0;
    begin_array(array, table, rows, *format == 'n' ? 0 : view ? 4 : text ? 3 : 2);
    if (*format == 'n') {
        array->null_count = rows;
        return;
    }
    uint8_t *valid = calloc((size_t)all / 8 + 1, 1);
    array->buffers[0] = valid;
    array->buffers[1] = calloc((size_t)all + 1, 16);
    if (view || text)
        array->buffers[2] = calloc(bytes, 1);
    if (view)
        array->buffers[3] = calloc(1, 8);
    for (int i = 0; i < all; i++) {
        const char *c = i < before ? NULL : cell[i - before];
        put_value(array, format, i, c);
        valid[i / 8] = (uint8_t)(valid[i / 8] | (c != NULL) << i % 8);
        array->null_count += i >= before && !c;
    }
}

/* Indices into a dictionary of the different cells. */
static inline void make_dictionary(struct ArrowArray *array, told_table *table, const char *format,
                                   const char *const *cell, int rows) {
    const char *value[MOST_ROWS], *index[MOST_ROWS];
    static char digits[MOST_ROWS][8];
    int values = 0;
    for (int i = 0; i < rows; i++) {
        int v = 0;
        while (cell[i] && v < values && strcmp(value[v], cell[i]) != 0)
            v++;
        if (cell[i] && v == values)
            value[values++] = cell[i];
        (void)snprintf(digits[i], sizeof digits[i], "%d", v);
        index[i] = cell[i] ? digits[i] : NULL;
    }
    make_array(array, table, "s", index, rows);
    array->dictionary = malloc(sizeof *array->dictionary);
    make_array(array->dictionary, table, format, value, values);
}

static inline int next_piece(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    told_table *table = stream->private_data;
    int rows = table->rows - table->given, from = table->given;
    rows = table->piece && table->piece < rows ? table->piece : rows;
    out->release = NULL;
    if (table->fails_at && table->given / (table->piece ? table->piece : table->rows) + 1 >= table->fails_at)
        return 5;
    if (rows == 0)
        return 0;
    table->given += rows;
    begin_array(out, table, rows, 1);
    out->n_children = table->columns;
    out->children = calloc((size_t)table->columns, sizeof *out->children);
    /* A table that begins late has columns that are longer. */
    out->offset = 0;
    for (int i = 0; i < table->columns; i++) {
        const told_column *c = &table->column[i];
        out->children[i] = malloc(sizeof **out->children);
        (strncmp(c->format, "dictionary:", 11) == 0 ? make_dictionary : make_array)(
            out->children[i], table, values_format(c->format), c->cell + from, rows);
    }
    if (table->spoil)
        table->spoil(out);
    return 0;
}

/* ---- types ---- */

static inline void release_schema(struct ArrowSchema *schema) {
    told_table *table = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) {
        schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary) {
        schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    free(schema->children);
    schema->release = NULL;
    table->alive--;
}

static inline void begin_schema(struct ArrowSchema *schema, told_table *table, const char *format,
                                const char *name) {
    *schema = (struct ArrowSchema){.format = format,
                                   .name = name,
                                   .flags = ARROW_FLAG_NULLABLE,
                                   .release = release_schema,
                                   .private_data = table};
    table->alive++;
}

static inline int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    told_table *table = stream->private_data;
    out->release = NULL;
    if (table->no_types)
        return 5;
    begin_schema(out, table, "+s", "");
    out->n_children = table->columns;
    out->children = calloc((size_t)table->columns + 1, sizeof *out->children);
    for (int i = 0; i < table->columns; i++) {
        const told_column *c = &table->column[i];
        const char *values = values_format(c->format);
        struct ArrowSchema *column = out->children[i] = malloc(sizeof *column);
        begin_schema(column, table, values == c->format ? values : "s", c->name);
        if (values != c->format) {
            column->dictionary = malloc(sizeof *column);
            begin_schema(column->dictionary, table, values, "");
        }
    }
    if (table->spoil_types)
        table->spoil_types(out);
    return 0;
}

/* ---- the stream ---- */

static inline const char *say_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the disk is gone";
}

static inline void release_stream(struct ArrowArrayStream *stream) {
    told_table *table = stream->private_data;
    stream->release = NULL;
    table->alive--;
}

static inline struct ArrowArrayStream stream_of(told_table *table) {
    table->given = 0;
    table->alive++;
    return (struct ArrowArrayStream){give_schema, next_piece, say_error, release_stream, table};
}

#endif
