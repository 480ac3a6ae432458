/* Compiled once for each ASIF_SIMD_LEVEL: 1 plain C, 2 SSE2, 3 AVX2, 4 AVX-512. Vector exp and log are glibc's libmvec,
 * called by the names of the x86-64 vector ABI, which gcc and clang both link. */
#include "base/simd.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if ASIF_SIMD_LEVEL == 4
#include <immintrin.h>
#define LANES 8
typedef __m512d vector;
vector _ZGVeN8v_exp(vector x);
vector _ZGVeN8v_log(vector x);
#define vector_exp _ZGVeN8v_exp
#define vector_log _ZGVeN8v_log
#define load _mm512_loadu_pd
#define store _mm512_storeu_pd
#define NAME "avx512"
#define TABLE asif_simd_avx512
#elif ASIF_SIMD_LEVEL == 3
#include <immintrin.h>
#define LANES 4
typedef __m256d vector;
vector _ZGVdN4v_exp(vector x);
vector _ZGVdN4v_log(vector x);
#define vector_exp _ZGVdN4v_exp
#define vector_log _ZGVdN4v_log
#define load _mm256_loadu_pd
#define store _mm256_storeu_pd
#define NAME "avx2"
#define TABLE asif_simd_avx2
#elif ASIF_SIMD_LEVEL == 2
#include <emmintrin.h>
#define LANES 2
typedef __m128d vector;
vector _ZGVbN2v_exp(vector x);
vector _ZGVbN2v_log(vector x);
#define vector_exp _ZGVbN2v_exp
#define vector_log _ZGVbN2v_log
#define load _mm_loadu_pd
#define store _mm_storeu_pd
#define NAME "sse2"
#define TABLE asif_simd_sse2
#else
#define LANES 1
typedef double vector;
#define vector_exp exp
#define vector_log log
#define load(p) (*(p))
#define store(p, x) (*(p) = (x))
#define NAME "plain"
#define TABLE asif_simd_plain
#endif

/* The last, incomplete vector goes through the same function, so that a value never depends on its place. */
#define MAP(function)                                                                                        \
    uint64_t i = 0;                                                                                          \
    for (; i + LANES <= n; i += LANES)                                                                       \
        store(y + i, function(load(x + i)));                                                                 \
    if (i < n) {                                                                                             \
        double last[LANES];                                                                                  \
        for (uint64_t j = 0; j < LANES; j++)                                                                 \
            last[j] = 1;                                                                                     \
        memcpy(last, x + i, (size_t)(n - i) * sizeof *x);                                                    \
        store(last, function(load(last)));                                                                   \
        memcpy(y + i, last, (size_t)(n - i) * sizeof *y);                                                    \
    }

/* Beyond this libmvec leaves the vector path for the scalar one; such terms vanish beside 1 anyway. */
#define LEAST_EXPONENT (-700.0)

static inline double clamp(double x) {
    return x > LEAST_EXPONENT ? x : LEAST_EXPONENT;
}

static void map_exp_clamped(double *y, const double *x, uint64_t n) {
    MAP(vector_exp)
}

static void map_exp(double *y, const double *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i += ASIF_BLOCK) {
        double part[ASIF_BLOCK];
        uint64_t m = n - i < ASIF_BLOCK ? n - i : ASIF_BLOCK;
        for (uint64_t j = 0; j < m; j++)
            part[j] = clamp(x[i + j]);
        map_exp_clamped(y + i, part, m);
    }
}

static void map_log(double *y, const double *x, uint64_t n) {
    MAP(vector_log)
}

static void extremes(double *top, double *low, const double *y, uint64_t stride, uint32_t k, uint32_t n) {
    memcpy(top, y, n * sizeof *y);
    memcpy(low, y, n * sizeof *y);
    for (uint32_t j = 1; j < k; j++) {
        const double *row = y + j * stride;
        for (uint32_t i = 0; i < n; i++) {
            top[i] = row[i] > top[i] ? row[i] : top[i];
            low[i] = row[i] < low[i] ? row[i] : low[i];
        }
    }
}

