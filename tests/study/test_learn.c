/* What a study marks `learn`, as it comes out for estimation. */
#include "asif.h"
#include "check.h"
#include "theta/estimates.h"

#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
enum { MOST = 16 };

/* `start` of the environment, more of it, more of the agent, and parameters. */
static const char frame[] = "asif: 1\n"
                            "states: [healthy, diseased]\n"
                            "actions: [stop, test]\n"
                            "observations: [negative, positive]\n"
                            "environment:\n"
                            "  start: %s\n"
                            "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                            "%s"
                            "agent:\n"
                            "  discount: 0.9\n"
                            "  worlds: {around: environment, emissions: +-0.1}\n"
                            "%s"
                            "  utility: {stop: {healthy: 10, diseased: -36}, test: -1}\n"
                            "  parameters: %s\n";

static asif_status read_study(asif_study **study, const asif_context *context, const char *start,
                              const char *environment, const char *agent, const char *parameters,
                              asif_error *error) {
    char text[2048];
    snprintf(text, sizeof text, frame, start, environment, agent, parameters);
    return asif_study_read(study, context, text, strlen(text), NULL, NULL, error);
}

typedef struct {
    const char *start, *environment, *agent, *parameters;
    uint32_t count;
    asif_estimate_spec want[4];
} row;

static const row rows[] = {
    {"[0.5, 0.5]", "", "", "{alpha: 0.5}", 0, {{.name = NULL}}},
    {"[0.5, 0.5]",
     "",
     "  action_prior: learn\n",
     "{alpha: learn}",
     2,
     {{.name = "alpha", .standard = NAN}, {.name = "action_prior", .standard = NAN}}},
    {"[0.5, 0.5]",
     "",
     "  action_prior: learn ~ dirichlet(2, 1)\n",
     "{alpha: 1}",
     1,
     {{.name = "action_prior", .prior = "dirichlet(2, 1)", .standard = NAN}}},
    {"[0.5, 0.5]",
     "",
     "  action_prior: \"learn ~ dirichlet(2, 1)\"\n",
     "{alpha: 1}",
     1,
     {{.name = "action_prior", .prior = "dirichlet(2, 1)", .standard = NAN}}},
    {"[0.5, 0.5]",
     "",
     "  action_prior: {learn: dirichlet(2, 1)}\n",
     "{alpha: 1}",
     1,
     {{.name = "action_prior", .prior = "dirichlet(2, 1)", .standard = NAN}}},
    {"[0.5, 0.5]",
     "",
     "  world_weights: learn ~ dirichlet(1, 2, 1)\n",
     "{alpha: 1, eta: learn}",
     2,
     {{.name = "eta", .standard = NAN},
      {.name = "world_weights", .prior = "dirichlet(1, 2, 1)", .standard = NAN}}},
    {"[0.5, 0.5]", "", "  start: learn\n", "{alpha: 1}", 1, {{.name = "start", .standard = NAN}}},
    {"[0.5, 0.5]",
     "",
     "  start: learn\n",
     "{alpha: {learn: lognormal(0, 1), sign: negative}}",
     2,
     {{.name = "alpha", .prior = "lognormal(0, 1)", .standard = NAN, .negative = true},
      {.name = "start", .standard = NAN}}},
    {"[0.5, 0.5]", "", "", "{alpha: {sign: positive, learn: }}", 1, {{.name = "alpha", .standard = NAN}}},
    /* by class, in the order of the environment */
    {"{by: risk, low: [0.9, 0.1], high: [0.4, 0.6]}",
     "",
     "  start: {by: risk, high: learn, low: [0.8, 0.2]}\n",
     "{alpha: 1}",
     1,
     {{.name = "start", .start = 1, .standard = NAN}}},
    {"[0.5, 0.5]",
     "",
     "  start: {by: risk, high: learn ~ dirichlet(1, 3), low: learn}\n",
     "{alpha: 1}",
     2,
     {{.name = "start", .start = 0, .prior = "dirichlet(1, 3)", .standard = NAN},
      {.name = "start", .start = 1, .standard = NAN}}},
    /* an estimated start may follow a reset that is given */
    {"[0.5, 0.5]",
     "  ends: [stop]\n  reset: [0.9, 0.1]\n",
     "  start: learn\n",
     "{alpha: 1}",
     1,
     {{.name = "start", .standard = NAN}}},
};

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_specs(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        const row *r = &rows[i];
        asif_error error = ASIF_ERROR_INIT;
        asif_study *study = NULL;
        asif_status status =
            read_study(&study, context, r->start, r->environment, r->agent, r->parameters, &error);
        CHECK(status == ASIF_OK, "row %u: %s (%s)", i, error.message, error.hint);
        asif_estimate_spec spec[MOST];
        uint32_t count = asif_study_estimates(study, spec, MOST);
        CHECK(count == r->count && asif_study_estimates(study, NULL, 0) == count, "row %u: %u of them", i,
              count);
        for (uint32_t k = 0; k < count; k++) {
            const asif_estimate_spec *want = &r->want[k];
            CHECK(same_text(spec[k].name, want->name) && same_text(spec[k].prior, want->prior) &&
                      spec[k].start == want->start && spec[k].negative == want->negative &&
                      isnan(spec[k].standard),
                  "row %u, %u: %s ~ %s", i, k, spec[k].name, spec[k].prior ? spec[k].prior : "");
        }
        /* Nobody plans with something in their place, and what is made of them can be estimated. */
        const asif_theta *theta = asif_study_theta(study);
        for (uint32_t k = 0; k < count; k++)
            if (strcmp(spec[k].name, "start") == 0)
                CHECK(isnan(asif_theta_distribution(theta, ASIF_START, spec[k].start)[0]), "row %u", i);
        if (count) {
            asif_estimates *estimates = NULL;
            status = asif_estimates_create(&estimates, context, theta, spec, count, ASIF_PRIORS_STATED, NULL,
                                           &error);
            CHECK(status == ASIF_OK, "row %u: %s", i, error.message);
            CHECK_NEAR(asif_estimates_span(estimates), 46, 1e-12);
            asif_estimates_free(estimates);
        }
        asif_study_free(study);
    }
    asif_context_free(context);
}

