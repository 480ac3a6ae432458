/* Values of an Arrow column as the texts that a file would have. */
#ifndef ASIF_SRC_LOGS_ARROW_ARROW_VALUE_H
#define ASIF_SRC_LOGS_ARROW_ARROW_VALUE_H

#include "asif/arrow.h"
#include "base/text.h"

typedef struct asif_arrow_type asif_arrow_type;

/* The type of a format; NULL: not one that can be a cell. */
const asif_arrow_type *asif_arrow_type_of(const char *format);
/* Whether the array has the buffers of its type, lengths that make sense for `rows` values from its offset
 * on, and texts that follow each other. Cost: the number of texts. */
bool asif_arrow_good(const asif_arrow_type *type, const struct ArrowArray *array, int64_t rows);
/* Add the i-th value, counted from the array's offset, to the text. Nothing is added for null. False: the
 * array contradicts itself. */
bool asif_arrow_value(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                      int64_t i, asif_text *text);
/* Whether values are integers, or texts. */
bool asif_arrow_whole(const asif_arrow_type *type);
bool asif_arrow_is_text(const asif_arrow_type *type);
/* The bits of the i-th integer, which must not be null, and its digits with a final 0; returns how many there
 * are. */
#define ASIF_ARROW_DIGITS 24
uint64_t asif_arrow_bits(const asif_arrow_type *type, const struct ArrowArray *array, int64_t i);
uint32_t asif_arrow_digits(const asif_arrow_type *type, uint64_t bits, char *out);
/* The i-th value of an array of integers that are places in a dictionary; -1: null. False: it is below 0. */
bool asif_arrow_index(const asif_arrow_type *type, const struct ArrowArray *array, int64_t i, int64_t *out);
/* Whether the i-th value is null. */
bool asif_arrow_null(const struct ArrowArray *array, int64_t i);

#endif
