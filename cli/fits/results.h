/* Folders of results other than fits: files of the user's that have the names of asif's are left alone. Each
 * function returns CLI_OK, or an exit code after saying what is wrong. */
#ifndef ASIF_CLI_FITS_RESULTS_H
#define ASIF_CLI_FITS_RESULTS_H

#include "job.h"

/* Refuse if a file is there that has not this text in it: then it is not asif's. */
int cli_results_ours(const char *folder, const char *name, const char *mark);

/* A folder whose files are replaced together: `name`, NULL-terminated, are those that will be in it. What is
 * there of an earlier command that wrote name[0], too, is replaced; the results of others are refused, as are
 * files of the user's. */
int cli_results_open(asif_folder **out, cli_job *job, const char *path, const char *const *name);
int cli_results_put(asif_folder *folder, cli_job *job, const char *name, const char *text, size_t length);
/* Put in place if `code` is CLI_OK, and free; else `code`. NULL is allowed. */
int cli_results_close(asif_folder *folder, cli_job *job, int code);

#endif
