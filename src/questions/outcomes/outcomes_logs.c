/* Outcomes in the logs: shares of start classes, lengths of episodes, actions, and the histories to show. */
#include "acting/episode_measures.h"
#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "questions/outcomes/outcomes.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define LONGEST_RUN 3
#define MOST_RUNS 24

/* ---- counts ---- */

/* Decisions by start class, [starts][actions], and episodes of each class, counted at the first decisions. */
typedef struct {
    double *taken, *episodes;
} counts;

static double decisions_at(const asif_tree_view *tree, uint64_t node) {
    double sum = 0;
    for (uint32_t u = 0; u < tree->actions; u++)
        sum += tree->count[node * tree->actions + u];
    return sum;
}

static asif_status count_classes(const asif_outcomes *o, counts *out, asif_error *error) {
    const asif_tree_view *tree = asif_tree_inside(o->tree);
    uint32_t *root = ASIF_ARRAY(o->context, tree->nodes, uint32_t);
    uint32_t *begins =
        ASIF_ARRAY(o->context, tree->starts, uint32_t); /* 1 + the first level with decisions */
    asif_status status = root && begins ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t level = 0; level < tree->levels && status == ASIF_OK; level++)
        for (uint64_t i = tree->level[level]; i < tree->level[level + 1]; i++) {
            root[i] = tree->parent[i] == ASIF_ANY ? (uint32_t)i : root[tree->parent[i]];
            double here = decisions_at(tree, i);
            for (uint32_t u = 0; u < tree->actions; u++)
                out->taken[(uint64_t)root[i] * tree->actions + u] += tree->count[i * tree->actions + u];
            /* The first decisions are one level lower after an observation that precedes them. */
            if (here > 0 && (begins[root[i]] == 0 || begins[root[i]] == level + 1)) {
                begins[root[i]] = level + 1;
                out->episodes[root[i]] += here;
            }
        }
    for (uint64_t k = 0; k < tree->lost && status == ASIF_OK; k++) {
        uint64_t start = asif_lost_root(tree, k);
        asif_lost_taken(out->taken + start * tree->actions, tree, k);
        if (!(tree->count[asif_lost_after(tree, k)] >
              0)) /* what was seen before the first decision is lost */
            out->episodes[start] += tree->lost_weight[k];
    }
    asif_free(o->context, root);
    asif_free(o->context, begins);
    return status;
}

/* Count where states are seen; only totals are known. With weights, the number of episodes is not known
 * either. */
static void count_states(const asif_outcomes *o, counts *out) {
    const asif_tree_view *tree = asif_tree_inside(o->tree);
    const asif_logs_info *info = asif_tree_info(o->tree);
    if (!asif_tree_holds_counts(o->tree))
        out->episodes[0] = (double)info->episodes;
    for (uint64_t i = 0; i < (uint64_t)tree->nodes * tree->actions; i++)
        out->taken[i % tree->actions] += tree->count[i];
}

/* ---- observed ---- */

static void fill_row(const asif_outcomes *o, double *row, const double *taken, double episodes) {
    const asif_setting_spec *spec = &o->setting->spec;
    double all = 0, ended = 0;
    bool ends = false;
    for (uint32_t i = 0; i < o->view.measures; i++)
        row[i] = NAN;
    if (!(episodes > 0))
        return;
    for (uint32_t u = 0; u < spec->actions; u++) {
        row[ASIF_MEASURE_TAKEN + u] = taken[u] / episodes;
        all += taken[u];
        ended += spec->ends[u] ? taken[u] : 0;
        ends |= spec->ends[u];
    }
    row[ASIF_MEASURE_LENGTH] = all / episodes;
    if (ends) {
        row[ASIF_MEASURE_BEFORE] = (all - ended) / episodes;
        /* Episodes that end in a terminal state or at the horizon are not told apart. */
        row[ASIF_MEASURE_CUT] = asif_has_place(spec) ? NAN : fmax(0, 1 - ended / episodes);
    }
}

