/* Distribution matching: the imitator should have the same distribution as the demonstrator. It is the
 * discounted occupancy of states and actions, if states are observed; else that of histories up to a
 * horizon. */
#include "base/error.h"
#include "base/memory.h"
#include "inverse/evidence/features.h"
#include "inverse/evidence/history_cells.h"
#include "inverse/imitator.h"
#include "inverse/inverse.h"
#include "inverse/solve/divergence.h"
#include "inverse/solve/flow.h"
#include "logs/likelihood.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define NAME "distribution-matching"

/* Cells are [action][state]. */
typedef struct {
    const asif_context *context;
    bool seen; /* states are observed */
    asif_flow flow;
    asif_imitator imitator;
    asif_features features;
    bool ends;              /* there are terminal states, so that `ended` is one more cell */
    double *demonstrated;   /* [cells]: occupancy */
    double *features_there; /* [2][features.count]: demonstrated expectations, and differences */
    double *mu, *slope, *q; /* [cells] */
    double *bar;            /* [states][actions] */
    double *values;         /* [states] */
    asif_history_cells histories;
} matching;

/* ---- observed states ---- */

static double left_of(const double *mu, uint64_t cells) {
    double left = 1;
    for (uint64_t i = 0; i < cells; i++)
        left -= mu[i];
    return left > 0 ? left : 0;
}

/* Compute the divergence, and its derivative in every cell of mu. */
static double compare_cells(const matching *m, const asif_inverse_options *inverse_options) {
    uint64_t cells = m->features.cells;
    double total = 0, slope;
    for (uint64_t i = 0; i < cells; i++) {
        double q = m->mu[i];
        total += asif_divergence_part(inverse_options->divergence, m->demonstrated[i], q, log(q),
                                      inverse_options->weight, &slope);
        m->slope[i] = q > 0 ? slope / q : 0;
    }
    if (!m->ends || inverse_options->divergence == ASIF_DIVERGENCE_CONJUGATE)
        return total;
    double q = left_of(m->mu, cells);
    total += asif_divergence_part(inverse_options->divergence, left_of(m->demonstrated, cells), q, log(q),
                                  inverse_options->weight, &slope);
    for (uint64_t i = 0; i < cells && q > 0; i++)
        m->slope[i] -= slope / q;
    return total;
}

static double compare_features(const matching *m) {
    const asif_features *f = &m->features;
    double *apart = m->features_there + f->count, square = 0;
    asif_features_expect(f, m->mu, apart);
    for (uint32_t k = 0; k < f->count; k++) {
        apart[k] -= m->features_there[k];
        square += apart[k] * apart[k];
    }
    double distance = sqrt(square);
    memset(m->slope, 0, f->cells * sizeof *m->slope);
    for (uint32_t k = 0; k < f->count && distance > 0; k++)
        for (uint64_t i = f->offset[k]; i < f->offset[k + 1]; i++)
            m->slope[f->cell[i]] += apart[k] / distance * f->value[i];
    return distance;
}

/* The entropy term weight * -sum mu log pi; adds its derivative in mu. */
static double add_entropy(const matching *m, double weight) {
    const asif_imitator *p = &m->imitator;
    double sum = 0;
    for (uint32_t u = 0; u < p->actions; u++)
        for (uint32_t s = 0; s < p->states; s++) {
            uint64_t cell = (uint64_t)u * p->states + s, at = (uint64_t)s * p->actions + u;
            if (p->policy[at] > 0) {
                sum -= m->mu[cell] * p->log_policy[at];
                m->slope[cell] -= weight * p->log_policy[at];
            }
        }
    return weight * sum;
}

/* Turn derivatives in mu into those in the log-policy: mu Q, where Q is the value of actions if the
 * derivatives are the utility. */
static asif_status pull_occupancy(matching *m, double entropy, asif_error *error) {
    const asif_imitator *p = &m->imitator;
    double *reward = m->values;
    memset(reward, 0, p->states * sizeof *reward);
    for (uint32_t u = 0; u < p->actions; u++)
        for (uint32_t s = 0; s < p->states; s++)
            reward[s] += p->policy[(uint64_t)s * p->actions + u] * m->slope[(uint64_t)u * p->states + s];
    ASIF_TRY(asif_flow_values(&m->flow, p->policy, reward, m->values, error));
    asif_flow_q(&m->flow, m->slope, m->values, m->q);
    for (uint32_t u = 0; u < p->actions; u++)
        for (uint32_t s = 0; s < p->states; s++) {
            uint64_t cell = (uint64_t)u * p->states + s;
            m->bar[(uint64_t)s * p->actions + u] = m->mu[cell] * (m->q[cell] - entropy);
        }
    return ASIF_OK;
}

