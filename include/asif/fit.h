/**
 * @file
 * Fits: estimates of what a decision-maker who acts as the logs show would want, know and believe. A fit
 * includes the uncertainty of the estimates, what the logs cannot determine, and whether the computation can
 * be trusted.
 */
#ifndef ASIF_FIT_H
#define ASIF_FIT_H

#include "asif/inverse.h"
#include "asif/people.h"
#include "asif/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Methods of fitting. */
typedef enum {
    ASIF_FIT_NUTS,       /**< the posterior, by the no-U-turn sampler */
    ASIF_FIT_METROPOLIS, /**< the posterior, by a random walk tuned during warm-up */
    /** The posterior as in the paper: a random walk of fixed step in log-parameters, under a flat
     * (improper) prior. */
    ASIF_FIT_PUBLISHED,
    ASIF_FIT_MAP, /**< the maximum of the posterior, and a normal approximation around it */
    /** The maximum of the likelihood, with standard errors; for an inverse planner without a likelihood,
     * its own estimate. */
    ASIF_FIT_ML,
    ASIF_FIT_RIDGE, /**< the posterior, by a walk along its ridges and exact importance weights */
    /** ASIF_FIT_RIDGE if its result can be trusted, else ASIF_FIT_NUTS started along the ridge; without
     * gradients, ASIF_FIT_METROPOLIS. The finished fit states the one that was used. */
    ASIF_FIT_AUTO
} asif_fit_method;
/** "nuts", "metropolis", "published", "map", "ml", "ridge" or "auto"; NULL past the last. */
ASIF_API const char *asif_fit_method_text(asif_fit_method method);
/** Whether a method draws samples. */
ASIF_API bool asif_fit_method_draws(asif_fit_method method);

/** How a fit is made. */
typedef struct {
    size_t struct_size;
    asif_fit_method method;
    /** Sampler options, for methods that draw samples. The fit sets `method`, `start` and `metric`; the
     * caller sets the rest. Chains begin around the maxima in turn; if there are more maxima than chains,
     * there is one chain for each maximum. */
    asif_sample_options sample;
    uint32_t starts; /**< starting points of the maximiser: the centre of the priors, then draws from them */
    uint32_t predictive; /**< number of draws that predictions are computed from */
    uint32_t histories;  /**< how many of the most frequent histories (or observed states) to describe */
    const char *inverse; /**< see ::asif_target_options */
    const asif_inverse_options *inverse_options; /**< see ::asif_target_options */
    const double *count; /**< [nodes][actions]: counts that replace the tree's; NULL: the tree's */
    /** Leave out what is not needed when many fits are run in a row: bounds, histories and predictions; for
     * methods that draw samples, also the polish and confirmation of the maximum that the chains begin
     * around. */
    bool draws_only;
    /** Clusters of the standard errors, for ASIF_FIT_ML: the same logs as a tree whose units are the
     * clusters. NULL: the units of the fitted tree, if it has any. */
    const asif_tree *clusters;
    bool plain; /**< sample in the coordinates of the estimates, without a change of coordinates */
    /** The same planner on a finer lattice: draws of ASIF_FIT_RIDGE are weighted by the likelihood there,
     * while maxima, bounds and predictions are those of `work`. Borrowed; NULL: none. */
    const asif_work *fine;
    /** Steps of warm-up, instead of those of `sample` if these are more, of NUTS that knows the shape of the
     * posterior from draws along its ridge: they have good weights, and there is one maximum. Warm-up then
     * only tunes the step size. 0: those of `sample`. */
    uint64_t short_warmup;
    /** [begins][dimension]: where the search for the maximum begins, in place of `starts` points, in the
     * coordinates of the estimates; with `draws_only`, maxima far from them are not sought. NULL: it begins
     * at the centre of the priors and at draws from them. */
    const double *begin;
    uint32_t begins;
    /** Points of a round of ASIF_FIT_RIDGE; 0: 4,096. With fewer, the effective sample size that is asked for
     * is smaller in proportion. */
    uint64_t points;
} asif_fit_options;
/** The defaults of a method: 9 starts, 200 predictive draws, 8 histories, 4 chains and a short warm-up of
 * 150. ASIF_FIT_PUBLISHED has one chain, with 1,000 steps of warm-up and then 10,000 steps, of which every
 * tenth is kept. */
ASIF_API void asif_fit_defaults(asif_fit_options *out, asif_fit_method method);

