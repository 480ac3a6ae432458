/* Inner loops that are compiled once for each kind of vector instructions and chosen at run time. Apart from
 * exp and log, all kinds give the same bits: sums run in a fixed order and nothing is contracted. */
#ifndef ASIF_SRC_BASE_NUMERIC_SIMD_H
#define ASIF_SRC_BASE_NUMERIC_SIMD_H

#include <stdbool.h>
#include <stdint.h>

/* Points that one call of `certainty`, `tilt` or `product` handles at most. */
#define ASIF_BLOCK 128
/* Rows that a sparse matrix stores side by side. */
#define ASIF_SLICE 8

/* Agents whose points stand side by side: lanes come in multiples of this. */
#define ASIF_ABREAST 8
/* Differences that acceleration remembers of every lane. */
#define ASIF_LANES_MEMORY 5

/* States that recognition handles. */
#define ASIF_MOST_RECOGNISED 64

/* An observation, or a class of them, as a step of lookahead over two states meets it. */
typedef struct {
    double emission[2];   /* in each state reached */
    bool valued;          /* the agent goes on from it; else it only counts for surprise */
    double scale;         /* 1 / rho0 in the surprise term; 0: no part of it */
    const double *reward; /* one number, or [lanes]; NULL: none */
} asif_future_event;

/* Many agents at once: number l of point i, at i * lanes + l, is agent l's, and so is entry l of a parameter.
 * `lanes` is a multiple of ASIF_ABREAST. What a lane gets depends on nothing in the others, nor on where it
 * stands. Rows of an array are `stride` numbers apart. */
typedef struct {
    /* out = scale * row . v + c * extra[i] for rows [first, first + n) of a sliced matrix; extra, one number
     * a row, may be NULL. v is [columns][lanes]. */
    void (*product)(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                    uint64_t first, uint32_t n, const double *v, const double *scale, const double *extra,
                    const double *c, uint32_t lanes);
    /* As `certainty` above with b, and weights w [k][lanes], of each lane; out may be extra. Unless p is
     * NULL, also the tilted weights, of which b must be finite. */
    void (*certainty)(double *out, double *p, uint64_t p_stride, const double *b, const double *y,
                      uint64_t stride, const double *w, uint32_t k, const double *extra, uint32_t n,
                      uint32_t lanes);
    /* Logarithms of the tilted weights, b finite; p may be y. */
    void (*log_tilt)(double *p, const double *b, const double *y, uint64_t stride, const double *w,
                     const double *log_w, uint32_t k, uint32_t n, uint32_t lanes);
    /* out = sum_j c[j] y[j], c [k][lanes]. */
    void (*weighted)(double *out, const double *y, uint64_t stride, const double *c, uint32_t k, uint32_t n,
                     uint32_t lanes);
    /* out = x + c, and out += c x y. */
    void (*shift)(double *out, const double *x, const double *c, uint32_t n, uint32_t lanes);
    void (*add_product)(double *out, const double *c, const double *x, const double *y, uint32_t n,
                        uint32_t lanes);
    /* out += c p log(scale p), nothing where p is 0 */
    void (*add_entropy)(double *out, const double *c, const double *p, double scale, uint32_t n,
                        uint32_t lanes);
    /* K of a future over two states: beliefs z [2 rows], `to` [2][2] as [to][from], values [intervals +
     * 1][lanes]. `surprises` false: minus_eta is 0 in all lanes. */
    void (*future)(double *k, const double *z, uint64_t stride, const double *to,
                   const asif_future_event *event, uint32_t events, const double *values, uint32_t intervals,
                   const double *discount, bool surprises, const double *minus_eta, uint32_t n,
                   uint32_t lanes);
    /* Bayes in each of k futures, averaged with weights sigma over those in which it was possible: next
     * [states rows] of one point, and in total [lanes] the weight of these futures. emission[j] NULL: nothing
     * was seen. */
    void (*recognise)(double *next, uint64_t next_stride, double *total, const double *z, uint64_t stride,
                      uint32_t states, const double *const *to, const double *const *emission,
                      const double *const *sigma, uint32_t k, uint32_t lanes);
    /* The residual g - x and the image g of ASIF_ABREAST lanes, and how they differ from those before, which
     * are replaced: df[0] and dg. The products of df[0] `with` the differences kept and of these with the
     * residual (`right`), each [ASIF_LANES_MEMORY]; max |residual|, NaN where any is not finite, and max |g|.
     */
    void (*differ)(uint64_t n, const double *x, const double *g, double *residual, double *image,
                   double *const *df, double *dg, double *with, double *right, double *furthest,
                   double *largest);
    /* The combination c of differences that cancels the residual best, by their products gram
     * [MEMORY][MEMORY]; those for which own [MEMORY] is 0 do not count. */
    void (*fit_differences)(double *c, const double *gram, const double *right, const double *own);
    /* next = g - sum_j c[j] dg[j] over the differences kept, c [ASIF_LANES_MEMORY][ASIF_ABREAST] */
    void (*combine)(uint64_t n, double *next, const double *g, double *const *dg, const double *c);
} asif_simd_lanes;

