/* Small random problems with observed states, and value iteration on them that shares no code with the
 * engine. */
#ifndef ASIF_TESTS_PLANNERS_RANDOM_MDP_H
#define ASIF_TESTS_PLANNERS_RANDOM_MDP_H

#include "check.h"
#include "problems.h"

#include <string.h>

enum { S = 7, U = 3, WORLDS = 2, SEEDS = 3 };
#define DISCOUNT .9

typedef struct {
    double P[WORLDS][U][S][S], v[U][S], prior[U], weight[WORLDS];
} random_mdp;

static inline random_mdp make_random(uint64_t seed) {
    random_mdp m;
    seed *= 1000003;
    for (int w = 0; w < WORLDS; w++)
        for (int u = 0; u < U; u++)
            for (int s = 0; s < S; s++)
                make_row(m.P[w][u][s], S, &seed);
    for (int u = 0; u < U; u++)
        for (int s = 0; s < S; s++)
            m.v[u][s] = 4 * make_uniform(&seed) - 2;
    make_row(m.prior, U, &seed);
    make_row(m.weight, WORLDS, &seed);
    return m;
}

/* Make a setting whose environment is world 0; the agent has the first `worlds` worlds. */
static inline asif_setting *random_setting(const asif_context *context, const random_mdp *m, uint32_t worlds,
                                           bool prior) {
    asif_matrix matrix[WORLDS * U];
    uint32_t transitions[(WORLDS + 1) * U];
    double start[S];
    for (uint32_t i = 0; i < WORLDS * U; i++)
        matrix[i] = (asif_matrix){S, S, false, NULL, NULL, m->P[i / U][i % U][0]};
    for (uint32_t i = 0; i < (worlds + 1) * U; i++)
        transitions[i] = i < worlds * U ? i : i % U;
    for (int s = 0; s < S; s++)
        start[s] = 1. / S;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = S;
    spec.actions = U;
    spec.worlds = worlds;
    spec.matrices = WORLDS * U;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.environment_start = start;
    spec.world_weights = worlds > 1 ? m->weight : NULL;
    spec.action_prior = prior ? m->prior : NULL;
    spec.discount = DISCOUNT;
    spec.utility = m->v[0];
    asif_setting *setting = NULL;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_setting_create(&setting, context, &spec, &error) == ASIF_OK, "%s", error.message);
    return setting;
}

/* Compute values by value iteration: V = alpha log sum_u w exp(Q / alpha), the maximum at alpha 0; worlds are
 * averaged. */
static inline void iterate(const random_mdp *m, uint32_t worlds, double alpha, const double *w, double *V,
                           double q[S][U]) {
    memset(V, 0, S * sizeof *V);
    for (int sweep = 0; sweep < 500; sweep++) {
        double next[S];
        for (int s = 0; s < S; s++) {
            double best = -INFINITY, sum = 0;
            for (int u = 0; u < U; u++) {
                q[s][u] = m->v[u][s];
                for (uint32_t k = 0; k < worlds; k++)
                    for (int t = 0; t < S; t++)
                        q[s][u] += DISCOUNT * (worlds > 1 ? m->weight[k] : 1) * m->P[k][u][s][t] * V[t];
                best = q[s][u] > best ? q[s][u] : best;
            }
            for (int u = 0; alpha > 0 && u < U; u++)
                sum += w[u] * exp((q[s][u] - best) / alpha);
            next[s] = best + (alpha > 0 ? alpha * log(sum) : 0);
        }
        memcpy(V, next, sizeof next);
    }
}

/* An agent with its values and its policy in all states. */
typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    double V[S], Q[S][U], log_pi[S][U];
} solved_agent;

static inline void open_agent(solved_agent *a, const char *planner, const random_mdp *m, uint32_t worlds,
                              bool prior) {
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&a->context, NULL, NULL), ASIF_OK);
    a->setting = random_setting(a->context, m, worlds, prior);
    assert_int_equal(asif_theta_create(&a->theta, a->context, a->setting, NULL), ASIF_OK);
    CHECK(asif_work_create(&a->work, a->context, planner, a->setting, NULL, &error) == ASIF_OK, "%s",
          error.message);
}

static inline void solve_agent(solved_agent *a) {
    asif_plan_info info;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_solve(a->work, a->theta, &info, &error) == ASIF_OK, "%s", error.message);
    assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
    double state[S];
    for (int s = 0; s < S; s++)
        state[s] = s;
    asif_view view = ASIF_VIEW_INIT;
    view.value = a->V;
    view.q = a->Q[0];
    view.log_policy = a->log_pi[0];
    assert_int_equal(asif_look(asif_work_behavior(a->work), S, state, &view, NULL), ASIF_OK);
}

static inline void close_agent(solved_agent *a) {
    asif_work_free(a->work);
    asif_theta_free(a->theta);
    asif_setting_free(a->setting);
    asif_context_free(a->context);
}

/* The logarithm of the softmax of q / alpha with weights w, for one action. */
static inline double log_softmax(const double *q, const double *w, double alpha, int action) {
    double sum = 0;
    for (int u = 0; u < U; u++)
        sum += w[u] * exp((q[u] - q[action]) / alpha);
    return log(w[action] / sum);
}

#endif