/** How far the logs determine a number. */
typedef enum {
    ASIF_IDENTIFIED_UNKNOWN, /**< no draws, or the prior is improper */
    ASIF_IDENTIFIED_NO,      /**< contraction below .25: the posterior is nearly the prior */
    ASIF_IDENTIFIED_WEAKLY,
    ASIF_IDENTIFIED_YES /**< contraction at least .9, no correlation above .9, and a known sign or a value
                           near zero */
} asif_identified;
/** "no", "weakly", "yes"; NULL: unknown. */
ASIF_API const char *asif_identified_text(asif_identified identified);

/** Reason to doubt a number, however narrow its interval is. Later reasons are more serious. */
typedef enum {
    ASIF_DOUBT_NONE,
    /** Other assumed values, under which the model fits about as well, change the conclusion. */
    ASIF_DOUBT_ASSUMPTIONS,
    ASIF_DOUBT_DECISIONS, /**< some decisions are very improbable under the fitted agent */
    ASIF_DOUBT_SUBJECTS,  /**< subjects differ by more than the model allows */
    ASIF_DOUBT_MISFIT,    /**< predictive checks found something that the model misses */
    ASIF_DOUBT_TOPS       /**< rival explanations (maxima of the posterior) disagree about the number */
} asif_doubt;

/** Sign of a number that can be negative or positive. ASIF_SIGN_NONE: it cannot be both, or there is no
 * interval. */
typedef enum { ASIF_SIGN_NONE, ASIF_SIGN_NEGATIVE, ASIF_SIGN_UNKNOWN, ASIF_SIGN_POSITIVE } asif_sign;

/** One estimated number. */
typedef struct {
    const asif_estimate_info *info; /**< borrowed from the estimates */
    /** Summary of the draws. Without draws, mean and median are the maximum, sd and quantiles follow from the
     * curvature there, and the rest is NaN. */
    asif_column_summary summary;
    double maximum; /**< value at the maximum; NaN: no maximum was computed */
    /** Alternatives to the standard error from the curvature, for ASIF_FIT_ML; NaN: not known. The first is
     * from the outer product of the scores of decisions; the second is the robust (sandwich) error from the
     * curvature and the outer product of the scores of clusters. */
    double error_outer, error_clustered;
    /** 1 - (posterior / prior width)^2, with 90 % widths on the scale of ::asif_line; NaN: unknown. */
    double contraction;
    asif_identified identified; /**< the weaker of the next two verdicts */
    asif_identified identified_below,
        identified_above; /**< verdict for each side; no, if the likelihood becomes flat on that side */
    bool near_zero;       /**< the interval contains 0, and the logs rule out values far from it */
    /** Largest correlation in absolute value with another number, on the scale of ::asif_line; NaN:
     * unknown. */
    double correlation;
    uint32_t with;               /**< index of that other number; ASIF_ANY: none */
    asif_sign sign;              /**< sign according to the 90 % interval */
    bool walked;                 /**< whether the next two are known */
    bool flat_below, flat_above; /**< the likelihood becomes flat on that side, close to its maximum */
    /** Doubt that the fit itself found; `identified` does not take it into account yet. Checks may add
     * doubts, and `fit.json` has the final verdict. */
    asif_doubt doubt;
    /** Power-scaling sensitivity to the prior and to the likelihood (asif_power_scaling()); NaN: no draws, or
     * one whose prior or likelihood is not finite. */
    double prior_sensitivity, likelihood_sensitivity;
} asif_fit_parameter;

/** One of several maxima ("tops") with lower density between them. Each is an explanation of the logs. */
typedef struct {
    /** Approximate share of the posterior, from height and volume; NaN: the density is a likelihood. */
    double weight;
    double log_posterior; /**< value at the maximum; NaN: the density is a likelihood */
    double log_likelihood;
    double log_volume; /**< half the log-determinant of the covariance, in the coordinates of the estimates */
    /** [parameters]: the estimates near this maximum, from the draws of its chains or, if it has no chains,
     * from the curvature. */
    const asif_fit_parameter *parameter;
    bool drawn; /**< whether these estimates are from draws */
    uint32_t chains;
    const uint32_t *chain; /**< [chains]: indices from 0 of the chains that stayed near this maximum */
} asif_fit_top;

/** One of the most frequent histories: the actions in the logs, and those of the fitted agent. */
typedef struct {
    uint32_t node; /**< of the tree */
    double decisions;
    const double *observed;  /**< [actions]: shares */
    const double *predicted; /**< [actions]: mean over draws, or at the maximum */
    const double *q05, *q95; /**< [actions]: quantiles over draws; NaN without draws */
} asif_fit_history;

