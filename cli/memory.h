/* A text that is printed into memory. */
#ifndef ASIF_CLI_MEMORY_H
#define ASIF_CLI_MEMORY_H

#include <stdio.h>

typedef struct {
    FILE *file; /* to print to, until cli_memory_close() */
    char *text; /* from then on, ended by a 0 */
    size_t length;
} cli_memory;

/* CLI_OK, or CLI_SYSTEM after saying that there is no memory; cli_memory_free() in any case. */
int cli_memory_open(cli_memory *memory);
/* `code` if it is an error, else whether everything could be printed. */
int cli_memory_close(cli_memory *memory, int code);
void cli_memory_free(cli_memory *memory);

#endif
