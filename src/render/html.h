/* Writes HTML. Everything that comes from a user is written as text, never as markup. Running out of memory
 * sets `failed` of the text. */
#ifndef ASIF_SRC_RENDER_HTML_H
#define ASIF_SRC_RENDER_HTML_H

#include "base/text.h"

/* Add text, escaped. Control characters, and characters that would change the writing direction of what
 * follows, become question marks. NULL adds nothing. */
void asif_html_text(asif_text *html, const char *text);
/* Add a label of the user, escaped, in an element that isolates its writing direction. */
void asif_html_label(asif_text *html, const char *label);
/* Add a paragraph <p>: the text is formatted, then escaped. */
void asif_html_paragraph(asif_text *html, const char *format, ...) ASIF_PRINTF(2, 3);
/* Add escaped words; what is between two backticks is code. */
void asif_html_words(asif_text *html, const char *words);

/* Add an element with escaped text: asif_html_element(html, "h3", "As if"). */
void asif_html_element(asif_text *html, const char *tag, const char *text);
/* Add a sentence in an element, with a capital letter at the beginning and a full stop at the end. The words
 * are freed. */
void asif_html_sentence(asif_text *html, const char *tag, asif_text *words);
/* Add sentences, each followed by a 0, as a list; they are freed. No sentences add nothing. */
void asif_html_points(asif_text *html, asif_text *points);

/* A table, which scrolls on its own if it is too wide: caption (NULL: none), heads, then cells row by row;
 * the first cell of a row is its head. `numbers`, bit i: column i holds numbers, aligned to the right.
 * Columns without any cell but the head are left out. */
typedef struct {
    asif_text *html;
    uint32_t columns, at;
    uint64_t numbers;
    asif_text cells; /* heads and cells, each followed by a 0 */
    uint32_t heads;  /* bytes of the heads */
} asif_html_table;
void asif_html_table_begin(asif_html_table *table, asif_text *html, const char *caption, uint32_t columns,
                           const char *const *heads, uint64_t numbers);
void asif_html_cell(asif_html_table *table, const char *cell);
/* Add a cell from words that are freed. */
void asif_html_cell_words(asif_html_table *table, asif_text *words);
void asif_html_table_end(asif_html_table *table);

/* Add an inline script, and its digest to `policy` as 'sha256-...' for the content policy. The script must
 * not contain an end tag. */
void asif_html_script(asif_text *html, asif_text *policy, const char *script, uint64_t length);
/* Add a block of JSON, which scripts read by its id. */
void asif_html_json(asif_text *html, const char *id, const char *json);

#endif
