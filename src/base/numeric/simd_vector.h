/* Vectors of doubles, and of numbers in single precision, as wide as ASIF_SIMD_LEVEL says: 1 plain C, 2 SSE2,
 * 3 AVX2, 4 AVX-512. Only kernels include this file; they are compiled once for each level. Vector exp and
 * log are glibc's libmvec, called by the names of the x86-64 vector ABI, which gcc and clang both link. */
#ifndef ASIF_SRC_BASE_NUMERIC_SIMD_VECTOR_H
#define ASIF_SRC_BASE_NUMERIC_SIMD_VECTOR_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if ASIF_SIMD_LEVEL == 4
#include <immintrin.h>
#define LANES 8
typedef __m512d vector;
typedef __mmask8 choice;
vector _ZGVeN8v_exp(vector x);
vector _ZGVeN8v_log(vector x);
#define vector_exp _ZGVeN8v_exp
#define vector_log _ZGVeN8v_log
#define load _mm512_loadu_pd
#define store _mm512_storeu_pd
#define all(x) _mm512_set1_pd(x)
#define add _mm512_add_pd
#define sub _mm512_sub_pd
#define mul _mm512_mul_pd
#define over _mm512_div_pd
#define root _mm512_sqrt_pd
#define fused _mm512_fmadd_pd
#define times_power(x, n, whole) _mm512_scalef_pd(x, n)
#define most _mm512_max_pd
#define least _mm512_min_pd
#define greater(x, y) _mm512_cmp_pd_mask(x, y, _CMP_GT_OQ)
#define some(c) ((c) != 0)
#define every(c) ((c) == 0xff)
#define choose(c, yes, no) _mm512_mask_blend_pd(c, no, yes)
#define pick(t, i) _mm512_set_pd(t[i[7]], t[i[6]], t[i[5]], t[i[4]], t[i[3]], t[i[2]], t[i[1]], t[i[0]])
#define NAME "avx512"
#define TABLE asif_simd_avx512
#define LANES_TABLE asif_simd_lanes_avx512
#define SINGLES 16
typedef __m512 singles;
#define load_singles _mm512_loadu_ps
#define store_singles _mm512_storeu_ps
#define all_singles(x) _mm512_set1_ps(x)
#define add_singles _mm512_add_ps
#define mul_singles _mm512_mul_ps
#define sub_singles _mm512_sub_ps
#define most_singles _mm512_max_ps
singles _ZGVeN16v_expf(singles x);
#define singles_exp _ZGVeN16v_expf
#elif ASIF_SIMD_LEVEL == 3
#include <immintrin.h>
#define LANES 4
typedef __m256d vector;
typedef __m256d choice;
vector _ZGVdN4v_exp(vector x);
vector _ZGVdN4v_log(vector x);
#define vector_exp _ZGVdN4v_exp
#define vector_log _ZGVdN4v_log
#define load _mm256_loadu_pd
#define store _mm256_storeu_pd
#define all(x) _mm256_set1_pd(x)
#define add _mm256_add_pd
#define sub _mm256_sub_pd
#define mul _mm256_mul_pd
#define over _mm256_div_pd
#define root _mm256_sqrt_pd
#define fused _mm256_fmadd_pd
#define times_power(x, n, whole)                                                                             \
    _mm256_castsi256_pd(                                                                                     \
        _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_slli_epi64(_mm256_castpd_si256(whole), 52)))
#define most _mm256_max_pd
#define least _mm256_min_pd
#define greater(x, y) _mm256_cmp_pd(x, y, _CMP_GT_OQ)
#define some(c) (_mm256_movemask_pd(c) != 0)
#define every(c) (_mm256_movemask_pd(c) == 0xf)
#define choose(c, yes, no) _mm256_blendv_pd(no, yes, c)
#define pick(t, i) _mm256_set_pd(t[i[3]], t[i[2]], t[i[1]], t[i[0]])
#define NAME "avx2"
#define TABLE asif_simd_avx2
#define LANES_TABLE asif_simd_lanes_avx2
#define SINGLES 8
typedef __m256 singles;
#define load_singles _mm256_loadu_ps
#define store_singles _mm256_storeu_ps
#define all_singles(x) _mm256_set1_ps(x)
#define add_singles _mm256_add_ps
#define mul_singles _mm256_mul_ps
#define sub_singles _mm256_sub_ps
#define most_singles _mm256_max_ps
singles _ZGVdN8v_expf(singles x);
#define singles_exp _ZGVdN8v_expf
#elif ASIF_SIMD_LEVEL == 2
#include <emmintrin.h>
#define LANES 2
typedef __m128d vector;
typedef __m128d choice;
vector _ZGVbN2v_exp(vector x);
vector _ZGVbN2v_log(vector x);
#define vector_exp _ZGVbN2v_exp
#define vector_log _ZGVbN2v_log
#define load _mm_loadu_pd
#define store _mm_storeu_pd
#define all(x) _mm_set1_pd(x)
#define add _mm_add_pd
#define sub _mm_sub_pd
#define mul _mm_mul_pd
#define over _mm_div_pd
#define root _mm_sqrt_pd
#define fused(x, y, z) _mm_add_pd(_mm_mul_pd(x, y), z)
#define times_power(x, n, whole)                                                                             \
    _mm_castsi128_pd(_mm_add_epi64(_mm_castpd_si128(x), _mm_slli_epi64(_mm_castpd_si128(whole), 52)))
