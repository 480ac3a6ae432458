#include "acting/bayes/bayes.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH 1e-4 /* largest gap that is accepted, over the span of the utility */
#define AIM 1e-6    /* gap that is sought while there are fewer than EASY beliefs */
#define EASY 20000  /* beliefs */
#define FAR 20      /* times the accepted gap: if the search would end above it, it gives up early */
#define FINE 1e-3   /* of the gap: smaller changes of values end the backups */
#define SWEEPS 20000
#define PASSES 200
#define SOUGHT 0.8  /* share of the gap whose beliefs are expanded at once */
#define BATCH 0.125 /* or this share of all beliefs, if that is more */

/* ---- values ---- */

/* Expected value over the edges from range[0] up to range[1]; `edge` is NULL if there are none. */
static double sum_edges(const asif_bayes_edge *edge, const uint64_t *range, const double *value) {
    double sum = 0;
    for (uint64_t e = range[0]; e < range[1]; e++)
        sum += edge[e].probability * value[edge[e].node];
    return sum;
}

double asif_bayes_q(const asif_bayes *b, uint32_t node, uint32_t i, const double *value,
                    const double *after) {
    const asif_bayes_model *m = &b->model;
    double now = b->reward[(uint64_t)node * m->actions + i];
    if (m->renews[i])
        return now + m->discount * after[i];
    const uint64_t *first = b->first + (uint64_t)b->inside[node] * (m->actions + 1) + i;
    return now + m->discount * sum_edges(b->edge, first, value);
}

/* The best action by these values, the first of several that tie. */
static uint32_t best_by(const asif_bayes *b, uint32_t node, const double *value, const double *after) {
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < b->model.actions; i++) {
        double q = asif_bayes_q(b, node, i, value, after);
        if (q > most) {
            most = q;
            best = i;
        }
    }
    return best;
}

static void renew(asif_bayes *b) {
    for (uint32_t i = 0; i < b->model.actions; i++) {
        b->low_after[i] = sum_edges(b->fresh, b->renewal + i, b->low);
        b->up_after[i] = sum_edges(b->fresh, b->renewal + i, b->up);
    }
}

/* Back up all nodes, the last added first. Returns the largest change. */
static double sweep(asif_bayes *b) {
    const asif_bayes_model *m = &b->model;
    double change = 0;
    renew(b);
    for (uint32_t node = b->count; node-- > 0;) {
        bool inside = b->inside[node] != ASIF_ANY;
        double low = -INFINITY, up = -INFINITY;
        for (uint32_t i = 0; i < m->actions; i++) {
            if (!inside && !m->renews[i])
                continue;
            low = fmax(low, asif_bayes_q(b, node, i, b->low, b->low_after));
            up = fmax(up, asif_bayes_q(b, node, i, b->up, b->up_after));
        }
        if (low > b->low[node]) {
            change = fmax(change, low - b->low[node]);
            b->low[node] = low;
        }
        if (inside && up < b->up[node]) {
            change = fmax(change, b->up[node] - up);
            b->up[node] = up;
        }
    }
    return change;
}

static asif_status settle(asif_bayes *b, double tol, asif_error *error) {
    for (uint32_t n = 0; n < SWEEPS; n++) {
        if (n % 64 == 0 && asif_progress(b->context, "solving for the Bayes-optimal agent",
                                         fmin(1, (double)b->count / ASIF_BAYES_MOST)))
            return asif_fail(error, ASIF_ECANCELLED, "the computation was cancelled");
        if (sweep(b) <= tol)
            break;
    }
    return ASIF_OK;
}

asif_status asif_bayes_settle(asif_bayes *b, asif_error *error) {
    return settle(b, 1e-14 * b->model.span, error);
}

double asif_bayes_rim(const asif_bayes *b, uint32_t node) {
    double most = -INFINITY;
    if (!b->renewing)
        return asif_bayes_blind(&b->bounds, b->belief + (uint64_t)node * b->model.width, NULL);
    for (uint32_t i = 0; i < b->model.actions; i++)
        if (b->model.renews[i])
            most = fmax(most, asif_bayes_q(b, node, i, b->low, b->low_after));
    return most;
}

uint32_t asif_bayes_best_below(const asif_bayes *b, uint32_t node) {
    return best_by(b, node, b->low, b->low_after);
}

/* ---- search ---- */

static void pour(asif_bayes *b, const asif_bayes_edge *edge, const uint64_t *range, double mass) {
    for (uint64_t e = range[0]; e < range[1]; e++)
        b->mass[edge[e].node] += mass * edge[e].probability;
}

/* Compute the discounted mass that reaches each node at the rim if actions follow the upper values. The gap
 * at the roots is at most the sum of these masses times the gaps at the rim. */
