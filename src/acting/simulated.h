/* Logs that never were a table: an agent simulated in the environment, straight into a tree. */
#ifndef ASIF_SRC_ACTING_SIMULATED_H
#define ASIF_SRC_ACTING_SIMULATED_H

#include "asif/logs.h"

typedef struct {
    const uint64_t *episodes; /* [starts]: of each start class */
    uint64_t seed;
    uint32_t max_steps;
    bool units;           /* keep episodes as units, named by their numbers from 1 */
    const double *unseen; /* [actions], see ::asif_simulate_options; NULL: something is always seen */
} asif_simulated_options;

/* The tree that the logs of asif_simulate_csv() would give: start class c takes the episodes after those of
 * the classes before it. */
asif_status asif_simulated_tree(asif_tree **out, const asif_behavior *behavior,
                                const asif_simulated_options *options, asif_error *error);

#endif
