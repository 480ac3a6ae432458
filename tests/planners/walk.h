/* A small random problem, a few agents that walk through it, and a check of the derivatives of their policies
 * against central differences, for the tests of planners. */
#ifndef ASIF_TESTS_PLANNERS_WALK_H
#define ASIF_TESTS_PLANNERS_WALK_H

#include "check.h"

#include "behavior/behavior.h"
#include "problems.h"
#include "theta/theta.h"

#include <string.h>

enum { S = 3, U = 4, X = 3, M = 2, PARAMETERS = 4, AGENTS = 9, LENGTH = 4, WIDEST = 8 };

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    double value[2 * U * (M + 1)][S * S], start[2 * S], prior[U], weights[M];
    asif_matrix matrix[2 * U * (M + 1)];
    uint32_t transitions[U * (M + 1)], emissions[U * (M + 1)];
    asif_setting_spec spec;
} small_problem;

/* Make a problem with dense random dynamics, different in two worlds and the environment, and utility by
 * state in four parameters, some of which are shared by cells. */
static inline void make_small(small_problem *p, bool seen, const asif_utility_term *more, uint32_t count) {
    static const char *const names[] = {"v0", "v1", "v2", "v3"};
    static asif_utility_term term[32];
    uint64_t seed = 17;
    uint32_t used = 0, terms = 0;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    for (uint32_t i = 0; i < U * (M + 1); i++) {
        p->matrix[used] = (asif_matrix){S, S, i % 5 == 3, NULL, NULL, p->value[used]};
        for (uint32_t s = 0; s < S; s++)
            make_row(p->value[used] + s * S, S, &seed);
        p->transitions[i] = used++;
        p->matrix[used] = (asif_matrix){S, X, false, NULL, NULL, p->value[used]};
        for (uint32_t s = 0; s < S; s++)
            make_row(p->value[used] + s * X, X, &seed);
        p->emissions[i] = used++;
    }
    for (uint32_t u = 0; u < U; u++)
        for (uint32_t s = 0; s < S; s++)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_STATE,
                                                .parameter = (u + 2 * s) % PARAMETERS,
                                                .action = u,
                                                .index = s,
                                                .coefficient = .5 + make_uniform(&seed)};
    term[terms++] = (asif_utility_term){
        .by = ASIF_BY_STATE, .parameter = 1, .action = 2, .index = ASIF_ANY, .coefficient = -.4};
    term[terms++] = (asif_utility_term){
        .by = ASIF_BY_STATE, .parameter = ASIF_ANY, .action = ASIF_ANY, .index = 1, .coefficient = .3};
    for (uint32_t i = 0; i < count; i++)
        term[terms++] = more[i];
    for (uint32_t i = 0; i < 2; i++)
        make_row(p->start + i * S, S, &seed);
    make_row(p->prior, U, &seed);
    make_row(p->weights, M, &seed);
    p->spec = (asif_setting_spec)ASIF_SETTING_SPEC_INIT;
    p->spec.states = S;
    p->spec.actions = U;
    p->spec.observations = seen ? 0 : X;
    p->spec.worlds = M;
    p->spec.parameters = PARAMETERS;
    p->spec.parameter_names = names;
    p->spec.matrices = used;
    p->spec.matrix = p->matrix;
    p->spec.transitions = p->transitions;
    p->spec.emissions = seen ? NULL : p->emissions;
    p->spec.environment_start = p->start;
    p->spec.world_weights = p->weights;
    p->spec.action_prior = p->prior;
    p->spec.discount = .85;
    p->spec.terms = terms;
    p->spec.term = term;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_setting_create(&p->setting, p->context, &p->spec, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(asif_theta_create(&p->theta, p->context, p->setting, NULL), ASIF_OK);
    for (uint32_t i = 0; i < PARAMETERS; i++)
        p->theta->utility[i] = 2 * make_uniform(&seed) - 1;
}

static inline void open_work(small_problem *p, const char *planner, const asif_plan_options *options) {
    asif_error error = ASIF_ERROR_INIT;
    if (asif_work_create(&p->work, p->context, planner, p->setting, options, &error) != ASIF_OK)
        fail_msg("%s", error.message);
}

