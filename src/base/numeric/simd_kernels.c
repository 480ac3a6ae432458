/* Kernels on points; compiled once for each level of vector instructions. */
#include "base/numeric/simd.h"
#include "base/numeric/simd_simplex.h"
#include "base/numeric/simd_vector.h"

#include <stddef.h>
#include <string.h>

#define MAP(function)                                                                                        \
    for (uint64_t i = 0; i < n; i += LANES) {                                                                \
        uint32_t here = n - i < LANES ? (uint32_t)(n - i) : LANES;                                           \
        store_some(y + i, function(load_some(x + i, here)), here);                                           \
    }

static void map_exp(double *y, const double *x, uint64_t n) {
    MAP(vector_exp)
}

static void map_log(double *y, const double *x, uint64_t n) {
    MAP(vector_log)
}

static inline void extremes(vector *top, vector *low, const double *y, uint64_t stride, uint32_t k,
                            uint32_t n) {
    *top = *low = load_some(y, n);
    for (uint32_t j = 1; j < k; j++) {
        vector x = load_some(y + j * stride, n);
        *top = most(x, *top);
        *low = least(x, *low);
    }
}

/* log1p(sum w expm1(b d)) / b, where d = y - reference; b is divided out first, so that nothing cancels. */
static inline vector certainty_near(vector reference, double b, const double *y, uint64_t stride,
                                    const double *w, uint32_t k, uint32_t n) {
    static const double c[] = {1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1};
    vector t = all(0), temperature = all(b);
    for (uint32_t j = 0; j < k; j++) {
        vector d = sub(load_some(y + j * stride, n), reference);
        t = add(t, mul(all(w[j]), mul(d, phi(mul(temperature, d)))));
    }
    vector s = mul(temperature, t), two = add(all(2.0), s), h = over(s, two), q = mul(h, h),
           series = all(c[0]);
    for (int i = 1; i < 5; i++)
        series = add(mul(series, q), all(c[i]));
    return add(reference, mul(mul(t, over(all(2.0), two)), series));
}

/* Outcomes whose exponentials are computed together: enough to keep the processor's units busy, few enough
 * for the first cache. */
#define GROUP 16

/* The computation has three sweeps, so that exponentials do not wait for one another: exponents,
 * exponentials, and the logarithm of their sum. */
static void certainty(double *out, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                      const double *extra, uint32_t n) {
    enum { VECTORS = ASIF_BLOCK / LANES };
    double x[GROUP][ASIF_BLOCK], sum[ASIF_BLOCK], reference[ASIF_BLOCK];
    choice far[VECTORS];
    bool exact = k == 1 || isinf(b); /* the result is the best outcome, without exponentials */
    double inverse = 1 / b;
    for (uint32_t i = 0, v = 0; i < n; i += LANES, v++) {
        uint32_t here = n - i < LANES ? n - i : LANES;
        vector top, low;
        extremes(&top, &low, y + i, stride, k, here);
        /* The logarithm has an error of one unit in the last place of 1, and the result this error over b,
         * which is too large only if b times the outcomes is small: certainty_near() then takes over. */
        vector size = most(most(top, sub(all(0.0), low)), mul(all(0.25 / NEAR), sub(top, low)));
        far[v] = greater(mul(all(fabs(b)), size), all(0.25));
        store(reference + i, b >= 0 ? top : low); /* b (y - reference) <= 0: no overflow */
        store(sum + i, all(0.0));
    }
    for (uint32_t first = 0; first < k && !exact; first += GROUP) {
        uint32_t outcomes = k - first < GROUP ? k - first : GROUP;
        for (uint32_t j = 0; j < outcomes; j++)
            for (uint32_t i = 0; i < n; i += LANES) {
                uint32_t here = n - i < LANES ? n - i : LANES;
                vector d = sub(load_some(y + (first + j) * stride + i, here), load(reference + i));
                store(x[j] + i, most(mul(all(b), d), all(LEAST_EXPONENT)));
            }
        for (uint32_t j = 0; j < outcomes; j++)
            for (uint32_t i = 0, v = 0; i < n; i += LANES, v++)
                if (some(far[v]))
                    store(x[j] + i, vector_exp(load(x[j] + i)));
        for (uint32_t j = 0; j < outcomes; j++)
            for (uint32_t i = 0; i < n; i += LANES)
                store(sum + i, add(load(sum + i), mul(all(w[first + j]), load(x[j] + i))));
    }
    for (uint32_t i = 0, v = 0; i < n; i += LANES, v++) {
        uint32_t here = n - i < LANES ? n - i : LANES;
        vector result = load(reference + i);
        if (!exact) {
            vector best = result;
            if (some(far[v]))
                result = add(best, mul(vector_log(load(sum + i)), all(inverse)));
            if (!every(far[v]))
                result = choose(far[v], result, certainty_near(best, b, y + i, stride, w, k, here));
        }
        store_some(out + i, extra ? add(result, load_some(extra + i, here)) : result, here);
    }
}

