#include "sample/ridge/ridge.h"

#include "base/error.h"
#include "base/memory.h"
#include "sample/evaluate_many.h"
#include "sample/psis.h"
#include "sample/ridge/beyond.h"
#include "sample/ridge/correct.h"
#include "sample/ridge/mixture.h"
#include "sample/ridge/sobol.h"
#include "sample/ridge/weighted.h"

#include <math.h>
#include <string.h>

#define POINTS 4096 /* points of a round */
#define MOST_POINTS ((uint64_t)1 << 24)
#define ROUNDS 4
#define MOST_ROUNDS 8    /* with those for what was missed */
#define ENOUGH_K 0.55    /* no further round is needed below this shape k */
#define ENOUGH_KISH 0.35 /* and above this effective sample size over the number of points */
#define WIDE_SHARE 0.02  /* share of points from a wide component, which covers what the ridges miss */
#define WIDE_SPREAD 1.0  /* scales: standard deviation of the wide component */
#define INSIDE 9.0 /* a maximum lies inside the proposal at less than this squared distance from a ridge */
#define SAME_RIDGE 4.0 /* a maximum needs no ridge of its own at less than this squared distance */
#define MOST_RIDGES 16
#define MOST_LOST 16 /* places where walks lost a ridge: if there are more, the proposal is not trusted */

typedef struct {
    const asif_context *context;
    const asif_ridge_request *request;
    asif_ridge_info *info;
    uint32_t n;
    uint64_t points, capacity; /* points of a round, and room for those of all rounds */
    uint32_t rounds;
    asif_mixture mixture[MOST_ROUNDS + 1]; /* the last one is not drawn from */
    double *xi;                            /* [capacity][n] */
    double *density;                       /* [capacity]: sum of the densities of the mixtures */
    double *room;                          /* [capacity]: scratch */
    asif_weighted all;                     /* all points so far */
    uint32_t lost;                         /* places where walks lost a ridge */
    asif_place lost_at[MOST_LOST];         /* the first of them */
    asif_climbs climbs;                    /* around them */
} run;

/* ---- the proposal ---- */

static void scaled(const run *r, const double *x, double *xi) {
    for (uint32_t i = 0; i < r->n; i++)
        xi[i] = x[i] / r->request->scale[i];
}

static void note_lost(run *r, const asif_ridge *ridge) {
    for (uint32_t k = 0; k < ridge->lost; k++, r->lost++)
        if (r->lost < MOST_LOST)
            r->lost_at[r->lost] = ridge->lost_at[k];
}

