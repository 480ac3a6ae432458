/* `means` of a study, and what planners with and without them ask for. */
#include "asif.h"
#include "check.h"

#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

/* The planner, and more of the agent. */
static const char frame[] = "asif: 1\n"
                            "states: [healthy, diseased]\n"
                            "actions: [stop, test]\n"
                            "%s"
                            "environment: {start: [0.5, 0.5]%s}\n"
                            "agent:\n"
                            "  planner: %s\n"
                            "  discount: 0.9\n"
                            "%s";

static asif_status read_study(asif_study **study, const asif_context *context, bool seen, const char *planner,
                              const char *agent, asif_error *error) {
    char text[2048];
    snprintf(text, sizeof text, frame, seen ? "" : "observations: [negative, positive]\n",
             seen ? "" : ", emissions: [[0.7, 0.3], [0.3, 0.7]]", planner, agent);
    return asif_study_read(study, context, text, strlen(text), NULL, NULL, error);
}

static const struct {
    const char *agent;
    double healthy[2]; /* of stop, test; NaN: learn */
    const char *prior[2];
} good[] = {
    {"  means: {stop: [0.9, 0.1], test: uniform}\n", {.9, .5}, {NULL}},
    {"  means: {test: {healthy: 0.3, diseased: 0.7}, stop: healthy}\n", {1, .3}, {NULL}},
    {"  means: learn\n", {NAN, NAN}, {NULL, NULL}},
    {"  means: {stop: learn, test: [0.25, 0.75]}\n", {NAN, .25}, {NULL}},
    {"  means:\n    stop: learn ~ dirichlet(2, 1)\n    test: {learn: \"dirichlet(1, 3)\"}\n",
     {NAN, NAN},
     {"dirichlet(2, 1)", "dirichlet(1, 3)"}},
    {"  means: {stop: learn ~ dirichlet(2, 1), test: learn}\n", {NAN, NAN}, {"dirichlet(2, 1)", NULL}},
};

static void reads(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (uint32_t i = 0; i < COUNT(good); i++) {
        asif_study *study;
        asif_error error = ASIF_ERROR_INIT;
        if (read_study(&study, context, false, "decision-boundaries", good[i].agent, &error) != ASIF_OK)
            fail_msg("row %u: %s", i, error.message);
        asif_estimate_spec spec[4];
        uint32_t count = asif_study_estimates(study, spec, COUNT(spec)), k = 0;
        for (uint32_t u = 0; u < 2; u++) {
            double healthy = asif_theta_distribution(asif_study_theta(study), ASIF_MEANS, u)[0];
            CHECK(isnan(healthy) == isnan(good[i].healthy[u]), "row %u: %g", i, healthy);
            if (!isnan(healthy)) {
                CHECK_NEAR(healthy, good[i].healthy[u], 1e-15);
                continue;
            }
            CHECK(k < count && strcmp(spec[k].name, "means") == 0 && spec[k].start == u, "row %u", i);
            CHECK(good[i].prior[u] ? spec[k].prior && strcmp(spec[k].prior, good[i].prior[u]) == 0
                                   : !spec[k].prior,
                  "row %u: %s", i, spec[k].prior ? spec[k].prior : "");
            k++;
        }
        CHECK(k == count, "row %u: %u", i, count);
        /* the usual alpha of this planner, and no utility is missed */
        double alpha;
        asif_theta_get(asif_study_theta(study), "alpha", &alpha, NULL);
        CHECK_NEAR(alpha, .1, 1e-15);
        asif_study_free(study);
    }
    asif_context_free(context);
}

static const struct {
    bool seen;
    const char *planner, *agent, *message, *hint;
} bad[] = {
    {false, "decision-boundaries", "", "needs `means`", "learn"},
    {false, "decision-boundaries", "  means: {stop: [0.9, 0.1]}\n", "the mean of `test` is missing",
     "uniform"},
    {false, "decision-boundaries", "  means: {stop: [0.9, 0.2], test: uniform}\n", "the mean of `stop`", ""},
    {false, "decision-boundaries", "  means: {halt: uniform, test: uniform}\n", "halt", ""},
    {false, "decision-boundaries", "  means: [0.5, 0.5]\n", "`means` must be", "each action"},
    {false, "decision-boundaries", "  means: learn\n  utility: {stop: 1, test: 0}\n",
     "does not look at a `utility`", "remove"},
    {false, "decision-boundaries", "  means: {stop: learn ~ dirichlet(1, 1, 1), test: learn}\n", "3 numbers",
     ""},
    {false, "bounded-rational", "  means: learn\n  utility: {stop: 1, test: 0}\n  parameters: {alpha: 1}\n",
     "the planner `bounded-rational` has no `means`", "decision-boundaries"},
    {false, "decision-rule", "  parameters: {alpha: 1}\n", "the agent has no `utility`", ""},
    {false, "decision-rule", "  parameters: {means: 1}\n  utility: {stop: means, test: 0}\n",
     "it is a distribution", ""},
    {true, "decision-boundaries", "  means: learn\n", "sees observations", "observations"},
};

static void refuses(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        asif_study *study;
        asif_error error = ASIF_ERROR_INIT;
        asif_status status = read_study(&study, context, bad[i].seen, bad[i].planner, bad[i].agent, &error);
        CHECK(status != ASIF_OK && strstr(error.message, bad[i].message) && strstr(error.hint, bad[i].hint),
              "row %u: %s (%s)", i, error.message, error.hint);
        asif_study_free(study);
    }
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