/* The tilted weights at b = +-inf of one vector of points: outcomes within 1e-10 max(1, |best|) of the best
 * share their weights. */
static void tilt_limit(double *p, const double *y, uint64_t stride, const double *w, uint32_t k, uint32_t n,
                       vector best) {
    double of[LANES];
    store(of, best);
    for (uint32_t i = 0; i < n; i++) {
        double size = fabs(of[i]), near = 1e-10 * (size > 1 ? size : 1), sum = 0;
        for (uint32_t j = 0; j < k; j++)
            sum += p[j * stride + i] = fabs(y[j * stride + i] - of[i]) <= near ? w[j] : 0;
        for (uint32_t j = 0; j < k; j++)
            p[j * stride + i] /= sum;
    }
}

static void tilt(double *p, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                 uint32_t points) {
    for (uint32_t i = 0; i < points; i += LANES) {
        uint32_t n = points - i < LANES ? points - i : LANES;
        vector top, low, sum = all(0);
        extremes(&top, &low, y + i, stride, k, n);
        vector reference = b >= 0 ? top : low;
        if (isinf(b)) {
            tilt_limit(p + i, y + i, stride, w, k, n, reference);
            continue;
        }
        for (uint32_t j = 0; j < k; j++) {
            vector x = mul(all(b), sub(load_some(y + i + j * stride, n), reference));
            x = mul(all(w[j]), vector_exp(most(x, all(LEAST_EXPONENT))));
            sum = add(sum, x);
            store_some(p + i + j * stride, x, n);
        }
        for (uint32_t j = 0; j < k; j++)
            store_some(p + i + j * stride, over(load_some(p + i + j * stride, n), sum), n);
    }
}

static void log_tilt(double *p, double b, const double *y, uint64_t stride, const double *w,
                     const double *log_w, uint32_t k, uint32_t points) {
    if (isinf(b)) {
        tilt(p, b, y, stride, w, k, points);
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t i = 0; i < points; i++)
                p[j * stride + i] = log(p[j * stride + i]);
        return;
    }
    for (uint32_t i = 0; i < points; i += LANES) {
        uint32_t n = points - i < LANES ? points - i : LANES;
        vector top, low, sum = all(0);
        extremes(&top, &low, y + i, stride, k, n);
        vector reference = b >= 0 ? top : low;
        for (uint32_t j = 0; j < k; j++) {
            vector x = mul(all(b), sub(load_some(y + i + j * stride, n), reference));
            sum = add(sum, mul(all(w[j]), vector_exp(most(x, all(LEAST_EXPONENT)))));
            store_some(p + i + j * stride, x, n);
        }
        sum = vector_log(sum);
        for (uint32_t j = 0; j < k; j++) {
            vector x = sub(load_some(p + i + j * stride, n), sum);
            store_some(p + i + j * stride, add(x, all(log_w[j])), n);
        }
    }
}

/* Runs a statement for each whole vector and then for the rest: `i` is its first point, `here` its number
 * of points. */
#define SWEEP(n, statement)                                                                                  \
    do {                                                                                                     \
        uint64_t i = 0;                                                                                      \
        for (; i + LANES <= (n); i += LANES) {                                                               \
            const uint32_t here = LANES;                                                                     \
            statement;                                                                                       \
        }                                                                                                    \
        if (i < (n)) {                                                                                       \
            const uint32_t here = (uint32_t)((n)-i);                                                         \
            statement;                                                                                       \
        }                                                                                                    \
    } while (0)

