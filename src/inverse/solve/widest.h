/* Of all utilities under which what was done is optimal, those with the widest margins. */
#ifndef ASIF_SRC_INVERSE_SOLVE_WIDEST_H
#define ASIF_SRC_INVERSE_SOLVE_WIDEST_H

#include "inverse/evidence/demonstration.h"

/* A programme for the widest margin, and the inverse planner that wants it. `scale` adds the columns of the
 * estimated utilities, which come first, with their bounds. */
typedef struct {
    const asif_context *context;
    const char *who;
    const asif_features *features;
    const asif_by_cell *by_cell;
    uint32_t demonstrations;
    asif_demonstration *demonstration; /* [demonstrations], in environments of their own */
    void (*scale)(const void *self, asif_lp *lp);
    const void *self;
} asif_widest;

/* What the programmes left open, which asif_widest_warn() says in words. */
typedef struct {
    bool strict; /* whether any utility makes what was done optimal: the programme is within rounding of
                    infeasible */
    bool choice; /* which of the utilities that are as good has the widest margins: one of them was taken */
} asif_widest_open;

/* The utilities whose smallest margin is the largest, x [count], and that margin. Actions that are as good as
 * what was done under all such utilities have no margin and do not count. *margin is 0, and x stays, where no
 * utility makes what was done optimal and better than something else, or where that was left open. The answer
 * is checked against advantages by policy evaluation: ASIF_EDOMAIN where it misses its own constraints. */
asif_status asif_widest_smallest(const asif_widest *widest, double *x, double *margin, asif_widest_open *open,
                                 asif_error *error);

/* Find the utilities with the largest sum over states of the smallest margin. The excesses [states] become
 * columns to be minimised, at most `high`; states without decisions have none (ASIF_ANY). Adds columns and
 * rows, for programmes with further conditions. */
asif_status asif_widest_sum(const asif_widest *widest, asif_lp *lp, double cost, double low, double high,
                            uint32_t *excess, asif_error *error);
/* Solves such a programme and takes x [count] and the objective from it; where it has no answer both stay,
 * and that is left open. */
asif_status asif_widest_choose(const asif_widest *widest, asif_lp *lp, double *x, double *objective,
                               asif_widest_open *open, asif_error *error);
void asif_widest_warn(const asif_widest_open *open, const char *who, asif_problems *problems);

#endif
