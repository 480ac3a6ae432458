/* Logs from Arrow streams, some of which can be asked for again. */
#ifndef ASIF_SRC_LOGS_ARROW_ARROW_ROWS_H
#define ASIF_SRC_LOGS_ARROW_ARROW_ROWS_H

#include "asif/arrow.h"

/* Gives the same table once more, as a new stream. */
typedef struct {
    asif_status (*open)(void *user, struct ArrowArrayStream *out, asif_error *error);
    void *user;
} asif_arrow_source;

/* As asif_logs_read_arrow(). With a source, pieces are not kept: another pass asks for the table again. */
asif_status asif_arrow_read(asif_tree **out, const asif_context *context, struct ArrowArrayStream *stream,
                            const asif_arrow_source *source, const char *name,
                            const asif_logs_options *options, asif_logs_info *info, asif_problems *problems,
                            asif_error *error);

#endif
