/* The files that a command reads, so that none of them becomes its output. */
#ifndef ASIF_CLI_INPUTS_H
#define ASIF_CLI_INPUTS_H

#include "job.h"

typedef struct {
    const char **path;
    uint32_t count;
    char **made; /* those of `path` that were put together here */
    uint32_t makes;
    asif_fits **fits; /* [folders]: of the operands that are folders */
    uint32_t folders;
} cli_inputs;

/* Operands, the files of fits in those that are folders, files that flags name, and those that the study
 * names. `output` is none of them. CLI_OK, or an exit code after saying why; cli_inputs_free() in any case.
 */
int cli_inputs_find(cli_inputs *inputs, const cli_job *job, const char *output);
void cli_inputs_free(cli_inputs *inputs);

#endif
