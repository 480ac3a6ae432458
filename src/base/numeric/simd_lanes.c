/* Kernels for many agents at once; compiled once for each level of vector instructions. */
#include "base/numeric/simd.h"
#include "base/numeric/simd_vector.h"

#include <stddef.h>

enum { M = ASIF_LANES_MEMORY };

/* Functions with a constant argument on which their code depends are inlined, so that the compiler
 * specialises them. */
#if defined __GNUC__
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* exp for |x| < 700, without a call, so that exponentials of several outcomes run in parallel. x = n log 2 +
 * r, and a polynomial in r interpolates exp at Chebyshev's points; the error is at most a unit in the
 * last place. */
#if ASIF_SIMD_LEVEL > 1
#define LOG2_HIGH 0x1.62e42fefa38p-1
#define LOG2_LOW 0x1.ef35793c7673p-45
#define TO_WHOLE 0x1.8p52 /* adding it leaves the nearest whole number in the last bits */

INLINE vector exp_of(vector x) {
    static const double c[] = {0x1.af390ba7e6f47p-26,
                               0x1.2891d4ffbb0f9p-22,
                               0x1.71de0d85293b8p-19,
                               0x1.a019b8ca26fcfp-16,
                               0x1.a01a01a7cebcdp-13,
                               0x1.6c16c1789d1d7p-10,
                               0x1.11111111109a6p-7,
                               0x1.5555555553d37p-5,
                               0x1.5555555555556p-3,
                               0x1.0000000000001p-1,
                               1,
                               1};
    vector whole = fused(x, all(0x1.71547652b82fep0), all(TO_WHOLE)), n = sub(whole, all(TO_WHOLE));
    vector r = fused(n, all(-LOG2_HIGH), x);
    r = fused(n, all(-LOG2_LOW), r);
    vector s = all(c[0]);
    for (int i = 1; i < 12; i++)
        s = fused(s, r, all(c[i]));
    return times_power(s, n, whole);
}
#else
#define exp_of exp
#endif

/* log for x that is positive and normal. */
#if ASIF_SIMD_LEVEL == 4
/* x = 2^n m with m in [3/4, 3/2), and log m = 2 artanh((m - 1) / (m + 1)), whose series is also replaced by
 * an interpolating polynomial. */
INLINE vector log_of(vector x) {
    static const double c[] = {0x1.3587371ccaae7p-3, 0x1.390565d08943ep-3, 0x1.746b9dab90793p-3,
                               0x1.c71c3d608a2f4p-3, 0x1.24924951743bbp-2, 0x1.999999997cd24p-2,
                               0x1.555555555556dp-1};
    vector m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
    vector n = _mm512_getexp_pd(x), above = sub(m, all(1.0)), sum = add(m, all(1.0));
    n = _mm512_mask_add_pd(n, greater(all(1.0), m), n, all(1.0));
    vector inverse = _mm512_rcp14_pd(sum);
    for (int i = 0; i < 2; i++)
        inverse = _mm512_fmadd_pd(inverse, _mm512_fnmadd_pd(sum, inverse, all(1.0)), inverse);
    vector s = mul(above, inverse);
    s = _mm512_fmadd_pd(_mm512_fnmadd_pd(sum, s, above), inverse, s);
    vector z = mul(s, s), series = all(c[0]);
    for (int i = 1; i < 7; i++)
        series = _mm512_fmadd_pd(series, z, all(c[i]));
    vector small = _mm512_fmadd_pd(mul(series, z), s, mul(n, all(LOG2_LOW)));
    return _mm512_fmadd_pd(n, all(LOG2_HIGH), add(add(s, s), small));
}
#else
#define log_of vector_log
#endif

INLINE vector size_of(vector x) {
    return most(x, sub(all(0.0), x));
}

/* EACH_LANE runs a statement for every vector of lanes, `l` being its first; EACH_POINT for every point, `at`
 * being where its numbers are. */
