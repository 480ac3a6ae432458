/**
 * @file
 * Inverse planners (the paper's G): from logs of behaviour to the parameters of the agent. An inverse planner
 * is a row of a registry: an objective as a function of behaviour and logs, with its gradient if the planner
 * has one. A *target* combines an inverse planner with a study's estimates into a density for asif_sample()
 * and asif_maximise().
 */
#ifndef ASIF_INVERSE_H
#define ASIF_INVERSE_H

#include "asif/logs.h"
#include "asif/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Data that an inverse planner needs in addition to the actions. */
typedef enum {
    ASIF_HELPER_NONE,
    ASIF_HELPER_SCORES,      /**< a column with a number for each episode */
    ASIF_HELPER_PAIRS,       /**< a table of pairs of episodes, the worse and the better */
    ASIF_HELPER_BATCHES,     /**< a column with the batch of each episode, in the order of learning */
    ASIF_HELPER_ENVIRONMENTS /**< a column with the environment of each episode */
} asif_helper;

/** A row of the registry, as `asif list` prints it; borrowed, never freed. */
typedef struct {
    const char *name, *summary;
    bool likelihood;    /**< the objective is a log-likelihood: with priors it makes a posterior */
    uint32_t wants;     /**< what the planner must provide: ASIF_GIVES_... */
    uint32_t sees;      /**< settings that it applies to: ASIF_SEES_... */
    bool purposeful;    /**< the planner must act on a utility */
    asif_helper helper; /**< data that it needs in addition to the actions */
    const char *paper;  /**< its row of Table 3 in Jarrett et al. (2021) */
} asif_inverse_info;

/** The i-th inverse planner, NULL past the last. */
ASIF_API const asif_inverse_info *asif_inverse_get(uint32_t i);
/** The inverse planner of that name; NULL: there is none. */
ASIF_API const asif_inverse_info *asif_inverse_named(const char *name);

/** Whether a planner and an inverse planner can be combined. @return NULL if they can, else the reason why
 * not, in a few words. */
ASIF_API const char *asif_pair_refused(const asif_planner_info *planner, const asif_inverse_info *inverse);

/** The divergence that distribution matching minimises. */
typedef enum {
    ASIF_DIVERGENCE_KL,         /**< KL(demonstrator || imitator) */
    ASIF_DIVERGENCE_REVERSE_KL, /**< KL(imitator || demonstrator) */
    ASIF_DIVERGENCE_JS,         /**< Jensen-Shannon */
    ASIF_DIVERGENCE_TV,         /**< total variation */
    ASIF_DIVERGENCE_FEATURES,   /**< distance of feature expectations */
    ASIF_DIVERGENCE_CONJUGATE   /**< |difference|^2 / (2 weight): conjugate of a quadratic regulariser */
} asif_divergence;

/** Options of inverse planners; each reads only its own. Texts are borrowed. */
typedef struct {
    size_t struct_size;
    asif_divergence divergence; /**< of distribution matching */
    double entropy;             /**< of distribution matching: weight of the imitator's causal entropy */
    uint32_t horizon; /**< of distribution matching of histories: decisions; 0: as in the longest episode */
    double p;         /**< norm: 1, 2 or INFINITY */
    /** Of minimum perturbation: by how much the action taken must be better than any other; below 0: a
     * hundredth of the utility's span. */
    double margin;
    double weight;      /**< c of the regulariser c/2 |v|^2 */
    bool ng_russell;    /**< of maximum margin: Ng and Russell's linear programme */
    const char *column; /**< score, batch or environment of each episode */
    const char *pairs;  /**< file with the columns `worse` and `better`: names of episodes */
    bool partial; /**< the logs hold only some of the episodes in the pairs: pairs with others are left out */
    uint32_t environments; /**< of multiple experimentation: how many; `column` holds their names */
    const char *const *environment_name;
    const asif_setting *const *environment;
} asif_inverse_options;
#define ASIF_INVERSE_OPTIONS_INIT                                                                            \
    { .struct_size = sizeof(asif_inverse_options), .p = 2, .margin = -1, .weight = 0.01 }

/** Name of the column with an inverse planner's additional data, one value for each episode: the column in
 * the options, or else `score`, `batch` or `environment`. NULL: it needs no column. @param inverse_options
 * NULL: the defaults. */
ASIF_API const char *asif_helper_column(asif_helper helper, const asif_inverse_options *inverse_options);

/** How to make a target. */
typedef struct {
    size_t struct_size;
    const char *inverse; /**< name in the registry; NULL: "soft-policy-matching" */
    /** [nodes][actions]: counts that replace the tree's (asif_tree_counts()), borrowed for the life of the
     * target; NULL: the tree's. */
    const double *count;
    bool objective_only;                         /**< leave the priors out: maximum likelihood */
    const asif_inverse_options *inverse_options; /**< NULL: the defaults; borrowed */
} asif_target_options;
#define ASIF_TARGET_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_target_options) }

/** A density over the sampled coordinates of the estimates; to be used by one thread at a time. */
typedef struct asif_target asif_target;

/**
 * Make a target.
 *
 * @param[out] out   Owned by the caller.
 * @param work       Workspace of the planner: cloned.
 * @param estimates  Kept for the life of the target, as is `tree`.
 * @param tree       Logs with the labels of the setting.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EINVALID (other labels), ASIF_EUNSUPPORTED or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_target_create(asif_target **out, const asif_work *work,
                                        const asif_estimates *estimates, const asif_tree *tree,
                                        const asif_target_options *options, asif_error *error);
/** Copy a target for another thread or chain, including its warm start. @param[out] out Owned by the caller.
 */
ASIF_API asif_status asif_target_clone(asif_target **out, const asif_target *target, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_target_free(asif_target *target);

/** The density of a target for asif_sample() and asif_maximise(); borrowed. Its value is -inf where the
 * planner finds no finite solution, or where an action in the logs has probability 0. Its evaluation fails
 * with ASIF_EZEROPR, and the row, at an observation that no world of the agent allows. */
ASIF_API const asif_density *asif_target_density(const asif_target *target);

/** The objective at a point, without the priors: for a likelihood, the log-likelihood. @param gradient
 * [dimension]; NULL: not wanted. */
ASIF_API asif_status asif_target_objective(asif_target *target, const double *x, double *value,
                                           double *gradient, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