static asif_status match_occupancy(double *value, asif_theta_gradient *gradient,
                                   const asif_behavior *behavior, const asif_inverse_options *inverse_options,
                                   matching *m, asif_error *error) {
    ASIF_TRY(asif_imitator_ask(&m->imitator, behavior, error));
    ASIF_TRY(asif_flow_occupancy(&m->flow, m->imitator.policy, NULL, m->mu, error));
    *value = -(inverse_options->divergence == ASIF_DIVERGENCE_FEATURES ? compare_features(m)
                                                                       : compare_cells(m, inverse_options));
    for (uint64_t i = 0; i < m->features.cells; i++)
        m->slope[i] = -m->slope[i];
    if (inverse_options->entropy != 0)
        *value += add_entropy(m, inverse_options->entropy);
    if (!gradient || !isfinite(*value))
        return ASIF_OK;
    ASIF_TRY(pull_occupancy(m, inverse_options->entropy, error));
    return asif_imitator_pull(&m->imitator, behavior, m->bar, gradient, error);
}

/* ---- histories ---- */

typedef struct {
    asif_loglik_walk walk;
    double *path;      /* [nodes] */
    double *log, *bar; /* [cells], [nodes][actions] */
} histories_room;

static double compare_histories(const asif_history_cells *c, const asif_inverse_options *inverse_options,
                                double *log) {
    double total = 0, left = 1, slope;
    for (uint64_t i = 0; i < c->cells; i++)
        left -= exp(log[i]);
    left = left > 0 ? left : 0;
    /* Histories that are not in the logs are one more cell, which has the rest of the probability. */
    total += asif_divergence_part(inverse_options->divergence, 0, left, left > 0 ? 0 : -INFINITY,
                                  inverse_options->weight, &slope);
    double from_left = left > 0 ? slope / left : 0;
    for (uint64_t i = 0; i < c->cells; i++) {
        double q = exp(log[i]);
        total += asif_divergence_part(inverse_options->divergence, c->share[i], q, log[i],
                                      inverse_options->weight, &slope);
        log[i] = -(slope - q * from_left);
    }
    return total;
}

static asif_status compare_walk(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                                const asif_inverse_input *evidence, const matching *m,
                                const histories_room *r, asif_error *error) {
    double ignored;
    ASIF_TRY(asif_loglik_keep(&ignored, behavior, evidence->tree, NULL, &r->walk, error));
    asif_history_cells_logs(&m->histories, evidence->tree, r->walk.log_policy, r->path, r->log);
    *value = -compare_histories(&m->histories, evidence->inverse_options, r->log);
    if (!gradient || !isfinite(*value))
        return ASIF_OK;
    asif_history_cells_pull(&m->histories, evidence->tree, r->log, r->bar);
    return asif_loglik_gradient(&ignored, gradient, behavior, evidence->tree, r->bar, error);
}

static asif_status match_histories(double *value, asif_theta_gradient *gradient, const asif_behavior *b,
                                   const asif_inverse_input *evidence, const matching *m, asif_error *error) {
    const asif_history_cells *c = &m->histories;
    histories_room r = {{ASIF_ARRAY(m->context, c->nodes * b->width, double),
                         ASIF_ARRAY(m->context, c->nodes * b->memo_width, double),
                         ASIF_ARRAY(m->context, c->nodes * c->actions, double)},
                        ASIF_ARRAY(m->context, c->nodes, double),
                        ASIF_ARRAY(m->context, c->cells, double),
                        ASIF_ARRAY(m->context, c->nodes * c->actions, double)};
    bool made = r.walk.state && r.walk.memo && r.walk.log_policy && r.path && r.log && r.bar;
    asif_status status =
        made ? compare_walk(value, gradient, b, evidence, m, &r, error) : asif_fail_memory(error);
    void *const rooms[] = {r.walk.state, r.walk.memo, r.walk.log_policy, r.path, r.log, r.bar};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        asif_free(m->context, rooms[i]);
    return status;
}

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    matching *m = own;
    return m->seen ? match_occupancy(value, gradient, behavior, evidence->inverse_options, m, error)
                   : match_histories(value, gradient, behavior, evidence, m, error);
}

/* ---- the evidence ---- */

/* Check that KL(imitator || demonstrator) is finite: the imitator must not do what the demonstrator never
 * did. */
static asif_status check_support(const matching *m, const asif_setting *setting, const double *policy,
                                 const double *prior, asif_error *error) {
    uint32_t S = m->flow.states, U = m->flow.actions;
    char action[ASIF_LABEL_SIZE], state[ASIF_LABEL_SIZE];
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t u = 0; u < U; u++) {
            double there = 0;
            for (uint32_t k = 0; k < U; k++)
                there += m->demonstrated[(uint64_t)k * S + s];
            if (!(there > 0) || policy[(uint64_t)s * U + u] > 0 || prior[u] == 0)
                continue;
            asif_fail(error, ASIF_EUNSUPPORTED,
                      "the divergence reverse-kl is infinite: nobody chose '%s' in '%s'",
                      asif_setting_label(setting, ASIF_LABEL_ACTION, u, action),
                      asif_setting_label(setting, ASIF_LABEL_STATE, s, state));
            asif_error_hint(error, "take the divergence kl or js");
            return ASIF_EUNSUPPORTED;
        }
    return ASIF_OK;
}

