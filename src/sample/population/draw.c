/* Draws of a population's numbers: by NUTS, or by importance sampling from a Student t around the maximum
 * where evaluations are costly and the posterior, of many units, is nearly normal. */
#include "sample/population/population.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "base/random.h"
#include "base/text.h"
#include "sample/draws.h"
#include "sample/ridge/sobol.h"

#include <math.h>
#include <string.h>

#define MOST 4096 /* most and least points of importance sampling; more where more draws are wanted */
#define LEAST 512
#define WORK 4e10 /* cost of an evaluation times points, between the two */
#define GOOD_KISH 100
#define OF_POOLS 4  /* times as many of both: a pool's sd and its effects bend their posterior */
#define STAGES 3    /* each is around the weighted points of the one before */
#define DEGREES 7   /* of its Student t */
#define WIDER 1.1   /* its scale, over the posterior's standard deviation */
#define GOOD_K 0.7  /* k-hat above which NUTS is used after all */
#define ACCEPT 0.85 /* of NUTS */
#define FLOOR                                                                                                \
    50. /* effective points below which a population has density 0: the table knows nothing of it            \
         */

/* ---- NUTS ---- */

static void keep_phi(asif_population_fit *fit, const asif_draws_view *v) {
    for (uint64_t i = 0; i < fit->count; i++)
        for (uint32_t k = 0; k < fit->numbers; k++)
            fit->phi[i * fit->numbers + k] = v->value[((uint64_t)fit->numbers + k) * fit->count + i];
}

/* Reported numbers, then phi itself: chains report both. Where a chain goes over to another order of the
 * kinds, they are put into order again. */
static void report_both(void *user, const double *phi, double *out) {
    const asif_normal_population *p = ((const asif_marginal_work *)user)->densities.population;
    uint32_t n = asif_population_numbers(p);
    memcpy(out + n, phi, n * sizeof *phi);
    if (asif_kinds(p) > 1)
        asif_kinds_sort(p, out + n);
    asif_population_report(p, out + n, out);
}

/* The draws without the columns of phi. */
static asif_status without_phi(asif_population_fit *fit, const asif_draws_view *v, const char *const *name,
                               asif_error *error) {
    uint64_t one = (uint64_t)v->chains * v->draws;
    ASIF_TRY(asif_draws_create(&fit->draws, fit->context, v->chains, v->draws, fit->numbers, name,
                               v->dimension, error));
    memcpy(asif_draws_values(fit->draws, 0, 0), v->value, fit->numbers * one * sizeof(double));
    memcpy(asif_draws_stats(fit->draws, 0, 0), v->stat, ASIF_STAT_COUNT * one * sizeof(double));
    asif_draws_view *own = &fit->draws->view;
    for (uint32_t c = 0; c < v->chains; c++)
        *asif_draws_step(fit->draws, c) = v->step[c];
    if (v->metric)
        memcpy(asif_draws_metric(fit->draws, 0), v->metric,
               (uint64_t)v->chains * v->dimension * v->dimension * sizeof(double));
    own->method = v->method;
    own->warmup = v->warmup;
    own->thin = v->thin;
    own->seed = v->seed;
    own->max_depth = v->max_depth;
    return ASIF_OK;
}

