#include "acting/policy/situations.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/lookahead.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define LOOK 256      /* situations looked at together */
#define ROUNDED 12    /* bits of a number that do not tell situations apart */
#define LEAST_ROOM 64 /* situations */

/* ---- life ---- */

asif_status asif_situations_create(asif_situations *set, const asif_episode_value *critic,
                                   asif_error *error) {
    const asif_context *c = critic->context;
    uint64_t n = ASIF_SITUATIONS_MOVES, width = critic->behavior->width;
    *set = (asif_situations){.critic = critic};
    ASIF_TRY(asif_outlook_create(&set->outlook, critic, LOOK, error));
    set->gap = ASIF_ARRAY(c, 5 * n, uint32_t);
    set->next = ASIF_ARRAY(c, (n + 1) * width + asif_hidden_values(critic->spec), double);
    if (!set->gap || !set->next)
        return asif_fail_memory(error);
    set->asker = set->gap + n;
    set->from = set->asker + n;
    set->action = set->from + n;
    set->seen = set->action + n;
    set->state_room = set->next + n * width;
    set->world_room = set->state_room + width;
    return ASIF_OK;
}

void asif_situations_free(asif_situations *set) {
    if (!set->critic)
        return;
    asif_outlook_free(&set->outlook);
    void *const arrays[] = {set->state, set->world, set->policy, set->memo, set->correction, set->times,
                            set->edges, set->edge,  set->table,  set->gap,  set->next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(set->critic->context, arrays[i]);
    *set = (asif_situations){0};
}

void asif_situations_clear(asif_situations *set) {
    set->count = set->known = 0;
    set->edge_count = 0;
    for (uint32_t i = 0; i < set->slots; i++)
        set->table[i] = ASIF_ANY;
}

/* ---- room ---- */

static bool widen(const asif_context *c, double **array, uint32_t room, uint32_t width) {
    double *wider = asif_realloc(c, *array, (uint64_t)room * (width ? width : 1), sizeof **array);
    if (!wider)
        return false;
    *array = wider;
    return true;
}

/* ---- which situation ---- */

static uint64_t rounded(double x) {
    uint64_t bits;
    x += 0.0; /* no -0 */
    memcpy(&bits, &x, sizeof bits);
    return (bits + (1u << (ROUNDED - 1))) >> ROUNDED;
}

static uint64_t mix(uint64_t hash, uint64_t key) {
    hash = (hash ^ key) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint32_t slot_of(const asif_situations *set, const double *state, const double *world) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < set->critic->behavior->width; i++)
        hash = mix(hash, rounded(state[i]));
    for (uint32_t s = 0; s < asif_hidden_values(set->critic->spec); s++)
        hash = mix(hash, rounded(world[s]));
    return (uint32_t)(hash >> 16) & (set->slots - 1);
}

static bool same(const double *a, const double *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (rounded(a[i]) != rounded(b[i]))
            return false;
    return true;
}

static void enter(asif_situations *set, uint32_t situation) {
    uint32_t slot = slot_of(set, set->state + (uint64_t)situation * set->critic->behavior->width,
                            set->world + (uint64_t)situation * asif_hidden_values(set->critic->spec));
    while (set->table[slot] != ASIF_ANY)
        slot = (slot + 1) & (set->slots - 1);
    set->table[slot] = situation;
}

static asif_status make_room(asif_situations *set, asif_error *error) {
    const asif_episode_value *critic = set->critic;
    const asif_context *c = critic->context;
    if (set->count < set->room)
        return ASIF_OK;
    if (set->room >= UINT32_MAX / 4)
        return asif_fail_memory(error);
    uint32_t room = set->room ? 2 * set->room : LEAST_ROOM, slots = 2 * room;
    bool good = widen(c, &set->state, room, critic->behavior->width) &&
                widen(c, &set->world, room, asif_hidden_values(critic->spec)) &&
                widen(c, &set->policy, room, critic->spec->actions) &&
                widen(c, &set->memo, room, critic->behavior->memo_width) &&
                widen(c, &set->correction, room, critic->kinds) && widen(c, &set->times, room, 1);
    uint32_t *edges = good ? asif_realloc(c, set->edges, room, sizeof *edges) : NULL;
    set->edges = edges ? edges : set->edges;
    uint32_t *table = edges ? asif_realloc(c, set->table, slots, sizeof *table) : NULL;
    if (!table)
        return asif_fail_memory(error);
    set->table = table;
    set->room = room;
    set->slots = slots;
    for (uint32_t i = 0; i < slots; i++)
        table[i] = ASIF_ANY;
    for (uint32_t i = 0; i < set->count; i++)
        enter(set, i);
    return ASIF_OK;
}

