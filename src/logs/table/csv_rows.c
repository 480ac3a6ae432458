#include "base/context.h"
#include "base/error.h"
#include "logs/table/row_source.h"

#include <string.h>

static asif_status read_piece(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    asif_csv_rows *s = user;
    uint64_t bytes = s->text ? s->length : s->stream.bytes;
    if (s->text) {
        *got = s->length - s->at < room ? s->length - s->at : room;
        if (*got)
            memcpy(to, s->text + s->at, (size_t)*got);
    } else {
        ASIF_TRY(asif_os_read(&s->stream, to, room, got, error));
    }
    s->at += *got;
    if (asif_progress(s->context, "reading", bytes ? (double)s->at / (double)bytes : -1))
        return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    return ASIF_OK;
}

static void show(asif_csv_rows *s) {
    s->rows.cell = s->csv.cell;
    s->rows.cells = s->csv.cells;
    s->rows.row = s->csv.row;
    s->rows.line = s->csv.line;
}

static asif_status begin(asif_row_source *source, asif_error *error) {
    asif_csv_rows *s = (asif_csv_rows *)source;
    asif_csv_close(&s->csv);
    asif_unpack_close(&s->unpack);
    if (s->at && !s->text)
        ASIF_TRY(asif_os_rewind(&s->stream, error));
    s->at = 0;
    asif_unpack_open(&s->unpack, s->context, (asif_csv_source){read_piece, s}, s->name);
    asif_status status =
        asif_csv_open(&s->csv, s->context, asif_unpack_source(&s->unpack), s->name, s->separator, error);
    show(s);
    return status;
}

static asif_status next(asif_row_source *source, bool *more, asif_error *error) {
    asif_csv_rows *s = (asif_csv_rows *)source;
    asif_status status = asif_csv_next(&s->csv, more, error);
    show(s);
    return status;
}

void asif_csv_rows_init(asif_csv_rows *s, const asif_context *context, const char *name, char separator) {
    *s = (asif_csv_rows){.rows = {.begin = begin, .next = next},
                         .context = context,
                         .name = name,
                         .separator = separator,
                         .csv = {.context = context}};
    s->rows.flaw = &s->csv.flaw;
}

void asif_csv_rows_end(asif_csv_rows *s) {
    asif_csv_close(&s->csv);
    asif_unpack_close(&s->unpack);
}
