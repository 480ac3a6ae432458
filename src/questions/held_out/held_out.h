/* Comparison of models by their predictions of held-out decisions. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_H

#include "asif/people.h"
#include "questions/held_out/rivals/rival.h"
#include "questions/question.h"

/* A model: a planner, an inverse planner, fixed values, and the parameters to estimate; all borrowed. */
typedef struct asif_held_out_model {
    size_t struct_size;
    const char *name;
    const char *planner;             /* NULL: the default */
    const asif_plan_options *solver; /* NULL: the defaults */
    const char *inverse;             /* NULL: the default */
    const asif_inverse_options *inverse_options;
    const asif_theta *given;
    const asif_estimate_spec *spec; /* [specs]: parameters to estimate; none: nothing is estimated */
    uint32_t specs;
    /* Make the model whose dynamics are learnt from a training part. What it borrows outlives the comparison.
     * NULL: its dynamics are known. */
    asif_status (*relearn)(struct asif_held_out_model *out, void *user, const asif_tree *tree,
                           asif_error *error);
    void *user;
    const asif_people_effect *effect; /* [effects]: covariates of its population, as the next */
    uint32_t effects, kinds;
} asif_held_out_model;
#define ASIF_HELD_OUT_MODEL_INIT                                                                             \
    { .struct_size = sizeof(asif_held_out_model) }

/* Options of the comparison. */
typedef struct {
    size_t struct_size;
    uint32_t folds;  /* parts of the units, each held out once; default 5 */
    uint64_t seed;   /* seed of the parts and of the searches */
    uint32_t starts; /* starts of each search; 0: as in a fit */
    bool whole;      /* also fit all of the logs: this is the projection */
    /* [units]: ranks by which units are divided into contiguous parts; NULL: into random parts. Borrowed. */
    const uint64_t *rank;
    uint32_t positive;  /* action whose predictions are scored; ASIF_ANY: none */
    uint32_t from_step; /* also score the decisions from this one of an episode on; at most 1: only all */
    uint32_t rivals;
    const asif_rival *const *rival; /* [rivals]: predictions without a model, to compare with. Borrowed. */
    /* Dynamics that rivals with beliefs learn; NULL: those of the first model are known. Borrowed. */
    const asif_dynamics_spec *dynamics;
    bool people; /* also predict by populations of people who differ; units are subjects */
} asif_held_out_options;
#define ASIF_HELD_OUT_OPTIONS_INIT                                                                           \
    { .struct_size = sizeof(asif_held_out_options), .folds = 5, .positive = ASIF_ANY }

/* Measures of a policy's predictions; all but the first three are averages over decisions. */
typedef struct {
    double decisions;      /* weight of the decisions */
    double log_likelihood; /* in nats, of all decisions; -inf: an action taken has probability 0 */
    double error;          /* standard error of the log-likelihood of all decisions, over units */
    double accuracy;       /* how often the most probable action was the one taken; ties share */
    /* Squared distance between probabilities and actions taken, summed over actions. */
    double brier;
    double precision; /* average precision (area under precision-recall), mean over actions that were taken */
    /* Distance between discounted occupancies, from 0 to 1: of (state, action) in the environment, or of
     * (history, action). */
    double occupancy;
} asif_held_out_measures;

/* Decisions at which the predicted probability of an action lies in a bin. */
typedef struct {
    double low, high; /* limits of the bin; `low` is excluded */
    double predicted; /* mean prediction */
    double decisions; /* weight of the decisions */
    double taken;     /* weight of those at which the action was taken */
} asif_held_out_bin;

/* A point of the precision-recall curve: the action is predicted where its probability is at least a
 * threshold. */
typedef struct {
    double threshold;
    double precision; /* share of these predictions that are right */
    double recall;    /* share of the decisions with this action that are predicted */
    double called;    /* weight of the predictions */
} asif_held_out_point;

/* How well an action was predicted. */
typedef struct {
    const char *action;      /* label of the action */
    double decisions, taken; /* weight of all decisions, and of those at which it was taken */
    double precision;        /* average precision; NaN: it was never taken */
    uint32_t bins, points;
    /* [bins]: tenths, merged so that each has decisions with a weight of at least 20. */
    const asif_held_out_bin *bin;
    /* [points]: with falling thresholds; more than 100 are thinned to about one for each percent of recall.
     * None if the action was never taken. */
    const asif_held_out_point *point;
} asif_held_out_curve;

