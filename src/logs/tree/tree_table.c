/* Hash tables of the tree's builder. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

#define FIRST_BITS 10 /* a table begins with 2^FIRST_BITS slots */

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

/* The slot of a key; its number is ASIF_ANY if the key is new. */
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

/* Make the table twice as large. */
static asif_status table_grow(asif_tree_table *t, const asif_context *context, asif_error *error) {
    asif_tree_slot *old = t->slot;
    uint64_t slots = (uint64_t)1 << t->bits;
    ASIF_TRY(table_create(t, context, t->bits + 1, error));
    for (uint64_t i = 0; i < slots; i++)
        if (old[i].number != ASIF_ANY)
            *find(t, old[i].parent, old[i].action, old[i].observation) = old[i];
    asif_free(context, old);
    return ASIF_OK;
}

asif_status asif_tree_find(asif_tree_slot **out, asif_tree_table *table, const asif_context *context,
                           uint32_t parent, uint32_t action, uint32_t observation, asif_error *error) {
    if (!table->slot)
        ASIF_TRY(table_create(table, context, FIRST_BITS, error));
    else if (4 * (table->used + 1) > (uint64_t)3 << table->bits)
        ASIF_TRY(table_grow(table, context, error));
    *out = find(table, parent, action, observation);
    if ((*out)->number == ASIF_ANY)
        **out = (asif_tree_slot){parent, action, observation, ASIF_ANY};
    return ASIF_OK;
}