#define EACH_LANE for (uint32_t l = 0; l < lanes; l += LANES)
#define EACH_POINT for (uint64_t at = l, end = l + (uint64_t)n * lanes; at < end; at += lanes)

INLINE void finish_row(double *out, vector sum, const double *scale, const double *extra, const double *c,
                       uint64_t i, uint32_t l, uint32_t lanes) {
    sum = mul(load(scale + l), sum);
    if (extra)
        sum = add(sum, mul(load(c + l), all(extra[i])));
    store(out + i * lanes + l, sum);
}

/* The rows of a slice are computed together, so that their sums do not wait for one another. */
INLINE void product_slice(double *out, const uint32_t *column, const double *value, uint64_t begin,
                          uint64_t end, const double *v, const double *scale, const double *extra,
                          const double *c, uint64_t i, uint32_t lanes) {
    EACH_LANE {
        vector sum[ASIF_SLICE];
        for (uint32_t r = 0; r < ASIF_SLICE; r++)
            sum[r] = all(0.0);
        for (uint64_t e = begin; e < end; e += ASIF_SLICE)
            for (uint32_t r = 0; r < ASIF_SLICE; r++)
                sum[r] = add(sum[r], mul(all(value[e + r]), load(v + (uint64_t)column[e + r] * lanes + l)));
        for (uint32_t r = 0; r < ASIF_SLICE; r++)
            finish_row(out, sum[r], scale, extra, c, i + r, l, lanes);
    }
}

INLINE void product_in(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                       uint64_t first, uint32_t n, const double *v, const double *scale, const double *extra,
                       const double *c, uint32_t lanes) {
    uint64_t i = 0;
    for (; first % ASIF_SLICE == 0 && i + ASIF_SLICE <= n; i += ASIF_SLICE)
        product_slice(out, column, value, slice[(first + i) / ASIF_SLICE],
                      slice[(first + i) / ASIF_SLICE + 1], v, scale, extra, c, i, lanes);
    for (; i < n; i++) {
        uint64_t row = first + i, begin = slice[row / ASIF_SLICE] + row % ASIF_SLICE,
                 end = slice[row / ASIF_SLICE + 1];
        EACH_LANE {
            vector sum = all(0.0);
            for (uint64_t e = begin; e < end; e += ASIF_SLICE)
                sum = add(sum, mul(all(value[e]), load(v + (uint64_t)column[e] * lanes + l)));
            finish_row(out, sum, scale, extra, c, i, l, lanes);
        }
    }
}

static void product(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                    uint64_t first, uint32_t n, const double *v, const double *scale, const double *extra,
                    const double *c, uint32_t lanes) {
    if (lanes == ASIF_ABREAST)
        product_in(out, slice, column, value, first, n, v, scale, extra, c, ASIF_ABREAST);
    else
        product_in(out, slice, column, value, first, n, v, scale, extra, c, lanes);
}

/* log1p(sum w expm1(b d)) / b, where b is divided out first, so that nothing cancels, as
 * in simd_kernels.c. */
INLINE vector certainty_near(vector reference, vector b, const double *y, uint64_t stride, const double *w,
                             uint32_t lanes, uint32_t k) {
    static const double c[] = {1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1};
    vector t = all(0.0);
    for (uint32_t j = 0; j < k; j++) {
        vector d = sub(load(y + j * stride), reference);
        t = add(t, mul(load(w + (uint64_t)j * lanes), mul(d, phi(mul(b, d)))));
    }
    vector s = mul(b, t), two = add(all(2.0), s), h = over(s, two), q = mul(h, h), series = all(c[0]);
    for (int i = 1; i < 5; i++)
        series = add(mul(series, q), all(c[i]));
    return add(reference, mul(mul(t, over(all(2.0), two)), series));
}

/* Points that are handled in one sweep, so that logarithms do not wait for sums. */
#define SWEEP 32

