/* Where each action leads in each world from every node: sparse rows of weights, probabilities of
 * observations and their entropy. None of this depends on theta, so it is computed once and shared
 * between workspaces. */
#ifndef ASIF_SRC_ENGINE_SUCCESSORS_H
#define ASIF_SRC_ENGINE_SUCCESSORS_H

#include "base/linear/sparse.h"
#include "engine/lattice.h"
#include "setting/classes.h"

/* A branch is one action in one world, or several such pairs that have the same matrices and the same classes
 * of observations. It has a row for each node, or a single row if the next state does not depend on the
 * node (`constant`). */
typedef struct {
    uint32_t action; /* the first action of these pairs, whose classes stand for all */
    bool constant;
    uint64_t rows;
    asif_sparse weights; /* row i: sum_x P(x|z_i,u) times the interpolation weights of the next belief */
    double *entropy;     /* [rows]: -sum P log(P / rho0) over classes of observations, or over next states */
    double *probability; /* [observations][rows]; NULL if the utility does not depend on observations */
} asif_branch;

typedef struct asif_successors {
    const asif_context *context;
    const asif_setting *setting;
    bool beliefs;         /* nodes are beliefs on the lattice; else world states */
    asif_classes classes; /* only where nodes are beliefs */
    asif_lattice lattice;
    uint32_t nodes;
    uint64_t stride;   /* nodes rounded up to whole slices: arrays over nodes are this long */
    double *belief;    /* [states][stride]; NULL for world states */
    uint32_t branches; /* number of different branches */
    asif_branch *branch;
    uint32_t *branch_of; /* [actions][worlds] */
    void *references;    /* reference count */
} asif_successors;

/* Fails with ASIF_ETOOBIG if this would take more than `memory` bytes. */
asif_status asif_successors_create(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, uint32_t resolution, uint64_t memory,
                                   asif_error *error);
asif_successors *asif_successors_share(asif_successors *successors);
void asif_successors_release(asif_successors *successors);

#endif
