/* Identification: rivals of a choice whose divergence has a closed form, logs of DIAG counted by hand, and
 * what can go wrong. */
#include "check.h"
#include "problems.h"
#include "questions/identify/identify.h"

#include "acting/simulated.h"
#include "logs/tree/tree.h"
#include "questions/identify/rival.h"

#include <math.h>
#include <string.h>

/* One choice between a, worth x, and b, worth 0: the odds of a are exp(x / alpha). What comes after it
 * cancels. */
static const char choice[] =
    "asif: 1\n"
    "states: [s, t]\n"
    "actions: [a, b]\n"
    "observations: [nothing]\n"
    "environment: {transitions: reset, start: uniform, emissions: uniform, ends: [a, b]}\n"
    "agent: {discount: 0.5, utility: {a: x, b: 0}, parameters: {alpha: learn, x: 1}}\n"
    "solver: {resolution: 4}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_theta *agent;
    asif_work *work;
    asif_estimate_spec spec[4];
    asif_estimates *estimates;
    asif_fitted fitted;
} design;

static asif_status open_design(design *d, const char *text, uint32_t threads, failing_memory *memory) {
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    memset(d, 0, sizeof *d);
    options.threads = threads;
    if (memory) {
        options.reallocate = failing_reallocate;
        options.user = memory;
    }
    asif_status status = asif_context_create(&d->context, &options, &error);
    if (status == ASIF_OK)
        status = asif_study_read(&d->study, d->context, text, strlen(text), "design", NULL, &error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&d->agent, asif_study_theta(d->study), &error);
    if (status == ASIF_OK)
        status = asif_work_create(&d->work, d->context, NULL, asif_study_setting(d->study),
                                  asif_study_solver(d->study), &error);
    if (status == ASIF_OK)
        status = asif_estimates_create(&d->estimates, d->context, asif_study_theta(d->study), d->spec,
                                       asif_study_estimates(d->study, d->spec, 4), ASIF_PRIORS_STATED, NULL,
                                       &error);
    d->fitted = (asif_fitted)ASIF_FITTED_INIT;
    d->fitted.context = d->context;
    if (status == ASIF_OK)
        d->fitted.setting = asif_study_setting(d->study);
    if (status == ASIF_OK)
        d->fitted.given = asif_study_theta(d->study);
    d->fitted.estimates = d->estimates;
    d->fitted.work = d->work;
    d->fitted.seed = 3;
    return status;
}

static void close_design(design *d) {
    asif_estimates_free(d->estimates);
    asif_work_free(d->work);
    asif_theta_free(d->agent);
    asif_study_free(d->study);
    asif_context_free(d->context);
}

static void set(asif_theta *theta, const char *name, double value) {
    assert_int_equal(asif_theta_set(theta, name, value, NULL), ASIF_OK);
}

/* ---- figures ---- */

static void test_judge(void **state) {
    (void)state;
    static const double none[4] = {0}, same[4] = {1, 1, 1, 1}, mixed[4] = {.1, .3, .1, .3},
                        noise[4] = {-1, 1, -1, 1.2}, odd[4] = {0, 1, 0, 0},
                        tiny[4] = {1e-12, 1e-12, 1e-12, 1e-12};
    asif_rival_result r;
    asif_rival_judge(&r, same, none, 4);
    assert_true(r.told && r.nats == 1000 && r.nats_error == 0 && r.needed == 10 && r.needed_most == 10);
    /* Mean .2; sd of these four .1154..., by 2. */
    asif_rival_judge(&r, mixed, none, 4);
    double error = sqrt(4 * .01 / 3) / 2;
    CHECK_NEAR(r.nats, 200, 1e-12);
    CHECK_NEAR(r.nats_error, 1000 * error, 1e-12);
    assert_true(r.told);
    CHECK_NEAR(r.needed, 50, 1e-12);
    CHECK_NEAR(r.needed_least, 10 / (.2 + 2 * error), 1e-12);
    CHECK_NEAR(r.needed_most, 10 / (.2 - 2 * error), 1e-12);
    asif_rival_judge(&r, noise, none, 4);
    assert_true(!r.told && isnan(r.needed) && r.needed_least > 0 && r.needed_least < 10 &&
                isinf(r.needed_most));
    /* Differences of rounding are none, and no number of logs would do. */
    asif_rival_judge(&r, none, none, 4);
    assert_true(!r.told && isinf(r.needed_least));
    asif_rival_judge(&r, tiny, none, 4);
    assert_true(!r.told && isinf(r.needed_least));
    asif_rival_judge(&r, same, odd, 4);
    assert_true(r.told && isinf(r.nats) && r.impossible == .25 && r.needed == 4);
}

