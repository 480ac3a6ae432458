#include "dynamics/variates.h"

#include <math.h>
#include <stdbool.h>

#define FEW 12 /* so many trials are drawn one by one */

static double uniform(asif_variates *v) {
    return asif_uniform(&v->stream, v->used++);
}

double asif_gamma_variate(asif_variates *v, double shape) {
    if (shape < 1) {
        double boost = log(uniform(v)) / shape;
        return asif_gamma_variate(v, shape + 1) * exp(boost);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = asif_normal(&v->stream, v->used++), t = 1 + c * x;
        double cube = t * t * t;
        if (t > 0 && log(uniform(v)) < .5 * x * x + d - d * cube + d * log(cube))
            return d * cube;
    }
}

double asif_binomial_variate(asif_variates *v, double n, double p) {
    double sum = 0;
    if (!(p > 0))
        return 0;
    if (!(p < 1))
        return n;
    /* The a-th smallest of n uniform numbers is a beta variate: it says on which side of p the others are. */
    while (n > FEW) {
        double a = 1 + floor(n / 2), b = n + 1 - a;
        double x = asif_gamma_variate(v, a), y = asif_gamma_variate(v, b), middle = x / (x + y);
        if (middle >= p) {
            n = a - 1;
            p = p / middle;
        } else {
            sum += a;
            n = b - 1;
            p = (p - middle) / (1 - middle);
        }
    }
    for (; n > 0; n--)
        sum += uniform(v) < p;
    return sum;
}

void asif_multinomial_variate(asif_variates *v, double n, const double *p, uint32_t k, double *count) {
    double rest = 0;
    for (uint32_t i = 0; i < k; i++)
        rest += p[i];
    for (uint32_t i = 0; i < k && n > 0; i++) {
        if (!(p[i] > 0))
            continue;
        bool last = true;
        for (uint32_t j = i + 1; j < k; j++)
            last = last && !(p[j] > 0);
        double here = last ? n : asif_binomial_variate(v, n, p[i] / rest);
        count[i] += here;
        n -= here;
        rest -= p[i];
    }
}
