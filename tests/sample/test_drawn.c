/* Populations that are drawn from their prior have its moments, and so have their units: means as the base
 * density, standard deviations half-normal, and correlations LKJ(2), each of which has the density
 * (1 - c^2)^(eta - 1 + (d - 2)/2) by itself, with the variance 1/(2 eta + d - 1). */
#include "check.h"

#include "base/numeric/special.h"
#include "sample/population/drawn.h"
#include "sample/population/population.h"

#include <string.h>

enum { D = 3, NUMBERS = 2 * D + D * (D - 1) / 2, DRAWS = 40000 };
static const double CENTRE[D] = {-1, 0, 5}, SCALE[D] = {.5, 2, 10};

static double quantile(void *user, uint32_t i, double p) {
    (void)user;
    return CENTRE[i] + SCALE[i] * asif_normal_quantile(p);
}

static double log_density(void *user, const double *x, double *gradient) {
    (void)user, (void)x, (void)gradient;
    return 0;
}

static const asif_base_density base = {D, quantile, log_density, NULL};

/* Whether the mean of DRAWS numbers with this variance is where it should be, to 4.5 standard errors. */
static void check_mean(double sum, double expected, double variance) {
    double limit = 4.5 * sqrt(variance / DRAWS), mean = sum / DRAWS;
    CHECK(fabs(mean - expected) < limit, "mean %g, expected %g, allowed %g", mean, expected, limit);
}

static void test_prior(void **state) {
    asif_normal_population p;
    double sum[NUMBERS] = {0}, square[NUMBERS] = {0}, phi[NUMBERS], own[D];
    (void)state;
    asif_population_place(&p, &base, true);
    for (uint64_t k = 0; k < DRAWS; k++) {
        double out[NUMBERS], factor[D][D] = {{0}};
        asif_population_invent(&p, k, phi);
        for (uint32_t i = 0; i < D; i++) {
            out[i] = CENTRE[i] + SCALE[i] * phi[i];
            out[D + i] = own[i] = p.scale[i] * exp(phi[D + i]);
        }
        for (uint32_t i = 0, at = 2 * D; i < D; i++) { /* the correlations without the least spread */
            double rest = 1;
            for (uint32_t j = 0; j < i; j++) {
                double c = tanh(phi[2 * D + i * (i - 1) / 2 + j]);
                factor[i][j] = c * sqrt(rest);
                rest *= 1 - c * c;
            }
            factor[i][i] = sqrt(rest);
            for (uint32_t j = 0; j < i; j++, at++) {
                out[at] = 0;
                for (uint32_t m = 0; m <= j; m++)
                    out[at] += factor[i][m] * factor[j][m];
            }
        }
        for (uint32_t i = 0; i < NUMBERS; i++) {
            sum[i] += out[i];
            square[i] += out[i] * out[i];
        }
    }
    for (uint32_t i = 0; i < D; i++) {
        double s2 = SCALE[i] * SCALE[i], pi = acos(-1), mean = CENTRE[i];
        check_mean(sum[i], mean, s2);
        check_mean(square[i], mean * mean + s2, 2 * s2 * s2 + 4 * mean * mean * s2);
        check_mean(sum[D + i], SCALE[i] * sqrt(2 / pi), s2 * (1 - 2 / pi));
        check_mean(square[D + i], s2, 2 * s2 * s2);
    }
    for (uint32_t i = 2 * D; i < NUMBERS; i++) {
        double variance = 1. / (2 * ASIF_LKJ + D - 1), fourth = 3 * variance * variance; /* at most */
        check_mean(sum[i], 0, variance);
        check_mean(square[i], variance, fourth - variance * variance);
    }
}

static void test_units(void **state) {
    asif_normal_population p;
    double phi[NUMBERS], mean[D], factor[D * D], sum[D] = {0}, square[D][D] = {{0}};
    (void)state;
    asif_population_place(&p, &base, true);
    asif_population_invent(&p, 7, phi);
    asif_population_at(&p, phi, mean, factor);
    for (uint64_t unit = 0; unit < DRAWS; unit++) {
        double x[D], again[D];
        asif_population_invent_unit(&p, phi, 3, unit, x);
        asif_population_invent_unit(&p, phi, 3, unit, again);
        assert_memory_equal(x, again, sizeof x);
        for (uint32_t i = 0; i < D; i++) {
            sum[i] += x[i];
            for (uint32_t j = 0; j < D; j++)
                square[i][j] += (x[i] - mean[i]) * (x[j] - mean[j]);
        }
    }
    for (uint32_t i = 0; i < D; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double covariance = 0, vi = 0, vj = 0;
            for (uint32_t k = 0; k < D; k++) {
                covariance += factor[i * D + k] * factor[j * D + k];
                vi += factor[i * D + k] * factor[i * D + k];
                vj += factor[j * D + k] * factor[j * D + k];
            }
            check_mean(square[i][j], covariance, vi * vj + covariance * covariance);
            if (i == j)
                check_mean(sum[i], mean[i], vi);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prior), cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
