/* Fixed points of many agents at once. */
#include "engine/many.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { L = ASIF_ABREAST };

/* Nodes that are handled at once: their rows fit in the first cache. */
#define BLOCK 32
/* Above this number of nodes the memory of the lanes, 1.4 kB a node, is too much for each thread. At 67,525
 * nodes a batch takes 0.6 of the time of single solves. */
#define MOST_NODES 80000
/* Backups after which an agent is left out. */
#define MOST_BACKUPS 300

/* ---- creation ---- */

bool asif_many_fits(const asif_successors *s, const asif_plan_options *options) {
    return s->nodes <= MOST_NODES && !s->reachable && !s->lattice.point && s->setting->spec.seen < 2 &&
           !asif_setting_stops(&s->setting->spec) && !options->newton_only && options->time_limit_sec == 0;
}

static asif_status make_lanes(asif_many *m, asif_error *error) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    const asif_successors *s = m->op.successors;
    uint64_t U = spec->actions, M = spec->worlds, N = s->nodes;
    m->prior = ASIF_ARRAY(m->context, U * L, double);
    m->weight = ASIF_ARRAY(m->context, U * M * L, double);
    m->utility = ASIF_ARRAY(m->context, U * N * L, double);
    m->reward = ASIF_ARRAY(m->context, U * s->branches, double *);
    m->constant = ASIF_ARRAY(m->context, U * L, double);
    m->points = ASIF_ARRAY(m->context, N * L, double);
    m->image = ASIF_ARRAY(m->context, N * L, double);
    m->scratch = ASIF_ARRAY(m->context, (U + M) * BLOCK * L, double);
    m->start = ASIF_ARRAY(m->context, N, double);
    if (!m->prior || !m->weight || !m->utility || !m->reward || !m->constant || !m->points || !m->image ||
        !m->scratch || !m->start)
        return asif_fail_memory(error);
    for (uint32_t l = 0; l < L; l++)
        m->lane[l].agent = ASIF_ANY;
    return asif_anderson_lanes_create(&m->anderson, m->context, N, error);
}

/* Allocates the rows of the agents as one array. */
static asif_status make_agents(asif_many *m, asif_error *error) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    const asif_successors *s = m->op.successors;
    uint64_t U = spec->actions, M = spec->worlds, X = spec->observations, S = spec->states, W = ASIF_MANY;
    uint64_t width = s->beliefs ? S : 1;
    const struct {
        double **row;
        uint64_t rows;
    } part[] = {{&m->values, s->nodes},
                {&m->agent_a_act, 1},
                {&m->agent_b, 1},
                {&m->agent_discount, 1},
                {&m->agent_minus_eta, 1},
                {&m->agent_prior, U},
                {&m->agent_log_prior, U},
                {&m->agent_weight, U * M},
                {&m->agent_utility, U * S},
                {&m->agent_seen, U * X},
                {&m->agent_amount, spec->terms},
                {&m->agent_start, spec->starts * S},
                {&m->constant_reward, U * M},
                {&m->constant_k, U * M},
                {&m->constant_sigma, U * M},
                {&m->constant_ce, U},
                {&m->rows, (2 * U + M + 3 * width + 2) * ASIF_MANY_BLOCK}};
    uint64_t rows = 0, at = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        rows += part[i].rows;
    m->all = ASIF_ARRAY(m->context, rows * W, double);
    if (!m->all)
        return asif_fail_memory(error);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].row = m->all + at * W;
        at += part[i].rows;
    }
    m->solved = ASIF_ARRAY(m->context, W, bool);
    m->rewarded = ASIF_ARRAY(m->context, U * X, bool);
    m->event = ASIF_ARRAY(m->context, 2 * X, asif_future_event);
    m->pointers = ASIF_ARRAY(m->context, 3 * M, const double *);
    return m->solved && m->rewarded && m->event && m->pointers ? ASIF_OK : asif_fail_memory(error);
}

/* Where the prior and the world weights of a theta must be positive. The setting determines this pattern, so
 * that whether an agent is left out does not depend on the other agents. */
