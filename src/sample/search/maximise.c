#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define NEAR_BEST 0.5   /* nats: points this near in value to the best are polished too */
#define SAME_PLACE 0.25 /* standard deviations: points this near to each other need one polish */
#define AGREE 1e-3

/* Distances to go from the best point to both sides along its flattest direction, in standard deviations. */
#define EXPEDITIONS 2
static const double expedition[EXPEDITIONS] = {3, 6};
_Static_assert(ASIF_MAXIMISE_ENDS(0) == 2 * EXPEDITIONS, "every expedition ends twice");

/* The result of a climb. */
typedef struct {
    asif_status status;
    asif_error error;
    double value;
    uint64_t evaluations;
    uint32_t start; /* the caller's start that led there */
    bool polish;
} outcome;

typedef struct {
    const asif_context *context;
    const asif_maximise_options *options;
    uint32_t n, workers; /* a worker has one density, and takes every workers-th point */
    asif_search *search; /* [workers] */
    double **memory;     /* [workers]: memory of the densities before the first climb */
    uint32_t from, to;   /* range of points to climb from: the starts, then two for each expedition */
    outcome *outcome;    /* [points] */
    double *x;           /* [points][n]: where each climb begins, then where it ended */
    double *basis;       /* [points][2][n][n]: the coordinates in which the climb ended, and their inverse */
    atomic_bool stop;
    atomic_uint done;
} maximise;

static void keep(maximise *m, uint32_t start, const asif_search *s) {
    uint64_t n = m->n;
    outcome *o = &m->outcome[start];
    o->status = s->status;
    o->error = s->error;
    o->value = s->value;
    o->evaluations = s->evaluations;
    memcpy(m->x + start * n, s->best, n * sizeof(double));
    memcpy(m->basis + 2 * start * n * n, s->basis, n * n * sizeof(double));
    memcpy(m->basis + (2 * start + 1) * n * n, s->inverse, n * n * sizeof(double));
}

static void take_up(maximise *m, uint32_t start, asif_search *s) {
    uint64_t n = m->n;
    const outcome *o = &m->outcome[start];
    s->value = o->value;
    s->evaluations = o->evaluations;
    memcpy(s->best, m->x + start * n, n * sizeof(double));
    memcpy(s->basis, m->basis + 2 * start * n * n, n * n * sizeof(double));
    memcpy(s->inverse, m->basis + (2 * start + 1) * n * n, n * n * sizeof(double));
}

/* Prepare a worker. Its density gets the memory that it had before the first climb, so that climbs do not
 * depend on their order. */
static asif_search *ready(maximise *m, uint32_t worker) {
    asif_search *s = &m->search[worker];
    if (m->memory[worker])
        s->density->load(s->density->user, m->memory[worker]);
    s->status = ASIF_OK;
    s->done = fmin(0.9, atomic_load(&m->done) / (m->options->starts + 3.0));
    return s;
}

static uint32_t first_of(const maximise *m, uint32_t worker) {
    return m->from + (worker + m->workers - m->from % m->workers) % m->workers;
}

static void climb_worker(void *argument, uint32_t worker) {
    maximise *m = argument;
    for (uint32_t i = first_of(m, worker); i < m->to; i += m->workers) {
        asif_search *s = ready(m, worker);
        asif_search_scale(s, m->options->scale);
        asif_search_begin(s, m->x + (uint64_t)i * m->n, m->options->max_evaluations);
        asif_search_ascend(s);
        keep(m, i, s);
        atomic_fetch_add(&m->done, 1);
    }
}

static void polish_worker(void *argument, uint32_t worker) {
    maximise *m = argument;
    for (uint32_t i = worker; i < m->to; i += m->workers) {
        if (!m->outcome[i].polish)
            continue;
        asif_search *s = ready(m, worker);
        take_up(m, i, s);
        asif_search_finish(s, m->options->tol, m->options->no_polish);
        keep(m, i, s);
    }
}

