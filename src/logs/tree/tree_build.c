/* Adds episodes to a tree. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

#define FIRST_BITS 10 /* the table of nodes begins with 2^FIRST_BITS slots */

/* ---- the hash table ---- */

static uint64_t slot_of(const asif_tree_table *t, uint32_t parent, uint32_t action, uint32_t observation) {
    uint64_t x = parent * 0x9e3779b97f4a7c15u + ((uint64_t)action << 32 | observation) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x >> (64 - t->bits);
}

static asif_status table_create(asif_tree_table *t, const asif_context *context, uint32_t bits,
                                asif_error *error) {
    asif_tree_slot *slot = asif_realloc(context, NULL, (uint64_t)1 << bits, sizeof *slot);
    if (!slot)
        return asif_fail_memory(error);
    memset(slot, 0xff, ((size_t)1 << bits) * sizeof *slot);
    t->slot = slot;
    t->bits = bits;
    return ASIF_OK;
}

static asif_status table_grow(asif_tree_table *t, const asif_context *context, asif_error *error) {
    asif_tree_slot *old = t->slot;
    uint64_t slots = (uint64_t)1 << t->bits;
    ASIF_TRY(table_create(t, context, t->bits + 1, error));
    uint64_t mask = 2 * slots - 1;
    for (uint64_t i = 0; i < slots; i++) {
        if (old[i].number == ASIF_ANY)
            continue;
        uint64_t k = slot_of(t, old[i].parent, old[i].action, old[i].observation);
        while (t->slot[k].number != ASIF_ANY)
            k = (k + 1) & mask;
        t->slot[k] = old[i];
    }
    asif_free(context, old);
    return ASIF_OK;
}

/* Find the slot of a key; its number is ASIF_ANY if the key is new. */
static asif_tree_slot *find(const asif_tree_table *t, uint32_t parent, uint32_t action,
                            uint32_t observation) {
    uint64_t mask = ((uint64_t)1 << t->bits) - 1;
    for (uint64_t k = slot_of(t, parent, action, observation);; k = (k + 1) & mask) {
        asif_tree_slot *s = &t->slot[k];
        if (s->number == ASIF_ANY ||
            (s->parent == parent && s->action == action && s->observation == observation))
            return s;
    }
}

static asif_status insert(asif_tree_table *t, const asif_context *context, asif_tree_slot *free_slot,
                          asif_tree_slot key, asif_error *error) {
    if (4 * (t->used + 1) > (uint64_t)3 << t->bits) {
        ASIF_TRY(table_grow(t, context, error));
        free_slot = find(t, key.parent, key.action, key.observation);
    }
    *free_slot = key;
    t->used++;
    return ASIF_OK;
}

/* ---- nodes and their counts ---- */

static asif_status fail_nodes(const asif_tree_builder *b, asif_error *error) {
    asif_fail(error, ASIF_ETOOBIG, "the logs have more than %u different %s, the most that a tree can hold",
              b->most, b->states_seen ? "transitions" : "histories");
    asif_error_hint(error, "use fewer observations (wider cuts), or split the logs");
    return ASIF_ETOOBIG;
}

/* Make room for the counts of `capacity` nodes with `stride` actions. On failure nothing has changed. */
static asif_status resize_counts(asif_tree_builder *b, uint64_t capacity, uint64_t stride,
                                 asif_error *error) {
    if (stride > UINT64_MAX / (capacity ? capacity : 1))
        return asif_fail_memory(error);
    double *count = asif_alloc(b->context, capacity * stride, sizeof *count);
    uint64_t *part = b->fractional ? asif_alloc(b->context, capacity * stride, sizeof *part) : NULL;
    if (!count || (b->fractional && !part)) {
        asif_free(b->context, count);
        asif_free(b->context, part);
        return asif_fail_memory(error);
    }
    for (uint64_t i = 0; i < b->nodes; i++) {
        memcpy(count + i * stride, b->count + i * b->stride, b->stride * sizeof *count);
        if (part && b->part)
            memcpy(part + i * stride, b->part + i * b->stride, b->stride * sizeof *part);
    }
    asif_free(b->context, b->count);
    asif_free(b->context, b->part);
    b->count = count;
    b->part = part;
    b->stride = stride;
    return ASIF_OK;
}

static asif_status add_node(asif_tree_builder *b, uint32_t parent, uint32_t action, uint32_t observation,
                            asif_error *error) {
    if (b->nodes >= b->most)
        return fail_nodes(b, error);
    if (b->nodes == b->node_capacity) {
        uint64_t capacity = b->node_capacity ? 2 * b->node_capacity : 64;
        asif_tree_node *node = asif_realloc(b->context, b->node, capacity, sizeof *node);
        if (!node)
            return asif_fail_memory(error);
        b->node = node;
        ASIF_TRY(resize_counts(b, capacity, b->stride, error));
        b->node_capacity = capacity;
    }
    b->node[b->nodes++] = (asif_tree_node){parent, action, observation, 0};
    return ASIF_OK;
}

