#include "base/programmes/qp.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define FEASIBLE 1e-10  /* violation of a row, over its length and the size of its terms */
#define KEPT_TO 1e-9    /* the same in the final check; also the duality gap, over 1 + squared distance */
#define FAR 1e6         /* a contradiction holds for points up to this far out, over the programme's sizes */
#define ROUNDING 1e-14  /* rounding error of a sum, over the sizes of its terms */
#define DEPENDENT 1e-11 /* squared length outside the span of the active rows, of a row of length 1 */

typedef struct {
    const asif_context *context;
    uint32_t n, active, stride; /* active <= n <= stride */
    uint64_t rows;
    const double *g, *h;
    double *length;  /* [rows] */
    uint64_t *which; /* [active] */
    double *lambda;  /* [active + 1], for rows scaled to length 1; the last is of the row being added */
    double *factor;  /* [stride][stride]: L, where L L' are the products of the active rows */
    double *r, *z;   /* [stride], [n] */
    bool *is_active; /* [rows] */
} state;

static double dot(const double *a, const double *b, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static const double *row_of(const state *q, uint64_t i) {
    return q->g + i * q->n;
}

/* Computes the row of L in place `k` for `row`, from its products with the active rows before it; false if it
 * depends on them. */
static bool add_factor(state *q, uint64_t row, uint32_t k) {
    double *l = q->factor + (uint64_t)k * q->stride, left = 1;
    for (uint32_t j = 0; j < k; j++) {
        const double *lj = q->factor + (uint64_t)j * q->stride;
        double product =
            dot(row_of(q, row), row_of(q, q->which[j]), q->n) / (q->length[row] * q->length[q->which[j]]);
        l[j] = (product - dot(l, lj, j)) / lj[j];
        left -= l[j] * l[j];
    }
    l[k] = left > 0 ? sqrt(left) : 0;
    return left > DEPENDENT;
}

static void drop(state *q, uint32_t j) {
    q->is_active[q->which[j]] = false;
    q->active--;
    memmove(q->which + j, q->which + j + 1, (q->active - j) * sizeof *q->which);
    memmove(q->lambda + j, q->lambda + j + 1, (q->active - j + 1) * sizeof *q->lambda);
    for (uint32_t k = j; k < q->active; k++)
        add_factor(q, q->which[k], k);
}

/* Splits a row: r gets its coordinates in the active rows, z minus the rest of it. Returns |z|^2, or 0 if the
 * row depends on the active ones. */
static double split(state *q, uint64_t row) {
    uint32_t k = q->active;
    const double *g = row_of(q, row);
    for (uint32_t i = 0; i < q->n; i++)
        q->z[i] = -g[i] / q->length[row];
    /* The split is done twice: the second time removes what rounding left of the first. */
    memset(q->r, 0, q->stride * sizeof *q->r);
    double *step = q->r + q->stride;
    for (int again = 0; again < 2; again++) {
        for (uint32_t j = 0; j < k; j++) {
            const double *l = q->factor + (uint64_t)j * q->stride;
            step[j] =
                (-dot(row_of(q, q->which[j]), q->z, q->n) / q->length[q->which[j]] - dot(l, step, j)) / l[j];
        }
        for (uint32_t j = k; j-- > 0;) {
            for (uint32_t i = j + 1; i < k; i++)
                step[j] -= q->factor[(uint64_t)i * q->stride + j] * step[i];
            step[j] /= q->factor[(uint64_t)j * q->stride + j];
        }
        for (uint32_t j = 0; j < k; j++) {
            const double *gj = row_of(q, q->which[j]);
            for (uint32_t i = 0; i < q->n; i++)
                q->z[i] += step[j] * gj[i] / q->length[q->which[j]];
            q->r[j] += step[j];
        }
    }
    double left = dot(q->z, q->z, q->n);
    return k == q->n || left <= DEPENDENT ? 0 : left;
}

/* The violation of a row at x, over the row's length; `scale` is the size of its terms, likewise. */
static double excess(const state *q, uint64_t i, const double *x, double *scale) {
    const double *g = row_of(q, i);
    double sum = 0, size = fabs(q->h[i]);
    for (uint32_t k = 0; k < q->n; k++) {
        sum += g[k] * x[k];
        size += fabs(g[k] * x[k]);
    }
    *scale = size / q->length[i];
    return (sum - q->h[i]) / q->length[i];
}

static uint64_t most_violated(const state *q, const double *x) {
    double worst = 0, scale;
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < q->rows; i++) {
        if (q->is_active[i] || q->length[i] == 0)
            continue;
        double e = excess(q, i, x, &scale);
        if (e > worst && e > FEASIBLE * (scale > 1 ? scale : 1)) {
            worst = e;
            found = i;
        }
    }
    return found;
}

