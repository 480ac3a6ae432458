/* The planner differentiable, which is differentiable by construction: N soft backups from V = 0, unrolled,
 * as in value iteration networks (Shah et al. 2019).
 *
 *     Q_n(s,u) = v(s,u) + discount sum_s' T(s'|s,u) V_{n-1}(s'),   T = sum_m sigma0(m) tau_m,
 *     V_n(s) = CE(1/alpha; Q_n(s,.), pi0).
 *
 * The policy is the softmax of Q_N. It is the solution by definition, whether or not N backups come near a
 * fixed point. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/ce.h"
#include "base/os.h"
#include "planners/planner.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    asif_plan_options options;
    uint32_t done; /* backups of the last solve */
    double a, discount;
    uint32_t actives; /* number of actions that the prior allows */
    uint32_t *order;  /* [actions]: actions, those that the prior allows first */
    double *prior, *log_prior, *weights, *start;
    double *utility; /* [actions][states] */
    double *path;    /* [unrolled + 1][states]: V_0, V_1, ... */
    double *q;       /* [actions in that order][states]: the last Q */
    double *log_pi;  /* [actives][states], in the same order */
    double *ahead;   /* [states] */
    /* Arrays of the backward pass, allocated when first needed. A bar is the derivative of the objective. */
    double *policy_bar;   /* shape of log_pi; accumulated since pull_begin() */
    double *back, *q_bar; /* shape of q: the Q of the current backup, and its bar */
    double *utility_bar;  /* [actions][states] */
    double *value_bar;    /* [states] */
} unrolled;

/* ---- life ---- */

static void unrolled_free(void *self) {
    unrolled *p = self;
    if (!p)
        return;
    void *const arrays[] = {p->order,   p->prior,      p->log_prior,   p->weights, p->start,
                            p->utility, p->path,       p->q,           p->log_pi,  p->back,
                            p->q_bar,   p->policy_bar, p->utility_bar, p->ahead,   p->value_bar};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(p->context, arrays[i]);
    asif_free(p->context, p);
}

static asif_status check_memory(const asif_setting_spec *spec, const asif_plan_options *options,
                                asif_error *error) {
    double need = 8.0 * spec->states * (options->unrolled + 1.0 + 5.0 * spec->actions);
    if (need <= (double)options->memory_limit)
        return ASIF_OK;
    asif_fail(error, ASIF_ETOOBIG, "%u backups of %u states need about %.1f GB; the limit is %.1f GB",
              options->unrolled, spec->states, need / 1e9, (double)options->memory_limit / 1e9);
    asif_error_hint(error, "unroll fewer backups, or raise the limit: solver: {memory: ...}");
    return ASIF_ETOOBIG;
}

static asif_status create(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t S = spec->states, U = spec->actions;
    ASIF_TRY(check_memory(spec, options, error));
    unrolled *p = ASIF_NEW(context, unrolled);
    if (!p)
        return asif_fail_memory(error);
    p->context = context;
    p->setting = setting;
    p->options = *options;
    p->order = ASIF_ARRAY(context, U, uint32_t);
    p->prior = ASIF_ARRAY(context, U, double);
    p->log_prior = ASIF_ARRAY(context, U, double);
    p->weights = ASIF_ARRAY(context, spec->worlds, double);
    p->start = ASIF_ARRAY(context, spec->starts * S, double);
    p->utility = ASIF_ARRAY(context, U * S, double);
    p->path = ASIF_ARRAY(context, (options->unrolled + 1ull) * S, double);
    p->q = ASIF_ARRAY(context, U * S, double);
    p->log_pi = ASIF_ARRAY(context, U * S, double);
    p->ahead = ASIF_ARRAY(context, S, double);
    if (p->order && p->prior && p->log_prior && p->weights && p->start && p->utility && p->path && p->q &&
        p->log_pi && p->ahead) {
        *self = p;
        return ASIF_OK;
    }
    unrolled_free(p);
    return asif_fail_memory(error);
}

