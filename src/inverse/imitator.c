#include "inverse/imitator.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

asif_status asif_imitator_create(asif_imitator *out, const asif_context *context, const asif_setting *setting,
                                 asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    *out = (asif_imitator){.context = context, .states = spec->states, .actions = spec->actions};
    uint64_t cells = (uint64_t)spec->states * spec->actions;
    out->log_policy = ASIF_ARRAY(context, cells, double);
    out->policy = ASIF_ARRAY(context, cells, double);
    if (out->log_policy && out->policy)
        return ASIF_OK;
    asif_imitator_free(out);
    return asif_fail_memory(error);
}

static void free_rooms(asif_imitator *i) {
    double **const rooms[] = {&i->state, &i->memo, &i->state_bar, &i->memo_bar};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        asif_free(i->context, *rooms[k]);
        *rooms[k] = NULL;
    }
}

void asif_imitator_free(asif_imitator *i) {
    free_rooms(i);
    asif_free(i->context, i->log_policy);
    asif_free(i->context, i->policy);
    *i = (asif_imitator){0};
}

/* Allocate arrays for the widths of the behaviour, which are known only after a solution. */
static asif_status fit_rooms(asif_imitator *i, const asif_behavior *b, asif_error *error) {
    uint64_t n = i->states;
    if (i->state && i->width == b->width && i->memo_width == b->memo_width)
        return ASIF_OK;
    free_rooms(i);
    i->width = b->width;
    i->memo_width = b->memo_width;
    i->memo = ASIF_ARRAY(i->context, n * b->memo_width, double);
    i->state_bar = ASIF_ARRAY(i->context, n * b->width, double);
    i->memo_bar = ASIF_ARRAY(i->context, n * b->memo_width, double);
    i->state = i->memo && i->state_bar && i->memo_bar ? ASIF_ARRAY(i->context, n * b->width, double) : NULL;
    return i->state ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_imitator_ask(asif_imitator *i, const asif_behavior *b, asif_error *error) {
    ASIF_TRY(fit_rooms(i, b, error));
    for (uint32_t s = 0; s < i->states; s++)
        b->ops->init(b->self, 0, s, i->state + (uint64_t)s * b->width);
    ASIF_TRY(b->ops->log_policy(b->self, i->states, i->state, i->log_policy, i->memo, error));
    for (uint64_t k = 0; k < (uint64_t)i->states * i->actions; k++)
        i->policy[k] = exp(i->log_policy[k]);
    return ASIF_OK;
}

asif_status asif_imitator_pull(asif_imitator *i, const asif_behavior *b, const double *bar,
                               asif_theta_gradient *gradient, asif_error *error) {
    uint64_t n = i->states;
    if (!b->pullback)
        return asif_fail(error, ASIF_EUNSUPPORTED, "this planner gives no derivatives");
    memset(i->state_bar, 0, n * b->width * sizeof *i->state_bar);
    memset(i->memo_bar, 0, n * b->memo_width * sizeof *i->memo_bar);
    ASIF_TRY(b->pullback->begin(b->self, gradient->matrix != NULL, error));
    ASIF_TRY(b->pullback->log_policy(b->self, n, i->state, i->log_policy, i->memo, bar, i->memo_bar,
                                     i->state_bar, error));
    for (uint64_t s = 0; s < n; s++)
        b->pullback->init(b->self, 0, i->state_bar + s * b->width);
    return b->pullback->end(b->self, gradient, error);
}
