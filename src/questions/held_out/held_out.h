/* The inside of a comparison of models by what they predict. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_H

#include "asif/held_out.h"

/* The decisions that are held out, beside policies. */
typedef struct {
    const asif_context *context;
    const asif_tree *tree;
    const asif_setting *setting;
    const double *count;  /* [nodes][actions] of the decisions that are looked at */
    const bool *held_out; /* [units]: of whom these are; NULL: of all */
} asif_held_out_view;

/* ---- faith_measures.c ---- */
/* Add what one part of the decisions says. `policy` [nodes][actions]; by_unit [units] gets the
 * log-likelihoods of its units. */
typedef struct {
    double decisions, log_likelihood, right, brier;
    double distance; /* of occupancies, weighted by decisions */
    double *by_unit;
} asif_held_out_sum;
void asif_held_out_add(asif_held_out_sum *sum, const asif_held_out_view *view, const double *policy,
                       double distance);

/* ---- faith_curves.c ---- */
/* Predictions, and what was done, [nodes][actions] each, of one part after the other. */
typedef struct {
    uint64_t parts, nodes;
    uint32_t actions;
    double *const *policy, *const *count;
} asif_held_out_parts;
/* Average precision, mean over the actions that were taken. */
asif_status asif_held_out_precision(double *out, const asif_context *context,
                                    const asif_held_out_parts *parts, asif_error *error);
/* [actions], each with its own arrays. */
asif_status asif_held_out_curves(asif_held_out_curve **out, const asif_context *context,
                                 const asif_tree *tree, const asif_held_out_parts *parts, asif_error *error);
void asif_held_out_curves_free(const asif_context *context, const asif_held_out_curve *curves,
                               uint32_t count);

/* ---- faith_occupancy.c ---- */
/* Distance of discounted occupancies: of what was done in these decisions, and of a policy: at the nodes
 * [nodes][actions] and, where states are seen, at all states [states][actions]. */
asif_status asif_held_out_distance(double *out, const asif_held_out_view *view, const double *policy,
                                   const double *by_state, asif_error *error);

/* ---- cloning.c ---- */
/* Behavioural cloning: shares of the actions at a history (or state) in the counts, drawn towards those of
 * all histories with the same last action and observation, and these towards those of all. At the nodes, and
 * at all states if by_state is not NULL. */
asif_status asif_clone_policy(double *policy, double *by_state, const asif_context *context,
                              const asif_tree *tree, const asif_setting *setting, const double *count,
                              asif_error *error);

struct asif_held_out {
    const asif_context *context;
    const asif_tree *tree;
    asif_held_out_options options;
    uint64_t units;
    uint32_t rows;
    asif_held_out_row *row; /* every array owned */
};

#endif
