#include "base/numeric/lanes/anderson_lanes.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { M = ASIF_LANES_MEMORY, L = ASIF_ABREAST };

asif_status asif_anderson_lanes_create(asif_anderson_lanes *a, const asif_context *context, uint64_t n,
                                       asif_error *error) {
    *a = (asif_anderson_lanes){.context = context, .n = n};
    double *all = ASIF_ARRAY(context, n * L * (2 + 2 * M), double);
    if (!all)
        return asif_fail_memory(error);
    a->residual = all;
    a->image = all + n * L;
    for (uint64_t j = 0; j < M; j++) {
        a->df[j] = all + n * L * (2 + j);
        a->dg[j] = all + n * L * (2 + M + j);
    }
    for (uint32_t l = 0; l < L; l++)
        a->age[l] = -1;
    return ASIF_OK;
}

void asif_anderson_lanes_free(asif_anderson_lanes *a) {
    if (a->context)
        asif_free(a->context, a->residual);
    a->residual = NULL;
}

static void wipe_lane(double *x, uint64_t n, uint32_t lane) {
    for (uint64_t i = 0; i < n; i++)
        x[i * L + lane] = 0;
}

void asif_anderson_lanes_begin(asif_anderson_lanes *a, uint32_t lane, bool wipe) {
    a->age[lane] = -1;
    if (!wipe)
        return;
    wipe_lane(a->residual, a->n, lane);
    wipe_lane(a->image, a->n, lane);
    for (uint32_t j = 0; j < M; j++) {
        wipe_lane(a->df[j], a->n, lane);
        wipe_lane(a->dg[j], a->n, lane);
    }
}

void asif_anderson_lanes_look(asif_anderson_lanes *a, const double *x, const double *g, double *residual,
                              double *largest) {
    double *df = a->df[M - 1], *dg = a->dg[M - 1], with[M][L];
    memmove(a->df + 1, a->df, (M - 1) * sizeof *a->df);
    memmove(a->dg + 1, a->dg, (M - 1) * sizeof *a->dg);
    a->df[0] = df;
    a->dg[0] = dg;
    a->context->simd->lanes->differ(a->n, x, g, a->residual, a->image, a->df, dg, with[0], a->right[0],
                                    residual, largest);
    for (uint32_t i = M - 1; i > 0; i--)
        memmove(a->gram[i] + 1, a->gram[i - 1], (M - 1) * sizeof *a->gram[i]);
    for (uint32_t j = 0; j < M; j++) {
        memcpy(a->gram[0][j], with[j], sizeof with[j]);
        memcpy(a->gram[j][0], with[j], sizeof with[j]);
    }
}

void asif_anderson_lanes_step(asif_anderson_lanes *a, const double *g, const bool *plain, double *next) {
    double own[M][L], c[M][L];
    for (uint32_t l = 0; l < L; l++) {
        a->age[l] = plain[l] ? 0 : a->age[l] < M ? a->age[l] + 1 : M;
        for (int32_t j = 0; j < M; j++)
            own[j][l] = j < a->age[l];
    }
    a->context->simd->lanes->fit_differences(c[0], a->gram[0][0], a->right[0], own[0]);
    a->context->simd->lanes->combine(a->n, next, g, a->dg, c[0]);
}
