/* Studies, and the logs that are read as they describe. */
#include "asifr.h"

#include <math.h>
#include <string.h>

asif_report_options asifr_report_options(SEXP args, bool json) {
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = json;
    options.unicode = asifr_true(args, "unicode");
    options.width = (uint32_t)asifr_number(args, "width", 80);
    return options;
}

/* ---- studies ---- */

/* Read a study that may leave the dynamics of hidden states to be learnt. What is left of states that are
 * seen is refused, as it is everywhere else. */
static asif_status read_unlearnt(asifr_job *job, const char *text, const char *path) {
    uint64_t length = strlen(text);
    asif_status status =
        asif_study_read_unlearnt(&job->study, job->context, text, length, path, job->problems, &job->error);
    if (status != ASIF_OK || !asif_study_part(job->study, 0))
        return status;
    asif_study_free(job->study);
    job->study = NULL;
    return asif_study_read(&job->study, job->context, text, length, path, job->problems, &job->error);
}

asif_status asifr_load_study(asifr_job *job, SEXP args, bool unlearnt) {
    SEXP study = asifr_item(args, "study");
    const char *text = asifr_text(study, "text"), *path = asifr_text(study, "path");
    if (unlearnt)
        return read_unlearnt(job, text, path);
    return asif_study_read(&job->study, job->context, text, strlen(text), path, job->problems, &job->error);
}

static SEXP names_of_estimates(const asif_study *study) {
    uint32_t count = asif_study_estimates(study, NULL, 0);
    asif_estimate_spec *spec = (asif_estimate_spec *)R_alloc((size_t)count + 1, sizeof *spec);
    asif_study_estimates(study, spec, count);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
    for (uint32_t i = 0; i < count; i++)
        SET_STRING_ELT(out, i, Rf_mkCharCE(spec[i].name, CE_UTF8));
    UNPROTECT(1);
    return out;
}

static SEXP labels_of(const asif_setting *setting, asif_label_kind kind) {
    uint32_t count = asif_setting_count(setting, kind);
    char label[ASIF_LABEL_SIZE];
    SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
    for (uint32_t i = 0; i < count; i++)
        SET_STRING_ELT(out, i, Rf_mkCharCE(asif_setting_label(setting, kind, i, label), CE_UTF8));
    UNPROTECT(1);
    return out;
}

static void give_study(asifr_job *job, const char *path) {
    static const char *const names[] = {"path",    "text",   "title",   "planner",      "inverse",
                                        "learned", "states", "actions", "observations", "about"};
    const asif_setting *setting = asif_study_setting(job->study);
    SEXP out = asifr_give(job, asifr_list(10, names));
    SET_VECTOR_ELT(out, 0, asifr_string(path));
    SET_VECTOR_ELT(out, 1, asifr_string(job->text[0]));
    SET_VECTOR_ELT(out, 2, asifr_string(asif_study_title(job->study)));
    SET_VECTOR_ELT(out, 3, asifr_string(asif_study_planner(job->study)));
    SET_VECTOR_ELT(out, 4, asifr_string(asif_study_inverse(job->study)));
    SET_VECTOR_ELT(out, 5, names_of_estimates(job->study));
    SET_VECTOR_ELT(out, 6, labels_of(setting, ASIF_LABEL_STATE));
    SET_VECTOR_ELT(out, 7, labels_of(setting, ASIF_LABEL_ACTION));
    SET_VECTOR_ELT(out, 8, labels_of(setting, ASIF_LABEL_OBSERVATION));
    SET_VECTOR_ELT(out, 9, asifr_string(job->text[1]));
}

asif_status asifr_study(asifr_job *job, SEXP args) {
    const char *path = asifr_text(args, "path");
    asif_report_options options = asifr_report_options(args, false);
    uint64_t length = 0;
    asif_status status = asif_file_read(&job->text[0], &length, job->context, path, &job->error);
    if (status == ASIF_OK)
        status = read_unlearnt(job, job->text[0], path);
    if (status == ASIF_OK)
        status = asif_report_study(&job->text[1], job->context, job->study, &options, &job->error);
    if (status == ASIF_OK)
        give_study(job, path);
    return status;
}

/* ---- logs ---- */

const char *asifr_logs_name(SEXP args) {
    return asifr_text(args, "name");
}

static asif_status make_map(asifr_job *job, SEXP args) {
    uint32_t count;
    const char *const *pair = asifr_texts(args, "map", &count);
    return asif_study_map(&job->map, job->context, job->study, pair, count, &job->error);
}

asif_status asifr_read_logs(asifr_job *job, SEXP args, const asif_logs_options *options) {
    SEXP data = asifr_item(args, "data");
    asif_logs_options how = *options;
    asif_status status = make_map(job, args);
    if (status != ASIF_OK)
        return status;
    how.map = job->map;
    how.setting = asif_study_setting(job->study);
    if (Rf_isString(data))
        return asif_logs_open(&job->tree, job->context, asifr_text(args, "data"), &how, job->problems,
                              &job->error);
    struct ArrowArrayStream stream;
    asifr_frame_stream(&stream, data);
    return asif_logs_read_arrow(&job->tree, job->context, &stream, asifr_logs_name(args), &how, NULL,
                                job->problems, &job->error);
}

