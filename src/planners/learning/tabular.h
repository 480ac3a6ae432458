/* A learner with a table of values, shared by q-learning and maximum-entropy with `method: samples`:
 *
 *     Q(s,u) <- Q(s,u) + step [ v(s,u) + discount V(s') - Q(s,u) ],   s' ~ environment,
 *     V(s) = CE(1/alpha; Q(s,.), pi0). */
#ifndef ASIF_SRC_PLANNERS_LEARNING_TABULAR_H
#define ASIF_SRC_PLANNERS_LEARNING_TABULAR_H

#include "planners/planner.h"

asif_status asif_tabular_create(void **self, const asif_context *context, const asif_setting *setting,
                                const asif_plan_options *options, asif_error *error);
asif_status asif_tabular_clone(void **self, const void *from, asif_error *error);
void asif_tabular_free(void *self);
asif_status asif_tabular_solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error);
uint32_t asif_tabular_width(const void *self);
void asif_tabular_init(const void *self, uint32_t start, uint32_t first, double *state);
asif_status asif_tabular_check(const void *self, uint64_t n, const double *state, asif_error *error);
asif_status asif_tabular_log_policy(const void *self, uint64_t n, const double *state, double *out,
                                    double *memo, asif_error *error);
asif_status asif_tabular_step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                              const double *memo, const uint32_t *action, const uint32_t *observation,
                              double *next, asif_error *error);
asif_status asif_tabular_look(const void *self, uint64_t n, const double *state, const asif_view *view,
                              asif_error *error);
uint32_t asif_tabular_nodes(const void *self);
void asif_tabular_node(const void *self, uint32_t i, double *state);
double *asif_tabular_values(void *self);

#define ASIF_TABULAR_OPS                                                                                     \
    .create = asif_tabular_create, .clone = asif_tabular_clone, .free = asif_tabular_free,                   \
    .solve = asif_tabular_solve, .width = asif_tabular_width,                                                \
    .behavior = {asif_tabular_init,                                                                          \
                 asif_tabular_check,                                                                         \
                 asif_tabular_log_policy,                                                                    \
                 asif_tabular_step,                                                                          \
                 asif_tabular_look,                                                                          \
                 NULL,                                                                                       \
                 NULL},                                                                                      \
    .nodes = asif_tabular_nodes, .node = asif_tabular_node, .values = asif_tabular_values, .learns = true

#endif
