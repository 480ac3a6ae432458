/* What is estimated: its names, coordinates and the chain rule to them. */
#include "theta/bench.h"
#include "theta/estimates.h"

/* ---- names and defaults ---- */

static void check_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *parameter, *label;
        asif_line line;
    } want[] = {
        {"log_alpha", "alpha", NULL, ASIF_LINE_SAME},
        {"log_act_alpha", "act_alpha", NULL, ASIF_LINE_SAME},
        {"optimism", "optimism", NULL, ASIF_LINE_SAME},
        {"eta", "eta", NULL, ASIF_LINE_SAME},
        {"discount", "discount", NULL, ASIF_LINE_LOGIT},
        {"gain", "gain", NULL, ASIF_LINE_SAME},
        {"loss", "loss", NULL, ASIF_LINE_SAME},
        {"cost", "cost", NULL, ASIF_LINE_LOGIT},
        {"action_prior.1", "action_prior", "act", ASIF_LINE_LOGIT},
        {"action_prior.2", "action_prior", "wait", ASIF_LINE_LOGIT},
        {"action_prior.3", "action_prior", "never", ASIF_LINE_LOGIT},
        {"world_weights.1", "world_weights", "1", ASIF_LINE_LOGIT},
        {"world_weights.2", "world_weights", "2", ASIF_LINE_LOGIT},
        {"world_weights.3", "world_weights", "3", ASIF_LINE_LOGIT},
        {"world_weights.4", "world_weights", "4", ASIF_LINE_LOGIT},
        {"start_young.1", "start", "low", ASIF_LINE_LOGIT},
        {"start_young.2", "start", "mid", ASIF_LINE_LOGIT},
        {"start_young.3", "start", "high", ASIF_LINE_LOGIT},
        {"start_old_age.1", "start", "low", ASIF_LINE_LOGIT},
        {"start_old_age.2", "start", "mid", ASIF_LINE_LOGIT},
        {"start_old_age.3", "start", "high", ASIF_LINE_LOGIT},
    };
    assert_false(asif_parameter_in_logs("log_alpha")); /* a utility may be called so */
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, everything, COUNT(everything), ASIF_PRIORS_STATED);
    assert_int_equal(reported(&b), COUNT(want));
    /* 8 numbers, and one less than the entries of each distribution */
    assert_int_equal(asif_estimates_dimension(b.estimates), 8 + 2 + 3 + 2 + 2);
    for (uint32_t i = 0; i < COUNT(want); i++) {
        const asif_estimate_info *info = asif_estimates_get(b.estimates, i);
        assert_int_equal(asif_parameter_in_logs(want[i].parameter), i < 2);
        assert_string_equal(info->name, want[i].name);
        assert_string_equal(info->parameter, want[i].parameter);
        CHECK(!info->label == !want[i].label && (!info->label || strcmp(info->label, want[i].label) == 0),
              "label of %s", info->name);
        CHECK(info->line == want[i].line, "line of %s", info->name);
        CHECK(info->proper, "%s is proper", info->name);
    }
    finish(&b);
}

/* At D = 46 the defaults are those of the published problem, in closed form. */
static void check_defaults(void **state) {
    (void)state;
    const double q = 1.6448536269514722; /* of the normal, at .95 */
    static const asif_estimate_spec spec[] = {
        {.name = "alpha"},
        {.name = "optimism"},
        {.name = "eta"},
        {.name = "discount"},
        {.name = "gain", .standard = 10},
    };
    const struct {
        double q05, q50, q95;
        const char *prior;
    } want[] = {
        {log(.46) - 1.5 * q, log(.46), log(.46) + 1.5 * q, "lognormal(-0.776529, 1.5)"},
        {-q, 0, q, "normal(0, 1)"},
        {-46 * q, 0, 46 * q, "normal(0, 46)"},
        /* beta(9, 1) has the distribution function p^9 */
        {log(pow(.05, 1. / 9) / (1 - pow(.05, 1. / 9))), log(pow(.5, 1. / 9) / (1 - pow(.5, 1. / 9))),
         log(pow(.95, 1. / 9) / (1 - pow(.95, 1. / 9))), "beta(9, 1)"},
        {10 - 23 * q, 10, 10 + 23 * q, "normal(10, 23)"},
    };
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, spec, COUNT(spec), ASIF_PRIORS_STATED);
    CHECK_NEAR(asif_estimates_span(b.estimates), 46, 1e-12);
    double scale[COUNT(spec)];
    asif_estimates_scale(b.estimates, scale);
    for (uint32_t i = 0; i < COUNT(spec); i++) {
        const asif_estimate_info *info = asif_estimates_get(b.estimates, i);
        assert_string_equal(info->prior, want[i].prior);
        CHECK_NEAR(info->prior_q05, want[i].q05, 1e-12);
        CHECK_NEAR(info->prior_q50, want[i].q50, 1e-12);
        CHECK_NEAR(info->prior_q95, want[i].q95, 1e-12);
        CHECK_NEAR(scale[i], (want[i].q95 - want[i].q05) / (2 * q), 1e-12);
    }
    finish(&b);
}

