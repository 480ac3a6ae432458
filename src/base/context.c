#include "base/context.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define STRING(x) STRING_(x)
#define STRING_(x) #x

uint32_t asif_abi(void) {
    return ASIF_ABI;
}

const char *asif_version(void) {
    return STRING(ASIF_VERSION_MAJOR) "." STRING(ASIF_VERSION_MINOR) "." STRING(ASIF_VERSION_PATCH);
}

static void *reallocate_by_libc(void *user, void *old, size_t size) {
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

asif_status asif_context_create(asif_context **out, const asif_context_options *options, asif_error *error) {
    *out = NULL;
    asif_context_options filled = ASIF_CONTEXT_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof filled)
            return asif_fail(error, ASIF_EDOMAIN, "context options have an unknown size");
        memcpy(&filled, options, options->struct_size);
        filled.struct_size = sizeof filled;
    }
    if (!filled.reallocate)
        filled.reallocate = reallocate_by_libc;
    if (filled.threads == 0)
        filled.threads = 1;
    const asif_simd *simd = asif_simd_choose(filled.vector_level);
    if (!simd) {
        asif_fail(error, ASIF_EDOMAIN, "this machine does not have vector level %u", filled.vector_level);
        asif_error_hint(error, "0 takes the best there is");
        return ASIF_EDOMAIN;
    }
    asif_context *context = filled.reallocate(filled.user, NULL, sizeof *context);
    if (!context)
        return asif_fail_memory(error);
    context->options = filled;
    context->simd = simd;
    *out = context;
    return ASIF_OK;
}

void asif_context_free(asif_context *context) {
    if (context)
        context->options.reallocate(context->options.user, context, 0);
}

const char *asif_context_vector(const asif_context *context) {
    return context->simd->name;
}

bool asif_progress(const asif_context *context, const char *what, double done) {
    return context->options.progress && context->options.progress(context->options.user, what, done);
}

void *asif_realloc(const asif_context *context, void *old, uint64_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size)
        return NULL;
    size_t bytes = (size_t)count * size;
    return context->options.reallocate(context->options.user, old, bytes ? bytes : 1);
}

void *asif_alloc(const asif_context *context, uint64_t count, size_t size) {
    void *memory = asif_realloc(context, NULL, count, size);
    if (memory)
        memset(memory, 0, (size_t)count * size);
    return memory;
}

void asif_free(const asif_context *context, void *memory) {
    if (memory)
        context->options.reallocate(context->options.user, memory, 0);
}

void asif_memory_free(const asif_context *context, void *memory) {
    asif_free(context, memory);
}

char *asif_strdup(const asif_context *context, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = asif_realloc(context, NULL, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

bool asif_grow(const asif_context *context, void *array, uint64_t count, uint64_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    uint64_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = asif_realloc(context, old, wanted, size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
