/* Exact soft policy iteration, written here, gives policies from which the utility comes back. */
#include "check.h"

#include "inverse/inversion.h"
#include "problems.h"

#include <string.h>

enum { S = 7, U = 3, K = 5, CELLS = S * U };
#define GAMMA 0.9

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_estimates *estimates;
    asif_features features;
    uint32_t parameters;
    double tau[U][S][S], coefficient[CELLS][CELLS], truth[CELLS], v[U][S], prior[U];
    bool terminal[S];
    double policy[K][S][U], weight[K - 1][S][U];
} learner;

/* x of a x = b, by elimination. */
static void eliminate(double a[S][S], double b[S]) {
    for (int i = 0; i < S; i++) {
        int best = i;
        for (int r = i; r < S; r++)
            best = fabs(a[r][i]) > fabs(a[best][i]) ? r : best;
        for (int c = 0; c < S; c++) {
            double t = a[i][c];
            a[i][c] = a[best][c];
            a[best][c] = t;
        }
        double t = b[i];
        b[i] = b[best];
        b[best] = t;
        for (int r = 0; r < S; r++) {
            double f = r == i ? 0 : a[r][i] / a[i][i];
            for (int c = 0; c < S; c++)
                a[r][c] -= f * a[i][c];
            b[r] -= f * b[i];
        }
    }
    for (int i = 0; i < S; i++)
        b[i] /= a[i][i];
}

/* One step of soft policy iteration under a utility [action][state]. */
static void improve(const learner *l, double v[U][S], double alpha, double now[S][U], double next[S][U]) {
    double a[S][S], value[S];
    for (int s = 0; s < S; s++) {
        value[s] = 0;
        for (int t = 0; t < S; t++)
            a[s][t] = s == t;
        for (int u = 0; u < U; u++) {
            value[s] += now[s][u] * (v[u][s] - alpha * log(now[s][u] / l->prior[u]));
            for (int t = 0; t < S; t++)
                a[s][t] -= l->terminal[s] ? 0 : GAMMA * now[s][u] * l->tau[u][s][t];
        }
    }
    eliminate(a, value);
    for (int s = 0; s < S; s++) {
        double sum = 0;
        for (int u = 0; u < U; u++) {
            double q = v[u][s];
            for (int t = 0; t < S; t++)
                q += l->terminal[s] ? 0 : GAMMA * l->tau[u][s][t] * value[t];
            next[s][u] = l->prior[u] * exp((q - value[s]) / alpha);
            sum += next[s][u];
        }
        for (int u = 0; u < U; u++)
            next[s][u] /= sum;
    }
}

/* The learner's last word: where iteration leaves the policy as it is. */
static void converge(const learner *l, double v[U][S], double alpha, double policy[S][U]) {
    double next[S][U];
    for (int s = 0; s < S; s++)
        for (int u = 0; u < U; u++)
            policy[s][u] = 1.0 / U;
    for (int i = 0; i < 200; i++) {
        improve(l, v, alpha, policy, next);
        memcpy(policy, next, sizeof next);
    }
}

