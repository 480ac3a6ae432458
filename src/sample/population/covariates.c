#include "sample/population/covariates.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = ASIF_POPULATION_MOST };

/* ---- groups ---- */

typedef struct {
    const double *z;
    uint32_t columns;
    uint64_t row;
} place;

static int by_values(const place *a, const place *b) {
    for (uint32_t k = 0; k < a->columns; k++)
        if (a->z[k] != b->z[k])
            return a->z[k] < b->z[k] ? -1 : 1;
    return 0;
}

static int in_order(const void *a, const void *b) {
    const place *x = a, *y = b;
    int order = by_values(x, y);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static void fill(asif_covariates *c, const double *z, const double *times, place *list) {
    for (uint64_t i = 0; i < c->rows; i++)
        list[i] = (place){z + i * c->columns, c->columns, i};
    qsort(list, (size_t)c->rows, sizeof *list, in_order);
    for (uint64_t i = 0; i < c->rows; i++) {
        if (i == 0 || by_values(&list[i - 1], &list[i]) != 0) {
            memcpy(c->z + c->groups * c->columns, list[i].z, c->columns * sizeof *z);
            c->first[c->groups++] = i;
        }
        c->row[i] = list[i].row;
        c->group[list[i].row] = c->groups - 1;
        c->size[c->groups - 1] += times[list[i].row];
    }
    c->first[c->groups] = c->rows;
}

asif_status asif_covariates_open(asif_covariates *c, const asif_context *context, const double *z,
                                 uint64_t rows, uint32_t columns, const double *times, asif_error *error) {
    *c = (asif_covariates){.context = context,
                           .columns = columns,
                           .rows = rows,
                           .z = ASIF_ARRAY(context, rows * columns, double),
                           .size = ASIF_ARRAY(context, rows, double),
                           .first = ASIF_ARRAY(context, rows + 1, uint64_t),
                           .row = ASIF_ARRAY(context, rows, uint64_t),
                           .group = ASIF_ARRAY(context, rows, uint64_t)};
    place *list = asif_realloc(context, NULL, rows + 1, sizeof *list);
    bool room = c->z && c->size && c->first && c->row && c->group && list;
    if (room)
        fill(c, z, times, list);
    asif_free(context, list);
    return room ? ASIF_OK : asif_fail_memory(error);
}

void asif_covariates_close(asif_covariates *c) {
    void *const arrays[] = {c->z, c->size, c->first, c->row, c->group};
    for (size_t i = 0; c->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c->context, arrays[i]);
    *c = (asif_covariates){0};
}

/* The mean over units of the shifts [d], and their covariance [d][d], which are added. */
static void add_shifts(const asif_covariates *c, const asif_normal_population *p, const double *phi,
                       double *mean, double *covariance) {
    uint64_t d = p->base->dimension;
    double all = 0, first[MOST] = {0}, second[MOST * MOST] = {0}, shift[MOST];
    for (uint64_t g = 0; g < c->groups; g++) {
        asif_population_shift(p, phi, c->z + g * c->columns, shift);
        all += c->size[g];
        for (uint64_t i = 0; i < d; i++) {
            first[i] += c->size[g] * shift[i];
            for (uint64_t j = 0; j < d; j++)
                second[i * d + j] += c->size[g] * shift[i] * shift[j];
        }
    }
    for (uint64_t i = 0; i < d; i++) {
        mean[i] += p->scale[i] * first[i] / all;
        for (uint64_t j = 0; j < d; j++)
            covariance[i * d + j] +=
                p->scale[i] * p->scale[j] * (second[i * d + j] / all - first[i] / all * first[j] / all);
    }
}

void asif_covariates_spread(const asif_covariates *c, const asif_normal_population *p, const double *phi,
                            double *mean, double *covariance) {
    uint64_t d = p->base->dimension;
    double factor[MOST * MOST];
    asif_population_at(p, phi, mean, factor);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j < d; j++) {
            covariance[i * d + j] = 0;
            for (uint64_t k = 0; k <= (i < j ? i : j); k++)
                covariance[i * d + j] += factor[i * d + k] * factor[j * d + k];
        }
    if (c && p->effects)
        add_shifts(c, p, phi, mean, covariance);
}

/* ---- points in single precision ---- */

asif_status asif_single_points_open(asif_single_points *s, const asif_context *context,
                                    const asif_atoms *atoms, const asif_normal_population *p,
                                    asif_error *error) {
    uint64_t n = atoms->count, d = p->base->dimension;
    *s = (asif_single_points){.context = context,
                              .population = p,
                              .points = n,
                              .feature = asif_realloc(context, NULL, (1 + d) * n + 1, sizeof(float)),
                              .plus = asif_realloc(context, NULL, n + 1, sizeof(float))};
    if (!s->feature || !s->plus)
        return asif_fail_memory(error);
    for (uint64_t a = 0; a < n; a++) {
        s->feature[a] = 1;
        for (uint64_t i = 0; i < d; i++)
            s->feature[(1 + i) * n + a] = (float)((atoms->x[a * d + i] - p->centre[i]) / p->scale[i]);
        s->plus[a] = (float)-atoms->log_q[a];
    }
    return ASIF_OK;
}

void asif_single_points_close(asif_single_points *s) {
    if (s->context) {
        asif_free(s->context, s->feature);
        asif_free(s->context, s->plus);
    }
    *s = (asif_single_points){0};
}

void asif_single_population_at(asif_single_population *out, const asif_normal_population *p,
                               const double *phi) {
    uint64_t d = p->base->dimension;
    double mean[MOST], factor[MOST * MOST];
    asif_population_at(p, phi, mean, factor);
    out->phi = phi;
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j <= i; j++)
            factor[i * d + j] /= p->scale[i];
    for (uint64_t j = 0; j < d; j++) { /* a column of the inverse */
        double column[MOST] = {0};
        column[j] = 1;
        asif_lower_solve(factor, (uint32_t)d, column);
        for (uint64_t i = 0; i < d; i++)
            out->factor[i * d + j] = (float)column[i];
    }
}

double asif_single_weights(float *weight, double *effective, const asif_single_points *s,
                           const asif_single_population *at, const double *z, const float *plus) {
    const asif_simd *simd = s->context->simd;
    const asif_normal_population *p = s->population;
    uint32_t d = p->base->dimension;
    double shift[MOST], sum, squares;
    float mean[MOST];
    asif_population_shift(p, at->phi, z, shift);
    for (uint32_t i = 0; i < d; i++)
        mean[i] = (float)(at->phi[i] + shift[i]); /* the mean in u is phi itself */
    simd->normal_single(weight, s->feature + s->points, s->points, d, mean, at->factor, plus,
                        (float)ASIF_SINGLE_SCALE, s->points);
    simd->dots_single(&sum, s->feature, 0, 1, weight, s->points, 1, s->points);
    simd->dots_single(&squares, weight, 0, 1, weight, s->points, 1, s->points);
    *effective = sum * sum / squares;
    return sum / ASIF_SINGLE_SCALE;
}
