/* Groups of decisions: by step, by belief, by state, by history, and by previous action. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"
#include "planners/planner.h"
#include "setting/setting.h"

#include <math.h>

#define FEWEST 20     /* fewest decisions of a step that has a group of its own */
#define MOST_STEPS 12 /* most groups of steps */
#define MOST_STATES 20
#define EDGE 1e-9 /* tolerance at the edge of a bin, against rounding */

uint32_t asif_check_bin(const double *belief, uint32_t states, uint32_t bins) {
    double at = 0;
    if (states == 2) {
        at = belief[1];
    } else {
        for (uint32_t s = 0; s < states; s++)
            at = fmax(at, belief[s]);
        at = (at - 1.0 / states) / (1 - 1.0 / states);
    }
    double bin = floor(at * bins + EDGE);
    return bin < 0 ? 0 : bin < bins ? (uint32_t)bin : bins - 1;
}

static asif_status make_map(asif_check_grouping *out, const asif_checking *c, asif_error *error) {
    out->of = ASIF_ARRAY(c->checks->context, c->tree->nodes, uint32_t);
    if (!out->of)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < c->tree->nodes; i++)
        out->of[i] = ASIF_ANY;
    return ASIF_OK;
}

/* ---- steps ---- */

static double decisions_at(const asif_checking *c, uint32_t level) {
    double sum = 0;
    for (uint64_t i = c->tree->level[level]; i < c->tree->level[level + 1]; i++)
        sum += c->decisions[i];
    return sum;
}

static asif_status group_steps(asif_check_grouping *out, const asif_checking *c, asif_error *error) {
    uint32_t first = 0, levels = c->tree->levels, groups = 1;
    while (first + 1 < levels && decisions_at(c, first) == 0)
        first++;
    while (groups < MOST_STEPS && first + groups < levels && decisions_at(c, first + groups) >= FEWEST)
        groups++;
    uint32_t steps = levels - first; /* steps after the last group join it */
    ASIF_TRY(make_map(out, c, error));
    ASIF_TRY(asif_check_groups(c->checks, out->family, groups, c->tree->actions, error));
    for (uint32_t g = 0; g < groups; g++) {
        out->family->group[g].step = g + 1;
        out->family->group[g].later = g + 1 == groups && groups < steps;
    }
    for (uint32_t k = 0; k < steps; k++)
        for (uint64_t i = c->tree->level[first + k]; i < c->tree->level[first + k + 1]; i++)
            out->of[i] = k < groups ? k : groups - 1;
    return ASIF_OK;
}

/* ---- beliefs ---- */

static asif_status group_beliefs(asif_check_grouping *out, const asif_checking *c, asif_error *error) {
    uint32_t bins = c->options.bins, H = asif_hidden_values(c->spec);
    double low = H == 2 ? 0 : 1.0 / H;
    ASIF_TRY(asif_check_groups(c->checks, out->family, bins, c->tree->actions, error));
    for (uint32_t b = 0; b < bins; b++) {
        asif_check_group *g = &out->family->group[b];
        g->state = H == 2 ? 1 : ASIF_ANY;
        g->low = low + (1 - low) * b / bins;
        g->high = low + (1 - low) * (b + 1) / bins;
    }
    return ASIF_OK;
}

/* ---- histories, states ---- */

/* Find the nodes with most decisions, at most `most`; of equal numbers, the first. */
static uint32_t most_frequent(const asif_checking *c, uint32_t *list, uint32_t most) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < c->tree->nodes; i++) {
        uint32_t at = length;
        while (at > 0 && c->decisions[list[at - 1]] < c->decisions[i])
            at--;
        if (at == most || c->decisions[i] == 0)
            continue;
        for (uint32_t k = length < most ? length : most - 1; k > at; k--)
            list[k] = list[k - 1];
        list[at] = i;
        length += length < most;
    }
    return length;
}

