/* The planner model-based-pomdp: takes the best action at every belief; act_alpha puts a softmax on top of
 * its values. */
#include "planners/engine_planner.h"

#include <math.h>

const asif_planner_ops asif_planner_model_based_pomdp = {
    .info = {"model-based-pomdp",
             "updates a belief by Bayes' rule and takes the best action, or a softmax on top of best values",
             ASIF_PLAN_GIVES, ASIF_SEES_BELIEFS, true, "Model-Based POMDP Planner"},
    .narrow = {.alpha = {ASIF_FIXED, 0},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .acts = true,
               .no_beliefs = true},
    ASIF_PLAN_OPS,
};
