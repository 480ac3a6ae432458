/* Describes the columns of a table: names, values, numbers, missing cells. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/sort.h"
#include "logs/csv/unpack.h"
#include "logs/names.h"

#include "asif/logs.h"

#include <math.h>
#include <string.h>

#define LIMIT 100
#define TEXTS 4 /* most cells that are no numbers that are kept of a column */
/* Most numbers kept of one column, and of all columns together. Beyond that, every second number is dropped,
 * and then only every second further number is kept. */
#define SAMPLES 16384
#define ALL_SAMPLES (512 * SAMPLES)

typedef struct {
    char *name;
    asif_names names;
    uint64_t *count, count_capacity;
    bool many; /* more values than the limit, so that they are no longer counted */
    uint64_t missing, numbers, stride;
    bool whole;
    double *sample, least, most;
    uint64_t samples, sample_capacity;
    asif_names texts;
    const char *text[TEXTS];
    uint64_t of_text[TEXTS];
    const char **value;
    asif_table_column shown;
} column;

struct asif_columns {
    const asif_context *context;
    uint64_t rows;
    uint32_t columns, limit;
    uint64_t most_samples; /* most numbers kept of one column; even */
    column *column;
};

void asif_columns_free(asif_columns *columns) {
    if (!columns)
        return;
    const asif_context *context = columns->context;
    for (uint32_t i = 0; columns->column && i < columns->columns; i++) {
        column *c = &columns->column[i];
        asif_free(context, c->name);
        asif_names_free(&c->names);
        asif_names_free(&c->texts);
        asif_free(context, c->count);
        asif_free(context, c->sample);
        asif_free(context, c->value);
    }
    asif_free(context, columns->column);
    asif_free(context, columns);
}

uint64_t asif_columns_rows(const asif_columns *columns) {
    return columns->rows;
}

const asif_table_column *asif_columns_get(const asif_columns *columns, uint32_t i) {
    return i < columns->columns ? &columns->column[i].shown : NULL;
}

static bool take_number(const asif_columns *columns, column *c, double x) {
    if (c->numbers == 0) {
        c->stride = 1;
        c->whole = true;
        c->least = c->most = x;
    }
    c->least = fmin(c->least, x);
    c->most = fmax(c->most, x);
    c->whole = c->whole && x == floor(x);
    if (c->numbers++ % c->stride != 0)
        return true;
    if (c->samples == columns->most_samples) {
        c->samples /= 2;
        for (uint64_t i = 0; i < c->samples; i++)
            c->sample[i] = c->sample[2 * i];
        c->stride *= 2;
    }
    if (!asif_grow(columns->context, &c->sample, c->samples, &c->sample_capacity, sizeof *c->sample))
        return false;
    c->sample[c->samples++] = x;
    return true;
}

/* Count a cell that is no number, if it is one of the first. */
static bool take_text(column *c, const asif_csv_cell *cell) {
    uint32_t i = c->texts.count < TEXTS ? asif_names_add(&c->texts, cell->text, cell->length)
                                        : asif_names_find(&c->texts, cell->text, cell->length);
    if (i == ASIF_NO_NAME)
        return c->texts.count == TEXTS;
    c->of_text[i]++;
    return true;
}

static bool take_cell(const asif_columns *columns, column *c, const asif_csv_cell *cell) {
    double x = 0;
    if (asif_csv_missing(cell)) {
        c->missing++;
        return true;
    }
    bool number = asif_number_read(cell->text, cell->length, &x) && isfinite(x);
    if (number ? !take_number(columns, c, x) : !take_text(c, cell))
        return false;
    if (c->many)
        return true;
    uint32_t had = c->names.count, i = asif_names_add(&c->names, cell->text, cell->length);
    if (i == ASIF_NO_NAME)
        return false;
    if (i == had) {
        c->many = had == columns->limit;
        if (!asif_grow(columns->context, &c->count, had, &c->count_capacity, sizeof *c->count))
            return false;
        c->count[i] = 0;
    }
    c->count[i]++;
    return true;
}