#define most _mm_max_pd
#define least _mm_min_pd
#define greater(x, y) _mm_cmpgt_pd(x, y)
#define some(c) (_mm_movemask_pd(c) != 0)
#define every(c) (_mm_movemask_pd(c) == 3)
#define choose(c, yes, no) _mm_or_pd(_mm_and_pd(c, yes), _mm_andnot_pd(c, no))
#define pick(t, i) _mm_set_pd(t[i[1]], t[i[0]])
#define NAME "sse2"
#define TABLE asif_simd_sse2
#define LANES_TABLE asif_simd_lanes_sse2
#define SINGLES 4
typedef __m128 singles;
#define load_singles _mm_loadu_ps
#define store_singles _mm_storeu_ps
#define all_singles(x) _mm_set1_ps(x)
#define add_singles _mm_add_ps
#define mul_singles _mm_mul_ps
#define sub_singles _mm_sub_ps
#define most_singles _mm_max_ps
singles _ZGVbN4v_expf(singles x);
#define singles_exp _ZGVbN4v_expf
#else
#define LANES 1
typedef double vector;
typedef bool choice;
#define vector_exp exp
#define vector_log log
#define load(p) (*(p))
#define store(p, x) (*(p) = (x))
#define all(x) (x)
#define add(x, y) ((x) + (y))
#define sub(x, y) ((x) - (y))
#define mul(x, y) ((x) * (y))
#define over(x, y) ((x) / (y))
#define root sqrt
#define most(x, y) ((x) > (y) ? (x) : (y))
#define least(x, y) ((x) < (y) ? (x) : (y))
#define greater(x, y) ((x) > (y))
#define some(c) (c)
#define every(c) (c)
#define choose(c, yes, no) ((c) ? (yes) : (no))
#define pick(t, i) t[i[0]]
#define NAME "plain"
#define TABLE asif_simd_plain
#define LANES_TABLE asif_simd_lanes_plain
#define SINGLES 1
typedef float singles;
#define load_singles(p) (*(p))
#define store_singles(p, x) (*(p) = (x))
#define all_singles(x) (x)
#define add_singles(x, y) ((x) + (y))
#define mul_singles(x, y) ((x) * (y))
#define sub_singles(x, y) ((x) - (y))
#define most_singles(x, y) ((x) > (y) ? (x) : (y))
#define singles_exp expf
#endif

/* The last, incomplete vector is filled up with 1 and goes through the same functions as the others, so that
 * a value does not depend on its place. */
static inline vector load_some(const double *p, uint32_t n) {
    if (n >= LANES)
        return load(p);
    double part[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        part[i] = i < n ? p[i] : 1;
    return load(part);
}

static inline void store_some(double *p, vector x, uint32_t n) {
    if (n >= LANES) {
        store(p, x);
        return;
    }
    double part[LANES];
    store(part, x);
    for (uint32_t i = 0; i < n; i++)
        p[i] = part[i];
}

/* Below this exponent libmvec leaves the vector path for the scalar one; such terms are negligible compared
 * with 1. */
#define LEAST_EXPONENT (-700.0)

/* phi(x) = (exp(x) - 1) / x for |x| <= NEAR, to the last place. If b times the spread of the outcomes is
 * larger, or b times their size is above 1/4, the plain formula is as accurate. */
#define NEAR 0.0625
static inline vector phi(vector x) {
    static const double c[] = {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                               1.0 / 24,     1.0 / 6,     1.0 / 2,    1};
    vector s = all(c[0]);
    for (int i = 1; i < 9; i++)
        s = add(mul(s, x), all(c[i]));
    return s;
}

/* The interval, and the fraction of it, of the points end * scale * x / p. `there` is where p is above 0. */
static inline vector interval_at(double end, double scale, vector x, vector p, choice there, uint32_t *node) {
    vector at = over(mul(all(end * scale), x), choose(there, p, all(1.0)));
    at = least(most(at, all(0.0)), all(end));
    /* adding and subtracting 2^52 rounds to the nearest whole number */
    vector whole = sub(add(at, all(0x1p52)), all(0x1p52)), off = sub(at, whole);
    choice apart = greater(most(off, sub(all(0.0), off)), all(1e-11 * end));
    at = choose(apart, at, whole);
    vector base = choose(greater(whole, at), sub(whole, all(1.0)), whole);
    base = least(base, all(end - 1)); /* the last node is the end of the last interval */
    vector part = sub(at, base);
    double whole_part[LANES];
    store(whole_part, base);
    for (uint32_t j = 0; j < LANES; j++)
        node[j] = (uint32_t)(int32_t)whole_part[j];
    return part;
}

#endif
