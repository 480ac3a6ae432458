/* Standard errors at a maximum: the observed information in logits, and the delta method. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

#define AT_ZERO 1e-6    /* estimates below are at the boundary */
#define DIFFERENCE 1e-4 /* step of a logit */
#define FLAT 1e-7       /* relative curvature of a direction in which the likelihood is flat */
#define LEANS 1e-4      /* squared share of a logit in a flat direction that leaves it undetermined */

/* The logits that are inside: one for each free cell that is not at the boundary, but the largest of its row.
 */
typedef struct {
    asif_dynamics_work *work;
    double prior;
    uint64_t *reference; /* [rows]: largest cell */
    uint32_t n;
    uint64_t *cell;        /* [n] */
    uint32_t *row;         /* [n] */
    double *count, *moved; /* [cells] scratch */
} inside;

/* Point at which one logit is changed. */
static void move(const inside *e, const double *point, uint32_t k, double by, double *out) {
    const asif_dynamics *d = e->work->dynamics;
    const asif_dynamics_row *row = &d->row[e->row[k]];
    double sum = 0;
    memcpy(out, point, d->cells * sizeof *out);
    out[e->cell[k]] *= exp(by);
    for (uint32_t c = 0; c < row->columns; c++)
        sum += out[row->first + c];
    for (uint32_t c = 0; c < row->columns; c++)
        out[row->first + c] /= sum;
}

static void gradient(const inside *e, const double *point, double *out) {
    const asif_dynamics *d = e->work->dynamics;
    asif_dynamics_down(e->work, point);
    asif_dynamics_up(e->work, e->count);
    for (uint32_t k = 0; k < e->n; k++) {
        const asif_dynamics_row *row = &d->row[e->row[k]];
        double sum = 0;
        for (uint64_t i = row->first; i < row->first + row->columns; i++)
            sum += d->learnt[i] ? e->count[i] + e->prior : 0;
        out[k] = e->count[e->cell[k]] + e->prior - point[e->cell[k]] * sum;
    }
}

/* Minus the second derivatives, scaled to what they would be if states were seen. */
static void information(inside *e, const double *point, double *matrix, double *scale, double *two) {
    uint64_t n = e->n;
    for (uint32_t k = 0; k < n; k++) {
        move(e, point, k, DIFFERENCE, e->moved);
        gradient(e, e->moved, two);
        move(e, point, k, -DIFFERENCE, e->moved);
        gradient(e, e->moved, two + n);
        for (uint64_t l = 0; l < n; l++)
            matrix[k * n + l] = (two[n + l] - two[l]) / (2 * DIFFERENCE);
    }
    gradient(e, point, two);
    for (uint64_t k = 0; k < n; k++) {
        const asif_dynamics_row *row = &e->work->dynamics->row[e->row[k]];
        double sum = 0, p = point[e->cell[k]];
        for (uint64_t i = row->first; i < row->first + row->columns; i++)
            sum += e->work->dynamics->learnt[i] ? e->count[i] + e->prior : 0;
        scale[k] = 1 / sqrt(fmax(sum, 1) * p * (1 - p));
    }
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t l = 0; l <= k; l++)
            matrix[k * n + l] = matrix[l * n + k] =
                (matrix[k * n + l] + matrix[l * n + k]) / 2 * scale[k] * scale[l];
}

/* The covariance of the logits, without flat directions; flat[k]: the logit has a part in one. */
static void invert(double *matrix, uint64_t n, const double *scale, double *value, double *vector,
                   double *covariance, bool *flat) {
    asif_eigen(matrix, (uint32_t)n, value, vector);
    memset(covariance, 0, n * n * sizeof *covariance);
    for (uint64_t e = 0; e < n; e++) {
        const double *v = vector + e * n;
        for (uint64_t k = 0; k < n; k++) {
            if (!(value[e] > FLAT)) {
                flat[k] = flat[k] || v[k] * v[k] > LEANS;
                continue;
            }
            for (uint64_t l = 0; l < n; l++)
                covariance[k * n + l] += v[k] * v[l] / value[e] * scale[k] * scale[l];
        }
    }
}