/** Rare decisions: those with a probability below #ASIF_RARE_BELOW under the fitted agent, at the maximum or,
 * if none was computed, at the posterior medians. */
typedef struct {
    bool known; /**< false: the fit does not use a likelihood of actions */
    double decisions;
    double expected; /**< expected number of rare decisions by the fitted agent at the same histories */
    double tail;     /**< probability of at least as many under the fitted model; below .01 it is a doubt */
    uint32_t node, action; /**< the least probable decision in the logs; ASIF_ANY: there is no rare one */
    double probability;    /**< probability of that decision; NaN: there is no rare one */
} asif_fit_rare;
#define ASIF_RARE_BELOW 1e-4

/** A fit; immutable. */
typedef struct asif_fit asif_fit;

/** A combination of estimated numbers that does not depend on the scale of the utilities, such as
 * `(correct - cost) / alpha`. Where only the priors fix that scale, data determine combinations alone. */
typedef struct {
    char name[160];
    double mean, sd, q05, q50, q95; /**< summary of the draws */
    double prior_q05, prior_q95;    /**< quantiles of draws from the prior; NaN: it is improper */
    double contraction;             /**< 1 - (posterior / prior width)^2, with 90 % widths; NaN: unknown */
    asif_identified identified;
} asif_fit_combination;

/** What an action is worth all in, where its utility trades off with the randomness of choice: the utility,
 * which is the same in all states in which the action can be taken, less what it costs a random agent to take
 * it for sure, `cost` times alpha. */
typedef struct {
    uint32_t action;
    uint32_t parameter;             /**< number of the estimated utility among asif_fit_view::parameter */
    double cost;                    /**< -log of the action's share in the action prior */
    double r;                       /**< correlation of the estimated utility with the randomness of choice */
    double mean, sd, q05, q50, q95; /**< summary of the draws */
} asif_fit_all_in;

/** What a fit holds, borrowed. */
typedef struct {
    size_t struct_size;
    asif_fit_method method;
    const asif_draws *draws; /**< NULL: none */
    uint32_t parameters;
    const asif_fit_parameter *parameter;
    const double *correlation; /**< [parameters][parameters], on the scale of ::asif_line; NULL: no draws */
    asif_trust trust;          /**< diagnostics of the draws; with rivals, of the draws around each maximum */
    /** With draws, see ::asif_trust; else whether two starts reached the same maximum. Always false with
     * rivals. */
    bool trusted;
    bool maximised;   /**< whether the next five members are known */
    double objective; /**< objective of an inverse planner without a likelihood, at its estimate; else NaN */
    double log_posterior; /**< value at the maximum; NaN: the likelihood was maximised */
    double log_likelihood;
    asif_maximum_info search;
    uint32_t starts;
    bool curved;            /**< the curvature at the maximum is positive */
    uint64_t clusters;      /**< number of clusters in asif_fit_parameter::error_clustered; 0: none */
    bool clusters_subjects; /**< the clusters are the subjects of the tree; else asif_fit_options::clusters */
    uint32_t histories;
    const asif_fit_history *history;
    uint32_t tops; /**< number of maxima that matter, the largest weight first; 0: none was computed */
    const asif_fit_top *top;
    bool more_tops; /**< there may be more than are listed */
    /** Rival explanations: several maxima, between which the chains do not move. The fit's parameters then
     * have no mean, sd and quantiles (those of each maximum have), and a number that the maxima disagree
     * about is not identified. */
    bool rivals;
    bool ridge_tried; /**< ASIF_FIT_AUTO tried the ridge and rejected it; the next three members show why */
    double ridge_khat, ridge_kish;
    bool ridge_inside;
    double search_sec,
        sample_sec; /**< time to maximise, and to draw samples (since the fit was last resumed) */
    asif_fit_rare rare;
    asif_fit_method requested; /**< as in the options; `method` is the one that was used */
    /** Number of points that were weighted on asif_fit_options::fine, 0 if the draws are not of that lattice;
     * and the largest shift of a mean by these weights, in standard deviations. */
    uint64_t corrected;
    double correction_moved;
    uint32_t combinations; /**< 0: there are no draws, or something fixes the scale of the utilities */
    const asif_fit_combination *combination; /**< [combinations] */
    uint32_t all_ins; /**< 0: there are no draws, or nothing trades off with the randomness of choice */
    const asif_fit_all_in *all_in; /**< [all_ins] */
} asif_fit_view;

