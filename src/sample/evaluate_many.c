#include "sample/evaluate_many.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <stdatomic.h>

typedef struct {
    const asif_context *context;
    const asif_density *density;
    uint32_t densities;
    const double *x;
    uint64_t count, blocks;
    double *value;
    const double *memory; /* memory of the density at the start of each block; NULL: none */
    const char *what;
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t limit; /* first block that failed so far */
    atomic_bool cancelled;
    asif_status *status; /* [densities] */
    asif_error *error;   /* [densities] */
} many;

static asif_status one_by_one(const many *m, const asif_density *d, const double *x, uint64_t count,
                              double *value, asif_error *error) {
    if (m->memory)
        d->load(d->user, m->memory);
    for (uint64_t i = 0; i < count; i++)
        ASIF_TRY(d->evaluate(d->user, x + i * d->dimension, &value[i], NULL, error));
    return ASIF_OK;
}

static asif_status evaluate_block(const many *m, uint64_t block, const asif_density *d, asif_error *error) {
    uint64_t from = block * ASIF_EVALUATE_BLOCK, left = m->count - from;
    uint64_t count = left < ASIF_EVALUATE_BLOCK ? left : ASIF_EVALUATE_BLOCK;
    const double *x = m->x + from * d->dimension;
    double *value = m->value + from;
    ASIF_TRY(d->evaluate_many ? d->evaluate_many(d->user, x, count, value, error)
                              : one_by_one(m, d, x, count, value, error));
    for (uint64_t i = 0; i < count; i++)
        value[i] = isfinite(value[i]) ? value[i] : -INFINITY;
    return ASIF_OK;
}

static void stop_at(many *m, uint64_t block) {
    uint_fast64_t limit = atomic_load(&m->limit);
    while (block < limit && !atomic_compare_exchange_weak(&m->limit, &limit, block))
        ;
}

/* Evaluate every `densities`-th block, with density i. */
static void work(void *argument, uint32_t i) {
    many *m = argument;
    for (uint64_t block = i; block < m->blocks && block < atomic_load(&m->limit); block += m->densities) {
        uint64_t done = atomic_fetch_add(&m->done, 1);
        if (asif_progress(m->context, m->what, (double)done / (double)m->blocks))
            atomic_store(&m->cancelled, true);
        if (atomic_load(&m->cancelled))
            return;
        m->status[i] = evaluate_block(m, block, &m->density[i], &m->error[i]);
        if (m->status[i] != ASIF_OK) {
            stop_at(m, block);
            return;
        }
    }
}

static asif_status conclude(many *m, asif_error *error) {
    uint64_t limit = atomic_load(&m->limit);
    if (limit != UINT64_MAX) {
        if (error)
            *error = m->error[limit % m->densities];
        return m->status[limit % m->densities];
    }
    return atomic_load(&m->cancelled) ? asif_fail(error, ASIF_ECANCELLED, "cancelled") : ASIF_OK;
}

asif_status asif_evaluate_many(double *value, const asif_context *context, const asif_density *density,
                               uint32_t densities, const double *x, uint64_t count, const char *what,
                               asif_error *error) {
    bool remembers = density->memory > 0 && !density->evaluate_many;
    double *memory = remembers ? ASIF_ARRAY(context, density->memory, double) : NULL;
    many m = {.context = context,
              .density = density,
              .densities = densities,
              .x = x,
              .count = count,
              .blocks = (count + ASIF_EVALUATE_BLOCK - 1) / ASIF_EVALUATE_BLOCK,
              .value = value,
              .memory = memory,
              .what = what,
              .status = ASIF_ARRAY(context, densities, asif_status),
              .error = ASIF_ARRAY(context, densities, asif_error)};
    asif_status status = ASIF_OK;
    if (!m.status || !m.error || (remembers && !memory))
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        atomic_init(&m.limit, UINT64_MAX);
        if (memory)
            density->save(density->user, memory);
        asif_os_parallel(context->options.threads, densities, work, &m);
        status = conclude(&m, error);
    }
    asif_free(context, memory);
    asif_free(context, m.status);
    asif_free(context, m.error);
    return status;
}
