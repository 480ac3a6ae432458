/* Binomial and multinomial counts from counter-based random numbers. */
#include "checks/predictive_checks.h"

#include "base/numeric/special.h"

#include <math.h>

#define FEW 10 /* with fewer expected successes, the distribution function is summed */

static double next(const asif_stream *stream, uint32_t *counter) {
    return asif_uniform(stream, (*counter)++);
}

/* Sum the distribution function until it passes a uniform number. */
static double count_up(double u, double n, double p) {
    double q = 1 - p, k = 0, mass = exp(n * log1p(-p));
    while (u > mass && k < n) {
        u -= mass;
        k++;
        mass *= (n - k + 1) / k * (p / q);
        if (mass < 1e-300)
            break;
    }
    return k;
}

/* Transformed rejection (BTRS) for p <= 1/2: Hormann (1993), The generation of binomial random variates. */
static double reject(const asif_stream *stream, uint32_t *counter, double n, double p) {
    double q = 1 - p, spread = sqrt(n * p * q), mode = floor((n + 1) * p);
    double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, centre = n * p + 0.5;
    double inside = 0.92 - 4.2 / b, scale = (2.83 + 5.1 / b) * spread, odds = log(p / q);
    double top = asif_log_gamma(mode + 1) + asif_log_gamma(n - mode + 1);
    for (;;) {
        double u = next(stream, counter) - 0.5, v = next(stream, counter), edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + centre);
        if (k < 0 || k > n)
            continue;
        if (edge >= 0.07 && v <= inside)
            return k;
        v = log(v * scale / (a / (edge * edge) + b));
        if (v <= top - asif_log_gamma(k + 1) - asif_log_gamma(n - k + 1) + (k - mode) * odds)
            return k;
    }
}

double asif_check_binomial(const asif_stream *stream, uint32_t *counter, double n, double p) {
    if (!(p > 0) || n <= 0)
        return 0;
    if (p >= 1)
        return n;
    if (p > 0.5)
        return n - asif_check_binomial(stream, counter, n, 1 - p);
    return n * p < FEW ? count_up(next(stream, counter), n, p) : reject(stream, counter, n, p);
}

void asif_check_multinomial(const asif_stream *stream, uint32_t *counter, double n, const double *p,
                            uint32_t sorts, double *drawn) {
    double rest = 0;
    if (n == 1) { /* the case of most nodes of a large tree */
        uint32_t one = asif_draw(next(stream, counter), p, sorts);
        for (uint32_t i = 0; i < sorts; i++)
            drawn[i] = i == one;
        return;
    }
    for (uint32_t i = sorts; i-- > 0;) { /* from the end, so that no remainder is a difference */
        rest += p[i];
        drawn[i] = rest;
    }
    for (uint32_t i = 0; i < sorts; i++) {
        double k = i + 1 == sorts ? n : asif_check_binomial(stream, counter, n, p[i] / drawn[i]);
        drawn[i] = k;
        n -= k;
    }
}
