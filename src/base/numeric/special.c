#include "base/numeric/special.h"

#include <math.h>
#include <stdint.h>

#define LOG_SQRT_2PI 0.91893853320467274178
#define STIRLING 10.0 /* from here on Stirling's series is exact to rounding */

static const double SQRT_HALF = 0.70710678118654752440, SQRT_TWO_PI = 2.50662827463100050242;

/* A first approximation of the quantile, within 4.5e-4 for 0 < p <= 0.5 (Abramowitz and Stegun
 * 1964, 26.2.23). */
static double rough(double p) {
    double t = sqrt(-2 * log(p));
    double above = 2.515517 + t * (0.802853 + t * 0.010328);
    double below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    return above / below - t;
}

/* P(X <= x) - p of a standard normal X, without cancellation near the middle. */
static double excess(double x, double p) {
    return p > 0.25 ? 0.5 * erf(x * SQRT_HALF) - (p - 0.5) : 0.5 * erfc(-x * SQRT_HALF) - p;
}

double asif_normal_quantile(double p) {
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    if (p > 0.5)
        return -asif_normal_quantile(1 - p);
    double x = rough(p);
    /* Each step of Halley's method triples the number of correct digits. */
    for (int i = 0; i < 2; i++) {
        double step = excess(x, p) * SQRT_TWO_PI * exp(0.5 * x * x);
        x -= step / (1 + 0.5 * x * step);
    }
    return x;
}

/* log Gamma(x) - ((x - 1/2) log x - x + log sqrt(2 pi)), x >= STIRLING (DLMF 5.11.1). */
static double stirling_rest(double x) {
    static const double c[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360.0, 1.0 / 156};
    double square = 1 / (x * x), sum = 0;
    for (int i = (int)(sizeof c / sizeof *c) - 1; i >= 0; i--)
        sum = sum * square + c[i];
    return sum / x;
}

double asif_log_gamma(double x) {
    double product = 1;
    for (; x < STIRLING; x += 1)
        product *= x;
    return (x - 0.5) * log(x) - x + LOG_SQRT_2PI + stirling_rest(x) - log(product);
}

double asif_log_beta(double a, double b) {
    double p = a < b ? a : b, q = a < b ? b : a;
    if (q < STIRLING)
        return asif_log_gamma(p) + asif_log_gamma(q) - asif_log_gamma(p + q);
    /* Stirling's series of both large terms, in a form without their large parts, which cancel. */
    double rest = stirling_rest(q) - stirling_rest(p + q), log_1h = log1p(-p / (p + q));
    if (p < STIRLING)
        return asif_log_gamma(p) + rest + p - p * log(p + q) + (q - 0.5) * log_1h;
    return LOG_SQRT_2PI + stirling_rest(p) + rest - 0.5 * log(q) + (p - 0.5) * log(p / (p + q)) + q * log_1h;
}

/* The continued fraction of DLMF 8.17.22, by Lentz's method; it converges fast for z below (a + 1)/(a + b
 * + 2). */
static double beta_fraction(double a, double b, double z) {
    enum { MOST = 200000 };
    double f = 1, c = 1, d = 0;
    for (uint32_t k = 1; k < MOST; k++) {
        uint32_t half = k / 2;
        double m = half;
        double term = k % 2 ? -(a + m) * (a + b + m) * z / ((a + 2 * m) * (a + 2 * m + 1))
                            : m * (b - m) * z / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + term * d);
        c = 1 + term / c;
        f *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return f;
}

double asif_beta_below(double a, double b, double log_z, double log_1z) {
    double z = exp(log_z);
    double scale = exp(a * log_z + b * log_1z - asif_log_beta(a, b));
    if (z <= (a + 1) / (a + b + 2))
        return scale / (a * beta_fraction(a, b, z));
    return 1 - scale / (b * beta_fraction(b, a, exp(log_1z)));
}

double asif_t_below(double t, double degrees) {
    if (isinf(degrees))
        return 0.5 * erfc(-t / sqrt(2));
    if (t == 0 || isnan(t))
        return t == 0 ? 0.5 : NAN;
    double ratio = log(degrees) - 2 * log(fabs(t)); /* log of degrees / t^2 */
    double tail =
        isinf(t) ? 0 : asif_beta_below(degrees / 2, 0.5, -asif_log1p_exp(-ratio), -asif_log1p_exp(ratio));
    return t < 0 ? tail / 2 : 1 - tail / 2;
}

double asif_t_quantile(double p, double degrees) {
    double low = 0, high = 1, tail = fmin(p, 1 - p);
    if (isinf(degrees))
        return asif_normal_quantile(p);
    while (high < 1e300 && asif_t_below(-high, degrees) > tail)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        double middle = low + (high - low) / 2;
        if (asif_t_below(-middle, degrees) > tail)
            low = middle;
        else
            high = middle;
    }
    return p < 0.5 ? -high : p > 0.5 ? high : 0;
}

double asif_log1p_exp(double t) {
    return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

double asif_logistic(double t) {
    double e = exp(-fabs(t));
    return (t < 0 ? e : 1) / (1 + e);
}
