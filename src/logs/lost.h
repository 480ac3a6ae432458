/* The likelihood of episodes with lost results: the mean probability of their decisions over all completions,
 * weighed by the probability of each in the environment given what was recorded. */
#ifndef ASIF_SRC_LOGS_LOST_H
#define ASIF_SRC_LOGS_LOST_H

#include "asif/logs.h"

/* The log-likelihood of lost episode k, without its weight; log_policy [nodes][actions]. -inf if the
 * decisions are impossible on every completion. */
double asif_lost_log(const asif_tree_view *tree, uint64_t k, const double *log_policy);
/* That of all lost episodes, with their weights. */
double asif_lost_total(const asif_tree_view *tree, const double *log_policy);
/* Add the weighted derivatives of lost episode k in the log-policies to `count` [nodes][actions]: by Bayes'
 * rule each completion counts by its probability given the decisions, too. The log-likelihood is `value`,
 * which is finite. */
void asif_lost_share(double *count, const asif_tree_view *tree, uint64_t k, double value,
                     const double *log_policy);
/* The derivative of the log-likelihood of lost episode k, without its weight, in a coordinate in which the
 * log-policies have the derivatives `slope` [nodes][actions]. */
double asif_lost_slope(const asif_tree_view *tree, uint64_t k, double value, const double *log_policy,
                       const double *slope);
/* Add the decisions of lost episode k to `taken` [actions], with their weight. */
void asif_lost_taken(double *taken, const asif_tree_view *tree, uint64_t k);
/* The weight of all decisions after lost results. */
double asif_lost_decisions(const asif_tree_view *tree);
/* The root above lost episode k. */
uint32_t asif_lost_root(const asif_tree_view *tree, uint64_t k);
/* The node and action, node * actions + action, that the first lost result of episode k followed. */
uint64_t asif_lost_after(const asif_tree_view *tree, uint64_t k);
/* As asif_lost_total(), for many agents: log_policy [nodes][actions][lanes]; adds to total [lanes]. */
void asif_lost_many(double *total, const asif_tree_view *tree, const double *log_policy, uint32_t lanes);

#endif
