/* What the bounds of an agent cost, at one draw: utility of the agent without some of them, and the share of
 * each. */
#ifndef ASIF_SRC_ACTING_COST_OF_BOUNDS_H
#define ASIF_SRC_ACTING_COST_OF_BOUNDS_H

#include "acting/ideals.h"

enum { ASIF_COST_SHARE, ASIF_COST_PER_DECISION, ASIF_COST_LAST, ASIF_COST_ALONE, ASIF_COST_KINDS };
/* After the kinds of all bounds. */
enum { ASIF_COST_WHOLE, ASIF_COST_WHOLE_PER_DECISION, ASIF_COST_VALUE, ASIF_COST_IDEAL, ASIF_COST_TOTALS };
#define ASIF_COST_MASKS (1u << ASIF_BOUND_COUNT)
#define ASIF_COST_NUMBERS (ASIF_BOUND_COUNT * ASIF_COST_KINDS + ASIF_COST_TOTALS)

typedef struct {
    const asif_fitted *fitted;
    uint32_t count, bound[ASIF_BOUND_COUNT]; /* those that the agent has, as numbers */
    uint32_t same[ASIF_COST_MASKS]; /* by mask: the first mask with the same agent; ASIF_ANY: not needed */
    bool fixed[ASIF_COST_MASKS];    /* the same at all draws */
    double weight[ASIF_COST_NUMBERS][ASIF_COST_MASKS];     /* numbers as sums of values by mask */
    double value[ASIF_COST_MASKS], error[ASIF_COST_MASKS]; /* of the fixed ones */
    const double *mix;                                     /* [starts] */
    double enough;                                         /* standard error at which simulation ends */
    uint32_t runs;
    uint64_t seed;
    uint32_t numbers;
} asif_cost_of_bounds;

/* Decide what has to be computed. `mix` is borrowed. */
void asif_cost_of_bounds_begin(asif_cost_of_bounds *out, const asif_fitted *fitted, const double *mix,
                               uint32_t runs, uint64_t seed);
/* Compute the values that are the same at all draws, from the agent of any draw. */
asif_status asif_cost_of_bounds_fixed(asif_cost_of_bounds *losses, asif_ideals *unbound,
                                      const asif_theta *theta, asif_error *error);
/* The numbers at draw `index`: values, and the variances that simulation leaves in them, without what the
 * fixed ones leave. */
asif_status asif_cost_of_bounds_at(const asif_cost_of_bounds *losses, asif_ideals *unbound,
                                   const asif_theta *theta, uint32_t index, double *number, double *variance,
                                   asif_error *error);
/* The variance that simulation leaves in the fixed values, for a discount. */
double asif_cost_of_bounds_common(const asif_cost_of_bounds *losses, uint32_t number, double discount);
/* Whether a number is one per decision. */
bool asif_cost_of_bounds_per_decision(const asif_cost_of_bounds *losses, uint32_t number);

#endif
