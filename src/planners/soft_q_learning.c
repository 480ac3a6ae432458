/* The planner maximum-entropy with `method: samples`: soft Q-learning (Fox, Pakman and Tishby, 2016) instead
 * of solving for the fixed point. */
#include "planners/learning/tabular.h"

#include <math.h>

const asif_planner_ops asif_planner_soft_q_learning = {
    .info = {"maximum-entropy", "weighs utility against the entropy of its actions; learns from samples",
             ASIF_GIVES_VALUES, ASIF_SEES_STATES, true, "Max. Entropy MDP Learner"},
    .narrow = {.beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .uniform = true,
               .one_world = true,
               .states_only = true},
    ASIF_TABULAR_OPS,
};
