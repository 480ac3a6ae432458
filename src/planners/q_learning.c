/* The planner q-learning (Watkins and Dayan, 1992): learns the values of actions from samples of the
 * environment, and takes the best action. */
#include "planners/learning/tabular.h"

#include <math.h>

const asif_planner_ops asif_planner_q_learning = {
    .info = {"q-learning", "sees the state and learns what actions are worth from samples of the environment",
             ASIF_GIVES_VALUES, ASIF_SEES_STATES, true, "Model-Free MDP Learner"},
    .narrow = {.alpha = {ASIF_FIXED, 0},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .acts = true,
               .uniform = true,
               .one_world = true,
               .states_only = true},
    ASIF_TABULAR_OPS,
};
