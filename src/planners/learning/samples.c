#include "planners/learning/samples.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <string.h>

static asif_status add_up(asif_samples *samples, uint32_t which, asif_error *error) {
    const asif_matrix *m = &samples->setting->spec.matrix[which];
    double **sums = &samples->cumulative[which];
    uint32_t rows = m->same_rows ? 1 : m->rows;
    if (*sums)
        return ASIF_OK;
    *sums = ASIF_ARRAY(samples->context, m->offset[rows], double);
    if (!*sums)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < rows; i++) {
        double sum = 0;
        for (uint64_t e = m->offset[i]; e < m->offset[i + 1]; e++)
            (*sums)[e] = sum += m->value[e];
    }
    return ASIF_OK;
}

static bool same_matrix(const asif_matrix *x, const asif_matrix *y) {
    uint64_t rows = x->same_rows ? 1 : x->rows, entries = x->offset[rows];
    return x == y || (x->same_rows == y->same_rows && x->rows == y->rows && x->columns == y->columns &&
                      memcmp(x->offset, y->offset, (rows + 1) * sizeof *x->offset) == 0 &&
                      memcmp(x->column, y->column, entries * sizeof *x->column) == 0 &&
                      memcmp(x->value, y->value, entries * sizeof *x->value) == 0);
}

/* Refuse worlds that differ from the environment: a learner experiences the environment and has no model of
 * it. */
static asif_status check_worlds(const asif_setting *setting, asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    for (uint32_t m = 0; m < spec->worlds; m++)
        for (uint32_t u = 0; u < spec->actions; u++) {
            bool same =
                same_matrix(asif_transitions(setting, m, u), asif_transitions(setting, spec->worlds, u));
            if (spec->observations)
                same = same &&
                       same_matrix(asif_emissions(setting, m, u), asif_emissions(setting, spec->worlds, u));
            if (same)
                continue;
            asif_fail(
                error, ASIF_EUNSUPPORTED,
                "an agent that learns from samples meets the environment, but it is given another world");
            asif_error_hint(error, "leave `worlds` out");
            return ASIF_EUNSUPPORTED;
        }
    return ASIF_OK;
}

asif_status asif_samples_create(asif_samples *out, const asif_context *context, const asif_setting *setting,
                                asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    uint64_t first = (uint64_t)spec->worlds * spec->actions; /* the environment comes after the worlds */
    *out = (asif_samples){0};
    ASIF_TRY(check_worlds(setting, error));
    *out = (asif_samples){context, setting, ASIF_ARRAY(context, spec->matrices, double *)};
    if (!out->cumulative)
        return asif_fail_memory(error);
    for (uint64_t i = first; i < first + spec->actions; i++) {
        ASIF_TRY(add_up(out, spec->transitions[i], error));
        if (spec->observations)
            ASIF_TRY(add_up(out, spec->emissions[i], error));
    }
    return ASIF_OK;
}

void asif_samples_free(asif_samples *samples) {
    for (uint32_t i = 0; samples->cumulative && i < samples->setting->spec.matrices; i++)
        asif_free(samples->context, samples->cumulative[i]);
    if (samples->context)
        asif_free(samples->context, samples->cumulative);
    *samples = (asif_samples){0};
}

/* Draw from a row: the first entry whose cumulative sum exceeds the target. It has a positive probability,
 * because sums do not grow at entries of probability 0. */
static uint32_t draw(const asif_samples *samples, uint32_t which, uint32_t row, double uniform) {
    const asif_matrix *m = &samples->setting->spec.matrix[which];
    const double *sums = samples->cumulative[which];
    uint64_t low, end;
    asif_matrix_row(m, row, &low, &end);
    double target = uniform * sums[end - 1];
    for (uint64_t high = end - 1; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        if (sums[middle] > target)
            high = middle;
        else
            low = middle + 1;
    }
    return m->column[low];
}

static uint64_t of_environment(const asif_setting_spec *spec, uint32_t action) {
    return (uint64_t)spec->worlds * spec->actions + action;
}

uint32_t asif_sample_start(const asif_samples *samples, uint32_t start, double uniform) {
    const asif_setting_spec *spec = &samples->setting->spec;
    return asif_draw(uniform, spec->environment_start + (uint64_t)start * spec->states, spec->states);
}

uint32_t asif_sample_next(const asif_samples *samples, uint32_t action, uint32_t state, double uniform) {
    const asif_setting_spec *spec = &samples->setting->spec;
    return draw(samples, spec->transitions[of_environment(spec, action)], state, uniform);
}

uint32_t asif_sample_seen(const asif_samples *samples, uint32_t action, uint32_t state, double uniform) {
    const asif_setting_spec *spec = &samples->setting->spec;
    return draw(samples, spec->emissions[of_environment(spec, action)], state, uniform);
}

bool asif_sample_possible(const asif_samples *samples, uint32_t action, uint32_t state, uint32_t next) {
    const asif_matrix *m = asif_transitions(samples->setting, samples->setting->spec.worlds, action);
    uint64_t e, end;
    for (asif_matrix_row(m, state, &e, &end); e < end; e++)
        if (m->column[e] == next && m->value[e] > 0)
            return true;
    return false;
}

static void spread(double *table, uint32_t columns, uint32_t actions, const asif_utility_term *term,
                   double amount) {
    uint32_t from = term->action == ASIF_ANY ? 0 : term->action;
    uint32_t to = term->action == ASIF_ANY ? actions : from + 1;
    uint32_t first = term->index == ASIF_ANY ? 0 : term->index;
    uint32_t last = term->index == ASIF_ANY ? columns : first + 1;
    for (uint32_t u = from; u < to; u++)
        for (uint32_t i = first; i < last; i++)
            table[(uint64_t)u * columns + i] += amount;
}

void asif_samples_utility(const asif_samples *samples, const asif_theta *theta, double *by_state,
                          double *by_seen) {
    const asif_setting_spec *spec = &samples->setting->spec;
    memset(by_state, 0, (uint64_t)spec->actions * spec->states * sizeof *by_state);
    if (spec->utility)
        memcpy(by_state, spec->utility, (uint64_t)spec->actions * spec->states * sizeof *by_state);
    if (spec->observations)
        memset(by_seen, 0, (uint64_t)spec->actions * spec->observations * sizeof *by_seen);
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : theta->utility[t->parameter]);
        if (t->by == ASIF_BY_STATE)
            spread(by_state, spec->states, spec->actions, t, amount);
        else if (t->by == ASIF_BY_OBSERVATION)
            spread(by_seen, spec->observations, spec->actions, t, amount);
    }
}
