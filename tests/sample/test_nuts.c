/* NUTS on targets of known answer, and its transition by itself. ctest label: slow */
#include "check.h"
#include "sample/chains/adapt.h"
#include "sample/chains/nuts.h"
#include "targets.h"

#include "base/random.h"

#include <string.h>

#define MOST_CHAINS 4

static asif_context *context;

static asif_draws *sample(asif_density density, asif_sample_options options) {
    asif_density densities[MOST_CHAINS] = {density, density, density, density};
    asif_draws *draws;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_sample(&draws, context, densities, &options, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    return draws;
}

/* ---- means and variances ---- */

static void test_normals(void **state) {
    (void)state;
    const target_normal cases[] = {{1, 0}, {2, 0.95}, {10, 0.8}, {50, 0.9}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        target_normal t = cases[k];
        asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
        options.target_accept = 0.8; /* Stan's */
        asif_draws *draws = sample(target_normal_density(&t), options);
        asif_draws_view v = {.struct_size = sizeof v};
        assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
        double ess = 0;
        for (uint32_t i = 0; i < t.n; i++) {
            target_check(draws, i, i, (1 + i / 10.0) * (1 + i / 10.0));
            ess += target_ess(v.value + i * v.chains * v.draws, v.chains, v.draws) / t.n;
        }
        /* Stan, too, has more effective than actual draws here: successive ones are negatively correlated. */
        CHECK(t.n < 10 || ess > (double)(v.chains * v.draws), "dimension %u: %.0f effective draws", t.n, ess);
        assert_true(target_stat(draws, ASIF_STAT_DIVERGED) == 0);
        double accept = target_stat(draws, ASIF_STAT_ACCEPT);
        CHECK(accept > 0.7 && accept < 0.97, "dimension %u: accepts %g, aims at 0.8", t.n, accept);
        asif_draws_free(draws);
    }
}

static void test_metric(void **state) {
    (void)state;
    target_normal t = {3, 0.9};
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.warmup = 4000;
    asif_draws *draws = sample(target_normal_density(&t), options);
    asif_draws_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            double want = (1 + i / 10.0) * (1 + j / 10.0) * pow(0.9, fabs((double)i - j));
            CHECK_NEAR(v.metric[i * 3 + j], want, 0.2);
        }
    for (uint32_t c = 0; c < v.chains; c++)
        for (uint64_t i = 0; i < v.draws; i++)
            assert_true(v.stat[(ASIF_STAT_STEP * v.chains + c) * v.draws + i] == v.step[c]);
    asif_draws_free(draws);
}

static void test_banana(void **state) {
    (void)state;
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.draws = 4000;
    options.target_accept = 0.95;
    asif_draws *draws = sample(target_banana_density(), options);
    target_check(draws, 0, 0, 4);
    target_check(draws, 1, 0, 9);
    asif_draws_free(draws);
}

/* Points of the banana as a guess: warm-up has only to tune the step. A guess that is wrong by far, of no
 * bend and five times as wide, changes nothing about the answer. */
static void test_guess(void **state) {
    (void)state;
    enum { GUESSES = 1000 };
    double guess[2 * GUESSES];
    asif_stream stream = {5, ASIF_FOR_TESTS, 1};
    for (int wrong = 0; wrong < 2; wrong++) {
        for (uint32_t i = 0; i < GUESSES; i++) {
            double a = asif_normal(&stream, 2 * i), b = asif_normal(&stream, 2 * i + 1);
            guess[2 * i] = wrong ? 10 * a : 2 * a;
            guess[2 * i + 1] = wrong ? 15 * b : (4 * a * a - 4) / 2 + b;
        }
        asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
        options.warmup = 100;
        options.draws = 4000;
        options.guess = guess;
        options.guesses = GUESSES;
        options.settled = true;
        asif_draws *draws = sample(target_banana_density(), options);
        asif_draws_view v = {.struct_size = sizeof v};
        assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
        target_check(draws, 0, 0, 4);
        target_check(draws, 1, 0, 9);
        for (int i = 0; i < 4 && !wrong; i++) /* the covariance that was used is that of the guess */
            CHECK_NEAR(v.metric[i], i == 0 ? 4 : i == 3 ? 9 : 0, 1);
        asif_draws_free(draws);
    }
}

static void test_bounded(void **state) {
    (void)state;
    asif_draws *draws = sample(target_bounded_density(), (asif_sample_options)ASIF_SAMPLE_OPTIONS_INIT);
    target_check(draws, 0, 1.5, 0.75);
    target_check(draws, 1, 2.0 / 7, 10.0 / (49 * 8));
    asif_draws_free(draws);
}