/* The situation with these numbers, a new one if there is none yet. */
static asif_status find(asif_situations *set, const double *state, const double *world, uint32_t *out,
                        asif_error *error) {
    uint32_t width = set->critic->behavior->width, H = asif_hidden_values(set->critic->spec);
    ASIF_TRY(make_room(set, error));
    for (uint32_t slot = slot_of(set, state, world); set->table[slot] != ASIF_ANY;
         slot = (slot + 1) & (set->slots - 1)) {
        uint32_t there = set->table[slot];
        *out = there;
        if (same(set->state + (uint64_t)there * width, state, width) &&
            same(set->world + (uint64_t)there * H, world, H))
            return ASIF_OK;
    }
    *out = set->count++;
    memcpy(set->state + (uint64_t)*out * width, state, width * sizeof *state);
    memcpy(set->world + (uint64_t)*out * H, world, H * sizeof *world);
    set->times[*out] = 0;
    set->edges[*out] = ASIF_ANY;
    enter(set, *out);
    return ASIF_OK;
}

asif_status asif_situations_start(asif_situations *set, uint32_t start, uint32_t first, uint32_t *out,
                                  asif_error *error) {
    const asif_episode_value *c = set->critic;
    const asif_behavior *b = c->behavior;
    const asif_setting_spec *spec = c->spec;
    const double *begin = spec->environment_start + (uint64_t)start * spec->states;
    bool parts = spec->seen > 1;
    uint32_t hidden = asif_hidden_values(spec), y = parts ? first / hidden : c->beliefs ? ASIF_ANY : first;
    b->ops->init(b->self, start, y, set->state_room);
    if (parts)
        asif_lookahead_given(begin + (uint64_t)y * hidden, hidden, set->world_room);
    for (uint32_t s = 0; !parts && s < spec->states; s++)
        set->world_room[s] = c->beliefs ? begin[s] : s == first;
    return find(set, set->state_room, set->world_room, out, error);
}

/* ---- what is done there ---- */

/* The seen part of an agent state; 0 without one. */
static uint32_t part_of(const asif_episode_value *c, const double *state) {
    return c->spec->seen > 1 ? (uint32_t)state[0] % c->spec->seen : 0;
}

/* The critic's error in one step: expectations over the state of the world, given all that was done and seen.
 */
static void correct(asif_situations *set, uint32_t situation, uint64_t i) {
    const asif_episode_value *c = set->critic;
    const double *state = set->state + (uint64_t)situation * c->behavior->width,
                 *world = set->world + (uint64_t)situation * asif_hidden_values(c->spec),
                 *policy = set->outlook.policy + i * c->spec->actions;
    double *sum = set->correction + (uint64_t)situation * c->kinds;
    uint32_t hidden = asif_hidden_values(c->spec), first = part_of(c, state) * hidden;
    memset(sum, 0, c->kinds * sizeof *sum);
    for (uint32_t s = first; s < first + hidden; s++) {
        if (!(world[s - first] > 0))
            continue;
        for (uint32_t u = 0; u < c->spec->actions; u++) {
            double weight = world[s - first] * policy[u];
            if (!(weight > 0))
                continue;
            asif_episode_value_gain(c, u, s, state, weight, sum);
            asif_episode_value_next(&set->outlook, i, u, s, weight * c->discount, sum);
        }
        asif_episode_value_at(c, s, state, -world[s - first], sum);
    }
}

asif_status asif_situations_look(asif_situations *set, asif_error *error) {
    const asif_behavior *b = set->critic->behavior;
    uint64_t U = set->critic->spec->actions;
    while (set->known < set->count) {
        uint32_t first = set->known, n = set->count - first < LOOK ? set->count - first : LOOK;
        ASIF_TRY(asif_outlook_make(&set->outlook, n, set->state + (uint64_t)first * b->width, error));
        memcpy(set->policy + first * U, set->outlook.policy, n * U * sizeof *set->policy);
        memcpy(set->memo + (uint64_t)first * b->memo_width, set->outlook.memo,
               (uint64_t)n * b->memo_width * sizeof *set->memo);
        for (uint32_t i = 0; i < n; i++)
            correct(set, first + i, i);
        set->known += n;
    }
    return ASIF_OK;
}

