/* Data frames as Arrow streams. Numbers are handed over where they are; texts, factors and times are
 * copied. All memory is R's and lives until the call from R ends, so that nothing is left to release. */
#include "asif/arrow.h"
#include "asifr.h"

#include <math.h>
#include <string.h>

#define UNREADABLE "z" /* the type of columns that are no cells: they may be there, but have no role */

typedef struct {
    struct ArrowSchema schema, *columns;
    struct ArrowArray array;
    bool taken;
} frame;

/* ---- what any array has ---- */

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static uint8_t *bits_of(R_xlen_t count) {
    size_t bytes = (size_t)(count + 7) / 8 + 1;
    return memset(R_alloc(bytes, 1), 0, bytes);
}

static void set_bit(uint8_t *bits, R_xlen_t i) {
    bits[i / 8] = (uint8_t)(bits[i / 8] | 1 << i % 8);
}

/* Buffers of an array: which values are there, and up to two more. */
static void set_buffers(struct ArrowArray *a, int64_t count, const void *there, const void *one,
                        const void *two) {
    a->buffers = (const void **)R_alloc(3, sizeof *a->buffers);
    a->buffers[0] = there;
    a->buffers[1] = one;
    a->buffers[2] = two;
    a->n_buffers = count;
    a->null_count = there ? -1 : 0;
}

/* The texts of a vector of strings, one after the other. */
static void set_texts(struct ArrowSchema *s, struct ArrowArray *a, SEXP strings) {
    R_xlen_t count = Rf_xlength(strings);
    const char **text = (const char **)R_alloc((size_t)count + 1, sizeof *text);
    int64_t *offset = (int64_t *)R_alloc((size_t)count + 1, sizeof *offset);
    uint8_t *there = bits_of(count);
    offset[0] = 0;
    for (R_xlen_t i = 0; i < count; i++) {
        SEXP one = STRING_ELT(strings, i);
        text[i] = one == NA_STRING ? "" : Rf_translateCharUTF8(one);
        offset[i + 1] = offset[i] + (int64_t)strlen(text[i]);
        if (one != NA_STRING)
            set_bit(there, i);
    }
    char *bytes = R_alloc((size_t)offset[count] + 1, 1);
    for (R_xlen_t i = 0; i < count; i++)
        memcpy(bytes + offset[i], text[i], (size_t)(offset[i + 1] - offset[i]));
    s->format = "U";
    a->length = count;
    set_buffers(a, 3, there, offset, bytes);
}

/* ---- columns ---- */

static const uint8_t *integers_there(const int *value, R_xlen_t count) {
    uint8_t *there = bits_of(count);
    for (R_xlen_t i = 0; i < count; i++)
        if (value[i] != NA_INTEGER)
            set_bit(there, i);
    return there;
}

static void set_integers(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    s->format = "i";
    set_buffers(a, 2, integers_there(INTEGER(column), Rf_xlength(column)), INTEGER(column), NULL);
}

/* Missing numbers are NaN, which the library takes for missing cells. */
static void set_numbers(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    s->format = "g";
    set_buffers(a, 2, NULL, REAL(column), NULL);
}

static void set_logicals(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    R_xlen_t count = Rf_xlength(column);
    const int *value = LOGICAL(column);
    uint8_t *bits = bits_of(count);
    for (R_xlen_t i = 0; i < count; i++)
        if (value[i] == TRUE)
            set_bit(bits, i);
    s->format = "b";
    set_buffers(a, 2, integers_there(value, count), bits, NULL);
}

/* A factor is a dictionary of its levels; its codes begin with 1 in R, and with 0 in Arrow. */
static void set_factor(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    R_xlen_t count = Rf_xlength(column);
    const int *code = INTEGER(column);
    int32_t *index = (int32_t *)R_alloc((size_t)count + 1, sizeof *index);
    for (R_xlen_t i = 0; i < count; i++)
        index[i] = code[i] == NA_INTEGER ? 0 : code[i] - 1;
    s->format = "i";
    set_buffers(a, 2, integers_there(code, count), index, NULL);
    struct ArrowSchema *values = s->dictionary = (struct ArrowSchema *)R_alloc(1, sizeof *values);
    struct ArrowArray *texts = a->dictionary = (struct ArrowArray *)R_alloc(1, sizeof *texts);
    *values = (struct ArrowSchema){.name = "", .release = release_schema};
    *texts = (struct ArrowArray){.release = release_array};
    set_texts(values, texts, Rf_getAttrib(column, R_LevelsSymbol));
}

/* 64-bit integers (package bit64) are kept where R has numbers. */
static void set_long_integers(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    R_xlen_t count = Rf_xlength(column);
    uint8_t *there = bits_of(count);
    for (R_xlen_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, REAL(column) + i, sizeof value);
        if (value != INT64_MIN)
            set_bit(there, i);
    }
    s->format = "l";
    set_buffers(a, 2, there, REAL(column), NULL);
}

