/* Writes figures into a folder. */
#ifndef ASIF_CLI_COMMANDS_FIGURES_H
#define ASIF_CLI_COMMANDS_FIGURES_H

#include "asif/report.h"

#include "job.h"

/* Write each figure as NAME.vl.json into the folder of --figures, which is made if needed. Refuses to
 * replace files that asif did not write. Returns CLI_OK, or an exit code after printing what is wrong. */
int cli_figures_write(cli_job *job, const asif_figures *figures);

#endif