/* Makes a row active; false if it contradicts the active rows, and lambda is then the proof. */
static bool bring_in(state *q, uint64_t row, double *x) {
    double ignored;
    q->lambda[q->active] = 0;
    for (;;) {
        double left = split(q, row), full = left > 0 ? excess(q, row, x, &ignored) / left : (double)INFINITY;
        double part = (double)INFINITY;
        uint32_t first = 0;
        for (uint32_t j = 0; j < q->active; j++)
            if (q->r[j] > 1e-12 && q->lambda[j] / q->r[j] < part) {
                part = q->lambda[j] / q->r[j];
                first = j;
            }
        double step = full < part ? full : part;
        if (isinf(step)) {
            for (uint32_t j = 0; j < q->active; j++)
                q->lambda[j] = -q->r[j];
            q->lambda[q->active] = 1;
            return false;
        }
        for (uint32_t i = 0; i < q->n && left > 0; i++)
            x[i] += step * q->z[i];
        for (uint32_t j = 0; j < q->active; j++)
            q->lambda[j] -= step * q->r[j];
        q->lambda[q->active] += step;
        if (full <= part) {
            add_factor(q, row, q->active);
            q->which[q->active++] = row;
            q->is_active[row] = true;
            return true;
        }
        q->lambda[first] = 0;
        drop(q, first);
    }
}

/* ---- checks of the answer ---- */

/* Checks the answer: no row is violated, and the duality gap is 0, so that no point is nearer. */
static bool is_nearest(const state *q, const double *centre, const double *x) {
    double gap = 0, squared = 0, scale;
    for (uint64_t i = 0; i < q->rows; i++)
        if (q->length[i] > 0 && !(excess(q, i, x, &scale) <= KEPT_TO * (scale > 1 ? scale : 1)))
            return false;
    for (uint32_t j = 0; j < q->active; j++) {
        if (q->lambda[j] < -KEPT_TO)
            return false;
        gap += fabs(q->lambda[j] * excess(q, q->which[j], x, &scale));
    }
    for (uint32_t i = 0; i < q->n; i++)
        squared += (x[i] - centre[i]) * (x[i] - centre[i]);
    return gap <= KEPT_TO * (1 + squared);
}

/* Checks the contradiction: the active rows times their multipliers add up to 0 <= h with h < 0. What
 * rounding leaves of the 0 must not matter at points up to FAR out. */
static bool is_contradiction(state *q, const double *centre) {
    double bound = 0, size = 1, noise = 0, left = 0;
    memset(q->z, 0, q->n * sizeof *q->z);
    for (uint32_t i = 0; i < q->n; i++)
        size = fmax(size, fabs(centre[i]));
    for (uint32_t j = 0; j < q->active; j++) {
        uint64_t row = q->which[j];
        double weight = q->lambda[j] / q->length[row];
        if (weight < 0)
            return false;
        bound += weight * q->h[row];
        noise += ROUNDING * fabs(weight * q->h[row]);
        size = fmax(size, fabs(q->h[row] / q->length[row]));
        for (uint32_t i = 0; i < q->n; i++)
            q->z[i] += weight * row_of(q, row)[i];
    }
    for (uint32_t i = 0; i < q->n; i++)
        left += fabs(q->z[i]);
    return bound + noise + FAR * size * left < 0;
}

