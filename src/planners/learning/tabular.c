#include "planners/learning/tabular.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/ce.h"
#include "base/os.h"
#include "base/random.h"
#include "planners/learning/samples.h"

#include <math.h>
#include <string.h>

/* HASTE enlarges the step size, which after k sweeps is 1 / (1 + (1 - discount) k / HASTE). HASTE = 1 is the
 * rescaled linear step size of Wainwright (2019). The influence of the initial values falls as k^-HASTE, and
 * averaging over the second half of the sweeps removes the noise of the larger steps. */
#define HASTE 4
/* Draws of every state and action by default, to be multiplied by the horizon 1 / (1 - discount). */
#define DRAWS 5000
/* Draws between two checks of the time limit. */
#define PATIENCE 65536

typedef struct {
    const asif_context *context;
    asif_samples samples;
    asif_plan_options options;
    double a, a_act, discount;
    /* Tables "by row" have the actions that the prior allows first; `action` maps rows to actions. */
    uint32_t actives;
    uint32_t *action; /* [actions] */
    double *prior;    /* [actions], by row */
    double *start;    /* [starts][states] */
    double *utility;  /* [actions][states] */
    double *q, *mean; /* [actions][states], by row: the current values, and the average that is the result */
    double *values;   /* [states] */
    double *log_policy; /* [states][actions] */
    double *scratch;    /* [2][actions] */
} tabular;

/* ---- life ---- */

