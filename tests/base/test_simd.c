/* The inner loops at every vector level against plain arithmetic, and against each other. */
#include "check.h"

#include "base/linear/sparse.h"
#include "base/memory.h"
#include "problems.h"

#include <float.h>
#include <string.h>

static void exp_and_log(void **state) {
    (void)state;
    for (uint32_t level = 1; level <= 4; level++) {
        const asif_simd *simd = asif_simd_choose(level);
        double x[301], y[301];
        for (int i = 0; simd && i < 301; i++)
            x[i] = -690 + 4.59 * i;
        if (!simd)
            continue;
        simd->exp(y, x, 301);
        for (int i = 0; i < 301; i++)
            CHECK(fabs(y[i] / exp(x[i]) - 1) < 4 * DBL_EPSILON, "%s: exp(%g)", simd->name, x[i]);
        simd->log(x, y, 301);
        for (int i = 0; i < 301; i++)
            CHECK(fabs(x[i] - log(y[i])) <= 4 * DBL_EPSILON * fabs(x[i]) + 4 * DBL_EPSILON, "%s: log(%g)",
                  simd->name, y[i]);
    }
}

/* Sums run in a fixed order, so all levels give the same bits. */
static void sums_agree_to_the_bit(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    uint64_t seed = 3;
    enum { ROWS = 250, COLUMNS = 90 };
    double v[COLUMNS], dense[ROWS][COLUMNS] = {{0}}, first[ROWS], add[ROWS], out[ASIF_BLOCK],
                       scattered[COLUMNS] = {0};
    asif_sparse_builder builder;
    asif_sparse matrix;
    asif_sparse_begin(&builder, context);
    for (int i = 0; i < COLUMNS; i++)
        v[i] = make_uniform(&seed) - .5;
    for (int r = 0; r < ROWS; r++) {
        int entries = (int)(make_uniform(&seed) * 12);
        for (int e = 0; e < entries; e++) {
            uint32_t column = (uint32_t)(make_uniform(&seed) * COLUMNS);
            double value = make_uniform(&seed);
            dense[r][column] += value;
            assert_true(asif_sparse_add(&builder, column, value));
        }
        assert_true(asif_sparse_end_row(&builder));
        add[r] = make_uniform(&seed);
    }
    assert_true(asif_sparse_finish(&builder, &matrix));
    for (uint32_t level = 1; level <= 4; level++) {
        const asif_simd *simd = asif_simd_choose(level);
        for (uint32_t r = 0; simd && r < ROWS; r += ASIF_BLOCK) {
            uint32_t n = ROWS - r < ASIF_BLOCK ? ROWS - r : ASIF_BLOCK;
            simd->product(out, matrix.slice, matrix.column, matrix.value, r, n, v, .95, add + r, 2);
            for (uint32_t i = 0; i < n; i++) {
                double want = 0;
                for (int c = 0; c < COLUMNS; c++)
                    want += dense[r + i][c] * v[c];
                CHECK_NEAR(out[i], .95 * want + 2 * add[r + i], 1e-14);
                if (level == 1)
                    first[r + i] = out[i];
                else
                    assert_memory_equal(&first[r + i], &out[i], sizeof *out);
            }
        }
        if (simd) {
            double d = asif_simd_choose(1)->dot(first, add, ROWS), e = simd->dot(first, add, ROWS),
                   difference, largest;
            assert_memory_equal(&d, &e, sizeof d);
            double plain = 0, far = 0, large = 0;
            for (int i = 0; i < ROWS; i++) {
                plain += first[i] * add[i];
                far = fmax(far, fabs(first[i] - add[i]));
                large = fmax(large, fabs(first[i]));
            }
            CHECK_NEAR(e, plain, 1e-13);
            simd->compare(first, add, ROWS, &difference, &largest);
            assert_true(difference == far && largest == large);
            double kept = add[7];
            add[7] = NAN;
            simd->compare(first, add, ROWS, &difference, &largest);
            assert_true(isnan(difference));
            add[7] = kept;
        }
    }
    asif_sparse_scatter(&matrix, add, scattered);
    for (int c = 0; c < COLUMNS; c++) {
        double want = 0;
        for (int r = 0; r < ROWS; r++)
            want += dense[r][c] * add[r];
        CHECK_NEAR(scattered[c], want, 1e-13);
    }
    asif_sparse_free(context, &matrix);
    asif_context_free(context);
}

