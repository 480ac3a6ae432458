/* How good the evidence of an action is: the chance to guess the state right from one observation, all states
 * being equally likely; in the environment, and as an agent perceives it at the beliefs it visits. */
#ifndef ASIF_SRC_ACTING_EVIDENCE_H
#define ASIF_SRC_ACTING_EVIDENCE_H

#include "asif/behavior.h"

/* (1/S) sum_x max_s O(x|s), of [states][observations]. */
double asif_evidence_quality(const double *emissions, uint32_t states, uint32_t observations);

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    uint32_t count;
    uint32_t *action;   /* [count]: actions that end nothing and whose observations distinguish states in the
                           environment */
    double *emissions;  /* [count][worlds + 1][states][observations]; the environment last */
    double *mixed;      /* [states][observations] */
    double *sum, *seen; /* [count]: of the qualities perceived, and of the weights of the visits */
    double *worlds;     /* [room][actions][worlds] */
    uint64_t room;
    double weight; /* of the visits that come */
} asif_evidence;

/* None where states are seen. asif_evidence_free() whether it fails or not. One thread at a time. */
asif_status asif_evidence_create(asif_evidence *out, const asif_context *context, const asif_setting *setting,
                                 asif_error *error);
void asif_evidence_free(asif_evidence *evidence);
/* The quality of the evidence with these weights of the worlds; NULL: in the environment. */
double asif_evidence_mixed(const asif_evidence *evidence, uint32_t i, const double *weights);
/* Forget the visits. */
void asif_evidence_clear(asif_evidence *evidence);
/* For asif_policy_value_options.visit, the evidence being its user. */
asif_status asif_evidence_visit(void *evidence, const asif_behavior *behavior, uint64_t n,
                                const double *state, const double *policy, asif_error *error);
/* Mean over the visits; NaN: the action was never taken. */
double asif_evidence_perceived(const asif_evidence *evidence, uint32_t i);

#endif
