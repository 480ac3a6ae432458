/* Finished fits, read from their folders: summary, draws, figures, pages and questions. */
#include "asifr.h"

#include <string.h>

static asif_status load(asifr_job *job, SEXP args, asif_result_view *view) {
    *view = (asif_result_view){.struct_size = sizeof *view};
    asif_status status =
        asif_result_load(&job->result, job->context, asifr_text(args, "folder"), NULL, &job->error);
    return status == ASIF_OK ? asif_result_get(job->result, view, &job->error) : status;
}

/* ---- numbers ---- */

asif_status asifr_summary(asifr_job *job, SEXP args) {
    static const char *const names[] = {"text", "json", "trusted"};
    asif_report_options report = asifr_report_options(args, false);
    uint64_t length = 0;
    bool trusted = false;
    asif_status status = asif_fit_read(&job->text[0], &length, job->context, asifr_text(args, "folder"),
                                       ASIF_FIT_JSON, &job->error);
    if (status == ASIF_OK)
        status = asif_report_summary(&job->text[1], &trusted, job->context, job->text[0], length,
                                     ASIF_FIT_JSON, &report, &job->error);
    if (status != ASIF_OK)
        return status;
    SEXP out = asifr_give(job, asifr_list(3, names));
    SET_VECTOR_ELT(out, 0, asifr_string(job->text[1]));
    SET_VECTOR_ELT(out, 1, asifr_string(job->text[0]));
    SET_VECTOR_ELT(out, 2, Rf_ScalarLogical(trusted));
    return ASIF_OK;
}

static SEXP names_of_columns(const asif_draws_view *view) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, view->columns));
    for (uint32_t i = 0; i < view->columns; i++)
        SET_STRING_ELT(out, i, Rf_mkCharCE(view->name[i], CE_UTF8));
    UNPROTECT(1);
    return out;
}

/* The library has the draws of a column chain by chain: so has an array of R with draws, chains, columns. */
static void give_draws(asifr_job *job, const asif_draws_view *view) {
    static const char *const names[] = {"value", "draws", "chains", "columns"};
    size_t count = (size_t)view->draws * view->chains * view->columns;
    SEXP out = asifr_give(job, asifr_list(4, names));
    SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)count));
    memcpy(REAL(VECTOR_ELT(out, 0)), view->value, count * sizeof(double));
    SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)view->draws));
    SET_VECTOR_ELT(out, 2, Rf_ScalarReal(view->chains));
    SET_VECTOR_ELT(out, 3, names_of_columns(view));
}

/* The value stays NULL where the fit has no draws. */
asif_status asifr_draws(asifr_job *job, SEXP args) {
    asif_result_view result;
    asif_draws_view view = {.struct_size = sizeof view};
    asif_status status = load(job, args, &result);
    if (status != ASIF_OK || !result.fitted->draws)
        return status;
    status = asif_draws_get(result.fitted->draws, &view, &job->error);
    if (status == ASIF_OK)
        give_draws(job, &view);
    return status;
}

/* ---- figures and pages ---- */

/* A simulated case, followed step by step; not every planner has one. */
static asif_status explain_case(asifr_job *job, const char *folder) {
    const asif_result *const results[] = {job->result};
    const asif_given given[] = {{"seed", "0"}, {"max-steps", "40"}};
    asif_asked asked = ASIF_ASKED_INIT;
    asked.operand = &folder;
    asked.operands = 1;
    asked.result = results;
    asked.given = given;
    asked.givens = 2;
    asif_status status = asif_ask(&job->answer, job->context, "explain", &asked, NULL, &job->error);
    if (status == ASIF_OK)
        return asif_answer_json(&job->text[0], job->answer, &job->error);
    return status == ASIF_EUNSUPPORTED ? ASIF_OK : status;
}

/* What a page and its figures are made of; the arrays are those of the caller. */
static asif_status make_figures(asifr_job *job, SEXP args, asif_page_request *request,
                                const asif_result *results[1], const char *path[1], const char *made[1]) {
    const char *folder = asifr_text(args, "folder");
    asif_result_view view;
    uint64_t length = 0;
    asif_status status = load(job, args, &view);
    if (status == ASIF_OK)
        status = asif_fit_read(&job->text[1], &length, job->context, folder, "run.json", &job->error);
    if (status == ASIF_OK || status == ASIF_ENOFILE)
        status = explain_case(job, folder);
    if (status != ASIF_OK)
        return status;
    results[0] = job->result;
    path[0] = job->text[0];
    made[0] = job->text[1];
    request->result = results;
    request->results = 1;
    request->path = path;
    request->made = made;
    request->extra = asifr_texts(args, "extra", &request->extras);
    request->extra_name = asifr_texts(args, "extra_name", &request->extras);
    request->min_cell = (uint32_t)asifr_number(args, "min_cell", request->min_cell);
    return asif_figures_make(&job->figures, job->context, request, &job->error);
}