static void test_edge(void **state) {
    (void)state;
    const double start[] = {1, 1, 1, 1};
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.start = start;
    options.draws = 4000;
    asif_draws *draws = sample(target_edge_density(), options);
    target_check(draws, 0, 1, 1);
    assert_true(target_stat(draws, ASIF_STAT_DIVERGED) > 0);
    asif_draws_free(draws);
}

/* A mild funnel can be sampled as it stands; Neal's own cannot, and says so. */
static void test_funnel(void **state) {
    (void)state;
    target_funnel mild = {3, 1}, hard = {10, 3};
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.draws = 4000;
    options.target_accept = 0.95;
    asif_draws *draws = sample(target_funnel_density(&mild), options);
    target_check(draws, 0, 0, 1);
    asif_draws_free(draws);
    options.target_accept = 0.8;
    draws = sample(target_funnel_density(&hard), options);
    assert_true(target_stat(draws, ASIF_STAT_DIVERGED) > 0);
    asif_draws_free(draws);
}

static void test_depth(void **state) {
    (void)state;
    target_normal t = {2, 0.999};
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.warmup = 0;
    options.max_depth = 3;
    asif_draws *draws = sample(target_normal_density(&t), options);
    asif_draws_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_draws_get(draws, &v, NULL), ASIF_OK);
    const double *depth = v.stat + ASIF_STAT_DEPTH * v.chains * v.draws;
    const double *leaps = v.stat + ASIF_STAT_LEAPS * v.chains * v.draws;
    double deepest = 0;
    for (uint64_t i = 0; i < v.chains * v.draws; i++) {
        assert_true(leaps[i] >= pow(2, depth[i]) - 1 && leaps[i] <= 7);
        deepest = fmax(deepest, depth[i]);
    }
    assert_true(deepest == 3);
    asif_draws_free(draws);
}

/* ---- one transition ---- */

static asif_status logistic(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    *value = -x[0] - 2 * log1p(exp(-x[0]));
    gradient[0] = -tanh(x[0] / 2);
    return ASIF_OK;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's distance of values of a distribution function from uniform ones, times sqrt(n). */
static double distance(double *u, uint32_t n) {
    double most = 0;
    qsort(u, n, sizeof *u, ascending);
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fmax((i + 1.0) / n - u[i], u[i] - (double)i / n));
    return most * sqrt(n);
}

/* From exact draws one transition leads to exact draws, whatever the step. 2.2 is exceeded with a probability
 * of 1e-4. */
static void test_invariance(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    static double u[DRAWS];
    const double steps[] = {0.3, 0.9, 1.7, 2.6};
    const double unit = 1.5;
    asif_density density = {.dimension = 1, .evaluate = logistic, .has_gradient = true};
    asif_interruptible_density target = {.density = &density};
    asif_nuts *nuts;
    assert_int_equal(asif_nuts_create(&nuts, context, 1, 10, NULL), ASIF_OK);
    nuts->lower = &unit;
    for (uint32_t k = 0; k < 4; k++) {
        asif_stream stream = {7, ASIF_FOR_TESTS, k};
        for (uint32_t i = 0; i < DRAWS; i++) {
            double start = asif_uniform(&stream, i), x = log(start / (1 - start)), gradient,
                   stat[ASIF_STAT_COUNT];
            asif_point at = {&x, &gradient, 0};
            assert_int_equal(asif_interruptible_density_evaluate(&target, &at), ASIF_OK);
            assert_int_equal(asif_nuts_step(nuts, &target, &at, steps[k], k, i, stat), ASIF_OK);
            u[i] = 1 / (1 + exp(-x));
            assert_true(stat[ASIF_STAT_LP] == at.value);
            assert_true(stat[ASIF_STAT_ENERGY] + at.value >= -1e-12); /* kinetic energy */
            CHECK_NEAR(at.value, log(u[i]) + log(1 - u[i]), 1e-9);
        }
        double d = distance(u, DRAWS);
        CHECK(d < 2.2, "step %g: distance %g", steps[k], d);
    }
    asif_nuts_free(nuts);
}

static double normal_below(double z) {
    return erfc(-z / sqrt(2)) / 2;
}