/* ---- what follows ---- */

/* Bayes in the environment, over the hidden values, which begin with state `first` and then with state `next`
 * (see asif_setting_spec). Where states are seen, the state is known. */
static void update(const asif_episode_value *c, uint32_t action, uint32_t seen, uint32_t first,
                   const double *before, double *after) {
    const asif_setting_spec *spec = c->spec;
    uint32_t hidden = asif_hidden_values(spec), next = 0;
    uint64_t begin, end;
    double sum = 0;
    memset(after, 0, hidden * sizeof *after);
    if (!c->beliefs) {
        after[seen] = 1;
        return;
    }
    next = seen / asif_shown_values(spec) * hidden;
    const asif_matrix *moves = asif_transitions(c->setting, spec->worlds, action),
                      *shows = asif_emissions(c->setting, spec->worlds, action);
    for (uint32_t s = 0; s < hidden; s++) {
        asif_matrix_row(moves, first + s, &begin, &end);
        for (uint64_t i = begin; i < end && before[s] > 0; i++)
            if (moves->column[i] >= next && moves->column[i] - next < hidden)
                after[moves->column[i] - next] += before[s] * moves->value[i];
    }
    for (uint32_t s = 0; s < hidden; s++) {
        double chance = 0;
        asif_matrix_row(shows, next + s, &begin, &end);
        for (uint64_t i = begin; i < end; i++)
            chance += shows->column[i] == seen ? shows->value[i] : 0;
        sum += after[s] *= chance;
    }
    for (uint32_t s = 0; s < hidden; s++)
        after[s] /= sum;
}

static uint32_t edge_of(const asif_situations *set, uint32_t from, uint32_t action, uint32_t seen) {
    uint32_t e = set->edges[from];
    while (e != ASIF_ANY && (set->edge[e].action != action || set->edge[e].seen != seen))
        e = set->edge[e].next;
    return e;
}

/* An edge that leads nowhere yet. */
static asif_status add_edge(asif_situations *set, uint32_t from, uint32_t action, uint32_t seen,
                            uint32_t asker, asif_error *error) {
    if (set->edge_count >= ASIF_ANY ||
        !asif_grow(set->critic->context, &set->edge, set->edge_count, &set->edge_room, sizeof *set->edge))
        return asif_fail_memory(error);
    uint32_t k = set->missing++;
    set->gap[k] = (uint32_t)set->edge_count++;
    set->edge[set->gap[k]] = (asif_situation_edge){action, seen, ASIF_ANY, set->edges[from]};
    set->edges[from] = set->gap[k];
    set->asker[k] = asker;
    set->from[k] = from;
    set->action[k] = action;
    set->seen[k] = seen;
    return ASIF_OK;
}

static asif_status fill_gaps(asif_situations *set, bool stays, asif_error *error) {
    const asif_episode_value *c = set->critic;
    const asif_behavior *b = c->behavior;
    uint32_t hidden = asif_hidden_values(c->spec);
    asif_status status = asif_episode_value_step(c, set->missing, set->from, set->state, set->memo,
                                                 set->action, set->seen, stays, set->next, error);
    if (status == ASIF_EZEROPR && error && error->row)
        error->row = 1 + set->asker[error->row - 1];
    for (uint32_t k = 0; k < set->missing && status == ASIF_OK; k++) {
        uint64_t from = set->from[k];
        update(c, set->action[k], set->seen[k], part_of(c, set->state + from * b->width) * hidden,
               set->world + from * hidden, set->world_room);
        status = find(set, set->next + (uint64_t)k * b->width, set->world_room,
                      &set->edge[set->gap[k]].situation, error);
    }
    return status;
}

asif_status asif_situations_follow(asif_situations *set, uint32_t n, const uint32_t *from,
                                   const uint32_t *action, const uint32_t *seen, bool stays, uint32_t *out,
                                   asif_error *error) {
    set->missing = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = edge_of(set, from[i], action[i], seen[i]);
        if (out[i] != ASIF_ANY)
            continue;
        ASIF_TRY(add_edge(set, from[i], action[i], seen[i], i, error));
        out[i] = set->edges[from[i]];
    }
    if (set->missing)
        ASIF_TRY(fill_gaps(set, stays, error));
    for (uint32_t i = 0; i < n; i++)
        out[i] = set->edge[out[i]].situation;
    return ASIF_OK;
}
