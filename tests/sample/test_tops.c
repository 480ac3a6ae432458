/* Tops of densities whose tops are known. */
#include "sample/search/tops.h"

#include "check.h"
#include "sample/hills.h"

#include <string.h>

static asif_context *context;
static const double ones[] = {1, 1, 1};

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

/* ---- normal hills ---- */

/* The sum of two hills exp(height - ((x - at)' turned by an angle, / sd)^2 / 2). */
typedef struct {
    uint32_t n;
    struct {
        double at[3], sd[3], height, angle;
    } hill[2];
} hills;

static double hill_term(const hills *h, int k, const double *x, double *slope) {
    double u[3] = {0}, value = h->hill[k].height, c = cos(h->hill[k].angle), s = sin(h->hill[k].angle);
    for (uint32_t i = 0; i < h->n; i++)
        u[i] = x[i] - h->hill[k].at[i];
    double turned[3] = {c * u[0] + s * u[1], c * u[1] - s * u[0], u[2]};
    for (uint32_t i = 0; i < h->n; i++) {
        double sd = h->hill[k].sd[i];
        value -= turned[i] * turned[i] / (2 * sd * sd);
        turned[i] /= -sd * sd;
    }
    slope[0] = c * turned[0] - s * turned[1];
    slope[1] = s * turned[0] + c * turned[1];
    slope[2] = turned[2];
    return value;
}

static asif_status hills_at(void *user, const double *x, double *value, double *g, asif_error *error) {
    const hills *h = user;
    double slope[2][3], term[2];
    (void)error;
    for (int k = 0; k < 2; k++)
        term[k] = hill_term(h, k, x, slope[k]);
    double best = fmax(term[0], term[1]);
    *value = best + log(exp(term[0] - best) + exp(term[1] - best));
    for (uint32_t i = 0; g && i < h->n; i++)
        g[i] = exp(term[0] - *value) * slope[0][i] + exp(term[1] - *value) * slope[1][i];
    return ASIF_OK;
}

/* Climb from each of `from`, and weigh. */
static asif_status find(asif_tops *tops, const asif_context *in, const asif_density *density,
                        const double *scale, const double *from, uint32_t count, asif_error *error) {
    asif_status status = asif_tops_create(tops, in, density, scale, false, error);
    for (uint32_t i = 0; status == ASIF_OK && i < count; i++)
        status = asif_tops_climb(tops, from + i * (uint64_t)density->dimension, error);
    if (status == ASIF_OK)
        asif_tops_weigh(tops);
    return status;
}

