#include "engine/places/reach.h"

#include "base/error.h"
#include "base/memory.h"
#include "engine/lattice.h"

#include <math.h>
#include <string.h>

/* Beliefs whose entries differ by no more than EQUAL are one. A belief that was computed in another order is
 * found if its entries differ by no more than FOUND from those of a node; the nearest node is taken. */
#define EQUAL 1e-12
#define FOUND 1e-10
/* Beliefs are hashed by a cell of this width on a line, on which no belief moves by more than half of it if
 * its entries change by FOUND. */
#define CELL 1e-8

/* ---- the table ---- */

static double on_line(const double *belief, uint32_t hidden) {
    double sum = 0;
    for (uint32_t h = 0; h < hidden; h++)
        sum += belief[h] * (0.5 + fmod((h + 1) * 0.6180339887498949, 1));
    return sum;
}

static uint32_t slot_of(const asif_reach *r, uint32_t place, int64_t cell) {
    uint64_t key = ((uint64_t)cell * 0x9e3779b97f4a7c15u) ^ ((place + 1ull) * 0xc2b2ae3d27d4eb4fu);
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(key >> (64 - r->bits));
}

static double distance(const double *a, const double *b, uint32_t hidden) {
    double largest = 0;
    for (uint32_t h = 0; h < hidden; h++)
        largest = fmax(largest, fabs(a[h] - b[h]));
    return largest;
}

/* The nearest node within a distance. */
static uint32_t find(const asif_reach *r, uint32_t place, const double *belief, double within) {
    double at = on_line(belief, r->hidden), nearest = within;
    uint32_t found = ASIF_ANY, mask = (uint32_t)((1ull << r->bits) - 1);
    int64_t last = (int64_t)floor((at + CELL / 2) / CELL);
    for (int64_t cell = last - 1; cell <= last; cell++)
        for (uint32_t k = slot_of(r, place, cell); r->slot[k] != ASIF_ANY; k = (k + 1) & mask) {
            uint32_t node = r->slot[k];
            double away = r->place[node] == place
                              ? distance(r->belief + (uint64_t)node * r->hidden, belief, r->hidden)
                              : INFINITY;
            if (away <= nearest) {
                nearest = away;
                found = node;
            }
        }
    return found;
}

static void put(asif_reach *r, uint32_t node) {
    uint32_t mask = (uint32_t)((1ull << r->bits) - 1);
    double at = on_line(r->belief + (uint64_t)node * r->hidden, r->hidden);
    uint32_t k = slot_of(r, r->place[node], (int64_t)floor(at / CELL));
    while (r->slot[k] != ASIF_ANY)
        k = (k + 1) & mask;
    r->slot[k] = node;
}

/* Put all nodes into a table with room for twice as many. */
static bool make_table(asif_reach *r, const asif_context *context, uint64_t room) {
    r->bits = 4;
    while ((1ull << r->bits) < 2 * room)
        r->bits++;
    asif_free(context, r->slot);
    r->slot = ASIF_ARRAY(context, 1ull << r->bits, uint32_t);
    if (!r->slot)
        return false;
    memset(r->slot, 0xff, (1ull << r->bits) * sizeof *r->slot);
    for (uint32_t i = 0; i < r->nodes; i++)
        put(r, i);
    return true;
}

uint32_t asif_reach_find(const asif_reach *r, uint32_t place, const double *belief) {
    return find(r, place, belief, FOUND);
}

/* ---- the search ---- */

typedef struct {
    asif_reach *reach;
    const asif_context *context;
    const asif_links *links;
    uint32_t room;
} search;

static asif_status grow(search *s, asif_error *error) {
    asif_reach *r = s->reach;
    uint32_t room = s->room ? 2 * s->room : 256;
    uint32_t *place = asif_realloc(s->context, r->place, room, sizeof *place);
    if (!place)
        return asif_fail_memory(error);
    r->place = place;
    double *belief = asif_realloc(s->context, r->belief, (uint64_t)room * r->hidden, sizeof *belief);
    if (!belief)
        return asif_fail_memory(error);
    r->belief = belief;
    s->room = room;
    return make_table(r, s->context, room) ? ASIF_OK : asif_fail_memory(error);
}

static asif_status add(search *s, uint32_t place, const double *belief, asif_error *error) {
    asif_reach *r = s->reach;
    if (r->nodes && find(r, place, belief, EQUAL) != ASIF_ANY)
        return ASIF_OK;
    if (r->nodes == ASIF_MOST_REACHED) {
        asif_fail(error, ASIF_ETOOBIG, "more than %u beliefs can be reached from the start",
                  ASIF_MOST_REACHED);
        asif_error_hint(error, "take a lattice of beliefs instead: solver: {beliefs: lattice}");
        return ASIF_ETOOBIG;
    }
    if (r->nodes == s->room)
        ASIF_TRY(grow(s, error));
    r->place[r->nodes] = place;
    memcpy(r->belief + (uint64_t)r->nodes * r->hidden, belief, r->hidden * sizeof *belief);
    put(r, r->nodes++);
    return ASIF_OK;
}

