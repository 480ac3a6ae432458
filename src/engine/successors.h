/* Where each action leads in each world from every node: sparse rows, probabilities of observations and their
 * entropy. None of it depends on theta, so it is made once and shared between workspaces. */
#ifndef ASIF_SRC_ENGINE_SUCCESSORS_H
#define ASIF_SRC_ENGINE_SUCCESSORS_H

#include "base/linear/sparse.h"
#include "engine/lattice.h"
#include "setting/classes.h"

/* One action in one world, or several that have the same matrices and classes of observations. Rows are the
 * nodes, or a single one if the action forgets where it came from (`constant`). */
typedef struct {
    uint32_t action; /* the first of them: its classes are theirs */
    bool constant;
    uint64_t rows;
    asif_sparse
        weights;     /* row i: sum_x P(x|z_i,u) times the interpolation weights of the belief that follows */
    double *entropy; /* [rows]: -sum P log(P / rho0) over classes of observations, or over states */
    double *probability; /* [observations][rows], where the utility depends on observations; else NULL */
} asif_branch;

typedef struct asif_successors {
    const asif_context *context;
    const asif_setting *setting;
    bool beliefs;         /* lattice of beliefs; else world states */
    asif_classes classes; /* of beliefs */
    asif_lattice lattice;
    uint32_t nodes;
    uint64_t stride;   /* nodes rounded up to whole slices: arrays over nodes are this long */
    double *belief;    /* [states][stride]; NULL for world states */
    uint32_t branches; /* different ones */
    asif_branch *branch;
    uint32_t *branch_of; /* [actions][worlds] */
    void *references;    /* counts owners */
} asif_successors;

/* Takes at most `memory` bytes. */
asif_status asif_successors_create(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, uint32_t resolution, uint64_t memory,
                                   asif_error *error);
asif_successors *asif_successors_share(asif_successors *successors);
void asif_successors_release(asif_successors *successors);

#endif
