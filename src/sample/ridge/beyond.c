#include "sample/ridge/beyond.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#define CLIMBS 6        /* on each sphere, for each dimension */
#define STEPS 40        /* evaluations of a climb, at most */
#define FIRST_ANGLE 0.5 /* radians */
#define LAST_ANGLE 0.003
#define LONGER 1.5
#define HIGH 5.0  /* nats: the density is high where it is at most this much below that of the place */
#define RARE 0.02 /* mass of the points with the largest weights */
#define FAR 5.0   /* a part is missed where weights are more than FAR times the least of these */

enum { RADII = 2 };
static const double radii[RADII] = {3, 10};

void asif_lost_note(asif_lost *out, const asif_ridge_node *node, uint32_t n, const double *scale) {
    double along = n > 1 ? exp((node->top.mass - node->top.value) / (n - 1)) : 1; /* as wide as across */
    asif_mixture_set_spread(out->spread, n, node->along, along, node->top.across);
    out->value = node->top.value;
    for (uint32_t i = 0; i < n; i++) {
        out->at[i] = node->top.at[i] * scale[i];
        for (uint32_t j = 0; j < n; j++)
            out->spread[(uint64_t)i * n + j] *= scale[i];
    }
}

typedef struct {
    const asif_context *context;
    const asif_weighing *w;
    const asif_lost *lost;
    asif_interruptible_density target;
    uint32_t n;
    double limit; /* log-weight */
    uint64_t evaluations;
    double x[ASIF_RIDGE_MOST], slope[ASIF_RIDGE_MOST];
} looking;

static bool interrupt(void *user) {
    const looking *l = user;
    return asif_progress(l->context, "looking where the ridge was lost", -1);
}

/* ---- weights ---- */

/* Find the log-weight that points of the mass RARE exceed. */
static asif_status find_limit(looking *l, asif_error *error) {
    const asif_weighted *p = l->w->points;
    double *ratio = ASIF_ARRAY(l->context, p->count, double), above = 0;
    if (!ratio)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < p->count; i++)
        ratio[i] = p->weight[i] > 0 ? p->value[i] - log(l->w->proposal[i]) : -INFINITY;
    asif_ranked *order = asif_rank(l->context, ratio, p->count);
    asif_free(l->context, ratio);
    if (!order)
        return asif_fail_memory(error);
    uint64_t i = p->count - 1;
    while (i > 0 && (above += p->weight[order[i].index]) < RARE)
        i--;
    l->limit = order[i].key + log(FAR);
    asif_free(l->context, order);
    return ASIF_OK;
}

static double log_weight(const looking *l, double value) {
    double xi[ASIF_RIDGE_MOST], sum = 0;
    for (uint32_t i = 0; i < l->n; i++)
        xi[i] = l->x[i] / l->w->request->scale[i];
    for (uint32_t k = 0; k < l->w->mixtures; k++)
        sum += asif_mixture_density(&l->w->mixture[k], xi, NULL);
    return value - log(sum);
}

/* ---- climbs ---- */

/* Evaluate at radius * u; `slope` [n], in the coordinates z, is orthogonal to the unit vector u. */
static asif_status at(looking *l, double radius, const double *u, double *value, double *slope) {
    uint32_t n = l->n;
    double outward = 0;
    for (uint32_t i = 0; i < n; i++) {
        l->x[i] = l->lost->at[i];
        for (uint32_t j = 0; j < n; j++)
            l->x[i] += radius * l->lost->spread[(uint64_t)i * n + j] * u[j];
    }
    asif_point point = {l->x, l->slope, 0};
    l->evaluations++;
    ASIF_TRY(asif_interruptible_density_evaluate(&l->target, &point));
    *value = point.value;
    if (!isfinite(*value))
        return ASIF_OK;
    for (uint32_t j = 0; j < n; j++) {
        slope[j] = 0;
        for (uint32_t i = 0; i < n; i++)
            slope[j] += l->lost->spread[(uint64_t)i * n + j] * l->slope[i];
        outward += slope[j] * u[j];
    }
    for (uint32_t j = 0; j < n; j++)
        slope[j] -= outward * u[j];
    return ASIF_OK;
}

static double length(uint32_t n, const double *v) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Climb on a sphere from the unit vector u, along great circles. */
static asif_status climb(looking *l, double radius, double *u, double *value) {
    uint32_t n = l->n;
    double slope[ASIF_RIDGE_MOST], next[ASIF_RIDGE_MOST], there[ASIF_RIDGE_MOST], angle = FIRST_ANGLE;
    ASIF_TRY(at(l, radius, u, value, slope));
    for (int i = 1; i < STEPS && isfinite(*value) && angle > LAST_ANGLE; i++) {
        double steep = length(n, slope), risen;
        if (!(steep > 0))
            break;
        for (uint32_t j = 0; j < n; j++)
            next[j] = cos(angle) * u[j] + sin(angle) * slope[j] / steep;
        ASIF_TRY(at(l, radius, next, &risen, there));
        if (risen > *value) {
            *value = risen;
            memcpy(u, next, n * sizeof *u);
            memcpy(slope, there, n * sizeof *slope);
            angle *= LONGER;
        } else {
            angle /= 3;
        }
    }
    return isfinite(*value) ? at(l, radius, u, value, slope) : ASIF_OK; /* sets l->x */
}

static asif_status look(looking *l, bool *missed) {
    asif_stream stream = {l->w->request->seed, ASIF_FOR_RIDGES, UINT32_MAX};
    uint32_t n = l->n, number = 0;
    double u[ASIF_RIDGE_MOST], value;
    *missed = false;
    for (uint32_t k = 0; k < CLIMBS * n * RADII && !*missed; k++) {
        for (uint32_t j = 0; j < n; j++)
            u[j] = asif_normal(&stream, number++);
        double size = length(n, u);
        for (uint32_t j = 0; j < n; j++)
            u[j] /= size;
        ASIF_TRY(climb(l, radii[k % RADII], u, &value));
        *missed = value > l->lost->value - HIGH && log_weight(l, value) > l->limit;
    }
    return ASIF_OK;
}

asif_status asif_ridge_beyond(bool *missed, uint64_t *evaluations, const asif_context *context,
                              const asif_weighing *weighing, const asif_lost *lost, asif_error *error) {
    looking l = {.context = context, .w = weighing, .lost = lost, .n = weighing->points->n};
    l.target = (asif_interruptible_density){weighing->request->density, interrupt, &l, error};
    ASIF_TRY(find_limit(&l, error));
    asif_status status = look(&l, missed);
    *evaluations += l.evaluations;
    return status;
}
