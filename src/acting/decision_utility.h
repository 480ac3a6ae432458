/* Utility of decisions in the environment (by state, by observation and by belief), and whether an ending was
 * wrong. */
#ifndef ASIF_SRC_ACTING_DECISION_UTILITY_H
#define ASIF_SRC_ACTING_DECISION_UTILITY_H

#include "asif/behavior.h"

typedef struct {
    const asif_context *context;
    const asif_setting_spec *spec;
    const double *utility;
    double *by_state; /* [actions][states] */
    double *by_seen;  /* [actions][states]: mean of what the observation that follows brings; NULL: nothing by
                         observation */
    double *best_end; /* [states]: the best that an ending action gives; NULL: fewer than two end */
    bool ends;        /* some action does */
    bool by_belief;   /* some term does */
} asif_decision_utility;

/* `theta` is what the behaviour was solved for, and borrowed: its utilities count.
 * asif_decision_utility_free() whether it fails or not. */
asif_status asif_decision_utility_create(asif_decision_utility *out, const asif_behavior *behavior,
                                         const asif_theta *theta, asif_error *error);
void asif_decision_utility_free(asif_decision_utility *gains);

/* Utility of one decision. */
double asif_decision_utility_of(const asif_decision_utility *gains, const asif_decision *decision);
/* Expected utility of an action in a state of the world, for an agent in an agent state. */
double asif_decision_utility_mean(const asif_decision_utility *gains, uint32_t action, uint32_t state,
                                  const double *agent_state);
/* Whether another ending action scores higher in this state of the world. */
bool asif_decision_utility_wrong(const asif_decision_utility *gains, uint32_t action, uint32_t state);

#endif
