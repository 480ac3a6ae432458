/* Disclosure control of a tree of counts: how much may be shown of the decisions at histories that continue
 * each other.
 *
 * The counts are a tree of sums. The episodes are the decisions at the first history; these are the sum of
 * the actions taken there; an action is the sum of the histories that follow it and a rest (episodes cut
 * there, histories that are not shown). A count below the limit is small. The requirement: for somebody who
 * knows the number of episodes, everything shown, and this file, every number from 0 to limit - 1 is still
 * possible for each small count.
 *
 * The leaves of the tree are shown first: exactly, or, if small, as from 0 to limit - 1. One leaf is the
 * exception: the balance, which takes up what the others leave of the total. So far every choice of small
 * counts is possible. Sums of leaves are shown afterwards, from the leaves upwards. If what was shown before
 * puts a sum between `low` and `high`, three kinds of statement are allowed,
 *
 *     low..B,   exactly B + 1, ..., exactly A - 1,   A..high
 *
 * (or only low..high, unless B < A). B is the least sum at which each small count below it can be limit - 1,
 * and A the greatest at which each can be 0. B and A follow from what was shown before, not from the counts,
 * so a range reveals nothing but that the sum lies in it. The tables that would be shown in the same words
 * are therefore exactly those that fit these ranges, and by the choice of B and A each small count has all
 * its values among them. The tree is rooted at the balance: on the way from the total to it, the number of
 * episodes elsewhere is shown.
 *
 * The choice of the balance must not depend on the counts either. It is found by following the most probable
 * action of the fit from the first history. What is shown must imply that it is at least the limit. If it
 * does not, the histories that follow its action, or its history, are not shown, and the one before is tried.
 * An action whose histories are not shown may always hide some that had to be left out. */
#include "render/disclosure/disclosure_tree.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* The range in which a leaf, or a sum of leaves, is shown. */
typedef struct {
    double low, high;
    double sure; /* largest possible value if all rests below are known to be 0 */
    double up;   /* each small count below can be limit - 1 if the sum is at least low + up */
    double down; /* each small count below can be 0 if the sum is at most sure - down */
} told;

typedef struct {
    asif_disclosure_tree *tree;
    told *history; /* [nodes] */
    told *action;  /* [nodes][actions] */
    bool *in;      /* [nodes]: whether the history is still to be shown */
    uint32_t *way; /* histories from the first one to that of the balance */
    uint32_t steps;
} telling;

static told exactly(double count) {
    return (told){count, count, count, 0, 0};
}

/* Show a leaf. `hidden` histories may be behind it, all of them known to be small. A leaf near its largest
 * possible value would reveal that their counts are nearly at the limit, so the largest possible values are
 * shown as one range. `rest`: the leaf may be known from elsewhere to be 0. */
static told leaf(const telling *t, double count, double hidden, bool rest) {
    double most = t->tree->limit - 1.0, all = hidden * t->tree->actions * most;
    if (rest && hidden > 0 && all - most <= most && count <= all)
        return (told){0, all, 0, most, 0};
    if (count <= most)
        return (told){0, most, rest ? 0 : most, most, rest ? 0 : most};
    if (hidden > 0 && all - most > most && count >= all - most && count <= all)
        return (told){all - most, all, all, 0, most};
    return exactly(count);
}

static void add(told *sum, const told *part) {
    sum->low += part->low;
    sum->high += part->high;
    sum->sure += part->sure;
    sum->up = fmax(sum->up, part->up);
    sum->down = fmax(sum->down, part->down);
}

/* Show a sum; `sum` holds the added ranges of its parts. */
static told tell(const telling *t, const told *sum, double count) {
    double up_to = sum->low + sum->up, from = sum->sure - sum->down;
    told out = {sum->low, sum->high, 0, 0, 0};
    if (up_to < from) {
        out.low = count <= up_to ? sum->low : fmin(count, from);
        out.high = count >= from ? sum->high : fmax(count, up_to);
    }
    out.sure = fmin(out.high, sum->sure);
    out.up = fmax(out.low, up_to) - out.low;
    out.down = out.sure - fmin(out.sure, from);
    if (out.low == 0 && out.high == t->tree->limit - 1.0) { /* the sum is itself a small count */
        out.up = out.high;
        out.down = out.sure;
    }
    return out;
}

