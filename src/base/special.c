#include "base/special.h"

#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440, SQRT_TWO_PI = 2.50662827463100050242;

/* Abramowitz and Stegun (1964), 26.2.23: within 4.5e-4 for 0 < p <= 0.5. */
static double rough(double p) {
    double t = sqrt(-2 * log(p));
    double above = 2.515517 + t * (0.802853 + t * 0.010328);
    double below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    return above / below - t;
}

/* The probability below x minus p, without cancellation near the middle. */
static double excess(double x, double p) {
    return p > 0.25 ? 0.5 * erf(x * SQRT_HALF) - (p - 0.5) : 0.5 * erfc(-x * SQRT_HALF) - p;
}

double asif_normal_quantile(double p) {
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    if (p > 0.5)
        return -asif_normal_quantile(1 - p);
    double x = rough(p);
    /* Halley's method triples the digits. */
    for (int i = 0; i < 2; i++) {
        double step = excess(x, p) * SQRT_TWO_PI * exp(0.5 * x * x);
        x -= step / (1 + 0.5 * x * step);
    }
    return x;
}
