#include "inverse/evidence/demonstration.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define BETTER 1e-11      /* least improvement, over the size of the values */
#define MOST_ROUNDS 10000 /* most rounds of policy iteration, which takes tens */

/* ---- demonstrated actions ---- */

static bool ends(const asif_flow *flow, uint32_t s) {
    const bool *terminal = asif_setting_get(flow->setting)->terminal;
    return terminal && terminal[s];
}

static double chance(const asif_demonstration *d, uint32_t s, uint32_t u) {
    return d->policy[(uint64_t)s * d->actions + u];
}

static bool find_did(asif_demonstration *d, const asif_tree *tree, const double *count, bool *visited) {
    bool any = false;
    asif_demonstrated(tree, count, d->policy, visited);
    for (uint32_t s = 0; s < d->states; s++) {
        double *row = d->policy + (uint64_t)s * d->actions;
        uint32_t best = 0;
        d->did[s] = ASIF_ANY;
        if (!visited[s])
            continue;
        any = true;
        for (uint32_t u = 1; u < d->actions; u++)
            best = row[u] > row[best] ? u : best;
        d->did[s] = best;
        for (uint32_t u = 0; u < d->actions; u++)
            row[u] = u == best;
    }
    return any;
}

/* Mark everything that the policy leads to from states with a demonstrated action. */
static void close_under(asif_demonstration *d, uint32_t *queue) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < d->states; s++)
        if (d->did[s] != ASIF_ANY) {
            d->closed[s] = true;
            queue[n++] = s;
        }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = queue[i];
        for (uint32_t u = 0; u < d->actions && !ends(&d->flow, s); u++) {
            const asif_matrix *t = asif_transitions(d->flow.setting, d->flow.world, u);
            uint64_t begin, end;
            asif_matrix_row(t, s, &begin, &end);
            for (uint64_t e = begin; e < end && chance(d, s, u) > 0; e++)
                if (t->value[e] > 0 && !d->closed[t->column[e]]) {
                    d->closed[t->column[e]] = true;
                    queue[n++] = t->column[e];
                }
        }
    }
}

asif_status asif_demonstration_create(asif_demonstration *out, const asif_context *context,
                                      const asif_setting *setting, const asif_theta *theta,
                                      const asif_tree *tree, const double *count, asif_error *error) {
    asif_demonstration *d = out;
    *d = (asif_demonstration){0};
    ASIF_TRY(asif_flow_create(&d->flow, context, setting, error));
    d->flow.discount = theta->discount;
    d->states = d->flow.states;
    d->actions = d->flow.actions;
    uint64_t cells = (uint64_t)d->states * d->actions;
    d->did = ASIF_ARRAY(context, d->states, uint32_t);
    d->policy = ASIF_ARRAY(context, cells, double);
    d->closed = ASIF_ARRAY(context, d->states, bool);
    d->reward = ASIF_ARRAY(context, d->states, double);
    d->values = ASIF_ARRAY(context, d->states, double);
    d->q = ASIF_ARRAY(context, cells, double);
    bool *visited = ASIF_ARRAY(context, d->states, bool);
    uint32_t *queue = ASIF_ARRAY(context, d->states, uint32_t);
    asif_status status =
        d->did && d->policy && d->closed && d->reward && d->values && d->q && visited && queue
            ? ASIF_OK
            : asif_fail_memory(error);
    if (status == ASIF_OK && !find_did(d, tree, count, visited))
        status = asif_fail(error, ASIF_EINVALID, "nobody acts in these logs");
    if (status == ASIF_OK)
        close_under(d, queue);
    asif_free(context, visited);
    asif_free(context, queue);
    if (status != ASIF_OK)
        asif_demonstration_free(d);
    return status;
}

void asif_demonstration_free(asif_demonstration *d) {
    const asif_context *context = d->flow.context;
    if (!context)
        return;
    void *const arrays[] = {d->did, d->policy, d->closed, d->reward, d->values, d->q};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_flow_free(&d->flow);
    *d = (asif_demonstration){0};
}

/* ---- values ---- */

static asif_status evaluate(asif_flow *flow, const double *v, const double *policy, double *values, double *q,
                            double *reward, asif_error *error) {
    for (uint32_t s = 0; s < flow->states; s++) {
        reward[s] = 0;
        for (uint32_t u = 0; u < flow->actions; u++)
            reward[s] += policy[(uint64_t)s * flow->actions + u] * v[(uint64_t)u * flow->states + s];
    }
    ASIF_TRY(asif_flow_values(flow, policy, reward, values, error));
    asif_flow_q(flow, v, values, q);
    return ASIF_OK;
}

/* Give a state its best action; whether that is an improvement. */
static bool improve(const asif_flow *flow, const double *q, double value, double *row, uint32_t s,
                    double least) {
    uint32_t best = 0;
    for (uint32_t u = 1; u < flow->actions; u++)
        if (q[(uint64_t)u * flow->states + s] > q[(uint64_t)best * flow->states + s])
            best = u;
    if (q[(uint64_t)best * flow->states + s] <= value + least)
        return false;
    for (uint32_t u = 0; u < flow->actions; u++)
        row[u] = u == best;
    return true;
}

