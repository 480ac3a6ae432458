#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define FIRST_STEP 0.01 /* first step, in units of the scale */
#define MOST_ROUNDS 6   /* most attempts to find a step */
#define MOST_SHRINKS 20 /* most attempts to find a step to points with finite values */
#define STEP 0.1        /* standard deviations */
#define STEP_VALUES 0.5 /* standard deviations, without gradients */

typedef struct {
    asif_search *search;
    uint32_t m;
    double value;      /* value at u = 0, if there are no gradients */
    double *u;         /* [m] */
    double *step;      /* [m] */
    double *up, *down; /* [m]: gradients */
    double *curvature;
} differences;

/* Value and gradient at a step along one coordinate. */
static bool at(differences *d, uint32_t j, double step, double *value, double *gradient) {
    d->u[j] = step;
    bool going = asif_search_at(d->search, d->u, value, gradient);
    d->u[j] = 0;
    return going;
}

/* Compute one column by a step; a shorter one if the values are not finite there. 0 if no step works. */
static bool column(differences *d, uint32_t j) {
    bool gradients = d->search->density->has_gradient;
    double *column = d->curvature + (uint64_t)j * d->m, up, down;
    memset(column, 0, d->m * sizeof *column);
    for (int i = 0; i < MOST_SHRINKS; i++, d->step[j] /= 4) {
        double h = d->step[j];
        if (!at(d, j, h, &up, gradients ? d->up : NULL) || !at(d, j, -h, &down, gradients ? d->down : NULL))
            return false;
        if (!isfinite(up) || !isfinite(down))
            continue;
        if (gradients)
            for (uint32_t k = 0; k < d->m; k++)
                column[k] = (d->down[k] - d->up[k]) / (2 * h);
        else
            column[j] = (2 * d->value - up - down) / (h * h);
        break;
    }
    return true;
}

/* Find the step of a coordinate from a first guess, and compute its column. */
static bool find_step(differences *d, uint32_t j) {
    double part = d->search->density->has_gradient ? STEP : STEP_VALUES;
    for (int round = 0;; round++) {
        if (!column(d, j))
            return false;
        double bend = d->curvature[(uint64_t)j * d->m + j], h = d->step[j];
        double want = bend > 0 ? part / sqrt(bend) : part;
        if (round == MOST_ROUNDS || (want < 2 * h && want > h / 2))
            return true;
        d->step[j] = fmin(fmax(want, h / 1000), h * 1000);
    }
}

/* Compute a mixed second difference of values. */
static bool mixed(differences *d, uint32_t i, uint32_t j) {
    double value[4], total = 0;
    for (int k = 0; k < 4; k++) {
        d->u[i] = k & 1 ? -d->step[i] : d->step[i];
        d->u[j] = k & 2 ? -d->step[j] : d->step[j];
        bool going = asif_search_at(d->search, d->u, &value[k], NULL);
        d->u[i] = d->u[j] = 0;
        if (!going)
            return false;
        total += k == 0 || k == 3 ? -value[k] : value[k];
    }
    double c = isfinite(total) ? total / (4 * d->step[i] * d->step[j]) : 0;
    d->curvature[(uint64_t)i * d->m + j] = d->curvature[(uint64_t)j * d->m + i] = c;
    return true;
}

static bool second_differences(asif_search *search, double first, bool known, double *curvature) {
    uint32_t m = search->m;
    bool gradients = search->density->has_gradient;
    double *room = search->room;
    differences d = {.search = search,
                     .m = m,
                     .u = room,
                     .step = room + m,
                     .up = room + 2 * (uint64_t)m,
                     .down = room + 3 * (uint64_t)m,
                     .curvature = curvature};
    memset(room, 0, m * sizeof *room);
    if (!gradients && !asif_search_at(search, d.u, &d.value, NULL))
        return false;
    for (uint32_t j = 0; j < m; j++) {
        d.step[j] = first;
        if (known ? !column(&d, j) : !find_step(&d, j))
            return false;
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (!gradients && !mixed(&d, i, j))
                return false;
            double *a = curvature + (uint64_t)i * m + j, *b = curvature + (uint64_t)j * m + i;
            *a = *b = (*a + *b) / 2;
        }
    return true;
}

static double known_step(const asif_search *search) {
    return search->density->has_gradient ? STEP : STEP_VALUES;
}

