/* Units that a table serves badly, and points of their own: unit i has the likelihood N(y_i | x, V) of its
 * point x, and points are N(mean, diag(s^2)), so that its posterior is normal, and known. */
#include "check.h"

#include "base/numeric/special.h"
#include "sample/population/units/own.h"

#include <string.h>

enum { D = 2 };
static const double PRIOR_SD[D] = {1.5, 4};
/* Far from the others, or narrow, or both. */
static const struct {
    double y[D], noise[D];
} UNIT[] = {{{.3, -1}, {.5, 1}},
            {{.4, -2}, {.01, .02}},
            {{3.5, 9}, {.3, .8}},
            {{-3, 8}, {.02, .03}},
            {{4, 0}, {.01, 2}}};
enum { UNITS = sizeof UNIT / sizeof *UNIT };

static double quantile(void *user, uint32_t i, double p) {
    (void)user;
    return PRIOR_SD[i] * asif_normal_quantile(p);
}

static double log_density(void *user, const double *x, double *gradient) {
    double sum = 0;
    (void)user, (void)gradient;
    for (int i = 0; i < D; i++)
        sum -= x[i] * x[i] / (2 * PRIOR_SD[i] * PRIOR_SD[i]) + log(PRIOR_SD[i]) + log(2 * acos(-1)) / 2;
    return sum;
}

static const asif_base_density base = {D, quantile, log_density, NULL};

static asif_status evaluate(void *user, const double *x, uint64_t count, double *log_likelihood,
                            asif_error *error) {
    size_t unit = *(const size_t *)user;
    (void)error;
    for (uint64_t a = 0; a < count; a++) {
        log_likelihood[a] = 0;
        for (size_t k = 0; k < D; k++) {
            double z = (x[a * D + k] - UNIT[unit].y[k]) / UNIT[unit].noise[k];
            log_likelihood[a] -= z * z / 2;
        }
    }
    return ASIF_OK;
}

static void report(void *user, const double *x, double *out) {
    (void)user;
    memcpy(out, x, D * sizeof *out);
}

/* The posterior of a coordinate under the population N(mean, sd^2). */
static void check_unit(const asif_unit_number *number, size_t unit, const double *reported) {
    for (size_t k = 0; k < D; k++) {
        double noise = UNIT[unit].noise[k], s = reported[D + k],
               variance = 1 / (1 / (noise * noise) + 1 / (s * s)), sd = sqrt(variance),
               mean = variance * (UNIT[unit].y[k] / (noise * noise) + reported[k] / (s * s));
        CHECK(fabs(number[k].mean - mean) < .15 * sd, "unit %zu, %zu: mean %g, exact %g (sd %g)", unit, k,
              number[k].mean, mean, sd);
        CHECK(fabs(number[k].sd / sd - 1) < .15, "unit %zu, %zu: sd %g, exact %g", unit, k, number[k].sd, sd);
        CHECK(fabs(number[k].q05 - (mean - 1.6448536 * sd)) < .3 * sd, "unit %zu, %zu: 5 %% %g, exact %g",
              unit, k, number[k].q05, mean - 1.6448536 * sd);
        CHECK(fabs(number[k].q95 - (mean + 1.6448536 * sd)) < .3 * sd, "unit %zu, %zu: 95 %% %g, exact %g",
              unit, k, number[k].q95, mean + 1.6448536 * sd);
    }
}

/* The unit's likelihood under the population: that of y with the noise added to the spread. Likelihoods are 1
 * at y. */
static double log_marginal(size_t unit, const double *reported) {
    double sum = 0;
    for (size_t k = 0; k < D; k++) {
        double noise = UNIT[unit].noise[k], s = reported[D + k], variance = noise * noise + s * s,
               off = UNIT[unit].y[k] - reported[k];
        sum -= off * off / (2 * variance) + log(variance / (noise * noise)) / 2;
    }
    return sum;
}

