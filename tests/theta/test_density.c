/* Priors as densities over the sampled coordinates. */
#include "theta/bench.h"
#include "theta/estimates.h"

/* Double-exponential quadrature around the prior's middle. */
static double total_mass(const bench *b) {
    double middle, scale, sum = 0;
    const double h = 1. / 64, half_pi = acos(-1.0) / 2;
    double draws[32];
    for (uint32_t i = 0; i < 31; i++)
        asif_estimates_draw(b->estimates, 1, i, &draws[i]);
    middle = draws[7];
    asif_estimates_scale(b->estimates, &scale);
    for (int k = -320; k <= 320; k++) {
        double t = k * h, x = middle + scale * sinh(half_pi * sinh(t));
        double density = asif_estimates_log_prior(b->estimates, &x, NULL);
        CHECK(!isnan(density), "density at %g", x);
        double step = scale * half_pi * cosh(t) * cosh(half_pi * sinh(t)) * h;
        if (density > -700)
            sum += exp(density) * step;
    }
    return sum;
}

static void check_mass(void **state) {
    (void)state;
    bench b;
    prepare(&b, &plain);
    for (uint32_t i = 0; i < COUNT(singles); i++) {
        must_estimate(&b, &singles[i], 1, ASIF_PRIORS_STATED);
        double mass = total_mass(&b);
        CHECK(fabs(mass - 1) < 1e-7, "%s ~ %s has mass %.12g", singles[i].name,
              asif_estimates_get(b.estimates, 0)->prior, mass);
    }
    /* Of two entries the coordinate is one: a beta on the logit. */
    static const double two[] = {.5, 0, .5};
    static const small_options options = {.action_prior = two};
    finish(&b);
    prepare(&b, &options);
    static const asif_estimate_spec pair = {.name = "action_prior", .prior = "dirichlet(0.4, 7, 2)"};
    must_estimate(&b, &pair, 1, ASIF_PRIORS_STATED);
    assert_int_equal(asif_estimates_dimension(b.estimates), 1);
    assert_string_equal(asif_estimates_get(b.estimates, 1)->name, "action_prior.3");
    CHECK_NEAR(total_mass(&b), 1, 1e-8);
    double x = 0;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_estimates_theta(b.estimates, &x, b.theta, &error), ASIF_OK);
    CHECK_NEAR(b.theta->action_prior[1], 0, 0);
    finish(&b);
}

/* The density of a dirichlet over x is the one over p times |dp/dx|. */
static void check_dirichlet(void **state) {
    (void)state;
    static const double a[] = {2, .7, 3};
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, &everything[8], 1, ASIF_PRIORS_STATED);
    for (uint32_t index = 0; index < 20; index++) {
        double x[2], p[3], j[2][2], h = 1e-6;
        asif_estimates_draw(b.estimates, 2, index, x);
        for (uint32_t k = 0; k < 2; k++) {
            double moved[2] = {x[0], x[1]}, up[3], down[3];
            moved[k] = x[k] + h;
            asif_estimates_report(b.estimates, moved, up);
            moved[k] = x[k] - h;
            asif_estimates_report(b.estimates, moved, down);
            for (uint32_t i = 0; i < 2; i++)
                j[i][k] = (up[i] - down[i]) / (2 * h);
        }
        asif_estimates_report(b.estimates, x, p);
        CHECK_NEAR(p[0] + p[1] + p[2], 1, 1e-14);
        double want = lgamma(5.7) - lgamma(2) - lgamma(.7) - lgamma(3) +
                      log(fabs(j[0][0] * j[1][1] - j[0][1] * j[1][0]));
        for (uint32_t i = 0; i < 3; i++)
            want += (a[i] - 1) * log(p[i]);
        CHECK_NEAR(asif_estimates_log_prior(b.estimates, x, NULL), want, 1e-6);
    }
    finish(&b);
}

static void check_gradient_at(const bench *b, const double *at) {
    uint32_t d = asif_estimates_dimension(b->estimates);
    double gradient[MOST] = {0}, x[MOST];
    double here = asif_estimates_log_prior(b->estimates, at, gradient);
    for (uint32_t i = 0; i < d; i++) {
        double h = 1e-5 * fmax(1, fabs(at[i]));
        memcpy(x, at, d * sizeof *x);
        x[i] = at[i] + h;
        double up = asif_estimates_log_prior(b->estimates, x, NULL);
        x[i] = at[i] - h;
        double slope = (up - asif_estimates_log_prior(b->estimates, x, NULL)) / (2 * h);
        CHECK(fabs(gradient[i] - slope) <= 1e-6 * fmax(1, fabs(slope) + 1e-3 * fabs(here)),
              "coordinate %u at %g: %.12g, not %.12g", i, at[i], gradient[i], slope);
    }
}

static void check_gradient(void **state) {
    (void)state;
    bench b;
    double x[MOST];
    prepare(&b, &plain);
    for (uint32_t i = 0; i <= COUNT(singles); i++) {
        bool all = i == COUNT(singles);
        must_estimate(&b, all ? everything : &singles[i], all ? COUNT(everything) : 1, ASIF_PRIORS_STATED);
        for (uint32_t index = 0; index < 8; index++) {
            asif_estimates_draw(b.estimates, 4, index, x);
            check_gradient_at(&b, x);
        }
    }
    finish(&b);
}

