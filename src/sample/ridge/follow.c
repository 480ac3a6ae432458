#include "sample/ridge/follow.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define FIRST_STEP 0.5  /* standard deviations along the ridge at the maximum */
#define LONGEST 4.0     /* scales: most that a standard deviation along the ridge counts as */
#define LEAST_STEP 0.02 /* shortest step, over the first */
#define GROWTH 1.4
#define NATS 1.5    /* nats of mass that a step should lose, at most */
#define DROP 10.0   /* a side of the ridge ends this many nats below the largest mass */
#define CUT 5.0     /* a side cut off less than this many nats below the largest mass leaves out too much */
#define TURN 0.8    /* cosine of the largest turn in one step */
#define CORNER 3.0  /* radius of the sphere on which the way round a corner is sought */
#define AWAY 0.5    /* cosine: least angle between that way and the way back */
#define SURE_NATS 6 /* a step that changes the mass by more than SURE_NATS * NATS is too long */

enum { SIDE = ASIF_RIDGE_SIDE, NEAR_NODES = 4 };

typedef struct {
    asif_ridge *ridge;
    asif_plane plane;
    double best;                                      /* largest mass so far */
    double t[ASIF_RIDGE_MOST], last[ASIF_RIDGE_MOST]; /* next direction, last secant */
    double way;                                       /* length of the last secant; 0: none yet */
    const asif_ridge_node *other;                     /* nodes of the side that was followed first */
    uint32_t others;
} walk;

/* The unit vector from a to b; returns the distance between them. */
static double secant(uint32_t n, const double *a, const double *b, double *out) {
    double square = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = b[i] - a[i];
        square += out[i] * out[i];
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] /= sqrt(square);
    return sqrt(square);
}

static double product(uint32_t n, const double *a, const double *b) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void normalise(uint32_t n, double *v) {
    double length = sqrt(product(n, v, v));
    for (uint32_t i = 0; i < n; i++)
        v[i] /= length;
}

/* Set the direction of the next step: the tangent of a parabola through the last three nodes. */
static void turn(walk *k, const double *now, double way) {
    uint32_t n = k->ridge->n;
    double share = k->way > 0 ? way / (way + k->way) : 0;
    for (uint32_t i = 0; i < n; i++)
        k->t[i] = now[i] + (k->way > 0 ? share * (now[i] - k->last[i]) : 0);
    normalise(n, k->t);
    memcpy(k->last, now, n * sizeof *now);
    k->way = way;
}

/* Find the next node, one step ahead. *good: it lies on the same ridge, and the step was not too long. */
static asif_status advance(walk *k, const asif_plane_top *from, double step, asif_plane_top *to, bool *good) {
    uint32_t n = k->ridge->n;
    double ahead[ASIF_RIDGE_MOST], now[ASIF_RIDGE_MOST];
    for (uint32_t i = 0; i < n; i++)
        ahead[i] = from->at[i] + step * k->t[i];
    ASIF_TRY(asif_plane_maximise(&k->plane, ahead, k->t, from->across, to, good));
    if (!*good)
        return ASIF_OK;
    double way = secant(n, from->at, to->at, now);
    *good = product(n, k->t, now) > TURN && fabs(to->mass - from->mass) < SURE_NATS * NATS;
    if (*good)
        turn(k, now, way);
    return ASIF_OK;
}

/* Whether a point lies within one standard deviation of a node. */
static bool met(const asif_ridge_node *node, uint32_t n, const double *at, double way) {
    double c[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST], z[ASIF_RIDGE_MOST];
    for (uint32_t i = 0; i < n; i++) {
        z[i] = at[i] - node->top.at[i];
        for (uint32_t j = 0; j < n; j++)
            c[(uint64_t)i * n + j] =
                node->top.across[(uint64_t)i * n + j] + way * way * node->along[i] * node->along[j];
    }
    if (!asif_cholesky(c, n))
        return false;
    asif_lower_solve(c, n, z);
    return product(n, z, z) < 1;
}

/* Whether the last node meets an earlier one, not counting its neighbours: then the ridge is a closed
 * ring. */
static bool closed(const walk *k, const asif_ridge_node *side, uint32_t count) {
    const double *at = side[count - 1].top.at;
    for (uint32_t i = 0; i + NEAR_NODES < count; i++)
        if (met(&side[i], k->ridge->n, at, k->way))
            return true;
    for (uint32_t i = NEAR_NODES; i < k->others; i++)
        if (met(&k->other[i], k->ridge->n, at, k->way))
            return true;
    return false;
}

/* Whether the density is still high at the end of the ridge. */
static bool is_high(const walk *k, const asif_plane_top *last) {
    return last->mass > k->best - CUT;
}

/* Set `back` [n] to the direction of the last node but one, in the coordinates of the place; false: they are
 * singular. */