static void make(learner *l, uint32_t parameters, bool ends, double alpha) {
    uint64_t seed = 17 + parameters;
    asif_error error = ASIF_ERROR_INIT;
    memset(l, 0, sizeof *l);
    l->parameters = parameters;
    assert_int_equal(asif_context_create(&l->context, NULL, NULL), ASIF_OK);
    for (int u = 0; u < U; u++) {
        l->prior[u] = ends ? (1. + u) / 6 : 1.0 / U;
        for (int s = 0; s < S; s++) {
            double sum = 0;
            for (int t = 0; t < S; t++)
                sum += l->tau[u][s][t] = make_uniform(&seed) < .4 || t == s ? make_uniform(&seed) + .01 : 0;
            for (int t = 0; t < S; t++)
                l->tau[u][s][t] /= sum;
        }
    }
    l->terminal[S - 1] = ends;

    static char names[CELLS][16];
    const char *name[CELLS];
    static asif_utility_term term[CELLS * CELLS];
    asif_matrix matrix[U];
    uint32_t which[2 * U];
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    for (uint32_t u = 0; u < U; u++) {
        matrix[u] = (asif_matrix){.rows = S, .columns = S, .value = &l->tau[u][0][0]};
        which[u] = which[U + u] = u;
    }
    for (uint32_t k = 0; k < parameters; k++) {
        snprintf(names[k], sizeof names[k], "f%u", k);
        name[k] = names[k];
        l->truth[k] = 4 * make_uniform(&seed) - 2;
        for (uint32_t c = 0; c < CELLS; c++) {
            double f = parameters == CELLS ? c == k : 2 * make_uniform(&seed) - 1;
            l->coefficient[k][c] = f;
            l->v[c / S][c % S] += l->truth[k] * f;
            term[spec.terms++] = (asif_utility_term){
                .by = ASIF_BY_STATE, .parameter = k, .action = c / S, .index = c % S, .coefficient = f};
        }
    }
    double start[S] = {1};
    spec.states = S;
    spec.actions = U;
    spec.parameters = parameters;
    spec.parameter_names = name;
    spec.matrices = U;
    spec.matrix = matrix;
    spec.transitions = which;
    spec.environment_start = start;
    spec.action_prior = l->prior;
    spec.terminal = l->terminal;
    spec.discount = GAMMA;
    spec.term = term;
    assert_int_equal(asif_setting_create(&l->setting, l->context, &spec, &error), ASIF_OK);
    assert_int_equal(asif_theta_create(&l->theta, l->context, l->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(l->theta, "alpha", alpha, NULL), ASIF_OK);
    asif_estimate_spec learn[CELLS];
    for (uint32_t k = 0; k < parameters; k++)
        learn[k] = (asif_estimate_spec){.name = name[k], .prior = "normal(0, 10)", .standard = k % 2 ? 1 : 0};
    asif_status status = asif_estimates_create(&l->estimates, l->context, l->theta, learn, parameters,
                                               ASIF_PRIORS_STATED, NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    assert_int_equal(asif_features_create(&l->features, l->context, l->setting, l->estimates, "test", &error),
                     ASIF_OK);

    for (int s = 0; s < S; s++)
        for (int u = 0; u < U; u++)
            l->policy[0][s][u] = 1.0 / U;
    for (int k = 0; k + 1 < K; k++) {
        improve(l, l->v, alpha, l->policy[k], l->policy[k + 1]);
        for (int s = 0; s < S; s++)
            for (int u = 0; u < U; u++)
                l->weight[k][s][u] = (s + u + k) % 5 == 0 ? 0 : 1 + 20 * make_uniform(&seed);
    }
}

static void drop(learner *l) {
    asif_features_free(&l->features);
    asif_estimates_free(l->estimates);
    asif_theta_free(l->theta);
    asif_setting_free(l->setting);
    asif_context_free(l->context);
}

static void solve(learner *l, double alpha, double *x, asif_regression *r) {
    asif_error error = ASIF_ERROR_INIT;
    asif_learner learning = {.setting = l->setting,
                             .batches = K,
                             .policy = &l->policy[0][0][0],
                             .weight = &l->weight[0][0][0],
                             .alpha = alpha,
                             .discount = GAMMA,
                             .prior = l->prior};
    assert_int_equal(asif_inversion_create(r, l->context, &l->features, &learning, &error), ASIF_OK);
    asif_status status = asif_regression_answer(r, 2, l->estimates, "test", x, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
}

/* Misses at x, of the rows that the regression is made of. */
static double residual(const asif_regression *r, const double *x) {
    double sum = 0;
    for (uint64_t i = 0; i < r->rows; i++) {
        double miss = r->target[i];
        for (uint32_t k = 0; k < r->features->count; k++)
            miss -= r->row[i * r->features->count + k] * x[k];
        sum += miss * miss;
    }
    return sqrt(sum);
}

static void few_features(void **state) {
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        learner l;
        asif_regression r;
        double x[CELLS], alpha = ends ? .4 : 1.3;
        make(&l, 4, ends, alpha);
        solve(&l, alpha, x, &r);
        assert_int_equal(r.normal.silent, 0);
        CHECK(residual(&r, x) < 1e-10, "%g", residual(&r, x));
        CHECK(residual(&r, l.truth) < 1e-10, "%g", residual(&r, l.truth));
        for (uint32_t k = 0; k < l.parameters; k++)
            CHECK_NEAR(x[k], l.truth[k], 1e-9);
        x[1] += .1;
        CHECK(residual(&r, x) > 1e-3, "it cannot tell");
        asif_regression_free(&r);
        drop(&l);
    }
}

/* Every cell on its own: known up to shaping, v + h(s) - gamma sum tau h(s'), which no agent sees. */
static void every_cell(void **state) {
    (void)state;
    learner l;
    asif_regression r;
    double x[CELLS], v[U][S], got[S][U], want[S][U], a[S][S], h[S];
    make(&l, CELLS, false, 1);
    for (int k = 0; k + 1 < K; k++)
        for (int s = 0; s < S; s++)
            for (int u = 0; u < U; u++)
                l.weight[k][s][u] = 1;
    solve(&l, 1, x, &r);
    CHECK(residual(&r, x) < 1e-10, "%g", residual(&r, x));
    assert_int_equal(r.normal.silent, S); /* one direction for each potential */
    memcpy(v, x, sizeof v);
    converge(&l, v, 1, got);
    converge(&l, l.v, 1, want);
    for (int s = 0; s < S; s++)
        for (int u = 0; u < U; u++)
            CHECK_NEAR(got[s][u], want[s][u], 1e-9);
    /* the potential is found from the first action, and explains the others */
    for (int s = 0; s < S; s++) {
        h[s] = v[0][s] - l.v[0][s];
        for (int t = 0; t < S; t++)
            a[s][t] = (s == t) - GAMMA * l.tau[0][s][t];
    }
    eliminate(a, h);
    for (int s = 0; s < S; s++)
        for (int u = 1; u < U; u++) {
            double shaped = h[s];
            for (int t = 0; t < S; t++)
                shaped -= GAMMA * l.tau[u][s][t] * h[t];
            CHECK_NEAR(v[u][s] - l.v[u][s], shaped, 1e-9);
        }
    asif_regression_free(&r);
    drop(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_features), cmocka_unit_test(every_cell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