bool asif_search_curvature(asif_search *search, bool known, double *curvature) {
    return second_differences(search, known ? known_step(search) : FIRST_STEP, known, curvature);
}

/* out = inverse' K inverse: the curvature in x from that in u. */
static void to_x(const asif_search *s, const double *k, double *column, double *out) {
    uint32_t n = s->m;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t a = 0; a < n; a++) {
            column[a] = 0;
            for (uint32_t b = 0; b < n; b++)
                column[a] += k[(uint64_t)a * n + b] * s->inverse[(uint64_t)b * n + j];
        }
        for (uint32_t i = 0; i <= j; i++) {
            double sum = 0;
            for (uint32_t a = 0; a < n; a++)
                sum += s->inverse[(uint64_t)a * n + i] * column[a];
            out[(uint64_t)i * n + j] = out[(uint64_t)j * n + i] = sum;
        }
    }
}

static void covariance_of(const asif_search *s, double *out) {
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += s->basis[(uint64_t)i * n + k] * s->basis[(uint64_t)j * n + k];
            out[(uint64_t)i * n + j] = sum;
        }
}

/* In steps of `scale` at first, or of the columns of `factor` unless it is NULL. */
static asif_status find_curvature(double *curvature, double *covariance, bool *positive,
                                  const asif_context *context, const asif_density *density, const double *x,
                                  const double *scale, const double *factor, asif_error *error) {
    asif_search search;
    atomic_bool stop;
    atomic_init(&stop, false);
    bool good = false;
    double *k = NULL;
    uint32_t n = density->dimension;
    asif_status status =
        asif_search_create(&search, context, density, ASIF_NONE_HELD, &stop, "curvature", error);
    if (status == ASIF_OK) {
        k = ASIF_ARRAY(context, (uint64_t)n * n + n, double);
        if (!k)
            status = asif_fail_memory(error);
    }
    if (status == ASIF_OK) {
        if (factor)
            asif_search_factor(&search, factor);
        else
            asif_search_scale(&search, scale);
        asif_search_begin(&search, x, UINT64_MAX);
        if (search.status == ASIF_OK && !isfinite(search.value))
            status = asif_fail(error, ASIF_EDOMAIN,
                               "the density is -inf or not a number where its curvature is asked for");
    }
    for (int pass = 0; status == ASIF_OK && pass < ASIF_MOST_WHITENINGS; pass++) {
        bool known = factor || pass > 0;
        if (!asif_search_curvature(&search, known, k))
            break;
        to_x(&search, k, k + (uint64_t)n * n, curvature);
        if (asif_search_whiten(&search, k, &good) < 2 && known)
            break;
    }
    if (status == ASIF_OK && search.status != ASIF_OK) {
        status = search.status;
        if (error)
            *error = search.error;
    }
    if (status == ASIF_OK && covariance)
        covariance_of(&search, covariance);
    if (status == ASIF_OK && positive)
        *positive = good;
    asif_free(context, k);
    asif_search_free(&search);
    return status;
}

static void adapt(asif_search *s, double first) {
    asif_search_centre(s);
    double *curvature = s->room + 2 * (uint64_t)s->m * s->m + 2 * (uint64_t)s->m;
    bool positive;
    for (int pass = 0; pass < ASIF_MOST_WHITENINGS; pass++) {
        if (!second_differences(s, pass > 0 ? known_step(s) : first, pass > 0, curvature))
            return;
        double change = asif_search_whiten(s, curvature, &positive);
        if (change < 2 && (pass > 0 || first > FIRST_STEP))
            return;
    }
}

void asif_search_adapt(asif_search *s) {
    adapt(s, FIRST_STEP);
}

void asif_search_readapt(asif_search *s) {
    adapt(s, known_step(s));
}

asif_status asif_curvature(double *curvature, double *covariance, bool *positive, const asif_context *context,
                           const asif_density *density, const double *x, const double *scale,
                           asif_error *error) {
    return find_curvature(curvature, covariance, positive, context, density, x, scale, NULL, error);
}

asif_status asif_curvature_near(double *curvature, double *covariance, bool *positive,
                                const asif_context *context, const asif_density *density, const double *x,
                                const double *factor, asif_error *error) {
    return find_curvature(curvature, covariance, positive, context, density, x, NULL, factor, error);
}