static asif_status make_pattern(asif_many *m, asif_error *error) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    uint64_t U = spec->actions, M = spec->worlds;
    m->allows = ASIF_ARRAY(m->context, U + M, bool);
    if (!m->allows)
        return asif_fail_memory(error);
    for (uint64_t u = 0; u < U; u++)
        m->allows[u] = !spec->action_prior || !(spec->action_prior[u] == 0);
    for (uint64_t w = 0; w < M; w++)
        m->allows[U + w] = !spec->world_weights || !(spec->world_weights[w] == 0);
    return ASIF_OK;
}

asif_status asif_many_create(asif_many *m, const asif_context *context, asif_successors *successors,
                             const asif_lookahead *look, const asif_plan_options *options,
                             asif_error *error) {
    *m = (asif_many){.context = context, .look = look};
    ASIF_TRY(asif_operator_create(&m->op, context, successors, error));
    m->limit = options->max_backups < MOST_BACKUPS ? options->max_backups : MOST_BACKUPS;
    m->tol = options->tol;
    ASIF_TRY(make_lanes(m, error));
    ASIF_TRY(make_agents(m, error));
    return make_pattern(m, error);
}

void asif_many_free(asif_many *m) {
    const asif_context *context = m->context;
    if (!context)
        return;
    for (uint64_t i = 0; m->reward && i < (uint64_t)m->op.setting->spec.actions * m->op.successors->branches;
         i++)
        asif_free(context, m->reward[i]);
    void *const arrays[] = {m->prior,  m->weight,   m->utility, m->reward,   m->constant,
                            m->points, m->image,    m->scratch, m->start,    m->all,
                            m->solved, m->rewarded, m->event,   m->pointers, m->allows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_anderson_lanes_free(&m->anderson);
    asif_operator_free(&m->op);
    m->context = NULL;
}

/* ---- agents into lanes ---- */

static void put(double *rows, uint64_t lanes, uint64_t lane, const double *from, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        rows[i * lanes + lane] = from[i];
}

static void put_same(double *rows, uint64_t lanes, uint64_t lane, double value, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        rows[i * lanes + lane] = value;
}

/* Whether the agent of a theta can be solved in a lane. */
static bool suits(const asif_many *m, const asif_theta *theta) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    if (!isfinite(theta->b) || !isfinite(isnan(theta->a_act) ? theta->a : theta->a_act))
        return false;
    for (uint32_t u = 0; u < spec->actions; u++)
        if ((theta->action_prior[u] > 0) != m->allows[u])
            return false;
    for (uint32_t w = 0; w < spec->worlds; w++)
        if ((theta->world_weights[w] > 0) != m->allows[spec->actions + w])
            return false;
    return true;
}

/* Copies into lane l what the backup needs of the theta to which the operator is bound. */
static asif_status fill_lane(asif_many *m, uint32_t l, asif_error *error) {
    const asif_operator *op = &m->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    m->a[l] = op->a;
    m->b[l] = op->b;
    m->eta[l] = op->eta;
    m->discount[l] = op->discount;
    put(m->prior, L, l, op->prior, op->actives);
    for (uint64_t u = 0; u < spec->actions; u++) {
        put(m->weight + u * spec->worlds * L, L, l, op->futures[u].weight, op->futures[u].count);
        put(m->utility + u * s->nodes * L, L, l, op->utility + u * s->stride, s->nodes);
        for (uint64_t i = 0; i < s->branches; i++) {
            const double *of = op->reward[u * s->branches + i];
            double **reward = &m->reward[u * s->branches + i];
            if (!of)
                continue;
            if (!*reward)
                *reward = ASIF_ARRAY(m->context, s->branch[i].rows * L, double);
            if (!*reward)
                return asif_fail_memory(error);
            put(*reward, L, l, of, s->branch[i].rows);
        }
    }
    put(m->points, L, l, m->start, s->nodes);
    double known = ASIF_VALUES_KNOWN * (1 - op->discount) / op->discount;
    m->lane[l] = (asif_many_lane){.best = INFINITY, .tolerance = fmin(m->tol, known)};
    return ASIF_OK;
}

