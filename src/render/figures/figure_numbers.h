/* Estimated numbers as the JSON of other commands has them, and what they are called in figures. */
#ifndef ASIF_SRC_RENDER_FIGURES_FIGURE_NUMBERS_H
#define ASIF_SRC_RENDER_FIGURES_FIGURE_NUMBERS_H

#include "render/words/fit_numbers.h"

/* The i-th of a map from columns to objects with `parameter` and `label`. */
asif_summary_number asif_figure_number_in(const asif_yaml *map, uint32_t i);
/* Whether its column holds the logarithm of the parameter. */
bool asif_figure_number_log(const asif_summary_number *number);
/* "choice randomness (alpha)", "choice randomness (log alpha)", "wrong"; added to the text. */
void asif_figure_number_name(asif_text *text, const asif_summary_number *number, bool logarithm);

/* Items of a list; 0 of what is none. */
uint32_t asif_figure_count(const asif_yaml *node);
/* Pairs of a map; 0 of what is none. */
uint32_t asif_figure_pairs(const asif_yaml *node);
/* A scalar as a number; NaN if it is none. */
double asif_figure_scalar(const asif_yaml *node);

#endif
