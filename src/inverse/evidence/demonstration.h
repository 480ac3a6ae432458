/* Deterministic demonstrations where states are seen: the action that was taken in each state, and the
 * utilities under which it is the best one, as rows of a linear programme or as advantages.
 *
 * A(s,u) = v(s,u) + discount sum tau V - V(s), where V is the value of the demonstrated policy. States
 * without demonstrated actions are of two kinds. If the demonstrated policy can lead there, all actions are
 * taken to be equally likely. In all others the demonstrator would do the best: V = max Q. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_DEMONSTRATION_H
#define ASIF_SRC_INVERSE_EVIDENCE_DEMONSTRATION_H

#include "base/programmes/lp.h"
#include "inverse/evidence/features.h"
#include "inverse/solve/flow.h"

typedef struct {
    asif_flow flow;
    uint32_t states, actions;
    uint32_t
        *did; /* [states]: the most frequent action, the first of them; ASIF_ANY: no action was taken there */
    double *policy;          /* [states][actions]; elsewhere as asif_best_response() left it */
    bool *closed;            /* [states]: those with a demonstrated action, and what they lead to */
    double *reward, *values; /* [states] */
    double *q;               /* [cells] */
} asif_demonstration;

/* With the discount of `theta`. ASIF_EINVALID if there are no decisions. */
asif_status asif_demonstration_create(asif_demonstration *out, const asif_context *context,
                                      const asif_setting *setting, const asif_theta *theta,
                                      const asif_tree *tree, const double *count, asif_error *error);
void asif_demonstration_free(asif_demonstration *demonstration);

/* The best policy with utilities v [cells], by policy iteration; states with `keep` stay as they are (NULL:
 * none). `policy` is where it begins, and rows of others than `keep` become deterministic; `values` [states]
 * and `q` [cells] are those of the result. */
asif_status asif_best_response(asif_flow *flow, const double *v, const bool *keep, double *policy,
                               double *values, double *q, double *reward, asif_error *error);

/* A(s,u) for utilities v into out [cells]; leaves the policy at the best response elsewhere. */
asif_status asif_demonstration_advantages(asif_demonstration *demonstration, const double *v, double *out,
                                          asif_error *error);
/* The derivative of sum weight A in v, added to out [cells], at the policy that
 * asif_demonstration_advantages() left. */
asif_status asif_demonstration_pull(asif_demonstration *demonstration, const double *weight, double *out,
                                    asif_error *error);
/* The same with that policy held, so that A is linear in v: a lower bound on A elsewhere. */
asif_status asif_demonstration_held(asif_demonstration *demonstration, const double *v, double *out,
                                    asif_error *error);

/* ASIF_EDOMAIN, in words, where an answer misses what it must satisfy by more than `allowed`. */
asif_status asif_must_keep(const char *who, const char *what, double missed, double allowed,
                           asif_error *error);

/* Features by cells. */
typedef struct {
    const asif_context *context;
    uint64_t *offset; /* [cells + 1] */
    uint32_t *which;  /* estimated utility */
    double *value;
} asif_by_cell;
asif_status asif_by_cell_create(asif_by_cell *out, const asif_features *features, asif_error *error);
void asif_by_cell_free(asif_by_cell *by_cell);
/* Adds factor v(cell) to a row, without its constant, with columns x, x + 1, ... of the estimated utilities.
 */
void asif_by_cell_add(const asif_by_cell *by_cell, asif_lp *lp, uint32_t row, uint32_t x, uint64_t cell,
                      double factor);

/* Rows that say A(s,u) <= factor slack - margin for every other action than the one that was done, with
 * columns x on of the estimated utilities; slack [cells] are columns, ASIF_ANY: none there, NULL: none at
 * all. Columns for V are added. */
void asif_demonstration_rows(const asif_demonstration *demonstration, asif_lp *lp,
                             const asif_features *features, const asif_by_cell *by_cell, uint32_t x,
                             const uint32_t *slack, double factor, double margin);
/* Is this cell another action than the one that was done there? */
bool asif_demonstration_other(const asif_demonstration *demonstration, uint64_t cell);
/* Into the first rows, one for each state, of a programme whose first columns are the occupancies of cells:
 * what flows out less what flows in, sum_u mu(s,u) - discount sum mu tau. */
void asif_flow_rows(const asif_flow *flow, asif_lp *lp);
/* Rows V(s) >= Q(s,u) for all states and actions; returns the first column of V, which are added. */
uint32_t asif_bellman_rows(const asif_flow *flow, asif_lp *lp, const asif_features *features,
                           const asif_by_cell *by_cell, uint32_t x);

#endif
