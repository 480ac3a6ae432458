/* Pareto-smoothed importance sampling: against R's loo 2.5.1, whose values psis_values.R printed; where the
 * answer is known; and what is not defined. An independent implementation is compared in test_psis.py beside
 * this. */
#include "check.h"

#include "asif/sample.h"
#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/psis.h"

#include <string.h>

enum { UNITS = 8, MOST = 4000 };

static asif_context *context;

static int setup(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

/* ---- R's loo ---- */

/* As in psis_values.R. */
static void make_chains(double *theta, uint32_t chains, uint64_t draws) {
    uint64_t x = 20240601;
    for (uint32_t c = 0; c < chains; c++)
        for (uint64_t s = 0; s < draws; s++) {
            x = 16807 * x % 2147483647;
            double z = asif_normal_quantile((double)x / 2147483647), *to = &theta[c * draws + s];
            *to = s == 0 ? z : 0.5 * to[-1] + sqrt(0.75) * z;
        }
}

static double density(uint32_t unit, double t) {
    switch (unit) {
    case 0:
        return -0.05 * (t - 1) * (t - 1);
    case 1:
        return -0.5 * (t - 2) * (t - 2);
    case 2:
        return -0.3 * (t + 1) * (t + 1);
    case 3:
        return -1.25;
    case 4:
        return 0.4 * t;
    case 5:
        return -0.45 * t * t;
    case 6:
        return t - 100;
    default:
        return -floor(fabs(t));
    }
}

static const struct {
    uint32_t chains;
    uint64_t draws;
    bool corrected;
    struct {
        double elpd, p, k, efficiency;
    } unit[UNITS];
} cases[] = {
    {4,
     250,
     true,
     {{-0.0989824244260893, 0.0145556365690753, 0.196851657711798, 0.359636744645962},
      {-7.85809129354127, 6.61133348241721, 1.76038668298639, 0.343233377157789},
      {-1.12651744066671, 0.662210542684838, 0.681546756534473, 0.362685192161427},
      {-1.25, 0, INFINITY, 0.5},
      {-0.04367676742583, 0.160713550294124, 0.0987004563469222, 0.298647870923859},
      {-0.856986332580955, 0.536655500796383, 0.638878723385742, 0.749087398174454},
      {-100.425350199607, 1.00159684406538, 0.356228920219873, 0.36348579824568},
      {-0.60601063613419, 0.359384464952007, INFINITY, 0.847745002522196}}},
    {4,
     250,
     false,
     {{-0.0989730744117203, 0.0145462865547064, 0.242081996851251, 1},
      {-7.87648722544215, 6.62972941431809, 1.79652235968882, 1},
      {-1.1198803685482, 0.655573470566328, 0.390873138112705, 1},
      {-1.25, 0, INFINITY, 1},
      {-0.0435942883267257, 0.16063107119502, 0.134350015319542, 1},
      {-0.863890237655236, 0.543559405870663, 0.67316385012121, 1},
      {-100.425195996633, 1.00144264109161, 0.403631050744436, 1},
      {-0.60601063613419, 0.359384464952007, INFINITY, 1}}},
    {3,
     100,
     true,
     {{-0.0979671998449634, 0.0140943038652424, 0.370725231188563, 0.427318833225672},
      {-6.47893772818859, 5.27014821763568, 1.68372100070292, 0.353094043693142},
      {-1.27548890210289, 0.795251768772681, 0.732044887797823, 0.387019659037163},
      {-1.25, 0, INFINITY, 0.5},
      {-0.0309219113143788, 0.171955600011855, 0.190372055572895, 0.357102550774724},
      {-0.955911709228827, 0.62255911468442, 0.766651678064886, 0.754467060176967},
      {-100.399568188518, 1.06798712110945, 0.459182152861102, 0.465291803501595},
      {-0.646728483528081, 0.398044340526523, INFINITY, 0.792195601308209}}},
    {1,
     40,
     true,
     {{-0.12156871704701, 0.0164815623837526, 0.276426004960808, 0.683474097582684},
      {-5.09486628498934, 3.59984395027542, 0.833000644130932, 0.615861880363083},
      {-0.824664140054066, 0.4391959325451, 1.02315490070109, 0.636324864080555},
      {-1.25, -4.44089209850063e-16, INFINITY, 0.5},
      {-0.120258424663208, 0.174185465987652, 0.231206101813575, 0.678629645304988},
      {-0.734631421364522, 0.413434284030544, 0.96003531490285, 1.32151842721646},
      {-100.582695150061, 1.09916799708166, 0.338176069056559, 0.947632115317046},
      {-0.623685959498247, 0.391656823676474, INFINITY, 0.986394426534618}}},
    {2,
     10,
     false,
     {{-0.105170893534508, 0.0119111312004185, INFINITY, 1},
      {-4.71032889487779, 3.37250288767632, INFINITY, 1},
      {-0.840641654638413, 0.434406892185377, INFINITY, 1},
      {-1.25, -4.44089209850063e-16, INFINITY, 1},
      {-0.0824827996558817, 0.147860840077248, INFINITY, 1},
      {-0.539288563653066, 0.208181251906471, INFINITY, 1},
      {-100.457042948306, 0.880504952013538, INFINITY, 1},
      {-0.470877397374573, 0.220822210158174, INFINITY, 1}}},
};

static void test_loo(void **state) {
    (void)state;
    static double theta[MOST], value[MOST];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t n = cases[i].chains * cases[i].draws;
        make_chains(theta, cases[i].chains, cases[i].draws);
        for (uint32_t u = 0; u < UNITS; u++) {
            asif_loo loo;
            for (uint64_t d = 0; d < n; d++)
                value[d] = density(u, theta[d]);
            assert_int_equal(asif_leave_one_out(&loo, context, value, cases[i].chains, cases[i].draws,
                                                cases[i].corrected ? NAN : 1, NULL),
                             ASIF_OK);
            CHECK_NEAR(loo.elpd, cases[i].unit[u].elpd, 1e-8);
            CHECK_NEAR(loo.p, cases[i].unit[u].p, 1e-8);
            CHECK_NEAR(loo.k, cases[i].unit[u].k, 1e-6);
            assert_true(loo.constant == (u == 3));
            if (!loo.constant) /* loo says 0.5 of what never changes */
                CHECK_NEAR(loo.efficiency, cases[i].unit[u].efficiency, 1e-8);
        }
    }
}

