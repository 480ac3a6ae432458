/* The inside of a comparison, and the pieces that make it. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_MODELS_COMPARE_MODELS_H
#define ASIF_SRC_QUESTIONS_COMPARE_MODELS_COMPARE_MODELS_H

#include "questions/compare/models/pointwise.h"
#include "questions/question.h"

/* ---- the comparison ---- */

/* A model that competes: a fit or a table. All of it is borrowed. */
typedef struct {
    size_t struct_size;
    const char *name;
    const asif_fitted *fitted; /* with draws; NULL: a table */
    bool trusted;              /* whether its draws can be trusted; of a table not asked for */
    const asif_pointwise *table;
} asif_compare_models_model;
#define ASIF_COMPARE_MODELS_MODEL_INIT                                                                       \
    { .struct_size = sizeof(asif_compare_models_model) }

/* How models are compared. */
typedef struct {
    size_t struct_size;
    const bool *chosen; /* [units of the logs]: those that count; NULL: all */
    const char *unit;   /* what a unit is called: "subject", "episode"; NULL: "unit" */
    bool independent;   /* draws count as independent: the relative efficiency is 1 */
    uint32_t future;    /* also predict later decisions, given this many of each episode at first; 0: not */
    uint64_t seed;      /* of the draws that this takes */
    bool keep;          /* keep the log-likelihoods, for asif_compare_models_draws_csv() */
} asif_compare_models_options;
#define ASIF_COMPARE_MODELS_OPTIONS_INIT                                                                     \
    { .struct_size = sizeof(asif_compare_models_options) }

/* A comparison; immutable. */
typedef struct asif_compare_models asif_compare_models;

/*
 * Compare models of the same logs by the expected log predictive density of a unit that is left out
 * (PSIS-LOO) and, if it is asked for, of later decisions given earlier ones (leave-future-out, with refits
 * where importance weights do not reach).
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
 * decisions); ASIF_EUNSUPPORTED (later decisions where states are seen); ASIF_ENOMEM, ASIF_ECANCELLED, or
 * what solving returned.
 *
 * The same bits for any number of threads. Cost: a solution and a walk down the tree for every draw of every
 * fit; for later decisions as many again for every step, and about 6,000 for every refit.
 *
 * Vehtari, Gelman and Gabry (2017); Bürkner, Gabry and Vehtari (2020) for later decisions.
 */
asif_status asif_compare_models_run(asif_compare_models **out, const asif_context *context,
                                    const asif_tree *logs, const asif_compare_models_model *model,
                                    uint32_t models, const asif_compare_models_options *options,
                                    asif_error *error);
/* Free; NULL is allowed. */
void asif_compare_models_free(asif_compare_models *compare);

/* What the difference to the best model says. */
typedef enum {
    ASIF_PREDICTS_BEST,
    ASIF_PREDICTS_THE_SAME, /* within 4 nats, or within 2 standard errors */
    ASIF_PREDICTS_WORSE
} asif_predicts;
/* "best", "about the same" or "worse". */
const char *asif_predicts_text(asif_predicts predicts);

/* How well a model predicts, summed over units. */
typedef struct {
    const double *by_unit; /* [units] */
    double elpd, se;
    double difference, difference_se; /* to the best model, unit by unit; 0 of the best itself */
    asif_predicts predicts;
} asif_score;

/* One model. */
typedef struct {
    const char *name;
    asif_score loo;
    double p, p_se;                  /* effective number of parameters; NaN: the table has none */
    const double *k;                 /* [units]; NaN: not known; -inf: all draws say the same */
    double threshold;                /* of k; NaN: not known */
    uint64_t below, above, constant; /* units by their k; of `constant` ones all draws say the same */
    uint64_t worst;                  /* unit with the largest k; UINT64_MAX: none is known */
    asif_score future;               /* by_unit NULL: not wanted, or a table */
    uint32_t refits;                 /* for later decisions, the first one among them */
    double worst_rhat;               /* of these refits */
} asif_compare_models_row;

/* What a comparison holds, borrowed. */
typedef struct {
    size_t struct_size;
    uint64_t units;
    uint32_t models;
    const asif_compare_models_row *row; /* [models], in the order of the call */
    const uint32_t *order;              /* [models]: the best first */
    uint32_t first_step, last_step; /* later decisions that were predicted, counted from 0; both 0: none */
    double predicted;               /* how many these are */
} asif_compare_models_view;
/* @param view Its struct_size must be set. */
asif_status asif_compare_models_get(const asif_compare_models *compare, asif_compare_models_view *view,
                                    asif_error *error);

/* All of it as JSON, without names of units. @param out Text, owned by the caller (asif_memory_free()).
 */
asif_status asif_compare_models_json(char **out, const asif_compare_models *compare, asif_error *error);
/* A row for each model and unit: model, unit (its name), elpd_loo, p_loo, k, and elpd_future if that was
 * asked for. */
asif_status asif_compare_models_csv(char **out, const asif_compare_models *compare, asif_error *error);
/* Log-likelihoods of a fit, one row a draw: .chain and one column a unit, by its name; asif_pointwise_read()
 * reads them. Needs `keep` in the options. @return ASIF_OK, ASIF_EUNSET (a table, or they were not kept),
 * ASIF_EDOMAIN (no such model) or ASIF_ENOMEM. */
asif_status asif_compare_models_draws_csv(char **out, const asif_compare_models *compare, uint32_t model,
                                          asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_compare_models;

/* What is kept of one model. */
typedef struct {
    const asif_compare_models_model *model; /* during asif_compare_models_run() */
    char *name;
    bool table, trusted, given; /* true: a table of elpd */
    uint32_t chains;
    uint64_t draws;       /* of a chain */
    double *elpd, *p, *k; /* [units] */
    double *future;       /* [units]; NULL: not wanted */
    double *value;        /* [kinds][chains][draws], if they are kept */
    double efficiency;    /* the least of a unit's; NaN: not known */
    double worst_rhat;    /* of refits */
    double worst_weights; /* the largest shape with which the future was predicted */
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
    uint32_t first_step, last_step;
    double predicted;
    asif_compare_models_view view;
};

/* ---- compare_models_loo.c ---- */
/* Fill elpd, p and k of a model. */
asif_status asif_compare_models_loo(asif_compare_models *compare, asif_compared *model, asif_error *error);

/* ---- compare_models_future.c ---- */
/* Which steps are predicted; ASIF_EUNSUPPORTED, ASIF_EDOMAIN if there are none. */
asif_status asif_compare_models_steps(asif_compare_models *compare, asif_error *error);
/* Fill `future` of a model that is a fit. */
asif_status asif_compare_models_future(asif_compare_models *compare, asif_compared *model, asif_error *error);

#endif
