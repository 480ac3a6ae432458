/* Values of an Arrow column as the texts that a file would have. */
#ifndef ASIF_SRC_LOGS_ARROW_ARROW_VALUE_H
#define ASIF_SRC_LOGS_ARROW_ARROW_VALUE_H

#include "asif/arrow.h"
#include "base/text.h"

#include <string.h>

typedef struct asif_arrow_type asif_arrow_type;
struct asif_arrow_type {
    const char *format; /* one that ends in `:` is followed by a time zone */
    bool (*write)(const asif_arrow_type *type, const char *format, const struct ArrowArray *array, int64_t at,
                  asif_text *text);
    int64_t buffers, most_buffers;
    uint32_t width;   /* bytes of a value */
    bool sign;        /* of an integer */
    int64_t a_second; /* how many units are in a second; 0: it is no time */
};

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
/* The bits of an integer, with its sign extended; it need not be aligned. */
static inline uint64_t asif_arrow_load(const asif_arrow_type *type, const unsigned char *p) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    uint16_t small = 0;
    switch (type->width) {
    case 1:
        return type->sign ? (uint64_t)(int64_t)(int8_t)*p : *p;
    case 2:
        memcpy(&small, p, 2);
        return type->sign ? (uint64_t)(int64_t)(int16_t)small : small;
    case 4:
        memcpy(&narrow, p, 4);
        return type->sign ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
    default:
        memcpy(&wide, p, 8);
        return wide;
    }
}
/* The same of the value at this place from the begin of the buffer. */
static inline uint64_t asif_arrow_bits(const asif_arrow_type *type, const struct ArrowArray *array,
                                       int64_t at) {
    return asif_arrow_load(type, (const unsigned char *)array->buffers[1] + at * type->width);
}
/* The digits of such an integer, with a final 0; returns how many there are. */
#define ASIF_ARROW_DIGITS 24
uint32_t asif_arrow_digits(const asif_arrow_type *type, uint64_t bits, char *out);
/* The i-th value of an array of integers that are places in a dictionary; -1: null. False: it is below 0. */
bool asif_arrow_index(const asif_arrow_type *type, const struct ArrowArray *array, int64_t i, int64_t *out);
/* Whether the i-th value is null. */
static inline bool asif_arrow_null(const struct ArrowArray *array, int64_t i) {
    const uint8_t *bits = array->n_buffers > 0 && array->null_count != 0 ? array->buffers[0] : NULL;
    int64_t at = array->offset + i;
    return bits && !(bits[at / 8] >> (at % 8) & 1);
}

#endif
