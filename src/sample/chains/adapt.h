/* Adaptation during warm-up: the size of a step, and the covariance of the target in windows that double. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_ADAPT_H
#define ASIF_SRC_SAMPLE_CHAINS_ADAPT_H

#include "asif/base.h"

/* ---- the size of a step ---- */

typedef struct {
    double step;   /* current step */
    double centre; /* logarithm of the step towards which dual averaging shrinks */
    double lack;   /* mean shortfall of the acceptance */
    double mean;   /* mean logarithm of the step, later ones counting more */
    double count;  /* number of updates */
} asif_tuning;

/* Begin with a step; `centre` is for asif_tuning_average(). */
void asif_tuning_begin(asif_tuning *t, double step, double centre);
/* Update by dual averaging (Nesterov 2009; Hoffman and Gelman 2014, section 3.2, with their constants). */
void asif_tuning_average(asif_tuning *t, double accept, double target);
/* Update by stochastic approximation (Robbins and Monro 1951): for walks, whose acceptance is noisier. */
void asif_tuning_approach(asif_tuning *t, double accept, double target);
/* Set the step to its mean over the updates, if there were any. */
void asif_tuning_end(asif_tuning *t);

/* ---- the covariance ---- */

/* Mean and covariance of a sequence of points, by Welford's (1962) sums. The arrays are the caller's. */
typedef struct {
    double count;
    double *mean, *sum; /* [n]; [n][n]: products of deviations, the lower triangle */
} asif_moments;

void asif_moments_clear(asif_moments *m, uint32_t n);
/* Add a point; `scratch` is [n]. */
void asif_moments_add(asif_moments *m, uint32_t n, const double *x, double *scratch);
/* The sample covariance, shrunk by the weight 5 / (count + 5) towards a diagonal matrix: `absolute` plus
 * `relative` times the sample variance. `out` may be m->sum. */
void asif_moments_covariance(const asif_moments *m, uint32_t n, double absolute, double relative,
                             double *out);

/* ---- windows ---- */

/* The windows of warm-up. The first has `base` steps, and each is twice as long as the one before. Steps
 * before `begin` and from `end` on tune only the step size. */
typedef struct {
    uint64_t begin, end, base;
} asif_windows;

/* Plan the windows of a warm-up; `base` is the length of the first, if there is time for it. */
asif_windows asif_windows_plan(uint64_t warmup, uint64_t base);
/* Whether a step lies in a window, and whether it is the last one of a window. */
bool asif_windows_inside(const asif_windows *w, uint64_t step);
bool asif_windows_last(const asif_windows *w, uint64_t step);

#endif
