/* Writing JSON into a text. Nothing here fails: a failed allocation shows in the text's own flag. */
#ifndef ASIF_SRC_BASE_DATA_JSON_H
#define ASIF_SRC_BASE_DATA_JSON_H

#include "base/text.h"

#define ASIF_JSON_DEPTH 32

/* A writer. Inside an object every value has a key; inside an array, and at the top, the key is NULL. */
typedef struct {
    asif_text *text;
    uint32_t depth;
    uint32_t dense; /* what is open at this depth and deeper stays on one line; 0: nothing does */
    bool filled[ASIF_JSON_DEPTH]; /* whether the object or array at a depth has an item */
    char close[ASIF_JSON_DEPTH];
} asif_json;

void asif_json_init(asif_json *json, asif_text *text);
void asif_json_object(asif_json *json, const char *key);
void asif_json_array(asif_json *json, const char *key);
/* Close the innermost object or array; closing the outermost ends the line. */
void asif_json_end(asif_json *json);

/* NULL is written as null. Bytes that are not UTF-8 become U+FFFD. */
void asif_json_string(asif_json *json, const char *key, const char *string);
/* Infinities and nan as the strings "inf", "-inf", "nan". */
void asif_json_number(asif_json *json, const char *key, double number);
/* The same, but what is not known (nan) is null. */
void asif_json_known(asif_json *json, const char *key, double number);
void asif_json_count(asif_json *json, const char *key, uint64_t count);
void asif_json_bool(asif_json *json, const char *key, bool value);
void asif_json_null(asif_json *json, const char *key);
/* An array of numbers on one line. */
void asif_json_numbers(asif_json *json, const char *key, uint64_t count, const double *numbers);

#endif