static inline vector weighted_at(const double *y, uint64_t stride, const double *c, uint32_t k,
                                 uint32_t here) {
    vector sum = mul(all(c[0]), load_some(y, here));
    for (uint32_t j = 1; j < k; j++)
        sum = add(sum, mul(all(c[j]), load_some(y + j * stride, here)));
    return sum;
}

static void weighted(double *out, const double *y, uint64_t stride, const double *c, uint32_t k, uint64_t n) {
    if (k == 2)
        SWEEP(n, store_some(out + i, weighted_at(y + i, stride, c, 2, here), here));
    else
        SWEEP(n, store_some(out + i, weighted_at(y + i, stride, c, k, here), here));
}

static inline vector between_at(const double *table, const uint32_t *node, vector part) {
    const double *next = table + 1;
    return add(mul(sub(all(1.0), part), pick(table, node)), mul(part, pick(next, node)));
}

static inline vector interpolate_at(const double *table, double end, double scale, vector x, vector p) {
    choice there = greater(p, all(0.0));
    uint32_t node[LANES];
    vector part = interval_at(end, scale, x, p, there, node);
    return choose(there, between_at(table, node, part), all(0.0));
}

static void interpolate(double *out, const double *table, uint32_t intervals, double scale, const double *x,
                        const double *p, uint64_t n) {
    double end = intervals;
    SWEEP(n, store_some(out + i,
                        interpolate_at(table, end, scale, load_some(x + i, here), load_some(p + i, here)),
                        here));
}

/* The interval of a graded lattice, and the fraction of it, of the beliefs with0, with1. Squares of the
 * numbers of nodes are the odds (engine/lattice.c). */
static inline vector graded_at(const double *point, double end, vector with0, vector with1, uint32_t *node) {
    vector second = root(with1), at = mul(all(end), over(second, add(second, root(with0))));
    double guess[LANES], belief[LANES];
    uint32_t last = (uint32_t)end - 1;
    const double *next = point + 1;
    store(guess, least(at, all(last)));
    for (uint32_t j = 0; j < LANES; j++)
        node[j] = (uint32_t)(int32_t)guess[j];
    vector low = pick(point, node), high = pick(next, node);
    if (some(greater(low, with1)) || !every(greater(high, with1))) { /* by rounding, or the end */
        store(belief, with1);
        for (uint32_t j = 0; j < LANES; j++) {
            while (node[j] > 0 && belief[j] < point[node[j]])
                node[j]--;
            while (node[j] < last && belief[j] >= next[node[j]])
                node[j]++;
        }
        low = pick(point, node);
        high = pick(next, node);
    }
    return least(all(1.0), over(sub(with1, low), sub(high, low)));
}

/* The same where p is above 0; elsewhere the last interval. */
static inline vector graded_part(const double *point, double end, const double *emission, vector ahead0,
                                 vector ahead1, vector p, choice there, vector *with1, uint32_t *node) {
    vector of = choose(there, p, all(1.0));
    vector with0 = choose(there, over(mul(all(emission[0]), ahead0), of), all(0.0));
    *with1 = choose(there, over(mul(all(emission[1]), ahead1), of), all(1.0));
    return graded_at(point, end, with0, *with1, node);
}

static void locate(double *value, double *slope, double *part, double *along, uint32_t *interval,
                   const double *table, uint32_t intervals, const double *point, const double *emission,
                   const double *ahead, uint64_t stride, const double *p, uint64_t n) {
    const double *next = table + 1;
    double end = intervals;
    for (uint64_t i = 0; i < n; i += LANES) {
        uint32_t here = n - i < LANES ? (uint32_t)(n - i) : LANES, node[LANES];
        vector sum = load_some(p + i, here), ahead1 = load_some(ahead + stride + i, here), z, within;
        choice there = greater(sum, all(0.0));
        if (point) {
            within =
                graded_part(point, end, emission, load_some(ahead + i, here), ahead1, sum, there, &z, node);
        } else {
            within = interval_at(end, emission[1], ahead1, sum, there, node);
            z = within;
        }
        vector low = pick(table, node), high = pick(next, node), rise = sub(high, low);
        vector between = add(mul(sub(all(1.0), within), low), mul(within, high));
        if (point)
            rise = over(rise, sub(pick((point + 1), node), pick(point, node)));
        store_some(value + i, choose(there, between, all(0.0)), here);
        store_some(slope + i, choose(there, rise, all(0.0)), here);
        store_some(part + i, within, here);
        store_some(along + i, z, here);
        for (uint32_t j = 0; j < here; j++) {
            interval[i + j] = node[j];
            along[i + j] += point ? 0 : node[j];
        }
    }
}

