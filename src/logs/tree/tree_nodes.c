/* The nodes of a tree that is built. What every decision touches of a node is together: its first row, its
 * counts, and its children while few pairs of action and observation lead to children. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

#define FEW_ACTIONS 8 /* there is room for exactly as many as are used; for more, for a power of 2 */

asif_status asif_tree_fail_nodes(const asif_tree_builder *b, asif_error *error) {
    asif_fail(error, ASIF_ETOOBIG, "the logs have more than %u different %s, the most that a tree can hold",
              b->most, b->states_seen ? "transitions" : "histories");
    asif_error_hint(error, "use fewer observations (wider cuts), or split the logs");
    return ASIF_ETOOBIG;
}

/* ---- the words of a node ---- */

/* Where the parts of counts begin. */
static uint64_t parts_at(uint64_t stride) {
    return 1 + stride;
}

/* Copy what a node has to words of another layout, which are 0. */
static void move_node(asif_tree_word *to, const asif_tree_word *from, const asif_tree_builder *b,
                      const asif_tree_builder *now) {
    memcpy(to, from, (1 + b->stride) * sizeof *to);
    if (b->fractional)
        memcpy(to + parts_at(now->stride), from + parts_at(b->stride), b->stride * sizeof *to);
    uint64_t width = b->width < now->width ? b->width : now->width;
    memcpy(to + asif_tree_children_at(now->stride, now->fractional),
           from + asif_tree_children_at(b->stride, b->fractional), width * sizeof(uint32_t));
}

/* Give all nodes room for more: the node capacity, stride, width and fractional parts of `now`. On failure
 * nothing has changed. */
static asif_status lay_out(asif_tree_builder *b, asif_tree_builder now, asif_error *error) {
    if (now.stride > UINT32_MAX)
        return asif_fail_memory(error);
    now.words = asif_tree_children_at(now.stride, now.fractional) + (now.width + 1) / 2;
    if (now.words > UINT64_MAX / (now.node_capacity ? now.node_capacity : 1))
        return asif_fail_memory(error);
    now.word = asif_alloc(b->context, now.node_capacity * now.words, sizeof *now.word);
    if (!now.word)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < b->nodes; i++)
        move_node(now.word + i * now.words, b->word + i * b->words, b, &now);
    asif_free(b->context, b->word);
    *b = now;
    return ASIF_OK;
}

asif_status asif_tree_add_node(asif_tree_builder *b, uint32_t parent, uint32_t action, uint32_t observation,
                               asif_error *error) {
    if (b->nodes >= b->most)
        return asif_tree_fail_nodes(b, error);
    if (b->nodes == b->node_capacity) {
        asif_tree_builder now = *b;
        now.node_capacity = b->node_capacity ? 2 * b->node_capacity : 64;
        now.node = asif_realloc(b->context, b->node, now.node_capacity, sizeof *now.node);
        if (!now.node)
            return asif_fail_memory(error);
        b->node = now.node;
        ASIF_TRY(lay_out(b, now, error));
    }
    b->node[b->nodes++] = (asif_tree_node){parent, action, observation};
    return ASIF_OK;
}

/* ---- children ---- */

/* From now on children are found by a table: too many pairs lead to some. */
static asif_status begin_table(asif_tree_builder *b, asif_error *error) {
    asif_tree_builder now = *b;
    asif_tree_slot *slot = NULL;
    for (uint64_t i = b->starts; i < b->nodes; i++) {
        const asif_tree_node *n = &b->node[i];
        ASIF_TRY(asif_tree_find(&slot, &b->table, b->context, n->parent, n->action, n->observation, error));
        asif_tree_use(&b->table, slot, (uint32_t)i);
    }
    now.table = b->table;
    now.width = now.places = 0;
    now.tabled = true;
    return lay_out(b, now, error);
}

