/* Decision problems that several tests and the benchmark share, made through the public API. */
#ifndef ASIF_TESTS_PROBLEMS_H
#define ASIF_TESTS_PROBLEMS_H

#include "asif.h"

#include <stdlib.h>

/* The paper's DIAG with utilities 10, -36, -1. States healthy, diseased; actions declare_healthy,
 * declare_diseased, monitor; observations negative, positive; worlds in which the test is .6, .7, .8 right.
 */
static inline asif_setting *make_diag(const asif_context *context, asif_error *error) {
    static const double half[] = {.5, .5}, identity[] = {1, 0, 0, 1};
    static const double test[3][4] = {{.6, .4, .4, .6}, {.7, .3, .3, .7}, {.8, .2, .2, .8}};
    static const asif_matrix matrix[] = {
        {2, 2, true, NULL, NULL, half},     {2, 2, false, NULL, NULL, identity},
        {2, 2, false, NULL, NULL, test[0]}, {2, 2, false, NULL, NULL, test[1]},
        {2, 2, false, NULL, NULL, test[2]},
    };
    static const uint32_t transitions[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint32_t emissions[] = {2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3};
    static const char *const states[] = {"healthy", "diseased"}, *const observations[] = {"negative",
                                                                                          "positive"};
    static const char *const actions[] = {"declare_healthy", "declare_diseased", "monitor"};
    static const bool ends[] = {true, true, false};
    static const double utility[] = {10, -36, -36, 10, -1, -1};
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.title = "DIAG";
    spec.states = 2;
    spec.actions = 3;
    spec.observations = 2;
    spec.worlds = 3;
    spec.state_names = states;
    spec.action_names = actions;
    spec.observation_names = observations;
    spec.matrices = 5;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = half;
    spec.ends = ends;
    spec.discount = .95;
    spec.utility = utility;
    asif_setting *setting;
    return asif_setting_create(&setting, context, &spec, error) == ASIF_OK ? setting : NULL;
}

/* A uniform number for random problems; any generator would do. */
static inline double make_uniform(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return ((double)((x ^ (x >> 31)) >> 11) + .5) * 0x1p-53;
}

static inline void make_row(double *row, uint32_t n, uint64_t *state) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += row[i] = .05 + make_uniform(state);
    for (uint32_t i = 0; i < n; i++)
        row[i] /= sum;
}

/* A problem of the shape of ADNI: 3 states that hardly change, 2 actions, 12 observations of which the first
 * action shows 3 and the second the other 9, 2 worlds. The numbers are invented. */
static inline asif_setting *make_adni_shape(const asif_context *context, asif_error *error) {
    enum { S = 3, U = 2, X = 12 };
    static const double slow[2][S * S] = {{.95, .04, .01, .02, .94, .04, .0, .02, .98},
                                          {.9, .08, .02, .03, .92, .05, .0, .03, .97}};
    double emission[2][U][S * X] = {{{0}}}, start[S] = {.5, .3, .2};
    uint64_t seed = 7;
    asif_matrix matrix[6];
    for (uint32_t m = 0; m < 2; m++) {
        for (uint32_t s = 0; s < S; s++) {
            make_row(emission[m][0] + s * X, 3, &seed);
            make_row(emission[m][1] + s * X + 3, 9, &seed);
        }
        matrix[m] = (asif_matrix){S, S, false, NULL, NULL, slow[m]};
        for (uint32_t u = 0; u < U; u++)
            matrix[2 + 2 * m + u] = (asif_matrix){S, X, false, NULL, NULL, emission[m][u]};
    }
    static const uint32_t transitions[] = {0, 0, 1, 1, 0, 0}, emissions[] = {2, 3, 4, 5, 2, 3};
    static const double utility[] = {0, 0, 0, -1, .5, 1};
    static const asif_utility_term sure = {.by = ASIF_BY_BELIEF,
                                           .parameter = ASIF_ANY,
                                           .action = ASIF_ANY,
                                           .index = ASIF_ANY,
                                           .coefficient = 2.5,
                                           .test = ASIF_ABOVE,
                                           .threshold = .9};
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = S;
    spec.actions = U;
    spec.observations = X;
    spec.worlds = 2;
    spec.matrices = 6;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = start;
    spec.discount = .95;
    spec.utility = utility;
    spec.terms = 1;
    spec.term = &sure;
    asif_setting *setting;
    return asif_setting_create(&setting, context, &spec, error) == ASIF_OK ? setting : NULL;
}

/* A fully observable problem with `successors` different random next states for each action, one world. */
static inline asif_setting *make_mdp(const asif_context *context, uint32_t states, uint32_t actions,
                                     uint32_t successors, double discount, asif_error *error) {
    uint64_t seed = 11, entries = (uint64_t)states * successors;
    asif_matrix *matrix = calloc(actions, sizeof *matrix);
    uint32_t *transitions = calloc(2ull * actions, sizeof *transitions);
    double *start = calloc(states, sizeof *start),
           *utility = calloc((uint64_t)states * actions, sizeof *utility);
    asif_setting *setting = NULL;
    for (uint32_t u = 0; u < actions; u++) {
        uint64_t *offset = calloc(states + 1ull, sizeof *offset);
        uint32_t *column = calloc(entries, sizeof *column);
        double *value = calloc(entries, sizeof *value);
        for (uint32_t s = 0; s < states; s++) {
            /* one successor in each of equal parts of the states: different, and in order */
            for (uint32_t k = 0; k < successors; k++)
                column[(uint64_t)s * successors + k] =
                    (uint32_t)(((double)k + make_uniform(&seed)) * ((double)states / successors));
            make_row(value + (uint64_t)s * successors, successors, &seed);
            offset[s + 1] = offset[s] + successors;
            utility[(uint64_t)u * states + s] = make_uniform(&seed);
        }
        matrix[u] = (asif_matrix){states, states, false, offset, column, value};
        transitions[u] = transitions[actions + u] = u;
    }
    for (uint32_t s = 0; s < states; s++)
        start[s] = 1.0 / states;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = states;
    spec.actions = actions;
    spec.matrices = actions;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.environment_start = start;
    spec.discount = discount;
    spec.utility = utility;
    if (asif_setting_create(&setting, context, &spec, error) != ASIF_OK)
        setting = NULL;
    for (uint32_t u = 0; u < actions; u++) {
        free((void *)(uintptr_t)matrix[u].offset);
        free((void *)(uintptr_t)matrix[u].column);
        free((void *)(uintptr_t)matrix[u].value);
    }
    free(matrix);
    free(transitions);
    free(start);
    free(utility);
    return setting;
}