/* The same where trajectories are long and bent. */
static void test_invariance_bent(void **state) {
    (void)state;
    enum { DRAWS = 50000 };
    static double u[2][DRAWS];
    const double steps[] = {0.2, 0.5}, lower[] = {1, 0, 0.5, 1};
    asif_density density = target_banana_density();
    asif_interruptible_density target = {.density = &density};
    asif_nuts *nuts;
    assert_int_equal(asif_nuts_create(&nuts, context, 2, 10, NULL), ASIF_OK);
    nuts->lower = lower;
    for (uint32_t k = 0; k < 2; k++) {
        asif_stream stream = {8, ASIF_FOR_TESTS, k};
        for (uint32_t i = 0; i < DRAWS; i++) {
            double x[2], gradient[2], stat[ASIF_STAT_COUNT];
            x[0] = 2 * asif_normal(&stream, 2 * i);
            x[1] = (x[0] * x[0] - 4) / 2 + asif_normal(&stream, 2 * i + 1);
            asif_point at = {x, gradient, 0};
            assert_int_equal(asif_interruptible_density_evaluate(&target, &at), ASIF_OK);
            assert_int_equal(asif_nuts_step(nuts, &target, &at, steps[k], k, i, stat), ASIF_OK);
            u[0][i] = normal_below(x[0] / 2);
            u[1][i] = normal_below(x[1] - (x[0] * x[0] - 4) / 2);
        }
        for (uint32_t j = 0; j < 2; j++) {
            double d = distance(u[j], DRAWS);
            CHECK(d < 2.2, "step %g, coordinate %u: distance %g", steps[k], j, d);
        }
    }
    asif_nuts_free(nuts);
}

/* ---- the tree, from its definition ---- */

#define REACH 1100 /* leaps either way */
typedef struct {
    double p[2 * REACH + 1][2];
} orbit;

static void orbit_make(orbit *o, const double *x0, const double *p0, double step) {
    asif_density banana = target_banana_density();
    for (int sign = -1; sign <= 1; sign += 2) {
        double x[] = {x0[0], x0[1]}, p[] = {p0[0], p0[1]}, g[2], value;
        for (int i = 0; i <= REACH; i++) {
            memcpy(o->p[REACH + sign * i], p, sizeof p);
            for (int half = 0; half < 2; half++) {
                banana.evaluate(NULL, x, &value, g, NULL);
                p[0] += sign * step / 2 * g[0];
                p[1] += sign * step / 2 * g[1];
                if (!half)
                    for (int j = 0; j < 2; j++)
                        x[j] += sign * step * p[j];
            }
        }
    }
}

/* Whether the sum of the momenta from one leap to another goes along with those at both of these. */
static bool along(const orbit *o, int from, int to) {
    double sum[2] = {0};
    for (int i = from < to ? from : to; i <= (from < to ? to : from); i++)
        for (int j = 0; j < 2; j++)
            sum[j] += o->p[REACH + i][j];
    const double *a = o->p[REACH + from], *b = o->p[REACH + to];
    return a[0] * sum[0] + a[1] * sum[1] > 0 && b[0] * sum[0] + b[1] * sum[1] > 0;
}

/* The same for 2^depth leaps as a whole, and for each half with the neighbour in the other. */
static bool straight(const orbit *o, int from, int size) {
    int last = from + size - 1, middle = from + size / 2;
    return along(o, from, last) && along(o, from, middle) && along(o, middle - 1, last);
}

/* Leaps until a subtree of 2^depth in this direction from `next` on turns back; *good: none does. */
static int grow(const orbit *o, int next, int sign, int depth, bool *good) {
    for (int made = 1; made <= 1 << depth; made++)
        for (int size = 2; made % size == 0 && size <= 1 << depth; size *= 2) {
            int end = next + sign * (made - 1);
            if (!straight(o, sign > 0 ? end - size + 1 : end, size)) {
                *good = false;
                return made;
            }
        }
    *good = true;
    return 1 << depth;
}

/* Depth and number of leaps of a tree, whose directions are those of the stream: between two of them come as
 * many numbers as pairs of subtrees were joined. */
