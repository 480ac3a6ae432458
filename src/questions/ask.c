/* `asif_ask` asks a question once, or of each group where its fits are by groups. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "questions/grouped.h"
#include "questions/single.h"

#include <string.h>

struct asif_answer {
    const asif_context *context;
    asif_single *single; /* either this one is NULL, or the other */
    asif_grouped *grouped;
};

const asif_question_info *asif_question(uint32_t index) {
    for (uint32_t i = 0; asif_questions[i]; i++)
        if (i == index)
            return &asif_questions[i]->info;
    return NULL;
}

static const asif_question_kind *find(const char *name) {
    for (uint32_t i = 0; name && asif_questions[i]; i++)
        if (strcmp(asif_questions[i]->info.name, name) == 0)
            return asif_questions[i];
    return NULL;
}

const asif_question_info *asif_question_named(const char *name) {
    const asif_question_kind *question = find(name);
    return question ? &question->info : NULL;
}

asif_status asif_ask(asif_answer **out, const asif_context *context, const char *question,
                     const asif_asked *asked, asif_problems *problems, asif_error *error) {
    *out = NULL;
    const asif_question_kind *kind = find(question);
    if (!kind)
        return asif_fail(error, ASIF_EUNKNOWN, "there is no question `%s`",
                         asif_show(question ? question : "").text);
    if (!asked || asked->struct_size != sizeof *asked)
        return asif_fail(error, ASIF_EDOMAIN, "what is asked about has an unknown size");
    asif_answer *answer = ASIF_NEW(context, asif_answer);
    if (!answer)
        return asif_fail_memory(error);
    answer->context = context;
    asif_status status = ASIF_OK;
    if (kind->of_fit)
        status = asif_grouped_ask(&answer->grouped, context, kind, asked, problems, error);
    if (status == ASIF_OK && !answer->grouped)
        status = asif_single_ask(&answer->single, context, kind, asked, problems, error);
    if (status == ASIF_OK)
        *out = answer;
    else
        asif_answer_free(answer);
    return status;
}

void asif_answer_free(asif_answer *answer) {
    if (!answer)
        return;
    asif_grouped_free(answer->grouped);
    asif_single_free(answer->single);
    asif_free(answer->context, answer);
}

asif_status asif_answer_json(char **out, const asif_answer *answer, asif_error *error) {
    return answer->grouped ? asif_grouped_json(out, answer->grouped, error)
                           : asif_single_json(out, answer->single, error);
}

asif_status asif_answer_text(char **out, const asif_answer *answer, const asif_report_options *options,
                             asif_error *error) {
    return answer->grouped ? asif_grouped_text(out, answer->grouped, options, error)
                           : asif_single_text(out, answer->single, options, error);
}

asif_status asif_answer_table(char **out, const asif_answer *answer, asif_error *error) {
    return answer->grouped ? asif_grouped_table(out, answer->grouped, error)
                           : asif_single_table(out, answer->single, error);
}

bool asif_answer_no(const asif_answer *answer) {
    return answer->grouped ? asif_grouped_no(answer->grouped) : asif_single_no(answer->single);
}