static asif_status group_nodes(asif_check_grouping *out, const asif_checking *c, asif_error *error) {
    bool states = c->tree->states_seen;
    uint32_t most = states ? MOST_STATES : c->options.histories, others = 0;
    uint32_t *list = ASIF_ARRAY(c->checks->context, (uint64_t)most + 1, uint32_t);
    asif_status status = list ? make_map(out, c, error) : asif_fail_memory(error);
    if (status == ASIF_OK) {
        uint32_t groups = most_frequent(c, list, most);
        for (uint32_t g = 0; g < groups; g++)
            out->of[list[g]] = g;
        for (uint32_t i = 0; states && i < c->tree->nodes; i++)
            if (c->decisions[i] > 0 && out->of[i] == ASIF_ANY) {
                out->of[i] = groups;
                others = 1;
            }
        status = asif_check_groups(c->checks, out->family, groups + others, c->tree->actions, error);
        for (uint32_t g = 0; status == ASIF_OK && g < groups; g++) {
            if (states)
                out->family->group[g].state = c->tree->observation[list[g]];
            else
                out->family->group[g].node = list[g];
        }
    }
    asif_free(c->checks->context, list);
    return status;
}

/* ---- switches ---- */

static asif_status group_switches(asif_check_grouping *out, const asif_checking *c, asif_error *error) {
    const asif_tree_view *t = c->tree;
    uint32_t used = 0;
    ASIF_TRY(make_map(out, c, error));
    ASIF_TRY(asif_check_groups(c->checks, out->family, t->actions, t->actions, error));
    for (uint32_t u = 0; u < t->actions; u++)
        out->family->group[u].action = u;
    for (uint32_t i = 0; i < t->nodes; i++)
        /* An observation before the first action follows no action. */
        if (t->parent[i] != ASIF_ANY && !(c->begun && t->parent[t->parent[i]] == ASIF_ANY))
            out->of[i] = t->action[i];
    for (uint32_t u = 0; u < t->actions; u++) {
        double decisions = 0;
        for (uint32_t i = 0; i < t->nodes; i++)
            decisions += out->of[i] == u ? c->decisions[i] : 0;
        used += decisions > 0;
    }
    if (used > 1)
        return ASIF_OK;
    out->family->view.groups = 0;
    out->family->view.why = "only one action is ever followed by another";
    out->family->view.why_code = ASIF_CHECK_ONE_FOLLOWED;
    return ASIF_OK;
}

/* ---- all conditional families ---- */

static asif_status add(asif_check_grouping *out, uint32_t *count, const asif_checking *c,
                       asif_check_kind kind, asif_error *error) {
    static asif_status (*const makers[ASIF_CHECK_KINDS])(asif_check_grouping *, const asif_checking *,
                                                         asif_error *) = {
        [ASIF_CHECK_STEPS] = group_steps,       [ASIF_CHECK_BELIEFS] = group_beliefs,
        [ASIF_CHECK_STATES] = group_nodes,      [ASIF_CHECK_HISTORIES] = group_nodes,
        [ASIF_CHECK_SWITCHES] = group_switches,
    };
    asif_check_grouping *here = &out[(*count)++];
    *here = (asif_check_grouping){.family = asif_check_add(c->checks, kind)};
    return makers[kind](here, c, error);
}

static void leave_out(const asif_checking *c, asif_check_kind kind, const char *why) {
    asif_check_add(c->checks, kind)->view.why = why;
}

asif_status asif_check_grouping_make(asif_check_grouping *out, uint32_t *count, const asif_checking *c,
                                     asif_error *error) {
    *count = 0;
    if (c->tree->states_seen) {
        leave_out(c, ASIF_CHECK_STEPS, "where states are seen, decisions are counted by state, not by step");
        return add(out, count, c, ASIF_CHECK_STATES, error);
    }
    ASIF_TRY(add(out, count, c, ASIF_CHECK_STEPS, error));
    const asif_behavior *behavior = asif_work_unsolved(c->fitted->work);
    if (asif_behavior_belief_at(behavior) != ASIF_ANY)
        ASIF_TRY(add(out, count, c, ASIF_CHECK_BELIEFS, error));
    else
        leave_out(c, ASIF_CHECK_BELIEFS, "this planner's agent has no beliefs");
    ASIF_TRY(add(out, count, c, ASIF_CHECK_HISTORIES, error));
    return add(out, count, c, ASIF_CHECK_SWITCHES, error);
}
