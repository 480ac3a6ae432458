/* GMRES, Anderson and factorisation on systems whose answer is known. */
#include "check.h"

#include "base/linear/direct.h"
#include "base/linear/gmres.h"
#include "base/numeric/anderson.h"
#include "problems.h"

#include <string.h>

enum { N = 60 };
static double matrix[N][N];

static void times(void *user, const double *x, double *y) {
    (void)user;
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++)
            y[i] += matrix[i][j] * x[j];
    }
}

/* I - .95 P with P stochastic, as the engine's. */
static void fill_matrix(void) {
    uint64_t seed = 9;
    for (int i = 0; i < N; i++) {
        make_row(matrix[i], N, &seed);
        for (int j = 0; j < N; j++)
            matrix[i][j] = (i == j) - .95 * matrix[i][j];
    }
}

static void gmres_finds_what_was_put_in(void **state) {
    (void)state;
    asif_context *context;
    asif_gmres gmres;
    uint64_t seed = 4, products = 0;
    double truth[N], right[N], x[N] = {0};
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    fill_matrix();
    for (int i = 0; i < N; i++)
        truth[i] = make_uniform(&seed) * 20 - 10;
    times(NULL, truth, right);
    for (uint32_t restart = 5; restart <= 50; restart += 45) {
        memset(x, 0, sizeof x);
        assert_int_equal(asif_gmres_create(&gmres, context, N, restart, NULL), ASIF_OK);
        assert_true(asif_gmres_solve(&gmres, times, NULL, right, x, 1e-13, 1000, &products) <= 1e-13);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(x[i], truth[i], 1e-10);
        asif_gmres_free(&gmres);
    }
    assert_int_equal(asif_gmres_create(&gmres, context, N, 5, NULL), ASIF_OK);
    memset(x, 0, sizeof x);
    products = 0;
    assert_true(asif_gmres_solve(&gmres, times, NULL, right, x, 1e-13, 3, &products) > 1e-13);
    assert_true(products <= 4);
    memset(right, 0, sizeof right);
    assert_true(asif_gmres_solve(&gmres, times, NULL, right, x, 1e-13, 10, &products) == 0 && x[0] == 0);
    asif_gmres_free(&gmres);
    asif_context_free(context);
}

/* x <- .95 P x + c has one fixed point; Anderson must find it far sooner than the plain iteration. */
static void anderson_is_faster(void **state) {
    (void)state;
    asif_context *context;
    asif_anderson anderson;
    uint64_t seed = 4;
    double truth[N], c[N], x[N] = {0}, g[N], y[N] = {0};
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    fill_matrix();
    for (int i = 0; i < N; i++)
        truth[i] = make_uniform(&seed) * 20 - 10;
    times(NULL, truth, c);
    assert_int_equal(asif_anderson_create(&anderson, context, N, NULL), ASIF_OK);
    double plain = 0, fast = 0;
    for (int k = 0; k < 15; k++) {
        times(NULL, x, g);
        for (int i = 0; i < N; i++)
            g[i] = x[i] - g[i] + c[i];
        asif_anderson_step(&anderson, x, g, x);
        times(NULL, y, g);
        for (int i = 0; i < N; i++)
            y[i] += c[i] - g[i];
    }
    for (int i = 0; i < N; i++) {
        fast = fmax(fast, fabs(x[i] - truth[i]));
        plain = fmax(plain, fabs(y[i] - truth[i]));
    }
    CHECK(fast < 1e-10 && plain > .1, "after 15 steps: Anderson off by %g, plain by %g", fast, plain);
    asif_anderson_free(&anderson);
    asif_context_free(context);
}

/* A walk round a ring that pays 1 in state 0: worth discount^(steps to 0) / (1 - discount^N) everywhere.
 * GMRES with restarts makes next to no progress on it. */
static void walk(void *user, const double *x, double *y) {
    const bool *transposed = user;
    for (int i = 0; i < N; i++)
        y[i] = x[i] - .9999 * x[*transposed ? (i + N - 1) % N : (i + 1) % N];
}

static void direct_solves_what_gmres_cannot(void **state) {
    (void)state;
    asif_context *context;
    asif_gmres gmres;
    uint64_t products = 0;
    double right[N] = {1}, x[N] = {0};
    bool solved, transposed = false;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_gmres_create(&gmres, context, N, 20, NULL), ASIF_OK);
    assert_true(asif_gmres_solve(&gmres, walk, &transposed, right, x, 1e-12, 1000, &products) > 1e-3);
    asif_gmres_free(&gmres);
    for (int k = 0; k < 2; k++) {
        transposed = k == 1;
        assert_int_equal(asif_direct_solve(context, N, N, walk, &transposed, right, x, &solved, NULL),
                         ASIF_OK);
        assert_true(solved);
        for (int i = 0; i < N; i++) {
            double worth = pow(.9999, transposed ? i : (N - i) % N) / (1 - pow(.9999, N));
            CHECK_NEAR(x[i], worth, 1e-9 * worth);
        }
    }
    asif_context_free(context);
}

/* A system that needs rows to be exchanged, and one that has no answer. */
static void shift(void *user, const double *x, double *y) {
    (void)user;
    for (int i = 0; i < N; i++)
        y[i] = (i + 1.0) * x[(i + 1) % N];
}

static void nothing(void *user, const double *x, double *y) {
    (void)user;
    for (int i = 0; i < N; i++)
        y[i] = i < N - 1 ? x[i] : 0;
}

static void direct_exchanges_rows(void **state) {
    (void)state;
    asif_context *context;
    double truth[N], right[N], x[N];
    bool solved;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (int i = 0; i < N; i++)
        truth[i] = sin(i);
    shift(NULL, truth, right);
    assert_int_equal(asif_direct_solve(context, N, N, shift, NULL, right, x, &solved, NULL), ASIF_OK);
    assert_true(solved);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(x[i], truth[i], 1e-12);
    assert_int_equal(asif_direct_solve(context, N, N, nothing, NULL, right, x, &solved, NULL), ASIF_OK);
    assert_false(solved);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gmres_finds_what_was_put_in), cmocka_unit_test(anderson_is_faster),
        cmocka_unit_test(direct_solves_what_gmres_cannot), cmocka_unit_test(direct_exchanges_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
