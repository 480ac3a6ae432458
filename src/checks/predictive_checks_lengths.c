/* Lengths of episodes, and the number of different histories: logs against simulated logs.
 *
 * Logs and replicates are exchangeable if the model holds. Differences are therefore standardised by the mean
 * and the variance of all of them together, the logs included. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

enum { KEPT = ASIF_CHECK_LENGTHS_KEPT, DECISIONS = KEPT, DIFFERENT, ROW };

#define MOST_CELLS 20
#define LEFT 0.02 /* share of episodes beyond the last length that has a cell of its own */
#define LONGEST 1000
#define PRIOR_LONGER 4 /* times the longest episode of the logs: agents of the prior may go on for ever */

/* The number of decisions at a level; adds the number of nodes with decisions to `*nodes`. */
static double decisions_at(const asif_tree_view *t, uint32_t level, double *nodes) {
    double sum = 0;
    for (uint64_t i = t->level[level]; i < t->level[level + 1]; i++) {
        double decisions = 0;
        for (uint32_t u = 0; u < t->actions; u++)
            decisions += t->count[i * t->actions + u];
        sum += decisions;
        *nodes += decisions > 0;
    }
    return sum;
}

void asif_check_lengths_of(const asif_tree_view *t, double *row) {
    double here = 0;
    for (uint32_t k = 0; k < ROW; k++)
        row[k] = 0;
    for (uint32_t k = 0; k < t->levels; k++) {
        double above = here;
        here = decisions_at(t, k, &row[DIFFERENT]);
        if (k > 0)
            row[k - 1 < KEPT ? k - 1 : KEPT - 1] += above - here;
        row[DECISIONS] += here;
    }
    row[t->levels - 1 < KEPT ? t->levels - 1 : KEPT - 1] += here;
}

/* Number of episodes that end without an ending action: at earlier levels (returned), and at the last. */
static double count_cut(const asif_checking *c, double *last) {
    const asif_tree_view *t = c->tree;
    double before = 0;
    *last = 0;
    for (uint32_t i = 0; i < t->nodes; i++)
        for (uint32_t u = 0; u < t->actions; u++) {
            uint64_t at = (uint64_t)i * t->actions + u;
            double cut = c->spec->ends[u] ? 0 : fmax(0, t->count[at] - c->followed[at]);
            *(i >= t->level[t->levels - 1] ? last : &before) += cut;
        }
    return before;
}

const char *asif_check_lengths_refuse(const asif_checking *c, uint32_t *max_steps) {
    const asif_tree_view *t = c->tree;
    double episodes = 0, last;
    *max_steps = LONGEST;
    if (t->states_seen)
        return "where states are seen, decisions are counted by state, not by episode";
    if (t->lost)
        return "results are lost, and the decisions after them are not counted here";
    if (!c->whole)
        return "the weights are not whole numbers";
    if (c->begun)
        return "episodes begin with what was seen before the first action, simulated ones do not";
    for (uint32_t s = 0; s < t->starts; s++)
        episodes += c->decisions[s];
    if (count_cut(c, &last) > ASIF_CHECK_CUT * episodes)
        return "logs end without an action that ends them: their lengths are not the agent's alone";
    if (c->options.prior && PRIOR_LONGER * t->levels < LONGEST)
        *max_steps = PRIOR_LONGER * t->levels;
    if (last > 0 || t->levels > LONGEST)
        *max_steps = t->levels;
    return c->simulated ? NULL : "no logs were simulated";
}

/* Choose how many lengths have a cell of their own, from all logs and replicates. */
static uint32_t choose_cells(const double *all, uint32_t rows) {
    double total = 0, left = 0;
    uint32_t cells = 0;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < KEPT; k++)
            total += all[(uint64_t)r * ROW + k];
    left = total;
    while (cells < MOST_CELLS && left > LEFT * total) {
        for (uint32_t r = 0; r < rows; r++)
            left -= all[(uint64_t)r * ROW + cells];
        cells++;
    }
    return cells;
}

static void fill(double *to, const double *row, uint32_t cells) {
    for (uint32_t k = 0; k <= cells; k++)
        to[k] = 0;
    for (uint32_t k = 0; k < KEPT; k++)
        to[k < cells ? k : cells] += row[k];
    to[cells + 1] = row[DECISIONS];
    to[cells + 2] = row[DIFFERENT];
}

static void standardise(asif_check_table *t) {
    double n = (double)t->times + 1;
    for (uint64_t k = 0; k < t->cells; k++) {
        double sum = t->observed[k], squares = 0;
        for (uint64_t r = 0; r < t->times; r++)
            sum += t->replicate[r * t->cells + k];
        for (uint64_t r = 0; r <= t->times; r++) {
            double away = (r < t->times ? t->replicate[r * t->cells + k] : t->observed[k]) - sum / n;
            squares += away * away;
        }
        t->expected[k] = sum / n;
        t->variance[k] = squares / n;
    }
}

/* Remove the observed numbers from the predictions. */
static void leave_logs_out(asif_check_made *family, uint32_t replicates) {
    for (uint32_t g = 0, k = 0; g < family->view.groups; g++)
        for (uint32_t i = 0; i < family->group[g].cells; i++, k++)
            family->cell[k].predicted += (family->cell[k].predicted - family->cell[k].observed) / replicates;
}

static asif_status compare(asif_checking *c, asif_check_made *family, const double *all, asif_error *error) {
    uint32_t logs = c->simulated, cells = choose_cells(all, logs + 1);
    asif_check_table t;
    asif_status status =
        asif_check_table_create(&t, c->checks->context, 1, logs, (uint64_t)cells + 3, 3, error);
    if (status == ASIF_OK)
        status = asif_check_groups(c->checks, family, 3, cells + 1, error);
    if (status == ASIF_OK) {
        asif_check_group *g = family->group;
        fill(t.observed, all + (uint64_t)logs * ROW, cells);
        for (uint32_t r = 0; r < t.times; r++)
            fill(t.replicate + (uint64_t)r * t.cells, all + (uint64_t)r * ROW, cells);
        for (uint32_t k = 0; k <= cells; k++)
            t.size[0] += t.observed[k];
        t.size[1] = t.size[0];
        t.size[2] = 1;
        g[0].step = 1;
        g[0].later = true;
        g[1].cells = g[2].cells = 1;
        g[1].amount = g[2].amount = true;
        standardise(&t);
        status = asif_check_judge(family, &t, 0, 0, 0, error);
    }
    if (status == ASIF_OK)
        leave_logs_out(family, t.times);
    asif_check_table_free(&t);
    return status;
}

asif_status asif_check_lengths(asif_checking *c, const char *refused, asif_error *error) {
    asif_check_made *family = asif_check_add(c->checks, ASIF_CHECK_LENGTHS);
    family->view.why = refused;
    if (refused) {
        c->simulated = 0;
        return ASIF_OK;
    }
    double *all =
        asif_realloc(c->checks->context, c->lengths, ((uint64_t)c->simulated + 1) * ROW, sizeof *all);
    if (!all)
        return asif_fail_memory(error);
    c->lengths = all;
    asif_check_lengths_of(c->tree, all + (uint64_t)c->simulated * ROW);
    return compare(c, family, all, error);
}
