#include "inverse/solve/divergence.h"

#include <math.h>

static double kl(double p, double q, double log_q, double weight, double *slope) {
    (void)q, (void)weight;
    *slope = -p;
    return p > 0 ? p * (log(p) - log_q) : 0;
}

static double reverse_kl(double p, double q, double log_q, double weight, double *slope) {
    (void)weight;
    double ratio = q > 0 ? log_q - log(p) : 0;
    *slope = q > 0 ? q * (ratio + 1) : 0;
    return q * ratio;
}

static double js(double p, double q, double log_q, double weight, double *slope) {
    (void)log_q, (void)weight;
    *slope = q > 0 ? q * log(2 * q / (p + q)) / 2 : 0;
    return (p > 0 ? p * log(2 * p / (p + q)) / 2 : 0) + *slope;
}

static double tv(double p, double q, double log_q, double weight, double *slope) {
    (void)log_q, (void)weight;
    *slope = q * ((q > p) - (q < p)) / 2;
    return fabs(q - p) / 2;
}

static double conjugate(double p, double q, double log_q, double weight, double *slope) {
    (void)log_q;
    *slope = q * (q - p) / weight;
    return (q - p) * (q - p) / (2 * weight);
}

double asif_divergence_part(asif_divergence which, double p, double q, double log_q, double weight,
                            double *slope) {
    static double (*const part[])(double, double, double, double, double *) = {
        [ASIF_DIVERGENCE_KL] = kl, [ASIF_DIVERGENCE_REVERSE_KL] = reverse_kl, [ASIF_DIVERGENCE_JS] = js,
        [ASIF_DIVERGENCE_TV] = tv, [ASIF_DIVERGENCE_CONJUGATE] = conjugate,
    };
    return part[which](p, q, log_q, weight, slope);
}
