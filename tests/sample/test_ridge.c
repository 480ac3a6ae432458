/* Ridges: points, walks and draws on densities whose answers are known. */
#include "sample/ridge/ridge.h"

#include "check.h"
#include "sample/ridge/follow.h"
#include "sample/ridge/mixture.h"
#include "sample/ridge/sobol.h"
#include "sample/ridge/weighted.h"
#include "targets.h"

#include <string.h>

static asif_context *context;
static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* ---- points ---- */

/* Points 0 to 7 in four dimensions, in eighths: Sobol's sequence by Joe and Kuo's numbers, as SciPy has it.
 */
static void test_sobol_plain(void **state) {
    (void)state;
    static const uint32_t eighths[8][4] = {{0, 0, 0, 0}, {4, 4, 4, 4}, {2, 6, 6, 6}, {6, 2, 2, 2},
                                           {1, 5, 3, 1}, {5, 1, 7, 5}, {3, 3, 5, 7}, {7, 7, 1, 3}};
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t d = 0; d < 4; d++)
            assert_int_equal(asif_sobol_plain(i, d), eighths[i][d] << 29);
}

/* In every dimension each of 2^k intervals has one of 2^k points, shuffled or not; in pairs of the first
 * dimensions each of the boxes of 1/64 by 1/2 has the same number of 256. */
static void test_sobol_even(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (uint32_t d = 0; d < ASIF_SOBOL_MOST; d++) {
            bool seen[1024] = {false};
            for (uint32_t i = 0; i < 1024; i++) {
                uint32_t box = (uint32_t)(1024 * asif_sobol(i, d, seed));
                assert_false(seen[box]);
                seen[box] = true;
            }
        }
    int count[64][2] = {{0}};
    for (uint32_t i = 0; i < 256; i++)
        count[(int)(64 * asif_sobol(i, 0, 9))][(int)(2 * asif_sobol(i, 1, 9))]++;
    for (int i = 0; i < 128; i++)
        assert_int_equal(count[i / 2][i % 2], 2);
}

/* Other seeds give other points, and the mean of each is 1/2 over seeds. */
static void test_sobol_seeds(void **state) {
    (void)state;
    double mean = 0, square = 0;
    for (uint64_t seed = 0; seed < 4096; seed++) {
        double u = asif_sobol(5, 3, seed);
        mean += u / 4096;
        square += u * u / 4096;
    }
    CHECK_NEAR(mean, .5, 5 * sqrt(1 / 12. / 4096));
    CHECK_NEAR(square, 1 / 3., 5 * sqrt(4 / 45. / 4096));
}

/* ---- walks ---- */

/* A ring of radius 3 and width .1, higher to the right. */
static asif_status ring(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    double r = hypot(x[0], x[1]), off = (r - 3) / .1;
    *value = -off * off / 2 + 2 * x[0] / r;
    if (gradient)
        for (int i = 0; i < 2; i++)
            gradient[i] = -off / .1 * x[i] / r + 2 * ((i == 0) / r - x[0] * x[i] / (r * r * r));
    return ASIF_OK;
}

/* The walk stays on the ring, and comes all the way round. */
static void test_follow_ring(void **state) {
    (void)state;
    const asif_density density = {.dimension = 2, .evaluate = ring, .has_gradient = true};
    const double top[] = {3, 0}, covariance[] = {.01, 0, 0, .5};
    asif_ridge ridge;
    bool found;
    double least = 3;
    assert_int_equal(asif_ridge_follow(&ridge, context, &density, ones, top, covariance, &found, NULL),
                     ASIF_OK);
    assert_true(found);
    for (uint32_t k = 0; k < ridge.nodes; k++) {
        const asif_plane_top *node = &ridge.node[k].top;
        CHECK_NEAR(hypot(node->at[0], node->at[1]), 3, .01);
        double across = node->across[0] + node->across[3];
        CHECK_NEAR(sqrt(across), .1, .01);
        CHECK_NEAR(node->mass, 2 * node->at[0] / 3 + log(.1), .1);
        least = fmin(least, node->at[0]);
    }
    CHECK(least < -2.9, "the walk ended at %g", least);
    asif_ridge_free(&ridge);
}

