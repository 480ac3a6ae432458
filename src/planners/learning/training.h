/* Training of a recurrent network by policy gradient: episodes in the environment, advantages, Adam. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_TRAINING_H
#define ASIF_SRC_PLANNERS_LEARNING_TRAINING_H

#include "planners/learning/gru.h"
#include "planners/learning/samples.h"

enum { ASIF_UNROLL = 32 }; /* steps of an episode; the value head estimates what follows */

typedef struct {
    const asif_context *context;
    const asif_samples *samples;
    uint64_t seed;
    asif_gru gru;
    double discount;
    double scale; /* divisor of rewards: the span of the utility */
    double temperature,
        coolest;   /* price of entropy in units of `scale`: the current one, and its lower limit alpha */
    double weight; /* weight of entropy in the loss: the temperature, normalised like the advantages */
    double *utility, *seen_utility;     /* [actions][states], [actions][observations] */
    double *weights;                    /* [count] */
    double *gradient, *moment, *square; /* [count]; the last two are the moments of Adam */
    double *memory;                     /* memory of `step` */
    double *bars;                       /* scratch space for derivatives */
    asif_gru_step step[ASIF_UNROLL + 1];
    uint32_t action[ASIF_UNROLL][ASIF_LANES];
    double reward[ASIF_UNROLL][ASIF_LANES], advantage[ASIF_UNROLL][ASIF_LANES],
        target[ASIF_UNROLL][ASIF_LANES];
} asif_training;

/* Make a training; `samples` is borrowed. The caller calls asif_training_free() even after a failure. */
asif_status asif_training_create(asif_training *out, const asif_context *context, const asif_samples *samples,
                                 uint32_t hidden, uint64_t seed, asif_error *error);
void asif_training_free(asif_training *training);

/* Start over with initial weights and the utility of a theta. */
asif_status asif_training_begin(asif_training *training, const asif_theta *theta, asif_error *error);
/* Run one batch of episodes and one step of the weights; `done` is the completed fraction of the training. */
void asif_training_update(asif_training *training, uint64_t batch, double done);

/* The three parts of an update: the episodes, the advantages of their actions, and the loss with its
 * derivatives with respect to the weights. */
void asif_training_act(asif_training *training, uint64_t batch);
void asif_training_judge(asif_training *training);
double asif_training_loss(asif_training *training);

#endif
