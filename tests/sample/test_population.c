/* A population that is fitted by reweighting a table of points, where all is known in closed form: unit i has
 * the likelihood N(y_i | x, V) of its point x, and points are N(mean, S), so that y_i ~ N(mean, S + V), and
 * the posterior of a point given the population is normal too. */
#include "check.h"

#include "asif/sample.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/population/population.h"

#include <string.h>

enum { D = 2, N = 5 };
static const double PRIOR_SD[D] = {1.5, 4};
static double NOISE[D] = {.3, 1.2};

/* ---- the base density: independent normals ---- */

static double quantile(void *user, uint32_t i, double p) {
    (void)user;
    return PRIOR_SD[i] * asif_normal_quantile(p);
}

static double log_density(void *user, const double *x, double *gradient) {
    double sum = 0;
    (void)user;
    for (int i = 0; i < D; i++) {
        double z = x[i] / PRIOR_SD[i];
        sum -= z * z / 2 + log(PRIOR_SD[i]) + log(2 * acos(-1)) / 2;
        if (gradient)
            gradient[i] -= z / PRIOR_SD[i];
    }
    return sum;
}

static const asif_base_density base = {D, quantile, log_density, NULL};

/* ---- units ---- */

typedef struct {
    uint64_t units;
    double *y; /* [units][D] */
    double *times;
} people;

static people make_people(uint64_t units, const double *mean, const double *factor, uint64_t seed) {
    people p = {units, malloc(units * D * sizeof(double)), malloc(units * sizeof(double))};
    for (uint64_t i = 0; i < units; i++) {
        asif_stream s = {seed, ASIF_FOR_TESTS, i};
        double z[D] = {asif_normal(&s, 0), asif_normal(&s, 1)};
        p.times[i] = 1;
        asif_lower_times(factor, D, z, p.y + i * D);
        for (int k = 0; k < D; k++)
            p.y[i * D + (uint64_t)k] += mean[k] + NOISE[k] * asif_normal(&s, 2 + (uint32_t)k);
    }
    return p;
}

static void free_people(people *p) {
    free(p->y);
    free(p->times);
}

static asif_status evaluate(void *user, const double *x, uint64_t count, asif_take_row *take, void *taker,
                            asif_error *error) {
    const people *p = user;
    double *row = malloc(count * sizeof *row);
    (void)error;
    for (uint64_t i = 0; i < p->units; i++) {
        for (uint64_t a = 0; a < count; a++) {
            row[a] = -1000; /* a constant does not matter */
            for (int k = 0; k < D; k++) {
                double z = (x[a * D + (uint64_t)k] - p->y[i * D + (uint64_t)k]) / NOISE[k];
                row[a] -= z * z / 2 + log(NOISE[k]) + log(2 * acos(-1)) / 2;
            }
        }
        take(taker, 0, i, row);
    }
    free(row);
    return ASIF_OK;
}

/* The exact log marginal likelihood: y_i ~ N(mean, S + V). */
static double exact(const people *p, const asif_normal_population *population, const double *phi) {
    double mean[D], a[D * D], s[D * D], sum = 0;
    asif_population_at(population, phi, mean, a);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            s[i * D + j] = a[i * D] * a[j * D] + a[i * D + 1] * a[j * D + 1] + (i == j) * NOISE[i] * NOISE[i];
    assert_true(asif_cholesky(s, D));
    for (uint64_t i = 0; i < p->units; i++) {
        double z[D] = {p->y[i * D] - mean[0], p->y[i * D + 1] - mean[1]};
        asif_lower_solve(s, D, z);
        sum += p->times[i] * (-1000 - (z[0] * z[0] + z[1] * z[1]) / 2 - log(s[0] * s[3]) - log(2 * acos(-1)));
    }
    return sum;
}

static asif_normal_population population(bool correlated) {
    return (asif_normal_population){
        .base = &base, .correlated = correlated, .centre = {0, 0}, .scale = {PRIOR_SD[0], PRIOR_SD[1]}};
}

static asif_context *make_context(uint32_t threads) {
    asif_context *context;
    asif_context_options o = ASIF_CONTEXT_OPTIONS_INIT;
    o.threads = threads;
    assert_int_equal(asif_context_create(&context, &o, NULL), ASIF_OK);
    return context;
}

static const double MEAN[D] = {.4, -2}, FACTOR[D * D] = {.5, 0, -.9, 1.4};

