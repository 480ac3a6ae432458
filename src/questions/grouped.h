/* A question about the fits of groups: it is asked of each, and the answers stand one after the other. */
#ifndef ASIF_SRC_QUESTIONS_GROUPED_H
#define ASIF_SRC_QUESTIONS_GROUPED_H

#include "questions/single.h"

typedef struct asif_grouped asif_grouped;

/* Ask about each group if the first operand is the folder of fits by groups; else *out is NULL. A group that
 * does not know a name, such as the subject of another group, is left out if another one knows it.
 * @return What asif_ask() returned. */
asif_status asif_grouped_ask(asif_grouped **out, const asif_context *context,
                             const asif_question_kind *question, const asif_asked *asked,
                             asif_problems *problems, asif_error *error);
asif_status asif_grouped_json(char **out, const asif_grouped *grouped, asif_error *error);
asif_status asif_grouped_text(char **out, const asif_grouped *grouped, const asif_report_options *options,
                              asif_error *error);
/* The tables as one, whose first column is the group. */
asif_status asif_grouped_table(char **out, const asif_grouped *grouped, asif_error *error);
/* Whether the answer is no for any group. */
bool asif_grouped_no(const asif_grouped *grouped);
/* Free; NULL is allowed. */
void asif_grouped_free(asif_grouped *grouped);

#endif
