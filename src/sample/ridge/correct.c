#include "sample/ridge/correct.h"

#include "base/error.h"
#include "base/memory.h"
#include "sample/evaluate_many.h"
#include "sample/psis.h"

#include <math.h>
#include <string.h>

#define FIRST_POINTS 1.4 /* times ASIF_GOOD_KISH, to begin with */
#define ENOUGH 1.05      /* times ASIF_GOOD_KISH */
#define MORE 1.1         /* times the points that would have been enough, in the next round */
#define GOLDEN 0.6180339887498949
#define ALIKE 0.9999 /* Kish's number over that of the points: their weights are the same */
#define HALVINGS 200

typedef struct {
    const asif_context *context;
    const asif_density *exact;
    uint32_t densities;
    asif_weighted *points;
    const double *proposal;
    double times;    /* a point is kept with probability min(1, times * weight) */
    uint64_t kept;   /* number of points */
    uint64_t *index; /* [kept] */
    double *value;   /* [count]: under `exact`; NaN: not known */
    double *x, *new_value;
    double *weight; /* [kept] */
} correcting;

static double probability(const correcting *c, uint64_t i) {
    return fmin(1, c->times * c->points->weight[i]);
}

/* Set `times` so that `wanted` points are kept on average. */
static void aim(correcting *c, double wanted) {
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double sum = 0, middle = (low + high) / 2;
        c->times = middle / (1 - middle);
        for (uint64_t k = 0; k < c->points->count; k++)
            sum += probability(c, k);
        if (sum < wanted)
            low = middle;
        else
            high = middle;
    }
    c->times = high < 1 ? high / (1 - high) : INFINITY;
}

/* Points come in the order of the ridges. A sequence of low discrepancy keeps the right share of every
 * stretch, and what was kept stays when more are. */
static void keep(correcting *c) {
    c->kept = 0;
    for (uint64_t i = 0; i < c->points->count; i++) {
        double u = ((double)i + 0.5) * GOLDEN;
        if (c->points->weight[i] > 0 && u - floor(u) < probability(c, i))
            c->index[c->kept++] = i;
    }
}

static asif_status evaluate(correcting *c, uint64_t *evaluated, asif_error *error) {
    uint64_t n = c->points->n, count = 0;
    for (uint64_t k = 0; k < c->kept; k++)
        if (isnan(c->value[c->index[k]]))
            memcpy(c->x + n * count++, c->points->x + n * c->index[k], n * sizeof *c->x);
    ASIF_TRY(asif_evaluate_many(c->new_value, c->context, c->exact, c->densities, c->x, count,
                                "weighing points on the fine lattice", error));
    *evaluated += count;
    count = 0;
    for (uint64_t k = 0; k < c->kept; k++)
        if (isnan(c->value[c->index[k]]))
            c->value[c->index[k]] = c->new_value[count++];
    return ASIF_OK;
}

static asif_status weigh(correcting *c, asif_correction *out, asif_error *error) {
    uint64_t inside = 0;
    double squares = 0;
    for (uint64_t k = 0; k < c->kept; k++) {
        uint64_t i = c->index[k];
        if (isfinite(c->value[i]))
            c->new_value[inside++] = c->value[i] - log(c->proposal[i]) - log(probability(c, i));
    }
    if (inside == 0)
        return asif_fail(error, ASIF_EDOMAIN, "the density is -inf at every point that was kept");
    ASIF_TRY(asif_psis(c->new_value, &out->k, c->context, c->new_value, 1, inside, 1, error));
    inside = 0;
    for (uint64_t k = 0; k < c->kept; k++) {
        c->weight[k] = isfinite(c->value[c->index[k]]) ? exp(c->new_value[inside++]) : 0;
        squares += c->weight[k] * c->weight[k];
    }
    out->kish = 1 / squares;
    if (out->kish > ALIKE * (double)inside) /* a tail of equal weights has no shape */
        out->k = -INFINITY;
    return ASIF_OK;
}

static double shift(const correcting *c) {
    const asif_weighted *p = c->points;
    double largest = 0;
    for (uint32_t j = 0; j < p->n; j++) {
        double before = 0, after = 0, square = 0;
        for (uint64_t i = 0; i < p->count; i++)
            before += p->weight[i] * p->x[i * p->n + j];
        for (uint64_t k = 0; k < c->kept; k++)
            after += c->weight[k] * p->x[c->index[k] * p->n + j];
        for (uint64_t k = 0; k < c->kept; k++)
            square += c->weight[k] * pow(p->x[c->index[k] * p->n + j] - after, 2);
        largest = fmax(largest, square > 0 ? fabs(after - before) / sqrt(square) : 0);
    }
    return largest;
}

static void gather(correcting *c) {
    asif_weighted *p = c->points;
    for (uint64_t k = 0; k < c->kept; k++) {
        uint64_t i = c->index[k]; /* k <= i */
        memmove(p->x + k * p->n, p->x + i * p->n, p->n * sizeof *p->x);
        p->place[k] = p->place[i];
        p->value[k] = c->value[i];
        p->weight[k] = c->weight[k];
    }
    p->count = c->kept;
}

static asif_status correct(correcting *c, asif_correction *out, asif_error *error) {
    double count = (double)c->points->count, wanted = FIRST_POINTS * ASIF_GOOD_KISH;
    for (uint64_t i = 0; i < c->points->count; i++)
        c->value[i] = NAN;
    for (;;) {
        aim(c, wanted);
        keep(c);
        ASIF_TRY(evaluate(c, &out->points, error));
        ASIF_TRY(weigh(c, out, error));
        if (out->kish >= ENOUGH * ASIF_GOOD_KISH || wanted >= count)
            break;
        wanted = fmin(count, MORE * wanted * fmin(4, ENOUGH * ASIF_GOOD_KISH / out->kish));
    }
    out->moved = shift(c);
    gather(c);
    return ASIF_OK;
}

asif_status asif_ridge_correct(asif_weighted *points, asif_correction *out, const asif_context *context,
                               const asif_density *exact, uint32_t densities, const double *proposal,
                               asif_error *error) {
    uint64_t count = points->count, n = points->n;
    *out = (asif_correction){.k = INFINITY};
    correcting c = {.context = context,
                    .exact = exact,
                    .densities = densities,
                    .points = points,
                    .proposal = proposal,
                    .index = ASIF_ARRAY(context, count, uint64_t),
                    .value = ASIF_ARRAY(context, count * (3 + n), double)};
    asif_status status = c.index && c.value ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        c.new_value = c.value + count;
        c.weight = c.new_value + count;
        c.x = c.weight + count;
        status = correct(&c, out, error);
    }
    asif_free(context, c.index);
    asif_free(context, c.value);
    return status;
}
