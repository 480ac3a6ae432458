#include "base/numeric/ce.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

double asif_ce(const asif_simd *simd, double b, const double *y, const double *w, uint32_t n) {
    double some_y[ASIF_BLOCK], some_w[ASIF_BLOCK], result = 0, total = 0;
    uint32_t used = 0;
    bool begun = false;
    /* The CE of a whole is the CE of the CEs of its parts, so that a fixed buffer is enough for any number
     * of outcomes. */
    for (uint32_t i = 0; i <= n; i++) {
        if (i < n && w[i] > 0) {
            some_y[used] = y[i];
            some_w[used++] = w[i];
        }
        if (used == 0 || (i < n && used < ASIF_BLOCK - 1))
            continue;
        double sum = 0;
        if (begun) {
            some_y[used] = result;
            some_w[used++] = total;
        }
        for (uint32_t j = 0; j < used; j++)
            sum += some_w[j];
        for (uint32_t j = 0; j < used; j++)
            some_w[j] /= sum;
        simd->certainty(&result, b, some_y, 1, some_w, used, NULL, 1);
        total = sum;
        begun = true;
        used = 0;
    }
    return result;
}

void asif_ce_tilt(double b, const double *y, const double *w, uint32_t n, double *p, double *log_p) {
    double best = NAN, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (w[i] > 0 && (isnan(best) || (b >= 0 ? y[i] > best : y[i] < best)))
            best = y[i];
    double near = 1e-10 * (fabs(best) > 1 ? fabs(best) : 1);
    bool limit = isinf(b);
    for (uint32_t i = 0; i < n; i++) {
        if (!(w[i] > 0))
            continue;
        if (limit)
            sum += fabs(y[i] - best) <= near ? w[i] : 0;
        else
            sum += w[i] * exp(b * (y[i] - best));
    }
    double log_sum = log(sum);
    for (uint32_t i = 0; i < n; i++) {
        double l = -INFINITY;
        if (w[i] > 0 && (!limit || fabs(y[i] - best) <= near))
            l = log(w[i]) + (limit ? 0 : b * (y[i] - best)) - log_sum;
        if (p)
            p[i] = exp(l);
        if (log_p)
            log_p[i] = l;
    }
}

/* If b times the spread of the outcomes is below this, a series is more accurate than the difference of two
 * nearly equal numbers. */
#define SERIES 1e-4

double asif_ce_slope(double b, double ce, const double *y, uint64_t stride, const double *w,
                     const double *tilted, uint32_t n, double *dw) {
    double mean = 0, spread = 0, second = 0, third = 0, slope = 0;
    if (isinf(b)) {
        for (uint32_t i = 0; dw && i < n; i++)
            dw[i] = 0;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        mean += w[i] * y[i * stride];
    for (uint32_t i = 0; i < n; i++)
        spread = fmax(spread, fabs(y[i * stride] - mean));
    if (fabs(b) * spread >= SERIES) {
        for (uint32_t i = 0; i < n; i++) {
            slope += tilted[i * stride] * (y[i * stride] - ce);
            if (dw)
                dw[i] = (tilted[i * stride] / w[i] - 1) / b;
        }
        return slope / b;
    }
    for (uint32_t i = 0; i < n; i++) {
        double d = y[i * stride] - mean;
        second += w[i] * d * d;
        third += w[i] * d * d * d;
    }
    for (uint32_t i = 0; dw && i < n; i++) {
        double d = y[i * stride] - mean - b * second / 2;
        dw[i] = d + b * d * d / 2;
    }
    return second / 2 + b * third / 3;
}
