/* The no-U-turn sampler of Hoffman and Gelman (2014), with multinomial choice along the trajectory
 * (Betancourt 2017, appendix A) and the checks across neighbouring halves that Stan added in 2019. */
#include "sample/chains/nuts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/random.h"

#include <string.h>

#define MOST_ENERGY 1000.0 /* an energy error above this is a divergence */

/* ---- workspace ---- */

static void phase_place(asif_phase *z, uint32_t n, double **room) {
    double **const part[] = {&z->point.x, &z->point.gradient, &z->p, &z->push};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++, *room += n)
        *part[i] = *room;
}

static void stretch_place(asif_subtree *s, uint32_t n, double **room) {
    double **const part[] = {&s->first, &s->last, &s->sum, &s->chosen.x, &s->chosen.gradient};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++, *room += n)
        *part[i] = *room;
}

asif_status asif_nuts_create(asif_nuts **out, const asif_context *context, uint32_t n, uint32_t max_depth,
                             asif_error *error) {
    *out = NULL;
    asif_nuts *nuts = ASIF_NEW(context, asif_nuts);
    if (!nuts)
        return asif_fail_memory(error);
    nuts->context = context;
    nuts->n = n;
    nuts->max_depth = max_depth;
    uint64_t phases = 2 * 4, stretches = 5 * ((uint64_t)max_depth + 2);
    nuts->extra = ASIF_ARRAY(context, (uint64_t)max_depth + 1, asif_subtree);
    nuts->room = ASIF_ARRAY(context, (phases + stretches + 1) * n, double);
    if (!nuts->extra || !nuts->room) {
        asif_nuts_free(nuts);
        return asif_fail_memory(error);
    }
    double *room = nuts->room + n;
    nuts->scratch = nuts->room;
    for (uint32_t i = 0; i < 2; i++)
        phase_place(&nuts->end[i], n, &room);
    stretch_place(&nuts->whole, n, &room);
    for (uint32_t i = 0; i <= max_depth; i++)
        stretch_place(&nuts->extra[i], n, &room);
    *out = nuts;
    return ASIF_OK;
}

void asif_nuts_free(asif_nuts *nuts) {
    if (!nuts)
        return;
    asif_free(nuts->context, nuts->extra);
    asif_free(nuts->context, nuts->room);
    asif_free(nuts->context, nuts);
}

/* ---- Hamiltonian dynamics ---- */

static void copy(double *to, const double *from, uint32_t n) {
    memcpy(to, from, n * sizeof *to);
}

static void point_copy(asif_point *to, const asif_point *from, uint32_t n) {
    copy(to->x, from->x, n);
    copy(to->gradient, from->gradient, n);
    to->value = from->value;
}

static double dot(const double *a, const double *b, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double factor, const double *what, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        to[i] += factor * what[i];
}

double asif_nuts_energy(const asif_nuts *nuts, const asif_phase *z) {
    double energy = dot(z->p, z->p, nuts->n) / 2 - z->point.value;
    return isnan(energy) ? INFINITY : energy;
}

asif_status asif_nuts_leap(asif_nuts *nuts, const asif_interruptible_density *target, asif_phase *z,
                           double step) {
    uint32_t n = nuts->n;
    add(z->p, step / 2, z->push, n);
    asif_lower_times(nuts->lower, n, z->p, nuts->scratch);
    add(z->point.x, step, nuts->scratch, n);
    ASIF_TRY(asif_interruptible_density_evaluate(target, &z->point));
    if (isfinite(z->point.value)) {
        asif_upper_times(nuts->lower, n, z->point.gradient, z->push);
        add(z->p, step / 2, z->push, n);
    }
    return ASIF_OK;
}

/* Begin at a point with a new momentum: the numbers from `counter` on of the stream. */
static void phase_begin(asif_nuts *nuts, asif_phase *z, const asif_point *at, const asif_stream *stream,
                        uint32_t counter) {
    point_copy(&z->point, at, nuts->n);
    asif_upper_times(nuts->lower, nuts->n, at->gradient, z->push);
    for (uint32_t i = 0; i < nuts->n; i++)
        z->p[i] = asif_normal(stream, counter + i);
}

/* ---- the trajectory ---- */

static double log_sum(double a, double b) {
    double most = fmax(a, b);
    return most == -INFINITY ? most : most + log1p(exp(fmin(a, b) - most));
}

