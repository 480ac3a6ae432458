/* Ridges: points, walks and draws on densities whose answers are known. */
#include "sample/ridge/ridge.h"

#include "check.h"
#include "sample/ridge/follow.h"
#include "sample/ridge/mixture.h"
#include "sample/ridge/sobol.h"
#include "targets.h"

#include <string.h>

static asif_context *context;

/* ---- draws ---- */

typedef struct {
    asif_draws *draws;
    asif_draws_view view;
    asif_ridge_info info;
} result;

static result sample_scaled(asif_density density, const double *maximum, uint32_t maxima, const double *scale,
                            uint64_t seed) {
    static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    asif_density densities[] = {density, density};
    asif_ridge_request request = {.density = densities,
                                  .densities = 2,
                                  .scale = scale ? scale : ones,
                                  .maxima = maxima,
                                  .maximum = maximum,
                                  .chains = 4,
                                  .draws = 1000,
                                  .seed = seed};
    result r = {.view = {.struct_size = sizeof r.view}};
    asif_error error = ASIF_ERROR_INIT;
    if (asif_ridge_sample(&r.draws, &r.info, context, &request, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(asif_draws_get(r.draws, &r.view, NULL), ASIF_OK);
    if (getenv("VERBOSE"))
        printf("  k %.2f kish %.0f evaluations %llu ridges %u components %u rounds %u inside %d\n", r.info.k,
               r.info.kish, (unsigned long long)r.info.evaluations, r.info.ridges, r.info.components,
               r.info.rounds, r.info.inside);
    return r;
}

static void free_result(result *r) {
    asif_draws_free(r->draws);
    asif_ridge_info_free(&r->info, context);
}

/* Mean within .05 standard deviations and standard deviation within 5 %. */
static void check_moments(const result *r, uint32_t column, double mean, double sd) {
    asif_column_summary s;
    uint64_t all = r->view.chains * r->view.draws;
    assert_int_equal(
        asif_summarise(&s, context, r->view.value + column * all, r->view.chains, r->view.draws, NULL),
        ASIF_OK);
    if (getenv("VERBOSE"))
        printf("    column %u: mean off %.4f sd, sd off %.4f; rhat %.4f\n", column, (s.mean - mean) / sd,
               s.sd / sd - 1, s.rhat);
    CHECK(fabs(s.mean - mean) < .05 * sd, "column %u: mean %g, not %g (sd %g)", column, s.mean, mean, sd);
    CHECK(fabs(s.sd / sd - 1) < .05, "column %u: sd %g, not %g", column, s.sd, sd);
}

static void check_good(const result *r) {
    CHECK(r->info.good, "k %g, Kish %g, inside %d", r->info.k, r->info.kish, r->info.inside);
}

static void test_normals(void **state) {
    (void)state;
    const target_normal cases[] = {{1, 0}, {2, 0.95}, {3, 0.99}, {6, 0.8}, {8, 0.5}};
    const double maximum[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        target_normal t = cases[k];
        result r = sample_scaled(target_normal_density(&t), maximum, 1, NULL, 1);
        check_good(&r);
        for (uint32_t i = 0; i < t.n; i++)
            check_moments(&r, i, i, 1 + i / 10.0);
        free_result(&r);
    }
}

/* A ridge that turns by far more than a right angle: x along a parabola. */
static void test_banana(void **state) {
    (void)state;
    const double maximum[] = {0, -2};
    result r = sample_scaled(target_banana_density(), maximum, 1, NULL, 1);
    check_good(&r);
    check_moments(&r, 0, 0, 2);
    check_moments(&r, 1, 0, 3);
    free_result(&r);
}

static void test_funnel(void **state) {
    (void)state;
    target_funnel t = {3, 1.5};
    const double maximum[] = {-2.25, 0, 0};
    result r = sample_scaled(target_funnel_density(&t), maximum, 1, NULL, 1);
    check_moments(&r, 0, 0, 1.5);
    check_good(&r);
    free_result(&r);
}

static void test_bounded(void **state) {
    (void)state;
    const double maximum[] = {.4, -1};
    result r = sample_scaled(target_bounded_density(), maximum, 1, NULL, 1);
    check_good(&r);
    check_moments(&r, 0, 1.5, sqrt(3) / 2);
    check_moments(&r, 1, 2 / 7., sqrt(10. / 49 / 8));
    free_result(&r);
}

static void test_edge(void **state) {
    (void)state;
    const double maximum[] = {1e-3};
    result r = sample_scaled(target_edge_density(), maximum, 1, NULL, 1);
    check_good(&r);
    check_moments(&r, 0, 1, 1);
    free_result(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_normals), cmocka_unit_test(test_banana),
                                       cmocka_unit_test(test_funnel), cmocka_unit_test(test_bounded),
                                       cmocka_unit_test(test_edge)};
    asif_context_create(&context, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    asif_context_free(context);
    return failed;
}
