/* Fits of DIAG with one unknown, against searches and sums on a grid that know nothing of gradients or
 * chains. */
#include "check.h"
#include "fit/fit.h"
#include "inverse/inverse.h"
#include "problems.h"

#include "asif.h"
#include "base/text.h"
#include "runs/whole_fit.h"
#include "sample/draws.h"

#include <string.h>

#define GRID 400
#define LOW (-8.0)
#define HIGH 3.0

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta; /* without alpha */
    asif_work *work;
    asif_estimates *estimates;
    asif_tree *tree;
} problem;

static asif_status take(void *user, const char *data, uint64_t length) {
    asif_text_add_n(user, data, length);
    return ASIF_OK;
}

/* Logs of the agent with this alpha, optimism .8 and eta 0. */
static void make_logs(problem *p, double alpha, uint64_t episodes) {
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_text text = {.context = p->context};
    asif_theta *theta = NULL;
    options.episodes = episodes;
    options.seed = 11;
    reading.setting = p->setting;
    assert_int_equal(asif_theta_copy(&theta, p->theta, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", alpha, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->work, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulate_csv(asif_work_behavior(p->work), &options, take, &text, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(
        asif_logs_read_text(&p->tree, p->context, text.data, text.length, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    asif_text_free(&text);
    asif_theta_free(theta);
}

static void open_problem(problem *p, const asif_context_options *options, double alpha, uint64_t episodes,
                         asif_priors priors) {
    const asif_estimate_spec spec = {.name = "alpha", .standard = NAN};
    asif_error error = ASIF_ERROR_INIT;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, options, NULL), ASIF_OK);
    p->setting = make_diag(p->context, &error);
    assert_non_null(p->setting);
    assert_int_equal(asif_theta_create(&p->theta, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->theta, "optimism", .8, NULL), ASIF_OK);
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    plan.resolution = 50;
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, p->setting, &plan, &error), ASIF_OK);
    make_logs(p, alpha, episodes);
    CHECK(asif_estimates_create(&p->estimates, p->context, p->theta, &spec, 1, priors, NULL, &error) ==
              ASIF_OK,
          "%s", error.message);
}

