#include "sample/population/units/own.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define ROUNDS 6
/* Points where the likelihood is this far below the largest have no weight; further ones are kept only where
 * there are fewer than LEAST. */
#define FAR (-80.)
#define LEAST 512
/* Effective points from which a covariance is known. Of fewer, it is that of the posterior with its weights
 * to a power, which is wider: so points close in on a narrow posterior from round to round. */
#define ENOUGH 64
#define HALVINGS 40 /* of the interval in which the power is */
/* Log-density of points that no unit of the population is near, over the largest. */
#define NOT_OF_ALL (-200.)
#define POINTS 512 /* of a round */
#define WIDER 2.   /* covariance of new points, over the unit's own */

/* The table of one unit: points that matter to it, and its own. */
typedef struct {
    const asif_own_request *request;
    asif_atoms atoms;
    double *value; /* log-likelihoods */
    asif_weighing weighing;
    asif_weighing_room room;
} own_table;

/* ---- points that matter ---- */

static uint64_t count_within(const double *x, uint64_t n, double limit) {
    uint64_t count = 0;
    for (uint64_t a = 0; a < n; a++)
        count += x[a] > limit;
    return count;
}

/* Of several kinds all points matter, and for the unit's likelihood: both need the sums over the table. */
static asif_status choose(own_table *t, const double *log_likelihood, asif_error *error) {
    const asif_weighing_request *r = t->request->weighed;
    uint64_t n = r->atoms->count, count = 0, *chosen = ASIF_ARRAY(t->request->context, n, uint64_t);
    double top = asif_largest(log_likelihood, n), far = FAR;
    if (!chosen)
        return asif_fail_memory(error);
    while (far > -1e6 && count_within(log_likelihood, n, top + far) < LEAST)
        far *= 2;
    for (uint64_t a = 0; a < n; a++)
        if (t->request->whole || asif_kinds(r->population) > 1 || log_likelihood[a] > top + far) {
            t->value[count] = log_likelihood[a];
            chosen[count++] = a;
        }
    asif_status status = asif_atoms_choose(&t->atoms, r->atoms, chosen, count, error);
    asif_free(t->request->context, chosen);
    return status;
}

/* ---- weights ---- */

static void close_weighing(own_table *t) {
    asif_weighing_room_close(&t->room, t->request->context);
    asif_weighing_close(&t->weighing);
}

/* Weigh the table as it is. */
static asif_status weigh(own_table *t, asif_unit_number *number, asif_unit_info *info, const double *z,
                         asif_error *error) {
    asif_weighing_request own = *t->request->weighed;
    own.atoms = &t->atoms;
    close_weighing(t);
    ASIF_TRY(asif_weighing_open(&t->weighing, t->request->context, &own, error));
    if (!asif_weighing_room_open(&t->room, &t->weighing))
        return asif_fail_memory(error);
    asif_weigh(number, info, NULL, NULL, &t->weighing, &t->room, t->value, z);
    return ASIF_OK;
}

/* The weights to a power, normalised, and their effective number. */
static double temper(const own_table *t, const double *log_weight, double power, double *weight) {
    const asif_simd *simd = t->request->context->simd;
    uint64_t n = t->atoms.count;
    double sum = 0, top = asif_largest(log_weight, n);
    for (uint64_t a = 0; a < n; a++)
        weight[a] = fmax(power * (log_weight[a] - top), -700);
    simd->exp(weight, weight, n);
    for (uint64_t a = 0; a < n; a++)
        sum += weight[a];
    for (uint64_t a = 0; a < n; a++)
        weight[a] /= sum;
    return 1 / simd->dot(weight, weight, n);
}

/* The mean and covariance of the weighted points, with ENOUGH of them effective if there can be. */
static void find_moments(own_table *t, double effective, double *mean, double *covariance) {
    uint64_t n = t->atoms.count;
    double low = 0, high = 1, top = asif_largest(t->value, n), *log_weight = t->room.log_weight,
           *weight = t->room.weight;
    for (uint64_t a = 0; a < n; a++) /* weights themselves are too small to tell far points apart */
        log_weight[a] =
            t->value[a] - top + (t->room.mixed[a] > 0 ? log((double)t->room.mixed[a]) : NOT_OF_ALL);
    for (int k = 0; effective < ENOUGH && k < HALVINGS; k++) {
        double power = (low + high) / 2;
        bool few = temper(t, log_weight, power, weight) < ENOUGH;
        *(few ? &high : &low) = power;
    }
    if (effective < ENOUGH)
        temper(t, log_weight, low, weight);
    asif_weighted_moments(mean, covariance, &t->weighing, &t->room);
}

/* ---- rounds ---- */

/* `added` is false where the points so far lie in a plane, so that they have no covariance. */
static asif_status add_points(own_table *t, const asif_unit_info *info, bool *added, asif_error *error) {
    uint64_t before = t->atoms.count, d = t->atoms.base->dimension;
    double mean[ASIF_POPULATION_MOST], covariance[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST];
    find_moments(t, info->effective, mean, covariance);
    for (uint64_t i = 0; i < d * d; i++)
        covariance[i] *= WIDER;
    asif_status status = asif_atoms_add(&t->atoms, POINTS, mean, covariance, error);
    *added = status == ASIF_OK;
    if (status == ASIF_EDOMAIN) {
        asif_error_clear(error);
        return ASIF_OK;
    }
    ASIF_TRY(status);
    return t->request->evaluate(t->request->user, t->atoms.x + before * d, POINTS, t->value + before, error);
}

asif_status asif_weigh_own(asif_unit_number *number, asif_unit_info *info, const asif_own_request *r,
                           const double *log_likelihood, const double *z, asif_error *error) {
    own_table t = {.request = r};
    t.value = ASIF_ARRAY(r->context, r->weighed->atoms->count + ROUNDS * POINTS, double);
    asif_status status = t.value ? choose(&t, log_likelihood, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = weigh(&t, number, info, z, error);
    bool more = true;
    for (int round = 0; round < ROUNDS && more && status == ASIF_OK; round++) {
        if ((info->served && info->effective >= r->wanted) || !isfinite(info->log_likelihood))
            break;
        status = add_points(&t, info, &more, error);
        if (status == ASIF_OK && more)
            status = weigh(&t, number, info, z, error);
    }
    close_weighing(&t);
    asif_atoms_close(&t.atoms);
    asif_free(r->context, t.value);
    return status;
}
