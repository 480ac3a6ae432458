#include "questions/single.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/study.h"

#include <string.h>

struct asif_single {
    const asif_question_kind *question;
    asif_asking asking;
    void *result;
};

/* ---- inputs ---- */

static asif_status copy_operands(asif_asking *asking, const asif_asked *asked, asif_error *error) {
    const char **operand = ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)asked->operands + 1, const char *);
    bool good = operand;
    for (uint32_t i = 0; good && i < asked->operands; i++) {
        if (!asked->operand[i])
            return asif_fail(error, ASIF_EINVALID, "operand %u is missing", i + 1);
        operand[i] = asif_arena_text(&asking->arena, asked->operand[i], strlen(asked->operand[i]));
        good = operand[i];
    }
    asking->operand = operand;
    asking->operands = asked->operands;
    return good ? ASIF_OK : asif_fail_memory(error);
}

static asif_status check_operands(const asif_question_info *info, uint32_t operands, asif_error *error) {
    if (operands >= info->least_operands && operands <= info->most_operands)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "`%s` is asked about %s", info->name, info->operands);
    return ASIF_EINVALID;
}

static asif_status prepare(asif_single *answer, const asif_asked *asked, asif_error *error) {
    asif_asking *asking = &answer->asking;
    void *options = asif_arena_alloc(&asking->arena, 1, answer->question->options_size);
    if (!options)
        return asif_fail_memory(error);
    asking->options = options;
    ASIF_TRY(check_operands(&answer->question->info, asked->operands, error));
    if (asked->database && !answer->question->info.reads_logs)
        return asif_fail(error, ASIF_EINVALID, "`%s` reads no logs of a database",
                         answer->question->info.name);
    ASIF_TRY(copy_operands(asking, asked, error));
    return asif_options_read(options, answer->question, &asking->arena, asked->given, asked->givens, error);
}

/* ---- answers ---- */

asif_status asif_single_ask(asif_single **out, const asif_context *context,
                            const asif_question_kind *question, const asif_asked *asked,
                            asif_problems *problems, asif_error *error) {
    *out = NULL;
    asif_single *answer = ASIF_NEW(context, asif_single);
    if (!answer)
        return asif_fail_memory(error);
    answer->question = question;
    answer->asking = (asif_asking){.context = context,
                                   .arena.context = context,
                                   .problems = problems,
                                   .result = asked->result,
                                   .database = asked->database,
                                   .tell = asked->tell,
                                   .user = asked->user};
    asif_status status = prepare(answer, asked, error);
    if (status == ASIF_OK)
        status = question->run(&answer->result, &answer->asking, error);
    answer->asking.result = NULL;
    answer->asking.database = NULL;
    answer->asking.problems = NULL;
    answer->asking.tell = NULL;
    if (status == ASIF_OK)
        *out = answer;
    else
        asif_single_free(answer);
    return status;
}

void asif_single_free(asif_single *answer) {
    if (!answer)
        return;
    asif_asking *asking = &answer->asking;
    if (answer->result)
        answer->question->free(answer->result);
    asif_asking_disown(asking);
    asif_tree_free(asking->tree);
    asif_log_map_free(asking->map);
    asif_arena_free(&asking->arena);
    asif_free(asking->context, answer);
}

/* Add the labels of the study to the JSON of an answer, an object, as its last key. */
static asif_status add_labels(char **json, const asif_single *answer, asif_error *error) {
    const asif_context *context = answer->asking.context;
    const char *end = strrchr(*json, '}');
    asif_text text = {.context = context}, labels = {.context = context};
    asif_json writer;
    if (!answer->asking.study || !end)
        return ASIF_OK;
    while (end > *json && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    asif_json_init(&writer, &labels);
    asif_json_object(&writer, NULL);
    asif_study_labels_json(&writer, answer->asking.study);
    asif_json_end(&writer);
    asif_text_add_n(&text, *json, (uint64_t)(end - *json));
    asif_text_add(&text, ",");
    asif_text_add(&text, labels.data ? labels.data + 1 : ""); /* without the brace that opens it */
    text.failed |= labels.failed;
    asif_text_free(&labels);
    asif_free(context, *json);
    *json = NULL;
    return asif_text_finish(json, &text, error);
}

asif_status asif_single_json(char **out, const asif_single *answer, asif_error *error) {
    *out = NULL;
    ASIF_TRY(answer->question->json(out, answer->result, error));
    return add_labels(out, answer, error);
}

asif_status asif_single_text(char **out, const asif_single *answer, const asif_report_options *options,
                             asif_error *error) {
    const asif_question_kind *question = answer->question;
    char *json = NULL;
    *out = NULL;
    asif_status status = asif_single_json(&json, answer, error);
    if (status == ASIF_OK)
        status = question->text(out, answer->asking.context, json, strlen(json), question->info.name, options,
                                error);
    asif_free(answer->asking.context, json);
    return status;
}

asif_status asif_single_table(char **out, const asif_single *answer, asif_error *error) {
    *out = NULL;
    if (!answer->question->table)
        return asif_fail(error, ASIF_EUNSUPPORTED, "an answer to `%s` is no table",
                         answer->question->info.name);
    return answer->question->table(out, answer->result, error);
}

bool asif_single_no(const asif_single *answer) {
    return answer->question->no && answer->question->no(answer->result);
}
