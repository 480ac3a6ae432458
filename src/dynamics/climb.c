/* From a point to a maximum of the posterior: expectation-maximisation with the acceleration of Varadhan and
 * Roland (2008), then BFGS in logits. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define PLAIN_STEPS 4 /* plain steps before acceleration */
#define ENOUGH 1e-6   /* a cycle that gains less ends the expectation-maximisation */
#define MOST_CYCLES 5000
#define LONGEST 200        /* most steps that an acceleration takes at once */
#define LEAST_CELL 1e-14   /* cells below are as this one to the acceleration */
#define LEAST_LOGIT (-40.) /* cells are not extrapolated below exp of this */
#define POLISH_TOL 1e-10
#define POLISH_EVALUATIONS 2000

typedef struct {
    asif_dynamics_work *work;
    double prior;
    double *count;                    /* [cells] */
    double *one, *two, *three, *four; /* points */
} climb;

/* One step of expectation-maximisation: `to` from `from`; returns the log-posterior at `from`. */
static double step(climb *c, const double *from, double *to) {
    const asif_dynamics *d = c->work->dynamics;
    double value = asif_dynamics_down(c->work, from) + asif_dynamics_log_prior(d, from, c->prior);
    memcpy(to, from, d->cells * sizeof *to);
    if (!isfinite(value))
        return -INFINITY;
    asif_dynamics_up(c->work, c->count);
    for (uint32_t r = 0; r < d->rows; r++) {
        uint64_t first = d->row[r].first, end = first + d->row[r].columns;
        double sum = 0;
        for (uint64_t i = first; i < end; i++)
            sum += d->learnt[i] ? c->count[i] + c->prior : 0;
        for (uint64_t i = first; i < end && sum > 0; i++) /* a row that nobody used stays */
            to[i] = d->learnt[i] ? (c->count[i] + c->prior) / sum : 0;
    }
    return value;
}

/* Extrapolate three points, in logarithms of cells, to `out`; false: no step longer than the two that were
 * taken. */
static bool extrapolate(const asif_dynamics *d, const double *p0, const double *p1, const double *p2,
                        double *out) {
    double rr = 0, vv = 0;
    for (uint64_t i = 0; i < d->cells; i++) {
        if (!d->learnt[i])
            continue;
        double l0 = log(fmax(p0[i], LEAST_CELL)), l1 = log(fmax(p1[i], LEAST_CELL)),
               l2 = log(fmax(p2[i], LEAST_CELL)), r = l1 - l0, v = l2 - 2 * l1 + l0;
        rr += r * r;
        vv += v * v;
    }
    double a = vv > 0 ? fmin(sqrt(rr / vv), LONGEST) : 0;
    if (!(a > 1))
        return false;
    for (uint64_t i = 0; i < d->cells; i++) {
        if (!d->learnt[i])
            continue;
        double l0 = log(fmax(p0[i], LEAST_CELL)), l1 = log(fmax(p1[i], LEAST_CELL)),
               l2 = log(fmax(p2[i], LEAST_CELL)), r = l1 - l0, v = l2 - 2 * l1 + l0;
        out[i] = exp(fmin(fmax(l0 + 2 * a * r + a * a * v, LEAST_LOGIT), -LEAST_LOGIT));
    }
    asif_dynamics_normalise(d, out);
    return true;
}

/* A cycle from `point`, in place: plain, or accelerated. Returns the log-posterior at the last point that was
 * evaluated, and leaves the one after it. */
static double cycle(climb *c, double *point, bool accelerate) {
    uint64_t bytes = c->work->dynamics->cells * sizeof *point;
    double value = step(c, point, c->one);
    if (!accelerate) {
        memcpy(point, c->one, bytes);
        return value;
    }
    value = step(c, c->one, c->two);
    if (extrapolate(c->work->dynamics, point, c->one, c->two, c->three)) {
        double further = step(c, c->three, c->four);
        if (further >= value) {
            memcpy(point, c->four, bytes);
            return further;
        }
    }
    memcpy(point, c->two, bytes);
    return value;
}

