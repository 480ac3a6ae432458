/* The policy of a behaviour in all states, where states are seen, and derivatives back from it. */
#ifndef ASIF_SRC_INVERSE_IMITATOR_H
#define ASIF_SRC_INVERSE_IMITATOR_H

#include "behavior/behavior.h"

typedef struct {
    const asif_context *context;
    uint32_t states, actions;
    double *log_policy, *policy; /* [states][actions] */
    double *state, *memo;        /* as the behaviour has them; bars of both */
    double *state_bar, *memo_bar;
    uint32_t width, memo_width;
} asif_imitator;

asif_status asif_imitator_create(asif_imitator *out, const asif_context *context, const asif_setting *setting,
                                 asif_error *error);
void asif_imitator_free(asif_imitator *imitator);

/* What the behaviour does now. */
asif_status asif_imitator_ask(asif_imitator *imitator, const asif_behavior *behavior, asif_error *error);
/* The derivatives in theta of a function whose derivatives in the last log-policies are bar
 * [states][actions]. */
asif_status asif_imitator_pull(asif_imitator *imitator, const asif_behavior *behavior, const double *bar,
                               asif_theta_gradient *gradient, asif_error *error);

#endif
