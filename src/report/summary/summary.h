/* The parts of the summary of a fit. */
#ifndef ASIF_SRC_REPORT_SUMMARY_SUMMARY_H
#define ASIF_SRC_REPORT_SUMMARY_SUMMARY_H

#include "render/words/fit_numbers.h"

/* summary_density.c: add the draws of a number as a row of bars, which ends about `indent` columns from the
 * left margin; and, once, a note on them. Nothing without a histogram, on a narrow terminal, or for very many
 * numbers. */
void asif_summary_density(asif_text *text, const asif_summary *summary, const asif_summary_number *number,
                          uint32_t indent);
void asif_summary_density_note(asif_text *text, const asif_summary *summary);

/* The parts of the text. */
void asif_summary_did(asif_text *text, const asif_summary *summary);
void asif_summary_cannot(asif_text *text, const asif_summary *summary);
/* summary_world.c: add sentences on dynamics that were learnt from the same logs. */
void asif_summary_world(asif_text *points, const asif_summary *summary);
/* Add sentences on what the data leave open, each followed by a 0; with `warnings`, also the warnings of the
 * fit. */
void asif_summary_open(asif_text *points, const asif_summary *summary, bool warnings);

#endif