static void check_weights(void **state) {
    (void)state;
    static const double want[] = {.25, .5, .25};
    asif_context *context = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(
        read_study(&study, context, "uniform", "", "  world_weights: [1, 2, 1]\n", "{alpha: 1}", &error),
        ASIF_OK);
    for (uint32_t m = 0; m < 3; m++) {
        CHECK_NEAR(asif_theta_distribution(asif_study_theta(study), ASIF_WORLD_WEIGHTS, 0)[m], want[m],
                   1e-15);
        CHECK_NEAR(asif_setting_get(asif_study_setting(study))->world_weights[m], want[m], 1e-15);
    }
    asif_study_free(study);
    asif_context_free(context);
}

/* Given classes keep their values next to an estimated one. */
static void check_classes(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    const row *r = &rows[9];
    assert_int_equal(read_study(&study, context, r->start, r->environment, r->agent, r->parameters, &error),
                     ASIF_OK);
    CHECK_NEAR(asif_theta_distribution(asif_study_theta(study), ASIF_START, 0)[0], .8, 1e-15);
    CHECK(isnan(asif_theta_distribution(asif_study_theta(study), ASIF_START, 1)[0]), "high is estimated");
    asif_study_free(study);
    asif_status status = read_study(&study, context, "{by: risk, low: [0.9, 0.1], high: [0.4, 0.6]}", "",
                                    "  start: learn\n", "{alpha: 1}", &error);
    assert_int_equal(status, ASIF_EINVALID);
    assert_non_null(strstr(error.message, "but the environment's is by `risk`"));
    assert_non_null(strstr(error.hint, "{by: risk, low: learn, ...}"));
    asif_context_free(context);
}

static void check_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    long alive = memory.alive;
    asif_status status = ASIF_ENOMEM;
    for (long left = 0; status == ASIF_ENOMEM; left++) {
        asif_error error = ASIF_ERROR_INIT;
        asif_study *study = NULL;
        memory.left = left;
        status = read_study(
            &study, context, "{by: risk, low: [0.9, 0.1], high: [0.4, 0.6]}", "",
            "  start: {by: risk, high: learn ~ dirichlet(1, 1), low: learn}\n  action_prior: learn\n"
            "  world_weights: learn ~ dirichlet(1, 2, 1)\n",
            "{alpha: learn}", &error);
        CHECK(status == ASIF_OK || (status == ASIF_ENOMEM && !study), "status %d after %ld", status, left);
        asif_study_free(study);
        CHECK(memory.alive == alive, "%ld blocks are left", memory.alive - alive);
    }
    memory.left = -1;
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_specs), cmocka_unit_test(check_weights),
                                       cmocka_unit_test(check_classes), cmocka_unit_test(check_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
