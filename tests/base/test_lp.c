/* Linear programmes: answers known by hand, the duality that any answer must satisfy, outcomes, and memory
 * that runs out. */
#include "check.h"

#include "base/programmes/lp_inside.h"
#include "problems.h"

#include <string.h>

#define NONE (double)INFINITY

/* max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6), prices 0, 1.5, 1 (Wyndor, in every textbook).
 */
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

/* x + y >= 2 and x - y >= 0 with x <= slack: a contradiction below 1, which the sum of both rows shows. */
static void write_corner(asif_lp *lp, double most) {
    uint32_t x = asif_lp_column(lp, 0, -NONE, most), y = asif_lp_column(lp, 0, -NONE, NONE);
    uint32_t sum = asif_lp_row(lp, 2, NONE), less = asif_lp_row(lp, 0, NONE);
    asif_lp_entry(lp, sum, x, 1);
    asif_lp_entry(lp, sum, y, 1);
    asif_lp_entry(lp, less, x, 1);
    asif_lp_entry(lp, less, y, -1);
}

/* What is believed needs no solver: points, multipliers and directions that are right, and the same a little
 * wrong. */
static void certificates(void **state) {
    (void)state;
    asif_context *context;
    asif_lp lp;
    double x[2], reduced[2], dual[2], row[2];
    asif_lp_point p = {x, reduced, dual, row};
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    static const struct {
        double most, dual[2];
        bool proves;
    } of[] = {
        {0.9, {1, 1}, true},        {0.9, {7e-3, 7e-3}, true},
        {0.9, {-1, -1}, false},     /* of the wrong sign: they push against nothing */
        {0.9, {1, 1.0001}, false},  /* leaves some of y, which has no bounds */
        {0.9, {1, 1 + 1e-9}, true}, /* so little that only points very far out escape */
        {1 + 1e-9, {1, 1}, false},  /* there are points */
        {1 - 1e-7, {1, 1}, true},   {0.9, {0, 0}, false},
        {0.9, {NAN, 1}, false},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        asif_lp_begin(&lp, context);
        write_corner(&lp, of[i].most);
        memcpy(dual, of[i].dual, sizeof dual);
        assert_int_equal(asif_lp_contradicts(&lp, &p), of[i].proves);
        asif_lp_free(&lp);
    }
    static const struct {
        double x[2], dual[3];
        bool good;
    } answers[] = {
        {{2, 6}, {0, -1.5, -1}, true},       {{2, 6}, {0, -1.5, -1.0001}, false}, /* not the prices */
        {{2, 5.9999}, {0, -1.5, -1}, false},                                      /* not the best */
        {{2.0001, 6}, {0, -1.5, -1}, false},                                      /* outside */
        {{4, 3}, {0, -1.5, -1}, false},                                           /* another corner */
    };
    double row3[3], dual3[3];
    asif_lp_point q = {x, reduced, dual3, row3};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        asif_lp_begin(&lp, context);
        write_wyndor(&lp);
        memcpy(x, answers[i].x, sizeof x);
        memcpy(dual3, answers[i].dual, sizeof dual3);
        assert_int_equal(asif_lp_miss(&lp, &q) <= 1e-8, answers[i].good);
        asif_lp_free(&lp);
    }
    static const struct {
        double cost, x[2];
        bool escapes;
    } ways[] = {
        {-1, {1, 1}, true},    {-1, {1, -1}, true}, {-1, {1, 1.001}, false}, /* x - y >= 0 stops it */
        {-1, {-1, -1}, false}, {0, {1, 1}, false},  {1, {1, 1}, false},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        asif_lp_begin(&lp, context);
        write_corner(&lp, NONE);
        lp.cost[0] = ways[i].cost;
        memcpy(x, ways[i].x, sizeof x);
        assert_int_equal(asif_lp_escapes(&lp, &p), ways[i].escapes);
        asif_lp_free(&lp);
    }
    asif_context_free(context);
}

/* Bounds in the wrong order, what is no number, and programmes that are near infeasible: with a point,
 * without one. */
static void edges(void **state) {
    (void)state;
    asif_context *context;
    asif_lp lp;
    if (!asif_lp_available())
        skip();
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_lp_begin(&lp, context);
    asif_lp_column(&lp, 1, 2, 1);
    assert_int_equal(asif_lp_solve(&lp, NULL), ASIF_OK);
    assert_int_equal(lp.outcome, ASIF_LP_INFEASIBLE);
    asif_lp_free(&lp);
    asif_lp_begin(&lp, context);
    asif_lp_column(&lp, (double)NAN, 0, 1);
    assert_int_equal(asif_lp_solve(&lp, NULL), ASIF_EDOMAIN);
    asif_lp_free(&lp);
    static const struct {
        double most;
        asif_status status;
        asif_lp_outcome outcome;
    } near[] = {
        {1 + 1e-6, ASIF_OK, ASIF_LP_OPTIMAL},
        {1 - 1e-6, ASIF_OK, ASIF_LP_INFEASIBLE},
        {1 - 1e-8, ASIF_EDOMAIN,
         ASIF_LP_OPTIMAL}, /* missed by more than is accepted, but less than is certain far out */
    };
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        asif_error error = ASIF_ERROR_INIT;
        asif_lp_begin(&lp, context);
        write_corner(&lp, near[i].most);
        assert_int_equal(asif_lp_solve(&lp, &error), near[i].status);
        assert_int_equal(lp.outcome, near[i].outcome);
        assert_true(!near[i].status || strstr(error.message, "neither solved nor shown to have no answer"));
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
        cmocka_unit_test(wyndor),       cmocka_unit_test(outcomes), cmocka_unit_test(duality),
        cmocka_unit_test(certificates), cmocka_unit_test(edges),    cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
