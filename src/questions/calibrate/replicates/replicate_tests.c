/* Tests of counts against chance. */
#include "questions/calibrate/replicates/replicate.h"

#include "base/numeric/special.h"

#include <math.h>

#define BISECTIONS 60

/* The incomplete gamma function Q(a, x) at whole and half a, by Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a +
 * 1) (DLMF 8.8.6), from Q(1/2, x) = erfc(sqrt x) or Q(1, x) = e^-x. All terms are positive. */
double asif_chi_square_above(double x, uint32_t freedom) {
    double half = x / 2, a = freedom % 2 ? 0.5 : 1, q = freedom % 2 ? erfc(sqrt(half)) : exp(-half);
    if (freedom == 0 || !(x > 0))
        return x <= 0 ? 1 : NAN;
    for (; a + 0.25 < freedom / 2.0; a++)
        q += exp(a * log(half) - half - asif_log_gamma(a + 1));
    return fmin(q, 1);
}

/* The quantile of a Beta(a, b) distribution, by bisection. */
static double beta_quantile(double a, double b, double probability) {
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        *(asif_beta_below(a, b, log(middle), log1p(-middle)) < probability ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

void asif_binomial_interval(uint32_t hits, uint32_t of, double *low, double *high) {
    const double tail = 0.025;
    *low = hits == 0 ? 0 : beta_quantile(hits, of - hits + 1.0, tail);
    *high = hits == of ? 1 : beta_quantile(hits + 1.0, of - hits, 1 - tail);
}
