#include "sample/chains/ridge_map.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define REACH 3.0      /* standard deviations beyond which polynomials level off */
#define DRAWS_A_TERM 8 /* draws that are needed for each term */
#define SHRINK 5.0     /* penalty on the coefficients: counts as this many draws without a bend */

enum { TERMS = ASIF_RIDGE_MAP_TERMS, PIVOTS = ASIF_RIDGE_MAP_PIVOTS };

asif_status asif_ridge_map_create(asif_ridge_map *out, const asif_context *context, uint32_t n,
                                  asif_error *error) {
    asif_ridge_map *b = out;
    uint64_t square = (uint64_t)n * n;
    *b = (asif_ridge_map){.context = context, .n = n};
    b->mean = ASIF_ARRAY(context, n, double);
    b->axes = ASIF_ARRAY(context, square, double);
    b->back = ASIF_ARRAY(context, square, double);
    b->shape = ASIF_ARRAY(context, (uint64_t)n * TERMS, double);
    b->u = ASIF_ARRAY(context, 2ull * n, double);
    return b->mean && b->axes && b->back && b->shape && b->u ? ASIF_OK : asif_fail_memory(error);
}

void asif_ridge_map_free(asif_ridge_map *b) {
    void *const arrays[] = {b->mean, b->axes, b->back, b->shape, b->u};
    for (size_t i = 0; b->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(b->context, arrays[i]);
    *b = (asif_ridge_map){0};
}

/* Compute the terms of the coordinates before k at u, and their slopes in u: slope[term][pivot]. Returns
 * their number. */
static uint32_t terms_of(const double *u, uint32_t k, double *term, double (*slope)[PIVOTS]) {
    uint32_t pivots = k < PIVOTS ? k : PIVOTS, count = 0;
    double s[PIVOTS], ds[PIVOTS];
    for (uint32_t i = 0; i < pivots; i++) {
        double t = tanh(u[i] / REACH);
        s[i] = REACH * t;
        ds[i] = 1 - t * t;
    }
    memset(slope, 0, TERMS * sizeof *slope);
    for (uint32_t i = 0; i < pivots; i++) {
        double power = 1;
        for (int order = 1; order <= 3; order++) {
            slope[count][i] = order * power * ds[i];
            power *= s[i];
            term[count++] = power;
        }
    }
    for (uint32_t i = 0; i < pivots; i++)
        for (uint32_t j = 0; j < i; j++) {
            slope[count][i] = s[j] * ds[i];
            slope[count][j] = s[i] * ds[j];
            term[count++] = s[i] * s[j];
        }
    return count;
}

static double moved(const asif_ridge_map *b, const double *u, uint32_t k) {
    double term[TERMS], slope[TERMS][PIVOTS], sum = 0;
    uint32_t count = terms_of(u, k, term, slope);
    for (uint32_t i = 0; i < count; i++)
        sum += b->shape[(uint64_t)k * TERMS + i] * term[i];
    return sum;
}

void asif_ridge_map_x(asif_ridge_map *b, const double *y, double *x) {
    if (!b->bent) {
        memcpy(x, y, b->n * sizeof *x);
        return;
    }
    for (uint32_t k = 0; k < b->n; k++)
        b->u[k] = y[k] + moved(b, b->u, k);
    asif_dense_times(b->axes, b->n, b->n, b->u, x);
    for (uint32_t k = 0; k < b->n; k++)
        x[k] += b->mean[k];
}

void asif_ridge_map_y(asif_ridge_map *b, const double *x, double *y) {
    if (!b->bent) {
        memcpy(y, x, b->n * sizeof *y);
        return;
    }
    double *off = b->u + b->n;
    for (uint32_t k = 0; k < b->n; k++)
        off[k] = x[k] - b->mean[k];
    asif_dense_times(b->back, b->n, b->n, off, b->u);
    for (uint32_t k = 0; k < b->n; k++)
        y[k] = b->u[k] - moved(b, b->u, k);
}

void asif_ridge_map_pull(asif_ridge_map *b, double *gradient) {
    double *g = b->u + b->n;
    if (!b->bent)
        return;
    for (uint32_t k = 0; k < b->n; k++) {
        g[k] = 0;
        for (uint32_t i = 0; i < b->n; i++)
            g[k] += b->axes[(uint64_t)i * b->n + k] * gradient[i];
    }
    for (uint32_t k = b->n; k-- > 1;) {
        double term[TERMS], slope[TERMS][PIVOTS];
        uint32_t count = terms_of(b->u, k, term, slope);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t p = 0; p < PIVOTS && p < k; p++)
                g[p] += g[k] * b->shape[(uint64_t)k * TERMS + i] * slope[i][p];
    }
    memcpy(gradient, g, b->n * sizeof *gradient);
}

