/* Growing texts, and numbers as text independent of the locale. */
#ifndef ASIF_SRC_BASE_TEXT_H
#define ASIF_SRC_BASE_TEXT_H

#include "asif/base.h"

#include <stdarg.h>

/* A growing, always terminated text. After a failed allocation `failed` stays set and additions do nothing,
 * so that a writer checks once at its end. Zero-initialise all but the context. */
typedef struct {
    const asif_context *context;
    char *data; /* NULL until something is added */
    uint64_t length, capacity;
    bool failed;
} asif_text;

void asif_text_add(asif_text *text, const char *string);
void asif_text_add_n(asif_text *text, const char *string, uint64_t length);
void asif_text_addf(asif_text *text, const char *format, ...) ASIF_PRINTF(2, 3);
void asif_text_addv(asif_text *text, const char *format, va_list args) ASIF_PRINTF(2, 0);
/* Adds the shortest of 15 to 17 digits that reads back to the same bits; infinities and NaN as inf, -inf
 * and nan. */
void asif_text_add_number(asif_text *text, double number);
void asif_text_free(asif_text *text);
/* Ends a text that the API returns: the caller owns `*out`. ASIF_ENOMEM if an allocation failed on
 * the way. */
asif_status asif_text_finish(char **out, asif_text *text, asif_error *error);

#define ASIF_NUMBER_SIZE 32
/* As asif_text_add_number(), into the caller's buffer of ASIF_NUMBER_SIZE; returns the buffer. */
char *asif_number_text(char *buffer, double number);
/* snprintf in the C locale, whatever the program's locale is. */
int asif_format(char *buffer, size_t size, const char *format, ...) ASIF_PRINTF(3, 4);
/* Reads a decimal number that takes up all of [s, s + length): optional sign, digits with at most one '.',
 * optional exponent; also inf, .inf or infinity with an optional sign, in upper or lower case. NaN and
 * hexadecimal numbers are not accepted. The result is correctly rounded. */
bool asif_number_read(const char *s, uint64_t length, double *out);

/* Decodes the character at `s`, where `left` > 0 bytes may be read, and returns its length in bytes. A byte
 * that is not UTF-8 counts as U+FFFD, one byte long. */
uint32_t asif_utf8_next(const char *s, uint64_t left, uint32_t *character);
/* Makes a text safe for a terminal, in place: control characters and bytes that are not UTF-8 become question
 * marks. NULL is allowed. */
void asif_clean(char *text);

/* A text of the user's, cut short for a message. */
typedef struct {
    char text[64];
} asif_shown;
asif_shown asif_show(const char *text);

#endif
