/* Means of actions as distributions of a theta, given and estimated. */
#include "theta/bench.h"
#include "theta/estimates.h"

static const asif_estimate_spec all[] = {
    {.name = "alpha", .standard = NAN},
    {.name = "means", .start = 2, .standard = NAN},
    {.name = "means", .start = 0, .standard = NAN, .prior = "dirichlet(2, 1, 5)"},
};

static const double given[] = {.2, .5, .3};

static void prepare_means(bench *b) {
    prepare(b, &plain);
    assert_int_equal(asif_theta_set_distribution(b->theta, ASIF_MEANS, 1, given, NULL), ASIF_OK);
}

static void check_values(void **state) {
    (void)state;
    bench b;
    asif_theta *copy;
    asif_error error = ASIF_ERROR_INIT;
    prepare(&b, &plain);
    CHECK(isnan(asif_theta_distribution(b.theta, ASIF_MEANS, 1)[0]), "no value until it is set");
    assert_false(asif_theta_has_means(b.theta));
    static const double weights[] = {2, 5, 3};
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_MEANS, 1, weights, &error), ASIF_OK);
    assert_int_equal(asif_theta_copy(&copy, b.theta, NULL), ASIF_OK);
    for (uint32_t s = 0; s < 3; s++)
        CHECK_NEAR(asif_theta_distribution(copy, ASIF_MEANS, 1)[s], given[s], 1e-15);
    CHECK(isnan(asif_theta_distribution(copy, ASIF_MEANS, 0)[0]), "of this action only");
    assert_int_equal(asif_theta_unset_distribution(b.theta, ASIF_MEANS, 1, NULL), ASIF_OK);
    assert_false(asif_theta_has_means(b.theta));
    assert_true(asif_theta_has_means(copy));
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_MEANS, 3, weights, &error), ASIF_EDOMAIN);
    assert_string_equal(error.message, "there is no action 3: there are 3");
    /* who does not ask for means does not miss them */
    assert_int_equal(asif_theta_complete(b.theta, &error), ASIF_OK);
    assert_string_equal(asif_distribution_text(ASIF_MEANS), "means");
    asif_theta_free(copy);
    finish(&b);
}

static void check_estimates(void **state) {
    (void)state;
    bench b;
    prepare_means(&b);
    must_estimate(&b, all, COUNT(all), ASIF_PRIORS_STATED);
    assert_int_equal(asif_estimates_dimension(b.estimates), 5);
    assert_int_equal(reported(&b), 7);
    CHECK_NEAR(asif_estimates_span(b.estimates), 1, 0); /* whatever the utility */
    char action[ASIF_LABEL_SIZE], entry[ASIF_LABEL_SIZE], want[64];
    for (uint32_t i = 1; i < 7; i++) {
        const asif_estimate_info *info = asif_estimates_get(b.estimates, i);
        const char *of = asif_setting_label(b.setting, ASIF_LABEL_ACTION, i < 4 ? 2 : 0, action);
        snprintf(want, sizeof want, "means_%s.%u", of, (i - 1) % 3 + 1);
        assert_string_equal(info->name, want);
        assert_string_equal(info->parameter, "means");
        snprintf(want, sizeof want, "%s/%s", of,
                 asif_setting_label(b.setting, ASIF_LABEL_STATE, (i - 1) % 3, entry));
        assert_string_equal(info->label, want);
    }
    /* x = 0 is the middle of the simplex, and what is given stays */
    double x[5] = {0}, r[7], back[5];
    assert_int_equal(asif_estimates_theta(b.estimates, x, b.theta, NULL), ASIF_OK);
    for (uint32_t s = 0; s < 3; s++) {
        CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_MEANS, 2)[s], 1. / 3, 1e-15);
        CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_MEANS, 1)[s], given[s], 1e-15);
    }
    for (uint64_t i = 0; i < 50; i++) {
        asif_estimates_draw(b.estimates, 4, i, x);
        asif_estimates_report(b.estimates, x, r);
        asif_estimates_locate(b.estimates, r, back);
        for (int k = 0; k < 5; k++)
            CHECK_NEAR(back[k], x[k], 1e-9);
    }
    finish(&b);
}

