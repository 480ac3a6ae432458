/* Simulated logs: an agent acts in the environment, and its episodes go straight into a tree. */
#ifndef ASIF_SRC_ACTING_SIMULATED_H
#define ASIF_SRC_ACTING_SIMULATED_H

#include "asif/logs.h"

typedef struct {
    const uint64_t *episodes; /* [starts]: number for each start class */
    uint64_t seed;
    uint32_t max_steps;
    bool units;           /* keep episodes as units, named by their numbers from 1; not with people */
    const double *unseen; /* [actions], see ::asif_simulate_options; NULL: every observation is seen */
} asif_simulated_options;

/* Simulate the tree that the logs of asif_simulate_csv() would give; the episodes of a start class follow
 * those of earlier classes. @param[out] out Owned by the caller. Fails with ASIF_ENOMEM, or as
 * asif_simulate() does. */
asif_status asif_simulated_tree(asif_tree **out, const asif_behavior *behavior,
                                const asif_simulated_options *options, asif_error *error);

/* Sets *out to the behavior of a person, which is needed until the next call. */
typedef asif_status asif_simulated_person(void *user, uint64_t person, const asif_behavior **out,
                                          asif_error *error);
/* Simulate the logs of `people` in one tree, with as many episodes each; they are its units, named by their
 * numbers from 1. Fails as asif_simulated_tree() and `agent` do. */
asif_status asif_simulated_people(asif_tree **out, const asif_setting *setting, uint64_t people,
                                  asif_simulated_person *agent, void *user,
                                  const asif_simulated_options *options, asif_error *error);

#endif