static asif_status expectation_maximisation(climb *c, double *point, asif_error *error) {
    const asif_context *context = c->work->dynamics->context;
    double before = -INFINITY;
    for (uint32_t i = 0; i < MOST_CYCLES; i++) {
        double value = cycle(c, point, i >= PLAIN_STEPS);
        if (!(value > -INFINITY))
            return ASIF_OK;
        if (value - before < ENOUGH && i > 2 * PLAIN_STEPS)
            return ASIF_OK;
        before = value;
        if (asif_progress(context, "learning dynamics", -1))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    }
    return ASIF_OK;
}

/* ---- BFGS ---- */

typedef struct {
    climb *climb;
    uint64_t *reference;
    double *point;
} polishing;

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    polishing *p = user;
    climb *c = p->climb;
    const asif_dynamics *d = c->work->dynamics;
    (void)error;
    asif_dynamics_from_logits(d, p->reference, x, p->point);
    *value = asif_dynamics_down(c->work, p->point) + asif_dynamics_log_prior(d, p->point, c->prior);
    if (!isfinite(*value)) {
        *value = -INFINITY;
        return ASIF_OK;
    }
    if (!gradient)
        return ASIF_OK;
    asif_dynamics_up(c->work, c->count);
    for (uint64_t i = 0; i < d->cells; i++)
        c->count[i] += d->learnt[i] ? c->prior : 0;
    asif_dynamics_logit_gradient(d, p->reference, p->point, c->count, gradient);
    return ASIF_OK;
}

static asif_status polish(climb *c, double *point, double *value, asif_error *error) {
    const asif_dynamics *d = c->work->dynamics;
    polishing p = {c, ASIF_ARRAY(d->context, d->rows, uint64_t), c->one};
    double *x = ASIF_ARRAY(d->context, 2 * (uint64_t)d->free, double);
    asif_search search = {0};
    atomic_bool stop = false;
    asif_density density = {
        .dimension = d->free, .evaluate = evaluate, .has_gradient = true, .user = &p, .smooth = true};
    asif_status status = p.reference && x ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_search_create(&search, d->context, &density, ASIF_NONE_HELD, &stop, "learning dynamics",
                                    error);
    if (status == ASIF_OK) {
        step(c, point, c->two);
        asif_dynamics_references(d, point, p.reference);
        asif_dynamics_to_logits(d, p.reference, point, x);
        for (uint32_t i = 0; i < d->free; i++)
            x[i] = fmax(x[i], LEAST_LOGIT);
        asif_dynamics_logit_scale(d, p.reference, point, c->count, c->prior, x + d->free);
        asif_search_scale(&search, x + d->free);
        asif_search_begin(&search, x, POLISH_EVALUATIONS);
        asif_search_climb(&search, POLISH_TOL);
        status = search.status;
        if (status != ASIF_OK && error)
            *error = search.error;
    }
    if (status == ASIF_OK && search.value > *value) {
        *value = search.value;
        asif_dynamics_from_logits(d, p.reference, search.best, point);
    }
    asif_search_free(&search);
    asif_free(d->context, p.reference);
    asif_free(d->context, x);
    return status;
}

asif_status asif_dynamics_climb(asif_dynamics_work *work, double prior, double *point, double *value,
                                asif_error *error) {
    const asif_dynamics *d = work->dynamics;
    double *room = ASIF_ARRAY(d->context, 5 * d->cells, double);
    if (!room)
        return asif_fail_memory(error);
    climb c = {.work = work,
               .prior = prior,
               .count = room,
               .one = room + d->cells,
               .two = room + 2 * d->cells,
               .three = room + 3 * d->cells,
               .four = room + 4 * d->cells};
    asif_dynamics_normalise(d, point);
    asif_status status = expectation_maximisation(&c, point, error);
    if (status == ASIF_OK) {
        *value = step(&c, point, c.one);
        if (isfinite(*value) && d->free)
            status = polish(&c, point, value, error);
    }
    asif_free(d->context, room);
    return status;
}
