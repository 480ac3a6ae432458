/* Words on the results of a sensitivity analysis; also for the summary of a fit, which contains a short
 * one. */
#ifndef ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_TEXT_H
#define ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_TEXT_H

#include "questions/sensitivity/sensitivity.h"
#include "render/words/fit_numbers.h"

/* Find a variation by its name; NULL: there is none. Find the index of a number by its name; ASIF_ANY: there
 * is none. */
const asif_sensitivity_variation *asif_sensitivity_along(const asif_sensitivity_view *s, const char *name);
uint32_t asif_sensitivity_place(const asif_sensitivity_view *s, const char *number);
/* The number that a statement is about, as it is named in texts. */
asif_summary_number asif_sensitivity_called(const asif_sensitivity_statement *k);

/* Add how the sign of a number changes: "wrong = -28 instead of -36: near neutral (0.14), 0.5 nats worse;
 * -20: pessimistic (-0.66), 0.6 nats worse"; nothing if it does not change. */
void asif_sensitivity_steps(asif_text *text, const asif_sensitivity_view *s, uint32_t number);
/* Add the names of the other assumptions that change the sign, separated by commas; returns their number. */
uint32_t asif_sensitivity_others(asif_text *text, const asif_sensitivity_view *s, uint32_t number);
/* Add how a number depends on an assumed bound: "alpha: at 0.25 it is 1.9 instead of 1.05, and the fit is 0.3
 * nats worse". False: it depends on none. */
bool asif_sensitivity_depends(asif_text *text, const asif_sensitivity_view *s, uint32_t number);
/* The largest change of a number, in standard deviations. */
double asif_sensitivity_moved(const asif_sensitivity_view *s);
/* Add that change: "correct = 5.556 instead of 10: log alpha 0.06 instead of -0.52 (4.0 standard deviations),
 * 1.1 nats worse". */
void asif_sensitivity_largest(asif_text *text, const asif_sensitivity_view *s);

#endif
