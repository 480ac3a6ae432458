#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <string.h>

typedef union block {
    union block *before;
    max_align_t aligned;
} block;

void *asif_arena_alloc(asif_arena *arena, uint64_t count, size_t size) {
    if (size && count > (SIZE_MAX - sizeof(block)) / size)
        return NULL;
    block *made = asif_alloc(arena->context, 1, sizeof(block) + (size_t)count * size);
    if (!made)
        return NULL;
    made->before = arena->last;
    arena->last = made;
    return made + 1;
}

char *asif_arena_text(asif_arena *arena, const char *text, uint64_t length) {
    char *copy = ASIF_ARENA_ARRAY(arena, length + 1, char);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void asif_arena_free(asif_arena *arena) {
    for (block *made = arena->last, *before; made; made = before) {
        before = made->before;
        asif_free(arena->context, made);
    }
    arena->last = NULL;
}
