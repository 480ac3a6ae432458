/* A lattice of beliefs over three states: the likeliest action at each node, and the boundaries between
 * actions. */
#ifndef ASIF_SRC_REPORT_FIGURES_TRIANGLE_H
#define ASIF_SRC_REPORT_FIGURES_TRIANGLE_H

#include "report/figures/agent.h"

#define ASIF_TRIANGLE 40 /* intervals on an edge */
#define ASIF_TRIANGLE_NODES ((ASIF_TRIANGLE + 1) * (ASIF_TRIANGLE + 2) / 2)

/* Lines between actions, as points in the order in which they are drawn. */
typedef struct {
    uint64_t count, capacity;
    struct asif_boundary_point {
        double belief[3];
        uint32_t line; /* number of the line that the point belongs to */
    } * point;
} asif_boundary_points;

/* The belief of node `i`. */
void asif_triangle_belief(uint32_t i, double belief[3]);
/* Find the likeliest action at every node; `policy` [nodes][actions] becomes the policies there.
 * ASIF_ENOMEM. */
asif_status asif_triangle_look(uint32_t likeliest[ASIF_TRIANGLE_NODES], double *policy,
                               const asif_figure_agent *agent, const asif_behavior *behavior,
                               asif_error *error);
/* Trace the lines where the likeliest action changes, by marching triangles; crossings of the lattice's edges
 * are exact. The caller frees `bounds->point`, also after an error. */
asif_status asif_triangle_bounds(asif_boundary_points *bounds, const uint32_t likeliest[ASIF_TRIANGLE_NODES],
                                 const asif_figure_agent *agent, const asif_behavior *behavior,
                                 asif_error *error);

#endif