static inline void more(double *out, vector x, uint32_t here) {
    store_some(out, add(load_some(out, here), x), here);
}

static void add_product(double *out, double c, const double *x, const double *y, uint64_t n) {
    SWEEP(n, more(out + i, mul(all(c), mul(load_some(x + i, here), load_some(y + i, here))), here));
}

static inline vector entropy_at(double c, vector p, double scale) {
    return mul(all(c), mul(p, vector_log(most(mul(all(scale), p), all(DBL_MIN)))));
}

static void add_entropy(double *out, double c, const double *p, double scale, uint64_t n) {
    SWEEP(n, more(out + i, entropy_at(c, load_some(p + i, here), scale), here));
}

static inline vector ratio_at(vector x, vector p) {
    choice there = greater(p, all(0.0));
    return choose(there, over(x, choose(there, p, all(1.0))), all(0.0));
}

static void ratio(double *out, const double *x, const double *p, uint64_t n) {
    SWEEP(n, store_some(out + i, ratio_at(load_some(x + i, here), load_some(p + i, here)), here));
}

/* The value at a belief that follows. */
static inline vector value_ahead(const double *values, double end, const double *point,
                                 const double *emission, vector ahead0, vector ahead1, vector p) {
    if (!point)
        return interpolate_at(values, end, emission[1], ahead1, p);
    choice there = greater(p, all(0.0));
    uint32_t node[LANES];
    vector z, part = graded_part(point, end, emission, ahead0, ahead1, p, there, &z, node);
    return choose(there, between_at(values, node, part), all(0.0));
}

static inline vector future_at(vector z0, vector z1, const double *to, const asif_future_event *event,
                               uint32_t events, const double *values, double end, const double *point,
                               double discount, double minus_eta) {
    vector sum = all(0.0);
    vector ahead0 = add(mul(all(to[0]), z0), mul(all(to[1]), z1));
    vector ahead1 = add(mul(all(to[2]), z0), mul(all(to[3]), z1));
    for (uint32_t x = 0; x < events; x++) {
        const asif_future_event *e = &event[x];
        vector p = add(mul(all(e->emission[0]), ahead0), mul(all(e->emission[1]), ahead1));
        if (e->valued)
            sum = add(sum, mul(all(discount),
                               mul(p, value_ahead(values, end, point, e->emission, ahead0, ahead1, p))));
        if (e->reward)
            sum = add(sum, mul(all(*e->reward), p));
        if (minus_eta != 0 && e->scale > 0)
            sum = add(sum, entropy_at(minus_eta, p, e->scale));
    }
    return sum;
}

static void future(double *k, const double *z, uint64_t stride, const double *to,
                   const asif_future_event *event, uint32_t events, const double *values, uint32_t intervals,
                   const double *point, double discount, double minus_eta, uint64_t n) {
    SWEEP(n, store_some(k + i,
                        future_at(load_some(z + i, here), load_some(z + stride + i, here), to, event, events,
                                  values, intervals, point, discount, minus_eta),
                        here));
}

static inline void recognise_at(double *next, double *total, const double *z, uint64_t stride,
                                uint32_t states, const double *const *to, const double *const *emission,
                                const double *const *sigma, uint32_t k, uint64_t i, uint32_t here) {
    vector sum = all(0.0), mean[ASIF_MOST_RECOGNISED], ahead[ASIF_MOST_RECOGNISED];
    for (uint32_t t = 0; t < states; t++)
        mean[t] = all(0.0);
    for (uint32_t j = 0; j < k; j++) {
        const double *e = emission[j];
        vector share = load_some(sigma[j] + i, here), p = all(0.0);
        for (uint32_t t = 0; t < states; t++) {
            ahead[t] = weighted_at(z + i, stride, to[j] + (uint64_t)t * states, states, here);
            p = e ? add(p, mul(all(e[t]), ahead[t])) : p;
        }
        share = e ? ratio_at(share, p) : share;
        sum = add(sum, e ? mul(share, p) : share);
        for (uint32_t t = 0; t < states; t++)
            mean[t] = add(mean[t], mul(all(e ? e[t] : 1), mul(share, ahead[t])));
    }
    for (uint32_t t = 0; t < states; t++)
        store_some(next + t * stride + i, ratio_at(mean[t], sum), here);
    store_some(total + i, sum, here);
}