static void look(asif_tops *tops, const asif_density *density, const double *scale, const double *from,
                 uint32_t count) {
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = find(tops, context, density, scale, from, count, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
}

static asif_density density_of(hills *h) {
    return (asif_density){.dimension = h->n, .evaluate = hills_at, .has_gradient = true, .user = h};
}

static void separate_hills(void **state) {
    (void)state;
    static const struct {
        double height, sd; /* of the second, at (9, 9, 9); the first has 0 and 1 */
        uint32_t tops, best;
    } cases[] = {
        {0, 1, 2, 0},    {4, 0.25, 2, 0}, /* higher, but 3 log(.25) = -4.2 of volume */
        {-4, 1, 2, 0},   {-6, 1, 1, 0},   /* 6 nats below */
        {-4, 4, 2, 1},                    /* lower, but wider */
        {-8, 0.5, 1, 0}, {-1, 0.2, 1, 0}, /* 1 + 4.8 */
        {6, 1, 1, 1},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint32_t n = 1; n <= 3; n += 2) {
            double sd = n == 3 ? cases[k].sd : pow(cases[k].sd, 3), far = 20 * (1 + sd);
            hills h = {
                n, {{{0, 0, 0}, {1, 1, 1}, 0, 0.4}, {{far, far, far}, {sd, sd, sd}, cases[k].height, 0.4}}};
            if (n == 1)
                h.hill[0].angle = h.hill[1].angle = 0;
            const double from[] = {1, -1, 0.5, far + sd, far, far - sd, -1, 1, 2};
            double line[] = {1, far + sd / 2, -1};
            asif_density density = density_of(&h);
            asif_tops tops;
            for (int gradient = 0; gradient < 2; gradient++) {
                density.has_gradient = gradient;
                look(&tops, &density, ones, n == 1 ? line : from, 3);
                CHECK(tops.count == cases[k].tops, "case %u, dimension %u: %u tops", k, n, tops.count);
                for (uint32_t t = 0; t < tops.count; t++) {
                    uint32_t which = t == 0 ? cases[k].best : !cases[k].best;
                    if (tops.count == 2 && cases[k].height == 0)
                        which = tops.top[t].x[0] > far / 2; /* equal masses: either order */
                    double width = which ? sd : 1;
                    CHECK_NEAR(tops.top[t].value, which ? cases[k].height : 0, 1e-6);
                    CHECK(fabs(tops.top[t].x[0] - (which ? far : 0)) < 1e-2 * width, "at %g",
                          tops.top[t].x[0]);
                    CHECK_NEAR(tops.top[t].log_volume, n * log(width), 2e-2);
                    assert_true(tops.top[t].curved);
                    assert_int_equal(asif_tops_nearest(&tops, tops.top[t].x), t);
                }
                asif_tops_free(&tops);
            }
        }
}

/* A ridge reaches past another top, beside it: that is no way to it. */
static void a_ridge_that_passes_by(void **state) {
    (void)state;
    hills h = {2, {{{0, 0}, {100, 1}, 0, 0}, {{20, 20}, {1, 1}, 0, 0}}};
    static const double from[] = {1, 1, 19, 21}, back[] = {19, 21, 1, 1};
    asif_density density = density_of(&h);
    asif_tops tops;
    look(&tops, &density, ones, from, 2);
    assert_int_equal(tops.count, 2);
    asif_tops_free(&tops);
    look(&tops, &density, ones, back, 2);
    assert_int_equal(tops.count, 2);
    asif_tops_free(&tops);
}

/* ---- bent ridges ---- */

/* -((y - x^2) / width)^2 / 2 + depth (2 (x/2)^2 - (x/2)^4 - 1), which is 0 at x = -2 and 2, and -depth
 * between. */
typedef struct {
    double width, depth, lower; /* slope that makes the right top lower */
} banana;

static asif_status banana_at(void *user, const double *x, double *value, double *g, asif_error *error) {
    const banana *b = user;
    (void)error;
    double off = (x[1] - x[0] * x[0]) / (b->width * b->width), s = x[0] / 2, along = s * (1 - s * s);
    *value = -off * (x[1] - x[0] * x[0]) / 2 + b->depth * (2 * s * s - s * s * s * s - 1) - b->lower * x[0];
    if (g) {
        g[0] = 2 * off * x[0] + 2 * b->depth * along - b->lower;
        g[1] = -off;
    }
    return ASIF_OK;
}

static void a_bent_ridge(void **state) {
    (void)state;
    static const double from[] = {-1.8, 3, 1.7, 3.1, 0, 0};
    static const struct {
        banana shape;
        uint32_t tops;
    } cases[] = {
        {{0.3, 0.3, 0}, 1},    {{0.3, 0.8, 0}, 2},     {{0.1, 0.45, 0}, 1},
        {{0.1, 0.55, 0}, 2},   {{0.3, 0.55, 0.05}, 1}, /* .6 below the higher top, less than .5 below the
                                                          lower */
        {{0.3, 1.2, 0.05}, 2},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        banana shape = cases[k].shape;
        asif_density density = {.dimension = 2, .evaluate = banana_at, .has_gradient = true, .user = &shape};
        asif_tops tops;
        look(&tops, &density, ones, from, 3);
        CHECK(tops.count == cases[k].tops, "case %u: %u tops", k, tops.count);
        CHECK_NEAR(fabs(tops.top[0].x[0]), 2, 0.1);
        asif_tops_free(&tops);
    }
}

/* ---- places that are no tops ---- */

static asif_status twins(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    double square = x[0] * x[0];
    *value = -(square - 4) * (square - 4);
    if (g)
        g[0] = -4 * x[0] * (square - 4);
    return ASIF_OK;
}

/* Zero is where a climb by gradients stays for ever, and is connected to both tops: it does not make them
 * one. */
static void a_place_between(void **state) {
    (void)state;
    static const double from[] = {0, 1, -1};
    asif_density density = {.dimension = 1, .evaluate = twins, .has_gradient = true};
    for (int order = 0; order < 3; order++) {
        double turned[3];
        for (int i = 0; i < 3; i++)
            turned[i] = from[(i + order) % 3];
        asif_tops tops;
        look(&tops, &density, ones, turned, 3);
        assert_int_equal(tops.count, 2);
        for (uint32_t t = 0; t < 2; t++)
            CHECK_NEAR(fabs(tops.top[t].x[0]), 2, 1e-4);
        assert_true(tops.top[0].x[0] * tops.top[1].x[0] < 0);
        asif_tops_free(&tops);
    }
}

/* Places on a slope belong to the top above it, which takes their place; outside, the density fails. */
static asif_status slope(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    if (fabs(x[0]) > 50)
        return error ? (error->status = ASIF_EZEROPR) : ASIF_EZEROPR;
    *value = -(x[0] * x[0] + x[1] * x[1]) / 2;
    for (int i = 0; g && i < 2; i++)
        g[i] = -x[i];
    return ASIF_OK;
}

static void a_slope(void **state) {
    (void)state;
    asif_density density = {.dimension = 2, .evaluate = slope, .has_gradient = true};
    static const double places[][2] = {{2, 1}, {1, -1}, {0, 0}, {-2, 2}, {60, 0}};
    asif_tops tops;
    assert_int_equal(asif_tops_create(&tops, context, &density, ones, false, NULL), ASIF_OK);
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        double value = -(places[i][0] * places[i][0] + places[i][1] * places[i][1]) / 2;
        assert_int_equal(asif_tops_add(&tops, places[i], i == 4 ? 3 : value, NULL), ASIF_OK);
    }
    assert_int_equal(asif_tops_climb(&tops, places[4], NULL), ASIF_OK);
    asif_tops_weigh(&tops);
    assert_int_equal(tops.count, 1);
    CHECK_NEAR(tops.top[0].value, 0, 1e-6);
    asif_tops_free(&tops);
}

