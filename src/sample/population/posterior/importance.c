#include "sample/population/posterior/importance.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "base/random.h"
#include "sample/population/posterior/coordinates.h"
#include "sample/ridge/sobol.h"

#include <math.h>
#include <string.h>

#define MOST 4096 /* most and least points of the first stage; more where more draws are wanted */
#define LEAST 512
#define WORK 4e10     /* cost of an evaluation times points, between the two */
#define TOTAL 8192    /* most points of all stages, or four times those of the first */
#define GOOD_KISH 100 /* least effective draws */
#define ENOUGH_KISH                                                                                          \
    400            /* with so many, and good weights, it is over; where evaluations are costly, with less */
#define OF_POOLS 4 /* times as many of both: a pool's sd and its effects bend their posterior */
#define GOOD_K 0.7
#define DEGREES 7 /* of the t's */
#define WIDER 1.1 /* their scale, over the posterior's standard deviation */
#define KNOWN 16  /* effective points for each number, from which the next stage is fitted */
#define MILDER .9 /* steps of the power of the weights that makes them so many */
#define STAGES 12 /* most of them */
#define STEP 1e-4 /* of differences, in standard deviations */

enum { N = ASIF_POPULATION_NUMBERS };

/* A Student t in some coordinates. */
typedef struct {
    asif_coordinates coordinates;
    uint64_t times; /* points proposed */
    double centre[N], factor[N * N], log_scale;
} component;

typedef struct {
    const asif_population_fit *fit;
    asif_marginal_work *work;
    uint64_t seed, most, proposed, points; /* some that were proposed are no populations */
    component *component;                  /* [STAGES * ASIF_COORDINATES_COUNT] */
    uint32_t components;
    double *phi;     /* [most][numbers], of which the first `points` are used here and below */
    double *x;       /* [most][numbers]: the same in other coordinates */
    double *value;   /* [most]: log-posterior */
    double *ratio;   /* [most]: log weights */
    double *carried; /* [most]: effective points of the table */
    double khat, kish;
} sampler;

static const asif_normal_population *population_of(const sampler *s) {
    return &s->fit->population;
}

/* ---- points ---- */

static void propose(sampler *s, const component *c, uint64_t seed) {
    uint32_t n = s->fit->numbers;
    double t[N], x[N];
    for (uint32_t i = 0; i < c->times; i++) {
        asif_stream stream = {seed, ASIF_FOR_POPULATIONS, i};
        for (uint32_t k = 0; k < n; k++) {
            double u = k < ASIF_SOBOL_MOST ? asif_sobol(i, k, seed) : asif_uniform(&stream, k);
            t[k] = WIDER * asif_t_quantile(u, DEGREES);
        }
        asif_lower_times(c->factor, n, t, x);
        for (uint32_t k = 0; k < n; k++)
            x[k] += c->centre[k];
        if (asif_coordinates_back(population_of(s), c->coordinates, x, s->phi + s->points * n))
            s->points++;
    }
    s->proposed += c->times;
}

/* The log-density of phi under a component, up to a constant. */
static double log_density(const sampler *s, const component *c, const double *phi) {
    uint32_t n = s->fit->numbers;
    double x[N], sum = asif_coordinates_of(population_of(s), c->coordinates, phi, x) - c->log_scale;
    for (uint32_t k = 0; k < n; k++)
        x[k] = (x[k] - c->centre[k]) / WIDER;
    asif_lower_solve(c->factor, n, x);
    for (uint32_t k = 0; k < n; k++)
        sum -= (DEGREES + 1) / 2. * log1p(x[k] * x[k] / DEGREES);
    return sum;
}

static double log_mixture(const sampler *s, const double *phi) {
    double value[STAGES * ASIF_COORDINATES_COUNT], most = -INFINITY, sum = 0;
    for (uint32_t c = 0; c < s->components; c++) {
        value[c] = log((double)s->component[c].times) + log_density(s, &s->component[c], phi);
        most = fmax(most, value[c]);
    }
    for (uint32_t c = 0; c < s->components; c++)
        sum += exp(value[c] - most);
    return most + log(sum);
}

/* Evaluate the points from `first` on. */
static asif_status evaluate(sampler *s, uint64_t first, asif_error *error) {
    uint64_t n = s->fit->numbers;
    double unused[N];
    for (uint64_t i = first; i < s->points; i += ASIF_POPULATIONS) {
        uint64_t left = s->points - i, count = left < ASIF_POPULATIONS ? left : ASIF_POPULATIONS;
        if (asif_progress(s->fit->context, "population", (double)i / (double)s->points))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        asif_marginal_at_many(s->work, s->phi + i * n, (uint32_t)count, s->value + i);
        memcpy(s->carried + i, s->work->effective, count * sizeof *s->carried);
        for (uint64_t k = i; k < i + count; k++)
            s->value[k] += asif_population_log_prior(population_of(s), s->phi + k * n, unused);
    }
    return ASIF_OK;
}