static void close_problem(problem *p) {
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

/* Log-likelihood at a log alpha, by planning and walking the tree. */
static double loglik(const problem *p, double log_alpha) {
    asif_theta *theta = NULL;
    double total = NAN;
    assert_int_equal(asif_theta_copy(&theta, p->theta, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", exp(log_alpha), NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->work, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(p->work), p->tree, NULL, NULL), ASIF_OK);
    asif_theta_free(theta);
    return total;
}

/* The default prior: log(alpha/D) ~ normal(log .01, 1.5), D = 46. */
static double log_prior(double log_alpha) {
    double z = (log_alpha - log(.01 * 46)) / 1.5;
    return -.5 * z * z - log(1.5) - .5 * log(2 * 3.14159265358979323846);
}

static double value_at(const problem *p, double x, bool prior) {
    return loglik(p, x) + (prior ? log_prior(x) : 0);
}

/* The best point of a grid, refined by thirds. */
static double search(const problem *p, bool prior) {
    double best = LOW, most = -INFINITY, step = (HIGH - LOW) / 60;
    for (int i = 0; i <= 60; i++) {
        double value = value_at(p, LOW + i * step, prior);
        if (value > most) {
            most = value;
            best = LOW + i * step;
        }
    }
    double low = best - step, high = best + step;
    for (int i = 0; i < 60; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (value_at(p, a, prior) < value_at(p, b, prior))
            low = a;
        else
            high = b;
    }
    return (low + high) / 2;
}

static void fit(asif_fit **out, asif_fit_view *view, const problem *p, const asif_fit_options *options) {
    asif_error error = ASIF_ERROR_INIT;
    asif_status status =
        asif_fit_estimate(out, p->context, p->work, p->estimates, p->tree, options, NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    view->struct_size = sizeof *view;
    assert_int_equal(asif_fit_get(*out, view, NULL), ASIF_OK);
}

static void check_maximum(asif_fit_method method) {
    problem p;
    asif_fit *made = NULL;
    asif_fit_view view;
    asif_fit_options options;
    bool prior = method == ASIF_FIT_MAP;
    open_problem(&p, NULL, .5, 150, ASIF_PRIORS_STATED);
    asif_fit_defaults(&options, method);
    fit(&made, &view, &p, &options);
    double x = search(&p, prior), h = .05;
    double curvature =
        -(value_at(&p, x + h, prior) - 2 * value_at(&p, x, prior) + value_at(&p, x - h, prior)) / (h * h);
    const asif_fit_parameter *n = view.parameter;
    assert_int_equal(view.parameters, 1);
    assert_string_equal(n->info->name, "log_alpha");
    CHECK_NEAR(n->maximum, x, 1e-4);
    CHECK_NEAR(n->summary.mean, x, 1e-4);
    CHECK_NEAR(n->summary.sd, 1 / sqrt(curvature), .02);
    CHECK_NEAR(n->summary.q95 - n->summary.q05, 2 * 1.6448536 / sqrt(curvature), .02);
    CHECK_NEAR(view.log_likelihood, loglik(&p, x), 1e-7);
    if (prior)
        CHECK_NEAR(view.log_posterior, loglik(&p, x) + log_prior(x), 1e-7);
    else
        assert_true(isnan(view.log_posterior));
    assert_null(view.draws);
    assert_true(isnan(n->contraction));
    assert_int_equal(n->identified, ASIF_IDENTIFIED_UNKNOWN);
    assert_true(n->walked);
    assert_false(n->flat_below || n->flat_above);
    assert_true(view.trusted);
    asif_fit_free(made);
    close_problem(&p);
}

static void test_map(void **state) {
    (void)state;
    check_maximum(ASIF_FIT_MAP);
}

static void test_ml(void **state) {
    (void)state;
    check_maximum(ASIF_FIT_ML);
}

/* Mean and sd of the posterior against a sum over a grid. */
static void check_draws(asif_fit_method method, uint64_t short_warmup, uint64_t warmup) {
    problem p;
    asif_fit *made = NULL;
    asif_fit_view view;
    asif_fit_options options;
    open_problem(&p, NULL, .5, 100, ASIF_PRIORS_STATED);
    asif_fit_defaults(&options, method);
    options.sample.chains = 2;
    options.sample.warmup = 300;
    options.sample.draws = 500;
    options.short_warmup = short_warmup;
    fit(&made, &view, &p, &options);
    asif_draws_view draws = {.struct_size = sizeof draws};
    assert_int_equal(asif_draws_get(view.draws, &draws, NULL), ASIF_OK);
    assert_int_equal(draws.warmup, warmup);
    double value[GRID + 1], most = -INFINITY, sum = 0, mean = 0, square = 0, mode = search(&p, true);
    for (int i = 0; i <= GRID; i++) {
        value[i] = value_at(&p, mode + (i - GRID / 2) * 1.5 / (GRID / 2), true);
        most = fmax(most, value[i]);
    }
    for (int i = 0; i <= GRID; i++) {
        double x = mode + (i - GRID / 2) * 1.5 / (GRID / 2), w = exp(value[i] - most);
        sum += w;
        mean += w * x;
        square += w * x * x;
    }
    mean /= sum;
    double sd = sqrt(square / sum - mean * mean);
    const asif_fit_parameter *n = view.parameter;
    CHECK_NEAR(n->summary.mean, mean, 4 * n->summary.mcse_mean);
    CHECK_NEAR(n->summary.sd, sd, 4 * n->summary.mcse_sd);
    CHECK(method == ASIF_FIT_RIDGE ? isnan(n->summary.rhat) : n->summary.rhat < 1.05, "R-hat %g",
          n->summary.rhat);
    CHECK(method == ASIF_FIT_NUTS || view.trusted, "k-hat %g, Kish %g", view.trust.khat, view.trust.kish);
    double width = n->summary.q95 - n->summary.q05, prior = 2 * 1.6448536 * 1.5;
    CHECK_NEAR(n->contraction, 1 - width * width / (prior * prior), 1e-6);
    assert_int_equal(n->identified, ASIF_IDENTIFIED_YES);
    assert_non_null(view.draws);
    /* Predictions are those of the draws around the maximum. */
    assert_true(view.histories > 0);
    for (uint32_t h = 0; h < view.histories; h++)
        for (int u = 0; u < 3; u++) {
            const asif_fit_history *history = &view.history[h];
            assert_true(history->q05[u] <= history->q95[u]);
            CHECK(history->predicted[u] >= 0 && history->predicted[u] <= 1, "%g", history->predicted[u]);
        }
    asif_fit_free(made);
    close_problem(&p);
}

static void test_nuts(void **state) {
    (void)state;
    check_draws(ASIF_FIT_NUTS, 0, 300);
}

/* The ridge of this posterior is good, so that warm-up may be shorter; but it never becomes longer. */
static void test_short_warmup(void **state) {
    (void)state;
    check_draws(ASIF_FIT_NUTS, 120, 120);
    check_draws(ASIF_FIT_NUTS, 500, 300);
}

static void test_ridge(void **state) {
    (void)state;
    check_draws(ASIF_FIT_RIDGE, 0, 0);
}

/* At the maximum the prediction is the policy there; what was observed are the counts. */
static void test_histories(void **state) {
    (void)state;
    problem p;
    asif_fit *made = NULL;
    asif_fit_view view;
    asif_fit_options options;
    asif_tree_view tree = {.struct_size = sizeof tree};
    open_problem(&p, NULL, .5, 150, ASIF_PRIORS_STATED);
    asif_fit_defaults(&options, ASIF_FIT_MAP);
    options.histories = 4;
    fit(&made, &view, &p, &options);
    assert_int_equal(asif_tree_get(p.tree, &tree, NULL), ASIF_OK);
    assert_int_equal(view.histories, 4);
    assert_int_equal(view.history[0].node, 0);
    CHECK_NEAR(view.history[0].decisions, 150, 0);
    loglik(&p, view.parameter[0].maximum); /* plans there */
    const asif_behavior *behavior = asif_work_behavior(p.work);
    for (uint32_t h = 0; h < 4; h++) {
        uint32_t node = view.history[h].node;
        double belief[2], log_policy[3], sum = 0;
        if (h > 0)
            assert_true(view.history[h].decisions <= view.history[h - 1].decisions);
        asif_behavior_init(behavior, 0, ASIF_ANY, belief);
        if (node > 0 && tree.parent[node] == 0)
            assert_int_equal(asif_behavior_step(behavior, 1, belief, &tree.action[node],
                                                &tree.observation[node], belief, NULL),
                             ASIF_OK);
        else if (node > 0)
            continue;
        assert_int_equal(asif_behavior_log_policy(behavior, 1, belief, log_policy, NULL), ASIF_OK);
        for (uint32_t u = 0; u < 3; u++) {
            CHECK_NEAR(view.history[h].predicted[u], exp(log_policy[u]), 1e-9);
            CHECK_NEAR(view.history[h].observed[u] * view.history[h].decisions, tree.count[node * 3 + u],
                       1e-12);
            assert_true(isnan(view.history[h].q05[u]));
            sum += view.history[h].observed[u];
        }
        CHECK_NEAR(sum, 1, 1e-12);
    }
    asif_fit_free(made);
    close_problem(&p);
}

/* Logs without a mistake do not tell how small alpha is. */
static void test_bound(void **state) {
    (void)state;
    static const asif_fit_method methods[] = {ASIF_FIT_MAP, ASIF_FIT_ML};
    for (size_t i = 0; i < 2; i++) {
        problem p;
        asif_fit *made = NULL;
        asif_fit_view view;
        asif_fit_options options;
        open_problem(&p, NULL, 1e-5, 100, ASIF_PRIORS_STATED);
        asif_fit_defaults(&options, methods[i]);
        fit(&made, &view, &p, &options);
        assert_true(view.parameter[0].walked);
        assert_true(view.parameter[0].flat_below);
        assert_false(view.parameter[0].flat_above);
        asif_fit_free(made);
        close_problem(&p);
    }
}

static void test_published(void **state) {
    (void)state;
    problem p;
    asif_fit *made = NULL;
    asif_fit_view view;
    asif_fit_options options;
    open_problem(&p, NULL, .5, 50, ASIF_PRIORS_PUBLISHED);
    asif_fit_defaults(&options, ASIF_FIT_PUBLISHED);
    assert_int_equal(options.sample.chains, 1);
    assert_int_equal(options.sample.thin, 10);
    options.sample.warmup = 100;
    options.sample.draws = 100;
    fit(&made, &view, &p, &options);
    assert_false(view.maximised);
    assert_true(isnan(view.parameter[0].contraction));
    assert_int_equal(view.parameter[0].identified, ASIF_IDENTIFIED_UNKNOWN);
    asif_draws_view draws = {.struct_size = sizeof draws};
    assert_int_equal(asif_draws_get(view.draws, &draws, NULL), ASIF_OK);
    assert_int_equal(draws.draws, 100);
    asif_fit_free(made);
    close_problem(&p);
}

static char *json_of(uint32_t threads, asif_fit_method method) {
    problem p;
    asif_fit *made = NULL;
    asif_fit_view view;
    asif_fit_options options;
    asif_fit_about about = ASIF_FIT_ABOUT_INIT;
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    context.threads = threads;
    open_problem(&p, &context, .5, 30, ASIF_PRIORS_STATED);
    asif_fit_defaults(&options, method);
    options.sample.chains = 2;
    options.sample.warmup = options.sample.draws = 100;
    fit(&made, &view, &p, &options);
    about.title = "T";
    about.given = p.theta;
    char *text = NULL, *copy;
    assert_int_equal(asif_fit_json(&text, made, &about, NULL), ASIF_OK);
    copy = strdup(text);
    asif_memory_free(p.context, text);
    asif_fit_free(made);
    close_problem(&p);
    return copy;
}

static void test_same_for_any_threads(void **state) {
    (void)state;
    char *one = json_of(1, ASIF_FIT_NUTS), *three = json_of(3, ASIF_FIT_NUTS);
    assert_string_equal(one, three);
    /* The keys of the contract, in their order. */
    static const char *const keys[] = {"\"mean\"",        "\"sd\"",         "\"q05\"",      "\"q50\"",
                                       "\"q95\"",         "\"rhat\"",       "\"ess_bulk\"", "\"ess_tail\"",
                                       "\"contraction\"", "\"identified\"", "\"bound\""};
    const char *at = strstr(one, "\"log_alpha\": {");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *next = at ? strstr(at, keys[i]) : NULL;
        CHECK(next, "%s is not in its place", keys[i]);
        at = next;
    }
    assert_non_null(strstr(one, "\"given\": {\n    \"beta\": 1.25,"));
    free(one);
    free(three);
}

static bool stop(void *user, const char *what, double done) {
    (void)what, (void)done;
    int *left = user;
    return --*left < 0;
}

static void test_cancelled(void **state) {
    (void)state;
    for (int left = 0; left < 2000; left = 2 * left + 1) {
        problem p;
        asif_fit *made = NULL;
        asif_fit_options options;
        asif_error error = ASIF_ERROR_INIT;
        asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
        int counter = 1 << 30;
        context.progress = stop;
        context.user = &counter;
        open_problem(&p, &context, .5, 30, ASIF_PRIORS_STATED);
        asif_fit_defaults(&options, ASIF_FIT_NUTS);
        options.sample.chains = 1;
        options.sample.warmup = options.sample.draws = 50;
        counter = left;
        asif_status status =
            asif_fit_estimate(&made, p.context, p.work, p.estimates, p.tree, &options, NULL, &error);
        CHECK(status == ASIF_ECANCELLED || (status == ASIF_OK && left > 1), "after %d: %d %s", left, status,
              error.message);
        asif_fit_free(made);
        close_problem(&p);
    }
}

static void test_memory(void **state) {
    (void)state;
    bool succeeded = false;
    for (long left = 0; !succeeded; left += 1 + left / 8) {
        failing_memory memory = {.left = -1};
        asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
        problem p;
        asif_fit *made = NULL;
        asif_fit_options options;
        char *text = NULL;
        context.reallocate = failing_reallocate;
        context.user = &memory;
        open_problem(&p, &context, .5, 10, ASIF_PRIORS_STATED);
        asif_fit_defaults(&options, ASIF_FIT_NUTS);
        options.starts = 1;
        options.sample.chains = 1;
        options.sample.warmup = options.sample.draws = 20;
        options.predictive = 5;
        memory.left = left;
        asif_status status =
            asif_fit_estimate(&made, p.context, p.work, p.estimates, p.tree, &options, NULL, NULL);
        if (status == ASIF_OK)
            status = asif_fit_json(&text, made, NULL, NULL);
        memory.left = -1;
        succeeded = status == ASIF_OK;
        CHECK(succeeded || status == ASIF_ENOMEM, "after %ld allocations: %s", left,
              asif_status_text(status));
        asif_memory_free(p.context, text);
        asif_fit_free(made);
        close_problem(&p);
        assert_int_equal(memory.alive, 0);
    }
}

/* A leap may land anywhere: no place is an error, and where derivatives overflow it is outside. */
static void test_far_out(void **state) {
    (void)state;
    problem p;
    asif_target *target = NULL;
    open_problem(&p, NULL, .5, 50, ASIF_PRIORS_STATED);
    assert_int_equal(asif_target_create(&target, p.work, p.estimates, p.tree, NULL, NULL), ASIF_OK);
    const asif_density *density = asif_target_density(target);
    double outside = 0;
    for (double x = 700; x >= -750; x -= 25) {
        asif_error error = ASIF_ERROR_INIT;
        double value = NAN, gradient = NAN;
        asif_status status = density->evaluate(density->user, &x, &value, &gradient, &error);
        CHECK(status == ASIF_OK, "at %g: %s", x, error.message);
        CHECK(value == -INFINITY || (isfinite(value) && isfinite(gradient)), "at %g: %g, %g", x, value,
              gradient);
        outside += value == -INFINITY;
    }
    assert_true(outside > 0);
    asif_target_free(target);
    close_problem(&p);
}

static void test_options(void **state) {
    (void)state;
    problem p;
    asif_fit *made = NULL;
    asif_fit_options options;
    open_problem(&p, NULL, .5, 5, ASIF_PRIORS_STATED);
    asif_fit_defaults(&options, ASIF_FIT_NUTS);
    options.sample.chains = 0;
    assert_int_equal(asif_fit_estimate(&made, p.context, p.work, p.estimates, p.tree, &options, NULL, NULL),
                     ASIF_EDOMAIN);
    options.sample.chains = 1;
    options.struct_size = 0;
    assert_int_equal(asif_fit_estimate(&made, p.context, p.work, p.estimates, p.tree, &options, NULL, NULL),
                     ASIF_EDOMAIN);
    assert_null(made);
    assert_null(asif_fit_method_text((asif_fit_method)7));
    asif_fit_free(NULL);
    close_problem(&p);
}

/* A draw without a finite density leaves the power-scaling sensitivities unknown, and does not fail a fit. */
static void test_power(void **state) {
    (void)state;
    problem p;
    asif_fit *made = NULL;
    asif_fit_options options;
    open_problem(&p, NULL, .5, 20, ASIF_PRIORS_STATED);
    asif_fit_defaults(&options, ASIF_FIT_RIDGE);
    options.sample.draws = 100;
    assert_int_equal(asif_fit_estimate(&made, p.context, p.work, p.estimates, p.tree, &options, NULL, NULL),
                     ASIF_OK);
    asif_fit_parameter *number = made->parameter;
    assert_true(isfinite(number->prior_sensitivity) && isfinite(number->likelihood_sensitivity));
    number->prior_sensitivity = number->likelihood_sensitivity = NAN;
    asif_draws_stats(made->draws, ASIF_STAT_LP, 1)[7] = -INFINITY;
    assert_int_equal(asif_fit_power(made, false, NULL), ASIF_OK);
    assert_true(isnan(number->prior_sensitivity) && isnan(number->likelihood_sensitivity));
    assert_null(asif_power_text(number));
    asif_fit_free(made);
    close_problem(&p);
}

static void test_digest(void **state) {
    (void)state;
    char digest[ASIF_DIGEST_SIZE];
    asif_digest_bytes(digest, "abc", 3); /* FIPS 180-4, example B.1 */
    assert_string_equal(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(asif_digest_file(digest, "no such file", NULL), ASIF_ENOFILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),       cmocka_unit_test(test_ml),
        cmocka_unit_test(test_nuts),      cmocka_unit_test(test_short_warmup),
        cmocka_unit_test(test_ridge),     cmocka_unit_test(test_histories),
        cmocka_unit_test(test_bound),     cmocka_unit_test(test_published),
        cmocka_unit_test(test_cancelled), cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_options),
        cmocka_unit_test(test_power),     cmocka_unit_test(test_digest),
        cmocka_unit_test(test_far_out),
    };
    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
