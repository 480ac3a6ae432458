/* Episodes with results that were seen and not recorded: their completed histories in a tree. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <stdlib.h>
#include <string.h>

#define SUM_ERROR 1e-9 /* how far the probabilities of all completions in a file may be from 1 */

asif_status asif_tree_need_recorded(const asif_tree *tree, const char *what, asif_error *error) {
    if (tree->size.lost == 0)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "%s where results of the logs are lost (`missing: unrecorded`)",
              what);
    asif_error_hint(error, "leave those episodes out: `missing: drop_episode` under `logs`");
    return ASIF_EUNSUPPORTED;
}

/* ---- the builder ---- */

asif_status asif_tree_add_loss(asif_tree_builder *b, const asif_tree_loss *loss, const uint32_t *node,
                               const double *log, asif_error *error) {
    if (!asif_grow(b->context, &b->loss, b->losses, &b->loss_capacity, sizeof *b->loss))
        return asif_fail_memory(error);
    b->loss[b->losses] = *loss;
    b->loss[b->losses++].first = b->completions;
    for (uint64_t i = 0; i < loss->count; i++, b->completions++) {
        if (!asif_grow(b->context, &b->completion_node, b->completions, &b->node_room, sizeof *node) ||
            !asif_grow(b->context, &b->completion_log, b->completions, &b->log_room, sizeof *log))
            return asif_fail_memory(error);
        b->completion_node[b->completions] = node[i];
        b->completion_log[b->completions] = log[i];
    }
    return ASIF_OK;
}

asif_status asif_tree_lose(asif_tree_builder *b, uint64_t decisions, const uint32_t *before,
                           const uint32_t *action, const uint64_t *row, double weight,
                           const asif_tree_completions *completions, asif_error *error) {
    asif_amount amount;
    ASIF_TRY(asif_tree_check_weight(weight, &amount, error));
    for (uint64_t i = 0; i < decisions; i++)
        asif_tree_note_decision(b, action[i]);
    if (weight == 0)
        return ASIF_OK;
    ASIF_TRY(asif_tree_arrive(b, row[0], error));
    uint32_t *node = ASIF_ARRAY(b->context, completions->count, uint32_t);
    asif_status status = node ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t c = 0; status == ASIF_OK && c < completions->count; c++) {
        node[c] = b->at;
        for (uint64_t i = 0; status == ASIF_OK && i < decisions; i++) {
            uint32_t seen = completions->observation[c * decisions + i];
            if (seen != ASIF_ANY && seen >= b->observations)
                b->observations = (uint64_t)seen + 1;
            status = asif_tree_child(&node[c], b, node[c], before[i], seen, row[i], error);
        }
    }
    asif_tree_loss loss = {.unit = b->unit,
                           .count = completions->count,
                           .action = action[decisions - 1],
                           .length = (uint32_t)decisions,
                           .weight = asif_amount_value(amount)};
    if (status == ASIF_OK)
        status = asif_tree_add_loss(b, &loss, node, completions->log, error);
    asif_free(b->context, node);
    b->at = ASIF_ANY;
    return status;
}

static asif_status copy_range(asif_tree_builder *b, const asif_tree *t, uint64_t from, uint64_t to,
                              const uint32_t *map, uint64_t unit, asif_error *error) {
    for (uint64_t k = from; k < to; k++) {
        uint64_t first = t->completion[k];
        asif_tree_loss loss = {.unit = unit,
                               .count = t->completion[k + 1] - first,
                               .action = t->lost_action[k],
                               .length = t->lost_length[k],
                               .weight = t->lost_weight[k]};
        uint32_t *node = ASIF_ARRAY(b->context, loss.count, uint32_t);
        if (!node)
            return asif_fail_memory(error);
        for (uint64_t i = 0; i < loss.count; i++)
            node[i] = map[t->completion_node[first + i]];
        asif_status status = asif_tree_add_loss(b, &loss, node, t->completion_log + first, error);
        asif_free(b->context, node);
        ASIF_TRY(status);
    }
    return ASIF_OK;
}

asif_status asif_tree_copy_lost(asif_tree_builder *b, const asif_tree *t, const bool *chosen,
                                const uint32_t *map, uint64_t unit, asif_error *error) {
    bool apart = unit != ASIF_NO_UNIT;
    if (!apart && !chosen)
        return copy_range(b, t, 0, t->size.lost, map, ASIF_NO_UNIT, error);
    for (uint64_t u = 0; u < t->size.units; u++) {
        if (chosen && !chosen[u])
            continue;
        ASIF_TRY(copy_range(b, t, t->unit_lost[u], t->unit_lost[u + 1], map, apart ? unit++ : ASIF_NO_UNIT,
                            error));
    }
    return ASIF_OK;
}

