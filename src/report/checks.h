/* Predictive checks in words. */
#ifndef ASIF_SRC_REPORT_CHECKS_H
#define ASIF_SRC_REPORT_CHECKS_H

#include "report/summary.h"

/* Whether a text, which may be NULL, is a word. */
bool asif_is(const char *text, const char *word);
/* A share in percent with as many decimals as it deserves, without the sign; `buffer` of ASIF_CELL_SIZE. */
char *asif_checks_percent(char *buffer, double share);
/* How many there are in a group. */
char *asif_checks_count(char *buffer, const asif_yaml *entry);
/* A cell of a group, for a table: "monitor at step 3", "positive, 50-55 % likely after monitor". */
void asif_checks_row(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                     const char *family, const char *cell);
/* An entry of the list `missed`, which says of itself all that is needed, as a sentence. */
void asif_checks_sentence(asif_text *words, const asif_summary *summary, const asif_yaml *miss);

#endif
