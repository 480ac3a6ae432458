/* The utility of decisions in the environment (by state, by observation and by belief), and whether an ending
 * was wrong. */
#ifndef ASIF_SRC_ACTING_DECISION_UTILITY_H
#define ASIF_SRC_ACTING_DECISION_UTILITY_H

#include "asif/behavior.h"

typedef struct {
    const asif_context *context;
    const asif_setting_spec *spec;
    const double *utility;
    double *by_state; /* [actions][states] */
    double *by_seen;  /* [actions][states]: expected utility of the next observation; NULL: no term depends on
                         it */
    double *right_end; /* [states]: the middle between the best and the worst ending action; NULL: fewer than
                          two actions end an episode */
    bool ends;         /* some action ends an episode */
    bool by_belief;    /* some term depends on the belief */
} asif_decision_utility;

/* Make the tables. `theta`, for which the behaviour was solved, is borrowed: its utilities count. Fails with
 * ASIF_ENOMEM; call asif_decision_utility_free() also then. */
asif_status asif_decision_utility_create(asif_decision_utility *out, const asif_behavior *behavior,
                                         const asif_theta *theta, asif_error *error);
void asif_decision_utility_free(asif_decision_utility *gains);

/* Utility of one decision. */
double asif_decision_utility_of(const asif_decision_utility *gains, const asif_decision *decision);
/* Expected utility of an action in a state of the world, for an agent in an agent state. */
double asif_decision_utility_mean(const asif_decision_utility *gains, uint32_t action, uint32_t state,
                                  const double *agent_state);
/* Whether another ending action scores much higher in this state of the world: this one scores nearer to the
 * worst of them than to the best. */
bool asif_decision_utility_wrong(const asif_decision_utility *gains, uint32_t action, uint32_t state);

#endif
