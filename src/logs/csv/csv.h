/* Reads CSV and similar files, a row at a time, without an allocation per row. It accepts RFC 4180 (cells in
 * quotes may contain separators, line breaks and doubled quotes), all three kinds of line ends, a byte order
 * mark, and blanks around cells without quotes. */
#ifndef ASIF_SRC_LOGS_CSV_CSV_H
#define ASIF_SRC_LOGS_CSV_CSV_H

#include "asif/base.h"

/* The source of the bytes; *got is 0 at the end. */
typedef struct {
    asif_status (*read)(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error);
    void *user;
} asif_csv_source;

/* Bytes in memory that are left to be read; borrowed. */
typedef struct {
    const char *text;
    uint64_t length;
} asif_csv_bytes;

/* A source that gives these bytes and moves on in them. */
asif_csv_source asif_csv_memory(asif_csv_bytes *bytes);

typedef struct {
    const char *text; /* terminated by 0 */
    uint32_t length;
    bool quoted;
    uint8_t
        code; /* the number of the text among those that are expected in its column, plus 1; 0: not known */
} asif_csv_cell;

typedef struct {
    const asif_context *context;
    asif_csv_source source;
    const char *name; /* for messages */
    char separator;
    asif_csv_cell *cell; /* cells of the current row, valid until the next one is read */
    uint32_t cells;
    uint64_t row;  /* number of the row; 0: the header */
    uint32_t line; /* line where the row begins */
    /* The defect of the current row, if the rows after it can still be read; status ASIF_OK: none. */
    asif_error flaw;

    uint64_t cell_capacity;
    char *buffer;
    uint64_t capacity, begin, end;
    uint32_t next_line;
    bool ended, after_cr;
    uint8_t stops[256]; /* kind of stop of each byte that ends a cell without quotes; 0: none */
} asif_csv_reader;

/* Open a table and read its header, which becomes the current row. `separator` 0: the most frequent of comma,
 * tab and semicolon in the header. Call asif_csv_close() in any case. */
asif_status asif_csv_open(asif_csv_reader *reader, const asif_context *context, asif_csv_source source,
                          const char *name, char separator, asif_error *error);
/* Read the next row that is not blank; *more is false after the last one. */
asif_status asif_csv_next(asif_csv_reader *reader, bool *more, asif_error *error);
void asif_csv_close(asif_csv_reader *reader);

/* Whether a cell without quotes is NA, n/a, N/A, NaN or `.`. */
bool asif_csv_missing_word(const asif_csv_cell *cell);
/* Whether a cell is empty, or one of these. */
static inline bool asif_csv_missing(const asif_csv_cell *cell) {
    char c = cell->text[0];
    return cell->length == 0 || ((c == 'N' || c == 'n' || c == '.') && asif_csv_missing_word(cell));
}

#endif