/* The small pieces of a lookahead, at every length, against the same in plain C. */
static void pieces(void **state) {
    (void)state;
    enum { N = 45, K = 3, TABLE = 11 };
    uint64_t seed = 31;
    double y[K * N], c[K], p[N], x[N], w[N], table[TABLE], out[N], before[N];
    for (uint32_t level = 1; level <= 4; level++) {
        const asif_simd *simd = asif_simd_choose(level);
        for (uint32_t n = 1; simd && n <= N; n++) {
            make_row(c, K, &seed);
            for (int i = 0; i < TABLE; i++)
                table[i] = 10 * make_uniform(&seed);
            for (uint32_t i = 0; i < N; i++) {
                p[i] = i % 7 == 3 ? 0 : make_uniform(&seed);
                x[i] = p[i] * (i % 5 == 0 ? (double)(i % TABLE) / (TABLE - 1) : make_uniform(&seed));
                w[i] = make_uniform(&seed);
                before[i] = make_uniform(&seed);
            }
            for (int i = 0; i < K * N; i++)
                y[i] = make_uniform(&seed);
            simd->weighted(out, y, N, c, K, n);
            for (uint32_t i = 0; i < n; i++)
                CHECK_NEAR(out[i], c[0] * y[i] + c[1] * y[N + i] + c[2] * y[2 * N + i], 1e-15);
            simd->interpolate(out, table, TABLE - 1, 1, x, p, n);
            for (uint32_t i = 0; i < n; i++) {
                double at = p[i] > 0 ? (TABLE - 1) * x[i] / p[i] : 0, base = fmin(floor(at), TABLE - 2),
                       f = at - base;
                double want = p[i] > 0 ? table[(int)base] * (1 - f) + table[(int)base + 1] * f : 0;
                CHECK_NEAR(out[i], want, 1e-9); /* within 1e-11 of a node it is that node */
            }
            memcpy(out, before, sizeof out);
            simd->add_product(out, 3, x, w, n);
            for (uint32_t i = 0; i < N; i++)
                CHECK_NEAR(out[i], before[i] + (i < n ? 3 * x[i] * w[i] : 0), 1e-15);
            memcpy(out, before, sizeof out);
            simd->add_entropy(out, -2, p, 4, n);
            for (uint32_t i = 0; i < N; i++)
                CHECK_NEAR(out[i], before[i] - (i < n && p[i] > 0 ? 2 * p[i] * log(4 * p[i]) : 0), 1e-14);
            double want = 0;
            for (uint32_t i = 0; i < N; i++) {
                out[i] = p[i] > 0 ? -w[i] : -INFINITY;
                want += i < n && p[i] > 0 ? -p[i] * w[i] : 0;
            }
            CHECK_NEAR(simd->dot_positive(p, out, n), want, 1e-14);
            memcpy(out, before, sizeof out);
            simd->ratio(out, x, p, n);
            for (uint32_t i = 0; i < N; i++)
                CHECK_NEAR(out[i], i >= n ? before[i] : p[i] > 0 ? x[i] / p[i] : 0, 1e-15);
        }
    }
}

/* Sums in single precision, at many lengths: the same bits at all levels and for any number of rows at once,
 * near the sum in double precision. */
static void singles(void **state) {
    (void)state;
    enum { N = 5000, ROWS = 9 };
    static float x[N], y[ROWS * N], z[N], first[N];
    static const uint32_t lengths[] = {1, 5, 15, 16, 17, 100, 1023, 1024, 1025, 2047, 4999, 5000};
    uint64_t seed = 11;
    for (int i = 0; i < N; i++)
        x[i] = (float)make_uniform(&seed);
    for (int i = 0; i < ROWS * N; i++)
        y[i] = (float)(make_uniform(&seed) * (i % 7 ? 1 : 1e5));
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (uint32_t level = 1; level <= 4; level++) {
            const asif_simd *simd = asif_simd_choose(level), *plain = asif_simd_choose(1);
            uint32_t n = lengths[l];
            double out[ROWS];
            for (uint32_t count = 1; simd && count <= ROWS; count++) {
                simd->dots_single(out, x, 0, 1, y, N, count, n);
                for (uint32_t k = 0; k < count; k++) {
                    double want = 0, one, other;
                    simd->dots_single(&one, x, 0, 1, y + k * N, N, 1, n);
                    plain->dots_single(&other, x, 0, 1, y + k * N, N, 1, n);
                    for (uint32_t i = 0; i < n; i++)
                        want += (double)x[i] * (double)y[k * N + i];
                    CHECK(fabs(out[k] / want - 1) < 1e-6, "%s: %.9g is not %.9g", simd->name, out[k], want);
                    assert_memory_equal(&one, &out[k], sizeof one);
                    assert_memory_equal(&other, &out[k], sizeof other);
                }
            }
            if (!simd)
                continue;
            for (uint32_t rows = 1; rows <= ROWS; rows++) { /* any number of rows on the other side, too */
                double many[ROWS * ROWS];
                uint32_t count = ROWS + 1 - rows + rows % 2;
                simd->dots_single(many, y, N, rows, x, 0, 1, n);
                for (uint32_t r = 0; r < rows; r++) {
                    simd->dots_single(out, x, 0, 1, y + r * N, N, 1, n);
                    assert_memory_equal(out, &many[r], sizeof *out);
                }
                count = count > ROWS ? ROWS : count;
                simd->dots_single(many, y, N, rows, y, N, count, n);
                for (uint32_t r = 0; r < rows; r++) {
                    simd->dots_single(out, y + r * N, 0, 1, y, N, count, n);
                    assert_memory_equal(out, &many[r * count], count * sizeof *out);
                }
            }
            memcpy(z, y, sizeof z);
            simd->axpy_single(z, .3F, x, n);
            for (uint32_t i = 0; i < N; i++)
                CHECK_NEAR((double)z[i], (double)y[i] + (i < n ? (double).3F * (double)x[i] : 0),
                           1e-7 * (double)y[i] + 1e-7);
            if (level == 1)
                memcpy(first, z, sizeof z);
            assert_memory_equal(first, z, sizeof z);
        }
}

