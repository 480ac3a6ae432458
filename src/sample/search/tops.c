#include "sample/search/tops.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define INNER 15               /* points on the segment between two maxima */
#define FALL 0.5               /* nats: a path may fall this far below the lower maximum */
#define SAME_PLACE 0.5         /* standard deviations: a point this near to a top belongs to it */
#define HIGHER 1e-3            /* nats: a point has to be higher by this much to replace a top */
#define ROUGH 0.01             /* nats: precision of the climbs along a path */
#define MOST_EVALUATIONS 10000 /* for each climb */
#define MOST_ACROSS 1000       /* for each climb in a hyperplane */
#define TOL 1e-9

/* ---- memory ---- */

asif_status asif_tops_create(asif_tops *tops, const asif_context *context, const asif_density *density,
                             const double *scale, bool no_polish, asif_error *error) {
    uint64_t n = density->dimension, size = n + 2 * n * n;
    *tops = (asif_tops){.context = context,
                        .density = density,
                        .scale = scale,
                        .no_polish = no_polish,
                        .n = density->dimension,
                        .most = UINT64_MAX};
    atomic_init(&tops->stop, false);
    ASIF_TRY(
        asif_search_create(&tops->search, context, density, ASIF_NONE_HELD, &tops->stop, "maximum", error));
    ASIF_TRY(asif_search_create(&tops->across, context, density, 0, &tops->stop, "maximum", error));
    tops->memory = ASIF_ARRAY(context, (ASIF_MOST_TOPS + 1) * size, double);
    tops->room = ASIF_ARRAY(context, 5 * n + 2 * n * n, double);
    if (!tops->memory || !tops->room)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i <= ASIF_MOST_TOPS; i++) {
        tops->top[i].x = tops->memory + i * size;
        tops->top[i].covariance = tops->top[i].x + n;
        tops->top[i].factor = tops->top[i].covariance + n * n;
    }
    return ASIF_OK;
}

void asif_tops_free(asif_tops *tops) {
    if (!tops->context)
        return;
    asif_search_free(&tops->search);
    asif_search_free(&tops->across);
    asif_free(tops->context, tops->memory);
    asif_free(tops->context, tops->room);
    *tops = (asif_tops){0};
}

/* ---- the region of a top ---- */

double asif_top_mass(const asif_top *top) {
    return top->value + top->log_volume;
}

static double square_distance(const asif_tops *tops, const asif_top *top, const double *x) {
    double *away = tops->room, sum = 0;
    for (uint32_t i = 0; i < tops->n; i++)
        away[i] = x[i] - top->x[i];
    asif_lower_solve(top->factor, tops->n, away);
    for (uint32_t i = 0; i < tops->n; i++)
        sum += away[i] * away[i];
    return sum;
}

uint32_t asif_tops_nearest(const asif_tops *tops, const double *x) {
    uint32_t nearest = 0;
    double best = -INFINITY;
    for (uint32_t t = 0; t < tops->count; t++) {
        double height = tops->top[t].value - square_distance(tops, &tops->top[t], x) / 2;
        if (height > best) {
            best = height;
            nearest = t;
        }
    }
    return nearest;
}

/* Compute factor and volume from the covariance. */
static void measure(const asif_tops *tops, asif_top *top) {
    uint64_t n = tops->n;
    memcpy(top->factor, top->covariance, n * n * sizeof *top->factor);
    if (!asif_cholesky(top->factor, tops->n)) {
        memset(top->factor, 0, n * n * sizeof *top->factor);
        for (uint64_t i = 0; i < n; i++)
            top->factor[i * n + i] = tops->scale[i];
    }
    top->log_volume = 0;
    for (uint64_t i = 0; i < n; i++)
        top->log_volume += log(top->factor[i * n + i]);
}

/* ---- whether two points belong to one top ---- */

/* Whether a failure ends the whole search; after any other, a point counts as outside. */
static bool ends_all(asif_status status) {
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED;
}

static asif_status value_at(asif_tops *tops, const double *x, double *value, asif_error *error) {
    *value = -INFINITY;
    tops->evaluations++;
    asif_status status = tops->density->evaluate(tops->density->user, x, value, NULL, error);
    if (status != ASIF_OK || isnan(*value))
        *value = -INFINITY;
    return ends_all(status) ? status : ASIF_OK;
}