static asif_status clone(void **self, const void *from, asif_error *error) {
    const unrolled *p = from;
    return create(self, p->context, p->setting, &p->options, error);
}

/* ---- forward ---- */

static uint32_t states_of(const unrolled *p) {
    return p->setting->spec.states;
}

/* The ranges of actions and states that a term of the utility covers. */
typedef struct {
    uint32_t u, u_end, s, s_end;
} range;

static range range_of(const asif_utility_term *t, const asif_setting_spec *spec) {
    bool all = t->action == ASIF_ANY, every = t->index == ASIF_ANY;
    return (range){all ? 0 : t->action, all ? spec->actions : t->action + 1, every ? 0 : t->index,
                   every ? spec->states : t->index + 1};
}

static void make_utility(unrolled *p, const double *parameter) {
    const asif_setting_spec *spec = &p->setting->spec;
    uint64_t cells = (uint64_t)spec->actions * spec->states;
    if (spec->utility)
        memcpy(p->utility, spec->utility, cells * sizeof *p->utility);
    else
        memset(p->utility, 0, cells * sizeof *p->utility);
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : parameter[t->parameter]);
        range of = range_of(t, spec);
        for (uint32_t u = of.u; u < of.u_end; u++)
            for (uint32_t s = of.s; s < of.s_end; s++)
                p->utility[(uint64_t)u * spec->states + s] += amount;
    }
}

static void bind(unrolled *p, const asif_theta *theta) {
    const asif_setting_spec *spec = &p->setting->spec;
    uint32_t last = spec->actions;
    p->a = theta->a;
    p->discount = theta->discount;
    p->actives = 0;
    for (uint32_t u = 0; u < spec->actions; u++) {
        if (!(theta->action_prior[u] > 0)) {
            p->order[--last] = u;
            continue;
        }
        p->prior[p->actives] = theta->action_prior[u];
        p->log_prior[p->actives] = log(theta->action_prior[u]);
        p->order[p->actives++] = u;
    }
    memcpy(p->weights, theta->world_weights, spec->worlds * sizeof *p->weights);
    memcpy(p->start, theta->start, (uint64_t)spec->starts * spec->states * sizeof *p->start);
    make_utility(p, theta->utility);
}

/* The expectation sum_s' tau_m(s'|s,u) v(s'); 0 in a terminal state. */
static double expected(const unrolled *p, uint32_t m, uint32_t u, uint32_t s, const double *v) {
    const asif_matrix *t = asif_transitions(p->setting, m, u);
    uint64_t e, end;
    double sum = 0;
    if (p->setting->spec.terminal[s])
        return 0;
    for (asif_matrix_row(t, s, &e, &end); e < end; e++)
        sum += t->value[e] * v[t->column[e]];
    return sum;
}

static void expect(const unrolled *p, uint32_t m, uint32_t u, const double *v, double *out) {
    bool same = asif_transitions(p->setting, m, u)->same_rows && !p->setting->spec.terminal[0];
    double first = expected(p, m, u, 0, v);
    for (uint32_t s = 0; s < states_of(p); s++)
        out[s] = same && !p->setting->spec.terminal[s] ? first : expected(p, m, u, s, v);
}

/* Compute Q from V, for the first `count` actions of `order`. */
static void backup(unrolled *p, const double *v, uint32_t count, double *q) {
    uint64_t S = states_of(p);
    for (uint32_t j = 0; j < count; j++) {
        uint32_t u = p->order[j];
        memcpy(q + j * S, p->utility + u * S, S * sizeof *q);
        for (uint32_t m = 0; m < p->setting->spec.worlds; m++) {
            if (!(p->weights[m] > 0))
                continue;
            expect(p, m, u, v, p->ahead);
            p->context->simd->axpy(q + j * S, p->discount * p->weights[m], p->ahead, S);
        }
    }
}