/* A ridge along the first axis, of sds 3 and .05, that bends at `corner`: by `slope` per unit or, if that is
 * infinite, it ends. */
typedef struct {
    double slope, corner;
} bend;

static asif_status bent(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)error;
    const bend *b = user;
    double slope = b->slope, beyond = fmax(0, x[0] - b->corner);
    bool ends = isinf(slope);
    double off = (x[1] - (ends ? 0 : slope * beyond)) / .05;
    *value = ends && beyond > 0 ? -INFINITY : -x[0] * x[0] / 18 - off * off / 2;
    if (gradient) {
        gradient[0] = -x[0] / 9 + (beyond > 0 && !ends ? off * slope / .05 : 0);
        gradient[1] = -off / .05;
    }
    return ASIF_OK;
}

/* A walk that ends where the density is high says so: it lost the ridge, or the density ends. */
static void test_follow_bent(void **state) {
    (void)state;
    static const struct {
        double slope;
        bool cut;
    } rows[] = {{0, false}, {.3, false}, {5, true}, {INFINITY, true}};
    const double top[] = {0, 0}, covariance[] = {9, 0, 0, .0025};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bend b = {rows[i].slope, 2};
        const asif_density density = {.dimension = 2, .user = &b, .evaluate = bent, .has_gradient = true};
        asif_ridge ridge;
        bool found;
        assert_int_equal(asif_ridge_follow(&ridge, context, &density, ones, top, covariance, &found, NULL),
                         ASIF_OK);
        assert_true(found);
        CHECK((ridge.lost > 0) == rows[i].cut, "slope %g: cut %u after %u nodes", b.slope, ridge.lost,
              ridge.nodes);
        asif_ridge_free(&ridge);
    }
}

/* ---- the mixture ---- */

/* The density of what is drawn: of a share of points in a box, and its integral over a grid. */
static void test_mixture(void **state) {
    (void)state;
    const asif_density density = {.dimension = 2, .evaluate = ring, .has_gradient = true};
    const double top[] = {3, 0}, covariance[] = {.01, 0, 0, .5};
    asif_ridge ridge;
    asif_mixture mixture;
    bool found;
    assert_int_equal(asif_ridge_follow(&ridge, context, &density, ones, top, covariance, &found, NULL),
                     ASIF_OK);
    asif_mixture_init(&mixture, context, 2);
    assert_int_equal(asif_mixture_add_ridge(&mixture, &ridge, NULL), ASIF_OK);
    asif_mixture_finish(&mixture);
    assert_int_equal(asif_mixture_add_wide(&mixture, top, 1, .02, NULL), ASIF_OK);
    asif_mixture_finish(&mixture);
    CHECK_NEAR(mixture.weight[mixture.count - 1], .02, 1e-12);
    double box = 0, all = 0, step = .05, drawn = 0, x[2];
    for (x[0] = -7; x[0] < 11; x[0] += step)
        for (x[1] = -8; x[1] < 8; x[1] += step) {
            double part = asif_mixture_density(&mixture, x, NULL) * step * step;
            all += part;
            box += x[0] > 1 && x[1] > 1 ? part : 0;
        }
    for (uint32_t i = 0; i < 16384; i++) {
        double u[3] = {asif_sobol(i, 0, 4), asif_sobol(i, 1, 4), asif_sobol(i, 2, 4)};
        asif_mixture_point(&mixture, u, x);
        drawn += x[0] > 1 && x[1] > 1 ? 1 / 16384. : 0;
    }
    CHECK_NEAR(all, 1, .003);
    CHECK_NEAR(drawn, box, .005);
    asif_mixture_free(&mixture);
    asif_ridge_free(&ridge);
}