/* Copies what the behaviour of agent i needs of the theta to which the operator is bound, without
 * the values. */
static void fill_agent(asif_many *m, uint32_t i) {
    const asif_operator *op = &m->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    uint64_t W = m->lanes, U = spec->actions, X = spec->observations, S = spec->states;
    m->agent_a_act[i] = op->a_act;
    m->agent_b[i] = op->b;
    m->agent_discount[i] = op->discount;
    m->agent_minus_eta[i] = -op->eta;
    m->surprises = m->surprises || op->eta != 0;
    put(m->agent_prior, W, i, op->prior, op->actives);
    put(m->agent_log_prior, W, i, op->log_prior, op->actives);
    put(m->agent_start, W, i, op->start, spec->starts * S);
    put(m->agent_seen, W, i, op->seen_utility, U * X);
    for (uint64_t x = 0; x < U * X; x++)
        m->rewarded[x] = m->rewarded[x] || op->seen_utility[x] != 0;
    for (uint64_t t = 0; t < spec->terms; t++) {
        uint32_t parameter = spec->term[t].parameter;
        m->agent_amount[t * W + i] =
            spec->term[t].coefficient * (parameter == ASIF_ANY ? 1 : op->parameter[parameter]);
    }
    for (uint64_t u = 0; u < U; u++) {
        const asif_futures *f = &op->futures[u];
        put(m->agent_utility + u * S * W, W, i,
            s->beliefs ? op->state_utility + u * S : op->utility + u * s->stride, S);
        put(m->agent_weight + u * spec->worlds * W, W, i, f->weight, f->count);
        for (uint32_t j = 0; j < f->count; j++) {
            const double *reward = op->reward[u * s->branches + f->branch[j]];
            m->constant_reward[(u * spec->worlds + j) * W + i] =
                reward && s->branch[f->branch[j]].constant ? reward[0] : 0;
        }
    }
}

/* A lane without an agent, and an agent that is not solved, hold numbers with which the kernels
 * stay finite. */
static void clear_lane(asif_many *m, uint32_t l) {
    uint64_t U = m->op.setting->spec.actions, M = m->op.setting->spec.worlds;
    m->a[l] = m->b[l] = m->eta[l] = m->discount[l] = 0;
    m->lane[l].agent = ASIF_ANY;
    put_same(m->points, L, l, 0, m->op.successors->nodes);
    put_same(m->utility, L, l, 0, U * m->op.successors->nodes);
    put_same(m->prior, L, l, 1 / (double)U, U);
    put_same(m->weight, L, l, 1 / (double)M, U * M);
}

static void clear_agent(asif_many *m, uint32_t i) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    uint64_t W = m->lanes, U = spec->actions, M = spec->worlds;
    m->agent_a_act[i] = m->agent_b[i] = m->agent_discount[i] = m->agent_minus_eta[i] = 0;
    put_same(m->values, W, i, 0, m->op.successors->nodes);
    put_same(m->agent_prior, W, i, 1 / (double)U, U);
    put_same(m->agent_log_prior, W, i, 0, U);
    put_same(m->agent_weight, W, i, 1 / (double)M, U * M);
    put_same(m->agent_utility, W, i, 0, U * spec->states);
    put_same(m->agent_seen, W, i, 0, U * spec->observations);
    put_same(m->agent_amount, W, i, 0, spec->terms);
    put_same(m->constant_reward, W, i, 0, U * M);
    put_same(m->agent_start, W, i, 1 / (double)spec->states, (uint64_t)spec->starts * spec->states);
}

/* Puts the next agent that suits into a lane, or clears the lane if none is left. */
static asif_status take_next(asif_many *m, uint32_t l, const asif_theta *const *theta, uint32_t *next,
                             bool wipe, asif_error *error) {
    asif_anderson_lanes_begin(&m->anderson, l, wipe);
    while (*next < m->agents) {
        uint32_t i = (*next)++;
        ASIF_TRY(asif_theta_complete(theta[i], error));
        if (!suits(m, theta[i]))
            continue;
        ASIF_TRY(asif_operator_bind(&m->op, theta[i], error));
        ASIF_TRY(fill_lane(m, l, error));
        fill_agent(m, i);
        m->lane[l].agent = i;
        return ASIF_OK;
    }
    clear_lane(m, l);
    return ASIF_OK;
}

