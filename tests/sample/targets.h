/* Densities whose moments are known, and a check of draws against them. */
#ifndef ASIF_TESTS_SAMPLE_TARGETS_H
#define ASIF_TESTS_SAMPLE_TARGETS_H

#include "asif/sample.h"

/* Normal: means i, standard deviations 1 + i / 10, correlations r^|i-j|. */
typedef struct {
    uint32_t n;
    double r;
} target_normal;
asif_density target_normal_density(target_normal *t);

/* Neal's funnel: v ~ normal(0, sd), then n - 1 numbers ~ normal(0, exp(v / 2)). */
typedef struct {
    uint32_t n;
    double sd;
} target_funnel;
asif_density target_funnel_density(target_funnel *t);

/* x ~ normal(0, 2), y ~ normal((x^2 - 4) / 2, 1): means 0, variances 4 and 9. */
asif_density target_banana_density(void);
/* y ~ gamma(3, rate 2) and z ~ beta(2, 5) through log y and logit z; reported as y and z. */
asif_density target_bounded_density(void);
/* x ~ exponential(1), -inf below 0. */
asif_density target_edge_density(void);

/* Effective sample size by Geyer's (1992) initial positive sequence, summed over chains. */
double target_ess(const double *values, uint32_t chains, uint64_t draws);
/* Fail unless mean and variance of a column are within 4 Monte Carlo standard errors. */
void target_check(const asif_draws *draws, uint32_t column, double mean, double variance);
/* Mean of a statistic over all draws. */
double target_stat(const asif_draws *draws, asif_stat stat);
/* Whether all bytes of two sets of draws agree. */
bool target_same(const asif_draws *a, const asif_draws *b);

#endif
