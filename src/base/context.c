#include "base/context.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define INSIDE_SEC 5 /* this long after a report with a share, those without one are dropped */

#define STRING(x) STRING_(x)
#define STRING_(x) #x

uint32_t asif_abi(void) {
    return ASIF_ABI;
}

const char *asif_version(void) {
    return STRING(ASIF_VERSION_MAJOR) "." STRING(ASIF_VERSION_MINOR) "." STRING(ASIF_VERSION_PATCH);
}

/* A context stays until its owner has freed it, and everything that was allocated with it is freed too: each
 * block is one of its keepers, and so is the owner. Objects may therefore be freed in any order. */
struct asif_keepers {
    asif_context context; /* the first; its address is that of the allocation */
    _Atomic uint64_t count;
    atomic_bool cancelled;
    /* When progress was last passed on, and when that had a share, by asif_os_seconds(). */
    _Atomic double reported, counted;
    const void *thread; /* the one that made the context */
};

/* What stands before each block: it is given back to the context that it is from, also where another one
 * frees it, as an object does that holds something of an object with another context. */
typedef struct {
    _Alignas(max_align_t) struct asif_keepers *keepers;
} block;

static block *block_of(void *memory) {
    return (block *)memory - 1;
}

static void *allocate(struct asif_keepers *k, void *old, size_t size) {
    return k->context.options.reallocate(k->context.options.user, old, size);
}

static void leave(struct asif_keepers *k) {
    if (atomic_fetch_sub_explicit(&k->count, 1, memory_order_acq_rel) == 1)
        allocate(k, k, 0);
}

static _Atomic uint64_t *count_of(const asif_kept *kept) {
    return &((asif_kept *)(uintptr_t)kept)->others;
}

void asif_keep(const asif_kept *kept) {
    atomic_fetch_add_explicit(count_of(kept), 1, memory_order_relaxed);
}

bool asif_leave(const asif_kept *kept) {
    return atomic_fetch_sub_explicit(count_of(kept), 1, memory_order_acq_rel) == 0;
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
    struct asif_keepers *keepers = filled.reallocate(filled.user, NULL, sizeof *keepers);
    if (!keepers)
        return asif_fail_memory(error);
    keepers->context = (asif_context){filled, simd, keepers};
    atomic_init(&keepers->count, 1);
    atomic_init(&keepers->cancelled, false);
    atomic_init(&keepers->reported, -1e300);
    atomic_init(&keepers->counted, -1e300);
    keepers->thread = asif_os_thread();
    *out = &keepers->context;
    return ASIF_OK;
}

void asif_context_free(asif_context *context) {
    if (context)
        leave(context->keepers);
}

const char *asif_context_vector(const asif_context *context) {
    return context->simd->name;
}

void asif_context_cancel(asif_context *context, bool cancel) {
    atomic_store(&context->keepers->cancelled, cancel);
}

/* Whether it is time for a report, and this thread may make it. Of several threads one passes. A report
 * without a share comes from within a stage that has one: solving for an agent goes on inside of everything
 * else. */
static bool due(const asif_context *context, double done) {
    struct asif_keepers *keepers = context->keepers;
    double now, before = atomic_load(&keepers->reported);
    if (context->options.one_thread && keepers->thread != asif_os_thread())
        return false;
    if (!(context->options.progress_sec > 0))
        return true;
    now = asif_os_seconds();
    if (now - before < context->options.progress_sec ||
        (done < 0 && now - atomic_load(&keepers->counted) < INSIDE_SEC) ||
        !atomic_compare_exchange_strong(&keepers->reported, &before, now))
        return false;
    if (done >= 0)
        atomic_store(&keepers->counted, now);
    return true;
}

bool asif_progress(const asif_context *context, const char *what, double done) {
    const asif_context_options *options = &context->options;
    bool stop = options->progress && due(context, done) && options->progress(options->user, what, done);
    return atomic_load_explicit(&context->keepers->cancelled, memory_order_relaxed) || stop;
}

asif_context asif_context_inside(const asif_context *outer, asif_progress_function *progress, void *user) {
    asif_context inner = *outer;
    inner.options.threads = 1;
    inner.options.progress = progress;
    inner.options.user = user;
    inner.options.progress_sec = 0; /* what it passes on to `outer` is throttled there */
    inner.options.one_thread = false;
    return inner;
}

void *asif_realloc(const asif_context *context, void *old, uint64_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size)
        return NULL;
    block *before = old ? block_of(old) : NULL;
    struct asif_keepers *keepers = before ? before->keepers : context->keepers;
    size_t room = (size_t)count * size;
    if (room == 0)
        room = 1; /* a pointer to its end would not be one to the block, for what looks for lost memory */
    block *made = allocate(keepers, before, sizeof *made + room);
    if (!made)
        return NULL;
    if (!before)
        atomic_fetch_add_explicit(&keepers->count, 1, memory_order_relaxed);
    made->keepers = keepers;
    return made + 1;
}

void *asif_alloc(const asif_context *context, uint64_t count, size_t size) {
    void *memory = asif_realloc(context, NULL, count, size);
    if (memory)
        memset(memory, 0, (size_t)count * size);
    return memory;
}

void asif_free(const asif_context *context, void *memory) {
    (void)context; /* the block knows its own */
    if (!memory)
        return;
    struct asif_keepers *keepers = block_of(memory)->keepers;
    allocate(keepers, block_of(memory), 0);
    leave(keepers);
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
