/* A whole fit, as `asif fit` makes it: from a study and logs to a folder. */
#include "asifr.h"

#include <string.h>

/* What is asked for, and what has to live as long as the fit. */
typedef struct {
    asif_fit_options how;
    asif_fit_request request;
    asif_helper helper;
    const char *column; /* what the inverse planner needs of the logs; NULL: nothing */
    char people[ASIF_DIGEST_SIZE];
} fit_parts;

/* ---- options ---- */

static asif_status no_such(asifr_job *job, const char *what, const char *found, const char *near) {
    snprintf(job->error.message, sizeof job->error.message, "there is no %s `%s`", what, found);
    if (near)
        snprintf(job->error.hint, sizeof job->error.hint, "did you mean `%s`?", near);
    return ASIF_EUNKNOWN;
}

static asif_status find_method(asifr_job *job, const char *name, asif_fit_method *out) {
    const char *names[32], *known;
    uint32_t count = 0;
    *out = ASIF_FIT_AUTO;
    for (; name && count < 32 && (known = asif_fit_method_text((asif_fit_method)count)); count++) {
        names[count] = known;
        if (strcmp(name, known) == 0) {
            *out = (asif_fit_method)count;
            return ASIF_OK;
        }
    }
    return name ? no_such(job, "method", name, asif_nearest_word(name, names, count)) : ASIF_OK;
}

static asif_status find_world(asifr_job *job, const char *name, asif_world_mode *out) {
    const char *known;
    *out = ASIF_WORLD_USUAL;
    for (uint32_t i = 1; name && (known = asif_world_mode_text((asif_world_mode)i)); i++)
        if (strcmp(name, known) == 0) {
            *out = (asif_world_mode)i;
            return ASIF_OK;
        }
    return name ? no_such(job, "world", name, NULL) : ASIF_OK;
}

static void set_sampler(asif_fit_options *out, SEXP args) {
    asif_sample_options *sample = &out->sample;
    sample->seed = (uint64_t)asifr_number(args, "seed", 0);
    sample->chains = (uint32_t)asifr_number(args, "chains", sample->chains);
    if (asifr_number(args, "warmup", -1) >= 0)
        out->short_warmup = 0;
    sample->warmup = (uint64_t)asifr_number(args, "warmup", (double)sample->warmup);
    sample->draws = (uint64_t)asifr_number(args, "draws", (double)sample->draws);
    sample->target_accept = asifr_number(args, "target_accept", sample->target_accept);
    sample->checkpoint_sec = asifr_number(args, "checkpoint", sample->checkpoint_sec);
    out->starts = (uint32_t)asifr_number(args, "starts", out->starts);
}

/* The method depends on the inverse planner where none is named: some have no likelihood. */
static asif_status set_how(asifr_job *job, SEXP args, fit_parts *f) {
    const asif_inverse_info *inverse = asif_inverse_named(asif_study_inverse(job->study));
    asif_fit_method method;
    asif_status status = find_method(job, asifr_text(args, "method"), &method);
    if (status == ASIF_OK)
        status = find_world(job, asifr_text(args, "world"), &f->request.world);
    if (status != ASIF_OK)
        return status;
    if (!inverse->likelihood && !asifr_text(args, "method"))
        method = ASIF_FIT_ML;
    asif_fit_defaults(&f->how, method);
    set_sampler(&f->how, args);
    f->helper = inverse->helper;
    f->column = asif_helper_column(inverse->helper, asif_study_asked(job->study));
    f->request.worlds = (uint32_t)asifr_number(args, "worlds", 0);
    f->request.no_sensitivity = !asifr_true(args, "sensitivity");
    f->request.no_answers = !asifr_true(args, "answers");
    return ASIF_OK;
}

/* ---- logs ---- */

static uint64_t units_of(const asif_tree *tree) {
    asif_tree_view view = {.struct_size = sizeof view};
    return asif_tree_get(tree, &view, NULL) == ASIF_OK ? view.units : 0;
}

