#include "sample/population/units/weigh.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "sample/ridge/weighted.h"

#include <math.h>
#include <string.h>

#define LEAST (-700.)   /* smaller log-likelihoods, over the largest, count as this */
#define NEGLIGIBLE 1e-4 /* share of the weight that may be left out where the tail is judged */
enum { ABREAST = ASIF_WEIGHED_TOGETHER };

/* ---- what all units share ---- */

static asif_status fill_density(asif_weighing *w, const asif_atoms *atoms, const asif_normal_population *p,
                                const double *phi, asif_error *error) {
    uint32_t n = asif_population_numbers(p);
    asif_densities densities;
    double plain[ASIF_POPULATION_NUMBERS], unused, *row = ASIF_ARRAY(w->context, w->points, double);
    asif_status status = asif_densities_open(&densities, w->context, atoms, p, error);
    if (status == ASIF_OK && !row)
        status = asif_fail_memory(error);
    for (uint64_t k = 0; status == ASIF_OK && k < w->draws; k++)
        asif_kinds_shares(p, phi + k * n, w->share + k * w->kinds);
    for (uint64_t k = 0; status == ASIF_OK && k < w->draws * w->kinds; k++) {
        asif_kinds_plain(p, phi + k / w->kinds * n, (uint32_t)(k % w->kinds), plain);
        asif_densities_at(&densities, plain, row);
        w->sum[k] = asif_densities_sum(&densities, row, &unused);
        asif_single(w->density + k * w->points, row, w->points);
    }
    asif_densities_close(&densities);
    asif_free(w->context, row);
    return status;
}

/* The populations alone: densities are those of a unit. */
static asif_status fill_populations(asif_weighing *w, const asif_atoms *atoms,
                                    const asif_normal_population *p, const double *phi, asif_error *error) {
    uint64_t n = asif_population_numbers(p);
    w->phi = ASIF_ARRAY(w->context, w->draws * n, double);
    w->at = ASIF_ARRAY(w->context, w->draws, asif_single_population);
    if (!w->phi || !w->at)
        return asif_fail_memory(error);
    memcpy(w->phi, phi, w->draws * n * sizeof *phi);
    for (uint64_t k = 0; k < w->draws; k++)
        asif_single_population_at(&w->at[k], p, w->phi + k * n);
    return asif_single_points_open(&w->single, w->context, atoms, p, error);
}

static asif_status fill_values(asif_weighing *w, const asif_weighing_request *r, asif_error *error) {
    const double *x = r->atoms->x;
    double *row = ASIF_ARRAY(w->context, w->numbers, double);
    if (!row)
        return asif_fail_memory(error);
    for (uint64_t a = 0; a < w->points; a++) {
        for (uint64_t i = 0; i < w->dimension; i++)
            w->column[i * w->points + a] = x[a * w->dimension + i];
        r->report(r->user, x + a * w->dimension, row);
        for (uint32_t k = 0; k < w->numbers; k++)
            w->value[k * w->points + a] = row[k];
    }
    asif_free(w->context, row);
    for (uint32_t k = 0; k < w->numbers; k++) {
        asif_ranked *order = asif_rank(w->context, w->value + k * w->points, w->points);
        if (!order)
            return asif_fail_memory(error);
        for (uint64_t a = 0; a < w->points; a++)
            w->order[k * w->points + a] = (uint32_t)order[a].index;
        asif_free(w->context, order);
    }
    return ASIF_OK;
}