/* For one vector of lanes at n points: the best outcome, the terms w exp(b (y - best)) unless p is NULL, and
 * their sum. `far` is true where b times the outcomes is large enough for the plain formula. */
INLINE void sum_terms(double *sum, double *best, choice *far, double *p, uint64_t p_stride, vector b,
                      const double *y, uint64_t stride, const double *w, uint32_t k, uint32_t n,
                      uint32_t lanes) {
    choice down = greater(all(0.0), b);
    vector size = size_of(b);
    for (uint32_t i = 0; i < n; i++) {
        const double *of = y + (uint64_t)i * lanes;
        vector top = load(of), low = top, total = all(0.0);
        for (uint32_t j = 1; j < k; j++) {
            vector other = load(of + j * stride);
            top = most(other, top);
            low = least(other, low);
        }
        vector reference = choose(down, low, top);
        for (uint32_t j = 0; j < k; j++) {
            vector x = most(mul(b, sub(load(of + j * stride), reference)), all(LEAST_EXPONENT));
            x = mul(load(w + (uint64_t)j * lanes), exp_of(x));
            total = add(total, x);
            if (p)
                store(p + j * p_stride + (uint64_t)i * lanes, x);
        }
        store(best + i * LANES, reference);
        store(sum + i * LANES, total);
        vector reach = most(most(top, sub(all(0.0), low)), mul(all(0.25 / NEAR), sub(top, low)));
        far[i] = greater(mul(size, reach), all(0.25));
    }
}

/* The CE for one vector of lanes, at most SWEEP points and at least two outcomes. */
INLINE void certainty_sweep(double *out, double *p, uint64_t p_stride, const double *b_row, const double *y,
                            uint64_t stride, const double *w, uint32_t k, const double *extra, uint32_t n,
                            uint32_t lanes) {
    double sum[SWEEP * LANES], best[SWEEP * LANES];
    choice far[SWEEP];
    vector b = load(b_row), inverse = over(all(1.0), b);
    choice limit = greater(size_of(b), all(DBL_MAX));
    sum_terms(sum, best, far, p, p_stride, b, y, stride, w, k, n, lanes);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = (uint64_t)i * lanes;
        vector reference = load(best + i * LANES),
               result = add(reference, mul(log_of(load(sum + i * LANES)), inverse));
        if (!every(far[i]))
            result = choose(far[i], result, certainty_near(reference, b, y + at, stride, w, lanes, k));
        result = choose(limit, reference, result);
        store(out + at, extra ? add(result, load(extra + at)) : result);
    }
    for (uint32_t j = 0; p && j < k; j++)
        for (uint32_t i = 0; i < n; i++) {
            double *of = p + j * p_stride + (uint64_t)i * lanes;
            store(of, over(load(of), load(sum + i * LANES)));
        }
}

/* The CE of a single outcome is the outcome. */
static void certain(double *out, double *p, const double *y, const double *extra, uint32_t n,
                    uint32_t lanes) {
    for (uint64_t i = 0; i < (uint64_t)n * lanes; i += LANES) {
        store(out + i, extra ? add(load(y + i), load(extra + i)) : load(y + i));
        if (p)
            store(p + i, all(1.0));
    }
}

static void certainty(double *out, double *p, uint64_t p_stride, const double *b, const double *y,
                      uint64_t stride, const double *w, uint32_t k, const double *extra, uint32_t n,
                      uint32_t lanes) {
    if (k == 1) {
        certain(out, p, y, extra, n, lanes);
        return;
    }
    EACH_LANE for (uint32_t i = 0; i < n; i += SWEEP) {
        uint64_t at = (uint64_t)i * lanes + l;
        uint32_t here = n - i < SWEEP ? n - i : SWEEP;
        const double *more = extra ? extra + at : NULL;
        if (!p && k == 3 && lanes == ASIF_ABREAST)
            certainty_sweep(out + at, NULL, 0, b + l, y + at, stride, w + l, 3, more, here, ASIF_ABREAST);
        else if (!p && k == 2 && lanes == ASIF_ABREAST)
            certainty_sweep(out + at, NULL, 0, b + l, y + at, stride, w + l, 2, more, here, ASIF_ABREAST);
        else
            certainty_sweep(out + at, p ? p + at : NULL, p_stride, b + l, y + at, stride, w + l, k, more,
                            here, lanes);
    }
}

