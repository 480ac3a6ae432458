/* Rivals: other explanations of an agent's behaviour, each at its maximum on logs simulated from the
 * agent. */
#ifndef ASIF_SRC_QUESTIONS_IDENTIFY_RIVAL_H
#define ASIF_SRC_QUESTIONS_IDENTIFY_RIVAL_H

#include "questions/identify/identify.h"

/* The agent and its logs. Only the observations in them are random: at each decision the probabilities of the
 * agent take the place of the drawn action, which removes most of the noise of the comparison and does not
 * change its mean. */
typedef struct {
    const asif_context *context;
    const asif_theta *agent;
    const asif_tree *tree; /* tree with episodes as units */
    double *log_policy;    /* [nodes][actions]: policy of the agent */
    double *count;         /* [nodes][actions]: decisions times probabilities */
    double log_likelihood; /* of these counts under the agent itself */
    uint64_t seed;
    uint32_t starts;
} asif_rival_field;

/* Compute the agent's policy at all nodes of the tree; `behavior` is the agent's. Call
 * asif_rival_field_free() in either case. ASIF_ENOMEM, or as a likelihood fails. */
asif_status asif_rival_field_fill(asif_rival_field *field, const asif_behavior *behavior, asif_error *error);
void asif_rival_field_free(asif_rival_field *field);

/* Find the maximum of a rival and compare it with the agent. Call asif_rival_result_free() in either case.
 * Cost: about a thousand likelihoods on the tree. */
asif_status asif_rival_run(asif_rival_result *out, const asif_rival_field *field, const asif_rival *rival,
                           asif_error *error);
void asif_rival_result_free(const asif_context *context, asif_rival_result *result);

/* Compute nats, their error and the logs needed. `difference` [logs] is the advantage of the agent in nats,
 * `never` [logs] how often it takes actions that the rival never takes. */
void asif_rival_judge(asif_rival_result *out, const double *difference, const double *never, uint64_t logs);

/* The reported numbers of estimates at the values of a theta, which may be of another setting; NaN if it has
 * no such value. */
void asif_rival_numbers(double *out, const asif_estimates *estimates, const asif_theta *theta);

#endif
