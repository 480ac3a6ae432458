/* Contour lines of a density on a lattice (marching squares). */
#include "render/figures/density.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define NONE UINT32_MAX
enum { SIZE = ASIF_PLANE_SIZE, POINTS = SIZE * SIZE, EDGES = 2 * POINTS };

/* Numbers of the lattice's edges: first the edges from point (i, j) to the right, then those upwards. */
static uint32_t edge_right(uint32_t i, uint32_t j) {
    return j * SIZE + i;
}
static uint32_t edge_up(uint32_t i, uint32_t j) {
    return POINTS + j * SIZE + i;
}

typedef struct {
    const asif_plane *plane;
    double level;
    uint32_t (*next)[2]; /* [EDGES]: the crossings that a crossing is joined to */
} tracing;

static void join(tracing *t, uint32_t a, uint32_t b) {
    t->next[a][t->next[a][0] != NONE] = b;
    t->next[b][t->next[b][0] != NONE] = a;
}

static bool inside(const tracing *t, uint32_t i, uint32_t j) {
    return t->plane->value[j][i] > t->level;
}

/* Join the crossings of a cell: 0, 2 or 4. With 4, a line goes around each of the two corners that differ
 * from the middle of the cell. */
static void cross_cell(tracing *t, uint32_t i, uint32_t j) {
    const uint32_t edge[] = {edge_right(i, j), edge_up(i + 1, j), edge_right(i, j + 1), edge_up(i, j)};
    const bool corner[] = {inside(t, i, j), inside(t, i + 1, j), inside(t, i + 1, j + 1),
                           inside(t, i, j + 1)};
    uint32_t crossed[4], count = 0;
    for (uint32_t k = 0; k < 4; k++)
        if (corner[k] != corner[(k + 1) % 4])
            crossed[count++] = edge[k];
    if (count == 2)
        join(t, crossed[0], crossed[1]);
    if (count != 4)
        return;
    const double(*v)[SIZE] = t->plane->value;
    bool middle = (v[j][i] + v[j][i + 1] + v[j + 1][i] + v[j + 1][i + 1]) / 4 > t->level;
    /* Corner k is between the edges k - 1 and k. */
    uint32_t first = middle == corner[0] ? 1 : 0;
    join(t, edge[(first + 3) % 4], edge[first]);
    join(t, edge[first + 1], edge[first + 2]);
}

static void place(asif_contour *out, const tracing *t, uint32_t edge, uint32_t path) {
    const asif_plane *p = t->plane;
    bool up = edge >= POINTS;
    uint32_t i = edge % POINTS % SIZE, j = edge % POINTS / SIZE;
    double a = p->value[j][i], b = up ? p->value[j + 1][i] : p->value[j][i + 1];
    double part = (t->level - a) / (b - a);
    out->x[out->count] = p->low[0] + (i + (up ? 0 : part)) * p->step[0];
    out->y[out->count] = p->low[1] + (j + (up ? part : 0)) * p->step[1];
    out->path[out->count++] = path;
}

/* Follow a line around, back to its first crossing. */
static void follow(asif_contour *out, tracing *t, uint32_t start, uint32_t path) {
    uint32_t edge = start;
    do {
        uint32_t *next = t->next[edge], to = next[0] != NONE ? next[0] : next[1];
        place(out, t, edge, path);
        next[0] = next[1] = NONE;
        if (to == NONE)
            break;
        uint32_t *back = t->next[to];
        back[back[0] == edge ? 0 : 1] = NONE;
        edge = to;
    } while (edge != start);
    place(out, t, start, path);
}

static asif_status trace(asif_contour *out, const asif_context *context, tracing *t, asif_error *error) {
    uint32_t crossings = 0, paths = 0;
    for (uint32_t j = 0; j + 1 < SIZE; j++)
        for (uint32_t i = 0; i + 1 < SIZE; i++)
            cross_cell(t, i, j);
    for (uint32_t e = 0; e < EDGES; e++)
        crossings += t->next[e][0] != NONE;
    /* Each line has three crossings or more, and repeats its first. */
    uint64_t room = 2 * (uint64_t)crossings;
    out->x = ASIF_ARRAY(context, room, double);
    out->y = ASIF_ARRAY(context, room, double);
    out->path = ASIF_ARRAY(context, room, uint32_t);
    if (!out->x || !out->y || !out->path)
        return asif_fail_memory(error);
    for (uint32_t e = 0; e < EDGES; e++)
        if (t->next[e][0] != NONE)
            follow(out, t, e, paths++);
    return ASIF_OK;
}

asif_status asif_contour_trace(asif_contour *out, const asif_context *context, const asif_plane *plane,
                               double level, asif_error *error) {
    *out = (asif_contour){0};
    tracing t = {plane, level, asif_alloc(context, EDGES, sizeof *t.next)};
    if (!t.next)
        return asif_fail_memory(error);
    memset(t.next, 0xff, EDGES * sizeof *t.next);
    asif_status status = trace(out, context, &t, error);
    asif_free(context, t.next);
    return status;
}

void asif_contour_free(const asif_context *context, asif_contour *contour) {
    asif_free(context, contour->x);
    asif_free(context, contour->y);
    asif_free(context, contour->path);
}
