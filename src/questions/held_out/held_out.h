/* The inside of a comparison of models by what they predict. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_H

#include "questions/question.h"

/* A model: a planner, an inverse planner, fixed values, and what is estimated; all borrowed. */
typedef struct {
    size_t struct_size;
    const char *name;
    const char *planner;             /* NULL: the default */
    const asif_plan_options *solver; /* NULL: the defaults */
    const char *inverse;             /* NULL: the default */
    const asif_inverse_options *inverse_options;
    const asif_theta *given;
    const asif_estimate_spec *spec; /* [specs]; none: nothing is estimated */
    uint32_t specs;
} asif_held_out_model;
#define ASIF_HELD_OUT_MODEL_INIT                                                                             \
    { .struct_size = sizeof(asif_held_out_model) }

/* How to measure. */
typedef struct {
    size_t struct_size;
    uint32_t folds;  /* parts of the units, each held out once; default 5 */
    uint64_t seed;   /* of the parts, and of the searches */
    uint32_t starts; /* of each search; 0: as a fit has them */
    bool whole;      /* fit all of the logs too: the projection itself */
} asif_held_out_options;
#define ASIF_HELD_OUT_OPTIONS_INIT                                                                           \
    { .struct_size = sizeof(asif_held_out_options), .folds = 5 }

/* What decisions say of a policy; all but the first two are averages over decisions. */
typedef struct {
    double decisions;      /* their weight */
    double log_likelihood; /* in nats, of all decisions; -inf: an action was taken that the model never
                              takes */
    double error;          /* standard error of the log-likelihood for this many decisions, over units */
    double accuracy;       /* how often the most probable action was the one taken; ties share */
    double brier;          /* squared distance between probabilities and what was done, summed over actions */
    double precision; /* average precision (area under precision-recall), mean over actions that were taken */
    /* Distance of discounted occupancies, from 0 to 1: of (state, action) in the environment, or of
     * (history, action). */
    double occupancy;
} asif_held_out_measures;

/* Decisions at which the probability of an action was predicted to lie in a bin. */
typedef struct {
    double low, high; /* the bin, without its lower end */
    double predicted; /* mean of the predictions */
    double decisions; /* their weight */
    double taken;     /* weight of those at which the action was taken */
} asif_held_out_bin;

/* If all decisions at which the prediction is at least a threshold were called the action. */
typedef struct {
    double threshold;
    double precision; /* share of the called that are right */
    double recall;    /* share of those at which the action was taken that are called */
    double called;    /* their weight */
} asif_held_out_point;

/* How an action was predicted. */
typedef struct {
    const char *action;      /* its label */
    double decisions, taken; /* weight of all, and of those at which it was taken */
    double precision;        /* average precision; NaN: it was never taken */
    uint32_t bins, points;
    const asif_held_out_bin
        *bin; /* [bins]: tenths, put together so that each has decisions of a weight of 20 */
    /* [points]: falling thresholds, of more than 100 about one for each percent of recall; none if it was
     * never taken */
    const asif_held_out_point *point;
} asif_held_out_curve;

/* One model, or one of the two that every model is seen between. */
typedef struct {
    const char *name;              /* "uniform", the models' own, "behavioural cloning" */
    const char *planner, *inverse; /* NULL of the two */
    asif_held_out_measures held_out;
    bool has_whole;
    asif_held_out_measures whole; /* on the logs that it was fitted to */
    uint32_t parameters;          /* of the fit to all of the logs */
    const char *const *parameter;
    const double *value;
    const double *policy;             /* [nodes][actions] of the fit to all of the logs; NULL: none */
    uint32_t curves;                  /* actions */
    const asif_held_out_curve *curve; /* [curves], of held-out decisions */
} asif_held_out_row;

/* What was found; immutable. */
typedef struct asif_held_out asif_held_out;

/*
 * Measure models on the same parts of the same logs.
 *
 * @param out   Owned by the caller.
 * @param context    Borrowed for the life of the result, as are the models and the tree.
 * @param model      [models].
 * @param models     At least 1.
 * @param tree       With units: subjects, or episodes where the inverse planner is told something of each.
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (a tree without units, or with fewer than folds; other labels),
 * ASIF_EUNSUPPORTED (a pair that does not go together) or what a fit returned.
 *
 * Cost: folds (and one) fits of every model.
 */
asif_status asif_held_out_run(asif_held_out **out, const asif_context *context,
                              const asif_held_out_model *model, uint32_t models, const asif_tree *tree,
                              const asif_held_out_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_held_out_free(asif_held_out *faith);
/* The i-th row: uniform, the models, behavioural cloning; NULL past the last. */
const asif_held_out_row *asif_held_out_get(const asif_held_out *faith, uint32_t i);
/* All of it as JSON. @param out Freed with asif_memory_free(). */
asif_status asif_held_out_json(char **out, const asif_held_out *faith, asif_error *error);
/* The behaviours at every history (or state) of the logs, as CSV: what was done, and what each model does.
 * @param out Freed with asif_memory_free(). */
asif_status asif_held_out_csv(char **out, const asif_held_out *faith, asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_held_out;

/* The held-out decisions, to be compared with policies. */
typedef struct {
    const asif_context *context;
    const asif_tree *tree;
    const asif_setting *setting;
    const double *count;  /* [nodes][actions] of the decisions that are looked at */
    const bool *held_out; /* [units]: of whom these are; NULL: of all */
} asif_held_out_view;

/* ---- held_out_measures.c ---- */
/* Add what one part of the decisions says. `policy` [nodes][actions]; by_unit [units] gets the
 * log-likelihoods of its units. */
typedef struct {
    double decisions, log_likelihood, right, brier;
    double distance; /* of occupancies, weighted by decisions */
    double *by_unit;
} asif_held_out_sum;
void asif_held_out_add(asif_held_out_sum *sum, const asif_held_out_view *view, const double *policy,
                       double distance);

/* ---- held_out_curves.c ---- */
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

/* ---- held_out_occupancy.c ---- */
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