static uint32_t block_at(uint64_t first, uint64_t states) {
    return (uint32_t)(states - first < ASIF_BLOCK ? states - first : ASIF_BLOCK);
}

static void make_values(const unrolled *p, const double *q, double *v) {
    uint64_t S = states_of(p);
    for (uint64_t first = 0; first < S; first += ASIF_BLOCK)
        p->context->simd->certainty(v + first, p->a, q + first, S, p->prior, p->actives, NULL,
                                    block_at(first, S));
}

/* Compute V_1, V_2, ... up to V_N, or until the time limit or a cancellation; false if they overflow. */
static bool unroll(unrolled *p, double begun, asif_plan_info *info, double *change, double *largest) {
    const asif_plan_options *o = &p->options;
    uint64_t S = states_of(p);
    memset(p->path, 0, S * sizeof *p->path);
    info->stop = ASIF_STOP_CONVERGED;
    for (p->done = 0; p->done < o->unrolled && info->stop == ASIF_STOP_CONVERGED;) {
        double *v = p->path + p->done++ * S;
        backup(p, v, p->actives, p->q);
        make_values(p, p->q, v + S);
        p->context->simd->compare(v + S, v, S, change, largest);
        if (!isfinite(*change) || !isfinite(*largest))
            return false;
        if (p->done == o->unrolled)
            break;
        if (o->time_limit_sec > 0 && asif_os_seconds() - begun > o->time_limit_sec)
            info->stop = ASIF_STOP_TIME;
        else if (p->done % 16 == 0 && asif_progress(p->context, "planning", -1))
            info->stop = ASIF_STOP_CANCELLED;
    }
    return true;
}

/* Solve. The residual is 0 after N backups, which are the solution by definition; `bound` is their distance
 * from the fixed point. */
static asif_status solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error) {
    unrolled *p = self;
    uint64_t S = states_of(p);
    double begun = asif_os_seconds(), change = 0, largest = 0;
    ASIF_TRY(asif_theta_complete(theta, error));
    bind(p, theta);
    *info = (asif_plan_info){.nodes = states_of(p)};
    if (!unroll(p, begun, info, &change, &largest))
        info->stop = ASIF_STOP_NONFINITE;
    backup(p, p->path + (p->done - 1) * S, p->setting->spec.actions, p->q);
    for (uint64_t first = 0; first < S; first += ASIF_BLOCK)
        p->context->simd->log_tilt(p->log_pi + first, p->a, p->q + first, S, p->prior, p->log_prior,
                                   p->actives, block_at(first, S));
    info->residual = info->stop == ASIF_STOP_CONVERGED ? 0 : change;
    info->scale = largest > 1 ? largest : 1;
    info->bound = p->discount / (1 - p->discount) * change;
    info->backups = p->done;
    info->seconds = asif_os_seconds() - begun;
    return ASIF_OK;
}

/* ---- behaviour ---- */

static uint32_t width(const void *self) {
    (void)self;
    return 1;
}

static void init(const void *self, uint32_t start, uint32_t first, double *state) {
    const unrolled *p = self;
    const double *belief = p->start + (uint64_t)start * states_of(p);
    uint32_t likely = 0;
    for (uint32_t s = 1; s < states_of(p); s++)
        likely = belief[s] > belief[likely] ? s : likely;
    state[0] = first == ASIF_ANY ? likely : first;
}

static asif_status at_row(asif_error *error, uint64_t i, asif_status status) {
    if (error)
        error->row = i + 1;
    return status;
}

static asif_status check(const void *self, uint64_t n, const double *state, asif_error *error) {
    for (uint64_t i = 0; i < n; i++)
        if (!(state[i] >= 0 && state[i] < states_of(self) && state[i] == floor(state[i])))
            return at_row(error, i,
                          asif_fail(error, ASIF_EDOMAIN, "%g is not the number of a state", state[i]));
    return ASIF_OK;
}

