/* What cannot be estimated, what is warned of, names that clash, and no memory. */
#include "theta/bench.h"
#include "theta/theta.h"

static void check_errors(void **state) {
    (void)state;
    static const struct {
        asif_estimate_spec spec[2];
        asif_status status;
        const char *message, *hint;
    } rows[] = {
        {{{.name = "alhpa"}}, ASIF_EUNKNOWN, "no parameter 'alhpa'", "'alpha'"},
        {{{.name = "lost"}}, ASIF_EUNKNOWN, "no parameter 'lost'", "'loss'"},
        {{{.name = "action_priors"}}, ASIF_EUNKNOWN, "no parameter", "'action_prior'"},
        {{{.name = "eta"}, {.name = "eta"}}, ASIF_EINVALID, "'eta' is to be estimated twice", NULL},
        {{{.name = "beta"}, {.name = "optimism"}}, ASIF_EINVALID, "both beta and optimism", "keep one"},
        {{{.name = "start", .start = 1}, {.name = "start", .start = 1}}, ASIF_EINVALID, "twice", NULL},
        {{{.name = "start", .start = 2}}, ASIF_EDOMAIN, "no start class 2", NULL},
        {{{.name = "loss", .standard = NAN}}, ASIF_EINVALID, "'loss' has no standard", "sets the scale"},
        {{{.name = "beta", .prior = "normal(0, 1)"}}, ASIF_EINVALID, "cannot be put on beta", "optimism"},
        {{{.name = "eta", .prior = "gauss(0, 1)"}}, ASIF_EPARSE, "`gauss(0, 1)` is not a prior", "normal"},
        {{{.name = "eta", .prior = "normal(0)"}}, ASIF_EPARSE, "not complete", "normal(mean, sd)"},
        {{{.name = "eta", .prior = "normal(0, 1"}}, ASIF_EPARSE, "not complete", "quotes"},
        {{{.name = "eta", .prior = "normal(0, 1, 2)"}}, ASIF_EPARSE, "not complete", "normal(mean, sd)"},
        {{{.name = "eta", .prior = "normal(0, inf)"}}, ASIF_EPARSE, "not complete", NULL},
        {{{.name = "eta", .prior = "flat(1)"}}, ASIF_EPARSE, "not complete", "flat"},
        {{{.name = "eta", .prior = "normal(0, -1)"}}, ASIF_EINVALID, "-1 must be above 0", NULL},
        {{{.name = "eta", .prior = "student_t(0, 1, 1)"}}, ASIF_EINVALID, "0 must be above 0", NULL},
        {{{.name = "eta", .prior = "beta(1, 0)"}}, ASIF_EINVALID, "0 must be above 0", NULL},
        {{{.name = "eta", .prior = "uniform(2, 2)"}}, ASIF_EINVALID, "smaller one", NULL},
        {{{.name = "alpha", .prior = "uniform(-2, -1)"}},
         ASIF_EINVALID,
         "|alpha| leaves it no room",
         "there"},
        {{{.name = "alpha", .prior = "normal(-100, 1)"}}, ASIF_EINVALID, "above 0", NULL},
        {{{.name = "discount", .prior = "uniform(1, 2)"}}, ASIF_EINVALID, "between 0 and 1", NULL},
        {{{.name = "eta", .prior = "dirichlet(1, 1)"}}, ASIF_EINVALID, "cannot be dirichlet", "normal"},
        {{{.name = "start", .prior = "beta(1, 1)"}}, ASIF_EINVALID, "it is a distribution", "dirichlet"},
        {{{.name = "start", .prior = "dirichlet(1, 1)"}},
         ASIF_EINVALID,
         "2 numbers, but start has 3",
         "each"},
        {{{.name = "start", .prior = "dirichlet(1, 1, 1, 0)"}}, ASIF_EINVALID, "0 must be above 0", NULL},
    };
    bench b;
    prepare(&b, &plain);
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        asif_error error = ASIF_ERROR_INIT;
        asif_status status =
            estimate(&b, rows[i].spec, rows[i].spec[1].name ? 2 : 1, ASIF_PRIORS_STATED, &error);
        CHECK(status == rows[i].status && !b.estimates, "row %u: status %d: %s", i, status, error.message);
        CHECK(strstr(error.message, rows[i].message), "row %u: %s", i, error.message);
        CHECK(!rows[i].hint || strstr(error.hint, rows[i].hint), "row %u: %s", i, error.hint);
    }
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(estimate(&b, NULL, 0, ASIF_PRIORS_STATED, &error), ASIF_EINVALID);
    finish(&b);
}