/* ---- draws ---- */

typedef struct {
    asif_draws *draws;
    asif_draws_view view;
    asif_ridge_info info;
} result;

static asif_ridge_request request_of(const asif_density *densities, const double *maximum, uint32_t maxima) {
    return (asif_ridge_request){.density = densities,
                                .densities = 2,
                                .scale = ones,
                                .maxima = maxima,
                                .maximum = maximum,
                                .chains = 4,
                                .draws = 1000,
                                .seed = 1};
}

static result sample(asif_density density, const double *maximum, uint32_t maxima) {
    const asif_density densities[] = {density, density};
    asif_ridge_request request = request_of(densities, maximum, maxima);
    result r = {.view = {.struct_size = sizeof r.view}};
    asif_error error = ASIF_ERROR_INIT;
    if (asif_ridge_sample(&r.draws, &r.info, context, &request, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(asif_draws_get(r.draws, &r.view, NULL), ASIF_OK);
    return r;
}

static void free_result(result *r) {
    asif_draws_free(r->draws);
    asif_ridge_info_free(&r->info, context);
}

/* Mean within .04 standard deviations, standard deviation within 3 %; the errors that are told are right to a
 * factor: never less than a fifth of what was found. */
static void check_moments(const result *r, uint32_t column, double mean, double sd) {
    asif_column_summary s;
    uint64_t all = r->view.chains * r->view.draws;
    assert_int_equal(
        asif_summarise(&s, context, r->view.value + column * all, r->view.chains, r->view.draws, NULL),
        ASIF_OK);
    CHECK(fabs(s.mean - mean) < .04 * sd, "column %u: mean %g, not %g (sd %g)", column, s.mean, mean, sd);
    CHECK(fabs(s.sd / sd - 1) < .03, "column %u: sd %g, not %g", column, s.sd, sd);
    CHECK(s.rhat < 1.01, "column %u: R-hat %g", column, s.rhat);
    CHECK_NEAR(r->info.mcse_mean[column], sd / sqrt(r->info.ess_bulk[column]),
               .1 * r->info.mcse_mean[column]);
    CHECK(fabs(s.mean - mean) < 5 * r->info.mcse_mean[column], "column %u: mean off by %g, error %g", column,
          s.mean - mean, r->info.mcse_mean[column]);
}

static void check_good(const result *r) {
    CHECK(r->info.good, "k %g, Kish %g, inside %d", r->info.k, r->info.kish, r->info.inside);
    assert_true(r->view.khat == r->info.k && r->view.kish == r->info.kish && r->view.inside);
    assert_int_equal(r->view.method, ASIF_METHOD_RIDGE);
}

static void test_normals(void **state) {
    (void)state;
    const target_normal cases[] = {{1, 0}, {2, 0.95}, {3, 0.99}, {6, 0.8}, {8, 0.5}};
    const double maximum[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        target_normal t = cases[k];
        result r = sample(target_normal_density(&t), maximum, 1);
        check_good(&r);
        assert_int_equal(r.info.rounds, 1);
        for (uint32_t i = 0; i < t.n; i++)
            check_moments(&r, i, i, 1 + i / 10.0);
        for (uint32_t i = 0; i < t.n; i++) /* what is noted for other samplers */
            CHECK_NEAR(r.view.metric[i * t.n + i], (1 + i / 10.0) * (1 + i / 10.0), .06);
        free_result(&r);
    }
}

/* A ridge that turns by far more than a right angle. */
static void test_banana(void **state) {
    (void)state;
    const double maximum[] = {0, -2};
    result r = sample(target_banana_density(), maximum, 1);
    check_good(&r);
    check_moments(&r, 0, 0, 2);
    check_moments(&r, 1, 0, 3);
    free_result(&r);
}

/* The angle of the ring is von Mises: E cos = I1(2)/I0(2). */
static void test_ring(void **state) {
    (void)state;
    const asif_density density = {.dimension = 2, .evaluate = ring, .has_gradient = true};
    const double maximum[] = {3, 0};
    double cosine = 0, sine = 0, radius = 0;
    result r = sample(density, maximum, 1);
    check_good(&r);
    for (uint64_t i = 0; i < 4000; i++) {
        double x = r.view.value[i], y = r.view.value[4000 + i];
        cosine += x / hypot(x, y) / 4000;
        sine += y / hypot(x, y) / 4000;
        radius += hypot(x, y) / 4000;
    }
    CHECK_NEAR(cosine, .69777466, .02);
    CHECK_NEAR(sine, 0, .02);
    CHECK_NEAR(radius, 3 + .01 / 3, .005);
    free_result(&r);
}

static void test_funnel(void **state) {
    (void)state;
    target_funnel t = {3, 1.5};
    const double maximum[] = {-2.25, 0, 0};
    result r = sample(target_funnel_density(&t), maximum, 1);
    check_good(&r);
    check_moments(&r, 0, 0, 1.5);
    free_result(&r);
}

static void test_bounded(void **state) {
    (void)state;
    const double maximum[] = {.4, -1};
    result r = sample(target_bounded_density(), maximum, 1);
    check_good(&r);
    check_moments(&r, 0, 1.5, sqrt(3) / 2);
    check_moments(&r, 1, 2 / 7., sqrt(10. / 49 / 8));
    free_result(&r);
}

/* At the edge of the density, where it is highest. */
static void test_edge(void **state) {
    (void)state;
    const double maximum[] = {1e-3};
    result r = sample(target_edge_density(), maximum, 1);
    check_good(&r);
    check_moments(&r, 0, 1, 1);
    free_result(&r);
}

/* Normals around (-4, 0), of sds .5 and 1, and around (4, 3), of sds 1 and .2 and correlation .8; the weights
 * are .3 and .7. */
static asif_status twins(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    double a = (x[0] + 4) / .5, b = x[1], c = x[0] - 4, d = ((x[1] - 3) / .2 - .8 * c) / .6;
    double one = log(.3 / .5) - (a * a + b * b) / 2, two = log(.7 / (.2 * .6)) - (c * c + d * d) / 2;
    double most = fmax(one, two), p = exp(one - most), q = exp(two - most);
    *value = most + log(p + q);
    if (gradient) {
        gradient[0] = (-p * a / .5 + q * (-c + d * .8 / .6)) / (p + q);
        gradient[1] = (-p * b - q * d / .2 / .6) / (p + q);
    }
    return ASIF_OK;
}

static void test_two_tops(void **state) {
    (void)state;
    const asif_density density = {.dimension = 2, .evaluate = twins, .has_gradient = true};
    const double maximum[] = {4, 3, -4, 0, 4.1, 3.01};
    double share = 0;
    result r = sample(density, maximum, 3);
    check_good(&r);
    assert_int_equal(r.info.ridges, 2); /* the third lies on the first's */
    for (uint64_t i = 0; i < 4000; i++)
        share += (r.view.value[i] > 0) / 4000.;
    CHECK_NEAR(share, .7, .01);
    check_moments(&r, 0, .7 * 4 - .3 * 4, sqrt(.7 * 1 + .3 * .25 + .7 * .3 * 64));
    free_result(&r);
}

/* A maximum so far away that no ridge comes near it is seen, where k-hat would see nothing. */
static void test_missed(void **state) {
    (void)state;
    const double maximum[] = {0, -2, 500, 500};
    result r = sample(target_banana_density(), maximum, 2);
    CHECK(r.info.k < .7, "k %g", r.info.k);
    assert_false(r.info.inside);
    assert_false(r.info.good);
    free_result(&r);
}

/* A walk turns corners. Where it does not find the way, the weights are good although what lies beyond is
 * missed; then a search around the corner finds it, and another ridge is followed from there. Nothing is
 * missed where the density ends, as a normal does here that is cut off at 2/3 standard deviations. */
static void test_corners(void **state) {
    (void)state;
    static const bend rows[] = {{.3, 2}, {2, 2.25}, {3, 3.375}, {5, 2},  {7, 5},
                                {10, 2}, {15, 1},   {15, 2},    {22, 2}, {INFINITY, 2}};
    const double maximum[] = {0, 0};
    uint32_t from_climbs = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bend b = rows[i];
        const asif_density density = {.dimension = 2, .user = &b, .evaluate = bent, .has_gradient = true};
        result r = sample(density, maximum, 1);
        CHECK(r.info.good, "slope %g from %g", b.slope, b.corner);
        check_moments(&r, 0, isinf(b.slope) ? -1.2820528 : 0, isinf(b.slope) ? 2.1891174 : 3);
        from_climbs += r.info.ridges > 1;
        free_result(&r);
    }
    CHECK(from_climbs >= 1, "every corner was turned by the walk: ridges from climbs were not tried");
}

/* Normals around (-4, 0), of sd .5, and around (5, 4), of sd 2. */
static asif_status apart(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    double a = (x[0] + 4) / .5, b = x[1] / .5, c = (x[0] - 5) / 2, d = (x[1] - 4) / 2;
    double one = log(.3 / .25) - (a * a + b * b) / 2, two = log(.7 / 4) - (c * c + d * d) / 2;
    double most = fmax(one, two), p = exp(one - most), q = exp(two - most);
    *value = most + log(p + q);
    if (gradient) {
        gradient[0] = -(p * a / .5 + q * c / 2) / (p + q);
        gradient[1] = -(p * b / .5 + q * d / 2) / (p + q);
    }
    return ASIF_OK;
}

/* The search found one of them: points that are drawn from all the scale find the other, and the weights
 * tell. */
static void test_unforeseen(void **state) {
    (void)state;
    const asif_density density = {.dimension = 2, .evaluate = apart, .has_gradient = true};
    const double maximum[] = {-4, 0}, scale[] = {4, 4};
    asif_density densities[] = {density, density};
    asif_ridge_request request = request_of(densities, maximum, 1);
    request.scale = scale;
    result r = {.view = {.struct_size = sizeof r.view}};
    assert_int_equal(asif_ridge_sample(&r.draws, &r.info, context, &request, NULL), ASIF_OK);
    CHECK(!r.info.good, "k %g, Kish %g", r.info.k, r.info.kish);
    free_result(&r);
}

/* Cauchy tails in eight dimensions: no proposal of ours will do, and k-hat says so. */
static asif_status heavy(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)error;
    *value = 0;
    for (int i = 0; i < 8; i++) {
        *value -= log1p(x[i] * x[i]);
        if (gradient)
            gradient[i] = -2 * x[i] / (1 + x[i] * x[i]);
    }
    return ASIF_OK;
}

