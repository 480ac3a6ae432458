/* Explains one path, step by step. */
#include "questions/explain/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/lookahead.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>

#define PARTED 0.5 /* an ideal agent with a lower probability of an action would have done something else */

/* A path as a trail without branches. */
typedef struct {
    const asif_context *context;
    asif_trail trail;
    uint64_t *level;
    /* [places]: place before, and the action and observation that led here. */
    uint32_t *parent, *led, *seen;
} lane;

static void lane_free(lane *l) {
    asif_free(l->context, l->level);
    asif_free(l->context, l->parent);
    asif_free(l->context, l->led);
    asif_free(l->context, l->seen);
}

static asif_status lane_create(lane *l, asif_explain *e, uint64_t places, uint32_t start, asif_error *error) {
    const asif_context *c = e->context;
    if (places >= UINT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "the path is too long");
    l->level = ASIF_ARRAY(c, places + 1, uint64_t);
    l->parent = ASIF_ARRAY(c, places, uint32_t);
    l->led = ASIF_ARRAY(c, places, uint32_t);
    l->seen = ASIF_ARRAY(c, places, uint32_t);
    e->step = ASIF_ARRAY(c, places, asif_explain_step);
    if (!l->level || !l->parent || !l->led || !l->seen || !e->step)
        return asif_fail_memory(error);
    e->places = (uint32_t)places;
    e->start = start;
    l->trail = (asif_trail){.states_seen = asif_setting_get(e->setting)->observations == 0,
                            .nodes = places,
                            .levels = places,
                            .level = l->level,
                            .parent = l->parent,
                            .action = l->led,
                            .observation = l->seen,
                            .start = start};
    for (uint64_t k = 0; k < places; k++) {
        l->level[k + 1] = k + 1;
        l->parent[k] = k ? (uint32_t)k - 1 : ASIF_ANY;
        l->led[k] = l->seen[k] = ASIF_ANY;
        e->step[k] = (asif_explain_step){.step = (uint32_t)k + 1,
                                         .seen = ASIF_ANY,
                                         .action = ASIF_ANY,
                                         .state = ASIF_ANY,
                                         .part = ASIF_ANY};
    }
    return ASIF_OK;
}

/* ---- sources of paths ---- */

/* The value of the seen part with which an agent begins. */
static uint32_t first_part(const asif_setting_spec *spec, uint32_t start) {
    return asif_lookahead_likely(spec, spec->environment_start + (uint64_t)start * spec->states);
}

static asif_status from_logs(lane *l, asif_explain *e, asif_error *error) {
    const asif_tree_view *tree = asif_tree_inside(e->options.tree);
    asif_course chain = {.context = e->context};
    asif_status status = asif_course_read(
        &chain, e->options.tree, asif_setting_get(e->setting)->observations == 0, e->options.unit, error);
    if (status == ASIF_OK && chain.length == 0)
        status = asif_fail(error, ASIF_EINVALID, "the episode has no decisions that count");
    uint32_t root = chain.length ? chain.node[0] : 0;
    while (status == ASIF_OK && tree->parent[root] != ASIF_ANY)
        root = tree->parent[root];
    if (status == ASIF_OK)
        status = lane_create(l, e, chain.length, root, error);
    for (uint32_t k = 0; status == ASIF_OK && k < chain.length; k++) {
        l->led[k] = tree->action[chain.node[k]];
        l->seen[k] = tree->observation[chain.node[k]];
        e->step[k].step = k + chain.number;
        e->step[k].action = chain.action[k];
    }
    asif_course_free(&chain);
    return status;
}

/* The value of the seen part before a typed action. */
static uint32_t typed_part(const asif_explain *e, uint64_t k) {
    const asif_setting_spec *spec = asif_setting_get(e->setting);
    const asif_explain_options *o = &e->options;
    return spec->seen < 2 ? 0
           : k            ? o->observation[k - 1] / asif_shown_values(spec)
                          : first_part(spec, o->start);
}

