/* Linear programmes: minimise cost'x with bounds on columns (x) and on rows (sums over entries). The solver,
 * COIN-OR Clp, is optional; without it asif_lp_solve() fails with ASIF_EUNSUPPORTED. Only lp_clp.c uses it,
 * and it allocates its own memory. lp_check.c checks everything that the solver reports: an answer counts
 * only if its bounds and its duality gap hold, "infeasible" and "unbounded" only with a certificate. */
#ifndef ASIF_SRC_BASE_PROGRAMMES_LP_H
#define ASIF_SRC_BASE_PROGRAMMES_LP_H

#include "asif/base.h"

typedef enum { ASIF_LP_OPTIMAL, ASIF_LP_INFEASIBLE, ASIF_LP_UNBOUNDED } asif_lp_outcome;

/* A programme and its answer. After a failed allocation `failed` stays set and additions do nothing: the
 * solve reports it. */
typedef struct {
    const asif_context *context;
    uint32_t columns, rows;
    uint64_t entries;
    bool failed;
    double *cost, *low, *high;  /* [columns] */
    double *row_low, *row_high; /* [rows] */
    struct asif_lp_entry {
        uint32_t row, column;
        double value;
    } * entry; /* [entries] in any order; those of the same row and column are added up */
    uint64_t cost_room, low_room, high_room, row_low_room, row_high_room, entry_room;
    /* The answer, after asif_lp_solve(). */
    asif_lp_outcome outcome;
    double objective;
    double *x;       /* [columns] */
    double *dual;    /* [rows]: derivative of the objective in the row's bound */
    double *reduced; /* [columns]: reduced costs, cost - sum dual * entry */
} asif_lp;

void asif_lp_begin(asif_lp *lp, const asif_context *context);
void asif_lp_free(asif_lp *lp);

/* Adds a column or a row and returns its index; bounds may be infinite. */
uint32_t asif_lp_column(asif_lp *lp, double cost, double low, double high);
uint32_t asif_lp_row(asif_lp *lp, double low, double high);
void asif_lp_entry(asif_lp *lp, uint32_t row, uint32_t column, double value);

/* Solves the programme. It is an outcome and no error if there is no feasible point, or no bound on the
 * objective. A programme may be extended and solved again.
 * @return ASIF_OK, ASIF_EUNSUPPORTED (no solver in this build), ASIF_ETOOBIG, ASIF_EDOMAIN (neither an answer
 * nor a certificate was found: the programme is numerically difficult, or within rounding of infeasible; or
 * it has a NaN) or ASIF_ENOMEM. */
asif_status asif_lp_solve(asif_lp *lp, asif_error *error);
/* Whether this build has a solver. */
bool asif_lp_available(void);

#endif
