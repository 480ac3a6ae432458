/* The quality of the evidence of an action: the probability of guessing the state from one observation if all
 * states that an episode can reach before its end are equally likely. It is computed in the environment, and
 * as an agent perceives it at the beliefs that it visits. */
#ifndef ASIF_SRC_ACTING_EVIDENCE_H
#define ASIF_SRC_ACTING_EVIDENCE_H

#include "asif/behavior.h"

/* The quality (1/S) sum_x max_s O(x|s), from O [states][observations], over the S states that count; `counts`
 * [states] may be NULL: all. 0 if none counts. */
double asif_evidence_quality(const double *emissions, const bool *counts, uint32_t states,
                             uint32_t observations);

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    uint32_t count;
    uint32_t *action; /* [count]: actions that do not end an episode and whose observations distinguish states
                         in the environment */
    double *emissions;  /* [count][worlds + 1][states][shown]; the environment last */
    double *mixed;      /* [states][shown]: scratch */
    double *sum, *seen; /* [count]: weighted sum of perceived qualities, and sum of the weights */
    bool *occurs;       /* [states]: an episode can reach the state before its end */
    double *worlds;     /* [room][actions][worlds]: scratch */
    uint64_t room;
    double weight; /* weight of the next visits */
} asif_evidence;

/* Make the tables; `count` is 0 if states are observed. Context and setting are borrowed. For one thread at a
 * time. Fails with ASIF_ENOMEM; call asif_evidence_free() also then. */
asif_status asif_evidence_create(asif_evidence *out, const asif_context *context, const asif_setting *setting,
                                 asif_error *error);
void asif_evidence_free(asif_evidence *evidence);
/* The quality of the evidence of the i-th action, with these weights of the worlds; NULL: in the
 * environment. */
double asif_evidence_mixed(const asif_evidence *evidence, uint32_t i, const double *weights);
/* Forget the visits. */
void asif_evidence_clear(asif_evidence *evidence);
/* Record visits: a function for asif_policy_value_options.visit, whose `user` is the evidence. Fails with
 * ASIF_ENOMEM, or as asif_look() does. */
asif_status asif_evidence_visit(void *evidence, const asif_behavior *behavior, uint64_t n,
                                const double *state, const double *times, const double *policy,
                                asif_error *error);
/* Mean perceived quality over the visits; NaN: the action was never taken. */
double asif_evidence_perceived(const asif_evidence *evidence, uint32_t i);

#endif