void asif_tabular_free(void *self) {
    tabular *t = self;
    if (!t)
        return;
    const asif_context *context = t->context;
    void *const arrays[] = {t->action, t->prior,  t->start,      t->utility, t->q,
                            t->mean,   t->values, t->log_policy, t->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_samples_free(&t->samples);
    asif_free(context, t);
}

static asif_status fill(tabular *t, const asif_setting *setting, asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    uint64_t cells = (uint64_t)spec->actions * spec->states;
    ASIF_TRY(asif_samples_create(&t->samples, t->context, setting, error));
    t->action = ASIF_ARRAY(t->context, spec->actions, uint32_t);
    t->prior = ASIF_ARRAY(t->context, spec->actions, double);
    t->start = ASIF_ARRAY(t->context, (uint64_t)spec->starts * spec->states, double);
    t->utility = ASIF_ARRAY(t->context, cells, double);
    t->q = ASIF_ARRAY(t->context, cells, double);
    t->mean = ASIF_ARRAY(t->context, cells, double);
    t->values = ASIF_ARRAY(t->context, spec->states, double);
    t->log_policy = ASIF_ARRAY(t->context, cells, double);
    t->scratch = ASIF_ARRAY(t->context, 2ull * spec->actions, double);
    bool good = t->action && t->prior && t->start && t->utility && t->q && t->mean && t->values &&
                t->log_policy && t->scratch;
    return good ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_tabular_create(void **self, const asif_context *context, const asif_setting *setting,
                                const asif_plan_options *options, asif_error *error) {
    tabular *t = ASIF_NEW(context, tabular);
    if (!t)
        return asif_fail_memory(error);
    t->context = context;
    t->options = *options;
    asif_status status = fill(t, setting, error);
    if (status != ASIF_OK)
        asif_tabular_free(t);
    else
        *self = t;
    return status;
}

asif_status asif_tabular_clone(void **self, const void *from, asif_error *error) {
    const tabular *t = from;
    return asif_tabular_create(self, t->context, t->samples.setting, &t->options, error);
}

/* ---- learning ---- */

static void bind(tabular *t, const asif_theta *theta) {
    const asif_setting_spec *spec = &t->samples.setting->spec;
    uint32_t others = 0;
    t->a = theta->a;
    t->a_act = isnan(theta->a_act) ? theta->a : theta->a_act;
    t->discount = theta->discount;
    t->actives = 0;
    for (uint32_t u = 0; u < spec->actions; u++)
        t->actives += theta->action_prior[u] > 0;
    for (uint32_t u = 0, row = 0; u < spec->actions; u++) {
        uint32_t to = theta->action_prior[u] > 0 ? row++ : t->actives + others++;
        t->action[to] = u;
        t->prior[to] = theta->action_prior[u];
    }
    memcpy(t->start, theta->start, (uint64_t)spec->starts * spec->states * sizeof *t->start);
    asif_samples_utility(&t->samples, theta, t->utility, NULL);
}

static void evaluate(tabular *t, const double *q) {
    uint32_t states = t->samples.setting->spec.states;
    for (uint32_t s = 0; s < states; s += ASIF_BLOCK)
        t->context->simd->certainty(t->values + s, t->a, q + s, states, t->prior, t->actives, NULL,
                                    states - s < ASIF_BLOCK ? states - s : ASIF_BLOCK);
}

/* Update every state and action by one draw. The random numbers of sweep k are the same for every theta. */
static void sweep(tabular *t, uint64_t k) {
    const asif_setting_spec *spec = &t->samples.setting->spec;
    const asif_stream stream = {t->options.seed, ASIF_FOR_LEARNING, k};
    double step = 1 / (1 + (1 - t->discount) * (double)k / HASTE);
    evaluate(t, t->q);
    for (uint32_t row = 0; row < spec->actions; row++) {
        uint32_t u = t->action[row];
        const double *v = t->utility + (uint64_t)u * spec->states;
        double *q = t->q + (uint64_t)row * spec->states;
        for (uint32_t s = 0; s < spec->states; s++) {
            double target = v[s];
            if (!spec->terminal[s])
                target += t->discount * t->values[asif_sample_next(
                                            &t->samples, u, s, asif_uniform(&stream, u * spec->states + s))];
            q[s] += step * (target - q[s]);
        }
    }
}

static double larger(double x, double than) { /* the maximum, or NaN if one is NaN */
    return x > than || isnan(x) ? x : than;
}

/* The residual max |BQ - Q| of the averaged Q, computed from the environment's probabilities, which the
 * learner does not know. */
static double residual_of(const tabular *t) {
    const asif_setting *setting = t->samples.setting;
    const asif_setting_spec *spec = &setting->spec;
    double worst = 0;
    for (uint32_t row = 0; row < spec->actions; row++) {
        const asif_matrix *m = asif_transitions(setting, spec->worlds, t->action[row]);
        for (uint32_t s = 0; s < spec->states; s++) {
            uint64_t e, end;
            double image = t->utility[(uint64_t)t->action[row] * spec->states + s];
            for (asif_matrix_row(m, s, &e, &end); e < end && !spec->terminal[s]; e++)
                image += t->discount * m->value[e] * t->values[m->column[e]];
            worst = larger(fabs(image - t->mean[(uint64_t)row * spec->states + s]), worst);
        }
    }
    return worst;
}

static asif_stop learn(tabular *t, uint64_t sweeps, double begun, uint64_t *done) {
    const asif_setting_spec *spec = &t->samples.setting->spec;
    uint64_t cells = (uint64_t)spec->actions * spec->states, half = sweeps / 2;
    uint64_t between = PATIENCE / (cells + 1) + 1;
    memset(t->q, 0, cells * sizeof *t->q);
    memset(t->mean, 0, cells * sizeof *t->mean);
    for (*done = 0; *done < sweeps; ++*done) {
        if (*done % between == 0) {
            if (t->options.time_limit_sec > 0 && asif_os_seconds() - begun > t->options.time_limit_sec)
                return ASIF_STOP_TIME;
            if (asif_progress(t->context, "learning", (double)*done / (double)sweeps))
                return ASIF_STOP_CANCELLED;
        }
        sweep(t, *done);
        if (*done >= half)
            t->context->simd->axpy(t->mean, 1.0 / (double)(sweeps - half), t->q, cells);
    }
    return ASIF_STOP_CONVERGED;
}

static void make_policy(tabular *t) {
    const asif_setting_spec *spec = &t->samples.setting->spec;
    double *q = t->scratch, *log_policy = t->scratch + spec->actions;
    for (uint32_t s = 0; s < spec->states; s++) {
        double *out = t->log_policy + (uint64_t)s * spec->actions;
        for (uint32_t row = 0; row < t->actives; row++)
            q[row] = t->mean[(uint64_t)row * spec->states + s];
        asif_ce_tilt(t->a_act, q, t->prior, t->actives, NULL, log_policy);
        for (uint32_t row = 0; row < spec->actions; row++)
            out[t->action[row]] = row < t->actives ? log_policy[row] : -INFINITY;
    }
}

/* The number of sweeps that take at least the requested number of samples. */
static uint64_t sweeps_of(const tabular *t, uint64_t cells) {
    uint64_t samples = t->options.samples;
    if (samples == 0 || cells == 0)
        return (uint64_t)ceil(DRAWS / (1 - t->discount));
    return samples / cells + (samples % cells > 0);
}

asif_status asif_tabular_solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error) {
    tabular *t = self;
    const asif_setting_spec *spec = &t->samples.setting->spec;
    uint64_t cells = (uint64_t)spec->actions * spec->states, done;
    double begun = asif_os_seconds(), largest = 0;
    ASIF_TRY(asif_theta_complete(theta, error));
    bind(t, theta);
    *info = (asif_plan_info){.nodes = spec->states};
    info->stop = learn(t, sweeps_of(t, cells), begun, &done);
    if (info->stop != ASIF_STOP_CONVERGED)
        memcpy(t->mean, t->q, cells * sizeof *t->mean);
    evaluate(t, t->mean);
    for (uint32_t s = 0; s < spec->states; s++)
        largest = larger(fabs(t->values[s]), largest);
    double residual = residual_of(t);
    if (!isfinite(residual))
        info->stop = ASIF_STOP_NONFINITE;
    info->backups = done;
    info->samples = done * cells;
    info->scale = fmax(1, largest);
    info->residual = info->stop == ASIF_STOP_CONVERGED ? 0 : residual;
    info->bound = residual / (1 - t->discount);
    make_policy(t);
    info->seconds = asif_os_seconds() - begun;
    return ASIF_OK;
}

/* ---- behaviour ---- */

uint32_t asif_tabular_width(const void *self) {
    (void)self;
    return 1;
}

void asif_tabular_init(const void *self, uint32_t start, uint32_t first, double *state) {
    const tabular *t = self;
    uint32_t states = t->samples.setting->spec.states, likely = 0;
    const double *belief = t->start + (uint64_t)start * states;
    for (uint32_t s = 1; s < states; s++)
        likely = belief[s] > belief[likely] ? s : likely;
    state[0] = first == ASIF_ANY ? likely : first;
}

static asif_status at_row(asif_error *error, uint64_t i, asif_status status) {
    if (status != ASIF_OK && error)
        error->row = i + 1;
    return status;
}

asif_status asif_tabular_check(const void *self, uint64_t n, const double *state, asif_error *error) {
    uint32_t states = ((const tabular *)self)->samples.setting->spec.states;
    for (uint64_t i = 0; i < n; i++)
        if (!(state[i] >= 0 && state[i] < states && state[i] == floor(state[i])))
            return at_row(error, i,
                          asif_fail(error, ASIF_EDOMAIN, "%g is not the number of a state", state[i]));
    return ASIF_OK;
}

asif_status asif_tabular_log_policy(const void *self, uint64_t n, const double *state, double *out,
                                    double *memo, asif_error *error) {
    const tabular *t = self;
    uint64_t actions = t->samples.setting->spec.actions;
    (void)memo;
    (void)error;
    for (uint64_t i = 0; i < n; i++)
        memcpy(out + i * actions, t->log_policy + (uint64_t)state[i] * actions, actions * sizeof *out);
    return ASIF_OK;
}

static asif_status impossible(const tabular *t, uint32_t action, uint32_t state, uint32_t next,
                              asif_error *error) {
    const asif_setting *setting = t->samples.setting;
    char labels[3][ASIF_LABEL_SIZE];
    asif_fail(error, ASIF_EZEROPR, "'%s' cannot follow '%s' after '%s' in the environment",
              asif_setting_label(setting, ASIF_LABEL_STATE, next, labels[0]),
              asif_setting_label(setting, ASIF_LABEL_STATE, state, labels[1]),
              asif_setting_label(setting, ASIF_LABEL_ACTION, action, labels[2]));
    asif_error_hint(error, "give it a probability in the environment, however small");
    return ASIF_EZEROPR;
}

asif_status asif_tabular_step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                              const double *memo, const uint32_t *action, const uint32_t *observation,
                              double *next, asif_error *error) {
    const tabular *t = self;
    const asif_setting_spec *spec = &t->samples.setting->spec;
    (void)memo;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t here = (uint32_t)state[from ? from[i] : i], seen = observation[i];
        if (seen == ASIF_ANY)
            return at_row(error, i,
                          asif_fail(error, ASIF_EUNSUPPORTED, "where states are seen, the next one must be"));
        if (seen >= spec->states || action[i] >= spec->actions)
            return at_row(error, i, asif_fail(error, ASIF_EDOMAIN, "no such state or action"));
        if (!asif_sample_possible(&t->samples, action[i], here, seen))
            return at_row(error, i, impossible(t, action[i], here, seen, error));
        next[i] = seen;
    }
    return ASIF_OK;
}

