/* Simulates the agent in the environment: the agent acts on its own beliefs, and the world follows its
 * own dynamics. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "behavior/behavior.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* Episodes that are simulated together. */
#define GROUP 256

typedef struct {
    asif_decision decision;
    uint32_t slot; /* index of the episode in the group */
} record;

typedef struct {
    const asif_behavior *behavior;
    const asif_simulate_options *options;
    const asif_context *context;
    /* Arrays over the episodes that are still running. */
    uint32_t running;
    uint32_t *slot, *world, *action, *seen;
    double *state, *log_policy, *memo, *policy;
    /* Records of the whole group. */
    uint64_t records, record_capacity, states_capacity;
    record *list;
    double *states; /* [records][width] */
} group;

static asif_status group_create(group *g, const asif_behavior *behavior, const asif_simulate_options *options,
                                asif_error *error) {
    const asif_setting_spec *spec = &behavior->setting->spec;
    const asif_context *c = behavior->context;
    *g = (group){.behavior = behavior, .options = options, .context = c};
    g->slot = ASIF_ARRAY(c, GROUP, uint32_t);
    g->world = ASIF_ARRAY(c, GROUP, uint32_t);
    g->action = ASIF_ARRAY(c, GROUP, uint32_t);
    g->seen = ASIF_ARRAY(c, GROUP, uint32_t);
    g->state = ASIF_ARRAY(c, (uint64_t)GROUP * behavior->width, double);
    g->log_policy = ASIF_ARRAY(c, (uint64_t)GROUP * spec->actions, double);
    g->memo = ASIF_ARRAY(c, (uint64_t)GROUP * behavior->memo_width, double);
    g->policy = ASIF_ARRAY(c, spec->actions, double);
    bool good =
        g->slot && g->world && g->action && g->seen && g->state && g->log_policy && g->memo && g->policy;
    return good ? ASIF_OK : asif_fail_memory(error);
}

static void group_free(group *g) {
    void *const arrays[] = {g->slot,       g->world, g->action, g->seen, g->state,
                            g->log_policy, g->memo,  g->policy, g->list, g->states};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(g->context, arrays[i]);
}

static double uniform(const group *g, asif_purpose purpose, uint64_t episode, uint32_t counter) {
    asif_stream stream = {g->options->seed, purpose, episode};
    return asif_uniform(&stream, counter);
}

uint32_t asif_matrix_draw(const asif_matrix *matrix, uint32_t row, double uniform) {
    uint64_t begin, end;
    asif_matrix_row(matrix, row, &begin, &end);
    return matrix->column[begin + asif_draw(uniform, matrix->value + begin, (uint32_t)(end - begin))];
}

static asif_status keep(group *g, const asif_decision *decision, uint32_t slot, const double *state,
                        asif_error *error) {
    uint32_t width = g->behavior->width;
    if (!asif_grow(g->context, &g->list, g->records, &g->record_capacity, sizeof *g->list) ||
        !asif_grow(g->context, &g->states, g->records, &g->states_capacity, width * sizeof *g->states))
        return asif_fail_memory(error);
    memcpy(g->states + g->records * width, state, width * sizeof *state);
    g->list[g->records++] = (record){*decision, slot};
    return ASIF_OK;
}

/* One decision in every episode that is still running. */
static asif_status advance(group *g, uint64_t first, uint32_t step, asif_error *error) {
    const asif_behavior *b = g->behavior;
    const asif_setting *setting = b->setting;
    const asif_setting_spec *spec = &setting->spec;
    uint32_t width = b->width, kept = 0;
    asif_status status = asif_policies(b, g->running, g->state, g->log_policy, g->memo, error);
    for (uint32_t i = 0; i < g->running && status == ASIF_OK; i++) {
        uint64_t episode = first + g->slot[i];
        for (uint32_t u = 0; u < spec->actions; u++)
            g->policy[u] = exp(g->log_policy[(uint64_t)i * spec->actions + u]);
        asif_decision d = {.episode = episode, .step = step, .state = g->world[i], .observation = ASIF_ANY};
        d.action = asif_draw(uniform(g, ASIF_FOR_ACTIONS, episode, step), g->policy, spec->actions);
        d.next = asif_matrix_draw(asif_transitions(setting, spec->worlds, d.action), d.state,
                                  uniform(g, ASIF_FOR_STATES, episode, step + 1));
        if (spec->observations)
            d.observation = asif_matrix_draw(asif_emissions(setting, spec->worlds, d.action), d.next,
                                             uniform(g, ASIF_FOR_OBSERVATIONS, episode, step));
        if (g->options->unseen && uniform(g, ASIF_FOR_UNSEEN, episode, step) < g->options->unseen[d.action])
            d.observation = ASIF_ANY;
        bool ended = (spec->ends[d.action] && !g->options->endless) || spec->terminal[d.state] ||
                     spec->stops[d.action] || step + 1 == spec->horizon;
        d.cut = !ended && step + 1 >= g->options->max_steps;
        status = keep(g, &d, g->slot[i], g->state + (uint64_t)i * width, error);
        if (ended || d.cut)
            continue;
        memmove(g->state + (uint64_t)kept * width, g->state + (uint64_t)i * width, width * sizeof *g->state);
        memmove(g->memo + (uint64_t)kept * b->memo_width, g->memo + (uint64_t)i * b->memo_width,
                b->memo_width * sizeof *g->memo);
        g->slot[kept] = g->slot[i];
        g->world[kept] = d.next;
        g->action[kept] = d.action;
        g->seen[kept++] = spec->observations ? d.observation : d.next;
    }
    if (status != ASIF_OK)
        return status;
    g->running = kept;
    status = b->ops->step(b->self, kept, NULL, g->state, g->memo, g->action, g->seen, g->state, error);
    if (status == ASIF_EZEROPR && error && error->row) {
        asif_error inner = *error;
        asif_fail(error, status, "episode %llu, step %u: %s",
                  (unsigned long long)(first + g->slot[inner.row - 1] + 1), step, inner.message);
        asif_error_hint(error, "%s", inner.hint);
    }
    return status;
}

