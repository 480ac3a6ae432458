/* Measures of predictions: likelihood, accuracy, Brier score. */
#include "questions/held_out/held_out.h"

#include "logs/tree/tree.h"

#include <math.h>

/* Weight of the decisions at which the most probable action was taken; actions that tie share. */
static double right(const double *policy, const double *count, uint32_t actions) {
    double best = 0, hits = 0;
    uint32_t tied = 0;
    for (uint32_t u = 0; u < actions; u++)
        best = fmax(best, policy[u]);
    for (uint32_t u = 0; u < actions; u++)
        if (policy[u] >= best * (1 - 1e-12)) {
            hits += count[u];
            tied++;
        }
    return tied ? hits / tied : 0;
}

void asif_held_out_add(asif_held_out_sum *sum, const asif_held_out_view *view, const double *policy,
                       double distance) {
    const asif_tree_view *tree = asif_tree_inside(view->tree);
    uint32_t U = tree->actions;
    double decisions = 0;
    for (uint64_t n = 0; n < tree->nodes; n++) {
        const double *c = view->count + n * U, *p = policy + n * U;
        double all = 0, squares = 0;
        for (uint32_t u = 0; u < U; u++) {
            all += c[u];
            squares += p[u] * p[u];
            if (c[u] > 0)
                sum->log_likelihood += c[u] * log(p[u]);
        }
        if (!(all > 0))
            continue;
        for (uint32_t u = 0; u < U; u++) /* sum of (p - y)^2, where y is 1 for the action taken */
            sum->brier += c[u] * (squares - 2 * p[u] + 1);
        sum->right += right(p, c, U);
        decisions += all;
    }
    sum->decisions += decisions;
    sum->distance += decisions * distance;
    for (uint64_t i = 0; sum->by_unit && i < tree->units; i++) {
        if (view->held_out && !view->held_out[i])
            continue;
        double total = 0;
        for (uint64_t e = tree->unit[i]; e < tree->unit[i + 1]; e++)
            total +=
                tree->entry_count[e] * log(policy[(uint64_t)tree->entry_node[e] * U + tree->entry_action[e]]);
        sum->by_unit[i] = total;
    }
}

double asif_held_out_total(double *standard_error, const asif_tree_view *tree, const double *by_unit,
                           const double *minus) {
    double sum = 0, all = 0, squares = 0, units = (double)tree->units;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t i = 0; i < tree->units; i++) {
            double decisions = 0, value = by_unit[i] - (minus ? minus[i] : 0);
            for (uint64_t e = tree->unit[i]; e < tree->unit[i + 1]; e++)
                decisions += tree->entry_count[e];
            if (turn == 0) {
                sum += value;
                all += decisions;
            } else {
                squares += (value - sum / all * decisions) * (value - sum / all * decisions);
            }
        }
    *standard_error = units > 1 ? sqrt(squares * units / (units - 1)) : NAN;
    return sum;
}
