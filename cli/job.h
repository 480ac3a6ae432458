/* What most commands do first: a context, a study, values of its parameters, a solved agent, logs. */
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
    asif_log_map *map;
    asif_logs_where *where; /* [args->where.count], see cli_job_columns() */
    asif_tree *tree;
    asif_plan_info info;
    asif_error error;
    cli_progress progress;
} cli_job;

/* Each returns CLI_OK, or an exit code after saying what is wrong. Call cli_job_close() in any case. */
int cli_job_open(cli_job *job, const cli_args *args);
int cli_job_load(cli_job *job, const char *path);
/* The study of the first operand with its text, to be freed by free(). */
int cli_job_load_text(cli_job *job, char **text, size_t *length);
/* The study's values with those of -p. */
int cli_job_values(cli_job *job);
/* How to solve: the study's way, with what the flags say. */
asif_plan_options cli_job_solver(const cli_job *job);
/* A workspace for the loaded study: the library's status, nothing is said. */
asif_status cli_job_work(cli_job *job);
/* Print the problems that a step has found, and its error unless it is among them; the exit code. */
int cli_job_said(cli_job *job, asif_status status);
/* Problems that were said are forgotten. */
int cli_job_renew_problems(cli_job *job);
/* Set the values and solve the agent of the loaded study. Prints nothing; job->info says whether it
 * converged. */
asif_status cli_job_solve_loaded(cli_job *job);
/* All of the above, from the file of a study. CLI_NO is not said here: the caller still has something to
 * show. */
int cli_job_solve(cli_job *job, const char *path);

/* What the inverse planner of the loaded study uses in addition to the actions (scores, pairs, batches), and
 * the column of the logs that holds it (NULL: none). */
asif_helper cli_job_helper(const cli_job *job);
const char *cli_job_column(const cli_job *job);

/* What the loaded study leaves to estimation after -p: `*out` [*left], freed by free(); `*all` is what the
 * study itself leaves. */
int cli_job_specs(const cli_job *job, asif_estimate_spec **out, uint32_t *left, uint32_t *all);

/* The mapping of the study, if one is loaded, with what --map says. */
int cli_job_map(cli_job *job);
typedef enum {
    CLI_UNITS_NONE,
    CLI_UNITS_EPISODES,
    CLI_UNITS_SUBJECTS, /* episodes by subject, where the table has subjects: see asif_tree_by_subject() */
    CLI_UNITS_BOTH      /* episodes, and whose they are */
} cli_units;
/* Read a table, or a saved tree, which must have these units. Problems go to job->problems, the first error
 * to job->error. `columns`, NULL-terminated: keep these covariates of the episodes; NULL: none. */
asif_status cli_job_read(cli_job *job, asif_tree **out, const char *path, cli_units units,
                         const char *const *columns);
/* Say why the solver stopped before its tolerance, and what can be done. */
void cli_say_unsolved(const cli_job *job);
void cli_job_close(cli_job *job);

/* Index of a label, or ASIF_ANY after saying what there is instead. `what`: "an action". */
uint32_t cli_find_label(cli_job *job, asif_label_kind kind, const char *label, const char *what);

#endif
