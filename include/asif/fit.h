/**
 * @file
 * Fits: from logs to what a decision-maker would have to want, know and believe, with its uncertainty, what
 * the logs cannot tell, and whether the computation can be trusted.
 */
#ifndef ASIF_FIT_H
#define ASIF_FIT_H

#include "asif/inverse.h"
#include "asif/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to fit. */
typedef enum {
    ASIF_FIT_NUTS,       /**< the posterior, by the no-U-turn sampler */
    ASIF_FIT_METROPOLIS, /**< the posterior, by a random walk tuned during warm-up */
    ASIF_FIT_PUBLISHED,  /**< as published: a random walk of fixed step in log-parameters, under a flat
                            (improper) prior */
    ASIF_FIT_MAP,        /**< the maximum of the posterior, and a normal approximation around it */
    ASIF_FIT_ML,    /**< the maximum of the likelihood, and standard errors; of an inverse planner that is
                       no likelihood, its answer */
    ASIF_FIT_RIDGE, /**< the posterior, by a walk along its ridges and exact importance weights */
    ASIF_FIT_AUTO   /**< the same where it can be trusted; else by the no-U-turn sampler, started along the
                       ridge. The fit then has the method that was taken */
} asif_fit_method;
/** "nuts", "metropolis", "published", "map", "ml", "ridge" or "auto"; NULL past the last. */
ASIF_API const char *asif_fit_method_text(asif_fit_method method);
/** Whether it makes draws. */
ASIF_API bool asif_fit_method_draws(asif_fit_method method);

/** How a fit is made. */
typedef struct {
    size_t struct_size;
    asif_fit_method method;
    /** Of the methods that draw. Its method, start and metric are the fit's; folder and key are the caller's.
     * Chains begin around the tops in turn; where there are more tops than chains, there are as many chains
     * as tops. */
    asif_sample_options sample;
    uint32_t starts;     /**< of the maximiser: drawn from the priors, their centre first */
    uint32_t predictive; /**< draws from which predictions are made */
    uint32_t histories;  /**< most frequent histories (states, where they are seen) to describe */
    const char *inverse; /**< see ::asif_target_options */
    const asif_inverse_options *inverse_options; /**< see ::asif_target_options */
    const double *count;                         /**< [nodes][actions] instead of the tree's */
    /** Leave out what many fits in a row do not need: bounds, histories, predictions; of the methods that
     * draw also the polish and the confirmation of the maximum that their chains begin around. */
    bool draws_only;
    /** Of ASIF_FIT_ML: the same logs as a tree whose units are the clusters of standard errors; NULL: the
     * units of the tree itself, if it has any. */
    const asif_tree *clusters;
    bool plain; /**< chains move in the coordinates of the estimates, even where others are usually better */
} asif_fit_options;
/** The defaults of a method: 9 starts, 200 predictive draws, 8 histories; 4 chains, but of the published
 * method one, of 1,000 + 10,000 steps of which every tenth is kept. */
ASIF_API void asif_fit_defaults(asif_fit_options *out, asif_fit_method method);

/** What can be said of a number from logs. */
typedef enum {
    ASIF_IDENTIFIED_UNKNOWN, /**< no draws, or the prior is improper */
    ASIF_IDENTIFIED_NO,      /**< contraction below .25: the posterior is about the prior */
    ASIF_IDENTIFIED_WEAKLY,
    ASIF_IDENTIFIED_YES /**< contraction at least .9, no correlation above .9, and a known sign or a value
                           near zero */
} asif_identified;
/** "no", "weakly", "yes"; NULL: unknown. */
ASIF_API const char *asif_identified_text(asif_identified identified);

/** Why a number is not established, however narrow its interval is; the later ones weigh more. */
typedef enum {
    ASIF_DOUBT_NONE,
    ASIF_DOUBT_ASSUMPTIONS, /**< other values of what was given, which fit about as well, give another answer
                             */
    ASIF_DOUBT_DECISIONS,   /**< some decisions are hardly possible for the fitted agent */
    ASIF_DOUBT_SUBJECTS,    /**< subjects differ by more than the model allows */
    ASIF_DOUBT_MISFIT,      /**< predictive checks found something that the model misses */
    ASIF_DOUBT_TOPS         /**< rival explanations disagree about it */
} asif_doubt;

/** Sign of a number that can have either. */
typedef enum { ASIF_SIGN_NONE, ASIF_SIGN_NEGATIVE, ASIF_SIGN_UNKNOWN, ASIF_SIGN_POSITIVE } asif_sign;