static void test_tree(void **state) {
    (void)state;
    const double unit[] = {1, 0, 0, 1}, step = 0.12;
    static orbit o;
    asif_density density = target_banana_density();
    asif_interruptible_density target = {.density = &density};
    asif_nuts *nuts;
    assert_int_equal(asif_nuts_create(&nuts, context, 2, 10, NULL), ASIF_OK);
    nuts->lower = unit;
    double deepest = 0;
    for (uint32_t k = 0; k < 400; k++) {
        asif_stream momenta = {5, ASIF_FOR_MOMENTUM, k}, tree = {5, ASIF_FOR_TREE, k};
        const double p[] = {asif_normal(&momenta, 0), asif_normal(&momenta, 1)};
        double x[] = {0.01 * k - 2, 0.3}, gradient[2], stat[ASIF_STAT_COUNT];
        orbit_make(&o, x, p, step);
        int low = 0, high = 0, depth = 0, leaps = 0;
        uint32_t counter = 0;
        for (bool good = true; good && depth < 10;) {
            int sign = asif_uniform(&tree, counter) < 0.5 ? 1 : -1, size = 1 << depth;
            leaps += grow(&o, sign > 0 ? high + 1 : low - 1, sign, depth, &good);
            if (!good)
                break;
            counter += (uint32_t)size + 1;
            high += sign > 0 ? size : 0;
            low -= sign > 0 ? 0 : size;
            depth++;
            good = straight(&o, low, 2 * size);
        }
        asif_point at = {x, gradient, 0};
        assert_int_equal(asif_interruptible_density_evaluate(&target, &at), ASIF_OK);
        assert_int_equal(asif_nuts_step(nuts, &target, &at, step, 5, k, stat), ASIF_OK);
        assert_int_equal(stat[ASIF_STAT_DEPTH], depth);
        assert_int_equal(stat[ASIF_STAT_LEAPS], leaps);
        deepest = fmax(deepest, depth);
    }
    assert_true(deepest >= 5);
    asif_nuts_free(nuts);
}

/* ---- leaps ---- */

static void leap_some(asif_nuts *nuts, const asif_interruptible_density *target, asif_phase *z, double step,
                      uint32_t count, double *error) {
    double start = asif_nuts_energy(nuts, z);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(asif_nuts_leap(nuts, target, z, step), ASIF_OK);
        *error = fmax(*error, fabs(asif_nuts_energy(nuts, z) - start));
    }
}

static void test_leaps(void **state) {
    (void)state;
    const double lower[] = {1.2, 0, -0.4, 0.7};
    asif_density density = target_banana_density();
    asif_interruptible_density target = {.density = &density};
    asif_nuts *nuts;
    assert_int_equal(asif_nuts_create(&nuts, context, 2, 10, NULL), ASIF_OK);
    nuts->lower = lower;
    double last = 0;
    for (uint32_t k = 0; k < 4; k++) {
        double x[] = {0.7, -1.1}, gradient[2], p[] = {0.6, -0.3}, push[2], error = 0;
        asif_phase z = {{x, gradient, 0}, p, push};
        assert_int_equal(asif_interruptible_density_evaluate(&target, &z.point), ASIF_OK);
        push[0] = lower[0] * gradient[0] + lower[2] * gradient[1];
        push[1] = lower[3] * gradient[1];
        uint32_t count = 40u << k;
        leap_some(nuts, &target, &z, 2.0 / count, count, &error);
        if (k)
            CHECK_NEAR(last / error, 4, 0.1);
        last = error;
        leap_some(nuts, &target, &z, -2.0 / count, count, &error);
        CHECK_NEAR(x[0], 0.7, 1e-12);
        CHECK_NEAR(x[1], -1.1, 1e-12);
        CHECK_NEAR(p[0], 0.6, 1e-12);
        CHECK_NEAR(p[1], -0.3, 1e-12);
    }
    asif_nuts_free(nuts);
}

/* ---- adaptation ---- */

