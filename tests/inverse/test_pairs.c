/* Every inverse planner with every planner: what goes together is evaluated, its derivatives are compared
 * with differences and its answer is asked for; what does not is refused with the words of
 * asif_pair_refused(). A new row of either registry is in it by itself. */
#include "check.h"

#include "inverse/inverse.h"
#include "planners/planner.h"
#include "problems.h"

#include <stdio.h>
#include <string.h>

enum { EPISODES = 40, STEPS = 6, STATES = 3, ACTIONS = 2 };

/* What a planner is given beside what its row narrows, and what is estimated. */
typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_estimates *estimates;
} bench;

/* Three states, seen or told by a test; `gain` in the last state, `cost` of the second action; a taste for
 * certainty, where beliefs are. */
static asif_setting *make_setting(const asif_context *context, bool seen, bool certainty, bool shifted) {
    static const double stay[] = {.8, .2, 0, .1, .7, .2, .2, .1, .7},
                        go[] = {.2, .7, .1, .1, .3, .6, .6, .2, .2};
    static const double other[] = {.6, .3, .1, .1, .5, .4, .3, .3, .4};
    static const double test[] = {.8, .2, .5, .5, .1, .9}, start[] = {.4, .3, .3};
    const asif_matrix matrix[] = {{3, 3, false, NULL, NULL, shifted ? other : stay},
                                  {3, 3, false, NULL, NULL, go},
                                  {3, 2, false, NULL, NULL, test}};
    static const uint32_t transitions[] = {0, 1, 0, 1}, emissions[] = {2, 2, 2, 2};
    static const char *const states[] = {"s0", "s1", "s2"}, *const actions[] = {"stay", "go"};
    static const char *const seen_names[] = {"no", "yes"}, *const names[] = {"gain", "cost"};
    const asif_utility_term term[] = {
        {.by = ASIF_BY_STATE, .parameter = 0, .action = ASIF_ANY, .index = 2, .coefficient = 1},
        {.by = ASIF_BY_STATE, .parameter = 1, .action = 1, .index = ASIF_ANY, .coefficient = 1},
        {.by = ASIF_BY_BELIEF,
         .parameter = ASIF_ANY,
         .action = ASIF_ANY,
         .index = ASIF_ANY,
         .coefficient = .3,
         .test = ASIF_ABOVE,
         .threshold = .6},
    };
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    asif_setting *setting = NULL;
    spec.states = STATES;
    spec.actions = ACTIONS;
    spec.observations = seen ? 0 : 2;
    spec.parameters = 2;
    spec.state_names = states;
    spec.action_names = actions;
    spec.observation_names = seen ? NULL : seen_names;
    spec.parameter_names = names;
    spec.matrices = 3;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = seen ? NULL : emissions;
    spec.environment_start = start;
    spec.discount = .8;
    spec.terms = certainty ? 3 : 2;
    spec.term = term;
    CHECK(asif_setting_create(&setting, context, &spec, NULL) == ASIF_OK, "setting");
    return setting;
}

