/* Inside a model of hidden dynamics: its tables as matrices, its data as histories, and passes over them. */
#ifndef ASIF_SRC_DYNAMICS_DYNAMICS_H
#define ASIF_SRC_DYNAMICS_DYNAMICS_H

#include "asif/dynamics.h"
#include "base/data/json.h"

/* ---- data ---- */

/* Histories, each after its parent: roots (one for each start class), then groups of histories that follow
 * one action at one parent. Groups are in the order of their parents. */
typedef struct {
    uint64_t nodes, groups;
    uint32_t *observation; /* [nodes]; ASIF_ANY: nothing was seen, or a root */
    double *weight;        /* [nodes]: of the episodes that pass through the history */
    double *ending;        /* [nodes]: of those that end there */
    uint64_t *first;       /* [groups + 1]: first history of each group */
    uint32_t *parent;      /* [groups] */
    uint32_t *action;      /* [groups] */
    bool whole;            /* all weights are whole numbers */
    uint32_t *of_node;     /* [nodes of the tree]: their histories */
    double *label; /* [nodes][states]: weights of the labels of the state there; NULL: there are none */
} asif_histories;

/* Labels are those of a tree with as many of them as `states`. Fails with ASIF_EUNSUPPORTED, ASIF_EINVALID or
 * ASIF_ENOMEM; free also then. */
asif_status asif_histories_create(asif_histories *out, const asif_context *context, const asif_tree *tree,
                                  asif_error *error);
void asif_histories_free(asif_histories *histories, const asif_context *context);

/* ---- tables ---- */

/* A row that is learnt, with two possible cells or more. */
typedef struct {
    uint64_t first; /* its first cell */
    uint32_t table, row, columns, possible;
} asif_dynamics_row;

struct asif_dynamics {
    const asif_context *context;
    asif_dynamics_spec spec;
    uint64_t cells;
    uint64_t *first; /* [tables + 1]: first cell of each table */
    bool *possible;  /* [cells] */
    double *fixed;   /* [cells]: values of cells that are not free */
    bool *learnt;    /* [cells]: in a row that is learnt */
    uint32_t rows, free;
    asif_dynamics_row *row; /* [rows] */
    bool symmetric;         /* the tables do not distinguish states, so that these can be put in any order */
    asif_histories data;
    void *memory; /* arrays of the specification */
};

/* Matrices at a point: start [starts][states], transitions [actions][from][to], emissions
 * [actions][observations + 1][states], whose last row is 1: nothing was seen. */
typedef struct {
    double *start, *move, *emit;
} asif_dynamics_matrices;

/* Number of doubles in the matrices. */
uint64_t asif_dynamics_matrix_room(const asif_dynamics *dynamics);
/* Divide `room` among the matrices. */
void asif_dynamics_lay_out(asif_dynamics_matrices *out, const asif_dynamics *dynamics, double *room);
/* Compute the matrices at a point. */
void asif_dynamics_build(const asif_dynamics *dynamics, const double *point,
                         const asif_dynamics_matrices *out);
/* Sum what belongs to entries of the matrices over the cells [cells] that these entries are made of: expected
 * counts of entries become those of cells; so do derivatives in the logarithms of the entries. */
void asif_dynamics_collect(const asif_dynamics *dynamics, const asif_dynamics_matrices *in, double *cell);

/* Set cells that are not free to their values, and divide rows by their sums (rows without any: uniform). */
void asif_dynamics_normalise(const asif_dynamics *dynamics, double *point);

/* Free numbers as logits: the logarithms of the possible cells of each learnt row over its reference cell,
 * which is the largest cell of the row at some point. */
void asif_dynamics_references(const asif_dynamics *dynamics, const double *point, uint64_t *reference);
void asif_dynamics_to_logits(const asif_dynamics *dynamics, const uint64_t *reference, const double *point,
                             double *logit);
void asif_dynamics_from_logits(const asif_dynamics *dynamics, const uint64_t *reference, const double *logit,
                               double *point);
/* Gradient in the logits, from the gradient in the logarithms of the cells. */
void asif_dynamics_logit_gradient(const asif_dynamics *dynamics, const uint64_t *reference,
                                  const double *point, const double *cell, double *gradient);

