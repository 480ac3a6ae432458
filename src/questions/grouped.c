#include "questions/grouped.h"

#include "base/data/csv.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <string.h>

typedef struct {
    const asif_fits_one *fit;
    asif_single *answer;
} group;

struct asif_grouped {
    const asif_context *context;
    asif_fits *fits;
    asif_fits_view view;
    group *group;
    uint32_t groups; /* that are answered */
};

/* ---- asking ---- */

/* Ask about one group: the first operand is its folder, and all else is the same. */
static asif_status ask_one(asif_grouped *g, const asif_fits_one *fit, const asif_question_kind *question,
                           const asif_asked *asked, asif_problems *problems, asif_error *error) {
    const char **operand = ASIF_ARRAY(g->context, asked->operands, const char *);
    asif_asked of_group = *asked;
    asif_single *answer = NULL;
    if (!operand)
        return asif_fail_memory(error);
    memcpy(operand, asked->operand, asked->operands * sizeof *operand);
    operand[0] = fit->path;
    of_group.operand = operand;
    asif_status status = asif_single_ask(&answer, g->context, question, &of_group, problems, error);
    if (status == ASIF_OK)
        g->group[g->groups++] = (group){fit, answer};
    asif_free(g->context, operand);
    return status;
}

static asif_status ask_all(asif_grouped *g, const asif_question_kind *question, const asif_asked *asked,
                           asif_problems *problems, asif_error *error) {
    asif_status status = ASIF_OK;
    ASIF_TRY(asif_fits_check(g->fits, asked->operand[0], true, problems, error));
    g->group = ASIF_ARRAY(g->context, g->view.fits, group);
    if (!g->group)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < g->view.fits && (status == ASIF_OK || status == ASIF_EUNKNOWN); i++)
        if (g->view.fit[i].finished)
            status = ask_one(g, &g->view.fit[i], question, asked, problems, error);
    return status == ASIF_EUNKNOWN && g->groups > 0 ? ASIF_OK : status;
}

asif_status asif_grouped_ask(asif_grouped **out, const asif_context *context,
                             const asif_question_kind *question, const asif_asked *asked,
                             asif_problems *problems, asif_error *error) {
    *out = NULL;
    bool read = asked->result && asked->operands > 0 && asked->result[0];
    if (read || asked->operands == 0 || !asked->operand[0] ||
        asif_os_look(asked->operand[0]) != ASIF_OS_FOLDER ||
        asif_folder_has_people(context, asked->operand[0]))
        return ASIF_OK;
    asif_grouped *g = ASIF_NEW(context, asif_grouped);
    if (!g)
        return asif_fail_memory(error);
    g->context = context;
    g->view.struct_size = sizeof g->view;
    asif_status status = asif_fits_find(&g->fits, context, asked->operand[0], error);
    if (status == ASIF_OK)
        status = asif_fits_get(g->fits, &g->view, error);
    if (status == ASIF_OK && g->view.grouped)
        status = ask_all(g, question, asked, problems, error);
    if (status == ASIF_OK && g->view.grouped)
        *out = g;
    else
        asif_grouped_free(g);
    return status;
}

void asif_grouped_free(asif_grouped *grouped) {
    if (!grouped)
        return;
    for (uint32_t i = 0; i < grouped->groups; i++)
        asif_single_free(grouped->group[i].answer);
    asif_fits_free(grouped->fits);
    asif_free(grouped->context, grouped->group);
    asif_free(grouped->context, grouped);
}

/* ---- the answers together ---- */

/* Add the JSON of an answer as the value of a key. */
static asif_status add_answer(asif_text *text, const asif_single *answer, asif_error *error) {
    char *json = NULL;
    ASIF_TRY(asif_single_json(&json, answer, error));
    size_t length = strlen(json);
    while (length > 0 && json[length - 1] == '\n')
        length--;
    asif_text_add_n(text, json, length);
    asif_free(text->context, json);
    return ASIF_OK;
}

/* Add a string as JSON. */
static void add_string(asif_text *text, const char *string) {
    asif_json writer;
    asif_json_init(&writer, text);
    asif_json_string(&writer, NULL, string);
}

asif_status asif_grouped_json(char **out, const asif_grouped *grouped, asif_error *error) {
    asif_text text = {.context = grouped->context};
    asif_status status = ASIF_OK;
    *out = NULL;
    asif_text_add(&text, "{\n  \"by\": ");
    add_string(&text, grouped->view.by);
    asif_text_add(&text, ",\n  \"groups\": [");
    for (uint32_t i = 0; status == ASIF_OK && i < grouped->groups; i++) {
        asif_text_add(&text, i ? ",\n{\"group\": " : "\n{\"group\": ");
        add_string(&text, grouped->group[i].fit->value);
        asif_text_add(&text, ", \"answer\": ");
        status = add_answer(&text, grouped->group[i].answer, error);
        asif_text_add(&text, "}");
    }
    asif_text_add(&text, "\n  ]\n}\n");
    if (status == ASIF_OK)
        return asif_text_finish(out, &text, error);
    asif_text_free(&text);
    return status;
}

asif_status asif_grouped_text(char **out, const asif_grouped *grouped, const asif_report_options *options,
                              asif_error *error) {
    const asif_fits_view *view = &grouped->view;
    asif_text text = {.context = grouped->context};
    asif_status status = ASIF_OK;
    *out = NULL;
    for (uint32_t i = 0; status == ASIF_OK && i < grouped->groups; i++) {
        char *answer = NULL;
        asif_text_addf(&text, "%s== %s%s%s ==\n\n", i ? "\n\n" : "", view->by ? asif_show(view->by).text : "",
                       view->by ? ": " : "", asif_show(grouped->group[i].fit->value).text);
        status = asif_single_text(&answer, grouped->group[i].answer, options, error);
        asif_text_add(&text, answer ? answer : "");
        asif_free(grouped->context, answer);
    }
    if (status == ASIF_OK)
        return asif_text_finish(out, &text, error);
    asif_text_free(&text);
    return status;
}

asif_status asif_grouped_table(char **out, const asif_grouped *grouped, asif_error *error) {
    asif_text text = {.context = grouped->context};
    asif_status status = ASIF_OK;
    *out = NULL;
    for (uint32_t i = 0; status == ASIF_OK && i < grouped->groups; i++) {
        char *table = NULL;
        status = asif_single_table(&table, grouped->group[i].answer, error);
        const char *line = table, *end;
        for (bool head = true; line && (end = strchr(line, '\n')); head = false, line = end + 1) {
            if (head && i > 0)
                continue;
            asif_csv_field(&text, head ? "group" : grouped->group[i].fit->value, false);
            asif_text_add_n(&text, line, (uint64_t)(end + 1 - line));
        }
        asif_free(grouped->context, table);
    }
    if (status == ASIF_OK)
        return asif_text_finish(out, &text, error);
    asif_text_free(&text);
    return status;
}

bool asif_grouped_no(const asif_grouped *grouped) {
    for (uint32_t i = 0; i < grouped->groups; i++)
        if (asif_single_no(grouped->group[i].answer))
            return true;
    return false;
}
