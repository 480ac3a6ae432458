/* Regularised maximum margin: the utility, kept small, under which the demonstrator falls least short of the
 * best value with some entropy. It is min over x of (1 - discount) E V - <mu_E, v> + c/2 |x|^2, maximised
 * with the other sign. */
#include "base/error.h"
#include "base/memory.h"
#include "inverse/evidence/features.h"
#include "inverse/imitator.h"
#include "inverse/inverse.h"
#include "inverse/solve/flow.h"
#include "logs/likelihood.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define NAME "regularized-maximum-margin"
#define AT_OPTIMUM 1e-9 /* over the largest utility: derivatives in the policy are smaller at an optimum */

/* Cells are [action][state]. */
typedef struct {
    const asif_context *context;
    asif_flow flow; /* in the world that the agent believes in */
    asif_features features;
    asif_imitator imitator;
    double alpha; /* alpha of planning */
    bool acts_as_planned;
    double *log_prior;           /* [actions] */
    double *policy;              /* [state][action]: policy by which the agent plans */
    double *cost;                /* the same: alpha log(policy / prior) */
    double *demonstrated;        /* [cells]: occupancy */
    double *v, *mu, *reward, *q; /* [cells] */
    double *bar;                 /* [states][actions] */
    double *values;              /* [states] */
    double *x, *expected;        /* [features.count] */
} margin;

/* Compute the policy by which the agent plans, from its values of the actions in a state: pi0 exp(Q / alpha),
 * or the best actions. */
static void plan_in_state(const margin *m, const double *q, double *policy, double *cost) {
    uint32_t U = m->flow.actions;
    double most = -INFINITY, sum = 0;
    for (uint32_t u = 0; u < U; u++)
        if (isfinite(m->log_prior[u]) && q[u] > most)
            most = q[u];
    for (uint32_t u = 0; u < U; u++) {
        double gap = q[u] < most ? (q[u] - most) / m->alpha : 0;
        sum += policy[u] = isfinite(m->log_prior[u]) ? exp(m->log_prior[u] + gap) : 0;
        cost[u] = policy[u] > 0 ? gap : 0;
    }
    for (uint32_t u = 0; u < U; u++) {
        policy[u] /= sum;
        cost[u] = isfinite(m->alpha) ? m->alpha * (cost[u] - log(sum)) : 0;
    }
}

static asif_status find_policy(margin *m, const asif_behavior *behavior, asif_error *error) {
    uint32_t U = m->flow.actions;
    asif_view view = {.struct_size = sizeof view, .q = m->bar};
    ASIF_TRY(asif_imitator_ask(&m->imitator, behavior, error));
    ASIF_TRY(behavior->ops->look(behavior->self, m->flow.states, m->imitator.state, &view, error));
    for (uint64_t s = 0; s < m->flow.states; s++)
        plan_in_state(m, m->bar + s * U, m->policy + s * U, m->cost + s * U);
    return ASIF_OK;
}

/* Compute the derivatives of the agent's value in its log-policy. *best: they vanish, as they do at the
 * optimum; a planner that stops before its values are final leaves some. */
static asif_status find_slack(margin *m, bool *best, asif_error *error) {
    uint32_t S = m->flow.states, U = m->flow.actions;
    double worst = 0, largest = 1;
    memset(m->values, 0, S * sizeof *m->values);
    for (uint32_t u = 0; u < U; u++)
        for (uint32_t s = 0; s < S; s++)
            m->values[s] += m->policy[(uint64_t)s * U + u] * m->reward[(uint64_t)u * S + s];
    ASIF_TRY(asif_flow_values(&m->flow, m->policy, m->values, m->values, error));
    asif_flow_q(&m->flow, m->reward, m->values, m->q);
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t u = 0; u < U; u++) {
            uint64_t cell = (uint64_t)u * S + s, at = (uint64_t)s * U + u;
            /* a term that is the same for all actions of a state has no effect */
            m->bar[at] = -m->mu[cell] * (m->q[cell] - m->values[s]);
            worst = fmax(worst, fabs(m->bar[at]));
            largest = fmax(largest, fabs(m->v[cell]));
        }
    *best = worst <= AT_OPTIMUM * largest;
    return ASIF_OK;
}

static asif_status find_gradient(margin *m, asif_theta_gradient *gradient, const asif_behavior *behavior,
                                 double weight, asif_error *error) {
    bool best = true;
    asif_theta_gradient_clear(gradient, behavior->setting);
    if (m->alpha > 0 && isfinite(m->alpha) && m->acts_as_planned)
        ASIF_TRY(find_slack(m, &best, error));
    if (!best)
        ASIF_TRY(asif_imitator_pull(&m->imitator, behavior, m->bar, gradient, error));
    for (uint64_t i = 0; i < m->features.cells; i++)
        m->q[i] = m->demonstrated[i] - m->mu[i];
    asif_features_expect(&m->features, m->q, m->expected);
    for (uint32_t k = 0; k < m->features.count; k++)
        gradient->utility[m->features.which[k]] += m->expected[k] - weight * m->x[k];
    return ASIF_OK;
}

/* Compute the objective. (1 - discount) E V is computed as <mu, v - alpha log(pi/pi0)> of the policy by which
 * the agent plans. At the optimum both are the same, and the tolerance of the solver matters only to second
 * order. */