static void recognise(double *next, double *total, const double *z, uint64_t stride, uint32_t states,
                      const double *const *to, const double *const *emission, const double *const *sigma,
                      uint32_t k, uint64_t n) {
    if (states == 2)
        SWEEP(n, recognise_at(next, total, z, stride, 2, to, emission, sigma, k, i, here));
    else
        SWEEP(n, recognise_at(next, total, z, stride, states, to, emission, sigma, k, i, here));
}

/* Elements are loaded one by one: gather instructions are several times slower on processors patched against
 * data sampling, and hardly faster on others. */
static inline void accumulate(double *out, const double *value, const uint32_t *column, const double *v,
                              uint64_t e, uint64_t end) {
#if ASIF_SIMD_LEVEL == 4
    __m512d s = _mm512_setzero_pd();
    for (; e < end; e += ASIF_SLICE) {
        const uint32_t *c = column + e;
        s = add(s, mul(load(value + e), pick(v, c)));
    }
    store(out, s);
#elif ASIF_SIMD_LEVEL == 3
    __m256d s = _mm256_setzero_pd(), t = s;
    for (; e < end; e += ASIF_SLICE) {
        const uint32_t *c = column + e;
        __m256d x = _mm256_set_pd(v[c[3]], v[c[2]], v[c[1]], v[c[0]]);
        __m256d y = _mm256_set_pd(v[c[7]], v[c[6]], v[c[5]], v[c[4]]);
        s = add(s, mul(load(value + e), x));
        t = add(t, mul(load(value + e + 4), y));
    }
    store(out, s);
    store(out + 4, t);
#else
    double s[ASIF_SLICE] = {0};
    for (; e < end; e += ASIF_SLICE)
        for (uint32_t j = 0; j < ASIF_SLICE; j++)
            s[j] += value[e + j] * v[column[e + j]];
    memcpy(out, s, sizeof s);
#endif
}

static void product(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                    uint64_t first, uint32_t n, const double *v, double scale, const double *extra,
                    double c) {
    uint64_t at = first / ASIF_SLICE;
    for (uint32_t i = 0; i < n; i += ASIF_SLICE, at++) {
        double sum[ASIF_SLICE];
        accumulate(sum, value, column, v, slice[at], slice[at + 1]);
        for (uint32_t j = 0; j < ASIF_SLICE && i + j < n; j += LANES) {
            uint32_t here = n - i - j < LANES ? n - i - j : LANES;
            vector x = mul(all(scale), load(sum + j));
            if (extra)
                x = add(x, mul(all(c), load_some(extra + i + j, here)));
            store_some(out + i + j, x, here);
        }
    }
}

/* Eight partial sums, which are added in a fixed order at the end. */
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

/* Written with vectors and not left to the compiler: gcc 12 loses terms when it vectorises the condition
 * for AVX2. */