static asif_status sample(asif_population_fit *fit, asif_marginal_work *work,
                          const asif_population_request *r, asif_error *error) {
    asif_sample_options o = ASIF_SAMPLE_OPTIONS_INIT;
    asif_draws_view v = {.struct_size = sizeof v};
    asif_draws *both = NULL;
    uint64_t n = fit->numbers;
    asif_density *density = ASIF_ARRAY(fit->context, r->chains, asif_density);
    const char **name = ASIF_ARRAY(fit->context, 2 * n, const char *);
    double *start = ASIF_ARRAY(fit->context, r->chains * n, double);
    char(*own)[16] = asif_alloc(fit->context, 2 * n, sizeof *own);
    asif_status status = density && name && start && own ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t k = 0; status == ASIF_OK && k < 2 * n; k++) {
        asif_format(own[k], sizeof own[k], "x.%u", k + 1);
        name[k] = own[k];
    }
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++) {
        density[c] = asif_marginal_density(&work[c], name);
        density[c].reported = (uint32_t)(2 * n);
        density[c].report = report_both;
        memcpy(start + c * n, fit->maximum, n * sizeof *start);
    }
    o.chains = r->chains;
    o.warmup = r->warmup;
    o.draws = r->draws;
    o.seed = r->seed;
    o.target_accept = ACCEPT;
    o.start = start;
    o.metric = fit->covariance;
    if (status == ASIF_OK)
        status = asif_sample(&both, fit->context, density, &o, error);
    if (status == ASIF_OK)
        status = asif_draws_get(both, &v, error);
    if (status == ASIF_OK)
        status = without_phi(fit, &v, r->name, error);
    if (status == ASIF_OK)
        keep_phi(fit, &v);
    asif_draws_free(both);
    asif_free(fit->context, density);
    asif_free(fit->context, (void *)name);
    asif_free(fit->context, start);
    asif_free(fit->context, own);
    return status;
}

/* ---- importance sampling ---- */

typedef struct {
    const asif_population_fit *fit;
    uint64_t points, most, seed;
    double good_kish;
    bool rescaled; /* centre and factor are of psi */
    double centre[ASIF_POPULATION_NUMBERS], factor[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS];
    double *phi;     /* [most][numbers], of which the first `points` are used here and below */
    double *ratio;   /* [most]: log weights */
    double *carried; /* [most]: effective points of the table */
    double khat, kish;
} proposal;

/* Effects of a pool are over its sd in phi, which is best where groups hardly differ. Where they do, and are
 * well known, effects themselves are nearly independent of that sd. Points are proposed in these, psi, too.
 */

/* Multiply effects by the sds of their pools, or divide by them. Returns the sum of their logarithms. */
static double rescale(const asif_normal_population *p, double *x, double sign) {
    uint32_t first = asif_population_first_effect(p);
    double sum = 0;
    for (uint32_t k = 0; k < p->effects; k++)
        if (asif_population_pool(p, k)) {
            x[first + k] *= exp(sign * x[asif_population_pool(p, k)]);
            sum += x[asif_population_pool(p, k)];
        }
    return sum;
}

/* The covariance of psi from that of phi, near the maximum. */
static void rescale_covariance(const asif_population_fit *fit, double *covariance) {
    const asif_normal_population *p = &fit->population;
    uint64_t n = fit->numbers, first = asif_population_first_effect(p);
    for (int side = 0; side < 2; side++) /* rows, then columns */
        for (uint32_t k = 0; k < p->effects; k++) {
            uint64_t pool = asif_population_pool(p, k), at = first + k;
            for (uint64_t j = 0; pool && j < n; j++) {
                double *own = side ? &covariance[j * n + at] : &covariance[at * n + j],
                       other = side ? covariance[j * n + pool] : covariance[pool * n + j];
                *own = exp(fit->maximum[pool]) * (*own + fit->maximum[at] * other);
            }
        }
}

/* Point i, and minus its log-density under the proposal up to a constant. */
static double propose(const proposal *p, uint32_t i, double *phi) {
    uint32_t n = p->fit->numbers;
    double t[ASIF_POPULATION_NUMBERS], sum = 0;
    asif_stream stream = {p->seed, ASIF_FOR_POPULATIONS, i};
    for (uint32_t k = 0; k < n; k++) {
        double u = k < ASIF_SOBOL_MOST ? asif_sobol(i, k, p->seed) : asif_uniform(&stream, k);
        t[k] = asif_t_quantile(u, DEGREES);
        sum += (DEGREES + 1) / 2. * log1p(t[k] * t[k] / DEGREES);
    }
    asif_lower_times(p->factor, n, t, phi);
    for (uint32_t k = 0; k < n; k++)
        phi[k] = p->centre[k] + WIDER * phi[k];
    return p->rescaled ? sum - rescale(&p->fit->population, phi, -1) : sum;
}

