/**
 * @file
 * Tables from memory: data frames, databases and files that other programs read are handed over as Arrow C
 * streams, without a copy and without a file between.
 */
#ifndef ASIF_ARROW_H
#define ASIF_ARROW_H

#include "asif/logs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of these three is fixed by Arrow's C data and C stream interfaces; any other header that
 * declares them does so under the same two names. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/** The type of a column, or of a table. */
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

/** The values of a column, or of a table. */
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
/** A table that arrives in pieces. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/**
 * Read a table of logs from an Arrow stream, as asif_logs_read() reads one from a file: with the same mapping
 * of columns, rules and problems. Problems have the number of their row, and no line.
 *
 * A cell means what the same value means in a file of text. Integers, numbers, booleans (`true` and `false`),
 * texts, dates, and times with a date are read, also as dictionaries. A null or a NaN is a missing cell. A
 * whole number has no decimal point, so that a column of codes that some program keeps as 1.0 and 2.0 has the
 * values 1 and 2. Columns of other types may be in the table, but can have no role.
 *
 * All pieces are kept until the end, because rows of an episode that are not together need another pass.
 * The values of the buffers are believed; their sizes are not part of the interface and cannot be checked.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the tree.
 * @param stream     Is released in any case; its struct stays the caller's.
 * @param name       Of the table, for messages.
 * @param options    NULL: the defaults. `separator` is ignored.
 * @param[out] info  May be NULL.
 * @param[out] problems May be NULL.
 * @param[out] error May be NULL.
 * @return As asif_logs_read(); ASIF_EIO if the stream fails, ASIF_EPARSE if it contradicts itself.
 */
ASIF_API asif_status asif_logs_read_arrow(asif_tree **out, const asif_context *context,
                                          struct ArrowArrayStream *stream, const char *name,
                                          const asif_logs_options *options, asif_logs_info *info,
                                          asif_problems *problems, asif_error *error);

#ifdef __cplusplus
}
#endif

#endif
