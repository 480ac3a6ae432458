/* A lattice over beliefs in three states: what is likeliest at each of its nodes, and the lines between. */
#ifndef ASIF_SRC_REPORT_FIGURES_TRIANGLE_H
#define ASIF_SRC_REPORT_FIGURES_TRIANGLE_H

#include "report/figures/agent.h"

#define ASIF_TRIANGLE 40 /* intervals on an edge */
#define ASIF_TRIANGLE_NODES ((ASIF_TRIANGLE + 1) * (ASIF_TRIANGLE + 2) / 2)

/* A line as points of beliefs. */
typedef struct {
    uint64_t count, capacity;
    struct asif_ridge_map {
        double belief[3];
        uint32_t line; /* which of the lines it belongs to */
    } * bend;
} asif_ridge_maps;

/* Of node `i`. */
void asif_triangle_belief(uint32_t i, double belief[3]);
/* The likeliest action at every node. */
asif_status asif_triangle_look(uint32_t likeliest[ASIF_TRIANGLE_NODES], double *policy,
                               const asif_figure_agent *agent, const asif_behavior *behavior,
                               asif_error *error);
/* Where the likeliest action changes: by marching triangles, exact on the edges of the lattice. `bends->bend`
 * is the caller's. */
asif_status asif_triangle_bounds(asif_ridge_maps *bends, const uint32_t likeliest[ASIF_TRIANGLE_NODES],
                                 const asif_figure_agent *agent, const asif_behavior *behavior,
                                 asif_error *error);

#endif
