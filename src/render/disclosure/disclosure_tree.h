/* Disclosure control of a tree of counts: how much may be shown of the decisions at histories that continue
 * each other, so that no small count can be derived. */
#ifndef ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_TREE_H
#define ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_TREE_H

#include "render/disclosure/disclosure.h"

/* A history: which action, taken at which other one, led to it, and what was done there. */
typedef struct {
    uint32_t parent,
        by; /* by their places; a parent stands before what follows it. ASIF_ANY: it is a first one */
    const double *taken;     /* [actions]: how often each was taken there; whole numbers */
    const double *predicted; /* [actions]: by the fit; NaN: not known */
    /* What may be shown. */
    bool shown; /* false: nothing, and not that there is such a history */
    asif_cell decisions;
    asif_cell *action; /* [actions] */
} asif_disclosure_node;

typedef struct {
    uint32_t limit, actions, nodes;
    double total;          /* decisions at all first histories: known to everybody */
    uint32_t firsts;       /* first histories that there can be: starts, or states; 0: not known */
    uint32_t observations; /* histories that can follow an action; 0: not known, or none is shown */
    const bool *ends;      /* [actions]: nothing follows; NULL: not known */
    double unlisted;       /* no history that is not listed has more decisions; 0: all are listed */
    const uint32_t *order; /* [nodes]: places in an order that no count has a part in */
    asif_disclosure_node *node;
} asif_disclosure_tree;

/* Fill in what may be shown. */
asif_status asif_disclosure_tell(asif_disclosure_tree *tree, const asif_context *context, asif_error *error);

#endif