static asif_status read_logs(asifr_job *job, SEXP args, const fit_parts *f) {
    const char *const columns[] = {f->column, NULL};
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    bool episodes = f->helper != ASIF_HELPER_NONE, clusters = f->how.method == ASIF_FIT_ML;
    if (episodes || clusters)
        options.units = ASIF_UNITS_EPISODES;
    options.subjects = !episodes;
    if (f->column)
        options.covariates = columns;
    asif_status status = asifr_read_logs(job, args, &options);
    if (status != ASIF_OK || asif_tree_info(job->tree)->weight > 0)
        return status;
    snprintf(job->error.message, sizeof job->error.message, "there are no decisions in `%s`",
             asifr_logs_name(args));
    return ASIF_EINVALID;
}

/* The tree that is fitted: its units are subjects, or episodes where the inverse planner is about them. */
static asif_status choose_units(asifr_job *job, fit_parts *f) {
    const char *const columns[] = {f->column, NULL};
    if (f->helper != ASIF_HELPER_NONE)
        return asif_tree_select_units(&job->part, job->tree, NULL, columns, true, &job->error);
    asif_status status = asif_tree_by_subject(&job->part, job->tree, NULL, f->people, &job->error);
    if (status == ASIF_OK && f->how.method == ASIF_FIT_ML && units_of(job->part) == 0 &&
        units_of(job->tree) > 0)
        status = asif_tree_select_units(&job->episodes, job->tree, NULL, NULL, false, &job->error);
    f->request.people = f->people;
    return status;
}

/* ---- the fit ---- */

static asif_status set_values(asifr_job *job, SEXP args) {
    uint32_t count, all = asif_study_estimates(job->study, NULL, 0);
    const char *const *pair = asifr_texts(args, "values", &count);
    asif_estimate_spec *spec = (asif_estimate_spec *)R_alloc((size_t)all + 1, sizeof *spec);
    asif_status status = asifr_next_case(job, args);
    asif_study_estimates(job->study, spec, all);
    if (status != ASIF_OK || asif_study_left(spec, all, pair, count) > 0)
        return status;
    snprintf(job->error.message, sizeof job->error.message,
             "nothing is to be estimated: every parameter has a value");
    snprintf(job->error.hint, sizeof job->error.hint,
             "write `alpha: learn` (or another parameter) in the study");
    return ASIF_EINVALID;
}

static asif_status prepare(asifr_job *job, SEXP args, fit_parts *f) {
    asif_status status = asifr_load_study(job, args, true);
    if (status == ASIF_OK)
        status = set_values(job, args);
    if (status == ASIF_OK)
        status = set_how(job, args, f);
    if (status == ASIF_OK)
        status = read_logs(job, args, f);
    if (status == ASIF_OK)
        status = choose_units(job, f);
    f->request.study = job->study;
    f->request.logs = job->part;
    f->request.given = job->theta;
    f->request.how = &f->how;
    f->request.clusters = job->episodes;
    bool saved = Rf_isString(asifr_item(args, "data")) && asif_tree_recognise(asifr_text(args, "data"));
    f->request.map = saved ? NULL : job->map;
    return status;
}

static asif_status run_and_save(asifr_job *job, SEXP args, const fit_parts *f) {
    asif_fit_origin origin = ASIF_FIT_ORIGIN_INIT;
    const char *const word[] = {asifr_text(args, "call")};
    origin.word = word;
    origin.words = 1;
    origin.study = asifr_text(asifr_item(args, "study"), "path");
    origin.logs = Rf_isString(asifr_item(args, "data")) ? asifr_text(args, "data") : NULL;
    asif_status status = asif_fit_run(&job->fit, job->context, &f->request, job->folder, &job->error);
    return status == ASIF_OK ? asif_fit_save(job->fit, job->folder, &origin, &job->error) : status;
}

/* Make a fit in a folder, or find it there. The value says which it was. */
asif_status asifr_fit(asifr_job *job, SEXP args) {
    fit_parts f = {.request = ASIF_FIT_REQUEST_INIT};
    asif_folder_view view = {.struct_size = sizeof view};
    asif_status status = prepare(job, args, &f);
    if (status == ASIF_OK)
        status = asif_fit_open(&job->folder, job->context, &f.request, asifr_text(args, "folder"),
                               asifr_true(args, "force"), &job->error);
    if (status == ASIF_OK)
        status = asif_folder_get(job->folder, &view, &job->error);
    if (status == ASIF_OK && !view.finished)
        status = run_and_save(job, args, &f);
    if (status == ASIF_OK)
        asifr_give(job, asifr_string(view.finished ? "found" : view.resumed ? "resumed" : "made"));
    return status;
}
