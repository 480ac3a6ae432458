/* Many points at once: the same bits for any number of threads, and the first failure. */
#include "sample/evaluate_many.h"

#include "check.h"

#include <string.h>

#define POINTS 1001
#define DENSITIES 3

/* -x^2/2, off by what was evaluated last: a warm start in the extreme. Fails at x = `bad`. */
typedef struct {
    double last, bad;
    int evaluations;
} remembering;

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    remembering *r = user;
    (void)gradient;
    (void)error;
    r->evaluations++;
    if (*x == r->bad)
        return ASIF_EZEROPR;
    *value = *x > 900 ? NAN : -*x * *x / 2 + 1e-9 * r->last;
    r->last = *x;
    return ASIF_OK;
}

static void save(void *user, double *memory) {
    *memory = ((remembering *)user)->last;
}

static void load(void *user, const double *memory) {
    ((remembering *)user)->last = *memory;
}

static asif_status evaluate_many(void *user, const double *x, uint64_t count, double *value,
                                 asif_error *error) {
    (void)user;
    (void)error;
    assert_true(count <= ASIF_EVALUATE_BLOCK);
    for (uint64_t i = 0; i < count; i++)
        value[i] = x[i] > 900 ? INFINITY : 2 * x[i];
    return ASIF_OK;
}

typedef struct {
    remembering user[DENSITIES];
    asif_density density[DENSITIES];
    double x[POINTS], value[POINTS];
} setup;

static void set_up(setup *s, double last, double bad) {
    for (uint32_t i = 0; i < DENSITIES; i++) {
        s->user[i] = (remembering){last, bad, 0};
        s->density[i] = (asif_density){.dimension = 1,
                                       .evaluate = evaluate,
                                       .memory = 1,
                                       .save = save,
                                       .load = load,
                                       .user = &s->user[i]};
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        s->x[i] = i;
        s->value[i] = 7;
    }
}

static asif_context *context_of(uint32_t threads) {
    asif_context *context;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    return context;
}

static void test_same_for_threads(void **state) {
    (void)state;
    static setup a, b;
    for (uint32_t densities = 1; densities <= DENSITIES; densities++) {
        asif_context *one = context_of(1), *three = context_of(3);
        set_up(&a, 5, NAN);
        set_up(&b, 5, NAN);
        assert_int_equal(asif_evaluate_many(a.value, one, a.density, 1, a.x, POINTS, "test", NULL), ASIF_OK);
        assert_int_equal(asif_evaluate_many(b.value, three, b.density, densities, b.x, POINTS, "test", NULL),
                         ASIF_OK);
        assert_memory_equal(a.value, b.value, sizeof a.value);
        for (uint32_t i = 0; i < POINTS; i++) {
            double before = i % ASIF_EVALUATE_BLOCK ? i - 1 : 5;
            CHECK_NEAR(a.value[i], i > 900 ? -INFINITY : -.5 * i * i + 1e-9 * before, 1e-15);
        }
        asif_context_free(one);
        asif_context_free(three);
    }
}

static void test_own_function(void **state) {
    (void)state;
    static setup s;
    asif_context *context = context_of(2);
    set_up(&s, 0, NAN);
    for (uint32_t i = 0; i < DENSITIES; i++)
        s.density[i].evaluate_many = evaluate_many;
    assert_int_equal(asif_evaluate_many(s.value, context, s.density, DENSITIES, s.x, POINTS, "test", NULL),
                     ASIF_OK);
    for (uint32_t i = 0; i < POINTS; i++)
        assert_true(s.value[i] == (i > 900 ? -INFINITY : 2.0 * i));
    asif_context_free(context);
}

static void test_failure(void **state) {
    (void)state;
    static setup s;
    asif_context *context = context_of(2);
    set_up(&s, 0, 40);
    assert_int_equal(asif_evaluate_many(s.value, context, s.density, DENSITIES, s.x, POINTS, "test", NULL),
                     ASIF_EZEROPR);
    for (int fails = 0; fails < 3; fails++) {
        failing_memory memory = {.left = fails + 1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *poor;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
        set_up(&s, 0, NAN);
        assert_int_equal(asif_evaluate_many(s.value, poor, s.density, 1, s.x, POINTS, "test", NULL),
                         ASIF_ENOMEM);
        asif_context_free(poor);
        assert_int_equal(memory.alive, 0);
    }
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_for_threads),
                                       cmocka_unit_test(test_own_function), cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