/* ---- what is known ---- */

/* A constant more or less, even one whose exponential is 0, changes nothing but the elpd. */
static void test_shift(void **state) {
    (void)state;
    static double theta[1000], value[1000];
    asif_loo here, there;
    make_chains(theta, 4, 250);
    for (uint32_t u = 0; u < 3; u++) {
        for (uint64_t d = 0; d < 1000; d++)
            value[d] = density(u, theta[d]);
        assert_int_equal(asif_leave_one_out(&here, context, value, 4, 250, NAN, NULL), ASIF_OK);
        for (uint64_t d = 0; d < 1000; d++)
            value[d] -= 2048;
        assert_int_equal(asif_leave_one_out(&there, context, value, 4, 250, NAN, NULL), ASIF_OK);
        CHECK_NEAR(there.elpd, here.elpd - 2048, 1e-12);
        CHECK_NEAR(there.k, here.k, 1e-6);
        CHECK_NEAR(there.efficiency, here.efficiency, 1e-6);
    }
}

/* A normal mean with a flat prior: n observations of variance 1, one of them left out, is normal around the
 * mean of the others with variance 1 + 1/(n - 1). */
static void test_normal_mean(void **state) {
    (void)state;
    enum { N = 20, S = 4000 };
    static double value[S];
    asif_stream data = {1, ASIF_FOR_TESTS, 0}, draws = {2, ASIF_FOR_TESTS, 0};
    double y[N], mean = 0;
    for (uint32_t i = 0; i < N; i++)
        mean += (y[i] = asif_normal_quantile(asif_uniform(&data, i))) / N;
    for (uint32_t i = 0; i < N; i++) {
        double rest = (N * mean - y[i]) / (N - 1), variance = 1 + 1.0 / (N - 1);
        double want = -0.5 * log(2 * 3.14159265358979323846 * variance) -
                      0.5 * (y[i] - rest) * (y[i] - rest) / variance;
        asif_loo loo;
        for (uint32_t s = 0; s < S; s++) {
            double mu = mean + asif_normal_quantile(asif_uniform(&draws, s)) / sqrt(N);
            value[s] = -0.5 * log(2 * 3.14159265358979323846) - 0.5 * (y[i] - mu) * (y[i] - mu);
        }
        assert_int_equal(asif_leave_one_out(&loo, context, value, 1, S, 1, NULL), ASIF_OK);
        CHECK_NEAR(loo.elpd, want, .02);
        assert_true(loo.k < asif_psis_threshold(S));
    }
}

