/* Writes files as a whole or not at all, and reads whole files. Each function returns CLI_OK, or an exit
 * code after printing what is wrong. */
#ifndef ASIF_CLI_OUTPUT_H
#define ASIF_CLI_OUTPUT_H

#include "job.h"

/* Begin a file ("-": standard output). It must not be an input of the command; with `new_only`, it must
 * not exist. */
int cli_output_open(asif_output **out, cli_job *job, const char *path, bool new_only);
/* Put the file in place, or discard it if not `keep`. Frees `output` in any case. */
int cli_output_close(asif_output *output, cli_job *job, bool keep);
/* Write a whole file at once; cli_write_new() refuses to replace one. */
int cli_write(cli_job *job, const char *path, const char *text, size_t length);
int cli_write_new(cli_job *job, const char *path, const char *text, size_t length);
/* Check before a long computation that the file can be written. NULL and "-" pass. */
int cli_output_check(cli_job *job, const char *path);
/* Read a whole file ("-": standard input), terminated by 0; `*out` is freed by asif_memory_free(). */
int cli_read_file(char **out, size_t *length, cli_job *job, const char *path);

#endif
