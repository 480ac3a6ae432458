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

#define ASIF_NEW(context, type) ((type *)asif_alloc((context), 1, sizeof(type)))
#define ASIF_ARRAY(context, count, type) ((type *)asif_alloc((context), (count), sizeof(type)))

#endif
