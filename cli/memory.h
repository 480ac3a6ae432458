/* A text printed into memory. */
#ifndef ASIF_CLI_MEMORY_H
#define ASIF_CLI_MEMORY_H

#include <stdio.h>

typedef struct {
    FILE *file; /* stream to print to, until cli_memory_close() */
    char *text; /* the text, terminated by 0, after cli_memory_close() */
    size_t length;
} cli_memory;

/* Begin a text. Returns CLI_OK, or CLI_SYSTEM after printing that there is no memory. Call
 * cli_memory_free() in either case. */
int cli_memory_open(cli_memory *memory);
/* End a text. Returns `code` if that is an error; CLI_SYSTEM after a message if memory ran out; else
 * CLI_OK. */
int cli_memory_close(cli_memory *memory, int code);
void cli_memory_free(cli_memory *memory);

#endif