/**
 * Compute the estimates of a fit: find the maximum, draw samples, and judge the result. asif_fit_run() does
 * all that `asif fit` does.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the fit, as are `estimates` and `tree`.
 * @param work       Workspace of the planner: cloned.
 * @param estimates  Made with ASIF_PRIORS_PUBLISHED for the published method, else with ASIF_PRIORS_STATED.
 * @param tree       Logs with the labels of the setting.
 * @param options    NULL: the defaults of ASIF_FIT_AUTO.
 * @param problems   Warnings are added: actions that were never taken, a single subject. May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also if the draws cannot be trusted; ASIF_EZEROPR with the row of an observation that is
 * impossible in every world of the agent; ASIF_EDOMAIN, ASIF_EINVALID, ASIF_EUNSUPPORTED, ASIF_EIO,
 * ASIF_ENOMEM, ASIF_ECANCELLED.
 *
 * Jarrett et al. (2021), Section 4; verdicts as in docs/howto/fit.md.
 */
ASIF_API asif_status asif_fit_estimate(asif_fit **out, const asif_context *context, const asif_work *work,
                                       const asif_estimates *estimates, const asif_tree *tree,
                                       const asif_fit_options *options, asif_problems *problems,
                                       asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_fit_free(asif_fit *fit);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_fit_get(const asif_fit *fit, asif_fit_view *view, asif_error *error);

/**
 * A fitted agent: the input of all questions about a fit (identify, sensitivity, outcomes, ...). All of it is
 * borrowed.
 */
typedef struct {
    size_t struct_size;
    const asif_context *context;
    const char *planner;                         /**< name; NULL: the default */
    const asif_plan_options *solver;             /**< NULL: the defaults */
    const char *inverse;                         /**< name; NULL: the default */
    const asif_inverse_options *inverse_options; /**< options of the inverse planner; NULL: the defaults */
    const asif_setting *setting;
    const asif_theta *given;        /**< assumed values; estimated parameters have no value */
    const asif_estimate_spec *spec; /**< [specs]: what is estimated */
    uint32_t specs;
    const asif_estimates *estimates; /**< made from `spec` */
    const asif_work *work;           /**< workspace of the planner; users clone it */
    const asif_tree *tree;           /**< NULL: no logs */
    const asif_draws *draws;         /**< NULL: only a maximum is known */
    const double *maximum;           /**< [reported]; NULL: no maximum was computed */
    uint64_t seed;
    const asif_identified *identified; /**< [reported]: the verdicts of the fit; NULL: not known */
} asif_fitted;
#define ASIF_FITTED_INIT                                                                                     \
    { .struct_size = sizeof(asif_fitted) }

/** A finished fit, read back from its folder; immutable. */
typedef struct asif_result asif_result;

/**
 * Read the folder of a finished fit: its `fit.json`, study, counts and draws. Values that -p set at
 * the time of the fit are set again.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the result.
 * @param folder     As `asif fit -o` wrote it; for fits by groups, the folder of one group.
 * @param problems   Problems of its study are added; may be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOFILE (no finished fit there), ASIF_EIO, ASIF_EPARSE (files that were changed),
 * ASIF_ENOMEM, or what reading the study returned.
 *
 * Cost: that of a workspace for its planner (asif_work_create()).
 */
ASIF_API asif_status asif_result_load(asif_result **out, const asif_context *context, const char *folder,
                                      asif_problems *problems, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_result_free(asif_result *result);

/** The contents of a fit's folder, borrowed. */
typedef struct {
    size_t struct_size;
    const asif_fitted *fitted;
    const asif_study *study;
    const char *folder, *title;
    const char *json; /**< text of fit.json */
    uint64_t length;  /**< of it */
    asif_fit_method method;
    const char *group_column, *group_value; /**< NULL: not a group */
    bool trusted;
    bool missed;        /**< predictive checks found something that the model misses */
    const char *people; /**< digest of asif_tree_by_subject() for all logs that were read; NULL: not known */
    bool rivals;        /**< see ::asif_fit_view */
    uint32_t wheres;
    const asif_logs_where
        *where;   /**< [wheres]: the conditions of --by and --where that selected the fitted episodes */
    bool doubted; /**< some number has an ::asif_doubt other than ::ASIF_DOUBT_ASSUMPTIONS */
} asif_result_view;
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_result_get(const asif_result *result, asif_result_view *view, asif_error *error);

#define ASIF_DIGEST_SIZE 65

/** Everything that the result of a resumable computation depends on. */
typedef struct {
    size_t struct_size;
    const char *command;             /**< "fit", "recover", "sbc" */
    const asif_study *study;         /**< includes every file that it names: asif_study_digest() */
    const asif_theta *given;         /**< assumed values; NULL: the study's */
    const asif_plan_options *solver; /**< NULL: the defaults */
    const asif_tree *logs;           /**< NULL: none are read */
    const char *options;             /**< all other options that change the result, as text; NULL: none */
} asif_key_parts;
#define ASIF_KEY_PARTS_INIT                                                                                  \
    { .struct_size = sizeof(asif_key_parts) }
/**
 * The key of a computation: a digest of everything that was read, of the options and of the version. A
 * checkpoint, a finished group or a finished replicate is used again only under the same key.
 *
 * @param[out] out   [ASIF_DIGEST_SIZE]: hexadecimal.
 * @param parts      See ::asif_key_parts.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN or ASIF_ENOMEM. Cost: that of hashing the counts.
 */
ASIF_API asif_status asif_key_make(char *out, const asif_key_parts *parts, asif_error *error);

/**
 * @name The folder of a fit: what is in it, and how it is written so that nothing is lost.
 *
 * DIR holds the files of a finished fit and `manifest.json`, which names each of them with its size and its
 * SHA-256 digest. Only what a manifest names, unchanged, is ever replaced or removed. While a fit is being
 * computed, everything is in the staging folder `DIR/.asif/new`: checkpoints, and at the end the files. When
 * all files are on disk, a manifest is written there: from that moment on the new fit is the valid one. Then
 * the files are copied into DIR, the manifest last, and `DIR/.asif` is removed. If the staging folder has a
 * manifest, readers and writers use it in place of DIR. So at any moment either the old fit or the new one is
 * complete. A writer locks DIR.
 *
 * For fits by groups, DIR holds a folder for each group, and a manifest that lists the groups with their
 * keys: a group is finished if its own manifest has that key.
 * @{
 */

/** Name of the file with the results of a fit. */
#define ASIF_FIT_JSON "fit.json"

/** A group that is to be fitted. */
typedef struct {
    const char *value; /**< value in the column of groups */
    const char *key;   /**< see asif_key_make() */
} asif_folder_group;

/** How to open a folder for writing. */
typedef struct {
    size_t struct_size;
    const char *path; /**< DIR; it and its parents are made if they do not exist */
    const char *key;  /**< key of the fit, see asif_key_make() */
    /** Names of the files that will be written, NULL-terminated; opening fails if DIR has a file of the
     * user with one of these names. NULL: none. */
    const char *const *name;
    bool force;     /**< replace a finished fit once the new one is finished; restart an interrupted fit */
    const char *by; /**< column whose values define the groups; NULL: one fit */
    const asif_folder_group *group; /**< [groups] */
    uint32_t groups;
} asif_folder_options;
#define ASIF_FOLDER_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_folder_options) }

/** A folder of results that is being written; locked, and used by one thread at a time. */
typedef struct asif_folder asif_folder;

/** The state of a folder when it was opened, borrowed. */
typedef struct {
    size_t struct_size;
    const char *checkpoints; /**< folder for the checkpoints of its chains */
    bool finished;           /**< the same fit (by its key) is there already: nothing is left to do */
    bool resumed;            /**< the same fit was interrupted, and there are checkpoints */
    bool completed;  /**< a finished fit whose files had only partly been copied into DIR is now there */
    uint32_t groups; /**< for fits by groups: number of their folders */
    const char *const *group; /**< [groups]: paths, each to be opened as a folder of its own */
} asif_folder_view;

/**
 * Lock a folder and check whether a fit may be written into it. Files of the user are not changed.
 *
 * @param[out] out   Owned by the caller, until asif_folder_close().
 * @param context    Borrowed until then.
 * @param options    Not needed afterwards.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EINVALID (another process is writing into it; a file that is not asif's would be
 * replaced; it holds a finished fit, or an interrupted one of another key, and `force` is false);
 * ASIF_EDOMAIN, ASIF_EIO or ASIF_ENOMEM.
 *
 * Cost: files that would be replaced are read once, to see whether they were changed.
 */
ASIF_API asif_status asif_folder_open(asif_folder **out, const asif_context *context,
                                      const asif_folder_options *options, asif_error *error);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_folder_get(const asif_folder *folder, asif_folder_view *view, asif_error *error);
/** Stage a file: it is on disk when this returns, but not part of the valid fit before asif_folder_commit().
 * @return ASIF_OK, ASIF_EDOMAIN (a name with a slash, or one that begins with a dot), ASIF_EIO or
 * ASIF_ENOMEM. */
ASIF_API asif_status asif_folder_put(asif_folder *folder, const char *name, const char *bytes,
                                     uint64_t length, asif_error *error);
/** Commit: make the staged files the valid fit and copy them into the folder; files of the old fit that the
 * new one does not have are removed. For fits by groups, call this when all groups are finished. @return
 * ASIF_OK, ASIF_EINVALID (meanwhile a file of the user has appeared there), ASIF_EIO or ASIF_ENOMEM. After a
 * failure either the old fit or the new one is complete. */
ASIF_API asif_status asif_folder_commit(asif_folder *folder, asif_error *error);
/** Unlock a folder and free it; NULL is allowed. Files staged but not committed are removed, except
 * checkpoints; so is a folder that asif_folder_open() made and that is empty. */
ASIF_API void asif_folder_close(asif_folder *folder);

/** One of the fits in a folder. */
typedef struct {
    const char *name;  /**< name of its folder inside; "." if it is the folder itself */
    const char *value; /**< value of its group; "" if it is not a group's */
    const char *path;  /**< path of its folder */
    bool finished;
} asif_fits_one;

/** The fits in a folder; immutable. */
typedef struct asif_fits asif_fits;

/** The list of the fits in a folder, borrowed. */
typedef struct {
    size_t struct_size;
    bool grouped;   /**< fits of groups */
    bool listed;    /**< there is a manifest */
    bool begun;     /**< a fit was begun there and is not finished; it may be running now */
    const char *by; /**< column of the groups; NULL: not known */
    uint32_t fits, finished;
    /** [fits]; groups in the order in which they are shown, including unfinished ones. */
    const asif_fits_one *fit;
    uint32_t files;
    const char *const *file; /**< [files]: paths of all files that belong to the fits, including manifests */
    bool left; /**< nothing is begun, but the folder where fits are made is there; opening the folder clears
                  it */
} asif_fits_view;

/** Find the fits in a folder. A folder without a manifest, as version 0.1 wrote it, can be read too.
 * @param[out] out Owned by the caller. @return ASIF_OK, also if there are none or there is no such folder;
 * ASIF_EIO, ASIF_ENOFILE or ASIF_ENOMEM. */
ASIF_API asif_status asif_fits_find(asif_fits **out, const asif_context *context, const char *path,
                                    asif_error *error);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_fits_get(const asif_fits *fits, asif_fits_view *view, asif_error *error);
/** Check that at least one fit is finished. @param folder Name of the folder, for the message. @param grouped
 * The caller needs fits of groups, and the hint says so. @param problems A note lists groups that are not
 * finished; may be NULL. @return ASIF_OK or ASIF_EINVALID. */
ASIF_API asif_status asif_fits_check(const asif_fits *fits, const char *folder, bool grouped,
                                     asif_problems *problems, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_fits_free(asif_fits *fits);

/** Name of the file with the population that `asif people` found. */
#define ASIF_PEOPLE_JSON "population.json"
#define ASIF_PEOPLE_CSV "units.csv"
#define ASIF_PEOPLE_TABLE "table.json" /**< see asif_people_table() */
/** Whether a folder holds a population of `asif people`, and no fit. */
ASIF_API bool asif_folder_has_people(const asif_context *context, const char *folder);
/** Read a file of a fit, from its folder or from the staging folder. @param[out] out The bytes and a 0 after
 * them, owned by the caller (asif_memory_free()). @return ASIF_OK, ASIF_ENOFILE, ASIF_EIO or ASIF_ENOMEM. */
ASIF_API asif_status asif_fit_read(char **out, uint64_t *length, const asif_context *context,
                                   const char *folder, const char *name, asif_error *error);
/** @} */

/** How a fit treats dynamics of hidden states that its study leaves to be learnt (`learn`). They are learnt
 * from the observations of the same logs, see asif_dynamics_learn(). */
typedef enum {
    ASIF_WORLD_USUAL, /**< ASIF_WORLD_CUT for methods that draw, except the published one; else given */
    /** The estimates are taken as if they were known: intervals leave out their uncertainty. */
    ASIF_WORLD_GIVEN,
    /** Draws of the dynamics from the observations alone. The agent is fitted in each of these worlds, and
     * the posteriors are pooled with equal weights, so that a misfit of the agent cannot bend the dynamics.
     */
    ASIF_WORLD_CUT,
    /** The posterior of agent and dynamics together, by NUTS: decisions tell of the dynamics, too. */
    ASIF_WORLD_JOINT
} asif_world_mode;
/** "given", "cut" or "joint"; NULL: ASIF_WORLD_USUAL, or past the last. */
ASIF_API const char *asif_world_mode_text(asif_world_mode mode);
#define ASIF_FIT_WORLDS 40 /**< draws of the dynamics, where none are stated */

/** The request for a fit: what to fit, and how. Study, logs, assumed values and workspace are
 * kept for the life of the fit, and the rest is borrowed. */
typedef struct {
    size_t struct_size;
    /** May leave dynamics of hidden states to be learnt: asif_study_read_unlearnt(). */
    const asif_study *study;
    /** Logs with the labels of the study: of asif_tree_by_subject(), or with episodes as units if the
     * inverse planner needs data about episodes. */
    const asif_tree *logs;
    const asif_theta *given;         /**< the study's values with the caller's changes; NULL: the study's */
    const asif_plan_options *solver; /**< NULL: the study's */
    /** Method, sampler and starts; its `inverse` and `clusters` are ignored. NULL: the defaults of
     * ASIF_FIT_AUTO. */
    const asif_fit_options *how;
    const asif_tree *clusters; /**< see ::asif_fit_options */
    /** Workspace of the planner with this solver, which several fits can share; NULL: the fit makes its
     * own. Ignored if the fit chooses the resolution. */
    const asif_work *work;
    bool no_sensitivity;    /**< leave out the short sensitivity analysis */
    bool no_answers;        /**< leave out all short answers: sensitivity, outcomes and predictive checks */
    bool partial;           /**< the logs are a part of all logs: pairs may refer to other episodes */
    const char *by, *value; /**< column and value of the group that is fitted; NULL: not a group */
    const char *const
        *where;         /**< conditions "COLUMN=VALUE" that selected the logs, NULL-terminated; NULL: none */
    const char *people; /**< digest of asif_tree_by_subject(); NULL: not known */
    const asif_log_map *map; /**< columns that the logs were read by; NULL: not known */
    asif_world_mode world;   /**< only where the study leaves dynamics to be learnt */
    uint32_t worlds;         /**< draws of the dynamics for ASIF_WORLD_CUT; 0: ASIF_FIT_WORLDS */
    const asif_tree *table;  /**< all logs that were read, of which a group is fitted; NULL: not known */
} asif_fit_request;
#define ASIF_FIT_REQUEST_INIT                                                                                \
    { .struct_size = sizeof(asif_fit_request) }

/** The key of a fit, see asif_key_make(). @param[out] out [ASIF_DIGEST_SIZE]. */
ASIF_API asif_status asif_fit_key(char *out, const asif_context *context, const asif_fit_request *request,
                                  asif_error *error);
/** Open the folder of a fit, see asif_folder_open(): under its key, and with the names of all files that it
 * will have. */
ASIF_API asif_status asif_fit_open(asif_folder **out, const asif_context *context,
                                   const asif_fit_request *request, const char *path, bool force,
                                   asif_error *error);

/** All results of `asif fit`; immutable. */
typedef struct asif_whole_fit asif_whole_fit;

/**
 * Run a whole fit: find the maximum, draw samples, judge the result, and answer in short the questions that
 * every fit raises: the outcomes of this behaviour, what the model misses (predictive checks), and what
 * depends on the assumptions (sensitivity).
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the fit.
 * @param request    Copied. Its study, logs, assumed values and workspace are kept for the life of the fit,
 *                   and what else it points to is borrowed.
 * @param folder     From asif_fit_open(): chains are saved there, and resumed from there. NULL: they are not
 * saved.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also if the draws cannot be trusted or one of the answers cannot be computed; what
 * asif_fit_estimate(), asif_work_create() and asif_estimates_scaled() return.
 */
ASIF_API asif_status asif_fit_run(asif_whole_fit **out, const asif_context *context,
                                  const asif_fit_request *request, const asif_folder *folder,
                                  asif_error *error);
/** The estimates of a whole fit, borrowed. */
ASIF_API const asif_fit *asif_whole_fit_numbers(const asif_whole_fit *fit);
/** A whole fit as the text of `fit.json`. @param[out] out Owned by the caller (asif_memory_free()). */
ASIF_API asif_status asif_whole_fit_json(char **out, const asif_whole_fit *fit, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_whole_fit_free(asif_whole_fit *fit);

/** How long a fit will take, and which lattice of beliefs it needs. */
typedef struct {
    size_t struct_size;
    /** Processor time of the whole fit on this machine, in seconds, and its parts; NaN: not known. Several
     * threads share it. */
    double seconds, search_sec, draws_sec, answers_sec;
    double nuts_sec;     /**< further seconds if draws along the ridge cannot be trusted; NaN: not known */
    double trial_sec;    /**< processor time that the forecast itself took */
    const char *instead; /**< why there is no forecast, in a few words; NULL: there is one */
    /** Intervals on an edge of the lattice of beliefs in the fit, and the number of its beliefs; 0: states
     * are observed. */
    uint32_t resolution;
    uint64_t beliefs;
    /** What `resolution: auto` would choose, the number of beliefs, and the error of the log-likelihood in
     * nats; 0: not known. */
    uint32_t enough;
    uint64_t enough_beliefs;
    double enough_error;
    bool automatic; /**< the study says `auto`, so that `resolution` is `enough` */
} asif_forecast;

/**
 * Forecast how long asif_fit_run() would take by its default method. A trial searches for one maximum, on a
 * coarse lattice where the fit's is large, times the other parts of a fit at a few points near it, and
 * multiplies by how often a fit usually repeats them. The trial is stopped if it takes long.
 *
 * @param[out] out   Its struct_size must be set.
 * @param context    Its threads are not used: the trial runs in the calling thread.
 * @param request    As for asif_fit_run(); `work` and `how` are ignored.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also if there is no forecast (see `instead`); ASIF_EDOMAIN, ASIF_ENOMEM or
 * ASIF_ECANCELLED.
 */
ASIF_API asif_status asif_fit_forecast(asif_forecast *out, const asif_context *context,
                                       const asif_fit_request *request, asif_error *error);

/** The origin of a fit, recorded in `run.json`. */
typedef struct {
    size_t struct_size;
    const char *const *word; /**< [words]: the command */
    uint32_t words;
    const char *study, *logs; /**< files; NULL: not known */
    /** Of logs that an engine has read: its name and version, and the query. NULL: none has, or not known.
     * Passwords in them are the caller's to remove (asif_database_mask()). */
    const char *engine, *version, *query;
} asif_fit_origin;
#define ASIF_FIT_ORIGIN_INIT                                                                                 \
    { .struct_size = sizeof(asif_fit_origin) }

/**
 * Write all files of a fit (study, the files that it names, counts, chains, `run.json`, `fit.json`, manifest)
 * and commit them together.
 *
 * @param fit        From asif_fit_run().
 * @param folder     From asif_fit_open() for the same request; the caller closes it afterwards.
 * @param origin     NULL: not known.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EINVALID (a file that the study names was changed meanwhile, or a file of the user
 * has appeared in the folder), ASIF_EIO, ASIF_ENOFILE, ASIF_ENOMEM. After a failure either the old fit or the
 * new one is complete.
 */
ASIF_API asif_status asif_fit_save(const asif_whole_fit *fit, asif_folder *folder,
                                   const asif_fit_origin *origin, asif_error *error);

/**
 * Open a folder for a population, as asif_fit_open() does for a fit.
 *
 * @param[out] out   Closed by the caller.
 * @param chains     Of asif_people_options.
 * @param key        From asif_key_make(): what the result depends on.
 * @param force      Replace another result.
 * @param[out] error May be NULL.
 * @return As asif_folder_open().
 */
ASIF_API asif_status asif_people_open(asif_folder **out, const asif_context *context, const asif_study *study,
                                      uint32_t chains, const char *key, const char *path, bool force,
                                      asif_error *error);
/**
 * Write all files of a population (study, the files that it names, `population.json`, `units.csv` and chains
 * unless it was refused, `run.json`, manifest) and commit them together.
 *
 * @param study      The one that was fitted.
 * @param folder     From asif_people_open(); the caller closes it afterwards.
 * @param origin     NULL: not known.
 * @param[out] error May be NULL.
 * @return As asif_fit_save().
 */
ASIF_API asif_status asif_people_save(const asif_people *people, const asif_study *study, asif_folder *folder,
                                      const asif_fit_origin *origin, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
