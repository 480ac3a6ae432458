/* Follows one agent along a trail: its belief, its policy, and its action values at every node. */
#include "questions/explain/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

const char *asif_who_text(uint32_t who) {
    static const char *const names[ASIF_WHO_COUNT] = {"fitted", "same", "true"};
    return who < ASIF_WHO_COUNT ? names[who] : NULL;
}

asif_status asif_followed_create(asif_followed *out, const asif_context *context, const asif_trail *trail,
                                 const asif_setting *setting, bool values, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t width = spec->observations ? asif_has_place(spec) + (uint64_t)asif_hidden_values(spec) : 1,
             U = spec->actions;
    *out = (asif_followed){.context = context};
    out->state = ASIF_ARRAY(context, trail->nodes * width, double);
    out->log_policy = ASIF_ARRAY(context, trail->nodes * U, double);
    out->q = values ? ASIF_ARRAY(context, trail->nodes * U, double) : NULL;
    return out->state && out->log_policy && (out->q || !values) ? ASIF_OK : asif_fail_memory(error);
}

void asif_followed_free(asif_followed *followed) {
    asif_free(followed->context, followed->state);
    asif_free(followed->context, followed->log_policy);
    asif_free(followed->context, followed->q);
}

static void begin(asif_followed *out, const asif_behavior *b, const asif_trail *trail) {
    uint64_t first = trail->states_seen ? trail->nodes : trail->level[1];
    for (uint64_t i = 0; i < first; i++)
        asif_behavior_init(b, trail->states_seen ? 0 : trail->start + (uint32_t)i,
                           trail->states_seen ? trail->observation[i] : ASIF_ANY, out->state + i * b->width);
}

static void copy_parents(asif_followed *out, uint64_t width, const asif_trail *trail, uint64_t from,
                         uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        memcpy(out->state + i * width, out->state + trail->parent[i] * width, width * sizeof *out->state);
}

/* Step to nodes one by one; those that are impossible become NaN. */
static asif_status step_leniently(asif_followed *out, const asif_behavior *b, const asif_trail *trail,
                                  uint64_t from, uint64_t to, asif_error *error) {
    for (uint64_t i = from; i < to; i++) {
        double *state = out->state + i * b->width;
        asif_status status = isnan(state[0]) ? ASIF_EZEROPR
                                             : asif_behavior_step(b, 1, state, &trail->action[i],
                                                                  &trail->observation[i], state, error);
        for (uint32_t s = 0; status == ASIF_EZEROPR && s < b->width; s++)
            state[s] = NAN;
        if (status != ASIF_OK && status != ASIF_EZEROPR)
            return status;
    }
    asif_error_clear(error);
    return ASIF_OK;
}

static asif_status step_level(asif_followed *out, const asif_behavior *b, const asif_trail *trail,
                              uint64_t from, uint64_t to, bool lenient, bool *holes, asif_error *error) {
    double *state = out->state + from * b->width;
    asif_status status = ASIF_EZEROPR;
    copy_parents(out, b->width, trail, from, to);
    if (!*holes)
        status = asif_behavior_step(b, to - from, state, trail->action + from, trail->observation + from,
                                    state, error);
    if (status == ASIF_EZEROPR && lenient) {
        *holes = true;
        copy_parents(out, b->width, trail, from, to);
        return step_leniently(out, b, trail, from, to, error);
    }
    if (status == ASIF_EZEROPR && error)
        error->row += from;
    return status;
}

/* Where an action is not available its value is -INFINITY. */
static void leave_out(asif_followed *out, const asif_behavior *b, uint64_t nodes) {
    const asif_setting_spec *spec = &b->setting->spec;
    for (uint64_t i = 0; i < nodes; i++) {
        double place = out->state[i * b->width];
        for (uint32_t u = 0; !isnan(place) && u < spec->actions; u++)
            if (!asif_is_available(spec, (uint32_t)place, u))
                out->q[i * spec->actions + u] = -INFINITY;
    }
}

/* Compute the policies, and action values. At impossible nodes they become NaN. */
static asif_status look(asif_followed *out, const asif_behavior *b, const asif_trail *trail, bool holes,
                        asif_error *error) {
    uint64_t width = b->width, U = b->setting->spec.actions;
    asif_view view = ASIF_VIEW_INIT;
    view.log_policy = out->log_policy;
    view.q = out->q;
    bool *hole = holes ? ASIF_ARRAY(out->context, trail->nodes, bool) : NULL;
    if (holes && !hole)
        return asif_fail_memory(error);
    for (uint64_t i = 0; holes && i < trail->nodes; i++) {
        hole[i] = isnan(out->state[i * width]);
        if (hole[i])
            asif_behavior_init(b, trail->start, ASIF_ANY, out->state + i * width);
    }
    asif_status status = out->q
                             ? asif_look(b, trail->nodes, out->state, &view, error)
                             : asif_behavior_log_policy(b, trail->nodes, out->state, out->log_policy, error);
    for (uint64_t i = 0; holes && i < trail->nodes; i++) {
        for (uint64_t s = 0; hole[i] && s < width; s++)
            out->state[i * width + s] = NAN;
        for (uint64_t u = 0; hole[i] && u < U; u++) {
            out->log_policy[i * U + u] = NAN;
            if (out->q)
                out->q[i * U + u] = NAN;
        }
    }
    asif_free(out->context, hole);
    if (out->q && b->setting->spec.available)
        leave_out(out, b, trail->nodes);
    return status;
}

asif_status asif_follow(asif_followed *out, const asif_behavior *behavior, const asif_trail *trail,
                        bool lenient, asif_error *error) {
    bool holes = false;
    begin(out, behavior, trail);
    for (uint64_t l = 1; !trail->states_seen && l < trail->levels; l++)
        ASIF_TRY(
            step_level(out, behavior, trail, trail->level[l], trail->level[l + 1], lenient, &holes, error));
    return look(out, behavior, trail, holes, error);
}
