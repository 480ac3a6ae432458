/* The planner maximum-entropy: maximises utility plus the entropy of its policy, in states that are seen. */
#include "planners/engine_planner.h"

#include <math.h>

const asif_planner_ops asif_planner_maximum_entropy = {
    .info = {"maximum-entropy", "sees the state and weighs utility against the entropy of its actions",
             ASIF_PLAN_GIVES, ASIF_SEES_STATES, true, "Max. Entropy MDP Learner"},
    .narrow = {.beta = {ASIF_FIXED, INFINITY}, .eta = {ASIF_FIXED, 0}, .uniform = true},
    ASIF_PLAN_OPS,
    .sampled = &asif_planner_soft_q_learning,
};
