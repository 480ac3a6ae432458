/* Unpacks a table that is compressed by gzip, and hands on any other as it is. Without zlib, compressed
 * tables are handed on too, and refused where they are read. */
#ifndef ASIF_SRC_LOGS_CSV_UNPACK_H
#define ASIF_SRC_LOGS_CSV_UNPACK_H

#include "logs/csv/csv.h"

typedef struct {
    const asif_context *context;
    asif_csv_source raw;
    const char *name;        /* for messages */
    char *piece;             /* of the raw bytes; NULL: nothing was read yet */
    uint64_t at, end;        /* what is left of it */
    bool raw_ended, between; /* between: a part of the file has ended, and another may follow */
    void *inflater;          /* NULL: the table is not compressed */
} asif_unpack;

/* Begin with the first byte of a source; `name` is borrowed. Call asif_unpack_close() in any case. */
void asif_unpack_open(asif_unpack *unpack, const asif_context *context, asif_csv_source raw,
                      const char *name);
void asif_unpack_close(asif_unpack *unpack);
/* The bytes of the table; borrows `unpack`. ASIF_EPARSE: the file is damaged. */
asif_csv_source asif_unpack_source(asif_unpack *unpack);

#endif