/* The figures as a named list of Vega-Lite specifications. */
asif_status asifr_figures(asifr_job *job, SEXP args) {
    asif_page_request request = ASIF_PAGE_REQUEST_INIT;
    const asif_result *results[1];
    const char *path[1], *made[1];
    asif_status status = make_figures(job, args, &request, results, path, made);
    uint32_t count = status == ASIF_OK ? asif_figures_count(job->figures) : 0;
    const char **name = (const char **)R_alloc((size_t)count + 1, sizeof *name);
    asif_figure_view *view = (asif_figure_view *)R_alloc((size_t)count + 1, sizeof *view);
    for (uint32_t i = 0; status == ASIF_OK && i < count; i++) {
        view[i].struct_size = sizeof *view;
        status = asif_figures_get(job->figures, i, &view[i], &job->error);
        name[i] = view[i].name;
    }
    if (status != ASIF_OK)
        return status;
    SEXP out = asifr_give(job, asifr_list(count, name));
    for (uint32_t i = 0; i < count; i++)
        SET_VECTOR_ELT(out, i, asifr_string(view[i].json));
    return ASIF_OK;
}

asif_status asifr_report(asifr_job *job, SEXP args) {
    asif_page_request request = ASIF_PAGE_REQUEST_INIT;
    const asif_result *results[1];
    const char *path[1], *made[1];
    asif_status status = make_figures(job, args, &request, results, path, made);
    if (status == ASIF_OK)
        status = asif_page_make(&job->text[2], job->context, &request, job->figures, &job->error);
    if (status == ASIF_OK)
        status = asif_file_write(job->context, asifr_text(args, "file"), job->text[2], strlen(job->text[2]),
                                 NULL, &job->error);
    if (status == ASIF_OK)
        asifr_give(job, Rf_ScalarInteger((int)asif_figures_count(job->figures)));
    return status;
}

/* ---- questions ---- */

static void set_options(asif_asked *asked, SEXP args) {
    uint32_t count;
    const char *const *name = asifr_texts(args, "option", &count);
    const char *const *value = asifr_texts(args, "value", &count);
    asif_given *given = (asif_given *)R_alloc((size_t)count + 1, sizeof *given);
    for (uint32_t i = 0; i < count; i++)
        given[i] = (asif_given){name[i], value[i]};
    asked->given = given;
    asked->givens = count;
}

static asif_status answer_texts(asifr_job *job, SEXP args) {
    asif_report_options report = asifr_report_options(args, false);
    asif_status status = asif_answer_text(&job->text[0], job->answer, &report, &job->error);
    if (status == ASIF_OK)
        status = asif_answer_json(&job->text[1], job->answer, &job->error);
    if (status == ASIF_OK)
        status = asif_answer_table(&job->text[2], job->answer, &job->error);
    return status == ASIF_EUNSUPPORTED ? ASIF_OK : status;
}

asif_status asifr_ask(asifr_job *job, SEXP args) {
    static const char *const names[] = {"text", "json", "table", "no"};
    asif_asked asked = ASIF_ASKED_INIT;
    asked.operand = asifr_texts(args, "operand", &asked.operands);
    set_options(&asked, args);
    asif_status status = asif_ask(&job->answer, job->context, asifr_text(args, "question"), &asked,
                                  job->problems, &job->error);
    if (status == ASIF_OK)
        status = answer_texts(job, args);
    if (status != ASIF_OK)
        return status;
    SEXP out = asifr_give(job, asifr_list(4, names));
    for (uint32_t i = 0; i < ASIFR_TEXTS; i++)
        SET_VECTOR_ELT(out, i, asifr_string(job->text[i]));
    SET_VECTOR_ELT(out, 3, Rf_ScalarLogical(asif_answer_no(job->answer)));
    return ASIF_OK;
}

/* The table of all questions and their options, from which the command has its help: one row an option. */
asif_status asifr_questions(asifr_job *job, SEXP args) {
    static const char *const names[] = {"question", "summary", "option", "value", "help"};
    const asif_question_info *question;
    uint32_t rows = 0, row = 0;
    (void)args;
    for (uint32_t q = 0; (question = asif_question(q)); q++)
        for (uint32_t i = 0; question->option[i].name; i++)
            rows += question->option[i].kind != ASIF_OPTION_OUTPUT;
    SEXP out = asifr_give(job, asifr_list(5, names));
    for (uint32_t c = 0; c < 5; c++)
        SET_VECTOR_ELT(out, c, Rf_allocVector(STRSXP, rows));
    for (uint32_t q = 0; (question = asif_question(q)); q++)
        for (const asif_option *option = question->option; option->name; option++) {
            if (option->kind == ASIF_OPTION_OUTPUT)
                continue;
            const char *const cell[] = {question->name, question->summary, option->name,
                                        option->value ? option->value : "", option->help};
            for (uint32_t c = 0; c < 5; c++)
                SET_STRING_ELT(VECTOR_ELT(out, c), row, Rf_mkCharCE(cell[c], CE_UTF8));
            row++;
        }
    return ASIF_OK;
}
