/* Shared by the files of linear programmes: one attempt by the solver, and the checks of its answer. */
#ifndef ASIF_SRC_BASE_PROGRAMMES_LP_INSIDE_H
#define ASIF_SRC_BASE_PROGRAMMES_LP_INSIDE_H

#include "base/programmes/lp.h"

/* A primal and a dual point, and what is computed from them. */
typedef struct {
    double *x, *reduced; /* [columns] */
    double *dual, *row;  /* [rows]; row: sums over entries */
} asif_lp_point;

/* What the solver claims, before any check; `ASIF_LP_SAYS_NONE` is infeasible or unbounded. */
typedef enum { ASIF_LP_SAYS_OPTIMAL, ASIF_LP_SAYS_NONE, ASIF_LP_GAVE_UP } asif_lp_says;

/* lp_clp.c: one attempt. x and dual are set if the solver claims an optimum. Ways differ in presolve, scaling
 * and algorithm. */
enum { ASIF_LP_WAYS = 5 };
asif_status asif_lp_attempt(const asif_lp *lp, int way, asif_lp_point *point, asif_lp_says *says,
                            asif_error *error);

/* lp_check.c: how far x and dual are from being optimal. This is the larger of the worst violation of a
 * bound, over 1 + |number|, and the duality gap, over 1 + |objective|. Sets row and reduced. */
double asif_lp_miss(const asif_lp *lp, asif_lp_point *point);
/* Whether x satisfies all bounds to `tolerance`, over 1 + |number|. Sets row. */
bool asif_lp_inside(const asif_lp *lp, asif_lp_point *point, double tolerance);
/* Whether the multipliers `dual` prove that no x satisfies all bounds (Farkas). Overwrites x, row
 * and reduced. */
bool asif_lp_contradicts(const asif_lp *lp, asif_lp_point *point);
/* Whether x is a direction in which the objective falls without end and which no bound limits.
 * Overwrites row. */
bool asif_lp_escapes(const asif_lp *lp, asif_lp_point *ray);

#endif
