/* The nearest point of a polyhedron: points known by hand, the conditions of Karush, Kuhn and Tucker that
 * only the answer meets, certificates of contradictions, and memory that runs out. */
#include "check.h"

#include "base/programmes/qp.h"
#include "problems.h"

static asif_context *context;

static int open_context(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int close_context(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

/* From (3, 4) to x + y <= 1: (0, 1); with x >= .5 too: (.5, .5); where it is inside already it stays. */
static void by_hand(void **state) {
    (void)state;
    static const double centre[] = {3, 4}, g[] = {2, 2, -3, 0, 0, 0}, h[] = {2, -1.5, 0},
                        far[] = {20, -1.5, 0};
    double x[2], multiplier[3];
    bool feasible;
    assert_int_equal(asif_qp_nearest(context, 2, centre, 1, g, h, x, multiplier, &feasible, NULL), ASIF_OK);
    assert_true(feasible);
    CHECK_NEAR(x[0], 0, 1e-14);
    CHECK_NEAR(x[1], 1, 1e-14);
    CHECK_NEAR(multiplier[0], 1.5, 1e-14); /* (3, 4) - 1.5 (2, 2) */
    assert_int_equal(asif_qp_nearest(context, 2, centre, 3, g, h, x, multiplier, &feasible, NULL), ASIF_OK);
    assert_true(feasible);
    CHECK_NEAR(x[0], .5, 1e-14);
    CHECK_NEAR(x[1], .5, 1e-14);
    assert_int_equal(asif_qp_nearest(context, 2, centre, 3, g, far, x, NULL, &feasible, NULL), ASIF_OK);
    assert_true(feasible && x[0] == 3 && x[1] == 4);
    assert_int_equal(asif_qp_nearest(context, 2, centre, 0, NULL, NULL, x, NULL, &feasible, NULL), ASIF_OK);
    assert_true(feasible && x[0] == 3 && x[1] == 4);
}

enum { N = 12, M = 80 };

static void random_rows(uint64_t *seed, double *g, double *h, bool contradict) {
    double inside[N];
    for (int i = 0; i < N; i++)
        inside[i] = make_uniform(seed);
    for (int r = 0; r < M; r++) {
        double at = 0;
        for (int i = 0; i < N; i++) {
            /* some repeat others, scaled: degenerate */
            g[r * N + i] = r % 7 == 6 ? 3 * g[(r - 1) * N + i] : make_uniform(seed) - .5;
            at += g[r * N + i] * inside[i];
        }
        h[r] = at + (r % 3 ? .1 * make_uniform(seed) : 0);
    }
    if (contradict) { /* minus the sum of two rows, and less than that allows */
        for (int i = 0; i < N; i++)
            g[(M - 1) * N + i] = -g[3 * N + i] - g[4 * N + i];
        h[M - 1] = -h[3] - h[4] - .01;
    }
}

static void conditions(void **state) {
    (void)state;
    static double g[M * N], h[M];
    double centre[N], x[N], multiplier[M];
    uint64_t seed = 9;
    for (int again = 0; again < 60; again++) {
        bool contradict = again % 4 == 3, feasible;
        random_rows(&seed, g, h, contradict);
        for (int i = 0; i < N; i++)
            centre[i] = (again % 2 ? 100 : 1) * (make_uniform(&seed) - .5);
        assert_int_equal(asif_qp_nearest(context, N, centre, M, g, h, x, multiplier, &feasible, NULL),
                         ASIF_OK);
        assert_int_equal(feasible, !contradict);
        double dual = 0, half = 0, sum[N] = {0}, certificate = 0, size = 0;
        for (int r = 0; r < M; r++) {
            double at = 0;
            assert_true(multiplier[r] >= -1e-12);
            for (int i = 0; i < N; i++) {
                at += g[r * N + i] * x[i];
                sum[i] += multiplier[r] * g[r * N + i];
            }
            certificate += multiplier[r] * h[r];
            size += multiplier[r];
            if (feasible)
                CHECK(at <= h[r] + 1e-8, "row %d is missed by %g", r, at - h[r]);
        }
        for (int i = 0; i < N; i++) {
            if (feasible)
                CHECK_NEAR(x[i], centre[i] - sum[i], 1e-10);
            else
                CHECK_NEAR(sum[i] / size, 0, 1e-8);
            half += .5 * (x[i] - centre[i]) * (x[i] - centre[i]);
            dual += sum[i] * centre[i] - .5 * sum[i] * sum[i];
        }
        if (feasible)
            CHECK_NEAR(dual - certificate, half, 1e-8); /* no gap */
        else
            assert_true(certificate < -1e-4 * size);
    }
}

/* x <= 0 and x - slope y >= slope/2: (0, -.5) is nearest, however much it looks like a contradiction where
 * the slope is small. There it may not be found, but it is never said that there is none. */
static void nearly_parallel(void **state) {
    (void)state;
    static const double slope[] = {1e-1, 1e-3, 1e-6, 1e-9}, centre[] = {0, 0};
    for (int i = 0; i < 4; i++) {
        double g[] = {1, 0, -1, slope[i]}, h[] = {0, -slope[i] / 2}, x[2];
        bool feasible = false;
        asif_status status = asif_qp_nearest(context, 2, centre, 2, g, h, x, NULL, &feasible, NULL);
        assert_int_equal(status, i < 2 ? ASIF_OK : ASIF_EDOMAIN);
        if (status != ASIF_OK)
            continue;
        assert_true(feasible);
        CHECK_NEAR(x[0], 0, 1e-9);
        CHECK_NEAR(x[1], -.5, 1e-7);
    }
}

static void memory(void **state) {
    (void)state;
    static const double centre[] = {3, 4}, g[] = {2, 2, -3, 0}, h[] = {2, -1.5};
    bool done = false;
    for (long left = 0; !done; left++) {
        failing_memory failing = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &failing;
        asif_context *poor;
        double x[2];
        bool feasible;
        assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
        failing.left = left;
        asif_status status = asif_qp_nearest(poor, 2, centre, 2, g, h, x, NULL, &feasible, NULL);
        assert_true(status == ASIF_OK || status == ASIF_ENOMEM);
        done = status == ASIF_OK;
        failing.left = -1;
        asif_context_free(poor);
        assert_int_equal(failing.alive, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(conditions),
        cmocka_unit_test(nearly_parallel),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