/* ---- the population alone ---- */

/* Moments of normals with these numbers, drawn through the factor, and the round trip of phi. */
static void numbers_of_a_population(void **state) {
    (void)state;
    asif_normal_population p = population(true);
    double phi[N] = {.3, -.2, -.7, .4, -.6}, mean[D], a[D * D], report[N], cov[D * D], again[N];
    asif_population_at(&p, phi, mean, a);
    asif_population_report(&p, phi, report);
    CHECK_NEAR(report[0], .3 * 1.5, 1e-14);
    CHECK_NEAR(report[1], -.2 * 4, 1e-14);
    /* variances are s^2 and the least spread, which is uncorrelated */
    double s[D] = {1.5 * exp(-.7), 4 * exp(.4)};
    CHECK_NEAR(report[2], hypot(s[0], .05 * 1.5), 1e-14);
    CHECK_NEAR(report[3], hypot(s[1], .05 * 4), 1e-14);
    CHECK_NEAR(report[4], tanh(-.6) * s[0] * s[1] / (report[2] * report[3]), 1e-14);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            cov[i * D + j] = a[i * D] * a[j * D] + a[i * D + 1] * a[j * D + 1];
    CHECK_NEAR(sqrt(cov[0]), report[2], 1e-14);
    CHECK_NEAR(cov[1] / sqrt(cov[0] * cov[3]), report[4], 1e-14);
    asif_population_of(&p, mean, cov, again);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(again[i], phi[i], 1e-12);
    /* a density in closed form at one point */
    double x[D] = {1, -1}, got, r = report[4], u = (x[0] - mean[0]) / report[2],
           v = (x[1] - mean[1]) / report[3];
    asif_population_log_density(&p, phi, x, 1, &got);
    CHECK_NEAR(got,
               -log(2 * acos(-1)) - log(report[2] * report[3]) - log(1 - r * r) / 2 -
                   (u * u - 2 * r * u * v + v * v) / (2 * (1 - r * r)),
               1e-12);
    /* a covariance below the least spread becomes the least, or nearly */
    double narrow[D * D] = {1e-9, .9e-9, .9e-9, 1e-9}, sds[N];
    asif_population_of(&p, mean, narrow, again);
    asif_population_report(&p, again, sds);
    for (int i = 0; i < D; i++) {
        CHECK_NEAR(sds[i], report[i], 1e-12);
        assert_true(sds[D + i] >= .05 * PRIOR_SD[i] && sds[D + i] < .06 * PRIOR_SD[i]);
    }
    phi[2] = phi[3] = -300; /* no population is narrower */
    asif_population_report(&p, phi, sds);
    CHECK_NEAR(sds[2], .05 * 1.5, 1e-14);
    CHECK_NEAR(sds[3], .05 * 4, 1e-14);
}

/* LKJ(2) of two numbers is proportional to 1 - r^2; in y = atanh(r) there is a Jacobian 1 - r^2 more. */
static void priors_of_a_population(void **state) {
    (void)state;
    asif_normal_population p = population(true);
    double a[N] = {0, 0, 0, 0, .8}, b[N] = {0}, g[N] = {0}, r = tanh(.8);
    double difference = asif_population_log_prior(&p, a, g) - asif_population_log_prior(&p, b, g);
    CHECK_NEAR(difference, 2 * log(1 - r * r), 1e-12);
    /* sd half-normal(scale), in its logarithm */
    b[2] = log(.5);
    difference = asif_population_log_prior(&p, b, g);
    b[2] = 0;
    difference -= asif_population_log_prior(&p, b, g);
    CHECK_NEAR(difference, -.125 + .5 + log(.5), 1e-12);
    double phi[N] = {.3, -.2, -.7, .4, -.6};
    memset(g, 0, sizeof g);
    asif_population_log_prior(&p, phi, g);
    for (int i = 0; i < N; i++) {
        double h = 1e-5, up, down, unused[N];
        phi[i] += h;
        up = asif_population_log_prior(&p, phi, unused);
        phi[i] -= 2 * h;
        down = asif_population_log_prior(&p, phi, unused);
        phi[i] += h;
        CHECK_NEAR(g[i], (up - down) / (2 * h), 1e-8);
    }
}

/* With four coordinates the partial correlations differ from the correlations: the density of LKJ(2) is
 * det(R) to the power 1, and the Jacobian of the map is found by differences. */
