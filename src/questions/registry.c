/* All questions, in the order of the command's help. */
#include "questions/question.h"

/* One question per line. */
/* clang-format off */
#define QUESTIONS(DO) \
    DO(compare) \
    DO(outcomes) \
    DO(predict) \
    DO(sensitivity) \
    DO(explain) \
    DO(identify) \
    DO(evaluate) \
    DO(project) \
    DO(recover) \
    DO(sbc) \

#define DECLARED(name) extern const asif_question_kind asif_question_##name;
#define ROW(name) &asif_question_##name,
QUESTIONS(DECLARED)
const asif_question_kind *const asif_questions[] = {
    QUESTIONS(ROW)
    NULL,
};
/* clang-format on */
