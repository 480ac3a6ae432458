/**
 * @file
 * Inverse planners (the paper's G): from logs of behaviour to what is estimated. An inverse planner is a row
 * of a registry: an objective on behaviour and logs, with its gradient where the planner gives one. A
 * *target* binds one to a study's estimates and makes a density of it, which asif_sample() and
 * asif_maximise() take.
 */
#ifndef ASIF_INVERSE_H
#define ASIF_INVERSE_H

#include "asif/logs.h"
#include "asif/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What an inverse planner is told beside the actions. */
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
    uint32_t wants;     /**< what the planner must give: ASIF_GIVES_... */
    uint32_t sees;      /**< settings that it is for: ASIF_SEES_... */
    bool purposeful;    /**< the planner must act for the sake of a utility */
    asif_helper helper; /**< what it is told beside the actions */
    const char *paper;  /**< its row of Table 3 in Jarrett et al. (2021) */
} asif_inverse_info;

/** The i-th inverse planner, NULL past the last. */
ASIF_API const asif_inverse_info *asif_inverse_get(uint32_t i);
/** The one of that name; NULL: there is none. */
ASIF_API const asif_inverse_info *asif_inverse_named(const char *name);

/** Do a planner and an inverse planner go together? @return NULL if they do, else why not, in a few words. */
ASIF_API const char *asif_pair_refused(const asif_planner_info *planner, const asif_inverse_info *inverse);

/** What distribution matching measures. */
typedef enum {
    ASIF_DIVERGENCE_KL,         /**< KL(demonstrator || imitator) */
    ASIF_DIVERGENCE_REVERSE_KL, /**< KL(imitator || demonstrator) */
    ASIF_DIVERGENCE_JS,         /**< Jensen-Shannon */
    ASIF_DIVERGENCE_TV,         /**< total variation */
    ASIF_DIVERGENCE_FEATURES,   /**< distance of feature expectations */
    ASIF_DIVERGENCE_CONJUGATE   /**< |difference|^2 / (2 weight): conjugate of a quadratic regulariser */
} asif_divergence;

/** What inverse planners are told; each reads what is its own. Texts are borrowed. */
typedef struct {
    size_t struct_size;
    asif_divergence divergence; /**< of distribution matching */
    double entropy;             /**< of distribution matching: weight of the imitator's causal entropy */
    uint32_t
        horizon;     /**< of distribution matching of histories: decisions; 0: those of the longest episode */
    double p;        /**< norm: 1, 2 or INFINITY */
    double margin;   /**< of minimum perturbation: by how much what was done must be better; below 0: a
                        hundredth of the   utility's span */
    double weight;   /**< c of the regulariser c/2 |v|^2 */
    bool ng_russell; /**< of maximum margin: Ng and Russell's linear programme */
    const char *column; /**< score, batch or environment of each episode */
    const char *pairs;  /**< file with the columns `worse` and `better`: names of episodes */
    bool partial; /**< the logs are some of those that the pairs are about: pairs with others are left out */
    uint32_t environments; /**< of multiple experimentation, with their names in the column */
    const char *const *environment_name;
    const asif_setting *const *environment;
} asif_inverse_options;
#define ASIF_INVERSE_OPTIONS_INIT                                                                            \
    { .struct_size = sizeof(asif_inverse_options), .p = 2, .margin = -1, .weight = 0.01 }

/** Column of the logs that an inverse planner is told beside the actions, one value an episode: the one asked
 * for, or `score`, `batch` or `environment`. NULL: none. @param inverse_options NULL: the defaults. */
ASIF_API const char *asif_helper_column(asif_helper helper, const asif_inverse_options *inverse_options);

/** What the target is. */
typedef struct {
    size_t struct_size;
    const char *inverse; /**< name in the registry; NULL: "soft-policy-matching" */
    const double *count; /**< [nodes][actions] instead of the tree's (asif_tree_counts()), borrowed for the
                            life of the target */
    bool objective_only; /**< leave the priors out: maximum likelihood */
    const asif_inverse_options
        *inverse_options; /**< what the inverse planner is told; NULL: the defaults; borrowed */
} asif_target_options;
#define ASIF_TARGET_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_target_options) }

/** A density over the sampled coordinates of the estimates; one thread at a time. */
typedef struct asif_target asif_target;

/**
 * Make a target.
 *
 * @param[out] out   Owned by the caller.
 * @param work       Workspace of the planner: cloned.
 * @param estimates  Borrowed for the life of the target, as is `tree`.
 * @param tree       Logs with the labels of the setting.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EINVALID (other labels), ASIF_EUNSUPPORTED or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_target_create(asif_target **out, const asif_work *work,
                                        const asif_estimates *estimates, const asif_tree *tree,
                                        const asif_target_options *options, asif_error *error);
/** Another for another thread or chain; its warm start is that of `target`. */
ASIF_API asif_status asif_target_clone(asif_target **out, const asif_target *target, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_target_free(asif_target *target);

/** The density, borrowed: for asif_sample() and asif_maximise(). Where the planner finds no finite solution,
 * or an action that was taken has probability 0, it is -inf. An observation that no world of the agent allows
 * is ASIF_EZEROPR, with its row. */
ASIF_API const asif_density *asif_target_density(const asif_target *target);

/** The objective alone at a point: the log-likelihood. @param gradient [dimension]; NULL: not wanted. */
ASIF_API asif_status asif_target_objective(asif_target *target, const double *x, double *value,
                                           double *gradient, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