/* Propose points [first, first + count) and fill their log weights. */
static void weigh_some(proposal *p, asif_marginal_work *work, uint32_t first, uint32_t count) {
    uint64_t n = p->fit->numbers;
    double *phi = p->phi + first * n, *ratio = p->ratio + first, less[ASIF_POPULATIONS],
           unused[ASIF_POPULATION_NUMBERS];
    for (uint32_t i = 0; i < count; i++)
        less[i] = propose(p, first + i, phi + i * n);
    asif_marginal_at_many(work, phi, count, ratio);
    memcpy(p->carried + first, work->effective, count * sizeof *p->carried);
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(ratio[i]))
            ratio[i] += less[i] + asif_population_log_prior(&p->fit->population, phi + i * n, unused);
}

static asif_status weigh(proposal *p, asif_marginal_work *work, asif_error *error) {
    double most = -INFINITY, squares = 0;
    for (uint32_t i = 0; i < p->points; i += ASIF_POPULATIONS) {
        uint64_t left = p->points - i;
        if (asif_progress(p->fit->context, "population", (double)i / (double)p->points))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        weigh_some(p, work, i, left < ASIF_POPULATIONS ? (uint32_t)left : ASIF_POPULATIONS);
    }
    for (uint64_t i = 0; i < p->points; i++)
        most = fmax(most, p->ratio[i]);
    for (uint64_t i = 0; i < p->points; i++)
        p->ratio[i] = isfinite(p->ratio[i]) ? p->ratio[i] : most - 700;
    ASIF_TRY(asif_psis(p->ratio, &p->khat, p->fit->context, p->ratio, 1, p->points, 1, error));
    for (uint64_t i = 0; i < p->points; i++)
        squares += exp(2 * p->ratio[i]);
    p->kish = 1 / squares;
    return ASIF_OK;
}

/* Move the proposal to the weighted mean and covariance of its points, and give it as many points as would
 * have been needed where it was: where it goes, weights are two or three times as good. False: the covariance
 * is singular. */
static bool move(proposal *p) {
    uint64_t n = p->fit->numbers;
    double mean[ASIF_POPULATION_NUMBERS] = {0},
           covariance[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS] = {0};
    for (uint64_t i = 0; p->rescaled && i < p->points; i++)
        (void)rescale(&p->fit->population, p->phi + i * n, 1);
    for (uint64_t i = 0; i < p->points; i++)
        for (uint64_t k = 0; k < n; k++)
            mean[k] += exp(p->ratio[i]) * p->phi[i * n + k];
    for (uint64_t i = 0; i < p->points; i++)
        for (uint64_t k = 0; k < n; k++)
            for (uint64_t l = 0; l < n; l++)
                covariance[k * n + l] +=
                    exp(p->ratio[i]) * (p->phi[i * n + k] - mean[k]) * (p->phi[i * n + l] - mean[l]);
    memcpy(p->centre, mean, n * sizeof *mean);
    memcpy(p->factor, covariance, n * n * sizeof *covariance);
    p->seed++;
    p->points = (uint64_t)fmin(fmax(p->good_kish / p->kish, 1) * (double)p->points, (double)p->most);
    return asif_cholesky(p->factor, (uint32_t)n);
}

/* Fill fit->phi and fit->carried by systematic resampling. */
static void resample(asif_population_fit *fit, const proposal *p) {
    uint64_t n = fit->numbers, made = 0;
    double below = 0;
    for (uint64_t i = 0; i < p->points; i++) {
        below += exp(p->ratio[i]);
        for (; made < fit->count && ((double)made + .5) / (double)fit->count < below; made++) {
            memcpy(fit->phi + made * n, p->phi + i * n, n * sizeof *p->phi);
            fit->carried[made] = p->carried[i];
        }
    }
    for (; made < fit->count; made++) {
        memcpy(fit->phi + made * n, made ? fit->phi + (made - 1) * n : fit->maximum, n * sizeof *p->phi);
        fit->carried[made] = made ? fit->carried[made - 1] : fit->effective;
    }
}

