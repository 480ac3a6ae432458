/* Maxima that are known: in closed form, or by brute force over the cells of a kinked density. */
#include "check.h"

#include "problems.h"
#include "sample/hills.h"

#include <stdatomic.h>
#include <string.h>

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static double maximum(double *x, const asif_density *density, const double *start, uint32_t starts,
                      const double *scale, asif_maximum_info *info) {
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    asif_maximum_info own;
    asif_error error = ASIF_ERROR_INIT;
    if (!info)
        info = &own;
    options.start = start;
    options.starts = starts;
    options.scale = scale;
    CHECK(asif_maximise(x, context, density, 1, &options, info, &error) == ASIF_OK, "%s", error.message);
    return info->value;
}

static void quadratic_forms(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 20, 50};
    uint64_t seed = 11;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        static hill h;
        double x[HILL_MOST];
        asif_maximum_info info;
        h = (hill){.n = sizes[k]};
        hill_turn(&h, 1e8, &seed);
        for (uint32_t i = 0; i < h.n; i++)
            h.centre[i] = 4 * make_uniform(&seed) - 2;
        asif_density density = hill_density(&h);
        CHECK_NEAR(maximum(x, &density, NULL, 1, NULL, &info), 0, 1e-8);
        CHECK(hill_distance(&h, x, h.centre) < 2e-4, "dimension %u: off by %g", h.n,
              hill_distance(&h, x, h.centre));
        assert_int_equal(info.evaluations + 1, h.calls);
        assert_int_equal(info.agree, 1);
        if (h.n > 7)
            continue;
        density.has_gradient = false;
        CHECK_NEAR(maximum(x, &density, NULL, 1, NULL, &info), 0, 1e-6);
        assert_true(isnan(info.gradient));
    }
}

static asif_status rosenbrock(void *user, const double *x, double *value, double *g, asif_error *error) {
    uint32_t n = *(uint32_t *)user;
    (void)error;
    *value = 0;
    for (uint32_t i = 0; g && i < n; i++)
        g[i] = 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        *value -= 100 * a * a + b * b;
        if (g) {
            g[i] += 400 * a * x[i] + 2 * b;
            g[i + 1] -= 200 * a;
        }
    }
    return ASIF_OK;
}

static void a_curved_valley(void **state) {
    (void)state;
    for (uint32_t n = 2; n <= 8; n += 6)
        for (int gradients = 0; gradients < 2; gradients++) {
            double x[8], start[8] = {-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1};
            asif_density density = {
                .dimension = n, .evaluate = rosenbrock, .has_gradient = gradients, .user = &n};
            if (n > 2 && !gradients)
                continue;
            CHECK_NEAR(maximum(x, &density, start, 1, NULL, NULL), 0, gradients ? 1e-9 : 1e-7);
            for (uint32_t i = 0; i < n; i++)
                CHECK_NEAR(x[i], 1, 1e-3);
        }
}

static void a_narrow_ridge(void **state) {
    (void)state;
    static const double sd[] = {0.05, 30}, natural[] = {0.1, 50}, start[] = {3, -200};
    for (int scaled = 0; scaled < 2; scaled++)
        for (int gradients = 0; gradients < 2; gradients++) {
            hill h = {.n = 2, .centre = {-0.7, 42}};
            double x[2];
            hill_correlate(&h, sd, -0.995);
            asif_density density = hill_density(&h);
            density.has_gradient = gradients;
            CHECK_NEAR(maximum(x, &density, start, 1, scaled ? natural : NULL, NULL), 0, 1e-7);
            assert_true(hill_distance(&h, x, h.centre) < 1e-3);
        }
}

/* Slopes that jump by up to .03 per standard deviation, at concave and convex kinks, on a narrow ridge. */
static void kinks(void **state) {
    (void)state;
    static const double sd[] = {0.05, 30, 0.4}, natural[] = {0.2, 50, 1};
    uint64_t seed = 5, most = 0;
    for (int gradients = 1; gradients >= 0; gradients--)
        for (int round = 0; round < 40; round++) {
            hill h = {.n = 2 + (uint32_t)round % 2, .centre = {-0.7, 42, 1}};
            double x[3], want[3], start[8 * 3];
            asif_maximum_info info;
            hill_correlate(&h, sd, h.n == 2 ? -0.99 : -0.95);
            hill_kink(&h, 8, 0.03, &seed);
            double best = hill_maximum(&h, want);
            for (uint32_t i = 0; i < 8 * h.n; i++)
                start[i] = 6 * (make_uniform(&seed) - 0.5) * natural[i % h.n];
            asif_density density = hill_density(&h);
            density.has_gradient = gradients;
            double got = maximum(x, &density, start, 8, natural, &info);
            CHECK(got <= best + 1e-12, "%.17g is above the maximum %.17g", got, best);
            CHECK(got >= best - 1e-5, "round %d: %g below the maximum", round, best - got);
            CHECK(hill_distance(&h, x, want) < 0.02, "round %d: off by %g", round,
                  hill_distance(&h, x, want));
            assert_true(info.agree >= 1);
            if (gradients && info.evaluations > most)
                most = info.evaluations;
        }
    CHECK(most < 1500, "%lu evaluations", (unsigned long)most);
}

