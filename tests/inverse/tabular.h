/* Random problems with observed states: every state and action has a utility of its own, or utility is linear
 * in a few features. Occupancies are computed by Gaussian elimination. */
#ifndef ASIF_TESTS_INVERSE_TABULAR_H
#define ASIF_TESTS_INVERSE_TABULAR_H

#include "check.h"

#include "inverse/inverse.h"
#include "problems.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STATES = 10, MOST_ACTIONS = 4, MOST_CELLS = MOST_STATES * MOST_ACTIONS, MOST_FEATURES = 4 };

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_tree *tree; /* one decision in each state; `count` replaces its counts */
    asif_estimates *estimates;
    uint32_t S, U, free; /* free: number of estimated parameters */
    double discount;
    double tau[MOST_ACTIONS][MOST_STATES * MOST_STATES];
    double start[MOST_STATES];
    double count[MOST_CELLS]; /* [state][action]: the demonstrator's policy */
    double feature[MOST_FEATURES][MOST_CELLS];
    char name[MOST_CELLS][16];
} tabular;

typedef struct {
    uint32_t S, U;
    double discount, alpha;
    bool scores;       /* the last action of every state has utility 0 */
    uint32_t features; /* 0: every state and action has a utility */
    bool learn_alpha;
    bool ends; /* the last state is terminal */
} tabular_options;

static inline void tabular_tree(tabular *t) {
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "episode,t,state,action\n");
    for (uint32_t s = 0; s < t->S; s++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%u,0,%u,0\n", s, s);
    asif_logs_options logs = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    logs.setting = t->setting;
    if (asif_logs_read_text(&t->tree, t->context, text, used, "logs.csv", &logs, NULL, NULL, &error) !=
        ASIF_OK)
        fail_msg("%s", error.message);
}

static inline void tabular_estimates(tabular *t, bool alpha) {
    asif_estimate_spec spec[MOST_CELLS + 1];
    for (uint32_t k = 0; k < t->free; k++)
        spec[k] = (asif_estimate_spec){.name = t->name[k], .prior = "normal(0, 10)", .standard = k % 2};
    spec[t->free] = (asif_estimate_spec){.name = "alpha"};
    t->free += alpha;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_estimates_create(&t->estimates, t->context, t->theta, spec, t->free, ASIF_PRIORS_STATED, NULL,
                              &error) != ASIF_OK)
        fail_msg("%s", error.message);
}

