/* A question that is asked once: its inputs are opened, it runs, and the answer is kept for JSON and text. */
#ifndef ASIF_SRC_QUESTIONS_SINGLE_H
#define ASIF_SRC_QUESTIONS_SINGLE_H

#include "questions/question.h"

typedef struct asif_single asif_single;

/* The contracts are those of asif_ask() and of what reads its answers. */
asif_status asif_single_ask(asif_single **out, const asif_context *context,
                            const asif_question_kind *question, const asif_asked *asked,
                            asif_problems *problems, asif_error *error);
asif_status asif_single_json(char **out, const asif_single *answer, asif_error *error);
asif_status asif_single_text(char **out, const asif_single *answer, const asif_report_options *options,
                             asif_error *error);
asif_status asif_single_table(char **out, const asif_single *answer, asif_error *error);
bool asif_single_no(const asif_single *answer);
void asif_single_free(asif_single *answer);

#endif
