/* The lattice {k/n} on the belief simplex and linear interpolation on Freudenthal's triangulation.
 * Coordinates are x_i = n (z_{i+1} + ... + z_{S-1}), non-increasing integers at the nodes, which are numbered
 * in their lexicographic order. */
#ifndef ASIF_SRC_ENGINE_LATTICE_H
#define ASIF_SRC_ENGINE_LATTICE_H

#include "asif/setting.h"

#define ASIF_MOST_BELIEF_STATES 64

typedef struct {
    uint32_t states, resolution, nodes;
    uint32_t *rank; /* [states - 1][resolution + 1]: contribution of x_i = k to a node's number */
    double *point;  /* [nodes]: graded, the probability of the second state at each node; NULL: even */
} asif_lattice;

/* The number of nodes, or 0 if it does not fit in 31 bits. */
uint32_t asif_lattice_count(uint32_t states, uint32_t resolution);
/* The number of nodes of the lattices of all places of a setting, or 0 if one of them has too many. */
uint64_t asif_lattice_beliefs(const asif_setting_spec *spec, uint32_t resolution);
/* The finest resolution, between 1 and `most`, that has at most `nodes` nodes; 1 if none has. */
uint32_t asif_lattice_within(uint32_t states, uint32_t nodes, uint32_t most);
/* A graded lattice, over two states, has its nodes where the square root of the odds is k : n - k. Values
 * that change with the odds are interpolated with an error of second order there, and not near certainty on
 * an even one: intervals are as long as the root of the distance from the end. */
asif_status asif_lattice_create(asif_lattice *out, const asif_context *context, uint32_t states, bool graded,
                                uint32_t resolution, asif_error *error);
void asif_lattice_free(const asif_context *context, asif_lattice *lattice);

void asif_lattice_node(const asif_lattice *lattice, uint32_t node, double *belief);
/* The `states` vertices around a belief and their weights, which sum to 1. Vertices of weight 0 may repeat. A
 * belief within rounding of a node is that node. */
void asif_lattice_locate(const asif_lattice *lattice, const double *belief, uint32_t *node, double *weight);

/* A belief within this fraction of a cell of one of its faces counts as on it. */
#define ASIF_ON_FACE 1e-9
/* On an even lattice: the linear function that interpolates the values in the cell around a belief, written
 * as its values at the corners of the simplex: V(z) = sum_s z_s corner_s. On a face between cells it is the
 * function of one of them. */
void asif_lattice_corners(const asif_lattice *lattice, const double *belief, const double *values,
                          double *corner);

#endif