/* A natural step of each logit: the standard deviation that it would have if states were seen as often as the
 * counts [cells] say. */
void asif_dynamics_logit_scale(const asif_dynamics *dynamics, const uint64_t *reference, const double *point,
                               const double *count, double prior, double *scale);

/* prior * sum of the logarithms of the cells of learnt rows. */
double asif_dynamics_log_prior(const asif_dynamics *dynamics, const double *point, double prior);

/* Make a model without free numbers: the dynamics are those of the setting's environment. Otherwise as
 * asif_dynamics_create(). */
asif_status asif_dynamics_known(asif_dynamics **out, const asif_context *context, const asif_setting *setting,
                                const asif_tree *tree, asif_error *error);

/* Add an object with the tables of asif_dynamics_agreement() and the shares in which state and label have the
 * same name. */
void asif_dynamics_agreement_json(asif_json *json, const char *key, const asif_setting *setting,
                                  const double *likeliest, const double *expected);
/* Share of a table [labels][states] that is on its diagonal; NaN: the table is empty. */
double asif_dynamics_agreeing(const double *table, uint32_t states);

/* ---- passes over the data ---- */

/* Scratch of one thread. */
typedef struct {
    const asif_dynamics *dynamics;
    double *memory;
    double *scratch;                /* [2 states] */
    asif_dynamics_matrices at, sum; /* matrices at the point; expected counts of their entries */
    double *belief;                 /* [nodes][states]: filtered */
    double *ahead;                  /* [nodes][states]: W; after a pass down, m */
    double *predictive;             /* [nodes]: probability of the last observation */
    double *log_predictive;         /* [nodes] */
    double *inverse;                /* [nodes]: 1 / predictive */
    uint64_t passes;
} asif_dynamics_work;

asif_status asif_dynamics_work_create(asif_dynamics_work *work, const asif_dynamics *dynamics,
                                      asif_error *error);
void asif_dynamics_work_free(asif_dynamics_work *work);
/* Build the matrices, filter all beliefs, and return the log-likelihood. */
double asif_dynamics_down(asif_dynamics_work *work, const double *point);
/* Once after each pass down with a finite value: expected counts of the cells. */
void asif_dynamics_up(asif_dynamics_work *work, double *count);

/* After a pass down: derivatives in the logarithms of the cells of a function of the filtered beliefs, from
 * its derivatives in the beliefs [nodes][states], which are overwritten. */
void asif_dynamics_pull(asif_dynamics_work *work, double *belief, double *cell);

/* ---- order of states ---- */

/* A permutation of the states that puts them in order: new state k is old state order[k]. The identity where
 * the tables distinguish states. */
void asif_dynamics_find_order(const asif_dynamics *dynamics, const double *point, double *score,
                              uint32_t *order);
/* The permutation under which most of a table [labels][states] is on its diagonal; the identity where the
 * tables distinguish states. ASIF_ETOOBIG, ASIF_ENOMEM. */
asif_status asif_dynamics_label_order(const asif_dynamics *dynamics, const double *agreement, uint32_t *order,
                                      asif_error *error);
/* The permutation under which a point's emissions are nearest to those of a reference, by exchanges of two
 * states; the identity where the tables distinguish states. `cost` [states][states] is scratch. */
void asif_dynamics_align(const asif_dynamics *dynamics, const double *reference, const double *point,
                         double *cost, uint32_t *order);
/* `out` is `point` with its states permuted. */
void asif_dynamics_permute(const asif_dynamics *dynamics, const double *point, const uint32_t *order,
                           double *out);

/* ---- learning ---- */

/* Climb from a point to a maximum of the posterior, in place; *value is the log-posterior. ASIF_ECANCELLED,
 * ASIF_ENOMEM. */
asif_status asif_dynamics_climb(asif_dynamics_work *work, double prior, double *point, double *value,
                                asif_error *error);

/* Standard errors and their kind at a maximum, see asif_dynamics_estimate. */
asif_status asif_dynamics_errors(asif_dynamics_work *work, double prior, const double *point,
                                 double *standard_error, asif_cell_kind *kind, double *contraction,
                                 asif_error *error);

#endif