static asif_status log_policy(const void *self, uint64_t n, const double *state, double *out, double *memo,
                              asif_error *error) {
    const unrolled *p = self;
    uint64_t S = states_of(p), U = p->setting->spec.actions;
    (void)memo, (void)error;
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < U; j++)
            out[i * U + p->order[j]] = j < p->actives ? p->log_pi[j * S + (uint64_t)state[i]] : -INFINITY;
    return ASIF_OK;
}

static bool possible(const unrolled *p, uint32_t s, uint32_t u, uint32_t next) {
    for (uint32_t m = 0; m < p->setting->spec.worlds; m++) {
        const asif_matrix *t = asif_transitions(p->setting, m, u);
        uint64_t e, end;
        for (asif_matrix_row(t, s, &e, &end); p->weights[m] > 0 && e < end; e++)
            if (t->column[e] == next)
                return true;
    }
    return false;
}

static asif_status impossible(const unrolled *p, uint32_t u, uint32_t next, asif_error *error) {
    char action[ASIF_LABEL_SIZE], state[ASIF_LABEL_SIZE];
    asif_fail(error, ASIF_EZEROPR, "'%s' after '%s' is impossible here in every world of the agent",
              asif_setting_label(p->setting, ASIF_LABEL_STATE, next, state),
              asif_setting_label(p->setting, ASIF_LABEL_ACTION, u, action));
    asif_error_hint(error, "give the agent a world in which it can happen, with however small a probability");
    return ASIF_EZEROPR;
}

static asif_status step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                        const double *memo, const uint32_t *action, const uint32_t *observation, double *next,
                        asif_error *error) {
    const unrolled *p = self;
    (void)memo;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = (uint32_t)state[from ? from[i] : i], x = observation[i];
        if (action[i] >= p->setting->spec.actions || (x >= states_of(p) && x != ASIF_ANY))
            return at_row(error, i, asif_fail(error, ASIF_EDOMAIN, "an action or state is out of range"));
        if (x == ASIF_ANY)
            return at_row(error, i,
                          asif_fail(error, ASIF_EUNSUPPORTED, "where states are seen, the next one must be"));
        if (!possible(p, s, action[i], x))
            return at_row(error, i, impossible(p, action[i], x, error));
        next[i] = x;
    }
    return ASIF_OK;
}

static void look_worlds(const unrolled *p, uint64_t i, uint32_t s, const asif_view *view) {
    uint64_t U = p->setting->spec.actions, M = p->setting->spec.worlds;
    const double *before = p->path + (uint64_t)(p->done - 1) * states_of(p);
    for (uint32_t u = 0; u < U; u++)
        for (uint32_t m = 0; m < M; m++) {
            if (view->k)
                view->k[(i * U + u) * M + m] = p->discount * expected(p, m, u, s, before);
            if (view->worlds)
                view->worlds[(i * U + u) * M + m] = p->weights[m];
        }
}

static asif_status look(const void *self, uint64_t n, const double *state, const asif_view *view,
                        asif_error *error) {
    const unrolled *p = self;
    uint64_t S = states_of(p), U = p->setting->spec.actions;
    (void)error;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t s = (uint64_t)state[i];
        for (uint32_t j = 0; j < U; j++) {
            uint64_t to = i * U + p->order[j];
            double log_pi = j < p->actives ? p->log_pi[j * S + s] : -INFINITY;
            if (view->q)
                view->q[to] = p->q[j * S + s];
            if (view->policy)
                view->policy[to] = exp(log_pi);
            if (view->log_policy)
                view->log_policy[to] = log_pi;
        }
        if (view->value)
            view->value[i] = p->path[p->done * S + s];
        if (view->k || view->worlds)
            look_worlds(p, i, (uint32_t)s, view);
    }
    return ASIF_OK;
}

static uint32_t nodes(const void *self) {
    return states_of(self);
}

static void node(const void *self, uint32_t i, double *state) {
    (void)self;
    state[0] = i;
}

