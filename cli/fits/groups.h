/* Parts of the logs: the episodes that --where selects, and groups by the values of a column. */
#ifndef ASIF_CLI_FITS_GROUPS_H
#define ASIF_CLI_FITS_GROUPS_H

#include "job.h"

typedef struct {
    const char *value; /* borrowed from the tree; NULL: not a group */
    char *folder;      /* its name, once it was opened; NULL before, and if it is not a group */
    asif_tree
        *tree; /* of its subjects, without names; of its episodes where the inverse planner is about these */
    asif_tree *
        episodes; /* of its episodes, without names, where standard errors are clustered by them; else NULL */
    char people[ASIF_DIGEST_SIZE]; /* of the subjects of all logs: those with the same have the same numbers;
                                      "": not known */
} cli_group;

typedef struct {
    cli_group *group;
    uint32_t count;
} cli_groups;

/* Each returns CLI_OK, or an exit code after saying what is wrong. */

/* Read --where, as job->where, and name the columns that it, --by and another one (NULL: none) ask for:
 * NULL-terminated, freed by asif_memory_free(). */
int cli_job_columns(const char ***out, cli_job *job, const char *also);
/* Units of job->tree that --where leaves: [units], freed by free(). */
int cli_job_choose(bool **chosen, cli_job *job);
/* Whether the fit reports clustered standard errors. */
bool cli_clusters(const cli_job *job);
/* The groups of job->tree; without --by one, of everything that --where leaves. Says what is left out. Free
 * in any case. */
int cli_groups_make(cli_groups *out, cli_job *job);
void cli_groups_free(cli_groups *groups);

#endif
