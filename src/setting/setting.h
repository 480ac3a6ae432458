/* The private definition of asif_setting. */
#ifndef ASIF_SRC_SETTING_SETTING_H
#define ASIF_SRC_SETTING_SETTING_H

#include "asif/setting.h"
#include "base/memory.h"

struct asif_setting {
    const asif_context *context;
    asif_kept kept;
    asif_setting_spec spec; /* the setting owns every pointer */
};

/* Entries [*begin, *end) of row i of a compressed matrix. */
static inline void asif_matrix_row(const asif_matrix *m, uint32_t i, uint64_t *begin, uint64_t *end) {
    uint32_t row = m->same_rows ? 0 : i;
    *begin = m->offset[row];
    *end = m->offset[row + 1];
}

/* The number of entries that are stored, a common row once. */
static inline uint64_t asif_matrix_entries(const asif_matrix *m) {
    return m->offset[m->same_rows ? 1 : m->rows];
}

/* The matrix of an action in a world; world spec.worlds is the environment. */
static inline const asif_matrix *asif_transitions(const asif_setting *setting, uint32_t world,
                                                  uint32_t action) {
    const asif_setting_spec *s = &setting->spec;
    return &s->matrix[s->transitions[(uint64_t)world * s->actions + action]];
}

static inline const asif_matrix *asif_emissions(const asif_setting *setting, uint32_t world,
                                                uint32_t action) {
    const asif_setting_spec *s = &setting->spec;
    return &s->matrix[s->emissions[(uint64_t)world * s->actions + action]];
}

/* Seen values of a state, at least 1; values of the hidden part; observations for each seen value. */
static inline uint32_t asif_seen_values(const asif_setting_spec *s) {
    return s->seen > 1 ? s->seen : 1;
}
static inline uint32_t asif_hidden_values(const asif_setting_spec *s) {
    return s->states / asif_seen_values(s);
}
static inline uint32_t asif_shown_values(const asif_setting_spec *s) {
    return s->observations / asif_seen_values(s);
}

/* Values of the columns that logs hold beside the observation, or beside the rest of the state: the seen
 * part, or the leading columns; at least 1. */
static inline uint32_t asif_column_values(const asif_setting_spec *s) {
    return s->leading > 1 ? s->leading : asif_seen_values(s);
}

/* The values of what the agent knows for sure: decisions made (with a horizon) times seen values, at least 1;
 * and whether an agent state begins with the number of this place. */
static inline uint32_t asif_places(const asif_setting_spec *s) {
    return asif_seen_values(s) * (s->horizon ? s->horizon : 1);
}
static inline bool asif_has_place(const asif_setting_spec *s) {
    return s->seen > 1 || s->horizon > 0;
}
/* Whether an action can be taken in a place. */
static inline bool asif_is_available(const asif_setting_spec *s, uint32_t place, uint32_t action) {
    return !s->available || s->available[(uint64_t)(place % asif_seen_values(s)) * s->actions + action];
}
/* Whether nothing follows an action in a place. That also holds where it cannot be taken. */
static inline bool asif_is_last(const asif_setting_spec *s, uint32_t place, uint32_t action) {
    return s->stops[action] || !asif_is_available(s, place, action) ||
           (s->horizon && place / asif_seen_values(s) + 1 == s->horizon) ||
           (s->observations && s->terminal[place % asif_seen_values(s) * asif_hidden_values(s)]);
}
/* The sum of an action prior [actions] over the actions that can be taken in a place. */
static inline double asif_prior_available(const asif_setting_spec *s, uint32_t place, const double *prior) {
    double sum = 0;
    for (uint32_t u = 0; u < s->actions; u++)
        sum += asif_is_available(s, place, u) ? prior[u] : 0;
    return sum;
}
/* The value that a column has in a condition. */
const char *asif_condition_class(const asif_setting_spec *s, uint32_t condition, uint32_t column);
/* The value that a column has in a seen value. */
const char *asif_seen_class(const asif_setting_spec *s, uint32_t seen, uint32_t column);

/* The condition of the episodes of a start class. */
uint32_t asif_condition_of(const asif_setting *setting, uint32_t start);

/* The label of an observation (or state) for those who know the condition. As asif_setting_label(). */
const char *asif_label_in_condition(const asif_setting *setting, uint32_t observation, char *buffer);

/* Whether episodes of the agent's plans can end. */
bool asif_setting_stops(const asif_setting_spec *s);
/* ASIF_EUNSUPPORTED if they can, or if a part of the state is seen: `what` does not know these yet. */
asif_status asif_setting_endless(const asif_setting_spec *s, const char *what, asif_error *error);

/* The class of a column in a crossed observation. */
static inline uint32_t asif_observation_class(const asif_setting_spec *s, uint32_t column,
                                              uint32_t observation) {
    for (uint32_t c = s->observation_columns - 1; c > column; c--)
        observation /= s->observation_column[c].classes;
    return observation % s->observation_column[column].classes;
}

/* The label of what was observed after an action, for those who read a history: without the seen value where
 * that follows from the one before. As asif_setting_label(). Cost: the entries of a matrix. */
const char *asif_event_label(const asif_setting *setting, uint32_t action, uint32_t observation,
                             char *buffer);

/* Make (1 - share) p + share / k of a compressed matrix, where k columns can be reached from some row, and
 * the others keep 0. The caller frees the arrays of `out`, also after a failure. */
asif_status asif_matrix_mix(asif_matrix *out, const asif_context *context, const asif_matrix *from,
                            double share, asif_error *error);

/* The share of the uniform world in a world; 0 if it has matrices of its own. */
static inline double asif_world_share(const asif_setting_spec *spec, uint32_t world) {
    return spec->world_shares && world < spec->worlds ? spec->world_shares[world] : 0;
}

/* The number that a belief term tests: the probability of its state, or the largest probability. */
double asif_term_measure(const asif_utility_term *term, const double *belief, uint32_t states);
/* The same of an agent that sees the value `seen` and has a belief over the `hidden` values. */
double asif_term_measure_at(const asif_utility_term *term, uint32_t seen, const double *belief,
                            uint32_t hidden);
/* The share of a belief term that applies: 0 or 1 by its test, or between them on a ramp. */
double asif_term_share(const asif_utility_term *term, double measure);
/* The derivative of the share in the measure; 0 at a jump. */
double asif_term_slope(const asif_utility_term *term, double measure);
/* Whether a belief term jumps: no lattice of beliefs, however fine, then follows it. */
static inline bool asif_term_jumps(const asif_utility_term *term) {
    return term->by == ASIF_BY_BELIEF && term->test != ASIF_RAMP;
}

#endif
