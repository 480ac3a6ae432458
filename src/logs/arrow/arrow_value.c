#include "logs/arrow/arrow_value.h"

#include <math.h>
#include <string.h>

/* A text longer than this is taken for a mistake, as in a file. */
#define LONGEST (INT64_C(1) << 24)
#define SECONDS_A_DAY 86400

/* ---- numbers ---- */

static void add_digits(asif_text *text, uint64_t number, int least) {
    char digits[24], *end = digits + sizeof digits, *p = end;
    do
        *--p = (char)('0' + number % 10);
    while ((number /= 10) || end - p < least);
    asif_text_add_n(text, p, (uint64_t)(end - p));
}

uint32_t asif_arrow_digits(const asif_arrow_type *type, uint64_t bits, char *out) {
    bool below = type->sign && (int64_t)bits < 0;
    uint64_t number = below ? 0 - bits : bits;
    char digits[ASIF_ARROW_DIGITS], *end = digits + sizeof digits, *p = end;
    *--p = 0;
    do
        *--p = (char)('0' + number % 10);
    while ((number /= 10));
    if (below)
        *--p = '-';
    memcpy(out, p, (size_t)(end - p));
    return (uint32_t)(end - p) - 1;
}

static bool write_integer(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                          int64_t at, asif_text *text) {
    char digits[ASIF_ARROW_DIGITS];
    (void)format;
    asif_text_add_n(text, digits, asif_arrow_digits(type, asif_arrow_bits(type, array, at), digits));
    return true;
}

static bool write_boolean(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                          int64_t at, asif_text *text) {
    const uint8_t *bits = array->buffers[1];
    (void)type, (void)format;
    asif_text_add(text, bits[at / 8] >> (at % 8) & 1 ? "true" : "false");
    return true;
}

/* Numbers in single precision have the fewest digits that read back to them, as in a file. */
static void add_single(asif_text *text, float value) {
    char buffer[ASIF_NUMBER_SIZE];
    double back = 0;
    for (int digits = 6; digits <= 9; digits++) {
        int length = asif_format(buffer, sizeof buffer, "%.*g", digits, (double)value);
        if (length > 0 && asif_number_read(buffer, (uint64_t)length, &back) && (float)back == value)
            break;
    }
    asif_text_add(text, buffer);
}

static float half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    float fraction = (float)(bits & 1023) / 1024;
    float size = exponent == 31 ? (fraction > 0 ? NAN : INFINITY)
                 : exponent     ? ldexpf(1 + fraction, exponent - 15)
                                : ldexpf(fraction, -14);
    return bits >> 15 ? -size : size;
}

static bool write_number(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                         int64_t at, asif_text *text) {
    const char *p = (const char *)array->buffers[1] + at * type->width;
    double wide = 0;
    float single = 0;
    uint16_t half = 0;
    (void)format;
    if (type->width == 8) {
        memcpy(&wide, p, 8);
    } else if (type->width == 4) {
        memcpy(&single, p, 4);
        wide = (double)single;
    } else {
        memcpy(&half, p, 2);
        wide = (double)(single = half_value(half));
    }
    if (isnan(wide)) /* a missing cell, as data frames keep it */
        return true;
    if (fabs(wide) < 1e15 && wide == floor(wide)) {
        if (wide < 0)
            asif_text_add_n(text, "-", 1);
        add_digits(text, (uint64_t)fabs(wide), 1);
    } else if (type->width == 8 || isinf(wide)) {
        asif_text_add_number(text, wide);
    } else {
        add_single(text, single);
    }
    return true;
}

/* ---- texts ---- */

/* Blanks around a text do not count, as in a file. */
static bool add_text(asif_text *text, const char *p, int64_t length) {
    if (length < 0 || length > LONGEST || (length && !p))
        return false;
    while (length && (*p == ' ' || *p == '\t'))
        p++, length--;
    while (length && (p[length - 1] == ' ' || p[length - 1] == '\t'))
        length--;
    if (length)
        asif_text_add_n(text, p, (uint64_t)length);
    return true;
}

