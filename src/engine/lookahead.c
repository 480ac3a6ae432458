#include "engine/lookahead.h"

#include "base/ce.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static uint64_t dense_size(const asif_setting_spec *spec) {
    return (uint64_t)spec->states * spec->states + (uint64_t)spec->states * spec->observations;
}

static asif_dense_world dense_of(const asif_lookahead *look, uint32_t branch) {
    const asif_setting_spec *spec = &look->solver->op.setting->spec;
    double *at = look->dense + branch * dense_size(spec);
    return (asif_dense_world){at, at + (uint64_t)spec->states * spec->states};
}

asif_status asif_lookahead_create(asif_lookahead *look, const asif_fixed_point *solver, asif_error *error) {
    const asif_successors *s = solver->op.successors;
    const asif_setting_spec *spec = &solver->op.setting->spec;
    const asif_context *context = solver->op.context;
    *look =
        (asif_lookahead){solver, NULL, ASIF_ARRAY(context, (uint64_t)spec->actions * spec->worlds, double)};
    if (s->beliefs)
        look->dense = ASIF_ARRAY(context, s->branches * dense_size(spec), double);
    if (!look->constant_k || (s->beliefs && !look->dense))
        return asif_fail_memory(error);
    for (uint32_t u = 0; u < spec->actions && s->beliefs; u++)
        for (uint32_t m = 0; m < spec->worlds; m++) {
            asif_dense_world dense = dense_of(look, s->branch_of[(uint64_t)u * spec->worlds + m]);
            asif_dense_world_fill(&dense, solver->op.setting, m, u);
        }
    return ASIF_OK;
}

void asif_lookahead_free(asif_lookahead *look) {
    if (!look->solver)
        return;
    const asif_context *context = look->solver->op.context;
    asif_free(context, look->dense);
    asif_free(context, look->constant_k);
    look->dense = look->constant_k = NULL;
}

/* K of a future at a node. */
static double node_k(const asif_operator *op, uint32_t action, uint32_t branch_index, uint64_t row,
                     const double *values) {
    const asif_branch *branch = &op->successors->branch[branch_index];
    const asif_sparse *w = &branch->weights;
    const double *reward = op->reward[(uint64_t)action * op->successors->branches + branch_index];
    double sum = 0;
    row = branch->constant ? 0 : row;
    for (uint64_t e = w->slice[row / ASIF_SLICE] + row % ASIF_SLICE; e < w->slice[row / ASIF_SLICE + 1];
         e += ASIF_SLICE)
        sum += w->value[e] * values[w->column[e]];
    return op->discount * sum + op->eta * branch->entropy[row] + (reward ? reward[row] : 0);
}

void asif_lookahead_refresh(asif_lookahead *look) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    for (uint32_t u = 0; u < spec->actions; u++)
        for (uint32_t j = 0; j < op->futures[u].count; j++)
            if (op->successors->branch[op->futures[u].branch[j]].constant)
                look->constant_k[(uint64_t)u * spec->worlds + j] =
                    node_k(op, u, op->futures[u].branch[j], 0, look->solver->values);
}

/* P(s'|z,u) in a branch. */
static void predict(const asif_dense_world *dense, uint32_t S, const double *z, double *next) {
    memset(next, 0, S * sizeof *next);
    for (uint32_t from = 0; from < S; from++)
        for (uint32_t to = 0; to < S && z[from] > 0; to++)
            next[to] += z[from] * dense->transition[from * S + to];
}

/* K of one future of an action at an agent state. */
static double future_k(const asif_lookahead *look, uint32_t action, uint32_t future, const double *state) {
    const asif_operator *op = &look->solver->op;
    const asif_successors *s = op->successors;
    const asif_setting_spec *spec = &op->setting->spec;
    uint32_t branch = op->futures[action].branch[future], S = spec->states, X = spec->observations;
    if (s->branch[branch].constant)
        return look->constant_k[(uint64_t)action * spec->worlds + future];
    if (!s->beliefs)
        return node_k(op, action, branch, (uint64_t)state[0], look->solver->values);
    asif_dense_world dense = dense_of(look, branch);
    double next[ASIF_MOST_BELIEF_STATES], after[ASIF_MOST_BELIEF_STATES], weight[ASIF_MOST_BELIEF_STATES],
        k = 0;
    uint32_t node[ASIF_MOST_BELIEF_STATES];
    predict(&dense, S, state, next);
    for (uint32_t x = 0; x < X; x++) {
        double p = 0, value = 0;
        for (uint32_t t = 0; t < S; t++)
            p += after[t] = next[t] * dense.emission[t * X + x];
        if (!(p > 0))
            continue;
        for (uint32_t t = 0; t < S; t++)
            after[t] /= p;
        asif_lattice_locate(&s->lattice, after, node, weight);
        for (uint32_t t = 0; t < S; t++)
            value += weight[t] * look->solver->values[node[t]];
        value *= op->discount;
        if (op->eta != 0)
            value -= op->eta * log(spec->belief_prior ? p / spec->belief_prior[x] : p);
        k += p * (value + op->seen_utility[(uint64_t)action * X + x]);
    }
    return k;
}