/** One estimated number. */
typedef struct {
    const asif_estimate_info *info; /**< borrowed from the estimates */
    /** Of the draws. Without draws: mean and median are the maximum, sd and quantiles from the curvature
     * there, the rest NaN. */
    asif_column_summary summary;
    double maximum; /**< the number at the maximum; NaN: none was sought */
    /** Other standard errors than that from the curvature, of ASIF_FIT_ML; NaN: not known. From the outer
     * product of the scores of decisions, and the robust one: curvature and outer product of the scores of
     * clusters. */
    double error_outer, error_clustered;
    double contraction;         /**< 1 - (posterior / prior 90 % width)^2 on the line; NaN: unknown */
    asif_identified identified; /**< the weaker of the next two */
    asif_identified identified_below,
        identified_above;        /**< no, where the likelihood goes flat to that side */
    bool near_zero;              /**< the interval holds 0, and the logs rule out all that is far from it */
    double correlation;          /**< of the largest size with another number, on the line; NaN: unknown */
    uint32_t with;               /**< that other number; ASIF_ANY: none */
    asif_sign sign;              /**< by the 90 % interval */
    bool walked;                 /**< whether the next two are known */
    bool flat_below, flat_above; /**< the likelihood goes flat to that side, near its maximum */
    /** What the fit itself knows against it; `identified` is not yet lowered by it. Checks may add theirs,
     * and `fit.json` has the verdict that is left. */
    asif_doubt doubt;
} asif_fit_parameter;

/** One of several maxima that the density falls between: an explanation of the logs. */
typedef struct {
    double weight; /**< share of the posterior, from height and volume, approximately; NaN: of a likelihood */
    double log_posterior; /**< at the maximum; NaN: of a likelihood */
    double log_likelihood;
    double log_volume; /**< half the log-determinant of the covariance, in the coordinates of the estimates */
    /** [parameters]: its own numbers, from the draws of its chains; where it has none, from the curvature at
     * its maximum. */
    const asif_fit_parameter *parameter;
    bool drawn; /**< whether they are from draws */
    uint32_t chains;
    const uint32_t *chain; /**< [chains]: those that stayed there, from 0 */
} asif_fit_top;

/** What was done at one of the most frequent histories, and what the fitted agent does there. */
typedef struct {
    uint32_t node; /**< of the tree */
    double decisions;
    const double *observed;  /**< [actions]: shares */
    const double *predicted; /**< [actions]: mean over draws, or at the maximum */
    const double *q05, *q95; /**< [actions]: of the draws; NaN without */
} asif_fit_history;

/** Decisions that the fitted agent would hardly ever take: those of a probability below #ASIF_RARE_BELOW at
 * the maximum, or, where none was sought, at the medians. */
typedef struct {
    bool known; /**< false: the fit is not by a likelihood of actions */
    double decisions;
    double expected; /**< how many the fitted agent would take in these situations */
    double tail;     /**< how probable so many or more are, if the model holds; below .01 it is a doubt */
    uint32_t node, action; /**< the least probable of those that were taken; ASIF_ANY: there are none */
    double probability;    /**< of it; NaN: there are none */
} asif_fit_rare;
#define ASIF_RARE_BELOW 1e-4

/** A fit; immutable. */
typedef struct asif_fit asif_fit;

/** What a fit holds, borrowed. */
typedef struct {
    size_t struct_size;
    asif_fit_method method;
    const asif_draws *draws; /**< NULL: none */
    uint32_t parameters;
    const asif_fit_parameter *parameter;
    const double *correlation; /**< [parameters][parameters], on the line; NULL: no draws */
    asif_trust trust;          /**< of the draws; with rivals, of those of each top */
    bool trusted;     /**< of draws, see ::asif_trust; else whether two starts came to the same maximum; never
                         with rivals */
    bool maximised;   /**< whether the next five are known */
    double objective; /**< of an inverse planner that is no likelihood, at its answer; else NaN */
    double log_posterior; /**< at the maximum; NaN: of the likelihood it is */
    double log_likelihood;
    asif_maximum_info search;
    uint32_t starts;
    bool curved;            /**< the curvature at the maximum is positive */
    uint64_t clusters;      /**< whose scores make asif_fit_parameter::error_clustered; 0: none */
    bool clusters_subjects; /**< they are the subjects of the tree; else asif_fit_options::clusters */
    uint32_t histories;
    const asif_fit_history *history;
    uint32_t tops; /**< explanations that count, the largest weight first; 0: none was sought */
    const asif_fit_top *top;
    bool more_tops; /**< there may be more than are listed */
    /** Several tops, between which the chains do not move: rival explanations. The numbers of the fit then
     * have no mean, sd and quantiles (those of the tops have), and what the tops disagree about is not
     * identified. */
    bool rivals;
    bool ridge_tried; /**< by ASIF_FIT_AUTO, and not taken; why is told by the next three */
    double ridge_khat, ridge_kish;
    bool ridge_inside;
    double search_sec,
        sample_sec; /**< time that it took to maximise, and to draw (since it was last resumed) */
    asif_fit_rare rare;
} asif_fit_view;

