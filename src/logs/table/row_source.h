/* A table as a reading meets it: one row of cells at a time, whatever the table comes from, and from the
 * beginning again for every pass. */
#ifndef ASIF_SRC_LOGS_TABLE_ROW_SOURCE_H
#define ASIF_SRC_LOGS_TABLE_ROW_SOURCE_H

#include "base/os.h"
#include "logs/csv/csv.h"
#include "logs/csv/unpack.h"
#include "logs/names.h"

typedef struct asif_row_source asif_row_source;
struct asif_row_source {
    asif_csv_cell *cell; /* cells of the current row, valid until the next one is read */
    uint32_t cells;
    const double *number; /* [cells], or NULL: those of cells that are known to be numbers; NaN: of others */
    uint64_t row;         /* number of the row; 0: the header */
    uint32_t line;        /* line where the row begins; 0: the table has no lines */
    uint64_t copies;      /* of the row, and of its whole episode; 0: one */
    bool repeated;        /* subject and episode are those of the row before; false: this is not known */
    uint64_t subjects;    /* in the table; 0: they are counted by their names */
    const asif_error *flaw; /* the defect of the current row; status ASIF_OK: none */
    /* [cells] of the header, or NULL. What a column is, if it has values that cannot be cells: then they are
     * empty. And whether the reading uses a column, which it says; the cells of others may be left empty. */
    const char *const *unreadable;
    bool *used;
    /* Columns by which the reading would like its rows ordered: subject, episode, time; it says so before the
     * first row. `ordered`: the source does that, and rows keep the numbers that they have in the table.
     * `timed`: the time is among the keys; rows that have the same keys may then come in any order. */
    uint32_t keys, key[3];
    bool timed;
    bool ordered;
    /* [cells] of the header, or NULL. The texts that the reading expects in a column (NULL: any); it says so
     * before the first row, where it can begin again. A source may rely on them, and sets `again` at the
     * first other text: then it begins again, and does not rely on them. */
    const asif_names **expected;
    bool again;

    /* Go to the beginning, where the names of the columns are the current row. */
    asif_status (*begin)(asif_row_source *source, asif_error *error);
    /* Go to the next row; *more is false after the last one. */
    asif_status (*next)(asif_row_source *source, bool *more, asif_error *error);
};

/* The rows of a file of text, or of text in memory. */
typedef struct {
    asif_row_source rows;
    const asif_context *context;
    const char *name; /* for messages */
    char separator;
    asif_os_stream stream;
    const char *text; /* NULL: read from the stream, which can be rewound */
    uint64_t length, at;
    asif_unpack unpack;
    asif_csv_reader csv;
} asif_csv_rows;

/* Prepare the source; `text` (borrowed) or `stream` is set afterwards. */
void asif_csv_rows_init(asif_csv_rows *rows, const asif_context *context, const char *name, char separator);
/* Free what was read; the stream stays open. */
void asif_csv_rows_end(asif_csv_rows *rows);

#endif