/* ---- the backup ---- */

static void future_k(const asif_many *m, uint32_t action, uint32_t j, uint64_t first, uint32_t n, double *k) {
    const asif_simd *simd = m->context->simd;
    uint32_t index = m->op.futures[action].branch[j];
    const asif_branch *branch = &m->op.successors->branch[index];
    const double *reward = m->reward[(uint64_t)action * m->op.successors->branches + index];
    uint64_t row = branch->constant ? 0 : first;
    uint32_t rows = branch->constant ? 1 : n;
    simd->lanes->product(k, branch->weights.slice, branch->weights.column, branch->weights.value, row, rows,
                         m->points, m->discount, branch->entropy + row, m->eta, L);
    if (reward)
        simd->axpy(k, 1, reward + row * L, (uint64_t)rows * L);
    for (uint32_t i = 1; branch->constant && i < n; i++)
        memcpy(k + (uint64_t)i * L, k, L * sizeof *k);
}

/* The CE of actions that forget does not depend on the node: it is computed once a backup. */
static void constant_futures(const asif_many *m) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    double *k = m->scratch;
    for (uint32_t i = 0; i < m->op.actives; i++) {
        uint32_t u = m->op.active[i];
        const asif_futures *f = &m->op.futures[u];
        if (!f->constant)
            continue;
        for (uint32_t j = 0; j < f->count; j++)
            future_k(m, u, j, 0, 1, k + (uint64_t)j * L);
        m->context->simd->lanes->certainty(m->constant + (uint64_t)u * L, NULL, 0, m->b, k, L,
                                           m->weight + (uint64_t)u * spec->worlds * L, f->count, NULL, 1, L);
    }
}

static void action_values(const asif_many *m, uint32_t u, uint64_t first, uint32_t n, double *q, double *k) {
    const asif_simd_lanes *simd = m->context->simd->lanes;
    const asif_futures *f = &m->op.futures[u];
    const double *v = m->utility + (u * (uint64_t)m->op.successors->nodes + first) * L;
    if (f->constant) {
        simd->shift(q, v, m->constant + (uint64_t)u * L, n, L);
        return;
    }
    for (uint32_t j = 0; j < f->count; j++)
        future_k(m, u, j, first, n, k + (uint64_t)j * BLOCK * L);
    simd->certainty(q, NULL, 0, m->b, k, BLOCK * L, m->weight + (uint64_t)u * m->op.setting->spec.worlds * L,
                    f->count, v, n, L);
}

void asif_many_backup(const asif_many *m) {
    const asif_operator *op = &m->op;
    double *q = m->scratch, *k = q + (uint64_t)op->setting->spec.actions * BLOCK * L;
    constant_futures(m);
    for (uint64_t first = 0; first < op->successors->nodes; first += BLOCK) {
        uint64_t left = op->successors->nodes - first;
        uint32_t n = left < BLOCK ? (uint32_t)left : BLOCK;
        for (uint32_t i = 0; i < op->actives; i++)
            action_values(m, op->active[i], first, n, q + (uint64_t)i * BLOCK * L, k);
        m->context->simd->lanes->certainty(m->image + first * L, NULL, 0, m->a, q, BLOCK * L, m->prior,
                                           op->actives, NULL, n, L);
    }
}

/* ---- the solver ---- */

typedef enum { GOES_ON, SOLVED, LEFT_OUT } outcome;

static outcome judge(const asif_many *m, asif_many_lane *lane, double residual, double largest, bool *plain) {
    double scale = largest > 1 ? largest : 1;
    lane->backups++;
    *plain = false;
    if (!isfinite(residual) || !isfinite(largest))
        return LEFT_OUT;
    if (residual <= lane->tolerance * scale)
        return SOLVED;
    if (lane->backups >= m->limit)
        return LEFT_OUT;
    *plain = residual > 100 * lane->best;
    lane->best = fmin(lane->best, residual);
    return GOES_ON;
}

