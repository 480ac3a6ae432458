/* The short form of outcomes in the summary of a fit. */
#ifndef ASIF_SRC_QUESTIONS_OUTCOMES_OUTCOMES_BRIEF_H
#define ASIF_SRC_QUESTIONS_OUTCOMES_OUTCOMES_BRIEF_H

#include "render/words/fit_numbers.h"

/* Parts of a summary; each adds nothing if the fit has no outcomes. asif_summary_measures(): measures of an
 * episode, also for ideal agents. asif_summary_evidence(), asif_summary_reads(): how good an agent thinks its
 * evidence is, below the line of its optimism and as a clause. asif_summary_costs(),
 * asif_summary_cost_words(): the most costly bound. */
void asif_summary_measures(asif_text *text, const asif_summary *summary);
void asif_summary_evidence(asif_text *text, const asif_summary *summary, const asif_summary_number *number);
void asif_summary_reads(asif_text *words, const asif_yaml *evidence);
void asif_summary_costs(asif_text *text, const asif_summary *summary);
void asif_summary_cost_words(asif_text *words, const asif_summary *summary);

#endif
