/* The point of a polyhedron that is nearest to a given one: min |x - centre|^2 / 2 subject to G x <= h, by
 * the dual active-set method of Goldfarb and Idnani (1983) for the identity. Dense; for tens to hundreds of
 * unknowns and any number of rows. */
#ifndef ASIF_SRC_BASE_PROGRAMMES_QP_H
#define ASIF_SRC_BASE_PROGRAMMES_QP_H

#include "asif/base.h"

/* x [n] and, unless NULL, the multipliers [rows] >= 0 with x = centre - G' multiplier. *feasible is false
 * where no point satisfies all rows; then the multipliers are those of a contradiction: G' multiplier = 0 and
 * h'multiplier < 0, up to rounding. Both answers are checked before they are given: rows and duality gap, or
 * the contradiction.
 * @return ASIF_OK, ASIF_EDOMAIN (neither was found to hold) or ASIF_ENOMEM. */
asif_status asif_qp_nearest(const asif_context *context, uint32_t n, const double *centre, uint64_t rows,
                            const double *g, const double *h, double *x, double *multiplier, bool *feasible,
                            asif_error *error);

#endif