/* Reported numbers are those of the published coordinates, with a flat density over them. */
static void check_published(void **state) {
    (void)state;
    static const asif_estimate_spec spec[] = {
        {.name = "alpha", .prior = "normal(0, 1)"},
        {.name = "beta"},
        {.name = "eta"},
        {.name = "discount"},
        {.name = "gain", .standard = 10},
        {.name = "action_prior"},
    };
    static const double x[] = {-1, 2, .5, 3, -7, .3, -.2};
    const double want[] = {-1, exp(-2), exp(.5), 1 / (1 + exp(-3)), -7};
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, spec, COUNT(spec), ASIF_PRIORS_PUBLISHED);
    double out[MOST], back[MOST], gradient[MOST] = {0};
    asif_estimates_report(b.estimates, x, out);
    for (uint32_t i = 0; i < COUNT(want); i++)
        CHECK_NEAR(out[i], want[i], 1e-14);
    asif_estimates_locate(b.estimates, out, back);
    for (uint32_t i = 0; i < COUNT(x); i++)
        CHECK_NEAR(back[i], x[i], 1e-12);
    CHECK(asif_estimates_log_prior(b.estimates, x, gradient) == 0, "the density is 1");
    for (uint32_t i = 0; i < COUNT(x); i++)
        CHECK(gradient[i] == 0, "and does not change");
    for (uint32_t i = 0; i < reported(&b); i++) {
        const asif_estimate_info *info = asif_estimates_get(b.estimates, i);
        CHECK(!info->proper && isnan(info->prior_q50), "%s is improper", info->name);
    }
    assert_int_equal(asif_problems_found(b.problems, ASIF_PROBLEM_WARNING), 1);
    /* What is drawn is the default between the limits: optimism and eta above 0. */
    uint32_t below = 0, draws = 4000;
    for (uint32_t i = 0; i < draws; i++) {
        asif_estimates_draw(b.estimates, 1, i, back);
        asif_estimates_report(b.estimates, back, out);
        CHECK(out[1] > 0 && out[2] > 0, "drawn inside");
        below += out[2] < 46 * 0.67448975019608171; /* the median of a normal's size */
    }
    CHECK_NEAR(below / (double)draws, .5, 4 * .5 / sqrt(draws));
    finish(&b);
}

/* ---- coordinates ---- */

static void check_round_trip(const bench *b, double tol) {
    double x[MOST], out[MOST], back[MOST];
    for (uint32_t index = 0; index < 200; index++) {
        asif_estimates_draw(b->estimates, 3, index, x);
        asif_estimates_report(b->estimates, x, out);
        asif_estimates_locate(b->estimates, out, back);
        for (uint32_t i = 0; i < asif_estimates_dimension(b->estimates); i++)
            CHECK_NEAR(back[i], x[i], tol);
        for (uint32_t i = 0; i < reported(b); i++) {
            const asif_estimate_info *info = asif_estimates_get(b->estimates, i);
            CHECK(out[i] >= info->low && out[i] <= info->high, "%s within its limits", info->name);
        }
    }
}

