/* Files that are written as a whole or not at all. */
#ifndef ASIF_CLI_OUTPUT_H
#define ASIF_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    const char *path;
    char *temporary; /* NULL: written directly (standard output, a device) */
    bool new_only;   /* refuse to replace a file */
} cli_output;

/* Open for writing, "-" being standard output. CLI_OK, or an exit code after saying what is wrong. */
int cli_output_open(cli_output *output, const char *path, bool new_only);
/* Flush to disk and put in place; with `keep` false what was written is thrown away. */
int cli_output_close(cli_output *output, bool keep);
/* Read a whole file ("-": standard input); `*out` is freed by free(). */
int cli_read_file(char **out, size_t *length, const char *path);

#endif