/* Where the text at a place begins, which is where the one before it ends. */
static int64_t bound_at(const asif_arrow_type *type, const struct ArrowArray *array, int64_t at) {
    const char *p = (const char *)array->buffers[1] + at * type->width;
    int32_t narrow = 0;
    int64_t wide = 0;
    if (type->width == 4)
        memcpy(&narrow, p, 4);
    else
        memcpy(&wide, p, 8);
    return type->width == 4 ? narrow : wide;
}

static bool write_text(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                       int64_t at, asif_text *text) {
    int64_t begin = bound_at(type, array, at), end = bound_at(type, array, at + 1);
    const char *bytes = array->buffers[2];
    (void)format;
    return add_text(text, bytes ? bytes + begin : NULL, end - begin);
}

/* Texts follow each other: then none ends behind the last one. */
static bool bounds_ascend(const asif_arrow_type *type, const struct ArrowArray *array, int64_t count) {
    int64_t before = 0;
    for (int64_t i = 0; i <= count; i++) {
        int64_t bound = bound_at(type, array, array->offset + i);
        if (bound < before)
            return false;
        before = bound;
    }
    return true;
}

/* A view has its length, and its bytes if there are at most 12 of them; else the first 4, the number of a
 * buffer, and where they begin there. The last buffer has the sizes of those. */
static bool write_view(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                       int64_t at, asif_text *text) {
    enum { LENGTH, PREFIX, BUFFER, BEGIN, WORDS, INLINE = 12, FIRST = 2 };
    const char *p = (const char *)array->buffers[1] + at * type->width;
    int32_t view[WORDS];
    int64_t size = 0;
    (void)format;
    memcpy(view, p, sizeof view);
    if (view[LENGTH] < 0)
        return false;
    if (view[LENGTH] <= INLINE)
        return add_text(text, p + sizeof *view, view[LENGTH]);
    int64_t sizes = array->n_buffers - 1;
    if (view[BUFFER] < 0 || view[BUFFER] >= sizes - FIRST || !array->buffers[sizes] || view[BEGIN] < 0)
        return false;
    memcpy(&size, (const char *)array->buffers[sizes] + view[BUFFER] * (int64_t)sizeof size, sizeof size);
    const char *bytes = array->buffers[FIRST + view[BUFFER]];
    return bytes && (int64_t)view[BEGIN] + view[LENGTH] <= size &&
           add_text(text, bytes + view[BEGIN], view[LENGTH]);
}

static bool write_nothing(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                          int64_t at, asif_text *text) {
    (void)type, (void)format, (void)array, (void)at, (void)text;
    return true;
}

/* ---- times ---- */

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}
/* What is left of it, 0 or more. */
static int64_t floor_rest(int64_t a, int64_t b) {
    return a % b + (a % b < 0 ? b : 0);
}

/* A day, counted from 1970-01-01, in the Gregorian calendar. Years begin in March, so that the leap day is
 * the last one; 146,097 days are 400 years. */
static void add_date(asif_text *text, int64_t days) {
    int64_t since = days + 719468, era = floor_divide(since, 146097), day = floor_rest(since, 146097);
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    int64_t of_month = of_year - (153 * month + 2) / 5 + 1;
    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    if (year < 0)
        asif_text_add_n(text, "-", 1);
    add_digits(text, (uint64_t)(year < 0 ? -year : year), 4);
    asif_text_add_n(text, "-", 1);
    add_digits(text, (uint64_t)month, 2);
    asif_text_add_n(text, "-", 1);
    add_digits(text, (uint64_t)of_month, 2);
}

static bool write_date(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                       int64_t at, asif_text *text) {
    int64_t value = (int64_t)asif_arrow_bits(type, array, at);
    (void)format;
    add_date(text, type->a_second ? floor_divide(value, type->a_second * SECONDS_A_DAY) : value);
    return true;
}

