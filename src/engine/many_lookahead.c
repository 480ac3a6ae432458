/* Policies and recognition of many agents at once: the computations of lookahead.c, with vectors along
 * the agents. */
#include "engine/many.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

/* Weights below this no longer have their true proportions, as in lookahead.c. */
#define VANISHED 1e-290

/* The length of a scratch row. */
static uint64_t row_size(const asif_many *m) {
    return (uint64_t)ASIF_MANY_BLOCK * m->lanes;
}

/* ---- futures that forget the agent state ---- */

/* K of a future at one node, for all agents. */
static void node_k(const asif_many *m, uint32_t action, uint32_t j, uint64_t row, double *k) {
    const asif_branch *branch = &m->op.successors->branch[m->op.futures[action].branch[j]];
    double eta[ASIF_MANY];
    row = branch->constant ? 0 : row;
    for (uint32_t l = 0; l < m->lanes; l++)
        eta[l] = -m->agent_minus_eta[l];
    m->context->simd->lanes->product(k, branch->weights.slice, branch->weights.column, branch->weights.value,
                                     row, 1, m->values, m->agent_discount, branch->entropy + row, eta,
                                     m->lanes);
    if (branch->constant)
        m->context->simd->axpy(
            k, 1, m->constant_reward + ((uint64_t)action * m->op.setting->spec.worlds + j) * m->lanes,
            m->lanes);
}

void asif_many_refresh(asif_many *m) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    uint64_t W = m->lanes;
    for (uint32_t u = 0; u < spec->actions; u++) {
        const asif_futures *f = &m->op.futures[u];
        uint64_t of = (uint64_t)u * spec->worlds * W;
        for (uint32_t j = 0; j < f->count; j++)
            if (m->op.successors->branch[f->branch[j]].constant)
                node_k(m, u, j, 0, m->constant_k + of + j * W);
        if (f->constant)
            m->context->simd->lanes->certainty(m->constant_ce + u * W, m->constant_sigma + of, W, m->agent_b,
                                               m->constant_k + of, W, m->agent_weight + of, f->count, NULL, 1,
                                               m->lanes);
    }
}

/* Where the weights of an action's futures begin in a memo. Actions that forget have none there: their
 * weights are in constant_sigma. */
static uint32_t memo_at(const asif_many *m, uint32_t action) {
    uint32_t at = 0;
    for (uint32_t u = 0; u < action; u++)
        at += m->op.futures[u].constant ? 0 : m->op.futures[u].count;
    return at;
}

uint32_t asif_many_memo_width(const asif_many *m) {
    return m->op.successors->beliefs ? memo_at(m, m->op.setting->spec.actions) : 0;
}

void asif_many_init(const asif_many *m, uint32_t start, uint32_t first, double *state, uint64_t stride) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    uint64_t W = m->lanes;
    const double *belief = m->agent_start + (uint64_t)start * spec->states * W;
    for (uint64_t s = 0; s < spec->states && m->op.successors->beliefs; s++)
        memcpy(state + s * stride, belief + s * W, W * sizeof *state);
    for (uint64_t l = 0; l < W && !m->op.successors->beliefs; l++) {
        uint32_t likely = 0;
        for (uint32_t s = 1; first == ASIF_ANY && s < spec->states; s++)
            likely = belief[s * W + l] > belief[likely * W + l] ? s : likely;
        state[l] = first == ASIF_ANY ? likely : first;
    }
}

/* ---- K at a belief ---- */

/* K of a future at beliefs over more than two states. `room` has rows for the states reached, for p and
 * for V. */