asif_status asif_best_response(asif_flow *flow, const double *v, const bool *keep, double *policy,
                               double *values, double *q, double *reward, asif_error *error) {
    for (uint32_t s = 0; s < flow->states; s++)
        for (uint32_t u = 0; u < flow->actions && !(keep && keep[s]); u++)
            policy[(uint64_t)s * flow->actions + u] = u == 0;
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        bool better = false;
        double size = 1;
        ASIF_TRY(evaluate(flow, v, policy, values, q, reward, error));
        for (uint32_t s = 0; s < flow->states; s++)
            size = fabs(values[s]) > size ? fabs(values[s]) : size;
        for (uint32_t s = 0; s < flow->states; s++)
            if (!(keep && keep[s]) &&
                improve(flow, q, values[s], policy + (uint64_t)s * flow->actions, s, BETTER * size))
                better = true;
        if (!better)
            return ASIF_OK;
    }
    return asif_fail(error, ASIF_EDOMAIN, "policy iteration did not come to an end");
}

static void subtract_values(const asif_demonstration *d, double *out) {
    for (uint32_t u = 0; u < d->actions; u++)
        for (uint32_t s = 0; s < d->states; s++)
            out[(uint64_t)u * d->states + s] = d->q[(uint64_t)u * d->states + s] - d->values[s];
}

asif_status asif_demonstration_advantages(asif_demonstration *d, const double *v, double *out,
                                          asif_error *error) {
    ASIF_TRY(asif_best_response(&d->flow, v, d->closed, d->policy, d->values, d->q, d->reward, error));
    subtract_values(d, out);
    return ASIF_OK;
}

asif_status asif_demonstration_held(asif_demonstration *d, const double *v, double *out, asif_error *error) {
    ASIF_TRY(evaluate(&d->flow, v, d->policy, d->values, d->q, d->reward, error));
    subtract_values(d, out);
    return ASIF_OK;
}

asif_status asif_demonstration_pull(asif_demonstration *d, const double *weight, double *out,
                                    asif_error *error) {
    double *bar = d->reward; /* derivative in V */
    memset(bar, 0, d->states * sizeof *bar);
    for (uint32_t u = 0; u < d->actions; u++) {
        const asif_matrix *t = asif_transitions(d->flow.setting, d->flow.world, u);
        for (uint32_t s = 0; s < d->states; s++) {
            double w = weight[(uint64_t)u * d->states + s];
            uint64_t begin, end;
            if (w == 0)
                continue;
            out[(uint64_t)u * d->states + s] += w;
            bar[s] -= w;
            asif_matrix_row(t, s, &begin, &end);
            for (uint64_t i = begin; i < end && !ends(&d->flow, s); i++)
                bar[t->column[i]] += w * d->flow.discount * t->value[i];
        }
    }
    ASIF_TRY(asif_flow_visits(&d->flow, d->policy, bar, bar, error));
    for (uint32_t u = 0; u < d->actions; u++)
        for (uint32_t s = 0; s < d->states; s++)
            out[(uint64_t)u * d->states + s] += bar[s] * chance(d, s, u);
    return ASIF_OK;
}

asif_status asif_must_keep(const char *who, const char *what, double missed, double allowed,
                           asif_error *error) {
    if (missed <= allowed)
        return ASIF_OK;
    asif_fail(error, ASIF_EDOMAIN,
              "the answer of %s does not satisfy its own constraints: %s by %.2g, and %.2g is allowed", who,
              what, missed, allowed);
    asif_error_hint(
        error, "the programme is numerically difficult: are there utilities of very different sizes, or a "
               "discount very near 1?");
    return ASIF_EDOMAIN;
}

/* ---- rows of a linear programme ---- */

asif_status asif_by_cell_create(asif_by_cell *out, const asif_features *f, asif_error *error) {
    uint64_t entries = f->offset[f->count];
    *out = (asif_by_cell){.context = f->context};
    out->offset = ASIF_ARRAY(f->context, f->cells + 2, uint64_t);
    out->which = ASIF_ARRAY(f->context, entries, uint32_t);
    out->value = ASIF_ARRAY(f->context, entries, double);
    if (!out->offset || !out->which || !out->value) {
        asif_by_cell_free(out);
        return asif_fail_memory(error);
    }
    for (uint64_t i = 0; i < entries; i++)
        out->offset[f->cell[i] + 2]++;
    for (uint64_t c = 0; c < f->cells; c++)
        out->offset[c + 2] += out->offset[c + 1];
    for (uint32_t k = 0; k < f->count; k++)
        for (uint64_t i = f->offset[k]; i < f->offset[k + 1]; i++) {
            uint64_t at = out->offset[f->cell[i] + 1]++;
            out->which[at] = k;
            out->value[at] = f->value[i];
        }
    return ASIF_OK;
}