static asif_status first_failure(const maximise *m, asif_error *error) {
    for (uint32_t i = 0; i < m->to; i++)
        if (m->outcome[i].status != ASIF_OK) {
            if (error)
                *error = m->outcome[i].error;
            return m->outcome[i].status;
        }
    return ASIF_OK;
}

static uint32_t best_point(const maximise *m) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < m->to; i++)
        if (m->outcome[i].value > m->outcome[best].value)
            best = i;
    return best;
}

/* Whether the climbs i and k ended at the same place, in standard deviations at k. */
static bool same_place(const maximise *m, uint32_t i, uint32_t k) {
    uint64_t n = m->n;
    const double *inverse = m->basis + (2 * (uint64_t)k + 1) * n * n;
    return asif_search_distance(inverse, n, m->x + i * n, m->x + k * n) < SAME_PLACE;
}

/* Choose the points to polish: from the best down, those that are near it in value and not at the same place
 * as a better one. */
static void choose(maximise *m) {
    uint32_t points = m->to, best = best_point(m);
    m->outcome[best].polish = true;
    for (;;) {
        uint32_t next = points;
        for (uint32_t i = 0; i < points; i++) {
            const outcome *o = &m->outcome[i];
            bool open = !o->polish && o->value > m->outcome[best].value - NEAR_BEST;
            for (uint32_t k = 0; open && k < points; k++)
                open = !m->outcome[k].polish || !same_place(m, i, k);
            if (open && (next == points || o->value > m->outcome[next].value))
                next = i;
        }
        if (next == points)
            return;
        m->outcome[next].polish = true;
    }
}

static asif_status prepare(maximise *m, const asif_density *density, asif_error *error) {
    uint64_t n = m->n, points = ASIF_MAXIMISE_ENDS(m->options->starts);
    m->search = ASIF_ARRAY(m->context, m->workers, asif_search);
    m->memory = ASIF_ARRAY(m->context, m->workers, double *);
    m->outcome = ASIF_ARRAY(m->context, points, outcome);
    m->x = ASIF_ARRAY(m->context, points * n, double);
    m->basis = ASIF_ARRAY(m->context, 2 * points * n * n, double);
    if (!m->search || !m->memory || !m->outcome || !m->x || !m->basis)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->workers; i++) {
        ASIF_TRY(asif_search_create(&m->search[i], m->context, &density[i], ASIF_NONE_HELD, &m->stop,
                                    "maximum", error));
        if (density[i].memory == 0)
            continue;
        m->memory[i] = ASIF_ARRAY(m->context, density[i].memory, double);
        if (!m->memory[i])
            return asif_fail_memory(error);
        density[i].save(density[i].user, m->memory[i]);
    }
    return ASIF_OK;
}

static void clean_up(maximise *m) {
    for (uint32_t i = 0; i < m->workers; i++) {
        if (m->search)
            asif_search_free(&m->search[i]);
        if (m->memory)
            asif_free(m->context, m->memory[i]);
    }
    asif_free(m->context, m->search);
    asif_free(m->context, m->memory);
    asif_free(m->context, m->outcome);
    asif_free(m->context, m->x);
    asif_free(m->context, m->basis);
}

/* Largest |gradient * scale|. The memory of the density is left as after this evaluation. */
static asif_status steepness(maximise *m, uint32_t best, double *out, asif_error *error) {
    asif_search *s = ready(m, best % m->workers);
    double value = 0;
    *out = NAN;
    if (!s->density->has_gradient)
        return ASIF_OK;
    ASIF_TRY(
        s->density->evaluate(s->density->user, m->x + (uint64_t)best * m->n, &value, s->gradient, error));
    *out = 0;
    for (uint32_t i = 0; i < m->n; i++)
        *out = fmax(*out, fabs(s->gradient[i] * (m->options->scale ? m->options->scale[i] : 1)));
    return ASIF_OK;
}

static asif_status climb_from(maximise *m, uint32_t from, uint32_t to, asif_error *error) {
    m->from = from;
    m->to = to;
    asif_os_parallel(m->context->options.threads, m->workers, climb_worker, m);
    return first_failure(m, error);
}

