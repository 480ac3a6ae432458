#include "logs/lost.h"

#include "behavior/behavior.h"

#include <math.h>

/* Sum numbers [nodes][actions] over the decisions on a completion. */
static double sum_along(const asif_tree_view *t, uint64_t k, uint64_t completion, const double *number) {
    uint32_t node = t->completion_node[completion], action = t->lost_action[k];
    double sum = 0;
    for (uint32_t i = 0; i < t->lost_length[k]; i++) {
        sum += number[(uint64_t)node * t->actions + action];
        action = t->action[node];
        node = t->parent[node];
    }
    return sum;
}

/* The log-probability of a completion and of the decisions on it. */
static double along(const asif_tree_view *t, uint64_t k, uint64_t completion, const double *log_policy) {
    return t->completion_log[completion] + sum_along(t, k, completion, log_policy);
}

/* Add exp(value) to the sum of which *top is the largest logarithm, and *sum the rest over exp(*top). */
static void add_exp(double *top, double *sum, double value) {
    if (value > *top) {
        *sum = *sum * exp(*top - value) + 1;
        *top = value;
    } else if (value > -INFINITY) {
        *sum += exp(value - *top);
    }
}

double asif_lost_log(const asif_tree_view *t, uint64_t k, const double *log_policy) {
    double top = -INFINITY, sum = 0;
    for (uint64_t c = t->completion[k]; c < t->completion[k + 1]; c++)
        add_exp(&top, &sum, along(t, k, c, log_policy));
    return top > -INFINITY ? top + log(sum) : -INFINITY;
}

double asif_lost_total(const asif_tree_view *t, const double *log_policy) {
    double total = 0;
    for (uint64_t k = 0; k < t->lost; k++)
        total += t->lost_weight[k] * asif_lost_log(t, k, log_policy);
    return total;
}

void asif_lost_share(double *count, const asif_tree_view *t, uint64_t k, double value,
                     const double *log_policy) {
    for (uint64_t c = t->completion[k]; c < t->completion[k + 1]; c++) {
        double share = t->lost_weight[k] * exp(along(t, k, c, log_policy) - value);
        uint32_t node = t->completion_node[c], action = t->lost_action[k];
        for (uint32_t i = 0; i < t->lost_length[k]; i++) {
            count[(uint64_t)node * t->actions + action] += share;
            action = t->action[node];
            node = t->parent[node];
        }
    }
}

double asif_lost_slope(const asif_tree_view *t, uint64_t k, double value, const double *log_policy,
                       const double *slope) {
    double sum = 0;
    for (uint64_t c = t->completion[k]; c < t->completion[k + 1]; c++) {
        double share = exp(along(t, k, c, log_policy) - value);
        if (share > 0)
            sum += share * sum_along(t, k, c, slope);
    }
    return sum;
}

void asif_lost_taken(double *taken, const asif_tree_view *t, uint64_t k) {
    uint32_t node = t->completion_node[t->completion[k]], action = t->lost_action[k];
    for (uint32_t i = 0; i < t->lost_length[k]; i++) {
        taken[action] += t->lost_weight[k];
        action = t->action[node];
        node = t->parent[node];
    }
}

double asif_lost_decisions(const asif_tree_view *t) {
    double sum = 0;
    for (uint64_t k = 0; k < t->lost; k++)
        sum += t->lost_weight[k] * t->lost_length[k];
    return sum;
}

uint32_t asif_lost_root(const asif_tree_view *t, uint64_t k) {
    uint32_t node = t->completion_node[t->completion[k]];
    while (t->parent[node] != ASIF_ANY)
        node = t->parent[node];
    return node;
}

uint64_t asif_lost_after(const asif_tree_view *t, uint64_t k) {
    uint32_t node = t->completion_node[t->completion[k]];
    for (uint32_t i = 1; i < t->lost_length[k]; i++)
        node = t->parent[node];
    return (uint64_t)t->parent[node] * t->actions + t->action[node];
}

void asif_lost_many(double *total, const asif_tree_view *t, const double *log_policy, uint32_t lanes) {
    for (uint64_t k = 0; k < t->lost; k++) {
        double top[ASIF_MANY], sum[ASIF_MANY];
        for (uint32_t l = 0; l < lanes; l++) {
            top[l] = -INFINITY;
            sum[l] = 0;
        }
        for (uint64_t c = t->completion[k]; c < t->completion[k + 1]; c++) {
            double value[ASIF_MANY];
            uint32_t node = t->completion_node[c], action = t->lost_action[k];
            for (uint32_t l = 0; l < lanes; l++)
                value[l] = t->completion_log[c];
            for (uint32_t i = 0; i < t->lost_length[k]; i++) {
                const double *row = log_policy + ((uint64_t)node * t->actions + action) * lanes;
                for (uint32_t l = 0; l < lanes; l++)
                    value[l] += row[l];
                action = t->action[node];
                node = t->parent[node];
            }
            for (uint32_t l = 0; l < lanes; l++)
                add_exp(&top[l], &sum[l], value[l]);
        }
        for (uint32_t l = 0; l < lanes; l++)
            total[l] += t->lost_weight[k] * (top[l] > -INFINITY ? top[l] + log(sum[l]) : -INFINITY);
    }
}
