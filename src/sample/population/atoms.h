/* A table of points ("atoms") that serves many posteriors at once: each posterior is the same points with
 * weights of its own. The points come from several proposals, the first of which is usually the prior and the
 * later ones are near where weight was found. They are combined by the balance heuristic: whatever proposal a
 * point came from, its weight is a density over q(x) = sum_r n_r q_r(x) / n (Veach and Guibas, 1995).
 *
 * The points of a proposal are ASIF_SCRAMBLES independently scrambled Sobol sequences of equal length, so
 * that the error of an estimate can be told from how it differs between them. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_ATOMS_H
#define ASIF_SRC_SAMPLE_POPULATION_ATOMS_H

#include "asif/base.h"

#define ASIF_SCRAMBLES 8

/* A distribution of independent coordinates, from which the first points come: the prior of the points. */
typedef struct {
    uint32_t dimension;
    double (*quantile)(void *user, uint32_t coordinate, double p);
    /* The normalised log-density; its gradient [dimension] is added to unless it is NULL. */
    double (*log_density)(void *user, const double *x, double *gradient);
    void *user;
} asif_base_density;

typedef struct {
    uint64_t count;
    double *centre; /* [dimension]; NULL: the base density */
    double *factor; /* [dimension][dimension], lower: x = centre + factor t, Student t in each entry of t */
} asif_proposal;

typedef struct {
    const asif_context *context;
    const asif_base_density *base; /* borrowed */
    uint64_t seed;
    uint32_t proposals;
    uint64_t proposal_capacity;
    asif_proposal *proposal;
    uint64_t drawn; /* points of all proposals: more than `count` only in a part of a table */
    uint64_t count;
    double *x;     /* [count][dimension], by proposal and scramble */
    double *log_q; /* [count]: the mixture of all proposals */
} asif_atoms;

void asif_atoms_open(asif_atoms *atoms, const asif_context *context, const asif_base_density *base,
                     uint64_t seed);
void asif_atoms_close(asif_atoms *atoms);
/* Add points of a proposal, and renew log_q of all points. `count` is rounded up to a multiple of
 * ASIF_SCRAMBLES. The covariance [dimension][dimension] of a t is that of a normal of its scale; `centre`
 * NULL: the base density. ASIF_EDOMAIN if the covariance is not positive definite or the dimension is too
 * large for Sobol points; ASIF_ENOMEM. After a failure the table is as before. */
asif_status asif_atoms_add(asif_atoms *atoms, uint64_t count, const double *centre, const double *covariance,
                           asif_error *error);
/* The same with the factor [dimension][dimension] of an earlier proposal: a table whose proposals are added
 * in their order has the same bits. */
asif_status asif_atoms_add_again(asif_atoms *atoms, uint64_t count, const double *centre,
                                 const double *factor, asif_error *error);
/* A table with these points [count] of another: others may be added to it, and their densities are those of
 * the whole. It has no scrambles. ASIF_ENOMEM. Call asif_atoms_close() in any case. */
asif_status asif_atoms_choose(asif_atoms *out, const asif_atoms *from, const uint64_t *chosen, uint64_t count,
                              asif_error *error);
/* A table with about one point in `every` of another, which is whole: the first ones of each scramble. Writes
 * which [from->count] they are. ASIF_ENOMEM. Call asif_atoms_close() in any case. */
asif_status asif_atoms_thin(asif_atoms *out, const asif_atoms *from, uint64_t every, uint64_t *chosen,
                            asif_error *error);
/* The scramble of a point, below ASIF_SCRAMBLES. */
uint32_t asif_atoms_scramble(const asif_atoms *atoms, uint64_t i);

#endif