/* ---- fitting ---- */

/* Set the axes to the principal axes of the correlations, the longest first: u has variance 1 in every
 * coordinate. False: the draws do not vary in some direction. */
static bool fit_axes(asif_ridge_map *b, const double *x, uint64_t count, double *room) {
    uint32_t n = b->n;
    double *sd = room, *values = sd + n, *correlation = values + n, *vectors = correlation + (uint64_t)n * n;
    memset(b->mean, 0, n * sizeof *b->mean);
    memset(correlation, 0, (uint64_t)n * n * sizeof *correlation);
    for (uint64_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < n; i++)
            b->mean[i] += x[r * n + i] / (double)count;
    for (uint64_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                correlation[(uint64_t)i * n + j] += (x[r * n + i] - b->mean[i]) * (x[r * n + j] - b->mean[j]);
    for (uint32_t i = 0; i < n; i++) {
        sd[i] = sqrt(correlation[(uint64_t)i * n + i] / (double)count);
        if (!(sd[i] > 1e-10 * fabs(b->mean[i]) && isfinite(sd[i])))
            return false;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            correlation[(uint64_t)i * n + j] /= (double)count * sd[i] * sd[j];
    asif_eigen(correlation, n, values, vectors);
    for (uint32_t k = 0; k < n; k++) {
        const double *vector = vectors + (uint64_t)(n - 1 - k) * n;
        double length = sqrt(fmax(values[n - 1 - k], 0));
        if (!(length > 1e-6))
            return false;
        for (uint32_t i = 0; i < n; i++) {
            b->axes[(uint64_t)i * n + k] = sd[i] * vector[i] * length;
            b->back[(uint64_t)k * n + i] = vector[i] / (sd[i] * length);
        }
    }
    return true;
}

/* Fit f_k by least squares with a small penalty. The constant is left out, because it only shifts y. */
static void fit_shape(asif_ridge_map *b, const double *u, uint64_t count, uint32_t k) {
    double mean[TERMS] = {0}, gram[TERMS * TERMS] = {0}, right[TERMS] = {0}, term[TERMS],
           slope[TERMS][PIVOTS], *shape = b->shape + (uint64_t)k * TERMS;
    uint32_t n = b->n, terms = terms_of(u, k, term, slope);
    memset(shape, 0, TERMS * sizeof *shape);
    if (count < (uint64_t)DRAWS_A_TERM * terms)
        return;
    for (uint64_t r = 0; r < count; r++) {
        terms_of(u + r * n, k, term, slope);
        for (uint32_t i = 0; i < terms; i++)
            mean[i] += term[i] / (double)count;
    }
    for (uint64_t r = 0; r < count; r++) {
        terms_of(u + r * n, k, term, slope);
        for (uint32_t i = 0; i < terms; i++) {
            right[i] += (term[i] - mean[i]) * u[r * n + k];
            for (uint32_t j = 0; j < terms; j++)
                gram[i * terms + j] += (term[i] - mean[i]) * (term[j] - mean[j]);
        }
    }
    for (uint32_t i = 0; i < terms; i++)
        gram[i * terms + i] += SHRINK;
    if (!asif_cholesky(gram, terms))
        return;
    asif_lower_solve(gram, terms, right);
    asif_upper_solve(gram, terms, right);
    memcpy(shape, right, terms * sizeof *shape);
}

bool asif_ridge_map_fit(asif_ridge_map *b, const double *x, uint64_t count, asif_status *status) {
    uint64_t n = b->n;
    *status = ASIF_OK;
    if (n < 2 || count < (uint64_t)DRAWS_A_TERM * 3)
        return false;
    asif_ridge_map fitted;
    double *room = ASIF_ARRAY(b->context, 2 * n + 2 * n * n + count * n, double);
    *status = asif_ridge_map_create(&fitted, b->context, b->n, NULL);
    if (*status != ASIF_OK || !room) {
        asif_ridge_map_free(&fitted);
        asif_free(b->context, room);
        *status = ASIF_ENOMEM;
        return false;
    }
    bool good = fit_axes(&fitted, x, count, room);
    if (good) {
        double *u = room + 2 * n + 2 * n * n;
        fitted.bent = 1; /* the shape is still 0, so that y is u */
        for (uint64_t r = 0; r < count; r++)
            asif_ridge_map_y(&fitted, x + r * n, u + r * n);
        for (uint32_t k = 1; k < n; k++)
            fit_shape(&fitted, u, count, k);
        asif_ridge_map kept = *b;
        *b = fitted;
        fitted = kept;
    }
    asif_ridge_map_free(&fitted);
    asif_free(b->context, room);
    return good;
}