/* The i-th number of a date or time, which may be kept as integers; NaN: missing. */
static double number_at(SEXP column, R_xlen_t i) {
    if (TYPEOF(column) == REALSXP)
        return REAL(column)[i];
    return INTEGER(column)[i] == NA_INTEGER ? NA_REAL : INTEGER(column)[i];
}

static void set_days(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    R_xlen_t count = Rf_xlength(column);
    int32_t *day = (int32_t *)R_alloc((size_t)count + 1, sizeof *day);
    uint8_t *there = bits_of(count);
    for (R_xlen_t i = 0; i < count; i++) {
        double number = floor(number_at(column, i));
        bool known = fabs(number) <= INT32_MAX;
        day[i] = known ? (int32_t)number : 0;
        if (known)
            set_bit(there, i);
    }
    s->format = "tdD";
    set_buffers(a, 2, there, day, NULL);
}

static void set_times(struct ArrowSchema *s, struct ArrowArray *a, SEXP column) {
    R_xlen_t count = Rf_xlength(column);
    int64_t *time = (int64_t *)R_alloc((size_t)count + 1, sizeof *time);
    uint8_t *there = bits_of(count);
    for (R_xlen_t i = 0; i < count; i++) {
        double number = number_at(column, i) * 1e6;
        bool known = fabs(number) < 9e18;
        time[i] = known ? (int64_t)nearbyint(number) : 0;
        if (known)
            set_bit(there, i);
    }
    s->format = "tsu:UTC";
    set_buffers(a, 2, there, time, NULL);
}

static void set_column(struct ArrowSchema *s, struct ArrowArray *a, SEXP column, R_xlen_t rows) {
    bool whole = TYPEOF(column) == INTSXP, number = TYPEOF(column) == REALSXP;
    bool plain = Rf_xlength(column) == rows; /* a matrix is longer */
    a->length = rows;
    if (plain && whole && Rf_inherits(column, "factor"))
        set_factor(s, a, column);
    else if (plain && (whole || number) && Rf_inherits(column, "Date"))
        set_days(s, a, column);
    else if (plain && (whole || number) && Rf_inherits(column, "POSIXct"))
        set_times(s, a, column);
    else if (plain && number && Rf_inherits(column, "integer64"))
        set_long_integers(s, a, column);
    else if (plain && number)
        set_numbers(s, a, column);
    else if (plain && whole)
        set_integers(s, a, column);
    else if (plain && TYPEOF(column) == LGLSXP)
        set_logicals(s, a, column);
    else if (plain && TYPEOF(column) == STRSXP)
        set_texts(s, a, column);
    else {
        s->format = UNREADABLE;
        set_buffers(a, 3, NULL, NULL, NULL);
    }
}

/* ---- the stream ---- */

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    frame *f = stream->private_data;
    *out = f->schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    frame *f = stream->private_data;
    *out = f->array;
    if (f->taken)
        out->release = NULL;
    f->taken = true;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

void asifr_frame_stream(struct ArrowArrayStream *out, SEXP table) {
    R_xlen_t columns = Rf_xlength(table), rows = columns ? Rf_xlength(VECTOR_ELT(table, 0)) : 0;
    SEXP names = Rf_getAttrib(table, R_NamesSymbol);
    frame *f = (frame *)R_alloc(1, sizeof *f);
    struct ArrowSchema *schema = (struct ArrowSchema *)R_alloc((size_t)columns + 1, sizeof *schema);
    struct ArrowArray *array = (struct ArrowArray *)R_alloc((size_t)columns + 1, sizeof *array);
    f->taken = false;
    f->schema =
        (struct ArrowSchema){.format = "+s", .name = "", .n_children = columns, .release = release_schema};
    f->array = (struct ArrowArray){.length = rows, .n_children = columns, .release = release_array};
    f->schema.children = (struct ArrowSchema **)R_alloc((size_t)columns + 1, sizeof *f->schema.children);
    f->array.children = (struct ArrowArray **)R_alloc((size_t)columns + 1, sizeof *f->array.children);
    set_buffers(&f->array, 1, NULL, NULL, NULL);
    for (R_xlen_t i = 0; i < columns; i++) {
        schema[i] = (struct ArrowSchema){.flags = ARROW_FLAG_NULLABLE, .release = release_schema};
        schema[i].name = Rf_translateCharUTF8(STRING_ELT(names, i));
        array[i] = (struct ArrowArray){.release = release_array};
        set_column(&schema[i], &array[i], VECTOR_ELT(table, i), rows);
        f->schema.children[i] = &schema[i];
        f->array.children[i] = &array[i];
    }
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, f};
}