static double base_quantile_4(void *user, uint32_t i, double p) {
    (void)user, (void)i;
    return asif_normal_quantile(p);
}
static double base_density_4(void *user, const double *x, double *gradient) {
    (void)user, (void)x, (void)gradient;
    return 0;
}
static void correlations_of_four(void **state) {
    (void)state;
    enum { F = 4, C = 6 };
    asif_base_density four = {F, base_quantile_4, base_density_4, NULL};
    asif_normal_population p = {.base = &four, .correlated = true, .scale = {1, 1, 1, 1}};
    double value[2];
    const double wider = 1 + ASIF_LEAST_SPREAD * ASIF_LEAST_SPREAD; /* variances, than those of sds of 1 */
    for (int which = 0; which < 2; which++) {
        double phi[2 * F + C] = {0}, jacobian[C * C], g[2 * F + C] = {0}, report[2 * F + C], up[2 * F + C],
                           down[2 * F + C], r[F * F], log_det = 0, log_jacobian = 0;
        uint32_t pivot[C];
        for (int k = 0; k < C; k++)
            phi[2 * F + k] = which ? .3 * sin(1 + 2 * k) : 0;
        asif_population_report(&p, phi, report);
        for (int i = 0, at = 2 * F; i < F; i++) {
            r[i * F + i] = 1;
            for (int j = 0; j < i; j++)
                r[i * F + j] = r[j * F + i] = report[at++] * wider;
        }
        assert_true(asif_cholesky(r, F));
        for (int i = 0; i < F; i++)
            log_det += 2 * log(r[i * F + i]);
        for (int k = 0; k < C; k++) {
            phi[2 * F + k] += 1e-5;
            asif_population_report(&p, phi, up);
            phi[2 * F + k] -= 2e-5;
            asif_population_report(&p, phi, down);
            phi[2 * F + k] += 1e-5;
            for (int i = 0; i < C; i++)
                jacobian[i * C + k] = (up[2 * F + i] - down[2 * F + i]) * wider / 2e-5;
        }
        assert_true(asif_lu(jacobian, C, pivot));
        for (int k = 0; k < C; k++)
            log_jacobian += log(fabs(jacobian[k * C + k]));
        value[which] = asif_population_log_prior(&p, phi, g) - log_det - log_jacobian;
    }
    CHECK_NEAR(value[1], value[0], 1e-8);
}

/* ---- the marginal likelihood ---- */

static void fill(asif_marginal *m, asif_atoms *atoms, const asif_context *context, people *p,
                 uint64_t points) {
    double centre[D], wide[D * D] = {.5, 0, 0, 4};
    memcpy(centre, MEAN, sizeof centre);
    asif_atoms_open(atoms, context, &base, 3);
    asif_marginal_open(m, context, atoms, p->units, p->times);
    for (int round = 0; round < 2; round++) { /* two blocks */
        uint64_t before = atoms->count;
        assert_int_equal(asif_atoms_add(atoms, points, round ? centre : NULL, wide, NULL), ASIF_OK);
        assert_int_equal(asif_marginal_add(m, UINT64_MAX, NULL), ASIF_OK);
        /* the rows of a block go through its own taker */
        double *row = malloc(points * sizeof *row);
        for (uint64_t i = 0; i < p->units; i++) {
            for (uint64_t a = 0; a < points; a++) {
                const double *x = atoms->x + (before + a) * D;
                row[a] = -1000;
                for (uint64_t k = 0; k < D; k++) {
                    double z = (x[k] - p->y[i * D + k]) / NOISE[k];
                    row[a] -= z * z / 2 + log(NOISE[k]) + log(2 * acos(-1)) / 2;
                }
            }
            asif_marginal_set(m, i, row);
        }
        free(row);
    }
}