/* Fill the weights of all points. */
static asif_status weigh(sampler *s, asif_error *error) {
    double most = -INFINITY, squares = 0;
    for (uint64_t i = 0; i < s->points; i++) {
        s->ratio[i] =
            isfinite(s->value[i]) ? s->value[i] - log_mixture(s, s->phi + i * s->fit->numbers) : -INFINITY;
        most = fmax(most, s->ratio[i]);
    }
    for (uint64_t i = 0; i < s->points; i++)
        s->ratio[i] = isfinite(s->ratio[i]) ? s->ratio[i] : most - 700;
    ASIF_TRY(asif_psis(s->ratio, &s->khat, s->fit->context, s->ratio, 1, s->points, 1, error));
    for (uint64_t i = 0; i < s->points; i++)
        squares += exp(2 * s->ratio[i]);
    s->kish = 1 / squares;
    return ASIF_OK;
}

/* ---- components ---- */

/* Add a component with this centre and covariance, unless that is singular. */
static void add(sampler *s, asif_coordinates coordinates, const double *centre, const double *covariance) {
    uint64_t n = s->fit->numbers;
    component *c = &s->component[s->components];
    c->coordinates = coordinates;
    c->log_scale = 0;
    memcpy(c->centre, centre, n * sizeof *centre);
    memcpy(c->factor, covariance, n * n * sizeof *covariance);
    if (!asif_cholesky(c->factor, (uint32_t)n))
        return;
    for (uint64_t k = 0; k < n; k++)
        c->log_scale += log(c->factor[k * n + k]);
    s->components++;
}

/* Around the maximum, with the covariance J C J' of x, where J = dx/dphi by differences. */
static void add_at_maximum(sampler *s, asif_coordinates coordinates, double *covariance) {
    const asif_population_fit *fit = s->fit;
    uint64_t n = fit->numbers;
    double phi[N], above[N], below[N], *slope = s->x, *product = s->x + n * n; /* [k][i]: dx_i/dphi_k */
    memcpy(phi, fit->maximum, n * sizeof *phi);
    for (uint64_t k = 0; k < n; k++) {
        double step = STEP * sqrt(fit->covariance[k * n + k]);
        phi[k] = fit->maximum[k] + step;
        (void)asif_coordinates_of(&fit->population, coordinates, phi, above);
        phi[k] = fit->maximum[k] - step;
        (void)asif_coordinates_of(&fit->population, coordinates, phi, below);
        phi[k] = fit->maximum[k];
        for (uint64_t i = 0; i < n; i++)
            slope[k * n + i] = (above[i] - below[i]) / (2 * step);
    }
    memset(product, 0, n * n * sizeof *product);
    memset(covariance, 0, n * n * sizeof *covariance);
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t l = 0; l < n; l++)
            for (uint64_t i = 0; i < n; i++)
                product[k * n + i] += fit->covariance[k * n + l] * slope[l * n + i];
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 0; j < n; j++)
                covariance[i * n + j] += slope[k * n + i] * product[k * n + j];
    (void)asif_coordinates_of(&fit->population, coordinates, phi, above);
    add(s, coordinates, above, covariance);
}

/* Around the points so far, with the mean and covariance of their weights to this power. */
static void add_around_points(sampler *s, asif_coordinates coordinates, double power, double *covariance) {
    uint64_t n = s->fit->numbers;
    double mean[N] = {0}, sum = 0;
    memset(covariance, 0, n * n * sizeof *covariance);
    for (uint64_t i = 0; i < s->points; i++) {
        double w = exp(power * s->ratio[i]), *x = s->x + i * n;
        (void)asif_coordinates_of(population_of(s), coordinates, s->phi + i * n, x);
        sum += w;
        for (uint64_t k = 0; k < n; k++)
            mean[k] += w * x[k];
    }
    for (uint64_t k = 0; k < n; k++)
        mean[k] /= sum;
    for (uint64_t i = 0; i < s->points; i++) {
        double w = exp(power * s->ratio[i]) / sum, *x = s->x + i * n;
        for (uint64_t k = 0; k < n; k++)
            for (uint64_t l = 0; l < n; l++)
                covariance[k * n + l] += w * (x[k] - mean[k]) * (x[l] - mean[l]);
    }
    add(s, coordinates, mean, covariance);
}

/* The largest power of the weights that leaves enough points effective: few points with most of the weight
 * would make the next stage too narrow. */
