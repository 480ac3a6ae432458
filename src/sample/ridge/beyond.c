#include "sample/ridge/beyond.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define HIGH 5.0  /* nats: the density is high where it is at most this much below that of the place */
#define RARE 0.02 /* mass of the points with the largest weights */
#define FAR 5.0   /* a part is missed where weights are more than FAR times the least of these */

enum { RADII = 2 };
static const double radii[RADII] = {3, 10};

typedef struct {
    const asif_context *context;
    const asif_weighing *w;
    double limit; /* log-weight */
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

static double log_weight(const looking *l, const double *x, double value) {
    uint32_t n = l->w->points->n;
    double xi[ASIF_RIDGE_MOST], sum = 0;
    for (uint32_t i = 0; i < n; i++)
        xi[i] = x[i] / l->w->request->scale[i];
    for (uint32_t k = 0; k < l->w->mixtures; k++)
        sum += asif_mixture_density(&l->w->mixture[k], xi, NULL);
    return value - log(sum);
}

asif_status asif_ridge_beyond(bool *missed, uint64_t *evaluations, const asif_context *context,
                              const asif_weighing *weighing, const asif_place *lost, asif_error *error) {
    looking l = {.context = context, .w = weighing};
    const asif_interruptible_density target = {weighing->request->density, interrupt, &l, error};
    asif_sphere sphere = {.target = &target, .place = lost};
    asif_status status = find_limit(&l, error);
    *missed = false;
    for (uint32_t k = 0;
         k < ASIF_SPHERE_CLIMBS * weighing->points->n * RADII && !*missed && status == ASIF_OK; k++) {
        double u[ASIF_RIDGE_MOST], value;
        status = asif_sphere_climb(&sphere, radii[k % RADII], k, u, &value);
        *missed =
            status == ASIF_OK && value > lost->value - HIGH && log_weight(&l, sphere.x, value) > l.limit;
    }
    *evaluations += sphere.evaluations;
    return status;
}
