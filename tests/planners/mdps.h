/* Three decision problems with observed states, and their values by plain value iteration, for the tests of
 * learners. */
#ifndef ASIF_TESTS_PLANNERS_MDPS_H
#define ASIF_TESTS_PLANNERS_MDPS_H

#include "check.h"
#include "problems.h"

#include <string.h>

enum { MOST_STATES = 48, MOST_ACTIONS = 4 };

typedef struct {
    uint32_t states, actions;
    double discount;
    double next[MOST_ACTIONS][MOST_STATES][MOST_STATES], utility[MOST_ACTIONS][MOST_STATES];
    bool terminal[MOST_STATES];
} mdp;

/* A problem with 40 states, 3 actions, and 4 random successors each. */
static inline void random_mdp(mdp *m) {
    uint64_t seed = 5;
    *m = (mdp){.states = 40, .actions = 3, .discount = .9};
    for (uint32_t u = 0; u < m->actions; u++)
        for (uint32_t s = 0; s < m->states; s++) {
            double row[4];
            make_row(row, 4, &seed);
            for (uint32_t k = 0; k < 4; k++)
                m->next[u][s][(uint32_t)(make_uniform(&seed) * m->states)] += row[k];
            m->utility[u][s] = make_uniform(&seed);
        }
}

/* A grid of 6 by 6 cells: a step costs 1 and goes sideways one time in five; a pit costs 10; the goal, in the
 * corner, ends all. */
static inline void grid_mdp(mdp *m) {
    static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
    enum { N = 6 };
    *m = (mdp){.states = N * N, .actions = 4, .discount = .95};
    for (int u = 0; u < 4; u++)
        for (int s = 0; s < N * N; s++) {
            for (int turn = -1; turn <= 1; turn++) {
                int way = (u + turn + 4) % 4, x = s % N + dx[way], y = s / N + dy[way];
                int to = x < 0 || y < 0 || x >= N || y >= N ? s : y * N + x;
                m->next[u][s][to] += turn ? .1 : .8;
            }
            m->utility[u][s] = s == N * N - 1 ? 10 : s == 2 * N + 3 || s == 4 * N + 1 ? -10 : -1;
        }
    m->terminal[N * N - 1] = true;
}

/* A machine that wears by 0, 1 or 2 of 30 steps: running it costs more the more it is worn, replacing it
 * costs 8. */
static inline void machine_mdp(mdp *m) {
    static const double wear[] = {.3, .5, .2};
    *m = (mdp){.states = 30, .actions = 2, .discount = .95};
    for (uint32_t s = 0; s < m->states; s++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t to = s + k < m->states ? s + k : m->states - 1;
            m->next[0][s][to] += wear[k];
            m->next[1][s][k] += wear[k];
            m->utility[0][s] = -.02 * s * s;
            m->utility[1][s] = -8;
        }
}

static void (*const mdps[])(mdp *) = {random_mdp, grid_mdp, machine_mdp};
enum { MDPS = sizeof mdps / sizeof *mdps };

static inline asif_setting *mdp_setting(const mdp *m, const asif_context *context) {
    double next[MOST_ACTIONS][MOST_STATES * MOST_STATES], utility[MOST_ACTIONS * MOST_STATES];
    double start[MOST_STATES] = {1};
    asif_matrix matrix[MOST_ACTIONS];
    uint32_t transitions[2 * MOST_ACTIONS], S = m->states;
    for (uint32_t u = 0; u < m->actions; u++) {
        for (uint32_t s = 0; s < S; s++) {
            memcpy(next[u] + s * S, m->next[u][s], S * sizeof(double));
            utility[u * S + s] = m->utility[u][s];
        }
        matrix[u] = (asif_matrix){S, S, false, NULL, NULL, next[u]};
        transitions[u] = transitions[m->actions + u] = u;
    }
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = S;
    spec.actions = m->actions;
    spec.matrices = m->actions;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.environment_start = start;
    spec.terminal = m->terminal;
    spec.discount = m->discount;
    spec.utility = utility;
    asif_setting *setting = NULL;
    assert_int_equal(asif_setting_create(&setting, context, &spec, NULL), ASIF_OK);
    return setting;
}

/* Compute Q by value iteration until nothing changes; alpha 0: the best action, else alpha log mean exp(Q /
 * alpha). Returns the span of Q. */
static inline double mdp_values(const mdp *m, double alpha, double q[MOST_ACTIONS][MOST_STATES]) {
    double v[MOST_STATES] = {0}, change = 1, low = INFINITY, high = -INFINITY;
    while (change > 1e-12) {
        change = 0;
        for (uint32_t u = 0; u < m->actions; u++)
            for (uint32_t s = 0; s < m->states; s++) {
                q[u][s] = m->utility[u][s];
                for (uint32_t t = 0; t < m->states && !m->terminal[s]; t++)
                    q[u][s] += m->discount * m->next[u][s][t] * v[t];
            }
        for (uint32_t s = 0; s < m->states; s++) {
            double best = q[0][s], sum = 0;
            for (uint32_t u = 1; u < m->actions; u++)
                best = fmax(best, q[u][s]);
            for (uint32_t u = 0; u < m->actions; u++)
                sum += exp((q[u][s] - best) / (alpha > 0 ? alpha : 1)) / m->actions;
            double is = alpha > 0 ? best + alpha * log(sum) : best;
            change = fmax(change, fabs(is - v[s]));
            v[s] = is;
        }
    }
    for (uint32_t u = 0; u < m->actions; u++)
        for (uint32_t s = 0; s < m->states; s++) {
            low = fmin(low, q[u][s]);
            high = fmax(high, q[u][s]);
        }
    return high - low;
}

typedef struct {
    mdp problem;
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
} learner;

static inline void learner_open(learner *l, const mdp *problem, const char *planner,
                                const asif_plan_options *options) {
    l->problem = *problem;
    assert_int_equal(asif_context_create(&l->context, NULL, NULL), ASIF_OK);
    l->setting = mdp_setting(problem, l->context);
    assert_int_equal(asif_theta_create(&l->theta, l->context, l->setting, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&l->work, l->context, planner, l->setting, options, NULL), ASIF_OK);
}

static inline void learner_close(learner *l) {
    asif_work_free(l->work);
    asif_theta_free(l->theta);
    asif_setting_free(l->setting);
    asif_context_free(l->context);
}

/* Get Q and V of all states from the planner; q [states][actions]. */
static inline void learner_look(const learner *l, double *q, double *value) {
    double state[MOST_STATES];
    asif_view view = ASIF_VIEW_INIT;
    for (uint32_t s = 0; s < l->problem.states; s++)
        state[s] = s;
    view.q = q;
    view.value = value;
    assert_int_equal(asif_look(asif_work_behavior(l->work), l->problem.states, state, &view, NULL), ASIF_OK);
}

/* Largest error of the learner's Q, over the span of the true one. */
static inline double learner_error(const learner *l, double alpha, double *span) {
    double q[MOST_STATES * MOST_ACTIONS], truth[MOST_ACTIONS][MOST_STATES], worst = 0;
    *span = mdp_values(&l->problem, alpha, truth);
    learner_look(l, q, NULL);
    for (uint32_t s = 0; s < l->problem.states; s++)
        for (uint32_t u = 0; u < l->problem.actions; u++)
            worst = fmax(worst, fabs(q[s * l->problem.actions + u] - truth[u][s]));
    return worst / *span;
}

#endif
