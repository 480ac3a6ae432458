/* Writes CSV (RFC 4180, but lines end in a single line feed) into a text. */
#ifndef ASIF_SRC_BASE_DATA_CSV_H
#define ASIF_SRC_BASE_DATA_CSV_H

#include "base/text.h"

/* Writes a field, in quotes if it has a comma, a quote, a line break, or a blank at either end; NULL is an
 * empty field. */
void asif_csv_field(asif_text *text, const char *field, bool last);
void asif_csv_count(asif_text *text, uint64_t count, bool last);
void asif_csv_number(asif_text *text, double number, bool last);
/* As asif_csv_number(), but NaN (not known) is an empty field. */
void asif_csv_known(asif_text *text, double number, bool last);

#endif
