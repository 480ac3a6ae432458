/* The environment of a learner: draws of states and observations. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_SAMPLES_H
#define ASIF_SRC_PLANNERS_LEARNING_SAMPLES_H

#include "setting/setting.h"
#include "theta/theta.h"

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    /* [matrices]: cumulative sums of the rows, for matrices of the environment; else NULL. */
    double **cumulative;
} asif_samples;

asif_status asif_samples_create(asif_samples *out, const asif_context *context, const asif_setting *setting,
                                asif_error *error); /* freed by asif_samples_free() whether it fails or not */
void asif_samples_free(asif_samples *samples);

/* Draw by a number that is uniform on (0, 1): the first state of a start class, the state after an action,
 * and the observation in that state. */
uint32_t asif_sample_start(const asif_samples *samples, uint32_t start, double uniform);
uint32_t asif_sample_next(const asif_samples *samples, uint32_t action, uint32_t state, double uniform);
uint32_t asif_sample_seen(const asif_samples *samples, uint32_t action, uint32_t state, double uniform);

/* Whether `next` can follow `state` after the action, in the environment. */
bool asif_sample_possible(const asif_samples *samples, uint32_t action, uint32_t state, uint32_t next);

/* Compute the utilities of a theta: v(s,u) into by_state [actions][states], r(u,x) into by_seen
 * [actions][observations]. */
void asif_samples_utility(const asif_samples *samples, const asif_theta *theta, double *by_state,
                          double *by_seen);

#endif
