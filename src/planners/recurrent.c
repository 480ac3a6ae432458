/* The planner recurrent: a recurrent network that learns by policy gradient to act on its observations. Its
 * agent state is the hidden vector. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "planners/learning/training.h"
#include "planners/planner.h"

#include <math.h>
#include <string.h>

enum { N = ASIF_LANES };
#define BATCH (ASIF_LANES * ASIF_UNROLL) /* samples in a batch */
#define BATCHES 3000                     /* number of batches by default */
#define PATIENCE 16                      /* batches between two checks of the time limit */

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    asif_plan_options options;
    asif_samples samples;
    asif_training training;
    double *start; /* [starts][hidden]: hidden vector before the first action */
} recurrent;

/* ---- life ---- */

static void recurrent_free(void *self) {
    recurrent *r = self;
    if (!r)
        return;
    asif_training_free(&r->training);
    asif_samples_free(&r->samples);
    asif_free(r->context, r->start);
    asif_free(r->context, r);
}

static asif_status fill(recurrent *r, asif_error *error) {
    const asif_setting_spec *spec = &r->setting->spec;
    ASIF_TRY(asif_samples_create(&r->samples, r->context, r->setting, error));
    ASIF_TRY(asif_training_create(&r->training, r->context, &r->samples, r->options.hidden, r->options.seed,
                                  error));
    r->start = ASIF_ARRAY(r->context, (uint64_t)spec->starts * r->options.hidden, double);
    return r->start ? ASIF_OK : asif_fail_memory(error);
}

static asif_status recurrent_create(void **self, const asif_context *context, const asif_setting *setting,
                                    const asif_plan_options *options, asif_error *error) {
    recurrent *r = ASIF_NEW(context, recurrent);
    if (!r)
        return asif_fail_memory(error);
    r->context = context;
    r->setting = setting;
    r->options = *options;
    asif_status status = fill(r, error);
    if (status != ASIF_OK)
        recurrent_free(r);
    else
        *self = r;
    return status;
}

static asif_status recurrent_clone(void **self, const void *from, asif_error *error) {
    const recurrent *r = from;
    return recurrent_create(self, r->context, r->setting, &r->options, error);
}

/* ---- a block of agents ---- */

typedef struct {
    double *all, *before;
    asif_gru_step step;
} block;

static asif_status block_create(block *b, const recurrent *r, asif_error *error) {
    const asif_gru *gru = &r->training.gru;
    uint64_t size = (uint64_t)gru->hidden * N;
    b->all = ASIF_ARRAY(r->context, size + asif_gru_step_size(gru), double);
    if (!b->all)
        return asif_fail_memory(error);
    b->before = b->all;
    asif_gru_step_place(gru, &b->step, b->all + size);
    return ASIF_OK;
}

static void load(double *h, uint32_t hidden, uint32_t lane, const double *state) {
    for (uint32_t k = 0; k < hidden; k++)
        h[(uint64_t)k * N + lane] = state[k];
}

static void unload(const double *h, uint32_t hidden, uint32_t lane, double *state) {
    for (uint32_t k = 0; k < hidden; k++)
        state[k] = h[(uint64_t)k * N + lane];
}

/* ---- learning ---- */

static asif_stop learn(recurrent *r, uint64_t batches, double begun, uint64_t *done) {
    const asif_plan_options *o = &r->options;
    for (*done = 0; *done < batches; ++*done) {
        double part = (double)*done / (double)batches;
        if (*done % PATIENCE == 0) {
            if (o->time_limit_sec > 0 && asif_os_seconds() - begun > o->time_limit_sec)
                return ASIF_STOP_TIME;
            if (asif_progress(r->context, "learning", part))
                return ASIF_STOP_CANCELLED;
        }
        asif_training_update(&r->training, *done, part);
    }
    return ASIF_STOP_CONVERGED;
}

static asif_status make_start(recurrent *r, bool *finite, asif_error *error) {
    const asif_setting_spec *spec = &r->setting->spec;
    const asif_gru *gru = &r->training.gru;
    block b;
    ASIF_TRY(block_create(&b, r, error));
    *finite = true;
    for (uint32_t start = 0; start < spec->starts; start++) {
        for (uint32_t i = 0; i < N; i++) {
            b.step.on[0][i] = spec->actions + spec->observations + start;
            b.step.on[1][i] = ASIF_NO_INPUT;
        }
        asif_gru_forward(gru, r->context->simd, r->training.weights, NULL, &b.step);
        unload(b.step.h, gru->hidden, 0, r->start + (uint64_t)start * gru->hidden);
    }
    for (uint64_t i = 0; i < asif_gru_place(gru).count; i++)
        *finite = *finite && isfinite(r->training.weights[i]);
    asif_free(r->context, b.all);
    return ASIF_OK;
}

