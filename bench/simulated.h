/* The history tree of simulated DIAG logs, without the detour by a table. */
#ifndef ASIF_BENCH_SIMULATED_H
#define ASIF_BENCH_SIMULATED_H

#include "asif.h"

#include "logs/tree/tree.h"

typedef struct {
    asif_tree_builder *builder;
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
    if (status == ASIF_OK && d->action == 2)
        status = asif_tree_move(s->builder, d->action, d->observation, s->decisions, s->error);
    return status;
}

/* Of the solved agent; `decisions` may be NULL. */
static inline asif_status simulated_tree(asif_tree **out, const asif_context *context, const asif_work *work,
                                         uint64_t episodes, uint64_t *decisions, asif_error *error) {
    static const char *const actions[] = {"declare_healthy", "declare_diseased", "monitor"};
    static const char *const observations[] = {"negative", "positive"};
    const asif_tree_labels labels = {3, 2, actions, observations};
    const asif_logs_info info = {0};
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    simulated_logs s = {.error = error};
    options.episodes = episodes;
    asif_status status = asif_tree_begin(&s.builder, context, 1, false, error);
    if (status == ASIF_OK)
        status = asif_simulate(asif_work_behavior(work), &options, simulated_take, &s, error);
    if (status == ASIF_OK)
        status = asif_tree_finish(out, s.builder, &labels, NULL, NULL, NULL, &info, error);
    if (decisions)
        *decisions = s.decisions;
    return status;
}

#endif