/* A stated rival: the divergence of two coins, the same in every log. A rival with another scale of
 * everything: none at all. */
static void test_choice(void **state) {
    (void)state;
    design d;
    assert_int_equal(open_design(&d, choice, 1, NULL), ASIF_OK);
    set(d.agent, "alpha", .5);
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_identify *made = NULL;
    asif_identify_view view = {.struct_size = sizeof view};
    asif_theta *bolder = NULL, *cheaper = NULL;
    asif_estimates *free_alpha = NULL;
    assert_int_equal(asif_theta_copy(&bolder, d.agent, NULL), ASIF_OK);
    assert_int_equal(asif_theta_copy(&cheaper, asif_study_theta(d.study), NULL), ASIF_OK);
    set(bolder, "alpha", 1);
    set(cheaper, "x", .25);
    assert_int_equal(
        asif_estimates_create(&free_alpha, d.context, cheaper, d.spec, 1, ASIF_PRIORS_STATED, NULL, NULL),
        ASIF_OK);
    asif_rival rival[3] = {ASIF_RIVAL_INIT, ASIF_RIVAL_INIT, ASIF_RIVAL_INIT};
    for (int i = 0; i < 3; i++)
        rival[i].work = d.work;
    rival[0].given = bolder;
    rival[1].given = cheaper;
    rival[1].estimates = free_alpha;
    rival[2].given = d.agent;
    options.agent = d.agent;
    options.rivals_only = true;
    options.rival_episodes = 500;
    assert_int_equal(asif_identify_run(&made, &d.fitted, &options, rival, 3, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_identify_get(made, &view, NULL), ASIF_OK);
    assert_true(view.rivals == 3 && !view.fit && view.stated);
    double p = 1 / (1 + exp(-2.0)), q = 1 / (1 + exp(-1.0));
    double nats = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
    CHECK_NEAR(view.rival[0].nats, 1000 * nats, 1e-9);
    CHECK_NEAR(view.rival[0].nats_error, 0, 1e-9);
    CHECK_NEAR(view.rival[0].needed, 10 / nats, 1e-9);
    assert_true(view.rival[0].told && !view.rival[0].best);
    CHECK_NEAR(view.rival[0].agent_log_likelihood, 500 * (p * log(p) + (1 - p) * log(1 - p)), 1e-9);
    CHECK_NEAR(view.rival[0].log_likelihood, 500 * (p * log(q) + (1 - p) * log(1 - q)), 1e-9);
    assert_false(view.rival[1].told);
    CHECK_NEAR(view.rival[1].nats, 0, 1e-6);
    CHECK_NEAR(exp(view.rival[1].best[0]), .125, 1e-4);
    assert_true(!view.rival[2].told && view.rival[2].nats == 0 && isinf(view.rival[2].needed_least));
    asif_identify_free(made);
    asif_estimates_free(free_alpha);
    asif_theta_free(cheaper);
    asif_theta_free(bolder);
    close_design(&d);
}

/* A tree of three episodes of the first start class and one of the second, each with an observation before
 * its only decision. */
static asif_tree *seen_first(const asif_context *context) {
    static const char *const action[] = {"a", "b"}, *const observation[] = {"nothing"};
    const asif_tree_labels labels = {2, 1, action, observation};
    asif_tree_builder *builder;
    asif_tree *tree = NULL;
    assert_int_equal(asif_tree_begin(&builder, context, 2, false, NULL), ASIF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(asif_tree_episode(builder, i == 3, ASIF_NO_UNIT, NULL), ASIF_OK);
        assert_int_equal(asif_tree_move(builder, 0, 0, i + 1, NULL), ASIF_OK);
        assert_int_equal(asif_tree_act(builder, 0, 1, i + 1, NULL), ASIF_OK);
    }
    assert_int_equal(asif_tree_finish(&tree, builder, &labels, NULL, NULL, NULL, NULL, NULL), ASIF_OK);
    return tree;
}

/* Start classes come in the shares of the logs: in the second class a is worth nothing, and all agents toss a
 * coin. */
static void test_shares(void **state) {
    (void)state;
    static const char text[] =
        "asif: 1\n"
        "states: [s, t]\n"
        "actions: [a, b]\n"
        "observations: [nothing]\n"
        "environment: {transitions: reset, start: {by: kind, one: s, two: t}, reset: uniform, emissions: "
        "uniform, "
        "ends: [a, b]}\n"
        "agent: {discount: 0.5, utility: {a: {s: 1, t: 0}, b: 0}, parameters: {alpha: learn}}\n"
        "solver: {resolution: 4}\n";
    static const uint64_t episodes[] = {300, 100};
    design d;
    assert_int_equal(open_design(&d, text, 1, NULL), ASIF_OK);
    set(d.agent, "alpha", .5);
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_simulated_options growing = {.episodes = episodes, .seed = 1, .max_steps = 10};
    asif_rival rival = ASIF_RIVAL_INIT;
    asif_theta *bolder = NULL;
    asif_tree *tree[3] = {NULL, NULL, seen_first(d.context)};
    assert_int_equal(asif_theta_copy(&bolder, d.agent, NULL), ASIF_OK);
    set(bolder, "alpha", 1);
    assert_int_equal(asif_solve(d.work, d.agent, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulated_tree(&tree[1], asif_work_behavior(d.work), &growing, NULL), ASIF_OK);
    rival.work = d.work;
    rival.given = bolder;
    options.agent = d.agent;
    options.rivals_only = true;
    options.rival_episodes = 400;
    double p = 1 / (1 + exp(-2.0)), q = 1 / (1 + exp(-1.0));
    double nats = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
    for (int logs = 0; logs < 3; logs++) {
        asif_identify *made = NULL;
        asif_identify_view view = {.struct_size = sizeof view};
        d.fitted.tree = tree[logs];
        assert_int_equal(asif_identify_run(&made, &d.fitted, &options, &rival, 1, NULL, NULL), ASIF_OK);
        assert_int_equal(asif_identify_get(made, &view, NULL), ASIF_OK);
        CHECK_NEAR(view.rival->nats, (logs ? 750 : 500) * nats, 1e-9);
        asif_identify_free(made);
    }
    asif_tree_free(tree[1]);
    asif_tree_free(tree[2]);
    asif_theta_free(bolder);
    close_design(&d);
}

/* The divergence at the decisions against the actions that were drawn: neutral with alpha .76 and eta 62 is
 * the best neutral agent that the oracle found, 2.3 nats per 1,000 logs behind. */
static void test_diag(void **state) {
    (void)state;
    enum { LOGS = 40000 };
    static double own[LOGS], other[LOGS];
    design d = {0};
    assert_int_equal(asif_context_create(&d.context, NULL, NULL), ASIF_OK);
    asif_setting *setting = make_diag(d.context, NULL);
    asif_theta *rival = NULL;
    asif_work *work = NULL, *again = NULL;
    asif_tree *tree = NULL;
    const uint64_t episodes = LOGS;
    asif_simulated_options growing = {.episodes = &episodes, .seed = 9, .max_steps = 1000, .units = true};
    asif_loglik_options by = ASIF_LOGLIK_OPTIONS_INIT;
    double total, mean = 0, squares = 0;
    assert_int_equal(asif_theta_create(&d.agent, d.context, setting, NULL), ASIF_OK);
    set(d.agent, "alpha", .5);
    set(d.agent, "beta", 1.25);
    set(d.agent, "eta", .001);
    assert_int_equal(asif_theta_copy(&rival, d.agent, NULL), ASIF_OK);
    set(rival, "alpha", .76);
    set(rival, "beta", INFINITY);
    set(rival, "eta", 62);
    assert_int_equal(asif_work_create(&work, d.context, NULL, setting, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_work_clone(&again, work, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, d.agent, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_solve(again, rival, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulated_tree(&tree, asif_work_behavior(work), &growing, NULL), ASIF_OK);
    by.by_unit = own;
    assert_int_equal(asif_loglik(&total, asif_work_behavior(work), tree, &by, NULL), ASIF_OK);
    by.by_unit = other;
    assert_int_equal(asif_loglik(&total, asif_work_behavior(again), tree, &by, NULL), ASIF_OK);
    for (uint32_t i = 0; i < LOGS; i++) {
        mean += (own[i] - other[i]) / LOGS;
        squares += (own[i] - other[i]) * (own[i] - other[i]) / LOGS;
    }
    double error = sqrt((squares - mean * mean) / LOGS);
    asif_fitted fitted = ASIF_FITTED_INIT;
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_identify_view view = {.struct_size = sizeof view};
    asif_identify *made = NULL;
    asif_rival against = ASIF_RIVAL_INIT;
    fitted.context = d.context;
    fitted.setting = setting;
    fitted.given = d.agent;
    fitted.work = work;
    fitted.seed = 10;
    against.work = work;
    against.given = rival;
    options.agent = d.agent;
    options.rivals_only = true;
    options.rival_episodes = LOGS;
    assert_int_equal(asif_identify_run(&made, &fitted, &options, &against, 1, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_identify_get(made, &view, NULL), ASIF_OK);
    CHECK(view.rival->nats_error < 300 * error, "the comparison is as noisy as the actions: %g against %g",
          view.rival->nats_error, 1000 * error);
    CHECK_NEAR(view.rival->nats, 2.3, .2);
    assert_true(fabs(view.rival->nats - 1000 * mean) < 4 * hypot(1000 * error, view.rival->nats_error));
    asif_identify_free(made);
    asif_tree_free(tree);
    asif_work_free(again);
    asif_work_free(work);
    asif_theta_free(rival);
    asif_theta_free(d.agent);
    asif_setting_free(setting);
    asif_context_free(d.context);
}

/* ---- the whole, and what can go wrong ---- */

static void short_fit(asif_fit_options *fit) {
    asif_fit_defaults(fit, ASIF_FIT_METROPOLIS);
    fit->sample.chains = 2;
    fit->sample.warmup = fit->sample.draws = 100;
    fit->starts = 2;
    fit->histories = fit->predictive = 0;
}

static asif_status identify(char **json, design *d) {
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_fit_options fit;
    asif_identify *made = NULL;
    asif_rival rival = ASIF_RIVAL_INIT;
    short_fit(&fit);
    rival.name = "the same, with alpha free";
    rival.work = d->work;
    rival.given = asif_study_theta(d->study);
    rival.estimates = d->estimates;
    options.agent = d->agent;
    options.fit = &fit;
    options.episodes = 200;
    options.rival_episodes = 300;
    options.starts = 3;
    *json = NULL;
    asif_status status = asif_theta_set(d->agent, "alpha", .5, NULL);
    if (status == ASIF_OK)
        status = asif_identify_run(&made, &d->fitted, &options, &rival, 1, NULL, NULL);
    if (status == ASIF_OK)
        status = asif_identify_json(json, made, NULL);
    asif_identify_free(made);
    return status;
}

static void test_threads(void **state) {
    (void)state;
    char *first = NULL, *text = NULL, *words = NULL;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        design d;
        assert_int_equal(open_design(&d, choice, threads, NULL), ASIF_OK);
        assert_int_equal(identify(&text, &d), ASIF_OK);
        if (first)
            assert_string_equal(text, first);
        else
            first = strdup(text);
        assert_int_equal(asif_report_identify(&words, d.context, text, strlen(text), "text", NULL, NULL),
                         ASIF_OK);
        assert_non_null(strstr(words, "WHAT SUCH LOGS SAY"));
        assert_non_null(strstr(words, "no number"));
        asif_memory_free(d.context, words);
        asif_memory_free(d.context, text);
        close_design(&d);
    }
    free(first);
}

static void test_refused(void **state) {
    (void)state;
    design d;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(open_design(&d, choice, 1, NULL), ASIF_OK);
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_identify *made = NULL;
    asif_fit_options fit;
    asif_rival rival = ASIF_RIVAL_INIT;
    char *words = NULL;
    /* Neither logs nor an agent; then an agent that lacks a value. */
    assert_int_equal(asif_identify_run(&made, &d.fitted, &options, NULL, 0, NULL, &error), ASIF_EUNSET);
    options.agent = d.agent;
    assert_int_equal(asif_identify_run(&made, &d.fitted, &options, NULL, 0, NULL, &error), ASIF_EUNSET);
    assert_null(made);
    set(d.agent, "alpha", .5);
    asif_fit_defaults(&fit, ASIF_FIT_MAP);
    options.fit = &fit;
    assert_int_equal(asif_identify_run(&made, &d.fitted, &options, NULL, 0, NULL, &error), ASIF_EINVALID);
    options.fit = NULL;
    options.struct_size = sizeof options + 8;
    assert_int_equal(asif_identify_run(&made, &d.fitted, &options, NULL, 0, NULL, &error), ASIF_EDOMAIN);
    options.struct_size = sizeof options;
    /* A rival of another problem, named in the message. */
    asif_setting *diag = make_diag(d.context, NULL);
    asif_theta *theta = NULL;
    assert_int_equal(asif_theta_create(&theta, d.context, diag, NULL), ASIF_OK);
    set(theta, "alpha", 1);
    asif_work *work = NULL;
    assert_int_equal(asif_work_create(&work, d.context, NULL, diag, NULL, NULL), ASIF_OK);
    rival.name = "diag";
    rival.work = work;
    rival.given = theta;
    options.rivals_only = true;
    assert_int_equal(asif_identify_run(&made, &d.fitted, &options, &rival, 1, NULL, &error), ASIF_EINVALID);
    assert_string_equal(error.file, "diag");
    assert_int_equal(asif_report_identify(&words, d.context, "{}", 2, "text", NULL, &error), ASIF_EPARSE);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(diag);
    close_design(&d);
}

/* Memory that runs out anywhere is a status, and nothing is lost. */
static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    design d;
    char *json = NULL;
    assert_int_equal(open_design(&d, choice, 1, &memory), ASIF_OK);
    assert_int_equal(identify(&json, &d), ASIF_OK);
    asif_memory_free(d.context, json);
    close_design(&d);
    assert_int_equal(memory.alive, 0);
    long all = memory.made;
    for (long k = 0; k < all; k += 1 + all / 150) {
        memory = (failing_memory){.left = k};
        asif_status status = open_design(&d, choice, 1, &memory);
        json = NULL;
        if (status == ASIF_OK)
            status = identify(&json, &d);
        CHECK(status == ASIF_ENOMEM, "allocation %ld of %ld: status %d", k, all, (int)status);
        assert_null(json);
        close_design(&d);
        assert_int_equal(memory.alive, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),  cmocka_unit_test(test_choice),  cmocka_unit_test(test_shares),
        cmocka_unit_test(test_diag),   cmocka_unit_test(test_threads), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