/* Hands the records over episode by episode, though they were made step by step. */
static asif_status hand_over(group *g, uint32_t episodes, asif_status (*take)(void *, const asif_decision *),
                             void *user, asif_error *error) {
    uint64_t *next = ASIF_ARRAY(g->context, (uint64_t)episodes + 1, uint64_t);
    uint64_t *order = ASIF_ARRAY(g->context, g->records, uint64_t);
    asif_status status = next && order ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (uint64_t i = 0; i < g->records; i++)
            next[g->list[i].slot + 1]++;
        for (uint32_t i = 0; i < episodes; i++)
            next[i + 1] += next[i];
        for (uint64_t i = 0; i < g->records; i++)
            order[next[g->list[i].slot]++] = i;
        for (uint64_t i = 0; i < g->records && status == ASIF_OK; i++) {
            asif_decision d = g->list[order[i]].decision;
            d.agent_state = g->states + order[i] * g->behavior->width;
            status = take(user, &d);
            if (status == ASIF_ENOMEM)
                asif_fail_memory(error);
            else if (status != ASIF_OK)
                asif_fail(error, status, "stopped by the receiver of the decisions");
        }
    }
    asif_free(g->context, next);
    asif_free(g->context, order);
    return status;
}

static asif_status run_group(group *g, uint64_t first, uint32_t episodes,
                             asif_status (*take)(void *, const asif_decision *), void *user,
                             asif_error *error) {
    const asif_behavior *b = g->behavior;
    const asif_setting_spec *spec = &b->setting->spec;
    bool any = g->options->start == ASIF_ANY;
    g->records = 0;
    g->running = episodes;
    for (uint32_t i = 0; i < episodes; i++) {
        uint32_t class =
            !any ? g->options->start
                 : asif_draw(uniform(g, ASIF_FOR_CLASSES, first + i, 0), spec->start_weights, spec->starts);
        const double *start = spec->environment_start + (uint64_t) class * spec->states;
        g->slot[i] = i;
        g->world[i] = asif_draw(uniform(g, ASIF_FOR_STATES, first + i, 0), start, spec->states);
        uint32_t seen = spec->seen > 1 ? g->world[i] / asif_hidden_values(spec) : ASIF_ANY;
        b->ops->init(b->self, class, spec->observations ? seen : g->world[i],
                     g->state + (uint64_t)i * b->width);
    }
    asif_status status = ASIF_OK;
    for (uint32_t step = 0; g->running && status == ASIF_OK; step++)
        status = advance(g, first, step, error);
    return status == ASIF_OK ? hand_over(g, episodes, take, user, error) : status;
}

/* Options with their defaults; ASIF_EDOMAIN if they are wrong. */
static asif_status fill_options(asif_simulate_options *filled, const asif_behavior *behavior,
                                const asif_simulate_options *options, asif_error *error) {
    *filled = (asif_simulate_options)ASIF_SIMULATE_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *filled)
            return asif_fail(error, ASIF_EDOMAIN, "simulation options have an unknown size");
        memcpy(filled, options, options->struct_size);
    }
    if (filled->start == ASIF_ANY ? !behavior->setting->spec.start_weights
                                  : filled->start >= behavior->setting->spec.starts)
        return asif_fail(error, ASIF_EDOMAIN, "there is no start class %u", filled->start);
    if (filled->max_steps == 0 || filled->max_steps == UINT32_MAX)
        return asif_fail(error, ASIF_EDOMAIN, "max_steps must be at least 1 and below 2^32 - 1");
    return ASIF_OK;
}

asif_status asif_simulate_as(const asif_behavior *behavior, const asif_simulate_options *options,
                             const char *what, asif_status (*take)(void *user, const asif_decision *decision),
                             void *user, asif_error *error) {
    asif_simulate_options filled;
    group g;
    ASIF_TRY(fill_options(&filled, behavior, options, error));
    asif_status status = group_create(&g, behavior, &filled, error);
    for (uint64_t done = 0; done < filled.episodes && status == ASIF_OK;) {
        uint32_t n = filled.episodes - done < GROUP ? (uint32_t)(filled.episodes - done) : GROUP;
        if (what && asif_progress(g.context, what, (double)done / (double)filled.episodes))
            status = asif_fail(error, ASIF_ECANCELLED, "the simulation was cancelled");
        else
            status = run_group(&g, filled.first_episode + done, n, take, user, error);
        done += n;
    }
    group_free(&g);
    return status;
}

asif_status asif_simulate(const asif_behavior *behavior, const asif_simulate_options *options,
                          asif_status (*take)(void *user, const asif_decision *decision), void *user,
                          asif_error *error) {
    return asif_simulate_as(behavior, options, "simulating", take, user, error);
}