static asif_status demonstrate(matching *m, const asif_setting *setting, const asif_inverse_input *evidence,
                               asif_error *error) {
    const asif_theta *given = asif_estimates_given(evidence->estimates);
    asif_demonstrated(evidence->tree, evidence->count, m->bar, NULL);
    ASIF_TRY(asif_flow_occupancy(&m->flow, m->bar, NULL, m->demonstrated, error));
    if (evidence->inverse_options->divergence == ASIF_DIVERGENCE_REVERSE_KL)
        ASIF_TRY(
            check_support(m, setting, m->bar, asif_theta_distribution(given, ASIF_ACTION_PRIOR, 0), error));
    if (m->features_there)
        asif_features_expect(&m->features, m->demonstrated, m->features_there);
    return ASIF_OK;
}

static asif_status prepare_occupancy(matching *m, const asif_setting *setting,
                                     const asif_inverse_input *evidence, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t cells = (uint64_t)spec->states * spec->actions;
    ASIF_TRY(asif_flow_create(&m->flow, m->context, setting, error));
    ASIF_TRY(asif_imitator_create(&m->imitator, m->context, setting, error));
    m->features.cells = cells;
    for (uint32_t s = 0; s < spec->states; s++)
        m->ends = m->ends || (spec->terminal && spec->terminal[s]);
    if (evidence->inverse_options->divergence == ASIF_DIVERGENCE_FEATURES) {
        ASIF_TRY(asif_features_create(&m->features, m->context, setting, evidence->estimates,
                                      NAME " by features", error));
        m->features_there = ASIF_ARRAY(m->context, 2 * (uint64_t)m->features.count, double);
        if (!m->features_there)
            return asif_fail_memory(error);
    }
    double **const rooms[] = {&m->demonstrated, &m->mu, &m->slope, &m->q, &m->bar};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        *rooms[i] = ASIF_ARRAY(m->context, cells, double);
        if (!*rooms[i])
            return asif_fail_memory(error);
    }
    m->values = ASIF_ARRAY(m->context, spec->states, double);
    return m->values ? demonstrate(m, setting, evidence, error) : asif_fail_memory(error);
}

/* Refuse options that would need every history that is not in the logs. */
static asif_status prepare_histories(matching *m, const asif_setting *setting,
                                     const asif_inverse_input *evidence, asif_error *error) {
    const asif_inverse_options *inverse_options = evidence->inverse_options;
    const struct {
        bool asked;
        const char *why, *hint;
    } rows[] = {
        {inverse_options->divergence == ASIF_DIVERGENCE_REVERSE_KL,
         "the divergence reverse-kl of histories is infinite: agents have some that nobody had",
         "take the divergence kl, js or tv"},
        {inverse_options->divergence == ASIF_DIVERGENCE_FEATURES,
         "the divergence features needs states that are seen", "take the divergence kl, js or tv"},
        {inverse_options->entropy != 0, "a weight of the entropy needs states that are seen",
         "leave `entropy` out"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].asked) {
            asif_fail(error, ASIF_EUNSUPPORTED, "%s", rows[i].why);
            asif_error_hint(error, "%s", rows[i].hint);
            return ASIF_EUNSUPPORTED;
        }
    return asif_history_cells_create(&m->histories, m->context, setting, evidence->tree, evidence->count,
                                     inverse_options->horizon, error);
}

static void release(void *own) {
    matching *m = own;
    if (!m)
        return;
    void *const arrays[] = {m->demonstrated, m->features_there, m->mu, m->slope, m->q, m->bar, m->values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(m->context, arrays[i]);
    const asif_context *context = m->context;
    if (m->flow.context)
        asif_flow_free(&m->flow);
    if (m->imitator.context)
        asif_imitator_free(&m->imitator);
    if (m->features.context)
        asif_features_free(&m->features);
    if (m->histories.context)
        asif_history_cells_free(&m->histories);
    asif_free(context, m);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    ASIF_TRY(asif_loglik_check(behavior, evidence->tree, error));
    if (behavior->pullback)
        ASIF_TRY(asif_estimates_can_act(evidence->estimates, error));
    matching *m = *own = ASIF_NEW(behavior->context, matching);
    if (!m)
        return asif_fail_memory(error);
    m->context = behavior->context;
    m->seen = asif_setting_get(behavior->setting)->observations == 0;
    return m->seen ? prepare_occupancy(m, behavior->setting, evidence, error)
                   : prepare_histories(m, behavior->setting, evidence, error);
}

const asif_inverse_ops asif_inverse_distribution_matching = {
    .info = {.name = "distribution-matching",
             .summary = "has the agent see and do the same things as often",
             .sees = ASIF_SEES_STATES | ASIF_SEES_BELIEFS,
             .paper = "Distribution Matching"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
};