/* Sort the values in natural order, with their counts. False: no memory. */
static bool order_values(const asif_context *context, column *c) {
    uint32_t n = c->names.count;
    uint32_t *order = ASIF_ARRAY(context, n, uint32_t);
    uint64_t *count = ASIF_ARRAY(context, n, uint64_t);
    c->value = asif_alloc(context, n, sizeof *c->value);
    bool good = order && count && c->value && asif_names_order(&c->names, order);
    for (uint32_t i = 0; good && i < n; i++) {
        c->value[order[i]] = asif_names_get(&c->names, i);
        count[order[i]] = c->count[i];
    }
    asif_free(context, order);
    asif_free(context, good ? (void *)c->count : (void *)count);
    if (good)
        c->count = count;
    return good;
}

static bool finish_column(const asif_context *context, column *c) {
    if (c->samples)
        asif_sort(c->sample, c->samples);
    if (!c->many && !order_values(context, c))
        return false;
    for (uint32_t i = 0; i < c->texts.count; i++)
        c->text[i] = asif_names_get(&c->texts, i);
    c->shown = (asif_table_column){
        .name = c->name,
        .missing = c->missing,
        .numbers = c->numbers,
        .whole = c->whole,
        .values = c->names.count,
        .value = c->many ? NULL : c->value,
        .count = c->many ? NULL : c->count,
        .samples = (uint32_t)c->samples,
        .sample = c->sample,
        .least = c->numbers ? c->least : NAN,
        .most = c->numbers ? c->most : NAN,
        .texts = c->texts.count,
        .text = c->text,
        .of_text = c->of_text,
    };
    return true;
}

static asif_status name_columns(asif_columns *columns, const asif_csv_reader *csv, asif_error *error) {
    columns->column = ASIF_ARRAY(columns->context, csv->cells, column);
    if (!columns->column)
        return asif_fail_memory(error);
    columns->columns = csv->cells;
    columns->most_samples = SAMPLES;
    while (columns->most_samples > 64 && columns->most_samples * columns->columns > ALL_SAMPLES)
        columns->most_samples /= 2;
    for (uint32_t i = 0; i < csv->cells; i++) {
        columns->column[i].names.context = columns->column[i].texts.context = columns->context;
        columns->column[i].name = asif_strdup(columns->context, csv->cell[i].text);
        if (!columns->column[i].name)
            return asif_fail_memory(error);
    }
    return ASIF_OK;
}

static asif_status read_rows(asif_columns *columns, asif_csv_reader *csv, asif_error *error) {
    bool more = true;
    for (;;) {
        ASIF_TRY(asif_csv_next(csv, &more, error));
        if (!more)
            return ASIF_OK;
        columns->rows++;
        for (uint32_t i = 0; i < csv->cells && i < columns->columns; i++)
            if (!take_cell(columns, &columns->column[i], &csv->cell[i]))
                return asif_fail_memory(error);
    }
}

static asif_status read_stream(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    return asif_os_read(user, to, room, got, error);
}

asif_status asif_table_scan(asif_columns **out, const asif_context *context, const char *path, uint32_t limit,
                            char separator, asif_error *error) {
    asif_os_stream stream;
    asif_csv_reader csv;
    asif_unpack unpack;
    *out = NULL;
    ASIF_TRY(asif_os_open(&stream, path, error));
    asif_columns *columns = ASIF_NEW(context, asif_columns);
    if (!columns) {
        asif_os_close(&stream);
        return asif_fail_memory(error);
    }
    *columns = (asif_columns){.context = context, .limit = limit ? limit : LIMIT};
    asif_unpack_open(&unpack, context, (asif_csv_source){read_stream, &stream}, path);
    asif_status status = asif_csv_open(&csv, context, asif_unpack_source(&unpack), path, separator, error);
    if (status == ASIF_OK)
        status = name_columns(columns, &csv, error);
    if (status == ASIF_OK)
        status = read_rows(columns, &csv, error);
    for (uint32_t i = 0; status == ASIF_OK && i < columns->columns; i++)
        if (!finish_column(context, &columns->column[i]))
            status = asif_fail_memory(error);
    asif_csv_close(&csv);
    asif_unpack_close(&unpack);
    asif_os_close(&stream);
    if (status == ASIF_OK)
        *out = columns;
    else
        asif_columns_free(columns);
    return status;
}
