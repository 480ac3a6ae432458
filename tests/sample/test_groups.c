/* A population in which groups of units have means of their own, where all is known but for two integrals:
 * unit i of group j has the likelihood N(y_ij | x_ij, v^2), x_ij is N(m + g_j, s^2 + the least spread), and
 * g_j is N(0, t^2). Given s and t, the posterior of m and g is normal; s and t are integrated on a grid. */
#include "check.h"

#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/population/population.h"

#include <string.h>

enum { GROUPS = 8, OWN = 6, UNITS = GROUPS * OWN, N = 2 + GROUPS + 1, SD_OF_GROUPS = N - 1 };
static const double PRIOR_SD = 2, NOISE = .4;

static double quantile(void *user, uint32_t i, double p) {
    (void)user, (void)i;
    return PRIOR_SD * asif_normal_quantile(p);
}

static double log_density(void *user, const double *x, double *gradient) {
    double z = x[0] / PRIOR_SD;
    (void)user;
    if (gradient)
        gradient[0] -= z / PRIOR_SD;
    return -z * z / 2 - log(PRIOR_SD) - log(2 * acos(-1)) / 2;
}

static const asif_base_density base = {1, quantile, log_density, NULL};

typedef struct {
    double y[UNITS], z[UNITS * GROUPS], times[UNITS];
    asif_effect effect[GROUPS];
} people;

static void make_people(people *p, double between, uint64_t seed) {
    memset(p, 0, sizeof *p);
    for (uint32_t j = 0; j < GROUPS; j++) {
        asif_stream group = {seed, ASIF_FOR_TESTS, 1000 + j};
        double mean = .5 + between * asif_normal(&group, 0);
        p->effect[j] = (asif_effect){0, j, 1};
        for (uint32_t k = 0; k < OWN; k++) {
            uint32_t i = j * OWN + k;
            asif_stream unit = {seed, ASIF_FOR_TESTS, i};
            p->y[i] = mean + .8 * asif_normal(&unit, 0) + NOISE * asif_normal(&unit, 1);
            p->z[i * GROUPS + j] = 1;
            p->times[i] = 1;
        }
    }
}

static asif_status evaluate(void *user, const double *x, uint64_t count, asif_take_row *take, void *taker,
                            asif_error *error) {
    const people *p = user;
    double *row = malloc(count * sizeof *row);
    (void)error;
    for (uint64_t i = 0; i < UNITS; i++) {
        for (uint64_t a = 0; a < count; a++) {
            double z = (x[a] - p->y[i]) / NOISE;
            row[a] = -z * z / 2;
        }
        take(taker, 0, i, row);
    }
    free(row);
    return ASIF_OK;
}

/* ---- by integrals ---- */

typedef struct {
    double mean[N], square[N], weight;
} sums;

/* Add the posterior given the own spread s and the groups' t, with a weight over e^top; returns its log. */
static double add_given(sums *out, const people *p, double s, double t, double top) {
    double variance = s * s + ASIF_LEAST_SPREAD * ASIF_LEAST_SPREAD * PRIOR_SD * PRIOR_SD + NOISE * NOISE,
           average[GROUPS] = {0}, within = 0, precision = 1 / (PRIOR_SD * PRIOR_SD), sum = 0, squares = 0,
           a = t * t + variance / OWN;
    for (int i = 0; i < UNITS; i++)
        average[i / OWN] += p->y[i] / OWN;
    for (int i = 0; i < UNITS; i++)
        within += (p->y[i] - average[i / OWN]) * (p->y[i] - average[i / OWN]);
    for (int j = 0; j < GROUPS; j++) {
        precision += 1 / a;
        sum += average[j] / a;
        squares += average[j] * average[j] / a;
    }
    double mean = sum / precision,
           value = -.5 * (within / variance + GROUPS * (OWN - 1) * log(variance) + GROUPS * log(a) +
                          log(precision) + squares - mean * mean * precision) -
                   (s * s + t * t) / (2 * PRIOR_SD * PRIOR_SD),
           weight = exp(value - top), spread = sqrt(variance - NOISE * NOISE), share = t * t / a;
    if (!out)
        return value;
    const double plain[][2] = {{mean, 1 / precision}, {spread, 0}};
    for (int k = 0; k < N; k++) {
        double m = k == SD_OF_GROUPS ? t
                   : k < 2           ? plain[k][0]
                                     : share * (average[k - 2] - mean),
               v = k == SD_OF_GROUPS ? 0
                   : k < 2           ? plain[k][1]
                                     : t * t * (1 - share) + share * share / precision;
        out->mean[k] += weight * m;
        out->square[k] += weight * (v + m * m);
    }
    out->weight += weight;
    return value;
}

