#include "sample/population/population.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/random.h"
#include "sample/population/shifted.h"
#include "sample/population/units/serve.h"

#include <math.h>
#include <string.h>

/* Bytes of the likelihoods that are evaluated together: so many points that all rows are. */
#define PASSING ((uint64_t)512 << 20)
#define LEAST_PASSING 512 /* points */
#define EM_STEPS 60       /* most in a round */
#define EM_FLOOR 250.     /* EM stops where fewer points are effective: new points are due */
#define EM_STILL .02      /* sds: EM has settled where means and sds move less */
#define EM_RIDGE 1e-6     /* keeps the covariance of a flat direction positive */
#define WIDER 1.3         /* the covariance of new points, over that of the population */
#define COVERED 8         /* populations around the maximum that get points of their own */
#define MORE_COVERED 64   /* most draws of the posterior that do */
#define OF_A_KIND 512     /* least points of each kind of them */
#define ATTEMPTS 5        /* most times that the table doubles around draws that it carries badly */
#define TRIED 60          /* evaluations of each population that may be the start of one kind more */
#define LEAST_ROUNDS 2    /* rounds around the population, before the maximum is searched for */
#define MOST_ROUNDS 16    /* most of them, where EM does not settle */

typedef struct {
    asif_population_fit *fit;
    const asif_population_request *request;
    asif_marginal_work work;
    double mean[ASIF_POPULATION_MOST], covariance[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST];
    double phi[ASIF_POPULATION_NUMBERS];
    bool settled;                                          /* EM has settled */
    bool climbed;                                          /* effects of covariates are known */
    uint64_t climbed_on;                                   /* points, of the last maximum */
    double best[ASIF_KINDS_MOST][ASIF_POPULATION_NUMBERS]; /* of each number of kinds: phi */
} estimation;

/* ---- points ---- */

static void take(void *taker, uint32_t worker, uint64_t row, const double *log_likelihood) {
    (void)worker;
    asif_marginal_set(taker, row, log_likelihood);
}

/* What evaluations need, for the table and the number of kinds as they are. */
static asif_status open_work(estimation *e, asif_error *error) {
    asif_marginal_work_close(&e->work);
    return asif_marginal_work_open(&e->work, &e->fit->marginal, &e->fit->population,
                                   e->fit->context->options.threads, error);
}

/* Evaluate the units at the points that were added last. */
static asif_status evaluate_new(estimation *e, uint64_t before, asif_error *error) {
    const asif_atoms *atoms = &e->fit->atoms;
    uint64_t most = PASSING / sizeof(double) / (e->request->rows + 1), end;
    most = most < LEAST_PASSING ? LEAST_PASSING : most;
    asif_marginal_work_close(&e->work);
    for (uint64_t first = before; first < atoms->count; first = end) {
        end = atoms->count - first < most ? atoms->count : first + most;
        ASIF_TRY(asif_marginal_add(&e->fit->marginal, most, error));
        ASIF_TRY(e->request->evaluate(e->request->user, atoms->x + first * atoms->base->dimension,
                                      end - first, take, &e->fit->marginal, error));
    }
    return open_work(e, error);
}

/* Tables grow by whole scrambles. */
static uint64_t whole(uint64_t count) {
    return count - count % ASIF_SCRAMBLES;
}

/* At most `wanted` points that the table may still get; 0 where they would be too few to help. */
static uint64_t room_for(const estimation *e, uint64_t wanted) {
    uint64_t most = e->request->most_points, count = e->fit->atoms.count,
             room = most > count ? most - count : 0;
    room = room < wanted ? room : wanted;
    return e->request->again || 2 * room < e->request->points ? 0 : whole(room);
}

static asif_status first_points(estimation *e, asif_error *error) {
    const asif_population_request *r = e->request;
    uint64_t count = whole(r->points < r->most_points ? r->points : r->most_points);
    ASIF_TRY(asif_atoms_add(&e->fit->atoms, count, NULL, NULL, error));
    return evaluate_new(e, 0, error);
}