/* Far out densities are exact, or -inf where a double cannot hold them; never NaN. */
static void check_tails(void **state) {
    (void)state;
    static const double far[] = {-700, -40, 40, 700};
    bench b;
    prepare(&b, &plain);
    for (uint32_t i = 0; i < COUNT(singles); i++) {
        must_estimate(&b, &singles[i], 1, ASIF_PRIORS_STATED);
        for (uint32_t k = 0; k < COUNT(far); k++) {
            double slope = 0, density = asif_estimates_log_prior(b.estimates, &far[k], &slope);
            CHECK(!isnan(density) && density < 700 && !isnan(slope), "%s ~ %s at %g: %g, %g", singles[i].name,
                  asif_estimates_get(b.estimates, 0)->prior, far[k], density, slope);
        }
    }
    double x = -700, slope = 0;
    must_estimate(&b, &singles[13], 1, ASIF_PRIORS_STATED); /* discount ~ beta(9, 1) */
    CHECK_NEAR(asif_estimates_log_prior(b.estimates, &x, &slope), log(9) - 9 * 700, 1e-14);
    CHECK_NEAR(slope, 9, 1e-14);
    x = 700;
    slope = 0;
    CHECK_NEAR(asif_estimates_log_prior(b.estimates, &x, &slope), log(9) - 700, 1e-14);
    CHECK_NEAR(slope, -1, 1e-14);
    must_estimate(&b, &singles[3], 1, ASIF_PRIORS_STATED); /* |alpha| ~ student_t(3, ..): falls as alpha^-4 */
    slope = 0;
    CHECK(isfinite(asif_estimates_log_prior(b.estimates, &x, &slope)), "finite");
    CHECK_NEAR(slope, -3, 1e-12);
    must_estimate(&b, &singles[1], 1, ASIF_PRIORS_STATED); /* log|alpha| ~ normal(-.7, 1.5) */
    slope = 0;
    CHECK_NEAR(asif_estimates_log_prior(b.estimates, &x, &slope),
               -.5 * pow(700.7 / 1.5, 2) - log(1.5) - .5 * log(2 * acos(-1.0)), 1e-14);
    CHECK_NEAR(slope, -700.7 / 2.25, 1e-14);
    finish(&b);
}

/* Of draws, as many are below the quantiles as should be. */
static void check_draws_of(const bench *b) {
    enum { DRAWS = 4000 };
    uint32_t n = reported(b), below[MOST][3] = {{0}};
    double x[MOST], out[MOST];
    for (uint32_t k = 0; k < DRAWS; k++) {
        asif_estimates_draw(b->estimates, 12, k, x);
        asif_estimates_report(b->estimates, x, out);
        for (uint32_t i = 0; i < n; i++) {
            const asif_estimate_info *info = asif_estimates_get(b->estimates, i);
            double at = asif_estimate_line(info, out[i]);
            below[i][0] += at < info->prior_q05;
            below[i][1] += at < info->prior_q50;
            below[i][2] += at < info->prior_q95;
        }
    }
    static const double p[] = {.05, .5, .95};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t q = 0; q < 3; q++) {
            double share = below[i][q] / (double)DRAWS;
            CHECK(fabs(share - p[q]) < 4.5 * sqrt(p[q] * (1 - p[q]) / DRAWS), "%s: %g of the draws below q%g",
                  asif_estimates_get(b->estimates, i)->name, share, p[q]);
        }
}

static void check_draws(void **state) {
    (void)state;
    bench b;
    double x[MOST], again[MOST], other[MOST];
    prepare(&b, &plain);
    must_estimate(&b, everything, COUNT(everything), ASIF_PRIORS_STATED);
    check_draws_of(&b);
    asif_estimates_draw(b.estimates, 1, 7, x);
    asif_estimates_draw(b.estimates, 1, 7, again);
    asif_estimates_draw(b.estimates, 1, 8, other);
    for (uint32_t i = 0; i < asif_estimates_dimension(b.estimates); i++)
        CHECK(x[i] == again[i] && x[i] != other[i], "the same draw, and another");
    for (uint32_t i = 2; i < 7; i++) {
        must_estimate(&b, &singles[i], 1, ASIF_PRIORS_STATED);
        check_draws_of(&b);
    }
    finish(&b);
}

static void check_flat(void **state) {
    (void)state;
    static const asif_estimate_spec spec[] = {{.name = "alpha", .prior = "flat"},
                                              {.name = "start", .prior = "flat"}};
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, spec, 2, ASIF_PRIORS_STATED);
    double x[] = {3, 1, -1}, gradient[3] = {0};
    CHECK_NEAR(asif_estimates_log_prior(b.estimates, x, gradient), 0, 0);
    CHECK_NEAR(gradient[0] + gradient[1] + gradient[2], 0, 0);
    assert_int_equal(asif_problems_found(b.problems, ASIF_PROBLEM_WARNING), 1);
    assert_string_equal(asif_problems_get(b.problems, 0, NULL)->message,
                        "a flat prior gives a posterior that is improper");
    must_estimate(&b, spec, 2, ASIF_PRIORS_STATED);
    assert_int_equal(asif_problems_found(b.problems, ASIF_PROBLEM_WARNING), 1);
    finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_mass),  cmocka_unit_test(check_dirichlet), cmocka_unit_test(check_gradient),
        cmocka_unit_test(check_tails), cmocka_unit_test(check_draws),     cmocka_unit_test(check_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
