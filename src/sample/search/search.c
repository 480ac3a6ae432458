#include "sample/search/search.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define PROGRESS_EVERY 16
#define TINY_EIGENVALUE 1e-11 /* of the largest: the error of differences hides smaller ones */

asif_status asif_search_create(asif_search *search, const asif_context *context, const asif_density *density,
                               uint32_t held, atomic_bool *stop, const char *what, asif_error *error) {
    *search = (asif_search){.context = context,
                            .density = density,
                            .n = density->dimension,
                            .m = density->dimension - (held != ASIF_NONE_HELD),
                            .held = held,
                            .stop = stop,
                            .what = what};
    uint64_t n = search->n, m = search->m;
    search->origin = ASIF_ARRAY(context, 4 * n + n * m + m * m, double);
    search->room = ASIF_ARRAY(context, 3 * m * m + 10 * m, double);
    if (!search->origin || !search->room)
        return asif_fail_memory(error);
    search->best = search->origin + n;
    search->x = search->best + n;
    search->gradient = search->x + n;
    search->basis = search->gradient + n;
    search->inverse = search->basis + n * m;
    return ASIF_OK;
}

void asif_search_free(asif_search *search) {
    if (!search->context)
        return;
    asif_free(search->context, search->origin);
    asif_free(search->context, search->room);
}

static bool is_finite(const double *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static bool must_stop(asif_search *s) {
    if (s->status != ASIF_OK || s->evaluations >= s->most)
        return true;
    if (s->evaluations % PROGRESS_EVERY == 0 && asif_progress(s->context, s->what, s->done))
        atomic_store(s->stop, true);
    if (!atomic_load(s->stop))
        return false;
    s->status = asif_fail(&s->error, ASIF_ECANCELLED, "cancelled");
    return true;
}

bool asif_search_at(asif_search *s, const double *u, double *value, double *gradient) {
    if (must_stop(s))
        return false;
    asif_dense_times(s->basis, s->n, s->m, u, s->x);
    for (uint32_t i = 0; i < s->n; i++)
        s->x[i] += s->origin[i];
    s->evaluations++;
    *value = -INFINITY;
    if (!is_finite(s->x, s->n))
        return true;
    s->status = s->density->evaluate(s->density->user, s->x, value, gradient ? s->gradient : NULL, &s->error);
    if (s->status != ASIF_OK)
        return false;
    if (!isfinite(*value) || (gradient && !is_finite(s->gradient, s->n))) {
        *value = -INFINITY;
        return true;
    }
    if (*value > s->value) {
        s->value = *value;
        memcpy(s->best, s->x, s->n * sizeof *s->best);
    }
    if (gradient)
        for (uint32_t j = 0; j < s->m; j++) {
            gradient[j] = 0;
            for (uint32_t i = 0; i < s->n; i++)
                gradient[j] += s->basis[(uint64_t)i * s->m + j] * s->gradient[i];
        }
    return true;
}

void asif_search_scale(asif_search *s, const double *scale) {
    memset(s->basis, 0, (uint64_t)s->n * s->m * sizeof *s->basis);
    memset(s->inverse, 0, (uint64_t)s->m * s->m * sizeof *s->inverse);
    for (uint32_t i = 0, j = 0; i < s->n; i++) {
        if (i == s->held)
            continue;
        double step = scale ? scale[i] : 1;
        s->basis[(uint64_t)i * s->m + j] = step;
        s->inverse[(uint64_t)j * s->m + j] = 1 / step;
        j++;
    }
}

void asif_search_factor(asif_search *s, const double *factor) {
    uint64_t n = s->n;
    memcpy(s->basis, factor, n * n * sizeof *factor);
    memset(s->inverse, 0, n * n * sizeof *s->inverse);
    for (uint64_t k = 0; k < n; k++) /* one column of the inverse at a time, by substitution */
        for (uint64_t i = k; i < n; i++) {
            double sum = i == k;
            for (uint64_t j = k; j < i; j++)
                sum -= factor[i * n + j] * s->inverse[j * n + k];
            s->inverse[i * n + k] = sum / factor[i * n + i];
        }
}

/* Set the basis: the reflection I - 2vv'/v'v that takes the first axis to the direction takes the others to
 * an orthonormal basis across it. */
void asif_search_across(asif_search *s, const double *scale, const double *direction) {
    uint64_t n = s->n, m = s->m;
    double *v = s->x, length = 0, square = 0;
    for (uint64_t i = 0; i < n; i++) {
        v[i] = direction[i] / (scale ? scale[i] : 1);
        length += v[i] * v[i];
    }
    v[0] += copysign(sqrt(length), v[0]);
    for (uint64_t i = 0; i < n; i++)
        square += v[i] * v[i];
    memset(s->inverse, 0, m * m * sizeof *s->inverse);
    for (uint64_t j = 0; j < m; j++) {
        s->inverse[j * m + j] = 1;
        for (uint64_t i = 0; i < n; i++)
            s->basis[i * m + j] =
                (scale ? scale[i] : 1) * ((i == j + 1) - (square > 0 ? 2 * v[i] * v[j + 1] / square : 0));
    }
}

void asif_search_begin(asif_search *s, const double *x, uint64_t most) {
    memcpy(s->origin, x, s->n * sizeof *x);
    memcpy(s->best, x, s->n * sizeof *x);
    s->evaluations = 0;
    s->most = most;
    s->value = -INFINITY;
    double value, *u = s->room;
    memset(u, 0, s->m * sizeof *u);
    asif_search_at(s, u, &value, NULL);
}

void asif_search_centre(asif_search *s) {
    memcpy(s->origin, s->best, s->n * sizeof *s->best);
}

/* to = to * w, one row at a time. */
static void times_matrix(double *to, uint32_t rows, uint32_t m, const double *w, double *row) {
    for (uint32_t i = 0; i < rows; i++) {
        double *out = to + (uint64_t)i * m;
        memcpy(row, out, m * sizeof *row);
        memset(out, 0, m * sizeof *out);
        for (uint32_t k = 0; k < m; k++)
            for (uint32_t j = 0; j < m; j++)
                out[j] += row[k] * w[(uint64_t)k * m + j];
    }
}

/* to = w * to, one column at a time. */
static void matrix_times(double *to, uint32_t m, const double *w, double *column) {
    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t k = 0; k < m; k++)
            column[k] = to[(uint64_t)k * m + j];
        for (uint32_t i = 0; i < m; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < m; k++)
                sum += w[(uint64_t)i * m + k] * column[k];
            to[(uint64_t)i * m + j] = sum;
        }
    }
}