static double sum_of(const asif_disclosure_tree *tree, uint32_t i) {
    double sum = 0;
    for (uint32_t u = 0; u < tree->actions; u++)
        sum += tree->node[i].taken[u];
    return sum;
}

static told *action_of(const telling *t, uint32_t i, uint32_t u) {
    return &t->action[(uint64_t)i * t->tree->actions + u];
}

static bool follows(const telling *t, uint32_t j, uint32_t i, uint32_t u) {
    const asif_disclosure_node *node = &t->tree->node[j];
    return t->in[j] && node->parent == i && (i == ASIF_ANY || node->by == u);
}

/* The number of histories that can follow an action, or (ASIF_ANY) be first ones; infinity: not known. */
static double possible(const telling *t, uint32_t i, uint32_t u) {
    uint32_t number = i == ASIF_ANY ? t->tree->firsts : t->tree->observations;
    if (i != ASIF_ANY && t->tree->ends && t->tree->ends[u])
        return 0;
    return number ? (double)number : (double)INFINITY;
}

/* Add up the histories that follow an action (or, for ASIF_ANY, the first ones), except `without`, and the
 * rest of `count` that is in none of them. Returns whether there are any. */
static bool add_following(const telling *t, told *sum, uint32_t i, uint32_t u, double count,
                          uint32_t without) {
    double rest = count, hidden = possible(t, i, u);
    bool any = false;
    for (uint32_t j = 0; j < t->tree->nodes; j++) {
        if (!follows(t, j, i, u))
            continue;
        any = true;
        hidden--;
        rest -= sum_of(t->tree, j);
        if (j != without)
            add(sum, &t->history[j]);
    }
    if (any && (i != ASIF_ANY || hidden > 0)) {
        told left = leaf(t, rest, hidden, true);
        add(sum, &left);
    }
    return any;
}

/* The action that the fit predicts most often at a history. */
static uint32_t likely(const asif_disclosure_tree *tree, uint32_t i) {
    uint32_t best = 0;
    for (uint32_t u = 1; u < tree->actions; u++)
        if (tree->node[i].predicted[u] > tree->node[i].predicted[best] ||
            isnan(tree->node[i].predicted[best]))
            best = u;
    return best;
}

static void find_way(telling *t) {
    uint32_t at = ASIF_ANY, by = 0;
    bool on = true;
    for (t->steps = 0; on; by = likely(t->tree, at)) {
        on = false;
        for (uint32_t k = 0; k < t->tree->nodes && !on; k++)
            if (follows(t, t->tree->order[k], at, by)) {
                at = t->way[t->steps++] = t->tree->order[k];
                on = true;
            }
        if (!on)
            return;
    }
}

/* ---- outside the way to the balance, and along it ---- */

static void tell_upwards(telling *t) {
    const asif_disclosure_tree *tree = t->tree;
    for (uint32_t i = tree->nodes; i-- > 0;) {
        told all = exactly(0);
        for (uint32_t u = 0; u < tree->actions; u++) {
            double count = tree->node[i].taken[u];
            told sum = exactly(0);
            bool any = add_following(t, &sum, i, u, count, ASIF_ANY);
            *action_of(t, i, u) = any ? tell(t, &sum, count) : leaf(t, count, possible(t, i, u), false);
            add(&all, action_of(t, i, u));
        }
        t->history[i] = tell(t, &all, sum_of(tree, i));
    }
}

/* The part of the total that is left if `elsewhere` is known to be elsewhere. */
static told left_of(double total, const told *elsewhere) {
    return (told){total - elsewhere->high, total - elsewhere->low, 0, 0, 0};
}