/* A seen part of side * side values, on which each action leads to one or two values, and three hidden
 * values. How likely these are depends on the value and what is observed does not, so that all links of an
 * action have proportional tables. The numbers are invented. */
enum { GRID_HIDDEN = 3, GRID_ACTIONS = 3, GRID_SHOWN = 3 };

typedef struct {
    uint32_t side, states;
    uint64_t *at; /* [actions + 1][states + 1] */
    uint32_t *column;
    double *value;
} seen_grid;

/* The value to which an action leads: down, right, or up; at an edge the same value. */
static inline uint32_t grid_next(const seen_grid *g, uint32_t action, uint32_t y) {
    uint32_t last = g->side - 1;
    if (action == 0)
        return y / g->side < last ? y + g->side : y;
    if (action == 1)
        return y % g->side < last ? y + 1 : y;
    return y >= g->side ? y - g->side : y;
}

static inline asif_matrix grid_moves(const seen_grid *g, uint32_t action, uint64_t *seed) {
    enum { H = GRID_HIDDEN };
    uint64_t *at = g->at + action * (g->states + 1ull), first = 2ull * H * g->states * action, used = first;
    double hidden[H * H];
    for (uint32_t h = 0; h < H; h++)
        make_row(hidden + h * H, H, seed);
    for (uint32_t s = 0; s < g->states; s++) {
        uint32_t y = s / H, next = grid_next(g, action, y), low = y < next ? y : next;
        double stays = next == y ? 1 : .2 + .6 * ((y * 2654435761u) >> 8) / 0x1p24;
        for (uint32_t k = 0; k < (next == y ? 1 : 2); k++) {
            uint32_t to = k == 0 ? low : y + next - low;
            for (uint32_t h = 0; h < H; h++) {
                g->column[used] = to * H + h;
                g->value[used++] = (to == y ? stays : 1 - stays) * hidden[s % H * H + h];
            }
        }
        at[s + 1] = used - first;
    }
    return (asif_matrix){g->states, g->states, false, at, g->column + first, g->value + first};
}

static inline asif_matrix grid_shows(const seen_grid *g, uint32_t action, uint64_t *seed) {
    enum { H = GRID_HIDDEN, X = GRID_SHOWN };
    uint64_t *at = g->at + GRID_ACTIONS * (g->states + 1ull);
    uint64_t first = ((uint64_t)2 * H * GRID_ACTIONS + X * action) * g->states;
    double show[H * X];
    for (uint32_t h = 0; h < H; h++)
        make_row(show + h * X, X, seed);
    for (uint32_t s = 0; s < g->states; s++) {
        at[s + 1] = (s + 1ull) * X;
        for (uint32_t x = 0; x < X; x++) {
            g->column[first + at[s] + x] = s / H * X + x;
            g->value[first + at[s] + x] = show[s % H * X + x];
        }
    }
    return (asif_matrix){g->states, g->states / H * X, false, at, g->column + first, g->value + first};
}

/* horizon 0: without end. */
static inline asif_setting *make_seen_grid(const asif_context *context, uint32_t side, uint32_t horizon,
                                           asif_error *error) {
    enum { U = GRID_ACTIONS };
    static const uint32_t transitions[] = {0, 1, 2, 0, 1, 2}, emissions[] = {3, 4, 5, 3, 4, 5};
    const uint32_t S = side * side * GRID_HIDDEN;
    uint64_t seed = 11, entries = (uint64_t)S * U * (2 * GRID_HIDDEN + GRID_SHOWN);
    seen_grid g = {side, S, calloc((U + 1) * (S + 1ull), sizeof *g.at), calloc(entries, sizeof *g.column),
                   calloc(entries, sizeof *g.value)};
    double *numbers = calloc((U + 1ull) * S, sizeof *numbers);
    asif_matrix matrix[2 * U];
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    asif_setting *setting = NULL;
    bool good = g.at && g.column && g.value && numbers;
    for (uint32_t u = 0; u < U && good; u++) {
        matrix[u] = grid_moves(&g, u, &seed);
        matrix[U + u] = grid_shows(&g, u, &seed);
    }
    for (uint64_t i = 0; i < (U + 1ull) * S && good; i++)
        numbers[i] = i < S ? 1.0 / S : make_uniform(&seed);
    spec.title = "seen grid";
    spec.states = S;
    spec.actions = U;
    spec.observations = side * side * GRID_SHOWN;
    spec.seen = side * side;
    spec.horizon = horizon;
    spec.worlds = 1;
    spec.matrices = 2 * U;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = numbers;
    spec.discount = .95;
    spec.utility = numbers + S;
    if (good && asif_setting_create(&setting, context, &spec, error) != ASIF_OK)
        setting = NULL;
    free(g.at);
    free(g.column);
    free(g.value);
    free(numbers);
    return setting;
}

#endif