static double next_uniform(asif_nuts *nuts) {
    asif_stream stream = {nuts->seed, ASIF_FOR_TREE, nuts->index};
    return asif_uniform(&stream, nuts->draws++);
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

/* Whether a part of the trajectory with the momenta `from` and `to` at its ends, and the sum of momenta `one`
 * + `other`, has not made a U-turn. */
static bool goes_on(asif_nuts *nuts, const double *from, const double *to, const double *one,
                    const double *other) {
    double *sum = nuts->scratch;
    copy(sum, one, nuts->n);
    add(sum, 1, other, nuts->n);
    return dot(from, sum, nuts->n) > 0 && dot(to, sum, nuts->n) > 0;
}

/* Append b, which begins where a ends. The chosen point is then b's with the probability of b's share of the
 * weight or, with `prefer_far`, of the ratio of b's weight to a's. False: the two together make a U-turn. */
static bool join(asif_nuts *nuts, asif_subtree *a, asif_subtree *b, bool prefer_far) {
    double weight = log_sum(a->weight, b->weight);
    if (next_uniform(nuts) < exp(b->weight - (prefer_far ? a->weight : weight))) {
        asif_point t = a->chosen;
        a->chosen = b->chosen;
        b->chosen = t;
        a->energy = b->energy;
    }
    bool on = goes_on(nuts, a->first, b->last, a->sum, b->sum) &&
              goes_on(nuts, a->first, b->first, a->sum, b->first) &&
              goes_on(nuts, a->last, b->last, b->sum, a->last);
    a->weight = weight;
    add(a->sum, 1, b->sum, nuts->n);
    swap(&a->last, &b->last);
    return on;
}

static void begin(asif_nuts *nuts, asif_subtree *s, const asif_phase *z, double energy) {
    copy(s->first, z->p, nuts->n);
    copy(s->last, z->p, nuts->n);
    copy(s->sum, z->p, nuts->n);
    point_copy(&s->chosen, &z->point, nuts->n);
    s->energy = energy;
    s->weight = nuts->start_energy - energy;
}

static bool leap_on(asif_nuts *nuts, const asif_interruptible_density *target, bool forward,
                    asif_subtree *out) {
    asif_phase *z = &nuts->end[forward];
    nuts->status = asif_nuts_leap(nuts, target, z, forward ? nuts->step : -nuts->step);
    if (nuts->status != ASIF_OK)
        return false;
    double energy = asif_nuts_energy(nuts, z), change = energy - nuts->start_energy;
    nuts->leaps++;
    nuts->accept_sum += fmin(1, exp(-change));
    nuts->diverged = !(change <= MOST_ENERGY);
    begin(nuts, out, z, energy);
    return !nuts->diverged;
}

/* Extend the trajectory by 2^depth leaps. False: it made a U-turn, diverged or failed on the way. */
static bool extend(asif_nuts *nuts, const asif_interruptible_density *target, bool forward, uint32_t depth,
                   asif_subtree *out) {
    if (depth == 0)
        return leap_on(nuts, target, forward, out);
    asif_subtree *half = &nuts->extra[depth - 1];
    return extend(nuts, target, forward, depth - 1, out) && extend(nuts, target, forward, depth - 1, half) &&
           join(nuts, out, half, false);
}

asif_status asif_nuts_step(asif_nuts *nuts, const asif_interruptible_density *target, asif_point *at,
                           double step, uint64_t seed, uint64_t index, double *stat) {
    asif_stream momenta = {seed, ASIF_FOR_MOMENTUM, index};
    asif_subtree *whole = &nuts->whole, *more = &nuts->extra[nuts->max_depth];
    uint32_t depth = 0;
    bool facing = true, on = true;
    phase_begin(nuts, &nuts->end[0], at, &momenta, 0);
    phase_begin(nuts, &nuts->end[1], at, &momenta, 0);
    nuts->seed = seed;
    nuts->index = index;
    nuts->step = step;
    nuts->draws = nuts->leaps = 0;
    nuts->accept_sum = 0;
    nuts->diverged = false;
    nuts->start_energy = asif_nuts_energy(nuts, &nuts->end[0]);
    begin(nuts, whole, &nuts->end[0], nuts->start_energy);
    while (on && depth < nuts->max_depth) {
        bool forward = next_uniform(nuts) < 0.5;
        if (forward != facing)
            swap(&whole->first, &whole->last);
        facing = forward;
        if (!extend(nuts, target, forward, depth, more))
            break;
        on = join(nuts, whole, more, true);
        depth++;
    }
    ASIF_TRY(nuts->status);
    point_copy(at, &whole->chosen, nuts->n);
    stat[ASIF_STAT_LP] = at->value;
    stat[ASIF_STAT_ACCEPT] = nuts->accept_sum / nuts->leaps;
    stat[ASIF_STAT_STEP] = step;
    stat[ASIF_STAT_DEPTH] = depth;
    stat[ASIF_STAT_LEAPS] = nuts->leaps;
    stat[ASIF_STAT_DIVERGED] = nuts->diverged;
    stat[ASIF_STAT_ENERGY] = whole->energy;
    return ASIF_OK;
}

asif_status asif_nuts_find_step(asif_nuts *nuts, const asif_interruptible_density *target,
                                const asif_point *at, double *step, uint64_t seed, uint64_t index) {
    const double least = 1e-10, most = 1e7, wanted = log(0.8);
    asif_stream momenta = {seed, ASIF_FOR_STEP_SIZE, index};
    asif_phase *z = &nuts->end[0];
    double tried = *step;
    bool grow = false;
    for (uint32_t i = 0; tried >= least && tried <= most; i++) {
        phase_begin(nuts, z, at, &momenta, i * nuts->n);
        double before = asif_nuts_energy(nuts, z);
        ASIF_TRY(asif_nuts_leap(nuts, target, z, tried));
        bool small = before - asif_nuts_energy(nuts, z) > wanted;
        if (i == 0)
            grow = small;
        else if (small != grow)
            break;
        tried *= grow ? 2 : 0.5;
    }
    *step = fmin(fmax(tried, least), most);
    return ASIF_OK;
}