/**
 * The numbers of a fit: find the maximum, draw, and judge. asif_fit_run() does all that `asif fit` does.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the fit, as are `estimates` and `tree`.
 * @param work       Workspace of the planner: cloned.
 * @param estimates  Made with ASIF_PRIORS_PUBLISHED for the published method, else with ASIF_PRIORS_STATED.
 * @param tree       Logs with the labels of the setting.
 * @param options    NULL: the defaults of NUTS.
 * @param problems   Warnings are added: actions that were never taken, a single subject. May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also if the draws cannot be trusted; ASIF_EZEROPR with the row of an observation that the
 * agent holds impossible; ASIF_EDOMAIN, ASIF_EINVALID, ASIF_EUNSUPPORTED, ASIF_EIO, ASIF_ENOMEM,
 * ASIF_ECANCELLED.
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
 * An agent as a fit left it: what everything that is asked afterwards starts from (identify, sensitivity,
 * outcomes, ...). All of it is borrowed.
 */
typedef struct {
    size_t struct_size;
    const asif_context *context;
    const char *planner;                         /**< name; NULL: the default */
    const asif_plan_options *solver;             /**< NULL: the defaults */
    const char *inverse;                         /**< name; NULL: the default */
    const asif_inverse_options *inverse_options; /**< what it is told; NULL: the defaults */
    const asif_setting *setting;
    const asif_theta *given;        /**< values of what is given; what is estimated has none */
    const asif_estimate_spec *spec; /**< [specs]: what is estimated */
    uint32_t specs;
    const asif_estimates *estimates; /**< of these */
    const asif_work *work;           /**< of the planner; cloned where it is used */
    const asif_tree *tree;           /**< NULL: no logs */
    const asif_draws *draws;         /**< NULL: only a maximum is known */
    const double *maximum;           /**< [reported]; NULL: none was sought */
    uint64_t seed;
    const asif_identified *identified; /**< [reported]: the verdicts of the fit; NULL: not told */
} asif_fitted;
#define ASIF_FITTED_INIT                                                                                     \
    { .struct_size = sizeof(asif_fitted) }

/** A finished fit, read back from its folder; immutable. */
typedef struct asif_result asif_result;

/**
 * Read the folder of a finished fit: its `fit.json`, study, counts and draws. What -p gave at the time of the
 * fit is given again.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the result.
 * @param folder     As `asif fit -o` wrote it; of groups, the folder of one.
 * @param problems   Those of its study are added; may be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EIO (no finished fit there), ASIF_EPARSE (files that were changed), ASIF_ENOMEM, or
 * what reading the study returned.
 *
 * Cost: that of a workspace for its planner (asif_work_create()).
 */
ASIF_API asif_status asif_result_load(asif_result **out, const asif_context *context, const char *folder,
                                      asif_problems *problems, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_result_free(asif_result *result);

/** What a folder held, borrowed. */
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
        *where; /**< [wheres]: what all episodes have that were fitted, by --by and --where */
} asif_result_view;
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_result_get(const asif_result *result, asif_result_view *view, asif_error *error);

#define ASIF_DIGEST_SIZE 65

