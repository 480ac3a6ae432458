/* Comparison of models by their predictions of units that are left out. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_MODELS_COMPARE_MODELS_H
#define ASIF_SRC_QUESTIONS_COMPARE_MODELS_COMPARE_MODELS_H

#include "questions/compare/models/pointwise.h"
#include "questions/question.h"

/* ---- the comparison ---- */

/* A model: a fit or a table. Everything is borrowed. */
typedef struct {
    size_t struct_size;
    const char *name;
    const asif_fitted *fitted; /* fit, with draws; NULL: a table */
    bool trusted;              /* whether its draws can be trusted; ignored for a table */
    const asif_pointwise *table;
} asif_compare_models_model;
#define ASIF_COMPARE_MODELS_MODEL_INIT                                                                       \
    { .struct_size = sizeof(asif_compare_models_model) }

/* Options of the comparison. */
typedef struct {
    size_t struct_size;
    const bool *chosen; /* [units of the logs]: units that count; NULL: all */
    const char *unit;   /* name of a unit: "subject", "episode"; NULL: "unit" */
    bool independent;   /* whether draws count as independent: the relative efficiency is 1 */
    /* Also predict later decisions, from this many first ones of each episode; 0: do not. */
    uint32_t future;
    uint64_t seed; /* seed of the draws that these predictions need */
    bool keep;     /* whether to keep the log-likelihoods, for asif_compare_models_draws_csv() */
} asif_compare_models_options;
#define ASIF_COMPARE_MODELS_OPTIONS_INIT                                                                     \
    { .struct_size = sizeof(asif_compare_models_options) }

/* The comparison; immutable. */
typedef struct asif_compare_models asif_compare_models;

/*
 * Compare models of the same logs by the expected log predictive density of a unit that is left out
 * (PSIS-LOO) and, if requested, of later decisions given earlier ones (leave-future-out, with refits if
 * importance weights do not suffice).
 *
 * @param out   Owned by the caller.
 * @param context    Borrowed for the life of the comparison, as are `logs` and the names of the models.
 * @param logs       With units. Every fit must be of these logs (those that are chosen).
 * @param model      [models].
 * @param models     At least 1.
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return ASIF_OK; ASIF_EINVALID (a fit of other logs; a table of other units; logs without units, or with
 * fewer than 2); ASIF_EUNSET (a fit without draws); ASIF_EDOMAIN (a likelihood that is not finite; no later
 * decisions); ASIF_EUNSUPPORTED (later decisions where their order is not known); ASIF_ENOMEM,
 * ASIF_ECANCELLED, or what solving returned.
 *
 * The result has the same bits for any number of threads. Cost: a solution and a walk down the tree for every
 * draw of every fit; for later decisions as many again for every step, and about 6,000 for every refit.
 *
 * Vehtari, Gelman and Gabry (2017); Bürkner, Gabry and Vehtari (2020) for later decisions.
 */
asif_status asif_compare_models_run(asif_compare_models **out, const asif_context *context,
                                    const asif_tree *logs, const asif_compare_models_model *model,
                                    uint32_t models, const asif_compare_models_options *options,
                                    asif_error *error);
/* Free; NULL is allowed. */
void asif_compare_models_free(asif_compare_models *compare);

/* The verdict on the difference from the best model. */
typedef enum {
    ASIF_PREDICTS_BEST,
    ASIF_PREDICTS_THE_SAME, /* within 4 nats, or within 2 standard errors */
    ASIF_PREDICTS_WORSE
} asif_predicts;
/* The verdict in words: "best", "about the same" or "worse". */
const char *asif_predicts_text(asif_predicts predicts);

/* How well a model predicts, as a sum over units. */
typedef struct {
    const double *by_unit; /* [units] */
    double elpd, se;
    double difference, difference_se; /* from the best model, unit by unit; 0 for the best itself */
    asif_predicts predicts;
} asif_score;

