/* Run all chains. Threads take turns with them, so that all advance alike whatever the number of threads, and
 * R-hat can be reported while they run. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "sample/chains/chain.h"

#include <stdatomic.h>
#include <string.h>

#define MOST_STEPS ((uint64_t)1 << 40)
#define MOST_DEPTH 24
#define TURN_SEC 0.2 /* time that a thread spends with one chain before it takes another */
#define REPORT_SEC 0.1
#define REPORT_STEPS 16
#define RHAT_SEC 0.5
#define RHAT_SHARE 0.05 /* largest share of a thread's time */
#define RHAT_DRAWS 20   /* fewest draws of each chain */
#define STEP_SHIFT 16   /* a place() has the step above these bits, and the chain in them */

enum { IDLE, BUSY, OVER };

struct run;
typedef struct {
    struct run *run;
    asif_chain *chain;
    asif_error error;
    asif_status status;
    double reported, saved; /* times of the last report and of the last checkpoint */
    atomic_int state;
    atomic_uint_fast64_t done, kept; /* copies of the chain's counts for other threads */
} member;

typedef struct run {
    const asif_context *context;
    const asif_sample_options *options;
    const asif_density *density;
    asif_draws *draws;
    member *members;
    uint8_t identity[ASIF_SHA256_SIZE];
    atomic_bool cancelled;
    atomic_uint_fast64_t steps; /* steps of all chains */
    atomic_uint_fast64_t limit; /* place() of the first failure so far: steps after it are not taken */
    atomic_flag rhat_busy;
    double rhat_next;          /* time of the next update; protected by rhat_busy, as is `room` */
    double *room;              /* [chains][draws] */
    atomic_uint_fast64_t rhat; /* bits of a double */
} run;

/* ---- progress ---- */

static uint64_t fewest_kept(run *r) {
    uint64_t fewest = r->options->draws;
    for (uint32_t i = 0; i < r->options->chains; i++) {
        uint64_t kept = atomic_load_explicit(&r->members[i].kept, memory_order_acquire);
        fewest = kept < fewest ? kept : fewest;
    }
    return fewest;
}

static double largest_rhat(run *r, uint64_t draws) {
    double largest = NAN;
    for (uint32_t column = 0; column < r->draws->view.columns; column++) {
        for (uint32_t i = 0; i < r->options->chains; i++)
            memcpy(r->room + i * draws, asif_draws_values(r->draws, column, i), draws * sizeof *r->room);
        asif_column_summary summary;
        if (asif_summarise(&summary, r->context, r->room, r->options->chains, draws, NULL) == ASIF_OK)
            largest = fmax(largest, summary.rhat);
    }
    return largest;
}

static void update_rhat(run *r, double now) {
    if (atomic_flag_test_and_set_explicit(&r->rhat_busy, memory_order_acquire))
        return;
    uint64_t draws = now < r->rhat_next ? 0 : fewest_kept(r);
    if (draws >= RHAT_DRAWS) {
        double rhat = largest_rhat(r, draws), end = asif_os_seconds();
        uint64_t bits;
        memcpy(&bits, &rhat, sizeof bits);
        atomic_store(&r->rhat, bits);
        r->rhat_next = end + fmax(RHAT_SEC, (end - now) / RHAT_SHARE);
    }
    atomic_flag_clear_explicit(&r->rhat_busy, memory_order_release);
}

static void report(run *r, double now) {
    if (r->room)
        update_rhat(r, now);
    uint64_t bits = atomic_load(&r->rhat);
    double rhat, all = (double)r->options->chains * (double)asif_chain_length(r->options);
    memcpy(&rhat, &bits, sizeof rhat);
    char text[64] = "sampling";
    if (isfinite(rhat))
        asif_format(text, sizeof text, "sampling, R-hat %.2f", rhat);
    if (asif_progress(r->context, text, (double)atomic_load(&r->steps) / all))
        atomic_store(&r->cancelled, true);
}

/* Called before every evaluation, because one may be slow, and a step may need a thousand. */
static bool interrupt(void *user) {
    member *m = user;
    double now = asif_os_seconds();
    if (now - m->reported > REPORT_SEC) {
        m->reported = now;
        report(m->run, now);
    }
    return atomic_load_explicit(&m->run->cancelled, memory_order_relaxed);
}

/* ---- a chain's turn ---- */

/* The step and the chain of a failure, as a number for comparison: the failure that is reported is the same
 * for any number of threads. */
static uint64_t place(const member *m) {
    uint64_t step = m->chain->begun ? m->chain->done + 1 : 0;
    return step << STEP_SHIFT | m->chain->number;
}

static void fail_at(run *r, uint64_t where) {
    uint_fast64_t limit = atomic_load(&r->limit);
    while (where < limit && !atomic_compare_exchange_weak(&r->limit, &limit, where))
        ;
}

static bool finished(const member *m) {
    return m->chain->begun && m->chain->done == asif_chain_length(m->run->options);
}

