/* The sections of the page. Each adds its HTML, or nothing if there is nothing to say. */
#ifndef ASIF_SRC_REPORT_PAGE_PAGE_H
#define ASIF_SRC_REPORT_PAGE_PAGE_H

#include "render/figures/figure.h"
#include "render/html.h"
#include "render/source.h"

typedef struct {
    const asif_context *context;
    const asif_source *source;
    const asif_figures *figures; /* NULL: the page has no figures */
    const struct asif_people_source
        *people; /* a population, in place of the fits of the source; NULL: none */
    asif_text html;
} asif_page;

typedef asif_status asif_page_section(asif_page *page, asif_error *error);

asif_page_section asif_page_header;   /* title, subject, and a warning if the fit cannot be trusted */
asif_page_section asif_page_headline; /* the answer in three sentences and a figure */
asif_page_section asif_page_did;      /* what they do, and what ideal agents would do */
asif_page_section asif_page_why;      /* as if why: intervals, verdicts, a paragraph in plain words */
asif_page_section asif_page_cannot;   /* what the logs cannot tell */
asif_page_section asif_page_trust;    /* whether the fit can be trusted */
asif_page_section asif_page_problem;  /* the decision problem as understood */
asif_page_section asif_page_data;     /* the data as read, and the rows left out */
asif_page_section asif_page_made;     /* how the fit was made */

asif_page_section asif_page_glossary; /* words that a reader may not know */

/* Add the figures of a section, each with its table. */
void asif_page_figures(asif_page *page, const char *section);
/* Add the words for the estimated numbers to a glossary, and the reference of the method. */
void asif_page_glossary_numbers(asif_page *page);
void asif_page_citation(asif_page *page);
/* The title of the study. */
const char *asif_page_title(const asif_page *page);
/* Add how groups differ, if the page has a comparison. */
void asif_page_compare_groups(asif_page *page);
#define ASIF_LABELLED_STATES 12 /* most states of which labels are shown */
/* Add how far labels of the hidden state agree with the environment; nothing if there are none. */
void asif_page_labels(asif_page *page, const asif_source_fit *fit);
/* Add the heading of a group's part; nothing if there is only one fit. */
void asif_page_group(asif_page *page, const asif_source_fit *fit);

/* A table about all groups. Rows are added group by group; those with the same name then stand together, and
 * if all groups have the same row, it stands there once. The second column is the group. */
typedef struct {
    asif_page *page;
    uint32_t columns, count;
    asif_text cells; /* each followed by a 0 */
} asif_page_rows;
void asif_page_rows_begin(asif_page_rows *rows, asif_page *page, uint32_t columns);
/* Add a row: its name and its other cells without the group. */
void asif_page_row(asif_page_rows *rows, const asif_source_fit *fit, const char *const *cells);
/* Add the table to the page, if it has rows; caption, heads and numbers are those of asif_html_table_begin().
 */
void asif_page_rows_end(asif_page_rows *rows, const char *caption, const char *const *heads,
                        uint64_t numbers);

/* Add a sentence on a fit, with the name of its group if there are several; the words are freed. */
void asif_page_point(asif_page *page, const asif_source_fit *fit, asif_text *words);

/* Whether an entry of the list `missed` has enough decisions to be shown. */
bool asif_page_tells(const asif_source_fit *fit, const asif_yaml *miss);

/* ---- words for numbers, why_words.c ---- */

/* Add the assumptions of a fit: "The model assumes these utilities: correct 10 and wrong -36. It also assumes
 * that utility a step later counts 0.95 times as much as now." */
void asif_why_given(asif_text *words, const asif_source_fit *fit);
/* Whether an assumption is a utility, and not one of the parameters that every study has. */
bool asif_why_is_utility(const char *name);
/* Add a short clause on one number, for "they act as if ...". */
void asif_why_main(asif_text *words, const asif_source_fit *fit, const asif_summary_number *number);
/* Add the meaning of a number, in a sentence or two. */
void asif_why_meaning(asif_text *words, const asif_source_fit *fit, const asif_summary_number *number);
/* Add a clause on how they act, for "they act as if ...": "they took the better of two actions ...". False:
 * the data do not determine it, and the clause names what is left open. */
bool asif_why_clause(asif_text *words, const asif_source_fit *fit, const asif_summary_number *number);

#endif