/* Compute whether the density stays above `floor` on the segment. */
static asif_status go_straight(asif_tops *tops, const double *a, const double *b, double floor, bool *arrived,
                               asif_error *error) {
    double *x = tops->room, value;
    *arrived = false;
    for (uint32_t k = 1; k <= INNER; k++) {
        for (uint32_t i = 0; i < tops->n; i++)
            x[i] = a[i] + (b[i] - a[i]) * k / (INNER + 1);
        ASIF_TRY(value_at(tops, x, &value, error));
        if (!(value >= floor))
            return ASIF_OK;
    }
    *arrived = true;
    return ASIF_OK;
}

static asif_status finish_climb(asif_tops *tops, asif_search *search, asif_error *error) {
    asif_status status = search->status;
    tops->evaluations += search->evaluations;
    search->status = ASIF_OK;
    if (!ends_all(status))
        return ASIF_OK;
    if (error)
        *error = search->error;
    return status;
}

/* Climb to the maximum in the hyperplane through `x`, or until the value is above `floor`. */
static asif_status climb_across(asif_tops *tops, const double *x, double floor, asif_error *error) {
    asif_search *s = &tops->across;
    asif_search_begin(s, x, MOST_ACROSS);
    if (s->density->has_gradient)
        asif_search_climb(s, ROUGH);
    if (!(s->value >= floor) && s->status == ASIF_OK)
        asif_search_ascend(s);
    return finish_climb(tops, s, error);
}

/* Go from a along the segment to the hyperplane of b, climbing across it at each point; then go straight to b
 * in that hyperplane, because the path may have followed another ridge past b. */
static asif_status follow(asif_tops *tops, const double *a, const double *b, double floor, bool *arrived,
                          asif_error *error) {
    uint64_t n = tops->n;
    asif_search *s = &tops->across;
    double *step = tops->room + n, *here = step + n;
    *arrived = false;
    for (uint64_t i = 0; i < n; i++) {
        step[i] = (b[i] - a[i]) / (INNER + 1);
        here[i] = a[i];
    }
    asif_search_across(s, tops->scale, step);
    for (uint32_t k = 1; k <= INNER + 1; k++) {
        for (uint64_t i = 0; i < n; i++)
            here[i] += step[i];
        ASIF_TRY(climb_across(tops, here, floor, error));
        if (!(s->value >= floor))
            return ASIF_OK;
        memcpy(here, s->best, n * sizeof *here);
    }
    return go_straight(tops, here, b, floor, arrived, error);
}

/* Compute whether a path connects x to a top; `fall`: nats by which it may fall below the lower of the
 * two. */
static asif_status connected(asif_tops *tops, const asif_top *top, const double *x, double value, double fall,
                             bool *one, asif_error *error) {
    double floor = fmin(top->value, value) - fall;
    *one = square_distance(tops, top, x) < SAME_PLACE * SAME_PLACE;
    if (!*one)
        ASIF_TRY(go_straight(tops, x, top->x, floor, one, error));
    if (!*one && tops->n > 1)
        ASIF_TRY(follow(tops, x, top->x, floor, one, error));
    if (!*one && tops->n > 1) /* a ridge that is lost in one direction may be found in the other */
        ASIF_TRY(follow(tops, top->x, x, floor, one, error));
    return ASIF_OK;
}

/* ---- the list ---- */

static void drop(asif_tops *tops, uint32_t t) {
    asif_top gone = tops->top[t];
    for (uint32_t k = t; k + 1 < tops->count; k++)
        tops->top[k] = tops->top[k + 1];
    tops->top[--tops->count] = gone;
}

void asif_tops_begin(asif_tops *tops, const double *x, double value, const double *covariance, bool curved) {
    uint64_t n = tops->n;
    asif_top *top = &tops->top[tops->count++];
    top->value = value;
    top->curved = curved;
    memcpy(top->x, x, n * sizeof *x);
    memcpy(top->covariance, covariance, n * n * sizeof *covariance);
    measure(tops, top);
    if (tops->count <= ASIF_MOST_TOPS)
        return;
    tops->more = true;
    uint32_t least = 0;
    for (uint32_t t = 1; t < tops->count; t++)
        if (asif_top_mass(&tops->top[t]) < asif_top_mass(&tops->top[least]))
            least = t;
    drop(tops, least);
}