static bool all_done(const run *r) {
    for (uint32_t i = 0; i < r->options->chains; i++)
        if (atomic_load_explicit(&r->members[i].done, memory_order_relaxed) != asif_chain_length(r->options))
            return false;
    return true;
}

static asif_status save_if_due(member *m, double now) {
    const run *r = m->run;
    bool due = finished(m) ? r->options->keep || !all_done(r) : now - m->saved >= r->options->checkpoint_sec;
    if (!r->options->folder || !due)
        return ASIF_OK;
    asif_status status = asif_checkpoint_save(m->chain, r->identity, &m->error);
    m->saved = asif_os_seconds();
    return status;
}

static asif_status advance(member *m) {
    run *r = m->run;
    asif_interruptible_density target = {m->chain->density, interrupt, m, &m->error};
    uint64_t before = m->chain->done;
    ASIF_TRY(asif_chain_advance(m->chain, &target));
    atomic_store_explicit(&m->done, m->chain->done, memory_order_relaxed);
    atomic_store_explicit(&m->kept, asif_chain_kept(m->chain), memory_order_release);
    atomic_fetch_add(&r->steps, m->chain->done - before);
    double now = asif_os_seconds();
    if (m->chain->done % REPORT_STEPS == 0 && m->chain->done != before) {
        m->reported = now;
        report(r, now);
    }
    return save_if_due(m, now);
}

/* Advance a chain by one turn; true: it is not finished. */
static bool turn(member *m) {
    run *r = m->run;
    double end = asif_os_seconds() + TURN_SEC;
    for (;;) {
        uint64_t where = place(m);
        if (finished(m) || where >= atomic_load(&r->limit) || atomic_load(&r->cancelled))
            return false;
        m->status = advance(m);
        if (m->status == ASIF_ECANCELLED) { /* the density may have noticed the cancellation first */
            atomic_store(&r->cancelled, true);
            return false;
        }
        if (m->status != ASIF_OK) {
            fail_at(r, where);
            return false;
        }
        if (asif_os_seconds() > end)
            return true;
    }
}

/* Take the idle chain with the fewest steps; NULL: none is idle. */
static member *take(run *r) {
    for (;;) {
        member *behind = NULL;
        uint64_t least = UINT64_MAX;
        for (uint32_t i = 0; i < r->options->chains; i++) {
            member *m = &r->members[i];
            uint64_t done = atomic_load_explicit(&m->done, memory_order_relaxed);
            if (atomic_load(&m->state) == IDLE && done < least) {
                least = done;
                behind = m;
            }
        }
        int idle = IDLE;
        if (!behind || atomic_compare_exchange_strong(&behind->state, &idle, BUSY))
            return behind;
    }
}

static void work(void *argument, uint32_t i) {
    run *r = argument;
    (void)i;
    for (member *m; (m = take(r));)
        atomic_store(&m->state, turn(m) ? IDLE : OVER);
}

/* ---- options ---- */

static asif_status fail_option(asif_error *error, const char *what) {
    return asif_fail(error, ASIF_EDOMAIN, "%s", what);
}

static asif_status check_options(const asif_sample_options *o, asif_error *error) {
    const struct {
        bool good;
        const char *what;
    } rule[] = {
        {(size_t)o->method <= ASIF_METHOD_PUBLISHED, "there is no such method of sampling"},
        {o->chains >= 1 && o->chains <= ASIF_MOST_CHAINS, "the number of chains must be from 1 to 65,536"},
        {o->draws >= 1 && o->draws < MOST_STEPS, "the number of draws must be at least 1, and below 2^40"},
        {o->thin >= 1 && o->thin < MOST_STEPS, "the steps for each draw must be at least 1, and below 2^40"},
        {o->warmup < MOST_STEPS, "the number of steps before the draws must be below 2^40"},
        {o->target_accept > 0 && o->target_accept < 1, "the acceptance aimed at must lie between 0 and 1"},
        {o->max_depth >= 1 && o->max_depth <= MOST_DEPTH, "the largest depth of a tree must be from 1 to 24"},
        {o->step > 0 && isfinite(o->step), "the step of the published walk must be positive"},
        {o->checkpoint_sec >= 0, "the time between checkpoints must not be negative"},
    };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (!rule[i].good)
            return fail_option(error, rule[i].what);
    if (o->draws > (MOST_STEPS - o->warmup - 1) / o->thin)
        return fail_option(error, "a chain must have fewer than 2^40 steps");
    return ASIF_OK;
}

static asif_status check_density(const asif_density *d, const asif_sample_options *o, asif_error *error) {
    if (d->dimension == 0)
        return fail_option(error, "the density has no dimension: there is nothing to sample");
    for (uint32_t i = 1; i < o->chains; i++)
        if (d[i].dimension != d->dimension || d[i].reported != d->reported || d[i].memory != d->memory ||
            d[i].has_gradient != d->has_gradient)
            return fail_option(error, "the densities of the chains are not alike");
    if (o->method == ASIF_METHOD_NUTS && !d->has_gradient) {
        asif_fail(error, ASIF_EUNSUPPORTED, "the density has no gradient, which nuts needs");
        asif_error_hint(error, "use metropolis");
        return ASIF_EUNSUPPORTED;
    }
    uint64_t columns = d->reported ? d->reported : d->dimension;
    if ((columns + ASIF_STAT_COUNT) > UINT64_MAX / 16 / o->chains / o->draws)
        return asif_fail(error, ASIF_ETOOBIG, "that many draws do not fit into memory");
    return ASIF_OK;
}

