/* Inner loops, compiled once for each level of vector instructions; the level is chosen at run time. Apart
 * from exp and log, all levels give the same bits: sums run in a fixed order, and multiplications and
 * additions are not fused. */
#ifndef ASIF_SRC_BASE_NUMERIC_SIMD_H
#define ASIF_SRC_BASE_NUMERIC_SIMD_H

#include <stdbool.h>
#include <stdint.h>

/* The largest number of points in one call of `certainty`, `tilt` or `product`. */
#define ASIF_BLOCK 128
/* Rows that a sparse matrix stores interleaved. */
#define ASIF_SLICE 8

/* The number of agents that are computed together: the number of lanes is a multiple of it. */
#define ASIF_ABREAST 8
/* Differences that Anderson acceleration keeps for every lane. */
#define ASIF_LANES_MEMORY 5

/* The largest number of states in `recognise`. */
#define ASIF_MOST_RECOGNISED 64

/* An observation, or a class of them, in one step of lookahead over two states. */
typedef struct {
    double emission[2];   /* probability in each state reached */
    bool valued;          /* the agent continues from it; else it only counts in the surprise term */
    double scale;         /* 1 / rho0 in the surprise term; 0: not in that term */
    const double *reward; /* r(u,x): one number, or [lanes]; NULL: none */
} asif_future_event;

/* Points in their cells of the lattice of beliefs, in rows that are ASIF_BLOCK apart. */
typedef struct {
    uint32_t *node;        /* [states rows]: the vertices */
    double *weight;        /* [states rows]: their weights */
    double *value, *depth; /* interpolated; fraction of the cell between the point and the nearest face */
    double *corner; /* [states rows]: see asif_lattice_corners(); not right on a face, where depth is 0 */
} asif_simplex_cells;

/* Kernels for many agents at once. Number l of point i, at i * lanes + l, belongs to agent l, and so does
 * entry l of a parameter. `lanes` is a multiple of ASIF_ABREAST. The result of a lane depends neither on the
 * other lanes nor on its index. Rows of an array are `stride` numbers apart. */