static void check_round_trips(void **state) {
    (void)state;
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, everything, COUNT(everything), ASIF_PRIORS_STATED);
    check_round_trip(&b, 1e-9);
    for (uint32_t i = 0; i < COUNT(singles); i++) {
        must_estimate(&b, &singles[i], 1, ASIF_PRIORS_STATED);
        check_round_trip(&b, 1e-8);
    }
    finish(&b);
}

/* A number at or beyond its limits gets a place inside. */
static void check_beyond(void **state) {
    (void)state;
    static const double beyond[] = {-INFINITY, INFINITY, NAN, -1, 0, 1, 2};
    bench b;
    prepare(&b, &plain);
    for (uint32_t i = 0; i < COUNT(singles); i++) {
        must_estimate(&b, &singles[i], 1, ASIF_PRIORS_STATED);
        for (uint32_t k = 0; k < COUNT(beyond); k++) {
            double x, out;
            asif_error error = ASIF_ERROR_INIT;
            asif_estimates_locate(b.estimates, &beyond[k], &x);
            asif_estimates_report(b.estimates, &x, &out);
            const asif_estimate_info *info = asif_estimates_get(b.estimates, 0);
            CHECK(isfinite(x) && out > info->low && out < info->high, "%s at %g: %g", info->name, beyond[k],
                  out);
            assert_int_equal(asif_estimates_theta(b.estimates, &x, b.theta, &error), ASIF_OK);
        }
    }
    static const asif_estimate_spec distribution = {.name = "action_prior"};
    static const double certain[] = {0, 1, 0};
    double x[2], out[3];
    must_estimate(&b, &distribution, 1, ASIF_PRIORS_STATED);
    asif_estimates_locate(b.estimates, certain, x);
    asif_estimates_report(b.estimates, x, out);
    CHECK(out[0] > 0 && out[2] > 0 && out[1] > .99 && out[1] < 1, "moved inside");
    finish(&b);
}

/* Native numbers of theta, one after the other. */
static uint32_t natives(const bench *b, const asif_theta *t, double *out) {
    const asif_setting_spec *s = asif_setting_get(b->setting);
    uint32_t n = 0;
    const double numbers[] = {t->a, isnan(t->a_act) ? 0 : t->a_act, t->b, t->eta, t->discount};
    for (uint32_t i = 0; i < COUNT(numbers); i++)
        out[n++] = numbers[i];
    for (uint32_t i = 0; i < s->parameters; i++)
        out[n++] = t->utility[i];
    for (uint32_t i = 0; i < s->actions; i++)
        out[n++] = t->action_prior[i];
    for (uint32_t i = 0; i < s->worlds; i++)
        out[n++] = t->world_weights[i];
    for (uint32_t i = 0; i < s->starts * s->states; i++)
        out[n++] = t->start[i];
    return n;
}