static asif_status fill_options(asif_sample_options *out, const asif_sample_options *given,
                                asif_error *error) {
    *out = (asif_sample_options)ASIF_SAMPLE_OPTIONS_INIT;
    if (!given)
        return ASIF_OK;
    if (given->struct_size == 0 || given->struct_size > sizeof *out)
        return fail_option(error, "the options of sampling have an unknown size");
    memcpy(out, given, given->struct_size);
    out->struct_size = sizeof *out;
    return ASIF_OK;
}

/* ---- the run ---- */

static asif_status prepare(run *r, asif_error *error) {
    const asif_density *d = r->density;
    const asif_sample_options *o = r->options;
    double now = asif_os_seconds();
    ASIF_TRY(asif_draws_create(&r->draws, r->context, o->chains, o->draws,
                               d->reported ? d->reported : d->dimension, d->reported ? d->name : NULL,
                               d->dimension, error));
    asif_draws_view *view = &r->draws->view;
    view->method = o->method;
    view->warmup = o->warmup;
    view->thin = o->thin;
    view->seed = o->seed;
    view->max_depth = o->max_depth;
    r->members = ASIF_ARRAY(r->context, o->chains, member);
    r->room = r->context->options.progress ? ASIF_ARRAY(r->context, o->chains * o->draws, double) : NULL;
    if (!r->members || (r->context->options.progress && !r->room))
        return asif_fail_memory(error);
    asif_checkpoint_identity(r->identity, o, d, r->draws);
    for (uint32_t i = 0; i < o->chains; i++) {
        member *m = &r->members[i];
        m->run = r;
        m->reported = m->saved = now;
        ASIF_TRY(asif_chain_create(&m->chain, r->context, o, &d[i], r->draws, i, error));
        if (o->folder)
            ASIF_TRY(asif_checkpoint_load(m->chain, r->identity, error));
        atomic_init(&m->done, m->chain->done);
        atomic_init(&m->kept, asif_chain_kept(m->chain));
        atomic_fetch_add(&r->steps, m->chain->done);
    }
    return ASIF_OK;
}

/* Save or remove the checkpoints, and return the result of all chains: the first failure, a cancellation (all
 * chains are saved then), or success. */
static asif_status conclude(run *r, asif_error *error) {
    uint64_t limit = atomic_load(&r->limit);
    if (limit != UINT64_MAX) {
        const member *m = &r->members[limit & (((uint64_t)1 << STEP_SHIFT) - 1)];
        if (error)
            *error = m->error;
        return m->status;
    }
    bool cancelled = false;
    for (uint32_t i = 0; i < r->options->chains; i++)
        cancelled = cancelled || !finished(&r->members[i]);
    for (uint32_t i = 0; i < r->options->chains && r->options->folder; i++) {
        asif_chain *c = r->members[i].chain;
        if (!cancelled && !r->options->keep)
            ASIF_TRY(asif_checkpoint_remove(c, error));
        else if (c->begun && !finished(&r->members[i]))
            ASIF_TRY(asif_checkpoint_save(c, r->identity, error));
    }
    return cancelled ? asif_fail(error, ASIF_ECANCELLED, "sampling was cancelled") : ASIF_OK;
}

static void clean(run *r) {
    for (uint32_t i = 0; r->members && i < r->options->chains; i++)
        asif_chain_free(r->members[i].chain);
    asif_free(r->context, r->members);
    asif_free(r->context, r->room);
    asif_draws_free(r->draws);
}

asif_status asif_sample(asif_draws **out, const asif_context *context, const asif_density *density,
                        const asif_sample_options *options, asif_error *error) {
    *out = NULL;
    asif_sample_options filled;
    ASIF_TRY(fill_options(&filled, options, error));
    ASIF_TRY(check_options(&filled, error));
    ASIF_TRY(check_density(density, &filled, error));
    double nothing = NAN;
    uint64_t bits;
    memcpy(&bits, &nothing, sizeof bits);
    run r = {.context = context, .options = &filled, .density = density};
    atomic_init(&r.limit, UINT64_MAX);
    atomic_init(&r.rhat, bits);
    atomic_flag_clear(&r.rhat_busy);
    asif_status status = prepare(&r, error);
    if (status == ASIF_OK) {
        uint32_t workers =
            filled.chains < context->options.threads ? filled.chains : context->options.threads;
        asif_os_parallel(workers, workers, work, &r);
        status = conclude(&r, error);
    }
    if (status == ASIF_OK) {
        *out = r.draws;
        r.draws = NULL;
    }
    clean(&r);
    return status;
}