static void log_tilt(double *p, const double *b, const double *y, uint64_t stride, const double *w,
                     const double *log_w, uint32_t k, uint32_t n, uint32_t lanes) {
    double sum[SWEEP * LANES], best[SWEEP * LANES];
    choice far[SWEEP];
    EACH_LANE for (uint32_t first = 0; first < n; first += SWEEP) {
        uint64_t from = (uint64_t)first * lanes + l;
        uint32_t here = n - first < SWEEP ? n - first : SWEEP;
        vector of = load(b + l);
        sum_terms(sum, best, far, NULL, 0, of, y + from, stride, w + l, k, here, lanes);
        for (uint32_t i = 0; i < here; i++)
            store(sum + i * LANES, log_of(load(sum + i * LANES)));
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t i = 0; i < here; i++) {
                uint64_t at = from + j * stride + (uint64_t)i * lanes;
                vector exponent = mul(of, sub(load(y + at), load(best + i * LANES)));
                exponent = sub(exponent, load(sum + i * LANES));
                store(p + at, add(exponent, load(log_w + (uint64_t)j * lanes + l)));
            }
    }
}

static void weighted(double *out, const double *y, uint64_t stride, const double *c, uint32_t k, uint32_t n,
                     uint32_t lanes) {
    EACH_LANE EACH_POINT {
        vector sum = mul(load(c + l), load(y + at));
        for (uint32_t j = 1; j < k; j++)
            sum = add(sum, mul(load(c + (uint64_t)j * lanes + l), load(y + at + j * stride)));
        store(out + at, sum);
    }
}

static void shift(double *out, const double *x, const double *c, uint32_t n, uint32_t lanes) {
    EACH_LANE EACH_POINT store(out + at, add(load(x + at), load(c + l)));
}

static void add_product(double *out, const double *c, const double *x, const double *y, uint32_t n,
                        uint32_t lanes) {
    EACH_LANE EACH_POINT store(out + at,
                               add(load(out + at), mul(load(c + l), mul(load(x + at), load(y + at)))));
}

INLINE vector entropy_at(vector p, double scale) {
    return mul(p, log_of(most(mul(all(scale), p), all(DBL_MIN))));
}

static void add_entropy(double *out, const double *c, const double *p, double scale, uint32_t n,
                        uint32_t lanes) {
    EACH_LANE EACH_POINT store(out + at,
                               add(load(out + at), mul(load(c + l), entropy_at(load(p + at), scale))));
}

INLINE vector interpolate_at(const double *table, uint32_t lanes, double end, double scale, vector x,
                             vector p) {
    choice there = greater(p, all(0.0));
    uint32_t node[LANES];
    vector part = interval_at(end, scale, x, p, there, node);
    for (uint32_t j = 0; j < LANES; j++)
        node[j] = node[j] * lanes + j;
    const double *next = table + lanes;
    vector value = add(mul(sub(all(1.0), part), pick(table, node)), mul(part, pick(next, node)));
    return choose(there, value, all(0.0));
}