static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    margin *m = own;
    double weight = evidence->inverse_options->weight, sum = 0;
    asif_features_gather(&m->features, asif_theta_utilities(behavior->theta), m->x);
    asif_features_utility(&m->features, m->x, m->v);
    ASIF_TRY(find_policy(m, behavior, error));
    ASIF_TRY(asif_flow_occupancy(&m->flow, m->policy, NULL, m->mu, error));
    for (uint32_t u = 0; u < m->flow.actions; u++)
        for (uint32_t s = 0; s < m->flow.states; s++) {
            uint64_t cell = (uint64_t)u * m->flow.states + s;
            m->reward[cell] = m->v[cell] - m->cost[(uint64_t)s * m->flow.actions + u];
        }
    for (uint64_t i = 0; i < m->features.cells; i++)
        sum += m->mu[i] * m->reward[i] - m->demonstrated[i] * m->v[i];
    for (uint32_t k = 0; k < m->features.count; k++)
        sum += weight / 2 * m->x[k] * m->x[k];
    *value = -sum;
    return gradient ? find_gradient(m, gradient, behavior, weight, error) : ASIF_OK;
}

/* ---- the evidence ---- */

/* Refuse agents for which the objective has no meaning: it compares the demonstrator with the best policy, in
 * the one world that the agent believes in. */
static asif_status check_agent(const asif_setting *setting, const asif_theta *given, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    const struct {
        bool wrong;
        const char *why, *hint;
    } rows[] = {
        {given->a < 0 || (given->a == 0 && signbit(given->a)), "minimises its utility",
         "give `alpha` a number that is not negative"},
        {given->eta != 0, "has a cost of recognition", "leave `eta` out"},
        {spec->worlds > 1, "has several worlds", "give it one world, or leave `worlds` out"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].wrong) {
            asif_fail(error, ASIF_EUNSUPPORTED, "%s is not for an agent that %s", NAME, rows[i].why);
            asif_error_hint(error, "%s", rows[i].hint);
            return ASIF_EUNSUPPORTED;
        }
    return ASIF_OK;
}

static asif_status fill(margin *m, const asif_setting *setting, const asif_inverse_input *evidence,
                        asif_error *error) {
    const asif_theta *given = asif_estimates_given(evidence->estimates);
    ASIF_TRY(asif_features_create(&m->features, m->context, setting, evidence->estimates, NAME, error));
    ASIF_TRY(asif_flow_create(&m->flow, m->context, setting, error));
    ASIF_TRY(asif_imitator_create(&m->imitator, m->context, setting, error));
    m->flow.world = 0;
    m->flow.discount = given->discount;
    m->acts_as_planned = isnan(given->a_act) || given->a_act == given->a;
    m->alpha = 1 / given->a;
    double **const rooms[] = {&m->demonstrated, &m->v,    &m->mu, &m->reward, &m->q,
                              &m->policy,       &m->cost, &m->bar};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        *rooms[i] = ASIF_ARRAY(m->context, m->features.cells, double);
        if (!*rooms[i])
            return asif_fail_memory(error);
    }
    m->log_prior = ASIF_ARRAY(m->context, m->flow.actions, double);
    m->values = ASIF_ARRAY(m->context, m->flow.states, double);
    m->x = ASIF_ARRAY(m->context, m->features.count, double);
    m->expected = ASIF_ARRAY(m->context, m->features.count, double);
    if (!m->log_prior || !m->values || !m->x || !m->expected)
        return asif_fail_memory(error);
    const double *prior = asif_theta_distribution(given, ASIF_ACTION_PRIOR, 0);
    for (uint32_t u = 0; u < m->flow.actions; u++)
        m->log_prior[u] = log(prior[u]);
    asif_demonstrated(evidence->tree, evidence->count, m->bar, NULL);
    return asif_flow_occupancy(&m->flow, m->bar, NULL, m->demonstrated, error);
}

static void release(void *own) {
    margin *m = own;
    if (!m)
        return;
    void *const arrays[] = {m->log_prior, m->policy, m->cost, m->demonstrated, m->v, m->mu,
                            m->reward,    m->q,      m->bar,  m->values,       m->x, m->expected};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(m->context, arrays[i]);
    if (m->flow.context)
        asif_flow_free(&m->flow);
    if (m->features.context)
        asif_features_free(&m->features);
    if (m->imitator.context)
        asif_imitator_free(&m->imitator);
    asif_free(m->context, m);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    ASIF_TRY(asif_loglik_check(behavior, evidence->tree, error));
    ASIF_TRY(check_agent(behavior->setting, asif_estimates_given(evidence->estimates), error));
    margin *m = *own = ASIF_NEW(behavior->context, margin);
    if (!m)
        return asif_fail_memory(error);
    m->context = behavior->context;
    return fill(m, behavior->setting, evidence, error);
}

const asif_inverse_ops asif_inverse_regularized_maximum_margin = {
    .info = {.name = NAME,
             .summary = "finds the smallest utility by which what was done falls least short of the best",
             .wants = ASIF_GIVES_VALUES,
             .sees = ASIF_SEES_STATES,
             .purposeful = true,
             .paper = "Regularized Max. Margin"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
};