static asif_status add_starts(search *s, const asif_setting_spec *spec, asif_error *error) {
    uint32_t H = s->links->hidden;
    for (uint32_t k = 0; k < spec->starts; k++)
        for (uint32_t y = 0; y < s->links->seen; y++) {
            const double *start = spec->agent_start + (uint64_t)k * spec->states + (uint64_t)y * H;
            double belief[ASIF_MOST_BELIEF_STATES] = {0}, sum = 0;
            for (uint32_t h = 0; h < H; h++)
                sum += start[h];
            for (uint32_t h = 0; h < H; h++)
                belief[h] = s->links->seen > 1 ? start[h] / sum : start[h];
            if (sum > 0)
                ASIF_TRY(add(s, y, belief, error));
        }
    return ASIF_OK;
}

/* Add what can follow a belief by one link. Where no part of the state is seen, nothing may be observed. */
static asif_status follow(search *s, uint32_t link, const double *z, asif_error *error) {
    const asif_links *l = s->links;
    const double *seen = asif_links_seen(l, link);
    double next[ASIF_MOST_BELIEF_STATES] = {0}, after[ASIF_MOST_BELIEF_STATES] = {0};
    uint32_t H = l->hidden;
    asif_links_follow(l, link, z, next);
    if (l->seen == 1)
        ASIF_TRY(add(s, l->to[link], next, error));
    for (uint32_t x = 0; x < l->shown; x++) {
        double p = 0;
        for (uint32_t h = 0; h < H; h++)
            p += after[h] = next[h] * seen[(uint64_t)x * H + h];
        for (uint32_t h = 0; h < H && p > 0; h++)
            after[h] /= p;
        if (p > 0)
            ASIF_TRY(add(s, l->to[link], after, error));
    }
    return ASIF_OK;
}

static asif_status follow_all(search *s, const asif_setting_spec *spec, const uint32_t *branch_of,
                              asif_error *error) {
    for (uint32_t i = 0; i < s->reach->nodes; i++)
        for (uint32_t u = 0; u < spec->actions; u++) {
            uint32_t link, end;
            double z[ASIF_MOST_BELIEF_STATES]; /* the array of the nodes may move */
            memcpy(z, s->reach->belief + (uint64_t)i * s->links->hidden, s->links->hidden * sizeof *z);
            asif_links_from(s->links, branch_of[(uint64_t)u * spec->worlds], s->reach->place[i], &link, &end);
            for (; link < end; link++)
                if (!s->links->last[link])
                    ASIF_TRY(follow(s, link, z, error));
        }
    return ASIF_OK;
}

/* Put the nodes into the order of their places. */
static asif_status sort(asif_reach *r, const asif_context *context, asif_error *error) {
    uint32_t H = r->hidden, *place = ASIF_ARRAY(context, r->nodes, uint32_t);
    double *belief = ASIF_ARRAY(context, (uint64_t)r->nodes * H, double);
    r->at = ASIF_ARRAY(context, r->places + 2ull, uint32_t);
    bool good = place && belief && r->at;
    if (good) {
        uint32_t *next = r->at + 1; /* where the next node of a place goes; at the end, where those of the
                                       next place begin */
        for (uint32_t i = 0; i < r->nodes; i++)
            r->at[r->place[i] + 2]++;
        for (uint32_t p = 0; p < r->places; p++)
            next[p + 1] += next[p];
        for (uint32_t i = 0; i < r->nodes; i++) {
            uint32_t to = next[r->place[i]]++;
            place[to] = r->place[i];
            memcpy(belief + (uint64_t)to * H, r->belief + (uint64_t)i * H, H * sizeof *belief);
        }
        uint32_t *old = r->place;
        double *old_belief = r->belief;
        r->place = place;
        r->belief = belief;
        place = old;
        belief = old_belief;
        good = make_table(r, context, r->nodes);
    }
    asif_free(context, place);
    asif_free(context, belief);
    return good ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_reach_create(asif_reach *r, const asif_context *context, const asif_setting *setting,
                              const asif_links *links, const uint32_t *branch_of, asif_error *error) {
    *r = (asif_reach){.hidden = links->hidden, .places = links->places};
    search s = {r, context, links, 0};
    ASIF_TRY(add_starts(&s, &setting->spec, error));
    ASIF_TRY(follow_all(&s, &setting->spec, branch_of, error));
    return sort(r, context, error);
}

void asif_reach_free(const asif_context *context, asif_reach *r) {
    void *const arrays[] = {r->at, r->place, r->belief, r->slot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    *r = (asif_reach){0};
}
