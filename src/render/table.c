#include "render/table.h"

#include "base/data/json.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Characters that do not take one column on a terminal: marks that take none, and scripts that take two. */
static const struct {
    uint32_t first, last, width;
} odd_widths[] = {
    {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0}, {0x0591, 0x05bd, 0},   {0x064b, 0x065f, 0},
    {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0}, {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},
    {0x3041, 0x33ff, 2},   {0x3400, 0x4dbf, 2}, {0x4e00, 0x9fff, 2},   {0xa000, 0xa4cf, 2},
    {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},
    {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2},
    {0x20000, 0x3fffd, 2},
};

static uint32_t character_width(uint32_t character) {
    for (size_t i = 0; i < sizeof odd_widths / sizeof *odd_widths; i++)
        if (character >= odd_widths[i].first && character <= odd_widths[i].last)
            return odd_widths[i].width;
    return 1;
}

uint32_t asif_display_width(const char *string) {
    uint64_t left = strlen(string);
    uint32_t width = 0;
    while (left > 0) {
        uint32_t character, length = asif_utf8_next(string, left, &character);
        width += character_width(character);
        string += length;
        left -= length;
    }
    return width;
}

char *asif_label_cut(char *buffer, const char *label, uint32_t width, bool unicode) {
    const char *mark = unicode ? "\xe2\x80\xa6" : "~";
    size_t room = ASIF_CELL_SIZE - strlen(mark) - 1, used = 0;
    uint64_t left = strlen(label);
    uint32_t taken = 0;
    if (left <= room && asif_display_width(label) <= width) {
        memcpy(buffer, label, left + 1);
        return buffer;
    }
    while (left > 0) {
        uint32_t character, length = asif_utf8_next(label, left, &character);
        uint32_t wide = character_width(character);
        if (used + length > room || taken + wide + 1 > width)
            break;
        memcpy(buffer + used, label, length);
        used += length;
        taken += wide;
        label += length;
        left -= length;
    }
    memcpy(buffer + used, mark, strlen(mark) + 1);
    return buffer;
}

uint32_t asif_label_wrap(char lines[ASIF_LABEL_LINES][ASIF_CELL_SIZE], const char *label, uint32_t width,
                         bool unicode) {
    for (uint32_t line = 0; line + 1 < ASIF_LABEL_LINES; line++) {
        uint64_t left = strlen(label), broken = 0;
        if (left < ASIF_CELL_SIZE && asif_display_width(label) <= width) {
            memcpy(lines[line], label, left + 1);
            return line + 1;
        }
        uint64_t at = 0;
        uint32_t taken = 0;
        while (at < left && at < ASIF_CELL_SIZE - 4) {
            uint32_t character, length = asif_utf8_next(label + at, left - at, &character);
            taken += character_width(character);
            if (taken > width)
                break;
            at += length;
            if (character < 0x80 && strchr(" .-_", (int)character))
                broken = at;
        }
        if (broken == 0) {
            asif_label_cut(lines[line], label, width, unicode);
            return line + 1;
        }
        memcpy(lines[line], label, broken);
        lines[line][broken] = 0;
        label += broken;
    }
    asif_label_cut(lines[ASIF_LABEL_LINES - 1], label, width, unicode);
    return ASIF_LABEL_LINES;
}

char *asif_percent_text(char *buffer, double probability) {
    double percent = 100 * probability;
    if (percent == 0 || percent == 100)
        asif_format(buffer, ASIF_CELL_SIZE, "%.0f %%", percent);
    else if (percent < 0.05)
        asif_format(buffer, ASIF_CELL_SIZE, "<0.1 %%");
    else if (percent > 99.95)
        asif_format(buffer, ASIF_CELL_SIZE, ">99.9 %%");
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.1f %%", percent);
    return buffer;
}

char *asif_short_number(char *buffer, double number) {
    double size = fabs(number);
    if (!isfinite(number) || number == 0)
        return asif_number_text(buffer, number);
    if (size >= 1e6 || size < 1e-4)
        asif_format(buffer, ASIF_CELL_SIZE, "%.3g", number);
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.*g", size >= 1000 ? 6 : 4, number);
    return buffer;
}

char *asif_bytes_text(char *buffer, double bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    uint32_t unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        unit++;
    }
    asif_format(buffer, ASIF_CELL_SIZE, unit && bytes < 10 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return buffer;
}

char *asif_count_text(char *buffer, uint64_t count) {
    char digits[ASIF_CELL_SIZE];
    int length = asif_format(digits, sizeof digits, "%" PRIu64, count);
    char *end = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = 0;
    return buffer;
}