static void belief_k(const asif_many *m, uint32_t action, uint32_t branch, uint32_t n, const double *z,
                     uint64_t stride, double *room, double *k) {
    const asif_simd *simd = m->context->simd;
    const asif_lookahead *look = m->look;
    const asif_setting_spec *spec = &m->op.setting->spec;
    uint32_t S = spec->states, W = m->lanes;
    uint64_t X = spec->observations, row = row_size(m), size = (uint64_t)n * W;
    double *ahead = room, *p = ahead + S * row, *value = p + row;
    for (uint32_t t = 0; t < S; t++)
        simd->weighted(ahead + t * row, z, stride, asif_lookahead_to(look, branch) + (uint64_t)t * S, S,
                       size);
    memset(k, 0, size * sizeof *k);
    for (uint32_t x = 0; x < X; x++) {
        const double *emission = asif_lookahead_seen(look, branch) + (uint64_t)x * S;
        if (!look->shows[branch * X + x])
            continue;
        simd->weighted(p, ahead, row, emission, S, size);
        simd->interpolate_simplex(value, m->values, W, S, m->op.successors->lattice.resolution, emission,
                                  ahead, row, p, size);
        simd->lanes->add_product(k, m->agent_discount, p, value, n, W);
        if (m->rewarded[action * X + x])
            for (uint64_t i = 0; i < size; i++)
                k[i] += m->agent_seen[(action * X + x) * W + i % W] * p[i];
        if (m->surprises && look->alone[branch * X + x])
            simd->lanes->add_entropy(k, m->agent_minus_eta, p, asif_lookahead_surprise(look, x), n, W);
    }
    for (uint32_t i = look->pool_at[branch]; m->surprises && i < look->pool_at[branch + 1]; i++) {
        simd->weighted(p, ahead, row, look->pool_emission + (uint64_t)i * S, S, size);
        simd->lanes->add_entropy(k, m->agent_minus_eta, p, look->pool_scale[i], n, W);
    }
}

/* K of all futures of an action into rows of `k`. */
static void futures_k(const asif_many *m, uint32_t action, uint32_t n, const double *z, uint64_t stride,
                      double *room, double *k) {
    const asif_operator *op = &m->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_futures *f = &op->futures[action];
    uint64_t W = m->lanes, row = row_size(m);
    for (uint32_t j = 0; j < f->count; j++, k += row) {
        uint32_t branch = f->branch[j];
        const double *same = m->constant_k + ((uint64_t)action * spec->worlds + j) * W;
        for (uint64_t i = 0; i < n && op->successors->branch[branch].constant; i++)
            memcpy(k + i * W, same, W * sizeof *k);
        if (op->successors->branch[branch].constant)
            continue;
        for (uint64_t i = 0; i < n && !op->successors->beliefs; i++)
            node_k(m, action, j, (uint64_t)z[i * W], k + i * W);
        if (op->successors->beliefs && spec->states == 2) {
            uint64_t of = (uint64_t)action * spec->observations;
            uint32_t events = asif_lookahead_events(m->look, branch, m->agent_seen + of * W, m->lanes,
                                                    m->rewarded + of, m->event);
            m->context->simd->lanes->future(k, z, stride, asif_lookahead_to(m->look, branch), m->event,
                                            events, m->values, op->successors->lattice.resolution,
                                            m->agent_discount, m->surprises, m->agent_minus_eta, n, m->lanes);
        } else if (op->successors->beliefs) {
            belief_k(m, action, branch, n, z, stride, room, k);
        }
    }
}

/* The utility v(z,u) of an action at n points. */
static void utilities(const asif_many *m, uint32_t action, uint32_t n, const double *z, uint64_t stride,
                      double *out) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    uint64_t S = spec->states, W = m->lanes;
    const double *utility = m->agent_utility + action * S * W;
    if (!m->op.successors->beliefs) {
        for (uint64_t i = 0; i < n; i++)
            memcpy(out + i * W, utility + (uint64_t)z[i * W] * W, W * sizeof *out);
        return;
    }
    m->context->simd->lanes->weighted(out, z, stride, utility, spec->states, n, m->lanes);
    for (uint64_t j = 0; m->op.belief_terms && j < spec->terms; j++) {
        const asif_utility_term *t = &spec->term[j];
        if (t->by != ASIF_BY_BELIEF || (t->action != ASIF_ANY && t->action != action))
            continue;
        for (uint64_t i = 0; i < n * W; i++) {
            double belief[ASIF_MOST_BELIEF_STATES];
            for (uint64_t s = 0; s < S; s++)
                belief[s] = z[s * stride + i];
            out[i] += asif_term_share(t, asif_term_measure(t, belief, spec->states)) *
                      m->agent_amount[j * W + i % W];
        }
    }
}

/* ---- policies ---- */