typedef struct {
    const char *name;
    uint32_t level;
    /* y[i] = exp(x[i]), log(x[i]); y may be x. exp is fast only for |x| < 700. */
    void (*exp)(double *y, const double *x, uint64_t n);
    void (*log)(double *y, const double *x, uint64_t n);
    /* Certainty equivalent CE(b; y, w) of k outcomes, all weights positive, at n <= ASIF_BLOCK points:
     * outcome j of point i is y[j * stride + i]; extra[i] is added, unless it is NULL. Accurate to a few
     * units in the last place of the largest |y|, for every b through 0 and +-inf. */
    void (*certainty)(double *out, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                      const double *extra, uint32_t n);
    /* Its derivative in y, the tilted weights, laid out as y. At b = +-inf outcomes within 1e-10 max(1,
     * |best|) of the best share their weights. */
    void (*tilt)(double *p, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                 uint32_t n);
    /* Rows [first, first + n) of a sliced matrix (see sparse.h) times v, n <= ASIF_BLOCK, first a multiple of
     * ASIF_SLICE: out[i] = scale * row . v + c * extra[i]; extra may be NULL. */
    void (*product)(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                    uint64_t first, uint32_t n, const double *v, double scale, const double *extra, double c);
    /* The logarithms of the tilted weights, given those of the weights; -inf where an outcome at b = +-inf
     * has none. p may be y. */
    void (*log_tilt)(double *p, double b, const double *y, uint64_t stride, const double *w,
                     const double *log_w, uint32_t k, uint32_t n);
    /* out[i] = sum_j c[j] y[j * stride + i] */
    void (*weighted)(double *out, const double *y, uint64_t stride, const double *c, uint32_t k, uint64_t n);
    /* Linear interpolation in a table of intervals + 1 values at intervals * scale * x[i] / p[i], which is in
     * [0, intervals]; within 1e-11 intervals of a node it is that node. 0 where p[i] is. */
    void (*interpolate)(double *out, const double *table, uint32_t intervals, double scale, const double *x,
                        const double *p, uint64_t n);
    /* The same with what derivatives need: the interval, the part of it that lies before the point, and the
     * slope in it. At a node the interval is the one that begins there. */
    void (*locate)(double *value, double *slope, double *part, uint32_t *interval, const double *table,
                   uint32_t intervals, double scale, const double *x, const double *p, uint64_t n);
    /* out[i] += c x[i] y[i] */
    void (*add_product)(double *out, double c, const double *x, const double *y, uint64_t n);
    /* out[i] += c p[i] log(scale p[i]), nothing where p[i] is 0 */
    void (*add_entropy)(double *out, double c, const double *p, double scale, uint64_t n);
    /* out[i] = x[i] / p[i], 0 where p[i] is; out may be x */
    void (*ratio)(double *out, const double *x, const double *p, uint64_t n);
    /* K of a future over two states, all of it at once: beliefs z [2 rows], `to` [2][2] as [to][from], values
     * [intervals + 1]. */
    void (*future)(double *k, const double *z, uint64_t stride, const double *to,
                   const asif_future_event *event, uint32_t events, const double *values, uint32_t intervals,
                   double discount, double minus_eta, uint64_t n);
    /* Bayes in each of k futures, averaged with weights sigma [k rows] over those in which it was possible:
     * next [states rows], and in total the weight of these futures. emission[j] NULL: nothing was seen. At
     * most ASIF_MOST_RECOGNISED states. */
    void (*recognise)(double *next, double *total, const double *z, uint64_t stride, uint32_t states,
                      const double *const *to, const double *const *emission, const double *const *sigma,
                      uint32_t k, uint64_t n);
    double (*dot)(const double *x, const double *y, uint64_t n);
    /* The same over the places where x is positive: y may be infinite elsewhere. */
    double (*dot_positive)(const double *x, const double *y, uint64_t n);
    /* y += c x */
    void (*axpy)(double *y, double c, const double *x, uint64_t n);
    /* max |x[i] - y[i]| and max |x[i]|; NaN if any is. */
    void (*compare)(const double *x, const double *y, uint64_t n, double *difference, double *largest);
    const asif_simd_lanes *lanes;
} asif_simd;

/* Level 0: the best that this machine runs; NULL if the level asked for is not to be had. */
const asif_simd *asif_simd_choose(uint32_t level);

extern const asif_simd asif_simd_plain, asif_simd_sse2, asif_simd_avx2, asif_simd_avx512;
extern const asif_simd_lanes asif_simd_lanes_plain, asif_simd_lanes_sse2, asif_simd_lanes_avx2,
    asif_simd_lanes_avx512;

#endif
