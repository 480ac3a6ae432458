/* The part of a setting that other formats can express, with its utilities as numbers. */
#include "formats/pomdp.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

asif_status asif_given_check(const asif_setting *setting, const double *parameters, const char *format,
                             asif_error *error) {
    const asif_setting_spec *s = asif_setting_get(setting);
    if (s->starts > 1)
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "%s have one start, and this problem has %u classes of them", format, s->starts);
    for (uint32_t i = 0; s->terminal && i < s->states; i++)
        if (s->terminal[i])
            return asif_fail(error, ASIF_EUNSUPPORTED, "%s have no terminal states, and state %u is one",
                             format, i);
    for (uint64_t i = 0; i < s->terms; i++) {
        if (s->term[i].by == ASIF_BY_BELIEF)
            return asif_fail(error, ASIF_EUNSUPPORTED, "%s have no utility that depends on the belief",
                             format);
        if (s->term[i].parameter != ASIF_ANY && !parameters)
            return asif_fail(error, ASIF_EUNSET, "the utility has parameters without values");
    }
    return ASIF_OK;
}

asif_status asif_given_utility(asif_given *out, const asif_context *context, const asif_setting *setting,
                               const double *parameters, asif_error *error) {
    const asif_setting_spec *s = asif_setting_get(setting);
    out->by_state = ASIF_ARRAY(context, (uint64_t)s->actions * s->states, double);
    out->by_observation = ASIF_ARRAY(context, (uint64_t)s->actions * s->observations, double);
    if (!out->by_state || !out->by_observation) {
        asif_given_free(out, context);
        return asif_fail_memory(error);
    }
    for (uint64_t i = 0; s->utility && i < (uint64_t)s->actions * s->states; i++)
        out->by_state[i] = s->utility[i];
    for (uint64_t i = 0; i < s->terms; i++) {
        const asif_utility_term *t = &s->term[i];
        bool seen = t->by == ASIF_BY_OBSERVATION;
        double *to = seen ? out->by_observation : out->by_state;
        double value = t->coefficient * (t->parameter == ASIF_ANY ? 1 : parameters[t->parameter]);
        uint32_t columns = seen ? s->observations : s->states;
        bool all = t->action == ASIF_ANY, wide = t->index == ASIF_ANY;
        for (uint32_t a = all ? 0 : t->action; a < (all ? s->actions : t->action + 1); a++)
            for (uint32_t c = wide ? 0 : t->index; c < (wide ? columns : t->index + 1); c++)
                to[(uint64_t)a * columns + c] += value;
    }
    bool finite = true;
    for (uint64_t i = 0; i < (uint64_t)s->actions * s->states; i++)
        finite = finite && isfinite(out->by_state[i]);
    for (uint64_t i = 0; i < (uint64_t)s->actions * s->observations; i++)
        finite = finite && isfinite(out->by_observation[i]);
    if (finite)
        return ASIF_OK;
    asif_given_free(out, context);
    return asif_fail(error, ASIF_EDOMAIN, "the utility is not finite");
}

void asif_given_free(asif_given *given, const asif_context *context) {
    asif_free(context, given->by_state);
    asif_free(context, given->by_observation);
    *given = (asif_given){0};
}
