/* Utilities of episodes: the undiscounted sum over the decisions of each, which is linear in the estimated
 * utilities. If states are not observed, it is the expected sum, given all observations of the episode and
 * the dynamics of the environment. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_EPISODES_H
#define ASIF_SRC_INVERSE_EVIDENCE_EPISODES_H

#include "inverse/evidence/features.h"
#include "inverse/inverse.h"

typedef struct {
    const asif_context *context;
    asif_features features;
    uint64_t count;   /* number of episodes */
    double *constant; /* [count] */
    double *feature;  /* [count][features.count] */
} asif_episodes;

/* Compute the utilities of all episodes; messages name `who`. Fails with ASIF_EUNSUPPORTED (rows have
 * weights, or counts are replaced), ASIF_EINVALID (the tree was read without its episodes), ASIF_EZEROPR (the
 * environment does not allow an observation) or ASIF_ENOMEM; there is then nothing to free. */
asif_status asif_episodes_create(asif_episodes *out, const asif_behavior *behavior,
                                 const asif_inverse_input *evidence, const char *who, asif_error *error);
void asif_episodes_free(asif_episodes *episodes);

/* Add a warning if states are not observed and the tree lacks the observations after last decisions. */
void asif_episodes_warn(const asif_inverse_input *evidence, asif_problems *problems);

/* Check that the tree has its episodes as units; for failures see asif_episodes_create(). */
asif_status asif_episodes_check(const asif_inverse_input *evidence, const char *who, asif_error *error);
/* Find the index of the column that an inverse planner uses (scores, batches). Fails with ASIF_EINVALID if
 * the logs were read without it. */
asif_status asif_episodes_column(uint32_t *out, const asif_inverse_input *evidence, asif_helper helper,
                                 asif_error *error);

#endif
