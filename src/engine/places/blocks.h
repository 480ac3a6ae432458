/* The weights of successors on lattices of beliefs, link by link. Links whose tables are proportional share a
 * block: a square matrix over one lattice, which each of them multiplies by a factor of its own. */
#ifndef ASIF_SRC_ENGINE_PLACES_BLOCKS_H
#define ASIF_SRC_ENGINE_PLACES_BLOCKS_H

#include "base/linear/sparse.h"
#include "engine/lattice.h"
#include "engine/places/links.h"

typedef struct {
    uint32_t count;
    uint32_t *of;         /* [links]: block of a link; ASIF_ANY: nothing follows it */
    double *factor;       /* [links] */
    uint32_t *link;       /* [count]: the first link with this block */
    asif_sparse *weights; /* [count] */
} asif_blocks;

/* Find which links share a block. On failure the caller frees what is there. Cost: links times the logarithm
 * of their number. */
asif_status asif_blocks_find(asif_blocks *blocks, const asif_context *context, const asif_links *links,
                             asif_error *error);
/* Fill one block: sum_x P(x|z) times the interpolation weights of the belief that follows z. Returns false
 * if there is no memory. */
bool asif_blocks_fill(asif_blocks *blocks, const asif_context *context, const asif_links *links,
                      const asif_lattice *lattice, uint32_t block);
void asif_blocks_free(const asif_context *context, asif_blocks *blocks);

/* out = scale * (rows [row, row + n) of a branch at a place) . values + c * extra. `values` has those of all
 * places; `extra` those of the rows, or is NULL. */
void asif_blocks_product(const asif_blocks *blocks, const asif_links *links, uint32_t nodes,
                         const asif_simd *simd, uint32_t branch, uint32_t place, uint32_t row, uint32_t n,
                         const double *values, double scale, const double *extra, double c, double *out);
/* One row of a branch at a place: its product with `values`, or out += weight times the row. */
double asif_blocks_row(const asif_blocks *blocks, const asif_links *links, uint32_t nodes, uint32_t branch,
                       uint32_t place, uint32_t row, const double *values);
void asif_blocks_scatter(const asif_blocks *blocks, const asif_links *links, uint32_t nodes, uint32_t branch,
                         uint32_t place, uint32_t row, double weight, double *out);

#endif