static void future(double *k, const double *z, uint64_t stride, const double *to,
                   const asif_future_event *event, uint32_t events, const double *values, uint32_t intervals,
                   const double *discount, bool surprises, const double *minus_eta, uint32_t n,
                   uint32_t lanes) {
    EACH_LANE EACH_POINT {
        vector z0 = load(z + at), z1 = load(z + at + stride), sum = all(0.0);
        vector ahead0 = add(mul(all(to[0]), z0), mul(all(to[1]), z1));
        vector ahead1 = add(mul(all(to[2]), z0), mul(all(to[3]), z1));
        for (uint32_t x = 0; x < events; x++) {
            const asif_future_event *e = &event[x];
            vector p = add(mul(all(e->emission[0]), ahead0), mul(all(e->emission[1]), ahead1));
            if (e->valued)
                sum = add(sum, mul(load(discount + l), mul(p, interpolate_at(values + l, lanes, intervals,
                                                                             e->emission[1], ahead1, p))));
            if (e->reward)
                sum = add(sum, mul(load(e->reward + l), p));
            if (surprises && e->scale > 0)
                sum = add(sum, mul(load(minus_eta + l), entropy_at(p, e->scale)));
        }
        store(k + at, sum);
    }
}

INLINE vector ratio_at(vector x, vector p) {
    choice there = greater(p, all(0.0));
    return choose(there, over(x, choose(there, p, all(1.0))), all(0.0));
}

INLINE vector predict_at(const double *z, uint64_t stride, uint32_t states, const double *to) {
    vector sum = mul(all(to[0]), load(z));
    for (uint32_t s = 1; s < states; s++)
        sum = add(sum, mul(all(to[s]), load(z + s * stride)));
    return sum;
}

INLINE void recognise_at(double *next, uint64_t next_stride, double *total, const double *z, uint64_t stride,
                         uint32_t states, const double *const *to, const double *const *emission,
                         const double *const *sigma, uint32_t k, uint32_t l) {
    vector sum = all(0.0);
    for (uint32_t t = 0; t < states; t++)
        store(next + t * next_stride, all(0.0));
    for (uint32_t j = 0; j < k; j++) {
        vector share = load(sigma[j] + l), p = all(0.0);
        if (emission[j]) {
            for (uint32_t t = 0; t < states; t++)
                p = add(
                    p, mul(all(emission[j][t]), predict_at(z, stride, states, to[j] + (uint64_t)t * states)));
            share = ratio_at(share, p);
            sum = add(sum, mul(share, p));
        } else {
            sum = add(sum, share);
        }
        for (uint32_t t = 0; t < states; t++) {
            vector ahead = predict_at(z, stride, states, to[j] + (uint64_t)t * states);
            vector part = mul(all(emission[j] ? emission[j][t] : 1), mul(share, ahead));
            store(next + t * next_stride, add(load(next + t * next_stride), part));
        }
    }
    for (uint32_t t = 0; t < states; t++)
        store(next + t * next_stride, ratio_at(load(next + t * next_stride), sum));
    store(total, sum);
}

static void recognise(double *next, uint64_t next_stride, double *total, const double *z, uint64_t stride,
                      uint32_t states, const double *const *to, const double *const *emission,
                      const double *const *sigma, uint32_t k, uint32_t lanes) {
    EACH_LANE {
        if (states == 2)
            recognise_at(next + l, next_stride, total + l, z + l, stride, 2, to, emission, sigma, k, l);
        else
            recognise_at(next + l, next_stride, total + l, z + l, stride, states, to, emission, sigma, k, l);
    }
}

static void differ(uint64_t n, const double *x, const double *g, double *residual, double *image,
                   double *const *df, double *dg, double *with, double *right, double *furthest,
                   double *largest) {
    for (uint32_t l = 0; l < ASIF_ABREAST; l += LANES) {
        vector w[M], r[M], far = all(0.0), high = all(0.0), check = all(0.0);
        for (uint32_t j = 0; j < M; j++)
            w[j] = r[j] = all(0.0);
        for (uint64_t at = l; at < n * ASIF_ABREAST; at += ASIF_ABREAST) {
            vector of = load(g + at), f = sub(of, load(x + at)), d = sub(f, load(residual + at));
            store(dg + at, sub(of, load(image + at)));
            store(df[0] + at, d);
            store(residual + at, f);
            store(image + at, of);
            far = most(size_of(f), far);
            high = most(size_of(of), high);
            check = add(check, mul(f, all(0.0))); /* NaN if it is not finite */
            w[0] = add(w[0], mul(d, d));
            r[0] = add(r[0], mul(d, f));
            for (uint32_t j = 1; j < M; j++) {
                vector other = load(df[j] + at);
                w[j] = add(w[j], mul(d, other));
                r[j] = add(r[j], mul(other, f));
            }
        }
        store(furthest + l, add(far, check));
        store(largest + l, high);
        for (uint32_t j = 0; j < M; j++) {
            store(with + (uint64_t)j * ASIF_ABREAST + l, w[j]);
            store(right + (uint64_t)j * ASIF_ABREAST + l, r[j]);
        }
    }
}

