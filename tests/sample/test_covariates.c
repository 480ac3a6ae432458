/* A population whose mean depends on covariates, where all is known in closed form: unit i has the likelihood
 * N(y_i | x, V) of its point x, and points are N(mean + B z_i, S), so that y_i ~ N(mean + B z_i, S + V).
 * Given S, the posterior of mean and B is that of a linear regression with normal priors. */
#include "check.h"

#include "asif/sample.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/population/shifted.h"
#include "sample/population/units/weigh.h"

#include <string.h>

enum { D = 2, COLUMNS = 2, EFFECTS = 3, N = 5 + EFFECTS, UNITS = 40 };
static const double PRIOR_SD[D] = {1.5, 4}, NOISE[D] = {.3, 1.2};
static const asif_effect EFFECT[EFFECTS] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};

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

/* The first covariate is a number, the second 1 or 0; both are centred. Units 3 and 4 have equal ones. */
typedef struct {
    double y[UNITS * D], z[UNITS * COLUMNS], times[UNITS];
} people;

static const double MEAN[D] = {.4, -2}, FACTOR[D * D] = {.4, 0, -.9, 1.4}, TRUE_EFFECT[EFFECTS] = {.5, -1, 3};

static void make_people(people *p, uint64_t seed) {
    double mean[COLUMNS] = {0};
    for (uint64_t i = 0; i < UNITS; i++) {
        asif_stream s = {seed, ASIF_FOR_TESTS, i};
        p->times[i] = 1;
        p->z[i * COLUMNS] = i == 4 ? p->z[3 * COLUMNS] : asif_normal(&s, 4);
        p->z[i * COLUMNS + 1] = i == 4 ? p->z[3 * COLUMNS + 1] : i % 3 == 0;
        for (uint64_t c = 0; c < COLUMNS; c++)
            mean[c] += p->z[i * COLUMNS + c] / UNITS;
    }
    for (uint64_t i = 0; i < UNITS; i++) {
        asif_stream s = {seed, ASIF_FOR_TESTS, i};
        double e[D] = {asif_normal(&s, 0), asif_normal(&s, 1)}, *y = p->y + i * D;
        for (uint64_t c = 0; c < COLUMNS; c++)
            p->z[i * COLUMNS + c] -= mean[c];
        asif_lower_times(FACTOR, D, e, y);
        for (uint32_t k = 0; k < D; k++)
            y[k] += MEAN[k] + NOISE[k] * asif_normal(&s, 2 + k);
        for (uint64_t k = 0; k < EFFECTS; k++)
            y[EFFECT[k].coordinate] += TRUE_EFFECT[k] * p->z[i * COLUMNS + EFFECT[k].column];
    }
    p->times[7] = 4; /* four units with the same row */
}

static double log_likelihood(const people *p, uint64_t i, const double *x) {
    double sum = 0;
    for (uint64_t k = 0; k < D; k++) {
        double z = (x[k] - p->y[i * D + k]) / NOISE[k];
        sum -= z * z / 2 + log(NOISE[k]) + log(2 * acos(-1)) / 2;
    }
    return sum;
}

static asif_status evaluate(void *user, const double *x, uint64_t count, asif_take_row *take, void *taker,
                            asif_error *error) {
    double *row = malloc(count * sizeof *row);
    (void)error;
    for (uint64_t i = 0; i < UNITS; i++) {
        for (uint64_t a = 0; a < count; a++)
            row[a] = log_likelihood(user, i, x + a * D);
        take(taker, 0, i, row);
    }
    free(row);
    return ASIF_OK;
}

static asif_normal_population population(void) {
    asif_normal_population p = {
        .base = &base, .correlated = true, .scale = {PRIOR_SD[0], PRIOR_SD[1]}, .effects = EFFECTS};
    memcpy(p.effect, EFFECT, sizeof EFFECT);
    return p;
}

/* The mean of a unit, by the definition. */
static void mean_of(const people *p, uint64_t i, const asif_normal_population *pop, const double *phi,
                    double *mean) {
    double report[N];
    asif_population_report(pop, phi, report);
    memcpy(mean, report, D * sizeof *mean);
    for (uint64_t k = 0; k < EFFECTS; k++)
        mean[EFFECT[k].coordinate] += report[5 + k] * p->z[i * COLUMNS + EFFECT[k].column];
}