/* Show the counts along the way. Returns whether the balance is known to be at least the limit. */
static bool tell_downwards(telling *t) {
    const asif_disclosure_tree *tree = t->tree;
    told elsewhere = exactly(0);
    uint32_t at = ASIF_ANY, by = 0;
    double here = tree->total;
    for (uint32_t k = 0; k < t->steps; k++) {
        uint32_t next = t->way[k];
        add_following(t, &elsewhere, at, by, here, next);
        elsewhere = tell(t, &elsewhere, tree->total - sum_of(tree, next));
        t->history[next] = left_of(tree->total, &elsewhere);
        at = next;
        by = likely(tree, at);
        here = tree->node[at].taken[by];
        for (uint32_t u = 0; u < tree->actions; u++)
            if (u != by)
                add(&elsewhere, action_of(t, at, u));
        elsewhere = tell(t, &elsewhere, tree->total - here);
        *action_of(t, at, by) = left_of(tree->total, &elsewhere);
    }
    return t->steps > 0 && tree->total - elsewhere.high >= tree->limit;
}

/* ---- choice of histories ---- */

/* Choose the histories to show: those whose actions, as shown, add up to more than any unlisted history can
 * have, and those before them. That any other history is listed would reveal something. */
static void choose(const telling *t) {
    const asif_disclosure_tree *tree = t->tree;
    for (uint32_t i = tree->nodes; i-- > 0;) {
        double large = 0;
        for (uint32_t u = 0; u < tree->actions; u++)
            large += leaf(t, tree->node[i].taken[u], possible(t, i, u), false).low;
        t->in[i] |= large > fmax(tree->unlisted, tree->limit - 1.0);
        if (t->in[i] && tree->node[i].parent != ASIF_ANY)
            t->in[tree->node[i].parent] = true;
    }
}

/* Leave out the last history of the way, those that follow the same action, and all that continue them. */
static void shorten(telling *t) {
    uint32_t last = t->way[t->steps - 1], parent = t->tree->node[last].parent, by = t->tree->node[last].by;
    for (uint32_t j = 0; j < t->tree->nodes; j++) {
        asif_disclosure_node *node = &t->tree->node[j];
        if (j == last || (parent != ASIF_ANY && follows(t, j, parent, by)) ||
            (node->parent != ASIF_ANY && !t->in[node->parent]))
            t->in[j] = false;
    }
}

static asif_cell cell_of(const telling *t, const told *as) {
    double most = t->tree->limit - 1.0, low = fmax(0, as->low);
    return ASIF_CELL(low, as->high, low == 0 && as->high == most);
}

static void write_down(const telling *t) {
    for (uint32_t i = 0; i < t->tree->nodes; i++) {
        asif_disclosure_node *node = &t->tree->node[i];
        node->shown = t->in[i];
        node->decisions = node->shown ? cell_of(t, &t->history[i]) : ASIF_CELL_UNTOLD;
        double low = 0, high = 0;
        for (uint32_t u = 0; u < t->tree->actions; u++) {
            node->action[u] = node->shown ? cell_of(t, action_of(t, i, u)) : ASIF_CELL_UNTOLD;
            low += node->action[u].low;
            high += node->action[u].high;
        }
        for (uint32_t u = 0; u < t->tree->actions; u++) {
            node->action[u].others_low = low - node->action[u].low;
            node->action[u].others_high = high - node->action[u].high;
        }
    }
}

asif_status asif_disclosure_tell(asif_disclosure_tree *tree, const asif_context *context, asif_error *error) {
    telling t = {tree,
                 ASIF_ARRAY(context, tree->nodes, told),
                 ASIF_ARRAY(context, (uint64_t)tree->nodes * tree->actions, told),
                 ASIF_ARRAY(context, tree->nodes, bool),
                 ASIF_ARRAY(context, tree->nodes, uint32_t),
                 0};
    bool large = false, room = t.history && t.action && t.in && t.way;
    if (room)
        choose(&t);
    while (room && !large) {
        find_way(&t);
        if (t.steps == 0)
            break;
        tell_upwards(&t);
        large = tell_downwards(&t);
        if (!large)
            shorten(&t);
    }
    if (room)
        write_down(&t);
    asif_free(context, t.history);
    asif_free(context, t.action);
    asif_free(context, t.in);
    asif_free(context, t.way);
    return room ? ASIF_OK : asif_fail_memory(error);
}
