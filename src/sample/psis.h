/* Pareto-smoothed importance sampling, with a workspace that may be used again and again. */
#ifndef ASIF_SRC_SAMPLE_PSIS_H
#define ASIF_SRC_SAMPLE_PSIS_H

#include "asif/sample.h"
#include "sample/autocovariance.h"

typedef struct {
    double value;
    uint64_t index;
} asif_psis_rank;

typedef struct {
    const asif_context *context;
    uint32_t chains;
    uint64_t draws;        /* draws of a chain */
    asif_psis_rank *order; /* [chains * draws] */
    double *weight;        /* [chains * draws] */
    double *ratio;         /* [chains * draws] */
    double *tail;          /* scratch: excesses of the tail, then its grid */
    double *mean;          /* [chains] */
    asif_autocovariance spectrum;
} asif_psis_room;

/* False: no memory. Call asif_psis_close() in any case. */
bool asif_psis_open(asif_psis_room *room, const asif_context *context, uint32_t chains, uint64_t draws);
void asif_psis_close(asif_psis_room *room);

/* The same as asif_psis() and asif_leave_one_out() of include/asif/sample.h, without checks; arrays are
 * [chains * draws]. asif_psis_smooth() returns the shape k. */
double asif_psis_efficiency(asif_psis_room *room, const double *log_value);
double asif_psis_smooth(asif_psis_room *room, const double *log_ratio, double efficiency, double *log_weight);
void asif_psis_loo(asif_loo *out, asif_psis_room *room, const double *log_density, double efficiency);

/* log sum exp(x[i] + y[i]); `y` may be NULL. */
double asif_log_sum(const double *x, const double *y, uint64_t n);

#endif
