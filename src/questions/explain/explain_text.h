/* Shared by the texts of explanations. */
#ifndef ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_TEXT_H
#define ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_TEXT_H

#include "render/words/fit_numbers.h"

#define ASIF_LEAST_LABEL 6 /* fewest columns of a label in a narrow table */

typedef struct {
    const asif_context *context;
    const asif_yaml *root;
    asif_text *text;
    bool unicode;
    uint32_t width;
} asif_explain_page;

/* ---- explain_pieces.c ---- */
/* Write percent: "0", "<0.1", "4.2", "51", "98.6", ">99.9", "100"; with `whole` only whole numbers. Returns
 * `buffer`, of ASIF_CELL_SIZE. */
char *asif_explain_percent(char *buffer, double p, bool whole);
/* Write a mean with its band: "73 (69-76)", "98.6 % (98-99)"; "51" if the ends of the band are equal or
 * unknown. */
char *asif_explain_banded(char *buffer, const asif_yaml *band, bool whole, const char *unit);
double asif_explain_mean(const asif_yaml *node, const char *key);
/* Write a cost with two decimals. */
char *asif_explain_amount(char *buffer, double cost);
const char *asif_explain_or_nothing(const char *text);
/* What was seen before a step; at the first step, the seen part of the state. NULL: nothing. */
const char *asif_explain_seen(const asif_yaml *step);
/* Add cells to a table. */
void asif_explain_label(const asif_explain_page *p, asif_table *table, const char *label, uint32_t width);
void asif_explain_count(asif_table *table, const asif_yaml *node, const char *key);
/* Add a sentence on lines of its own, or a heading; the words are freed. */
void asif_explain_say(const asif_explain_page *p, asif_text *words);
void asif_explain_heading(const asif_explain_page *p, asif_text *words);
/* Add a table, with labels as wide as the page allows. */
void asif_explain_fitted(const asif_explain_page *p,
                         void (*make)(const asif_explain_page *p, asif_table *table, uint32_t labels));

/* ---- explain_find.c ---- */
void asif_explain_episodes(const asif_explain_page *p, bool belated);

#endif
