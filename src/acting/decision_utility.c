#include "acting/decision_utility.h"

#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* The value of a term where it applies. */
static double amount(const asif_decision_utility *g, const asif_utility_term *term) {
    return term->coefficient * (term->parameter == ASIF_ANY ? 1 : g->utility[term->parameter]);
}

static bool concerns(uint32_t which, uint32_t i) {
    return which == ASIF_ANY || which == i;
}

/* The utility of an observation after an action. */
static double seen_gain(const asif_decision_utility *g, uint32_t action, uint32_t seen) {
    double sum = 0;
    for (uint64_t k = 0; k < g->spec->terms; k++) {
        const asif_utility_term *term = &g->spec->term[k];
        if (term->by == ASIF_BY_OBSERVATION && concerns(term->action, action) && concerns(term->index, seen))
            sum += amount(g, term);
    }
    return sum;
}

static double measure(const asif_decision_utility *g, const asif_utility_term *term, const double *state) {
    return asif_has_place(g->spec)
               ? asif_term_measure_at(term, (uint32_t)state[0] % asif_seen_values(g->spec), state + 1,
                                      asif_hidden_values(g->spec))
               : asif_term_measure(term, state, g->spec->states);
}

static double belief_gain(const asif_decision_utility *g, uint32_t action, const double *state) {
    double sum = 0;
    for (uint64_t k = 0; g->by_belief && k < g->spec->terms; k++) {
        const asif_utility_term *term = &g->spec->term[k];
        if (term->by == ASIF_BY_BELIEF && concerns(term->action, action))
            sum += asif_term_share(term, measure(g, term, state)) * amount(g, term);
    }
    return sum;
}

/* ---- tables ---- */

static void fill_states(asif_decision_utility *g) {
    const asif_setting_spec *spec = g->spec;
    uint64_t S = spec->states, U = spec->actions;
    if (spec->utility)
        memcpy(g->by_state, spec->utility, U * S * sizeof *g->by_state);
    for (uint64_t k = 0; k < spec->terms; k++) {
        const asif_utility_term *term = &spec->term[k];
        uint64_t first = term->index == ASIF_ANY ? 0 : term->index;
        uint64_t end = term->index == ASIF_ANY ? S : first + 1;
        for (uint64_t u = 0; term->by == ASIF_BY_STATE && u < U; u++)
            for (uint64_t s = first; concerns(term->action, (uint32_t)u) && s < end; s++)
                g->by_state[u * S + s] += amount(g, term);
    }
}

/* The expected utility of the observation after an action, over next states and observations. */
static double mean_seen(const asif_decision_utility *g, const asif_setting *setting, uint32_t u, uint32_t s) {
    const asif_setting_spec *spec = g->spec;
    const asif_matrix *moves = asif_transitions(setting, spec->worlds, u);
    uint64_t begin, end, first, last;
    double sum = 0;
    asif_matrix_row(moves, s, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        const asif_matrix *shows = asif_emissions(setting, spec->worlds, u);
        asif_matrix_row(shows, moves->column[i], &first, &last);
        for (uint64_t x = first; x < last; x++)
            sum += moves->value[i] * shows->value[x] * seen_gain(g, u, shows->column[x]);
    }
    return sum;
}

/* An ending is wrong below the middle between the best and the worst one. With two of them that is the worse
 * one, and of three doors it is the tiger's, even if one of the safe doors is worth a little more. */
static void fill_ends(asif_decision_utility *g) {
    const asif_setting_spec *spec = g->spec;
    uint64_t S = spec->states, H = asif_hidden_values(spec);
    uint32_t ending = 0;
    for (uint64_t u = 0; u < spec->actions; u++)
        ending += spec->ends[u];
    g->ends = ending > 0;
    for (uint64_t s = 0; s < S; s++) {
        double best = -INFINITY, worst = INFINITY;
        for (uint32_t u = 0; u < spec->actions; u++) {
            if (!spec->ends[u] || !asif_is_available(spec, (uint32_t)(s / H), u))
                continue;
            best = fmax(best, g->by_state[u * S + s]);
            worst = fmin(worst, g->by_state[u * S + s]);
        }
        g->right_end[s] = best - (best - worst) / 2;
    }
    if (ending < 2) {
        asif_free(g->context, g->right_end);
        g->right_end = NULL;
    }
}

asif_status asif_decision_utility_create(asif_decision_utility *out, const asif_behavior *behavior,
                                         const asif_theta *theta, asif_error *error) {
    const asif_setting_spec *spec = &behavior->setting->spec;
    uint64_t S = spec->states, U = spec->actions;
    bool seen = false;
    *out = (asif_decision_utility){.context = behavior->context, .spec = spec, .utility = theta->utility};
    for (uint64_t k = 0; k < spec->terms; k++) {
        out->by_belief |= spec->term[k].by == ASIF_BY_BELIEF;
        seen |= spec->term[k].by == ASIF_BY_OBSERVATION;
    }
    out->by_state = ASIF_ARRAY(out->context, U * S, double);
    out->right_end = ASIF_ARRAY(out->context, S, double);
    out->by_seen = seen ? ASIF_ARRAY(out->context, U * S, double) : NULL;
    if (!out->by_state || !out->right_end || (seen && !out->by_seen))
        return asif_fail_memory(error);
    fill_states(out);
    for (uint64_t i = 0; seen && i < U * S; i++)
        out->by_seen[i] = mean_seen(out, behavior->setting, (uint32_t)(i / S), (uint32_t)(i % S));
    fill_ends(out);
    return ASIF_OK;
}

void asif_decision_utility_free(asif_decision_utility *gains) {
    asif_free(gains->context, gains->by_state);
    asif_free(gains->context, gains->by_seen);
    asif_free(gains->context, gains->right_end);
}

double asif_decision_utility_of(const asif_decision_utility *gains, const asif_decision *d) {
    return gains->by_state[(uint64_t)d->action * gains->spec->states + d->state] +
           (gains->by_seen ? seen_gain(gains, d->action, d->observation) : 0) +
           belief_gain(gains, d->action, d->agent_state);
}

double asif_decision_utility_mean(const asif_decision_utility *gains, uint32_t action, uint32_t state,
                                  const double *agent_state) {
    uint64_t at = (uint64_t)action * gains->spec->states + state;
    return gains->by_state[at] + (gains->by_seen ? gains->by_seen[at] : 0) +
           belief_gain(gains, action, agent_state);
}

bool asif_decision_utility_wrong(const asif_decision_utility *gains, uint32_t action, uint32_t state) {
    return gains->right_end && gains->spec->ends[action] &&
           gains->by_state[(uint64_t)action * gains->spec->states + state] < gains->right_end[state];
}