/** What a computation depends on that can be interrupted and resumed. */
typedef struct {
    size_t struct_size;
    const char *command;             /**< "fit", "recover", "sbc" */
    const asif_study *study;         /**< counts with every file that it names: asif_study_digest() */
    const asif_theta *given;         /**< values of what is given; NULL: none but the study's */
    const asif_plan_options *solver; /**< NULL: the defaults */
    const asif_tree *logs;           /**< NULL: none are read */
    const char *options;             /**< all other options that change what comes out, as text; NULL: none */
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
 * made everything is in `DIR/.asif/new`: checkpoints, and at the end the files. When all of them are on disk
 * a manifest is written there: from that moment on the new fit counts. Then the files are copied into DIR,
 * the manifest last, and `DIR/.asif` is removed. Whoever reads or writes takes a staging folder with a
 * manifest for the folder itself. So at any moment the old fit is whole, or the new one is. DIR is locked by
 * whoever writes.
 *
 * Of groups DIR holds a folder for each, and a manifest that lists them with their keys: a group is finished
 * if its own manifest has that key.
 * @{
 */

/** Name of the file that tells what a fit found. */
#define ASIF_FIT_JSON "fit.json"

/** A group that is to be fitted. */
typedef struct {
    const char *value; /**< of the column */
    const char *key;   /**< see asif_key_make() */
} asif_folder_group;

/** What is to be written. */
typedef struct {
    size_t struct_size;
    const char *path;        /**< DIR; it is made, with those above it, if it is not there */
    const char *key;         /**< of all that the fit depends on, see asif_key_make() */
    const char *const *name; /**< files that will be written, NULL-terminated: a user's file of such a name is
                                refused. NULL: none */
    bool force; /**< replace a finished fit, when the new one is finished; begin an interrupted one anew */
    const char *by;                 /**< column of groups; NULL: one fit */
    const asif_folder_group *group; /**< [groups] */
    uint32_t groups;
} asif_folder_options;
#define ASIF_FOLDER_OPTIONS_INIT                                                                             \
    { .struct_size = sizeof(asif_folder_options) }

/** A folder of results that is being written; locked, and used by one thread at a time. */
typedef struct asif_folder asif_folder;

/** What was found in it, borrowed. */
typedef struct {
    size_t struct_size;
    const char *checkpoints; /**< folder for the checkpoints of its chains */
    bool finished;           /**< this very fit is there already: nothing is to be done */
    bool resumed;            /**< this very fit was interrupted, and there are checkpoints */
    bool completed;          /**< a fit that had been interrupted while it was put in place is now in place */
    uint32_t groups;         /**< of groups: their folders */
    const char *const *group; /**< [groups]: paths, each to be opened as a folder of its own */
} asif_folder_view;

/**
 * Lock a folder and find out whether something may be written into it. Nothing of the user's is touched.
 *
 * @param[out] out   Owned by the caller, until asif_folder_close().
 * @param context    Borrowed until then.
 * @param options    Not needed afterwards.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EINVALID (another asif writes into it; a file that is not asif's would be replaced;
 * it holds a finished fit, or an interrupted one of another key, and `force` is false); ASIF_EDOMAIN,
 * ASIF_EIO or ASIF_ENOMEM.
 *
 * Cost: files that would be replaced are read once, to see whether they were changed.
 */
ASIF_API asif_status asif_folder_open(asif_folder **out, const asif_context *context,
                                      const asif_folder_options *options, asif_error *error);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_folder_get(const asif_folder *folder, asif_folder_view *view, asif_error *error);
/** Stage a file: it is on disk when this returns, but does not count yet. @return ASIF_OK, ASIF_EDOMAIN (a
 * name with a slash, or one that begins with a dot), ASIF_EIO or ASIF_ENOMEM. */
ASIF_API asif_status asif_folder_put(asif_folder *folder, const char *name, const char *bytes,
                                     uint64_t length, asif_error *error);
/** Make all that was staged count, and put it in place; files of the old fit that the new one does not have
 * are removed. Of groups: they are all finished. @return ASIF_OK, ASIF_EINVALID (a user's file has come there
 * meanwhile), ASIF_EIO or ASIF_ENOMEM: then the old fit is whole or the new one is. */
ASIF_API asif_status asif_folder_commit(asif_folder *folder, asif_error *error);
/** Unlock and free; NULL is allowed. What was staged and not committed is removed, but for checkpoints; so is
 * a folder that was made and is empty. */
ASIF_API void asif_folder_close(asif_folder *folder);

/** One of the fits in a folder. */
typedef struct {
    const char *name;  /**< of its folder inside; "." if it is the folder itself */
    const char *value; /**< of a group; "" else */
    const char *path;  /**< of its folder */
    bool finished;
} asif_fits_one;

/** The fits in a folder; immutable. */
typedef struct asif_fits asif_fits;

/** What there is, borrowed. */
typedef struct {
    size_t struct_size;
    bool grouped;   /**< fits of groups */
    bool listed;    /**< there is a manifest */
    bool begun;     /**< something was begun there and is not finished, or is being made at this moment */
    const char *by; /**< column of the groups; NULL: not known */
    uint32_t fits, finished;
    const asif_fits_one *fit; /**< [fits], groups in the order in which they are shown; of groups also those
                                 that are not finished */
    uint32_t files;
    const char *const *file; /**< [files]: paths of all files that are the fits', manifests among them */
} asif_fits_view;

/** Look what fits are in a folder. A folder without a manifest, as version 0.1 wrote it, is understood as
 * well.
 * @param[out] out Owned by the caller. @return ASIF_OK, also if there are none or there is no such folder;
 * ASIF_EIO, ASIF_ENOFILE or ASIF_ENOMEM. */
ASIF_API asif_status asif_fits_find(asif_fits **out, const asif_context *context, const char *path,
                                    asif_error *error);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_fits_get(const asif_fits *fits, asif_fits_view *view, asif_error *error);
/** Whether one of them is finished. @param folder Its name. @param grouped Groups are wanted, as the hint
 * then says. @param problems Groups that are not finished become a note; may be NULL. @return ASIF_OK or
 * ASIF_EINVALID. */
ASIF_API asif_status asif_fits_check(const asif_fits *fits, const char *folder, bool grouped,
                                     asif_problems *problems, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_fits_free(asif_fits *fits);

/** The bytes of a file of a fit, from wherever it is at this moment. @param[out] out Owned by the caller
 * (asif_memory_free()), with a 0 after them. @return ASIF_OK, ASIF_ENOFILE, ASIF_EIO or ASIF_ENOMEM. */
ASIF_API asif_status asif_fit_read(char **out, uint64_t *length, const asif_context *context,
                                   const char *folder, const char *name, asif_error *error);
/** @} */

/** What is fitted, and how. All of it is borrowed for the life of the fit. */
typedef struct {
    size_t struct_size;
    const asif_study *study;
    const asif_tree *logs; /**< with the labels of the study: asif_tree_by_subject(), or episodes if pairs and
                              the like need them */
    const asif_theta *given;         /**< the study's values, and others that are given; NULL: the study's */
    const asif_plan_options *solver; /**< NULL: the study's */
    const asif_fit_options *how; /**< method, sampler and starts; its inverse and clusters are not read. NULL:
                                    the defaults of NUTS */
    const asif_tree *clusters;   /**< see ::asif_fit_options */
    const asif_work *work;  /**< of the planner, with this solver, where several fits share one; NULL: it is
                               made. Not used where the fit chooses the resolution */
    bool no_sensitivity;    /**< leave out the short sensitivity */
    bool partial;           /**< the logs are a part: pairs may be about other episodes */
    const char *by, *value; /**< column and value of the group that is fitted; NULL: not a group */
    const char *const
        *where;              /**< "COLUMN=VALUE" that the logs were limited to, NULL-terminated; NULL: none */
    const char *people;      /**< digest of asif_tree_by_subject(); NULL: not known */
    const asif_log_map *map; /**< columns that the logs were read by; NULL: not known */
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

/** All that `asif fit` finds; immutable. */
typedef struct asif_whole_fit asif_whole_fit;

/**
 * Fit: find the maximum, draw, judge, and answer in short what is asked of every fit: what comes of acting
 * so, what the fitted agent misses (predictive checks), and what depends on the assumptions (sensitivity).
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the fit.
 * @param request    Copied; what it points to is borrowed for the life of the fit.
 * @param folder     Of asif_fit_open(): chains are saved there, and resumed from there. NULL: they are not
 * saved.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also if the draws cannot be trusted, and if one of the answers is not to be had; what
 * asif_fit_estimate(), asif_work_create() and asif_estimates_scaled() return.
 */
ASIF_API asif_status asif_fit_run(asif_whole_fit **out, const asif_context *context,
                                  const asif_fit_request *request, const asif_folder *folder,
                                  asif_error *error);
/** Its numbers, borrowed. */
ASIF_API const asif_fit *asif_whole_fit_numbers(const asif_whole_fit *fit);
/** All of it as the text of `fit.json`. @param[out] out Owned by the caller (asif_memory_free()). */
ASIF_API asif_status asif_whole_fit_json(char **out, const asif_whole_fit *fit, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_whole_fit_free(asif_whole_fit *fit);

/** Where a fit comes from, for `run.json`. */
typedef struct {
    size_t struct_size;
    const char *const *word; /**< [words]: the command */
    uint32_t words;
    const char *study, *logs; /**< files; NULL: not known */
} asif_fit_origin;
#define ASIF_FIT_ORIGIN_INIT                                                                                 \
    { .struct_size = sizeof(asif_fit_origin) }

/**
 * Write all files of a fit (study, the files that it names, counts, chains, `run.json`, `fit.json`, manifest)
 * and put them in place together.
 *
 * @param fit        Of asif_fit_run().
 * @param folder     Of asif_fit_open() for the same request; to be closed by the caller afterwards.
 * @param origin     NULL: not known.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EINVALID (a file that the study names was changed meanwhile, or a user's file has
 * come into the folder), ASIF_EIO, ASIF_ENOFILE, ASIF_ENOMEM: then the old fit is whole or the new one is.
 */
ASIF_API asif_status asif_fit_save(const asif_whole_fit *fit, asif_folder *folder,
                                   const asif_fit_origin *origin, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
