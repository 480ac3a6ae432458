#include "sample/ridge/plane.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define STEPS 8
#define SHORTER 0.4
#define SHORTENINGS 6
#define CLOSE 0.05     /* standard deviations: shorter steps are not taken */
#define FAR 2.0        /* standard deviations: farthest that the maximum may be from the centre */
#define DIFFERENCE 0.1 /* standard deviations: step for second derivatives; averages over kinks */
#define WIDER 3.0      /* most that a standard deviation across grows from one node to the next */
#define WIDEST 4.0     /* scales: largest standard deviation across */
#define LAST 0.5       /* longest last Newton step along an eigenvector, in units of u */

static bool interrupt(void *user) {
    const asif_plane *p = user;
    return asif_progress(p->context, "following the ridge", -1);
}

asif_status asif_plane_create(asif_plane *plane, const asif_context *context, const asif_density *density,
                              const double *scale, asif_error *error) {
    uint64_t n = density->dimension, m = n - 1;
    *plane = (asif_plane){.context = context, .scale = scale, .n = (uint32_t)n, .m = (uint32_t)m};
    plane->target = (asif_interruptible_density){density, interrupt, plane, error};
    struct {
        double **array;
        uint64_t size;
    } const parts[] = {{&plane->x, n},      {&plane->slope, n},    {&plane->point, n},
                       {&plane->q, n * m},  {&plane->w, n * m},    {&plane->old, n * m},
                       {&plane->u, m},      {&plane->gu, m},       {&plane->tried, m},
                       {&plane->slopes, m}, {&plane->bend, m * m}, {&plane->vectors, m * m},
                       {&plane->values, m}};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        all += parts[i].size;
    plane->memory = ASIF_ARRAY(context, all, double);
    if (!plane->memory)
        return asif_fail_memory(error);
    double *next = plane->memory;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].array = next;
        next += parts[i].size;
    }
    return ASIF_OK;
}

void asif_plane_free(asif_plane *plane) {
    if (plane->context)
        asif_free(plane->context, plane->memory);
}

/* ---- evaluation ---- */

/* Value at xi, -inf outside; gradient in xi unless NULL. */
static asif_status value_at(asif_plane *p, const double *xi, double *value, double *gradient) {
    for (uint32_t i = 0; i < p->n; i++)
        p->x[i] = xi[i] * p->scale[i];
    asif_point point = {p->x, gradient, 0};
    p->evaluations++;
    ASIF_TRY(asif_interruptible_density_evaluate(&p->target, &point));
    *value = point.value;
    for (uint32_t i = 0; gradient && isfinite(*value) && i < p->n; i++)
        gradient[i] *= p->scale[i];
    return ASIF_OK;
}

/* p->point = centre + w u. */
static void place(asif_plane *p, const double *centre, const double *w, const double *u) {
    for (uint32_t i = 0; i < p->n; i++) {
        p->point[i] = centre[i];
        for (uint32_t j = 0; j < p->m; j++)
            p->point[i] += w[(uint64_t)i * p->m + j] * u[j];
    }
}

/* Set p->point as place() does, and compute the value there and the gradient in u. */
static asif_status at(asif_plane *p, const double *centre, const double *u, double *value, double *gu) {
    place(p, centre, p->w, u);
    ASIF_TRY(value_at(p, p->point, value, p->slope));
    for (uint32_t j = 0; isfinite(*value) && j < p->m; j++) {
        gu[j] = 0;
        for (uint32_t i = 0; i < p->n; i++)
            gu[j] += p->w[(uint64_t)i * p->m + j] * p->slope[i];
    }
    return ASIF_OK;
}

/* ---- coordinates across ---- */

/* Set q. The reflection that takes the first axis to the tangent takes the other axes to a basis across
 * it. */
