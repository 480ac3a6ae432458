/* Jobs: context, progress, interrupts, and what a job leaves to R. */
#include "asifr.h"

#include <time.h>

#define EVERY_SECONDS 0.1 /* how often R is asked for interrupts, and progress is reported */

/* ---- progress and interrupts ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    SEXP function;
    const char *what;
    double done;
    bool stop;
} report;

/* Runs within R_ToplevelExec(): interrupts and errors of R end it, and not what the library is doing. */
static void tell(void *user) {
    report *r = user;
    R_CheckUserInterrupt();
    if (Rf_isNull(r->function))
        return;
    SEXP what = PROTECT(asifr_string(r->what));
    SEXP done = PROTECT(Rf_ScalarReal(r->done < 0 ? NA_REAL : r->done));
    SEXP call = PROTECT(Rf_lang3(r->function, what, done));
    SEXP answer = PROTECT(Rf_eval(call, R_BaseEnv));
    r->stop = Rf_isLogical(answer) && Rf_length(answer) == 1 && LOGICAL(answer)[0] == TRUE;
    UNPROTECT(4);
}

static bool progress(void *user, const char *what, double done) {
    asifr_job *job = user;
    if (atomic_load(&job->stopped) || !pthread_equal(pthread_self(), job->thread))
        return atomic_load(&job->stopped);
    double time = now();
    if (time - job->last < EVERY_SECONDS)
        return false;
    job->last = time;
    report r = {asifr_item(job->how, "progress"), what, done, false};
    if (!R_ToplevelExec(tell, &r) || r.stop)
        atomic_store(&job->stopped, true);
    return atomic_load(&job->stopped);
}

/* ---- what R is given ---- */

static SEXP count_or_na(uint64_t number) {
    return Rf_ScalarReal(number ? (double)number : NA_REAL);
}

static SEXP record(const asif_error *error, const char *severity) {
    static const char *const names[] = {"status", "severity", "message", "hint", "file",
                                        "line",   "column",   "row",     "code"};
    SEXP out = PROTECT(asifr_list(9, names));
    SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(error->status));
    SET_VECTOR_ELT(out, 1, asifr_string(severity));
    SET_VECTOR_ELT(out, 2,
                   asifr_string(error->message[0] ? error->message : asif_status_text(error->status)));
    SET_VECTOR_ELT(out, 3, asifr_string(error->hint[0] ? error->hint : NULL));
    SET_VECTOR_ELT(out, 4, asifr_string(error->file[0] ? error->file : NULL));
    SET_VECTOR_ELT(out, 5, count_or_na(error->line));
    SET_VECTOR_ELT(out, 6, count_or_na(error->column));
    SET_VECTOR_ELT(out, 7, count_or_na(error->row));
    SET_VECTOR_ELT(out, 8, asifr_string(error->code[0] ? error->code : NULL));
    UNPROTECT(1);
    return out;
}

static SEXP records(const asif_problems *problems) {
    static const char *const severities[] = {"error", "warning", "note"};
    uint32_t count = problems ? asif_problems_count(problems) : 0;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (uint32_t i = 0; i < count; i++) {
        asif_severity severity;
        const asif_error *error = asif_problems_get(problems, i, &severity);
        SET_VECTOR_ELT(out, i, record(error, severities[severity]));
    }
    UNPROTECT(1);
    return out;
}

/* ---- the life of a job ---- */

static asif_status begin(asifr_job *job) {
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.threads = (uint32_t)asifr_number(job->how, "threads", 1);
    options.progress = progress;
    options.user = job;
    asif_status status = asif_context_create(&job->context, &options, &job->error);
    return status == ASIF_OK ? asif_problems_create(&job->problems, job->context, 0, &job->error) : status;
}

static SEXP run(void *user) {
    static const char *const names[] = {"value", "problems", "error"};
    asifr_job *job = user;
    PROTECT_WITH_INDEX(job->value, &job->index);
    asif_status status = begin(job);
    if (status == ASIF_OK)
        status = job->body(job, job->args);
    job->error.status = status;
    SEXP out = PROTECT(asifr_list(3, names));
    SET_VECTOR_ELT(out, 0, job->value);
    SET_VECTOR_ELT(out, 1, records(job->problems));
    if (status != ASIF_OK)
        SET_VECTOR_ELT(out, 2, record(&job->error, "error"));
    UNPROTECT(2);
    return out;
}

/* What was made from others is freed before them. */
static void end(void *user) {
    asifr_job *job = user;
    for (uint32_t i = 0; i < ASIFR_TEXTS; i++)
        asif_memory_free(job->context, job->text[i]);
    for (uint32_t i = 0; i < 2; i++)
        asif_memory_free(job->context, job->memory[i]);
    asif_output_close(job->output, false, NULL);
    asif_answer_free(job->answer);
    asif_figures_free(job->figures);
    asif_result_free(job->result);
    asif_whole_fit_free(job->fit);
    asif_folder_close(job->folder);
    asif_tree_free(job->episodes);
    asif_tree_free(job->part);
    asif_tree_free(job->tree);
    asif_log_map_free(job->map);
    asif_work_free(job->work);
    asif_theta_free(job->theta);
    asif_study_free(job->study);
    asif_problems_free(job->problems);
    asif_context_free(job->context);
}

SEXP asifr_run(asif_status (*body)(asifr_job *, SEXP), SEXP how, SEXP args) {
    asifr_job job = {.body = body, .how = how, .args = args, .value = R_NilValue, .error = ASIF_ERROR_INIT};
    job.thread = pthread_self();
    atomic_init(&job.stopped, false);
    return R_ExecWithCleanup(run, &job, end, &job);
}

SEXP asifr_give(asifr_job *job, SEXP value) {
    REPROTECT(job->value = value, job->index);
    return value;
}
