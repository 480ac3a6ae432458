/* Lapses: with the probability `lapse` of its theta, an agent draws its action from its action prior; else it
 * acts as it planned. Planning does not foresee lapses, and what the agent learns from an observation does
 * not depend on why it acted. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "setting/setting.h"

#include <float.h>
#include <math.h>

static double lapse_of(const asif_behavior *b) {
    return b->theta ? b->theta->lapse : 0;
}

/* The probability of an action of an agent that lapses. `share` is that of the actions that it can take in
 * the action prior, and 0 until it is known. */
static double lapsed(const asif_behavior *b, const double *state, uint64_t u, double *share) {
    const asif_setting_spec *spec = asif_setting_get(b->setting);
    const double *prior = b->theta->action_prior;
    uint32_t place = spec->available ? (uint32_t)state[0] : 0;
    if (!spec->available)
        return prior[u];
    if (*share == 0)
        *share = asif_prior_available(spec, place, prior);
    return asif_is_available(spec, place, (uint32_t)u) ? prior[u] / *share : 0;
}

static void mix(const asif_behavior *b, uint64_t n, const double *state, double *log_policy) {
    const asif_simd *simd = b->context->simd;
    uint64_t U = asif_setting_get(b->setting)->actions;
    double e = lapse_of(b);
    if (!(e > 0))
        return;
    simd->exp(log_policy, log_policy, n * U);
    for (uint64_t i = 0; i < n; i++) {
        double share = 0;
        for (uint64_t u = 0; u < U; u++)
            log_policy[i * U + u] =
                (1 - e) * log_policy[i * U + u] + e * lapsed(b, state + i * b->width, u, &share);
    }
    simd->log(log_policy, log_policy, n * U);
}

void asif_lapse_mix_view(const asif_behavior *b, uint64_t n, const double *state, const asif_view *view) {
    uint64_t U = asif_setting_get(b->setting)->actions;
    double e = lapse_of(b), share = 0;
    for (uint64_t k = 0; e > 0 && view->policy && k < n * U; k++) {
        share = k % U ? share : 0;
        view->policy[k] = (1 - e) * view->policy[k] + e * lapsed(b, state + k / U * b->width, k % U, &share);
    }
    if (view->log_policy)
        mix(b, n, state, view->log_policy);
}

asif_status asif_policies(const asif_behavior *b, uint64_t n, const double *state, double *log_policy,
                          double *memo, asif_error *error) {
    ASIF_TRY(b->ops->log_policy(b->self, n, state, log_policy, memo, error));
    mix(b, n, state, log_policy);
    return ASIF_OK;
}

/* pi = (p - e p0) / (1 - e), from the probability p of an action with lapses; at least 0. */
static double planned(double p, double e, double prior) {
    return fmax(0, (p - e * prior) / (1 - e));
}

/* From the bar of what lapsed() gives to the action prior. */
static void pull_prior(const asif_behavior *b, const double *state, uint64_t action, double share, double bar,
                       double *prior) {
    const asif_setting_spec *spec = asif_setting_get(b->setting);
    if (!spec->available) {
        prior[action] += bar;
        return;
    }
    prior[action] += bar / share;
    for (uint32_t u = 0; u < spec->actions; u++)
        if (asif_is_available(spec, (uint32_t)state[0], u))
            prior[u] -= bar * b->theta->action_prior[action] / (share * share);
}

asif_status asif_policies_pull(const asif_behavior *b, uint64_t n, const double *state,
                               const double *log_policy, const double *memo, const double *policy_bar,
                               const double *memo_bar, double *state_bar, asif_lapse_bars *bars,
                               asif_error *error) {
    double e = lapse_of(b);
    if (!(e > 0))
        return b->pullback->log_policy(b->self, n, state, log_policy, memo, policy_bar, memo_bar, state_bar,
                                       error);
    uint64_t U = asif_setting_get(b->setting)->actions;
    double share = 0;
    double *own = ASIF_ARRAY(b->context, n * U, double), *own_bar = ASIF_ARRAY(b->context, n * U, double);
    asif_status status = own && own_bar ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t k = 0; status == ASIF_OK && k < n * U; k++) {
        share = k % U ? share : 0;
        double prior = lapsed(b, state + k / U * b->width, k % U, &share), p = exp(log_policy[k]),
               pi = planned(p, e, prior);
        /* Where pi is lost in rounding, so is its share of every derivative: any finite logarithm will do. */
        own[k] = prior > 0 ? log(fmax(pi, DBL_MIN)) : log_policy[k];
        if (policy_bar[k] == 0)
            continue;
        own_bar[k] = policy_bar[k] * (1 - e) * pi / p;
        bars->lapse += policy_bar[k] * (prior - pi) / p;
        pull_prior(b, state + k / U * b->width, k % U, share, policy_bar[k] * e / p, bars->prior);
    }
    if (status == ASIF_OK)
        status = b->pullback->log_policy(b->self, n, state, own, memo, own_bar, memo_bar, state_bar, error);
    asif_free(b->context, own);
    asif_free(b->context, own_bar);
    return status;
}

void asif_lapse_add(asif_theta_gradient *gradient, const asif_behavior *b, const asif_lapse_bars *bars) {
    gradient->lapse = bars->lapse;
    for (uint32_t u = 0; lapse_of(b) > 0 && u < asif_setting_get(b->setting)->actions; u++)
        gradient->action_prior[u] += bars->prior[u];
}

void asif_policies_many(const asif_many_behavior *b, uint32_t n, const double *state, uint64_t stride,
                        double *log_policy, uint64_t policy_stride, double *memo, double *room) {
    b->ops->log_policy(b->self, n, state, stride, log_policy, policy_stride, memo);
    bool any = false;
    for (uint32_t k = 0; k < b->agents; k++)
        any = any || b->theta[k]->lapse > 0;
    const asif_simd *simd = b->context->simd;
    uint64_t row = (uint64_t)n * b->lanes;
    for (uint64_t u = 0; any && u < asif_setting_get(b->setting)->actions; u++) {
        double *out = log_policy + u * policy_stride;
        simd->exp(room, out, row);
        for (uint32_t k = 0; k < b->agents; k++) {
            double e = b->theta[k]->lapse, prior = b->theta[k]->action_prior[u];
            for (uint64_t i = k; i < row; i += b->lanes)
                room[i] = (1 - e) * room[i] + e * prior;
        }
        simd->log(room, room, row);
        /* Agents without lapses keep the bits that they have alone. */
        for (uint32_t k = 0; k < b->agents; k++)
            for (uint64_t i = k; b->theta[k]->lapse > 0 && i < row; i += b->lanes)
                out[i] = room[i];
    }
}
