/* What most commands do first: a context, a study, values of its parameters, a solved agent. */
#ifndef ASIF_CLI_JOB_H
#define ASIF_CLI_JOB_H

#include "args.h"
#include "asif.h"
#include "progress.h"

typedef struct {
    const cli_args *args;
    asif_context *context;
    asif_problems *problems;
    asif_study *study;
    asif_theta *theta;
    asif_work *work;
    asif_plan_info info;
    asif_error error;
    cli_progress progress;
} cli_job;

/* Each returns CLI_OK, or an exit code after saying what is wrong. Call cli_job_close() in any case. */
int cli_job_open(cli_job *job, const cli_args *args);
int cli_job_load(cli_job *job, const char *path);
/* The study's values with those of -p. */
int cli_job_values(cli_job *job);
/* All of the above, and the agent solved. CLI_NO is not said here: the caller still has something to show. */
int cli_job_solve(cli_job *job, const char *path);
/* Say why the solver stopped before its tolerance, and what can be done. */
void cli_say_unsolved(const cli_job *job);
void cli_job_close(cli_job *job);

/* Index of a label, or ASIF_ANY after saying what there is instead. `what`: "an action". */
uint32_t cli_find_label(const cli_job *job, asif_label_kind kind, const char *label, const char *what);

#endif
