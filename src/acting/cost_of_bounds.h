/* The cost of the bounds of an agent, at one draw: the utility that it gains without some of them, and the
 * share of each bound. Bounds are those of ideals.h; a mask is a set of bounds that are removed. */
#ifndef ASIF_SRC_ACTING_COST_OF_BOUNDS_H
#define ASIF_SRC_ACTING_COST_OF_BOUNDS_H

#include "acting/ideals.h"

/* Numbers of one bound: its share in the whole cost (see shapley.h), the same for each decision, the gain if
 * only it is removed, and the loss if only it remains. */
enum { ASIF_COST_SHARE, ASIF_COST_PER_DECISION, ASIF_COST_LAST, ASIF_COST_ALONE, ASIF_COST_KINDS };
/* Numbers that follow those of all bounds: the cost of all bounds, the same for each decision, and the values
 * of the agent and of the ideal. */
enum { ASIF_COST_WHOLE, ASIF_COST_WHOLE_PER_DECISION, ASIF_COST_VALUE, ASIF_COST_IDEAL, ASIF_COST_TOTALS };
#define ASIF_COST_MASKS (1u << ASIF_BOUND_COUNT)
#define ASIF_COST_NUMBERS (ASIF_BOUND_COUNT * ASIF_COST_KINDS + ASIF_COST_TOTALS)

typedef struct {
    const asif_fitted *fitted;
    uint32_t count, bound[ASIF_BOUND_COUNT]; /* bounds of the agent, as bit positions */
    uint32_t same[ASIF_COST_MASKS]; /* [mask]: a mask with the same agent, for which it is computed; ASIF_ANY:
                                       not needed */
    bool fixed[ASIF_COST_MASKS];    /* [mask]: the agent is the same at all draws */
    double weight[ASIF_COST_NUMBERS][ASIF_COST_MASKS];     /* weights of the values by mask in each number */
    double value[ASIF_COST_MASKS], error[ASIF_COST_MASKS]; /* of fixed agents */
    const double *mix;                                     /* [starts]: shares of the start classes */
    double enough;                                         /* standard error at which simulation ends */
    uint32_t runs;
    uint64_t seed;
    uint32_t numbers;
} asif_cost_of_bounds;

/* Decide which agents have to be computed. `fitted` and `mix` are borrowed. */
void asif_cost_of_bounds_begin(asif_cost_of_bounds *out, const asif_fitted *fitted, const double *mix,
                               uint32_t runs, uint64_t seed);
/* Compute the values that are the same at all draws, from the agent of any draw. Fails as asif_ideals_solve()
 * does, or with ASIF_ENOMEM. */
asif_status asif_cost_of_bounds_fixed(asif_cost_of_bounds *losses, asif_ideals *unbound,
                                      const asif_theta *theta, asif_error *error);
/* Compute the numbers at draw `index`, and the variances that simulation leaves in them, without those of the
 * fixed values. Fails as asif_ideals_solve() does, or with ASIF_ENOMEM. Costs a solution and a simulation for
 * each mask that is not fixed. */
asif_status asif_cost_of_bounds_at(const asif_cost_of_bounds *losses, asif_ideals *unbound,
                                   const asif_theta *theta, uint32_t index, double *number, double *variance,
                                   asif_error *error);
/* The variance that simulation leaves in a number through the fixed values, for a discount. */
double asif_cost_of_bounds_common(const asif_cost_of_bounds *losses, uint32_t number, double discount);
/* Whether a number is per decision. */
bool asif_cost_of_bounds_per_decision(const asif_cost_of_bounds *losses, uint32_t number);

#endif
