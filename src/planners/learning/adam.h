/* Adam (Kingma and Ba, 2015): steps of weights against the derivatives of a loss. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_ADAM_H
#define ASIF_SRC_PLANNERS_LEARNING_ADAM_H

#include <stdint.h>

typedef struct {
    uint64_t count;
    double *weights, *gradient; /* [count] */
    double *moment,
        *square; /* [count]: moving averages of the derivatives and of their squares, 0 at first */
} asif_adam;

/* Take the k-th step, from 1, at a learning rate; derivatives are multiplied by `cut`. */
void asif_adam_step(const asif_adam *adam, uint64_t k, double rate, double cut);

#endif