/* Whether nothing is decided after the last typed action. One that cannot be taken is refused later on. */
static bool is_end(const asif_explain *e) {
    const asif_setting_spec *spec = asif_setting_get(e->setting);
    uint64_t k = e->options.events - 1;
    uint32_t action = e->options.action[k], part = typed_part(e, k),
             last = spec->horizon ? spec->horizon - 1 : 0, decided = k < last ? (uint32_t)k : last;
    return spec->ends[action] || (spec->observations && asif_is_available(spec, part, action) &&
                                  asif_is_last(spec, decided * asif_seen_values(spec) + part, action));
}

static asif_status from_history(lane *l, asif_explain *e, asif_error *error) {
    const asif_explain_options *o = &e->options;
    uint64_t places = o->events + !(o->events && is_end(e));
    ASIF_TRY(lane_create(l, e, places, o->start, error));
    l->seen[0] = l->trail.states_seen ? o->first : ASIF_ANY;
    for (uint64_t k = 0; k < places; k++) {
        if (k > 0) {
            l->led[k] = o->action[k - 1];
            l->seen[k] = o->observation[k - 1];
        }
        if (k < o->events)
            e->step[k].action = o->action[k];
    }
    return ASIF_OK;
}

typedef struct {
    const asif_context *context;
    asif_decision *list;
    uint64_t count, capacity;
} recording;

static asif_status record(void *user, const asif_decision *d) {
    recording *r = user;
    if (!asif_grow(r->context, &r->list, r->count, &r->capacity, sizeof *r->list))
        return ASIF_ENOMEM;
    r->list[r->count++] = *d;
    return ASIF_OK;
}

static asif_status from_simulation(lane *l, asif_explain *e, const asif_work *work, asif_error *error) {
    bool states_seen = asif_setting_get(e->setting)->observations == 0;
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    recording r = {.context = e->context};
    options.seed = e->options.seed;
    options.start = e->options.start;
    options.max_steps = e->options.max_steps;
    asif_status status = asif_simulate(asif_work_behavior(work), &options, record, &r, error);
    if (status == ASIF_OK)
        status = lane_create(l, e, r.count, e->options.start, error);
    for (uint64_t k = 0; status == ASIF_OK && k < r.count; k++) {
        e->step[k].action = r.list[k].action;
        e->step[k].state = r.list[k].state % asif_hidden_values(asif_setting_get(e->setting));
        if (states_seen)
            l->seen[k] = r.list[k].state;
        else if (k > 0)
            l->seen[k] = r.list[k - 1].observation;
        if (k > 0)
            l->led[k] = r.list[k - 1].action;
    }
    asif_free(e->context, r.list);
    return status;
}

/* ---- numbers ---- */

/* Values of all draws, for each number next to each other. */
typedef struct {
    const asif_explain *explain;
    uint64_t draws[ASIF_WHO_COUNT], width, actions, places;
    uint64_t before;                /* numbers of an agent state before its belief */
    double *belief[ASIF_WHO_COUNT]; /* [places][width][draws] */
    double *policy[ASIF_WHO_COUNT]; /* [places][actions][draws] */
    /* For the agent that knows the true world: [places][actions][draws], [places + 1][draws]. */
    double *q, *cost;
} sheet;

static void sheet_free(sheet *s) {
    const asif_context *c = s->explain->context;
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++) {
        asif_free(c, s->belief[who]);
        asif_free(c, s->policy[who]);
    }
    asif_free(c, s->q);
    asif_free(c, s->cost);
}