static void carry(asif_bayes *b, uint32_t n, const uint32_t *root, const double *weight) {
    const asif_bayes_model *m = &b->model;
    memset(b->mass, 0, b->count * sizeof *b->mass);
    for (uint32_t i = 0; i < n; i++)
        b->mass[root[i]] += weight[i];
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        double left = 0, total = 0;
        memset(b->q, 0, m->actions * sizeof *b->q);
        for (uint32_t node = 0; node < b->count; node++) {
            double mass = b->mass[node];
            if (b->inside[node] == ASIF_ANY || !(mass > 0))
                continue;
            uint32_t i = best_by(b, node, b->up, b->up_after);
            const uint64_t *first = b->first + (uint64_t)b->inside[node] * (m->actions + 1) + i;
            b->mass[node] = 0;
            b->q[i] += m->renews[i] ? m->discount * mass : 0;
            pour(b, b->edge, first, m->discount * mass);
        }
        for (uint32_t i = 0; i < m->actions; i++)
            pour(b, b->fresh, b->renewal + i, b->q[i]);
        for (uint32_t node = 0; node < b->count; node++) {
            total += b->mass[node];
            left += b->inside[node] == ASIF_ANY ? 0 : b->mass[node];
        }
        if (left <= 0.01 * total)
            break;
    }
}

typedef struct {
    double share;
    uint32_t node;
} rim;

static int larger_first(const void *a, const void *b) {
    const rim *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Expand the nodes at the rim from which most of the gap comes; `*some`: any was expanded. */
static asif_status widen(asif_bayes *b, double aim, bool *some, asif_error *error) {
    rim *list = ASIF_ARRAY(b->context, b->count, rim);
    uint32_t n = 0, taken = 0, batch = (uint32_t)(BATCH * b->count);
    double total = 0, sought = 0;
    asif_status status = list ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t node = 0; status == ASIF_OK && node < b->count; node++) {
        double share = b->inside[node] == ASIF_ANY ? b->mass[node] * (b->up[node] - b->low[node]) : 0;
        if (share > 0)
            list[n++] = (rim){share, node};
        total += share;
    }
    if (n > 0)
        qsort(list, n, sizeof *list, larger_first);
    while (status == ASIF_OK && taken < n && !asif_bayes_full(b) &&
           (sought < SOUGHT * total || taken < batch) && (taken == 0 || total - sought > 0.1 * aim)) {
        sought += list[taken].share;
        status = asif_bayes_expand(b, list[taken++].node, error);
    }
    *some = taken > 0;
    asif_free(b->context, list);
    return status;
}

double asif_bayes_aim(const asif_bayes *b) {
    return (b->count < EASY ? AIM : ENOUGH) * b->model.span;
}

/* Whether the gap would still be far too wide at the limit of beliefs, judging by how it shrank since there
 * were half as many. */
static bool hopeless(const asif_bayes *b, double gap, double *earlier, uint32_t *then) {
    if (b->count < 2 * *then)
        return false;
    double shrinks = log(*earlier / gap) / log((double)b->count / *then);
    bool known = *then >= EASY / 2;
    *earlier = gap;
    *then = b->count;
    return known &&
           gap * pow(b->count / (double)ASIF_BAYES_MOST, fmax(0, shrinks)) > FAR * ENOUGH * b->model.span;
}

asif_status asif_bayes_search(asif_bayes *b, uint32_t n, const uint32_t *root, const double *weight,
                              asif_error *error) {
    double span = b->model.span, gap = span, earlier = INFINITY;
    uint32_t then = 1;
    for (bool some = true;;) {
        ASIF_TRY(settle(b, fmax(FINE * gap, FINE * AIM * span), error));
        if (b->planning) {
            asif_bayes_plans(b);
            ASIF_TRY(settle(b, fmax(FINE * gap, FINE * AIM * span), error));
        }
        gap = 0;
        for (uint32_t i = 0; i < n; i++)
            gap += weight[i] * (b->up[root[i]] - b->low[root[i]]);
        double aim = asif_bayes_aim(b);
        if (gap <= aim || asif_bayes_full(b) || !some || hopeless(b, gap, &earlier, &then))
            break;
        carry(b, n, root, weight);
        ASIF_TRY(widen(b, aim, &some, error));
    }
    b->info.beliefs = b->count;
    b->info.gap = fmax(b->info.gap, gap / span);
    b->info.computed = gap <= ENOUGH * span;
    return b->info.computed ? asif_bayes_settle(b, error) : ASIF_OK;
}

/* ---- life ---- */

static asif_status make_fresh(asif_bayes *b, uint32_t node, asif_error *error) {
    uint64_t edges = 0;
    for (uint32_t i = 0; i < b->model.actions; i++) {
        b->renewing |= b->model.renews[i];
        if (b->model.renews[i])
            ASIF_TRY(asif_bayes_edges(b, node, i, &b->fresh, &edges, &b->fresh_room, error));
        b->renewal[i + 1] = edges;
    }
    return ASIF_OK;
}

