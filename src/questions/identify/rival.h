/* Rivals: other explanations of an agent's behaviour at their best, on logs simulated from it. */
#ifndef ASIF_SRC_QUESTIONS_IDENTIFY_RIVAL_H
#define ASIF_SRC_QUESTIONS_IDENTIFY_RIVAL_H

#include "questions/identify/identify.h"

/* The agent and its logs. Only the observations in them are random: at each decision the probabilities of the
 * agent take the place of the drawn action, which removes most of the noise of the comparison and does not
 * change its mean. */
typedef struct {
    const asif_context *context;
    const asif_theta *agent;
    const asif_tree *tree; /* with episodes as units */
    double *log_policy;    /* [nodes][actions]: the agent's */
    double *count;         /* [nodes][actions]: decisions times probabilities */
    double log_likelihood; /* of these, under the agent itself */
    uint64_t seed;
    uint32_t starts;
} asif_rival_field;

/* The agent's probabilities all over the tree; `behavior` is the agent's. asif_rival_field_free() whether it
 * fails or not. */
asif_status asif_rival_field_fill(asif_rival_field *field, const asif_behavior *behavior, asif_error *error);
void asif_rival_field_free(asif_rival_field *field);

/* Bring a rival to its best and compare. What `out` owns is freed by asif_rival_result_free(), whether it
 * fails or not. */
asif_status asif_rival_run(asif_rival_result *out, const asif_rival_field *field, const asif_rival *rival,
                           asif_error *error);
void asif_rival_result_free(const asif_context *context, asif_rival_result *result);

/* Nats, their error and the logs needed. `difference` and `never` are of each log: nats that the agent is
 * ahead, and how often it does what the rival never does. */
void asif_rival_judge(asif_rival_result *out, const double *difference, const double *never, uint64_t logs);

/* Reported numbers of estimates at the values of a theta; NaN where it has none of that name. `theta` may be
 * of another setting. */
void asif_rival_numbers(double *out, const asif_estimates *estimates, const asif_theta *theta);

#endif
