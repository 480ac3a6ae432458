#include "sample/ridge/beyond.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define HIGH 5.0  /* nats: the density is high where it is at most this much below that of the place */
#define RARE 0.02 /* mass of the points with the largest weights */
#define FAR 5.0   /* a part is missed where weights are more than FAR times the least of these */

enum { RADII = 2 };
static const double radii[RADII] = {3, 10};

static bool interrupt(void *user) {
    const asif_climbs *climbs = user;
    return asif_progress(climbs->context, "looking where the ridge was lost", -1);
}

/* ---- climbs ---- */

static asif_status keep(asif_climbs *c, const double *x, double value, asif_error *error) {
    uint64_t each = (uint64_t)c->n + 1;
    if (c->count == c->capacity) {
        uint64_t capacity = c->capacity ? 2 * c->capacity : 64;
        double *larger = asif_realloc(c->context, c->end, capacity * each, sizeof *larger);
        if (!larger)
            return asif_fail_memory(error);
        c->end = larger;
        c->capacity = capacity;
    }
    memcpy(c->end + c->count * each, x, c->n * sizeof *x);
    c->end[c->count++ * each + c->n] = value;
    return ASIF_OK;
}

asif_status asif_climbs_add(asif_climbs *climbs, uint64_t *evaluations, const asif_density *density,
                            const asif_place *lost, asif_error *error) {
    const asif_interruptible_density target = {density, interrupt, climbs, error};
    asif_sphere sphere = {.target = &target, .place = lost};
    asif_status status = ASIF_OK;
    for (uint32_t k = 0; k < ASIF_SPHERE_CLIMBS * climbs->n * RADII && status == ASIF_OK; k++) {
        double u[ASIF_RIDGE_MOST], value;
        status = asif_sphere_climb(&sphere, radii[k % RADII], k, u, &value);
        if (status == ASIF_OK && value > lost->value - HIGH)
            status = keep(climbs, sphere.x, value, error);
    }
    *evaluations += sphere.evaluations;
    return status;
}

void asif_climbs_free(asif_climbs *climbs) {
    if (climbs->context)
        asif_free(climbs->context, climbs->end);
    *climbs = (asif_climbs){0};
}

/* ---- weights ---- */

asif_status asif_ridge_limit(double *limit, const asif_context *context, const asif_weighing *weighing,
                             asif_error *error) {
    const asif_weighted *p = weighing->points;
    double *ratio = ASIF_ARRAY(context, p->count, double), above = 0;
    if (!ratio)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < p->count; i++)
        ratio[i] = p->weight[i] > 0 ? p->value[i] - log(weighing->proposal[i]) : -INFINITY;
    asif_ranked *order = asif_rank(context, ratio, p->count);
    asif_free(context, ratio);
    if (!order)
        return asif_fail_memory(error);
    uint64_t i = p->count - 1;
    while (i > 0 && (above += p->weight[order[i].index]) < RARE)
        i--;
    *limit = order[i].key + log(FAR);
    asif_free(context, order);
    return ASIF_OK;
}

double asif_ridge_log_weight(const asif_weighing *weighing, const double *x, double value) {
    uint32_t n = weighing->points->n;
    double xi[ASIF_RIDGE_MOST], sum = 0;
    for (uint32_t i = 0; i < n; i++)
        xi[i] = x[i] / weighing->request->scale[i];
    for (uint32_t k = 0; k < weighing->mixtures; k++)
        sum += asif_mixture_density(&weighing->mixture[k], xi, NULL);
    return value - log(sum);
}