static inline void close_small(small_problem *p) {
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

/* ---- L = sum of c log pi(u|z) over the states of agents that always take the same walks ---- */

typedef struct {
    double state[LENGTH][AGENTS * WIDEST], log_pi[LENGTH][AGENTS * U], bar[LENGTH][AGENTS * U];
    double *memo[LENGTH];
    uint32_t action[LENGTH][AGENTS], seen[LENGTH][AGENTS];
} walk;

static inline double walk_forward(walk *w, const asif_behavior *b) {
    uint64_t seed = 99;
    double total = 0;
    for (int k = 0; k < LENGTH; k++) {
        for (uint32_t i = 0; k == 0 && i < AGENTS; i++)
            asif_behavior_init(b, 0, asif_setting_get(b->setting)->observations ? ASIF_ANY : i % S,
                               w->state[0] + i * b->width);
        w->memo[k] = calloc((size_t)AGENTS * b->memo_width + 1, sizeof(double));
        assert_int_equal(b->ops->log_policy(b->self, AGENTS, w->state[k], w->log_pi[k], w->memo[k], NULL),
                         ASIF_OK);
        for (uint32_t i = 0; i < AGENTS * U; i++) {
            w->bar[k][i] = 2 * make_uniform(&seed) - .7;
            total += w->bar[k][i] * w->log_pi[k][i];
        }
        for (uint32_t i = 0; i < AGENTS; i++) {
            w->action[k][i] = (uint32_t)(make_uniform(&seed) * U);
            w->seen[k][i] = (uint32_t)(make_uniform(&seed) * X);
        }
        if (k + 1 < LENGTH)
            assert_int_equal(b->ops->step(b->self, AGENTS, NULL, w->state[k], w->memo[k], w->action[k],
                                          w->seen[k], w->state[k + 1], NULL),
                             ASIF_OK);
    }
    return total;
}

static inline void walk_free(walk *w) {
    for (int k = 0; k < LENGTH; k++)
        free(w->memo[k]);
}

static inline double walk_value(small_problem *p, const asif_theta *theta) {
    walk w;
    assert_int_equal(asif_solve(p->work, theta, NULL, NULL), ASIF_OK);
    double total = walk_forward(&w, asif_work_behavior(p->work));
    walk_free(&w);
    return total;
}

static inline void walk_gradient(small_problem *p, asif_theta_gradient *g) {
    walk w;
    assert_int_equal(asif_solve(p->work, p->theta, NULL, NULL), ASIF_OK);
    const asif_behavior *b = asif_work_behavior(p->work);
    walk_forward(&w, b);
    double *bar = calloc((size_t)LENGTH * AGENTS * b->width, sizeof *bar);
    double *memo = calloc((size_t)LENGTH * AGENTS * b->memo_width + 1, sizeof *memo);
    assert_int_equal(b->pullback->begin(b->self, g->matrix != NULL, NULL), ASIF_OK);
    for (int k = LENGTH; k-- > 0;) {
        double *state_bar = bar + (size_t)k * AGENTS * b->width;
        double *memo_bar = memo + (size_t)k * AGENTS * b->memo_width;
        assert_int_equal(b->pullback->log_policy(b->self, AGENTS, w.state[k], w.log_pi[k], w.memo[k],
                                                 w.bar[k], memo_bar, state_bar, NULL),
                         ASIF_OK);
        for (uint32_t i = 0; k == 0 && i < AGENTS; i++)
            b->pullback->init(b->self, 0, state_bar + i * b->width);
        if (k > 0)
            assert_int_equal(b->pullback->step(b->self, AGENTS, NULL, w.state[k - 1], w.memo[k - 1],
                                               w.action[k - 1], w.seen[k - 1], w.state[k], state_bar,
                                               state_bar - AGENTS * b->width,
                                               memo_bar - AGENTS * b->memo_width, NULL),
                             ASIF_OK);
    }
    assert_int_equal(b->pullback->end(b->self, g, NULL), ASIF_OK);
    free(bar);
    free(memo);
    walk_free(&w);
}

/* Check a number of theta and its derivative. In a distribution, `from` is the entry that loses what the
 * number gains. */
static inline void check_number(small_problem *p, const char *name, uint32_t i, double *number, double *from,
                                double slope) {
    double kept = *number, kept_from = from ? *from : 0, h = 1e-4 * fmax(fabs(kept), .1), side[4];
    for (int k = 0; k < 4; k++) {
        double step = (k % 2 ? -1 : 1) * (k < 2 ? 1 : 2) * h;
        *number = kept + step;
        if (from)
            *from = kept_from - step;
        side[k] = walk_value(p, p->theta);
    }
    *number = kept;
    if (from)
        *from = kept_from;
    double difference = (8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h);
    if (!(fabs(difference - slope) <= 1e-7 * fmax(1, fabs(difference))))
        fail_msg("%s %u: derivative %.12g, difference %.12g", name, i, slope, difference);
}

static inline void check_distribution(small_problem *p, const char *name, double *d, const double *g,
                                      uint32_t n) {
    for (uint32_t i = 0; i + 1 < n; i++)
        check_number(p, name, i, &d[i], &d[n - 1], g[i] - g[n - 1]);
}

/* Check every number on which the planner can depend. */
static inline void check_derivatives(small_problem *p) {
    asif_theta_gradient g;
    asif_theta *t = p->theta;
    assert_int_equal(asif_theta_gradient_create(&g, p->context, p->setting, NULL), ASIF_OK);
    walk_gradient(p, &g);
    check_number(p, "a", 0, &t->a, NULL, g.a);
    check_number(p, "discount", 0, &t->discount, NULL, g.discount);
    for (uint32_t i = 0; i < PARAMETERS; i++)
        check_number(p, "utility", i, &t->utility[i], NULL, g.utility[i]);
    check_distribution(p, "action_prior", t->action_prior, g.action_prior, U);
    check_distribution(p, "world_weights", t->world_weights, g.world_weights, M);
    if (asif_setting_get(p->setting)->observations)
        check_distribution(p, "start", t->start, g.start, S);
    for (uint32_t u = 0; u < U && asif_theta_has_means(t); u++)
        check_distribution(p, "means", t->means + u * S, g.means + u * S, S);
    asif_theta_gradient_free(p->context, &g);
}

/* Set z to a random belief, or to a random state. */
static inline void random_state(double *z, bool seen, uint64_t *seed) {
    if (seen)
        z[0] = (uint32_t)(make_uniform(seed) * S);
    else
        make_row(z, S, seed);
}

#endif
