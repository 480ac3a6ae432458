/* Reading CSV and its relatives, a row at a time, without an allocation a row: RFC 4180 (cells in quotes hold
 * separators, line breaks and doubled quotes), any of the three line ends, a byte order mark, blanks around
 * cells not in quotes. */
#ifndef ASIF_SRC_LOGS_TABLE_CSV_H
#define ASIF_SRC_LOGS_TABLE_CSV_H

#include "asif/base.h"

/* Where the bytes come from; *got is 0 at the end. */
typedef struct {
    asif_status (*read)(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error);
    void *user;
} asif_csv_source;

typedef struct {
    const char *text; /* terminated */
    uint32_t length;
    bool quoted;
} asif_csv_cell;

typedef struct {
    const asif_context *context;
    asif_csv_source source;
    const char *name; /* for messages */
    char separator;
    asif_csv_cell *cell; /* of the row, borrowed until the next */
    uint32_t cells;
    uint64_t row;  /* 0: the header */
    uint32_t line; /* where the row begins */
    /* What is wrong with the row, though the next can be read: status ASIF_OK if nothing is. */
    asif_error flaw;

    uint64_t cell_capacity;
    char *buffer;
    uint64_t capacity, begin, end;
    uint32_t next_line;
    bool ended, after_cr;
    uint8_t stops[256]; /* bytes that end a cell which is not in quotes */
} asif_csv_reader;

/* Read the header, which then is the row. `separator` 0: the most frequent of comma, tab and semicolon in the
 * header. asif_csv_close() in any case. */
asif_status asif_csv_open(asif_csv_reader *reader, const asif_context *context, asif_csv_source source,
                          const char *name, char separator, asif_error *error);
/* The next row that is not blank; *more is false past the last. */
asif_status asif_csv_next(asif_csv_reader *reader, bool *more, asif_error *error);
void asif_csv_close(asif_csv_reader *reader);

/* Empty, NA, n/a, N/A, NaN or `.`, not in quotes; or empty quotes. */
bool asif_csv_missing(const asif_csv_cell *cell);

#endif