void asif_by_cell_free(asif_by_cell *b) {
    asif_free(b->context, b->offset);
    asif_free(b->context, b->which);
    asif_free(b->context, b->value);
    *b = (asif_by_cell){0};
}

void asif_by_cell_add(const asif_by_cell *b, asif_lp *lp, uint32_t row, uint32_t x, uint64_t cell,
                      double factor) {
    for (uint64_t i = b->offset[cell]; i < b->offset[cell + 1]; i++)
        asif_lp_entry(lp, row, x + b->which[i], factor * b->value[i]);
}

typedef struct {
    const asif_flow *flow;
    asif_lp *lp;
    const asif_features *features;
    const asif_by_cell *by_cell;
    uint32_t x, values; /* first columns of the utilities and of V */
} writing;

/* Add weight (V(s) - Q(s,u)) to a row, without the constant of the utility. */
static void add_gap(const writing *w, uint32_t row, uint32_t s, uint32_t u, double weight) {
    const asif_matrix *t = asif_transitions(w->flow->setting, w->flow->world, u);
    uint64_t begin, end;
    asif_lp_entry(w->lp, row, w->values + s, weight);
    asif_matrix_row(t, s, &begin, &end);
    for (uint64_t i = begin; i < end && !ends(w->flow, s); i++)
        asif_lp_entry(w->lp, row, w->values + t->column[i], -weight * w->flow->discount * t->value[i]);
    asif_by_cell_add(w->by_cell, w->lp, row, w->x, (uint64_t)u * w->flow->states + s, -weight);
}

static double constant_of(const writing *w, uint32_t s, uint32_t u) {
    return w->features->constant[(uint64_t)u * w->flow->states + s];
}

static void add_values(writing *w) {
    for (uint32_t s = 0; s < w->flow->states; s++) {
        uint32_t column = asif_lp_column(w->lp, 0, -(double)INFINITY, (double)INFINITY);
        w->values = s == 0 ? column : w->values;
    }
}

static void keep_to_policy(const writing *w, const asif_demonstration *d, uint32_t s) {
    double constant = 0;
    for (uint32_t u = 0; u < d->actions; u++)
        constant += chance(d, s, u) * constant_of(w, s, u);
    uint32_t row = asif_lp_row(w->lp, constant, constant);
    for (uint32_t u = 0; u < d->actions; u++)
        if (chance(d, s, u) > 0)
            add_gap(w, row, s, u, chance(d, s, u));
}

bool asif_demonstration_other(const asif_demonstration *d, uint64_t cell) {
    uint32_t did = d->did[cell % d->states];
    return did != ASIF_ANY && did != cell / d->states;
}

void asif_demonstration_rows(const asif_demonstration *d, asif_lp *lp, const asif_features *features,
                             const asif_by_cell *by_cell, uint32_t x, const uint32_t *slack, double factor,
                             double margin) {
    writing w = {&d->flow, lp, features, by_cell, x, 0};
    add_values(&w);
    for (uint32_t s = 0; s < d->states; s++)
        if (d->closed[s])
            keep_to_policy(&w, d, s);
    for (uint32_t u = 0; u < d->actions; u++)
        for (uint32_t s = 0; s < d->states; s++) {
            uint64_t cell = (uint64_t)u * d->states + s;
            bool other = asif_demonstration_other(d, cell);
            if (d->closed[s] && !other)
                continue;
            uint32_t row = asif_lp_row(lp, constant_of(&w, s, u) + (other ? margin : 0), (double)INFINITY);
            add_gap(&w, row, s, u, 1);
            if (other && slack && slack[cell] != ASIF_ANY)
                asif_lp_entry(lp, row, slack[cell], factor);
        }
}

void asif_flow_rows(const asif_flow *flow, asif_lp *lp) {
    for (uint32_t u = 0; u < flow->actions; u++) {
        const asif_matrix *t = asif_transitions(flow->setting, flow->world, u);
        for (uint32_t s = 0; s < flow->states; s++) {
            uint32_t cell = u * flow->states + s;
            uint64_t begin, end;
            asif_lp_entry(lp, s, cell, 1);
            asif_matrix_row(t, s, &begin, &end);
            for (uint64_t i = begin; i < end && !ends(flow, s); i++)
                asif_lp_entry(lp, t->column[i], cell, -flow->discount * t->value[i]);
        }
    }
}

uint32_t asif_bellman_rows(const asif_flow *flow, asif_lp *lp, const asif_features *features,
                           const asif_by_cell *by_cell, uint32_t x) {
    writing w = {flow, lp, features, by_cell, x, 0};
    add_values(&w);
    for (uint32_t s = 0; s < flow->states; s++)
        for (uint32_t u = 0; u < flow->actions; u++)
            add_gap(&w, asif_lp_row(lp, constant_of(&w, s, u), (double)INFINITY), s, u, 1);
    return w.values;
}
