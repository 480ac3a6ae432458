/* Hidden dynamics: gradients in logits against differences, order of states, draws where the posterior is
 * known (by a closed form, and by a grid), memory that runs out. tests/oracle/test_dynamics.py has
 * likelihoods and maxima of an independent implementation. */
#include "check.h"

#include "base/random.h"
#include "dynamics/dynamics.h"
#include "dynamics/variates.h"
#include "logs/tree/tree.h"

#include <string.h>

enum { S = 3, U = 2, X = 4, MOST_ALLOCATIONS = 5000 };

static asif_context *new_context(uint32_t threads) {
    asif_context *context;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    return context;
}

/* Episodes of random actions and observations, some of which are missing. */
static asif_tree *random_tree(const asif_context *context, uint64_t seed, uint32_t episodes, uint32_t actions,
                              uint32_t observations) {
    static const char *const name[] = {"a", "b", "c", "d", "e", "f"};
    asif_tree_builder *b;
    asif_tree *tree = NULL;
    asif_stream stream = {seed, ASIF_FOR_TESTS, 0};
    uint32_t used = 0;
    assert_int_equal(asif_tree_begin(&b, context, 1, false, NULL), ASIF_OK);
    for (uint32_t e = 0; e < episodes; e++) {
        assert_int_equal(asif_tree_episode(b, 0, ASIF_NO_UNIT, NULL), ASIF_OK);
        uint32_t steps = 1 + (uint32_t)(4 * asif_uniform(&stream, used++));
        for (uint32_t t = 0; t < steps; t++) {
            uint32_t u = (uint32_t)(actions * asif_uniform(&stream, used++));
            uint32_t x = (uint32_t)(observations * asif_uniform(&stream, used++));
            bool seen = asif_uniform(&stream, used++) < .9;
            assert_int_equal(asif_tree_act(b, u, 1, 0, NULL), ASIF_OK);
            assert_int_equal(asif_tree_move(b, u, seen ? x : ASIF_ANY, 0, NULL), ASIF_OK);
        }
    }
    asif_tree_labels labels = {actions, observations, name, name};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, NULL, NULL, NULL), ASIF_OK);
    return tree;
}

/* Shared transitions; emissions by action, of which the second action excludes the first observation. */
static const bool masked[S * X] = {0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1};
static const asif_dynamics_table tables[] = {{"start", 1, S, NULL, NULL},
                                             {"transitions", S, S, NULL, NULL},
                                             {"first", S, X, NULL, NULL},
                                             {"second", S, X, NULL, NULL}};
static const uint32_t shared[U] = {1, 1}, by_action[U] = {2, 3};

static asif_dynamics *new_model(const asif_context *context, const asif_tree *tree) {
    asif_dynamics *d;
    asif_dynamics_spec spec = ASIF_DYNAMICS_SPEC_INIT;
    spec.states = S;
    spec.actions = U;
    spec.observations = X;
    spec.tables = 4;
    spec.table = tables;
    spec.transitions = shared;
    spec.emissions = by_action;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_OK);
    return d;
}

static double posterior(const asif_dynamics *d, const uint64_t *reference, const double *x, double prior,
                        double *gradient) {
    double point[64], count[64], value;
    asif_dynamics_from_logits(d, reference, x, point);
    assert_int_equal(asif_dynamics_loglik(&value, count, d, point, NULL), ASIF_OK);
    for (uint64_t i = 0; i < d->cells; i++)
        count[i] += d->learnt[i] ? prior : 0;
    if (gradient)
        asif_dynamics_logit_gradient(d, reference, point, count, gradient);
    return value + asif_dynamics_log_prior(d, point, prior);
}

