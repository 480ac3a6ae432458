/* The likelihood of a behaviour on a history tree. It is computed level by level, each level in pieces of
 * fixed size, so that sums run in the same order for any number of threads. */
#include "logs/likelihood.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "behavior/behavior.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"

#include <string.h>

/* Nodes per piece: a multiple of the engine's blocks, and enough work for a thread. */
#define PIECE 2048

/* Agent states of one level and their memos (intermediate results of the planner), which the next level
 * needs. */
typedef struct {
    double *state, *memo;
} floor_of_tree;

typedef struct {
    const asif_behavior *behavior;
    const asif_tree_view *tree;
    const double *count;
    double *by_node;
    double *log_policy;           /* [nodes of the level, or all nodes][actions] */
    bool keep_all;                /* log_policy has rows for all nodes */
    const asif_loglik_walk *keep; /* arrays for all nodes; NULL: states of two levels are kept */
    uint64_t first, nodes;        /* first node of the level, and number of its nodes */
    uint64_t before;              /* first node of the level above */
    floor_of_tree above, here;
    double *sum; /* [pieces] */
    asif_status *status;
    asif_error *error; /* [pieces] */
} level;

static asif_status enter(const level *l, uint64_t first, uint64_t n, asif_error *error) {
    const asif_behavior *b = l->behavior;
    const asif_tree_view *t = l->tree;
    double *state = l->here.state + (first - l->first) * b->width;
    if (t->parent[first] == ASIF_ANY) {
        for (uint64_t i = 0; i < n; i++)
            b->ops->init(b->self, t->states_seen ? 0 : (uint32_t)(first + i),
                         t->states_seen ? t->observation[first + i] : ASIF_ANY, state + i * b->width);
        return ASIF_OK;
    }
    uint32_t from[PIECE];
    for (uint64_t i = 0; i < n; i++)
        from[i] = (uint32_t)(t->parent[first + i] - l->before);
    return b->ops->step(b->self, n, from, l->above.state, l->above.memo, t->action + first,
                        t->observation + first, state, error);
}

static double weigh(const level *l, uint64_t first, uint64_t n, const double *log_policy) {
    const asif_simd *simd = l->behavior->context->simd;
    uint32_t U = l->tree->actions;
    for (uint64_t i = 0; l->by_node && i < n; i++)
        l->by_node[first + i] = simd->dot_positive(l->count + (first + i) * U, log_policy + i * U, U);
    return simd->dot_positive(l->count + first * U, log_policy, n * U);
}

static void piece(void *argument, uint32_t k) {
    level *l = argument;
    const asif_behavior *b = l->behavior;
    uint64_t first = l->first + (uint64_t)k * PIECE, left = l->first + l->nodes - first;
    uint64_t n = left < PIECE ? left : PIECE;
    double *log_policy = l->log_policy + (l->keep_all ? first : first - l->first) * l->tree->actions;
    asif_status status = enter(l, first, n, &l->error[k]);
    if (status == ASIF_OK)
        status = asif_policies(b, n, l->here.state + (first - l->first) * b->width, log_policy,
                               l->here.memo + (first - l->first) * b->memo_width, &l->error[k]);
    l->status[k] = status;
    l->sum[k] = status == ASIF_OK ? weigh(l, first, n, log_policy) : 0;
}

/* Copy the error of a piece, with the row of the table instead of the index within the piece. */
static asif_status tell(const level *l, uint32_t k, asif_error *error) {
    asif_status status = l->status[k];
    if (!error)
        return status;
    *error = l->error[k];
    if (error->row) {
        uint64_t node = l->first + (uint64_t)k * PIECE + error->row - 1;
        error->row = l->tree->first_row[node];
    }
    return status;
}

static asif_status walk(level *l, double *total, asif_error *error) {
    const asif_tree_view *t = l->tree;
    for (uint32_t k = 0; k < t->levels; k++) {
        l->before = l->first;
        l->first = t->level[k];
        l->nodes = t->level[k + 1] - t->level[k];
        if (l->keep)
            l->here = (floor_of_tree){l->keep->state + l->first * l->behavior->width,
                                      l->keep->memo + l->first * l->behavior->memo_width};
        uint32_t pieces = (uint32_t)((l->nodes + PIECE - 1) / PIECE);
        if (pieces == 1)
            piece(l, 0);
        else
            asif_os_parallel(l->behavior->context->options.threads, pieces, piece, l);
        for (uint32_t p = 0; p < pieces; p++) {
            if (l->status[p] != ASIF_OK)
                return tell(l, p, error);
            *total += l->sum[p];
        }
        floor_of_tree swap = l->above;
        l->above = l->here;
        l->here = swap;
    }
    return ASIF_OK;
}

