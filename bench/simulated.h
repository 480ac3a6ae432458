/* The history tree of simulated logs, without the detour by a table. */
#ifndef ASIF_BENCH_SIMULATED_H
#define ASIF_BENCH_SIMULATED_H

#include "asif.h"

#include "logs/tree/tree.h"
#include "planners/planner.h"

typedef struct {
    asif_tree_builder *builder;
    const bool *ends; /* [actions] */
    uint64_t decisions;
    asif_error *error;
} simulated_logs;

static inline asif_status simulated_take(void *user, const asif_decision *d) {
    simulated_logs *s = user;
    asif_status status = ASIF_OK;
    if (d->step == 0)
        status = asif_tree_episode(s->builder, 0, ASIF_NO_UNIT, s->error);
    s->decisions++;
    if (status == ASIF_OK)
        status = asif_tree_act(s->builder, d->action, 1, s->decisions, s->error);
    if (status == ASIF_OK && !s->ends[d->action])
        status = asif_tree_move(s->builder, d->action, d->observation, s->decisions, s->error);
    return status;
}

enum { SIMULATED_LABELS = 16 };

/* Of the solved agent; `decisions` may be NULL. An episode has at most max_steps decisions; 0: the default.
 */
static inline asif_status simulated_tree_of(asif_tree **out, const asif_context *context,
                                            const asif_work *work, uint64_t episodes, uint32_t max_steps,
                                            uint64_t *decisions, asif_error *error) {
    const asif_setting *setting = asif_work_setting(work);
    const asif_setting_spec *spec = asif_setting_get(setting);
    char buffer[2][SIMULATED_LABELS][ASIF_LABEL_SIZE];
    const char *actions[SIMULATED_LABELS], *observations[SIMULATED_LABELS];
    for (uint32_t i = 0; i < SIMULATED_LABELS; i++) {
        actions[i] = asif_setting_label(setting, ASIF_LABEL_ACTION, i, buffer[0][i]);
        observations[i] = asif_setting_label(setting, ASIF_LABEL_OBSERVATION, i, buffer[1][i]);
    }
    const asif_tree_labels labels = {spec->actions, spec->observations, actions, observations};
    const asif_logs_info info = {0};
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    simulated_logs s = {.ends = spec->ends, .error = error};
    options.episodes = episodes;
    options.max_steps = max_steps ? max_steps : options.max_steps;
    asif_status status = asif_tree_begin(&s.builder, context, 1, false, error);
    if (status == ASIF_OK)
        status = asif_simulate(asif_work_behavior(work), &options, simulated_take, &s, error);
    if (status == ASIF_OK)
        status = asif_tree_finish(out, s.builder, &labels, NULL, NULL, NULL, &info, error);
    if (decisions)
        *decisions = s.decisions;
    return status;
}

static inline asif_status simulated_tree(asif_tree **out, const asif_context *context, const asif_work *work,
                                         uint64_t episodes, uint64_t *decisions, asif_error *error) {
    return simulated_tree_of(out, context, work, episodes, 0, decisions, error);
}

#endif
