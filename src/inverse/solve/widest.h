/* The widest margins: among all utilities under which the demonstrated actions are optimal, those that prefer
 * them most clearly. */
#ifndef ASIF_SRC_INVERSE_SOLVE_WIDEST_H
#define ASIF_SRC_INVERSE_SOLVE_WIDEST_H

#include "inverse/evidence/demonstration.h"

/* A programme for the widest margin, and the inverse planner `who` that asks for it. `scale` adds the columns
 * of the estimated utilities, which come first, with their bounds. */
typedef struct {
    const asif_context *context;
    const char *who;
    const asif_features *features;
    const asif_by_cell *by_cell;
    uint32_t demonstrations;
    asif_demonstration *demonstration; /* [demonstrations], each in its environment */
    void (*scale)(const void *self, asif_lp *lp);
    const void *self;
} asif_widest;

/* Questions that the programmes could not decide; asif_widest_warn() puts them into words. */
typedef struct {
    bool strict; /* whether any utility makes the demonstrated actions optimal: the programme is within
                    rounding of infeasible */
    bool choice; /* which of several equally good utilities has the widest margins: one of them was chosen */
} asif_widest_open;

/* Find the utilities x [count] whose smallest margin is the largest, and that margin. Actions that are
 * equally good under all such utilities have no margin and do not count. *margin is 0, and x stays, if no
 * utility makes the demonstrated actions optimal and better than others, or if that could not be decided. The
 * result is checked by policy evaluation: ASIF_EDOMAIN if it misses its own constraints. */
asif_status asif_widest_smallest(const asif_widest *widest, double *x, double *margin, asif_widest_open *open,
                                 asif_error *error);

/* Add columns and rows that maximise the sum over states of the smallest margin, to a programme that may have
 * further conditions. The excesses [states], minus these margins, are columns of this cost in [low, high];
 * states without decisions have none (ASIF_ANY). Fails with ASIF_ENOMEM. */
asif_status asif_widest_sum(const asif_widest *widest, asif_lp *lp, double cost, double low, double high,
                            uint32_t *excess, asif_error *error);
/* Solve such a programme and copy x [count] and the objective from it. If it has no solution, both stay as
 * they are, and `open->choice` is set. */
asif_status asif_widest_choose(const asif_widest *widest, asif_lp *lp, double *x, double *objective,
                               asif_widest_open *open, asif_error *error);
/* Add a warning for each question that is open. */
void asif_widest_warn(const asif_widest_open *open, const char *who, asif_problems *problems);

#endif