static double utility_at(const asif_operator *op, uint32_t action, const double *state) {
    const asif_setting_spec *spec = &op->setting->spec;
    if (!op->successors->beliefs)
        return op->utility[action * op->successors->stride + (uint64_t)state[0]];
    const double *v = op->state_utility + (uint64_t)action * spec->states;
    double sum = 0;
    for (uint32_t k = 0; k < spec->states; k++)
        sum += state[k] * v[k];
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        if (t->by == ASIF_BY_BELIEF && (t->action == ASIF_ANY || t->action == action) &&
            asif_term_passes(t, asif_term_measure(t, state, spec->states)))
            sum += t->coefficient * (t->parameter == ASIF_ANY ? 1 : op->parameter[t->parameter]);
    }
    return sum;
}

/* K of all futures of an action, and with them Q. */
static double action_value(const asif_lookahead *look, uint32_t action, const double *state, double *k) {
    const asif_operator *op = &look->solver->op;
    const asif_futures *f = &op->futures[action];
    for (uint32_t j = 0; j < f->count; j++)
        k[j] = future_k(look, action, j, state);
    return utility_at(op, action, state) + asif_ce(op->context->simd, op->b, k, f->weight, f->count);
}

/* sigma of every world from the K of the futures. */
static void world_weights(const asif_operator *op, uint32_t action, const double *k, double *tilted,
                          double *sigma) {
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_futures *f = &op->futures[action];
    asif_ce_tilt(op->b, k, f->weight, f->count, tilted, NULL);
    for (uint32_t m = 0; m < spec->worlds; m++) {
        uint32_t j = op->world_future[(uint64_t)action * spec->worlds + m];
        sigma[m] = j == ASIF_ANY ? 0 : tilted[j] * spec->world_weights[m] / f->weight[j];
    }
}

static asif_status check_state(const asif_operator *op, const double *state, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    double sum = 0;
    if (!op->successors->beliefs) {
        if (!(state[0] >= 0 && state[0] < spec->states && state[0] == floor(state[0])))
            return asif_fail(error, ASIF_EDOMAIN, "%g is not the number of a state", state[0]);
        return ASIF_OK;
    }
    for (uint32_t k = 0; k < spec->states; k++) {
        if (!(state[k] >= 0))
            return asif_fail(error, ASIF_EDOMAIN, "a belief has the probability %g", state[k]);
        sum += state[k];
    }
    if (fabs(sum - 1) > 1e-6)
        return asif_fail(error, ASIF_EDOMAIN, "a belief sums to %.9g, not 1", sum);
    return ASIF_OK;
}

static void fail_row(asif_error *error, uint64_t i) {
    if (error)
        error->row = i + 1;
}

asif_status asif_lookahead_view(const asif_lookahead *look, uint64_t n, const double *state,
                                const asif_view *view, asif_error *error) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    uint64_t U = spec->actions, M = spec->worlds, width = op->successors->beliefs ? spec->states : 1;
    double *scratch = ASIF_ARRAY(op->context, 2 * U + 3 * M, double);
    if (!scratch)
        return asif_fail_memory(error);
    double *q = scratch, *policy = q + U, *k = policy + U, *tilted = k + M, *sigma = tilted + M;
    asif_status status = ASIF_OK;
    for (uint64_t i = 0; i < n; i++) {
        const double *z = state + i * width;
        status = check_state(op, z, error);
        if (status != ASIF_OK) {
            fail_row(error, i);
            break;
        }
        for (uint32_t u = 0; u < U; u++) {
            q[u] = action_value(look, u, z, k);
            world_weights(op, u, k, tilted, sigma);
            for (uint32_t m = 0; m < M; m++) {
                uint32_t j = op->world_future[u * M + m];
                if (view->k)
                    view->k[(i * U + u) * M + m] = j == ASIF_ANY ? NAN : k[j];
                if (view->worlds)
                    view->worlds[(i * U + u) * M + m] = sigma[m];
            }
        }
        if (view->value)
            view->value[i] = asif_ce(op->context->simd, op->a, q, spec->action_prior, spec->actions);
        if (view->q)
            memcpy(view->q + i * U, q, U * sizeof *q);
        asif_ce_tilt(op->a_act, q, spec->action_prior, spec->actions, policy,
                     view->log_policy ? view->log_policy + i * U : NULL);
        if (view->policy)
            memcpy(view->policy + i * U, policy, U * sizeof *policy);
    }
    asif_free(op->context, scratch);
    return status;
}

