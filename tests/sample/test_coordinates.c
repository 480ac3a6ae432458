/* Other coordinates of a population's numbers: there and back, and the logarithm of the determinant of the
 * derivative against differences. */
#include "check.h"

#include "base/context.h"
#include "base/random.h"
#include "sample/population/population.h"
#include "sample/population/posterior/coordinates.h"

#include <math.h>
#include <string.h>

enum { D = 4, MOST = 40 };

static double quantile(void *user, uint32_t i, double p) {
    (void)user;
    return i + (p - .5) * 3.3;
}

static double log_density(void *user, const double *x, double *gradient) {
    (void)user, (void)x, (void)gradient;
    return 0;
}

static const asif_base_density base = {D, quantile, log_density, NULL};

static asif_normal_population make_population(bool correlated, uint32_t kinds) {
    static const asif_effect effect[] = {{1, 0, 0}, {2, 1, 1}, {2, 2, 1}, {0, 3, 2}};
    asif_normal_population p = {0};
    asif_population_place(&p, &base, correlated);
    if (kinds == 1)
        asif_population_set_effects(&p, effect, 4);
    p.kinds = kinds;
    return p;
}

/* log |det a| by elimination with pivots; a is lost. */
static double log_determinant(double (*a)[MOST], uint32_t n) {
    double sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        for (uint32_t j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        sum += log(fabs(a[k][k]));
        for (uint32_t i = k + 1; i < n; i++) {
            double c = a[i][k] / a[k][k];
            for (uint32_t j = k; j < n; j++)
                a[i][j] -= c * a[k][j];
        }
    }
    return sum;
}

static void check_at(const asif_normal_population *p, asif_coordinates c, uint64_t seed) {
    uint32_t n = asif_population_numbers(p);
    double phi[MOST], x[MOST], back[MOST], above[MOST], below[MOST], slope[MOST][MOST];
    asif_stream stream = {seed, ASIF_FOR_POPULATIONS, c};
    assert_true(n <= MOST);
    for (uint32_t k = 0; k < n; k++)
        phi[k] = .6 * asif_normal(&stream, k);
    double jacobian = asif_coordinates_of(p, c, phi, x);
    assert_true(asif_coordinates_back(p, c, x, back));
    for (uint32_t k = 0; k < n; k++)
        CHECK(fabs(back[k] - phi[k]) < 1e-10, "number %u: %g, not %g", k, back[k], phi[k]);
    for (uint32_t k = 0; k < n; k++) {
        const double step = 1e-5;
        memcpy(back, phi, sizeof back);
        back[k] = phi[k] + step;
        (void)asif_coordinates_of(p, c, back, above);
        back[k] = phi[k] - step;
        (void)asif_coordinates_of(p, c, back, below);
        for (uint32_t i = 0; i < n; i++)
            slope[k][i] = (above[i] - below[i]) / (2 * step);
    }
    double expected = log_determinant(slope, n);
    CHECK(fabs(jacobian - expected) < 1e-7, "coordinates %d: %g, by differences %g", (int)c, jacobian,
          expected);
}

static void there_and_back(void **state) {
    (void)state;
    for (uint32_t kinds = 1; kinds <= 2; kinds++)
        for (int correlated = 0; correlated < 2; correlated++) {
            asif_normal_population p = make_population(correlated, kinds);
            for (asif_coordinates c = 0; c < ASIF_COORDINATES_COUNT; c++)
                for (uint64_t seed = 1; seed <= 20; seed++)
                    check_at(&p, c, seed);
        }
}

/* Standard deviations below 0 and covariances that are too large are no population. */
static void none(void **state) {
    (void)state;
    asif_normal_population p = make_population(true, 1);
    double phi[MOST] = {0}, x[MOST], back[MOST];
    (void)asif_coordinates_of(&p, ASIF_COORDINATES_COVARIANCES, phi, x);
    x[2 * (uint64_t)D] = .99;
    assert_true(asif_coordinates_back(&p, ASIF_COORDINATES_COVARIANCES, x, back));
    x[2 * (uint64_t)D] = 1;
    assert_false(asif_coordinates_back(&p, ASIF_COORDINATES_COVARIANCES, x, back));
    x[2 * (uint64_t)D] = 0;
    x[D + 1] = -.1;
    assert_false(asif_coordinates_back(&p, ASIF_COORDINATES_COVARIANCES, x, back));
    x[D + 1] = NAN;
    assert_false(asif_coordinates_back(&p, ASIF_COORDINATES_COVARIANCES, x, back));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