static void orthonormal(asif_plane *p, const double *tangent) {
    double *v = p->point, square = 0;
    memcpy(v, tangent, p->n * sizeof *v);
    v[0] += copysign(1, v[0]);
    for (uint32_t i = 0; i < p->n; i++)
        square += v[i] * v[i];
    for (uint32_t j = 0; j < p->m; j++)
        for (uint32_t i = 0; i < p->n; i++)
            p->q[(uint64_t)i * p->m + j] = (i == j + 1) - 2 * v[i] * v[j + 1] / square;
}

/* Set w = q L, where LL' = q' known q: a step of 1 is a standard deviation according to `known`. False if
 * that is singular. */
static bool whiten(asif_plane *p, const double *known) {
    uint32_t n = p->n, m = p->m;
    for (uint32_t a = 0; a < m; a++)
        for (uint32_t b = 0; b < m; b++) {
            double sum = 0;
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++)
                    sum += p->q[(uint64_t)i * m + a] * known[(uint64_t)i * n + j] * p->q[(uint64_t)j * m + b];
            p->bend[(uint64_t)a * m + b] = sum;
        }
    if (!asif_cholesky(p->bend, m))
        return false;
    for (uint32_t i = 0; i < n; i++)
        asif_upper_times(p->bend, m, p->q + (uint64_t)i * m, p->w + (uint64_t)i * m);
    return true;
}

/* Logarithm of the volume of the steps w: half the log-determinant of w'w. */
static double log_volume(asif_plane *p) {
    uint32_t m = p->m;
    double sum = 0;
    for (uint32_t a = 0; a < m; a++)
        for (uint32_t b = 0; b < m; b++) {
            double *entry = &p->bend[(uint64_t)a * m + b];
            *entry = 0;
            for (uint32_t i = 0; i < p->n; i++)
                *entry += p->w[(uint64_t)i * m + a] * p->w[(uint64_t)i * m + b];
        }
    if (!asif_cholesky(p->bend, m))
        return -INFINITY;
    for (uint32_t a = 0; a < m; a++)
        sum += log(p->bend[(uint64_t)a * m + a]);
    return sum;
}

/* ---- the maximum ---- */

static double length_of(const double *v, uint32_t m) {
    double square = 0;
    for (uint32_t j = 0; j < m; j++)
        square += v[j] * v[j];
    return sqrt(square);
}

/* Take a Newton step, shortened until the value rises. *moved: a step was taken. */
static asif_status step(asif_plane *p, const double *centre, double *value, bool *moved) {
    double length = length_of(p->gu, p->m), part = length > 1 ? 1 / length : 1, there;
    *moved = false;
    for (int i = 0; i < SHORTENINGS && !*moved && length > CLOSE; i++, part *= SHORTER) {
        for (uint32_t j = 0; j < p->m; j++)
            p->tried[j] = p->u[j] + part * p->gu[j];
        ASIF_TRY(at(p, centre, p->tried, &there, p->slopes));
        *moved = there > *value;
    }
    if (*moved) {
        *value = there;
        memcpy(p->u, p->tried, p->m * sizeof *p->u);
        memcpy(p->gu, p->slopes, p->m * sizeof *p->gu);
    }
    return ASIF_OK;
}

/* Climb from the centre to the maximum. The second derivatives in u are taken to be -1, as they were at the
 * nearby point. */
static asif_status climb(asif_plane *p, const double *centre, double *value, bool *found) {
    bool moved = true;
    memset(p->u, 0, p->m * sizeof *p->u);
    ASIF_TRY(at(p, centre, p->u, value, p->gu));
    *found = isfinite(*value);
    for (int i = 0; i < STEPS && *found && moved; i++) {
        ASIF_TRY(step(p, centre, value, &moved));
        *found = length_of(p->u, p->m) < FAR;
    }
    return ASIF_OK;
}

/* Set bend, minus the second derivatives in u. Where a difference leads outside the density, the column is
 * that of the identity. */
