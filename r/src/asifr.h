/* The R package: what its C files share. Every entry point runs as a job, which owns whatever it makes and
 * frees it at its end, also where R leaves it by an error or an interrupt. */
#ifndef ASIFR_H
#define ASIFR_H

#include "asif.h"

#include <pthread.h>
#include <stdatomic.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#define ASIFR_TEXTS 3

/** A job: a call from R, with everything that it has made. */
typedef struct asifr_job {
    asif_status (*body)(struct asifr_job *job, SEXP args);
    SEXP how;  /* list: threads, progress (a function, or NULL) */
    SEXP args; /* named list */
    SEXP value;
    PROTECT_INDEX index;
    asif_context *context;
    asif_problems *problems;
    asif_study *study;
    asif_theta *theta;
    asif_work *work;
    asif_log_map *map;
    asif_tree *tree, *part, *episodes;
    asif_folder *folder;
    asif_whole_fit *fit;
    asif_result *result;
    asif_figures *figures;
    asif_answer *answer;
    asif_output *output;
    char *text[ASIFR_TEXTS];
    void *memory[2];
    asif_error error;
    pthread_t thread; /* R's: no other may call R */
    double last;      /* when it was last looked for interrupts, in seconds */
    atomic_bool stopped;
} asifr_job;

/* Run a body as a job. The value is a list: `value`, `problems`, and `error` or NULL. */
SEXP asifr_run(asif_status (*body)(asifr_job *, SEXP), SEXP how, SEXP args);
/* Make a value the job's: it is protected until the job ends. */
SEXP asifr_give(asifr_job *job, SEXP value);

/* Items of a named list; missing ones are NULL, or as `otherwise` says. Texts are UTF-8, and live as long as
 * the call from R. */
SEXP asifr_item(SEXP list, const char *name);
const char *asifr_text(SEXP list, const char *name);
const char *const *asifr_texts(SEXP list, const char *name, uint32_t *count);
double asifr_number(SEXP list, const char *name, double otherwise);
bool asifr_true(SEXP list, const char *name);
/* Values for R. */
SEXP asifr_string(const char *text);
SEXP asifr_list(uint32_t count, const char *const *name);

/* Make an Arrow stream of a data frame, whose memory lives as long as the call from R. */
void asifr_frame_stream(struct ArrowArrayStream *out, SEXP frame);

/* The first steps of most entry points. `args` has study (text, path), values, map, data and its name. */
asif_status asifr_load_study(asifr_job *job, SEXP args, bool unlearnt);
asif_status asifr_set_values(asifr_job *job, SEXP args);
/* Warn where the next case is worth more than a test. */
asif_status asifr_next_case(asifr_job *job, SEXP args);
asif_status asifr_solve(asifr_job *job, SEXP args, asif_plan_info *info);
asif_status asifr_read_logs(asifr_job *job, SEXP args, const asif_logs_options *options);
const char *asifr_logs_name(SEXP args);
asif_report_options asifr_report_options(SEXP args, bool json);

asif_status asifr_study(asifr_job *job, SEXP args);
asif_status asifr_check(asifr_job *job, SEXP args);
asif_status asifr_tree(asifr_job *job, SEXP args);
asif_status asifr_plan(asifr_job *job, SEXP args);
asif_status asifr_simulate(asifr_job *job, SEXP args);
asif_status asifr_fit(asifr_job *job, SEXP args);
asif_status asifr_summary(asifr_job *job, SEXP args);
asif_status asifr_draws(asifr_job *job, SEXP args);
asif_status asifr_figures(asifr_job *job, SEXP args);
asif_status asifr_report(asifr_job *job, SEXP args);
asif_status asifr_ask(asifr_job *job, SEXP args);
asif_status asifr_questions(asifr_job *job, SEXP args);

#endif
