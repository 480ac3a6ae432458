/**
 * @file
 * How faithful a model of behaviour is: the projection F after G of logs, on decisions that it has not seen,
 * between the floor of acting at random and what counts alone (behavioural cloning) can do.
 */
#ifndef ASIF_HELD_OUT_H
#define ASIF_HELD_OUT_H

#include "asif/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model: a planner, an inverse planner, what is given and what is estimated; all borrowed. */
typedef struct {
    size_t struct_size;
    const char *name;
    const char *planner;             /**< NULL: the default */
    const asif_plan_options *solver; /**< NULL: the defaults */
    const char *inverse;             /**< NULL: the default */
    const asif_inverse_options *inverse_options;
    const asif_theta *given;
    const asif_estimate_spec *spec; /**< [specs]; none: everything is given */
    uint32_t specs;
} asif_held_out_model;
#define ASIF_HELD_OUT_MODEL_INIT                                                                             \
    { .struct_size = sizeof(asif_held_out_model) }

/** How to measure. */
typedef struct {
    size_t struct_size;
    uint32_t folds;  /**< parts of the units, each held out once; default 5 */
    uint64_t seed;   /**< of the parts, and of the searches */
    uint32_t starts; /**< of each search; 0: as a fit has them */
    bool whole;      /**< fit all of the logs too: the projection itself */
} asif_held_out_options;
#define ASIF_HELD_OUT_OPTIONS_INIT                                                                           \
    { .struct_size = sizeof(asif_held_out_options), .folds = 5 }

/** What decisions say of a policy; all but the first two are averages over decisions. */
typedef struct {
    double decisions;      /**< their weight */
    double log_likelihood; /**< in nats, of all decisions; -inf: an action was taken that the model never
                              takes */
    double error;          /**< standard error of the log-likelihood for this many decisions, over units */
    double accuracy;       /**< how often the most probable action was the one taken; ties share */
    double brier; /**< squared distance between probabilities and what was done, summed over actions */
    double
        precision; /**< average precision (area under precision-recall), mean over actions that were taken */
    /** Distance of discounted occupancies, from 0 to 1: of (state, action) in the environment, or of
     * (history, action). */
    double occupancy;
} asif_held_out_measures;

/** Decisions at which the probability of an action was predicted to lie in a bin. */
typedef struct {
    double low, high; /**< the bin, without its lower end */
    double predicted; /**< mean of the predictions */
    double decisions; /**< their weight */
    double taken;     /**< weight of those at which the action was taken */
} asif_held_out_bin;

/** If all decisions at which the prediction is at least a threshold were called the action. */
typedef struct {
    double threshold;
    double precision; /**< share of the called that are right */
    double recall;    /**< share of those at which the action was taken that are called */
    double called;    /**< their weight */
} asif_held_out_point;

/** How an action was predicted. */
typedef struct {
    const char *action;      /**< its label */
    double decisions, taken; /**< weight of all, and of those at which it was taken */
    double precision;        /**< average precision; NaN: it was never taken */
    uint32_t bins, points;
    const asif_held_out_bin
        *bin; /**< [bins]: tenths, put together so that each has decisions of a weight of 20 */
    /** [points]: falling thresholds, of more than 100 about one for each percent of recall; none if it was
     * never taken */
    const asif_held_out_point *point;
} asif_held_out_curve;

/** One model, or one of the two that every model is seen between. */
typedef struct {
    const char *name;              /**< "uniform", the models' own, "behavioural cloning" */
    const char *planner, *inverse; /**< NULL of the two */
    asif_held_out_measures held_out;
    bool has_whole;
    asif_held_out_measures whole; /**< on the logs that it was fitted to */
    uint32_t parameters;          /**< of the fit to all of the logs */
    const char *const *parameter;
    const double *value;
    const double *policy;             /**< [nodes][actions] of the fit to all of the logs; NULL: none */
    uint32_t curves;                  /**< actions */
    const asif_held_out_curve *curve; /**< [curves], of held-out decisions */
} asif_held_out_row;

/** What was found; immutable. */
typedef struct asif_held_out asif_held_out;

/**
 * Measure models on the same parts of the same logs.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the result, as are the models and the tree.
 * @param model      [models].
 * @param models     At least 1.
 * @param tree       With units: subjects, or episodes where the inverse planner is told something of each.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (a tree without units, or with fewer than folds; other labels),
 * ASIF_EUNSUPPORTED (a pair that does not go together) or what a fit returned.
 *
 * Cost: folds (and one) fits of every model.
 */
ASIF_API asif_status asif_held_out_run(asif_held_out **out, const asif_context *context,
                                       const asif_held_out_model *model, uint32_t models,
                                       const asif_tree *tree, const asif_held_out_options *options,
                                       asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_held_out_free(asif_held_out *faith);
/** The i-th row: uniform, the models, behavioural cloning; NULL past the last. */
ASIF_API const asif_held_out_row *asif_held_out_get(const asif_held_out *faith, uint32_t i);
/** All of it as JSON. @param[out] out Freed with asif_memory_free(). */
ASIF_API asif_status asif_held_out_json(char **out, const asif_held_out *faith, asif_error *error);
/** The behaviours at every history (or state) of the logs, as CSV: what was done, and what each model does.
 * @param[out] out Freed with asif_memory_free(). */
ASIF_API asif_status asif_held_out_csv(char **out, const asif_held_out *faith, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
