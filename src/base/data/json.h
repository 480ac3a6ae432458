/* Writes JSON into a text. No function here fails: a failed allocation sets the flag of the text. */
#ifndef ASIF_SRC_BASE_DATA_JSON_H
#define ASIF_SRC_BASE_DATA_JSON_H

#include "base/text.h"

#define ASIF_JSON_DEPTH 32

/* A writer. Inside an object every value has a key; inside an array, and at the top, the key is NULL. */
typedef struct {
    asif_text *text;
    uint32_t depth;
    uint32_t dense; /* objects and arrays at this depth and deeper stay on one line; 0: none do */
    bool filled[ASIF_JSON_DEPTH]; /* whether the object or array at a depth has an item */
    char close[ASIF_JSON_DEPTH];
} asif_json;

void asif_json_init(asif_json *json, asif_text *text);
void asif_json_object(asif_json *json, const char *key);
void asif_json_array(asif_json *json, const char *key);
/* Closes the innermost object or array; closing the outermost ends the line. */
void asif_json_end(asif_json *json);

/* Writes NULL as null. Bytes that are not UTF-8 become U+FFFD. */
void asif_json_string(asif_json *json, const char *key, const char *string);
/* Writes infinities and NaN as the strings "inf", "-inf", "nan". */
void asif_json_number(asif_json *json, const char *key, double number);
/* As asif_json_number(), but NaN (not known) is null. */
void asif_json_known(asif_json *json, const char *key, double number);
void asif_json_count(asif_json *json, const char *key, uint64_t count);
void asif_json_bool(asif_json *json, const char *key, bool value);
void asif_json_null(asif_json *json, const char *key);
/* Writes an array of numbers on one line. */
void asif_json_numbers(asif_json *json, const char *key, uint64_t count, const double *numbers);

#endif