static void test_gradient(void **state) {
    (void)state;
    asif_context *context = new_context(1);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        asif_tree *tree = random_tree(context, seed, 60, U, X);
        asif_dynamics *d = new_model(context, tree);
        asif_stream stream = {seed, ASIF_FOR_TESTS, 1};
        uint64_t reference[16];
        double x[64], gradient[64], point[64];
        assert_true(d->free <= 64 && d->cells <= 64);
        for (uint64_t i = 0; i < d->cells; i++)
            point[i] = asif_uniform(&stream, (uint32_t)i);
        asif_dynamics_normalise(d, point);
        asif_dynamics_references(d, point, reference);
        asif_dynamics_to_logits(d, reference, point, x);
        posterior(d, reference, x, .7, gradient);
        for (uint32_t i = 0; i < d->free; i++) {
            double at = x[i], h = 1e-5;
            x[i] = at + h;
            double high = posterior(d, reference, x, .7, NULL);
            x[i] = at - h;
            double low = posterior(d, reference, x, .7, NULL);
            x[i] = at;
            CHECK_NEAR(gradient[i], (high - low) / (2 * h), 1e-6);
        }
        asif_dynamics_free(d);
        asif_tree_free(tree);
    }
    asif_context_free(context);
}

/* States can be renamed: the likelihood stays, and learning puts them in the stated order. */
static void test_order(void **state) {
    (void)state;
    asif_context *context = new_context(1);
    asif_tree *tree = random_tree(context, 4, 100, U, X);
    asif_dynamics *d = new_model(context, tree);
    asif_dynamics_fit *fit;
    asif_dynamics_estimate e = {.struct_size = sizeof e};
    asif_dynamics_options options = ASIF_DYNAMICS_OPTIONS_INIT;
    options.starts = 3;
    assert_true(d->symmetric);
    assert_int_equal(asif_dynamics_learn(&fit, d, &options, NULL), ASIF_OK);
    assert_int_equal(asif_dynamics_fit_get(fit, &e, NULL), ASIF_OK);
    assert_int_equal(e.order, ASIF_ORDER_MEAN_CLASS);
    double permuted[64], value, score[S] = {0};
    uint32_t order[S] = {2, 0, 1};
    asif_dynamics_permute(d, e.point, order, permuted);
    assert_int_equal(asif_dynamics_loglik(&value, NULL, d, permuted, NULL), ASIF_OK);
    CHECK_NEAR(value, e.log_likelihood, 1e-12);
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t x = 0; x < X; x++)
            score[s] += x * (e.point[d->first[2] + s * X + x] + e.point[d->first[3] + s * X + x]) / 2;
    assert_true(score[0] <= score[1] && score[1] <= score[2]);
    asif_dynamics_fit_free(fit);
    asif_dynamics_free(d);

    /* States that only go on, never back, have their order from the tables. */
    asif_dynamics_table ordered[4];
    static const bool onward[S * S] = {1, 1, 1, 0, 1, 1, 0, 0, 1};
    memcpy(ordered, tables, sizeof ordered);
    ordered[1].possible = onward;
    asif_dynamics_spec spec = ASIF_DYNAMICS_SPEC_INIT;
    spec.states = S;
    spec.actions = U;
    spec.observations = X;
    spec.tables = 4;
    spec.table = ordered;
    spec.transitions = shared;
    spec.emissions = by_action;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_OK);
    assert_false(d->symmetric);
    assert_int_equal(asif_dynamics_learn(&fit, d, &options, NULL), ASIF_OK);
    assert_int_equal(asif_dynamics_fit_get(fit, &e, NULL), ASIF_OK);
    assert_int_equal(e.order, ASIF_ORDER_STRUCTURE);
    assert_true(e.point[d->first[1] + S] == 0 && e.kind[d->first[1] + S] == ASIF_CELL_IMPOSSIBLE);
    asif_dynamics_fit_free(fit);
    asif_dynamics_free(d);
    asif_tree_free(tree);
    asif_context_free(context);
}

/* ---- random variates ---- */

static void test_variates(void **state) {
    (void)state;
    enum { N = 20000 };
    static const struct { double n, p; } rows[] = {{5, .3}, {40, .5}, {1000, .01}, {1000, .9}, {1e6, .25}};
    asif_variates v = {{7, ASIF_FOR_TESTS, 0}, 0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double sum = 0, square = 0, n = rows[k].n, p = rows[k].p, sd = sqrt(n * p * (1 - p));
        for (int i = 0; i < N; i++) {
            double x = (asif_binomial_variate(&v, n, p) - n * p) / sd;
            sum += x;
            square += x * x;
        }
        assert_true(fabs(sum / N) < 5 / sqrt(N));
        assert_true(fabs(square / N - 1) < 5 * sqrt(2.0 / N) * (n * p < 20 ? 1.5 : 1));
    }
    for (double shape = .3; shape < 40; shape *= 5) {
        double sum = 0, square = 0;
        for (int i = 0; i < N; i++) {
            double x = (asif_gamma_variate(&v, shape) - shape) / sqrt(shape);
            sum += x;
            square += x * x;
        }
        assert_true(fabs(sum / N) < 5 / sqrt(N));
        assert_true(fabs(square / N - 1) < 5 * sqrt((2 + 6 / shape) / N));
    }
}