double asif_search_whiten(asif_search *s, double *curvature, bool *positive) {
    uint32_t m = s->m;
    double *vectors = s->room, *w = vectors + (uint64_t)m * m, *values = w + (uint64_t)m * m,
           *line = values + m;
    asif_eigen(curvature, m, values, vectors);
    double least = m ? TINY_EIGENVALUE * values[m - 1] : 0, ratio = 1;
    *positive = true;
    for (uint32_t k = 0; k < m; k++) {
        bool good = values[k] > least && values[k] > 0 && isfinite(values[k]);
        double length = good ? 1 / sqrt(values[k]) : 1;
        *positive = *positive && good;
        ratio = fmax(ratio, fmax(length, 1 / length));
        for (uint32_t i = 0; i < m; i++) {
            w[(uint64_t)i * m + k] = vectors[(uint64_t)k * m + i] * length;
            vectors[(uint64_t)k * m + i] /= length;
        }
    }
    times_matrix(s->basis, s->n, m, w, line);
    matrix_times(s->inverse, m, vectors, line);
    return ratio;
}

double asif_search_distance(const double *inverse, uint64_t n, const double *a, const double *b) {
    double square = 0;
    for (uint64_t r = 0; r < n; r++) {
        double u = 0;
        for (uint64_t c = 0; c < n; c++)
            u += inverse[r * n + c] * (a[c] - b[c]);
        square += u * u;
    }
    return sqrt(square);
}

uint64_t asif_search_flattest(const double *basis, uint64_t n, const double *scale) {
    double longest = -1;
    uint64_t axis = 0;
    for (uint64_t k = 0; k < n; k++) {
        double square = 0;
        for (uint64_t i = 0; i < n; i++) {
            double step = basis[i * n + k] / (scale ? scale[i] : 1);
            square += step * step;
        }
        if (square > longest) {
            longest = square;
            axis = k;
        }
    }
    return axis;
}