static asif_status recurrent_solve(void *self, const asif_theta *theta, asif_plan_info *info,
                                   asif_error *error) {
    recurrent *r = self;
    uint64_t batches = r->options.samples ? (r->options.samples + BATCH - 1) / BATCH : BATCHES, done;
    double begun = asif_os_seconds();
    bool finite;
    ASIF_TRY(asif_theta_complete(theta, error));
    ASIF_TRY(asif_training_begin(&r->training, theta, error));
    *info = (asif_plan_info){.scale = 1, .bound = INFINITY};
    info->stop = learn(r, batches, begun, &done);
    ASIF_TRY(make_start(r, &finite, error));
    if (!finite)
        info->stop = ASIF_STOP_NONFINITE;
    info->residual = info->stop == ASIF_STOP_CONVERGED ? 0 : INFINITY;
    info->backups = done;
    info->samples = done * BATCH;
    info->seconds = asif_os_seconds() - begun;
    return ASIF_OK;
}

/* ---- behaviour ---- */

static uint32_t recurrent_width(const void *self) {
    return ((const recurrent *)self)->options.hidden;
}

static void recurrent_init(const void *self, uint32_t start, uint32_t first, double *state) {
    const recurrent *r = self;
    (void)first;
    memcpy(state, r->start + (uint64_t)start * r->options.hidden, r->options.hidden * sizeof *state);
}

static asif_status recurrent_check(const void *self, uint64_t n, const double *state, asif_error *error) {
    uint64_t hidden = ((const recurrent *)self)->options.hidden;
    for (uint64_t i = 0; i < n * hidden; i++)
        if (!(fabs(state[i]) <= 1)) {
            asif_fail(error, ASIF_EDOMAIN, "%g is not in a hidden state: its numbers are from -1 to 1",
                      state[i]);
            if (error)
                error->row = i / hidden + 1;
            return ASIF_EDOMAIN;
        }
    return ASIF_OK;
}

static asif_status recurrent_log_policy(const void *self, uint64_t n, const double *state, double *out,
                                        double *memo, asif_error *error) {
    const recurrent *r = self;
    const asif_gru *gru = &r->training.gru;
    block b;
    (void)memo;
    ASIF_TRY(block_create(&b, r, error));
    for (uint64_t first = 0; first < n; first += N) {
        uint32_t here = n - first < N ? (uint32_t)(n - first) : N;
        for (uint32_t i = 0; i < here; i++)
            load(b.step.h, gru->hidden, i, state + (first + i) * gru->hidden);
        asif_gru_heads(gru, r->context->simd, r->training.weights, &b.step);
        for (uint32_t i = 0; i < here; i++)
            unload(b.step.log_policy, gru->actions, i, out + (first + i) * gru->actions);
    }
    asif_free(r->context, b.all);
    return ASIF_OK;
}

static asif_status recurrent_step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                                  const double *memo, const uint32_t *action, const uint32_t *observation,
                                  double *next, asif_error *error) {
    const recurrent *r = self;
    const asif_setting_spec *spec = &r->setting->spec;
    const asif_gru *gru = &r->training.gru;
    block b;
    (void)memo;
    for (uint64_t i = 0; i < n; i++)
        if (action[i] >= spec->actions ||
            (observation[i] >= spec->observations && observation[i] != ASIF_ANY)) {
            asif_fail(error, ASIF_EDOMAIN, "no such action or observation");
            if (error)
                error->row = i + 1;
            return ASIF_EDOMAIN;
        }
    ASIF_TRY(block_create(&b, r, error));
    for (uint64_t first = 0; first < n; first += N) {
        uint32_t here = n - first < N ? (uint32_t)(n - first) : N;
        for (uint32_t i = 0; i < N; i++) {
            uint64_t at = first + (i < here ? i : 0);
            load(b.before, gru->hidden, i, state + (from ? from[at] : at) * gru->hidden);
            b.step.on[0][i] = action[at];
            b.step.on[1][i] = observation[at] == ASIF_ANY ? ASIF_NO_INPUT : spec->actions + observation[at];
        }
        asif_gru_forward(gru, r->context->simd, r->training.weights, b.before, &b.step);
        for (uint32_t i = 0; i < here; i++)
            unload(b.step.h, gru->hidden, i, next + (first + i) * gru->hidden);
    }
    asif_free(r->context, b.all);
    return ASIF_OK;
}

const asif_planner_ops asif_planner_recurrent = {
    .info = {"recurrent",
             "learns by trial and error what to do on what it has seen, with a recurrent network", 0,
             ASIF_SEES_BELIEFS, true, "Model-Free POMDP Learner"},
    .narrow = {.alpha = {ASIF_USUAL, 0},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .uniform = true,
               .one_world = true,
               .no_beliefs = true},
    .create = recurrent_create,
    .clone = recurrent_clone,
    .free = recurrent_free,
    .solve = recurrent_solve,
    .width = recurrent_width,
    .behavior = {recurrent_init, recurrent_check, recurrent_log_policy, recurrent_step, NULL, NULL, NULL},
    .learns = true,
    .hidden = true,
};