static double *values(void *self) {
    unrolled *p = self;
    return p->path + (uint64_t)p->done * states_of(p);
}

/* ---- backward ---- */

static asif_status pull_begin(void *self, bool dynamics, asif_error *error) {
    unrolled *p = self;
    if (dynamics)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "the planner differentiable has no derivatives in the dynamics");
    uint64_t S = states_of(p), cells = S * p->setting->spec.actions;
    if (isinf(p->a))
        return asif_fail(error, ASIF_EDOMAIN, "there are no derivatives where alpha is 0");
    double **const room[] = {&p->policy_bar, &p->back, &p->q_bar, &p->utility_bar};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        if (!*room[i] && !(*room[i] = ASIF_ARRAY(p->context, cells, double)))
            return asif_fail_memory(error);
    if (!p->value_bar && !(p->value_bar = ASIF_ARRAY(p->context, S, double)))
        return asif_fail_memory(error);
    memset(p->policy_bar, 0, cells * sizeof *p->policy_bar);
    return ASIF_OK;
}

static asif_status pull_log_policy(void *self, uint64_t n, const double *state, const double *log_pi,
                                   const double *memo, const double *policy_bar, const double *memo_bar,
                                   double *state_bar, asif_error *error) {
    unrolled *p = self;
    uint64_t S = states_of(p), U = p->setting->spec.actions;
    (void)log_pi, (void)memo, (void)memo_bar, (void)state_bar, (void)error;
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < p->actives; j++)
            p->policy_bar[j * S + (uint64_t)state[i]] += policy_bar[i * U + p->order[j]];
    return ASIF_OK;
}

/* A step has no derivatives: the next agent state is the state that was seen. */
static asif_status pull_step(void *self, uint64_t n, const uint32_t *from, const double *state,
                             const double *memo, const uint32_t *action, const uint32_t *observation,
                             const double *next, const double *next_bar, double *state_bar, double *memo_bar,
                             asif_error *error) {
    (void)self, (void)n, (void)from, (void)state, (void)memo, (void)action, (void)observation, (void)next;
    (void)next_bar, (void)state_bar, (void)memo_bar, (void)error;
    return ASIF_OK;
}

static void pull_init(void *self, uint32_t start, const double *state_bar) {
    (void)self, (void)start, (void)state_bar;
}

/* Backward through log pi(u|s) = log pi0(u) + a Q_N(s,u) - log sum pi0 exp(a Q_N); the result is the bar of
 * Q_N. */
static void pull_policy(unrolled *p, asif_theta_gradient *out) {
    uint64_t S = states_of(p);
    for (uint64_t s = 0; s < S; s++) {
        double total = 0, mean = 0;
        for (uint32_t j = 0; j < p->actives; j++) {
            total += p->policy_bar[j * S + s];
            mean += exp(p->log_pi[j * S + s]) * p->q[j * S + s];
        }
        for (uint32_t j = 0; j < p->actives; j++) {
            double bar = p->policy_bar[j * S + s], apart = bar - exp(p->log_pi[j * S + s]) * total;
            out->a += bar * (p->q[j * S + s] - mean);
            out->action_prior[p->order[j]] += apart / p->prior[j];
            p->q_bar[j * S + s] = p->a * apart;
        }
    }
}

static void spread(const unrolled *p, uint32_t m, uint32_t u, double share, const double *bar) {
    const asif_matrix *t = asif_transitions(p->setting, m, u);
    for (uint32_t s = 0; s < states_of(p); s++) {
        uint64_t e, end;
        if (p->setting->spec.terminal[s])
            continue;
        for (asif_matrix_row(t, s, &e, &end); e < end; e++)
            p->value_bar[t->column[e]] += share * t->value[e] * bar[s];
    }
}

