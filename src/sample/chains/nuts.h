/* The no-U-turn sampler. A leap is one leapfrog step. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_NUTS_H
#define ASIF_SRC_SAMPLE_CHAINS_NUTS_H

#include "sample/interruptible_density.h"

/* A point of phase space. Momenta p have the identity as covariance: with the covariance C = L L' as inverse
 * mass, x moves by L p, and p by L' times the gradient. Kinetic energy is then p'p / 2, and the test for a
 * U-turn takes plain inner products. */
typedef struct {
    asif_point point;
    double *p;    /* momentum */
    double *push; /* L' gradient */
} asif_phase;

/* A part of a trajectory: its momenta nearest to the start and farthest from it, their sum over all points,
 * and the point chosen so far. */
typedef struct {
    double *first, *last, *sum; /* [n] */
    asif_point chosen;
    double energy; /* energy at the chosen point */
    double weight; /* logarithm of the sum of exp(-energy) relative to the start */
} asif_subtree;

typedef struct {
    const asif_context *context;
    uint32_t n, max_depth;
    const double *lower; /* L, borrowed; it must be set first */
    asif_phase end[2];   /* ends of the trajectory: backward, forward */
    asif_subtree whole;
    asif_subtree *extra; /* [max_depth + 1]: the part under construction at each depth */
    double *scratch;     /* [n] */
    double *room;
    /* state of the current transition */
    double step, start_energy, accept_sum;
    uint64_t seed, index;
    uint32_t leaps, draws;
    bool diverged;
    asif_status status;
} asif_nuts;

/* Make a workspace. @param[out] out Owned by the caller. Fails with ASIF_ENOMEM. */
asif_status asif_nuts_create(asif_nuts **out, const asif_context *context, uint32_t n, uint32_t max_depth,
                             asif_error *error);
void asif_nuts_free(asif_nuts *nuts);

/* Make one transition, from `at` to `at`, keyed by (seed, index). `stat` is [ASIF_STAT_COUNT]. Returns what
 * the density returned; `at` changes only after ASIF_OK. Costs up to 2^max_depth - 1 evaluations. */
asif_status asif_nuts_step(asif_nuts *nuts, const asif_interruptible_density *target, asif_point *at,
                           double step, uint64_t seed, uint64_t index, double *stat);
/* Find a step at which one leap is accepted with probability near 0.8, by doubling or halving (Hoffman and
 * Gelman 2014, algorithm 4). */
asif_status asif_nuts_find_step(asif_nuts *nuts, const asif_interruptible_density *target,
                                const asif_point *at, double *step, uint64_t seed, uint64_t index);

/* Take one leap of a phase, and compute its total energy. Public to tests only. */
asif_status asif_nuts_leap(asif_nuts *nuts, const asif_interruptible_density *target, asif_phase *z,
                           double step);
double asif_nuts_energy(const asif_nuts *nuts, const asif_phase *z);

#endif