static void total(const asif_normal_population *pop, const double *phi, double *own, double *s) {
    double mean[D], a[D * D];
    asif_population_at(pop, phi, mean, a);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            own[i * D + j] = a[i * D] * a[j * D] + a[i * D + 1] * a[j * D + 1];
            s[i * D + j] = own[i * D + j] + (i == j) * NOISE[i] * NOISE[i];
        }
}

/* The exact log marginal likelihood: y_i ~ N(mean + B z_i, S + V). */
static double exact(const people *p, const asif_normal_population *pop, const double *phi) {
    double own[D * D], s[D * D], sum = 0;
    total(pop, phi, own, s);
    assert_true(asif_cholesky(s, D));
    for (uint64_t i = 0; i < UNITS; i++) {
        double m[D];
        mean_of(p, i, pop, phi, m);
        double z[D] = {p->y[i * D] - m[0], p->y[i * D + 1] - m[1]};
        asif_lower_solve(s, D, z);
        sum += p->times[i] * (-(z[0] * z[0] + z[1] * z[1]) / 2 - log(s[0] * s[3]) - log(2 * acos(-1)));
    }
    return sum;
}

static asif_context *make_context(uint32_t threads) {
    asif_context *context;
    asif_context_options o = ASIF_CONTEXT_OPTIONS_INIT;
    o.threads = threads;
    assert_int_equal(asif_context_create(&context, &o, NULL), ASIF_OK);
    return context;
}

/* ---- the population alone ---- */

static void effects_of_a_population(void **state) {
    (void)state;
    asif_normal_population p = population();
    double phi[N] = {.3, -.2, -.7, .4, -.6, .5, -.25, 2}, z[COLUMNS] = {2, -1}, shift[D], report[N],
           g[N] = {0};
    assert_int_equal(asif_population_numbers(&p), N);
    asif_population_shift(&p, phi, z, shift);
    CHECK_NEAR(shift[0], 1, 1e-15);
    CHECK_NEAR(shift[1], -.5 - 2, 1e-15);
    asif_population_report(&p, phi, report);
    CHECK_NEAR(report[5], .5 * 1.5, 1e-15);
    CHECK_NEAR(report[7], 2 * 4, 1e-15);
    /* normal(0, scale) */
    double plain[N], zero[N] = {0}, less = asif_population_log_prior(&p, phi, g);
    memcpy(plain, phi, sizeof plain);
    memset(plain + 5, 0, EFFECTS * sizeof *plain);
    CHECK_NEAR(less - asif_population_log_prior(&p, plain, zero), -(.25 + .0625 + 4) / 2, 1e-12);
    for (int k = 5; k < N; k++)
        CHECK_NEAR(g[k], -phi[k], 1e-15);
}

/* ---- the marginal likelihood ---- */

static void fill(asif_marginal *m, asif_atoms *atoms, const asif_context *context, people *p,
                 uint64_t points) {
    double wide[D * D] = {.5, 0, 0, 10};
    asif_atoms_open(atoms, context, &base, 3);
    asif_marginal_open(m, context, atoms, UNITS, p->times);
    for (int round = 0; round < 2; round++) { /* two blocks */
        uint64_t before = atoms->count;
        assert_int_equal(asif_atoms_add(atoms, points, round ? MEAN : NULL, wide, NULL), ASIF_OK);
        assert_int_equal(asif_marginal_add(m, UINT64_MAX, NULL), ASIF_OK);
        double *row = malloc(points * sizeof *row);
        for (uint64_t i = 0; i < UNITS; i++) {
            for (uint64_t a = 0; a < points; a++)
                row[a] = log_likelihood(p, i, atoms->x + (before + a) * D);
            asif_marginal_set(m, i, row);
        }
        free(row);
    }
}

/* The log marginal likelihood by sums in double precision over the same points; and effective points of the
 * unit with the fewest. */
static double in_double(const people *p, const asif_atoms *atoms, const asif_normal_population *pop,
                        const double *phi, double *effective) {
    double sum_of_all = 0, *w = malloc(atoms->count * sizeof *w);
    *effective = INFINITY;
    for (uint64_t i = 0; i < UNITS; i++) {
        double own[N], z = 0, sum = 0, squares = 0, m[D];
        mean_of(p, i, pop, phi, m);
        memcpy(own, phi, sizeof own);
        for (int k = 0; k < D; k++)
            own[k] = m[k] / PRIOR_SD[k];
        asif_population_log_density(pop, own, atoms->x, atoms->count, w);
        for (uint64_t a = 0; a < atoms->count; a++) {
            w[a] = exp(w[a] - atoms->log_q[a]);
            sum += w[a];
            squares += w[a] * w[a];
            z += w[a] * exp(log_likelihood(p, i, atoms->x + a * D));
        }
        *effective = fmin(*effective, sum * sum / squares);
        sum_of_all += p->times[i] * log(z / sum);
    }
    free(w);
    return sum_of_all;
}

