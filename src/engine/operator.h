/* The operator B of one agent (Theorem 4) over the nodes, and its Jacobian discount * T, where T = sum pi
 * sigma W moves values backward along the agent's own chain:
 *     V(z) = CE(a; Q(z,.), pi0),  Q(z,u) = v(z,u) + CE(b; K(z,u,.), sigma0),
 *     K(z,u,m) = sum_x P_m(x|z,u) [ r(u,x) + discount V(z') ]
 *                - eta sum_C P_m(C|z,u) log(P_m(C|z,u) / rho0(C)),
 * where C are the classes of observations (setting/classes.h). */
#ifndef ASIF_SRC_ENGINE_OPERATOR_H
#define ASIF_SRC_ENGINE_OPERATOR_H

#include "engine/places/menus.h"
#include "engine/successors.h"
#include "theta/theta.h"

/* The different futures of an action: worlds that share a branch are one future, whose weight is the sum
 * of theirs. */
typedef struct {
    uint32_t count;
    bool constant;    /* all of its branches are constant */
    uint32_t *branch; /* [count] */
    double *weight;   /* [count], positive */
    double future;    /* CE over the worlds of a constant action, at the values of the last backup */
} asif_futures;

typedef struct {
    const asif_context *context;
    asif_successors *successors;
    const asif_setting *setting;
    bool bound;
    double a, a_act, b, eta, discount;
    bool acts_apart;       /* theta has a value of its own for a_act */
    bool belief_terms;     /* the utility has belief terms */
    double *action_prior;  /* [actions] */
    double *world_weights; /* [worlds] */
    double *start;         /* [starts][states] */
    double *parameter;     /* [parameters]: values from which `utility` and `reward` were computed */
    double *utility;       /* [actions][stride]: v at the nodes */
    double **reward;       /* [actions][branches]: sum_x P r at the rows, NULL if it is 0 */
    double *state_utility; /* [actions][states]: v(s,u) */
    double *seen_utility;  /* [actions][observations]: r(u,x) */
    uint32_t actives;      /* number of actions that the prior allows */
    uint32_t *active;
    double *prior, *log_prior; /* [actives] */
    asif_menus menus;          /* which of them can be taken where */
    asif_futures *futures;     /* [actions] */
    uint32_t *world_future;    /* [actions][worlds]: index of the world's future; ASIF_ANY: weight 0 */
    uint32_t most_futures;
    uint32_t chunks; /* parts of the nodes, which threads share out */
    double *scratch; /* [chunks][scratch_size] */
    uint64_t scratch_size;
    double *share; /* [actions][most_futures][stride]: pi sigma; NULL before asif_operator_linearise() */
} asif_operator;

asif_status asif_operator_create(asif_operator *op, const asif_context *context, asif_successors *successors,
                                 asif_error *error); /* takes over one reference, also on failure */
void asif_operator_free(asif_operator *op);
/* Takes over the values of a theta, which must be complete. */
asif_status asif_operator_bind(asif_operator *op, const asif_theta *theta, asif_error *error);

/* How many of n nodes from `first` on have the same menu. */
static inline uint32_t asif_operator_menu(const asif_operator *op, uint64_t first, uint32_t n,
                                          const asif_menu **menu) {
    *menu = op->menus.menu;
    if (op->menus.count == 1)
        return n;
    *menu = asif_menus_at(&op->menus, asif_successors_place(op->successors, (uint32_t)first));
    return asif_successors_within(op->successors, first, n);
}

/* K of the j-th future of an action for n <= ASIF_BLOCK nodes from `first`; see asif_branch_product(). */
void asif_operator_future(const asif_operator *op, uint32_t action, uint32_t j, const double *values,
                          uint64_t first, uint32_t n, double *k);
/* out = B values; also max |out - values| and max |out|. Arrays are [stride] long. */
void asif_operator_backup(asif_operator *op, const double *values, double *out, double *difference,
                          double *largest);

/* values = B values at n nodes from `first` on alone; returns the largest |value| there. */
double asif_operator_backup_nodes(asif_operator *op, double *values, uint64_t first, uint64_t n);

/* Computes and keeps pi sigma at these values, with actions at inverse temperature a. At a = op->a the
 * Jacobian of B is discount * T; at a = op->a_act T is the chain of the agent as it acts. */
asif_status asif_operator_linearise(asif_operator *op, const double *values, double a, asif_error *error);
/* out = T x, and out = T' x. `share` is op->share or another array of its shape. */
void asif_operator_push(const asif_operator *op, const double *share, const double *x, double *out);
void asif_operator_pull(const asif_operator *op, const double *share, const double *x, double *out,
                        double *scratch);

#endif
