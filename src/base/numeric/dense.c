#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define MOST_SWEEPS 100
#define PIVOT 0.1 /* a diagonal entry this large, over the column's largest, is the pivot */

bool asif_cholesky(double *a, uint32_t n) {
    for (uint32_t j = 0; j < n; j++) {
        double *row = a + (uint64_t)j * n, sum = row[j];
        for (uint32_t k = 0; k < j; k++)
            sum -= row[k] * row[k];
        if (!(sum > 0 && isfinite(sum)))
            return false;
        row[j] = sqrt(sum);
        for (uint32_t i = j + 1; i < n; i++) {
            double *below = a + (uint64_t)i * n, s = below[j];
            for (uint32_t k = 0; k < j; k++)
                s -= below[k] * row[k];
            below[j] = s / row[j];
            row[i] = 0;
        }
    }
    return true;
}

void asif_lower_times(const double *l, uint32_t n, const double *x, double *y) {
    for (uint32_t i = 0; i < n; i++) {
        y[i] = 0;
        for (uint32_t k = 0; k <= i; k++)
            y[i] += l[(uint64_t)i * n + k] * x[k];
    }
}

void asif_upper_times(const double *l, uint32_t n, const double *x, double *y) {
    memset(y, 0, n * sizeof *y);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i <= k; i++)
            y[i] += l[(uint64_t)k * n + i] * x[k];
}

void asif_lower_solve(const double *l, uint32_t n, double *x) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++)
            x[i] -= l[(uint64_t)i * n + k] * x[k];
        x[i] /= l[(uint64_t)i * n + i];
    }
}

void asif_upper_solve(const double *l, uint32_t n, double *x) {
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= l[(uint64_t)k * n + i] * x[k];
        x[i] /= l[(uint64_t)i * n + i];
    }
}

void asif_cholesky_inverse(const double *l, uint32_t n, double *out) {
    for (uint32_t i = 0; i < n; i++) {
        double *row = out + (uint64_t)i * n;
        memset(row, 0, n * sizeof *row);
        row[i] = 1;
        asif_lower_solve(l, n, row);
        asif_upper_solve(l, n, row);
    }
}

static void exchange(double *x, double *y, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        double keep = x[k];
        x[k] = y[k];
        y[k] = keep;
    }
}

bool asif_lu(double *a, uint32_t n, uint32_t *pivot) {
    for (uint32_t j = 0; j < n; j++) {
        double *row = a + (uint64_t)j * n;
        uint32_t best = j;
        for (uint32_t i = j + 1; i < n; i++)
            if (fabs(a[(uint64_t)i * n + j]) > fabs(a[(uint64_t)best * n + j]))
                best = i;
        /* The diagonal entry, if large enough, keeps the order of the rows, and with it the zeros. */
        if (fabs(row[j]) >= PIVOT * fabs(a[(uint64_t)best * n + j]))
            best = j;
        pivot[j] = best;
        if (best != j)
            exchange(row, a + (uint64_t)best * n, n);
        if (!(fabs(row[j]) > 0 && isfinite(row[j])))
            return false;
        for (uint32_t i = j + 1; i < n; i++) {
            double *below = a + (uint64_t)i * n, factor = below[j] / row[j];
            below[j] = factor;
            for (uint32_t k = j + 1; factor != 0 && k < n; k++)
                below[k] -= factor * row[k];
        }
    }
    return true;
}

void asif_lu_solve(const double *lu, uint32_t n, const uint32_t *pivot, double *x) {
    for (uint32_t i = 0; i < n; i++)
        exchange(&x[i], &x[pivot[i]], 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            x[i] -= lu[(uint64_t)i * n + k] * x[k];
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= lu[(uint64_t)i * n + k] * x[k];
        x[i] /= lu[(uint64_t)i * n + i];
    }
}

void asif_dense_times(const double *a, uint32_t rows, uint32_t columns, const double *x, double *y) {
    for (uint32_t i = 0; i < rows; i++) {
        y[i] = 0;
        for (uint32_t k = 0; k < columns; k++)
            y[i] += a[(uint64_t)i * columns + k] * x[k];
    }
}

/* One rotation that makes a[p][q] 0 (Golub and Van Loan, section 8.5). */
static void rotate(double *a, double *vectors, uint32_t n, uint32_t p, uint32_t q) {
    double apq = a[(uint64_t)p * n + q];
    double theta = (a[(uint64_t)q * n + q] - a[(uint64_t)p * n + p]) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (uint32_t k = 0; k < n; k++) {
        double x = a[(uint64_t)k * n + p], y = a[(uint64_t)k * n + q];
        a[(uint64_t)k * n + p] = c * x - s * y;
        a[(uint64_t)k * n + q] = s * x + c * y;
    }
    for (uint32_t k = 0; k < n; k++) {
        double x = a[(uint64_t)p * n + k], y = a[(uint64_t)q * n + k];
        a[(uint64_t)p * n + k] = c * x - s * y;
        a[(uint64_t)q * n + k] = s * x + c * y;
        x = vectors[(uint64_t)p * n + k];
        y = vectors[(uint64_t)q * n + k];
        vectors[(uint64_t)p * n + k] = c * x - s * y;
        vectors[(uint64_t)q * n + k] = s * x + c * y;
    }
}

static void swap_rows(double *values, double *vectors, uint32_t n, uint32_t i, uint32_t j) {
    double t = values[i];
    values[i] = values[j];
    values[j] = t;
    for (uint32_t k = 0; k < n; k++) {
        t = vectors[(uint64_t)i * n + k];
        vectors[(uint64_t)i * n + k] = vectors[(uint64_t)j * n + k];
        vectors[(uint64_t)j * n + k] = t;
    }
}

void asif_eigen(double *a, uint32_t n, double *values, double *vectors) {
    memset(vectors, 0, (uint64_t)n * n * sizeof *vectors);
    for (uint32_t i = 0; i < n; i++)
        vectors[(uint64_t)i * n + i] = 1;
    for (uint32_t sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        bool still = true;
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = p + 1; q < n; q++) {
                double size = fabs(a[(uint64_t)p * n + p]) + fabs(a[(uint64_t)q * n + q]);
                if (!(fabs(a[(uint64_t)p * n + q]) > 1e-17 * size))
                    continue;
                still = false;
                rotate(a, vectors, n, p, q);
            }
        if (still)
            break;
    }
    for (uint32_t i = 0; i < n; i++)
        values[i] = a[(uint64_t)i * n + i];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (values[j] < values[i])
                swap_rows(values, vectors, n, i, j);
}