/* Variance of a cell: its derivatives in the logits of its row are p (delta - p). */
static double variance(const inside *e, const double *point, const double *covariance, uint32_t first,
                       uint32_t end, uint64_t cell) {
    double sum = 0, p = point[cell];
    for (uint32_t k = first; k < end; k++)
        for (uint32_t l = first; l < end; l++)
            sum += covariance[(uint64_t)k * e->n + l] * p * ((e->cell[k] == cell) - point[e->cell[k]]) * p *
                   ((e->cell[l] == cell) - point[e->cell[l]]);
    return fmax(sum, 0);
}

static double prior_variance(uint32_t possible, double prior) {
    double mean = 1.0 / possible;
    return mean * (1 - mean) / (possible * (1 + prior) + 1);
}

static void fill(const inside *e, const double *point, const double *covariance, const bool *flat,
                 double *standard_error, asif_cell_kind *kind, double *contraction) {
    const asif_dynamics *d = e->work->dynamics;
    uint32_t k = 0;
    for (uint32_t r = 0; r < d->rows; r++) {
        const asif_dynamics_row *row = &d->row[r];
        uint32_t first = k;
        bool undetermined = false;
        for (; k < e->n && e->row[k] == r; k++)
            undetermined = undetermined || flat[k];
        for (uint64_t i = row->first; i < row->first + row->columns; i++) {
            if (!d->learnt[i])
                continue;
            if (point[i] < AT_ZERO || k == first) {
                kind[i] = ASIF_CELL_BOUNDARY;
            } else if (undetermined) {
                kind[i] = ASIF_CELL_UNDETERMINED;
                contraction[i] = 0;
            } else {
                double v = variance(e, point, covariance, first, k, i);
                kind[i] = ASIF_CELL_FREE;
                standard_error[i] = sqrt(v);
                contraction[i] = 1 - v / prior_variance(row->possible, e->prior);
            }
        }
    }
}

static void list_inside(inside *e, const double *point) {
    const asif_dynamics *d = e->work->dynamics;
    asif_dynamics_references(d, point, e->reference);
    for (uint32_t r = 0; r < d->rows; r++)
        for (uint64_t i = d->row[r].first; i < d->row[r].first + d->row[r].columns; i++)
            if (d->learnt[i] && i != e->reference[r] && point[i] >= AT_ZERO) {
                e->cell[e->n] = i;
                e->row[e->n++] = r;
            }
}

asif_status asif_dynamics_errors(asif_dynamics_work *work, double prior, const double *point,
                                 double *standard_error, asif_cell_kind *kind, double *contraction,
                                 asif_error *error) {
    const asif_dynamics *d = work->dynamics;
    const asif_context *c = d->context;
    inside e = {.work = work, .prior = prior};
    for (uint32_t t = 0; t < d->spec.tables; t++) {
        const asif_dynamics_table *table = &d->spec.table[t];
        for (uint64_t i = d->first[t]; i < d->first[t + 1]; i++) {
            uint64_t row = (i - d->first[t]) / table->columns;
            bool known = table->fixed && !isnan(table->fixed[row * table->columns]);
            standard_error[i] = contraction[i] = NAN;
            kind[i] = known ? ASIF_CELL_FIXED : ASIF_CELL_IMPOSSIBLE;
        }
    }
    e.reference = ASIF_ARRAY(c, d->rows, uint64_t);
    e.cell = ASIF_ARRAY(c, d->free, uint64_t);
    e.row = ASIF_ARRAY(c, d->free, uint32_t);
    e.count = ASIF_ARRAY(c, 2 * d->cells, double);
    asif_status status = e.reference && e.cell && e.row && e.count ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        e.moved = e.count + d->cells;
        list_inside(&e, point);
        uint64_t n = e.n;
        double *room = ASIF_ARRAY(c, 3 * n * n + 4 * n, double);
        bool *flat = ASIF_ARRAY(c, n, bool);
        if (room && flat) {
            double *matrix = room, *vector = matrix + n * n, *covariance = vector + n * n,
                   *scale = covariance + n * n, *value = scale + n, *two = value + n;
            information(&e, point, matrix, scale, two);
            invert(matrix, n, scale, value, vector, covariance, flat);
            fill(&e, point, covariance, flat, standard_error, kind, contraction);
        } else {
            status = asif_fail_memory(error);
        }
        asif_free(c, room);
        asif_free(c, flat);
    }
    void *const arrays[] = {e.reference, e.cell, e.row, e.count};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}
