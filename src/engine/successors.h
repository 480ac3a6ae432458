/* Where each action leads in each world from every node: sparse rows of weights, probabilities of
 * observations and their entropy. None of this depends on theta, so it is computed once and shared
 * between workspaces. */
#ifndef ASIF_SRC_ENGINE_SUCCESSORS_H
#define ASIF_SRC_ENGINE_SUCCESSORS_H

#include "base/linear/sparse.h"
#include "engine/lattice.h"
#include "engine/places/links.h"
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
    /* Of observations, [links][shown][rows for a place]; NULL if the utility does not depend on them.
     * A constant branch has those of its links from the first place. */
    double *probability;
} asif_branch;

typedef struct asif_successors {
    const asif_context *context;
    const asif_setting *setting;
    /* Nodes are beliefs on the lattice; else world states. Each place (places/links.h) has a lattice of its
     * own: node i is node i % lattice.nodes of place i / lattice.nodes. */
    bool beliefs;
    asif_classes classes; /* only where nodes are beliefs */
    asif_links links;     /* likewise; there is one for each branch if there is one place */
    uint32_t *order;      /* [places]: each after all that can follow it; NULL: some place can come again */
    asif_lattice lattice;
    uint32_t nodes;
    uint64_t stride; /* nodes rounded up to whole slices: arrays over nodes are this long */
    double *belief;  /* [hidden][belief_stride]: beliefs of one lattice; NULL for world states */
    uint64_t belief_stride;
    uint32_t branches; /* number of different branches */
    asif_branch *branch;
    uint32_t *branch_of; /* [actions][worlds] */
    void *references;    /* reference count */
} asif_successors;

/* Fails with ASIF_ETOOBIG if this would take more than `memory` bytes. */
asif_status asif_successors_create(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, uint32_t resolution, uint64_t memory,
                                   asif_error *error);
/* The probabilities of an observation of a link (counted within its seen value) at the rows of the link. */
static inline double *asif_branch_probability(const asif_successors *s, uint32_t branch, uint32_t link,
                                              uint32_t observation) {
    const asif_links *links = &s->links;
    uint64_t which = link - links->at[(uint64_t)branch * links->places];
    return s->branch[branch].probability +
           (which * links->shown + observation) * (s->branch[branch].constant ? 1 : s->lattice.nodes);
}

/* What a belief term of the utility tests at a node. */
double asif_successors_measure(const asif_successors *successors, const asif_utility_term *term,
                               uint32_t node);
asif_successors *asif_successors_share(asif_successors *successors);
void asif_successors_release(asif_successors *successors);

#endif
