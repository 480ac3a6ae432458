/* Derivatives in theta and in the dynamics of the agent's worlds, computed backward: through lookahead and
 * recognition at agent states, then through the fixed point by one linear solve with the transposed Jacobian,
 * whatever the number of parameters. A "bar" is the derivative of a scalar L in the quantity of that name. */
#ifndef ASIF_SRC_ENGINE_PULLBACK_H
#define ASIF_SRC_ENGINE_PULLBACK_H

#include "engine/lookahead.h"

typedef struct {
    asif_fixed_point *solver;
    const asif_lookahead *look;
    /* Bars of these quantities, accumulated since asif_pullback_begin(). */
    double a, a_act, b, eta, discount;
    double *values;         /* [stride] */
    double *utility;        /* [actions][states] */
    double *seen;           /* [actions][observations] */
    double *parameter;      /* [parameters]: only through belief terms */
    double *weight;         /* [actions][worlds]: of the futures */
    double *prior;          /* [actions]: for the actions that the prior allows, in their order */
    double *start;          /* [starts][states] */
    double *constant_k;     /* [actions][worlds]: K of futures that forget */
    double *constant_ce;    /* [actions]: CE over the futures of an action that forgets */
    double *constant_sigma; /* [actions][worlds]: the tilted weights of those futures */
    double *gathered;       /* the allocation that holds the arrays above */
    uint64_t numbers;
    /* Bars of the dynamics, in the layout of the lookahead's tables; NULL: never wanted so far. */
    bool dynamics;             /* they are wanted now */
    double *transition;        /* [branches][to][from] */
    double *emission;          /* [branches][observation][state reached] */
    uint32_t place, link;      /* the place of the agents in hand, and the link through which they go */
    uint32_t node[ASIF_BLOCK]; /* with reachable beliefs: those of the agents */
    /* Scratch: rows of ASIF_BLOCK numbers. */
    double *room;
    double *z, *z_bar, *ahead, *ahead_bar, *next; /* [hidden] */
    double *post;                                 /* [worlds][hidden] */
    double *p;                                    /* [worlds] */
    double *log_p, *value, *slope, *part, *total, *ce;
    double *pi, *q_bar;                    /* [actions] */
    double *k, *k_bar, *sigma, *sigma_bar; /* [worlds] */
    uint32_t *interval;                    /* [states] */
    asif_simplex_cells cells; /* past two states; its arrays are some of those above, and rows of its own */
    double *one;              /* [actions + worlds]: scratch for one agent */
} asif_pullback;

asif_status asif_pullback_create(asif_pullback *pull, asif_fixed_point *solver, const asif_lookahead *look,
                                 asif_error *error);
void asif_pullback_free(asif_pullback *pull);

/* Fails with ASIF_EDOMAIN where the agent acts at a limit: its log-policy has no derivative. With `dynamics`,
 * fails with ASIF_EUNSUPPORTED where the agent sees the state. */
asif_status asif_pullback_begin(asif_pullback *pull, bool dynamics, asif_error *error);
/* See asif_pullback_ops in behavior/behavior.h. */
void asif_pullback_log_policy(asif_pullback *pull, uint64_t n, const double *state, const double *log_policy,
                              const double *memo, const double *policy_bar, const double *memo_bar,
                              double *state_bar);
asif_status asif_pullback_step(asif_pullback *pull, uint64_t n, const uint32_t *from, const double *state,
                               const double *memo, const uint32_t *action, const uint32_t *observation,
                               const double *next, const double *next_bar, double *state_bar,
                               double *memo_bar, asif_error *error);
void asif_pullback_init(asif_pullback *pull, uint32_t start, const double *state_bar);
asif_status asif_pullback_end(asif_pullback *pull, asif_theta_gradient *out, asif_error *error);

/* Derivatives through the CE over the worlds of an action at n points, in b and in the weights of the worlds.
 * Reads K, the tilted weights sigma and the bar of sigma from pull->k, sigma and sigma_bar, and the bar of Q
 * from q_bar. */
void asif_pullback_worlds(asif_pullback *pull, uint32_t action, const double *q_bar, uint32_t n);
/* Derivatives through the same CE in K: k_bar = sigma (q_bar + b (sigma_bar - sum sigma sigma_bar)). */
void asif_pullback_futures(asif_pullback *pull, uint32_t action, const double *q_bar, uint32_t n);
/* Derivatives through K of a branch at the beliefs pull->z: from k_bar to all that K depends on. Computes
 * K, into k. Their place is pull->place. */
void asif_pullback_belief_k(asif_pullback *pull, uint32_t action, uint32_t branch, const double *k_bar,
                            uint32_t n, double *k);

#endif