static asif_status sheet_create(sheet *s, const asif_explain *e, const uint32_t draws[ASIF_WHO_COUNT],
                                asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(e->setting);
    const asif_context *c = e->context;
    *s = (sheet){.explain = e,
                 .width = spec->observations ? asif_hidden_values(spec) : 1,
                 .before = spec->observations && asif_has_place(spec),
                 .actions = spec->actions,
                 .places = e->places};
    bool good = true;
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++) {
        s->draws[who] = draws[who];
        s->belief[who] = ASIF_ARRAY(c, s->places * s->width * draws[who], double);
        s->policy[who] = ASIF_ARRAY(c, s->places * s->actions * draws[who], double);
        good = good && s->belief[who] && s->policy[who];
    }
    s->q = ASIF_ARRAY(c, s->places * s->actions * draws[ASIF_WHO_TRUE], double);
    s->cost = ASIF_ARRAY(c, (s->places + 1) * draws[ASIF_WHO_TRUE], double);
    return good && s->q && s->cost ? ASIF_OK : asif_fail_memory(error);
}

static double largest(const double *list, uint64_t n) {
    double most = list[0];
    for (uint64_t i = 1; i < n; i++)
        most = list[i] > most ? list[i] : most;
    return most;
}

static void take(void *user, uint32_t block, uint32_t draw, uint32_t who, const asif_followed *f) {
    sheet *s = user;
    uint64_t draws = s->draws[who], U = s->actions;
    (void)block;
    for (uint64_t i = 0; i < s->places * s->width; i++)
        s->belief[who][i * draws + draw] = f->state[i + (i / s->width + 1) * s->before];
    for (uint64_t i = 0; i < s->places * U; i++)
        s->policy[who][i * draws + draw] = exp(f->log_policy[i]);
    if (who != ASIF_WHO_TRUE)
        return;
    for (uint64_t i = 0; i < s->places * U; i++)
        s->q[i * draws + draw] = f->q[i];
    double sum = 0;
    for (uint64_t k = 0; k < s->places; k++) {
        uint32_t action = s->explain->step[k].action;
        double cost = action == ASIF_ANY ? NAN : largest(f->q + k * U, U) - f->q[k * U + action];
        s->cost[k * draws + draw] = cost;
        sum += action == ASIF_ANY ? 0 : cost;
    }
    s->cost[s->places * draws + draw] = sum;
}

static asif_status condense(asif_band **out, const asif_context *c, double *value, uint64_t n, uint64_t draws,
                            asif_error *error) {
    *out = ASIF_ARRAY(c, n, asif_band);
    if (!*out)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < n; i++)
        (*out)[i] = asif_band_of(value + i * draws, draws);
    return ASIF_OK;
}

static asif_status condense_all(asif_explain *e, sheet *s, asif_error *error) {
    uint64_t draws = s->draws[ASIF_WHO_TRUE];
    bool hidden = asif_setting_get(e->setting)->observations > 0;
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++) {
        if (hidden)
            ASIF_TRY(condense(&e->belief[who], e->context, s->belief[who], s->places * s->width,
                              s->draws[who], error));
        ASIF_TRY(condense(&e->policy[who], e->context, s->policy[who], s->places * s->actions, s->draws[who],
                          error));
    }
    for (uint64_t k = 0; k < s->places; k++)
        e->step[k].cost = asif_band_of(s->cost + k * draws, draws);
    e->cost = asif_band_of(s->cost + s->places * draws, draws);
    return condense(&e->q, e->context, s->q, s->places * s->actions, draws, error);
}

/* ---- highlights ---- */

static uint32_t most_probable(const asif_band *policy, uint32_t actions) {
    uint32_t best = 0;
    for (uint32_t u = 1; u < actions; u++)
        if (policy[u].mean > policy[best].mean)
            best = u;
    return isnan(policy[best].mean) ? ASIF_ANY : best;
}

