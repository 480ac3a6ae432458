/* Learning: climbs from many starts, of which the best counts. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/random.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

#define AGREE 1e-3

struct asif_dynamics_fit {
    const asif_context *context;
    asif_dynamics_estimate view;
    double *numbers; /* [4][cells], then [starts] */
    asif_cell_kind *kind;
};

/* The climbs of all starts. */
typedef struct {
    const asif_dynamics *dynamics;
    asif_dynamics_options options;
    double *point, *value; /* [starts][cells], [starts] */
    asif_status *status;
    asif_error *error;
    uint64_t *passes;
} climbs;

/* A random point: every row uniform on its simplex. */
static void draw_start(const climbs *c, uint32_t start, double *point) {
    const asif_dynamics *d = c->dynamics;
    asif_stream stream = {c->options.seed, ASIF_FOR_DYNAMICS, start};
    for (uint64_t i = 0; i < d->cells; i++)
        point[i] = d->learnt[i] ? -log(asif_uniform(&stream, (uint32_t)i)) : 0;
    asif_dynamics_normalise(d, point);
}

static void climb_one(void *argument, uint32_t start) {
    climbs *c = argument;
    const asif_dynamics *d = c->dynamics;
    asif_dynamics_work work;
    double *point = c->point + start * d->cells;
    asif_error *error = &c->error[start];
    c->status[start] = asif_dynamics_work_create(&work, d, error);
    if (c->status[start] == ASIF_OK) {
        draw_start(c, start, point);
        c->status[start] = asif_dynamics_climb(&work, c->options.prior, point, &c->value[start], error);
        c->passes[start] = work.passes;
    }
    asif_dynamics_work_free(&work);
}

static asif_status put_in_order(const asif_dynamics *d, asif_state_order by, const double *from, double *to,
                                asif_error *error) {
    uint64_t S = d->spec.states;
    double *score = ASIF_ARRAY(d->context, 2 * S * S, double);
    uint32_t *order = ASIF_ARRAY(d->context, S, uint32_t);
    asif_status status = score && order ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && by == ASIF_ORDER_LABELS) {
        status = asif_dynamics_agreement(score, score + S * S, d, from, error);
        if (status == ASIF_OK)
            status = asif_dynamics_label_order(d, score, order, error);
    } else if (status == ASIF_OK) {
        asif_dynamics_find_order(d, from, score, order);
    }
    if (status == ASIF_OK)
        asif_dynamics_permute(d, from, order, to);
    asif_free(d->context, score);
    asif_free(d->context, order);
    return status;
}

static asif_status finish(asif_dynamics_fit *f, const climbs *c, asif_error *error) {
    const asif_dynamics *d = c->dynamics;
    asif_dynamics_estimate *v = &f->view;
    uint32_t best = 0, starts = c->options.starts;
    for (uint32_t i = 0; i < starts; i++) {
        if (c->status[i] != ASIF_OK) {
            if (error)
                *error = c->error[i];
            return c->status[i];
        }
        best = c->value[i] > c->value[best] ? i : best;
        v->passes += c->passes[i];
    }
    if (!isfinite(c->value[best])) {
        asif_fail(error, ASIF_EZEROPR,
                  "the logs are impossible under these dynamics, whatever their numbers");
        asif_error_hint(error, "look for observations that follow an action for which they are excluded");
        return ASIF_EZEROPR;
    }
    double *point = f->numbers, *count = point + d->cells, *standard_error = count + d->cells,
           *contraction = standard_error + d->cells, *value = contraction + d->cells;
    v->runner_up = -INFINITY;
    for (uint32_t i = 0; i < starts; i++) {
        value[i] = c->value[i];
        if (value[i] > c->value[best] - AGREE)
            v->agree++;
        else
            v->runner_up = fmax(v->runner_up, value[i]);
    }
    ASIF_TRY(put_in_order(d, c->options.order, c->point + best * d->cells, point, error));
    asif_dynamics_work work;
    asif_status status = asif_dynamics_work_create(&work, d, error);
    if (status == ASIF_OK) {
        v->log_likelihood = asif_dynamics_down(&work, point);
        v->log_posterior = v->log_likelihood + asif_dynamics_log_prior(d, point, c->options.prior);
        asif_dynamics_up(&work, count);
        status =
            asif_dynamics_errors(&work, c->options.prior, point, standard_error, f->kind, contraction, error);
    }
    v->passes += work.passes;
    asif_dynamics_work_free(&work);
    v->point = point;
    v->count = count;
    v->error = standard_error;
    v->contraction = contraction;
    v->kind = f->kind;
    v->start_value = value;
    v->starts = starts;
    v->free = d->free;
    v->order = d->symmetric ? c->options.order : ASIF_ORDER_STRUCTURE;
    return status;
}

