/* The planner kl-regularized: trades utility against the KL divergence of its policy from a habit, in states
 * that are seen. */
#include "planners/engine_planner.h"

#include <math.h>

const asif_planner_ops asif_planner_kl_regularized = {
    .info = {"kl-regularized", "sees the state and weighs utility against leaving its action prior",
             ASIF_PLAN_GIVES, ASIF_SEES_STATES, true, "KL-Regularized MDP Planner"},
    .narrow = {.beta = {ASIF_FIXED, INFINITY}, .eta = {ASIF_FIXED, 0}},
    ASIF_PLAN_OPS,
};
