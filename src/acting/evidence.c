#include "acting/evidence.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define TELLS 1e-9 /* observations count if they improve on a blind guess by more than this */

double asif_evidence_quality(const double *emissions, const bool *counts, uint32_t states,
                             uint32_t observations) {
    double sum = 0;
    uint32_t counted = 0;
    for (uint32_t s = 0; s < states; s++)
        counted += !counts || counts[s];
    for (uint32_t x = 0; x < observations; x++) {
        double best = 0;
        for (uint32_t s = 0; s < states; s++)
            if (!counts || counts[s])
                best = fmax(best, emissions[(uint64_t)s * observations + x]);
        sum += best;
    }
    return counted ? sum / counted : 0;
}

/* The mean over the seen values that occur, each of which its own states show. */
static double quality(const asif_evidence *e, const double *emissions) {
    const asif_setting_spec *spec = &e->setting->spec;
    uint32_t hidden = asif_hidden_values(spec), shown = asif_shown_values(spec), occur = 0;
    double sum = 0;
    for (uint32_t y = 0; y < asif_seen_values(spec); y++) {
        double one = asif_evidence_quality(emissions + (uint64_t)y * hidden * shown,
                                           e->occurs + (uint64_t)y * hidden, hidden, shown);
        sum += one;
        occur += one > 0;
    }
    return sum / occur;
}

/* The same where observations tell nothing. */
static double blind(const asif_evidence *e) {
    const asif_setting_spec *spec = &e->setting->spec;
    uint32_t hidden = asif_hidden_values(spec), occur = 0;
    double sum = 0;
    for (uint32_t y = 0; y < asif_seen_values(spec); y++) {
        uint32_t states = 0;
        for (uint32_t h = 0; h < hidden; h++)
            states += e->occurs[(uint64_t)y * hidden + h];
        sum += states ? 1.0 / states : 0;
        occur += states > 0;
    }
    return sum / occur;
}

/* ---- states in which a test can be made ---- */

static uint32_t push(bool *occurs, uint32_t *queue, uint32_t waiting, uint32_t state) {
    if (!occurs[state])
        queue[waiting++] = state;
    occurs[state] = true;
    return waiting;
}

/* Find the states of the environment that an episode can reach before its end. */
static void find_occurring(bool *occurs, uint32_t *queue, const asif_setting *setting) {
    const asif_setting_spec *spec = &setting->spec;
    uint32_t S = spec->states, H = asif_hidden_values(spec), waiting = 0;
    uint64_t e, end;
    for (uint64_t i = 0; i < (uint64_t)spec->starts * S; i++)
        if (spec->environment_start[i] > 0)
            waiting = push(occurs, queue, waiting, (uint32_t)(i % S));
    while (waiting > 0) {
        uint32_t s = queue[--waiting];
        for (uint32_t u = 0; u < spec->actions && !spec->terminal[s]; u++) {
            if (spec->ends[u] || spec->stops[u] || !asif_is_available(spec, s / H, u))
                continue;
            const asif_matrix *moves = asif_transitions(setting, spec->worlds, u);
            for (asif_matrix_row(moves, s, &e, &end); e < end; e++)
                if (moves->value[e] > 0)
                    waiting = push(occurs, queue, waiting, moves->column[e]);
        }
    }
}

/* Copy a matrix, with columns for what is shown beside the seen value. */
static void copy_matrix(double *out, const asif_matrix *matrix, uint32_t states, uint32_t shown) {
    memset(out, 0, (uint64_t)states * shown * sizeof *out);
    for (uint32_t s = 0; s < states; s++) {
        uint64_t begin, end;
        asif_matrix_row(matrix, s, &begin, &end);
        for (uint64_t i = begin; i < end; i++)
            out[(uint64_t)s * shown + matrix->column[i] % shown] = matrix->value[i];
    }
}

