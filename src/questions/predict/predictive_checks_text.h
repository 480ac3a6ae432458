/* Predictive checks in words. */
#ifndef ASIF_SRC_QUESTIONS_PREDICT_PREDICTIVE_CHECKS_TEXT_H
#define ASIF_SRC_QUESTIONS_PREDICT_PREDICTIVE_CHECKS_TEXT_H

#include "questions/question.h"
#include "render/words/fit_numbers.h"

asif_question_teller asif_report_predictive_checks;

/* A share in percent with as many decimals as it deserves, without the sign; `buffer` of ASIF_CELL_SIZE. */
char *asif_predictive_checks_percent(char *buffer, double share);
/* How many there are in a group. */
char *asif_predictive_checks_count(char *buffer, const asif_yaml *entry);
/* A cell of a group, for a table: "monitor at step 3", "positive, 50-55 % likely after monitor". */
void asif_predictive_checks_row(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                                const char *family, const char *cell);
/* An entry of the list `missed`, which says of itself all that is needed, as a sentence. */
void asif_predictive_checks_sentence(asif_text *words, const asif_summary *summary, const asif_yaml *miss);
/* The same without anything that was counted: "at step 3 they take monitor more often than the fitted agent".
 */
void asif_predictive_checks_told(asif_text *words, const asif_summary *summary, const asif_yaml *miss);
/* That family as a sentence. */
void asif_predictive_checks_apart(asif_text *words, const asif_yaml *family);
/* Of a list `missed`, the worst; lengths, which follow from the rest, only if there is nothing else, and
 * subjects before them. */
const asif_yaml *asif_predictive_checks_worst(const asif_yaml *missed);
/* "actions by step"; NULL: there is no such family. */
const char *asif_predictive_checks_family(const char *name);
/* Whether the agent or the environment misses, in words; NULL: there is nothing to say. */
const char *asif_predictive_checks_fault(const asif_yaml *checks);
/* What the checks of a fit say, in its summary. */
void asif_summary_checks(asif_text *text, const asif_summary *summary);

#endif
