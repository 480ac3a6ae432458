#include "acting/bayes/bayes.h"

#include "base/error.h"
#include "base/memory.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

static bool concerns(uint32_t which, uint32_t i) {
    return which == ASIF_ANY || which == i;
}

static double amount(const asif_bayes_model *m, const asif_utility_term *term) {
    return term->coefficient * (term->parameter == ASIF_ANY ? 1 : m->utility[term->parameter]);
}

static const asif_matrix *moves(const asif_bayes_model *m, uint32_t k, uint32_t i) {
    return asif_transitions(m->setting, m->world[k], m->action[i]);
}

static const asif_matrix *shows(const asif_bayes_model *m, uint32_t k, uint32_t i) {
    return asif_emissions(m->setting, m->world[k], m->action[i]);
}

static bool ends(const asif_bayes_model *m, uint32_t i) {
    return m->spec->ends[m->action[i]];
}

/* ---- what follows a pair (state, world) ---- */

void asif_bayes_expect(const asif_bayes_model *m, uint32_t i, const double *value, double *out) {
    uint32_t S = m->spec->states;
    uint64_t e, end;
    for (uint32_t s = 0; s < S; s++) {
        double mixed = 0;
        for (uint32_t k = 0; k < m->worlds; k++) {
            const asif_matrix *t = moves(m, k, i);
            double sum = 0;
            for (asif_matrix_row(t, s, &e, &end); e < end && !m->spec->terminal[s]; e++)
                sum += t->value[e] * value[(uint64_t)k * S + t->column[e]];
            out[(uint64_t)k * S + s] = sum;
            mixed += m->weight[k] * sum;
        }
        for (uint32_t k = 0; ends(m, i) && k < m->worlds; k++)
            out[(uint64_t)k * S + s] = mixed;
    }
}

/* Set out [worlds][states] to the expected utility of the observation in the pair to which an action
 * leads. */
static void expect_seen(const asif_bayes_model *m, uint32_t i, double *out) {
    uint32_t S = m->spec->states;
    uint64_t e, end;
    memset(out, 0, (uint64_t)m->worlds * S * sizeof *out);
    for (uint64_t n = 0; m->spec->observations && n < m->spec->terms; n++) {
        const asif_utility_term *term = &m->spec->term[n];
        if (term->by != ASIF_BY_OBSERVATION || !concerns(term->action, m->action[i]))
            continue;
        for (uint64_t h = 0; h < (uint64_t)m->worlds * S; h++) {
            const asif_matrix *o = shows(m, (uint32_t)(h / S), i);
            for (asif_matrix_row(o, (uint32_t)(h % S), &e, &end); e < end; e++)
                out[h] += concerns(term->index, o->column[e]) ? amount(m, term) * o->value[e] : 0;
        }
    }
}

static void fill_gains(asif_bayes_model *m) {
    uint32_t S = m->spec->states;
    uint64_t pairs = (uint64_t)m->worlds * S;
    for (uint32_t i = 0; i < m->actions; i++) {
        double *gain = m->gain + i * pairs;
        expect_seen(m, i, m->ahead);
        asif_bayes_expect(m, i, m->ahead, gain);
        for (uint64_t h = 0; h < pairs; h++)
            gain[h] += m->spec->utility ? m->spec->utility[(uint64_t)m->action[i] * S + h % S] : 0;
        for (uint64_t n = 0; n < m->spec->terms; n++) {
            const asif_utility_term *term = &m->spec->term[n];
            if (!concerns(term->action, m->action[i]))
                continue;
            for (uint64_t h = 0; term->by == ASIF_BY_STATE && h < pairs; h++)
                gain[h] += concerns(term->index, (uint32_t)(h % S)) ? amount(m, term) : 0;
            if (term->by == ASIF_BY_BELIEF) {
                m->term_low[i] += fmin(0, amount(m, term));
                m->term_up[i] += fmax(0, amount(m, term));
            }
        }
    }
}

/* ---- life ---- */

static bool same_rows(const asif_matrix *t) {
    uint64_t length = t->offset[1];
    for (uint32_t s = 1; !t->same_rows && s < t->rows; s++) {
        uint64_t begin = t->offset[s];
        if (t->offset[s + 1] - begin != length ||
            memcmp(t->column, t->column + begin, length * sizeof *t->column) != 0 ||
            memcmp(t->value, t->value + begin, length * sizeof *t->value) != 0)
            return false;
    }
    return true;
}

