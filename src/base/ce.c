#include "base/ce.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

double asif_ce(const asif_simd *simd, double b, const double *y, const double *w, uint32_t n) {
    double some_y[ASIF_BLOCK], some_w[ASIF_BLOCK], result = 0, total = 0;
    uint32_t used = 0;
    bool begun = false;
    /* CE of a whole is the CE of the CEs of its parts, so any number of outcomes goes through a fixed buffer. */
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
