/* Histories as they are typed: ACTION:OBSERVATION,ACTION:OBSERVATION,... */
#ifndef ASIF_CLI_HISTORY_H
#define ASIF_CLI_HISTORY_H

#include "job.h"

/* Read --history (none: no events) with the labels of the loaded study; both arrays are to be freed by free(), also after a failure,
 * which is said. */
int cli_history_read(const cli_job *job, uint32_t **action, uint32_t **observation, uint64_t *events);

#endif