/* ---- the finished tree ---- */

/* Compare everything but the weight. */
static int by_contents(const asif_tree_loss *x, const asif_tree_loss *y) {
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (uint64_t i = 0; i < x->count; i++) {
        if (x->node[i] != y->node[i])
            return x->node[i] < y->node[i] ? -1 : 1;
        if (x->log[i] != y->log[i])
            return x->log[i] < y->log[i] ? -1 : 1;
    }
    return 0;
}

static int by_loss(const void *a, const void *b) {
    const asif_tree_loss *x = a, *y = b;
    int order = by_contents(x, y);
    return order != 0 ? order : (x->weight > y->weight) - (x->weight < y->weight);
}

asif_status asif_tree_order_lost(asif_tree_builder *b, const uint32_t *node, const uint32_t *action,
                                 const uint64_t *unit, asif_error *error) {
    for (uint64_t i = 0; i < b->completions; i++)
        b->completion_node[i] = node[b->completion_node[i]];
    for (uint64_t k = 0; k < b->losses; k++) {
        asif_tree_loss *loss = &b->loss[k];
        if (unit && loss->unit == ASIF_NO_UNIT)
            return asif_fail(error, ASIF_EDOMAIN, "an episode with lost results has no unit");
        loss->unit = unit ? unit[loss->unit] : 0;
        loss->action = action ? action[loss->action] : loss->action;
        loss->node = b->completion_node + loss->first;
        loss->log = b->completion_log + loss->first;
    }
    if (b->losses == 0)
        return ASIF_OK;
    qsort(b->loss, (size_t)b->losses, sizeof *b->loss, by_loss);
    uint64_t kept = 0;
    for (uint64_t k = 1; k < b->losses; k++) {
        if (by_contents(&b->loss[kept], &b->loss[k]) == 0)
            b->loss[kept].weight += b->loss[k].weight;
        else
            b->loss[++kept] = b->loss[k];
    }
    b->losses = kept + 1;
    return ASIF_OK;
}

void asif_tree_fill_lost(asif_tree *t, const asif_tree_builder *b) {
    uint64_t at = 0;
    for (uint64_t k = 0; k < b->losses; k++) {
        const asif_tree_loss *loss = &b->loss[k];
        t->lost_weight[k] = loss->weight;
        t->lost_length[k] = loss->length;
        t->lost_action[k] = loss->action;
        for (uint64_t i = 0; i < loss->count; i++, at++) {
            t->completion_node[at] = loss->node[i];
            t->completion_log[at] = loss->log[i];
        }
        t->completion[k + 1] = at;
        if (t->size.units)
            t->unit_lost[loss->unit + 1]++;
    }
    for (uint64_t u = 0; u < t->size.units; u++)
        t->unit_lost[u + 1] += t->unit_lost[u];
}

/* ---- checks of a file ---- */

static bool good_completions(const asif_tree *t, uint64_t k) {
    double sum = 0;
    for (uint64_t i = t->completion[k]; i < t->completion[k + 1]; i++) {
        uint32_t node = t->completion_node[i];
        if (node >= t->size.nodes || (i > t->completion[k] && node <= t->completion_node[i - 1]) ||
            !isfinite(t->completion_log[i]))
            return false;
        for (uint32_t step = 0; step < t->lost_length[k]; step++) {
            node = t->parent[node];
            if (node == ASIF_ANY)
                return false;
        }
        sum += exp(t->completion_log[i]);
    }
    return fabs(sum - 1) < SUM_ERROR;
}

static bool good_range(const uint64_t *first, uint64_t n, uint64_t end) {
    bool good = first[0] == 0 && first[n] == end;
    for (uint64_t i = 0; good && i < n; i++)
        good = first[i] <= first[i + 1] && first[i + 1] <= end;
    return good;
}

bool asif_tree_good_lost(const asif_tree *t) {
    const asif_tree_size *n = &t->size;
    if (n->lost == 0)
        return true;
    if (n->states_seen || !good_range(t->completion, n->lost, n->completions) ||
        !good_range(t->unit_lost, n->units, n->units ? n->lost : 0))
        return false;
    for (uint64_t k = 0; k < n->lost; k++)
        if (!(t->lost_weight[k] > 0 && t->lost_weight[k] < ASIF_AMOUNT_LIMIT) || t->lost_length[k] == 0 ||
            t->lost_action[k] >= n->actions || !good_completions(t, k))
            return false;
    return true;
}
