/* Counter-based random numbers: a number depends on the key and the counter only, not on the numbers
 * drawn before. */
#ifndef ASIF_SRC_BASE_RANDOM_H
#define ASIF_SRC_BASE_RANDOM_H

#include <stdint.h>

/* The purpose of a stream: streams of different purposes never share numbers. */
typedef enum {
    ASIF_FOR_STATES = 1, /* simulated world states */
    ASIF_FOR_ACTIONS,
    ASIF_FOR_OBSERVATIONS,
    ASIF_FOR_TESTS,
    ASIF_FOR_MOMENTUM, /* sampling: momenta of NUTS's trajectories */
    ASIF_FOR_TREE,
    ASIF_FOR_STEP_SIZE,
    ASIF_FOR_WALK,
    ASIF_FOR_STARTS,           /* points from which a search begins */
    ASIF_FOR_CHAINS,           /* starting points of chains */
    ASIF_FOR_REPLICATES,       /* calibration: seeds of each simulated and fitted agent; ties of ranks */
    ASIF_FOR_CHECKS,           /* replicates of the decisions in logs */
    ASIF_FOR_LEARNING,         /* planners that learn: samples of the environment, initial weights */
    ASIF_FOR_SUBJECTS,         /* replicates of the decisions of each subject */
    ASIF_FOR_FOLDS = 20,       /* cross-validation: who is held out in which fold */
    ASIF_FOR_UNSEEN = 30,      /* simulated observations: whether one is missing */
    ASIF_FOR_CLASSES = 32,     /* simulated start classes */
    ASIF_FOR_RIDGES = 31,      /* sampling: which points are resampled, and their order */
    ASIF_FOR_DYNAMICS = 40,    /* hidden dynamics: points from which a search begins */
    ASIF_FOR_SWEEPS = 41,      /* hidden dynamics: draws */
    ASIF_FOR_RIVALS = 42,      /* predictions to compare with: searches and walks */
    ASIF_FOR_POPULATIONS = 50, /* populations: points of importance sampling, and samples of units */
    ASIF_FOR_PILOTS = 51,      /* populations: units of the pilot */
    ASIF_FOR_PEOPLE = 52,      /* populations that are drawn from their prior, and their units */
    ASIF_FOR_PERMUTATIONS = 53 /* populations: whose covariates a unit gets */
} asif_purpose;

typedef struct {
    uint64_t seed;
    uint32_t purpose;
    uint64_t index; /* chain, episode, ... */
} asif_stream;

/* The counter-th number of the stream, uniform on (0, 1): multiples of 2^-52 plus 2^-53. */
double asif_uniform(const asif_stream *stream, uint32_t counter);
/* The counter-th number of the stream as a standard normal number; not independent of asif_uniform() at the
 * same counter. */
double asif_normal(const asif_stream *stream, uint32_t counter);
/* Draws an index with the weights p[0..n), by a uniform number. The weights need not sum to 1 but must not
 * all be 0; an index of weight 0 is never drawn. */
uint32_t asif_draw(double uniform, const double *p, uint32_t n);

#endif
