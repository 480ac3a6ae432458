/* The questions there are, in the order of the command's help. */
#include "questions/question.h"

extern const asif_question_kind asif_question_evaluate, asif_question_project, asif_question_recover,
    asif_question_sbc, asif_question_explain, asif_question_identify, asif_question_outcomes,
    asif_question_predict, asif_question_sensitivity;

const asif_question_kind *const asif_questions[] = {
    &asif_question_outcomes,    &asif_question_predict,
    &asif_question_sensitivity, &asif_question_explain,
    &asif_question_identify,    &asif_question_evaluate,
    &asif_question_project,     &asif_question_recover,
    &asif_question_sbc,         NULL,
};