/* Look for other maxima on the ridge: from the best point go far along it, to both sides, and climb again. */
static asif_status explore(maximise *m, asif_error *error) {
    uint64_t n = m->n;
    for (uint32_t k = 0; k < EXPEDITIONS; k++) {
        uint64_t best = best_point(m);
        uint64_t axis = asif_search_flattest(m->basis + 2 * best * n * n, n, m->options->scale);
        const double *x = m->x + best * n, *basis = m->basis + 2 * best * n * n;
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t point = m->to + side;
            for (uint64_t i = 0; i < n; i++)
                m->x[point * n + i] = x[i] + (side ? -1 : 1) * expedition[k] * basis[i * n + axis];
            m->outcome[point].start = m->outcome[best].start;
        }
        ASIF_TRY(climb_from(m, m->to, m->to + 2, error));
    }
    return ASIF_OK;
}

static void tell_ends(const maximise *m) {
    uint64_t n = m->n;
    for (uint64_t i = 0; i < ASIF_MAXIMISE_ENDS(m->options->starts); i++) {
        double *end = m->options->ends + i * (n + 1);
        memcpy(end, m->x + i * n, n * sizeof *end);
        end[n] = i < m->to ? m->outcome[i].value : -INFINITY;
    }
}

static asif_status run(maximise *m, double *x, asif_maximum_info *info, asif_error *error) {
    const asif_maximise_options *o = m->options;
    for (uint32_t i = 0; i < o->starts; i++)
        m->outcome[i].start = i;
    if (o->start)
        memcpy(m->x, o->start, (uint64_t)o->starts * m->n * sizeof *x);
    ASIF_TRY(climb_from(m, 0, o->starts, error));
    if (!isfinite(m->outcome[best_point(m)].value)) {
        asif_fail(error, ASIF_EDOMAIN, "the density is -inf or not a number at every start");
        asif_error_hint(error, "start where it is finite");
        return ASIF_EDOMAIN;
    }
    if (!m->search[0].density->smooth && !o->no_expeditions)
        ASIF_TRY(explore(m, error));
    choose(m);
    asif_os_parallel(m->context->options.threads, m->workers, polish_worker, m);
    ASIF_TRY(first_failure(m, error));
    uint32_t best = best_point(m);
    memcpy(x, m->x + (uint64_t)best * m->n, m->n * sizeof *x);
    if (o->ends)
        tell_ends(m);
    if (!info)
        return ASIF_OK;
    *info = (asif_maximum_info){.value = m->outcome[best].value, .best_start = m->outcome[best].start};
    for (uint32_t i = 0; i < m->to; i++) {
        info->evaluations += m->outcome[i].evaluations;
        info->agree += i < o->starts && m->outcome[i].value >= info->value - AGREE;
    }
    return steepness(m, best, &info->gradient, error);
}

asif_status asif_maximise(double *x, const asif_context *context, const asif_density *density,
                          uint32_t densities, const asif_maximise_options *options, asif_maximum_info *info,
                          asif_error *error) {
    asif_maximise_options o = ASIF_MAXIMISE_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof o)
            return asif_fail(error, ASIF_EDOMAIN, "options of the maximum have an unknown size");
        memcpy(&o, options, options->struct_size);
    }
    if (o.starts == 0 || densities == 0)
        return asif_fail(error, ASIF_EDOMAIN, "a maximum needs a start and a density");
    for (uint32_t i = 0; o.scale && i < density->dimension; i++)
        if (!(o.scale[i] > 0 && isfinite(o.scale[i])))
            return asif_fail(error, ASIF_EDOMAIN, "the scale of coordinate %u is not positive", i + 1);
    maximise m = {.context = context,
                  .options = &o,
                  .n = density->dimension,
                  .workers = densities < o.starts ? densities : o.starts};
    atomic_init(&m.stop, false);
    atomic_init(&m.done, 0);
    asif_status status = prepare(&m, density, error);
    if (status == ASIF_OK)
        status = run(&m, x, info, error);
    clean_up(&m);
    return status;
}