/* Densities in single precision, against sums in double precision; a length that is no multiple of a
 * vector's, and points that are far away. */
static void normal_singles(void **state) {
    (void)state;
    enum { N = 1037, D = 3 };
    static float x[D * N], plus[N], out[N], sum[N];
    static const float mean[D] = {.5F, -1, 2}, factor[D * D] = {2, 0, 0, -.5F, 3, 0, .25F, 1, .7F};
    static double want[N];
    uint64_t seed = 5;
    for (uint32_t d = 1; d <= D; d += 2)
        for (uint32_t n = 3; n <= N; n += 1034) {
            double top = -INFINITY, lower[D * D] = {0};
            for (uint32_t i = 0; i < d * d; i++)
                lower[i] = d == 1 ? 2 : (double)factor[i];
            for (uint32_t i = 0; i < D * N; i++)
                x[i] = (float)(8 * make_uniform(&seed) - 4);
            for (uint32_t i = 0; i < n; i++) {
                plus[i] = (float)(5 * make_uniform(&seed));
                want[i] = (double)plus[i];
                for (uint32_t j = 0; j < d; j++) {
                    double z = 0;
                    for (uint32_t k = 0; k <= j; k++)
                        z += lower[j * d + k] * ((double)x[k * N + i] - (double)mean[k]);
                    want[i] -= z * z / 2;
                }
                top = fmax(top, want[i]);
            }
            for (uint32_t level = 1; level <= 4; level++) {
                const asif_simd *simd = asif_simd_choose(level);
                float narrow[D * D];
                for (uint32_t i = 0; i < d * d; i++)
                    narrow[i] = (float)lower[i];
                if (!simd)
                    continue;
                memset(out, 0, sizeof out);
                simd->normal_single(out, x, N, d, mean, narrow, plus, 1024, n);
                for (uint32_t i = 0; i < N; i++)
                    CHECK_NEAR((double)out[i], i < n ? 1024 * exp(fmax(want[i] - top, -82)) : 0, 2e-3);
                for (uint32_t i = 0; i < n; i++)
                    CHECK(fabs((double)out[i] / 1024 / exp(fmax(want[i] - top, -82)) - 1) < 1e-4,
                          "%s: %g is not %g", simd->name, (double)out[i], 1024 * exp(want[i] - top));
                memset(sum, 0, sizeof sum);
                simd->tilt_single(out, sum, plus, .5F, 3, n);
                simd->tilt_single(out, sum, plus, 2, 0, n);
                for (uint32_t i = 0; i < n; i++) {
                    double first = .5 * (double)plus[i] * (1024 * exp(fmax(want[i] - top, -82)) - 3);
                    CHECK_NEAR((double)sum[i], first + 2 * (double)plus[i] * first,
                               1e-4 * (5 + fabs(first)) * 11);
                }
            }
        }
}

static void levels(void **state) {
    (void)state;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    options.vector_level = 9;
    assert_int_equal(asif_context_create(&context, &options, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "vector level 9"));
    options.vector_level = 1;
    assert_int_equal(asif_context_create(&context, &options, &error), ASIF_OK);
    assert_string_equal(asif_context_vector(context), "plain");
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log), cmocka_unit_test(sums_agree_to_the_bit), cmocka_unit_test(pieces),
        cmocka_unit_test(singles),     cmocka_unit_test(normal_singles),        cmocka_unit_test(levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
