/* What warm-up learns: the size of a step and the covariance of the target, in windows that double. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_ADAPT_H
#define ASIF_SRC_SAMPLE_CHAINS_ADAPT_H

#include "asif/base.h"

/* ---- the size of a step ---- */

typedef struct {
    double step;   /* in use */
    double centre; /* logarithm of the step toward which it is drawn */
    double lack;   /* mean shortfall of the acceptance */
    double mean;   /* mean logarithm of the step, later ones counting more */
    double count;  /* steps learnt from */
} asif_tuning;

void asif_tuning_begin(asif_tuning *t, double step, double centre);
/* Dual averaging (Nesterov 2009; Hoffman and Gelman 2014, section 3.2, with their constants). */
void asif_tuning_average(asif_tuning *t, double accept, double target);
/* Stochastic approximation (Robbins and Monro 1951): for walks, whose acceptance is noisier. */
void asif_tuning_approach(asif_tuning *t, double accept, double target);
/* Settle on the mean. */
void asif_tuning_end(asif_tuning *t);

/* ---- the covariance ---- */

/* Welford's (1962) sums. */
typedef struct {
    double count;
    double *mean, *sum; /* [n]; [n][n]: products of deviations, the lower triangle */
} asif_moments;

void asif_moments_clear(asif_moments *m, uint32_t n);
/* `scratch` is [n]. */
void asif_moments_add(asif_moments *m, uint32_t n, const double *x, double *scratch);
/* The sample covariance, shrunk by the weight 5 / (count + 5) toward a diagonal: `absolute` plus `relative`
 * times its own. */
void asif_moments_covariance(const asif_moments *m, uint32_t n, double absolute, double relative,
                             double *out);

/* ---- windows ---- */

/* Steps before `begin` and from `end` on tune the step only. */
typedef struct {
    uint64_t begin, end, base;
} asif_windows;

asif_windows asif_windows_plan(uint64_t warmup, uint64_t base);
/* Whether the step lies in a window, and whether it is the last one of it. */
bool asif_windows_inside(const asif_windows *w, uint64_t step);
bool asif_windows_last(const asif_windows *w, uint64_t step);

#endif