static bool write_time(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                       int64_t at, asif_text *text) {
    int64_t value = (int64_t)asif_arrow_bits(type, array, at), seconds = floor_divide(value, type->a_second);
    int64_t part = floor_rest(value, type->a_second), days = floor_divide(seconds, SECONDS_A_DAY);
    uint64_t clock = (uint64_t)floor_rest(seconds, SECONDS_A_DAY);
    add_date(text, days);
    asif_text_add_n(text, " ", 1);
    add_digits(text, clock / 3600, 2);
    asif_text_add_n(text, ":", 1);
    add_digits(text, clock / 60 % 60, 2);
    asif_text_add_n(text, ":", 1);
    add_digits(text, clock % 60, 2);
    if (part) {
        int digits = 0;
        for (int64_t unit = type->a_second; unit > 1; unit /= 10)
            digits++;
        for (; part % 10 == 0; part /= 10)
            digits--;
        asif_text_add_n(text, ".", 1);
        add_digits(text, (uint64_t)part, digits);
    }
    if (format[strlen(type->format)]) /* with a time zone, values count from 1970 in UTC */
        asif_text_add_n(text, "Z", 1);
    return true;
}

/* ---- types ---- */

static const asif_arrow_type types[] = {
    {"n", write_nothing, 0, 0, 0, false, 0},      {"b", write_boolean, 2, 2, 0, false, 0},
    {"c", write_integer, 2, 2, 1, true, 0},       {"C", write_integer, 2, 2, 1, false, 0},
    {"s", write_integer, 2, 2, 2, true, 0},       {"S", write_integer, 2, 2, 2, false, 0},
    {"i", write_integer, 2, 2, 4, true, 0},       {"I", write_integer, 2, 2, 4, false, 0},
    {"l", write_integer, 2, 2, 8, true, 0},       {"L", write_integer, 2, 2, 8, false, 0},
    {"e", write_number, 2, 2, 2, false, 0},       {"f", write_number, 2, 2, 4, false, 0},
    {"g", write_number, 2, 2, 8, false, 0},       {"u", write_text, 3, 3, 4, false, 0},
    {"U", write_text, 3, 3, 8, false, 0},         {"vu", write_view, 3, INT32_MAX, 16, false, 0},
    {"tdD", write_date, 2, 2, 4, true, 0},        {"tdm", write_date, 2, 2, 8, true, 1000},
    {"tss:", write_time, 2, 2, 8, true, 1},       {"tsm:", write_time, 2, 2, 8, true, 1000},
    {"tsu:", write_time, 2, 2, 8, true, 1000000}, {"tsn:", write_time, 2, 2, 8, true, 1000000000},
};

const asif_arrow_type *asif_arrow_type_of(const char *format) {
    for (size_t i = 0; format && i < sizeof types / sizeof *types; i++) {
        size_t length = strlen(types[i].format);
        bool zone = types[i].format[length - 1] == ':';
        if (zone ? strncmp(types[i].format, format, length) == 0 : strcmp(types[i].format, format) == 0)
            return &types[i];
    }
    return NULL;
}

bool asif_arrow_whole(const asif_arrow_type *type) {
    return type->write == write_integer;
}

bool asif_arrow_is_text(const asif_arrow_type *type) {
    return type->write == write_text || type->write == write_view;
}

bool asif_arrow_good(const asif_arrow_type *type, const struct ArrowArray *array, int64_t rows) {
    if (!array || !array->release || rows < 0 || array->offset < 0 || array->length < rows ||
        array->length > INT64_MAX / 32 - array->offset || array->n_buffers < type->buffers ||
        array->n_buffers > type->most_buffers || (type->buffers && !array->buffers) ||
        (type->buffers && array->null_count > 0 && !array->buffers[0]))
        return false;
    if (type->buffers == 0 || rows == 0)
        return true;
    return array->buffers[1] && (type->write != write_text || bounds_ascend(type, array, rows));
}

bool asif_arrow_value(const asif_arrow_type *type, const char *format, const struct ArrowArray *array,
                      int64_t i, asif_text *text) {
    return asif_arrow_null(array, i) || type->write(type, format, array, array->offset + i, text);
}

bool asif_arrow_index(const asif_arrow_type *type, const struct ArrowArray *array, int64_t i, int64_t *out) {
    *out = -1;
    if (asif_arrow_null(array, i))
        return true;
    uint64_t value = asif_arrow_bits(type, array, array->offset + i);
    *out = (int64_t)value;
    return value <= INT64_MAX;
}
