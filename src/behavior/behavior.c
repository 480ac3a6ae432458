#include "behavior/behavior.h"

#include "base/error.h"
#include "setting/setting.h"

#include <string.h>

uint32_t asif_behavior_width(const asif_behavior *behavior) {
    return behavior->width;
}

uint32_t asif_behavior_belief_at(const asif_behavior *behavior) {
    const asif_setting_spec *spec = &behavior->setting->spec;
    if (spec->observations && asif_has_place(spec))
        return 1;
    return !behavior->hidden && spec->observations && behavior->width == spec->states ? 0 : ASIF_ANY;
}

bool asif_behavior_hidden(const asif_behavior *behavior) {
    return behavior->hidden;
}

void asif_behavior_init(const asif_behavior *behavior, uint32_t start, uint32_t first, double *state) {
    behavior->ops->init(behavior->self, start, first, state);
}

asif_status asif_behavior_step(const asif_behavior *behavior, uint64_t n, const double *state,
                               const uint32_t *action, const uint32_t *observation, double *next,
                               asif_error *error) {
    ASIF_TRY(behavior->ops->check(behavior->self, n, state, error));
    return behavior->ops->step(behavior->self, n, NULL, state, NULL, action, observation, next, error);
}

asif_status asif_behavior_log_policy(const asif_behavior *behavior, uint64_t n, const double *state,
                                     double *log_policy, asif_error *error) {
    ASIF_TRY(behavior->ops->check(behavior->self, n, state, error));
    return asif_policies(behavior, n, state, log_policy, NULL, error);
}

asif_status asif_look(const asif_behavior *behavior, uint64_t n, const double *state, const asif_view *view,
                      asif_error *error) {
    asif_view filled = ASIF_VIEW_INIT;
    if (!behavior->ops->look)
        return asif_fail(error, ASIF_EUNSUPPORTED, "this planner has no values to look at, only a policy");
    if (view->struct_size == 0 || view->struct_size > sizeof filled)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(&filled, view, view->struct_size);
    ASIF_TRY(behavior->ops->check(behavior->self, n, state, error));
    ASIF_TRY(behavior->ops->look(behavior->self, n, state, &filled, error));
    asif_lapse_mix_view(behavior, n, state, &filled);
    return ASIF_OK;
}
