/* The planner belief-aware: takes the best action at every belief, for a utility that depends on the belief
 * itself; act_alpha puts a softmax on top of its values. */
#include "planners/engine_planner.h"

#include <math.h>

const asif_planner_ops asif_planner_belief_aware = {
    .info = {"belief-aware",
             "takes the best action at a belief, for a utility that depends on the belief too",
             ASIF_PLAN_GIVES, ASIF_SEES_BELIEFS, true, "Belief-Aware v-POMDP Planner"},
    .narrow = {.alpha = {ASIF_FIXED, 0},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .acts = true,
               .one_world = true,
               .needs_beliefs = true},
    ASIF_PLAN_OPS,
};
