/* The graph of reachable beliefs. */
#include "acting/bayes/bayes.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MOST_BYTES 1e9
#define SAME 1e-12 /* beliefs that differ by less are the same */
#define CELL 1e-9  /* width of a cell of the hash */

/* ---- nodes ---- */

static uint64_t hash_of(int64_t cell, uint64_t state) {
    uint64_t h = (uint64_t)cell * 0x9e3779b97f4a7c15u ^ state * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (h ^ h >> 32) % ASIF_BAYES_BUCKETS;
}

/* A projection of a belief for the hash: beliefs that are the same lie in the same cell or in neighbouring
 * ones. */
static double project(const asif_bayes_model *m, const double *belief) {
    double sum = 0, c = 0.5;
    for (uint32_t h = m->seen; h < m->width; h++) {
        c = c + 0.6180339887498949;
        c -= c > 1.5;
        sum += c * belief[h];
    }
    return sum;
}

static bool same_belief(const asif_bayes *b, uint32_t node, const double *belief) {
    const double *x = b->belief + (uint64_t)node * b->model.width;
    for (uint32_t h = 0; h < b->model.width; h++)
        if (fabs(x[h] - belief[h]) > SAME)
            return false;
    return true;
}

static uint32_t find(const asif_bayes *b, const double *belief, double place) {
    const asif_bayes_model *m = &b->model;
    uint64_t state = m->seen ? (uint64_t)belief[0] : 0;
    double reach = 2 * SAME * m->width;
    int64_t last = (int64_t)floor((place + reach) / CELL);
    for (int64_t cell = (int64_t)floor((place - reach) / CELL); cell <= last; cell++)
        for (uint32_t i = b->bucket[hash_of(cell, state)]; i != ASIF_ANY; i = b->chain[i])
            if (same_belief(b, i, belief))
                return i;
    return ASIF_ANY;
}

static bool grow(asif_bayes *b) {
    const asif_bayes_model *m = &b->model;
    uint64_t room = b->room ? 2 * b->room : 1024;
    struct {
        void **array;
        uint64_t size;
    } list[] = {{(void **)&b->belief, m->width * sizeof(double)},
                {(void **)&b->reward, m->actions * sizeof(double)},
                {(void **)&b->low, sizeof(double)},
                {(void **)&b->up, sizeof(double)},
                {(void **)&b->mass, sizeof(double)},
                {(void **)&b->inside, sizeof(uint32_t)},
                {(void **)&b->best, sizeof(uint32_t)},
                {(void **)&b->chain, sizeof(uint32_t)}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        void *larger = asif_realloc(b->context, *list[i].array, room, list[i].size);
        if (!larger)
            return false;
        *list[i].array = larger;
    }
    b->room = room;
    return true;
}

asif_status asif_bayes_node(asif_bayes *b, const double *belief, uint32_t *node, asif_error *error) {
    const asif_bayes_model *m = &b->model;
    double place = project(m, belief);
    *node = find(b, belief, place);
    if (*node != ASIF_ANY)
        return ASIF_OK;
    if (b->count == b->room && !grow(b))
        return asif_fail_memory(error);
    uint32_t i = *node = b->count++;
    uint32_t *bucket = &b->bucket[hash_of((int64_t)floor(place / CELL), m->seen ? (uint64_t)belief[0] : 0)];
    memcpy(b->belief + (uint64_t)i * m->width, belief, m->width * sizeof *belief);
    asif_bayes_marginal(m, belief, b->marginal);
    asif_bayes_rewards(m, belief, b->marginal, b->reward + (uint64_t)i * m->actions);
    b->low[i] = asif_bayes_blind(&b->bounds, belief, NULL);
    b->up[i] = asif_bayes_known(&b->bounds, belief);
    b->mass[i] = 0;
    b->inside[i] = ASIF_ANY;
    b->chain[i] = *bucket;
    *bucket = i;
    b->best[i] = 0;
    if (b->planning)
        asif_bayes_plan_rim(b, i);
    return ASIF_OK;
}

/* ---- edges ---- */

asif_status asif_bayes_edges(asif_bayes *b, uint32_t from, uint32_t i, asif_bayes_edge **edge,
                             uint64_t *edges, uint64_t *room, asif_error *error) {
    asif_bayes_model *m = &b->model;
    uint32_t n =
        asif_bayes_follow(m, b->belief + (uint64_t)from * m->width, i, b->label, b->probability, b->next);
    for (uint32_t j = 0; j < n; j++) {
        asif_bayes_edge e = {.label = b->label[j], .probability = b->probability[j]};
        if (!asif_grow(b->context, edge, *edges, room, sizeof **edge))
            return asif_fail_memory(error);
        ASIF_TRY(asif_bayes_node(b, b->next + (uint64_t)j * m->width, &e.node, error));
        (*edge)[(*edges)++] = e;
    }
    return ASIF_OK;
}

asif_status asif_bayes_expand(asif_bayes *b, uint32_t node, asif_error *error) {
    uint32_t A = b->model.actions;
    uint64_t pairs = (uint64_t)b->model.worlds * b->model.spec->states;
    uint64_t at = (uint64_t)b->expanded * (A + 1);
    for (uint32_t i = 0; i <= A; i++) {
        if (!asif_grow(b->context, &b->first, at + i, &b->first_room, sizeof *b->first))
            return asif_fail_memory(error);
        b->first[at + i] = b->edges;
        if (i < A && !b->model.renews[i])
            ASIF_TRY(asif_bayes_edges(b, node, i, &b->edge, &b->edges, &b->edge_room, error));
    }
    if (b->planning && (!asif_grow(b->context, &b->own, b->expanded, &b->own_room, pairs * sizeof *b->own) ||
                        !asif_grow(b->context, &b->node, b->expanded, &b->node_room, sizeof *b->node)))
        return asif_fail_memory(error);
    b->inside[node] = b->expanded++;
    if (b->planning) {
        b->node[b->inside[node]] = node;
        asif_bayes_plan_begin(b, node);
    }
    return ASIF_OK;
}

bool asif_bayes_full(const asif_bayes *b) {
    const asif_bayes_model *m = &b->model;
    double bytes =
        8. * b->count * (m->width + m->actions + 5.) + 8. * b->expanded * m->width + 16. * (double)b->edges;
    return b->count >= ASIF_BAYES_MOST || bytes >= MOST_BYTES;
}