static double functional(const bench *b, const double *x, const double *weight) {
    asif_error error = ASIF_ERROR_INIT;
    double native[64], sum = 0;
    asif_status status = asif_estimates_theta(b->estimates, x, b->theta, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    uint32_t n = natives(b, b->theta, native);
    for (uint32_t i = 0; i < n; i++)
        sum += weight[i] * native[i];
    return sum;
}

/* Of any linear function of theta's numbers, the derivative in x against differences. */
static void check_pull_at(const bench *b, const double *at) {
    const asif_setting_spec *s = asif_setting_get(b->setting);
    asif_error error = ASIF_ERROR_INIT;
    double weight[64], x[MOST], pulled[MOST] = {0};
    for (uint32_t i = 0; i < 64; i++)
        weight[i] = sin(1.0 + 3 * i);
    asif_theta_gradient g;
    assert_int_equal(asif_theta_gradient_create(&g, b->context, b->setting, &error), ASIF_OK);
    asif_theta_gradient_clear(&g, b->setting);
    uint32_t n = 0, d = asif_estimates_dimension(b->estimates);
    double *const numbers[] = {&g.a, &g.a_act, &g.b, &g.eta, &g.discount};
    for (uint32_t i = 0; i < COUNT(numbers); i++)
        *numbers[i] = weight[n++];
    for (uint32_t i = 0; i < s->parameters; i++)
        g.utility[i] = weight[n++];
    for (uint32_t i = 0; i < s->actions; i++)
        g.action_prior[i] = weight[n++] + 5; /* a constant does not matter */
    for (uint32_t i = 0; i < s->worlds; i++)
        g.world_weights[i] = weight[n++] - 3;
    for (uint32_t i = 0; i < s->starts * s->states; i++)
        g.start[i] = weight[n++];
    asif_estimates_pull(b->estimates, at, &g, pulled);
    asif_theta_gradient_free(b->context, &g);
    for (uint32_t i = 0; i < d; i++) {
        double h = 1e-5 * fmax(1, fabs(at[i]));
        memcpy(x, at, d * sizeof *x);
        x[i] = at[i] + h;
        double up = functional(b, x, weight);
        x[i] = at[i] - h;
        double down = functional(b, x, weight), slope = (up - down) / (2 * h);
        CHECK(fabs(pulled[i] - slope) <= 1e-6 * fmax(1, fabs(up) + fabs(slope)),
              "coordinate %u: %.12g, not %.12g", i, pulled[i], slope);
    }
}

static void check_pull(void **state) {
    (void)state;
    bench b;
    double x[MOST];
    prepare(&b, &plain);
    for (uint32_t i = 0; i <= COUNT(singles); i++) {
        bool all = i == COUNT(singles);
        must_estimate(&b, all ? everything : &singles[i], all ? COUNT(everything) : 1, ASIF_PRIORS_STATED);
        for (uint32_t index = 0; index < 5; index++) {
            asif_estimates_draw(b.estimates, 5, index, x);
            check_pull_at(&b, x);
        }
    }
    must_estimate(&b, everything, COUNT(everything), ASIF_PRIORS_PUBLISHED);
    asif_estimates_draw(b.estimates, 5, 9, x);
    check_pull_at(&b, x);
    finish(&b);
}

/* Given values stay, estimated ones are what is reported, the sign of alpha is kept. */
static void check_theta(void **state) {
    (void)state;
    static const asif_estimate_spec spec[] = {{.name = "alpha", .negative = true}, {.name = "world_weights"}};
    bench b;
    prepare(&b, &plain);
    must_estimate(&b, spec, 2, ASIF_PRIORS_STATED);
    asif_error error = ASIF_ERROR_INIT;
    double x[] = {log(.25), 0, 0, 0}, value;
    assert_int_equal(asif_estimates_theta(b.estimates, x, b.theta, &error), ASIF_OK);
    asif_theta_get(b.theta, "alpha", &value, NULL);
    CHECK_NEAR(value, -.25, 1e-15);
    asif_theta_get(b.theta, "act_alpha", &value, NULL);
    CHECK_NEAR(value, -.25, 1e-15);
    asif_theta_get(b.theta, "loss", &value, NULL);
    CHECK_NEAR(value, -36, 0);
    asif_theta_get(b.theta, "beta", &value, NULL);
    CHECK_NEAR(value, 1.25, 1e-15);
    for (uint32_t m = 0; m < 4; m++) /* x = 0 is the middle of the simplex */
        CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_WORLD_WEIGHTS, 0)[m], .25, 1e-15);
    CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_START, 1)[2], .5, 1e-15);
    x[0] = -710; /* 1/alpha overflows: that would be another agent, the perfect maximiser */
    assert_int_equal(asif_estimates_theta(b.estimates, x, b.theta, &error), ASIF_EDOMAIN);
    x[0] = 1;
    x[1] = -800;
    assert_int_equal(asif_estimates_theta(b.estimates, x, b.theta, &error), ASIF_EDOMAIN);
    finish(&b);
}

/* ---- span ---- */

