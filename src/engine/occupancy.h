/* Quantities along the agent's own chain: the occupancy measure (Lemma 1) with its information costs, and the
 * values of a fixed policy (Proposition 3). */
#ifndef ASIF_SRC_ENGINE_OCCUPANCY_H
#define ASIF_SRC_ENGINE_OCCUPANCY_H

#include "engine/fixed_point.h"

/* The occupancy measure `mu` of the nodes and its costs. `start` is an agent state, or NULL for the start of
 * class 0. */
asif_status asif_engine_occupancy(asif_fixed_point *solver, const double *start, double *mu,
                                  asif_costs *costs, asif_error *error);
asif_status asif_engine_policy_values(asif_fixed_point *solver, const double *policy, const double *worlds,
                                      double *values, asif_plan_info *info, asif_error *error);

#endif