/* Gamma: a log x - b x, and -inf where x is not positive. */
static asif_status gamma_density(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    static const double a[] = {3, 0.5}, b[] = {2, 40};
    *value = 0;
    for (int i = 0; i < 2; i++) {
        *value += x[i] > 0 ? a[i] * log(x[i]) - b[i] * x[i] : -INFINITY;
        if (g)
            g[i] = a[i] / x[i] - b[i];
    }
    return ASIF_OK;
}

static void next_to_nothing(void **state) {
    (void)state;
    static const double starts[][2] = {{1e-3, 1e-6}, {50, 50}, {1e-3, 10}, {1, 1e-8}};
    for (unsigned k = 0; k < sizeof starts / sizeof *starts; k++)
        for (int gradients = 0; gradients < 2; gradients++) {
            asif_density density = {.dimension = 2, .evaluate = gamma_density, .has_gradient = gradients};
            double x[2];
            maximum(x, &density, starts[k], 1, NULL, NULL);
            CHECK_NEAR(x[0], 1.5, 1e-3);
            CHECK_NEAR(x[1], 0.0125, 1e-4);
        }
    /* One start inside is enough; none is too few. */
    asif_density density = {.dimension = 2, .evaluate = gamma_density, .has_gradient = true};
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    asif_maximum_info info;
    asif_error error = ASIF_ERROR_INIT;
    double x[2], three[] = {-1, 1, 1, -1, 2, 2};
    options.start = three;
    options.starts = 3;
    assert_int_equal(asif_maximise(x, context, &density, 1, &options, &info, &error), ASIF_OK);
    CHECK_NEAR(x[0], 1.5, 1e-5);
    assert_int_equal(info.best_start, 2);
    assert_int_equal(info.agree, 1);
    options.starts = 2;
    assert_int_equal(asif_maximise(x, context, &density, 1, &options, &info, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "every start"));
}

/* tanh x - (y - x / 10)^2 / 2 + user * (a bump at 2): flat for large x. */
static asif_status plateau(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)error;
    double bump = *(double *)user * exp(-(x[0] - 2) * (x[0] - 2)), d = x[1] - x[0] / 10;
    *value = tanh(x[0]) + bump - d * d / 2;
    if (g) {
        g[0] = 1 / (cosh(x[0]) * cosh(x[0])) - 2 * (x[0] - 2) * bump + d / 10;
        g[1] = -d;
    }
    return ASIF_OK;
}

static void plateaus(void **state) {
    (void)state;
    for (int gradients = 0; gradients < 2; gradients++) {
        double height = 0, x[2], best = -INFINITY;
        asif_density density = {
            .dimension = 2, .evaluate = plateau, .has_gradient = gradients, .user = &height};
        /* The supremum is at infinity. */
        CHECK_NEAR(maximum(x, &density, NULL, 1, NULL, NULL), 1, 1e-4);
        assert_true(isfinite(x[0]) && isfinite(x[1]) && x[0] > 4);
        height = 0.1;
        for (int i = 0; i <= 40000; i++) {
            double at[2] = {i * 1e-4, i * 1e-5}, value;
            plateau(&height, at, &value, NULL, NULL);
            best = fmax(best, value);
        }
        for (double from = 0; from < 5; from += 4.9) { /* from below, and from the plateau */
            double start[2] = {from, 3};
            CHECK_NEAR(maximum(x, &density, start, 1, NULL, NULL), best, 1e-7);
        }
    }
}

/* Mixture of normals with sd 1 and 3, [k]: x, y, log weight. */
static asif_status mixture(void *user, const double *x, double *value, double *g, asif_error *error) {
    const double(*mode)[3] = user;
    (void)error;
    double term[3], top = -INFINITY, sum = 0;
    for (int k = 0; k < 3; k++) {
        double a = x[0] - mode[k][0], b = (x[1] - mode[k][1]) / 3;
        term[k] = mode[k][2] - (a * a + b * b) / 2;
        top = fmax(top, term[k]);
    }
    for (int k = 0; k < 3; k++)
        sum += exp(term[k] - top);
    *value = top + log(sum);
    for (int k = 0; g && k < 3; k++) {
        double p = exp(term[k] - *value);
        g[0] = (k ? g[0] : 0) - p * (x[0] - mode[k][0]);
        g[1] = (k ? g[1] : 0) - p * (x[1] - mode[k][1]) / 9;
    }
    return ASIF_OK;
}