static double dot_positive(const double *x, const double *y, uint64_t n) {
    vector sums[8 / LANES];
    double s[8];
    uint64_t i = 0;
    for (uint64_t j = 0; j < 8 / LANES; j++)
        sums[j] = all(0.0);
    for (; i + 8 <= n; i += 8)
        for (uint64_t j = 0; j < 8 / LANES; j++) {
            vector of = load(x + i + j * LANES);
            vector term = mul(of, load(y + i + j * LANES));
            sums[j] = add(sums[j], choose(greater(of, all(0.0)), term, all(0.0)));
        }
    for (uint64_t j = 0; j < 8 / LANES; j++)
        store(s + j * LANES, sums[j]);
    for (uint64_t j = 0; i < n; i++, j++)
        if (x[i] > 0)
            s[j] += x[i] * y[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void axpy(double *y, double c, const double *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        y[i] += c * x[i];
}

/* Products whose sum stays in single precision: 64 in each of PARTS partial sums. Sums of such blocks are
 * added in double precision, so that the error does not grow with the length. */
#define SINGLE_BLOCK 1024
#define PARTS 16

/* As many products go together as there are registers for their partial sums: of several rows x_r, or of one
 * with more y_k. The sums of a product do not depend on the others. */
enum {
    PART_VECTORS = PARTS / SINGLES,
    ABREAST = SINGLES > 1 ? SINGLES / 2 : 1, /* of one row */
    SIDE = SINGLES > 4 ? SINGLES / 4 : 1     /* rows, and products of each of them */
};

/* out[r * width + k] += x_r . y_k for r < rows and k < count, of at most SINGLE_BLOCK numbers; rows * count
 * is at most SIDE * SIDE or ABREAST. Both are constants where it is called: the sums stay in registers. */
UNROLLED void add_dots(double *out, uint64_t width, const float *x, uint64_t x_stride, uint32_t rows,
                       const float *y, uint64_t y_stride, uint32_t count, uint64_t n) {
    enum { MOST = SIDE * SIDE > ABREAST ? SIDE * SIDE : ABREAST };
    singles s[MOST][PART_VECTORS];
    uint64_t i = 0;
    for (uint32_t p = 0; p < rows * count; p++)
        for (uint32_t v = 0; v < PART_VECTORS; v++)
            s[p][v] = all_singles(0.0F);
    for (; i + PARTS <= n; i += PARTS)
        for (uint32_t v = 0; v < PART_VECTORS; v++) {
            const float *at = x + i + v * SINGLES;
            singles of[SIDE];
            for (uint32_t r = 0; r < rows; r++)
                of[r] = load_singles(at + r * x_stride);
            for (uint32_t k = 0; k < count; k++) {
                singles by = load_singles(y + k * y_stride + i + v * SINGLES);
                for (uint32_t r = 0; r < rows; r++)
                    s[r * count + k][v] = add_singles(s[r * count + k][v], mul_singles(of[r], by));
            }
        }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < count; k++) {
            float part[PARTS];
            for (uint32_t v = 0; v < PART_VECTORS; v++)
                store_singles(part + v * SINGLES, s[r * count + k][v]);
            for (uint64_t j = 0; i + j < n; j++)
                part[j] += x[r * x_stride + i + j] * y[k * y_stride + i + j];
            for (uint32_t half = PARTS / 2; half; half /= 2)
                for (uint32_t j = 0; j < half; j++)
                    part[j] += part[j + half];
            out[r * width + k] += (double)part[0];
        }
}

/* The products of SIDE rows in a block; those of one row follow. */
static void add_side(double *out, uint64_t width, const float *x, uint64_t x_stride, const float *y,
                     uint64_t y_stride, uint32_t count, uint64_t n) {
    uint32_t k = 0;
    for (; k + SIDE <= count; k += SIDE)
        add_dots(out + k, width, x, x_stride, SIDE, y + k * y_stride, y_stride, SIDE, n);
    for (; k < count; k++)
        add_dots(out + k, width, x, x_stride, SIDE, y + k * y_stride, y_stride, 1, n);
}

static void add_row(double *out, const float *x, const float *y, uint64_t y_stride, uint32_t count,
                    uint64_t n) {
    uint32_t k = 0;
    for (; k + ABREAST <= count; k += ABREAST)
        add_dots(out + k, 0, x, 0, 1, y + k * y_stride, y_stride, ABREAST, n);
    for (; k < count; k++)
        add_dots(out + k, 0, x, 0, 1, y + k * y_stride, y_stride, 1, n);
}

static void dots_single(double *out, const float *x, uint64_t x_stride, uint32_t rows, const float *y,
                        uint64_t y_stride, uint32_t count, uint64_t n) {
    for (uint64_t i = 0; i < (uint64_t)rows * count; i++)
        out[i] = 0;
    for (uint64_t i = 0; i < n; i += SINGLE_BLOCK) {
        uint64_t here = n - i < SINGLE_BLOCK ? n - i : SINGLE_BLOCK;
        uint32_t r = 0;
        for (; SIDE > 1 && r + SIDE <= rows; r += SIDE)
            add_side(out + (uint64_t)r * count, count, x + r * x_stride + i, x_stride, y + i, y_stride, count,
                     here);
        for (; r < rows; r++)
            add_row(out + (uint64_t)r * count, x + r * x_stride + i, y + i, y_stride, count, here);
    }
}

static void axpy_single(float *y, float c, const float *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        y[i] += c * x[i];
}

enum { MOST_COORDINATES = 8 };
#define LEAST_SINGLE (-82.0F) /* exp of less would be denormal in single precision, after scaling */

/* The exponents e of `normal_single` at SINGLES points. */
static inline singles normal_exponent(const float *x, uint64_t stride, uint32_t d, const float *mean,
                                      const float *factor, const float *plus) {
    singles off[MOST_COORDINATES], square = all_singles(0.0F);
    for (uint32_t j = 0; j < d; j++) {
        singles z = all_singles(0.0F);
        off[j] = sub_singles(load_singles(x + j * stride), all_singles(mean[j]));
        for (uint32_t k = 0; k <= j; k++)
            z = add_singles(z, mul_singles(all_singles(factor[j * d + k]), off[k]));
        square = add_singles(square, mul_singles(z, z));
    }
    return sub_singles(load_singles(plus), mul_singles(all_singles(0.5F), square));
}

/* The same at fewer points. */
static inline void normal_exponents(float *out, const float *x, uint64_t stride, uint32_t d,
                                    const float *mean, const float *factor, const float *plus, uint64_t n) {
    float some[MOST_COORDINATES * SINGLES] = {0}, more[SINGLES] = {0}, e[SINGLES];
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < d; j++)
            some[j * SINGLES + i] = x[j * stride + i];
        more[i] = plus[i];
    }
    store_singles(e, normal_exponent(some, SINGLES, d, mean, factor, more));
    for (uint64_t i = 0; i < n; i++)
        out[i] = e[i];
}