static void fill_rows(asif_outcomes *o, counts *c, uint32_t classes) {
    uint32_t U = o->setting->spec.actions, last = o->view.rows - 1;
    double episodes = 0;
    for (uint32_t k = 0; k < classes; k++)
        episodes += c->episodes[k];
    for (uint32_t k = 0; k < last; k++) {
        o->weight[k] = episodes > 0 ? c->episodes[k] / episodes : 1.0 / last;
        fill_row(o, o->observed + (uint64_t)k * o->view.measures, c->taken + (uint64_t)k * U, c->episodes[k]);
    }
    for (uint32_t k = 1; k < classes; k++)
        for (uint32_t u = 0; u < U; u++)
            c->taken[u] += c->taken[(uint64_t)k * U + u];
    o->weight[last] = 1;
    fill_row(o, o->observed + (uint64_t)last * o->view.measures, c->taken, episodes);
}

asif_status asif_outcomes_observe(asif_outcomes *o, asif_error *error) {
    const asif_setting_spec *spec = &o->setting->spec;
    const asif_tree_view *tree = o->tree ? asif_tree_inside(o->tree) : NULL;
    uint32_t classes = tree && tree->starts > spec->starts ? tree->starts : spec->starts;
    counts c = {ASIF_ARRAY(o->context, (uint64_t)classes * spec->actions, double),
                ASIF_ARRAY(o->context, classes, double)};
    o->weight = ASIF_ARRAY(o->context, o->view.rows, double);
    o->observed = ASIF_ARRAY(o->context, (uint64_t)o->view.rows * o->view.measures, double);
    asif_status status =
        c.taken && c.episodes && o->weight && o->observed ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && tree && tree->states_seen)
        count_states(o, &c);
    else if (status == ASIF_OK && tree)
        status = count_classes(o, &c, error);
    if (status == ASIF_OK)
        fill_rows(o, &c, spec->starts);
    asif_free(o->context, c.taken);
    asif_free(o->context, c.episodes);
    o->view.weight = o->weight;
    o->view.observed = o->observed;
    return status;
}

/* ---- histories ---- */

static uint32_t depth_of(const asif_tree_view *tree, uint32_t node) {
    uint32_t depth = 0;
    for (; tree->parent[node] != ASIF_ANY; node = tree->parent[node])
        depth++;
    return depth;
}

/* The next node after `last`, in descending order of decisions, then by number; ASIF_ANY: there is none. */
static uint32_t next_node(const asif_tree_view *tree, uint32_t last) {
    uint32_t best = ASIF_ANY;
    double most = 0, limit = last == ASIF_ANY ? INFINITY : decisions_at(tree, last);
    for (uint32_t i = 0; i < tree->nodes; i++) {
        double here = decisions_at(tree, i);
        bool after = here < limit || (here == limit && last != ASIF_ANY && i > last);
        if (after && here > most) {
            most = here;
            best = i;
        }
    }
    return best;
}

static void fill_frequent(asif_outcomes *o, asif_outcome_history *h, double *share, uint32_t *events,
                          uint32_t node) {
    const asif_tree_view *tree = asif_tree_inside(o->tree);
    uint32_t depth = depth_of(tree, node), at = node;
    *h = (asif_outcome_history){.state = ASIF_ANY, .events = depth, .observed = share};
    h->decisions = decisions_at(tree, node);
    for (uint32_t u = 0; u < tree->actions; u++)
        share[u] = tree->count[(uint64_t)node * tree->actions + u] / h->decisions;
    h->action = events;
    h->observation = events + depth;
    for (uint32_t k = depth; k-- > 0; at = tree->parent[at]) {
        events[k] = tree->action[at];
        events[depth + k] = tree->observation[at];
    }
    if (tree->states_seen)
        h->state = tree->observation[at];
    else
        h->start = at;
}

/* The node of the logs at the end of a run; ASIF_ANY: it does not occur. */
static uint32_t find_run(const asif_tree_view *tree, uint32_t start, uint32_t u, uint32_t x,
                         uint32_t length) {
    uint32_t at = start;
    for (uint32_t k = 0; k < length; k++) {
        uint32_t found = ASIF_ANY;
        for (uint32_t i = at + 1; i < tree->nodes && found == ASIF_ANY; i++)
            if (tree->parent[i] == at && tree->action[i] == u && tree->observation[i] == x)
                found = i;
        if (found == ASIF_ANY)
            return ASIF_ANY;
        at = found;
    }
    return at;
}