/* The log marginal likelihood by sums in double precision over the same points. */
static double in_double(const people *p, const asif_atoms *atoms, const asif_normal_population *pop,
                        const double *phi) {
    double sum = 0, total = 0, *w = malloc(atoms->count * sizeof *w);
    asif_population_log_density(pop, phi, atoms->x, atoms->count, w);
    for (uint64_t a = 0; a < atoms->count; a++)
        sum += w[a] = exp(w[a] - atoms->log_q[a]);
    for (uint64_t i = 0; i < p->units; i++) {
        double z = 0;
        for (uint64_t a = 0; a < atoms->count; a++) {
            double log_likelihood = 0;
            for (uint64_t k = 0; k < D; k++) {
                double off = (atoms->x[a * D + k] - p->y[i * D + k]) / NOISE[k];
                log_likelihood -= off * off / 2 + log(NOISE[k]) + log(2 * acos(-1)) / 2;
            }
            z += w[a] * exp(log_likelihood);
        }
        total += p->times[i] * (log(z) - log(sum) - 1000);
    }
    free(w);
    return total;
}

static void marginal_in_closed_form(void **state) {
    (void)state;
    asif_context *context = make_context(2);
    people p = make_people(40, MEAN, FACTOR, 11);
    p.times[3] = 5; /* five units with the same row */
    asif_normal_population pop = population(true);
    asif_atoms atoms;
    asif_marginal m;
    asif_marginal_work w, alone;
    fill(&m, &atoms, context, &p, 16384);
    assert_int_equal(asif_marginal_work_open(&w, &m, &pop, 2, NULL), ASIF_OK);
    assert_int_equal(asif_marginal_work_open(&alone, &m, &pop, 1, NULL), ASIF_OK);
    double phi[3][N] = {{.25, -.5, -1, -.9, -.6}, {.1, -.4, -.8, -.6, .2}, {.3, -.55, -.5, -1.1, 0}};
    for (int k = 0; k < 3; k++) {
        double g[N] = {0}, got = asif_marginal_at(&w, phi[k], g), want = exact(&p, &pop, phi[k]);
        CHECK(fabs(got - want) < .02, "%.6f is not %.6f", got, want); /* of 44 units */
        assert_true(w.effective[0] > 1000);
        want = in_double(&p, &atoms, &pop, phi[k]); /* likelihoods to 1e-6, on average over units */
        CHECK(fabs(got - want) < 44e-6, "%.9f is not %.9f", got, want);
        double one = asif_marginal_at(&alone, phi[k], NULL);
        assert_memory_equal(&one, &got, sizeof got); /* for any number of threads */
        for (int i = 0; i < N; i++) {
            double h = 1e-4, x[N];
            memcpy(x, phi[k], sizeof x);
            x[i] += h;
            double up = in_double(&p, &atoms, &pop, x), e_up = exact(&p, &pop, x);
            x[i] -= 2 * h;
            double down = in_double(&p, &atoms, &pop, x), e_down = exact(&p, &pop, x);
            CHECK_NEAR(g[i], (up - down) / (2 * h), 5e-5);
            CHECK(fabs(g[i] - (e_up - e_down) / (2 * h)) < .1, "slope %d: %g and %g", i, g[i],
                  (e_up - e_down) / (2 * h));
        }
    }
    /* fewer effective points than asked for: nothing is known */
    w.least_effective = 1e9;
    assert_true(isinf(asif_marginal_at(&w, phi[0], NULL)));
    /* EM's step is the mean of the units' posterior moments, which are normal */
    double mean[D], cov[D * D], a[D * D], s[D * D], want[D] = {0};
    w.least_effective = 0;
    assert_true(asif_marginal_moments(&w, phi[0], mean, cov));
    double at[D];
    asif_population_at(&pop, phi[0], at, a);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            s[i * D + j] = a[i * D] * a[j * D] + a[i * D + 1] * a[j * D + 1];
    double t[D * D] = {s[0] + NOISE[0] * NOISE[0], s[1], s[2], s[3] + NOISE[1] * NOISE[1]};
    double det = t[0] * t[3] - t[1] * t[2];
    for (uint64_t i = 0; i < p.units; i++) {
        double r0 = p.y[i * D] - at[0], r1 = p.y[i * D + 1] - at[1];
        double u0 = (t[3] * r0 - t[1] * r1) / det, u1 = (-t[2] * r0 + t[0] * r1) / det;
        want[0] += p.times[i] * (at[0] + s[0] * u0 + s[1] * u1) / 44;
        want[1] += p.times[i] * (at[1] + s[2] * u0 + s[3] * u1) / 44;
    }
    CHECK_NEAR(mean[0], want[0], 2e-3);
    CHECK_NEAR(mean[1], want[1], 4e-3);
    asif_marginal_work_close(&w);
    asif_marginal_work_close(&alone);
    asif_marginal_close(&m);
    asif_atoms_close(&atoms);
    free_people(&p);
    asif_context_free(context);
}