/* Episodes of somebody who does anything, with all that inverse planners are told. */
static asif_tree *make_logs(const bench *b, bool seen) {
    static char text[EPISODES * STEPS * 64 + 256];
    const asif_setting_spec *spec = asif_setting_get(b->setting);
    size_t used = (size_t)snprintf(text, sizeof text, "episode,t,%s,action%s,score,batch,environment\n",
                                   seen ? "state" : "note", seen ? "" : ",observation");
    uint64_t seed = 11;
    for (int e = 0; e < EPISODES; e++) {
        uint32_t s = (uint32_t)(3 * make_uniform(&seed));
        for (int t = 0; t < STEPS; t++) {
            uint32_t u = make_uniform(&seed) < .3 + .2 * s;
            const asif_matrix *m = &spec->matrix[spec->transitions[u]];
            double draw = make_uniform(&seed), sum = 0;
            uint32_t next = 0;
            for (uint64_t i = m->offset[s]; i < m->offset[s + 1]; i++) {
                next = m->column[i];
                if ((sum += m->value[i]) > draw)
                    break;
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "e%d,%d,s%u,%s%s,%d,%d,%s\n", e, t, s,
                                     u ? "go" : "stay",
                                     seen                                   ? ""
                                     : make_uniform(&seed) < .2 + .3 * next ? ",yes"
                                                                            : ",no",
                                     e % 7 - 3, 1 + 3 * e / EPISODES, e % 2 ? "second" : "first");
            s = next;
        }
    }
    static const char *const columns[] = {"score", "batch", "environment", NULL};
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    options.setting = b->setting;
    options.units = ASIF_UNITS_EPISODES;
    options.covariates = columns;
    asif_status status =
        asif_logs_read_text(&tree, b->context, text, used, "logs", &options, NULL, NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    return tree;
}

static void open_bench(bench *b, const asif_planner_info *planner, bool seen) {
    const asif_restriction *narrow = &asif_planner_find(planner->name, NULL)->narrow;
    static const asif_estimate_spec utilities[] = {
        {.name = "gain", .prior = "normal(1, 1)", .standard = 1},
        {.name = "cost", .prior = "normal(0, 1)", .standard = -.3}};
    static const asif_estimate_spec mean = {.name = "means", .start = 0, .standard = NAN};
    static const double other_mean[STATES] = {.2, .3, .5};
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    options.resolution = 12;
    options.samples = 2000; /* of those that learn: it need not be well */
    options.hidden = 4;
    assert_int_equal(asif_context_create(&b->context, NULL, NULL), ASIF_OK);
    b->setting = make_setting(b->context, seen, narrow->needs_beliefs, false);
    assert_int_equal(asif_theta_create(&b->theta, b->context, b->setting, NULL), ASIF_OK);
    if (narrow->alpha.how != ASIF_FIXED)
        assert_int_equal(asif_theta_set(b->theta, "alpha", .5, NULL), ASIF_OK);
    else if (narrow->acts)
        assert_int_equal(asif_theta_set(b->theta, "act_alpha", .5, NULL), ASIF_OK);
    assert_int_equal(asif_planner_settle(planner->name, b->theta, NULL), ASIF_OK);
    asif_status status = asif_work_create(&b->work, b->context, planner->name, b->setting, &options, &error);
    CHECK(status == ASIF_OK, "%s: %s", planner->name, error.message);
    if (narrow->means)
        for (uint32_t i = 0; i < 2; i++) {
            asif_theta_set(b->theta, i ? "cost" : "gain", i ? -.3 : 1, NULL);
            asif_theta_set_distribution(b->theta, ASIF_MEANS, i, other_mean, NULL);
        }
    status = asif_estimates_create(&b->estimates, b->context, b->theta, narrow->means ? &mean : utilities,
                                   narrow->means ? 1 : 2, ASIF_PRIORS_STATED, NULL, &error);
    CHECK(status == ASIF_OK, "%s: %s", planner->name, error.message);
}

static void close_bench(bench *b) {
    asif_estimates_free(b->estimates);
    asif_work_free(b->work);
    asif_theta_free(b->theta);
    asif_setting_free(b->setting);
    asif_context_free(b->context);
}

static void compare_gradient(asif_target *target, const double *x, const char *pair) {
    uint32_t n = asif_target_density(target)->dimension;
    double value, gradient[8], at[8], up, down, h = 1e-5;
    assert_true(n <= 8);
    assert_int_equal(asif_target_objective(target, x, &value, gradient, NULL), ASIF_OK);
    for (uint32_t i = 0; i < n && isfinite(value); i++) {
        memcpy(at, x, n * sizeof *at);
        at[i] = x[i] + h;
        assert_int_equal(asif_target_objective(target, at, &up, NULL, NULL), ASIF_OK);
        at[i] = x[i] - h;
        assert_int_equal(asif_target_objective(target, at, &down, NULL, NULL), ASIF_OK);
        double numeric = (up - down) / (2 * h);
        CHECK(fabs(gradient[i] - numeric) <= 2e-4 * fmax(1, fabs(numeric)),
              "%s: derivative %u is %g, by differences %g", pair, i, gradient[i], numeric);
    }
}

static void try_pair(const asif_planner_info *planner, const asif_inverse_info *inverse, bool seen) {
    static const char *const columns[] = {NULL, "score", NULL, "batch", "environment"};
    static const char *const names[] = {"first", "second"};
    char pair[128];
    bench b = {0};
    asif_error error = ASIF_ERROR_INIT;
    snprintf(pair, sizeof pair, "%s, %s, %s", planner->name, inverse->name, seen ? "states" : "beliefs");
    open_bench(&b, planner, seen);
    asif_tree *tree = make_logs(&b, seen);
    asif_setting *second = make_setting(b.context, seen, false, true);
    const asif_setting *environments[] = {b.setting, second};
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    asked.column = columns[inverse->helper];
    asked.margin = 0;
    asked.pairs = "pairs-of-test.csv";
    asked.environments = 2;
    asked.environment_name = names;
    asked.environment = environments;
    options.inverse = inverse->name;
    options.inverse_options = &asked;
    options.objective_only = true;
    asif_target *target = NULL, *clone = NULL;
    asif_status status = asif_target_create(&target, b.work, b.estimates, tree, &options, &error);
    const char *why = asif_pair_refused(planner, inverse);
    if (why || !(inverse->sees & (seen ? ASIF_SEES_STATES : ASIF_SEES_BELIEFS))) {
        CHECK(status == ASIF_EUNSUPPORTED, "%s was not refused", pair);
        CHECK(!why || strstr(error.message, why), "%s: %s", pair, error.message);
    } else if (status == ASIF_EUNSUPPORTED && strstr(error.message, "Clp")) {
        puts("a linear programme is left out: this build has no Clp");
    } else {
        CHECK(status == ASIF_OK, "%s: %s", pair, error.message);
        double x[] = {.8, -.2}, value, again;
        assert_int_equal(asif_target_objective(target, x, &value, NULL, &error), ASIF_OK);
        CHECK(!isnan(value), "%s: %g", pair, value);
        assert_int_equal(asif_target_clone(&clone, target, NULL), ASIF_OK);
        assert_int_equal(asif_target_objective(clone, x, &again, NULL, NULL), ASIF_OK);
        CHECK(fabs(again - value) <= 1e-9 * fmax(1, fabs(value)) || again == value, "%s: a clone says %g",
              pair, again);
        if (asif_target_density(target)->has_gradient)
            compare_gradient(target, x, pair);
        if (asif_target_answers(target)) {
            status = asif_target_answer(target, x, &again, &error);
            if (status == ASIF_EUNSUPPORTED && strstr(error.message, "Clp"))
                puts("a linear programme is left out: this build has no Clp");
            else if (status != ASIF_EINVALID) { /* these logs need not have an answer, but then it is said */
                CHECK(status == ASIF_OK, "%s: %s", pair, error.message);
                CHECK(again >= value - 1e-6 * fmax(1, fabs(value)), "%s: the answer has %g, another point %g",
                      pair, again, value);
            }
        }
    }
    asif_target_free(clone);
    asif_target_free(target);
    asif_tree_free(tree);
    asif_setting_free(second);
    close_bench(&b);
}

static void all_pairs(void **state) {
    (void)state;
    const asif_planner_info *planner;
    const asif_inverse_info *inverse;
    FILE *file = fopen("pairs-of-test.csv", "w");
    assert_non_null(file);
    fputs("worse,better\n", file);
    for (int i = 0; i + 3 < EPISODES; i++)
        fprintf(file, "e%d,e%d\n", i, i + 3);
    assert_int_equal(fclose(file), 0);
    for (uint32_t i = 0; (planner = asif_planner_get(i)); i++)
        for (uint32_t k = 0; (inverse = asif_inverse_get(k)); k++)
            for (int seen = 0; seen < 2; seen++)
                if (planner->sees & (seen ? ASIF_SEES_STATES : ASIF_SEES_BELIEFS))
                    try_pair(planner, inverse, seen);
    remove("pairs-of-test.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
