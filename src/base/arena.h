/* Memory that is allocated piece by piece and freed all at once. */
#ifndef ASIF_SRC_BASE_ARENA_H
#define ASIF_SRC_BASE_ARENA_H

#include "asif/base.h"

typedef struct {
    const asif_context *context;
    void *last; /* the newest block; each begins with a pointer to the one before */
} asif_arena;

/* Allocates count * size bytes, zeroed, until asif_arena_free(); NULL if there is no memory. */
void *asif_arena_alloc(asif_arena *arena, uint64_t count, size_t size);
/* Copies the first `length` bytes of a text and terminates the copy. */
char *asif_arena_text(asif_arena *arena, const char *text, uint64_t length);
void asif_arena_free(asif_arena *arena);

#define ASIF_ARENA_ARRAY(arena, count, type) ((type *)asif_arena_alloc((arena), (count), sizeof(type)))

#endif