static void test_windows(void **state) {
    (void)state;
    /* The last steps of the windows that Stan's manual gives for its defaults, and shorter plans. */
    const struct {
        uint64_t warmup;
        uint64_t begin, last[6];
    } cases[] = {
        {1000, 75, {99, 149, 249, 449, 949}},
        {150, 75, {99}},
        {100, 15, {89}},
        {20, 3, {17}},
        {19, 19, {0}},
        {0, 0, {0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        asif_windows w = asif_windows_plan(cases[k].warmup, 25);
        uint32_t found = 0;
        for (uint64_t i = 0; i < cases[k].warmup; i++)
            if (asif_windows_last(&w, i)) {
                assert_true(asif_windows_inside(&w, i));
                assert_int_equal(i, cases[k].last[found]);
                found++;
            }
        assert_int_equal(w.begin, cases[k].begin);
        assert_int_equal(cases[k].last[found], 0);
    }
}

static void test_moments(void **state) {
    (void)state;
    const double x[5][2] = {{1, 2}, {4, -1}, {0, 0}, {3, 3}, {2, 7}};
    double mean[2], sum[4], out[4], scratch[2];
    asif_moments m = {0, mean, sum};
    asif_moments_clear(&m, 2);
    for (uint32_t i = 0; i < 5; i++)
        asif_moments_add(&m, 2, x[i], scratch);
    asif_moments_covariance(&m, 2, 0.1, 0, out);
    /* By hand: variances 2.5 and 9.7, covariance -1/4; half of it, and half of 0.1. */
    CHECK_NEAR(mean[0], 2, 1e-15);
    CHECK_NEAR(mean[1], 2.2, 1e-15);
    CHECK_NEAR(out[0], 1.3, 1e-14);
    CHECK_NEAR(out[3], 4.9, 1e-14);
    CHECK_NEAR(out[1], -0.125, 1e-14);
    assert_true(out[1] == out[2]);
}

/* The steps of algorithm 5 of Hoffman and Gelman for three acceptances, by hand. */
static void test_tuning(void **state) {
    (void)state;
    asif_tuning t;
    asif_tuning_begin(&t, 0.5, log(5));
    const double accept[] = {0.6, 1, 0.3};
    double h = 0, mean = 0;
    for (uint32_t m = 1; m <= 3; m++) {
        asif_tuning_average(&t, accept[m - 1], 0.8);
        h = (1 - 1 / (m + 10.0)) * h + 1 / (m + 10.0) * (0.8 - accept[m - 1]);
        double x = log(5) - sqrt(m) / 0.05 * h;
        mean = pow(m, -0.75) * x + (1 - pow(m, -0.75)) * mean;
        CHECK_NEAR(t.step, exp(x), 1e-12);
    }
    asif_tuning_end(&t);
    CHECK_NEAR(t.step, exp(mean), 1e-12);
}

static void test_refused(void **state) {
    (void)state;
    target_normal t = {2, 0.5};
    const double bad_metric[] = {1, 2, 2, 1}, start[] = {0, 0, 0, NAN, 0, 0, 0, 0};
    asif_sample_options good = ASIF_SAMPLE_OPTIONS_INIT;
    struct {
        asif_sample_options options;
        bool no_gradient;
        asif_status want;
        const char *says;
    } cases[12];
    uint32_t n = 0;
#define CASE(field, bad, status, text)                                                                       \
    cases[n].options = good, cases[n].no_gradient = false, cases[n].options.field = (bad),                   \
    cases[n].want = (status), cases[n++].says = (text)
    CASE(chains, 0, ASIF_EDOMAIN, "chains");
    CASE(draws, 0, ASIF_EDOMAIN, "draws");
    CASE(thin, 0, ASIF_EDOMAIN, "each draw");
    CASE(warmup, UINT64_MAX, ASIF_EDOMAIN, "before");
    CASE(draws, UINT64_MAX / 3, ASIF_EDOMAIN, "draws");
    CASE(target_accept, 1, ASIF_EDOMAIN, "acceptance");
    CASE(max_depth, 0, ASIF_EDOMAIN, "depth");
    CASE(method, (asif_method)7, ASIF_EDOMAIN, "method");
    CASE(checkpoint_sec, NAN, ASIF_EDOMAIN, "checkpoints");
    CASE(metric, bad_metric, ASIF_EDOMAIN, "positive definite");
    CASE(start, start, ASIF_EDOMAIN, "chain 2");
    CASE(chains, 4, ASIF_EUNSUPPORTED, "gradient");
    cases[n - 1].no_gradient = true;
    for (uint32_t i = 0; i < n; i++) {
        asif_density density = target_normal_density(&t);
        density.has_gradient = !cases[i].no_gradient;
        asif_density densities[] = {density, density, density, density};
        asif_draws *draws;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_sample(&draws, context, densities, &cases[i].options, &error), cases[i].want);
        CHECK(strstr(error.message, cases[i].says), "'%s' says nothing of %s", error.message, cases[i].says);
        assert_null(draws);
    }
}

static int setup(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals),    cmocka_unit_test(test_metric),
        cmocka_unit_test(test_banana),     cmocka_unit_test(test_guess),
        cmocka_unit_test(test_bounded),    cmocka_unit_test(test_edge),
        cmocka_unit_test(test_funnel),     cmocka_unit_test(test_depth),
        cmocka_unit_test(test_invariance), cmocka_unit_test(test_invariance_bent),
        cmocka_unit_test(test_tree),       cmocka_unit_test(test_leaps),
        cmocka_unit_test(test_windows),    cmocka_unit_test(test_moments),
        cmocka_unit_test(test_tuning),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