static void fill_run(asif_outcomes *o, asif_outcome_history *h, double *share, uint32_t *events,
                     uint32_t start, uint32_t u, uint32_t x, uint32_t length) {
    const asif_tree_view *tree = o->tree ? asif_tree_inside(o->tree) : NULL;
    uint32_t U = o->setting->spec.actions,
             node = tree && start < tree->starts ? find_run(tree, start, u, x, length) : ASIF_ANY;
    double decisions = node == ASIF_ANY ? 0 : decisions_at(tree, node);
    *h = (asif_outcome_history){.run = true, .start = start, .state = ASIF_ANY, .events = length};
    h->decisions = tree ? decisions : NAN;
    h->observed = share;
    h->action = events;
    h->observation = events + length;
    for (uint32_t k = 0; k < U; k++)
        share[k] = tree && decisions > 0 ? tree->count[(uint64_t)node * U + k] / decisions : NAN;
    for (uint32_t k = 0; k < length; k++) {
        events[k] = u;
        events[length + k] = x;
    }
}

/* The number of runs, at most MOST_RUNS, in whole groups of lengths. None where what is known for sure
 * changes with every decision. */
static uint32_t count_runs(const asif_outcomes *o, const asif_evidence *evidence) {
    if (o->options.histories == 0 || asif_has_place(&o->setting->spec))
        return 0;
    uint64_t groups = (uint64_t)o->setting->spec.starts * evidence->count * o->setting->spec.observations;
    return LONGEST_RUN * (uint32_t)(groups < MOST_RUNS / LONGEST_RUN ? groups : MOST_RUNS / LONGEST_RUN);
}

asif_status asif_outcomes_histories(asif_outcomes *o, const asif_evidence *evidence, asif_error *error) {
    const asif_setting_spec *spec = &o->setting->spec;
    const asif_tree_view *tree = o->tree ? asif_tree_inside(o->tree) : NULL;
    uint32_t runs = count_runs(o, evidence), count = 0, node = ASIF_ANY;
    uint64_t most = (uint64_t)o->options.histories + runs, U = spec->actions,
             room = (uint64_t)o->options.histories * (tree ? tree->levels : 0) + (uint64_t)runs * LONGEST_RUN;
    o->history = ASIF_ARRAY(o->context, most, asif_outcome_history);
    o->policy = ASIF_ARRAY(o->context, most * ASIF_AGENT_COUNT * U, asif_outcome);
    o->history_shares = ASIF_ARRAY(o->context, most * U, double);
    o->events = ASIF_ARRAY(o->context, 2 * room, uint32_t);
    if (!o->history || !o->policy || !o->history_shares || !o->events)
        return asif_fail_memory(error);
    uint32_t *events = o->events;
    for (uint32_t k = 0; k < runs; k++) {
        uint32_t group = k / LONGEST_RUN, x = group % spec->observations, e = group / spec->observations;
        fill_run(o, &o->history[count], o->history_shares + count * U, events, e / evidence->count,
                 evidence->action[e % evidence->count], x, k % LONGEST_RUN + 1);
        events += 2 * (uint64_t)o->history[count++].events;
    }
    for (uint32_t k = 0; tree && k < o->options.histories; k++) {
        node = next_node(tree, node);
        if (node == ASIF_ANY)
            break;
        fill_frequent(o, &o->history[count], o->history_shares + count * U, events, node);
        events += 2 * (uint64_t)o->history[count++].events;
    }
    for (uint32_t h = 0; h < count; h++)
        o->history[h].policy = o->policy + (uint64_t)h * ASIF_AGENT_COUNT * U;
    o->view.histories = count;
    o->view.history = o->history;
    return ASIF_OK;
}

asif_status asif_outcomes_policy(const asif_outcome_history *h, const asif_behavior *behavior, double *state,
                                 double *policy, asif_error *error) {
    uint32_t U = asif_setting_get(behavior->setting)->actions;
    asif_status status = ASIF_OK;
    asif_behavior_init(behavior, h->start, h->state, state);
    for (uint32_t k = 0; k < h->events && status == ASIF_OK; k++)
        status = asif_behavior_step(behavior, 1, state, &h->action[k], &h->observation[k], state, error);
    if (status == ASIF_OK)
        status = asif_behavior_log_policy(behavior, 1, state, policy, error);
    for (uint32_t u = 0; u < U; u++)
        policy[u] = status == ASIF_OK ? exp(policy[u]) : NAN;
    return status == ASIF_EZEROPR ? ASIF_OK : status;
}