static void test_heavy(void **state) {
    (void)state;
    const asif_density density = {.dimension = 8, .evaluate = heavy, .has_gradient = true};
    const double maximum[8] = {0};
    result r = sample(density, maximum, 1);
    CHECK(r.info.k >= .7 || r.info.kish < 1000, "k %g, Kish %g", r.info.k, r.info.kish);
    assert_false(r.info.good);
    free_result(&r);
    /* a density that is costly is not evaluated at such points */
    const asif_density none = {.dimension = 8};
    asif_ridge_request request = request_of(&density, maximum, 1);
    request.densities = 1;
    request.exact = &none;
    assert_int_equal(asif_ridge_sample(&r.draws, &r.info, context, &request, NULL), ASIF_OK);
    assert_true(!r.info.good && r.info.corrected == 0);
    free_result(&r);
}

/* ---- a density that is costly ---- */

/* The normal of the tests above, and one near it: shifted, or of another width. */
typedef struct {
    target_normal normal;
    asif_density density;
    double shift, wide;
    uint64_t evaluations;
} near_normal;

static asif_status evaluate_near(void *user, const double *x, double *value, double *gradient,
                                 asif_error *error) {
    near_normal *t = user;
    double y[8];
    for (uint32_t i = 0; i < t->normal.n; i++)
        y[i] = i + (x[i] - i - t->shift * (1 + i / 10.0)) / t->wide;
    t->evaluations++;
    asif_status status = t->density.evaluate(t->density.user, y, value, gradient, error);
    for (uint32_t i = 0; gradient && i < t->normal.n; i++)
        gradient[i] /= t->wide;
    return status;
}