static void check_span(void **state) {
    (void)state;
    static const double identity[] = {1, 0, 0, 1}, half[] = {.5, .5};
    static const asif_matrix matrix[] = {{2, 2, false, NULL, NULL, identity}};
    static const uint32_t zero[4] = {0};
    static const double utility[] = {1, 2, 0, 0};
    static const asif_utility_term term[] = {
        {.by = ASIF_BY_STATE, .parameter = 0, .action = ASIF_ANY, .index = 1, .coefficient = 2},
        {.by = ASIF_BY_OBSERVATION, .parameter = ASIF_ANY, .action = 1, .index = 0, .coefficient = -7},
        {.by = ASIF_BY_BELIEF,
         .parameter = 0,
         .action = 0,
         .index = ASIF_ANY,
         .coefficient = 1,
         .threshold = .9},
        {.by = ASIF_BY_BELIEF,
         .parameter = ASIF_ANY,
         .action = 0,
         .index = 0,
         .coefficient = -.5,
         .threshold = .9},
    };
    static const char *const names[] = {"good"};
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = spec.actions = spec.observations = 2;
    spec.parameters = 1;
    spec.parameter_names = names;
    spec.matrices = 1;
    spec.matrix = matrix;
    spec.transitions = spec.emissions = zero;
    spec.environment_start = half;
    spec.utility = utility;
    spec.terms = COUNT(term);
    spec.term = term;
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context = NULL;
    asif_setting *setting = NULL;
    assert_int_equal(asif_context_create(&context, NULL, &error), ASIF_OK);
    assert_int_equal(asif_setting_create(&setting, context, &spec, &error), ASIF_OK);
    double span, good = 3;
    assert_int_equal(asif_utility_span(&span, context, setting, &good, &error), ASIF_OK);
    /* action 0: by state {1, 2 + 6}, by belief from -.5 to 3: .5 to 11; action 1: {0, 6} with {-7, 0}: -7 to
     * 6 */
    CHECK_NEAR(span, 11 + 7, 1e-14);
    asif_setting_free(setting);
    asif_context_free(context);
}

/* ---- distributions of a theta ---- */

static void check_distributions(void **state) {
    (void)state;
    static const double p[] = {2, 6, 0}, bad[] = {1, -1, 1}, none[] = {0, 0, 0}, huge[] = {1e308, 1e308, 0};
    asif_error error = ASIF_ERROR_INIT;
    asif_theta *copy = NULL;
    bench b;
    prepare(&b, &plain);
    CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_ACTION_PRIOR, 0)[2], 1. / 3, 1e-15);
    CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_START, 1)[0], .2, 1e-15);
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_START, 1, p, &error), ASIF_OK);
    assert_int_equal(asif_theta_copy(&copy, b.theta, &error), ASIF_OK);
    assert_int_equal(asif_theta_unset_distribution(b.theta, ASIF_START, 1, &error), ASIF_OK);
    CHECK(isnan(asif_theta_distribution(b.theta, ASIF_START, 1)[0]), "taken away");
    CHECK_NEAR(asif_theta_distribution(b.theta, ASIF_START, 0)[0], .5, 1e-15);
    CHECK_NEAR(asif_theta_distribution(copy, ASIF_START, 1)[1], .75, 1e-15);
    assert_int_equal(asif_theta_complete(copy, &error), ASIF_OK);
    assert_int_equal(asif_theta_complete(b.theta, &error), ASIF_EUNSET);
    assert_string_equal(error.message, "start of old age has no value");
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_ACTION_PRIOR, 0, bad, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_ACTION_PRIOR, 0, none, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_ACTION_PRIOR, 0, huge, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_set_distribution(b.theta, ASIF_START, 2, p, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_theta_unset_distribution(b.theta, ASIF_START, 2, &error), ASIF_EDOMAIN);
    assert_null(asif_theta_distribution(b.theta, ASIF_START, 2));
    assert_string_equal(asif_distribution_text(ASIF_WORLD_WEIGHTS), "world_weights");
    asif_theta_free(copy);
    finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_names),         cmocka_unit_test(check_defaults),
        cmocka_unit_test(check_published),     cmocka_unit_test(check_round_trips),
        cmocka_unit_test(check_beyond),        cmocka_unit_test(check_pull),
        cmocka_unit_test(check_theta),         cmocka_unit_test(check_span),
        cmocka_unit_test(check_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