/* Values without the points of each scramble, all at once and one after another. */
static void check_without_each(asif_marginal_work *w, const double *phi, uint32_t count) {
    double each[(ASIF_SCRAMBLES + 1) * 64], one[64], before = w->least_effective;
    assert_true(count <= 64);
    w->least_effective = 0;
    assert_int_equal(asif_marginal_without_each(w, phi, count, each, NULL), ASIF_OK);
    for (uint32_t s = 0; s <= ASIF_SCRAMBLES; s++) {
        w->without = s;
        asif_marginal_at_many(w, phi, count, one);
        for (uint32_t k = 0; k < count; k++)
            if (isfinite(one[k]))
                CHECK(fabs(each[s * count + k] - one[k]) < 1e-6 * fabs(one[k]),
                      "scramble %u, population %u: %.10g, alone %.10g", s, k, each[s * count + k], one[k]);
            else
                assert_true(isinf(each[s * count + k]));
    }
    w->without = ASIF_SCRAMBLES;
    w->least_effective = before;
}

/* Populations that are evaluated together have the bits of those alone, for any number of threads, and rows
 * come back as they were set. */
static void many_marginals(void **state) {
    (void)state;
    enum { COUNT = 21 };
    double value[4][COUNT], effective[COUNT], row[2 * 2104], phi[COUNT * N];
    people p = make_people(50, MEAN, FACTOR, 8);
    asif_normal_population pop = population(true);
    for (int k = 0; k < COUNT * N; k++)
        phi[k] = (k % N < D ? -.1 : -.5) + .4 * sin(k * 1.7);
    phi[5 * N + 2] = phi[5 * N + 3] = -40; /* the narrowest population, which has the fewest points */
    for (uint32_t threads = 1; threads <= 3; threads++) {
        asif_context *context = make_context(threads);
        asif_atoms atoms;
        asif_marginal m;
        asif_marginal_work w;
        fill(&m, &atoms, context, &p, 2104);
        assert_int_equal(asif_marginal_work_open(&w, &m, &pop, threads, NULL), ASIF_OK);
        asif_marginal_effective(&w, phi, COUNT, effective);
        w.least_effective = effective[5] + 1;
        asif_marginal_at_many(&w, phi, COUNT, value[threads - 1]);
        for (uint32_t k = 0; k < COUNT; k++) {
            double g[N] = {0};
            value[3][k] = asif_marginal_at(&w, phi + (uint64_t)k * N, k % 2 ? g : NULL);
            CHECK_NEAR(w.effective[0], effective[k], 0);
        }
        assert_memory_equal(value[3], value[threads - 1], sizeof value[3]);
        assert_memory_equal(value[0], value[threads - 1], sizeof value[0]);
        assert_true(isinf(value[0][5]) && isfinite(value[0][0]));
        check_without_each(&w, phi, COUNT);
        asif_marginal_row(&m, 7, row);
        for (uint64_t a = 0; a < atoms.count; a++) {
            const double *x = atoms.x + a * D, *y = p.y + (uint64_t)7 * D;
            double want = -1000 - log(NOISE[0] * NOISE[1]) - log(2 * acos(-1)) -
                          pow((x[0] - y[0]) / NOISE[0], 2) / 2 - pow((x[1] - y[1]) / NOISE[1], 2) / 2;
            if (isinf(row[a]))
                assert_true(want < -1000 - 70);
            else
                CHECK_NEAR(row[a], want, 2e-7);
        }
        asif_marginal_work_close(&w);
        asif_marginal_close(&m);
        asif_atoms_close(&atoms);
        asif_context_free(context);
    }
    free_people(&p);
}

