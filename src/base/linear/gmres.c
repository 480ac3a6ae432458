#include "base/linear/gmres.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

asif_status asif_gmres_create(asif_gmres *out, const asif_context *context, uint64_t n, uint32_t restart,
                              asif_error *error) {
    uint64_t fits = 256000000 / (8 * (n + 1));
    restart = restart > fits ? (uint32_t)fits : restart;
    restart = restart < 5 ? 5 : restart;
    uint64_t m = restart;
    *out = (asif_gmres){context, n, restart, ASIF_ARRAY(context, (m + 1) * n, double),
                        ASIF_ARRAY(context, (m + 1) * m + 4 * (m + 1), double)};
    if (out->basis && out->small)
        return ASIF_OK;
    asif_gmres_free(out);
    return asif_fail_memory(error);
}

void asif_gmres_free(asif_gmres *g) {
    if (g->context) {
        asif_free(g->context, g->basis);
        asif_free(g->context, g->small);
    }
    *g = (asif_gmres){0};
}

double asif_gmres_solve(asif_gmres *g, void (*product)(void *user, const double *x, double *y), void *user,
                        const double *right, double *x, double tol, uint64_t most, uint64_t *products) {
    const asif_simd *simd = g->context->simd;
    uint64_t n = g->n, m = g->restart, used = 0;
    double *h = g->small, *cosine = h + (m + 1) * m, *sine = cosine + m + 1, *rest = sine + m + 1,
           *y = rest + m + 1;
    double size = sqrt(simd->dot(right, right, n)), norm;
    if (!(size > 0)) {
        memset(x, 0, n * sizeof *x);
        return 0;
    }
    for (;;) {
        double *v = g->basis;
        product(user, x, v);
        used++;
        for (uint64_t i = 0; i < n; i++)
            v[i] = right[i] - v[i];
        norm = sqrt(simd->dot(v, v, n));
        if (!(norm > tol * size) || used >= most)
            break;
        for (uint64_t i = 0; i < n; i++)
            v[i] /= norm;
        rest[0] = norm;
        uint64_t k = 0;
        while (k < m && used < most) {
            double *w = g->basis + (k + 1) * n, *column = h + k * (m + 1);
            product(user, g->basis + k * n, w);
            used++;
            for (uint64_t j = 0; j <= k; j++) {
                column[j] = simd->dot(w, g->basis + j * n, n);
                simd->axpy(w, -column[j], g->basis + j * n, n);
            }
            column[k + 1] = sqrt(simd->dot(w, w, n));
            bool broke = !(column[k + 1] > 1e-300);
            for (uint64_t i = 0; i < n && !broke; i++)
                w[i] /= column[k + 1];
            for (uint64_t j = 0; j < k; j++) {
                double a = column[j], b = column[j + 1];
                column[j] = cosine[j] * a + sine[j] * b;
                column[j + 1] = -sine[j] * a + cosine[j] * b;
            }
            double r = hypot(column[k], column[k + 1]);
            cosine[k] = column[k] / r;
            sine[k] = column[k + 1] / r;
            column[k] = r;
            rest[k + 1] = -sine[k] * rest[k];
            rest[k] *= cosine[k];
            k++;
            if (broke || fabs(rest[k]) <= tol * size)
                break;
        }
        for (uint64_t i = k; i-- > 0;) {
            y[i] = rest[i];
            for (uint64_t j = i + 1; j < k; j++)
                y[i] -= h[j * (m + 1) + i] * y[j];
            y[i] /= h[i * (m + 1) + i];
        }
        for (uint64_t j = 0; j < k; j++)
            simd->axpy(x, y[j], g->basis + j * n, n);
    }
    *products += used;
    return norm / size;
}