asif_status asif_evidence_create(asif_evidence *out, const asif_context *context, const asif_setting *setting,
                                 asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    uint64_t size = (uint64_t)spec->states * asif_shown_values(spec), worlds = spec->worlds + 1;
    *out = (asif_evidence){.context = context, .setting = setting, .weight = 1};
    if (!spec->observations)
        return ASIF_OK;
    out->action = ASIF_ARRAY(context, spec->actions, uint32_t);
    out->emissions = ASIF_ARRAY(context, spec->actions * worlds * size, double);
    out->mixed = ASIF_ARRAY(context, size, double);
    out->sum = ASIF_ARRAY(context, spec->actions, double);
    out->seen = ASIF_ARRAY(context, spec->actions, double);
    out->occurs = ASIF_ARRAY(context, spec->states, bool);
    uint32_t *queue = ASIF_ARRAY(context, spec->states, uint32_t);
    if (!out->action || !out->emissions || !out->mixed || !out->sum || !out->seen || !out->occurs || !queue) {
        asif_free(context, queue);
        return asif_fail_memory(error);
    }
    find_occurring(out->occurs, queue, setting);
    asif_free(context, queue);
    for (uint32_t u = 0; u < spec->actions; u++) {
        double *matrices = out->emissions + out->count * worlds * size;
        if (spec->ends[u])
            continue;
        for (uint32_t m = 0; m < worlds; m++)
            copy_matrix(matrices + m * size, asif_emissions(setting, m, u), spec->states,
                        asif_shown_values(spec));
        if (quality(out, matrices + spec->worlds * size) > blind(out) + TELLS)
            out->action[out->count++] = u;
    }
    return ASIF_OK;
}

void asif_evidence_free(asif_evidence *e) {
    void *const arrays[] = {e->action, e->emissions, e->mixed, e->sum, e->seen, e->occurs, e->worlds};
    for (size_t i = 0; e->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(e->context, arrays[i]);
    *e = (asif_evidence){0};
}

double asif_evidence_mixed(const asif_evidence *e, uint32_t i, const double *weights) {
    const asif_setting_spec *spec = &e->setting->spec;
    uint64_t size = (uint64_t)spec->states * asif_shown_values(spec);
    const double *matrices = e->emissions + i * (spec->worlds + 1) * size;
    if (!weights)
        return quality(e, matrices + spec->worlds * size);
    memset(e->mixed, 0, size * sizeof *e->mixed);
    for (uint32_t m = 0; m < spec->worlds; m++)
        for (uint64_t k = 0; k < size; k++)
            e->mixed[k] += weights[m] * matrices[m * size + k];
    return quality(e, e->mixed);
}

void asif_evidence_clear(asif_evidence *e) {
    for (uint32_t i = 0; i < e->count; i++)
        e->sum[i] = e->seen[i] = 0;
}

asif_status asif_evidence_visit(void *evidence, const asif_behavior *behavior, uint64_t n,
                                const double *state, const double *times, const double *policy,
                                asif_error *error) {
    asif_evidence *e = evidence;
    const asif_setting_spec *spec = &e->setting->spec;
    uint64_t U = spec->actions, M = spec->worlds;
    asif_view view = ASIF_VIEW_INIT;
    if (n > e->room) {
        asif_free(e->context, e->worlds);
        e->room = 0;
        e->worlds = ASIF_ARRAY(e->context, n * U * M, double);
        if (!e->worlds)
            return asif_fail_memory(error);
        e->room = n;
    }
    view.worlds = e->worlds;
    ASIF_TRY(asif_look(behavior, n, state, &view, error));
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < e->count; k++) {
            uint64_t at = i * U + e->action[k];
            double weight = e->weight * times[i] * policy[at];
            if (!(weight > 0))
                continue;
            e->sum[k] += weight * asif_evidence_mixed(e, k, e->worlds + at * M);
            e->seen[k] += weight;
        }
    return ASIF_OK;
}

double asif_evidence_perceived(const asif_evidence *e, uint32_t i) {
    return e->seen[i] > 0 ? e->sum[i] / e->seen[i] : NAN;
}