asif_status asif_weighing_open(asif_weighing *w, const asif_context *context,
                               const asif_weighing_request *request, asif_error *error) {
    const asif_atoms *atoms = request->atoms;
    const asif_normal_population *population = request->population;
    uint64_t kinds = asif_kinds(population), numbers = request->numbers,
             shared = population->effects ? 0 : request->draws * kinds;
    *w = (asif_weighing){.context = context,
                         .shifted = population->effects > 0,
                         .points = atoms->count,
                         .numbers = request->numbers,
                         .dimension = atoms->base->dimension,
                         .draws = request->draws,
                         .kinds = (uint32_t)kinds,
                         .column = ASIF_ARRAY(context, atoms->base->dimension * atoms->count, double),
                         .value = ASIF_ARRAY(context, numbers * atoms->count, double),
                         .order = ASIF_ARRAY(context, numbers * atoms->count, uint32_t),
                         .density = ASIF_ARRAY(context, shared * atoms->count, float),
                         .sum = ASIF_ARRAY(context, shared, double),
                         .share = ASIF_ARRAY(context, shared, double)};
    if (atoms->count > UINT32_MAX)
        return asif_fail(error, ASIF_EDOMAIN, "a table of points has at most 4,294,967,295 of them");
    if (!w->column || !w->value || !w->order || !w->density || !w->sum || !w->share)
        return asif_fail_memory(error);
    ASIF_TRY(population->effects ? fill_populations(w, atoms, population, request->phi, error)
                                 : fill_density(w, atoms, population, request->phi, error));
    return fill_values(w, request, error);
}

void asif_weighing_close(asif_weighing *w) {
    if (w->context) {
        asif_free(w->context, w->column);
        asif_free(w->context, w->value);
        asif_free(w->context, w->order);
        asif_free(w->context, w->density);
        asif_free(w->context, w->sum);
        asif_free(w->context, w->share);
        asif_free(w->context, w->phi);
        asif_free(w->context, w->at);
        asif_single_points_close(&w->single);
    }
    *w = (asif_weighing){0};
}

bool asif_weighing_room_open(asif_weighing_room *room, const asif_weighing *w) {
    room->weight = ASIF_ARRAY(w->context, w->points, double);
    room->log_weight = ASIF_ARRAY(w->context, w->points, double);
    room->smooth = ASIF_ARRAY(w->context, w->points, double);
    room->likelihood = ASIF_ARRAY(w->context, w->points, float);
    room->mixed = ASIF_ARRAY(w->context, w->points, float);
    room->own = ASIF_ARRAY(w->context, w->shifted ? ABREAST * w->points : 1, float);
    bool psis = asif_psis_open(&room->psis, w->context, 1, w->points);
    return room->weight && room->log_weight && room->smooth && room->likelihood && room->mixed && room->own &&
           psis;
}

void asif_weighing_room_close(asif_weighing_room *room, const asif_context *context) {
    asif_free(context, room->weight);
    asif_free(context, room->log_weight);
    asif_free(context, room->smooth);
    asif_free(context, room->likelihood);
    asif_free(context, room->mixed);
    asif_free(context, room->own);
    if (room->psis.context)
        asif_psis_close(&room->psis);
    *room = (asif_weighing_room){0};
}

/* ---- one unit ---- */

/* The densities of draws [first, first + count) for a unit with covariates z, and their sums. */
static const float *densities_of(const asif_weighing *w, asif_weighing_room *room, const double *z,
                                 uint32_t first, uint32_t count, double *sum) {
    double unused;
    if (!w->shifted) {
        memcpy(sum, w->sum + first, count * sizeof *sum);
        return w->density + first * w->points;
    }
    for (uint32_t k = 0; k < count; k++)
        sum[k] = asif_single_weights(room->own + k * w->points, &unused, &w->single, &w->at[first + k], z,
                                     w->single.plus);
    return room->own;
}

/* The density of one draw over the unit's likelihood under it is added to `mixed`, and the probability of
 * each kind to `kind`; the likelihood is returned, 0 where this draw does not allow what the unit did. Of the
 * kinds of the draw: `density` [kinds][points], its sums and shares, and `z`, the products with the
 * likelihood. */