/* The results of one model. */
typedef struct {
    const char *name;
    asif_score loo;
    double p, p_se;   /* effective number of parameters; NaN: not in the table */
    const double *k;  /* [units]; NaN: not known; -inf: all draws are equal */
    double threshold; /* threshold of k; NaN: not known */
    /* Units with k below and above the threshold, and units for which all draws are equal. */
    uint64_t below, above, constant;
    uint64_t worst;    /* unit with the largest k; UINT64_MAX: not known */
    asif_score future; /* by_unit NULL: not requested, or a table */
    uint32_t refits;   /* number of refits for later decisions, including the first fit */
    double worst_rhat; /* largest R-hat of these refits */
} asif_compare_models_row;

/* A view of the comparison, borrowed. */
typedef struct {
    size_t struct_size;
    uint64_t units;
    uint32_t models;
    const asif_compare_models_row *row; /* [models], in the order of the call */
    const uint32_t *order;              /* [models]: indices, the best first */
    /* Steps of the later decisions that were predicted, from 0; both 0: none. */
    uint32_t first_step, last_step;
    double predicted; /* number of these decisions */
} asif_compare_models_view;
/* Fill a view. @param view Its struct_size must be set. */
asif_status asif_compare_models_get(const asif_compare_models *compare, asif_compare_models_view *view,
                                    asif_error *error);

/* Write everything as JSON, without names of units. @param out Text, owned by the caller
 * (asif_memory_free()). */
asif_status asif_compare_models_json(char **out, const asif_compare_models *compare, asif_error *error);
/* Write a row for each model and unit as CSV: model, unit (its name), elpd_loo, p_loo, k, and elpd_future if
 * it was requested. The caller owns `*out`. */
asif_status asif_compare_models_csv(char **out, const asif_compare_models *compare, asif_error *error);
/* Write the log-likelihoods of a fit as CSV, with a row for each draw: .chain, and a column for each unit,
 * with its name; asif_pointwise_read() reads them. Needs `keep` in the options. @return ASIF_OK, ASIF_EUNSET
 * (a table, or they were not kept), ASIF_EDOMAIN (no such model) or ASIF_ENOMEM. */
asif_status asif_compare_models_draws_csv(char **out, const asif_compare_models *compare, uint32_t model,
                                          asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_compare_models;

/* The numbers kept of one model. */
typedef struct {
    const asif_compare_models_model *model; /* valid during asif_compare_models_run() */
    char *name;
    bool table, trusted, given; /* given: a table of elpd */
    uint32_t chains;
    uint64_t draws;       /* draws of a chain */
    double *elpd, *p, *k; /* [units] */
    double *future;       /* [units]; NULL: not requested */
    double *value;        /* [kinds][chains][draws]; NULL: not kept */
    double efficiency;    /* smallest relative efficiency of a unit; NaN: not known */
    double worst_rhat;    /* largest R-hat of refits */
    double worst_weights; /* largest Pareto shape with which later decisions were predicted */
    uint32_t refits;
} asif_compared;

struct asif_compare_models {
    const asif_context *context;
    asif_compare_models_options options;
    asif_units units;
    uint32_t models;
    asif_compared *model;
    asif_compare_models_row *row;
    uint32_t *order;
    uint32_t *step; /* [nodes of the units' tree]: decisions before each node; NULL: not requested */
    uint32_t first_step, last_step;
    double predicted;
    asif_compare_models_view view;
};

/* ---- compare_models_loo.c ---- */
/* Fill elpd, p and k of a model. Fails as asif_compare_models_run() does. */
asif_status asif_compare_models_loo(asif_compare_models *compare, asif_compared *model, asif_error *error);

/* ---- compare_models_future.c ---- */
/* Number the decisions, and choose the steps that are predicted. ASIF_EUNSUPPORTED if the order of decisions
 * is not known; ASIF_EDOMAIN if there are none. */
asif_status asif_compare_models_steps(asif_compare_models *compare, asif_error *error);
/* Fill `future` of a model that is a fit. Cost: a solution for every draw and step, and about 6,000 for a
 * refit. */
asif_status asif_compare_models_future(asif_compare_models *compare, asif_compared *model, asif_error *error);

#endif
