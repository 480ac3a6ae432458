/* Posteriors that are pooled in equal parts, against closed forms of a mixture. */
#include "check.h"

#include "asif.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "sample/draws.h"
#include "sample/effective.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define CHAINS 2
#define DRAWS 1000 /* of each chain of the whole */
#define STUDY                                                                                                \
    "asif: 1\nstates: [s]\nactions: [a, b]\nenvironment: {transitions: {any: [[1]]}}\n"                      \
    "agent: {discount: 0.5, utility: {a: gain, b: 0}, parameters: {alpha: 1, gain: "                         \
    "{learn: 'normal(0, 10)', standard: 1}}}\n"

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_estimates *estimates;
} problem;

static void open_problem(problem *p) {
    asif_estimate_spec spec;
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_study_read(&p->study, p->context, STUDY, sizeof STUDY - 1, NULL, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_study_estimates(p->study, &spec, 1), 1);
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, asif_study_theta(p->study), &spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
}

static void close_problem(problem *p) {
    asif_estimates_free(p->estimates);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* Phi^-1 by bisection. */
static double normal_quantile(double share) {
    double low = -9, high = 9;
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;
        *(erfc(-middle / sqrt(2)) / 2 < share ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* A fit whose draws are evenly spaced quantiles of a normal distribution, dealt to chains in turn. */
static asif_fit *make_fit(const problem *p, double mean, double sd, uint64_t draws, double lp) {
    const char *name = asif_estimates_get(p->estimates, 0)->name;
    asif_fit *fit = asif_alloc(p->context, 1, sizeof *fit);
    assert_non_null(fit);
    *fit = (asif_fit){.context = p->context, .estimates = ASIF_KEEP(p->estimates)};
    fit->view.struct_size = sizeof fit->view;
    fit->view.parameters = 1;
    fit->view.method = ASIF_FIT_RIDGE;
    fit->view.trusted = fit->ridge.good = true;
    fit->parameter = asif_alloc(p->context, 1, sizeof *fit->parameter);
    *fit->parameter = (asif_fit_parameter){.info = asif_estimates_get(p->estimates, 0)};
    fit->view.parameter = fit->parameter;
    assert_int_equal(asif_draws_create(&fit->draws, p->context, CHAINS, draws, 1, &name, 0, NULL), ASIF_OK);
    fit->view.draws = fit->draws;
    fit->draws->view.method = ASIF_METHOD_RIDGE;
    fit->draws->view.inside = true;
    fit->draws->view.khat = .1 + mean / 100;
    fit->draws->view.kish = 500 + mean;
    for (uint32_t c = 0; c < CHAINS; c++)
        for (uint64_t i = 0; i < draws; i++) {
            double share = ((double)(i * CHAINS + c) + .5) / (double)(CHAINS * draws);
            asif_draws_values(fit->draws, 0, c)[i] = mean + sd * normal_quantile(share);
            asif_draws_stats(fit->draws, ASIF_STAT_LP, c)[i] = lp;
        }
    return fit;
}

/* Parts of unequal height, and of unequal numbers of draws, count the same. */
static void test_mixture(void **state) {
    (void)state;
    problem p;
    double share, mean[2];
    open_problem(&p);
    asif_fit *whole = make_fit(&p, 7, 1, DRAWS, 0);
    asif_fit *part[] = {make_fit(&p, -1, 1, 500, -1000), make_fit(&p, 3, 2, 4000, 0)};
    assert_int_equal(asif_fit_pool(whole, part, 2, &share, mean, NULL), ASIF_OK);
    const asif_column_summary *s = &whole->parameter[0].summary;
    /* Means -1 and 3, variances 1 and 4: between 4, within 2.5. */
    CHECK_NEAR(mean[0], -1, 2e-3);
    CHECK_NEAR(mean[1], 3, 2e-3);
    CHECK_NEAR(share, 4 / 6.5, 2e-3);
    CHECK_NEAR(s->mean, 1, 2e-3);
    CHECK_NEAR(s->sd, sqrt(6.5), 5e-3);
    /* Both quantiles solve [Phi(x + 1) + Phi((x - 3) / 2)] / 2 = share. */
    double at[] = {s->q05, s->q95};
    for (int i = 0; i < 2; i++)
        CHECK_NEAR((erfc(-(at[i] + 1) / sqrt(2)) + erfc(-(at[i] - 3) / 2 / sqrt(2))) / 4, i ? .95 : .05,
                   2e-3);
    /* The mean of two independent means that are 4 apart: standard deviation sqrt(8) / sqrt(2). */
    CHECK_NEAR(s->mcse_mean, 2, 2e-3);
    CHECK_NEAR(s->ess_bulk, 6.5 / 4, 5e-3);
    assert_true(isnan(s->rhat));
    assert_int_equal(whole->draws->view.draws, DRAWS);
    assert_true(whole->view.trusted);
    CHECK_NEAR(whole->view.trust.khat, .13, 1e-12);
    CHECK_NEAR(whole->view.trust.kish, 499, 1e-12);
    /* Half of each chain is of each part, and parts follow one another. */
    CHECK_NEAR(asif_mean(asif_draws_values(whole->draws, 0, 1), DRAWS / 2), -1, 5e-3);
    asif_fit_free(whole);
    asif_fit_free(part[0]);
    asif_fit_free(part[1]);
    close_problem(&p);
}

/* Equal parts: nothing comes from the differences between them. */
static void test_same(void **state) {
    (void)state;
    problem p;
    double share, mean[3];
    open_problem(&p);
    asif_fit *whole = make_fit(&p, 0, 1, DRAWS, 0);
    asif_fit *part[] = {make_fit(&p, 2, .5, 900, 0), make_fit(&p, 2, .5, 900, 0),
                        make_fit(&p, 2, .5, 900, 0)};
    assert_int_equal(asif_fit_pool(whole, part, 3, &share, mean, NULL), ASIF_OK);
    CHECK_NEAR(share, 0, 1e-12);
    CHECK_NEAR(whole->parameter[0].summary.sd, .5, 2e-3);
    /* One part that cannot be trusted is kept, and the whole is not trusted. */
    part[1]->ridge.good = false;
    assert_int_equal(asif_fit_pool(whole, part, 3, &share, mean, NULL), ASIF_OK);
    assert_false(whole->view.trusted);
    for (int i = 0; i < 3; i++)
        asif_fit_free(part[i]);
    assert_int_equal(asif_fit_pool(whole, part, 0, &share, mean, NULL), ASIF_EINVALID);
    asif_fit_free(whole);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mixture), cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