static void integrate(sums *out, const people *p) {
    enum { STEPS = 400 };
    double top = -INFINITY, step = 2.5 * PRIOR_SD / STEPS;
    memset(out, 0, sizeof *out);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < STEPS; i++)
            for (int j = 0; j < STEPS; j++) {
                double value = add_given(turn ? out : NULL, p, (i + .5) * step, (j + .5) * step, top);
                top = turn ? top : fmax(top, value);
            }
    for (int k = 0; k < N; k++) {
        out->mean[k] /= out->weight;
        out->square[k] = sqrt(out->square[k] / out->weight - out->mean[k] * out->mean[k]); /* the sd */
    }
}

/* ---- tests ---- */

static void fit_people(asif_population_fit *fit, people *p, asif_context *context, bool maximum_only) {
    asif_error error = ASIF_ERROR_INIT;
    asif_population_request r = {.base = &base,
                                 .rows = UNITS,
                                 .times = p->times,
                                 .columns = GROUPS,
                                 .effects = GROUPS,
                                 .z = p->z,
                                 .effect = p->effect,
                                 .evaluate = evaluate,
                                 .user = p,
                                 .seed = 1,
                                 .points = 256,
                                 .most_points = 4096,
                                 .chains = 2,
                                 .warmup = 150,
                                 .draws = 500,
                                 .many = 1u << 30,
                                 .pilot = maximum_only};
    CHECK(asif_population_estimate(fit, context, &r, &error) == ASIF_OK, "%s", error.message);
    CHECK(maximum_only || fit->usable, "effective %g, worst %g, left out %u", fit->effective,
          fit->worst_error, (unsigned)fit->left_out);
}

static void groups_by_integrals(void **state) {
    (void)state;
    static const double between[] = {1.2, .1};
    for (int which = 0; which < 2; which++) {
        people p;
        sums exact;
        asif_context *context;
        asif_population_fit fit;
        assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
        make_people(&p, between[which], 5);
        integrate(&exact, &p);
        fit_people(&fit, &p, context, false);
        assert_int_equal(fit.numbers, N);
        asif_draws_view v = {.struct_size = sizeof v};
        assert_int_equal(asif_draws_get(fit.draws, &v, NULL), ASIF_OK);
        uint64_t all = v.chains * v.draws;
        for (uint64_t k = 0; k < N; k++) {
            double mean = 0, square = 0, sd = exact.square[k];
            for (uint64_t i = 0; i < all; i++) {
                mean += v.value[k * all + i] / (double)all;
                square += v.value[k * all + i] * v.value[k * all + i] / (double)all;
            }
            double found = sqrt(square - mean * mean);
            CHECK(fabs(mean - exact.mean[k]) < .15 * sd, "groups %d, number %u: %g, exact %g (sd %g)", which,
                  (unsigned)k, mean, exact.mean[k], sd);
            CHECK(fabs(found / sd - 1) < .15, "groups %d, number %u: sd %g, exact %g", which, (unsigned)k,
                  found, sd);
        }
        asif_population_fit_close(&fit);
        asif_context_free(context);
    }
}

/* Derivatives of the marginal likelihood and of the prior against differences. */
static void slopes(void **state) {
    (void)state;
    people p;
    asif_context *context;
    asif_population_fit fit;
    asif_marginal_work work = {0};
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    make_people(&p, 1.2, 5);
    fit_people(&fit, &p, context, true);
    assert_int_equal(asif_marginal_work_open(&work, &fit.marginal, &fit.population, 1, NULL), ASIF_OK);
    double phi[N], gradient[N] = {0}, unused[N];
    for (int k = 0; k < N; k++)
        phi[k] = fit.maximum[k] + .1 * sin(k + 1.);
    asif_marginal_at(&work, phi, gradient);
    asif_population_log_prior(&fit.population, phi, gradient);
    for (int k = 0; k < N; k++) {
        double keep = phi[k], value[2], step = 1e-3;
        for (int side = 0; side < 2; side++) {
            phi[k] = keep + (side ? step : -step);
            value[side] =
                asif_marginal_at(&work, phi, NULL) + asif_population_log_prior(&fit.population, phi, unused);
        }
        phi[k] = keep;
        double slope = (value[1] - value[0]) / (2 * step);
        CHECK(fabs(slope - gradient[k]) < 5e-3 * fmax(1, fabs(slope)), "number %d: %g, by differences %g", k,
              gradient[k], slope);
    }
    asif_marginal_work_close(&work);
    asif_population_fit_close(&fit);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_by_integrals), cmocka_unit_test(slopes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