/* More tops than there is room for: those of most mass are kept, and it is said. */
static asif_status waves(void *user, const double *x, double *value, double *g, asif_error *error) {
    (void)user;
    (void)error;
    *value = 2 * cos(6.283185307179586 * x[0]) - x[0] * x[0] / 200;
    if (g)
        g[0] = -2 * 6.283185307179586 * sin(6.283185307179586 * x[0]) - x[0] / 100;
    return ASIF_OK;
}

static void many_tops(void **state) {
    (void)state;
    double from[20];
    for (int i = 0; i < 20; i++)
        from[i] = (i * 7) % 20 - 8 + 0.1; /* -8 to 11 */
    asif_density density = {.dimension = 1, .evaluate = waves, .has_gradient = true};
    asif_tops tops;
    look(&tops, &density, ones, from, 20);
    assert_int_equal(tops.count, ASIF_MOST_TOPS);
    assert_true(tops.more);
    CHECK_NEAR(tops.top[0].x[0], 0, 1e-3);
    for (uint32_t t = 0; t < tops.count; t++)
        CHECK(t == 0 || asif_top_mass(&tops.top[t]) <= asif_top_mass(&tops.top[t - 1]), "top %u at %g", t,
              tops.top[t].x[0]);
    asif_tops_free(&tops);
}

/* Without time for the second place, the first top stands, and it is said. */
static void no_time(void **state) {
    (void)state;
    hills h = {2, {{{0, 0}, {1, 1}, 0, 0}, {{30, 0}, {1, 2}, 0, 0}}};
    static const double first[] = {0, 0}, unit[] = {1, 0, 0, 1}, from[] = {29, 2, 31, 1};
    asif_density density = density_of(&h);
    asif_tops tops;
    assert_int_equal(asif_tops_create(&tops, context, &density, ones, false, NULL), ASIF_OK);
    asif_tops_begin(&tops, first, 0, unit, true);
    tops.most = 1;
    for (int i = 0; i < 2; i++)
        assert_int_equal(asif_tops_climb(&tops, from + 2 * (ptrdiff_t)i, NULL), ASIF_OK);
    assert_int_equal(tops.count, 1);
    assert_true(tops.more && tops.top[0].x[0] < 1);
    asif_tops_free(&tops);
}

/* ---- ends of climbs, memory ---- */

static void ends_of_climbs(void **state) {
    (void)state;
    hills h = {2, {{{0, 0}, {1, 1}, 0, 0}, {{30, 0}, {1, 2}, -1, 0}}};
    static const double start[] = {1, 1, 29, 2, 31, -1};
    double ends[ASIF_MAXIMISE_ENDS(3)][3], x[2];
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    asif_density density = density_of(&h);
    options.starts = 3;
    options.start = start;
    options.ends = ends[0];
    assert_int_equal(asif_maximise(x, context, &density, 1, &options, NULL, NULL), ASIF_OK);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_NEAR(ends[i][0], i ? 30 : 0, 1e-2);
        CHECK_NEAR(ends[i][2], i ? -1 : 0, 1e-3);
    }
    for (unsigned i = 3; i < ASIF_MAXIMISE_ENDS(3); i++) {
        double value;
        hills_at(&h, ends[i], &value, NULL, NULL);
        CHECK_NEAR(ends[i][2], value, 1e-12);
    }
    density.smooth = true; /* no expeditions then */
    assert_int_equal(asif_maximise(x, context, &density, 1, &options, NULL, NULL), ASIF_OK);
    assert_true(isfinite(ends[2][2]) && ends[3][2] == -INFINITY);
}

static asif_status short_of_memory(const asif_context *in, asif_error *error) {
    static hills h = {2, {{{0, 0}, {1, 1}, 0, 0}, {{9, 9}, {1, 1}, 0, 0}}};
    static const double from[] = {1, 1, 8, 9};
    asif_density density = density_of(&h);
    asif_tops tops;
    asif_status status = find(&tops, in, &density, ones, from, 2, error);
    assert_true(status != ASIF_OK || tops.count == 2);
    asif_tops_free(&tops);
    return status;
}

static void memory(void **state) {
    (void)state;
    check_memory(short_of_memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separate_hills), cmocka_unit_test(a_ridge_that_passes_by),
        cmocka_unit_test(a_bent_ridge),   cmocka_unit_test(a_place_between),
        cmocka_unit_test(a_slope),        cmocka_unit_test(many_tops),
        cmocka_unit_test(no_time),        cmocka_unit_test(ends_of_climbs),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