static void keep_values(asif_many *m, uint32_t l) {
    uint32_t i = m->lane[l].agent;
    m->solved[i] = true;
    for (uint64_t node = 0; node < m->op.successors->nodes; node++)
        m->values[node * m->lanes + i] = m->image[node * L + l];
}

/* One backup and one Anderson step of all lanes; lanes that are done take the next agent. */
static asif_status advance(asif_many *m, const asif_theta *const *theta, uint32_t *next, asif_error *error) {
    double residual[L], largest[L];
    bool plain[L] = {false}, free[L] = {false}, wipe[L] = {false};
    asif_many_backup(m);
    m->backups++;
    asif_anderson_lanes_look(&m->anderson, m->points, m->image, residual, largest);
    for (uint32_t l = 0; l < L; l++) {
        if (m->lane[l].agent == ASIF_ANY)
            continue;
        outcome o = judge(m, &m->lane[l], residual[l], largest[l], &plain[l]);
        free[l] = o != GOES_ON;
        wipe[l] = o == LEFT_OUT;
        if (o == SOLVED)
            keep_values(m, l);
    }
    asif_anderson_lanes_step(&m->anderson, m->image, plain, m->points);
    for (uint32_t l = 0; l < L; l++)
        if (free[l])
            ASIF_TRY(take_next(m, l, theta, next, wipe[l], error));
    return ASIF_OK;
}

static bool busy(const asif_many *m) {
    for (uint32_t l = 0; l < L; l++)
        if (m->lane[l].agent != ASIF_ANY)
            return true;
    return false;
}

/* Agents without values, in lanes for `count` of them. */
static void begin(asif_many *m, uint32_t count) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    m->agents = count;
    m->lanes = (count + L - 1) / L * L;
    m->surprises = false;
    m->backups = 0;
    memset(m->solved, 0, ASIF_MANY * sizeof *m->solved);
    memset(m->rewarded, 0, (uint64_t)spec->actions * spec->observations * sizeof *m->rewarded);
    for (uint32_t i = 0; i < m->lanes; i++)
        clear_agent(m, i);
}

asif_status asif_many_solve(asif_many *m, const asif_theta *const *theta, uint32_t count, bool *solved,
                            asif_error *error) {
    uint32_t next = 0, steps = 0;
    begin(m, count);
    for (uint32_t l = 0; l < L; l++)
        ASIF_TRY(take_next(m, l, theta, &next, m->dirty, error));
    m->dirty = true;
    while (busy(m)) {
        ASIF_TRY(advance(m, theta, &next, error));
        if (++steps % 16 == 0 && asif_progress(m->context, "planning", -1))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    }
    m->dirty = false;
    for (uint32_t i = 0; i < count; i++)
        if (!m->solved[i])
            clear_agent(m, i);
    memcpy(solved, m->solved, count * sizeof *solved);
    if (m->op.bound)
        asif_many_refresh(m);
    return ASIF_OK;
}

asif_status asif_many_restore(asif_many *m, const asif_theta *const *theta, uint32_t count,
                              const bool *solved, const double *values, asif_error *error) {
    uint64_t nodes = m->op.successors->nodes;
    begin(m, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!solved[i])
            continue;
        ASIF_TRY(asif_theta_complete(theta[i], error));
        ASIF_TRY(asif_operator_bind(&m->op, theta[i], error));
        fill_agent(m, i);
        put(m->values, m->lanes, i, values + i * nodes, nodes);
        m->solved[i] = true;
    }
    if (m->op.bound)
        asif_many_refresh(m);
    return ASIF_OK;
}

void asif_many_values(const asif_many *m, uint32_t agent, double *out) {
    for (uint64_t node = 0; node < m->op.successors->nodes; node++)
        out[node] = m->values[node * m->lanes + agent];
}
