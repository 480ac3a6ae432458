#include "base/data/csv.h"

#include <math.h>
#include <string.h>

static void end_field(asif_text *text, bool last) {
    asif_text_add(text, last ? "\n" : ",");
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool needs_quotes(const char *field) {
    size_t length = strlen(field);
    return field[strcspn(field, ",\"\r\n")] ||
           (length > 0 && (is_blank(field[0]) || is_blank(field[length - 1])));
}

void asif_csv_field(asif_text *text, const char *field, bool last) {
    if (!field || !needs_quotes(field)) {
        asif_text_add(text, field ? field : "");
        end_field(text, last);
        return;
    }
    asif_text_add(text, "\"");
    while (*field) {
        size_t plain = strcspn(field, "\"");
        asif_text_add_n(text, field, plain);
        field += plain;
        if (*field) {
            asif_text_add(text, "\"\"");
            field++;
        }
    }
    asif_text_add(text, "\"");
    end_field(text, last);
}

void asif_csv_count(asif_text *text, uint64_t count, bool last) {
    char digits[24], *end = digits + sizeof digits, *at = end;
    do
        *--at = (char)('0' + count % 10);
    while (count /= 10);
    asif_text_add_n(text, at, (uint64_t)(end - at));
    end_field(text, last);
}

void asif_csv_number(asif_text *text, double number, bool last) {
    asif_text_add_number(text, number);
    end_field(text, last);
}

void asif_csv_known(asif_text *text, double number, bool last) {
    if (isnan(number))
        asif_csv_field(text, NULL, last);
    else
        asif_csv_number(text, number, last);
}
