/* Files that are written as a whole or not at all, and read as a whole. Each function returns CLI_OK, or an
 * exit code after saying what is wrong. */
#ifndef ASIF_CLI_OUTPUT_H
#define ASIF_CLI_OUTPUT_H

#include "job.h"

/* Begin a file, "-" being standard output. It may not be an input of the command; with `new_only`, nor
 * replace a file. */
int cli_output_open(asif_output **out, cli_job *job, const char *path, bool new_only);
/* Put it in place, or throw it away. */
int cli_output_close(asif_output *output, cli_job *job, bool keep);
/* All of it at once. */
int cli_write(cli_job *job, const char *path, const char *text, size_t length);
int cli_write_new(cli_job *job, const char *path, const char *text, size_t length);
/* Whether the file could be begun: so much before what takes long. NULL and "-" can. */
int cli_output_check(cli_job *job, const char *path);
/* Read a whole file ("-": standard input), ended by a 0; `*out` is freed by free(). */
int cli_read_file(char **out, size_t *length, const char *path);

#endif