/* ---- draws ---- */

/* Emissions that show the state: rows of the transitions are Dirichlet with counts that are known. */
static void test_draws_of_seen_states(void **state) {
    (void)state;
    enum { K = 2, DRAWS = 4000, CELLS = 2 + 4 + 4 };
    asif_context *context = new_context(2);
    asif_tree *tree = random_tree(context, 9, 80, 1, K);
    static const double shows[K * K] = {1, 0, 0, 1}, even[K] = {.5, .5};
    const asif_dynamics_table t[] = {
        {NULL, 1, K, NULL, even}, {NULL, K, K, NULL, NULL}, {NULL, K, K, NULL, shows}};
    static const uint32_t move = 1, emit = 2;
    asif_dynamics_spec spec = {.struct_size = sizeof spec,
                               .states = K,
                               .actions = 1,
                               .observations = K,
                               .starts = 1,
                               .columns = 1,
                               .tables = 3,
                               .table = t,
                               .transitions = &move,
                               .emissions = &emit};
    asif_dynamics *d;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_OK);
    assert_false(d->symmetric);
    /* A grid over the two free numbers, from the likelihood: observations that are missing hide some states.
     */
    enum { GRID = 200 };
    double point[CELLS] = {.5, .5}, mean[2] = {0, 0}, square[2] = {0, 0}, total = 0, most = -1e9;
    static double value[GRID][GRID];
    for (int i = 0; i < GRID; i++)
        for (int k = 0; k < GRID; k++) {
            double a = (i + .5) / GRID, b = (k + .5) / GRID;
            point[2] = a, point[3] = 1 - a, point[4] = b, point[5] = 1 - b;
            assert_int_equal(asif_dynamics_loglik(&value[i][k], NULL, d, point, NULL), ASIF_OK);
            value[i][k] += .5 * (log(a) + log(1 - a) + log(b) + log(1 - b));
            most = fmax(most, value[i][k]);
        }
    for (int i = 0; i < GRID; i++)
        for (int k = 0; k < GRID; k++) {
            double w = exp(value[i][k] - most), at[2] = {(i + .5) / GRID, (k + .5) / GRID};
            total += w;
            for (int m = 0; m < 2; m++) {
                mean[m] += w * at[m];
                square[m] += w * at[m] * at[m];
            }
        }
    asif_dynamics_draw_options options = ASIF_DYNAMICS_DRAW_OPTIONS_INIT;
    asif_dynamics_draw_info info;
    options.draws = DRAWS;
    options.thin = 4;
    options.prior = .5;
    static double out[DRAWS * CELLS], alone[DRAWS * CELLS];
    assert_int_equal(asif_dynamics_draw(out, d, point, &options, &info, NULL), ASIF_OK);
    assert_true(info.least_ess > DRAWS / 2 && info.worst_rhat < 1.02);
    for (int m = 0; m < 2; m++) {
        double sum = 0, two = 0, expected = mean[m] / total;
        double sd = sqrt(square[m] / total - expected * expected);
        for (int i = 0; i < DRAWS; i++) {
            double x = out[i * CELLS + 2 + 2 * m] - expected;
            sum += x;
            two += x * x;
        }
        assert_true(fabs(sum / DRAWS) < 6 * sd / sqrt(DRAWS / 2.));
        CHECK_NEAR(sqrt(two / DRAWS), sd, .06 * sd);
    }
    asif_context *one = new_context(1);
    asif_dynamics *same;
    assert_int_equal(asif_dynamics_create(&same, one, &spec, tree, NULL), ASIF_OK);
    assert_int_equal(asif_dynamics_draw(alone, same, point, &options, NULL, NULL), ASIF_OK);
    assert_memory_equal(out, alone, sizeof out);
    asif_dynamics_free(same);
    asif_context_free(one);
    asif_dynamics_free(d);
    asif_tree_free(tree);
    asif_context_free(context);
}