static const double PHI[3][N] = {{.25, -.5, -1, -.9, -.6, .3, -.2, .7},
                                 {.1, -.4, -.8, -.6, .2, .5, -.4, .5},
                                 {.3, -.55, -1.2, -1.1, 0, .2, 0, .8}};

static void marginal_in_closed_form(void **state) {
    (void)state;
    double first[2][3];
    people p;
    make_people(&p, 11);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        asif_context *context = make_context(threads);
        asif_normal_population pop = population();
        asif_covariates covariates;
        asif_atoms atoms;
        asif_marginal m;
        asif_marginal_work w;
        double many[3], effective[3];
        fill(&m, &atoms, context, &p, 8192);
        assert_int_equal(asif_covariates_open(&covariates, context, p.z, UNITS, COLUMNS, p.times, NULL),
                         ASIF_OK);
        assert_int_equal(covariates.groups, UNITS - 1);
        assert_int_equal(covariates.group[3], covariates.group[4]);
        m.covariates = &covariates;
        assert_int_equal(asif_marginal_work_open(&w, &m, &pop, threads, NULL), ASIF_OK);
        asif_marginal_at_many(&w, &PHI[0][0], 3, many);
        asif_marginal_effective(&w, &PHI[0][0], 3, effective);
        for (int k = 0; k < 3; k++) {
            double g[N] = {0}, least, unused, got = asif_marginal_at(&w, PHI[k], g);
            CHECK_NEAR(got, many[k], 0);
            CHECK_NEAR(w.effective[0], effective[k], 0);
            first[threads > 1][k] = got;
            CHECK_NEAR(got, first[0][k], 0); /* for any number of threads */
            if (threads > 1)
                continue;
            double want = exact(&p, &pop, PHI[k]);
            CHECK(fabs(got - want) < .1, "%.6f is not %.6f", got, want); /* of 43 units */
            want = in_double(&p, &atoms, &pop, PHI[k], &least);
            CHECK(fabs(got - want) < 2e-4, "%.9f is not %.9f", got, want);
            CHECK(fabs(effective[k] / least - 1) < 1e-4, "%g effective points, not %g", effective[k], least);
            for (int i = 0; i < N; i++) {
                double h = 1e-4, x[N];
                memcpy(x, PHI[k], sizeof x);
                x[i] += h;
                double up = in_double(&p, &atoms, &pop, x, &unused);
                x[i] -= 2 * h;
                double down = in_double(&p, &atoms, &pop, x, &unused);
                CHECK(fabs(g[i] - (up - down) / (2 * h)) < 2e-3, "slope %d: %.7g and %.7g", i, g[i],
                      (up - down) / (2 * h));
            }
        }
        asif_marginal_work_close(&w);
        asif_marginal_close(&m);
        asif_covariates_close(&covariates);
        asif_atoms_close(&atoms);
        asif_context_free(context);
    }
}

/* A unit's posterior under one population is normal, around the mean that its covariates give. */
static void report(void *user, const double *x, double *out) {
    (void)user;
    memcpy(out, x, D * sizeof *x);
}

