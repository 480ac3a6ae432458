/* Disclosure control of a tree of counts: how much may be shown of the decisions at histories that continue
 * each other, so that no small count can be derived. */
#ifndef ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_TREE_H
#define ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_TREE_H

#include "render/disclosure/disclosure.h"

/* A history: the history and the action that led to it, and the actions taken there. */
typedef struct {
    /* Indices of the history before, which is smaller, and of the action; ASIF_ANY: this is a first one. */
    uint32_t parent, by;
    const double *taken;     /* [actions]: how often each was taken there; whole numbers */
    const double *predicted; /* [actions]: probabilities by the fit; NaN: not known */
    /* Results: what may be shown. */
    bool shown; /* false: not even that such a history exists */
    asif_cell decisions;
    asif_cell *action; /* [actions] */
} asif_disclosure_node;

typedef struct {
    uint32_t limit, actions, nodes;
    double total;    /* decisions at all first histories, which everybody knows */
    uint32_t firsts; /* number of possible first histories: start classes, or states; 0: not known */
    /* Number of histories that can follow an action; 0: not known, or none is shown. */
    uint32_t observations;
    const bool *ends;      /* [actions]: the action ends an episode; NULL: not known */
    double unlisted;       /* most decisions that an unlisted history can have; 0: all are listed */
    const uint32_t *order; /* [nodes]: indices of the nodes, in an order that does not depend on counts */
    asif_disclosure_node *node;
} asif_disclosure_tree;

/* Fill in what may be shown. ASIF_ENOMEM. Cost: nodes^2 * actions, for each of at most `nodes` tries. */
asif_status asif_disclosure_tell(asif_disclosure_tree *tree, const asif_context *context, asif_error *error);

#endif
