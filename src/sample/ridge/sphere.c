#include "sample/ridge/sphere.h"

#include "base/error.h"
#include "base/random.h"
#include "sample/ridge/mixture.h"

#include <math.h>
#include <string.h>

#define STEPS 40        /* evaluations of a climb, at most */
#define FIRST_ANGLE 0.5 /* radians */
#define LAST_ANGLE 0.003
#define LONGER 1.5
#define SHORTER 3.0

void asif_place_set(asif_place *out, const asif_plane_top *top, const double *along, uint32_t n,
                    const double *scale) {
    double step = n > 1 ? exp((top->mass - top->value) / (n - 1)) : 1; /* as wide along as across */
    asif_mixture_set_spread(out->spread, n, along, step, top->across);
    out->value = top->value;
    for (uint32_t i = 0; i < n; i++) {
        out->at[i] = top->at[i] * scale[i];
        for (uint32_t j = 0; j < n; j++)
            out->spread[(uint64_t)i * n + j] *= scale[i];
    }
}

/* Evaluate at radius * u; `slope` [n], in the coordinates z, is orthogonal to the unit vector u. */
static asif_status at(asif_sphere *s, double radius, const double *u, double *value, double *slope) {
    uint32_t n = s->target->density->dimension;
    double outward = 0;
    for (uint32_t i = 0; i < n; i++) {
        s->x[i] = s->place->at[i];
        for (uint32_t j = 0; j < n; j++)
            s->x[i] += radius * s->place->spread[(uint64_t)i * n + j] * u[j];
    }
    asif_point point = {s->x, s->slope, 0};
    s->evaluations++;
    ASIF_TRY(asif_interruptible_density_evaluate(s->target, &point));
    *value = point.value;
    if (!isfinite(*value))
        return ASIF_OK;
    for (uint32_t j = 0; j < n; j++) {
        slope[j] = 0;
        for (uint32_t i = 0; i < n; i++)
            slope[j] += s->place->spread[(uint64_t)i * n + j] * s->slope[i];
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

asif_status asif_sphere_climb(asif_sphere *s, double radius, uint32_t number, double *u, double *value) {
    asif_stream stream = {0, ASIF_FOR_RIDGES, UINT32_MAX};
    uint32_t n = s->target->density->dimension;
    double slope[ASIF_RIDGE_MOST] = {0}, next[ASIF_RIDGE_MOST] = {0}, there[ASIF_RIDGE_MOST] = {0};
    double angle = FIRST_ANGLE;
    for (uint32_t j = 0; j < n; j++)
        next[j] = asif_normal(&stream, number * n + j);
    for (uint32_t j = 0; j < n; j++)
        u[j] = next[j] / length(n, next);
    ASIF_TRY(at(s, radius, u, value, slope));
    for (int i = 1; i < STEPS && isfinite(*value) && angle > LAST_ANGLE; i++) {
        double steep = length(n, slope), risen;
        if (!(steep > 0))
            break;
        for (uint32_t j = 0; j < n; j++)
            next[j] = cos(angle) * u[j] + sin(angle) * slope[j] / steep;
        ASIF_TRY(at(s, radius, next, &risen, there));
        if (risen > *value) {
            *value = risen;
            memcpy(u, next, n * sizeof *u);
            memcpy(slope, there, n * sizeof *slope);
            angle *= LONGER;
        } else {
            angle /= SHORTER;
        }
    }
    return isfinite(*value) ? at(s, radius, u, value, slope) : ASIF_OK; /* sets x */
}
