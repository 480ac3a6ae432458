/* Anderson acceleration of x <- g(x): the next point is the combination of the last few whose residuals g(x)
 * - x cancel best. */
#ifndef ASIF_SRC_BASE_NUMERIC_ANDERSON_H
#define ASIF_SRC_BASE_NUMERIC_ANDERSON_H

#include "asif/base.h"

#define ASIF_ANDERSON_MEMORY 5

typedef struct {
    const asif_context *context;
    uint64_t n;
    uint32_t count, at; /* number of differences kept, and index of the next */
    bool started;
    double *f, *g; /* residual and image of the last point */
    double *df[ASIF_ANDERSON_MEMORY], *dg[ASIF_ANDERSON_MEMORY];
    double gram[ASIF_ANDERSON_MEMORY][ASIF_ANDERSON_MEMORY];
} asif_anderson;

asif_status asif_anderson_create(asif_anderson *a, const asif_context *context, uint64_t n,
                                 asif_error *error);
void asif_anderson_free(asif_anderson *anderson);
void asif_anderson_forget(asif_anderson *anderson);
/* The next point after x, whose image is g; next may be x. */
void asif_anderson_step(asif_anderson *anderson, const double *x, const double *g, double *next);

#endif