static void lower(uint64_t *first_row, uint64_t row) {
    if (row && (!*first_row || row < *first_row))
        *first_row = row;
}

asif_status asif_tree_child(uint32_t *out, asif_tree_builder *b, uint32_t parent, uint32_t action,
                            uint32_t observation, uint64_t row, asif_error *error) {
    asif_tree_slot *slot = find(&b->table, parent, action, observation);
    uint32_t number = slot->number;
    if (number == ASIF_ANY) {
        number = (uint32_t)b->nodes;
        ASIF_TRY(add_node(b, parent, action, observation, error));
        asif_status status =
            insert(&b->table, b->context, slot, (asif_tree_slot){parent, action, observation, number}, error);
        if (status != ASIF_OK) {
            b->nodes--;
            return status;
        }
    }
    lower(&b->node[number].first_row, row);
    *out = number;
    return ASIF_OK;
}

asif_status asif_tree_reach_state(asif_tree_builder *b, uint32_t state, uint64_t row, asif_error *error) {
    while (b->nodes <= state)
        ASIF_TRY(add_node(b, ASIF_ANY, ASIF_ANY, (uint32_t)b->nodes, error));
    lower(&b->node[state].first_row, row);
    return ASIF_OK;
}

/* Start to keep fractional parts, at the first weight that is not a whole number. */
static asif_status begin_parts(asif_tree_builder *b, asif_error *error) {
    b->fractional = true;
    b->part = asif_alloc(b->context, b->node_capacity * b->stride, sizeof *b->part);
    return b->part ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_tree_add_count(asif_tree_builder *b, uint32_t node, uint32_t action, asif_amount amount,
                                asif_error *error) {
    if (action >= b->stride) {
        uint64_t stride = b->stride;
        while (stride <= action)
            stride *= 2;
        ASIF_TRY(resize_counts(b, b->node_capacity, stride, error));
    }
    if (amount.part && !b->part)
        ASIF_TRY(begin_parts(b, error));
    uint64_t i = node * b->stride + action;
    if (b->part) {
        asif_amount sum = {b->count[i], b->part[i]};
        asif_amount_add(&sum, amount);
        b->count[i] = sum.whole;
        b->part[i] = sum.part;
    } else {
        b->count[i] += amount.whole;
    }
    return ASIF_OK;
}

static asif_status add_sum(uint32_t *number, asif_tree_builder *b, asif_tree_sums *sums, uint32_t from,
                           uint32_t did, uint32_t to, asif_amount amount, asif_error *error) {
    if (!sums->table.slot)
        ASIF_TRY(table_create(&sums->table, b->context, FIRST_BITS, error));
    asif_tree_slot *slot = find(&sums->table, from, did, to);
    *number = slot->number;
    if (*number == ASIF_ANY) {
        if (sums->count >= b->most)
            return fail_nodes(b, error);
        if (!asif_grow(b->context, &sums->sum, sums->count, &sums->capacity, sizeof *sums->sum))
            return asif_fail_memory(error);
        *number = (uint32_t)sums->count;
        ASIF_TRY(insert(&sums->table, b->context, slot, (asif_tree_slot){from, did, to, *number}, error));
        sums->sum[sums->count++] = (asif_tree_sum){from, did, to, *number, {0, 0}};
    }
    asif_amount_add(&sums->sum[*number].amount, amount);
    return ASIF_OK;
}

asif_status asif_tree_add_transition(asif_tree_builder *b, uint32_t from, uint32_t did, uint32_t to,
                                     asif_amount amount, asif_error *error) {
    uint32_t number;
    return add_sum(&number, b, &b->transition, from, did, to, amount, error);
}

/* Count the label of the state at a node (what 0) or an end (what 1). */
static asif_status add_label(asif_tree_builder *b, uint32_t at, uint32_t what, uint32_t label,
                             asif_error *error) {
    uint32_t number;
    return label == ASIF_ANY || !b->labelled
               ? ASIF_OK
               : add_sum(&number, b, &b->label, at, what, label, b->counted, error);
}

void asif_tree_labelled(asif_tree_builder *b, uint32_t states) {
    b->labelled = states;
}

void asif_tree_label_state(asif_tree_builder *b, uint32_t label) {
    if (b->waiting && label < b->labelled)
        b->step[b->waiting - 1].label = label;
}

asif_status asif_tree_add_end(uint32_t *number, asif_tree_builder *b, uint32_t node, uint32_t action,
                              uint32_t observation, asif_amount amount, asif_error *error) {
    return add_sum(number, b, &b->end, node, action, observation, amount, error);
}

static asif_status add_entry(asif_tree_builder *b, asif_tree_list *list, asif_tree_entry entry,
                             asif_error *error) {
    if (list->count == list->capacity) {
        /* The rows of a unit are mostly together in the table. Adding up equal entries here keeps memory
         * close to what the tree needs. */
        if (list->count > list->packed)
            list->packed += asif_tree_pack(list->entry + list->packed, list->count - list->packed);
        list->count = list->packed;
        if (list->count >= list->capacity / 2 &&
            !asif_grow(b->context, &list->entry, list->capacity, &list->capacity, sizeof *list->entry))
            return asif_fail_memory(error);
    }
    list->entry[list->count++] = entry;
    return ASIF_OK;
}

asif_status asif_tree_add_entry(asif_tree_builder *b, uint64_t unit, uint32_t node, uint32_t action,
                                asif_amount amount, asif_error *error) {
    return add_entry(b, &b->entry, (asif_tree_entry){unit, node, action, amount}, error);
}

asif_status asif_tree_add_ending(asif_tree_builder *b, uint64_t unit, uint32_t number, uint32_t action,
                                 asif_amount amount, asif_error *error) {
    return add_entry(b, &b->ending, (asif_tree_entry){unit, number, action, amount}, error);
}

/* ---- episodes ---- */

asif_status asif_tree_begin(asif_tree_builder **out, const asif_context *context, uint32_t starts,
                            bool states_seen, asif_error *error) {
    *out = NULL;
    if (starts == 0)
        return asif_fail(error, ASIF_EDOMAIN, "a tree needs at least one start class");
    asif_tree_builder *b = ASIF_NEW(context, asif_tree_builder);
    if (!b)
        return asif_fail_memory(error);
    *b = (asif_tree_builder){.context = context,
                             .starts = starts,
                             .states_seen = states_seen,
                             .most = ASIF_ANY - 1,
                             .copies = 1,
                             .ends_known = true,
                             .stride = 4,
                             .at = ASIF_ANY,
                             .unit = ASIF_NO_UNIT};
    asif_status status = table_create(&b->table, context, FIRST_BITS, error);
    for (uint32_t s = 0; status == ASIF_OK && !states_seen && s < starts; s++)
        status = add_node(b, ASIF_ANY, ASIF_ANY, ASIF_ANY, error);
    if (status != ASIF_OK) {
        asif_tree_abandon(b);
        return status;
    }
    *out = b;
    return ASIF_OK;
}

void asif_tree_abandon(asif_tree_builder *b) {
    if (!b)
        return;
    void *const arrays[] = {
        b->table.slot,    b->transition.table.slot, b->end.table.slot, b->node, b->count,
        b->part,          b->transition.sum,        b->end.sum,        b->step, b->entry.entry,
        b->ending.entry,  b->label.table.slot,      b->label.sum,      b->loss, b->completion_node,
        b->completion_log};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(b->context, arrays[i]);
    asif_free(b->context, b);
}

/* Drop the steps without a later decision, except the first: it followed the last decision that counts. */
asif_status asif_tree_close_episode(asif_tree_builder *b, asif_error *error) {
    const asif_tree_step *s = b->step;
    uint32_t number, node = b->at;
    bool ended = b->arrived && b->waiting > 0 && s->observation != ASIF_ANY;
    b->at = ASIF_ANY;
    b->arrived = false;
    if (!ended)
        return ASIF_OK;
    ASIF_TRY(asif_tree_add_end(&number, b, node, s->action, s->observation, b->counted, error));
    ASIF_TRY(add_label(b, number, 1, s->label, error));
    return b->unit == ASIF_NO_UNIT ? ASIF_OK
                                   : asif_tree_add_ending(b, b->unit, number, s->action, b->counted, error);
}

asif_status asif_tree_episodes(asif_tree_builder *b, uint32_t start, uint64_t unit, uint64_t copies,
                               asif_error *error) {
    if (start >= b->starts)
        return asif_fail(error, ASIF_EDOMAIN, "start class %u is not below %u", start, b->starts);
    ASIF_TRY(asif_tree_close_episode(b, error));
    b->at = start;
    b->unit = unit;
    b->length = b->waiting = 0;
    b->copies = copies;
    b->episodes += copies;
    return ASIF_OK;
}

asif_status asif_tree_episode(asif_tree_builder *b, uint32_t start, uint64_t unit, asif_error *error) {
    return asif_tree_episodes(b, start, unit, 1, error);
}

asif_status asif_tree_check_weight(double weight, asif_amount *amount, asif_error *error) {
    if (!(weight >= 0 && weight < ASIF_AMOUNT_LIMIT))
        return asif_fail(error, ASIF_EDOMAIN,
                         "a weight is negative, not a number, or too large (2^52 or more)");
    *amount = asif_amount_of(weight);
    if (weight > 0 && amount->whole == 0 && amount->part == 0) {
        asif_fail(error, ASIF_EDOMAIN, "a weight is too small: it is above 0 and below 2^-65 (about 3e-20)");
        asif_error_hint(error, "multiply all weights by the same number");
        return ASIF_EDOMAIN;
    }
    return ASIF_OK;
}

static asif_status fail_order(asif_error *error) {
    return asif_fail(error, ASIF_EDOMAIN,
                     "a decision was added before an episode was begun, or not as its tree asks");
}

void asif_tree_note_decision(asif_tree_builder *b, uint32_t action) {
    b->decisions += b->copies;
    if (++b->length > b->longest)
        b->longest = b->length;
    if (action >= b->actions)
        b->actions = (uint64_t)action + 1;
}

asif_status asif_tree_arrive(asif_tree_builder *b, uint64_t row, asif_error *error) {
    if (!b->arrived) {
        lower(&b->node[b->at].first_row, b->waiting ? b->step[0].row : row);
        b->arrived = true;
    }
    for (uint64_t i = 0; i < b->waiting; i++) {
        const asif_tree_step *s = &b->step[i];
        ASIF_TRY(asif_tree_child(&b->at, b, b->at, s->action, s->observation, s->row, error));
        ASIF_TRY(add_label(b, b->at, 0, s->label, error));
    }
    b->waiting = 0;
    return ASIF_OK;
}

asif_status asif_tree_act(asif_tree_builder *b, uint32_t action, double weight, uint64_t row,
                          asif_error *error) {
    asif_amount amount;
    if (b->at == ASIF_ANY || b->states_seen || action == ASIF_ANY)
        return fail_order(error);
    ASIF_TRY(asif_tree_check_weight(weight, &amount, error));
    asif_tree_note_decision(b, action);
    if (weight == 0)
        return ASIF_OK;
    amount = asif_amount_times(amount, b->copies);
    ASIF_TRY(asif_tree_arrive(b, row, error));
    b->counted = amount;
    ASIF_TRY(asif_tree_add_count(b, b->at, action, amount, error));
    return b->unit == ASIF_NO_UNIT ? ASIF_OK : asif_tree_add_entry(b, b->unit, b->at, action, amount, error);
}

asif_status asif_tree_move(asif_tree_builder *b, uint32_t action, uint32_t observation, uint64_t row,
                           asif_error *error) {
    if (b->at == ASIF_ANY || b->states_seen || action == ASIF_ANY)
        return fail_order(error);
    if (!asif_grow(b->context, &b->step, b->waiting, &b->waiting_capacity, sizeof *b->step))
        return asif_fail_memory(error);
    if (action >= b->actions)
        b->actions = (uint64_t)action + 1;
    if (observation != ASIF_ANY && observation >= b->observations)
        b->observations = (uint64_t)observation + 1;
    b->step[b->waiting++] = (asif_tree_step){action, observation, row, ASIF_ANY};
    return ASIF_OK;
}

asif_status asif_tree_state(asif_tree_builder *b, uint32_t state, uint32_t action, uint32_t next,
                            double weight, uint64_t row, asif_error *error) {
    asif_amount amount;
    if (b->at == ASIF_ANY || !b->states_seen || action == ASIF_ANY || state == ASIF_ANY)
        return fail_order(error);
    ASIF_TRY(asif_tree_check_weight(weight, &amount, error));
    asif_tree_note_decision(b, action);
    if (state >= b->observations)
        b->observations = (uint64_t)state + 1;
    if (next != ASIF_ANY && next >= b->observations)
        b->observations = (uint64_t)next + 1;
    if (weight == 0)
        return ASIF_OK;
    amount = asif_amount_times(amount, b->copies);
    ASIF_TRY(asif_tree_reach_state(b, state, row, error));
    ASIF_TRY(asif_tree_add_count(b, state, action, amount, error));
    if (next != ASIF_ANY)
        ASIF_TRY(asif_tree_add_transition(b, state, action, next, amount, error));
    return b->unit == ASIF_NO_UNIT ? ASIF_OK : asif_tree_add_entry(b, b->unit, state, action, amount, error);
}
