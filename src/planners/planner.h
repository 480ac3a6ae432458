/* A planner as a table of functions. A new planner is one file with such a table, and one line in registry.c. */
#ifndef ASIF_SRC_PLANNERS_PLANNER_H
#define ASIF_SRC_PLANNERS_PLANNER_H

#include "asif/planner.h"
#include "behavior/behavior.h"

typedef struct {
    asif_planner_info info; /* name, one line for `asif list`, what it gives */
    /* Workspace for a setting, owned by the caller. */
    asif_status (*create)(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error);
    /* Another for another thread; what does not depend on theta may be shared. */
    asif_status (*clone)(void **self, const void *from, asif_error *error);
    void (*free)(void *self);
    /* Solve, warm where it can be; `info` is never NULL. */
    asif_status (*solve)(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error);
    uint32_t (*width)(const void *self); /* numbers in an agent state */
    /* Optional: numbers that behavior.log_policy remembers for behavior.step, after a solve. */
    uint32_t (*memo_width)(const void *self);
    asif_behavior_ops behavior;
    asif_pullback_ops pullback; /* ASIF_GIVES_GRADIENT */
    /* ASIF_GIVES_VALUES */
    uint32_t (*nodes)(const void *self);
    void (*node)(const void *self, uint32_t node, double *state);
    double *(*values)(void *self);
    /* ASIF_GIVES_OCCUPANCY */
    asif_status (*occupancy)(void *self, const double *start, double *mu, asif_costs *costs,
                             asif_error *error);
    asif_status (*policy_values)(void *self, const double *policy, const double *worlds, double *values,
                                 asif_plan_info *info, asif_error *error);
} asif_planner_ops;

extern const asif_planner_ops asif_planner_bounded_rational;

/* The setting of a workspace, what its planner gives (ASIF_GIVES_...), and its behaviour as far as it is known before a solve:
 * labels and width. */
const asif_setting *asif_work_setting(const asif_work *work);
uint32_t asif_work_gives(const asif_work *work);
const asif_behavior *asif_work_unsolved(const asif_work *work);

#endif
