#include "inverse/inversion.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* Share of the largest entry that is added to the diagonal of A'WA, so that it can be factored where g is not
 * determined. Repeated steps remove its effect. */
#define RIDGE 1e-11
#define STEPS 4

typedef struct {
    const asif_context *context;
    const asif_learner *learner;
    const asif_features *features;
    uint32_t states, actions;
    double *factor;       /* [states][states] */
    double *g, *right;    /* [states] */
    double *column;       /* [cells]: a feature, or the target */
    double *kl;           /* [states] */
    const double *weight; /* [state][action]: weights of the current batch */
} work;

/* The value of A g at a cell: g(s) - discount sum tau g(s'). */
static double shaped(const work *w, uint32_t s, uint32_t u, const double *g) {
    const asif_learner *l = w->learner;
    const asif_setting_spec *spec = asif_setting_get(l->setting);
    const asif_matrix *tau = asif_transitions(l->setting, spec->worlds, u);
    uint64_t begin, end;
    double next = 0;
    if (spec->terminal && spec->terminal[s])
        return g[s];
    asif_matrix_row(tau, s, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        next += tau->value[i] * g[tau->column[i]];
    return g[s] - l->discount * next;
}

/* out += scale times the row of A at a cell. */
static void add_shaped(const work *w, uint32_t s, uint32_t u, double scale, double *out) {
    const asif_learner *l = w->learner;
    const asif_setting_spec *spec = asif_setting_get(l->setting);
    const asif_matrix *tau = asif_transitions(l->setting, spec->worlds, u);
    uint64_t begin, end;
    out[s] += scale;
    if (spec->terminal && spec->terminal[s])
        return;
    asif_matrix_row(tau, s, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[tau->column[i]] -= scale * l->discount * tau->value[i];
}

static double weight_of(const work *w, uint32_t s, uint32_t u) {
    return w->weight[(uint64_t)s * w->actions + u];
}

/* Compute the Cholesky factor of A'WA with its ridge. */
static asif_status factor(work *w, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(w->learner->setting);
    uint32_t S = w->states;
    double largest = 0;
    memset(w->factor, 0, (uint64_t)S * S * sizeof *w->factor);
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t u = 0; u < w->actions; u++) {
            const asif_matrix *tau = asif_transitions(w->learner->setting, spec->worlds, u);
            double weight = weight_of(w, s, u), gamma = w->learner->discount;
            uint64_t begin, end;
            if (!(weight > 0))
                continue;
            add_shaped(w, s, u, weight, w->factor + (uint64_t)s * S);
            if (spec->terminal && spec->terminal[s])
                continue;
            asif_matrix_row(tau, s, &begin, &end);
            for (uint64_t i = begin; i < end; i++)
                add_shaped(w, s, u, -weight * gamma * tau->value[i],
                           w->factor + (uint64_t)tau->column[i] * S);
        }
    for (uint32_t s = 0; s < S; s++)
        largest = fmax(largest, w->factor[(uint64_t)s * S + s]);
    for (uint32_t s = 0; s < S; s++)
        w->factor[(uint64_t)s * S + s] += RIDGE * largest;
    if (!(largest > 0) || !asif_cholesky(w->factor, S))
        return asif_fail(error, ASIF_EDOMAIN, "soft-policy-inversion: a batch has too little in it");
    return ASIF_OK;
}

/* Remove from a column of cells the part that some g explains. */
static void project(work *w, double *column) {
    for (uint32_t step = 0; step < STEPS; step++) {
        memset(w->right, 0, w->states * sizeof *w->right);
        for (uint32_t s = 0; s < w->states; s++)
            for (uint32_t u = 0; u < w->actions; u++)
                if (weight_of(w, s, u) > 0)
                    add_shaped(w, s, u, weight_of(w, s, u) * column[(uint64_t)u * w->states + s], w->right);
        memcpy(w->g, w->right, w->states * sizeof *w->g);
        asif_lower_solve(w->factor, w->states, w->g);
        asif_upper_solve(w->factor, w->states, w->g);
        for (uint32_t s = 0; s < w->states; s++)
            for (uint32_t u = 0; u < w->actions; u++)
                column[(uint64_t)u * w->states + s] -= shaped(w, s, u, w->g);
    }
}

/* Compute the target of v + A g, minus the fixed part of v. */
static void find_target(work *w, uint32_t k) {
    const asif_learner *l = w->learner;
    uint64_t cells = (uint64_t)w->states * w->actions;
    const double *now = l->policy + k * cells, *next = now + cells;
    for (uint32_t s = 0; s < w->states; s++) {
        w->kl[s] = 0;
        for (uint32_t u = 0; u < w->actions; u++) {
            uint64_t at = (uint64_t)s * w->actions + u;
            w->kl[s] += now[at] > 0 ? now[at] * log(now[at] / next[at]) : 0;
        }
    }
    for (uint32_t s = 0; s < w->states; s++)
        for (uint32_t u = 0; u < w->actions; u++) {
            uint64_t cell = (uint64_t)u * w->states + s, at = (uint64_t)s * w->actions + u;
            double later = w->kl[s] - shaped(w, s, u, w->kl);
            double now_and_later = weight_of(w, s, u) > 0 ? log(next[at] / l->prior[u]) + later : 0;
            w->column[cell] = l->alpha * now_and_later - w->features->constant[cell];
        }
}

static void put(const work *w, uint64_t first, double *into, uint64_t stride) {
    uint64_t row = first;
    for (uint32_t s = 0; s < w->states; s++)
        for (uint32_t u = 0; u < w->actions; u++)
            if (weight_of(w, s, u) > 0)
                into[row++ * stride] = sqrt(weight_of(w, s, u)) * w->column[(uint64_t)u * w->states + s];
}

static asif_status add_batch(work *w, asif_regression *r, uint32_t k, uint64_t first, asif_error *error) {
    const asif_features *f = w->features;
    ASIF_TRY(factor(w, error));
    for (uint32_t j = 0; j < f->count; j++) {
        memset(w->column, 0, f->cells * sizeof *w->column);
        for (uint64_t i = f->offset[j]; i < f->offset[j + 1]; i++)
            w->column[f->cell[i]] = f->value[i];
        project(w, w->column);
        put(w, first, r->row + j, f->count);
    }
    find_target(w, k);
    project(w, w->column);
    put(w, first, r->target, 1);
    return ASIF_OK;
}

static uint64_t rows_of(const asif_learner *l, uint32_t k, uint64_t cells) {
    uint64_t rows = 0;
    for (uint64_t i = 0; i < cells; i++)
        rows += l->weight[k * cells + i] > 0;
    return rows;
}

static asif_status fill(work *w, asif_regression *out, asif_error *error) {
    const asif_learner *l = w->learner;
    uint64_t cells = w->features->cells, rows = 0;
    for (uint32_t k = 0; k + 1 < l->batches; k++)
        rows += rows_of(l, k, cells);
    ASIF_TRY(asif_regression_create(out, w->context, w->features, rows, error));
    rows = 0;
    for (uint32_t k = 0; k + 1 < l->batches; k++) {
        w->weight = l->weight + k * cells;
        ASIF_TRY(add_batch(w, out, k, rows, error));
        rows += rows_of(l, k, cells);
    }
    return ASIF_OK;
}

asif_status asif_inversion_create(asif_regression *out, const asif_context *context,
                                  const asif_features *features, const asif_learner *learner,
                                  asif_error *error) {
    work w = {.context = context,
              .learner = learner,
              .features = features,
              .states = features->states,
              .actions = features->actions};
    if (w.states > ASIF_INVERSION_STATES) {
        asif_fail(error, ASIF_ETOOBIG, "soft-policy-inversion is for at most %d states, and there are %u",
                  ASIF_INVERSION_STATES, w.states);
        asif_error_hint(error, "merge states that are alike");
        return ASIF_ETOOBIG;
    }
    w.factor = ASIF_ARRAY(context, (uint64_t)w.states * w.states, double);
    w.g = ASIF_ARRAY(context, w.states, double);
    w.right = ASIF_ARRAY(context, w.states, double);
    w.kl = ASIF_ARRAY(context, w.states, double);
    w.column = ASIF_ARRAY(context, features->cells, double);
    asif_status status =
        w.factor && w.g && w.right && w.kl && w.column ? fill(&w, out, error) : asif_fail_memory(error);
    void *const arrays[] = {w.factor, w.g, w.right, w.kl, w.column};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}
