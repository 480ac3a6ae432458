#include "sample/population/posterior/coordinates.h"

#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define NEAREST                                                                                              \
    1e-12 /* partial correlations nearer to 1 or -1 count as 1 or -1: there is no such population */
enum { MOST = ASIF_POPULATION_MOST };

bool asif_coordinates_differ(const asif_normal_population *p, asif_coordinates c) {
    return c == ASIF_COORDINATES_COVARIANCES || (c == ASIF_COORDINATES_EFFECTS && p->pools);
}

/* ---- effects ---- */

/* Multiply effects by the sds of their pools, or divide by them. Returns the sum of their logarithms. */
static double rescale(const asif_normal_population *p, double *x, double sign) {
    uint32_t first = asif_population_first_effect(p);
    double sum = 0;
    for (uint32_t k = 0; k < p->effects; k++)
        if (asif_population_pool(p, k)) {
            x[first + k] *= exp(sign * x[asif_population_pool(p, k)]);
            sum += x[asif_population_pool(p, k)];
        }
    return sum;
}

/* ---- covariances ---- */

/* |dR/dy| is the product of (1 - c_ij^2)^((d - j)/2) over partial correlations c_ij = tanh y_ij of column j,
 * counted from 0 (Lewandowski, Kurowicka and Joe, 2009). */
static double to_covariances(const asif_normal_population *p, double *x) {
    uint64_t d = p->base->dimension;
    double l[MOST * MOST], s[MOST], sum = 0, *y = x + 2 * d;
    asif_population_correlations(p, x, l);
    for (uint64_t i = 0; i < d; i++) {
        sum += (p->correlated ? (double)d : 1) * x[d + i];
        x[d + i] = s[i] = exp(x[d + i]);
        for (uint64_t j = 0; p->correlated && j < i; j++, y++) {
            double r = 0;
            for (uint64_t k = 0; k <= j; k++)
                r += l[i * d + k] * l[j * d + k];
            sum -= (double)(d - j) * log(cosh(*y));
            *y = r * s[i] * s[j];
        }
    }
    return sum;
}

static bool from_covariances(const asif_normal_population *p, double *x) {
    uint64_t d = p->base->dimension;
    double l[MOST * MOST] = {0}, *y = x + 2 * d;
    for (uint64_t i = 0; i < d; i++) {
        if (!(x[d + i] > 0))
            return false;
        l[i * d + i] = 1;
        for (uint64_t j = 0; p->correlated && j < i; j++, y++)
            l[i * d + j] = l[j * d + i] = *y / (x[d + i] * x[d + j]);
    }
    if (!asif_cholesky(l, (uint32_t)d))
        return false;
    y = x + 2 * d;
    for (uint64_t i = 0; i < d; i++) {
        double rest = 1;
        x[d + i] = log(x[d + i]);
        for (uint64_t j = 0; p->correlated && j < i; j++, y++) {
            double c = l[i * d + j] / sqrt(rest);
            if (!(fabs(c) < 1 - NEAREST))
                return false;
            *y = atanh(c);
            rest *= 1 - c * c;
        }
    }
    return true;
}

/* ---- all of them ---- */

double asif_coordinates_of(const asif_normal_population *p, asif_coordinates c, const double *phi,
                           double *x) {
    memcpy(x, phi, asif_population_numbers(p) * sizeof *x);
    return c == ASIF_COORDINATES_COVARIANCES ? to_covariances(p, x)
           : c == ASIF_COORDINATES_EFFECTS   ? rescale(p, x, 1)
                                             : 0;
}

bool asif_coordinates_back(const asif_normal_population *p, asif_coordinates c, const double *x,
                           double *phi) {
    memmove(phi, x, asif_population_numbers(p) * sizeof *phi);
    if (c == ASIF_COORDINATES_COVARIANCES)
        return from_covariances(p, phi);
    if (c == ASIF_COORDINATES_EFFECTS)
        rescale(p, phi, -1);
    return true;
}
