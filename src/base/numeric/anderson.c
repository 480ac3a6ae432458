#include "base/numeric/anderson.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { M = ASIF_ANDERSON_MEMORY };

asif_status asif_anderson_create(asif_anderson *a, const asif_context *context, uint64_t n,
                                 asif_error *error) {
    *a = (asif_anderson){.context = context, .n = n};
    double *all = ASIF_ARRAY(context, n * (2 + 2 * M), double);
    if (!all)
        return asif_fail_memory(error);
    a->f = all;
    a->g = all + n;
    for (uint64_t j = 0; j < M; j++) {
        a->df[j] = all + n * (2 + j);
        a->dg[j] = all + n * (2 + M + j);
    }
    return ASIF_OK;
}

void asif_anderson_free(asif_anderson *a) {
    if (a->context)
        asif_free(a->context, a->f);
    a->f = NULL;
}

void asif_anderson_forget(asif_anderson *a) {
    a->count = a->at = 0;
    a->started = false;
}

/* Least squares through the Gram matrix, by Cholesky with pivoting; directions that depend on the others are
 * left out. */
static void solve(double gram[M][M], const double *right, uint32_t m, double *out) {
    double l[M][M], scale[M], left[M];
    uint32_t order[M], rank = 0;
    for (uint32_t i = 0; i < m; i++) {
        scale[i] = gram[i][i] > 0 ? 1 / sqrt(gram[i][i]) : 0;
        left[i] = scale[i] > 0 ? 1 : 0;
        out[i] = 0;
    }
    double y[M];
    for (; rank < m; rank++) {
        uint32_t pivot = m;
        double most = 1e-12;
        for (uint32_t i = 0; i < m; i++)
            if (left[i] > most) {
                most = left[i];
                pivot = i;
            }
        if (pivot == m)
            break;
        double root = sqrt(left[pivot]);
        l[pivot][rank] = root;
        order[rank] = pivot;
        double r = right[pivot] * scale[pivot];
        for (uint32_t k = 0; k < rank; k++)
            r -= l[pivot][k] * y[k];
        y[rank] = r / root;
        left[pivot] = 0;
        for (uint32_t i = 0; i < m; i++) {
            if (!(left[i] > 0))
                continue;
            double v = gram[i][pivot] * scale[i] * scale[pivot];
            for (uint32_t k = 0; k < rank; k++)
                v -= l[i][k] * l[pivot][k];
            l[i][rank] = v / root;
            left[i] -= l[i][rank] * l[i][rank];
        }
    }
    for (uint32_t k = rank; k-- > 0;) {
        double v = y[k];
        for (uint32_t j = k + 1; j < rank; j++)
            v -= l[order[j]][k] * out[order[j]];
        out[order[k]] = v / l[order[k]][k];
    }
    for (uint32_t i = 0; i < m; i++)
        out[i] *= scale[i];
}

void asif_anderson_step(asif_anderson *a, const double *x, const double *g, double *next) {
    const asif_simd *simd = a->context->simd;
    if (!a->started) {
        for (uint64_t i = 0; i < a->n; i++) {
            a->f[i] = g[i] - x[i];
            a->g[i] = g[i];
        }
        a->started = true;
        memmove(next, g, a->n * sizeof *next);
        return;
    }
    double *df = a->df[a->at], *dg = a->dg[a->at], right[M], c[M];
    for (uint64_t i = 0; i < a->n; i++) {
        double f = g[i] - x[i];
        df[i] = f - a->f[i];
        dg[i] = g[i] - a->g[i];
        a->f[i] = f;
        a->g[i] = g[i];
    }
    a->count = a->count < M ? a->count + 1 : M;
    for (uint32_t j = 0; j < a->count; j++) {
        a->gram[a->at][j] = a->gram[j][a->at] = simd->dot(df, a->df[j], a->n);
        right[j] = simd->dot(a->df[j], a->f, a->n);
    }
    a->at = (a->at + 1) % M;
    solve(a->gram, right, a->count, c);
    memmove(next, g, a->n * sizeof *next);
    for (uint32_t j = 0; j < a->count; j++)
        simd->axpy(next, -c[j], a->dg[j], a->n);
}