static void judge_step(asif_explain *e, uint32_t k) {
    asif_explain_step *step = &e->step[k];
    uint32_t U = asif_setting_get(e->setting)->actions;
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++) {
        const asif_band *policy = e->policy[who] + (uint64_t)k * U;
        step->would[who] = most_probable(policy, U);
        step->probability[who] = step->action == ASIF_ANY ? NAN : policy[step->action].mean;
        e->impossible |= isnan(policy[0].mean);
        if (who != ASIF_WHO_FITTED && e->parts[who] == ASIF_ANY && step->probability[who] < PARTED)
            e->parts[who] = k;
    }
    if (step->action == ASIF_ANY)
        return;
    e->decisions++;
    e->ended = asif_setting_get(e->setting)->ends[step->action];
    if (e->least_expected == ASIF_ANY ||
        step->probability[ASIF_WHO_FITTED] < e->step[e->least_expected].probability[ASIF_WHO_FITTED])
        e->least_expected = k;
    if (step->cost.mean > 0 &&
        (e->costliest == ASIF_ANY || step->cost.mean > e->step[e->costliest].cost.mean))
        e->costliest = k;
}

/* The value of the seen part at a place; ASIF_ANY: there is none, or it is not known. */
static uint32_t part_of(const asif_explain *e, const lane *l, uint32_t k) {
    const asif_setting_spec *spec = asif_setting_get(e->setting);
    if (spec->seen < 2 || (k > 0 && l->seen[k] == ASIF_ANY))
        return ASIF_ANY;
    return k ? l->seen[k] / asif_shown_values(spec) : first_part(spec, e->start);
}

static asif_status say_impossible(const asif_explain *e, const lane *l, asif_error *error) {
    char action[ASIF_LABEL_SIZE], seen[ASIF_LABEL_SIZE];
    uint64_t k = error && error->row ? error->row - 1 : 0;
    if (!error || k == 0 || k >= e->places)
        return ASIF_EZEROPR;
    asif_fail(error, ASIF_EZEROPR, "step %u: `%s` cannot follow `%s` in any world of the agent",
              e->step[k - 1].step,
              asif_show(asif_setting_label(e->setting, ASIF_LABEL_OBSERVATION, l->seen[k], seen)).text,
              asif_show(asif_setting_label(e->setting, ASIF_LABEL_ACTION, l->led[k], action)).text);
    asif_error_hint(error, "is the label right? `asif check STUDY LOGS` looks at all of the logs");
    return ASIF_EZEROPR;
}

asif_status asif_explain_path(asif_explain *e, const double *x, const double *middle, const asif_work *work,
                              asif_error *error) {
    lane l = {.context = e->context};
    sheet s = {.explain = e};
    uint32_t ideals = asif_ideals_vary(e->fitted) ? e->draws : 1;
    const uint32_t draws[ASIF_WHO_COUNT] = {e->draws, ideals, ideals};
    e->costliest = e->least_expected = e->parts[ASIF_WHO_SAME] = e->parts[ASIF_WHO_TRUE] = ASIF_ANY;
    asif_status status = e->options.tree    ? from_logs(&l, e, error)
                         : e->options.typed ? from_history(&l, e, error)
                                            : from_simulation(&l, e, work, error);
    if (status == ASIF_OK)
        status = sheet_create(&s, e, draws, error);
    if (status == ASIF_OK) {
        asif_explain_work job = {.fitted = e->fitted,
                                 .trail = &l.trail,
                                 .draws = {draws[0], draws[1], draws[2]},
                                 .x = x,
                                 .take = take,
                                 .user = &s};
        status = asif_explain_over_draws(&job, work, middle, error);
        if (status == ASIF_EZEROPR)
            status = say_impossible(e, &l, error);
        else if (status == ASIF_EINVALID && error) /* a history that goes on after its end has no rows */
            error->row = 0;
    }
    if (status == ASIF_OK)
        status = condense_all(e, &s, error);
    for (uint32_t k = 0; status == ASIF_OK && k < e->places; k++) {
        e->step[k].seen = l.seen[k];
        e->step[k].part = part_of(e, &l, k);
        if (l.trail.states_seen)
            e->step[k].seen = e->step[k].state = (uint32_t)s.belief[0][k * (uint64_t)e->draws];
        judge_step(e, k);
    }
    sheet_free(&s);
    lane_free(&l);
    return status;
}
