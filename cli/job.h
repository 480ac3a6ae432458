/* The first steps of most commands: a context, a study, values of its parameters, a solved agent, logs. */
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
    asif_logs_where *where; /* [args->where.count]: conditions of --where; NULL: none */
    bool part;              /* only the rows that --where selects were read */
    asif_tree *tree;
    char *rows; /* the rows of the table that were kept, where args->rows asks for them */
    asif_plan_info info;
    asif_error error;
    cli_progress progress;
} cli_job;

/* Each function that returns int returns CLI_OK, or an exit code after printing what is wrong. Call
 * cli_job_close() in either case; it frees everything that a cli_job holds. */
int cli_job_open(cli_job *job, const cli_args *args);
int cli_job_load(cli_job *job, const char *path);
/* Set job->theta to the study's values, changed by -p. */
int cli_job_values(cli_job *job);
/* The options of the solver: those of the study, changed by the flags. */
asif_plan_options cli_job_solver(const cli_job *job);
/* Make a workspace for the loaded study. Returns the library's status and prints nothing. */
asif_status cli_job_work(cli_job *job);
/* Print the problems that a step has found, and job->error unless it is among them. Returns the exit code. */
int cli_job_said(cli_job *job, asif_status status);
/* Start an empty list of problems, after those so far have been printed. */
int cli_job_renew_problems(cli_job *job);
/* Add a warning to job->problems where the next case is worth more than a test. */
int cli_job_next_case(cli_job *job);
/* Make the workspace of the loaded study and solve its agent for job->theta. Prints nothing. Running into
 * a limit of the solver is not an error: see job->info. */
asif_status cli_job_solve_loaded(cli_job *job);
/* Load a study, set its values and solve it. CLI_NO means that the solver stopped before its tolerance,
 * which is not printed here: cli_say_unsolved() does that. */
int cli_job_solve(cli_job *job, const char *path);

/* What the inverse planner of the loaded study uses in addition to the actions (scores, pairs, batches),
 * and the column of the logs that holds it (NULL: none). */
asif_helper cli_job_helper(const cli_job *job);
const char *cli_job_column(const cli_job *job);

/* The parameters that are left to estimate after -p: `*out` [*left], freed by free(). `*all` counts those
 * that the study leaves. */
int cli_job_specs(const cli_job *job, asif_estimate_spec **out, uint32_t *left, uint32_t *all);

/* Make the workspace of the loaded study, and the estimates of the parameters that are left after -p, of
 * which there must be one. */
int cli_job_estimates(cli_job *job, asif_estimates **out);

/* Set job->map to the mapping of the loaded study, if any, changed by --map. */
int cli_job_map(cli_job *job);
/* Set job->where to the conditions of --where, for commands that take saved trees apart, and for those that
 * do not. */
int cli_job_where(cli_job *job);
int cli_job_where_rows(cli_job *job, const char *path);
typedef enum {
    CLI_UNITS_NONE,
    CLI_UNITS_EPISODES,
    CLI_UNITS_SUBJECTS, /* episodes by subject, where the table has subjects: see asif_tree_by_subject() */
    CLI_UNITS_BOTH      /* episodes, with their subjects */
} cli_units;
/* Read a table, or a saved tree, which must have these units. Problems go to job->problems and the first
 * error to job->error; nothing is printed. Of a table, only rows that job->where selects are read. `columns`
 * (NULL-terminated, or NULL) are the covariates of episodes to keep. */
asif_status cli_job_read(cli_job *job, asif_tree **out, const char *path, cli_units units,
                         const char *const *columns);
/* The same, with options that have been filled in. */
asif_status cli_job_read_as(cli_job *job, asif_tree **out, const char *path,
                            const asif_logs_options *options);
/* Print why the solver stopped before its tolerance, and what can be done. */
void cli_say_unsolved(const cli_job *job);
void cli_job_close(cli_job *job);

/* Find the condition of --condition; it must begin in one way only. */
int cli_find_condition(cli_job *job, asif_condition *out);
/* Index of a label; ASIF_ANY after printing the labels that exist. `what` names the kind in the message:
 * "an action". */
uint32_t cli_find_label(cli_job *job, asif_label_kind kind, const char *label, const char *what);

#endif