/* Parameter k is the utility of state k / width in action k % width. */
static inline void tabular_open_with(tabular *t, const tabular_options *o, uint64_t *seed,
                                     const asif_context_options *context) {
    uint32_t S = o->S, U = o->U, width = o->scores ? U - 1 : U;
    asif_matrix matrix[MOST_ACTIONS];
    uint32_t transitions[2 * MOST_ACTIONS];
    asif_utility_term term[MOST_FEATURES * MOST_CELLS] = {0};
    const char *names[MOST_CELLS];
    bool terminal[MOST_STATES] = {false};
    memset(t, 0, sizeof *t);
    t->S = S;
    t->U = U;
    t->discount = o->discount;
    for (uint32_t u = 0; u < U; u++) {
        for (uint32_t s = 0; s < S; s++) {
            double *row = t->tau[u] + s * S, sum = 0;
            for (uint32_t k = 0; k < S; k++)
                sum += row[k] = -log(make_uniform(seed));
            for (uint32_t k = 0; k < S; k++)
                row[k] /= sum;
        }
        matrix[u] = (asif_matrix){S, S, false, NULL, NULL, t->tau[u]};
        transitions[u] = transitions[U + u] = u;
    }
    make_row(t->start, S, seed);
    uint32_t terms = S * width;
    for (uint32_t k = 0; k < S * width; k++) {
        term[k] = (asif_utility_term){
            .by = ASIF_BY_STATE, .parameter = k, .action = k % width, .index = k / width, .coefficient = 1};
        snprintf(t->name[k], sizeof t->name[k], "v%u", k);
        names[k] = t->name[k];
    }
    terminal[S - 1] = o->ends;
    t->free = o->features ? o->features : S * width;
    for (uint32_t f = 0, n = 0; f < o->features; f++)
        for (uint32_t k = 0; k < S * U; k++, terms = ++n) {
            t->feature[f][k] = 2 * make_uniform(seed) - 1;
            term[n] = (asif_utility_term){.by = ASIF_BY_STATE,
                                          .parameter = f,
                                          .action = k % U,
                                          .index = k / U,
                                          .coefficient = t->feature[f][k]};
        }
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = S;
    spec.actions = U;
    spec.parameters = t->free;
    spec.parameter_names = names;
    spec.matrices = U;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.environment_start = t->start;
    spec.discount = o->discount;
    spec.terms = terms;
    spec.term = term;
    spec.terminal = terminal;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&t->context, context, NULL), ASIF_OK);
    if (asif_setting_create(&t->setting, t->context, &spec, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(asif_theta_create(&t->theta, t->context, t->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(t->theta, "alpha", o->alpha, NULL), ASIF_OK);
    tabular_tree(t);
    tabular_estimates(t, o->learn_alpha);
}

static inline void tabular_open(tabular *t, const tabular_options *o, uint64_t *seed) {
    tabular_open_with(t, o, seed, NULL);
}

static inline void tabular_close(tabular *t) {
    asif_estimates_free(t->estimates);
    asif_tree_free(t->tree);
    asif_theta_free(t->theta);
    asif_setting_free(t->setting);
    asif_context_free(t->context);
}

/* Solve A x = b in place, with pivots. */
static inline void eliminate(double *a, double *b, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++)
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        for (uint32_t j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (uint32_t i = 0; i < n; i++) {
            double factor = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; j < n && factor != 0; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (uint32_t k = 0; k < n; k++)
        b[k] /= a[k * n + k];
}

/* Compute the occupancy mu [state][action] of a policy [state][action]. */
static inline void tabular_occupancy(const tabular *t, const double *policy, bool ends, double *mu) {
    double a[MOST_STATES * MOST_STATES], d[MOST_STATES];
    for (uint32_t s = 0; s < t->S; s++) {
        d[s] = t->start[s];
        for (uint32_t k = 0; k < t->S; k++)
            a[k * t->S + s] = s == k;
        for (uint32_t u = 0; u < t->U && !(ends && s + 1 == t->S); u++)
            for (uint32_t k = 0; k < t->S; k++)
                a[k * t->S + s] -= t->discount * policy[s * t->U + u] * t->tau[u][s * t->S + k];
    }
    eliminate(a, d, t->S);
    for (uint32_t s = 0; s < t->S; s++)
        for (uint32_t u = 0; u < t->U; u++)
            mu[s * t->U + u] = (1 - t->discount) * d[s] * policy[s * t->U + u];
}

/* Set `count` to random shares of actions: the larger `sharp`, the clearer the preferences. */
static inline void tabular_demonstrator(tabular *t, double sharp, uint64_t *seed) {
    for (uint32_t s = 0; s < t->S; s++) {
        double sum = 0, *row = t->count + s * t->U;
        for (uint32_t u = 0; u < t->U; u++)
            sum += row[u] = exp(sharp * make_uniform(seed));
        for (uint32_t u = 0; u < t->U; u++)
            row[u] /= sum;
    }
}

/* Compute the policy of a solved workspace in all states. */
static inline void tabular_policy(const tabular *t, const asif_work *work, double *policy) {
    for (uint32_t s = 0; s < t->S; s++) {
        double state[1] = {s};
        assert_int_equal(
            asif_behavior_log_policy(asif_work_behavior(work), 1, state, policy + s * t->U, NULL), ASIF_OK);
    }
    for (uint32_t i = 0; i < t->S * t->U; i++)
        policy[i] = exp(policy[i]);
}

static inline double apart(const double *a, const double *b, uint32_t n) {
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ---- logs of an agent with known utilities ---- */

static inline asif_work *tabular_solve(const tabular *t, const double *truth) {
    asif_work *work;
    asif_theta *theta;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_theta_copy(&theta, t->theta, NULL), ASIF_OK);
    for (uint32_t k = 0; k < t->free; k++)
        assert_int_equal(asif_theta_set(theta, t->name[k], truth[k], NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&work, t->context, NULL, t->setting, NULL, NULL), ASIF_OK);
    if (asif_solve(work, theta, NULL, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    asif_theta_free(theta);
    return work;
}

static inline void tabular_agent(const tabular *t, const double *truth, double *policy) {
    asif_work *work = tabular_solve(t, truth);
    tabular_policy(t, work, policy);
    asif_work_free(work);
}

typedef struct {
    double *count;
    uint32_t U;
} tabular_counting;

static inline asif_status tabular_take(void *user, const asif_decision *d) {
    tabular_counting *c = user;
    c->count[d->state * c->U + d->action] += 1;
    return ASIF_OK;
}

static inline void tabular_simulate(tabular *t, const double *truth, uint64_t episodes, uint32_t steps) {
    asif_work *work = tabular_solve(t, truth);
    asif_simulate_options o = ASIF_SIMULATE_OPTIONS_INIT;
    tabular_counting c = {t->count, t->U};
    o.episodes = episodes;
    o.max_steps = steps;
    memset(t->count, 0, sizeof t->count);
    assert_int_equal(asif_simulate(asif_work_behavior(work), &o, tabular_take, &c, NULL), ASIF_OK);
    for (uint32_t s = 0; s < t->S; s++) {
        double sum = 0;
        for (uint32_t u = 0; u < t->U; u++)
            sum += t->count[s * t->U + u];
        assert_true(sum > 0);
        for (uint32_t u = 0; u < t->U; u++)
            t->count[s * t->U + u] /= sum;
    }
    asif_work_free(work);
}

/* The loss of a policy against the true agent, relative to that of acting at random. The objective is utility
 * minus alpha times the cost of choices. */
static inline double tabular_loss(const tabular *t, const double *truth, const double *policy) {
    double own[MOST_CELLS], flat[MOST_CELLS], mu[MOST_CELLS], value[3] = {0}, alpha;
    tabular_agent(t, truth, own);
    assert_int_equal(asif_theta_get(t->theta, "alpha", &alpha, NULL), ASIF_OK);
    for (uint32_t i = 0; i < t->S * t->U; i++)
        flat[i] = 1.0 / t->U;
    const double *const policies[] = {own, policy, flat};
    for (int p = 0; p < 3; p++) {
        tabular_occupancy(t, policies[p], false, mu);
        for (uint32_t i = 0; i < t->S * t->U; i++) {
            value[p] -= mu[i] * alpha * log(t->U * policies[p][i]);
            for (uint32_t f = 0; f < t->free; f++)
                value[p] += mu[i] * truth[f] * t->feature[f][i];
        }
    }
    return (value[0] - value[1]) / (value[0] - value[2]);
}

/* Maximise the objective of an inverse planner: sets the point x and the policy there, and returns how the
 * search went. */
static inline asif_maximum_info tabular_fit(const tabular *t, const char *planner, const char *inverse,
                                            const asif_inverse_options *asked, double tol, double *x,
                                            double *policy) {
    asif_work *work = NULL;
    asif_target *target = NULL;
    const asif_work *solved = NULL;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    asif_maximise_options how = ASIF_MAXIMISE_OPTIONS_INIT;
    asif_maximum_info info = {0};
    asif_error error = ASIF_ERROR_INIT;
    options.inverse = inverse;
    options.inverse_options = asked;
    options.count = t->count;
    options.objective_only = true;
    how.tol = tol;
    how.no_polish = true;
    if (asif_work_create(&work, t->context, planner, t->setting, NULL, &error) != ASIF_OK ||
        asif_target_create(&target, work, t->estimates, t->tree, &options, &error) != ASIF_OK ||
        asif_maximise(x, t->context, asif_target_density(target), 1, &how, &info, &error) != ASIF_OK ||
        asif_target_solve(target, x, &solved, &error) != ASIF_OK)
        fail_msg("%s with %s: %s", inverse, planner, error.message);
    tabular_policy(t, solved, policy);
    asif_target_free(target);
    asif_work_free(work);
    return info;
}

#endif
