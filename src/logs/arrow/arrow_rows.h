/* Logs from Arrow streams, some of which can be asked for again. */
#ifndef ASIF_SRC_LOGS_ARROW_ARROW_ROWS_H
#define ASIF_SRC_LOGS_ARROW_ARROW_ROWS_H

#include "asif/arrow.h"

#include "logs/table/row_source.h"

/* Gives a table as often as it is asked for. Without `rows`: a stream that has the table's columns; no row
 * of it is read. With them: the columns that are used, in their order, and then the number of the row in the
 * table, from 1; ordered by the keys, and where no time is among these, rows with equal keys by their number.
 * If the source can give codes, columns whose texts are expected (`rows->expected`) do not come by
 * themselves. Each has 8 bits below the number of the row, the first of them the lowest: the number of the
 * text, from 1, or ASIF_ARROW_OTHER. The cell of any greater code is missing. */
enum { ASIF_ARROW_OTHER = 0, ASIF_ARROW_MISSING = 255, ASIF_ARROW_CODES = 256 };

typedef struct {
    asif_status (*open)(void *user, const asif_row_source *rows, struct ArrowArrayStream *out,
                        asif_error *error);
    void *user;
    bool codes;
} asif_arrow_source;

/* As asif_logs_read_arrow(), or, if `source` is not NULL, from that; then `stream` is room for a stream. */
asif_status asif_arrow_read(asif_tree **out, const asif_context *context, struct ArrowArrayStream *stream,
                            const asif_arrow_source *source, const char *name,
                            const asif_logs_options *options, asif_logs_info *info, asif_problems *problems,
                            asif_error *error);

#endif