/* The logs as the bytes of a saved tree, for comparisons. */
asif_status asifr_tree(asifr_job *job, SEXP args) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    uint64_t length = 0;
    options.subjects = true;
    asif_status status = asifr_load_study(job, args, true);
    if (status == ASIF_OK)
        status = asifr_read_logs(job, args, &options);
    if (status == ASIF_OK)
        status = asif_tree_bytes(&job->text[0], &length, job->tree, &job->error);
    if (status == ASIF_OK)
        memcpy(RAW(asifr_give(job, Rf_allocVector(RAWSXP, (R_xlen_t)length))), job->text[0], (size_t)length);
    return status;
}

/* ---- the agent of a study ---- */

asif_status asifr_set_values(asifr_job *job, SEXP args) {
    uint32_t count;
    const char *const *pair = asifr_texts(args, "values", &count);
    return job->theta ? ASIF_OK : asif_study_values(&job->theta, job->study, pair, count, &job->error);
}

asif_status asifr_next_case(asifr_job *job, SEXP args) {
    bool found;
    asif_status status = asifr_set_values(job, args);
    return status == ASIF_OK
               ? asif_study_next_case(&found, job->study, job->theta, job->problems, &job->error)
               : status;
}

asif_status asifr_solve(asifr_job *job, SEXP args, asif_plan_info *info) {
    asif_status status = asifr_set_values(job, args);
    if (status == ASIF_OK)
        status = asif_work_create(&job->work, job->context, asif_study_planner(job->study),
                                  asif_study_setting(job->study), asif_study_solver(job->study), &job->error);
    return status == ASIF_OK ? asif_solve(job->work, job->theta, info, &job->error) : status;
}

/* ---- what is wrong with a study and logs ---- */

/* Whether a step found mistakes, which are then in the list of problems, and nothing else went wrong. */
static bool found_mistakes(const asifr_job *job, asif_status status) {
    return status != ASIF_OK && asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) > 0;
}

/* The log-likelihood of the logs; NaN where parameters have no value, or no solution was found. */
static asif_status judge(asifr_job *job, SEXP args, double *loglik) {
    asif_plan_info info;
    *loglik = NAN;
    asif_status status = asifr_solve(job, args, &info);
    if (status != ASIF_OK || info.stop != ASIF_STOP_CONVERGED)
        return status == ASIF_EUNSET ? ASIF_OK : status;
    return asif_logs_judge(loglik, asif_work_behavior(job->work), job->tree, asifr_logs_name(args),
                           job->problems, &job->error);
}

/* The same agent on other lattices: a warning says if they differ too much. */
static asif_status compare_lattices(asifr_job *job) {
    asif_lattices found = {.struct_size = sizeof found};
    return asif_lattices_compare(&found, job->context, asif_study_planner(job->study),
                                 asif_study_setting(job->study), job->theta, job->tree,
                                 asif_study_solver(job->study), job->problems, &job->error);
}

static asif_status check_logs(asifr_job *job, SEXP args, double *loglik) {
    asif_inverse_info const *inverse = asif_inverse_named(asif_study_inverse(job->study));
    asif_helper helper = inverse ? inverse->helper : ASIF_HELPER_NONE;
    const char *const columns[] = {asif_helper_column(helper, asif_study_asked(job->study)), NULL};
    asif_report_options report = asifr_report_options(args, false);
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_logs_request request = ASIF_LOGS_REQUEST_INIT;
    if (helper != ASIF_HELPER_NONE)
        options.units = ASIF_UNITS_EPISODES;
    if (columns[0])
        options.covariates = columns;
    asif_status status = asifr_read_logs(job, args, &options);
    if (status == ASIF_OK)
        status = judge(job, args, loglik);
    if (status == ASIF_OK && isfinite(*loglik))
        status = compare_lattices(job);
    request.tree = job->tree;
    request.top = 0;
    if (status == ASIF_OK)
        status = asif_report_logs(&job->text[1], job->context, &request, &report, &job->error);
    return status;
}

static void give_check(asifr_job *job, double loglik) {
    static const char *const names[] = {"ok", "study", "logs", "log_likelihood", "said"};
    SEXP out = asifr_give(job, asifr_list(5, names));
    SET_VECTOR_ELT(out, 0, Rf_ScalarLogical(asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) == 0));
    SET_VECTOR_ELT(out, 1, asifr_string(job->text[0]));
    SET_VECTOR_ELT(out, 2, asifr_string(job->text[1]));
    SET_VECTOR_ELT(out, 3, Rf_ScalarReal(isnan(loglik) ? NA_REAL : loglik));
    SET_VECTOR_ELT(out, 4, asifr_string(job->text[2]));
}

asif_status asifr_check(asifr_job *job, SEXP args) {
    asif_report_options report = asifr_report_options(args, false);
    double loglik = NAN;
    asif_status status = asifr_load_study(job, args, true);
    if (status == ASIF_OK)
        status = asif_report_study(&job->text[0], job->context, job->study, &report, &job->error);
    if (status == ASIF_OK)
        status = asifr_next_case(job, args);
    if (status == ASIF_OK && !Rf_isNull(asifr_item(args, "data")))
        status = check_logs(job, args, &loglik);
    if (status != ASIF_OK && !found_mistakes(job, status))
        return status;
    status = asif_report_problems(&job->text[2], job->context, job->problems, &report, &job->error);
    if (status == ASIF_OK)
        give_check(job, loglik);
    return status;
}
