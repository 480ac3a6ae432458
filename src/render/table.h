/* Tables in plain text, and numbers as people read them. */
#ifndef ASIF_SRC_RENDER_TABLE_H
#define ASIF_SRC_RENDER_TABLE_H

#include "base/text.h"

#define ASIF_CELL_SIZE 64

/* Number of columns that a text takes on a terminal. */
uint32_t asif_display_width(const char *string);
/* Cut a label to a width, with a mark where something is missing; returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_label_cut(char *buffer, const char *label, uint32_t width, bool unicode);
#define ASIF_LABEL_LINES 3
/* Break a label into lines of a width, after blanks, dots, dashes and underscores; returns the number of
 * lines. Text that does not fit into the last line is cut. */
uint32_t asif_label_wrap(char lines[ASIF_LABEL_LINES][ASIF_CELL_SIZE], const char *label, uint32_t width,
                         bool unicode);
/* A probability: "0 %", "<0.1 %", "51.6 %", ">99.9 %", "100 %". */
char *asif_percent_text(char *buffer, double probability);
/* A number in a few digits: 19.37, -0.0042, 1.05e+06, inf. */
char *asif_short_number(char *buffer, double number);
/* A number of bytes: "12 kB", "1.3 GB". */
char *asif_bytes_text(char *buffer, double bytes);
/* A count in groups of three: "1,000,000". */
char *asif_count_text(char *buffer, uint64_t count);
/* The same of a number that was read: "?" if it is not a count. */
char *asif_read_count_text(char *buffer, double count);

/* A table, to which cells are added row by row. */
typedef struct {
    uint32_t columns;
    uint32_t indent, gap; /* spaces before a row and between its cells */
    uint64_t left;        /* bit i: column i is aligned to the left (first 64 columns only) */
    asif_text cells;      /* cells, each followed by a 0 */
    uint64_t count;
} asif_table;

void asif_table_init(asif_table *table, const asif_context *context, uint32_t columns);
void asif_table_cell(asif_table *table, const char *cell);
void asif_table_cellf(asif_table *table, const char *format, ...) ASIF_PRINTF(2, 3);
/* Number of columns that the table would take on a terminal; UINT32_MAX if there is no memory. */
uint32_t asif_table_width(const asif_table *table);
/* Add the table to a text, and free it. */
void asif_table_end(asif_table *table, asif_text *text);
void asif_table_free(asif_table *table);

/* Remove the blanks at the end of a text. */
void asif_text_trim(asif_text *text);
/* Add words after a heading, broken at blanks to fit `width`; further lines are indented like the first
 * word. */
void asif_add_wrapped(asif_text *text, const char *heading, uint32_t indent, const char *words,
                      uint32_t width);
/* Add a title between empty lines. */
void asif_add_title(asif_text *text, const char *title, uint32_t width);

#define ASIF_SAID_SIZE (ASIF_CELL_SIZE + 8)
/* A user's label as part of a sentence: cut if it is long, and isolated, so that its writing direction does
 * not change that of the sentence. Returns `buffer`. */
const char *asif_said(char buffer[ASIF_SAID_SIZE], const char *label);

#endif
