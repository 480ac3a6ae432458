/* Where each action leads in each world from every node: sparse rows of weights, probabilities of
 * observations and their entropy. None of this depends on theta, so it is computed once and shared
 * between workspaces. */
#ifndef ASIF_SRC_ENGINE_SUCCESSORS_H
#define ASIF_SRC_ENGINE_SUCCESSORS_H

#include "asif/solve.h"

#include "base/linear/sparse.h"
#include "engine/lattice.h"
#include "engine/places/blocks.h"
#include "engine/places/links.h"
#include "engine/places/reach.h"
#include "setting/classes.h"

/* A branch is one action in one world, or several such pairs that have the same matrices and the same classes
 * of observations. It has a row for each node, or a single row if the next state does not depend on the
 * node (`constant`). */
typedef struct {
    uint32_t action; /* the first action of these pairs, whose classes stand for all */
    bool constant;
    uint64_t rows;
    asif_sparse weights; /* row i: sum_x P(x|z_i,u) times the interpolation weights of the next belief; empty
                            where the links share blocks (`shares`), unless it is constant */
    double *entropy;     /* [rows]: -sum P log(P / rho0) over classes of observations, or over next states */
    /* Of observations, [links][shown][rows for a place], with reachable beliefs [most links of a place]
     * [shown][rows]; NULL if the utility does not depend on them. A constant branch has those of its links
     * from the first place. */
    double *probability;
} asif_branch;

typedef struct asif_successors {
    const asif_context *context;
    const asif_setting *setting;
    /* Nodes are beliefs; else world states. Each place (places/links.h) has nodes of its own: a lattice, or
     * the beliefs that can be reached there (`reachable`). */
    bool beliefs, reachable;
    asif_reach reach;     /* only if reachable */
    asif_classes classes; /* only where nodes are beliefs */
    asif_links links;     /* likewise; there is one for each branch if there is one place */
    bool shares;          /* nodes are lattices of several places, and weights belong to links */
    asif_blocks blocks;
    uint32_t *order; /* [places]: each after all that can follow it; NULL: some place can come again */
    asif_lattice lattice;
    uint32_t nodes;
    uint64_t stride; /* nodes rounded up to whole slices: arrays over nodes are this long */
    double *belief;  /* [hidden][belief_stride]: of one lattice, or of all nodes; NULL for world states */
    uint64_t belief_stride;
    uint32_t branches; /* number of different branches */
    asif_branch *branch;
    uint32_t *branch_of; /* [actions][worlds] */
    void *references;    /* reference count */
} asif_successors;

/* On a lattice, ASIF_BELIEFS_LATTICE or ASIF_BELIEFS_GRADED. Fails with ASIF_ETOOBIG if this would take more
 * than `memory` bytes. */
asif_status asif_successors_create(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, asif_beliefs lattice, uint32_t resolution,
                                   uint64_t memory, asif_error *error);
/* The same with the beliefs that can be reached as nodes. Fails with ASIF_EUNSUPPORTED if worlds differ, if
 * there are no beliefs, or if a place can come again although `ends`, and with ASIF_ETOOBIG if there are more
 * than ASIF_MOST_REACHED. */
asif_status asif_successors_reachable(asif_successors **out, const asif_context *context,
                                      const asif_setting *setting, bool ends, asif_error *error);

/* The first node of a place, and the number of its nodes. */
static inline uint64_t asif_successors_first(const asif_successors *s, uint32_t place) {
    return s->reachable ? s->reach.at[place] : (uint64_t)place * s->lattice.nodes;
}
static inline uint32_t asif_successors_count(const asif_successors *s, uint32_t place) {
    return s->reachable ? s->reach.at[place + 1] - s->reach.at[place] : s->lattice.nodes;
}
/* The place of a node, and its column in `belief`. */
static inline uint32_t asif_successors_place(const asif_successors *s, uint32_t node) {
    return s->reachable ? s->reach.place[node] : node / s->lattice.nodes;
}
static inline uint32_t asif_successors_column(const asif_successors *s, uint32_t node) {
    return s->reachable ? node : node % s->lattice.nodes;
}
/* How many of n nodes from `node` on belong to the same place as the first. */
static inline uint32_t asif_successors_within(const asif_successors *s, uint64_t node, uint32_t n) {
    uint32_t place = asif_successors_place(s, (uint32_t)node);
    uint64_t left = asif_successors_first(s, place) + asif_successors_count(s, place) - node;
    return n < left ? n : (uint32_t)left;
}
/* The nodes around a belief in a place, and their weights; returns their number, at most that of the hidden
 * values. 0: the belief cannot be reached. */
uint32_t asif_successors_locate(const asif_successors *s, uint32_t place, const double *belief,
                                uint32_t *node, double *weight);

/* The probabilities of an observation of a link (counted within its seen value) at the rows of the place from
 * which the link goes. */
static inline double *asif_branch_probability(const asif_successors *s, uint32_t branch, uint32_t place,
                                              uint32_t link, uint32_t observation) {
    const asif_links *links = &s->links;
    const asif_branch *b = &s->branch[branch];
    bool own = s->reachable && !b->constant;
    uint64_t which = link - links->at[(uint64_t)branch * links->places + (own ? place : 0)];
    uint64_t rows = b->constant ? 1 : s->reachable ? s->nodes : s->lattice.nodes;
    return b->probability + (which * links->shown + observation) * rows + (own ? s->reach.at[place] : 0);
}

/* What a belief term of the utility tests at a node. */
double asif_successors_measure(const asif_successors *successors, const asif_utility_term *term,
                               uint32_t node);
asif_successors *asif_successors_share(asif_successors *successors);
void asif_successors_release(asif_successors *successors);

#endif