/* What is given may be wrong, too. */
static void check_given(void **state) {
    (void)state;
    static const asif_estimate_spec eta = {.name = "eta"}, act = {.name = "act_alpha"},
                                    start = {.name = "start"}, prior = {.name = "action_prior"};
    asif_error error = ASIF_ERROR_INIT;
    bench b;
    prepare(&b, &plain);
    asif_theta_unset(b.theta, "loss", NULL);
    asif_theta_unset_distribution(b.theta, ASIF_WORLD_WEIGHTS, 0, NULL);
    asif_theta_unset_distribution(b.theta, ASIF_START, 1, NULL);
    assert_int_equal(estimate(&b, &eta, 1, ASIF_PRIORS_STATED, &error), ASIF_EUNSET);
    assert_non_null(strstr(error.message, "loss, world_weights, start of old age have no value"));
    finish(&b);

    prepare(&b, &plain);
    asif_theta_set_text(b.theta, "alpha", "0", NULL);
    must_estimate(&b, &eta, 1, ASIF_PRIORS_STATED);
    assert_int_equal(asif_estimates_can_act(b.estimates, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "always takes the best action"));
    must_estimate(&b, &act, 1, ASIF_PRIORS_STATED);
    assert_int_equal(asif_estimates_can_act(b.estimates, &error), ASIF_OK);
    asif_theta_set_text(b.theta, "act_alpha", "0-", NULL);
    must_estimate(&b, &eta, 1, ASIF_PRIORS_STATED);
    assert_int_equal(asif_estimates_can_act(b.estimates, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "always takes the worst action"));
    asif_theta_set(b.theta, "act_alpha", 2, NULL);
    must_estimate(&b, &eta, 1, ASIF_PRIORS_STATED);
    assert_int_equal(asif_estimates_can_act(b.estimates, &error), ASIF_OK);
    asif_theta_set(b.theta, "gain", 0, NULL);
    asif_theta_set(b.theta, "loss", 0, NULL);
    asif_theta_set(b.theta, "cost", 0, NULL);
    assert_int_equal(estimate(&b, &eta, 1, ASIF_PRIORS_STATED, &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "worth the same"));
    finish(&b);

    static const double one[] = {0, 1, 0};
    static const small_options seen = {.seen = true}, certain = {.action_prior = one};
    prepare(&b, &seen);
    assert_int_equal(estimate(&b, &start, 1, ASIF_PRIORS_STATED, &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "sees the state"));
    finish(&b);
    prepare(&b, &certain);
    assert_int_equal(estimate(&b, &prior, 1, ASIF_PRIORS_STATED, &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "nothing to estimate"));
    finish(&b);
}

/* alpha, beta, eta and the utilities times a constant are the same agent: a warning unless something given
 * says which. */
static void check_scale(void **state) {
    (void)state;
    static const struct {
        const char *names[7], *what; /* estimated */
        double constant, cost, beta, eta;
        bool free;
    } rows[] = {
        {{"alpha", "beta", "eta", "gain", "loss", "cost"}, "all", 0, -1, 1, 1, true},
        {{"alpha", "beta", "eta", "gain", "loss"}, "cost is given", 0, -1, 1, 1, false},
        {{"alpha", "beta", "eta", "gain", "loss"}, "cost is 0", 0, 0, 1, 1, true},
        {{"alpha", "gain", "loss", "cost"}, "neutral", 0, -1, INFINITY, 0, true},
        {{"alpha", "gain", "loss", "cost"}, "eta is given", 0, -1, INFINITY, 3, false},
        {{"alpha", "gain", "loss", "cost"}, "beta is given", 0, -1, 2, 0, false},
        {{"beta", "eta", "gain", "loss", "cost"}, "alpha is given", 0, -1, 2, 0, false},
        {{"alpha", "beta", "eta", "gain", "loss", "cost"}, "a constant", 4, -1, 1, 1, false},
    };
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        const small_options options = {.constant = rows[i].constant};
        asif_estimate_spec spec[7];
        uint32_t n = 0;
        bench b;
        prepare(&b, &options);
        asif_theta_set(b.theta, "cost", rows[i].cost, NULL);
        asif_theta_set(b.theta, "beta", rows[i].beta, NULL);
        asif_theta_set(b.theta, "eta", rows[i].eta, NULL);
        for (; rows[i].names[n]; n++)
            spec[n] = (asif_estimate_spec){.name = rows[i].names[n], .standard = n};
        must_estimate(&b, spec, n, ASIF_PRIORS_STATED);
        CHECK(asif_problems_found(b.problems, ASIF_PROBLEM_WARNING) == rows[i].free, "%s", rows[i].what);
        if (rows[i].free)
            assert_non_null(strstr(asif_problems_get(b.problems, 0, NULL)->message, "only the priors"));
        finish(&b);
    }
}