/* ---- the method ---- */

static bool find_lengths(state *q, double *multiplier) {
    for (uint64_t i = 0; i < q->rows; i++) {
        q->length[i] = sqrt(dot(row_of(q, i), row_of(q, i), q->n));
        if (q->length[i] == 0 && q->h[i] < 0) { /* the row says 0 <= h */
            if (multiplier) {
                memset(multiplier, 0, q->rows * sizeof *multiplier);
                multiplier[i] = 1;
            }
            return false;
        }
    }
    return true;
}

/* Adds violated rows until there is none, or a contradiction; false if it does not end. */
static bool climb(state *q, const double *centre, double *x, bool *feasible) {
    uint64_t most = 100 + 20 * ((uint64_t)q->n + q->rows), row;
    memcpy(x, centre, q->n * sizeof *x);
    memset(q->is_active, 0, q->rows * sizeof *q->is_active);
    q->active = 0;
    *feasible = true;
    for (uint64_t turn = 0; *feasible && (row = most_violated(q, x)) != UINT64_MAX; turn++) {
        if (turn == most)
            return false;
        *feasible = bring_in(q, row, x);
        if (!*feasible)
            q->which[q->active++] = row;
        /* x is computed anew from the multipliers, without the errors of the steps so far. */
        for (uint32_t i = 0; *feasible && i < q->n; i++)
            x[i] = centre[i];
        for (uint32_t j = 0; *feasible && j < q->active; j++)
            for (uint32_t i = 0; i < q->n; i++)
                x[i] -= q->lambda[j] * row_of(q, q->which[j])[i] / q->length[q->which[j]];
    }
    return true;
}

static asif_status solve(state *q, const double *centre, double *x, double *multiplier, bool *feasible,
                         asif_error *error) {
    memcpy(x, centre, q->n * sizeof *x);
    *feasible = find_lengths(q, multiplier);
    if (!*feasible)
        return ASIF_OK;
    if (!climb(q, centre, x, feasible) ||
        !(*feasible ? is_nearest(q, centre, x) : is_contradiction(q, centre))) {
        asif_fail(error, ASIF_EDOMAIN,
                  "a quadratic programme of %llu rows was neither solved nor shown to have no answer",
                  (unsigned long long)q->rows);
        asif_error_hint(error,
                        "it is numerically difficult: are there utilities of very different sizes, or a "
                        "discount very near 1?");
        return ASIF_EDOMAIN;
    }
    if (multiplier) {
        memset(multiplier, 0, q->rows * sizeof *multiplier);
        for (uint32_t j = 0; j < q->active; j++)
            multiplier[q->which[j]] = q->lambda[j] / q->length[q->which[j]];
    }
    return ASIF_OK;
}

asif_status asif_qp_nearest(const asif_context *context, uint32_t n, const double *centre, uint64_t rows,
                            const double *g, const double *h, double *x, double *multiplier, bool *feasible,
                            asif_error *error) {
    uint32_t stride = n + 1;
    state q = {.context = context, .n = n, .stride = stride, .rows = rows, .g = g, .h = h};
    q.length = ASIF_ARRAY(context, rows, double);
    q.is_active = ASIF_ARRAY(context, rows, bool);
    q.which = ASIF_ARRAY(context, stride, uint64_t);
    q.lambda = ASIF_ARRAY(context, (uint64_t)stride + 1, double);
    q.factor = ASIF_ARRAY(context, (uint64_t)stride * stride, double);
    q.r = ASIF_ARRAY(context, 2 * (uint64_t)stride, double);
    q.z = ASIF_ARRAY(context, n, double);
    asif_status status = q.length && q.is_active && q.which && q.lambda && q.factor && q.r && q.z
                             ? solve(&q, centre, x, multiplier, feasible, error)
                             : asif_fail_memory(error);
    void *const arrays[] = {q.length, q.is_active, q.which, q.lambda, q.factor, q.r, q.z};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}
