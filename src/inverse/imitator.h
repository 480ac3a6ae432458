/* The imitator: the policy of a behaviour in all states, if states are observed, and derivatives of it. */
#ifndef ASIF_SRC_INVERSE_IMITATOR_H
#define ASIF_SRC_INVERSE_IMITATOR_H

#include "behavior/behavior.h"

typedef struct {
    const asif_context *context;
    uint32_t states, actions;
    double *log_policy, *policy; /* [states][actions] */
    double *state, *memo;        /* agent states and memos of the behaviour; a bar is a derivative */
    double *state_bar, *memo_bar;
    uint32_t width, memo_width;
} asif_imitator;

/* Make an imitator. Fails with ASIF_ENOMEM, and has then nothing to free. */
asif_status asif_imitator_create(asif_imitator *out, const asif_context *context, const asif_setting *setting,
                                 asif_error *error);
void asif_imitator_free(asif_imitator *imitator);

/* Compute the policy of the behaviour as it is solved now. */
asif_status asif_imitator_ask(asif_imitator *imitator, const asif_behavior *behavior, asif_error *error);
/* Compute the derivatives in theta of a function whose derivatives in the last log-policies are bar
 * [states][actions]. Fails with ASIF_EUNSUPPORTED if the planner has no derivatives. */
asif_status asif_imitator_pull(asif_imitator *imitator, const asif_behavior *behavior, const double *bar,
                               asif_theta_gradient *gradient, asif_error *error);

#endif