static void several_tops(void **state) {
    (void)state;
    double modes[3][3] = {{0, 0, 0}, {20, 0, 0.3}, {0, -80, 0.2}}, x[2];
    asif_density density = {.dimension = 2, .evaluate = mixture, .has_gradient = true, .user = modes};
    static const double starts[] = {1, 1, 2, -70, 18, 5, -3, 2, 21, -4};
    asif_maximum_info info;
    CHECK_NEAR(maximum(x, &density, starts, 5, NULL, &info), 0.3, 1e-9);
    CHECK_NEAR(x[0], 20, 1e-4);
    CHECK_NEAR(x[1], 0, 1e-4);
    assert_true(info.best_start == 2 || info.best_start == 4);
    assert_int_equal(info.agree, 2);
    /* Two tops on one ridge, 7 standard deviations apart: the lower one is where the climb ends. */
    modes[2][1] = 21;
    static const double low[] = {0.1, -0.2};
    CHECK_NEAR(maximum(x, &density, low, 1, NULL, &info), 0.2, 1e-9);
    CHECK_NEAR(x[1], 21, 1e-3);
    assert_int_equal(info.agree, 0);
    assert_int_equal(info.best_start, 0);
}

static asif_status twins(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    *value = -(fabs(*x) - 5) * (fabs(*x) - 5);
    if (g)
        *g = copysign(1, *x) * (10 - 2 * fabs(*x));
    return ASIF_OK;
}

static void equal_tops_go_to_the_first_start(void **state) {
    (void)state;
    asif_density density = {.dimension = 1, .evaluate = twins, .has_gradient = true};
    for (double side = -1; side <= 1; side += 2) {
        double x, starts[] = {side * 7, -side * 7, side * 7};
        asif_maximum_info info;
        CHECK_NEAR(maximum(&x, &density, starts, 3, NULL, &info), 0, 1e-12);
        CHECK_NEAR(x, side * 5, 1e-6);
        assert_int_equal(info.best_start, 0);
        assert_int_equal(info.agree, 3);
    }
}

/* What was evaluated before changes the last digits, as a warm start does. */
typedef struct {
    hill h;
    double last;
} moody;

static asif_status moody_evaluate(void *user, const double *x, double *value, double *g, asif_error *error) {
    moody *m = user;
    asif_density density = hill_density(&m->h);
    asif_status status = density.evaluate(&m->h, x, value, g, error);
    *value += 1e-9 * sin(1e3 * m->last);
    m->last = x[0] + 0.5 * m->last;
    return status;
}

static void moody_save(void *user, double *memory) {
    *memory = ((moody *)user)->last;
}

static void moody_load(void *user, const double *memory) {
    ((moody *)user)->last = *memory;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static const double sd[] = {1, 2, 3};
    double first[3], start[7 * 3], x[3];
    asif_maximum_info first_info, info;
    uint64_t seed = 3;
    for (int i = 0; i < 21; i++)
        start[i] = 10 * make_uniform(&seed);
    hill h = {.n = 3};
    hill_correlate(&h, sd, -0.8);
    hill_kink(&h, 6, 0.05, &seed);
    static const struct {
        uint32_t threads, densities;
    } cases[] = {{1, 1}, {1, 3}, {2, 3}, {4, 7}, {2, 20}, {3, 1}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        asif_context_options context_options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
        asif_context *own;
        moody m[20];
        asif_density density[20];
        context_options.threads = cases[k].threads;
        assert_int_equal(asif_context_create(&own, &context_options, NULL), ASIF_OK);
        for (int i = 0; i < 20; i++) {
            m[i] = (moody){.h = h, .last = 0.3};
            density[i] = (asif_density){.dimension = 3,
                                        .evaluate = moody_evaluate,
                                        .has_gradient = true,
                                        .memory = 1,
                                        .save = moody_save,
                                        .load = moody_load,
                                        .user = &m[i]};
        }
        options.start = start;
        options.starts = 7;
        memset(&info, 0, sizeof info);
        assert_int_equal(asif_maximise(x, own, density, cases[k].densities, &options, &info, NULL), ASIF_OK);
        if (k == 0) {
            memcpy(first, x, sizeof x);
            first_info = info;
        }
        assert_memory_equal(first, x, sizeof x);
        assert_true(first_info.value == info.value && first_info.evaluations == info.evaluations &&
                    first_info.best_start == info.best_start && first_info.agree == info.agree &&
                    first_info.gradient == info.gradient);
        asif_context_free(own);
    }
}

