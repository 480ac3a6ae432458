/* Simulated logs and what comes of acting: against the logs that are written, and figures that the oracle
 * measured. */
#include "check.h"
#include "problems.h"

#include "acting/episode_measures.h"
#include "acting/ideals.h"
#include "acting/policy/policy_value.h"
#include "acting/simulated.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_fitted fitted;
} problem;

static void open_problem(problem *p) {
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    p->setting = make_diag(p->context, NULL);
    assert_non_null(p->setting);
    assert_int_equal(asif_theta_create(&p->theta, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->theta, "alpha", .5, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->theta, "beta", 1.25, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->theta, "eta", .001, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, p->setting, NULL, NULL), ASIF_OK);
    p->fitted = (asif_fitted)ASIF_FITTED_INIT;
    p->fitted.context = p->context;
    p->fitted.setting = p->setting;
    p->fitted.given = p->theta;
    p->fitted.work = p->work;
}

static void close_problem(problem *p) {
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

static asif_status take(void *user, const char *data, uint64_t length) {
    asif_text_add_n(user, data, length);
    return ASIF_OK;
}

static void test_tree(void **state) {
    (void)state;
    problem p;
    open_problem(&p);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    const uint64_t episodes = 300;
    asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_simulated_options growing = {.episodes = &episodes, .seed = 5, .max_steps = 25, .units = true};
    asif_text text = {.context = p.context};
    asif_tree *grown = NULL, *read = NULL;
    simulation.episodes = episodes;
    simulation.seed = 5;
    simulation.max_steps = 25;
    reading.setting = p.setting;
    reading.units = ASIF_UNITS_EPISODES;
    assert_int_equal(asif_simulate_csv(asif_work_behavior(p.work), &simulation, take, &text, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(
        asif_logs_read_text(&read, p.context, text.data, text.length, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    assert_int_equal(asif_simulated_tree(&grown, asif_work_behavior(p.work), &growing, NULL), ASIF_OK);
    asif_tree_view a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    assert_int_equal(asif_tree_get(grown, &a, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(read, &b, NULL), ASIF_OK);
    assert_int_equal(a.nodes, b.nodes);
    assert_int_equal(a.units, b.units);
    assert_memory_equal(a.parent, b.parent, a.nodes * sizeof *a.parent);
    assert_memory_equal(a.action, b.action, a.nodes * sizeof *a.action);
    assert_memory_equal(a.observation, b.observation, a.nodes * sizeof *a.observation);
    assert_memory_equal(a.count, b.count, (uint64_t)a.nodes * a.actions * sizeof *a.count);
    assert_memory_equal(a.unit, b.unit, (a.units + 1) * sizeof *a.unit);
    assert_memory_equal(a.entry_node, b.entry_node, a.unit[a.units] * sizeof *a.entry_node);
    assert_int_equal(asif_tree_info(grown)->decisions, asif_tree_info(read)->decisions);
    assert_int_equal(asif_tree_info(grown)->episodes, episodes);
    asif_tree_free(grown);
    asif_tree_free(read);
    asif_text_free(&text);
    close_problem(&p);
}

/* The two ideals of DIAG: 3.9 and 6.4 tests, 14.1 % and 7.4 % wrong. */
static void test_ideals(void **state) {
    (void)state;
    static const struct {
        uint32_t mask;
        double tests, wrong;
    } rows[] = {{ASIF_WITHOUT_BOUNDS, 3.9, .141}, {ASIF_IDEAL_TRUE, 6.4, .074}};
    problem p;
    asif_ideals unbound;
    open_problem(&p);
    assert_true(asif_ideals_worlds_matter(&p.fitted));
    assert_int_equal(asif_ideals_create(&unbound, &p.fitted, NULL), ASIF_OK);
    for (size_t i = 0; i < 2; i++) {
        double measure[ASIF_MEASURE_TAKEN + 3], spread[ASIF_MEASURE_TAKEN + 3];
        const asif_work *work;
        const asif_theta *theta;
        asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
        options.episodes = 100000;
        assert_int_equal(asif_ideals_solve(&unbound, p.theta, rows[i].mask, &work, &theta, NULL), ASIF_OK);
        assert_int_equal(
            asif_episode_measures_simulate(measure, spread, asif_work_behavior(work), theta, &options, NULL),
            ASIF_OK);
        CHECK_NEAR(measure[ASIF_MEASURE_BEFORE], rows[i].tests, .15);
        CHECK_NEAR(measure[ASIF_MEASURE_WRONG], rows[i].wrong, .005);
        /* 10 for the right one, -36 for the wrong one, -1 for each test. */
        CHECK_NEAR(measure[ASIF_MEASURE_UTILITY],
                   10 - 46 * measure[ASIF_MEASURE_WRONG] - measure[ASIF_MEASURE_BEFORE], 1e-9);
        CHECK_NEAR(measure[ASIF_MEASURE_LENGTH], measure[ASIF_MEASURE_BEFORE] + 1, 1e-9);
        CHECK_NEAR(spread[ASIF_MEASURE_WRONG], sqrt(rows[i].wrong * (1 - rows[i].wrong) / 100000), 1e-4);
        assert_true(measure[ASIF_MEASURE_CUT] == 0);
    }
    asif_ideals_free(&unbound);
    close_problem(&p);
}

/* In the long run the values of the one who knows are what it believes them to be. */
static void test_values(void **state) {
    (void)state;
    enum { RUNS = 4000 };
    static double value[RUNS];
    problem p;
    asif_ideals unbound;
    const asif_work *work;
    const asif_theta *theta;
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    double start[2] = {.5, .5}, believed, sum = 0, squares = 0;
    asif_view view = ASIF_VIEW_INIT;
    open_problem(&p);
    options.episodes = RUNS;
    options.max_steps = 0;
    view.value = &believed;
    assert_int_equal(asif_ideals_create(&unbound, &p.fitted, NULL), ASIF_OK);
    assert_int_equal(asif_ideals_solve(&unbound, p.theta, ASIF_IDEAL_TRUE, &work, &theta, NULL), ASIF_OK);
    assert_int_equal(asif_episode_measures_values(value, asif_work_behavior(work), theta, &options, NULL),
                     ASIF_OK);
    assert_int_equal(asif_look(asif_work_behavior(work), 1, start, &view, NULL), ASIF_OK);
    for (uint32_t i = 0; i < RUNS; i++) {
        sum += value[i] / RUNS;
        squares += value[i] * value[i] / RUNS;
    }
    CHECK_NEAR(sum, believed, 4 * sqrt((squares - sum * sum) / RUNS) + .05);
    asif_ideals_free(&unbound);
    close_problem(&p);
}

/* Every decision leads to a state in which nothing follows: within two decisions all episodes end, and within
 * one those that did not take the ending action have not. */
static void test_terminal(void **state) {
    (void)state;
    static const double away[] = {0, 1, 0, 1}, start[] = {1, 0}, utility[] = {0, 0, 0, 0};
    static const asif_matrix matrix[] = {{2, 2, false, NULL, NULL, away}};
    static const uint32_t transitions[] = {0, 0, 0, 0};
    static const bool ends[] = {true, false}, terminal[] = {false, true};
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    spec.states = spec.actions = 2;
    spec.matrices = 1;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.environment_start = start;
    spec.ends = ends;
    spec.terminal = terminal;
    spec.discount = .9;
    spec.utility = utility;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_setting_create(&setting, context, &spec, NULL), ASIF_OK);
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", 1, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&work, context, NULL, setting, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, NULL, NULL), ASIF_OK);
    for (uint32_t steps = 1; steps <= 2; steps++) {
        double simulated[ASIF_MEASURE_TAKEN + 2], expected[ASIF_MEASURE_TAKEN + 2];
        asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
        asif_policy_value_options exact = {.episodes = 1000, .seed = 1, .max_steps = steps};
        options.episodes = 1000;
        options.seed = 1;
        options.max_steps = steps;
        const asif_behavior *behavior = asif_work_behavior(work);
        assert_int_equal(asif_episode_measures_simulate(simulated, NULL, behavior, theta, &options, NULL),
                         ASIF_OK);
        assert_int_equal(asif_policy_measures(expected, NULL, behavior, theta, &exact, NULL), ASIF_OK);
        CHECK_NEAR(simulated[ASIF_MEASURE_CUT], steps == 1 ? .5 : 0, .06);
        CHECK_NEAR(simulated[ASIF_MEASURE_CUT], expected[ASIF_MEASURE_CUT], steps == 1 ? .06 : 0);
    }
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_ideals),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