static void normal_single(float *out, const float *x, uint64_t stride, uint32_t d, const float *mean,
                          const float *factor, const float *plus, float scale, uint64_t n) {
    uint64_t whole = n - n % SINGLES;
    singles tops = all_singles(-FLT_MAX);
    float top[SINGLES], rest[SINGLES] = {0}, largest = -FLT_MAX;
    for (uint64_t i = 0; i < whole; i += SINGLES) {
        singles e = normal_exponent(x + i, stride, d, mean, factor, plus + i);
        tops = most_singles(tops, e);
        store_singles(out + i, e);
    }
    store_singles(top, tops);
    normal_exponents(rest, x + whole, stride, d, mean, factor, plus + whole, n - whole);
    for (uint64_t j = 0; j < SINGLES; j++) {
        largest = top[j] > largest ? top[j] : largest;
        largest = j < n - whole && rest[j] > largest ? rest[j] : largest;
    }
    for (uint64_t i = 0; i < whole; i += SINGLES) {
        singles e = sub_singles(load_singles(out + i), all_singles(largest));
        e = singles_exp(most_singles(e, all_singles(LEAST_SINGLE)));
        store_singles(out + i, mul_singles(e, all_singles(scale)));
    }
    singles e = sub_singles(load_singles(rest), all_singles(largest));
    e = singles_exp(most_singles(e, all_singles(LEAST_SINGLE)));
    store_singles(rest, mul_singles(e, all_singles(scale)));
    for (uint64_t i = whole; i < n; i++)
        out[i] = rest[i - whole];
}

static void tilt_single(float *x, float *sum, const float *y, float c, float less, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        x[i] = c * y[i] * (x[i] - less);
        sum[i] += x[i];
    }
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

const asif_simd TABLE = {
    .name = NAME,
    .level = ASIF_SIMD_LEVEL,
    .exp = map_exp,
    .log = map_log,
    .certainty = certainty,
    .tilt = tilt,
    .product = product,
    .log_tilt = log_tilt,
    .weighted = weighted,
    .interpolate = interpolate,
    .locate = locate,
    .interpolate_simplex = interpolate_simplex,
    .locate_simplex = locate_simplex,
    .add_product = add_product,
    .add_entropy = add_entropy,
    .ratio = ratio,
    .future = future,
    .recognise = recognise,
    .dot = dot,
    .dot_positive = dot_positive,
    .axpy = axpy,
    .dots_single = dots_single,
    .axpy_single = axpy_single,
    .normal_single = normal_single,
    .tilt_single = tilt_single,
    .compare = compare,
    .lanes = &LANES_TABLE,
};