typedef struct {
    /* out = scale * row . v + c * extra[i] for rows [first, first + n) of a sliced matrix. v is
     * [columns][lanes]; extra, one number for each row, may be NULL. */
    void (*product)(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                    uint64_t first, uint32_t n, const double *v, const double *scale, const double *extra,
                    const double *c, uint32_t lanes);
    /* As `certainty` of asif_simd, with b and weights w [k][lanes] of each lane; out may be extra. Unless p
     * is NULL, p gets the tilted weights, for which b must be finite. */
    void (*certainty)(double *out, double *p, uint64_t p_stride, const double *b, const double *y,
                      uint64_t stride, const double *w, uint32_t k, const double *extra, uint32_t n,
                      uint32_t lanes);
    /* The logarithms of the tilted weights; b must be finite, and p may be y. */
    void (*log_tilt)(double *p, const double *b, const double *y, uint64_t stride, const double *w,
                     const double *log_w, uint32_t k, uint32_t n, uint32_t lanes);
    /* out = sum_j c[j] y[j], c [k][lanes]. */
    void (*weighted)(double *out, const double *y, uint64_t stride, const double *c, uint32_t k, uint32_t n,
                     uint32_t lanes);
    /* out = x + c, and out += c x y. */
    void (*shift)(double *out, const double *x, const double *c, uint32_t n, uint32_t lanes);
    void (*add_product)(double *out, const double *c, const double *x, const double *y, uint32_t n,
                        uint32_t lanes);
    /* out += c p log(scale p), where p is not 0 */
    void (*add_entropy)(double *out, const double *c, const double *p, double scale, uint32_t n,
                        uint32_t lanes);
    /* K of a future over two states: beliefs z [2 rows], `to` [2][2] as [to][from], values [intervals +
     * 1][lanes]. If `surprises` is false, minus_eta is 0 in all lanes. */
    void (*future)(double *k, const double *z, uint64_t stride, const double *to,
                   const asif_future_event *event, uint32_t events, const double *values, uint32_t intervals,
                   const double *discount, bool surprises, const double *minus_eta, uint32_t n,
                   uint32_t lanes);
    /* Recognition: Bayes' rule in each of k futures, averaged with weights sigma over those in which the
     * observation is possible. Writes next [states rows] of one point, and the sum of these weights to total
     * [lanes]. emission[j] is NULL if nothing was seen. */
    void (*recognise)(double *next, uint64_t next_stride, double *total, const double *z, uint64_t stride,
                      uint32_t states, const double *const *to, const double *const *emission,
                      const double *const *sigma, uint32_t k, uint32_t lanes);
    /* The residual g - x and the image g of ASIF_ABREAST lanes replace those before, and their differences
     * from them go to df[0] and dg. `with` gets the products of df[0] with the differences kept, and `right`
     * those of the differences with the residual, each [ASIF_LANES_MEMORY]. Also max |residual|, NaN if a
     * number is not finite, and max |g|. */
    void (*differ)(uint64_t n, const double *x, const double *g, double *residual, double *image,
                   double *const *df, double *dg, double *with, double *right, double *furthest,
                   double *largest);
    /* The combination c of differences that cancels the residual best, from their products gram
     * [MEMORY][MEMORY]; differences for which own [MEMORY] is 0 do not count. */
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
    /* The certainty equivalent CE(b; y, w) of k outcomes, all weights positive, at n <= ASIF_BLOCK points:
     * outcome j of point i is y[j * stride + i]; extra[i] is added unless extra is NULL. Accurate to a few
     * units in the last place of the largest |y|, for every b, including 0 and +-inf. */
    void (*certainty)(double *out, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                      const double *extra, uint32_t n);
    /* The derivative of CE in y: the tilted weights, laid out as y. At b = +-inf outcomes within 1e-10 max(1,
     * |best|) of the best share their weights. */
    void (*tilt)(double *p, double b, const double *y, uint64_t stride, const double *w, uint32_t k,
                 uint32_t n);
    /* The product of rows [first, first + n) of a sliced matrix (see sparse.h) with v: out[i] = scale * row .
     * v + c * extra[i]. n <= ASIF_BLOCK, first is a multiple of ASIF_SLICE, and extra may be NULL. */
    void (*product)(double *out, const uint64_t *slice, const uint32_t *column, const double *value,
                    uint64_t first, uint32_t n, const double *v, double scale, const double *extra, double c);
    /* The logarithms of the tilted weights, from those of the weights; at b = +-inf they are -inf for
     * outcomes that get no weight. p may be y. */
    void (*log_tilt)(double *p, double b, const double *y, uint64_t stride, const double *w,
                     const double *log_w, uint32_t k, uint32_t n);
    /* out[i] = sum_j c[j] y[j * stride + i] */
    void (*weighted)(double *out, const double *y, uint64_t stride, const double *c, uint32_t k, uint64_t n);
    /* Linear interpolation in a table of intervals + 1 values at intervals * scale * x[i] / p[i], which is in
     * [0, intervals]. A point within 1e-11 intervals of a node counts as the node. The result is 0 where p[i]
     * is 0. */
    void (*interpolate)(double *out, const double *table, uint32_t intervals, double scale, const double *x,
                        const double *p, uint64_t n);
    /* Interpolation at the beliefs emission[t] ahead[t][i] / p[i] over two states, with what derivatives
     * need: the interval, which begins at a node, the fraction of it before the point, and the slope along
     * the axis on which the point is at along[i]. `point` NULL: as `interpolate`, with an interval as the
     * unit of the axis. Else the second coordinates of the nodes of a graded lattice, and those of beliefs
     * are the axis. */
    void (*locate)(double *value, double *slope, double *part, double *along, uint32_t *interval,
                   const double *table, uint32_t intervals, const double *point, const double *emission,
                   const double *ahead, uint64_t stride, const double *p, uint64_t n);
    /* Interpolation on the lattice of beliefs over 2 states or more (engine/lattice.h), at the beliefs
     * emission[t] ahead[t][i] / p[i]. Number i takes its values from table[node * lanes + i % lanes]; `lanes`
     * is 1 or a multiple of ASIF_ABREAST, as is n then. The result is 0 where p[i] is 0. */
    void (*interpolate_simplex)(double *out, const double *table, uint32_t lanes, uint32_t states,
                                uint32_t intervals, const double *emission, const double *ahead,
                                uint64_t stride, const double *p, uint64_t n);
    /* As `interpolate_simplex` with one lane, with what derivatives need; where p[i] is 0, any cell. */
    void (*locate_simplex)(const asif_simplex_cells *out, const double *table, uint32_t states,
                           uint32_t intervals, const double *emission, const double *ahead, uint64_t stride,
                           const double *p, uint32_t n);
    /* out[i] += c x[i] y[i] */
    void (*add_product)(double *out, double c, const double *x, const double *y, uint64_t n);
    /* out[i] += c p[i] log(scale p[i]), where p[i] is not 0 */
    void (*add_entropy)(double *out, double c, const double *p, double scale, uint64_t n);
    /* out[i] = x[i] / p[i], or 0 where p[i] is 0; out may be x */
    void (*ratio)(double *out, const double *x, const double *p, uint64_t n);
    /* K of a future over two states: beliefs z [2 rows], `to` [2][2] as [to][from], values [intervals
     * + 1]; `point` as for `locate`. */
    void (*future)(double *k, const double *z, uint64_t stride, const double *to,
                   const asif_future_event *event, uint32_t events, const double *values, uint32_t intervals,
                   const double *point, double discount, double minus_eta, uint64_t n);
    /* Recognition: Bayes' rule in each of k futures, averaged with weights sigma [k rows] over those in which
     * the observation is possible. Writes next [states rows], and the sum of these weights to total.
     * emission[j] is NULL if nothing was seen. At most ASIF_MOST_RECOGNISED states. */
    void (*recognise)(double *next, double *total, const double *z, uint64_t stride, uint32_t states,
                      const double *const *to, const double *const *emission, const double *const *sigma,
                      uint32_t k, uint64_t n);
    double (*dot)(const double *x, const double *y, uint64_t n);
    /* The product over the places where x is positive: elsewhere y may be infinite. */
    double (*dot_positive)(const double *x, const double *y, uint64_t n);
    /* y += c x */
    void (*axpy)(double *y, double c, const double *x, uint64_t n);
    /* The same of numbers in single precision: four bytes instead of eight have to come from memory, where
     * long sums spend their time. */
    void (*axpy_single)(float *y, float c, const float *x, uint64_t n);
    /* out[r * count + k] = x_r . y_k for r < rows and k < count, where x_r is x + r * x_stride and y_k is y +
     * k * y_stride: numbers are read once for several products, and the bits of one do not depend on the
     * others. The relative error is below 1e-6 where all terms have one sign. */
    void (*dots_single)(double *out, const float *x, uint64_t x_stride, uint32_t rows, const float *y,
                        uint64_t y_stride, uint32_t count, uint64_t n);
    /* Densities of a normal distribution at n points, each over another one: out[i] = scale exp(e_i - max e),
     * e_i = plus[i] - |factor (x_i - mean)|^2 / 2, where coordinate j of point i is x[j * stride + i] and
     * factor [d][d] is lower. Where e_i is more than 82 below the largest, it counts as 82. d <= 8. */
    void (*normal_single)(float *out, const float *x, uint64_t stride, uint32_t d, const float *mean,
                          const float *factor, const float *plus, float scale, uint64_t n);
    /* x[i] = c y[i] (x[i] - less), which is also added to sum[i] */
    void (*tilt_single)(float *x, float *sum, const float *y, float c, float less, uint64_t n);
    /* max |x[i] - y[i]| and max |x[i]|; NaN if any number is NaN. */
    void (*compare)(const double *x, const double *y, uint64_t n, double *difference, double *largest);
    const asif_simd_lanes *lanes;
} asif_simd;

/* The kernels of a level; level 0 is the best that this machine has. NULL if the machine or the build lacks
 * the level. */
const asif_simd *asif_simd_choose(uint32_t level);

extern const asif_simd asif_simd_plain, asif_simd_sse2, asif_simd_avx2, asif_simd_avx512;
extern const asif_simd_lanes asif_simd_lanes_plain, asif_simd_lanes_sse2, asif_simd_lanes_avx2,
    asif_simd_lanes_avx512;

#endif