/* Covariance [n][n] from the curvature at a point x, not scaled. *inside: the density is positive there. */
static asif_status spread_at(run *r, const double *x, double *covariance, bool *inside, asif_error *error) {
    double curvature[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    asif_status status = asif_curvature(curvature, covariance, NULL, r->context, r->request->density, x,
                                        r->request->scale, error);
    *inside = status == ASIF_OK;
    return status == ASIF_EDOMAIN ? ASIF_OK : status;
}

/* Follow the ridge through a point x, not scaled, and add it to a mixture. *found: there is one. */
static asif_status add_ridge(run *r, asif_mixture *mixture, const double *x, const double *covariance,
                             bool *found, asif_error *error) {
    const asif_ridge_request *q = r->request;
    asif_ridge ridge;
    *found = false;
    asif_status status =
        asif_ridge_follow(&ridge, r->context, q->density, q->scale, x, covariance, found, error);
    if (status == ASIF_OK && *found)
        status = asif_mixture_add_ridge(mixture, &ridge, error);
    if (status == ASIF_OK && *found) {
        r->info->ridges++;
        note_lost(r, &ridge);
    }
    r->info->evaluations += ridge.evaluations;
    asif_ridge_free(&ridge);
    return status;
}

/* Follow the ridge from a maximum x, if there is one. */
static asif_status add_top(run *r, const double *x, asif_error *error) {
    double covariance[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    bool inside, found;
    ASIF_TRY(spread_at(r, x, covariance, &inside, error));
    return inside ? add_ridge(r, &r->mixture[0], x, covariance, &found, error) : ASIF_OK;
}

/* Make the first proposal: follow a ridge from every maximum that does not lie on one already. */
static asif_status propose(run *r, asif_error *error) {
    const asif_ridge_request *q = r->request;
    asif_mixture *m = &r->mixture[0];
    double xi[ASIF_RIDGE_MOST];
    asif_mixture_init(m, r->context, r->n);
    for (uint32_t i = 0; i < q->maxima && r->info->ridges < MOST_RIDGES; i++) {
        scaled(r, q->maximum + (uint64_t)i * r->n, xi);
        asif_mixture_finish(m);
        if (asif_mixture_distance(m, xi) > SAME_RIDGE)
            ASIF_TRY(add_top(r, q->maximum + (uint64_t)i * r->n, error));
    }
    if (m->count == 0)
        return asif_fail(error, ASIF_EDOMAIN,
                         "there is no ridge: the density has no maximum where it was sought");
    asif_mixture_finish(m);
    r->info->inside = true;
    for (uint32_t i = 0; i < q->maxima; i++) {
        scaled(r, q->maximum + (uint64_t)i * r->n, xi);
        r->info->inside = r->info->inside && asif_mixture_distance(m, xi) < INSIDE;
    }
    scaled(r, q->maximum, xi);
    ASIF_TRY(asif_mixture_add_wide(m, xi, WIDE_SPREAD, WIDE_SHARE, error));
    asif_mixture_finish(m);
    r->info->components = m->count;
    return ASIF_OK;
}

/* ---- points ---- */

/* Draw the points of a round, in the order of the ridges so that warm starts are near. */
static asif_status draw(run *r, asif_error *error) {
    const asif_mixture *m = &r->mixture[r->rounds];
    uint64_t n = r->n, from = r->all.count, seed = r->request->seed * ROUNDS + r->rounds;
    double u[ASIF_SOBOL_MOST];
    for (uint64_t i = 0; i < r->points; i++)
        r->room[i] = asif_sobol((uint32_t)i, 0, seed);
    asif_ranked *order = asif_rank(r->context, r->room, r->points);
    if (!order)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < r->points; i++) {
        double *xi = r->xi + (from + i) * n;
        for (uint32_t j = 0; j <= n; j++)
            u[j] = asif_sobol((uint32_t)order[i].index, j, seed);
        uint32_t k = asif_mixture_point(m, u, xi);
        r->all.place[from + i] = k + (u[0] - m->below[k]) / m->weight[k];
        for (uint64_t j = 0; j < n; j++)
            r->all.x[(from + i) * n + j] = xi[j] * r->request->scale[j];
    }
    asif_free(r->context, order);
    return ASIF_OK;
}

/* Compute the densities of the proposals: of new points under the old proposals, of all points under the new
 * one. */
static void propose_densities(run *r) {
    uint64_t n = r->n, from = r->all.count, to = from + r->points;
    for (uint64_t i = from; i < to; i++) {
        r->density[i] = 0;
        for (uint32_t k = 0; k < r->rounds; k++)
            r->density[i] += asif_mixture_density(&r->mixture[k], r->xi + i * n, NULL);
    }
    for (uint64_t i = 0; i < to; i++)
        r->density[i] += asif_mixture_density(&r->mixture[r->rounds], r->xi + i * n, NULL);
}

/* Compute smoothed weights of all points; 0 where the target density or the proposal is 0. */
static asif_status weigh(run *r, asif_error *error) {
    asif_weighted *p = &r->all;
    uint64_t inside = 0;
    for (uint64_t i = 0; i < p->count; i++)
        if (isfinite(p->value[i]) && r->density[i] > 0)
            r->room[inside++] = p->value[i] - log(r->density[i]);
    if (inside == 0)
        return asif_fail(error, ASIF_EDOMAIN, "the density is -inf at every point that was proposed");
    ASIF_TRY(asif_psis(r->room, &r->info->k, r->context, r->room, 1, inside, 1, error));
    inside = 0;
    for (uint64_t i = 0; i < p->count; i++)
        p->weight[i] = isfinite(p->value[i]) && r->density[i] > 0 ? exp(r->room[inside++]) : 0;
    r->info->kish = asif_weighted_kish(p);
    return ASIF_OK;
}

static asif_status go_round(run *r, asif_error *error) {
    const asif_ridge_request *q = r->request;
    uint64_t from = r->all.count;
    ASIF_TRY(draw(r, error));
    ASIF_TRY(asif_evaluate_many(r->all.value + from, r->context, q->density, q->densities,
                                r->all.x + from * r->n, r->points, "weighing points along the ridge", error));
    propose_densities(r);
    r->all.count += r->points;
    r->rounds++;
    r->info->evaluations += r->points;
    return weigh(r, error);
}

static double good_kish(const run *r) {
    return ASIF_GOOD_KISH * fmin(1, (double)r->points / POINTS);
}

static bool enough(const run *r) {
    double points = (double)r->all.count;
    return r->info->k < ENOUGH_K && r->info->kish >= fmax(good_kish(r), ENOUGH_KISH * points);
}

static void judge(const run *r) {
    asif_ridge_info *info = r->info;
    info->good = info->k < ASIF_GOOD_KHAT && info->kish >= good_kish(r) && info->inside;
}

/* Cover a point that the proposals miss by a mixture: with the ridge through it or, if there is none, by
 * itself. */
static asif_status cover(run *r, asif_mixture *mixture, const double *x, double value, asif_error *error) {
    uint32_t n = r->n;
    double covariance[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST], xi[ASIF_RIDGE_MOST];
    bool inside, found = false;
    scaled(r, x, xi);
    asif_mixture_finish(mixture);
    if (asif_mixture_distance(mixture, xi) < SAME_RIDGE)
        return ASIF_OK;
    ASIF_TRY(spread_at(r, x, covariance, &inside, error));
    if (inside && r->info->ridges < MOST_RIDGES)
        ASIF_TRY(add_ridge(r, mixture, x, covariance, &found, error));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            covariance[i * n + j] /= r->request->scale[i] * r->request->scale[j];
    return inside && !found ? asif_mixture_add_point(mixture, xi, covariance, value, error) : ASIF_OK;
}

/* Make the next proposal from the ends of climbs that the proposals miss. It has no components if there are
 * none. */
static asif_status propose_missed(run *r, asif_error *error) {
    const asif_weighing weighing = {r->request, &r->all, r->density, r->mixture, r->rounds};
    asif_mixture *next = &r->mixture[r->rounds];
    double limit;
    ASIF_TRY(asif_ridge_limit(&limit, r->context, &weighing, error));
    asif_mixture_init(next, r->context, r->n);
    for (uint64_t i = 0; i < r->climbs.count; i++) {
        const double *end = r->climbs.end + i * (r->n + 1ull);
        if (asif_ridge_log_weight(&weighing, end, end[r->n]) > limit)
            ASIF_TRY(cover(r, next, end, end[r->n], error));
    }
    asif_mixture_finish(next);
    return ASIF_OK;
}

/* Where walks lost the ridge, look whether the proposal misses a part of the density; if it does, add points
 * there and look again. If other things are bad already, it counts as missed. */
static asif_status look_beyond(run *r, asif_error *error) {
    asif_ridge_info *info = r->info;
    uint32_t looked = 0;
    bool missed = r->lost > 0;
    while (info->good && missed && r->lost <= MOST_LOST) {
        for (; looked < r->lost; looked++)
            ASIF_TRY(asif_climbs_add(&r->climbs, &info->evaluations, r->request->density, &r->lost_at[looked],
                                     error));
        ASIF_TRY(propose_missed(r, error));
        missed = r->mixture[r->rounds].count > 0;
        if (!missed || r->rounds == MOST_ROUNDS)
            break;
        ASIF_TRY(go_round(r, error));
        judge(r);
    }
    info->rounds = r->rounds;
    info->inside = info->inside && !missed;
    judge(r);
    return ASIF_OK;
}

/* The tails of both weights must be good. */
static asif_status correct(run *r, asif_error *error) {
    asif_ridge_info *info = r->info;
    asif_correction how;
    ASIF_TRY(asif_ridge_correct(&r->all, &how, r->context, r->request->exact, r->request->densities,
                                r->density, error));
    info->k = fmax(info->k, how.k);
    info->kish = how.kish;
    info->corrected = how.points;
    info->moved = how.moved;
    info->evaluations += how.points;
    return ASIF_OK;
}

static asif_status go_on(run *r, asif_error *error) {
    ASIF_TRY(go_round(r, error));
    while (r->rounds < ROUNDS && !enough(r)) {
        asif_mixture *next = &r->mixture[r->rounds];
        ASIF_TRY(asif_mixture_copy(next, &r->mixture[r->rounds - 1], error));
        ASIF_TRY(asif_mixture_adapt(next, r->xi, r->all.weight, r->all.count, r->info->kish, error));
        asif_mixture_finish(next);
        ASIF_TRY(go_round(r, error));
    }
    r->info->rounds = r->rounds;
    judge(r);
    ASIF_TRY(look_beyond(r, error));
    if (!r->request->exact || !r->info->good)
        return ASIF_OK;
    ASIF_TRY(correct(r, error));
    judge(r);
    return ASIF_OK;
}

/* ---- the whole calculation ---- */

static asif_status check(const asif_ridge_request *q, asif_error *error) {
    if (q->chains == 0 || q->draws == 0 || q->maxima == 0)
        return asif_fail(error, ASIF_EDOMAIN, "draws along a ridge need a maximum, a chain and a draw");
    if (q->points > MOST_POINTS)
        return asif_fail(error, ASIF_EDOMAIN, "a round has at most %llu points, not %llu",
                         (unsigned long long)MOST_POINTS, (unsigned long long)q->points);
    if (!q->density->has_gradient) {
        asif_fail(error, ASIF_EUNSUPPORTED, "the density has no gradient, which ridge needs");
        asif_error_hint(error, "use metropolis");
        return ASIF_EUNSUPPORTED;
    }
    if (q->density->dimension > ASIF_RIDGE_MOST) {
        asif_fail(error, ASIF_EUNSUPPORTED, "the method ridge takes at most %d dimensions, not %u",
                  ASIF_RIDGE_MOST, q->density->dimension);
        asif_error_hint(error, "use nuts");
        return ASIF_EUNSUPPORTED;
    }
    return ASIF_OK;
}

static asif_status reserve(run *r, asif_error *error) {
    const asif_context *c = r->context;
    r->points = r->request->points ? r->request->points : POINTS;
    r->capacity = MOST_ROUNDS * r->points;
    r->xi = ASIF_ARRAY(c, 2 * r->capacity * r->n, double);
    r->density = ASIF_ARRAY(c, 5 * r->capacity, double);
    if (!r->xi || !r->density)
        return asif_fail_memory(error);
    r->room = r->density + r->capacity;
    r->all = (asif_weighted){.n = r->n,
                             .x = r->xi + r->capacity * r->n,
                             .value = r->room + r->capacity,
                             .weight = r->room + 2 * r->capacity,
                             .place = r->room + 3 * r->capacity};
    return ASIF_OK;
}

asif_status asif_ridge_sample(asif_draws **out, asif_ridge_info *info, const asif_context *context,
                              const asif_ridge_request *request, asif_error *error) {
    *out = NULL;
    *info = (asif_ridge_info){.k = INFINITY};
    ASIF_TRY(check(request, error));
    run r = {.context = context, .request = request, .info = info, .n = request->density->dimension};
    r.climbs = (asif_climbs){.context = context, .n = r.n};
    asif_status status = reserve(&r, error);
    if (status == ASIF_OK)
        status = propose(&r, error);
    if (status == ASIF_OK)
        status = go_on(&r, error);
    if (status == ASIF_OK)
        status = asif_weighted_judge(info, context, &r.all, request->density, error);
    if (status == ASIF_OK)
        status = asif_weighted_resample(out, context, &r.all, request, error);
    if (status == ASIF_OK) {
        asif_draws_view *view = &(*out)->view;
        view->khat = info->k;
        view->kish = info->kish;
        view->evaluations = info->evaluations;
        view->inside = info->inside;
    }
    for (uint32_t k = 0; k <= MOST_ROUNDS; k++)
        asif_mixture_free(&r.mixture[k]);
    asif_climbs_free(&r.climbs);
    asif_free(context, r.xi);
    asif_free(context, r.density);
    if (status != ASIF_OK)
        asif_ridge_info_free(info, context);
    return status;
}