static void find_renewals(asif_bayes_model *m) {
    for (uint32_t i = 0; i < m->actions; i++) {
        m->renews[i] = ends(m, i);
        for (uint32_t k = 0; k < m->worlds; k++)
            m->renews[i] &= same_rows(moves(m, k, i));
        for (uint32_t s = 0; s < m->spec->states; s++)
            m->renews[i] &= !m->spec->terminal[s];
    }
}

static void choose(asif_bayes_model *m, const asif_theta *theta) {
    for (uint32_t w = 0; w < m->spec->worlds; w++)
        if (theta->world_weights[w] > 0) {
            m->world[m->worlds] = w;
            m->weight[m->worlds++] = theta->world_weights[w];
        }
    for (uint32_t u = 0; u < m->spec->actions; u++)
        if (theta->action_prior[u] > 0) {
            m->action[m->actions] = u;
            m->prior[m->actions++] = theta->action_prior[u];
        }
}

asif_status asif_bayes_model_create(asif_bayes_model *m, const asif_context *c, const asif_setting *setting,
                                    const asif_theta *theta, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t S = spec->states, U = spec->actions, M = spec->worlds;
    *m = (asif_bayes_model){.context = c,
                            .setting = setting,
                            .spec = spec,
                            .seen = spec->observations == 0,
                            .discount = theta->discount,
                            .utility = theta->utility,
                            .start = theta->start};
    ASIF_TRY(asif_setting_endless(spec, "an agent that learns its world", error));
    ASIF_TRY(asif_theta_complete(theta, error));
    asif_status spanned = asif_utility_span(&m->span, c, setting, theta->utility, NULL);
    if (spanned == ASIF_ENOMEM)
        return asif_fail_memory(error);
    if (spanned != ASIF_OK) /* every action has the same utility */
        m->span = 1;
    m->world = ASIF_ARRAY(c, M, uint32_t);
    m->weight = ASIF_ARRAY(c, M, double);
    m->action = ASIF_ARRAY(c, U, uint32_t);
    m->prior = ASIF_ARRAY(c, U, double);
    m->gain = ASIF_ARRAY(c, U * M * S, double);
    m->term_low = ASIF_ARRAY(c, 2 * U, double);
    m->renews = ASIF_ARRAY(c, U, bool);
    m->ahead = ASIF_ARRAY(c, M * S, double);
    m->place = ASIF_ARRAY(c, S, uint32_t);
    if (!m->world || !m->weight || !m->action || !m->prior || !m->gain || !m->term_low || !m->renews ||
        !m->ahead || !m->place)
        return asif_fail_memory(error);
    m->term_up = m->term_low + U;
    choose(m, theta);
    m->width = m->seen ? m->worlds + 1 : m->worlds * spec->states;
    m->most = m->seen ? spec->states : spec->observations;
    for (uint64_t s = 0; s < S; s++)
        m->place[s] = ASIF_ANY;
    fill_gains(m);
    find_renewals(m);
    return ASIF_OK;
}