/* Backward through Q = v + discount sum_m sigma0(m) tau_m V; the result is the bar of V. */
static void pull_backup(unrolled *p, const double *v, asif_theta_gradient *out) {
    const asif_simd *simd = p->context->simd;
    uint64_t S = states_of(p);
    memset(p->value_bar, 0, S * sizeof *p->value_bar);
    for (uint32_t j = 0; j < p->actives; j++) {
        uint32_t u = p->order[j];
        const double *bar = p->q_bar + j * S;
        simd->axpy(p->utility_bar + u * S, 1, bar, S);
        for (uint32_t m = 0; m < p->setting->spec.worlds; m++) {
            if (!(p->weights[m] > 0))
                continue;
            expect(p, m, u, v, p->ahead);
            double product = simd->dot(bar, p->ahead, S);
            out->discount += p->weights[m] * product;
            out->world_weights[m] += p->discount * product;
            spread(p, m, u, p->discount * p->weights[m], bar);
        }
    }
}

/* Backward through V = CE(a; Q, pi0), with Q in p->back; the result is the bar of Q. `slope` holds the
 * derivatives in the prior at one state, with its actions contiguous. */
static asif_status pull_values(unrolled *p, const double *v, asif_theta_gradient *out, asif_error *error) {
    uint64_t S = states_of(p);
    double *slope = ASIF_ARRAY(p->context, p->actives, double);
    if (!slope)
        return asif_fail_memory(error);
    for (uint64_t first = 0; first < S; first += ASIF_BLOCK)
        p->context->simd->tilt(p->q_bar + first, p->a, p->back + first, S, p->prior, p->actives,
                               block_at(first, S));
    for (uint64_t s = 0; s < S; s++) {
        double bar = p->value_bar[s];
        out->a += bar * asif_ce_slope(p->a, v[s], p->back + s, S, p->prior, p->q_bar + s, p->actives, slope);
        for (uint32_t j = 0; j < p->actives; j++) {
            out->action_prior[p->order[j]] += bar * slope[j];
            p->q_bar[j * S + s] *= bar;
        }
    }
    asif_free(p->context, slope);
    return ASIF_OK;
}

static void pull_utility(const unrolled *p, asif_theta_gradient *out) {
    const asif_setting_spec *spec = &p->setting->spec;
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        range of = range_of(t, spec);
        for (uint32_t u = of.u; t->parameter != ASIF_ANY && u < of.u_end; u++)
            for (uint32_t s = of.s; s < of.s_end; s++)
                out->utility[t->parameter] += t->coefficient * p->utility_bar[(uint64_t)u * spec->states + s];
    }
}

static asif_status pull_end(void *self, asif_theta_gradient *out, asif_error *error) {
    unrolled *p = self;
    uint64_t S = states_of(p);
    asif_theta_gradient_clear(out, p->setting);
    memset(p->utility_bar, 0, S * p->setting->spec.actions * sizeof *p->utility_bar);
    pull_policy(p, out);
    for (uint32_t n = p->done; n > 0; n--) {
        const double *before = p->path + (n - 1) * S;
        pull_backup(p, before, out);
        if (n == 1) /* V_0 is 0 */
            break;
        backup(p, before - S, p->actives, p->back);
        ASIF_TRY(pull_values(p, before, out, error));
    }
    pull_utility(p, out);
    return ASIF_OK;
}

const asif_planner_ops asif_planner_differentiable = {
    .info = {"differentiable", "a given number of unrolled soft backups, differentiable in all it is made of",
             ASIF_GIVES_VALUES | ASIF_GIVES_GRADIENT, ASIF_SEES_STATES, true, "Differentiable MDP Planner"},
    .narrow = {.alpha = {ASIF_USUAL, 1},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .states_only = true},
    .create = create,
    .clone = clone,
    .free = unrolled_free,
    .solve = solve,
    .width = width,
    .behavior = {init, check, log_policy, step, look, NULL, NULL},
    .pullback = {pull_begin, pull_log_policy, pull_step, pull_init, pull_end},
    .nodes = nodes,
    .node = node,
    .values = values,
};
