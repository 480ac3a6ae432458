/* Parts of the logs: those that --where asks for, and groups by the values of a column. */
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

/* Columns that --where and --by name, and another one (NULL: none), each once. */
typedef struct {
    const char **name; /* NULL-terminated */
    char *text;        /* where some of the names are */
} cli_columns;

/* Each returns CLI_OK, or an exit code after saying what is wrong; free in any case. */
int cli_columns_make(cli_columns *out, const cli_args *args, const char *also);
void cli_columns_free(cli_columns *columns);
/* Whether standard errors are asked for, which are clustered. */
bool cli_clusters(const cli_job *job);
/* The groups of job->tree; without --by one, of everything that --where leaves. Says what is wrong, and what
 * is left out. */
int cli_groups_make(cli_groups *out, cli_job *job);
void cli_groups_free(cli_groups *groups);

#endif
