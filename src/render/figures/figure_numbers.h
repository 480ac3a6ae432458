/* Estimated numbers, as read from the JSON of other commands, and their names in figures. */
#ifndef ASIF_SRC_RENDER_FIGURES_FIGURE_NUMBERS_H
#define ASIF_SRC_RENDER_FIGURES_FIGURE_NUMBERS_H

#include "render/words/fit_numbers.h"

/* The i-th number in a map from columns to objects with `parameter` and `label`. */
asif_summary_number asif_figure_number_in(const asif_yaml *map, uint32_t i);
/* Whether the column of a number holds the logarithm of the parameter. */
bool asif_figure_number_log(const asif_summary_number *number);
/* Add the name of a number: "choice randomness (alpha)", "choice randomness (log alpha)", "wrong". */
void asif_figure_number_name(asif_text *text, const asif_summary_number *number, bool logarithm);

/* Number of items of a list; 0 for anything else. */
uint32_t asif_figure_count(const asif_yaml *node);
/* Number of pairs of a map; 0 for anything else. */
uint32_t asif_figure_pairs(const asif_yaml *node);
/* The number in a scalar; NaN if there is none. */
double asif_figure_scalar(const asif_yaml *node);

#endif