/* Scores of the predictions of one action, the positive class, against all others. Errors are standard errors
 * over units. The last three rank decisions within a fold: they are means over the folds with and without the
 * action; NaN: there is none. */
typedef struct {
    double decisions, rate;    /* weight of the decisions, and share of them with this action */
    double brier, brier_error; /* mean of (p - y)^2 */
    double loss, loss_error;   /* mean of -log of the probability of what was done; inf: it was 0 */
    double auroc;              /* area under the ROC curve; ties count one half */
    double precision;          /* average precision: area under precision-recall, in steps of recall */
    double trapezoid;          /* the same area by trapezoids, from recall 0 and precision 1 */
    double constant_trapezoid; /* what a constant prediction has there: (1 + rate) / 2 */
} asif_held_out_scores;

/* How much better or worse one row predicts than another: means over decisions, with standard errors over
 * units. Below 0: `row` predicts better. NaN: a loss is not finite. */
typedef struct {
    uint32_t row, reference;
    double brier, brier_error, loss, loss_error;
} asif_held_out_difference;

/* Predictions of units by a population that is fitted to the units of the other folds. */
typedef struct {
    double log_likelihood, error;        /* of all decisions, with its standard error over units */
    double difference, difference_error; /* from one agent for all: above 0, the population predicts better */
    bool compared;                       /* there is a study before it that has a population, too: */
    double ahead, ahead_error;           /* the same, from the population of the first of them */
    uint32_t refused;    /* folds in which no population was found: the numbers above are NaN */
    uint64_t inaccurate; /* units whose probability is not accurate */
} asif_held_out_people;

#define ASIF_HELD_OUT_SCORED 2 /* all decisions, and those from `from_step` on */

/* One model, or a rival; uniform and behavioural cloning are always there. */
typedef struct {
    const char *name;              /* name of the model or rival */
    const char *planner, *inverse; /* NULL for rivals */
    bool relearnt;                 /* its dynamics were learnt from each training part */
    asif_held_out_measures held_out;
    bool has_people;
    asif_held_out_people people;
    bool has_whole;
    asif_held_out_measures whole; /* measures on the logs to which it was fitted */
    uint32_t parameters;          /* number of estimates from all of the logs */
    const char *const *parameter;
    const double *value;
    /* [nodes][actions]: policy of the fit to all of the logs; NULL: none. */
    const double *policy;
    uint32_t curves;                  /* number of actions */
    const asif_held_out_curve *curve; /* [curves]: of held-out decisions */
    asif_held_out_scores scores[ASIF_HELD_OUT_SCORED];
} asif_held_out_row;

/* The result of a comparison; immutable. */
typedef struct asif_held_out asif_held_out;

/*
 * Measure models on the same parts of the same logs.
 *
 * @param out   Owned by the caller.
 * @param context    Borrowed for the life of the result, as are the models and the tree.
 * @param model      [models].
 * @param models     At least 1.
 * @param tree       With units: subjects, or episodes where the inverse planner uses data of each.
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
/* The i-th row: uniform, the models, the rivals, behavioural cloning; NULL if there is none. */
const asif_held_out_row *asif_held_out_get(const asif_held_out *faith, uint32_t i);
/* Write everything as JSON. @param out Freed with asif_memory_free(). */
asif_status asif_held_out_json(char **out, const asif_held_out *faith, asif_error *error);
/* Write the behaviours at every history (or state) of the logs as CSV: the actions taken, and the policy of
 * each model. @param out Freed with asif_memory_free(). */