static void unit_in_closed_form(void **state) {
    (void)state;
    people p;
    make_people(&p, 11);
    asif_context *context = make_context(1);
    asif_normal_population pop = population();
    asif_atoms atoms;
    asif_marginal m;
    asif_weighing weighing;
    asif_weighing_room room;
    asif_unit_number number[D];
    asif_unit_info info;
    fill(&m, &atoms, context, &p, 8192);
    double own[D * D], s[D * D], *row = malloc(atoms.count * sizeof *row);
    total(&pop, PHI[0], own, s);
    double det = s[0] * s[3] - s[1] * s[2];
    const asif_weighing_request weighed = {
        .atoms = &atoms, .population = &pop, .phi = PHI[0], .draws = 1, .numbers = D, .report = report};
    assert_int_equal(asif_weighing_open(&weighing, context, &weighed, NULL), ASIF_OK);
    assert_true(asif_weighing_room_open(&room, &weighing));
    for (uint64_t i = 0; i < UNITS; i += 4) {
        double mean[D], r[D];
        mean_of(&p, i, &pop, PHI[0], mean);
        for (int k = 0; k < D; k++)
            r[k] = p.y[i * D + (uint64_t)k] - mean[k];
        double u[D] = {(s[3] * r[0] - s[1] * r[1]) / det, (s[0] * r[1] - s[2] * r[0]) / det};
        for (uint64_t a = 0; a < atoms.count; a++)
            row[a] = log_likelihood(&p, i, atoms.x + a * D);
        asif_weigh(number, &info, NULL, NULL, &weighing, &room, row, p.z + i * COLUMNS);
        assert_true(info.served);
        for (int k = 0; k < D; k++) {
            double want = mean[k] + own[k * D] * u[0] + own[k * D + 1] * u[1];
            /* S - S (S + V)^-1 S */
            double left = own[k * D] * (s[3] * own[k] - s[1] * own[D + k]) / det +
                          own[k * D + 1] * (s[0] * own[D + k] - s[2] * own[k]) / det,
                   sd = sqrt(own[k * D + k] - left);
            CHECK(fabs(number[k].mean - want) < .05 * sd, "unit %u: %g is not %g (sd %g)", (unsigned)i,
                  number[k].mean, want, sd);
            CHECK(fabs(number[k].sd / sd - 1) < .04, "unit %u: sd %g is not %g", (unsigned)i, number[k].sd,
                  sd);
        }
        double z[D] = {p.y[i * D] - mean[0], p.y[i * D + 1] - mean[1]}, factor[D * D];
        memcpy(factor, s, sizeof factor);
        assert_true(asif_cholesky(factor, D));
        asif_lower_solve(factor, D, z);
        CHECK_NEAR(info.log_likelihood,
                   -(z[0] * z[0] + z[1] * z[1]) / 2 - log(factor[0] * factor[3]) - log(2 * acos(-1)), .02);
    }
    free(row);
    asif_weighing_room_close(&room, context);
    asif_weighing_close(&weighing);
    asif_marginal_close(&m);
    asif_atoms_close(&atoms);
    asif_context_free(context);
}

/* ---- the fit ---- */

/* Regression with known covariance T of y: the posterior mean [5] and sds [5] of means and effects, with
 * priors normal(0, scale). Their columns in the design: means first. */
static void regress(const people *p, const double *t, double *mean, double *sd) {
    enum { C = D + EFFECTS };
    double inverse[D * D], a[C * C] = {0}, b[C] = {0}, factor[D * D];
    memcpy(factor, t, sizeof factor);
    assert_true(asif_cholesky(factor, D));
    asif_cholesky_inverse(factor, D, inverse);
    for (int k = 0; k < C; k++) {
        double scale = PRIOR_SD[k < D ? k : (int)EFFECT[k - D].coordinate];
        a[k * C + k] = 1 / (scale * scale);
    }
    for (uint64_t i = 0; i < UNITS; i++)
        for (int k = 0; k < C; k++) {
            int at = k < D ? k : (int)EFFECT[k - D].coordinate;
            double x = k < D ? 1 : p->z[i * COLUMNS + EFFECT[k - D].column];
            for (int l = 0; l < C; l++) {
                int to = l < D ? l : (int)EFFECT[l - D].coordinate;
                double y = l < D ? 1 : p->z[i * COLUMNS + EFFECT[l - D].column];
                a[k * C + l] += p->times[i] * x * inverse[at * D + to] * y;
            }
            for (int j = 0; j < D; j++)
                b[k] += p->times[i] * x * inverse[at * D + j] * p->y[i * D + (uint64_t)j];
        }
    double all[C * C];
    assert_true(asif_cholesky(a, C));
    asif_cholesky_inverse(a, C, all);
    asif_dense_times(all, C, C, b, mean);
    for (int k = 0; k < C; k++)
        sd[k] = sqrt(all[k * C + k]);
}

typedef struct {
    const people *p;
    asif_normal_population pop;
} exact_user;

