/* Predictive checks in words. */
#ifndef ASIF_SRC_QUESTIONS_PREDICT_PREDICTIVE_CHECKS_TEXT_H
#define ASIF_SRC_QUESTIONS_PREDICT_PREDICTIVE_CHECKS_TEXT_H

#include "questions/question.h"
#include "render/words/fit_numbers.h"

asif_question_teller asif_report_predictive_checks;

/* people_checks_text.c: whether an answer is about people and their population, and the text of it. */
bool asif_is_people_checks(const asif_yaml *root);
void asif_tell_people_checks(asif_text *text, const asif_yaml *root, const asif_report_options *options);

/* Write a share in percent with suitable decimals, without the sign; returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_predictive_checks_percent(char *buffer, double share);
/* Write the number of decisions or episodes in a group; returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_predictive_checks_count(char *buffer, const asif_yaml *entry);
/* Add the name of a cell of a group, for a table: "monitor at step 3", "positive, 50-55 % likely after
 * monitor". */
void asif_predictive_checks_row(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                                const char *family, const char *cell);
/* Add a sentence on an entry of the list `missed`, which contains everything needed. */
void asif_predictive_checks_sentence(asif_text *words, const asif_summary *summary, const asif_yaml *miss);
/* Add such a sentence without any counts: "at step 3 they take monitor more often than the fitted agent". */
void asif_predictive_checks_told(asif_text *words, const asif_summary *summary, const asif_yaml *miss);
/* Add a sentence on the family of checks between subjects. */
void asif_predictive_checks_apart(asif_text *words, const asif_yaml *family);
/* The worst entry of a list `missed`. Lengths follow from the rest, so they come last; subjects come before
 * them. */
const asif_yaml *asif_predictive_checks_worst(const asif_yaml *missed);
/* The name of a family: "actions by step"; NULL: there is no such family. */
const char *asif_predictive_checks_family(const char *name);
/* Whether the agent or the environment causes the misses, in words; NULL: there is nothing to say. */
const char *asif_predictive_checks_fault(const asif_yaml *checks);
/* Add the results of the checks to the summary of a fit. */
void asif_summary_checks(asif_text *text, const asif_summary *summary);

#endif
