/* The span of the utility, to which default priors are scaled. */
#include "theta/theta.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct {
    const asif_setting_spec *spec;
    const double *utility;
    double *cell[2]; /* [actions][states], [actions][observations] */
    uint32_t columns[2];
    double *least, *most; /* [actions]: first the sums of the negative and of the positive belief terms */
} ledger;

static void add_term(ledger *l, const asif_utility_term *term) {
    double value = term->coefficient * (term->parameter == ASIF_ANY ? 1 : l->utility[term->parameter]);
    uint32_t from = term->action == ASIF_ANY ? 0 : term->action;
    uint32_t to = term->action == ASIF_ANY ? l->spec->actions : from + 1;
    for (uint32_t u = from; u < to; u++) {
        if (term->by == ASIF_BY_BELIEF) {
            *(value < 0 ? &l->least[u] : &l->most[u]) += value;
            continue;
        }
        uint32_t columns = l->columns[term->by == ASIF_BY_OBSERVATION];
        double *row = l->cell[term->by == ASIF_BY_OBSERVATION] + (uint64_t)u * columns;
        uint32_t first = term->index == ASIF_ANY ? 0 : term->index;
        uint32_t end = term->index == ASIF_ANY ? columns : first + 1;
        for (uint32_t j = first; j < end; j++)
            row[j] += value;
    }
}

static void extremes(const double *row, uint32_t count, double *least, double *most) {
    if (count == 0)
        return;
    double low = row[0], high = row[0];
    for (uint32_t j = 1; j < count; j++) {
        low = fmin(low, row[j]);
        high = fmax(high, row[j]);
    }
    *least += low;
    *most += high;
}

static double span(ledger *l) {
    const asif_setting_spec *s = l->spec;
    double least = INFINITY, most = -INFINITY;
    if (s->utility)
        memcpy(l->cell[0], s->utility, (size_t)s->actions * s->states * sizeof(double));
    for (uint64_t i = 0; i < s->terms; i++)
        add_term(l, &s->term[i]);
    for (uint32_t u = 0; u < s->actions; u++) {
        for (uint32_t k = 0; k < 2; k++)
            extremes(l->cell[k] + (uint64_t)u * l->columns[k], l->columns[k], &l->least[u], &l->most[u]);
        least = fmin(least, l->least[u]);
        most = fmax(most, l->most[u]);
    }
    return most - least;
}

asif_status asif_utility_span(double *out, const asif_context *context, const asif_setting *setting,
                              const double *utility, asif_error *error) {
    const asif_setting_spec *s = asif_setting_get(setting);
    ledger l = {.spec = s, .utility = utility, .columns = {s->states, s->observations}};
    l.cell[0] = ASIF_ARRAY(context, (uint64_t)s->actions * s->states, double);
    l.cell[1] = ASIF_ARRAY(context, (uint64_t)s->actions * s->observations, double);
    l.least = ASIF_ARRAY(context, s->actions, double);
    l.most = ASIF_ARRAY(context, s->actions, double);
    bool room = l.cell[0] && l.cell[1] && l.least && l.most;
    *out = room ? span(&l) : NAN;
    double *const arrays[] = {l.cell[0], l.cell[1], l.least, l.most};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    if (!room)
        return asif_fail_memory(error);
    if (*out > 0 && isfinite(*out))
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID,
              *out == 0 ? "every action is worth the same, whatever happens"
                        : "the utility is too large to compute with");
    asif_error_hint(error, "parameters are scaled to the largest difference in utility; an estimated utility "
                           "counts with its `standard`");
    return ASIF_EINVALID;
}
