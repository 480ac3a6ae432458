/* Policy gradient for a recurrent network: episodes in the environment, advantages, Adam. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_TRAINING_H
#define ASIF_SRC_PLANNERS_LEARNING_TRAINING_H

#include "planners/learning/gru.h"
#include "planners/learning/samples.h"

enum { ASIF_UNROLL = 32 }; /* steps of an episode; what comes after counts by the value head */

typedef struct {
    const asif_context *context;
    const asif_samples *samples;
    uint64_t seed;
    asif_gru gru;
    double discount;
    double scale; /* that rewards are divided by: the span of the utility */
    double temperature,
        coolest;   /* price of entropy, in these units: now, and alpha, which it never falls below */
    double weight; /* of entropy in the loss: the same, normalised as advantages are */
    double *utility, *seen_utility;     /* [actions][states], [actions][observations] */
    double *weights;                    /* [count] */
    double *gradient, *moment, *square; /* [count]; of Adam */
    double *memory;                     /* of the steps */
    double *bars;                       /* scratch of the derivatives */
    asif_gru_step step[ASIF_UNROLL + 1];
    uint32_t action[ASIF_UNROLL][ASIF_LANES];
    double reward[ASIF_UNROLL][ASIF_LANES], advantage[ASIF_UNROLL][ASIF_LANES],
        target[ASIF_UNROLL][ASIF_LANES];
} asif_training;

/* `samples` is borrowed. Freed by asif_training_free() whether it fails or not. */
asif_status asif_training_create(asif_training *out, const asif_context *context, const asif_samples *samples,
                                 uint32_t hidden, uint64_t seed, asif_error *error);
void asif_training_free(asif_training *training);

/* Forget what was learnt, and take the utility of a theta. */
asif_status asif_training_begin(asif_training *training, const asif_theta *theta, asif_error *error);
/* One batch of episodes and one step of the weights; `done` is the part of the training that lies behind. */
void asif_training_update(asif_training *training, uint64_t batch, double done);

/* The pieces of an update: episodes, what their actions were worth, the loss with its derivatives in the
 * weights. */
void asif_training_act(asif_training *training, uint64_t batch);
void asif_training_judge(asif_training *training);
double asif_training_loss(asif_training *training);

#endif
