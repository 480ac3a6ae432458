/* What the files of linear programmes share: one attempt by the solver, and what is believed of its answer.
 */
#ifndef ASIF_SRC_BASE_PROGRAMMES_LP_INSIDE_H
#define ASIF_SRC_BASE_PROGRAMMES_LP_INSIDE_H

#include "base/programmes/lp.h"

/* A primal and a dual point, with what follows from them. */
typedef struct {
    double *x, *reduced; /* [columns] */
    double *dual, *row;  /* [rows]; row: sums over entries */
} asif_lp_point;

/* What the solver says, which is not believed: `ASIF_LP_SAYS_NONE` is infeasible or unbounded. */
typedef enum { ASIF_LP_SAYS_OPTIMAL, ASIF_LP_SAYS_NONE, ASIF_LP_GAVE_UP } asif_lp_says;

/* lp_clp.c: one attempt; x and dual are set where it says optimal. Ways differ in presolve, scaling and
 * algorithm. */
enum { ASIF_LP_WAYS = 5 };
asif_status asif_lp_attempt(const asif_lp *lp, int way, asif_lp_point *point, asif_lp_says *says,
                            asif_error *error);

/* lp_check.c: how far x and dual are from being optimal; sets row and reduced. The larger of the worst bound
 * missed, over 1 + |number|, and the duality gap, over 1 + |objective|. */
double asif_lp_miss(const asif_lp *lp, asif_lp_point *point);
/* Does x satisfy all bounds to `tolerance`, over 1 + |number|? Sets row. */
bool asif_lp_inside(const asif_lp *lp, asif_lp_point *point, double tolerance);
/* Do the multipliers `dual` prove that no x satisfies all bounds (Farkas)? Uses row and reduced. */
bool asif_lp_contradicts(const asif_lp *lp, asif_lp_point *point);
/* Does the objective fall without end along x, in a direction that no bound stops? Uses row. */
bool asif_lp_escapes(const asif_lp *lp, asif_lp_point *ray);

#endif
