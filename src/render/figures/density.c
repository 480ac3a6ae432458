/* Kernel densities in one and two dimensions. */
#include "render/figures/density.h"

#include "asif/sample.h"

#include <math.h>
#include <string.h>

#define SQRT_2PI 2.50662827463100050242
#define REACH 6.0 /* reach of a kernel in widths; beyond it, the kernel is below exp(-18) of its peak */
#define SIDE 6.0  /* largest half edge of a plane, in standard deviations */

static double deviation(const double *value, uint64_t n) {
    double mean = 0, sum = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        sum += (value[i] - mean) * (value[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

double asif_density_width(const double *sorted, uint64_t n) {
    if (n < 2 || !(sorted[0] < sorted[n - 1]))
        return 0;
    double sd = deviation(sorted, n);
    double quartiles = (asif_quantile(sorted, n, 0.75) - asif_quantile(sorted, n, 0.25)) / 1.34;
    return 0.9 * (quartiles > 0 ? fmin(sd, quartiles) : sd) * pow((double)n, -0.2);
}

/* Index of the first value that is not below x. */
static uint64_t first_from(const double *sorted, uint64_t n, double x) {
    uint64_t low = 0, high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double asif_density_at(const double *sorted, uint64_t n, double width, double x) {
    double sum = 0;
    for (uint64_t i = first_from(sorted, n, x - REACH * width); i < n && sorted[i] <= x + REACH * width;
         i++) {
        double z = (sorted[i] - x) / width;
        sum += exp(-0.5 * z * z);
    }
    return sum / ((double)n * width * SQRT_2PI);
}

/* ---- two dimensions ---- */

static void set_range(asif_plane *plane, uint32_t axis, const double *value, uint64_t n, double width) {
    double low = INFINITY, high = -INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    low = fmax(low - 4 * width, -SIDE);
    high = fmin(high + 4 * width, SIDE);
    plane->low[axis] = low;
    plane->step[axis] = (high - low) / (ASIF_PLANE_SIZE - 1);
}

/* The cell of the lattice that contains a coordinate, and the position in it from 0 to 1; false: outside. */
static bool locate(const asif_plane *plane, uint32_t axis, double at, uint32_t *cell, double *part) {
    double t = (at - plane->low[axis]) / plane->step[axis];
    if (!(t >= 0 && t < ASIF_PLANE_SIZE - 1))
        return false;
    *cell = (uint32_t)t;
    *part = t - *cell;
    return true;
}

/* Smooth a row of the lattice (stride 1) or a column with a Gaussian kernel. */
static void smooth(double *value, uint32_t stride, double steps) {
    double out[ASIF_PLANE_SIZE] = {0};
    int reach = (int)(5 * steps) + 1;
    for (int i = 0; i < ASIF_PLANE_SIZE; i++)
        for (int j = i - reach < 0 ? 0 : i - reach; j <= i + reach && j < ASIF_PLANE_SIZE; j++)
            out[i] += value[(uint32_t)j * stride] * exp(-0.5 * (i - j) * (i - j) / (steps * steps));
    for (uint32_t i = 0; i < ASIF_PLANE_SIZE; i++)
        value[i * stride] = out[i] / (steps * SQRT_2PI);
}

void asif_plane_fill(asif_plane *out, const double *x, const double *y, uint64_t n) {
    const uint32_t last = ASIF_PLANE_SIZE - 1;
    double width = pow((double)n, -1.0 / 6);
    memset(out->value, 0, sizeof out->value);
    set_range(out, 0, x, n, width);
    set_range(out, 1, y, n, width);
    double share = 1 / ((double)n * out->step[0] * out->step[1]);
    for (uint64_t k = 0; k < n; k++) {
        uint32_t i, j;
        double a, b;
        if (!locate(out, 0, x[k], &i, &a) || !locate(out, 1, y[k], &j, &b))
            continue;
        out->value[j][i] += (1 - a) * (1 - b) * share;
        out->value[j][i + 1] += a * (1 - b) * share;
        out->value[j + 1][i] += (1 - a) * b * share;
        out->value[j + 1][i + 1] += a * b * share;
    }
    for (uint32_t i = 0; i <= last; i++)
        smooth(out->value[i], 1, width / out->step[0]);
    for (uint32_t i = 0; i <= last; i++)
        smooth(&out->value[0][i], ASIF_PLANE_SIZE, width / out->step[1]);
    for (uint32_t i = 0; i <= last; i++)
        out->value[0][i] = out->value[last][i] = out->value[i][0] = out->value[i][last] = 0;
}

double asif_plane_at(const asif_plane *plane, double x, double y) {
    uint32_t i, j;
    double a, b;
    if (!locate(plane, 0, x, &i, &a) || !locate(plane, 1, y, &j, &b))
        return 0;
    return (1 - b) * ((1 - a) * plane->value[j][i] + a * plane->value[j][i + 1]) +
           b * ((1 - a) * plane->value[j + 1][i] + a * plane->value[j + 1][i + 1]);
}
