/* Adds episodes to a tree. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

static asif_status add_sum(uint32_t *number, asif_tree_builder *b, asif_tree_sums *sums, uint32_t from,
                           uint32_t did, uint32_t to, asif_amount amount, asif_error *error) {
    asif_tree_slot *slot = NULL;
    ASIF_TRY(asif_tree_find(&slot, &sums->table, b->context, from, did, to, error));
    *number = slot->number;
    if (*number == ASIF_ANY) {
        if (sums->count >= b->most)
            return asif_tree_fail_nodes(b, error);
        if (!asif_grow(b->context, &sums->sum, sums->count, &sums->capacity, sizeof *sums->sum))
            return asif_fail_memory(error);
        *number = (uint32_t)sums->count;
        asif_tree_use(&sums->table, slot, *number);
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
                             .stride = 1,
                             .words = 2,
                             .at = ASIF_ANY,
                             .unit = ASIF_NO_UNIT};
    asif_status status = ASIF_OK;
    for (uint32_t s = 0; status == ASIF_OK && !states_seen && s < starts; s++)
        status = asif_tree_add_node(b, ASIF_ANY, ASIF_ANY, ASIF_ANY, error);
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
    void *const arrays[] = {b->table.slot,  b->transition.table.slot, b->end.table.slot,   b->node,
                            b->word,        b->transition.sum,        b->end.sum,          b->step,
                            b->entry.entry, b->ending.entry,          b->label.table.slot, b->label.sum,
                            b->loss,        b->completion_node,       b->completion_log};
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

/* Inlined in both callers, since every decision comes through here. */
__attribute__((always_inline)) static inline asif_status arrive(asif_tree_builder *b, uint64_t row,
                                                                asif_error *error) {
    if (!b->arrived) {
        asif_tree_lower_row(b, b->at, b->waiting ? b->step[0].row : row);
        b->arrived = true;
    }
    for (uint64_t i = 0; i < b->waiting; i++) {
        const asif_tree_step *s = &b->step[i];
        uint32_t place = b->tabled ? b->places : asif_tree_place(b, s->action, s->observation);
        uint32_t child = place < b->places ? *asif_tree_child_at(b, b->at, place) : 0;
        if (child)
            asif_tree_lower_row(b, b->at = child, s->row);
        else
            ASIF_TRY(asif_tree_child(&b->at, b, b->at, s->action, s->observation, s->row, error));
        ASIF_TRY(add_label(b, b->at, 0, s->label, error));
    }
    b->waiting = 0;
    return ASIF_OK;
}

asif_status asif_tree_arrive(asif_tree_builder *b, uint64_t row, asif_error *error) {
    return arrive(b, row, error);
}

asif_status asif_tree_act(asif_tree_builder *b, uint32_t action, double weight, uint64_t row,
                          asif_error *error) {
    asif_amount amount = {1, 0};
    if (b->at == ASIF_ANY || b->states_seen || action == ASIF_ANY)
        return fail_order(error);
    if (weight != 1 || b->copies != 1) {
        ASIF_TRY(asif_tree_check_weight(weight, &amount, error));
        amount = asif_amount_times(amount, b->copies);
    }
    asif_tree_note_decision(b, action);
    if (weight == 0)
        return ASIF_OK;
    ASIF_TRY(arrive(b, row, error));
    b->counted = amount;
    if (action < b->stride && !b->fractional && !amount.part)
        b->word[b->at * b->words + 1 + action].count += amount.whole;
    else
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
