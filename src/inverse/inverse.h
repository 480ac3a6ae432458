/* An inverse planner as a table of functions. A new one is one file with such a table, and one line in
 * registry.c. */
#ifndef ASIF_SRC_INVERSE_INVERSE_H
#define ASIF_SRC_INVERSE_INVERSE_H

#include "asif/inverse.h"
#include "behavior/behavior.h"

/* What behaviour is compared with; borrowed. */
typedef struct {
    const asif_tree *tree;
    const double *count; /* [nodes][actions]; NULL: the tree's */
    const asif_estimates *estimates;
    const asif_inverse_options *inverse_options; /* never NULL */
} asif_inverse_input;

typedef struct {
    asif_inverse_info info;
    /* Does the evidence go with the behaviour's setting? Asked once. Optional: make what all evaluations
     * share, `own`. A clone of the target has one of its own. The behaviour is not solved yet. */
    asif_status (*prepare)(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error);
    void (*release)(void *own); /* NULL where prepare makes nothing */
    /* What is to be maximised, and its derivatives in theta unless `gradient` is NULL; they are not read
     * where the value is not finite. `gradient` must be cleared or set as a whole. */
    asif_status (*objective)(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error);
    /* Optional: the objective of many agents at once, value [lanes]; lost[lane]: one that has to be asked for
     * alone. */
    asif_status (*objective_many)(double *value, bool *lost, const asif_many_behavior *behavior,
                                  const asif_inverse_input *evidence, asif_error *error);
    /* Optional: the answer by a solver of its own, as values of the estimated utilities, [parameters] of the
     * setting; others are left as they are. */
    asif_status (*answer)(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error);
    /* Optional: add warnings; called after `answer`, if there is one. */
    asif_status (*warn)(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error);
} asif_inverse_ops;

/* NULL after filling the error. */
const asif_inverse_ops *asif_inverse_find(const char *name, asif_error *error);

extern const asif_inverse_ops asif_inverse_soft_policy_matching;
extern const asif_inverse_ops asif_inverse_distribution_matching;
extern const asif_inverse_ops asif_inverse_regularized_maximum_margin;
extern const asif_inverse_ops asif_inverse_maximum_margin;
extern const asif_inverse_ops asif_inverse_minimum_perturbation;
extern const asif_inverse_ops asif_inverse_multiple_experimentation;
extern const asif_inverse_ops asif_inverse_distance_minimization;
extern const asif_inverse_ops asif_inverse_soft_policy_inversion;
extern const asif_inverse_ops asif_inverse_preference_extrapolation;

/*
 * The answer of an inverse planner that has a solver of its own, such as a linear programme.
 *
 * @param target     See asif_target_create().
 * @param x     [dimension]: the answer.
 * @param value The objective there.
 * @param error May be NULL.
 * @return ASIF_OK; ASIF_EUNSUPPORTED if it has none, then asif_maximise() finds the answer; ASIF_EINVALID
 * where nothing satisfies what is asked for, or the answer is at or beyond the limits of a prior;
 * ASIF_EDOMAIN where no answer was found that satisfies its own constraints.
 */
asif_status asif_target_answer(asif_target *target, double *x, double *value, asif_error *error);
/* Has the inverse planner a solver of its own? */
bool asif_target_answers(const asif_target *target);
/* The agent at a point: its workspace, solved there; borrowed, and changed by the next call. */
asif_status asif_target_solve(asif_target *target, const double *x, const asif_work **work,
                              asif_error *error);
/* What there is to warn of, after asif_target_answer() where there is an answer: parameters that nothing
 * tells, evidence that the logs lack. @param problems Added to. */
asif_status asif_target_warn(asif_target *target, asif_problems *problems, asif_error *error);

#endif
