/* Linear programmes: answers known by hand, the duality that any answer must satisfy, outcomes, and memory that runs out. */
#include "check.h"

#include "base/lp.h"
#include "problems.h"

#include <string.h>

#define NONE (double)INFINITY

/* max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6), prices 0, 1.5, 1 (Wyndor, in every textbook). */
static void write_wyndor(asif_lp *lp) {
    uint32_t x = asif_lp_column(lp, -3, 0, NONE), y = asif_lp_column(lp, -5, 0, NONE);
    uint32_t r[] = {asif_lp_row(lp, -NONE, 4), asif_lp_row(lp, -NONE, 12), asif_lp_row(lp, -NONE, 18)};
    asif_lp_entry(lp, r[2], y, 1);
    asif_lp_entry(lp, r[0], x, 1);
    asif_lp_entry(lp, r[1], y, 2);
    asif_lp_entry(lp, r[2], x, 3);
    asif_lp_entry(lp, r[2], y, 1); /* in the same place as the first */
}

static void wyndor(void **state) {
    (void)state;
    asif_lp lp;
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_lp_begin(&lp, context);
    write_wyndor(&lp);
    if (!asif_lp_available()) {
        assert_int_equal(asif_lp_solve(&lp, &error), ASIF_EUNSUPPORTED);
        assert_non_null(strstr(error.message, "without Clp"));
        assert_non_null(strstr(error.hint, "coinor-libclp-dev"));
    } else {
        assert_int_equal(asif_lp_solve(&lp, &error), ASIF_OK);
        assert_int_equal(lp.outcome, ASIF_LP_OPTIMAL);
        CHECK_NEAR(lp.objective, -36, 1e-12);
        CHECK_NEAR(lp.x[0], 2, 1e-12);
        CHECK_NEAR(lp.x[1], 6, 1e-12);
        CHECK_NEAR(lp.dual[0], 0, 1e-12);
        CHECK_NEAR(lp.dual[1], -1.5, 1e-12);
        CHECK_NEAR(lp.dual[2], -1, 1e-12);
        /* a row more cuts it off: x + y <= 7 leaves (1, 6) */
        uint32_t row = asif_lp_row(&lp, -NONE, 7);
        asif_lp_entry(&lp, row, 0, 1);
        asif_lp_entry(&lp, row, 1, 1);
        assert_int_equal(asif_lp_solve(&lp, &error), ASIF_OK);
        CHECK_NEAR(lp.objective, -33, 1e-12);
    }
    asif_lp_free(&lp);
    asif_context_free(context);
}

static void outcomes(void **state) {
    (void)state;
    asif_context *context;
    if (!asif_lp_available())
        skip();
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (int feasible = 0; feasible < 2; feasible++) {
        asif_lp lp;
        asif_lp_begin(&lp, context);
        uint32_t x = asif_lp_column(&lp, -1, feasible ? -NONE : 0, NONE);
        uint32_t y = asif_lp_column(&lp, 0, 0, 1);
        uint32_t row = asif_lp_row(&lp, -NONE, feasible ? 1 : -1); /* y - x <= 1; x + y <= -1 */
        asif_lp_entry(&lp, row, x, feasible ? -1 : 1);
        asif_lp_entry(&lp, row, y, 1);
        assert_int_equal(asif_lp_solve(&lp, NULL), ASIF_OK);
        assert_int_equal(lp.outcome, feasible ? ASIF_LP_UNBOUNDED : ASIF_LP_INFEASIBLE);
        assert_true(isnan(lp.objective));
        asif_lp_free(&lp);
    }
    asif_context_free(context);
}

/* Random programmes that have an answer: primal and dual feasible, and without a gap between them. */
static void duality(void **state) {
    (void)state;
    enum { N = 20, M = 30 };
    asif_context *context;
    uint64_t seed = 5;
    if (!asif_lp_available())
        skip();
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (int again = 0; again < 20; again++) {
        double a[M][N], inside[N], low[M], high[M], dual_value = 0;
        asif_lp lp;
        asif_lp_begin(&lp, context);
        for (int j = 0; j < N; j++) {
            inside[j] = 2 * make_uniform(&seed) - 1;
            asif_lp_column(&lp, 2 * make_uniform(&seed) - 1, -2, j % 3 ? 2 : 1.5);
        }
        for (int i = 0; i < M; i++) {
            double at = 0;
            for (int j = 0; j < N; j++) {
                a[i][j] = make_uniform(&seed) < .3 ? 2 * make_uniform(&seed) - 1 : 0;
                at += a[i][j] * inside[j];
            }
            low[i] = i % 4 == 0 ? at : at - make_uniform(&seed);
            high[i] = i % 4 == 0 ? at : i % 4 == 1 ? NONE : at + make_uniform(&seed);
            if (i >= M / 2 && i % 4 == 0)
                low[i] -= 1; /* not too many equations */
            asif_lp_row(&lp, low[i], high[i]);
            for (int j = 0; j < N; j++)
                asif_lp_entry(&lp, (uint32_t)i, (uint32_t)j, a[i][j]);
        }
        assert_int_equal(asif_lp_solve(&lp, NULL), ASIF_OK);
        assert_int_equal(lp.outcome, ASIF_LP_OPTIMAL);
        double value = 0;
        for (int j = 0; j < N; j++) {
            double reduced = lp.cost[j];
            value += lp.cost[j] * lp.x[j];
            for (int i = 0; i < M; i++)
                reduced -= lp.dual[i] * a[i][j];
            CHECK_NEAR(lp.reduced[j], reduced, 1e-9);
            dual_value += reduced * (reduced > 0 ? lp.low[j] : lp.high[j]);
            assert_true(lp.x[j] >= lp.low[j] - 1e-8 && lp.x[j] <= lp.high[j] + 1e-8);
        }
        for (int i = 0; i < M; i++) {
            double at = 0;
            for (int j = 0; j < N; j++)
                at += a[i][j] * lp.x[j];
            assert_true(at >= low[i] - 1e-8 && at <= high[i] + 1e-8);
            if (lp.dual[i] != 0)
                dual_value += lp.dual[i] * (lp.dual[i] > 0 ? low[i] : high[i]);
        }
        CHECK_NEAR(lp.objective, value, 1e-10);
        CHECK_NEAR(dual_value, value, 1e-8);
        asif_lp_free(&lp);
    }
    asif_context_free(context);
}

static void memory(void **state) {
    (void)state;
    bool done = false;
    for (long left = 0; !done; left++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        asif_context *context;
        asif_lp lp;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        memory.left = left;
        asif_lp_begin(&lp, context);
        write_wyndor(&lp);
        asif_status status = asif_lp_solve(&lp, NULL);
        done = status != ASIF_ENOMEM;
        assert_true(!done || status == (asif_lp_available() ? ASIF_OK : ASIF_EUNSUPPORTED));
        asif_lp_free(&lp);
        memory.left = -1;
        asif_context_free(context);
        assert_int_equal(memory.alive, 0);
        assert_true(left < 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wyndor),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(duality),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