static asif_status learn(asif_dynamics_fit *f, climbs *c, asif_error *error) {
    const asif_dynamics *d = c->dynamics;
    uint32_t starts = c->options.starts;
    f->numbers = ASIF_ARRAY(d->context, 4 * d->cells + starts, double);
    f->kind = ASIF_ARRAY(d->context, d->cells, asif_cell_kind);
    c->point = ASIF_ARRAY(d->context, starts * d->cells, double);
    c->value = ASIF_ARRAY(d->context, starts, double);
    c->status = ASIF_ARRAY(d->context, starts, asif_status);
    c->error = ASIF_ARRAY(d->context, starts, asif_error);
    c->passes = ASIF_ARRAY(d->context, starts, uint64_t);
    if (!f->numbers || !f->kind || !c->point || !c->value || !c->status || !c->error || !c->passes)
        return asif_fail_memory(error);
    asif_os_parallel(d->context->options.threads, starts, climb_one, c);
    return finish(f, c, error);
}

asif_status asif_dynamics_learn(asif_dynamics_fit **out, const asif_dynamics *d,
                                const asif_dynamics_options *options, asif_error *error) {
    climbs c = {.dynamics = d, .options = ASIF_DYNAMICS_OPTIONS_INIT};
    *out = NULL;
    if (options && (options->struct_size == 0 || options->struct_size > sizeof c.options))
        return asif_fail(error, ASIF_EDOMAIN, "options of learning dynamics have an unknown size");
    if (options)
        memcpy(&c.options, options, options->struct_size);
    if (!(c.options.prior >= 0 && isfinite(c.options.prior)))
        return asif_fail(error, ASIF_EDOMAIN, "a prior count must be at least 0");
    if (c.options.starts == 0)
        return asif_fail(error, ASIF_EDOMAIN, "learning needs at least one start");
    if (c.options.order != ASIF_ORDER_MEAN_CLASS && c.options.order != ASIF_ORDER_LABELS)
        return asif_fail(error, ASIF_EDOMAIN, "states are put in order by mean class or by labels");
    asif_dynamics_fit *f = ASIF_NEW(d->context, asif_dynamics_fit);
    if (!f)
        return asif_fail_memory(error);
    f->context = d->context;
    asif_status status = learn(f, &c, error);
    void *const arrays[] = {c.point, c.value, c.status, c.error, c.passes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(d->context, arrays[i]);
    if (status == ASIF_OK)
        *out = f;
    else
        asif_dynamics_fit_free(f);
    return status;
}

void asif_dynamics_fit_free(asif_dynamics_fit *f) {
    if (!f)
        return;
    asif_free(f->context, f->numbers);
    asif_free(f->context, f->kind);
    asif_free(f->context, f);
}

asif_status asif_dynamics_fit_get(const asif_dynamics_fit *f, asif_dynamics_estimate *estimate,
                                  asif_error *error) {
    size_t size = estimate->struct_size;
    if (size == 0 || size > sizeof f->view)
        return asif_fail(error, ASIF_EDOMAIN, "the estimate of dynamics has an unknown size");
    memcpy(estimate, &f->view, size);
    estimate->struct_size = size;
    return ASIF_OK;
}
