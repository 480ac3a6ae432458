#include "sample/chains/walk.h"

#include "base/error.h"
#include "base/numeric/dense.h"
#include "base/random.h"

#include <string.h>

double asif_walk_target(uint32_t n) {
    return 0.234 + (0.44 - 0.234) / n;
}

double asif_walk_scale(uint32_t n) {
    return 2.38 / sqrt(n);
}

asif_status asif_walk_step(const asif_interruptible_density *target, asif_point *at, const double *lower,
                           double step, uint64_t seed, uint64_t index, double *tried, double *scratch,
                           double *stat) {
    uint32_t n = target->density->dimension;
    asif_stream stream = {seed, ASIF_FOR_WALK, index};
    for (uint32_t i = 0; i < n; i++)
        scratch[i] = asif_normal(&stream, i);
    asif_lower_times(lower, n, scratch, tried);
    for (uint32_t i = 0; i < n; i++)
        tried[i] = at->x[i] + step * tried[i];
    asif_point there = {tried, NULL, 0};
    ASIF_TRY(asif_interruptible_density_evaluate(target, &there));
    double accept = fmin(1, exp(there.value - at->value));
    if (asif_uniform(&stream, n) < accept) {
        memcpy(at->x, tried, n * sizeof *tried);
        at->value = there.value;
    }
    memset(stat, 0, ASIF_STAT_COUNT * sizeof *stat);
    stat[ASIF_STAT_LP] = at->value;
    stat[ASIF_STAT_ACCEPT] = accept;
    stat[ASIF_STAT_STEP] = step;
    return ASIF_OK;
}
