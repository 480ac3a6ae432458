/* Random problems with everything that the engine supports, and logs of an agent in them. */
#ifndef ASIF_TESTS_LOGS_RANDOM_PROBLEM_H
#define ASIF_TESTS_LOGS_RANDOM_PROBLEM_H

#include "check.h"

#include "logs/map/log_map.h"
#include "problems.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, STATES = 4, ACTIONS = 4, SEEN = 4, WORLDS = 3 };

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_tree *tree;
} problem;

static inline uint32_t below(uint32_t n, uint64_t *seed) {
    return (uint32_t)(make_uniform(seed) * n);
}

/* Make a setting with everything that the engine supports: several worlds, actions that forget, observations
 * that some worlds or actions never show, utility by state, observation and belief, several start classes,
 * priors. */
static inline asif_setting *random_setting(const asif_context *context, bool seen, uint64_t *seed) {
    static double value[2 * ACTIONS * (WORLDS + 1)][STATES * (STATES + SEEN)];
    static asif_matrix matrix[2 * ACTIONS * (WORLDS + 1)];
    static uint32_t transitions[ACTIONS * (WORLDS + 1)], emissions[ACTIONS * (WORLDS + 1)];
    static double start[2 * STATES], prior[ACTIONS], weights[WORLDS], belief_prior[STATES + SEEN];
    static asif_utility_term term[24];
    static const char *const names[] = {"v0", "v1", "v2", "v3"};
    static const char *const classes[] = {"low", "high"};
    uint32_t S = 2 + below(STATES - 1, seed), U = 2 + below(ACTIONS - 1, seed), X = 2 + below(SEEN - 1, seed);
    uint32_t M = 1 + below(WORLDS, seed), used = 0, terms = 0;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    for (uint32_t m = 0; m <= M; m++)
        for (uint32_t u = 0; u < U; u++) {
            bool forgets = below(3, seed) == 0, shared = m > 0 && m < M && below(3, seed) == 0;
            uint32_t at = m * U + u;
            if (shared) {
                transitions[at] = transitions[at - U];
                emissions[at] = emissions[at - U];
                continue;
            }
            matrix[used] = (asif_matrix){S, S, forgets, NULL, NULL, value[used]};
            for (uint32_t s = 0; s < (forgets ? 1 : S); s++)
                make_row(value[used] + s * S, S, seed);
            transitions[at] = used++;
            matrix[used] = (asif_matrix){S, X, false, NULL, NULL, value[used]};
            uint32_t hidden =
                !seen && X > 2 && u == 1 ? 1 : 0; /* action 1 never shows the last observation */
            for (uint32_t s = 0; s < S; s++) {
                make_row(value[used] + s * X, X - hidden, seed);
                value[used][s * X + X - 1] *= !hidden;
            }
            emissions[at] = used++;
        }
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t k = 0; k < 2; k++)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_STATE,
                                                .parameter = p,
                                                .action = below(U, seed),
                                                .index = below(3, seed) ? below(S, seed) : ASIF_ANY,
                                                .coefficient = 1 + make_uniform(seed)};
        if (p == 2 && !seen)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_OBSERVATION,
                                                .parameter = p,
                                                .action = ASIF_ANY,
                                                .index = below(X, seed),
                                                .coefficient = .7};
        if (p == 3)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_BELIEF,
                                                .parameter = p,
                                                .action = below(2, seed) ? ASIF_ANY : 0,
                                                .index = ASIF_ANY,
                                                .coefficient = 1,
                                                .test = ASIF_ABOVE,
                                                .threshold = .6};
        if (p >= 2)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_BELIEF,
                                                .parameter = p == 2 ? ASIF_ANY : p,
                                                .action = below(2, seed) ? ASIF_ANY : 1,
                                                .index = below(2, seed) ? ASIF_ANY : below(S, seed),
                                                .coefficient = p == 2 ? 1.5 : -2,
                                                .test = ASIF_RAMP,
                                                .threshold = p == 2 ? .3 : .9,
                                                .full = p == 2 ? .8 : .1};
    }
    spec.states = S;
    spec.actions = U;
    spec.observations = seen ? 0 : X;
    spec.worlds = M;
    spec.starts = seen ? 1 : 2;
    spec.start_names = seen ? NULL : classes;
    spec.start_column = seen ? NULL : "risk";
    spec.parameters = 4;
    spec.parameter_names = names;
    spec.matrices = used;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = seen ? NULL : emissions;
    make_row(start, S, seed);
    make_row(start + S, S, seed);
    spec.environment_start = start;
    make_row(prior, U, seed);
    spec.action_prior = prior;
    make_row(weights, M, seed);
    spec.world_weights = weights;
    if (below(2, seed)) {
        make_row(belief_prior, seen ? S : X, seed);
        spec.belief_prior = belief_prior;
    }
    spec.discount = .5 + .45 * make_uniform(seed);
    spec.terms = terms;
    spec.term = term;
    asif_setting *setting = NULL;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_setting_create(&setting, context, &spec, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    return setting;
}

/* ---- logs ---- */

typedef struct {
    const problem *p;
    char *text;
    size_t used, room;
    const char *class;
} writing;

static inline asif_status write_row(void *user, const asif_decision *d) {
    writing *w = user;
    char a[ASIF_LABEL_SIZE], x[ASIF_LABEL_SIZE];
    bool seen = d->observation == ASIF_ANY;
    if (w->used + 200 > w->room)
        w->text = realloc(w->text, w->room = 2 * w->room + 1000);
    /* sometimes nothing is observed */
    bool nothing = !seen && (d->episode + d->step) % 7 == 3;
    w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "%s%llu,%u,%s,%s,%s\n", w->class,
                                (unsigned long long)d->episode, d->step,
                                asif_setting_label(w->p->setting, ASIF_LABEL_ACTION, d->action, a),
                                nothing ? ""
                                        : asif_setting_label(w->p->setting, ASIF_LABEL_OBSERVATION,
                                                             seen ? d->state : d->observation, x),
                                w->class);
    return ASIF_OK;
}

static inline void make_tree(problem *p, uint64_t episodes, uint32_t steps) {
    const asif_setting_spec *spec = asif_setting_get(p->setting);
    bool seen = spec->observations == 0;
    writing w = {.p = p, .text = malloc(1000), .room = 1000};
    w.used = (size_t)snprintf(w.text, w.room, "episode,t,action,%s,risk\n", seen ? "state" : "observation");
    asif_simulate_options o = ASIF_SIMULATE_OPTIONS_INIT;
    o.episodes = episodes;
    o.max_steps = steps;
    o.seed = 5;
    for (o.start = 0; o.start < spec->starts; o.start++) {
        w.class = o.start ? "high" : "low";
        assert_int_equal(asif_simulate(asif_work_behavior(p->work), &o, write_row, &w, NULL), ASIF_OK);
    }
    asif_logs_options logs = ASIF_LOGS_OPTIONS_INIT;
    asif_log_map *map;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_log_map_create(&map, p->context, NULL), ASIF_OK);
    logs.setting = p->setting;
    logs.map = map;
    map->missing = ASIF_MISSING_NOT_SEEN;
    asif_status status =
        asif_logs_read_text(&p->tree, p->context, w.text, w.used, "logs.csv", &logs, NULL, NULL, &error);
    if (status != ASIF_OK)
        fail_msg("row %llu: %s", (unsigned long long)error.row, error.message);
    asif_log_map_free(map);
    free(w.text);
}

static inline void close_problem(problem *p) {
    asif_tree_free(p->tree);
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

#endif