void asif_bayes_model_free(asif_bayes_model *m) {
    void *const arrays[] = {m->world,    m->weight, m->action, m->prior, m->gain,
                            m->term_low, m->renews, m->ahead,  m->place};
    for (size_t i = 0; m->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(m->context, arrays[i]);
    *m = (asif_bayes_model){0};
}

/* ---- beliefs ---- */

void asif_bayes_begin(const asif_bayes_model *m, uint32_t start, uint32_t state, double *belief) {
    uint32_t S = m->spec->states;
    if (m->seen) {
        belief[0] = state;
        memcpy(belief + 1, m->weight, m->worlds * sizeof *belief);
        return;
    }
    for (uint32_t k = 0; k < m->worlds; k++)
        for (uint32_t s = 0; s < S; s++)
            belief[(uint64_t)k * S + s] = m->weight[k] * m->start[(uint64_t)start * S + s];
}

void asif_bayes_marginal(const asif_bayes_model *m, const double *belief, double *marginal) {
    uint32_t S = m->spec->states;
    memset(marginal, 0, S * sizeof *marginal);
    if (m->seen) {
        marginal[(uint32_t)belief[0]] = 1;
        return;
    }
    for (uint64_t h = 0; h < m->width; h++)
        marginal[h % S] += belief[h];
}

static double belief_terms(const asif_bayes_model *m, uint32_t i, const double *marginal) {
    double sum = 0;
    for (uint64_t n = 0; n < m->spec->terms; n++) {
        const asif_utility_term *term = &m->spec->term[n];
        if (term->by == ASIF_BY_BELIEF && concerns(term->action, m->action[i]))
            sum +=
                asif_term_share(term, asif_term_measure(term, marginal, m->spec->states)) * amount(m, term);
    }
    return sum;
}

void asif_bayes_rewards(const asif_bayes_model *m, const double *belief, const double *marginal,
                        double *reward) {
    uint64_t S = m->spec->states, pairs = m->worlds * S;
    for (uint32_t i = 0; i < m->actions; i++) {
        const double *gain = m->gain + i * pairs;
        double sum = 0;
        for (uint32_t k = 0; m->seen && k < m->worlds; k++)
            sum += belief[1 + k] * gain[k * S + (uint64_t)belief[0]];
        for (uint64_t h = 0; !m->seen && h < pairs; h++)
            sum += belief[h] * gain[h];
        if (m->term_low[i] < 0 || m->term_up[i] > 0)
            sum += belief_terms(m, i, marginal);
        reward[i] = sum;
    }
}

/* ---- what follows a belief ---- */

/* Set m->ahead to the distribution of the pair after the i-th action, before the observation. */
static void predict(asif_bayes_model *m, const double *belief, uint32_t i) {
    uint32_t S = m->spec->states;
    uint64_t e, end;
    memset(m->ahead, 0, m->width * sizeof *m->ahead);
    for (uint32_t s = 0; s < S; s++) {
        double all = 0;
        for (uint32_t k = 0; k < m->worlds; k++)
            all += belief[(uint64_t)k * S + s];
        for (uint32_t k = 0; k < m->worlds && all > 0; k++) {
            const asif_matrix *t = moves(m, k, i);
            double from = ends(m, i) ? m->weight[k] * all : belief[(uint64_t)k * S + s];
            for (asif_matrix_row(t, s, &e, &end); e < end; e++)
                m->ahead[(uint64_t)k * S + t->column[e]] += from * t->value[e];
        }
    }
}

/* Divide by the sum; returns it. */
static double normalise(double *x, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i];
    for (uint32_t i = 0; sum > 0 && i < n; i++)
        x[i] /= sum;
    return sum;
}

static uint32_t follow_hidden(asif_bayes_model *m, const double *belief, uint32_t i, uint32_t *label,
                              double *probability, double *next) {
    uint32_t S = m->spec->states, X = m->spec->observations, count = 0;
    uint64_t e, end, width = m->width;
    predict(m, belief, i);
    memset(next, 0, X * width * sizeof *next);
    for (uint64_t h = 0; h < width; h++) {
        const asif_matrix *o = shows(m, (uint32_t)(h / S), i);
        for (asif_matrix_row(o, (uint32_t)(h % S), &e, &end); e < end && m->ahead[h] > 0; e++)
            next[o->column[e] * width + h] = m->ahead[h] * o->value[e];
    }
    for (uint32_t x = 0; x < X; x++) {
        double p = normalise(next + x * width, m->width);
        if (!(p > 0))
            continue;
        if (count < x)
            memcpy(next + count * width, next + x * width, width * sizeof *next);
        label[count] = x;
        probability[count++] = p;
    }
    return count;
}

static uint32_t follow_seen(asif_bayes_model *m, const double *belief, uint32_t i, uint32_t *label,
                            double *probability, double *next) {
    uint32_t state = (uint32_t)belief[0], count = 0, kept = 0;
    uint64_t e, end, width = m->width;
    for (uint32_t k = 0; k < m->worlds && !m->spec->terminal[state]; k++) {
        const asif_matrix *t = moves(m, k, i);
        double from = ends(m, i) ? m->weight[k] : belief[1 + k];
        for (asif_matrix_row(t, state, &e, &end); e < end; e++) {
            uint32_t *row = &m->place[t->column[e]];
            if (*row == ASIF_ANY) {
                *row = count++;
                memset(next + *row * width, 0, width * sizeof *next);
                next[*row * width] = t->column[e];
            }
            next[*row * width + 1 + k] += from * t->value[e];
        }
    }
    for (uint32_t r = 0; r < count; r++) {
        double p = normalise(next + r * width + 1, m->worlds);
        m->place[(uint32_t)next[r * width]] = ASIF_ANY;
        if (!(p > 0))
            continue;
        if (kept < r)
            memcpy(next + kept * width, next + r * width, width * sizeof *next);
        label[kept] = (uint32_t)next[kept * width];
        probability[kept++] = p;
    }
    return kept;
}

uint32_t asif_bayes_follow(asif_bayes_model *m, const double *belief, uint32_t i, uint32_t *label,
                           double *probability, double *next) {
    return (m->seen ? follow_seen : follow_hidden)(m, belief, i, label, probability, next);
}

void asif_bayes_unseen(asif_bayes_model *m, const double *belief, uint32_t i, double *next) {
    predict(m, belief, i);
    memcpy(next, m->ahead, m->width * sizeof *next);
}
