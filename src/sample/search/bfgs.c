/* BFGS with the line search of Lewis and Overton (2013), which continues at kinks, where a search for the
 * strong Wolfe conditions stops. */
#include "sample/search/search.h"

#include <math.h>
#include <string.h>

#define MOST_TRIALS 12 /* most evaluations of a line search */
#define ARMIJO 1e-4
#define WOLFE 0.9
#define LONGEST_STEP 1e3 /* in units of u */
#define SMALL_GAINS 2    /* so many in a row end the climb */

typedef struct {
    asif_search *search;
    uint32_t m;
    double value, *u, *g;         /* current point */
    double trial, *u_new, *g_new; /* trial point */
    double *p, *hy, *h;           /* direction, H y, and the inverse of the curvature */
    bool fresh;                   /* h is still the identity */
} climb;

static double dot(const double *a, const double *b, uint32_t m) {
    double sum = 0;
    for (uint32_t i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

static void forget(climb *c) {
    memset(c->h, 0, (uint64_t)c->m * c->m * sizeof *c->h);
    for (uint32_t i = 0; i < c->m; i++)
        c->h[(uint64_t)i * c->m + i] = 1;
    c->fresh = true;
}

static bool try_step(climb *c, double t) {
    for (uint32_t i = 0; i < c->m; i++)
        c->u_new[i] = c->u[i] + t * c->p[i];
    return asif_search_at(c->search, c->u_new, &c->trial, c->g_new);
}

/* The maximum of the parabola through both ends with the slope at `low`, kept away from the ends; the middle
 * if there is none. */
static double between(double low, double f_low, double slope_low, double high, double f_high) {
    double width = high - low, bend = (f_high - f_low - slope_low * width) / width;
    double t = -slope_low * width / (2 * bend);
    if (!(bend < 0) || !isfinite(f_high))
        t = width / 2;
    return low + fmin(fmax(t, 0.1 * width), 0.9 * width);
}

/* Search along p for a step that gains enough and after which the slope has fallen enough (weak Wolfe
 * conditions). False: none was found. */
static bool line_search(climb *c, double slope) {
    double length = sqrt(dot(c->p, c->p, c->m));
    double t = c->fresh ? fmin(1, 1 / length) : fmin(1, LONGEST_STEP / length);
    double low = 0, f_low = c->value, slope_low = slope, high = INFINITY, f_high = 0;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        if (!try_step(c, t))
            return false;
        double slope_new = isfinite(c->trial) ? dot(c->g_new, c->p, c->m) : 0;
        if (!(c->trial >= c->value + ARMIJO * t * slope)) {
            high = t;
            f_high = c->trial;
        } else if (slope_new > WOLFE * slope) {
            low = t;
            f_low = c->trial;
            slope_low = slope_new;
        } else
            return true;
        if (isinf(high)) {
            if (t * length >= LONGEST_STEP)
                return true;
            t *= 3;
        } else if (trial < 4)
            t = between(low, f_low, slope_low, high, f_high);
        else
            t = (low + high) / 2;
    }
    return low > 0 && try_step(c, low);
}

/* Update H <- (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y, where y is minus the change of the gradient. */
static void learn(climb *c) {
    uint32_t m = c->m;
    double *s = c->u_new, *y = c->g; /* both about to be overwritten */
    for (uint32_t i = 0; i < m; i++) {
        double u_new = c->u_new[i];
        s[i] = u_new - c->u[i];
        c->u[i] = u_new;
        y[i] = c->g[i] - c->g_new[i];
    }
    double sy = dot(s, y, m), yy = dot(y, y, m);
    if (sy > 1e-14 * sqrt(yy * dot(s, s, m)) && yy > 0) {
        if (c->fresh)
            for (uint32_t i = 0; i < m; i++)
                c->h[(uint64_t)i * m + i] = sy / yy;
        for (uint32_t i = 0; i < m; i++)
            c->hy[i] = dot(c->h + (uint64_t)i * m, y, m);
        double factor = (1 + dot(y, c->hy, m) / sy) / sy;
        for (uint32_t i = 0; i < m; i++)
            for (uint32_t j = 0; j < m; j++)
                c->h[(uint64_t)i * m + j] += factor * s[i] * s[j] - (s[i] * c->hy[j] + c->hy[i] * s[j]) / sy;
        c->fresh = false;
    }
    memcpy(c->g, c->g_new, m * sizeof *c->g);
    c->value = c->trial;
}

static void run(climb *c, double tol) {
    if (!asif_search_at(c->search, c->u, &c->value, c->g) || !isfinite(c->value))
        return;
    for (int small = 0; small < SMALL_GAINS;) {
        for (uint32_t i = 0; i < c->m; i++)
            c->p[i] = dot(c->h + (uint64_t)i * c->m, c->g, c->m);
        double slope = dot(c->g, c->p, c->m), before = c->value;
        if (slope >= 0 && slope < tol)
            return;
        if (slope > 0 && line_search(c, slope)) {
            learn(c);
            small = c->value - before < tol ? small + 1 : 0;
        } else if (c->fresh || c->search->status != ASIF_OK)
            return;
        else
            forget(c);
    }
}

void asif_search_climb(asif_search *search, double tol) {
    uint64_t m = search->m;
    asif_search_centre(search);
    if (m == 0 || !isfinite(search->value))
        return;
    double *room = search->room;
    memset(room, 0, m * sizeof *room);
    climb c = {.search = search,
               .m = search->m,
               .u = room,
               .g = room + m,
               .u_new = room + 2 * m,
               .g_new = room + 3 * m,
               .p = room + 4 * m,
               .hy = room + 5 * m,
               .h = room + 6 * m};
    forget(&c);
    run(&c, tol);
    asif_search_centre(search);
}
