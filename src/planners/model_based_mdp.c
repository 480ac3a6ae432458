/* The planner model-based-mdp: takes the best action in states that are seen, in a world that it believes to
 * be true; act_alpha puts a softmax on top of its values. */
#include "planners/engine_planner.h"

#include <math.h>

const asif_planner_ops asif_planner_model_based_mdp = {
    .info = {"model-based-mdp",
             "sees the state and takes the best action, or a softmax on top of best values", ASIF_PLAN_GIVES,
             ASIF_SEES_STATES, true, "Model-Based MDP Planner"},
    .narrow = {.alpha = {ASIF_FIXED, 0},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .acts = true},
    ASIF_PLAN_OPS,
};