/* The policy at one block of points; the rows of `memo` have the stride of the states. */
static void block_policy(const asif_many *m, uint32_t n, const double *z, uint64_t stride, double *log_policy,
                         uint64_t policy_stride, double *memo) {
    const asif_operator *op = &m->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_simd_lanes *simd = m->context->simd->lanes;
    uint64_t row = row_size(m), W = m->lanes;
    double *q = m->rows, *k = q + spec->actions * row, *room = k + spec->worlds * row;
    for (uint32_t i = 0; i < op->actives; i++) {
        uint32_t u = op->active[i];
        const asif_futures *f = &op->futures[u];
        double *of = q + i * row;
        utilities(m, u, n, z, stride, of);
        if (f->constant) {
            simd->shift(of, of, m->constant_ce + u * W, n, m->lanes);
            continue;
        }
        futures_k(m, u, n, z, stride, room, k);
        simd->certainty(of, memo ? memo + memo_at(m, u) * stride : NULL, stride, m->agent_b, k, row,
                        m->agent_weight + (uint64_t)u * spec->worlds * W, f->count, of, n, m->lanes);
    }
    simd->log_tilt(q, m->agent_a_act, q, row, m->agent_prior, m->agent_log_prior, op->actives, n, m->lanes);
    for (uint32_t u = 0, i = 0; u < spec->actions; u++) {
        double *out = log_policy + u * policy_stride;
        if (i < op->actives && op->active[i] == u)
            memcpy(out, q + i++ * row, n * W * sizeof *out);
        else
            for (uint64_t at = 0; at < n * W; at++)
                out[at] = -INFINITY;
    }
}

void asif_many_log_policy(const asif_many *m, uint32_t n, const double *state, uint64_t stride,
                          double *log_policy, uint64_t policy_stride, double *memo) {
    if (asif_many_memo_width(m) == 0)
        memo = NULL;
    for (uint32_t first = 0; first < n; first += ASIF_MANY_BLOCK) {
        uint64_t at = (uint64_t)first * m->lanes;
        block_policy(m, n - first < ASIF_MANY_BLOCK ? n - first : ASIF_MANY_BLOCK, state + at, stride,
                     log_policy + at, policy_stride, memo ? memo + at : NULL);
    }
}

/* ---- recognition ---- */

/* Whether the state `to` can follow. This is the same for all agents, whose weights are positive in the
 * same worlds. */
static bool can_follow(const asif_many *m, uint32_t from, uint32_t action, uint32_t to) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    for (uint32_t w = 0; w < spec->worlds; w++) {
        const asif_matrix *t = asif_transitions(m->op.setting, w, action);
        uint64_t e, end;
        if (!m->allows[spec->actions + w])
            continue;
        for (asif_matrix_row(t, from, &e, &end); e < end; e++)
            if (t->column[e] == to)
                return true;
    }
    return false;
}

static void step_belief(const asif_many *m, const double *state, const double *memo, uint64_t stride,
                        uint32_t u, uint32_t x, double *next, uint64_t next_stride, double *total) {
    const asif_setting_spec *spec = &m->op.setting->spec;
    const asif_futures *f = &m->op.futures[u];
    uint64_t W = m->lanes;
    uint32_t k = 0, at = memo_at(m, u);
    const double **to = m->pointers, **emission = to + spec->worlds, **sigma = emission + spec->worlds;
    for (uint32_t j = 0; j < f->count; j++) {
        uint32_t branch = f->branch[j];
        if (x != ASIF_ANY && !m->look->shows[(uint64_t)branch * spec->observations + x])
            continue;
        to[k] = asif_lookahead_to(m->look, branch);
        emission[k] =
            x == ASIF_ANY ? NULL : asif_lookahead_seen(m->look, branch) + (uint64_t)x * spec->states;
        sigma[k++] =
            f->constant ? m->constant_sigma + ((uint64_t)u * spec->worlds + j) * W : memo + (at + j) * stride;
    }
    m->context->simd->lanes->recognise(next, next_stride, total, state, stride, spec->states, to, emission,
                                       sigma, k, m->lanes);
}

void asif_many_step(const asif_many *m, uint32_t n, const uint32_t *from, const double *state,
                    const double *memo, uint64_t stride, const uint32_t *action, const uint32_t *observation,
                    double *next, uint64_t next_stride, bool *lost) {
    uint64_t W = m->lanes;
    double total[ASIF_MANY];
    for (uint32_t i = 0; i < n; i++) {
        const double *z = state + from[i] * W;
        double *to = next + i * W;
        uint32_t x = observation[i];
        bool follows = true;
        if (m->op.successors->beliefs) {
            step_belief(m, z, memo + from[i] * W, stride, action[i], x, to, next_stride, total);
        } else {
            follows = x != ASIF_ANY && can_follow(m, (uint32_t)z[0], action[i], x);
            for (uint64_t l = 0; l < W; l++)
                to[l] = follows ? x : z[l];
        }
        for (uint64_t l = 0; l < W; l++)
            lost[l] = lost[l] || !follows || (m->op.successors->beliefs && !(total[l] > VANISHED));
    }
}