static asif_status exact_density(void *user, const double *phi, double *value, double *gradient,
                                 asif_error *error) {
    exact_user *u = user;
    double unused[N] = {0};
    (void)error;
    *value = exact(u->p, &u->pop, phi) + asif_population_log_prior(&u->pop, phi, unused);
    for (int i = 0; gradient && i < N; i++) {
        double x[N], h = 1e-5, both[2];
        memcpy(x, phi, sizeof x);
        for (int k = 0; k < 2; k++) {
            x[i] = phi[i] + (k ? -h : h);
            both[k] = exact(u->p, &u->pop, x) + asif_population_log_prior(&u->pop, x, unused);
        }
        gradient[i] = (both[0] - both[1]) / (2 * h);
    }
    return ASIF_OK;
}

static void exact_report(void *user, const double *phi, double *out) {
    asif_population_report(&((exact_user *)user)->pop, phi, out);
}

/* Means and sds of draws against NUTS on the exact posterior. */
static void compare_draws(const asif_context *context, const people *p, const asif_population_fit *fit) {
    static const char *const name[N] = {"a", "b", "c", "d", "e", "f", "g", "h"};
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
    o.draws = 400;
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
    }
    asif_draws_free(draws);
}

static void fit_in_closed_form(void **state) {
    (void)state;
    asif_context *context = make_context(2);
    people p;
    make_people(&p, 5);
    asif_population_fit fit;
    asif_error error = ASIF_ERROR_INIT;
    asif_population_request r = {.base = &base,
                                 .correlated = true,
                                 .rows = UNITS,
                                 .times = p.times,
                                 .columns = COLUMNS,
                                 .effects = EFFECTS,
                                 .z = p.z,
                                 .effect = EFFECT,
                                 .evaluate = evaluate,
                                 .user = &p,
                                 .seed = 1,
                                 .points = 512,
                                 .most_points = 16384,
                                 .chains = 4,
                                 .warmup = 150,
                                 .draws = 250,
                                 .many = 1u << 30};
    CHECK(asif_population_estimate(&fit, context, &r, &error) == ASIF_OK, "%s", error.message);
    CHECK(fit.usable, "effective %g, worst %g", fit.effective, fit.worst_error);
    assert_true(fit.least_effective >= ASIF_POPULATION_EFFECTIVE);
    /* means and effects at the maximum are those of the regression, given its covariance */
    double own[D * D], t[D * D], mean[D + EFFECTS], sd[D + EFFECTS], got[N];
    total(&fit.population, fit.maximum, own, t);
    regress(&p, t, mean, sd);
    asif_population_report(&fit.population, fit.maximum, got);
    for (int k = 0; k < D + EFFECTS; k++)
        CHECK(fabs(got[k < D ? k : k + 3] - mean[k]) < .15 * sd[k],
              "coefficient %d: %g, by regression %g (sd %g)", k, got[k < D ? k : k + 3], mean[k], sd[k]);
    for (int k = 0; k < EFFECTS; k++)
        CHECK(fabs(got[5 + k] - TRUE_EFFECT[k]) < 4 * sd[D + k], "effect %d: %g, in truth %g", k, got[5 + k],
              TRUE_EFFECT[k]);
    compare_draws(context, &p, &fit);
    /* with other covariates of the same units, nothing is evaluated again */
    people other = p;
    asif_population_fit again;
    for (int i = 0; i < UNITS; i++)
        memcpy(other.z + i * COLUMNS, p.z + (i + 5) % UNITS * COLUMNS, COLUMNS * sizeof *p.z);
    r.z = other.z;
    r.evaluate = NULL;
    r.again = &fit;
    CHECK(asif_population_estimate(&again, context, &r, &error) == ASIF_OK, "%s", error.message);
    CHECK(again.usable, "effective %g, worst %g", again.effective, again.worst_error);
    compare_draws(context, &other, &again);
    asif_population_fit_close(&again);
    /* the same on half of the table */
    uint64_t all = fit.atoms.count;
    assert_int_equal(asif_population_thin(&fit, all / 2, NULL), ASIF_OK);
    CHECK(fit.atoms.count <= all / 2 + 8 * fit.atoms.proposals && fit.atoms.count > all / 3,
          "%u of %u points", (unsigned)fit.atoms.count, (unsigned)all);
    CHECK(asif_population_estimate(&again, context, &r, &error) == ASIF_OK, "%s", error.message);
    CHECK(again.usable, "effective %g, worst %g", again.effective, again.worst_error);
    compare_draws(context, &other, &again);
    asif_population_fit_close(&again);
    asif_population_fit_close(&fit);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_of_a_population),
        cmocka_unit_test(marginal_in_closed_form),
        cmocka_unit_test(unit_in_closed_form),
        cmocka_unit_test(fit_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
