#include "base/error.h"
#include "base/memory.h"
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define MOST_EVALUATIONS 10000 /* for each point */
#define TOL 1e-9

typedef struct {
    asif_search search;
    double *last, *before; /* [n]: the maxima of the last two points */
    uint32_t known;        /* how many of the two are known */
} profile;

/* Begin at the extrapolation of the last two maxima, or at the last if the density is not finite there. */
static void begin(profile *p, double at) {
    asif_search *s = &p->search;
    uint32_t c = s->held;
    double width = p->last[c] - p->before[c];
    if (p->known == 2 && width != 0) {
        for (uint32_t i = 0; i < s->n; i++)
            s->best[i] = p->last[i] + (at - p->last[c]) * (p->last[i] - p->before[i]) / width;
        s->best[c] = at;
        memcpy(s->origin, s->best, s->n * sizeof *s->best);
        asif_search_begin(s, s->origin, MOST_EVALUATIONS);
        if (isfinite(s->value) || s->status != ASIF_OK)
            return;
    }
    memcpy(s->origin, p->last, s->n * sizeof *s->origin);
    s->origin[c] = at;
    asif_search_begin(s, s->origin, MOST_EVALUATIONS);
}

static void remember(profile *p) {
    double *oldest = p->before;
    p->before = p->last;
    p->last = oldest;
    memcpy(p->last, p->search.best, p->search.n * sizeof *oldest);
    p->known = p->known < 2 ? p->known + 1 : 2;
}

static asif_status run(profile *p, double *value, const double *at, uint32_t points, double *path,
                       asif_error *error) {
    asif_search *s = &p->search;
    for (uint32_t k = 0; k < points; k++) {
        s->done = (double)k / points;
        begin(p, at[k]);
        asif_search_ascend(s);
        asif_search_finish(s, TOL, false);
        if (s->status != ASIF_OK) {
            if (error)
                *error = s->error;
            return s->status;
        }
        value[k] = s->value;
        if (path)
            memcpy(path + (uint64_t)k * s->n, s->best, s->n * sizeof *path);
        if (isfinite(s->value))
            remember(p);
    }
    return ASIF_OK;
}

asif_status asif_profile(double *value, const asif_context *context, const asif_density *density,
                         const double *x, uint32_t coordinate, const double *at, uint32_t points,
                         const double *scale, double *path, asif_error *error) {
    uint32_t n = density->dimension;
    if (coordinate >= n)
        return asif_fail(error, ASIF_EDOMAIN, "coordinate %u of a profile: the density has %u", coordinate,
                         n);
    atomic_bool stop;
    atomic_init(&stop, false);
    profile p = {.known = 0};
    asif_status status = asif_search_create(&p.search, context, density, coordinate, &stop, "profile", error);
    double *room = status == ASIF_OK ? ASIF_ARRAY(context, 2 * (uint64_t)n, double) : NULL;
    if (status == ASIF_OK && !room)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        p.last = room;
        p.before = room + n;
        memcpy(p.last, x, n * sizeof *x);
        asif_search_scale(&p.search, scale);
        status = run(&p, value, at, points, path, error);
    }
    asif_free(context, room);
    asif_search_free(&p.search);
    return status;
}
