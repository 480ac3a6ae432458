/* Random streams: known answers of Philox, uniformity, independence of order. */
#include "check.h"

#include "base/random.h"

/* Published known answer of philox4x32 with 10 rounds for key and counter 0: 6627e8d5 e169c58d ... */
static void known_answer(void **state) {
    (void)state;
    asif_stream stream = {0, 0, 0};
    uint64_t bits = 0x6627e8d5e169c58du >> 12;
    assert_true(asif_uniform(&stream, 0) == ((double)bits + .5) * 0x1p-52);
}

static void uniform_and_different(void **state) {
    (void)state;
    enum { N = 200000, BINS = 50 };
    int counts[BINS] = {0};
    double sum = 0, cross = 0, before = 0;
    for (int i = 0; i < N; i++) {
        asif_stream stream = {42, ASIF_FOR_TESTS, (uint64_t)i / 10};
        double u = asif_uniform(&stream, (uint32_t)i % 10);
        assert_true(u > 0 && u < 1);
        counts[(int)(u * BINS)]++;
        sum += u;
        cross += (u - .5) * (before - .5);
        before = u;
    }
    double chi = 0;
    for (int b = 0; b < BINS; b++)
        chi += pow(counts[b] - (double)N / BINS, 2) / ((double)N / BINS);
    CHECK(chi < 85.35, "chi-square %g of 49 degrees of freedom (99.9 %%: 85.35)", chi);
    CHECK_NEAR(sum / N, .5, 4 * sqrt(1.0 / 12 / N));
    CHECK_NEAR(cross / N, 0, 4.0 / 12 / sqrt(N));
    asif_stream a = {1, ASIF_FOR_STATES, 3}, b = {1, ASIF_FOR_ACTIONS, 3}, c = {2, ASIF_FOR_STATES, 3};
    assert_true(asif_uniform(&a, 0) != asif_uniform(&b, 0) && asif_uniform(&a, 0) != asif_uniform(&c, 0));
}

static void normal(void **state) {
    (void)state;
    enum { N = 200000, BINS = 50 };
    int counts[BINS] = {0};
    double cross = 0, before = 0;
    for (int i = 0; i < N; i++) {
        asif_stream stream = {43, ASIF_FOR_TESTS, (uint64_t)i / 10};
        double z = asif_normal(&stream, (uint32_t)i % 10);
        assert_true(isfinite(z));
        counts[(int)fmin(erfc(-z / sqrt(2)) / 2 * BINS, BINS - 1)]++;
        cross += z * before;
        before = z;
    }
    double chi = 0;
    for (int b = 0; b < BINS; b++)
        chi += pow(counts[b] - (double)N / BINS, 2) / ((double)N / BINS);
    CHECK(chi < 85.35, "chi-square %g of 49 degrees of freedom (99.9 %%: 85.35)", chi);
    CHECK_NEAR(cross / N, 0, 4 / sqrt(N));
}

static void draws(void **state) {
    (void)state;
    const double p[] = {0, .2, 0, .5, .3, 0};
    assert_int_equal(asif_draw(1e-17, p, 6), 1);
    assert_int_equal(asif_draw(.1999999, p, 6), 1);
    assert_int_equal(asif_draw(.2000001, p, 6), 3);
    assert_int_equal(asif_draw(.7000001, p, 6), 4);
    assert_int_equal(asif_draw(1, p, 6), 4); /* never a weight of 0, whatever rounding does */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_answer),
                                       cmocka_unit_test(uniform_and_different), cmocka_unit_test(normal),
                                       cmocka_unit_test(draws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