/* Ratios whose largest are Pareto with a known shape. */
static void test_shape(void **state) {
    (void)state;
    static double ratio[MOST], weight[MOST];
    static const double shapes[] = {0.2, 0.5, 0.8};
    for (size_t i = 0; i < 3; i++) {
        double mean = 0, k, sum = 0;
        for (uint32_t seed = 0; seed < 10; seed++) {
            asif_stream stream = {seed, ASIF_FOR_TESTS, i};
            for (uint32_t s = 0; s < MOST; s++)
                ratio[s] = -shapes[i] * log(asif_uniform(&stream, s));
            assert_int_equal(asif_psis(weight, &k, context, ratio, 1, MOST, 1, NULL), ASIF_OK);
            mean += k / 10;
        }
        CHECK_NEAR(mean, shapes[i], .1);
        for (uint32_t s = 0; s < MOST; s++)
            sum += exp(weight[s]);
        CHECK_NEAR(sum, 1, 1e-12);
    }
}

static void test_threshold(void **state) {
    (void)state;
    CHECK_NEAR(asif_psis_threshold(4000), 0.7, 0);
    CHECK_NEAR(asif_psis_threshold(1000), 1 - 1.0 / 3, 1e-15);
    CHECK_NEAR(asif_psis_threshold(100), 0.5, 1e-15);
}

static void test_refused(void **state) {
    (void)state;
    double value[] = {-1, -2, -INFINITY}, weight[3], k;
    asif_loo loo;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_leave_one_out(&loo, context, value, 1, 3, 1, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "draw 3"));
    assert_int_equal(asif_leave_one_out(&loo, context, value, 0, 3, 1, NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_leave_one_out(&loo, context, value, 1, 2, 0, NULL), ASIF_EDOMAIN);
    value[2] = NAN;
    assert_int_equal(asif_psis(weight, &k, context, value, 1, 3, 1, NULL), ASIF_EDOMAIN);
    /* One draw: it is all there is. */
    assert_int_equal(asif_leave_one_out(&loo, context, value, 1, 1, NAN, NULL), ASIF_OK);
    assert_true(loo.elpd == -1 && loo.k == INFINITY && loo.constant);
}

static void test_memory(void **state) {
    (void)state;
    static double theta[1000];
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *poor = NULL;
    asif_loo loo;
    make_chains(theta, 4, 250);
    options.reallocate = failing_reallocate;
    options.user = &memory;
    assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
    long before = memory.alive;
    for (long left = 0;; left++) {
        memory.left = left;
        asif_status status = asif_leave_one_out(&loo, poor, theta, 4, 250, NAN, NULL);
        memory.left = -1;
        assert_int_equal(memory.alive, before);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
    }
    asif_context_free(poor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loo),    cmocka_unit_test(test_shift),     cmocka_unit_test(test_normal_mean),
        cmocka_unit_test(test_shape),  cmocka_unit_test(test_threshold), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