static void own_points(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_normal_population population = {.base = &base, .scale = {1.5, 4}};
    const double mean[D] = {.4, -2}, covariance[D * D] = {.8, 0, 0, 9};
    double phi[2 * D] = {0}, reported[2 * D];
    asif_population_of(&population, mean, covariance, phi);
    asif_population_report(&population, phi, reported);
    asif_atoms atoms;
    asif_atoms_open(&atoms, context, &base, 1);
    assert_int_equal(asif_atoms_add(&atoms, 1024, NULL, NULL, NULL), ASIF_OK);
    double *value = malloc(atoms.count * sizeof *value);
    asif_weighing weighing;
    asif_weighing_room room;
    const asif_weighing_request weighed = {
        .atoms = &atoms, .population = &population, .phi = phi, .draws = 1, .numbers = D, .report = report};
    assert_int_equal(asif_weighing_open(&weighing, context, &weighed, NULL), ASIF_OK);
    assert_true(asif_weighing_room_open(&room, &weighing));
    int unserved = 0;
    for (size_t unit = 0; unit < UNITS; unit++) {
        asif_unit_number number[D];
        asif_unit_info info;
        evaluate(&unit, atoms.x, atoms.count, value, NULL);
        asif_weigh(number, &info, NULL, NULL, &weighing, &room, value, NULL);
        unserved += !info.served;
        const asif_own_request r = {
            .context = context, .weighed = &weighed, .evaluate = evaluate, .user = &unit};
        assert_int_equal(asif_weigh_own(number, &info, &r, value, NULL, NULL), ASIF_OK);
        CHECK(info.served, "unit %zu: %g effective points, k-hat %g", unit, info.effective, info.khat);
        check_unit(number, unit, reported);
        asif_own_request whole = r;
        whole.whole = true;
        assert_int_equal(asif_weigh_own(number, &info, &whole, value, NULL, NULL), ASIF_OK);
        check_unit(number, unit, reported);
        CHECK(fabs(info.log_likelihood - log_marginal(unit, reported)) < .15,
              "unit %zu: log-likelihood %g, exact %g", unit, info.log_likelihood,
              log_marginal(unit, reported));
    }
    assert_true(unserved >= 4); /* else nothing was tried */
    asif_weighing_room_close(&room, context);
    asif_weighing_close(&weighing);
    free(value);
    asif_atoms_close(&atoms);
    asif_context_free(context);
}

/* A part of a table, with points added: their densities are those of the whole with the same points. */
static void parts_of_a_table(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    const double mean[D] = {1, 2}, covariance[D * D] = {.1, .05, .05, .2};
    asif_atoms whole, part;
    asif_atoms_open(&whole, context, &base, 3);
    assert_int_equal(asif_atoms_add(&whole, 64, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&whole, 128, mean, covariance, NULL), ASIF_OK);
    const uint64_t chosen[] = {3, 63, 64, 100, 191};
    enum { CHOSEN = sizeof chosen / sizeof *chosen, MORE = 32 };
    assert_int_equal(asif_atoms_choose(&part, &whole, chosen, CHOSEN, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&part, MORE, mean, covariance, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&whole, MORE, mean, covariance, NULL), ASIF_OK);
    assert_int_equal(part.count, CHOSEN + MORE);
    for (uint64_t i = 0; i < CHOSEN + MORE; i++) {
        uint64_t j = i < CHOSEN ? chosen[i] : 192 + i - CHOSEN;
        assert_memory_equal(part.x + i * D, whole.x + j * D, D * sizeof(double));
        CHECK(fabs(part.log_q[i] - whole.log_q[j]) < 1e-12, "point %u: %g, not %g", (unsigned)i,
              part.log_q[i], whole.log_q[j]);
    }
    asif_atoms_close(&part);
    asif_atoms_close(&whole);
    asif_context_free(context);
}

/* The first points of each scramble are the table with so many points, and so are others that are added. */
static void thinned(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    const double mean[D] = {1, 2}, covariance[D * D] = {.1, .05, .05, .2};
    asif_atoms whole, part, direct;
    uint64_t chosen[96 + 192];
    asif_atoms_open(&whole, context, &base, 3);
    assert_int_equal(asif_atoms_add(&whole, 96, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&whole, 192, mean, covariance, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_thin(&part, &whole, 3, chosen, NULL), ASIF_OK);
    asif_atoms_open(&direct, context, &base, 3);
    assert_int_equal(asif_atoms_add(&direct, 32, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&direct, 64, mean, covariance, NULL), ASIF_OK);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(part.count, direct.count);
        assert_memory_equal(part.x, direct.x, direct.count * D * sizeof *direct.x);
        for (uint64_t i = 0; i < direct.count; i++)
            CHECK_NEAR(part.log_q[i], direct.log_q[i], 1e-12);
        for (uint64_t i = 0; turn == 0 && i < part.count; i++)
            assert_memory_equal(part.x + i * D, whole.x + chosen[i] * D, D * sizeof *part.x);
        const double other[D] = {-1, 0}, wide[D * D] = {2, 0, 0, 3};
        assert_int_equal(asif_atoms_add(&part, 40, other, wide, NULL), ASIF_OK);
        assert_int_equal(asif_atoms_add(&direct, 40, other, wide, NULL), ASIF_OK);
    }
    asif_atoms_close(&direct);
    asif_atoms_close(&part);
    asif_atoms_close(&whole);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_points), cmocka_unit_test(parts_of_a_table),
                                       cmocka_unit_test(thinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
