/* Lists the files that a command reads, so that none of them is overwritten by its output. */
#ifndef ASIF_CLI_INPUTS_H
#define ASIF_CLI_INPUTS_H

#include "job.h"

typedef struct {
    const char **path;
    uint32_t count;
    char **made; /* [makes]: paths that are owned; they are also in `path` */
    uint32_t makes;
    asif_fits **fits; /* [folders]: fits of the operands that are folders */
    uint32_t folders;
} cli_inputs;

/* List the operands, the files of fits in operands that are folders, the files that flags name, and the
 * files that the study names; `output` itself is left out. Returns CLI_OK, or an exit code after printing
 * what is wrong. Call cli_inputs_free() in either case. */
int cli_inputs_find(cli_inputs *inputs, const cli_job *job, const char *output);
void cli_inputs_free(cli_inputs *inputs);

#endif