/* Find the nodes at which episodes begin, and their weights. */
static asif_status find_roots(asif_bayes *b, uint32_t *n, uint32_t *root, double *weight, asif_error *error) {
    const asif_bayes_model *m = &b->model;
    const asif_setting_spec *spec = m->spec;
    double *belief = ASIF_ARRAY(b->context, m->width, double);
    asif_status status = belief ? ASIF_OK : asif_fail_memory(error);
    uint32_t most = m->seen ? spec->states : spec->starts;
    *n = 0;
    for (uint32_t i = 0; status == ASIF_OK && i < most; i++) {
        double share = m->seen ? 0 : 1;
        for (uint32_t c = 0; m->seen && c < spec->starts; c++)
            share += spec->environment_start[(uint64_t)c * spec->states + i];
        b->begin[i] = ASIF_ANY;
        if (!(share > 0))
            continue;
        asif_bayes_begin(m, m->seen ? 0 : i, m->seen ? i : ASIF_ANY, belief);
        status = asif_bayes_node(b, belief, &b->begin[i], error);
        root[*n] = b->begin[i];
        weight[(*n)++] = share / spec->starts;
    }
    asif_free(b->context, belief);
    return status;
}

static asif_status make_room(asif_bayes *b, asif_error *error) {
    const asif_bayes_model *m = &b->model;
    const asif_context *c = b->context;
    uint64_t A = m->actions;
    b->bucket = ASIF_ARRAY(c, ASIF_BAYES_BUCKETS, uint32_t);
    b->renewal = ASIF_ARRAY(c, A + 1, uint64_t);
    b->low_after = ASIF_ARRAY(c, 3 * A, double);
    b->begin = ASIF_ARRAY(c, m->seen ? m->spec->states : m->spec->starts, uint32_t);
    b->label = ASIF_ARRAY(c, m->most, uint32_t);
    b->probability = ASIF_ARRAY(c, m->most, double);
    b->next = ASIF_ARRAY(c, (uint64_t)m->most * m->width, double);
    b->planning = asif_bayes_plans_fit(m);
    uint64_t pairs = b->planning ? m->width : 0;
    b->plan = ASIF_ARRAY(c, (A + ASIF_BAYES_PLANS) * pairs, double);
    b->ahead = ASIF_ARRAY(c, 2 * pairs, double);
    b->follow = ASIF_ARRAY(c, m->spec->observations, const double *);
    b->marginal = ASIF_ARRAY(c, m->spec->states, double);
    if (!b->bucket || !b->renewal || !b->low_after || !b->begin || !b->label || !b->probability || !b->next ||
        !b->marginal || !b->plan || !b->ahead || !b->follow)
        return asif_fail_memory(error);
    b->up_after = b->low_after + A;
    b->q = b->up_after + A;
    memset(b->bucket, 0xff, ASIF_BAYES_BUCKETS * sizeof *b->bucket);
    return ASIF_OK;
}

static asif_status solve(asif_bayes *b, asif_error *error) {
    uint64_t most = b->model.seen ? b->model.spec->states : b->model.spec->starts;
    uint32_t *root = ASIF_ARRAY(b->context, most, uint32_t), n = 0;
    double *weight = ASIF_ARRAY(b->context, most, double);
    asif_status status = root && weight ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = find_roots(b, &n, root, weight, error);
    if (status == ASIF_OK)
        status = make_fresh(b, root[0], error);
    if (status == ASIF_OK)
        status = asif_bayes_search(b, n, root, weight, error);
    for (uint32_t i = 0; status == ASIF_OK && i < n; i++) {
        b->info.low += weight[i] * b->low[root[i]];
        b->info.up += weight[i] * b->up[root[i]];
    }
    asif_free(b->context, root);
    asif_free(b->context, weight);
    return status;
}

asif_status asif_bayes_create(asif_bayes *b, const asif_context *context, const asif_setting *setting,
                              const asif_theta *theta, asif_error *error) {
    *b = (asif_bayes){.context = context, .info = {.apart = true}};
    ASIF_TRY(asif_bayes_model_create(&b->model, context, setting, theta, error));
    ASIF_TRY(asif_bayes_bounds_create(&b->bounds, &b->model, error));
    ASIF_TRY(make_room(b, error));
    return solve(b, error);
}

void asif_bayes_free(asif_bayes *b) {
    void *const arrays[] = {b->belief, b->reward,    b->low,   b->up,   b->mass,        b->inside,
                            b->chain,  b->bucket,    b->first, b->edge, b->renewal,     b->fresh,
                            b->begin,  b->low_after, b->label, b->next, b->probability, b->marginal,
                            b->plan,   b->own,       b->node,  b->best, b->ahead,       (void *)b->follow};
    for (size_t i = 0; b->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(b->context, arrays[i]);
    asif_bayes_bounds_free(&b->bounds);
    asif_bayes_model_free(&b->model);
    *b = (asif_bayes){0};
}
