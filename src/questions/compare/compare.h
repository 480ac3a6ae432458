/* The two meanings of `asif compare`: it compares groups, or models. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_COMPARE_H
#define ASIF_SRC_QUESTIONS_COMPARE_COMPARE_H

#include "questions/compare/groups/compare_groups.h"
#include "questions/compare/models/compare_models.h"
#include "questions/question.h"

typedef struct {
    /* Options of groups. */
    const char *first;
    asif_count_option draws, episodes, max_steps;
    bool numbers;
    /* Options of models. */
    const char *logs, *unit, *output;
    asif_list_option pointwise, where, map;
    asif_count_option future;
    /* Options of both. */
    asif_count_option seed;
} asif_compare_asked;

/* The result: either `groups` or `models` is set. */
typedef struct {
    const asif_context *context;
    asif_compare_groups *groups;
    asif_compare_models *models;
    bool trusted; /* whether all fits can be trusted */
} asif_comparison;

/* Open the inputs, compare, and set `out->groups` or `out->models`, which the caller frees. */
asif_status asif_compare_ask_groups(asif_comparison *out, asif_asking *asking, asif_error *error);
asif_status asif_compare_ask_models(asif_comparison *out, asif_asking *asking, asif_error *error);

#endif