/* ---- refusals ---- */

static void test_refusals(void **state) {
    (void)state;
    asif_context *context = new_context(1);
    asif_tree *tree = random_tree(context, 1, 20, U, X);
    asif_dynamics *d;
    static const uint32_t none[U] = {9, 9};
    static const bool nothing[S * X] = {0};
    asif_dynamics_table bad[4];
    asif_dynamics_spec good = {.struct_size = sizeof good,
                               .states = S,
                               .actions = U,
                               .observations = X,
                               .starts = 1,
                               .columns = 1,
                               .tables = 4,
                               .table = tables,
                               .transitions = shared,
                               .emissions = by_action},
                       spec = good;
    spec.transitions = none;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_EDOMAIN);
    spec = good;
    spec.transitions = by_action;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_EDOMAIN);
    spec = good;
    spec.columns = 2;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_EDOMAIN);
    memcpy(bad, tables, sizeof bad);
    bad[2].possible = nothing;
    spec = good;
    spec.table = bad;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_EDOMAIN);
    asif_tree *other = random_tree(context, 1, 20, U, X - 1);
    assert_int_equal(asif_dynamics_create(&d, context, &good, other, NULL), ASIF_EINVALID);
    asif_tree_free(other);

    /* Observations that the tables exclude make every start impossible. */
    asif_dynamics_fit *fit;
    bad[2] = tables[2];
    bad[3].possible = masked;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_dynamics_create(&d, context, &spec, tree, NULL), ASIF_OK);
    assert_int_equal(asif_dynamics_learn(&fit, d, NULL, &error), ASIF_EZEROPR);
    assert_null(fit);
    asif_dynamics_free(d);
    asif_tree_free(tree);
    asif_context_free(context);
}

static void test_memory(void **state) {
    (void)state;
    asif_context *context = new_context(1), *weak;
    asif_tree *tree = random_tree(context, 2, 20, U, X);
    for (long left = 0; left < MOST_ALLOCATIONS; left += left < 60 ? 1 : 7) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        assert_int_equal(asif_context_create(&weak, &options, NULL), ASIF_OK);
        asif_dynamics *d = NULL;
        asif_dynamics_fit *fit = NULL;
        asif_dynamics_spec spec = {.struct_size = sizeof spec,
                                   .states = S,
                                   .actions = U,
                                   .observations = X,
                                   .starts = 1,
                                   .columns = 1,
                                   .tables = 4,
                                   .table = tables,
                                   .transitions = shared,
                                   .emissions = by_action};
        asif_dynamics_options how = ASIF_DYNAMICS_OPTIONS_INIT;
        asif_dynamics_draw_options draw = ASIF_DYNAMICS_DRAW_OPTIONS_INIT;
        how.starts = 1;
        draw.draws = draw.thin = 2;
        draw.warmup = 0;
        double out[128];
        memory.left = left;
        asif_status status = asif_dynamics_create(&d, weak, &spec, tree, NULL);
        if (status == ASIF_OK)
            status = asif_dynamics_learn(&fit, d, &how, NULL);
        if (status == ASIF_OK) {
            asif_dynamics_estimate e = {.struct_size = sizeof e};
            asif_dynamics_draw_info info;
            asif_dynamics_fit_get(fit, &e, NULL);
            status = asif_dynamics_draw(out, d, e.point, &draw, &info, NULL);
        }
        asif_dynamics_fit_free(fit);
        asif_dynamics_free(d);
        asif_context_free(weak);
        assert_int_equal(memory.alive, 0);
        assert_true(status == ASIF_OK || status == ASIF_ENOMEM);
        if (status == ASIF_OK)
            break;
        assert_true(left < MOST_ALLOCATIONS - 7);
    }
    asif_tree_free(tree);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_order),
        cmocka_unit_test(test_variates), cmocka_unit_test(test_draws_of_seen_states),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