/* Whether the mass would be too small to count even with the volume of the scale. */
static bool hopeless(const asif_tops *tops, double value) {
    double volume = 0, best = -INFINITY;
    for (uint32_t i = 0; i < tops->n; i++)
        volume += log(tops->scale[i]);
    for (uint32_t t = 0; t < tops->count; t++)
        best = fmax(best, asif_top_mass(&tops->top[t]));
    return !isfinite(value) || value + volume < best - ASIF_TOPS_WITHIN;
}

/* Compute whether x belongs to a known top that is at least about as high. */
static asif_status is_there(asif_tops *tops, const double *x, double value, bool *there, asif_error *error) {
    *there = false;
    for (uint32_t t = 0; t < tops->count && !*there; t++)
        if (value < tops->top[t].value + HIGHER)
            ASIF_TRY(connected(tops, &tops->top[t], x, value, FALL, there, error));
    return ASIF_OK;
}

/* Drop the lower tops to which x is connected. */
static asif_status drop_lower(asif_tops *tops, const double *x, double value, asif_error *error) {
    for (uint32_t t = tops->count; t-- > 0;) {
        bool one = false;
        if (value >= tops->top[t].value + HIGHER)
            ASIF_TRY(connected(tops, &tops->top[t], x, value, FALL, &one, error));
        if (one)
            drop(tops, t);
    }
    return ASIF_OK;
}

static asif_status climb(asif_tops *tops, const double *x, bool finish, asif_error *error) {
    asif_search *s = &tops->search;
    asif_search_scale(s, tops->scale);
    asif_search_begin(s, x, MOST_EVALUATIONS);
    asif_search_ascend(s);
    if (finish)
        asif_search_finish(s, TOL, tops->no_polish);
    return finish_climb(tops, s, error);
}

/* Climb to the very maximum, and add it as a top unless it belongs to a known one. */
static asif_status add_top(asif_tops *tops, const double *from, asif_error *error) {
    uint64_t n = tops->n;
    double *x = tops->room + 4 * n, *covariance = x + n, *curvature = covariance + n * n;
    bool there, curved = false;
    ASIF_TRY(climb(tops, from, true, error));
    double value = tops->search.value;
    memcpy(x, tops->search.best, n * sizeof *x);
    ASIF_TRY(is_there(tops, x, value, &there, error));
    if (there)
        return ASIF_OK;
    ASIF_TRY(drop_lower(tops, x, value, error));
    asif_status status =
        asif_curvature(curvature, covariance, &curved, tops->context, tops->density, x, tops->scale, error);
    if (status == ASIF_OK)
        asif_tops_begin(tops, x, value, covariance, curved);
    return ends_all(status) ? status : ASIF_OK;
}

static bool out_of_time(asif_tops *tops) {
    bool out = tops->evaluations >= tops->most;
    tops->more = tops->more || out;
    return out;
}

asif_status asif_tops_add(asif_tops *tops, const double *x, double value, asif_error *error) {
    bool there = hopeless(tops, value) || out_of_time(tops);
    if (!there)
        ASIF_TRY(is_there(tops, x, value, &there, error));
    return there ? ASIF_OK : add_top(tops, x, error);
}

asif_status asif_tops_climb(asif_tops *tops, const double *x, asif_error *error) {
    double *end = tops->room + 3 * (uint64_t)tops->n;
    if (out_of_time(tops))
        return ASIF_OK;
    ASIF_TRY(climb(tops, x, false, error));
    memcpy(end, tops->search.best, tops->n * sizeof *end);
    return asif_tops_add(tops, end, tops->search.value, error);
}

asif_status asif_tops_apart(asif_tops *tops, double fall, bool *apart, asif_error *error) {
    const asif_top *first = &tops->top[0];
    *apart = false;
    for (uint32_t t = 1; t < tops->count && !*apart; t++) {
        bool one;
        ASIF_TRY(connected(tops, &tops->top[t], first->x, first->value, fall, &one, error));
        *apart = !one;
    }
    return ASIF_OK;
}

void asif_tops_weigh(asif_tops *tops) {
    for (uint32_t i = 1; i < tops->count; i++)
        for (uint32_t k = i; k > 0 && asif_top_mass(&tops->top[k]) > asif_top_mass(&tops->top[k - 1]); k--) {
            asif_top lighter = tops->top[k - 1];
            tops->top[k - 1] = tops->top[k];
            tops->top[k] = lighter;
        }
    while (tops->count > 1 &&
           asif_top_mass(&tops->top[tops->count - 1]) < asif_top_mass(&tops->top[0]) - ASIF_TOPS_WITHIN)
        tops->count--;
}