/* exp(x) - 1 = x phi(x) for |x| <= NEAR, to the last place. */
#define NEAR 0.0625
static inline double phi(double x) {
    double s = 1.0 / 362880;
    s = s * x + 1.0 / 40320;
    s = s * x + 1.0 / 5040;
    s = s * x + 1.0 / 720;
    s = s * x + 1.0 / 120;
    s = s * x + 1.0 / 24;
    s = s * x + 1.0 / 6;
    s = s * x + 1.0 / 2;
    return s * x + 1.0;
}

static void certainty(double *out, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                      uint32_t n) {
    double top[ASIF_BLOCK], low[ASIF_BLOCK], sum[ASIF_BLOCK], x[ASIF_BLOCK];
    if (k == 1) {
        memcpy(out, y, n * sizeof *y);
        return;
    }
    extremes(top, low, y, stride, k, n);
    const double *reference = b >= 0 ? top : low; /* b (y - reference) <= 0: no overflow */
    if (isinf(b)) {
        memcpy(out, reference, n * sizeof *out);
        return;
    }
    double size = fabs(b);
    int far = 0, near = 0;
    for (uint32_t i = 0; i < n; i++) {
        int is_far = size * (top[i] - low[i]) > NEAR;
        far |= is_far;
        near |= !is_far;
    }
    if (far) {
        memset(sum, 0, n * sizeof *sum);
        for (uint32_t j = 0; j < k; j++) {
            for (uint32_t i = 0; i < n; i++)
                x[i] = clamp(b * (y[j * stride + i] - reference[i]));
            map_exp_clamped(x, x, n);
            for (uint32_t i = 0; i < n; i++)
                sum[i] += w[j] * x[i];
        }
        map_log(sum, sum, n);
        double inverse = 1 / b;
        if (!near) {
            for (uint32_t i = 0; i < n; i++)
                out[i] = reference[i] + sum[i] * inverse;
            return;
        }
        for (uint32_t i = 0; i < n; i++)
            sum[i] = reference[i] + sum[i] * inverse;
    }
    /* Near b = 0: log1p(sum w expm1(b d)) / b with b divided out before anything can cancel. */
    double t[ASIF_BLOCK] = {0};
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < n; i++) {
            double d = y[j * stride + i] - reference[i];
            t[i] += w[j] * (d * phi(b * d));
        }
    for (uint32_t i = 0; i < n; i++) {
        double s = b * t[i], h = s / (2 + s), q = h * h;
        double series = 1 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9))));
        double close = reference[i] + t[i] * (2 / (2 + s)) * series;
        x[i] = close;
    }
    if (!far) {
        memcpy(out, x, n * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = size * (top[i] - low[i]) > NEAR ? sum[i] : x[i];
}

static void tilt(double *p, double b, const double *y, uint64_t stride, const double *w, uint32_t k, uint32_t n) {
    double top[ASIF_BLOCK], low[ASIF_BLOCK], sum[ASIF_BLOCK] = {0};
    extremes(top, low, y, stride, k, n);
    const double *reference = b >= 0 ? top : low;
    for (uint32_t j = 0; j < k; j++) {
        double *row = p + j * stride;
        if (isinf(b)) {
            for (uint32_t i = 0; i < n; i++) {
                double size = fabs(reference[i]);
                row[i] = fabs(y[j * stride + i] - reference[i]) <= 1e-10 * (size > 1 ? size : 1) ? w[j] : 0;
            }
        } else {
            for (uint32_t i = 0; i < n; i++)
                row[i] = clamp(b * (y[j * stride + i] - reference[i]));
            map_exp_clamped(row, row, n);
            for (uint32_t i = 0; i < n; i++)
                row[i] *= w[j];
        }
        for (uint32_t i = 0; i < n; i++)
            sum[i] += row[i];
    }
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < n; i++)
            p[j * stride + i] /= sum[i];
}

/* Elements are loaded one by one: gather instructions are several times slower where processors are patched against data
 * sampling, and no faster elsewhere. */
