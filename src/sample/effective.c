#include "sample/effective.h"

#include <math.h>

double asif_mean(const double *x, uint64_t n) {
    double sum = 0, rest = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    for (uint64_t i = 0; i < n; i++)
        rest += x[i] - mean;
    return isfinite(mean) ? mean + rest / (double)n : mean;
}

double asif_variance(const double *x, uint64_t n, double mean) {
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum / ((double)n - 1);
}

double asif_range(const double *x, uint64_t n) {
    double low = x[0], high = x[0];
    for (uint64_t i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return high - low;
}

void asif_chain_means(double *mean, const double *x, uint64_t chains, uint64_t draws) {
    for (uint64_t c = 0; c < chains; c++)
        mean[c] = asif_mean(x + c * draws, draws);
}

/* Autocorrelation time by Geyer's (1992) initial monotone sequence: sums of neighbouring pairs of
 * autocorrelations are added as long as they are positive, none larger than the one before. Of the pair at
 * which this ends, the first autocorrelation is added if it is positive or the pair is not negative. */
static double correlation_time(const double *covariance, uint64_t n, double within, double total) {
#define RHO(lag) (1 - (within - covariance[lag]) / total)
    double even = 1, pair = 1 + RHO(1), bound = INFINITY, sum = 0;
    uint64_t t = 0;
    while (t + 5 < n && pair > 0) {
        bound = pair < bound ? pair : bound;
        sum += bound;
        t += 2;
        even = RHO(t);
        pair = even + RHO(t + 1);
    }
#undef RHO
    /* Without a single pair, `posterior` returns 2. */
    return t == 0 ? 2 : 2 * sum - 1 + (even > 0 || pair >= 0 ? even : 0);
}

double asif_effective_size(asif_autocovariance *spectrum, const double *x, uint64_t chains, double *mean) {
    uint64_t draws = spectrum->length;
    double n = (double)draws, total = n * (double)chains, range = asif_range(x, chains * draws);
    double scale = 1 / range; /* avoids overflow and underflow */
    if (!(range > 0))
        return NAN;
    asif_chain_means(mean, x, chains, draws);
    asif_autocovariance_begin(spectrum);
    for (uint64_t c = 0; c < chains; c += 2) {
        const double *second = c + 1 < chains ? x + (c + 1) * draws : NULL;
        asif_autocovariance_add(spectrum, x + c * draws, mean[c], second, second ? mean[c + 1] : 0, scale);
    }
    const double *sum = asif_autocovariance_end(spectrum);
    double *covariance = spectrum->power, between = 0;
    for (uint64_t i = 0; i < draws; i++)
        covariance[i] = sum[i] / (double)chains;
    if (chains > 1)
        between = asif_variance(mean, chains, asif_mean(mean, chains)) * scale * scale;
    double time = correlation_time(covariance, draws, covariance[0] * n / (n - 1), covariance[0] + between);
    double least = 1 / log10(total);
    return total / (time < least ? least : time);
}
