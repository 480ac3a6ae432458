#include "report/figures/triangle.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define N ASIF_TRIANGLE
#define NODES ASIF_TRIANGLE_NODES
#define EDGES (3 * NODES)
#define POINTS (EDGES + 2 * NODES) /* crossings of edges, then centres of triangles */
#define HALVINGS 16

/* Number of a node. Rows are ordered by the probability of the second state, and nodes in a row by that of
 * the third. */
static uint32_t node_at(uint32_t row, uint32_t column) {
    return row * (N + 1) - row * (row - 1) / 2 + column;
}

static void place_of(uint32_t i, uint32_t *row, uint32_t *column) {
    *row = 0;
    while (i > N - *row)
        i -= N + 1 - (*row)++;
    *column = i;
}

void asif_triangle_belief(uint32_t i, double belief[3]) {
    uint32_t row, column;
    place_of(i, &row, &column);
    belief[1] = (double)row / N;
    belief[2] = (double)column / N;
    belief[0] = (double)(N - row - column) / N;
}

asif_status asif_triangle_look(uint32_t likeliest[NODES], double *policy, const asif_figure_agent *agent,
                               const asif_behavior *behavior, asif_error *error) {
    double *belief = ASIF_ARRAY(agent->context, 3 * (uint64_t)NODES, double);
    if (!belief)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < NODES; i++)
        asif_triangle_belief(i, belief + 3 * (uint64_t)i);
    asif_status status = asif_agent_policy(policy, agent, behavior, NODES, belief, error);
    for (uint64_t i = 0; status == ASIF_OK && i < NODES; i++)
        likeliest[i] = asif_agent_likeliest(agent, policy + i * agent->spec->actions);
    asif_free(agent->context, belief);
    return status;
}

/* ---- crossings ---- */

/* The edges of a node: along its row, to the row above, and between the ends of these two. */
enum { ALONG, ABOVE, ACROSS };

typedef struct {
    const asif_context *context;
    const uint32_t *likeliest;
    double (*point)[3]; /* [POINTS]; NaN first where the likeliest action does not change */
    uint32_t *edge;     /* [edges]: edges that are crossed */
    uint32_t edges;
    uint32_t (*segment)[2]; /* [segments]: two points each */
    uint32_t segments;
    uint8_t *degree; /* [POINTS]: number of segments that end there */
} march;

static bool edge_ends(uint32_t edge, uint32_t *from, uint32_t *to) {
    uint32_t row, column, node = edge / 3;
    place_of(node, &row, &column);
    if (row + column >= N)
        return false;
    *from = edge % 3 == ACROSS ? node_at(row, column + 1) : node;
    *to = edge % 3 == ALONG ? node_at(row, column + 1) : node_at(row + 1, column);
    return true;
}

static asif_status find_crossings(march *m, const asif_figure_agent *agent, const asif_behavior *behavior,
                                  asif_error *error) {
    const asif_context *c = m->context;
    uint64_t U = agent->spec->actions;
    double *low = ASIF_ARRAY(c, m->edges, double), *high = ASIF_ARRAY(c, m->edges, double);
    double *belief = ASIF_ARRAY(c, 3 * (uint64_t)m->edges, double);
    double *policy = ASIF_ARRAY(c, m->edges * U, double);
    asif_status status = low && high && belief && policy ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t e = 0; status == ASIF_OK && e < m->edges; e++)
        high[e] = 1;
    for (uint32_t round = 0; status == ASIF_OK && m->edges && round <= HALVINGS; round++) {
        for (uint64_t e = 0; e < m->edges; e++) {
            double a[3], b[3], t = (low[e] + high[e]) / 2;
            uint32_t from = 0, to = 0;
            edge_ends(m->edge[e], &from, &to);
            asif_triangle_belief(from, a);
            asif_triangle_belief(to, b);
            for (uint32_t s = 0; s < 3; s++)
                belief[3 * e + s] = (1 - t) * a[s] + t * b[s];
        }
        if (round == HALVINGS)
            break;
        status = asif_agent_policy(policy, agent, behavior, m->edges, belief, error);
        for (uint64_t e = 0; status == ASIF_OK && e < m->edges; e++) {
            uint32_t from = 0, to = 0;
            edge_ends(m->edge[e], &from, &to);
            bool before = asif_agent_likeliest(agent, policy + e * U) == m->likeliest[from];
            *(before ? &low[e] : &high[e]) = (low[e] + high[e]) / 2;
        }
    }
    for (uint64_t e = 0; status == ASIF_OK && e < m->edges; e++)
        memcpy(m->point[m->edge[e]], belief + 3 * e, sizeof *m->point);
    asif_free(c, low);
    asif_free(c, high);
    asif_free(c, belief);
    asif_free(c, policy);
    return status;
}

/* ---- segments ---- */

static void add_segment(march *m, uint32_t a, uint32_t b) {
    m->segment[m->segments][0] = a;
    m->segment[m->segments++][1] = b;
    m->degree[a]++;
    m->degree[b]++;
}

