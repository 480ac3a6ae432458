/* Deterministic demonstrations, if states are observed: the action that was taken in each state, and the
 * utilities under which it is the best, as rows of a linear programme or as advantages.
 *
 * A(s,u) = v(s,u) + discount sum tau V - V(s), where V is the value of the demonstrated policy. States
 * without demonstrated actions are of two kinds. If the demonstrated policy can lead there, all actions are
 * taken to be equally likely. In all others the demonstrator is taken to act best: V = max Q. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_DEMONSTRATION_H
#define ASIF_SRC_INVERSE_EVIDENCE_DEMONSTRATION_H

#include "base/programmes/lp.h"
#include "inverse/evidence/features.h"
#include "inverse/solve/flow.h"

typedef struct {
    asif_flow flow;
    uint32_t states, actions;
    uint32_t *did;           /* [states]: most frequent action, the first of several; ASIF_ANY: none */
    double *policy;          /* [states][actions]: demonstrated policy; in states that are not closed, as
                                asif_best_response() left it */
    bool *closed;            /* [states]: a demonstrated action was taken there, or can lead there */
    double *reward, *values; /* [states] */
    double *q;               /* [cells] */
} asif_demonstration;

/* Read a demonstration, with the discount of `theta`. Fails with ASIF_EINVALID if there are no decisions, or
 * ASIF_ENOMEM; there is then nothing to free. */
asif_status asif_demonstration_create(asif_demonstration *out, const asif_context *context,
                                      const asif_setting *setting, const asif_theta *theta,
                                      const asif_tree *tree, const double *count, asif_error *error);
void asif_demonstration_free(asif_demonstration *demonstration);

/* Find the best policy for utilities v [cells], by policy iteration. Rows of `policy` with `keep` (NULL:
 * none) stay as they are; the others become deterministic. `values` [states] and `q` [cells] are those of the
 * result; `reward` [states] is scratch. Fails with ASIF_EDOMAIN if a linear system cannot be solved. */
asif_status asif_best_response(asif_flow *flow, const double *v, const bool *keep, double *policy,
                               double *values, double *q, double *reward, asif_error *error);

/* Compute A(s,u) for utilities v into out [cells]; the policy elsewhere becomes the best response. Fails as
 * asif_best_response() does. */
asif_status asif_demonstration_advantages(asif_demonstration *demonstration, const double *v, double *out,
                                          asif_error *error);
/* Add the derivative of sum weight A in v to out [cells], at the policy that asif_demonstration_advantages()
 * left. */
asif_status asif_demonstration_pull(asif_demonstration *demonstration, const double *weight, double *out,
                                    asif_error *error);
/* Compute A(s,u) with that policy held fixed, so that A is linear in v: a lower bound on A. */
asif_status asif_demonstration_held(asif_demonstration *demonstration, const double *v, double *out,
                                    asif_error *error);

/* Check that an estimate misses a constraint by no more than `allowed`; else ASIF_EDOMAIN, with a message
 * that names `who` and `what`. */
asif_status asif_must_keep(const char *who, const char *what, double missed, double allowed,
                           asif_error *error);

/* The features of each cell: the transpose of ::asif_features. */
typedef struct {
    const asif_context *context;
    uint64_t *offset; /* [cells + 1] */
    uint32_t *which;  /* indices of estimated utilities */
    double *value;
} asif_by_cell;
/* Transpose features. Fails with ASIF_ENOMEM, and has then nothing to free. */
asif_status asif_by_cell_create(asif_by_cell *out, const asif_features *features, asif_error *error);
void asif_by_cell_free(asif_by_cell *by_cell);
/* Add factor v(cell) to a row, without its constant; the estimated utilities are the columns from x on. */
void asif_by_cell_add(const asif_by_cell *by_cell, asif_lp *lp, uint32_t row, uint32_t x, uint64_t cell,
                      double factor);

/* Add rows A(s,u) <= factor slack - margin for every action but the demonstrated one; the estimated utilities
 * are the columns from x on. slack [cells] are columns; ASIF_ANY: none there, NULL: none at all. Columns for
 * V are added. */
void asif_demonstration_rows(const asif_demonstration *demonstration, asif_lp *lp,
                             const asif_features *features, const asif_by_cell *by_cell, uint32_t x,
                             const uint32_t *slack, double factor, double margin);
/* Whether a cell has another action than the one that was demonstrated in its state. */
bool asif_demonstration_other(const asif_demonstration *demonstration, uint64_t cell);
/* Add flows to the first rows, one for each state, of a programme whose first columns are the occupancies of
 * cells: outflow minus inflow, sum_u mu(s,u) - discount sum mu tau. */
void asif_flow_rows(const asif_flow *flow, asif_lp *lp);
/* Add rows V(s) >= Q(s,u) for all states and actions, and columns for V; returns the first of these
 * columns. */
uint32_t asif_bellman_rows(const asif_flow *flow, asif_lp *lp, const asif_features *features,
                           const asif_by_cell *by_cell, uint32_t x);

#endif