static double add_draw(const asif_weighing *w, asif_weighing_room *room, const float *density,
                       const double *sum, const double *share, const double *z, double *kind) {
    double own[ASIF_KINDS_MOST], all = 0;
    bool possible = false;
    for (uint32_t k = 0; k < w->kinds; k++) {
        double over_largest = z[k] / (ASIF_SINGLE_SCALE * ASIF_SINGLE_SCALE);
        own[k] = share ? share[k] * over_largest / sum[k] : over_largest / sum[k];
        possible = possible || over_largest > ASIF_LEAST_LIKELIHOOD;
        all += own[k];
    }
    if (!possible || !(all > 0))
        return 0;
    for (uint32_t k = 0; k < w->kinds; k++) {
        double part = share ? share[k] / (sum[k] * all) : 1 / (sum[k] * all);
        kind[k] += own[k] / all;
        if (own[k] > 0)
            w->context->simd->axpy_single(room->mixed, (float)(part / ASIF_SINGLE_SCALE),
                                          density + k * w->points, w->points);
    }
    return all;
}

/* The mean over draws of the populations' densities, each over the unit's likelihood under it, as `mixed`; a
 * draw that does not allow what the unit did, on this table, does not count there. The mean of the
 * likelihoods is returned. */
static double mix(asif_unit_info *info, const asif_weighing *w, asif_weighing_room *room,
                  const double *covariates) {
    double z[ABREAST] = {0}, sum[ABREAST] = {0}, kind[ASIF_KINDS_MOST] = {0}, likelihood = 0;
    uint32_t counted = 0, at_once = ABREAST / w->kinds;
    memset(room->mixed, 0, w->points * sizeof *room->mixed);
    for (uint32_t first = 0; first < w->draws; first += at_once) {
        uint32_t here = w->draws - first < at_once ? w->draws - first : at_once;
        const float *density = densities_of(w, room, covariates, first * w->kinds, here * w->kinds, sum);
        w->context->simd->dots_single(z, room->likelihood, 0, 1, density, w->points, here * w->kinds,
                                      w->points);
        for (uint32_t k = 0; k < here; k++) {
            double own = add_draw(w, room, density + (uint64_t)k * w->kinds * w->points, sum + k * w->kinds,
                                  w->shifted ? NULL : w->share + (uint64_t)(first + k) * w->kinds,
                                  z + k * w->kinds, kind);
            likelihood += own;
            counted += own > 0;
        }
    }
    for (uint32_t k = 0; k < w->kinds; k++)
        info->kind[k] = counted ? (float)(kind[k] / counted) : 0;
    return likelihood / w->draws;
}

/* Several sums side by side: alone, each step would wait for the one before. */
enum { SIDE = 4 };