/* The balance heuristic: however points were proposed, the mean weight of a density is 1. */
static void weights_of_atoms(void **state) {
    (void)state;
    asif_context *context = make_context(1);
    asif_atoms atoms;
    double centre[D] = {1, -3}, cov[D * D] = {.3, .1, .1, 2};
    asif_atoms_open(&atoms, context, &base, 5);
    assert_int_equal(asif_atoms_add(&atoms, 4096, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&atoms, 2048, centre, cov, NULL), ASIF_OK);
    assert_int_equal(asif_atoms_add(&atoms, 1001, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(atoms.count, 4096 + 2048 + 1008);
    assert_int_equal(asif_atoms_scramble(&atoms, 511), 0);
    assert_int_equal(asif_atoms_scramble(&atoms, 512), 1);
    assert_int_equal(asif_atoms_scramble(&atoms, 4096 + 2047), 7);
    double sum = 0, first = 0;
    for (uint64_t i = 0; i < atoms.count; i++) {
        double w = exp(log_density(NULL, atoms.x + i * D, NULL) - atoms.log_q[i]);
        sum += w / (double)atoms.count;
        first += w * atoms.x[i * D] * atoms.x[i * D] / (double)atoms.count;
    }
    CHECK_NEAR(sum, 1, 2e-3);
    CHECK_NEAR(first, PRIOR_SD[0] * PRIOR_SD[0], 1e-2);
    double flat[D * D] = {1, 1, 1, 1};
    assert_int_equal(asif_atoms_add(&atoms, 8, centre, flat, NULL), ASIF_EDOMAIN);
    assert_int_equal(atoms.count, 4096 + 2048 + 1008);
    asif_atoms_close(&atoms);
    asif_context_free(context);
}

/* ---- the fit ---- */

typedef struct {
    const people *p;
    asif_normal_population pop;
} exact_user;

static asif_status exact_density(void *user, const double *phi, double *value, double *gradient,
                                 asif_error *error) {
    exact_user *u = user;
    double unused[N];
    (void)error;
    for (int i = 0; i <= (gradient ? N : 0); i++) {
        double x[N], h = 1e-5, both[2];
        memcpy(x, phi, sizeof x);
        if (i == 0) {
            *value = exact(u->p, &u->pop, x) + asif_population_log_prior(&u->pop, x, unused);
            continue;
        }
        for (int k = 0; k < 2; k++) {
            x[i - 1] = phi[i - 1] + (k ? -h : h);
            both[k] = exact(u->p, &u->pop, x) + asif_population_log_prior(&u->pop, x, unused);
        }
        gradient[i - 1] = (both[0] - both[1]) / (2 * h);
    }
    return ASIF_OK;
}

static void exact_report(void *user, const double *phi, double *out) {
    asif_population_report(&((exact_user *)user)->pop, phi, out);
}

static asif_population_request request_for(people *p, bool nuts) {
    return (asif_population_request){.base = &base,
                                     .correlated = true,
                                     .rows = p->units,
                                     .times = p->times,
                                     .evaluate = evaluate,
                                     .user = p,
                                     .seed = 1,
                                     .points = 512,
                                     .most_points = 16384,
                                     .chains = 4,
                                     .warmup = 200,
                                     .draws = 250,
                                     .nuts = nuts,
                                     .many = 1u << 30};
}

/* Means and sds of draws against NUTS on the exact posterior. */
static void compare_draws(const asif_context *context, const people *p, const asif_population_fit *fit) {
    static const char *const name[] = {"a", "b", "c", "d", "e"};
    exact_user u = {p, fit->population};
    asif_density density[4];
    asif_sample_options o = ASIF_SAMPLE_OPTIONS_INIT;
    asif_draws *draws;
    asif_draws_view got = {.struct_size = sizeof got}, want = got;
    double start[4 * N];
    for (int c = 0; c < 4; c++) {
        density[c] = (asif_density){.dimension = N,
                                    .evaluate = exact_density,
                                    .has_gradient = true,
                                    .user = &u,
                                    .reported = N,
                                    .name = name,
                                    .report = exact_report};
        memcpy(start + c * N, fit->maximum, N * sizeof *start);
    }
    o.start = start;
    o.metric = fit->covariance;
    o.warmup = 200;
    o.draws = 500;
    o.target_accept = .85;
    assert_int_equal(asif_sample(&draws, context, density, &o, NULL), ASIF_OK);
    asif_draws_get(draws, &want, NULL);
    asif_draws_get(fit->draws, &got, NULL);
    for (uint32_t k = 0; k < N; k++) {
        asif_column_summary a, b;
        assert_int_equal(asif_summarise(&a, context, got.value + k * 4 * got.draws, 4, got.draws, NULL),
                         ASIF_OK);
        assert_int_equal(asif_summarise(&b, context, want.value + k * 4 * want.draws, 4, want.draws, NULL),
                         ASIF_OK);
        CHECK(fabs(a.mean - b.mean) < .2 * b.sd, "number %u: mean %g, exact %g (sd %g)", k, a.mean, b.mean,
              b.sd);
        CHECK(fabs(a.sd / b.sd - 1) < .15, "number %u: sd %g, exact %g", k, a.sd, b.sd);
        CHECK(fit->table_error[k] < .5 * b.sd, "number %u: table error %g, sd %g", k, fit->table_error[k],
              b.sd);
    }
    asif_draws_free(draws);
}

/* The maximum is that of the exact posterior, to the table's error. */
static void compare_maximum(const asif_context *context, const people *p, const asif_population_fit *fit) {
    exact_user u = {p, fit->population};
    asif_density density = {.dimension = N, .evaluate = exact_density, .has_gradient = true, .user = &u};
    asif_maximise_options o = ASIF_MAXIMISE_OPTIONS_INIT;
    double x[N], a[N], b[N];
    o.start = fit->maximum;
    assert_int_equal(asif_maximise(x, context, &density, 1, &o, NULL, NULL), ASIF_OK);
    asif_population_report(&fit->population, fit->maximum, a);
    asif_population_report(&fit->population, x, b);
    for (int i = 0; i < N; i++)
        CHECK(fabs(a[i] - b[i]) < 4 * fit->table_error[i] + 1e-3, "maximum %d: %g, exact %g, table error %g",
              i, a[i], b[i], fit->table_error[i]);
}

static void fit_in_closed_form(void **state) {
    (void)state;
    asif_context *context = make_context(2);
    people p = make_people(60, MEAN, FACTOR, 5);
    for (int way = 0; way < 2; way++) { /* NUTS, and importance sampling */
        asif_population_fit fit;
        asif_error error = ASIF_ERROR_INIT;
        asif_population_request r = request_for(&p, way == 0);
        CHECK(asif_population_estimate(&fit, context, &r, &error) == ASIF_OK, "%s", error.message);
        CHECK(fit.usable, "effective %g, worst %g", fit.effective, fit.worst_error);
        assert_true(fit.least_effective >= ASIF_POPULATION_EFFECTIVE);
        assert_true(isnan(fit.khat) == (way == 0));
        compare_draws(context, &p, &fit);
        compare_maximum(context, &p, &fit);
        asif_population_fit_close(&fit);
    }
    free_people(&p);
    asif_context_free(context);
}

/* Units about whom nearly all is known: a table that has points around the population alone would have hardly
 * any for each, and make the population too narrow. */
static void units_known_well(void **state) {
    (void)state;
    asif_context *context = make_context(2);
    asif_population_fit fit;
    double before[D];
    memcpy(before, NOISE, sizeof before);
    for (int k = 0; k < D; k++)
        NOISE[k] /= 50;
    people p = make_people(60, MEAN, FACTOR, 7);
    asif_population_request r = request_for(&p, true);
    r.most_points = 65536;
    assert_int_equal(asif_population_estimate(&fit, context, &r, NULL), ASIF_OK);
    CHECK(fit.usable && fit.worst_error < .15, "effective %g, worst %g", fit.effective, fit.worst_error);
    compare_maximum(context, &p, &fit);
    compare_draws(context, &p, &fit);
    asif_population_fit_close(&fit);
    free_people(&p);
    memcpy(NOISE, before, sizeof before);
    asif_context_free(context);
}

/* A fit that begins with the table and the maximum of a pilot of other units. */
static void fit_after_a_pilot(void **state) {
    (void)state;
    asif_context *context = make_context(2);
    people few = make_people(40, MEAN, FACTOR, 9), p = make_people(400, MEAN, FACTOR, 5);
    asif_population_fit pilot, fit;
    asif_population_request r = request_for(&few, false);
    r.pilot = true;
    assert_int_equal(asif_population_estimate(&pilot, context, &r, NULL), ASIF_OK);
    assert_null(pilot.draws);
    uint64_t points = pilot.atoms.count;
    r = request_for(&p, false);
    r.from = &pilot;
    assert_int_equal(asif_population_estimate(&fit, context, &r, NULL), ASIF_OK);
    asif_population_fit_close(&pilot);
    CHECK(fit.usable && fit.atoms.count >= points, "effective %g, worst %g, %u points", fit.effective,
          fit.worst_error, (unsigned)fit.atoms.count);
    compare_maximum(context, &p, &fit);
    compare_draws(context, &p, &fit);
    asif_population_fit_close(&fit);
    free_people(&few);
    free_people(&p);
    asif_context_free(context);
}

/* A table that may not grow is refused for many units, whose population is known better than the table. */
static void table_too_coarse(void **state) {
    (void)state;
    asif_context *context = make_context(2);
    people p = make_people(3000, MEAN, FACTOR, 5);
    asif_population_fit fit;
    asif_population_request r = request_for(&p, false);
    r.points = 64;
    r.most_points = 200;
    assert_int_equal(asif_population_estimate(&fit, context, &r, NULL), ASIF_OK);
    assert_false(fit.usable);
    assert_null(fit.draws);
    asif_population_fit_close(&fit);
    free_people(&p);
    asif_context_free(context);
}

/* Few units leave room for narrow populations, which few points carry. */
static asif_population_fit fit_few(const asif_context *context, people *p, uint64_t most_points) {
    asif_population_fit fit;
    asif_error error = ASIF_ERROR_INIT;
    asif_population_request r = request_for(p, false);
    r.most_points = most_points;
    CHECK(asif_population_estimate(&fit, context, &r, &error) == ASIF_OK, "%s", error.message);
    CHECK(fit.atoms.count <= most_points, "%u points", (unsigned)fit.atoms.count);
    return fit;
}

/* Draws that the table carries badly: fewer than one in a hundred are left out, and others make it grow. */
static void draws_left_out(void **state) {
    (void)state;
    static const uint64_t most[] = {2100, 3200, 4000, 16384};
    const double narrow[D * D] = {.05, 0, 0, .1};
    asif_context *context = make_context(2);
    people p = make_people(12, MEAN, narrow, 5);
    bool refused = false, some = false, fitted = false;
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        asif_population_fit fit = fit_few(context, &p, most[k]);
        uint64_t few = 0;
        if (fit.draws) {
            for (uint64_t i = 0; i < fit.count; i++)
                few += fit.carried[i] < ASIF_POPULATION_EFFECTIVE;
            assert_int_equal(few, fit.left_out);
            refused = refused || !fit.usable;
        }
        if (fit.draws && fit.usable) {
            asif_draws_view v = {.struct_size = sizeof v};
            asif_marginal_work w;
            double *effective = malloc((fit.count + 1) * sizeof *effective), sums[2] = {0};
            assert_true(fit.left_out <= fit.count / 100);
            assert_true(fit.least_effective >= ASIF_POPULATION_EFFECTIVE);
            assert_int_equal(asif_marginal_work_open(&w, &fit.marginal, &fit.population, 2, NULL), ASIF_OK);
            asif_marginal_effective(&w, fit.phi, fit.count, effective);
            assert_int_equal(asif_draws_get(fit.draws, &v, NULL), ASIF_OK);
            for (uint64_t i = 0; i < fit.count; i++) {
                double report[N];
                assert_true(effective[i] >= ASIF_POPULATION_EFFECTIVE);
                asif_population_report(&fit.population, fit.phi + i * N, report);
                sums[0] += report[2];
                sums[1] += v.value[2 * fit.count + i];
                assert_true(report[2] >= ASIF_LEAST_SPREAD * PRIOR_SD[0]);
            }
            CHECK_NEAR(sums[0], sums[1], 1e-9); /* the draws and their phi are the same */
            free(effective);
            asif_marginal_work_close(&w);
            some = some || fit.left_out;
            fitted = true;
        } else if (fit.draws) {
            CHECK(fit.left_out > fit.count / 100, "%u of %u", (unsigned)fit.left_out, (unsigned)fit.count);
            assert_true(fit.least_effective < ASIF_POPULATION_EFFECTIVE);
        }
        asif_population_fit_close(&fit);
    }
    assert_true(refused && some && fitted);
    free_people(&p);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_population), cmocka_unit_test(priors_of_a_population),
        cmocka_unit_test(correlations_of_four),    cmocka_unit_test(weights_of_atoms),
        cmocka_unit_test(marginal_in_closed_form), cmocka_unit_test(fit_in_closed_form),
        cmocka_unit_test(units_known_well),        cmocka_unit_test(table_too_coarse),
        cmocka_unit_test(many_marginals),          cmocka_unit_test(draws_left_out),
        cmocka_unit_test(fit_after_a_pilot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