static result sample_costly(near_normal *near, near_normal *exact, asif_context *own) {
    const asif_density one = {.user = near, .dimension = 3, .evaluate = evaluate_near, .has_gradient = true},
                       two = {.user = exact, .dimension = 3, .evaluate = evaluate_near};
    const double maximum[] = {near->shift, 1 + 1.1 * near->shift, 2 + 1.2 * near->shift};
    asif_ridge_request request = request_of(&one, maximum, 1);
    result r = {.view = {.struct_size = sizeof r.view}};
    asif_error error = ASIF_ERROR_INIT;
    near->normal = exact->normal = (target_normal){3, 0.8};
    near->density = target_normal_density(&near->normal);
    exact->density = target_normal_density(&exact->normal);
    request.densities = 1;
    request.exact = &two;
    if (asif_ridge_sample(&r.draws, &r.info, own, &request, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(asif_draws_get(r.draws, &r.view, NULL), ASIF_OK);
    assert_int_equal(r.info.corrected, exact->evaluations);
    assert_true(r.view.khat == r.info.k && r.view.kish == r.info.kish);
    return r;
}

/* Means and standard deviations are those of the costly density, whatever the other's are. */
static void test_costly(void **state) {
    (void)state;
    const double cases[][2] = {{0, 1}, {.4, 1}, {-.5, 1.1}, {0, .85}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        near_normal near = {.shift = cases[k][0], .wide = cases[k][1]}, exact = {.wide = 1};
        result r = sample_costly(&near, &exact, context);
        CHECK(r.info.good, "k %g, Kish %g", r.info.k, r.info.kish);
        CHECK(r.info.corrected < 3000, "%u points", (unsigned)r.info.corrected);
        CHECK(r.info.kish <= (double)r.info.corrected, "Kish %g", r.info.kish);
        for (uint32_t i = 0; i < 3; i++) {
            asif_column_summary s;
            double sd = 1 + i / 10.0, mcse = r.info.mcse_mean[i];
            assert_int_equal(asif_summarise(&s, context, r.view.value + i * 4000, 4, 1000, NULL), ASIF_OK);
            CHECK(fabs(s.mean - i) < fmin(.1 * sd, 4 * mcse), "mean %g, not %u (error %g)", s.mean, i, mcse);
            CHECK(fabs(s.sd / sd - 1) < .07, "sd %g, not %g", s.sd, sd);
            assert_true(mcse > .02 * sd && mcse < .04 * sd); /* that of about 1,000 draws */
        }
        CHECK_NEAR(r.info.moved, fabs(near.shift), .1);
        free_result(&r);
    }
}

/* Too far from the other density, the weights say so. */
static void test_costly_far(void **state) {
    (void)state;
    near_normal near = {.shift = 0, .wide = 1}, exact = {.shift = 6, .wide = 1};
    result r = sample_costly(&near, &exact, context);
    CHECK(!r.info.good, "k %g, Kish %g", r.info.k, r.info.kish);
    free_result(&r);
}

/* ---- contracts ---- */

static void test_same_for_threads(void **state) {
    (void)state;
    const double maximum[] = {0, -2};
    asif_density density = target_banana_density(), densities[] = {density, density};
    asif_draws *draws[2];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *own;
        asif_ridge_info info;
        asif_ridge_request request = request_of(densities, maximum, 1);
        options.threads = threads;
        assert_int_equal(asif_context_create(&own, &options, NULL), ASIF_OK);
        assert_int_equal(asif_ridge_sample(&draws[threads - 1], &info, own, &request, NULL), ASIF_OK);
        asif_ridge_info_free(&info, own);
        draws[threads - 1]->context = context;
        asif_context_free(own);
    }
    assert_true(target_same(draws[0], draws[1]));
    asif_draws_free(draws[0]);
    asif_draws_free(draws[1]);
}

static asif_status nowhere(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    (void)user;
    (void)x;
    (void)gradient;
    (void)error;
    *value = -INFINITY;
    return ASIF_OK;
}

static void test_refused(void **state) {
    (void)state;
    const double maximum[20] = {0};
    asif_density no_gradient = {.dimension = 1, .evaluate = nowhere};
    asif_density large = {.dimension = 17, .evaluate = nowhere, .has_gradient = true};
    asif_density empty[] = {{.dimension = 2, .evaluate = nowhere, .has_gradient = true},
                            {.dimension = 2, .evaluate = nowhere, .has_gradient = true}};
    asif_ridge_info info;
    asif_draws *draws;
    asif_ridge_request request = request_of(&no_gradient, maximum, 1);
    assert_int_equal(asif_ridge_sample(&draws, &info, context, &request, NULL), ASIF_EUNSUPPORTED);
    request.density = &large;
    assert_int_equal(asif_ridge_sample(&draws, &info, context, &request, NULL), ASIF_EUNSUPPORTED);
    request.density = empty;
    assert_int_equal(asif_ridge_sample(&draws, &info, context, &request, NULL), ASIF_EDOMAIN);
    asif_error error = ASIF_ERROR_INIT;
    request.points = (1u << 24) + 1;
    assert_int_equal(asif_ridge_sample(&draws, &info, context, &request, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "16777216 points"));
    request.maxima = 0;
    assert_int_equal(asif_ridge_sample(&draws, &info, context, &request, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "a maximum"));
}

static void test_memory(void **state) {
    (void)state;
    const double maximum[] = {0, -2};
    asif_density density = target_banana_density(), densities[] = {density, density};
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *poor;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
    long before = memory.alive;
    for (long left = 0;; left++) {
        asif_ridge_request request = request_of(densities, maximum, 1);
        asif_ridge_info info;
        asif_draws *draws;
        request.points = 256;
        request.draws = 50;
        memory.left = left;
        asif_status status = asif_ridge_sample(&draws, &info, poor, &request, NULL);
        memory.left = -1;
        if (status == ASIF_OK) {
            asif_draws_free(draws);
            asif_ridge_info_free(&info, poor);
            break;
        }
        assert_int_equal(status, ASIF_ENOMEM);
        assert_int_equal(memory.alive, before);
    }
    assert_int_equal(memory.alive, before);
    asif_context_free(poor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol_plain), cmocka_unit_test(test_sobol_even),
        cmocka_unit_test(test_sobol_seeds), cmocka_unit_test(test_follow_ring),
        cmocka_unit_test(test_follow_bent), cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_normals),     cmocka_unit_test(test_banana),
        cmocka_unit_test(test_ring),        cmocka_unit_test(test_funnel),
        cmocka_unit_test(test_bounded),     cmocka_unit_test(test_edge),
        cmocka_unit_test(test_two_tops),    cmocka_unit_test(test_missed),
        cmocka_unit_test(test_unforeseen),  cmocka_unit_test(test_corners),
        cmocka_unit_test(test_costly),      cmocka_unit_test(test_costly_far),
        cmocka_unit_test(test_heavy),       cmocka_unit_test(test_same_for_threads),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_memory)};
    asif_context_create(&context, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    asif_context_free(context);
    return failed;
}