/* Columns must differ, be plain, and leave the sampler its own. */
static void check_columns(void **state) {
    (void)state;
    static const double identity[] = {1, 0, 0, 1}, half[] = {.5, .5};
    static const asif_matrix matrix[] = {{2, 2, false, NULL, NULL, identity}};
    static const uint32_t zero[4] = {0};
    static const char *const names[] = {"log_alpha",
                                        "lp__",
                                        "gr\xC3\xB6\xC3\x9F"
                                        "e",
                                        "a.1",
                                        "a_1",
                                        ""};
    static const char *const want[] = {"log_alpha", "log_alpha_2", "lp___2", "gr__e", "a_1", "a_1_2", "_"};
    asif_utility_term term[6];
    asif_estimate_spec estimated[7] = {{.name = "alpha"}};
    for (uint32_t i = 0; i < 6; i++) {
        term[i] = (asif_utility_term){
            .by = ASIF_BY_STATE, .parameter = i, .action = 0, .index = 0, .coefficient = 1};
        estimated[i + 1] = (asif_estimate_spec){.name = names[i], .standard = 1};
    }
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = spec.actions = 2;
    spec.parameters = 6;
    spec.parameter_names = names;
    spec.matrices = 1;
    spec.matrix = matrix;
    spec.transitions = zero;
    spec.environment_start = half;
    spec.terms = 6;
    spec.term = term;
    asif_error error = ASIF_ERROR_INIT;
    bench b = {0};
    assert_int_equal(asif_context_create(&b.context, NULL, &error), ASIF_OK);
    assert_int_equal(asif_setting_create(&b.setting, b.context, &spec, &error), ASIF_OK);
    assert_int_equal(asif_theta_create(&b.theta, b.context, b.setting, &error), ASIF_OK);
    must_estimate(&b, estimated, 7, ASIF_PRIORS_STATED);
    for (uint32_t i = 0; i < COUNT(want); i++)
        assert_string_equal(asif_estimates_get(b.estimates, i)->name, want[i]);
    assert_string_equal(asif_estimates_get(b.estimates, 3)->parameter, names[2]);
    finish(&b);
}

static void check_memory(void **state) {
    (void)state;
    bench b;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *failing = NULL;
    prepare(&b, &plain);
    assert_int_equal(asif_context_create(&failing, &options, NULL), ASIF_OK);
    long alive = memory.alive;
    asif_theta *theta = NULL;
    assert_int_equal(asif_theta_create(&theta, failing, b.setting, NULL), ASIF_OK);
    asif_theta_assign(theta, b.theta);
    asif_status status = ASIF_ENOMEM;
    for (long left = 0; status == ASIF_ENOMEM; left++) {
        asif_error error = ASIF_ERROR_INIT;
        memory.left = left;
        asif_estimates *estimates = NULL;
        status = asif_estimates_create(&estimates, failing, theta, everything, COUNT(everything),
                                       ASIF_PRIORS_STATED, NULL, &error);
        CHECK(status == ASIF_OK || (status == ASIF_ENOMEM && !estimates), "status %d after %ld", status,
              left);
        asif_estimates_free(estimates);
        CHECK(left < 1000, "it ends");
    }
    memory.left = -1;
    asif_theta_free(theta);
    assert_int_equal(memory.alive, alive);
    asif_context_free(failing);
    finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_errors),  cmocka_unit_test(check_given),  cmocka_unit_test(check_scale),
        cmocka_unit_test(check_columns), cmocka_unit_test(check_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
