/* Parts of the logs: the episodes that --where selects, and groups by the values of a column. */
#ifndef ASIF_CLI_FITS_GROUPS_H
#define ASIF_CLI_FITS_GROUPS_H

#include "job.h"

typedef struct {
    const char *value; /* value of the column of --by, borrowed from the tree; NULL: there is no --by */
    char *folder;      /* name of the group's folder, owned; NULL until it is known, and without --by */
    /* Tree of the group's subjects, or of its episodes where the inverse planner is about these; no names. */
    asif_tree *tree;
    /* Tree of the group's episodes, without names, where these are the clusters of standard errors; else
     * NULL. */
    asif_tree *episodes;
    char people[ASIF_DIGEST_SIZE]; /* digest of the subjects of all logs; groups with the same digest number
                                      their subjects alike; "": not known */
} cli_group;

typedef struct {
    cli_group *group;
    uint32_t count;
} cli_groups;

/* Each function that returns int returns CLI_OK, or an exit code after printing what is wrong. */

/* Read --where into job->where. `*out` are the names of the columns that --where, --by and `also` (NULL:
 * none) need: NULL-terminated, freed by asif_memory_free(). */
int cli_job_columns(const char ***out, cli_job *job, const char *also);
/* Mark the units of job->tree that --where selects: `*chosen` [units] is freed by free(), also after an
 * error. */
int cli_job_choose(bool **chosen, cli_job *job);
/* Whether the fit reports clustered standard errors. */
bool cli_clusters(const cli_job *job);
/* Split job->tree into its groups; without --by, one group of everything that --where selects. Says how
 * many episodes are left out. Call cli_groups_free() in either case. */
int cli_groups_make(cli_groups *out, cli_job *job);
void cli_groups_free(cli_groups *groups);

#endif
