/* The beliefs that can be reached from the starts of a setting, with the place of each, where all worlds have
 * the same dynamics. They follow from the starts by Bayes' rule; equal ones are one. */
#ifndef ASIF_SRC_ENGINE_PLACES_REACH_H
#define ASIF_SRC_ENGINE_PLACES_REACH_H

#include "engine/places/links.h"

/* More beliefs than this are not listed. */
#define ASIF_MOST_REACHED 200000

typedef struct {
    uint32_t hidden, places, nodes;
    uint32_t *at; /* [places + 1]: where the nodes of a place begin; nodes are in the order of their places */
    uint32_t *place; /* [nodes] */
    double *belief;  /* [nodes][hidden] */
    uint32_t *slot;  /* [2^bits]: hash table of nodes by place and belief; ASIF_ANY: free */
    uint32_t bits;
} asif_reach;

/* List the beliefs. branch_of: [actions][worlds], of which those of the first world are followed. On failure
 * the caller frees what is there. ASIF_ETOOBIG: there are more than ASIF_MOST_REACHED; ASIF_ENOMEM. Cost:
 * beliefs times links of a place. */
asif_status asif_reach_create(asif_reach *reach, const asif_context *context, const asif_setting *setting,
                              const asif_links *links, const uint32_t *branch_of, asif_error *error);
void asif_reach_free(const asif_context *context, asif_reach *reach);

/* The node of a belief, which may differ from it by rounding; ASIF_ANY: it is none of them. */
uint32_t asif_reach_find(const asif_reach *reach, uint32_t place, const double *belief);

#endif
