/* Allocation through the context's allocator. */
#ifndef ASIF_SRC_BASE_MEMORY_H
#define ASIF_SRC_BASE_MEMORY_H

#include "asif/base.h"

/* Allocates count * size bytes, zeroed; NULL if there is no memory or the product overflows. For a count of 0
 * the result may be freed like any other. */
void *asif_alloc(const asif_context *context, uint64_t count, size_t size);
/* Resizes an allocation. Contents up to the smaller size are kept; the bytes beyond are not zeroed. On
 * failure the result is NULL and `old` stays valid. */
void *asif_realloc(const asif_context *context, void *old, uint64_t count, size_t size);
void asif_free(const asif_context *context, void *memory);
char *asif_strdup(const asif_context *context, const char *text);

/* Makes room for one more element in a growing array and updates *array and *capacity; false: no memory. */
bool asif_grow(const asif_context *context, void *array, uint64_t count, uint64_t *capacity, size_t size);

/* Objects that others keep, by a member `kept`: they are freed once their owner has freed them and nobody
 * keeps them any more. 0: there is the owner alone. */
typedef struct {
    _Atomic uint64_t others;
} asif_kept;
void asif_keep(const asif_kept *kept);
/* The owner, or somebody else, leaves; true for the last, who frees the object. */
bool asif_leave(const asif_kept *kept);
/* Keep an object that is not NULL; the result is the object. The function that frees it also ends that. */
#define ASIF_KEEP(object) (asif_keep(&(object)->kept), (object))
/* An object that was kept, to be given back to the function that frees it; NULL stays NULL. */
#define ASIF_KEPT(type, object) ((type *)(uintptr_t)(object))

#define ASIF_NEW(context, type) ((type *)asif_alloc((context), 1, sizeof(type)))
#define ASIF_ARRAY(context, count, type) ((type *)asif_alloc((context), (count), sizeof(type)))

#endif
