#include "setting/classes.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define PROPORTIONAL 1e-12

/* The emissions of one action in the worlds of positive weight, for the states of one seen value and the
 * observations that show it. Observations that show different seen values are never in one class. */
typedef struct {
    uint32_t worlds;
    bool *reached;  /* [worlds][states] */
    double *column; /* [worlds][shown][hidden]: 0 at states that the action cannot lead to */
} columns;

static void find_reached(bool *reached, const asif_matrix *transitions) {
    uint32_t rows = transitions->same_rows ? 1 : transitions->rows;
    memset(reached, 0, transitions->columns * sizeof *reached);
    for (uint64_t e = 0; e < transitions->offset[rows]; e++)
        if (transitions->value[e] > 0)
            reached[transitions->column[e]] = true;
}

static void fill(columns *c, const asif_setting *setting, uint32_t action, uint32_t seen) {
    const asif_setting_spec *spec = &setting->spec;
    uint64_t S = asif_hidden_values(spec), X = asif_shown_values(spec), e, end;
    c->worlds = 0;
    for (uint32_t m = 0; m < spec->worlds; m++) {
        if (!(spec->world_weights[m] > 0))
            continue;
        const asif_matrix *o = asif_emissions(setting, m, action);
        const bool *reached = c->reached + (uint64_t)m * spec->states;
        double *column = c->column + c->worlds++ * X * S;
        memset(column, 0, X * S * sizeof *column);
        for (uint64_t s = 0, of = seen * S; s < S; s++)
            for (asif_matrix_row(o, (uint32_t)(of + s), &e, &end); reached[of + s] && e < end; e++)
                column[(o->column[e] - seen * X) * S + s] = o->value[e];
    }
}

static bool proportional(const double *x, const double *y, uint64_t n) {
    double factor = 0;
    for (uint64_t i = 0; i < n; i++) {
        if ((x[i] > 0) != (y[i] > 0))
            return false;
        if (!(x[i] > 0))
            continue;
        double ratio = y[i] / x[i];
        if (factor == 0)
            factor = ratio;
        if (!isfinite(factor) || !(fabs(ratio - factor) <= PROPORTIONAL * factor))
            return false;
    }
    return true;
}

static bool shown(const columns *c, uint64_t X, uint64_t S, uint32_t x) {
    for (uint64_t m = 0; m < c->worlds; m++)
        for (uint64_t s = 0; s < S; s++)
            if (c->column[(m * X + x) * S + s] > 0)
                return true;
    return false;
}

static bool alike(const columns *c, uint64_t X, uint64_t S, uint32_t x, uint32_t y) {
    for (uint64_t m = 0; m < c->worlds; m++)
        if (!proportional(c->column + (m * X + x) * S, c->column + (m * X + y) * S, S))
            return false;
    return true;
}

static void divide(asif_classes *out, const columns *c, const asif_setting_spec *spec, uint32_t action,
                   uint32_t seen) {
    uint64_t X = asif_shown_values(spec), S = asif_hidden_values(spec);
    uint32_t lead = (uint32_t)(seen * X);
    bool single = spec->seen > 1 && S == 1; /* the belief cannot change */
    uint64_t of = (uint64_t)action * spec->observations + lead;
    for (uint32_t x = 0; x < X; x++) {
        uint32_t y = 0;
        while (y < x && !(out->first[of + y] == lead + y && (single || alike(c, X, S, y, x))))
            y++;
        out->first[of + x] = lead + y;
        out->size[of + y]++;
        out->seen[of + x] = shown(c, X, S, x);
        if (y == x || spec->belief_prior)
            out->prior[of + y] += spec->belief_prior ? spec->belief_prior[lead + x] : 1;
    }
}

asif_status asif_classes_create(asif_classes *out, const asif_context *context, const asif_setting *setting,
                                asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    uint64_t cells = (uint64_t)spec->actions * spec->observations;
    columns c = {0, ASIF_ARRAY(context, (uint64_t)spec->worlds * spec->states, bool),
                 ASIF_ARRAY(context,
                            spec->worlds * (uint64_t)asif_shown_values(spec) * asif_hidden_values(spec),
                            double)};
    *out = (asif_classes){ASIF_ARRAY(context, cells, uint32_t), ASIF_ARRAY(context, cells, uint32_t),
                          ASIF_ARRAY(context, cells, double), ASIF_ARRAY(context, cells, bool)};
    bool good = c.reached && c.column && out->first && out->size && out->prior && out->seen;
    for (uint32_t u = 0; u < spec->actions && good; u++) {
        for (uint32_t m = 0; m < spec->worlds; m++)
            find_reached(c.reached + (uint64_t)m * spec->states, asif_transitions(setting, m, u));
        for (uint32_t seen = 0; seen < asif_seen_values(spec); seen++) {
            fill(&c, setting, u, seen);
            divide(out, &c, spec, u, seen);
        }
    }
    asif_free(context, c.reached);
    asif_free(context, c.column);
    if (good)
        return ASIF_OK;
    asif_classes_free(context, out);
    return asif_fail_memory(error);
}

void asif_classes_free(const asif_context *context, asif_classes *classes) {
    asif_free(context, classes->first);
    asif_free(context, classes->size);
    asif_free(context, classes->prior);
    asif_free(context, classes->seen);
    *classes = (asif_classes){0};
}

bool asif_classes_agree(const asif_classes *classes, const asif_matrix *emissions, uint32_t one,
                        uint32_t other) {
    uint64_t a = (uint64_t)one * emissions->columns, b = (uint64_t)other * emissions->columns;
    uint64_t entries = emissions->offset[emissions->same_rows ? 1 : emissions->rows];
    for (uint64_t e = 0; e < entries && one != other; e++) {
        uint32_t x = classes->first[a + emissions->column[e]];
        if (x != classes->first[b + emissions->column[e]] || classes->prior[a + x] != classes->prior[b + x])
            return false;
    }
    return true;
}