static asif_status fill_draws(asif_population_fit *fit, const asif_population_request *r, asif_error *error) {
    double row[ASIF_POPULATION_NUMBERS];
    ASIF_TRY(
        asif_draws_create(&fit->draws, fit->context, r->chains, r->draws, fit->numbers, r->name, 0, error));
    asif_draws_view *view = &fit->draws->view;
    view->method = ASIF_METHOD_RIDGE;
    view->thin = 1;
    view->seed = r->seed;
    view->khat = fit->khat;
    view->kish = fit->kish;
    for (uint64_t i = 0; i < fit->count; i++) { /* neighbours go to different chains */
        if (asif_kinds(&fit->population) > 1)
            asif_kinds_sort(&fit->population, fit->phi + i * fit->numbers);
        asif_population_report(&fit->population, fit->phi + i * fit->numbers, row);
        uint32_t chain = (uint32_t)(i % r->chains);
        for (uint32_t k = 0; k < fit->numbers; k++)
            asif_draws_values(fit->draws, k, chain)[i / r->chains] = row[k];
        asif_draws_stats(fit->draws, ASIF_STAT_ACCEPT, chain)[i / r->chains] = 1;
    }
    return ASIF_OK;
}

/* *good: the weights can be trusted, and fit->phi is filled. */
static asif_status importance(asif_population_fit *fit, asif_marginal_work *work,
                              const asif_population_request *r, bool rescaled, bool *good,
                              asif_error *error) {
    uint64_t n = fit->numbers;
    double cost = asif_marginal_cost(work->marginal);
    uint64_t most = fit->population.pools ? OF_POOLS * MOST : MOST;
    proposal p = {.fit = fit,
                  .seed = r->seed,
                  .points = (uint64_t)fmin(fmax(WORK / cost, LEAST), MOST),
                  .most = fit->count > most ? fit->count : most,
                  .good_kish = fit->population.pools ? OF_POOLS * GOOD_KISH : GOOD_KISH};
    p.points = fit->count > MOST ? fit->count : p.points;
    p.phi = ASIF_ARRAY(fit->context, p.most * n, double);
    p.ratio = ASIF_ARRAY(fit->context, p.most, double);
    p.carried = ASIF_ARRAY(fit->context, p.most, double);
    memcpy(p.centre, fit->maximum, n * sizeof *p.centre);
    memcpy(p.factor, fit->covariance, n * n * sizeof *p.factor);
    if (rescaled) {
        p.rescaled = true;
        (void)rescale(&fit->population, p.centre, 1);
        rescale_covariance(fit, p.factor);
    }
    bool positive = asif_cholesky(p.factor, (uint32_t)n);
    asif_status status = p.phi && p.ratio && p.carried ? ASIF_OK : asif_fail_memory(error);
    *good = false;
    for (int stage = 0; stage < STAGES && positive && !*good && status == ASIF_OK; stage++) {
        positive = stage == 0 || move(&p);
        if (positive)
            status = weigh(&p, work, error);
        *good = positive && status == ASIF_OK && p.khat < GOOD_K && p.kish >= p.good_kish;
    }
    if (*good) {
        fit->khat = p.khat;
        fit->kish = p.kish;
        resample(fit, &p);
        status = fill_draws(fit, r, error);
    }
    asif_free(fit->context, p.phi);
    asif_free(fit->context, p.ratio);
    asif_free(fit->context, p.carried);
    return status;
}

/* ---- both ---- */

/* Where draw i is: chains stand one after another, but neighbours of importance sampling are in different
 * chains. */
static void find_draw(const asif_draws_view *v, uint64_t i, uint32_t *chain, uint64_t *place) {
    bool apart = v->method == ASIF_METHOD_RIDGE;
    *chain = (uint32_t)(apart ? i % v->chains : i / v->draws);
    *place = apart ? i / v->chains : i % v->draws;
}

