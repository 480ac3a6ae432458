/* Writing HTML. Whatever comes from a user is text, never markup. */
#ifndef ASIF_SRC_RENDER_HTML_H
#define ASIF_SRC_RENDER_HTML_H

#include "base/text.h"

/* Text with what markup is made of escaped; control characters, and marks that would turn the writing
 * direction of what follows, become question marks. NULL is nothing. */
void asif_html_text(asif_text *html, const char *text);
/* The same of a label of the user's, which keeps its writing direction, and that to itself. */
void asif_html_label(asif_text *html, const char *label);
/* <p>: formatted, then escaped. */
void asif_html_paragraph(asif_text *html, const char *format, ...) ASIF_PRINTF(2, 3);
/* An element with escaped text: asif_html_element(html, "h3", "As if"). */
void asif_html_element(asif_text *html, const char *tag, const char *text);
/* A sentence in an element: it begins with a capital letter and ends with a full stop. The words are freed.
 */
void asif_html_sentence(asif_text *html, const char *tag, asif_text *words);
/* Sentences, each followed by a 0, as a list; they are freed. Nothing if there are none. */
void asif_html_points(asif_text *html, asif_text *points);

/* A table that scrolls by itself where it is too wide: caption (NULL: none), heads, then cells row by row,
 * the first of a row being its head. `numbers`: bit i: column i holds numbers, aligned to the right. */
typedef struct {
    asif_text *html;
    uint32_t columns, at;
    uint64_t numbers;
} asif_html_table;
void asif_html_table_begin(asif_html_table *table, asif_text *html, const char *caption, uint32_t columns,
                           const char *const *heads, uint64_t numbers);
void asif_html_cell(asif_html_table *table, const char *cell);
/* The same of words that are freed. */
void asif_html_cell_words(asif_html_table *table, asif_text *words);
void asif_html_table_end(asif_html_table *table);

/* An inline script, and its digest for the content policy added to `policy` as 'sha256-...'. The script has
 * no end tag in it. */
void asif_html_script(asif_text *html, asif_text *policy, const char *script, uint64_t length);
/* A block of JSON that a script reads by its id. */
void asif_html_json(asif_text *html, const char *id, const char *json);

#endif