static asif_status impossible(const asif_operator *op, uint32_t action, uint32_t observation, uint64_t i,
                              asif_error *error) {
    char a[ASIF_LABEL_SIZE], x[ASIF_LABEL_SIZE];
    asif_fail(error, ASIF_EZEROPR, "'%s' after '%s' is impossible here in every world of the agent",
              asif_setting_label(op->setting, ASIF_LABEL_OBSERVATION, observation, x),
              asif_setting_label(op->setting, ASIF_LABEL_ACTION, action, a));
    asif_error_hint(error, "give the agent a world in which it can happen, with however small a probability");
    fail_row(error, i);
    return ASIF_EZEROPR;
}

/* The next state is seen; it only has to be possible. */
static asif_status step_state(const asif_operator *op, const double *state, uint32_t action, uint32_t seen,
                              uint64_t i, double *next, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    for (uint32_t m = 0; m < spec->worlds; m++) {
        if (!(spec->world_weights[m] > 0))
            continue;
        const asif_matrix *t = asif_transitions(op->setting, m, action);
        uint64_t e, end;
        for (asif_matrix_row(t, (uint32_t)state[0], &e, &end); e < end; e++)
            if (t->column[e] == seen) {
                next[0] = seen;
                return ASIF_OK;
            }
    }
    return impossible(op, action, seen, i, error);
}

/* z' = sum_m sigma(m|z,u) Bayes_m(z,u,x), over the worlds in which x was possible, sigma renormalised over them: tilting only
 * their weights does both, also where sigma itself gives them nothing. `scratch` has room for three numbers and a belief a
 * world. */
static asif_status step_belief(const asif_lookahead *look, const double *z, uint32_t action, uint32_t x,
                               uint64_t i, double *scratch, double *next, asif_error *error) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_futures *f = &op->futures[action];
    uint32_t S = spec->states, X = spec->observations;
    double *k = scratch, *weight = k + f->count, *sigma = weight + f->count, *after = sigma + f->count;
    bool possible = false;
    for (uint32_t j = 0; j < f->count; j++) {
        asif_dense_world dense = dense_of(look, f->branch[j]);
        double p = 0, *ahead = after + (uint64_t)j * S;
        predict(&dense, S, z, ahead);
        for (uint32_t t = 0; t < S; t++)
            p += ahead[t] *= dense.emission[t * X + x];
        for (uint32_t t = 0; t < S && p > 0; t++)
            ahead[t] /= p;
        weight[j] = p > 0 ? f->weight[j] : 0;
        possible = possible || p > 0;
        k[j] = future_k(look, action, j, z);
    }
    if (!possible)
        return impossible(op, action, x, i, error);
    asif_ce_tilt(op->b, k, weight, f->count, sigma, NULL);
    memset(next, 0, S * sizeof *next);
    for (uint32_t j = 0; j < f->count; j++)
        for (uint32_t t = 0; t < S && weight[j] > 0; t++)
            next[t] += sigma[j] * after[(uint64_t)j * S + t];
    return ASIF_OK;
}

asif_status asif_lookahead_step(const asif_lookahead *look, uint64_t n, const double *state,
                                const uint32_t *action, const uint32_t *observation, double *next,
                                asif_error *error) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    bool beliefs = op->successors->beliefs;
    uint64_t width = beliefs ? spec->states : 1;
    uint32_t seen = beliefs ? spec->observations : spec->states;
    double *scratch = ASIF_ARRAY(op->context, (3 + width) * spec->worlds, double);
    if (!scratch)
        return asif_fail_memory(error);
    asif_status status = ASIF_OK;
    for (uint64_t i = 0; i < n && status == ASIF_OK; i++) {
        const double *z = state + i * width;
        if (action[i] >= spec->actions || observation[i] >= seen) {
            status = asif_fail(error, ASIF_EDOMAIN, "an action or observation is out of range");
            fail_row(error, i);
            break;
        }
        status = check_state(op, z, error);
        if (status != ASIF_OK)
            fail_row(error, i);
        else
            status =
                beliefs ? step_belief(look, z, action[i], observation[i], i, scratch, next + i * width, error)
                        : step_state(op, z, action[i], observation[i], i, next + i * width, error);
    }
    asif_free(op->context, scratch);
    return status;
}
