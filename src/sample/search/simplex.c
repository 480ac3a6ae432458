/* Nelder and Mead's simplex, over a few coordinates at a time: it works well in few dimensions, and blocks of
 * almost independent coordinates hardly disturb each other. */
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define BLOCK 6

typedef struct {
    asif_search *search;
    uint32_t from, m; /* coordinates of the block */
    double *u;        /* [m of the search]: 0 outside the block */
    double *vertex;   /* [m + 1][m] */
    double *value;    /* [m + 1] */
    double *centre, *trial, *other;
    uint32_t best, worst, second; /* `second` is the second worst */
} simplex;

static void rank(simplex *s) {
    s->best = s->worst = 0;
    for (uint32_t k = 1; k <= s->m; k++) {
        if (s->value[k] > s->value[s->best])
            s->best = k;
        if (s->value[k] <= s->value[s->worst])
            s->worst = k;
    }
    s->second = s->best;
    for (uint32_t k = 0; k <= s->m; k++)
        if (k != s->worst && s->value[k] <= s->value[s->second])
            s->second = k;
    memset(s->centre, 0, s->m * sizeof *s->centre);
    for (uint32_t k = 0; k <= s->m; k++)
        for (uint32_t j = 0; k != s->worst && j < s->m; j++)
            s->centre[j] += s->vertex[k * s->m + j] / s->m;
}

static bool at(simplex *s, const double *point, double *value) {
    memcpy(s->u + s->from, point, s->m * sizeof *point);
    return asif_search_at(s->search, s->u, value, NULL);
}

/* Evaluate at centre + t (centre - worst). */
static bool probe(simplex *s, double t, double *point, double *value) {
    const double *worst = s->vertex + s->worst * s->m;
    for (uint32_t j = 0; j < s->m; j++)
        point[j] = s->centre[j] + t * (s->centre[j] - worst[j]);
    return at(s, point, value);
}

static void replace(simplex *s, const double *point, double value) {
    memcpy(s->vertex + s->worst * s->m, point, s->m * sizeof *point);
    s->value[s->worst] = value;
}

static bool shrink(simplex *s, double factor) {
    for (uint32_t k = 0; k <= s->m; k++) {
        if (k == s->best)
            continue;
        double *v = s->vertex + k * s->m;
        for (uint32_t j = 0; j < s->m; j++)
            v[j] = s->vertex[s->best * s->m + j] * (1 - factor) + v[j] * factor;
        if (!at(s, v, &s->value[k]))
            return false;
    }
    return true;
}

static bool move(simplex *s) {
    double m = s->m, expand = 1 + 2 / fmax(m, 2), contract = 0.75 - 1 / (2 * fmax(m, 2)), f, g;
    if (!probe(s, 1, s->trial, &f))
        return false;
    if (f > s->value[s->best]) {
        if (!probe(s, expand, s->other, &g))
            return false;
        replace(s, g > f ? s->other : s->trial, fmax(f, g));
        return true;
    }
    if (f > s->value[s->second]) {
        replace(s, s->trial, f);
        return true;
    }
    if (!probe(s, f > s->value[s->worst] ? contract : -contract, s->other, &g))
        return false;
    if (g >= fmax(f, s->value[s->worst]) && g > s->value[s->worst]) {
        replace(s, s->other, g);
        return true;
    }
    return shrink(s, 1 - 1 / fmax(m, 2));
}

/* Size of the simplex: the largest coordinate of a vertex relative to the best one. */
static double size(const simplex *s) {
    const double *best = s->vertex + s->best * s->m;
    double largest = 0;
    for (uint32_t k = 0; k <= s->m; k++)
        for (uint32_t j = 0; j < s->m; j++)
            largest = fmax(largest, fabs(s->vertex[k * s->m + j] - best[j]));
    return largest;
}

/* Climb with one block. False: the search must stop. */
static bool polish_block(simplex *s, double step, double least, double tol) {
    memset(s->vertex, 0, (s->m + 1) * s->m * sizeof *s->vertex);
    s->value[0] = s->search->value;
    for (uint32_t k = 1; k <= s->m; k++) {
        s->vertex[k * s->m + k - 1] = step;
        if (!at(s, s->vertex + k * s->m, &s->value[k]))
            return false;
    }
    for (rank(s); s->value[s->best] - s->value[s->worst] > tol && size(s) > least; rank(s))
        if (!move(s))
            return false;
    return true;
}

void asif_search_polish(asif_search *search, double step, double least, double tol) {
    double vertex[(BLOCK + 1) * BLOCK], value[BLOCK + 1], points[3][BLOCK], *u = search->room;
    uint32_t blocks = (search->m + BLOCK - 1) / BLOCK;
    for (uint32_t b = 0; b < blocks && isfinite(search->value); b++) {
        uint32_t from = (uint32_t)((uint64_t)search->m * b / blocks);
        uint32_t to = (uint32_t)((uint64_t)search->m * (b + 1) / blocks);
        simplex s = {.search = search,
                     .from = from,
                     .m = to - from,
                     .u = u,
                     .vertex = vertex,
                     .value = value,
                     .centre = points[0],
                     .trial = points[1],
                     .other = points[2]};
        asif_search_centre(search);
        memset(u, 0, search->m * sizeof *u);
        if (!polish_block(&s, step, least, tol))
            break;
    }
    asif_search_centre(search);
}
