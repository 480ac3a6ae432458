/* Scores of subjects: derivatives of each subject's log-likelihood in the estimated coordinates, at a
 * point. */
#ifndef ASIF_SRC_FIT_SUBJECT_SCORES_H
#define ASIF_SRC_FIT_SUBJECT_SCORES_H

#include "asif/inverse.h"

typedef struct {
    const asif_context *context;
    const asif_tree_view *tree; /* borrowed; its units are the subjects */
    uint64_t subjects;
    uint32_t dimension;
    double *log_policy; /* [nodes][actions]: at the point */
    double *slope;      /* [dimension][nodes][actions]: derivatives of log_policy; 0 where an action has
                           probability 0 */
    double *loglik;     /* [subjects] */
    double *score;      /* [subjects][dimension], without the prior */
    /* Log-likelihoods and scores of lost episodes, without their weights: [lost], [lost][dimension]. */
    double *lost_log, *lost_score;
} asif_subject_scores;

/* Whether the units of a tree are subjects (asif_tree_by_subject()). */
bool asif_subjects_known(const asif_tree *tree);

/* Compute scores by central differences over `step` [dimension] (NULL: a small part of the natural scale),
 * which works for any planner. `target` has the likelihood of actions on `tree`; its warm start changes.
 * Fails with ASIF_EINVALID if the tree has no units, ASIF_EDOMAIN if there is no finite solution around `x`,
 * ASIF_ENOMEM, or as the planner does; `out` is then empty. Costs two solutions of the agent and two passes
 * over the tree for each coordinate, for any number of subjects. */
asif_status asif_subject_scores_create(asif_subject_scores *out, const asif_context *context,
                                       asif_target *target, const asif_estimates *estimates,
                                       const asif_tree *tree, const double *x, const double *step,
                                       asif_error *error);
/* The same, also for a tree without units: then there are no entries by subject. */
asif_status asif_decision_scores_create(asif_subject_scores *out, const asif_context *context,
                                        asif_target *target, const asif_estimates *estimates,
                                        const asif_tree *tree, const double *x, const double *step,
                                        asif_error *error);
void asif_subject_scores_free(asif_subject_scores *scores);

/* Compute a subject's share of the Fisher information: the variance of its score at its own histories, if the
 * agent at the point acted there. Of lost episodes, it is the square of their score. `out`
 * [dimension][dimension]. */
void asif_subject_information(double *out, const asif_subject_scores *scores, uint64_t subject);

#endif
