/* The inside of a comparison, and the pieces that make it. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_MODELS_COMPARE_MODELS_H
#define ASIF_SRC_QUESTIONS_COMPARE_MODELS_COMPARE_MODELS_H

#include "questions/compare/models/pointwise.h"

/* What is kept of one model. */
typedef struct {
    const asif_compare_models_model *model; /* during asif_compare_models_run() */
    char *name;
    bool table, trusted, given; /* given: a table of elpd */
    uint32_t chains;
    uint64_t draws;       /* of a chain */
    double *elpd, *p, *k; /* [units] */
    double *future;       /* [units]; NULL: not asked for */
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