/* Add points around each kind of the population phi, `wider` than it by this factor of the covariance. */
static asif_status add_around_kinds(estimation *e, const double *phi, double wider, uint64_t count,
                                    asif_error *error) {
    const asif_normal_population *p = &e->fit->population;
    uint64_t d = p->base->dimension;
    double plain[ASIF_POPULATION_NUMBERS], mean[ASIF_POPULATION_MOST],
        covariance[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST];
    for (uint32_t k = 0; k < p->kinds; k++) {
        uint64_t each = whole(count * (k + 1) / p->kinds) - whole(count * k / p->kinds);
        asif_kinds_plain(p, phi, k, plain);
        asif_covariates_spread(NULL, p, plain, mean, covariance);
        for (uint64_t i = 0; i < d * d; i++)
            covariance[i] *= wider;
        if (each)
            ASIF_TRY(asif_atoms_add(&e->fit->atoms, each, mean, covariance, error));
    }
    return ASIF_OK;
}

/* Add points around all units of the population phi, whose mean and covariance these are; half of them around
 * those units with covariates for which the fewest points are effective. */
static asif_status add_around(estimation *e, const double *phi, const double *mean, const double *covariance,
                              uint64_t count, asif_error *error) {
    asif_population_fit *fit = e->fit;
    uint64_t d = e->request->base->dimension, apart = 0;
    double unused, own[ASIF_POPULATION_MOST], spread[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        shift[ASIF_POPULATION_MOST] = {0};
    if (e->climbed && fit->population.effects) {
        apart = whole(count / 2);
        asif_marginal_effective(&e->work, phi, 1, &unused);
        asif_population_shift(&fit->population, phi,
                              fit->covariates.z + e->work.shifted->worst * fit->covariates.columns, shift);
        asif_covariates_spread(NULL, &fit->population, phi, own, spread);
        for (uint64_t i = 0; i < d; i++)
            own[i] += fit->population.scale[i] * shift[i];
    }
    ASIF_TRY(asif_atoms_add(&fit->atoms, count - apart, mean, covariance, error));
    return apart ? asif_atoms_add(&fit->atoms, apart, own, spread, error) : ASIF_OK;
}

/* Add `count` points, around the population and from the base density. */
static asif_status more_points(estimation *e, uint64_t count, asif_error *error) {
    uint64_t before = e->fit->atoms.count, d = e->request->base->dimension;
    double wide[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST];
    for (uint64_t i = 0; i < d * d; i++)
        wide[i] = WIDER * e->covariance[i];
    uint64_t anywhere = whole(count / 5 + ASIF_SCRAMBLES);
    ASIF_TRY(asif_kinds(&e->fit->population) > 1
                 ? add_around_kinds(e, e->phi, WIDER, count - anywhere, error)
                 : add_around(e, e->phi, e->mean, wide, count - anywhere, error));
    ASIF_TRY(asif_atoms_add(&e->fit->atoms, anywhere, NULL, NULL, error));
    e->fit->rounds++;
    return evaluate_new(e, before, error);
}

/* ---- EM ---- */

static bool has_moved(const estimation *e, const double *old) {
    uint32_t d = e->request->base->dimension;
    for (uint32_t i = 0; i < 2 * d; i++)
        if (fabs(e->phi[i] - old[i]) / (i < d ? exp(e->phi[d + i]) : 1) > EM_STILL)
            return true;
    return false;
}

static asif_status fail_zero(asif_error *error) {
    asif_fail(error, ASIF_EDOMAIN, "the likelihood of some unit is 0 at every point of the table");
    asif_error_hint(error, "an action that the agent never takes, whatever its parameters, rules this out");
    return ASIF_EDOMAIN;
}

/* Move the population by EM, as far as the table carries it. */
static asif_status settle(estimation *e, asif_error *error) {
    uint64_t d = e->request->base->dimension;
    double mean[ASIF_POPULATION_MOST], covariance[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        old[ASIF_POPULATION_NUMBERS];
    e->settled = false;
    for (int step = 0; step < EM_STEPS && !e->settled; step++) {
        if (asif_progress(e->fit->context, "population", 0))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        if (!asif_marginal_moments(&e->work, e->phi, mean, covariance))
            return step ? ASIF_OK : fail_zero(error);
        if (step && e->work.effective[0] < EM_FLOOR) /* phi is one step too far for the table */
            return ASIF_OK;
        for (uint64_t i = 0; i < d; i++)
            covariance[i * d + i] += EM_RIDGE * e->fit->population.scale[i] * e->fit->population.scale[i];
        memcpy(e->mean, mean, d * sizeof *mean);
        memcpy(e->covariance, covariance, d * d * sizeof *covariance);
        memcpy(old, e->phi, sizeof old);
        asif_population_of(&e->fit->population, mean, covariance, e->phi);
        e->settled = !has_moved(e, old);
    }
    return ASIF_OK;
}

/* ---- populations ---- */

void asif_population_place(asif_normal_population *p, const asif_base_density *b, bool correlated) {
    const double normal = 2 * 1.6448536269514722; /* sds in the middle 90 % of a normal */
    p->base = b;
    p->correlated = correlated && b->dimension > 1;
    for (uint32_t i = 0; i < b->dimension; i++) {
        p->centre[i] = b->quantile(b->user, i, .5);
        p->scale[i] = (b->quantile(b->user, i, .95) - b->quantile(b->user, i, .05)) / normal;
    }
}

static asif_status take_covariates(asif_population_fit *fit, const asif_population_request *r,
                                   asif_error *error) {
    if (r->effects > ASIF_EFFECTS_MOST || r->columns > ASIF_EFFECTS_MOST)
        return asif_fail(error, ASIF_EDOMAIN, "a population has at most %d effects of covariates, not %u",
                         ASIF_EFFECTS_MOST, (unsigned)(r->effects > r->columns ? r->effects : r->columns));
    asif_population_set_effects(&fit->population, r->effect, r->effects);
    if (fit->population.pools > ASIF_POOLS_MOST)
        return asif_fail(error, ASIF_EDOMAIN, "a population has at most %d pools of effects, not %u",
                         ASIF_POOLS_MOST, (unsigned)fit->population.pools);
    fit->marginal.covariates = &fit->covariates;
    return asif_covariates_open(&fit->covariates, fit->context, r->z, r->rows, r->columns, r->times, error);
}

/* Take mean and covariance of all units from phi, for new points around them. */
static void follow(estimation *e, const double *phi) {
    memcpy(e->phi, phi, e->fit->numbers * sizeof *e->phi);
    asif_covariates_spread(&e->fit->covariates, &e->fit->population, phi, e->mean, e->covariance);
}

/* The maximum from e->phi, on the table as it is. */
static asif_status find_maximum(estimation *e, asif_error *error) {
    ASIF_TRY(asif_population_climb(e->fit, &e->work, e->phi, error));
    e->climbed = true;
    e->climbed_on = e->fit->atoms.count;
    asif_population_judge_table(e->fit, &e->work);
    return ASIF_OK;
}

/* Add `points` around populations phi [count][numbers], and find the maximum again. */
static asif_status cover(estimation *e, const double *phi, uint32_t count, uint64_t points,
                         asif_error *error) {
    asif_population_fit *fit = e->fit;
    uint64_t before = fit->atoms.count, stride = fit->numbers, each = count ? whole(points / count) : 0;
    for (uint32_t k = 0; each && k < count; k++) {
        follow(e, phi + k * stride);
        ASIF_TRY(asif_kinds(&fit->population) > 1
                     ? add_around_kinds(e, e->phi, 1, each, error)
                     : add_around(e, e->phi, e->mean, e->covariance, each, error));
    }
    if (each) {
        fit->rounds++;
        ASIF_TRY(evaluate_new(e, before, error));
    }
    follow(e, fit->maximum);
    return e->climbed_on < fit->atoms.count ? find_maximum(e, error) : ASIF_OK;
}

/* Cover populations that are as far from the maximum as the posterior is wide. */
static asif_status cover_posterior(estimation *e, asif_error *error) {
    uint64_t n = e->fit->numbers;
    double factor[ASIF_POPULATION_NUMBERS * ASIF_POPULATION_NUMBERS], phi[COVERED * ASIF_POPULATION_NUMBERS],
        z[ASIF_POPULATION_NUMBERS];
    memcpy(factor, e->fit->covariance, n * n * sizeof *factor);
    if (!asif_cholesky(factor, (uint32_t)n))
        return ASIF_OK;
    for (uint64_t k = 0; k < COVERED; k++) {
        asif_stream stream = {e->request->seed, ASIF_FOR_POPULATIONS, UINT64_MAX - k};
        for (uint32_t i = 0; i < n; i++)
            z[i] = asif_normal(&stream, i);
        asif_lower_times(factor, (uint32_t)n, z, phi + k * n);
        for (uint64_t i = 0; i < n; i++)
            phi[k * n + i] += e->fit->maximum[i];
    }
    return cover(e, phi, COVERED, room_for(e, e->request->points), error);
}

/* Add points around draws that have too few, or around all where none has, taken evenly from all of them. */
static asif_status cover_draws(estimation *e, uint64_t points, asif_error *error) {
    asif_population_fit *fit = e->fit;
    uint64_t n = fit->numbers, seen = 0, most = points / (OF_A_KIND * asif_kinds(&fit->population));
    uint32_t count, taken = 0;
    double phi[MORE_COVERED * ASIF_POPULATION_NUMBERS];
    most = most < 1 ? 1 : most < MORE_COVERED ? most : MORE_COVERED;
    bool all = fit->usable;
    uint64_t of = all ? fit->count : fit->left_out;
    count = (uint32_t)(of < most ? of : most);
    for (uint64_t i = 0; i < fit->count && taken < count; i++)
        if ((all || !(fit->carried[i] >= ASIF_POPULATION_EFFECTIVE)) && seen++ == taken * of / count)
            memcpy(phi + taken++ * n, fit->phi + i * n, n * sizeof *phi);
    return cover(e, phi, taken, points, error);
}

/* Draw, and again on a table twice as large where it carries too many draws badly, or makes too large an
 * error in their distribution. */
static asif_status draw(estimation *e, asif_error *error) {
    asif_population_fit *fit = e->fit;
    for (int attempt = 0;; attempt++) {
        ASIF_TRY(asif_population_draw(fit, &e->fit->marginal, e->request, error));
        if (fit->usable && !e->request->again) /* else the table was judged before */
            ASIF_TRY(asif_population_judge_draws(fit, &e->work, error));
        uint64_t more = room_for(e, fit->atoms.count);
        bool good = fit->usable && fit->worst_error <= ASIF_POPULATION_ERROR;
        if (good || !fit->draws || attempt == ATTEMPTS || !more)
            break;
        ASIF_TRY(cover_draws(e, more, error));
    }
    fit->usable = fit->usable && fit->worst_error <= ASIF_POPULATION_ERROR;
    return ASIF_OK;
}

/* Add points near rows that the table serves badly, at the maximum. */
static asif_status serve(estimation *e, asif_error *error) {
    uint64_t before = e->fit->atoms.count;
    if (!e->request->again)
        ASIF_TRY(asif_population_serve(e->fit, e->request->most_points, error));
    if (e->fit->atoms.count == before)
        return ASIF_OK;
    e->fit->rounds++;
    return evaluate_new(e, before, error);
}

/* Climb from e->phi, on a table that grows until it is fine enough for what is found: first near rows that it
 * serves badly, then around the population. */
static asif_status climb(estimation *e, asif_error *error) {
    asif_population_fit *fit = e->fit;
    for (bool served = false;; served = true) {
        ASIF_TRY(find_maximum(e, error));
        fit->usable =
            fit->effective >= ASIF_POPULATION_EFFECTIVE && fit->worst_error <= ASIF_POPULATION_ERROR;
        uint64_t more = room_for(e, fit->atoms.count); /* twice as many */
        if (fit->usable || !more)
            return ASIF_OK;
        follow(e, fit->maximum);
        uint64_t before = fit->atoms.count;
        if (!served)
            ASIF_TRY(serve(e, error));
        if (fit->atoms.count == before)
            ASIF_TRY(more_points(e, more, error));
    }
}

/* ---- kinds ---- */

static asif_status set_kinds(estimation *e, uint32_t kinds, asif_error *error) {
    e->fit->population.kinds = kinds;
    e->fit->numbers = asif_population_numbers(&e->fit->population);
    e->fit->known = false;
    return open_work(e, error);
}

/* The best population that is found from dividing each kind along each coordinate is the start of one with
 * one kind more: e->phi. */
static asif_status find_start(estimation *e, asif_error *error) {
    asif_normal_population before = e->fit->population;
    uint32_t kinds = asif_kinds(&before);
    double most = -INFINITY, value, phi[ASIF_POPULATION_NUMBERS];
    memcpy(e->best[kinds - 1], e->fit->maximum, e->fit->numbers * sizeof *phi);
    ASIF_TRY(set_kinds(e, kinds + 1, error));
    for (uint32_t k = 0; k < kinds; k++)
        for (uint32_t i = 0; i < before.base->dimension; i++) {
            asif_kinds_split(&before, e->best[kinds - 1], k, i, phi);
            ASIF_TRY(asif_population_search(e->fit, &e->work, phi, TRIED, &value, error));
            if (value > most || (k == 0 && i == 0)) {
                most = value;
                memcpy(e->phi, phi, e->fit->numbers * sizeof *phi);
            }
        }
    return ASIF_OK;
}

/* Score the first `kinds` numbers of kinds on the table as it is now; the population stays as it is. */
static asif_status score_kinds(estimation *e, uint32_t kinds, asif_error *error) {
    asif_population_fit *fit = e->fit;
    uint32_t now = asif_kinds(&fit->population);
    for (uint32_t k = 1; k <= kinds; k++) {
        asif_kinds_score *s = &fit->score[k - 1];
        double value;
        ASIF_TRY(set_kinds(e, k, error));
        ASIF_TRY(asif_population_search(fit, &e->work, e->best[k - 1], TRIED, &value, error));
        s->numbers = fit->numbers;
        s->log_marginal = asif_marginal_at(&e->work, e->best[k - 1], NULL);
        s->score = s->log_marginal - s->numbers * log(fit->marginal.units) / 2;
    }
    fit->scored = kinds;
    return set_kinds(e, now, error);
}

/* Try one kind more, with some points around it, and keep it where that is better. */
static asif_status try_more(estimation *e, bool *better, asif_error *error) {
    asif_population_fit *fit = e->fit;
    uint32_t kinds = asif_kinds(&fit->population);
    double value;
    ASIF_TRY(find_start(e, error));
    uint64_t more = room_for(e, e->request->points);
    if (more)
        ASIF_TRY(more_points(e, more, error));
    ASIF_TRY(asif_population_search(fit, &e->work, e->phi, TRIED, &value, error));
    memcpy(e->best[kinds], e->phi, fit->numbers * sizeof *e->phi);
    ASIF_TRY(score_kinds(e, kinds + 1, error));
    *better = fit->score[kinds].score > fit->score[kinds - 1].score;
    if (!*better)
        ASIF_TRY(set_kinds(e, kinds, error));
    memcpy(e->phi, e->best[*better ? kinds : kinds - 1], fit->numbers * sizeof *e->phi);
    return climb(e, error);
}

/* As many kinds as describe the units best. */
static asif_status find_kinds(estimation *e, asif_error *error) {
    bool better = true;
    while (better && e->fit->usable && asif_kinds(&e->fit->population) < e->request->kinds)
        ASIF_TRY(try_more(e, &better, error));
    if (e->request->decided)
        e->request->decided(e->request->decider, asif_kinds(&e->fit->population));
    return ASIF_OK;
}

/* Score them all again, on the last table. */
static asif_status finish_kinds(estimation *e, asif_error *error) {
    asif_population_fit *fit = e->fit;
    if (!fit->scored)
        return ASIF_OK;
    memcpy(e->best[asif_kinds(&fit->population) - 1], fit->maximum, fit->numbers * sizeof(double));
    return score_kinds(e, fit->scored, error);
}

/* ---- all of it ---- */

/* Rounds of points that follow EM, until it has settled. */
static asif_status approach(estimation *e, asif_error *error) {
    const asif_population_request *r = e->request;
    ASIF_TRY(first_points(e, error));
    ASIF_TRY(settle(e, error));
    for (uint32_t round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || !e->settled); round++) {
        uint64_t more = room_for(e, r->points);
        if (!more)
            break;
        ASIF_TRY(more_points(e, more, error));
        ASIF_TRY(settle(e, error));
    }
    return ASIF_OK;
}

/* The table and the maximum of the pilot. */
static asif_status take_over(estimation *e, asif_error *error) {
    asif_population_fit *fit = e->fit, *pilot = e->request->from;
    asif_atoms_close(&fit->atoms);
    fit->atoms = pilot->atoms;
    pilot->atoms = (asif_atoms){0};
    fit->rounds = pilot->rounds;
    memcpy(e->phi, pilot->maximum, fit->numbers * sizeof *e->phi);
    fit->known = pilot->known && pilot->numbers == fit->numbers;
    for (uint64_t i = 0; fit->known && i < (uint64_t)fit->numbers * fit->numbers; i++)
        fit->covariance[i] = pilot->covariance[i] * pilot->units / fit->units;
    e->climbed = true;
    return evaluate_new(e, 0, error);
}

/* The table of another fit, and its maximum; effects begin with 0. */
static asif_status take_again(estimation *e, asif_error *error) {
    asif_population_fit *fit = e->fit;
    const asif_population_fit *again = e->request->again;
    memset(e->phi, 0, fit->numbers * sizeof *e->phi);
    memcpy(e->phi, again->maximum, asif_population_first_effect(&fit->population) * sizeof *e->phi);
    e->climbed = true;
    return open_work(e, error);
}

static asif_status begin(estimation *e, asif_error *error) {
    if (e->request->again)
        return take_again(e, error);
    return e->request->from ? take_over(e, error) : approach(e, error);
}

static asif_status run(estimation *e, asif_error *error) {
    asif_population_fit *fit = e->fit;
    ASIF_TRY(begin(e, error));
    if (e->request->pilot)
        return asif_population_climb(fit, &e->work, e->phi, error);
    ASIF_TRY(climb(e, error));
    ASIF_TRY(find_kinds(e, error));
    if (fit->usable)
        ASIF_TRY(serve(e, error));
    if (fit->usable)
        ASIF_TRY(cover_posterior(e, error));
    if (fit->usable && fit->worst_error > ASIF_POPULATION_ERROR)
        ASIF_TRY(climb(e, error));
    if (fit->usable)
        ASIF_TRY(draw(e, error));
    return fit->usable ? finish_kinds(e, error) : ASIF_OK;
}

asif_status asif_population_estimate(asif_population_fit *out, const asif_context *context,
                                     const asif_population_request *request, asif_error *error) {
    uint64_t d = request->base->dimension;
    *out = (asif_population_fit){.context = context, .khat = NAN, .kish = NAN, .least_effective = NAN};
    if (d == 0 || d > ASIF_POPULATION_MOST)
        return asif_fail(error, ASIF_EDOMAIN, "a population has 1 to %d numbers for each unit, not %u",
                         ASIF_POPULATION_MOST, (unsigned)d);
    if (request->kinds > ASIF_KINDS_MOST || (request->kinds > 1 && request->effects))
        return asif_fail(error, ASIF_EDOMAIN, "a population has at most %d kinds, and 1 with covariates",
                         ASIF_KINDS_MOST);
    estimation e = {.fit = out, .request = request};
    asif_marginal_open(&out->marginal, context, &out->atoms, request->rows, request->times);
    if (request->again) {
        out->borrowed = true;
        out->atoms = request->again->atoms;
        out->marginal.blocks = request->again->marginal.blocks;
        out->marginal.block = request->again->marginal.block;
    } else {
        asif_atoms_open(&out->atoms, context, request->base, request->seed);
    }
    out->units = out->marginal.units;
    asif_population_place(&out->population, request->base, request->correlated);
    if (request->effects)
        ASIF_TRY(take_covariates(out, request, error));
    out->numbers = asif_population_numbers(&out->population);
    uint64_t n = out->numbers + (uint64_t)(request->kinds > 1 ? request->kinds - 1 : 0) * (d + 1);
    out->maximum = ASIF_ARRAY(context, n, double);
    out->covariance = ASIF_ARRAY(context, n * n, double);
    out->table_error = ASIF_ARRAY(context, n, double);
    bool room = out->maximum && out->covariance && out->table_error;
    asif_status status = room ? run(&e, error) : asif_fail_memory(error);
    asif_marginal_work_close(&e.work);
    return status;
}

void asif_population_fit_close(asif_population_fit *fit) {
    void *const arrays[] = {fit->maximum, fit->covariance, fit->table_error, fit->phi, fit->carried};
    for (size_t i = 0; fit->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(fit->context, arrays[i]);
    asif_draws_free(fit->draws);
    asif_covariates_close(&fit->covariates);
    if (!fit->borrowed) {
        asif_marginal_close(&fit->marginal);
        asif_atoms_close(&fit->atoms);
    }
    *fit = (asif_population_fit){0};
}