static double sum_of(const double *x, uint64_t n) {
    double sum[SIDE] = {0};
    uint64_t a = 0;
    for (; a + SIDE <= n; a += SIDE)
        for (uint64_t k = 0; k < SIDE; k++)
            sum[k] += x[a + k];
    for (; a < n; a++)
        sum[0] += x[a];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Normalised weights: the mean over draws of the posteriors given each. */
static bool fill_weights(asif_unit_info *info, const asif_weighing *w, asif_weighing_room *room,
                         const double *log_likelihood, const double *z) {
    const asif_simd *simd = w->context->simd;
    double top = asif_largest(log_likelihood, w->points);
    if (!isfinite(top))
        return false;
    for (uint64_t a = 0; a < w->points; a++)
        room->weight[a] = log_likelihood[a] - top > LEAST ? log_likelihood[a] - top : LEAST;
    simd->exp(room->weight, room->weight, w->points);
    asif_single(room->likelihood, room->weight, w->points);
    double likelihood = mix(info, w, room, z);
    if (likelihood <= 0)
        return false;
    info->log_likelihood = top + log(likelihood);
    for (uint64_t a = 0; a < w->points; a++)
        room->weight[a] *= (double)room->mixed[a];
    double scale = 1 / sum_of(room->weight, w->points);
    for (uint64_t a = 0; a < w->points; a++)
        room->weight[a] *= scale;
    info->effective = 1 / simd->dot(room->weight, room->weight, w->points);
    return true;
}

/* The shape of the weights' tail. Points that matter to others only are left out: a tail has a length that
 * grows with the number of points, and would else reach down to them where units share a large table. */
static double tail_shape(const asif_weighing *w, asif_weighing_room *room) {
    asif_psis_room psis = room->psis;
    double least = NEGLIGIBLE / (double)w->points;
    psis.draws = 0;
    for (uint64_t a = 0; a < w->points; a++)
        if (room->weight[a] > least)
            room->log_weight[psis.draws++] = room->weight[a];
    w->context->simd->log(room->log_weight, room->log_weight, psis.draws);
    return asif_psis_smooth(&psis, room->log_weight, 1, room->smooth);
}

/* The value in ascending order at which the weight passes a share, between neighbours by the middle of
 * their weights. */
static void fill_quantiles(asif_unit_number *out, const asif_weighing *w, uint32_t k, const double *weight) {
    static const double shares[3] = {.05, .5, .95};
    double *const to[3] = {&out->q05, &out->q50, &out->q95};
    const double *value = w->value + k * w->points;
    const uint32_t *order = w->order + k * w->points;
    double below = 0, last_at = 0, last = value[order[0]];
    uint32_t q = 0;
    for (uint64_t i = 0; i < w->points && q < 3; i++) {
        double here = weight[order[i]], at = below + here / 2, v = value[order[i]];
        for (; q < 3 && shares[q] <= at; q++)
            *to[q] =
                at > last_at && last_at > 0 ? last + (v - last) * (shares[q] - last_at) / (at - last_at) : v;
        below += here;
        if (here > 0) {
            last_at = at;
            last = v;
        }
    }
    for (; q < 3; q++)
        *to[q] = last;
}

/* Weight times difference from the mean, of a column whose mean is returned. */
static double differ(double *out, const asif_weighing *w, const double *weight, const double *column) {
    const asif_simd *simd = w->context->simd;
    double mean = simd->dot(weight, column, w->points);
    memset(out, 0, w->points * sizeof *out);
    simd->add_product(out, 1, weight, column, w->points);
    simd->axpy(out, -mean, weight, w->points);
    return mean;
}

void asif_weighted_moments(double *mean, double *covariance, const asif_weighing *w,
                           asif_weighing_room *room) {
    uint64_t d = w->dimension;
    for (uint64_t i = 0; i < d; i++) {
        mean[i] = differ(room->smooth, w, room->weight, w->column + i * w->points);
        for (uint64_t j = 0; j <= i; j++)
            covariance[i * d + j] = covariance[j * d + i] =
                w->context->simd->dot(room->smooth, w->column + j * w->points, w->points);
    }
}

void asif_weigh(asif_unit_number *number, asif_unit_info *info, double *mean, double *covariance,
                const asif_weighing *w, asif_weighing_room *room, const double *log_likelihood,
                const double *z) {
    *info = (asif_unit_info){.log_likelihood = -INFINITY, .khat = INFINITY};
    if (!fill_weights(info, w, room, log_likelihood, z)) {
        for (uint32_t k = 0; k < w->numbers; k++)
            number[k] = (asif_unit_number){NAN, NAN, NAN, NAN, NAN};
        return;
    }
    for (uint32_t k = 0; k < w->numbers; k++) {
        const double *value = w->value + k * w->points;
        number[k].mean = differ(room->smooth, w, room->weight, value);
        number[k].sd = sqrt(fmax(w->context->simd->dot(room->smooth, value, w->points), 0));
        fill_quantiles(&number[k], w, k, room->weight);
    }
    if (mean)
        asif_weighted_moments(mean, covariance, w, room);
    info->khat = tail_shape(w, room);
    info->served = info->effective >= ASIF_SERVED_EFFECTIVE && info->khat < ASIF_SERVED_KHAT;
}
