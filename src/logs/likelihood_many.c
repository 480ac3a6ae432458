/* The likelihoods of many agents on a history tree at once: level by level, vectorised over the agents. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/likelihood.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"

#include <string.h>

/* Nodes whose policies are computed in one call. */
#define PIECE 32

typedef struct {
    const asif_many_behavior *behavior;
    const asif_tree_view *tree;
    const double *count;
    uint64_t stride;            /* elements per row: nodes of the widest level, times lanes */
    double *state[2], *memo[2]; /* [0]: of the level above; [1]: of this level */
    double *log_policy;         /* [actions][PIECE][lanes], and as much as for one action beside it */
    double *kept;               /* [nodes][actions][lanes]; NULL: not needed */
    double *total;              /* NULL: not wanted */
    bool *lost;
} walk;

static void enter(const walk *w, uint64_t above, uint64_t first, uint32_t n, double *state) {
    const asif_many_behavior *b = w->behavior;
    const asif_tree_view *t = w->tree;
    uint32_t from[PIECE];
    if (t->parent[first] == ASIF_ANY) {
        for (uint64_t i = 0; i < n; i++)
            b->ops->init(b->self, t->states_seen ? 0 : (uint32_t)(first + i),
                         t->states_seen ? t->observation[first + i] : ASIF_ANY, state + i * b->lanes,
                         w->stride);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        from[i] = (uint32_t)(t->parent[first + i] - above);
    b->ops->step(b->self, n, from, w->state[0], w->memo[0], w->stride, t->action + first,
                 t->observation + first, state, w->stride, w->lost);
}

static void weigh(const walk *w, uint64_t first, uint32_t n) {
    const asif_simd *simd = w->behavior->context->simd;
    uint64_t U = w->tree->actions, lanes = w->behavior->lanes;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t u = 0; u < U; u++)
            if (w->count[(first + i) * U + u] > 0)
                simd->axpy(w->total, w->count[(first + i) * U + u], w->log_policy + (u * PIECE + i) * lanes,
                           lanes);
}

/* Keep the policies, which the likelihood of lost episodes needs together. */
static void keep(const walk *w, uint64_t first, uint32_t n) {
    uint64_t U = w->tree->actions, lanes = w->behavior->lanes;
    for (uint64_t i = 0; w->kept && i < n; i++)
        for (uint64_t u = 0; u < U; u++)
            memcpy(w->kept + ((first + i) * U + u) * lanes, w->log_policy + (u * PIECE + i) * lanes,
                   lanes * sizeof *w->kept);
}

static void level(walk *w, uint64_t above, uint64_t first, uint64_t end) {
    const asif_many_behavior *b = w->behavior;
    for (uint64_t at = first; at < end; at += PIECE) {
        uint32_t n = end - at < PIECE ? (uint32_t)(end - at) : PIECE;
        uint64_t place = (at - first) * b->lanes;
        enter(w, above, at, n, w->state[1] + place);
        asif_policies_many(b, n, w->state[1] + place, w->stride, w->log_policy, (uint64_t)PIECE * b->lanes,
                           w->memo[1] + place, w->log_policy + (uint64_t)w->tree->actions * PIECE * b->lanes);
        if (w->total)
            weigh(w, at, n);
        keep(w, at, n);
    }
    double *state = w->state[0], *memo = w->memo[0];
    w->state[0] = w->state[1];
    w->memo[0] = w->memo[1];
    w->state[1] = state;
    w->memo[1] = memo;
}

static asif_status walk_down(walk *w, asif_error *error) {
    const asif_tree_view *t = w->tree;
    const asif_many_behavior *behavior = w->behavior;
    const asif_context *context = behavior->context;
    uint64_t widest = 0;
    for (uint32_t k = 0; k < t->levels; k++)
        widest = t->level[k + 1] - t->level[k] > widest ? t->level[k + 1] - t->level[k] : widest;
    w->stride = widest * behavior->lanes;
    uint64_t states = w->stride * behavior->width, memos = w->stride * behavior->memo_width;
    double *room = asif_realloc(context, NULL, 2 * (states + memos) + 1, sizeof *room);
    w->log_policy =
        asif_realloc(context, NULL, (uint64_t)(t->actions + 1) * PIECE * behavior->lanes, sizeof *room);
    asif_status status = room && w->log_policy ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        w->state[0] = room;
        w->state[1] = w->state[0] + states;
        w->memo[0] = w->state[1] + states;
        w->memo[1] = w->memo[0] + memos;
        for (uint32_t k = 0; k < t->levels; k++)
            level(w, k ? t->level[k - 1] : 0, t->level[k], t->level[k + 1]);
    }
    asif_free(context, room);
    asif_free(context, w->log_policy);
    return status;
}

asif_status asif_loglik_many(double *total, bool *lost, const asif_many_behavior *behavior,
                             const asif_tree *tree, const double *count, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_context *context = behavior->context;
    walk w = {
        .behavior = behavior, .tree = t, .count = count ? count : t->count, .total = total, .lost = lost};
    if (count && count != t->count)
        ASIF_TRY(asif_tree_need_recorded(tree, "the decisions cannot be counted otherwise", error));
    if (t->lost && !(w.kept = ASIF_ARRAY(context, (uint64_t)t->nodes * t->actions * behavior->lanes, double)))
        return asif_fail_memory(error);
    memset(total, 0, behavior->lanes * sizeof *total);
    asif_status status = walk_down(&w, error);
    if (status == ASIF_OK && t->lost)
        asif_lost_many(total, t, w.kept, behavior->lanes);
    asif_free(context, w.kept);
    return status;
}

asif_status asif_loglik_many_units(double *by_unit, bool *lost, const asif_many_behavior *behavior,
                                   const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_simd *simd = behavior->context->simd;
    uint64_t lanes = behavior->lanes;
    walk w = {.behavior = behavior, .tree = t, .lost = lost};
    w.kept =
        asif_realloc(behavior->context, NULL, (uint64_t)t->nodes * t->actions * lanes + 1, sizeof *w.kept);
    asif_status status = w.kept ? walk_down(&w, error) : asif_fail_memory(error);
    if (status == ASIF_OK) {
        memset(by_unit, 0, t->units * lanes * sizeof *by_unit);
        for (uint64_t k = 0; k < t->units; k++)
            for (uint64_t e = t->unit[k]; e < t->unit[k + 1]; e++)
                if (t->entry_count[e] > 0)
                    simd->axpy(by_unit + k * lanes, t->entry_count[e],
                               w.kept +
                                   ((uint64_t)t->entry_node[e] * t->actions + t->entry_action[e]) * lanes,
                               lanes);
    }
    asif_free(behavior->context, w.kept);
    return status;
}
