/* Writing figures into a folder. */
#ifndef ASIF_CLI_COMMANDS_FIGURES_H
#define ASIF_CLI_COMMANDS_FIGURES_H

#include "asif/report.h"

#include "job.h"

/* Each as NAME.vl.json into the folder of --figures. */
int cli_figures_write(cli_job *job, const asif_figures *figures);

#endif
