#include "logs/lengths.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"

#include <math.h>

/* The decisions of a unit, which is an episode: those in the counts, and those after a lost result. */
static double length_of_unit(const asif_tree_view *tree, uint64_t i) {
    double length = 0;
    for (uint64_t e = tree->unit[i]; e < tree->unit[i + 1]; e++)
        length += tree->entry_count[e];
    for (uint64_t k = tree->unit_lost[i]; k < tree->unit_lost[i + 1]; k++)
        length += tree->lost_weight[k] * tree->lost_length[k];
    return length;
}

static uint64_t longest_unit(const asif_tree_view *tree) {
    double longest = 0;
    for (uint64_t i = 0; i < tree->units; i++)
        longest = fmax(longest, length_of_unit(tree, i));
    return (uint64_t)longest;
}

static void count_units(double *count, const asif_tree_view *tree) {
    for (uint64_t i = 0; i < tree->units; i++) {
        double length = length_of_unit(tree, i);
        if (length >= 1)
            count[(uint64_t)length - 1]++;
    }
}

static double decisions_on(const asif_tree_view *tree, uint32_t level) {
    double sum = 0;
    for (uint64_t i = tree->level[level] * tree->actions; i < tree->level[level + 1] * tree->actions; i++)
        sum += tree->count[i];
    return sum;
}

/* The decisions on a level are the episodes of at least that length. Levels without decisions come first
 * (before an observation that precedes the first action) and are skipped. */
static void count_levels(double *count, const asif_tree_view *tree) {
    uint64_t k = 0;
    for (uint32_t l = 0; l < tree->levels; l++) {
        double here = decisions_on(tree, l);
        if (k == 0 && here == 0)
            continue;
        if (k > 0)
            count[k - 1] -= here;
        count[k++] = here;
    }
}

asif_status asif_lengths_make(double **count, uint64_t *longest, const asif_context *context,
                              const asif_tree *tree, asif_error *error) {
    const asif_logs_info *info = asif_tree_info(tree);
    const asif_tree_view *view = asif_tree_inside(tree);
    double sum = 0;
    *count = NULL;
    *longest = 0;
    bool units = view->units > 0 && view->units == info->episodes;
    if (info->weight != (double)info->decisions || (!units && (view->states_seen || view->lost)))
        return ASIF_OK;
    uint64_t most = units ? longest_unit(view) : view->levels;
    *count = ASIF_ARRAY(context, most, double);
    if (!*count)
        return asif_fail_memory(error);
    if (units)
        count_units(*count, view);
    else
        count_levels(*count, view);
    for (uint64_t k = 0; k < most; k++) {
        sum += (*count)[k];
        *longest = (*count)[k] > 0 ? k + 1 : *longest;
    }
    if (sum != (double)info->episodes)
        *longest = 0;
    return ASIF_OK;
}

/* The length of episode `rank`, from 0, in order. */
static double ranked(const double *count, uint64_t longest, double rank) {
    uint64_t k = 0;
    for (double below = 0; k < longest && below + count[k] <= rank; k++)
        below += count[k];
    return (double)(k < longest ? k + 1 : longest);
}

double asif_lengths_quantile(const double *count, uint64_t longest, double p) {
    double episodes = 0;
    for (uint64_t k = 0; k < longest; k++)
        episodes += count[k];
    double at = p * episodes;
    if (episodes == 0)
        return NAN;
    return 0.5 * (ranked(count, longest, fmax(0, ceil(at) - 1)) +
                  ranked(count, longest, fmin(episodes - 1, floor(at))));
}

void asif_tree_taken(double *taken, const asif_tree_view *tree) {
    for (uint64_t i = 0; i < (uint64_t)tree->nodes * tree->actions; i++)
        taken[i % tree->actions] += tree->count[i];
    for (uint64_t k = 0; k < tree->lost; k++)
        asif_lost_taken(taken, tree, k);
}

void asif_tree_seen(double *seen, const asif_tree_view *tree) {
    for (uint64_t i = 0; i < tree->nodes; i++) {
        const double *count = tree->count + i * tree->actions;
        uint32_t o = tree->observation[i] == ASIF_ANY ? tree->observations : tree->observation[i];
        for (uint32_t u = 0; tree->parent[i] != ASIF_ANY && u < tree->actions; u++)
            seen[o] += count[u];
    }
    for (uint64_t e = 0; e < tree->ends; e++)
        seen[tree->end_observation[e]] += tree->end_count[e];
}
