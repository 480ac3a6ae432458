#include "sample/search/near.h"

#include "base/error.h"
#include "base/memory.h"
#include "sample/evaluate_many.h"
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define ROUGH 1e-5
#define AGREE 1e-3
#define MOST_EVALUATIONS 10000
#define MOST_CLIMBS 2  /* climbs from points along the flattest direction */
#define SAME_PLACE 3.0 /* standard deviations: points this near to the best one are no other maximum */
#define FALLS 0.75 /* of a normal density's fall: where this one falls less, another maximum may be near */

/* Distances at which to look, to both sides, in standard deviations. */
static const double away[] = {2, 3, 4, 6};
#define AWAY (sizeof away / sizeof *away)

typedef struct {
    const asif_near *near;
    asif_search *search;
    uint64_t n, evaluations;
    double *best, value;      /* the best point, and the value there */
    double *basis, *inverse;  /* coordinates in which the climb to the best point ended */
    double *point, *at, *end; /* points [2 AWAY][n], values there, and at the end of each climb */
    uint32_t climbs, highest;
} nearby;

static void keep(nearby *b, uint32_t climb) {
    asif_search *s = b->search;
    b->evaluations += s->evaluations;
    b->end[climb] = fmax(b->end[climb], s->value);
    if (!(s->value > b->value))
        return;
    b->value = s->value;
    b->highest = climb;
    memcpy(b->best, s->best, b->n * sizeof *b->best);
    memcpy(b->basis, s->basis, b->n * b->n * sizeof *b->basis);
    memcpy(b->inverse, s->inverse, b->n * b->n * sizeof *b->inverse);
}

static void keep_new(nearby *b) {
    b->end[b->climbs] = -INFINITY;
    keep(b, b->climbs++);
}

/* ---- climbs ---- */

static void climb_from(nearby *b, const double *x) {
    asif_search *s = b->search;
    if (b->near->factor)
        asif_search_factor(s, b->near->factor);
    else
        asif_search_scale(s, b->near->scale);
    asif_search_begin(s, x, MOST_EVALUATIONS);
    if (s->density->has_gradient)
        asif_search_climb(s, ROUGH);
    else
        asif_search_ascend(s);
    keep_new(b);
}

/* Climb from a distant point, where the coordinates of the maximum are of no use. */
static void climb_far(nearby *b, const double *x) {
    asif_search_scale(b->search, b->near->scale);
    asif_search_begin(b->search, x, MOST_EVALUATIONS);
    asif_search_ascend(b->search);
    keep_new(b);
}

static uint32_t agreeing(const nearby *b, double value) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->climbs; i++)
        count += value - b->end[i] < AGREE;
    return count;
}

/* Climb precisely from the best point, in coordinates of its own. Polish if no other climb confirms it,
 * because small kinks may have stopped the climb. */
static void finish(nearby *b) {
    asif_search *s = b->search;
    memcpy(s->basis, b->basis, b->n * b->n * sizeof *b->basis);
    memcpy(s->inverse, b->inverse, b->n * b->n * sizeof *b->inverse);
    asif_search_begin(s, b->best, MOST_EVALUATIONS);
    if (b->near->factor)
        asif_search_readapt(s);
    else
        asif_search_adapt(s);
    asif_search_finish(s, b->near->tol, agreeing(b, s->value) > 1);
    keep(b, b->highest);
}

/* ---- looks ---- */

static asif_status look(nearby *b, uint64_t count, const double *x, asif_error *error) {
    b->evaluations += count;
    return asif_evaluate_many(b->at, b->search->context, b->search->density, 1, x, count, "maximum", error);
}

/* Climb, on each side, from the farthest point where the density falls clearly less than a normal one
 * would. */
static asif_status look_along(nearby *b, asif_error *error) {
    uint64_t n = b->n, axis = asif_search_flattest(b->basis, b->n, b->near->scale);
    for (uint64_t k = 0; k < 2 * AWAY; k++)
        for (uint64_t i = 0; i < n; i++)
            b->point[k * n + i] = b->best[i] + (k < AWAY ? 1 : -1) * away[k % AWAY] * b->basis[i * n + axis];
    ASIF_TRY(look(b, 2 * AWAY, b->point, error));
    double level = b->value;
    for (uint64_t side = 0; side < 2; side++)
        for (uint64_t k = AWAY; k-- > 0;) {
            double normal = away[k] * away[k] / 2;
            if (!(b->at[side * AWAY + k] > level - FALLS * normal))
                continue;
            climb_from(b, b->point + (side * AWAY + k) * n);
            break;
        }
    return ASIF_OK;
}

static asif_status look_elsewhere(nearby *b, asif_error *error) {
    uint64_t highest = b->near->others;
    if (highest == 0)
        return ASIF_OK;
    ASIF_TRY(look(b, b->near->others, b->near->elsewhere, error));
    for (uint64_t i = 0; i < b->near->others; i++)
        if (isfinite(b->at[i]) &&
            asif_search_distance(b->inverse, b->n, b->near->elsewhere + i * b->n, b->best) > SAME_PLACE &&
            (highest == b->near->others || b->at[i] > b->at[highest]))
            highest = i;
    if (highest < b->near->others)
        climb_far(b, b->near->elsewhere + highest * b->n);
    return ASIF_OK;
}

/* ---- the whole search ---- */

/* Climb from the start at which this density is highest. */
static asif_status climb_from_best(nearby *b, asif_error *error) {
    const asif_near *near = b->near;
    uint32_t best = 0;
    if (near->starts > 1)
        ASIF_TRY(look(b, near->starts, near->start, error));
    for (uint32_t i = 1; i < near->starts; i++)
        if (b->at[i] > b->at[best])
            best = i;
    climb_from(b, near->start + best * b->n);
    return ASIF_OK;
}

static asif_status run(nearby *b, asif_error *error) {
    ASIF_TRY(climb_from_best(b, error));
    ASIF_TRY(look_elsewhere(b, error));
    if (!isfinite(b->value))
        return asif_fail(error, ASIF_EDOMAIN, "the density is -inf or not a number at every start");
    finish(b);
    double before = b->value;
    if (b->search->status == ASIF_OK)
        ASIF_TRY(look_along(b, error));
    if (b->value > before + b->near->tol)
        finish(b);
    if (b->search->status != ASIF_OK && error)
        *error = b->search->error;
    return b->search->status;
}

asif_status asif_maximise_near(double *x, const asif_context *context, const asif_density *density,
                               const asif_near *near, asif_maximum_info *info, asif_error *error) {
    uint64_t n = density->dimension, looks = 2 * AWAY + near->starts + near->others;
    asif_search search;
    atomic_bool stop;
    atomic_init(&stop, false);
    asif_status status =
        asif_search_create(&search, context, density, ASIF_NONE_HELD, &stop, "maximum", error);
    uint64_t ends = 2 + MOST_CLIMBS;
    double *room = ASIF_ARRAY(context, n + 2 * n * n + 2 * AWAY * n + looks + ends, double);
    if (status == ASIF_OK && !room)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        nearby b = {.near = near, .search = &search, .n = n, .value = -INFINITY, .best = room};
        b.basis = b.best + n;
        b.inverse = b.basis + n * n;
        b.point = b.inverse + n * n;
        b.at = b.point + 2 * AWAY * n;
        b.end = b.at + looks;
        status = run(&b, error);
        memcpy(x, b.best, n * sizeof *x);
        *info = (asif_maximum_info){
            .value = b.value, .evaluations = b.evaluations, .agree = agreeing(&b, b.value), .gradient = NAN};
    }
    asif_search_free(&search);
    asif_free(context, room);
    return status;
}