char *asif_read_count_text(char *buffer, double count) {
    if (count >= 0 && count < 1e18)
        return asif_count_text(buffer, (uint64_t)count);
    asif_format(buffer, ASIF_CELL_SIZE, "?");
    return buffer;
}

void asif_table_init(asif_table *table, const asif_context *context, uint32_t columns) {
    *table =
        (asif_table){.columns = columns, .indent = 2, .gap = 2, .left = 1, .cells = {.context = context}};
}

void asif_table_cell(asif_table *table, const char *cell) {
    asif_text_add(&table->cells, cell);
    asif_text_add_n(&table->cells, "", 1);
    table->count++;
}

void asif_table_cellf(asif_table *table, const char *format, ...) {
    va_list args;
    va_start(args, format);
    asif_text_addv(&table->cells, format, args);
    va_end(args);
    asif_text_add_n(&table->cells, "", 1);
    table->count++;
}

static bool measure(const asif_table *table, uint32_t *widths) {
    if (table->cells.failed || !widths)
        return false;
    const char *cell = table->cells.data;
    for (uint64_t i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
        uint32_t width = asif_display_width(cell), *widest = &widths[i % table->columns];
        if (width > *widest)
            *widest = width;
    }
    return true;
}

uint32_t asif_table_width(const asif_table *table) {
    uint32_t *widths = ASIF_ARRAY(table->cells.context, table->columns, uint32_t);
    uint32_t sum = UINT32_MAX;
    if (measure(table, widths)) {
        sum = table->indent;
        for (uint32_t i = 0; i < table->columns; i++)
            sum += widths[i] + (i ? table->gap : 0);
    }
    asif_free(table->cells.context, widths);
    return sum;
}

static void add_spaces(asif_text *text, uint32_t count) {
    asif_text_addf(text, "%*s", (int)count, "");
}

void asif_text_trim(asif_text *text) {
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->data[--text->length] = 0;
}

void asif_table_end(asif_table *table, asif_text *text) {
    uint32_t *widths = ASIF_ARRAY(table->cells.context, table->columns, uint32_t);
    if (!measure(table, widths))
        text->failed = true;
    const char *cell = table->cells.data;
    for (uint64_t i = 0; i < table->count && !text->failed; i++, cell += strlen(cell) + 1) {
        uint32_t column = (uint32_t)(i % table->columns);
        uint32_t padding = widths[column] - asif_display_width(cell);
        bool last = column + 1 == table->columns;
        bool left = column < 64 && (table->left >> column & 1);
        add_spaces(text, column ? table->gap : table->indent);
        if (!left)
            add_spaces(text, padding);
        asif_text_add(text, cell);
        if (left)
            add_spaces(text, padding);
        if (last) {
            asif_text_trim(text);
            asif_text_add(text, "\n");
        }
    }
    asif_free(table->cells.context, widths);
    asif_table_free(table);
}

void asif_table_free(asif_table *table) {
    asif_text_free(&table->cells);
}

void asif_add_wrapped(asif_text *text, const char *heading, uint32_t indent, const char *words,
                      uint32_t width) {
    uint32_t used = asif_display_width(heading);
    asif_text_add(text, heading);
    if (used < indent) {
        add_spaces(text, indent - used);
        used = indent;
    }
    bool first = true;
    while (*words) {
        char word[256];
        size_t length = strcspn(words, " ");
        size_t copied = length < sizeof word ? length : sizeof word - 1;
        memcpy(word, words, copied);
        word[copied] = 0;
        uint32_t wide = asif_display_width(word);
        if (!first && used + 1 + wide > width) {
            asif_text_add(text, "\n");
            add_spaces(text, indent);
            used = indent;
            first = true;
        }
        if (!first)
            asif_text_add(text, " ");
        asif_text_add_n(text, words, length);
        used += wide + (first ? 0 : 1);
        first = false;
        words += length;
        words += strspn(words, " ");
    }
    asif_text_add(text, "\n");
}

void asif_add_title(asif_text *text, const char *title, uint32_t width) {
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "", 0, title, width);
    asif_text_add(text, "\n");
}

const char *asif_said(char buffer[ASIF_SAID_SIZE], const char *label) {
    char cut[ASIF_CELL_SIZE];
    bool plain = true;
    asif_label_cut(cut, label, 40, true);
    asif_clean(cut);
    for (const char *c = cut; *c; c++)
        plain = plain && !(*c & 0x80);
    asif_format(buffer, ASIF_SAID_SIZE, plain ? "%s" : "\xe2\x81\xa8%s\xe2\x81\xa9", cut);
    return buffer;
}
