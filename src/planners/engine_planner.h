/* Functions shared by all planners that use the engine. Such planners differ only in their info and their
 * restriction. */
#ifndef ASIF_SRC_PLANNERS_ENGINE_PLANNER_H
#define ASIF_SRC_PLANNERS_ENGINE_PLANNER_H

#include "planners/planner.h"

void asif_plan_free(void *self);
asif_status asif_plan_create(void **self, const asif_context *context, const asif_setting *setting,
                             const asif_plan_options *options, asif_error *error);
asif_status asif_plan_clone(void **self, const void *from, asif_error *error);
asif_status asif_plan_solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error);
uint32_t asif_plan_width(const void *self);
uint32_t asif_plan_memo_width(const void *self);
void asif_plan_init(const void *self, uint32_t start, uint32_t first, double *state);
asif_status asif_plan_check(const void *self, uint64_t n, const double *state, asif_error *error);
asif_status asif_plan_log_policy(const void *self, uint64_t n, const double *state, double *out, double *memo,
                                 asif_error *error);
asif_status asif_plan_step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                           const double *memo, const uint32_t *action, const uint32_t *observation,
                           double *next, asif_error *error);
asif_status asif_plan_look(const void *self, uint64_t n, const double *state, const asif_view *view,
                           asif_error *error);
uint32_t asif_plan_number(const void *self, const double *state);
uint32_t asif_plan_nodes(const void *self);
void asif_plan_node(const void *self, uint32_t i, double *state);
double *asif_plan_values(void *self);
double asif_plan_spread(const void *self);
void asif_plan_forget(void *self);
extern const asif_planner_many asif_plan_many;
asif_status asif_plan_occupancy(void *self, const double *start, double *mu, asif_costs *costs,
                                asif_error *error);
asif_status asif_plan_policy_values(void *self, const double *policy, const double *worlds, double *out,
                                    asif_plan_info *info, asif_error *error);
asif_status asif_plan_pull_begin(void *self, bool dynamics, asif_error *error);
asif_status asif_plan_pull_log_policy(void *self, uint64_t n, const double *state, const double *log_pi,
                                      const double *memo, const double *policy_bar, const double *memo_bar,
                                      double *state_bar, asif_error *error);
asif_status asif_plan_pull_step(void *self, uint64_t n, const uint32_t *from, const double *state,
                                const double *memo, const uint32_t *action, const uint32_t *observation,
                                const double *next, const double *next_bar, double *state_bar,
                                double *memo_bar, asif_error *error);
void asif_plan_pull_init(void *self, uint32_t start, const double *state_bar);
asif_status asif_plan_pull_end(void *self, asif_theta_gradient *out, asif_error *error);

/* The functions that a myopic planner shares with the others. It has its own `create`, with a coarse lattice,
 * and its own derivatives; it has no occupancies, because they would be those of a discount of 0. */
#define ASIF_PLAN_OPS_BASE                                                                                   \
    .clone = asif_plan_clone, .free = asif_plan_free, .solve = asif_plan_solve, .width = asif_plan_width,    \
    .memo_width = asif_plan_memo_width,                                                                      \
    .behavior = {asif_plan_init, asif_plan_check,  asif_plan_log_policy, asif_plan_step,                     \
                 asif_plan_look, asif_plan_number, asif_plan_node},                                          \
    .nodes = asif_plan_nodes, .node = asif_plan_node, .values = asif_plan_values,                            \
    .spread = asif_plan_spread, .forget = asif_plan_forget, .many = &asif_plan_many
#define ASIF_PLAN_OPS                                                                                        \
    ASIF_PLAN_OPS_BASE, .create = asif_plan_create, .parts = true,                                           \
                        .pullback = {asif_plan_pull_begin, asif_plan_pull_log_policy, asif_plan_pull_step,   \
                                     asif_plan_pull_init, asif_plan_pull_end},                               \
                        .occupancy = asif_plan_occupancy, .policy_values = asif_plan_policy_values
#define ASIF_PLAN_GIVES (ASIF_GIVES_VALUES | ASIF_GIVES_OCCUPANCY | ASIF_GIVES_GRADIENT)

#endif
