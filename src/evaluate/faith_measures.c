/* What decisions say of a policy: likelihood, accuracy, calibration, average precision. */
#include "evaluate/faith.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree.h"

#include <math.h>
#include <stdlib.h>

/* Share of the decisions at which the most probable action was taken: actions that tie share. */
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

void asif_faith_add(asif_faith_sum *sum, const asif_faith_view *view, const double *policy, double distance) {
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
        for (uint32_t u = 0; u < U; u++) /* sum over actions of (p - y)^2, y being 1 for the action taken */
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

typedef struct {
    double score, taken, all;
} prediction;

static int by_score(const void *a, const void *b) {
    double x = ((const prediction *)a)->score, y = ((const prediction *)b)->score;
    return (x < y) - (x > y);
}

/* Area under precision and recall of one action, in steps of recall; predictions of the same score come together. */
static double average_precision(prediction *list, uint64_t n) {
    double taken = 0, all = 0, hits = 0, area = 0;
    for (uint64_t i = 0; i < n; i++)
        taken += list[i].taken;
    qsort(list, (size_t)n, sizeof *list, by_score);
    for (uint64_t i = 0; i < n;) {
        double score = list[i].score, now = 0;
        for (; i < n && list[i].score == score; i++) {
            now += list[i].taken;
            all += list[i].all;
        }
        hits += now;
        if (all > 0)
            area += now / taken * (hits / all);
    }
    return taken > 0 ? area : NAN;
}

asif_status asif_faith_precision(double *out, const asif_context *context, uint32_t parts, uint64_t nodes,
                                 uint32_t actions, double *const *policy, double *const *count,
                                 asif_error *error) {
    prediction *list = ASIF_ARRAY(context, (uint64_t)parts * nodes, prediction);
    double sum = 0;
    uint32_t averaged = 0;
    if (!list)
        return asif_fail_memory(error);
    for (uint32_t u = 0; u < actions; u++) {
        uint64_t n = 0;
        for (uint32_t k = 0; k < parts; k++)
            for (uint64_t i = 0; i < nodes; i++) {
                double all = 0;
                for (uint32_t v = 0; v < actions; v++)
                    all += count[k][i * actions + v];
                if (all > 0)
                    list[n++] = (prediction){policy[k][i * actions + u], count[k][i * actions + u], all};
            }
        double area = average_precision(list, n);
        if (isfinite(area)) {
            sum += area;
            averaged++;
        }
    }
    asif_free(context, list);
    *out = averaged ? sum / averaged : NAN;
    return ASIF_OK;
}