static bool way_back(const asif_place *place, uint32_t n, const asif_plane_top *before, const double *scale,
                     double *back) {
    double lu[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    uint32_t pivot[ASIF_RIDGE_MOST];
    memcpy(lu, place->spread, (uint64_t)n * n * sizeof *lu);
    if (!asif_lu(lu, n, pivot))
        return false;
    for (uint32_t i = 0; i < n; i++)
        back[i] = before->at[i] * scale[i] - place->at[i];
    asif_lu_solve(lu, n, pivot, back);
    normalise(n, back);
    return true;
}

/* Note where the ridge was lost after the node `last`. */
static const asif_place *note_lost(walk *k, const asif_plane_top *last) {
    asif_place *place = &k->ridge->lost_at[k->ridge->lost++];
    asif_place_set(place, last, k->t, k->ridge->n, k->plane.scale);
    return place;
}

/* Seek what continues at a place on a sphere around it, and is not the way back: the highest point. False:
 * there is nothing. */
static asif_status seek(walk *k, const asif_place *place, const double *back, double *ahead, bool *found) {
    uint32_t n = k->ridge->n;
    double u[ASIF_RIDGE_MOST], best = place->value - CUT, value;
    asif_sphere sphere = {.target = &k->plane.target, .place = place};
    *found = false;
    for (uint32_t c = 0; c < ASIF_SPHERE_CLIMBS * n; c++) {
        ASIF_TRY(asif_sphere_climb(&sphere, CORNER, c, u, &value));
        if (!(value > best) || product(n, u, back) > AWAY)
            continue;
        *found = true;
        best = value;
        for (uint32_t i = 0; i < n; i++)
            ahead[i] = sphere.x[i] / k->plane.scale[i];
    }
    k->plane.evaluations += sphere.evaluations;
    return ASIF_OK;
}

/* Turn the corner at which the ridge was lost, at a place after the node `last`, which follows `before`.
 * *good: `to` is the next node. */
static asif_status turn_corner(walk *k, const asif_place *place, const asif_plane_top *before,
                               const asif_plane_top *last, asif_plane_top *to, bool *good) {
    uint32_t n = k->ridge->n;
    const double *scale = k->plane.scale;
    double back[ASIF_RIDGE_MOST], ahead[ASIF_RIDGE_MOST], t[ASIF_RIDGE_MOST] = {0},
                                                          known[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    *good = way_back(place, n, before, scale, back);
    if (*good)
        ASIF_TRY(seek(k, place, back, ahead, good));
    if (!*good)
        return ASIF_OK;
    secant(n, last->at, ahead, t);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            known[(uint64_t)i * n + j] =
                product(n, place->spread + (uint64_t)i * n, place->spread + (uint64_t)j * n) / scale[i] /
                scale[j];
    ASIF_TRY(asif_plane_maximise(&k->plane, ahead, t, known, to, good));
    if (!*good)
        return ASIF_OK;
    k->way = 0;
    turn(k, t, secant(n, last->at, to->at, t));
    *good = fabs(to->mass - last->mass) < SURE_NATS * NATS;
    return ASIF_OK;
}

/* Follow the ridge from the maximum to one side; fills `side` [SIDE], of which `*count` are used. */
static asif_status go(walk *k, const asif_ridge_node *top, double sign, double first, asif_ridge_node *side,
                      uint32_t *count) {
    const asif_plane_top *last = &top->top, *before = last;
    double step = first;
    uint32_t corners = 0;
    k->way = 0;
    for (uint32_t i = 0; i < k->ridge->n; i++)
        k->t[i] = sign * top->along[i];
    for (*count = 0; *count < SIDE;) {
        asif_plane_top *next = &side[*count].top;
        bool good;
        ASIF_TRY(advance(k, last, step, next, &good));
        if (!good && step >= LEAST_STEP * first) {
            step /= 2;
            continue;
        }
        if (!good && is_high(k, last)) {
            const asif_place *place = note_lost(k, last);
            if (last != before && corners++ < ASIF_RIDGE_CORNERS)
                ASIF_TRY(turn_corner(k, place, before, last, next, &good));
            step = k->way;
        }
        if (!good)
            return ASIF_OK;
        double lost = fabs(next->mass - last->mass);
        k->best = fmax(k->best, next->mass);
        before = last;
        last = next;
        memcpy(side[*count].along, k->t, k->ridge->n * sizeof *k->t);
        ++*count;
        if (next->mass < k->best - DROP || closed(k, side, *count))
            return ASIF_OK;
        if (lost < NATS / 2 && *count > 2)
            step *= GROWTH;
        else if (lost > NATS)
            step /= GROWTH;
    }
    if (is_high(k, last))
        note_lost(k, last);
    return ASIF_OK;
}

/* Set the tangent of each node from its neighbours on both sides. */
static void find_tangents(asif_ridge *r) {
    double a[ASIF_RIDGE_MOST], b[ASIF_RIDGE_MOST];
    for (uint32_t k = 0; k < r->nodes && r->nodes > 1; k++) {
        asif_ridge_node *node = &r->node[k];
        bool first = k == 0, last = k + 1 == r->nodes;
        double before = first ? 1 : secant(r->n, node[-1].top.at, node->top.at, a);
        double after = last ? 1 : secant(r->n, node->top.at, node[1].top.at, b);
        for (uint32_t i = 0; i < r->n; i++)
            node->along[i] = first ? b[i] : last ? a[i] : a[i] * after + b[i] * before;
        normalise(r->n, node->along);
    }
}

/* Make nodes with their arrays: those of one side, of the other, and the maximum. */
static asif_status make_nodes(asif_ridge *r, asif_ridge_node *node, asif_error *error) {
    uint64_t n = r->n, each = 2 * n + n * n;
    r->memory = ASIF_ARRAY(r->context, ASIF_RIDGE_NODES * each, double);
    if (!r->memory)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < ASIF_RIDGE_NODES; i++) {
        double *from = r->memory + i * each;
        node[i] = (asif_ridge_node){{.at = from, .across = from + 2 * n}, from + n};
    }
    return ASIF_OK;
}

/* Make the node of the maximum; `*along` is the standard deviation in the flattest direction. The plane is
 * searched twice: the first search starts from the covariance of the whole density, the second from the
 * covariance in the plane that the first found. */
static asif_status begin(walk *k, const double *at, double *covariance, asif_ridge_node *top, double *along,
                         bool *found) {
    uint32_t n = k->ridge->n;
    double values[ASIF_RIDGE_MOST], vectors[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    double known[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    memcpy(known, covariance, (uint64_t)n * n * sizeof *known);
    asif_eigen(covariance, n, values, vectors);
    memcpy(top->along, vectors + (uint64_t)(n - 1) * n, n * sizeof *top->along);
    *along = fmin(sqrt(values[n - 1]), LONGEST);
    ASIF_TRY(asif_plane_maximise(&k->plane, at, top->along, known, &top->top, found));
    if (!*found)
        return ASIF_OK;
    memcpy(known, top->top.across, (uint64_t)n * n * sizeof *known);
    ASIF_TRY(asif_plane_maximise(&k->plane, at, top->along, known, &top->top, found));
    k->best = top->top.mass;
    return ASIF_OK;
}

static asif_status follow(walk *k, const double *x, const double *covariance, asif_ridge_node *node,
                          bool *found) {
    asif_ridge *r = k->ridge;
    uint32_t n = r->n, up = 0, down = 0;
    double at[ASIF_RIDGE_MOST], c[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST], along;
    const double *scale = k->plane.scale;
    asif_ridge_node *one = node, *other = node + SIDE, *top = node + (size_t)(2 * SIDE);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = x[i] / scale[i];
        for (uint32_t j = 0; j < n; j++)
            c[(uint64_t)i * n + j] = covariance[(uint64_t)i * n + j] / scale[i] / scale[j];
    }
    ASIF_TRY(begin(k, at, c, top, &along, found));
    if (!*found)
        return ASIF_OK;
    ASIF_TRY(go(k, top, 1, FIRST_STEP * along, one, &up));
    k->other = one;
    k->others = up;
    ASIF_TRY(go(k, top, -1, FIRST_STEP * along, other, &down));
    while (down > 0)
        r->node[r->nodes++] = other[--down];
    r->node[r->nodes++] = *top;
    for (uint32_t i = 0; i < up; i++)
        r->node[r->nodes++] = one[i];
    find_tangents(r);
    return ASIF_OK;
}

asif_status asif_ridge_follow(asif_ridge *out, const asif_context *context, const asif_density *density,
                              const double *scale, const double *x, const double *covariance, bool *found,
                              asif_error *error) {
    *out = (asif_ridge){.context = context, .n = density->dimension};
    walk k = {.ridge = out};
    asif_ridge_node *node = ASIF_ARRAY(context, ASIF_RIDGE_NODES, asif_ridge_node);
    asif_status status = node ? make_nodes(out, node, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_plane_create(&k.plane, context, density, scale, error);
    if (status == ASIF_OK)
        status = follow(&k, x, covariance, node, found);
    out->evaluations = k.plane.evaluations;
    asif_plane_free(&k.plane);
    asif_free(context, node);
    return status;
}

void asif_ridge_free(asif_ridge *ridge) {
    if (ridge->context)
        asif_free(ridge->context, ridge->memory);
    *ridge = (asif_ridge){0};
}
