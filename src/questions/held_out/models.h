/* Several studies as models of the same logs: the inputs of `evaluate` and `project`. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_MODELS_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_MODELS_H

#include "questions/held_out/held_out.h"
#include "questions/question.h"

typedef struct {
    asif_count_option folds, starts;
    asif_solve_asked solve;
    asif_list_option map;
    const char *output; /* `project` only, as the next */
    bool force;
    const char *positive, *fold_order; /* `evaluate` only, as the next */
    asif_count_option from_step;
    asif_list_option rival;
    bool relearn, people;
} asif_models_asked;

/* The options that both questions have. */
#define ASIF_MODELS_OPTIONS                                                                                  \
    {"folds",                                                                                                \
     0,                                                                                                      \
     ASIF_OPTION_COUNT,                                                                                      \
     "N",                                                                                                    \
     "parts of the subjects, each held out once (default 5)",                                                \
     2,                                                                                                      \
     1000,                                                                                                   \
     offsetof(asif_models_asked, folds)},                                                                    \
        {"starts",                                                                                           \
         0,                                                                                                  \
         ASIF_OPTION_COUNT,                                                                                  \
         "N",                                                                                                \
         "points from which the maximum is sought (default 9)",                                              \
         1,                                                                                                  \
         1000,                                                                                               \
         offsetof(asif_models_asked, starts)},                                                               \
        ASIF_SOLVE_OPTIONS(asif_models_asked), ASIF_MAP_OPTION(asif_models_asked)

typedef struct {
    uint32_t count;
    asif_study **study;         /* [count] */
    asif_held_out_model *model; /* [count] */
} asif_models;

/* Load the models: all operands but the last are studies; the last is the logs, read into asking->tree. */
asif_status asif_models_open(asif_models *out, asif_asking *asking, asif_error *error);
/* Whether a study leaves its dynamics to be learnt in each training part. */
bool asif_models_relearn(const asif_models *models);
/* The dynamics of the first study that leaves them to be learnt; NULL: none does. */
const asif_dynamics_spec *asif_models_dynamics(const asif_models *models);
/* Rank the units [units] by the order asked for, in the arena; `*out` is NULL for a random order.
 * ASIF_EINVALID: no such order, or a tree that does not know it. */
asif_status asif_models_rank(const uint64_t **out, asif_asking *asking, asif_error *error);
/* Set the options of a comparison that both questions have. */
void asif_models_options(asif_held_out_options *out, const asif_models_asked *asked);
/* Fit the models and judge them by held-out decisions. */
asif_status asif_models_run(asif_held_out **out, asif_asking *asking, const asif_models *models,
                            const asif_held_out_options *options, asif_error *error);

/* Functions of the table of both questions. */
asif_status asif_models_json(char **out, const void *result, asif_error *error);
void asif_models_discard(void *result);

#endif
