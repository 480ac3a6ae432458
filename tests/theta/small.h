/* A small setting in which everything can be estimated: 3 states, 3 actions, 2 observations, 4 worlds, 2
 * start classes. The utility names `gain`, `loss` (in two places) and `cost`. */
#ifndef ASIF_TESTS_THETA_SMALL_H
#define ASIF_TESTS_THETA_SMALL_H

#include "asif.h"
#include "check.h"

typedef struct {
    const double *action_prior, *start;
    double constant; /* added for one action in one state */
    bool seen;       /* the state is observed */
    bool one_start;
} small_options;

static inline asif_setting *make_small(const asif_context *context, const small_options *options,
                                       asif_error *error) {
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, show[] = {.7, .3, .5, .5, .2, .8};
    static const double starts[] = {.5, .3, .2, .2, .3, .5};
    static const asif_matrix matrix[] = {{3, 3, false, NULL, NULL, identity},
                                         {3, 2, false, NULL, NULL, show}};
    static const uint32_t transitions[15] = {0};
    static const uint32_t emissions[15] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const char *const states[] = {"low", "mid", "high"}, *const actions[] = {"act", "wait", "never"};
    static const char *const classes[] = {"young", "old age"}, *const names[] = {"gain", "loss", "cost"};
    const asif_utility_term term[] = {
        {.by = ASIF_BY_STATE, .parameter = 0, .action = 0, .index = 2, .coefficient = 1},
        {.by = ASIF_BY_STATE, .parameter = 1, .action = 0, .index = 0, .coefficient = 1},
        {.by = ASIF_BY_STATE, .parameter = 1, .action = 1, .index = 2, .coefficient = .5},
        {.by = ASIF_BY_STATE, .parameter = 2, .action = 2, .index = ASIF_ANY, .coefficient = 1},
        {.by = ASIF_BY_STATE,
         .parameter = ASIF_ANY,
         .action = 1,
         .index = 1,
         .coefficient = options->constant},
    };
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = spec.actions = spec.parameters = 3;
    spec.observations = options->seen ? 0 : 2;
    spec.worlds = 4;
    spec.starts = options->one_start ? 1 : 2;
    spec.start_names = options->one_start ? NULL : classes;
    spec.start_column = options->one_start ? NULL : "age";
    spec.state_names = states;
    spec.action_names = actions;
    spec.parameter_names = names;
    spec.matrices = 2;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = options->start ? options->start : starts;
    spec.action_prior = options->action_prior;
    spec.discount = .9;
    spec.terms = sizeof term / sizeof *term;
    spec.term = term;
    asif_setting *setting = NULL;
    asif_setting_create(&setting, context, &spec, error);
    return setting;
}

#endif