static double mild_power(const sampler *s) {
    double power = 1, enough = fmin(KNOWN * s->fit->numbers, (double)s->points / 4);
    for (;; power *= MILDER) {
        double sum = 0, squares = 0;
        for (uint64_t i = 0; i < s->points; i++) {
            double w = exp(power * s->ratio[i]);
            sum += w;
            squares += w * w;
        }
        if (sum * sum >= enough * squares || power < 1e-3)
            return power;
    }
}

/* One stage: a component in all coordinates that differ, and as many points of each. */
static asif_status run_stage(sampler *s, uint64_t count, asif_error *error) {
    uint64_t before = s->points, n = s->fit->numbers;
    uint32_t first = s->components;
    double power = before ? mild_power(s) : 1, *covariance = ASIF_ARRAY(s->fit->context, n * n, double);
    if (!covariance)
        return asif_fail_memory(error);
    for (asif_coordinates c = 0; c < ASIF_COORDINATES_COUNT; c++) {
        if (c != ASIF_COORDINATES_PHI && !asif_coordinates_differ(population_of(s), c))
            continue;
        if (before)
            add_around_points(s, c, power, covariance);
        else
            add_at_maximum(s, c, covariance);
    }
    asif_free(s->fit->context, covariance);
    for (uint32_t c = first; c < s->components; c++) {
        s->component[c].times = count / (s->components - first);
        propose(s, &s->component[c], s->seed + c);
    }
    ASIF_TRY(evaluate(s, before, error));
    return s->points > before ? weigh(s, error) : ASIF_OK;
}

/* ---- draws ---- */

/* Fill fit->phi and fit->carried by systematic resampling. */
static void resample(asif_population_fit *fit, const sampler *s) {
    uint64_t n = fit->numbers, made = 0;
    double below = 0;
    for (uint64_t i = 0; i < s->points; i++) {
        below += exp(s->ratio[i]);
        for (; made < fit->count && ((double)made + .5) / (double)fit->count < below; made++) {
            memcpy(fit->phi + made * n, s->phi + i * n, n * sizeof *s->phi);
            fit->carried[made] = s->carried[i];
        }
    }
    for (; made < fit->count; made++) {
        memcpy(fit->phi + made * n, made ? fit->phi + (made - 1) * n : fit->maximum, n * sizeof *s->phi);
        fit->carried[made] = made ? fit->carried[made - 1] : fit->effective;
    }
}

static asif_status run(sampler *s, uint64_t count, double least, double enough, bool *good,
                       asif_error *error) {
    for (int stage = 0; stage < STAGES && !(*good && s->kish >= enough); stage++) {
        uint64_t left = s->most - s->proposed;
        count = count < left ? count : left;
        if (count < ASIF_COORDINATES_COUNT)
            break;
        uint32_t components = s->components;
        ASIF_TRY(run_stage(s, count, error));
        if (s->components == components || s->points == 0)
            break;
        *good = s->khat < GOOD_K && s->kish >= least;
        count = (uint64_t)((double)s->proposed * fmin(fmax(enough / s->kish - 1, .5), 1));
    }
    return ASIF_OK;
}

asif_status asif_population_importance(asif_population_fit *fit, asif_marginal_work *work, uint64_t seed,
                                       bool *good, asif_error *error) {
    uint64_t n = fit->numbers, times = fit->population.pools ? OF_POOLS : 1,
             first = (uint64_t)fmin(fmax(WORK / asif_marginal_cost(work->marginal), LEAST), MOST);
    first = fit->borrowed ? LEAST : first; /* one of many fits, each of which is brief */
    first = fit->count > MOST ? fit->count : first;
    sampler s = {.fit = fit, .work = work, .seed = seed};
    s.most = times * (4 * first > TOTAL ? 4 * first : TOTAL);
    s.component = ASIF_ARRAY(fit->context, STAGES * ASIF_COORDINATES_COUNT, component);
    s.phi = ASIF_ARRAY(fit->context, s.most * n, double);
    s.x = ASIF_ARRAY(fit->context, s.most * n, double);
    s.value = ASIF_ARRAY(fit->context, s.most, double);
    s.ratio = ASIF_ARRAY(fit->context, s.most, double);
    s.carried = ASIF_ARRAY(fit->context, s.most, double);
    bool room = s.component && s.phi && s.x && s.value && s.ratio && s.carried;
    *good = false;
    double least = (double)times * GOOD_KISH,
           enough = (double)times * fmin(fmax((double)first / 10, GOOD_KISH), ENOUGH_KISH);
    asif_status status = room ? run(&s, first, least, enough, good, error) : asif_fail_memory(error);
    if (*good) {
        fit->khat = s.khat;
        fit->kish = s.kish;
        resample(fit, &s);
    }
    void *const arrays[] = {s.component, s.phi, s.x, s.value, s.ratio, s.carried};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(fit->context, arrays[i]);
    return status;
}
