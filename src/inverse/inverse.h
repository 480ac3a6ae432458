/* An inverse planner as a table of functions. A new one is one file with such a table, and one line in
 * registry.c. */
#ifndef ASIF_SRC_INVERSE_INVERSE_H
#define ASIF_SRC_INVERSE_INVERSE_H

#include "asif/inverse.h"
#include "behavior/behavior.h"

/* The input of an inverse planner, borrowed. */
typedef struct {
    const asif_tree *tree;
    const double *count; /* [nodes][actions]: counts of the logs; NULL: the tree's */
    const asif_estimates *estimates;
    const asif_inverse_options *inverse_options; /* never NULL */
} asif_inverse_input;

typedef struct {
    asif_inverse_info info;
    /* Optional: check that the evidence fits the behaviour's setting, and make `own`, which all evaluations
     * share. Called once for each target, before the behaviour is solved; a clone of a target has an `own` of
     * its own. `*own` is released also after a failure. */
    asif_status (*prepare)(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error);
    void (*release)(void *own); /* NULL: prepare makes nothing */
    /* Compute the objective, which is maximised, and its derivatives in theta unless `gradient` is NULL;
     * these are not read if the value is not finite. `gradient` must be cleared or set as a whole. */
    asif_status (*objective)(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error);
    /* Optional: compute the objective of many agents at once, value [lanes]; lost[lane]: this one has to be
     * computed alone. */
    asif_status (*objective_many)(double *value, bool *lost, const asif_many_behavior *behavior,
                                  const asif_inverse_input *evidence, asif_error *error);
    /* Optional: compute the estimate by a solver of its own, as values of the estimated utilities; `utility`
     * has the [parameters] of the setting, of which others stay as they are. */
    asif_status (*answer)(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error);
    /* Optional: add warnings; called after `answer`, if there is one. */
    asif_status (*warn)(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error);
} asif_inverse_ops;

/* Find an inverse planner by its name; NULL: there is none, and the error is set. */
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

/* Compute the estimate of an inverse planner that has a solver of its own, such as a linear programme.
 *
 * @param target     See asif_target_create().
 * @param[out] x     [dimension]: the estimate.
 * @param[out] value The objective there.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EUNSUPPORTED if it has no solver, then asif_maximise() finds the estimate;
 * ASIF_EINVALID if no values satisfy the constraints, or the estimate is at or beyond the limits of a prior;
 * ASIF_EDOMAIN if no estimate was found that satisfies its own constraints; ASIF_ENOMEM. */
asif_status asif_target_answer(asif_target *target, double *x, double *value, asif_error *error);
/* Whether the inverse planner has a solver of its own. */
bool asif_target_answers(const asif_target *target);
/* Solve the agent at a point. @param[out] work Borrowed, and changed by the next call. Fails with
 * ASIF_EDOMAIN if there are no finite values, or as asif_solve() does. */
asif_status asif_target_solve(asif_target *target, const double *x, const asif_work **work,
                              asif_error *error);
/* Add warnings, after asif_target_answer() if there is a solver: parameters that the evidence does not
 * determine, and evidence that the logs lack. */
asif_status asif_target_warn(asif_target *target, asif_problems *problems, asif_error *error);

#endif