/* Draws have the moments of the dirichlets. */
static void check_priors(void **state) {
    (void)state;
    enum { DRAWS = 3000 };
    static const double weight[6] = {1, 1, 1, 2, 1, 5}, total[6] = {3, 3, 3, 8, 8, 8};
    bench b;
    double mean[6] = {0}, square[6] = {0}, x[5], r[7];
    prepare_means(&b);
    must_estimate(&b, all, COUNT(all), ASIF_PRIORS_STATED);
    for (uint64_t i = 0; i < DRAWS; i++) {
        asif_estimates_draw(b.estimates, 1, i, x);
        asif_estimates_report(b.estimates, x, r);
        for (int k = 0; k < 6; k++) {
            mean[k] += r[k + 1] / DRAWS;
            square[k] += r[k + 1] * r[k + 1] / DRAWS;
        }
    }
    for (int k = 0; k < 6; k++) {
        double m = weight[k] / total[k], variance = m * (1 - m) / (total[k] + 1);
        CHECK_NEAR(mean[k], m, 5 * sqrt(variance / DRAWS));
        CHECK_NEAR(square[k] - mean[k] * mean[k], variance, .15 * variance);
    }
    finish(&b);
}

static void check_pull(void **state) {
    (void)state;
    bench b;
    asif_theta_gradient g;
    prepare_means(&b);
    must_estimate(&b, all, COUNT(all), ASIF_PRIORS_STATED);
    assert_int_equal(asif_theta_gradient_create(&g, b.context, b.setting, NULL), ASIF_OK);
    asif_theta_gradient_clear(&g, b.setting);
    for (int i = 0; i < 9; i++)
        g.means[i] = sin(3 * i + 1);
    for (uint64_t draw = 0; draw < 20; draw++) {
        double x[5], slope[5] = {0};
        asif_estimates_draw(b.estimates, 9, draw, x);
        asif_estimates_pull(b.estimates, x, &g, slope);
        for (int k = 0; k < 5; k++) {
            double side[2], kept = x[k], h = 1e-5;
            for (int j = 0; j < 2; j++) {
                x[k] = kept + (j ? -h : h);
                assert_int_equal(asif_estimates_theta(b.estimates, x, b.theta, NULL), ASIF_OK);
                side[j] = 0;
                for (int i = 0; i < 9; i++)
                    side[j] += g.means[i] * b.theta->means[i];
            }
            x[k] = kept;
            CHECK_NEAR(slope[k], (side[0] - side[1]) / (2 * h), 1e-8);
        }
    }
    asif_theta_gradient_free(b.context, &g);
    finish(&b);
}

static void check_refused(void **state) {
    (void)state;
    static const struct {
        asif_estimate_spec spec[2];
        uint32_t count;
        asif_status status;
        const char *message;
    } rows[] = {
        {{{.name = "means", .start = 3}}, 1, ASIF_EDOMAIN, "there is no action 3: there are 3"},
        {{{.name = "means", .start = 1}, {.name = "means", .start = 1}}, 2, ASIF_EINVALID, "twice"},
        {{{.name = "means", .prior = "dirichlet(1, 1)"}}, 1, ASIF_EINVALID, "2 numbers"},
        {{{.name = "means", .prior = "normal(0, 1)"}}, 1, ASIF_EINVALID, "means"},
    };
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        bench b;
        asif_error error = ASIF_ERROR_INIT;
        prepare_means(&b);
        asif_status status = estimate(&b, rows[i].spec, rows[i].count, ASIF_PRIORS_STATED, &error);
        CHECK(status == rows[i].status && strstr(error.message, rows[i].message), "row %u: %s", i,
              error.message);
        finish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_values), cmocka_unit_test(check_estimates),
                                       cmocka_unit_test(check_priors), cmocka_unit_test(check_pull),
                                       cmocka_unit_test(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