static inline void accumulate(double *out, const double *value, const uint32_t *column, const double *v, uint64_t e,
                              uint64_t end) {
#if ASIF_SIMD_LEVEL == 4
    __m512d s = _mm512_setzero_pd();
    for (; e < end; e += ASIF_SLICE) {
        const uint32_t *c = column + e;
        __m512d x = _mm512_set_pd(v[c[7]], v[c[6]], v[c[5]], v[c[4]], v[c[3]], v[c[2]], v[c[1]], v[c[0]]);
        s = _mm512_add_pd(s, _mm512_mul_pd(_mm512_loadu_pd(value + e), x));
    }
    _mm512_storeu_pd(out, s);
#elif ASIF_SIMD_LEVEL == 3
    __m256d s = _mm256_setzero_pd(), t = s;
    for (; e < end; e += ASIF_SLICE) {
        const uint32_t *c = column + e;
        __m256d x = _mm256_set_pd(v[c[3]], v[c[2]], v[c[1]], v[c[0]]), y = _mm256_set_pd(v[c[7]], v[c[6]], v[c[5]], v[c[4]]);
        s = _mm256_add_pd(s, _mm256_mul_pd(_mm256_loadu_pd(value + e), x));
        t = _mm256_add_pd(t, _mm256_mul_pd(_mm256_loadu_pd(value + e + 4), y));
    }
    _mm256_storeu_pd(out, s);
    _mm256_storeu_pd(out + 4, t);
#else
    double s[ASIF_SLICE] = {0};
    for (; e < end; e += ASIF_SLICE)
        for (uint32_t j = 0; j < ASIF_SLICE; j++)
            s[j] += value[e + j] * v[column[e + j]];
    memcpy(out, s, sizeof s);
#endif
}

static void product(double *out, const uint64_t *slice, const uint32_t *column, const double *value, uint64_t first,
                    uint32_t n, const double *v, double scale, const double *add, double c) {
    double sum[ASIF_BLOCK + ASIF_SLICE];
    uint64_t at = first / ASIF_SLICE;
    for (uint32_t i = 0; i < n; i += ASIF_SLICE, at++) {
        accumulate(sum + i, value, column, v, slice[at], slice[at + 1]);
    }
    if (add)
        for (uint32_t i = 0; i < n; i++)
            out[i] = scale * sum[i] + c * add[i];
    else
        for (uint32_t i = 0; i < n; i++)
            out[i] = scale * sum[i];
}

/* Eight running sums, added in a fixed order at the end. */
static double dot(const double *x, const double *y, uint64_t n) {
    double s[8] = {0};
    uint64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (uint64_t j = 0; j < 8; j++)
            s[j] += x[i + j] * y[i + j];
    for (uint64_t j = 0; i < n; i++, j++)
        s[j] += x[i] * y[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void axpy(double *y, double c, const double *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        y[i] += c * x[i];
}

static void compare(const double *x, const double *y, uint64_t n, double *difference, double *largest) {
    double d[8] = {0}, l[8] = {0}, check[8] = {0};
    uint64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (uint64_t j = 0; j < 8; j++) {
            double a = fabs(x[i + j] - y[i + j]), m = fabs(x[i + j]);
            d[j] = a > d[j] ? a : d[j];
            l[j] = m > l[j] ? m : l[j];
            check[j] += a * 0; /* NaN if a is not finite */
        }
    for (uint64_t j = 0; i < n; i++, j++) {
        double a = fabs(x[i] - y[i]), m = fabs(x[i]);
        d[j] = a > d[j] ? a : d[j];
        l[j] = m > l[j] ? m : l[j];
        check[j] += a * 0;
    }
    double total = 0;
    *difference = *largest = 0;
    for (uint64_t j = 0; j < 8; j++) {
        *difference = d[j] > *difference ? d[j] : *difference;
        *largest = l[j] > *largest ? l[j] : *largest;
        total += check[j];
    }
    *difference += total;
}

const asif_simd TABLE = {NAME, ASIF_SIMD_LEVEL, map_exp, map_log, certainty, tilt, product, dot, axpy, compare};
