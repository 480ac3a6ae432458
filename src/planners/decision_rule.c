/* The planner decision-rule: a softmax of scores that are linear in features of the state or of the belief,
 * without looking ahead. It is the engine at a discount of 0, whatever the discount of the setting is. */
#include "planners/engine_planner.h"

#include <math.h>

/* A lattice of resolution 1, the corners of the simplex, is enough, because scores are computed at each
 * belief and never interpolated. */
static asif_status create(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error) {
    asif_plan_options coarse = *options;
    coarse.resolution = 1;
    coarse.beliefs = ASIF_BELIEFS_LATTICE;
    return asif_plan_create(self, context, setting, &coarse, error);
}

/* The derivative in the discount is 0, because the agent acts the same at any discount. */
static asif_status pull_end(void *self, asif_theta_gradient *out, asif_error *error) {
    asif_status status = asif_plan_pull_end(self, out, error);
    out->discount = 0;
    return status;
}

const asif_planner_ops asif_planner_decision_rule = {
    .info = {"decision-rule", "softmax of scores that are linear in features of the state or belief",
             ASIF_GIVES_VALUES | ASIF_GIVES_GRADIENT, ASIF_SEES_STATES | ASIF_SEES_BELIEFS, false,
             "Decision-Rule CMP Policy"},
    .narrow = {.alpha = {ASIF_USUAL, 1},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .myopic = true},
    ASIF_PLAN_OPS_BASE,
    .create = create,
    .pullback = {asif_plan_pull_begin, asif_plan_pull_log_policy, asif_plan_pull_step, asif_plan_pull_init,
                 pull_end},
};
