/* How many processors this process may use. */
#ifndef ASIF_CLI_PROCESSORS_H
#define ASIF_CLI_PROCESSORS_H

#include <stdint.h>

/* At least 1. Processors that a queue or `taskset` keeps from the process do not count, where the system
 * says so. */
uint32_t cli_processors(void);

#endif