/* Give a new pair a place at every node. */
static asif_status add_place(asif_tree_builder *b, uint32_t action, uint32_t observation, asif_error *error) {
    if (b->places == ASIF_TREE_PLACES)
        return begin_table(b, error);
    if (b->places == b->width) {
        asif_tree_builder now = *b;
        now.width = b->width ? 2 * b->width : 2;
        ASIF_TRY(lay_out(b, now, error));
    }
    b->place[b->places].action = action;
    b->place[b->places++].observation = observation;
    return ASIF_OK;
}

static asif_status child_by_table(uint32_t *out, asif_tree_builder *b, uint32_t parent, uint32_t action,
                                  uint32_t observation, asif_error *error) {
    asif_tree_slot *slot = NULL;
    ASIF_TRY(asif_tree_find(&slot, &b->table, b->context, parent, action, observation, error));
    if (slot->number == ASIF_ANY) {
        ASIF_TRY(asif_tree_add_node(b, parent, action, observation, error));
        asif_tree_use(&b->table, slot, (uint32_t)b->nodes - 1);
    }
    *out = slot->number;
    return ASIF_OK;
}

asif_status asif_tree_child(uint32_t *out, asif_tree_builder *b, uint32_t parent, uint32_t action,
                            uint32_t observation, uint64_t row, asif_error *error) {
    uint32_t place = b->tabled ? 0 : asif_tree_place(b, action, observation);
    if (!b->tabled && place == b->places)
        ASIF_TRY(add_place(b, action, observation, error));
    if (b->tabled) {
        ASIF_TRY(child_by_table(out, b, parent, action, observation, error));
    } else {
        *out = *asif_tree_child_at(b, parent, place);
        if (!*out) { /* no child is node 0 */
            ASIF_TRY(asif_tree_add_node(b, parent, action, observation, error));
            *out = *asif_tree_child_at(b, parent, place) = (uint32_t)b->nodes - 1;
        }
    }
    asif_tree_lower_row(b, *out, row);
    return ASIF_OK;
}

asif_status asif_tree_reach_state(asif_tree_builder *b, uint32_t state, uint64_t row, asif_error *error) {
    while (b->nodes <= state)
        ASIF_TRY(asif_tree_add_node(b, ASIF_ANY, ASIF_ANY, (uint32_t)b->nodes, error));
    asif_tree_lower_row(b, state, row);
    return ASIF_OK;
}

/* ---- counts ---- */

/* Keep fractional parts from now on, at the first weight that is not a whole number. */
static asif_status begin_parts(asif_tree_builder *b, asif_error *error) {
    asif_tree_builder now = *b;
    now.fractional = true;
    return lay_out(b, now, error);
}

static asif_status add_actions(asif_tree_builder *b, uint32_t action, asif_error *error) {
    asif_tree_builder now = *b;
    for (now.stride = action + 1ull < FEW_ACTIONS ? action + 1ull : FEW_ACTIONS; now.stride <= action;)
        now.stride *= 2;
    return lay_out(b, now, error);
}

asif_amount asif_tree_amount(const asif_tree_builder *b, uint64_t node, uint32_t action) {
    const asif_tree_word *w = b->word + node * b->words;
    if (action >= b->stride)
        return (asif_amount){0, 0};
    return (asif_amount){w[1 + action].count, b->fractional ? w[parts_at(b->stride) + action].part : 0};
}

asif_status asif_tree_add_count(asif_tree_builder *b, uint32_t node, uint32_t action, asif_amount amount,
                                asif_error *error) {
    if (action >= b->stride)
        ASIF_TRY(add_actions(b, action, error));
    if (amount.part && !b->fractional)
        ASIF_TRY(begin_parts(b, error));
    asif_tree_word *w = b->word + node * b->words;
    if (!b->fractional) {
        w[1 + action].count += amount.whole;
        return ASIF_OK;
    }
    asif_amount sum = asif_tree_amount(b, node, action);
    asif_amount_add(&sum, amount);
    w[1 + action].count = sum.whole;
    w[parts_at(b->stride) + action].part = sum.part;
    return ASIF_OK;
}
