/* Pareto-smoothed importance sampling, with room that is used again and again. */
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
    uint64_t draws;        /* of a chain */
    asif_psis_rank *order; /* [chains * draws] */
    double *weight;        /* [chains * draws] */
    double *ratio;         /* [chains * draws] */
    double *tail;          /* of the tail, and its grid */
    double *mean;          /* [chains] */
    asif_autocovariance spectrum;
} asif_psis_room;

/* false: no memory; free in any case. */
bool asif_psis_open(asif_psis_room *room, const asif_context *context, uint32_t chains, uint64_t draws);
void asif_psis_close(asif_psis_room *room);

/* See the functions of include/asif/sample.h; [chains * draws] each. */
double asif_psis_efficiency(asif_psis_room *room, const double *log_value);
double asif_psis_smooth(asif_psis_room *room, const double *log_ratio, double efficiency, double *log_weight);
void asif_psis_loo(asif_loo *out, asif_psis_room *room, const double *log_density, double efficiency);

/* log sum exp(x[i] + y[i]); `y` may be NULL. */
double asif_log_sum(const double *x, const double *y, uint64_t n);

#endif