/* Put draw `from` into the place of draw `to`. */
static void repeat(asif_population_fit *fit, uint64_t to, uint64_t from) {
    uint64_t n = fit->numbers, place, other;
    uint32_t chain, other_chain;
    find_draw(&fit->draws->view, to, &chain, &place);
    find_draw(&fit->draws->view, from, &other_chain, &other);
    memcpy(fit->phi + to * n, fit->phi + from * n, n * sizeof *fit->phi);
    for (uint32_t k = 0; k < n; k++)
        asif_draws_values(fit->draws, k, chain)[place] = asif_draws_values(fit->draws, k, other_chain)[other];
    for (uint32_t k = 0; k < ASIF_STAT_COUNT; k++)
        asif_draws_stats(fit->draws, k, chain)[place] = asif_draws_stats(fit->draws, k, other_chain)[other];
}

static bool is_carried(const asif_population_fit *fit, uint64_t i) {
    return fit->carried[i] >= ASIF_POPULATION_EFFECTIVE;
}

/* Draws that the table carries badly are few: the draw before takes their place, as in a chain that does not
 * move. */
static void leave_out(asif_population_fit *fit) {
    uint64_t good = 0;
    while (!is_carried(fit, good))
        good++;
    for (uint64_t i = 0; i < fit->count; i++) {
        if (is_carried(fit, i))
            good = i;
        else
            repeat(fit, i, good);
    }
}

/* By how many points the table carries draws: the least, and how many draws have too few. */
static void check(asif_population_fit *fit) {
    fit->least_effective = INFINITY;
    fit->left_out = 0;
    for (uint64_t i = 0; i < fit->count; i++)
        fit->left_out += !is_carried(fit, i);
    fit->usable = (double)fit->left_out <= ASIF_POPULATION_LEFT_OUT * (double)fit->count;
    for (uint64_t i = 0; i < fit->count; i++)
        if (!fit->usable || is_carried(fit, i))
            fit->least_effective = fmin(fit->least_effective, fit->carried[i]);
    if (fit->usable && fit->left_out)
        leave_out(fit);
}

asif_status asif_population_draw(asif_population_fit *fit, const asif_marginal *marginal,
                                 const asif_population_request *r, asif_error *error) {
    bool good = false;
    asif_draws_free(fit->draws);
    fit->draws = NULL;
    asif_free(fit->context, fit->phi);
    fit->count = r->chains * r->draws;
    fit->phi = ASIF_ARRAY(fit->context, fit->count * fit->numbers, double);
    asif_free(fit->context, fit->carried);
    fit->carried = ASIF_ARRAY(fit->context, fit->count, double);
    asif_marginal_work *work = ASIF_ARRAY(fit->context, r->chains, asif_marginal_work);
    asif_status status = fit->phi && fit->carried && work ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && !r->nuts) {
        status = asif_marginal_work_open(&work[0], marginal, &fit->population, fit->context->options.threads,
                                         error);
        work[0].least_effective = FLOOR;
        if (status == ASIF_OK)
            status = importance(fit, &work[0], r, fit->population.pools > 0, &good, error);
        if (status == ASIF_OK && !good && fit->population.pools)
            status = importance(fit, &work[0], r, false, &good, error);
        asif_marginal_work_close(&work[0]);
    }
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++)
        status = asif_marginal_work_open(&work[c], marginal, &fit->population, 1, error);
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++)
        work[c].least_effective = FLOOR;
    bool possible = asif_marginal_cost(marginal) <= (double)r->many;
    if (status == ASIF_OK && !good && possible) {
        fit->khat = fit->kish = NAN;
        status = sample(fit, work, r, error);
        good = true;
        if (status == ASIF_OK)
            asif_marginal_effective(&work[0], fit->phi, fit->count, fit->carried);
    }
    fit->usable = good;
    if (status == ASIF_OK && good)
        check(fit);
    for (uint32_t c = 0; work && c < r->chains; c++)
        asif_marginal_work_close(&work[c]);
    asif_free(fit->context, work);
    return status;
}