asif_status asif_tabular_look(const void *self, uint64_t n, const double *state, const asif_view *view,
                              asif_error *error) {
    const tabular *t = self;
    const asif_setting_spec *spec = &t->samples.setting->spec;
    (void)error;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = (uint32_t)state[i];
        if (view->value)
            view->value[i] = t->values[s];
        for (uint32_t row = 0; row < spec->actions; row++) {
            uint32_t u = t->action[row];
            uint64_t to = i * spec->actions + u;
            double q = t->mean[(uint64_t)row * spec->states + s];
            double log_policy = t->log_policy[(uint64_t)s * spec->actions + u];
            if (view->q)
                view->q[to] = q;
            if (view->log_policy)
                view->log_policy[to] = log_policy;
            if (view->policy)
                view->policy[to] = exp(log_policy);
            if (view->k)
                view->k[to] = q - t->utility[(uint64_t)u * spec->states + s];
            if (view->worlds)
                view->worlds[to] = 1; /* there is only one world */
        }
    }
    return ASIF_OK;
}

uint32_t asif_tabular_nodes(const void *self) {
    return ((const tabular *)self)->samples.setting->spec.states;
}

void asif_tabular_node(const void *self, uint32_t i, double *state) {
    (void)self;
    state[0] = i;
}

double *asif_tabular_values(void *self) {
    return ((tabular *)self)->values;
}
