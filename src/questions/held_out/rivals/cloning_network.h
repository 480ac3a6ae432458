/* A recurrent network on the nodes of a history tree: episodes that share a history share its computation. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_CLONING_NETWORK_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_CLONING_NETWORK_H

#include "planners/learning/adam.h"
#include "planners/learning/lstm.h"
#include "questions/held_out/rivals/rival.h"

/* Nodes of one level, which are computed together. */
typedef struct {
    uint32_t first, count; /* at most ASIF_LANES */
    asif_lstm_step step;
} asif_cloning_block;

typedef struct {
    const asif_context *context;
    const asif_tree *tree;
    asif_lstm lstm;
    asif_adam adam;
    uint32_t blocks;
    asif_cloning_block *block;
    double *memory;         /* memory of the steps */
    double *h, *c;          /* [nodes][hidden] */
    double *h_bar, *c_bar;  /* [nodes][hidden]: derivatives of the loss */
    double *before, *lanes; /* scratch */
} asif_cloning_network;

/* Make a network for a tree without states that are seen; the tree is borrowed. Inputs are the last action
 * and the last observation and, if there are several, the start class. ASIF_ETOOBIG or ASIF_ENOMEM. The
 * caller calls asif_cloning_free() even after a failure. */
asif_status asif_cloning_create(asif_cloning_network *network, const asif_context *context,
                                const asif_tree *tree, uint32_t hidden, asif_error *error);
void asif_cloning_free(asif_cloning_network *network);

/* Draw all weights from a normal distribution with this standard deviation, and forget earlier steps. */
void asif_cloning_begin(asif_cloning_network *network, double spread, uint64_t seed);
/* Compute the policies after all histories but the empty one. */
void asif_cloning_forward(asif_cloning_network *network);
/* The mean loss of decisions [nodes][actions] after a forward pass: minus the log-probability of what was
 * done, over all decisions that have a history; 0 if there are none. */
double asif_cloning_loss(const asif_cloning_network *network, const double *count);
/* Compute the derivatives of that loss, after a forward pass. */
void asif_cloning_backward(asif_cloning_network *network, const double *count);

#endif