asif_status asif_held_out_csv(char **out, const asif_held_out *faith, asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_held_out;

/* Decisions with which policies are compared. */
typedef struct {
    const asif_context *context;
    const asif_tree *tree;
    const asif_setting *setting;
    const double *count;  /* [nodes][actions]: counts of these decisions */
    const bool *held_out; /* [units]: units of these decisions; NULL: all */
} asif_held_out_view;

/* ---- held_out_measures.c ---- */
/* Add the measures of one part of the decisions to the sums. `policy` is [nodes][actions]; by_unit [units]
 * gets the log-likelihoods of the units. */
typedef struct {
    double decisions, log_likelihood, right, brier;
    double distance; /* distance between occupancies, weighted by decisions */
    double *by_unit;
} asif_held_out_sum;
void asif_held_out_add(asif_held_out_sum *sum, const asif_held_out_view *view, const double *policy,
                       double distance);

/* The sum over units of by_unit [units], minus that of `minus` unless it is NULL, and its standard error.
 * Deviations are from the mean per decision times the decisions of a unit, because units differ in their
 * number of decisions. */
double asif_held_out_total(double *standard_error, const asif_tree_view *tree, const double *by_unit,
                           const double *minus);

/* ---- held_out_curves.c ---- */
/* Predictions and decisions, both [parts][nodes][actions]. */
typedef struct {
    uint64_t parts, nodes;
    uint32_t actions;
    double *const *policy, *const *count;
} asif_held_out_parts;
/* Decisions with the same predicted probability of an action. */
typedef struct {
    double score, taken, all; /* the probability, and the weights of decisions with the action and of all */
} asif_prediction;
/* Collect the predictions of an action at all decisions, with falling scores; those that differ by rounding
 * only are one. @param out [parts * nodes]. @return How many there are. */
uint64_t asif_held_out_gather(asif_prediction *out, const asif_held_out_parts *parts, uint32_t action);
/* Compute the average precision, as the mean over actions that were taken. ASIF_ENOMEM. */
asif_status asif_held_out_precision(double *out, const asif_context *context,
                                    const asif_held_out_parts *parts, asif_error *error);
/* Make the curves of all actions: `*out` [actions], each with arrays of its own. ASIF_ENOMEM. */
asif_status asif_held_out_curves(asif_held_out_curve **out, const asif_context *context,
                                 const asif_tree *tree, const asif_held_out_parts *parts, asif_error *error);
void asif_held_out_curves_free(const asif_context *context, const asif_held_out_curve *curves,
                               uint32_t count);

/* ---- held_out_people.c ---- */
/* A fold, and the model of which a population is fitted to the rest. */
typedef struct {
    const asif_context *context;
    const asif_work *work;
    const asif_estimates *estimates;
    const asif_held_out_model *model;
    const asif_tree *rest, *held_out; /* with units and their covariates */
    uint64_t seed;
} asif_held_out_fold;
/* Fit a population to the rest; `log_likelihood` [units of `held_out`] gets that of each held-out unit,
 * unless the population was refused. */
asif_status asif_held_out_predict_people(asif_held_out_people *out, double *log_likelihood,
                                         const asif_held_out_fold *fold, asif_error *error);
/* Sum up over all units: by_unit [units] of the population, of one agent, and of the population of the first
 * study, `first`; NULL: it is the first. */
void asif_held_out_sum_people(asif_held_out_people *out, const asif_tree_view *tree, const double *by_unit,
                              const double *one_agent, const asif_held_out_people *first,
                              const double *by_unit_of_first);

/* ---- held_out_occupancy.c ---- */
/* Compute the distance between the discounted occupancies of these decisions and of a policy: at the nodes
 * [nodes][actions] and, where states are seen, at all states [states][actions]. */
asif_status asif_held_out_distance(double *out, const asif_held_out_view *view, const double *policy,
                                   const double *by_state, asif_error *error);

/* ---- held_out_scores.c ---- */
/* Scores of the predictions of one action in the parts of the logs. */
typedef struct {
    const asif_context *context;
    const asif_tree *tree;
    asif_held_out_parts parts; /* the predictions of one row */
    const uint32_t *fold;      /* [units]: the part of each unit */
    const uint32_t *step;      /* [nodes]: decisions before the node; NULL: unknown, all count */
    uint32_t positive, from_step;
} asif_held_out_scoring;
/* The sums of a unit, of which scores are means. */
typedef struct {
    double decisions, taken, brier, loss;
} asif_held_out_unit_sum;
/* Compute the scores of a row, and the sums of its units [units]. ASIF_ENOMEM. */
asif_status asif_held_out_score(asif_held_out_scores *out, asif_held_out_unit_sum *by_unit,
                                const asif_held_out_scoring *scoring, asif_error *error);
/* Compare the sums of two rows, [units] each; sets all but the numbers of the rows. */
void asif_held_out_compare(asif_held_out_difference *out, const asif_held_out_unit_sum *a,
                           const asif_held_out_unit_sum *b, uint64_t units);

struct asif_held_out {
    const asif_context *context;
    const asif_tree *tree;
    asif_held_out_options options;
    uint64_t units;
    uint32_t rows;
    asif_held_out_row *row; /* owns all its arrays */
    uint32_t scored;        /* number of `scores` of each row: 0, 1 or ASIF_HELD_OUT_SCORED */
    uint32_t differences;   /* pairs of rows */
    asif_held_out_difference *difference[ASIF_HELD_OUT_SCORED]; /* [differences] */
};

#endif
