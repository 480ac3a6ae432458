#include "base/data/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Control characters, and those that YAML readers, which also read JSON, take for a line break, a byte order
 * mark or an invalid character. */
static bool must_escape(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe ||
           c == 0xffff;
}

static void add_escaped(asif_text *text, const char *string) {
    static const char letters[] = "\b\f\n\r\t\"\\", escapes[] = "bfnrt\"\\";
    uint64_t left = strlen(string);
    asif_text_add(text, "\"");
    while (left > 0) {
        uint32_t character, length = asif_utf8_next(string, left, &character);
        const char *special = character < 0x80 ? strchr(letters, (int)character) : NULL;
        if (special)
            asif_text_addf(text, "\\%c", escapes[special - letters]);
        else if (must_escape(character))
            asif_text_addf(text, "\\u%04x", (unsigned)character);
        else if (character == 0xfffd)
            asif_text_add(text, "\xef\xbf\xbd");
        else
            asif_text_add_n(text, string, length);
        string += length;
        left -= length;
    }
    asif_text_add(text, "\"");
}

static void add_number(asif_text *text, double number) {
    if (isfinite(number)) {
        asif_text_add_number(text, number);
        return;
    }
    asif_text_add(text, isnan(number) ? "\"nan\"" : number > 0 ? "\"inf\"" : "\"-inf\"");
}

/* Starts a new line before an item of the object or array at this depth, or before its end. */
static void new_line(asif_json *json, uint32_t depth) {
    if (!json->dense || depth < json->dense)
        asif_text_addf(json->text, "\n%*s", (int)(2 * json->depth), "");
}

static void begin_value(asif_json *json, const char *key) {
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        if (*filled)
            asif_text_add(json->text, ",");
        *filled = true;
        new_line(json, json->depth);
    }
    if (key) {
        add_escaped(json->text, key);
        asif_text_add(json->text, ": ");
    }
}

static void begin(asif_json *json, const char *key, const char *opening, char closing) {
    begin_value(json, key);
    asif_text_add(json->text, opening);
    if (json->depth == ASIF_JSON_DEPTH) {
        json->text->failed = true;
        return;
    }
    json->filled[json->depth] = false;
    json->close[json->depth] = closing;
    json->depth++;
}

void asif_json_init(asif_json *json, asif_text *text) {
    *json = (asif_json){.text = text};
}

void asif_json_object(asif_json *json, const char *key) {
    begin(json, key, "{", '}');
}

void asif_json_array(asif_json *json, const char *key) {
    begin(json, key, "[", ']');
}

void asif_json_end(asif_json *json) {
    if (json->depth == 0)
        return;
    json->depth--;
    if (json->filled[json->depth])
        new_line(json, json->depth + 1);
    asif_text_addf(json->text, "%c", json->close[json->depth]);
    if (json->depth == 0)
        asif_text_add(json->text, "\n");
}

void asif_json_string(asif_json *json, const char *key, const char *string) {
    if (!string) {
        asif_json_null(json, key);
        return;
    }
    begin_value(json, key);
    add_escaped(json->text, string);
}

void asif_json_number(asif_json *json, const char *key, double number) {
    begin_value(json, key);
    add_number(json->text, number);
}

void asif_json_known(asif_json *json, const char *key, double number) {
    if (isnan(number))
        asif_json_null(json, key);
    else
        asif_json_number(json, key, number);
}

void asif_json_count(asif_json *json, const char *key, uint64_t count) {
    begin_value(json, key);
    asif_text_addf(json->text, "%" PRIu64, count);
}

void asif_json_bool(asif_json *json, const char *key, bool value) {
    begin_value(json, key);
    asif_text_add(json->text, value ? "true" : "false");
}

void asif_json_null(asif_json *json, const char *key) {
    begin_value(json, key);
    asif_text_add(json->text, "null");
}

void asif_json_numbers(asif_json *json, const char *key, uint64_t count, const double *numbers) {
    begin_value(json, key);
    asif_text_add(json->text, "[");
    for (uint64_t i = 0; i < count; i++) {
        asif_text_add(json->text, i ? ", " : "");
        add_number(json->text, numbers[i]);
    }
    asif_text_add(json->text, "]");
}
