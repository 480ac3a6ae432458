/* The certainty equivalent and its derivative against long double arithmetic, at every vector level. */
#include "check.h"

#include "base/numeric/ce.h"
#include "problems.h"

#include <float.h>
#include <string.h>

static long double exact(long double b, const double *y, const double *w, uint32_t n) {
    long double mean = 0, top = -INFINITY, low = INFINITY, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (w[i] == 0)
            continue;
        mean += (long double)w[i] * y[i];
        top = fmaxl(top, y[i]);
        low = fminl(low, y[i]);
    }
    if (isinf(b))
        return b > 0 ? top : low;
    if (b == 0)
        return mean;
    if (fabsl(b) * (top - low) < 1) {
        for (uint32_t i = 0; i < n; i++)
            sum += w[i] * expm1l(b * (y[i] - mean));
        return mean + log1pl(sum) / b;
    }
    long double best = b > 0 ? top : low;
    for (uint32_t i = 0; i < n; i++)
        if (w[i] > 0)
            sum += w[i] * expl(b * (y[i] - best));
    return best + logl(sum) / b;
}

static const double temperatures[] = {0,    1e-320, 1e-200, 1e-30, 1e-16, 1e-12, 1e-9,
                                      1e-6, 1e-4,   1e-3,   1e-2,  .0207, .021,  .05,
                                      .1,   .3,     1,      3,     10,    100,   INFINITY};

static void agrees_with_long_double(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t level = 1; level <= 4; level++) {
        const asif_simd *simd = asif_simd_choose(level);
        for (int trial = 0; simd && trial < 400; trial++)
            for (size_t t = 0; t < sizeof temperatures / sizeof *temperatures; t++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    double y[7], w[7], b = sign * temperatures[t], top = -INFINITY, low = INFINITY;
                    uint32_t n = 1 + (uint32_t)(make_uniform(&seed) * 7);
                    double offset = trial % 3 ? 1000 * (make_uniform(&seed) - .5) : 0,
                           spread = trial % 2 ? 3 : 300;
                    make_row(w, n, &seed);
                    if (n > 2 && trial % 5 == 0) {
                        w[1] += w[0];
                        w[0] = 0;
                    }
                    for (uint32_t i = 0; i < n; i++) {
                        y[i] = offset + spread * (make_uniform(&seed) - .5);
                        if (w[i] > 0) {
                            top = fmax(top, y[i]);
                            low = fmin(low, y[i]);
                        }
                    }
                    double got = asif_ce(simd, b, y, w, n), want = (double)exact(b, y, w, n);
                    double room =
                        8 * DBL_EPSILON * fmax(fabs(top), fabs(low)) + 32 * DBL_EPSILON * (top - low);
                    CHECK(fabs(got - want) <= room, "%s: b = %g, n = %u: %.17g, not %.17g (%g allowed)",
                          simd->name, b, n, got, want, room);
                }
    }
}

/* Through b = 0 the function is analytic: slope Var/2, and no step. */
static void smooth_through_zero(void **state) {
    (void)state;
    const asif_simd *simd = asif_simd_choose(0);
    const double y[] = {-36, -1, 10}, w[] = {.2, .5, .3};
    double mean = 0, variance = 0, h = 1e-7;
    for (int i = 0; i < 3; i++)
        mean += w[i] * y[i];
    for (int i = 0; i < 3; i++)
        variance += w[i] * (y[i] - mean) * (y[i] - mean);
    CHECK_NEAR(asif_ce(simd, 0, y, w, 3), mean, 1e-15);
    CHECK_NEAR((asif_ce(simd, h, y, w, 3) - asif_ce(simd, -h, y, w, 3)) / (2 * h), variance / 2, 1e-6);
    /* the border between the two formulas */
    double before = asif_ce(simd, .0625 / 46 * (1 - 1e-14), y, w, 3),
           after = asif_ce(simd, .0625 / 46 * (1 + 1e-14), y, w, 3);
    CHECK(fabs(after - before) <= 64 * DBL_EPSILON * 46, "a step of %g", after - before);
}

static void tilt_is_the_derivative(void **state) {
    (void)state;
    const asif_simd *simd = asif_simd_choose(0);
    const double w[] = {.2, .5, 0, .3};
    for (size_t t = 0; t < sizeof temperatures / sizeof *temperatures - 3; t++) {
        double y[] = {-3, 1, 50, 2.5}, p[4], lp[4], sum = 0, b = -temperatures[t], h = 1e-5;
        asif_ce_tilt(b, y, w, 4, p, lp);
        for (int i = 0; i < 4; i++) {
            double kept = y[i];
            y[i] = kept + h;
            double up = asif_ce(simd, b, y, w, 4);
            y[i] = kept - h;
            double down = asif_ce(simd, b, y, w, 4);
            y[i] = kept;
            CHECK_NEAR(p[i], (up - down) / (2 * h), 1e-8);
            CHECK_NEAR(exp(lp[i]), p[i], 1e-15);
            sum += p[i];
        }
        CHECK_NEAR(sum, 1, 1e-14);
        assert_true(p[2] == 0 && lp[2] == -INFINITY);
    }
}

static void ties_share_their_weight(void **state) {
    (void)state;
    const double w[] = {.2, .2, .6}, y[] = {5, 5 + 4e-10, -1};
    double p[3], q[3 * ASIF_BLOCK], out[3 * ASIF_BLOCK];
    asif_ce_tilt(INFINITY, y, w, 3, p, NULL);
    CHECK_NEAR(p[0], .5, 1e-15);
    CHECK_NEAR(p[1], .5, 1e-15);
    assert_true(p[2] == 0);
    asif_ce_tilt(-INFINITY, y, w, 3, p, NULL);
    CHECK_NEAR(p[2], 1, 1e-15);
    for (uint32_t level = 1; level <= 4; level++) {
        const asif_simd *simd = asif_simd_choose(level);
        if (!simd)
            continue;
        for (int j = 0; j < 3; j++)
            q[j * ASIF_BLOCK] = y[j];
        simd->tilt(out, INFINITY, q, ASIF_BLOCK, w, 3, 1);
        CHECK_NEAR(out[0], .5, 1e-15);
        assert_true(out[2 * ASIF_BLOCK] == 0);
    }
}

/* What a point gets must not depend on the points beside it. */
static void no_neighbours(void **state) {
    (void)state;
    uint64_t seed = 5;
    double y[4 * ASIF_BLOCK], w[4], all[ASIF_BLOCK], one;
    make_row(w, 4, &seed);
    for (uint32_t level = 1; level <= 4; level++) {
        const asif_simd *simd = asif_simd_choose(level);
        for (int trial = 0; simd && trial < 50; trial++) {
            double b = trial % 2 ? .3 : -.02;
            for (int i = 0; i < 4 * ASIF_BLOCK; i++)
                y[i] = (i % 3 ? 100 : .01) * make_uniform(&seed);
            uint32_t n = 1 + (uint32_t)(make_uniform(&seed) * ASIF_BLOCK);
            simd->certainty(all, b, y, ASIF_BLOCK, w, 4, NULL, n);
            for (uint32_t i = 0; i < n; i++) {
                simd->certainty(&one, b, y + i, ASIF_BLOCK, w, 4, NULL, 1);
                assert_memory_equal(&one, &all[i], sizeof one);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_long_double), cmocka_unit_test(smooth_through_zero),
        cmocka_unit_test(tilt_is_the_derivative),  cmocka_unit_test(ties_share_their_weight),
        cmocka_unit_test(no_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