asif_status asif_loglik_check(const asif_behavior *behavior, const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_setting *setting = behavior->setting;
    const struct {
        asif_label_kind kind;
        uint32_t count;
        const char *what;
    } rows[] = {{ASIF_LABEL_ACTION, t->actions, "action"},
                {ASIF_LABEL_OBSERVATION, t->observations, "observation"}};
    if (behavior->hidden)
        ASIF_TRY(
            asif_tree_need_recorded(tree, "an agent that does not act on beliefs cannot be judged", error));
    if (t->states_seen != (asif_setting_get(setting)->observations == 0))
        return asif_fail(error, ASIF_EINVALID, "the tree counts %s, the setting has %s",
                         t->states_seen ? "states" : "histories", t->states_seen ? "observations" : "none");
    if (t->starts != asif_setting_count(setting, ASIF_LABEL_START))
        return asif_fail(error, ASIF_EINVALID, "the tree has %u start classes, the setting %u", t->starts,
                         asif_setting_count(setting, ASIF_LABEL_START));
    for (size_t r = 0; r < 2; r++) {
        uint32_t want = asif_setting_count(setting, rows[r].kind);
        if (want != rows[r].count)
            return asif_fail(error, ASIF_EINVALID, "the tree has %u %ss, the setting %u", rows[r].count,
                             rows[r].what, want);
        for (uint32_t i = 0; i < want; i++) {
            char buffer[ASIF_LABEL_SIZE];
            const char *label = asif_setting_label(setting, rows[r].kind, i, buffer);
            if (strcmp(label, asif_tree_label(tree, rows[r].kind, i)) != 0)
                return asif_fail(error, ASIF_EINVALID, "%s %u is '%s' in the tree and '%s' in the setting",
                                 rows[r].what, i, asif_tree_label(tree, rows[r].kind, i), label);
        }
    }
    return ASIF_OK;
}

/* Lost episodes have weights of their own, which other counts do not replace. */
static asif_status check_counts(const asif_tree *tree, const double *count, asif_error *error) {
    return count && count != asif_tree_inside(tree)->count
               ? asif_tree_need_recorded(tree, "the decisions cannot be counted otherwise", error)
               : ASIF_OK;
}

static void sum_units(const asif_tree_view *t, const double *log_policy, double *by_unit) {
    for (uint64_t k = 0; k < t->units; k++) {
        by_unit[k] = 0;
        for (uint64_t e = t->unit[k]; e < t->unit[k + 1]; e++)
            by_unit[k] +=
                t->entry_count[e] * log_policy[(uint64_t)t->entry_node[e] * t->actions + t->entry_action[e]];
        for (uint64_t i = t->unit_lost[k]; i < t->unit_lost[k + 1]; i++)
            by_unit[k] += t->lost_weight[i] * asif_lost_log(t, i, log_policy);
    }
}

/* Allocate the arrays of the walk, and walk down the tree. */
static asif_status run(level *l, double *total, asif_error *error) {
    const asif_tree_view *t = l->tree;
    const asif_behavior *behavior = l->behavior;
    const asif_context *context = behavior->context;
    uint64_t widest = 0;
    for (uint32_t k = 0; k < t->levels; k++)
        widest = t->level[k + 1] - t->level[k] > widest ? t->level[k + 1] - t->level[k] : widest;
    uint64_t pieces = (widest + PIECE - 1) / PIECE, floors = l->keep ? 0 : 2 * widest;
    double *states = ASIF_ARRAY(context, floors * behavior->width, double);
    double *memos = ASIF_ARRAY(context, floors * behavior->memo_width, double);
    uint64_t rows = t->lost ? t->nodes : widest;
    double *log_policy = l->log_policy ? NULL : ASIF_ARRAY(context, rows * t->actions, double);
    l->sum = ASIF_ARRAY(context, pieces, double);
    l->status = ASIF_ARRAY(context, pieces, asif_status);
    l->error = ASIF_ARRAY(context, pieces, asif_error);
    asif_status status = ASIF_ENOMEM;
    l->keep_all = l->log_policy || t->lost;
    if (states && memos && (log_policy || l->log_policy) && l->sum && l->status && l->error) {
        l->above = (floor_of_tree){states, memos};
        l->here =
            (floor_of_tree){states + floors / 2 * behavior->width, memos + floors / 2 * behavior->memo_width};
        if (!l->log_policy)
            l->log_policy = log_policy;
        status = walk(l, total, error);
        if (status == ASIF_OK)
            *total += asif_lost_total(t, l->log_policy);
    } else {
        asif_fail_memory(error);
    }
    void *const arrays[] = {states, memos, log_policy, l->sum, l->status, l->error};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}

asif_status asif_loglik(double *total, const asif_behavior *behavior, const asif_tree *tree,
                        const asif_loglik_options *options, asif_error *error) {
    asif_loglik_options o = ASIF_LOGLIK_OPTIONS_INIT;
    const asif_tree_view *t = asif_tree_inside(tree);
    *total = 0;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof o)
            return asif_fail(error, ASIF_EDOMAIN, "likelihood options have an unknown size");
        memcpy(&o, options, options->struct_size);
    }
    ASIF_TRY(asif_loglik_check(behavior, tree, error));
    ASIF_TRY(check_counts(tree, o.count, error));
    if (o.by_unit && !t->units)
        return asif_fail(error, ASIF_EINVALID, "the tree was made without units");
    level l = {.behavior = behavior, .tree = t, .count = o.count ? o.count : t->count, .by_node = o.by_node};
    if (o.by_unit && !(l.log_policy = ASIF_ARRAY(behavior->context, (uint64_t)t->nodes * t->actions, double)))
        return asif_fail_memory(error);
    double *all = l.log_policy;
    asif_status status = run(&l, total, error);
    if (status == ASIF_OK && o.by_unit)
        sum_units(t, all, o.by_unit);
    asif_free(behavior->context, all);
    return status;
}

asif_status asif_loglik_keep(double *total, const asif_behavior *behavior, const asif_tree *tree,
                             const double *count, const asif_loglik_walk *keep, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    level l = {.behavior = behavior,
               .tree = t,
               .count = count ? count : t->count,
               .log_policy = keep->log_policy,
               .keep = keep};
    *total = 0;
    ASIF_TRY(check_counts(tree, count, error));
    return run(&l, total, error);
}
