/* Writes HTML. */
#include "render/html.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "render/table.h"
#include "render/words/sentences.h"

#include <stdarg.h>
#include <string.h>

#define LONG_LABEL 40 /* columns from which a label in a table is set in a wide cell */

/* Whether a character changes the writing direction: embeddings, overrides and isolates. */
static bool turns(uint32_t character) {
    return (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

static void escape(asif_text *html, const char *text, uint64_t left, bool isolated) {
    while (left > 0) {
        uint32_t character, length = asif_utf8_next(text, left, &character);
        if (character == '&')
            asif_text_add(html, "&amp;");
        else if (character == '<')
            asif_text_add(html, "&lt;");
        else if (character == '>')
            asif_text_add(html, "&gt;");
        else if (character == '"')
            asif_text_add(html, "&quot;");
        else if (character == '\'')
            asif_text_add(html, "&#39;");
        else if (character == 0xfffd)
            asif_text_add(html, "\xef\xbf\xbd");
        else if ((character < 0x20 && character != '\n' && character != '\t') ||
                 (character >= 0x7f && character < 0xa0) || (!isolated && turns(character)))
            asif_text_add(html, "?");
        else
            asif_text_add_n(html, text, length);
        text += length;
        left -= length;
    }
}

void asif_html_text(asif_text *html, const char *text) {
    escape(html, text, text ? strlen(text) : 0, false);
}

void asif_html_label(asif_text *html, const char *label) {
    asif_text_add(html, "<bdi>");
    escape(html, label, label ? strlen(label) : 0, true);
    asif_text_add(html, "</bdi>");
}

void asif_html_words(asif_text *html, const char *words) {
    const char *open, *close;
    for (; words && (open = strchr(words, '`')) && (close = strchr(open + 1, '`')); words = close + 1) {
        escape(html, words, (uint64_t)(open - words), false);
        asif_text_add(html, "<code>");
        escape(html, open + 1, (uint64_t)(close - open - 1), false);
        asif_text_add(html, "</code>");
    }
    asif_html_text(html, words);
}

static void add_words(asif_text *html, const char *tag, const char *words) {
    asif_text_addf(html, "<%s>", tag);
    asif_html_words(html, words);
    asif_text_addf(html, "</%s>\n", tag);
}

void asif_html_element(asif_text *html, const char *tag, const char *text) {
    asif_text_addf(html, "<%s>", tag);
    asif_html_text(html, text);
    asif_text_addf(html, "</%s>\n", tag);
}

void asif_html_paragraph(asif_text *html, const char *format, ...) {
    asif_text words = {.context = html->context};
    va_list arguments;
    va_start(arguments, format);
    asif_text_addv(&words, format, arguments);
    va_end(arguments);
    add_words(html, "p", words.data);
    html->failed |= words.failed;
    asif_text_free(&words);
}

void asif_html_sentence(asif_text *html, const char *tag, asif_text *words) {
    asif_sentence_finish(words);
    if (words->data)
        add_words(html, tag, words->data);
    html->failed |= words->failed;
    asif_text_free(words);
}

void asif_html_points(asif_text *html, asif_text *points) {
    const char *point = points->data;
    if (point)
        asif_text_add(html, "<ul>\n");
    for (; point && point < points->data + points->length; point += strlen(point) + 1) {
        asif_text words = {.context = html->context};
        asif_text_add(&words, point);
        asif_html_sentence(html, "li", &words);
    }
    if (points->data)
        asif_text_add(html, "</ul>\n");
    html->failed |= points->failed;
    asif_text_free(points);
}

/* ---- tables ---- */

#define SENTENCE 40 /* bytes from which a cell is a sentence and needs room */

static void add_label(asif_text *html, const char *label) {
    bool wide = asif_display_width(label) > LONG_LABEL;
    asif_text_add(html, wide ? "<span class=\"long\">" : "");
    asif_html_label(html, label);
    asif_text_add(html, wide ? "</span>" : "");
}

void asif_html_table_begin(asif_html_table *table, asif_text *html, const char *caption, uint32_t columns,
                           const char *const *heads, uint64_t numbers) {
    *table = (asif_html_table){
        .html = html, .columns = columns, .numbers = numbers, .cells = {.context = html->context}};
    asif_text_add(html, "<div class=\"wide\" tabindex=\"0\"");
    if (caption) {
        asif_text_add(html, " role=\"group\" aria-label=\"");
        asif_html_text(html, caption);
        asif_text_add(html, "\"");
    }
    asif_text_add(html, ">\n<table>\n");
    if (caption) {
        asif_text_add(html, "<caption><span>");
        asif_html_text(html, caption);
        asif_text_add(html, "</span></caption>\n");
    }
    for (uint32_t i = 0; i < columns; i++)
        asif_text_add_n(&table->cells, heads[i], strlen(heads[i]) + 1);
    table->heads = (uint32_t)table->cells.length;
}

void asif_html_cell(asif_html_table *table, const char *cell) {
    asif_text_add_n(&table->cells, cell, strlen(cell) + 1);
    table->at = (table->at + 1) % table->columns;
}

void asif_html_cell_words(asif_html_table *table, asif_text *words) {
    asif_html_cell(table, words->data ? words->data : "");
    table->html->failed |= words->failed;
    asif_text_free(words);
}

/* The columns with a cell that is not empty, as bits; the first column always, and all of a table without
 * rows. Columns from the 64th on are always kept. */
static uint64_t filled_columns(const asif_html_table *table) {
    const char *cell = table->cells.data + table->heads, *end = table->cells.data + table->cells.length;
    uint64_t filled = cell == end ? ~(uint64_t)0 : 1;
    for (uint32_t at = 0; cell < end; cell += strlen(cell) + 1, at = (at + 1) % table->columns)
        if (*cell && at < 64)
            filled |= (uint64_t)1 << at;
    return filled;
}

static void add_head(asif_text *html, const char *head, bool number) {
    asif_text_addf(html, head[0] ? "<th scope=\"col\"%s>" : "<td%s>", number ? " class=\"n\"" : "");
    add_label(html, head);
    asif_text_add(html, head[0] ? "</th>" : "</td>");
}

static void add_cell(asif_text *html, const char *cell, bool first, bool number) {
    asif_text_add(html, first ? "<tr><th scope=\"row\"" : "<td");
    if (number)
        asif_text_add(html, " class=\"n\"");
    else if (!first && strlen(cell) > SENTENCE)
        asif_text_add(html, " class=\"said\"");
    asif_text_add(html, ">");
    add_label(html, cell);
    asif_text_add(html, first ? "</th>" : "</td>");
}

void asif_html_table_end(asif_html_table *table) {
    asif_text *html = table->html;
    if (table->cells.data && !table->cells.failed) {
        const char *cell = table->cells.data, *rows = cell + table->heads, *end = cell + table->cells.length;
        uint64_t filled = filled_columns(table);
        asif_text_add(html, "<thead><tr>");
        for (uint32_t at = 0; cell < end; cell += strlen(cell) + 1, at = (at + 1) % table->columns) {
            bool number = at < 64 && table->numbers >> at & 1;
            if (cell == rows)
                asif_text_add(html, "</tr></thead>\n<tbody>\n");
            bool kept = at >= 64 || filled >> at & 1;
            if (kept && cell < rows)
                add_head(html, cell, number);
            else if (kept)
                add_cell(html, cell, at == 0, number);
            if (cell >= rows && at + 1 == table->columns)
                asif_text_add(html, "</tr>\n");
        }
        asif_text_add(html, rows == end ? "</tr></thead>\n<tbody>\n" : "");
    }
    asif_text_add(html, "</tbody>\n</table>\n</div>\n");
    html->failed |= table->cells.failed;
    asif_text_free(&table->cells);
}

/* ---- scripts ---- */

static void add_base64(asif_text *text, const uint8_t *bytes, uint32_t count) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint32_t i = 0; i < count; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        if (i + 1 < count)
            three |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < count)
            three |= bytes[i + 2];
        char four[5] = {letters[three >> 18], letters[three >> 12 & 63], letters[three >> 6 & 63],
                        letters[three & 63], 0};
        if (i + 1 >= count)
            four[2] = '=';
        if (i + 2 >= count)
            four[3] = '=';
        asif_text_add(text, four);
    }
}

void asif_html_script(asif_text *html, asif_text *policy, const char *script, uint64_t length) {
    uint8_t digest[ASIF_SHA256_SIZE];
    asif_sha256_of(script, length, digest);
    asif_text_add(policy, " 'sha256-");
    add_base64(policy, digest, sizeof digest);
    asif_text_add(policy, "'");
    asif_text_add(html, "<script>");
    asif_text_add_n(html, script, length);
    asif_text_add(html, "</script>\n");
}

void asif_html_json(asif_text *html, const char *id, const char *json) {
    asif_text_addf(html, "<script type=\"application/json\" id=\"%s\">", id);
    /* "<" is escaped, because an end tag or a comment inside a string would change how the block is read. */
    for (const char *at = json, *next; *at; at = next) {
        next = at + strcspn(at, "<");
        asif_text_add_n(html, at, (uint64_t)(next - at));
        if (*next == '<') {
            asif_text_add(html, "\\u003c");
            next++;
        }
    }
    asif_text_add(html, "</script>\n");
}