INLINE vector positive_or(vector x, vector least_of, vector yes) {
    return choose(greater(x, least_of), yes, all(0.0));
}

/* Least squares by Cholesky from the newest difference to the oldest; directions that depend on newer ones
 * are left out. */
static void fit_differences(double *c, const double *gram, const double *right, const double *own) {
    for (uint32_t k = 0; k < ASIF_ABREAST; k += LANES) {
        vector l[M][M], scale[M], inverse[M], y[M];
        for (uint32_t i = 0; i < M; i++) {
            vector square = load(gram + (uint64_t)(i * M + i) * ASIF_ABREAST + k);
            choice there = greater(load(own + (uint64_t)i * ASIF_ABREAST + k), all(0.0));
            square = choose(there, square, all(0.0));
            scale[i] = positive_or(square, all(0.0), over(all(1.0), root(square)));
            vector left = positive_or(scale[i], all(0.0), all(1.0));
            y[i] = mul(choose(there, load(right + (uint64_t)i * ASIF_ABREAST + k), all(0.0)), scale[i]);
            for (uint32_t j = 0; j < i; j++) {
                vector v = choose(there, load(gram + (uint64_t)(i * M + j) * ASIF_ABREAST + k), all(0.0));
                v = mul(mul(v, scale[i]), scale[j]);
                for (uint32_t m = 0; m < j; m++)
                    v = sub(v, mul(l[i][m], l[j][m]));
                l[i][j] = mul(v, inverse[j]);
                left = sub(left, mul(l[i][j], l[i][j]));
                y[i] = sub(y[i], mul(l[i][j], y[j]));
            }
            inverse[i] = positive_or(left, all(1e-12), over(all(1.0), root(left)));
            y[i] = mul(y[i], inverse[i]);
        }
        for (uint32_t i = M; i-- > 0;) {
            for (uint32_t j = i + 1; j < M; j++)
                y[i] = sub(y[i], mul(l[j][i], y[j]));
            y[i] = mul(y[i], inverse[i]);
        }
        for (uint32_t i = 0; i < M; i++)
            store(c + (uint64_t)i * ASIF_ABREAST + k, mul(y[i], scale[i]));
    }
}

static void combine(uint64_t n, double *next, const double *g, double *const *dg, const double *c) {
    for (uint32_t l = 0; l < ASIF_ABREAST; l += LANES) {
        vector of[M];
        for (uint32_t j = 0; j < M; j++)
            of[j] = load(c + (uint64_t)j * ASIF_ABREAST + l);
        for (uint64_t at = l; at < n * ASIF_ABREAST; at += ASIF_ABREAST) {
            vector x = load(g + at);
            for (uint32_t j = 0; j < M; j++)
                x = sub(x, mul(of[j], load(dg[j] + at)));
            store(next + at, x);
        }
    }
}

const asif_simd_lanes LANES_TABLE = {
    .product = product,
    .certainty = certainty,
    .log_tilt = log_tilt,
    .weighted = weighted,
    .shift = shift,
    .add_product = add_product,
    .add_entropy = add_entropy,
    .future = future,
    .recognise = recognise,
    .differ = differ,
    .fit_differences = fit_differences,
    .combine = combine,
};
