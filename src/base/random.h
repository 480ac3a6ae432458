/* Counter-based random numbers: the value depends on the key and the counter, never on who asked before. */
#ifndef ASIF_SRC_BASE_RANDOM_H
#define ASIF_SRC_BASE_RANDOM_H

#include <stdint.h>

/* What a stream is for: streams of different purpose never share numbers. */
typedef enum {
    ASIF_FOR_STATES = 1, /* simulation: world states */
    ASIF_FOR_ACTIONS,
    ASIF_FOR_OBSERVATIONS,
    ASIF_FOR_TESTS,
    ASIF_FOR_MOMENTUM, /* sampling: one of NUTS's trajectories */
    ASIF_FOR_TREE,
    ASIF_FOR_STEP_SIZE,
    ASIF_FOR_WALK,
    ASIF_FOR_STARTS,      /* points from which a search begins */
    ASIF_FOR_CHAINS,      /* where chains begin */
    ASIF_FOR_REPLICATES,  /* calibration: seeds of one simulated and fitted agent; ties of ranks */
    ASIF_FOR_CHECKS,      /* replicates of the decisions in logs */
    ASIF_FOR_LEARNING,    /* planners that learn: samples of the environment, first weights */
    ASIF_FOR_SUBJECTS,    /* replicates of the decisions of each subject */
    ASIF_FOR_FOLDS = 20,  /* who is held out when */
    ASIF_FOR_UNSEEN = 30, /* simulation: whether nothing is seen */
    ASIF_FOR_RIDGES = 31  /* sampling: resampled points, and their order */
} asif_purpose;

typedef struct {
    uint64_t seed;
    uint32_t purpose;
    uint64_t index; /* chain, episode, ... */
} asif_stream;

/* The counter-th number of the stream, uniform on (0, 1): multiples of 2^-52 plus 2^-53. */
double asif_uniform(const asif_stream *stream, uint32_t counter);
/* The counter-th number of the stream as a standard normal one; not independent of asif_uniform() at that
 * counter. */
double asif_normal(const asif_stream *stream, uint32_t counter);
/* Index drawn with the weights p[0..n), which need not sum to 1 but must not all be 0; zero weights are never
 * drawn. */
uint32_t asif_draw(double uniform, const double *p, uint32_t n);

#endif
