#include "acting/simulated.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "behavior/behavior.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#define NAME_SIZE 24

typedef struct {
    asif_tree_builder *builder;
    const asif_setting_spec *spec;
    uint32_t start;
    bool units, begun;
    uint64_t episode;
    uint64_t person; /* whose episodes are units together; ASIF_NO_UNIT: each is one */
    asif_error *error;
} growth;

static asif_status grow(void *user, const asif_decision *d) {
    growth *g = user;
    if (!g->begun || d->episode != g->episode) {
        uint64_t unit = g->person != ASIF_NO_UNIT ? g->person : g->units ? d->episode : ASIF_NO_UNIT;
        ASIF_TRY(asif_tree_episode(g->builder, g->start, unit, g->error));
        g->begun = true;
        g->episode = d->episode;
    }
    if (g->spec->observations == 0)
        return asif_tree_state(g->builder, d->state, d->action, d->next, 1, 0, g->error);
    ASIF_TRY(asif_tree_act(g->builder, d->action, 1, 0, g->error));
    if (g->spec->ends[d->action])
        return ASIF_OK;
    return asif_tree_move(g->builder, d->action, d->observation, 0, g->error);
}

/* Names [count], and the buffer of those that are made here. */
typedef struct {
    const char **name;
    char *room;
} names;

static asif_status make_names(names *out, const asif_context *c, uint64_t count, asif_error *error) {
    out->name = asif_alloc(c, count, sizeof *out->name);
    out->room = ASIF_ARRAY(c, count * NAME_SIZE, char);
    return out->name && out->room ? ASIF_OK : asif_fail_memory(error);
}

static void label(names *out, const asif_setting *setting, asif_label_kind kind, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        out->name[i] = asif_setting_label(setting, kind, i, out->room + (uint64_t)i * NAME_SIZE);
}

static asif_status finish(asif_tree **out, growth *g, const asif_setting *setting, uint64_t count,
                          asif_error *error) {
    const asif_context *c = setting->context;
    const asif_setting_spec *spec = g->spec;
    uint32_t seen = spec->observations ? spec->observations : spec->states;
    names actions = {0}, observations = {0}, units = {0};
    asif_status status = make_names(&actions, c, spec->actions, error);
    if (status == ASIF_OK)
        status = make_names(&observations, c, seen, error);
    if (status == ASIF_OK)
        status = make_names(&units, c, g->units ? count : 0, error);
    if (status == ASIF_OK) {
        label(&actions, setting, ASIF_LABEL_ACTION, spec->actions);
        label(&observations, setting, spec->observations ? ASIF_LABEL_OBSERVATION : ASIF_LABEL_STATE, seen);
        for (uint64_t i = 0; g->units && i < count; i++) {
            asif_format(units.room + i * NAME_SIZE, NAME_SIZE, "%llu", (unsigned long long)i + 1);
            units.name[i] = units.room + i * NAME_SIZE;
        }
        asif_tree_labels labels = {spec->actions, seen, actions.name, observations.name};
        asif_tree_units kept = {count, units.name, 0, NULL, NULL};
        status = asif_tree_finish(out, g->builder, &labels, NULL, NULL, g->units ? &kept : NULL, NULL, error);
        g->builder = NULL;
    }
    const names *const all[] = {&actions, &observations, &units};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        asif_free(c, all[i]->name);
        asif_free(c, all[i]->room);
    }
    return status;
}

/* Add the episodes of an agent; the first has number *first, which becomes that of the next agent's. */
static asif_status add_agent(growth *g, const asif_behavior *behavior, const asif_simulated_options *options,
                             uint64_t *first, asif_error *error) {
    for (uint32_t c = 0; c < g->spec->starts; c++) {
        asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
        simulation.episodes = options->episodes[c];
        simulation.first_episode = *first;
        simulation.seed = options->seed;
        simulation.start = c;
        simulation.max_steps = options->max_steps;
        simulation.unseen = options->unseen;
        g->start = c;
        if (simulation.episodes > 0)
            ASIF_TRY(asif_simulate(behavior, &simulation, grow, g, error));
        *first += simulation.episodes;
    }
    return ASIF_OK;
}

static asif_status begin(growth *g, const asif_setting *setting, asif_error *error) {
    return asif_tree_begin(&g->builder, setting->context, g->spec->starts, g->spec->observations == 0, error);
}

static asif_status end(asif_tree **out, growth *g, const asif_setting *setting, uint64_t units,
                       asif_status status, asif_error *error) {
    if (status == ASIF_OK)
        status = finish(out, g, setting, units, error);
    if (g->builder)
        asif_tree_abandon(g->builder);
    return status;
}

asif_status asif_simulated_tree(asif_tree **out, const asif_behavior *behavior,
                                const asif_simulated_options *options, asif_error *error) {
    const asif_setting *setting = behavior->setting;
    growth g = {.spec = &setting->spec, .units = options->units, .person = ASIF_NO_UNIT, .error = error};
    uint64_t episodes = 0;
    *out = NULL;
    asif_status status = begin(&g, setting, error);
    if (status == ASIF_OK)
        status = add_agent(&g, behavior, options, &episodes, error);
    return end(out, &g, setting, episodes, status, error);
}

asif_status asif_simulated_people(asif_tree **out, const asif_setting *setting, uint64_t people,
                                  asif_simulated_person *agent, void *user,
                                  const asif_simulated_options *options, asif_error *error) {
    growth g = {.spec = &setting->spec, .units = true, .error = error};
    uint64_t episodes = 0;
    *out = NULL;
    asif_status status = begin(&g, setting, error);
    for (; status == ASIF_OK && g.person < people; g.person++) {
        const asif_behavior *behavior = NULL;
        status = agent(user, g.person, &behavior, error);
        if (status == ASIF_OK)
            status = add_agent(&g, behavior, options, &episodes, error);
    }
    return end(out, &g, setting, people, status, error);
}
