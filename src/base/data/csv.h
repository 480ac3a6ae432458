/* Writing CSV (RFC 4180, lines ended by a single line feed) into a text. */
#ifndef ASIF_SRC_BASE_DATA_CSV_H
#define ASIF_SRC_BASE_DATA_CSV_H

#include "base/text.h"

/* A field, in quotes where it holds a comma, quote, line break or outer blank; NULL is an empty field. */
void asif_csv_field(asif_text *text, const char *field, bool last);
void asif_csv_count(asif_text *text, uint64_t count, bool last);
void asif_csv_number(asif_text *text, double number, bool last);
/* The same, but what is not known (nan) is an empty field. */
void asif_csv_known(asif_text *text, double number, bool last);

#endif
