/* The point of a polyhedron nearest to another point: min |x - centre|^2 / 2 subject to G x <= h, by the dual
 * active-set method of Goldfarb and Idnani (1983), with the identity as the matrix of the objective. Dense;
 * for tens to hundreds of unknowns and any number of rows. */
#ifndef ASIF_SRC_BASE_PROGRAMMES_QP_H
#define ASIF_SRC_BASE_PROGRAMMES_QP_H

#include "asif/base.h"

/* Computes x [n] and, unless NULL, the multipliers [rows] >= 0 with x = centre - G' multiplier. *feasible is
 * false if no point satisfies all rows; the multipliers then prove it: G' multiplier = 0 and h'multiplier <
 * 0, up to rounding. Both kinds of answer are checked: the rows and the duality gap, or the proof.
 * @return ASIF_OK, ASIF_EDOMAIN (neither was found to hold) or ASIF_ENOMEM. */
asif_status asif_qp_nearest(const asif_context *context, uint32_t n, const double *centre, uint64_t rows,
                            const double *g, const double *h, double *x, double *multiplier, bool *feasible,
                            asif_error *error);

#endif