static asif_status differentiate(asif_plane *p, const double *centre) {
    uint32_t m = p->m;
    for (uint32_t j = 0; j < m; j++) {
        double up, down, *column = p->bend + (uint64_t)j * m;
        memcpy(p->tried, p->u, m * sizeof *p->u);
        p->tried[j] = p->u[j] + DIFFERENCE;
        ASIF_TRY(at(p, centre, p->tried, &up, p->slopes));
        p->tried[j] = p->u[j] - DIFFERENCE;
        ASIF_TRY(at(p, centre, p->tried, &down, column));
        bool inside = isfinite(up) && isfinite(down);
        for (uint32_t i = 0; i < m; i++)
            column[i] = inside ? (column[i] - p->slopes[i]) / (2 * DIFFERENCE) : i == j;
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < i; j++) {
            double *a = &p->bend[(uint64_t)i * m + j], *b = &p->bend[(uint64_t)j * m + i];
            *a = *b = (*a + *b) / 2;
        }
    return ASIF_OK;
}

/* Compute the eigenvalues of bend, limited to at least 1 / WIDER^2, and move u by a last Newton step. */
static void last_step(asif_plane *p) {
    uint32_t m = p->m;
    asif_eigen(p->bend, m, p->values, p->vectors);
    for (uint32_t a = 0; a < m; a++) {
        const double *v = p->vectors + (uint64_t)a * m;
        double slope = 0;
        p->values[a] = isfinite(p->values[a]) ? fmax(p->values[a], 1 / (WIDER * WIDER)) : 1;
        for (uint32_t j = 0; j < m; j++)
            slope += v[j] * p->gu[j];
        double move = fmax(-LAST, fmin(LAST, slope / p->values[a]));
        for (uint32_t j = 0; j < m; j++)
            p->u[j] += v[j] * move;
    }
}

/* Set w to steps in which the curvature is 1; `old` keeps the last w. */
static void rewhiten(asif_plane *p) {
    uint32_t n = p->n, m = p->m;
    memcpy(p->old, p->w, (uint64_t)n * m * sizeof *p->w);
    for (uint32_t a = 0; a < m; a++) {
        double square = 0;
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;
            for (uint32_t j = 0; j < m; j++)
                sum += p->old[(uint64_t)i * m + j] * p->vectors[(uint64_t)a * m + j];
            p->w[(uint64_t)i * m + a] = sum / sqrt(p->values[a]);
            square += sum * sum / p->values[a];
        }
        for (uint32_t i = 0; square > WIDEST * WIDEST && i < n; i++)
            p->w[(uint64_t)i * m + a] *= WIDEST / sqrt(square);
    }
}

static void covariance(const asif_plane *p, double *out) {
    uint32_t n = p->n, m = p->m;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            out[(uint64_t)i * n + j] = 0;
            for (uint32_t a = 0; a < m; a++)
                out[(uint64_t)i * n + j] += p->w[(uint64_t)i * m + a] * p->w[(uint64_t)j * m + a];
        }
}

asif_status asif_plane_maximise(asif_plane *p, const double *centre, const double *tangent,
                                const double *known, asif_plane_top *out, bool *found) {
    orthonormal(p, tangent);
    *found = whiten(p, known);
    if (!*found)
        return ASIF_OK;
    ASIF_TRY(climb(p, centre, &out->value, found));
    if (!*found)
        return ASIF_OK;
    place(p, centre, p->w, p->u);
    memcpy(out->at, p->point, p->n * sizeof *out->at);
    if (p->m > 0) {
        double value;
        ASIF_TRY(differentiate(p, centre));
        last_step(p);
        rewhiten(p);
        place(p, centre, p->old, p->u);
        ASIF_TRY(value_at(p, p->point, &value, NULL));
        if (value > out->value) {
            out->value = value;
            memcpy(out->at, p->point, p->n * sizeof *out->at);
        }
    }
    covariance(p, out->across);
    out->mass = out->value + log_volume(p);
    *found = isfinite(out->mass);
    return ASIF_OK;
}
