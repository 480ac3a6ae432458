/* Names of states, actions and observations, and the reserved words of the format. */
#include "formats/pomdp.h"

#include "base/memory.h"

#include <string.h>

const char *const asif_pomdp_reserved[ASIF_POMDP_WORDS] = {
    "discount", "values",  "states",   "actions", "observations", "start", "T",       "O",
    "R",        "uniform", "identity", "reset",   "reward",       "cost",  "include", "exclude",
};

int asif_pomdp_word(const char *name, uint64_t length) {
    for (int i = 0; i < ASIF_POMDP_WORDS; i++)
        if (strlen(asif_pomdp_reserved[i]) == length &&
            memcmp(name, asif_pomdp_reserved[i], (size_t)length) == 0)
            return i;
    return -1;
}

bool asif_pomdp_name_legal(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!letter && (i == 0 || !other))
            return false;
    }
    return length > 0 && asif_pomdp_word(name, length) < 0;
}

/* Finds the slot of a name, or the free slot where it belongs (FNV-1a hash, linear probing). */
static uint32_t *find_slot(const asif_pomdp_space *space, const char *name, uint64_t length) {
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    for (uint64_t at = hash & (space->slots - 1);; at = (at + 1) & (space->slots - 1)) {
        uint32_t *slot = &space->slot[at];
        if (*slot == 0)
            return slot;
        const char *held = space->name[*slot - 1];
        if (strlen(held) == length && memcmp(held, name, (size_t)length) == 0)
            return slot;
    }
}

static bool grow_slots(asif_pomdp_space *space, const asif_context *context) {
    if (space->slots > 2 * (uint64_t)space->count)
        return true;
    uint64_t slots = space->slots ? 2 * space->slots : 16;
    uint32_t *slot = ASIF_ARRAY(context, slots, uint32_t);
    if (!slot)
        return false;
    asif_free(context, space->slot);
    space->slot = slot;
    space->slots = slots;
    for (uint32_t i = 0; i < space->count; i++)
        *find_slot(space, space->name[i], strlen(space->name[i])) = i + 1;
    return true;
}

bool asif_pomdp_name_add(asif_pomdp_space *space, const asif_context *context, const char *name,
                         uint64_t length, bool *fresh) {
    if (!grow_slots(space, context))
        return false;
    uint32_t *slot = find_slot(space, name, length);
    *fresh = *slot == 0;
    if (!*fresh)
        return true;
    if (!asif_grow(context, &space->name, space->count, &space->name_capacity, sizeof *space->name))
        return false;
    char *copy = ASIF_ARRAY(context, length + 1, char);
    if (!copy)
        return false;
    memcpy(copy, name, (size_t)length);
    space->name[space->count++] = copy;
    *slot = space->count;
    return true;
}

uint32_t asif_pomdp_name_find(const asif_pomdp_space *space, const char *name, uint64_t length) {
    uint32_t found = space->slots ? *find_slot(space, name, length) : 0;
    return found ? found - 1 : ASIF_ANY;
}

void asif_pomdp_space_free(asif_pomdp_space *space, const asif_context *context) {
    for (uint32_t i = 0; space->name && i < space->count; i++)
        asif_free(context, space->name[i]);
    asif_free(context, space->name);
    asif_free(context, space->slot);
    memset(space, 0, sizeof *space);
}
