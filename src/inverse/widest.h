/* Of all utilities under which what was done is optimal, those with the widest margins. */
#ifndef ASIF_SRC_INVERSE_WIDEST_H
#define ASIF_SRC_INVERSE_WIDEST_H

#include "inverse/demonstration.h"

/* What is asked for. `scale` adds the columns of the estimated utilities, the first of the programme, with all that bounds them. */
typedef struct {
    const asif_context *context;
    const asif_features *features;
    const asif_by_cell *by_cell;
    uint32_t demonstrations;
    const asif_demonstration *demonstration; /* [demonstrations], in environments of their own */
    void (*scale)(const void *self, asif_lp *lp);
    const void *self;
} asif_widest;

/* The utilities whose smallest margin is the largest, x [count], and that margin. Actions that are as good as what was done under all such utilities have no margin
 * and do not count. *margin is 0, and x stays, where no utility makes what was done optimal and better than something else. */
asif_status asif_widest_smallest(const asif_widest *widest, double *x, double *margin, asif_error *error);

/* Those with the largest sum over states of the smallest margin, with excesses [states] as columns to be minimised, at most `high`; where
 * nobody acted there is none (ASIF_ANY). For programmes that have more to say: adds columns and rows. */
asif_status asif_widest_sum(const asif_widest *widest, asif_lp *lp, double cost, double low, double high,
                            uint32_t *excess, asif_error *error);

#endif
