/* The no-U-turn sampler. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_NUTS_H
#define ASIF_SRC_SAMPLE_CHAINS_NUTS_H

#include "sample/interruptible_density.h"

/*
 * Momenta are white: with the covariance C = L L' as inverse mass, x moves by L p and p by L' times the
 * gradient, so that kinetic energy is p'p / 2 and turning back is a matter of plain inner products.
 */
typedef struct {
    asif_point point;
    double *p;    /* momentum */
    double *push; /* L' gradient */
} asif_phase;

/* A part of a trajectory, from the leap nearest to its beginning to the farthest one. */
typedef struct {
    double *first, *last, *sum; /* momenta */
    asif_point chosen;
    double energy; /* there */
    double weight; /* logarithm of the sum of exp(-energy) relative to the start */
} asif_subtree;

typedef struct {
    const asif_context *context;
    uint32_t n, max_depth;
    const double *lower; /* L, borrowed; it must be set first */
    asif_phase end[2];   /* of the trajectory: backward, forward */
    asif_subtree whole;
    asif_subtree *extra; /* [max_depth + 1]: one under construction at each depth */
    double *scratch;     /* [n] */
    double *room;
    /* of the transition under way */
    double step, start_energy, accept_sum;
    uint64_t seed, index;
    uint32_t leaps, draws;
    bool diverged;
    asif_status status;
} asif_nuts;

asif_status asif_nuts_create(asif_nuts **out, const asif_context *context, uint32_t n, uint32_t max_depth,
                             asif_error *error);
void asif_nuts_free(asif_nuts *nuts);

/* One transition, from `at` to `at`, keyed by (seed, index). `stat` is [ASIF_STAT_COUNT]. `at` changes only
 * if it returns ASIF_OK. */
asif_status asif_nuts_step(asif_nuts *nuts, const asif_interruptible_density *target, asif_point *at,
                           double step, uint64_t seed, uint64_t index, double *stat);
/* A step at which one leap is accepted with probability near 0.8, found by doubling or halving (Hoffman and
 * Gelman 2014, algorithm 4). */
asif_status asif_nuts_find_step(asif_nuts *nuts, const asif_interruptible_density *target,
                                const asif_point *at, double *step, uint64_t seed, uint64_t index);

/* For tests: one leap of the phase; its total energy. */
asif_status asif_nuts_leap(asif_nuts *nuts, const asif_interruptible_density *target, asif_phase *z,
                           double step);
double asif_nuts_energy(const asif_nuts *nuts, const asif_phase *z);

#endif
