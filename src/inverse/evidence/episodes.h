/* Utilities of episodes: the sum over the decisions of each (not discounted), linear in the estimated
 * utilities. Where states are not seen, it is the expected sum, given everything that was seen in the episode
 * and the dynamics of the environment. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_EPISODES_H
#define ASIF_SRC_INVERSE_EVIDENCE_EPISODES_H

#include "inverse/evidence/features.h"
#include "inverse/inverse.h"

typedef struct {
    const asif_context *context;
    asif_features features;
    uint64_t count;   /* episodes */
    double *constant; /* [count] */
    double *feature;  /* [count][features.count] */
} asif_episodes;

/* In the name of `who`: ASIF_EUNSUPPORTED where rows have weights or counts are replaced, ASIF_EINVALID where
 * the tree was read without its episodes, ASIF_EZEROPR where something was seen that the environment does not
 * allow. */
asif_status asif_episodes_create(asif_episodes *out, const asif_behavior *behavior,
                                 const asif_inverse_input *evidence, const char *who, asif_error *error);
void asif_episodes_free(asif_episodes *episodes);

/* Warn where states are not seen and the tree lacks what was seen after last decisions. */
void asif_episodes_warn(const asif_inverse_input *evidence, asif_problems *problems);

/* Check that the tree keeps its episodes apart. */
asif_status asif_episodes_check(const asif_inverse_input *evidence, const char *who, asif_error *error);
/* The index of the column that an inverse planner uses (scores, batches). */
asif_status asif_episodes_column(uint32_t *out, const asif_inverse_input *evidence, asif_helper helper,
                                 asif_error *error);

#endif
