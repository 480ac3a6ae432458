/* What the cells of a table's columns raise questions about, when a study is drafted: spellings, codes for
 * missing values, cells that are no numbers. */
#ifndef ASIF_SRC_REPORT_STUDY_DRAFT_COLUMNS_H
#define ASIF_SRC_REPORT_STUDY_DRAFT_COLUMNS_H

#include "asif/logs.h"
#include "base/text.h"

/* Add a text as a YAML scalar, in quotes if needed. */
void asif_draft_scalar(asif_text *text, const char *scalar);
/* Add the cells that keep a column of numbers from being one: "`<5` (12 rows), `haemolysed` (2 rows)"; false:
 * there are none, or it is no column of numbers. */
bool asif_draft_texts(asif_text *words, const asif_table_column *column, uint64_t rows);
/* Whether a column has numbers, and so few other texts that all of them are known. */
bool asif_draft_mixed(const asif_table_column *column, uint64_t rows);
/* The most frequent spelling of value i: values that differ in upper and lower case alone, or in blanks,
 * hyphens and underscores, are spellings of each other. */
uint32_t asif_draft_spelling(const asif_table_column *column, uint32_t i);
/* Describe a column, with questions. */
void asif_draft_describe(asif_text *words, const asif_table_column *column, uint64_t rows);
/* Add the section `columns` of a study's `logs`, if cells need it; cut[i]: column i is cut into classes. */
void asif_draft_cells(asif_text *text, const asif_columns *columns, const bool *cut);

#endif
