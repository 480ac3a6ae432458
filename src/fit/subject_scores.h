/* Scores of subjects: derivatives of each one's log-likelihood in what is estimated, at a point. */
#ifndef ASIF_SRC_FIT_SUBJECT_SCORES_H
#define ASIF_SRC_FIT_SUBJECT_SCORES_H

#include "asif/inverse.h"

typedef struct {
    const asif_context *context;
    const asif_tree_view *tree; /* whose units are the subjects; borrowed */
    uint64_t subjects;
    uint32_t dimension;
    double *log_policy; /* [nodes][actions] at the point */
    double *slope;  /* [dimension][nodes][actions]: its derivatives; 0 where an action has probability 0 */
    double *loglik; /* [subjects] */
    double *score;  /* [subjects][dimension], without the prior */
} asif_subject_scores;

/* Has the tree subjects as its units (asif_tree_by_subject())? */
bool asif_subjects_known(const asif_tree *tree);

/* By central differences over `step` [dimension] (NULL: a small part of the natural scale), so that any
 * planner will do: two solutions and walks down the tree a coordinate, however many subjects there are.
 * `target` is of the likelihood of actions on `tree`; its warm start changes. ASIF_EINVALID if the tree has
 * no units, ASIF_EDOMAIN if there is no finite solution around `x`. */
asif_status asif_subject_scores_create(asif_subject_scores *out, const asif_context *context,
                                       asif_target *target, const asif_estimates *estimates,
                                       const asif_tree *tree, const double *x, const double *step,
                                       asif_error *error);
/* The same of a tree without units: only `log_policy` and `slope` are made. */
asif_status asif_decision_scores_create(asif_subject_scores *out, const asif_context *context,
                                        asif_target *target, const asif_estimates *estimates,
                                        const asif_tree *tree, const double *x, const double *step,
                                        asif_error *error);
void asif_subject_scores_free(asif_subject_scores *scores);

/* Variance of a subject's score at its own histories, if the agent at the point acted there: its share of the
 * Fisher information. `out` [dimension][dimension]. */
void asif_subject_information(double *out, const asif_subject_scores *scores, uint64_t subject);

#endif