static asif_status call_maximise(const asif_context *own, asif_error *error) {
    static const double sd[] = {1, 2, 3};
    hill h = {.n = 3};
    double x[3], start[6] = {1, 2, 3, 4, 5, 6};
    moody m = {.last = 1};
    hill_correlate(&h, sd, 0.5);
    m.h = h;
    asif_density density = {.dimension = 3,
                            .evaluate = moody_evaluate,
                            .has_gradient = true,
                            .memory = 1,
                            .save = moody_save,
                            .load = moody_load,
                            .user = &m};
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    options.start = start;
    options.starts = 2;
    return asif_maximise(x, own, &density, 1, &options, NULL, error);
}

static void without_memory(void **state) {
    (void)state;
    check_memory(call_maximise);
}

static bool cancel_later(void *user, const char *what, double done) {
    assert_true(what && done >= 0 && done <= 1);
    return atomic_fetch_sub((atomic_int *)user, 1) <= 0;
}

static void cancelled(void **state) {
    (void)state;
    for (int calls = 0; calls < 10; calls += 3)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            atomic_int left = calls;
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            asif_context *own;
            asif_error error = ASIF_ERROR_INIT;
            options.threads = threads;
            options.progress = cancel_later;
            options.user = &left;
            assert_int_equal(asif_context_create(&own, &options, NULL), ASIF_OK);
            assert_int_equal(call_maximise(own, &error), ASIF_ECANCELLED);
            assert_int_equal(error.status, ASIF_ECANCELLED);
            asif_context_free(own);
        }
}

static asif_status breaks(void *user, const double *x, double *value, double *g, asif_error *error) {
    int *left = user;
    if ((*left)-- > 0) {
        *value = -x[0] * x[0];
        if (g)
            g[0] = -2 * x[0];
        return ASIF_OK;
    }
    if (error) {
        error->status = ASIF_EZEROPR;
        strcpy(error->message, "no such thing");
    }
    return ASIF_EZEROPR;
}

static void failures(void **state) {
    (void)state;
    double x, one = 1;
    for (int calls = 0; calls < 20; calls++) {
        int left = calls;
        asif_density density = {.dimension = 1, .evaluate = breaks, .has_gradient = true, .user = &left};
        asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
        asif_error error = ASIF_ERROR_INIT;
        options.start = &one;
        assert_int_equal(asif_maximise(&x, context, &density, 1, &options, NULL, &error), ASIF_EZEROPR);
        assert_string_equal(error.message, "no such thing");
        left = calls;
        assert_int_equal(asif_maximise(&x, context, &density, 1, &options, NULL, NULL), ASIF_EZEROPR);
    }
    int left = 1 << 20;
    asif_density density = {.dimension = 1, .evaluate = breaks, .has_gradient = true, .user = &left};
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    asif_maximum_info info;
    double zero = 0;
    options.scale = &zero;
    assert_int_equal(asif_maximise(&x, context, &density, 1, &options, NULL, NULL), ASIF_EDOMAIN);
    options.scale = NULL;
    options.starts = 0;
    assert_int_equal(asif_maximise(&x, context, &density, 1, &options, NULL, NULL), ASIF_EDOMAIN);
    options.starts = 1;
    assert_int_equal(asif_maximise(&x, context, &density, 0, &options, NULL, NULL), ASIF_EDOMAIN);
    options.struct_size = 1000;
    assert_int_equal(asif_maximise(&x, context, &density, 1, &options, NULL, NULL), ASIF_EDOMAIN);
    options.struct_size = sizeof options;
    options.max_evaluations = 7;
    options.start = &one;
    assert_int_equal(asif_maximise(&x, context, &density, 1, &options, &info, NULL), ASIF_OK);
    assert_true(info.evaluations <= 7 * 5);
    assert_int_equal(asif_maximise(&x, context, &density, 1, NULL, NULL, NULL), ASIF_OK);
    CHECK_NEAR(x, 0, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_forms),
        cmocka_unit_test(a_curved_valley),
        cmocka_unit_test(a_narrow_ridge),
        cmocka_unit_test(kinks),
        cmocka_unit_test(next_to_nothing),
        cmocka_unit_test(plateaus),
        cmocka_unit_test(several_tops),
        cmocka_unit_test(equal_tops_go_to_the_first_start),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
