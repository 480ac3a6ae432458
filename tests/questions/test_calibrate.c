/* Calibration: tests of chance against SciPy's figures, ranks on a problem whose posterior is known, and the
 * ways in which a run of many fits can end. */
#include "check.h"
#include "problems.h"
#include "questions/calibrate/calibrate.h"

#include "base/error.h"
#include "base/os.h"
#include "base/random.h"
#include "base/text.h"
#include "questions/calibrate/sbc.h"

#include <string.h>
#include <unistd.h>

/* ---- chance ---- */

/* scipy.stats.chi2.sf and beta.ppf (SciPy 1.10). */
static void test_chance(void **state) {
    (void)state;
    static const struct {
        double x, p;
        uint32_t freedom;
    } rows[] = {{30.5, 0.04576996749163037, 19},
                {3.3, 0.5089322578449987, 4},
                {250, 4.844312411385307e-15, 99},
                {0.2, 0.6547208460185768, 1},
                {1.7, 0.4274149319487268, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(asif_chi_square_above(rows[i].x, rows[i].freedom) / rows[i].p - 1) < 1e-12);
    assert_true(asif_chi_square_above(0, 7) == 1);
    double low, high;
    asif_binomial_interval(18, 20, &low, &high);
    CHECK_NEAR(low, 0.6830172859809177, 1e-12);
    CHECK_NEAR(high, 0.9876514728297052, 1e-12);
    asif_binomial_interval(361, 400, &low, &high);
    CHECK_NEAR(low, 0.869127904567364, 1e-12);
    CHECK_NEAR(high, 0.9297464309818849, 1e-12);
    asif_binomial_interval(0, 20, &low, &high);
    assert_true(low == 0);
    CHECK_NEAR(high, 0.1684334709830853, 1e-12);
}

static void test_histogram(void **state) {
    (void)state;
    double rank[100], bin[5] = {0};
    for (int i = 0; i < 100; i++)
        rank[i] = i;
    asif_rank_histogram all = {.bin = bin};
    asif_rank_count(&all, rank, 1, 100, 99, 5);
    for (int b = 0; b < 5; b++)
        assert_true(bin[b] == 20);
    assert_int_equal(all.count, 100);
    assert_true(all.chi_square == 0 && all.p == 1);
    CHECK_NEAR(all.lean, 0, 1e-12);
    CHECK_NEAR(all.spread, 0, 1e-9); /* every rank once has the variance of a uniform one */
    /* Every second one, and one that is not known: 0, 2, ..., 98 without 0. */
    double again[5] = {0};
    asif_rank_histogram half = {.bin = again};
    rank[0] = NAN;
    asif_rank_count(&half, rank, 2, 50, 99, 5);
    assert_int_equal(half.count, 49);
    assert_true(again[0] == 9 && again[4] == 10);
    CHECK_NEAR(half.chi_square, (4 * .2 * .2 + .8 * .8) / 9.8, 1e-12);
}

/* ---- a posterior that is known ---- */

typedef struct {
    double seen, prior_sd;
} toy;

/* mu ~ normal(0, sd), y ~ normal(mu, 1). */
static asif_status toy_density(void *user, const double *x, double *value, double *gradient,
                               asif_error *error) {
    const toy *t = user;
    (void)error, (void)gradient;
    *value = -.5 * (t->seen - x[0]) * (t->seen - x[0]) - .5 * x[0] * x[0] / (t->prior_sd * t->prior_sd);
    return ASIF_OK;
}

/* The p-value of ranks of truths drawn with sd 1, fitted with another. */
static double toy_p(const asif_context *context, double fitted_sd) {
    enum { REPLICATES = 400, RANKS = 99, THIN = 20, BINS = 20 };
    static double rank[REPLICATES];
    double bin[BINS] = {0};
    for (uint32_t i = 0; i < REPLICATES; i++) {
        asif_stream stream = {99, ASIF_FOR_TESTS, i};
        double truth = asif_normal(&stream, 0);
        toy t = {truth + asif_normal(&stream, 1), fitted_sd};
        asif_density density = {.dimension = 1, .evaluate = toy_density, .user = &t};
        asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
        asif_draws *draws = NULL;
        asif_draws_view view = {.struct_size = sizeof view};
        options.method = ASIF_METHOD_METROPOLIS;
        options.chains = 1;
        options.warmup = 200;
        options.draws = RANKS;
        options.thin = THIN;
        options.seed = i;
        assert_int_equal(asif_sample(&draws, context, &density, &options, NULL), ASIF_OK);
        assert_int_equal(asif_draws_get(draws, &view, NULL), ASIF_OK);
        rank[i] = 0;
        for (uint32_t k = 0; k < RANKS; k++)
            rank[i] += view.value[k] < truth;
        asif_draws_free(draws);
    }
    asif_rank_histogram histogram = {.bin = bin};
    asif_rank_count(&histogram, rank, 1, REPLICATES, RANKS, BINS);
    return histogram.p;
}

static void test_toy(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    double right = toy_p(context, 1), wrong = toy_p(context, .5);
    CHECK(right > .01, "ranks of the true prior: p = %g", right);
    CHECK(wrong < .001, "ranks of a prior half as wide: p = %g", wrong);
    asif_context_free(context);
}

/* ---- agents ---- */

typedef struct {
    failing_memory memory;
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_estimate_spec spec[2];
    asif_estimates *estimates;
    asif_plan_options solver;
    asif_fitted fitted;
    char folder[64];
    uint32_t asked, stop_after;
} design;

static bool progress(void *user, const char *what, double done) {
    design *d = user;
    (void)what, (void)done;
    return d->stop_after && ++d->asked > d->stop_after;
}

static void *reallocate(void *user, void *old, size_t size) {
    return failing_reallocate(&((design *)user)->memory, old, size);
}

/* DIAG with alpha and optimism to be estimated. */
static void open_design(design *d) {
    memset(d, 0, sizeof *d);
    d->memory.left = -1;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.progress = progress;
    options.reallocate = reallocate;
    options.user = d;
    assert_int_equal(asif_context_create(&d->context, &options, NULL), ASIF_OK);
    d->setting = make_diag(d->context, NULL);
    assert_int_equal(asif_theta_create(&d->theta, d->context, d->setting, NULL), ASIF_OK);
    d->spec[0] = (asif_estimate_spec){.name = "alpha", .standard = NAN};
    d->spec[1] = (asif_estimate_spec){.name = "beta", .standard = NAN};
    assert_int_equal(asif_estimates_create(&d->estimates, d->context, d->theta, d->spec, 2,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    d->solver = (asif_plan_options)ASIF_PLAN_OPTIONS_INIT;
    d->solver.resolution = 10;
    d->solver.tol = 1e-9;
    d->fitted = (asif_fitted)ASIF_FITTED_INIT;
    d->fitted.context = d->context;
    d->fitted.solver = &d->solver;
    d->fitted.setting = d->setting;
    d->fitted.given = d->theta;
    d->fitted.spec = d->spec;
    d->fitted.specs = 2;
    d->fitted.estimates = d->estimates;
    strcpy(d->folder, "calibrate-XXXXXX");
    assert_non_null(mkdtemp(d->folder));
}

static void close_design(design *d) {
    char path[96];
    snprintf(path, sizeof path, "%s/replicates.csv", d->folder);
    unlink(path);
    rmdir(d->folder);
    asif_estimates_free(d->estimates);
    asif_theta_free(d->theta);
    asif_setting_free(d->setting);
    asif_context_free(d->context);
    assert_int_equal(d->memory.alive, 0);
}

static asif_calibrate_options few(void) {
    asif_calibrate_options options = ASIF_RECOVER_OPTIONS_INIT;
    options.method = ASIF_FIT_MAP;
    options.replicates = 4;
    options.episodes = 30;
    options.max_steps = 10;
    options.starts = 2;
    return options;
}

static char *recovered(design *d, const asif_calibrate_options *options) {
    asif_recover *recover = NULL;
    asif_error error = ASIF_ERROR_INIT;
    char *json = NULL;
    if (asif_recover_run(&recover, &d->fitted, options, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(asif_recover_json(&json, recover, NULL), ASIF_OK);
    asif_recover_free(recover);
    return json;
}

static asif_status refused(design *d, const asif_calibrate_options *options, asif_error *error) {
    asif_recover *recover = NULL;
    asif_status status = asif_recover_run(&recover, &d->fitted, options, error);
    assert_null(recover);
    return status;
}

/* Cancelled, gone on with, and asked for more: as if it had been one run. Another key is refused, and so is a
 * damaged file. */
static void test_resume(void **state) {
    (void)state;
    design d;
    open_design(&d);
    asif_calibrate_options options = few();
    asif_error error = ASIF_ERROR_INIT;
    char *whole = recovered(&d, &options);
    options.folder = d.folder;
    options.key = "one";
    d.stop_after = 3;
    assert_int_equal(refused(&d, &options, &error), ASIF_ECANCELLED);
    d.stop_after = 0;
    options.replicates = 2;
    asif_memory_free(d.context, recovered(&d, &options));
    options.replicates = 4;
    char *resumed = recovered(&d, &options), *again = recovered(&d, &options);
    assert_string_equal(whole, resumed);
    assert_string_equal(whole, again);
    options.key = "another";
    assert_int_equal(refused(&d, &options, &error), ASIF_EINVALID);
    options.key = "one";
    char path[96], *text = NULL;
    uint64_t length;
    snprintf(path, sizeof path, "%s/replicates.csv", d.folder);
    assert_int_equal(asif_os_read_file(&text, &length, d.context, path, NULL), ASIF_OK);
    assert_int_equal(asif_file_write(d.context, path, text, length - 7, NULL, NULL), ASIF_OK);
    assert_int_equal(refused(&d, &options, &error), ASIF_EPARSE);
    assert_true(error.line == 6);
    asif_memory_free(d.context, text);
    asif_memory_free(d.context, whole);
    asif_memory_free(d.context, resumed);
    asif_memory_free(d.context, again);
    close_design(&d);
}

/* Truths that are stated are those that are simulated. */
static void test_truths(void **state) {
    (void)state;
    design d;
    open_design(&d);
    asif_calibrate_options options = few();
    asif_error error = ASIF_ERROR_INIT;
    asif_truth truth[] = {{"alpha", .5}, {"beta", 1.25}};
    options.truth = truth;
    options.truths = 2;
    asif_replicates replicates;
    assert_int_equal(asif_replicates_create(&replicates, &d.fitted, NULL, &options, NULL), ASIF_OK);
    assert_int_equal(asif_replicate_make(&replicates, 1, NULL), ASIF_OK);
    CHECK_NEAR(asif_replicate_number(&replicates, 1, 0)[ASIF_KEPT_TRUTH], log(.5), 1e-12);
    CHECK_NEAR(asif_replicate_number(&replicates, 1, 1)[ASIF_KEPT_TRUTH], .8, 1e-12);
    asif_replicates_free(&replicates);
    truth[0].value = 0;
    assert_int_equal(refused(&d, &options, &error), ASIF_EDOMAIN);
    truth[0] = (asif_truth){"eta", 1};
    assert_int_equal(refused(&d, &options, &error), ASIF_EUNKNOWN);
    close_design(&d);
}

/* Half the standard deviation is half the width of the interval, on the line. */
static void test_wrong_prior(void **state) {
    (void)state;
    design d;
    open_design(&d);
    asif_estimates *wrong;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_prior_scaled(&wrong, &d.fitted, .5, NULL), ASIF_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const asif_estimate_info *a = asif_estimates_get(d.estimates, i), *b = asif_estimates_get(wrong, i);
        assert_string_equal(a->name, b->name);
        CHECK_NEAR(b->prior_q50, a->prior_q50, 1e-12);
        CHECK_NEAR(b->prior_q95 - b->prior_q05, .5 * (a->prior_q95 - a->prior_q05), 1e-9);
    }
    asif_estimates_free(wrong);
    d.spec[0] = (asif_estimate_spec){.name = "discount", .standard = NAN};
    asif_theta_set(d.theta, "alpha", .5, NULL);
    asif_estimates_free(d.estimates);
    assert_int_equal(
        asif_estimates_create(&d.estimates, d.context, d.theta, d.spec, 2, ASIF_PRIORS_STATED, NULL, NULL),
        ASIF_OK);
    d.fitted.estimates = d.estimates;
    assert_int_equal(asif_prior_scaled(&wrong, &d.fitted, .5, &error), ASIF_EUNSUPPORTED);
    close_design(&d);
}

static void test_options(void **state) {
    (void)state;
    design d;
    open_design(&d);
    asif_sbc *sbc = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_calibrate_options options = ASIF_SBC_OPTIONS_INIT;
    options.bins = 7;
    assert_int_equal(asif_sbc_run(&sbc, &d.fitted, &options, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.hint, "97 draws"));
    options = (asif_calibrate_options)ASIF_SBC_OPTIONS_INIT;
    options.method = ASIF_FIT_MAP;
    assert_int_equal(asif_sbc_run(&sbc, &d.fitted, &options, &error), ASIF_EDOMAIN);
    options = few();
    options.replicates = 0;
    assert_int_equal(refused(&d, &options, &error), ASIF_EDOMAIN);
    options = few();
    options.method = ASIF_FIT_PUBLISHED;
    assert_int_equal(refused(&d, &options, &error), ASIF_EDOMAIN);
    close_design(&d);
}

/* Without memory: a status, and nothing is left behind. */
static void test_memory(void **state) {
    (void)state;
    design d;
    open_design(&d);
    asif_calibrate_options options = ASIF_SBC_OPTIONS_INIT;
    options.replicates = 1;
    options.episodes = 3;
    options.max_steps = 5;
    options.warmup = 20;
    options.ranks = 9;
    options.bins = 2;
    options.starts = 1;
    options.folder = d.folder;
    options.wrong_prior = .5;
    long alive = d.memory.alive;
    asif_status status = ASIF_ENOMEM;
    char path[96];
    snprintf(path, sizeof path, "%s/replicates.csv", d.folder);
    for (long left = 0; status == ASIF_ENOMEM; left += left / 8 + 1) {
        asif_sbc *sbc = NULL;
        char *json = NULL;
        unlink(path);
        d.memory.left = left;
        status = asif_sbc_run(&sbc, &d.fitted, &options, NULL);
        if (status == ASIF_OK)
            status = asif_sbc_json(&json, sbc, NULL);
        d.memory.left = -1;
        asif_memory_free(d.context, json);
        asif_sbc_free(sbc);
        assert_int_equal(d.memory.alive, alive);
    }
    assert_int_equal(status, ASIF_OK);
    close_design(&d);
}

/* Every fit fails, as one backup does not solve an agent. If memory runs out after the first of them, the
 * message is about memory. */
static void test_memory_after_failure(void **state) {
    (void)state;
    design d;
    open_design(&d);
    asif_calibrate_options options = few();
    d.solver.max_backups = 1;
    asif_status status = ASIF_ENOMEM;
    int ran_out = 0;
    for (long left = 0; status == ASIF_ENOMEM; left++, ran_out++) {
        asif_error error = ASIF_ERROR_INIT;
        d.memory.left = left;
        status = refused(&d, &options, &error);
        d.memory.left = -1;
        CHECK(error.status == status, "%d and %d: %s", (int)status, (int)error.status, error.message);
    }
    assert_true(ran_out > 4 && status != ASIF_OK);
    close_design(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chance),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_toy),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_truths),
        cmocka_unit_test(test_wrong_prior),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_after_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