/* Add a segment between the two crossed edges of a triangle; where three actions meet, from each edge to the
 * centre. */
static void cut_triangle(march *m, const uint32_t edge[3], uint32_t middle) {
    uint32_t crossed[3], n = 0;
    for (uint32_t k = 0; k < 3; k++)
        if (!isnan(m->point[edge[k]][0]))
            crossed[n++] = edge[k];
    if (n == 2)
        add_segment(m, crossed[0], crossed[1]);
    if (n != 3)
        return;
    for (uint32_t s = 0; s < 3; s++)
        m->point[middle][s] = (m->point[edge[0]][s] + m->point[edge[1]][s] + m->point[edge[2]][s]) / 3;
    for (uint32_t k = 0; k < 3; k++)
        add_segment(m, edge[k], middle);
}

static void cut_triangles(march *m) {
    for (uint32_t row = 0; row < N; row++)
        for (uint32_t column = 0; row + column < N; column++) {
            uint32_t node = node_at(row, column);
            const uint32_t up[] = {3 * node + ALONG, 3 * node + ABOVE, 3 * node + ACROSS};
            cut_triangle(m, up, EDGES + 2 * node);
            if (row + column + 1 >= N)
                continue;
            const uint32_t down[] = {3 * node + ACROSS, 3 * node_at(row + 1, column) + ALONG,
                                     3 * node_at(row, column + 1) + ABOVE};
            cut_triangle(m, down, EDGES + 2 * node + 1);
        }
}

/* ---- lines ---- */

static bool put_point(asif_boundary_points *bounds, const march *m, uint32_t point, uint32_t line) {
    if (!asif_grow(m->context, &bounds->point, bounds->count, &bounds->capacity, sizeof *bounds->point))
        return false;
    memcpy(bounds->point[bounds->count].belief, m->point[point], sizeof *m->point);
    bounds->point[bounds->count++].line = line;
    return true;
}

/* Find a segment that ends at a point and is not drawn yet, and turn it to begin there; ASIF_ANY: none. */
static uint32_t next_segment(march *m, uint32_t from, uint32_t point) {
    for (uint32_t i = from; i < m->segments; i++) {
        if (m->segment[i][1] == point) {
            m->segment[i][1] = m->segment[i][0];
            m->segment[i][0] = point;
        }
        if (m->segment[i][0] == point)
            return i;
    }
    return ASIF_ANY;
}

static uint32_t line_end(const march *m, uint32_t from) {
    for (uint32_t i = from; i < m->segments; i++)
        for (uint32_t k = 0; k < 2; k++)
            if (m->degree[m->segment[i][k]] != 2)
                return m->segment[i][k];
    return m->segment[from][0];
}

/* Join segments to lines: first lines with ends, then closed ones. */
static asif_status join(asif_boundary_points *bounds, march *m, asif_error *error) {
    uint32_t drawn = 0, line = 0, i;
    for (; drawn < m->segments; line++) {
        uint32_t point = line_end(m, drawn);
        if (!put_point(bounds, m, point, line))
            return asif_fail_memory(error);
        while ((i = next_segment(m, drawn, point)) != ASIF_ANY) {
            uint32_t to = m->segment[i][1];
            memcpy(m->segment[i], m->segment[drawn], sizeof *m->segment);
            m->segment[drawn][0] = point;
            m->segment[drawn++][1] = point = to;
            if (!put_point(bounds, m, point, line))
                return asif_fail_memory(error);
            if (m->degree[point] != 2)
                break;
        }
    }
    return ASIF_OK;
}

asif_status asif_triangle_bounds(asif_boundary_points *bounds, const uint32_t likeliest[NODES],
                                 const asif_figure_agent *agent, const asif_behavior *behavior,
                                 asif_error *error) {
    const asif_context *c = agent->context;
    march m = {.context = c,
               .likeliest = likeliest,
               .point = asif_alloc(c, POINTS, sizeof *m.point),
               .edge = ASIF_ARRAY(c, EDGES, uint32_t),
               .segment = asif_alloc(c, 3 * (uint64_t)(2 * NODES), sizeof *m.segment),
               .degree = ASIF_ARRAY(c, POINTS, uint8_t)};
    asif_status status = m.point && m.edge && m.segment && m.degree ? ASIF_OK : asif_fail_memory(error);
    *bounds = (asif_boundary_points){0};
    for (uint32_t e = 0, from, to; status == ASIF_OK && e < EDGES; e++) {
        m.point[e][0] = NAN;
        if (edge_ends(e, &from, &to) && likeliest[from] != likeliest[to])
            m.edge[m.edges++] = e;
    }
    if (status == ASIF_OK)
        status = find_crossings(&m, agent, behavior, error);
    if (status == ASIF_OK) {
        cut_triangles(&m);
        status = join(bounds, &m, error);
    }
    asif_free(c, m.point);
    asif_free(c, m.edge);
    asif_free(c, m.segment);
    asif_free(c, m.degree);
    return status;
}
