/* What they do and what it costs: against closed forms, plain simulation, and all orders of taking bounds
 * away. */
#include "check.h"
#include "problems.h"

#include "acting/episode_measures.h"
#include "acting/evidence.h"
#include "acting/ideals.h"
#include "acting/policy/policy_value.h"
#include "acting/shapley.h"
#include "questions/outcomes/outcomes.h"

#include <math.h>
#include <string.h>

/* ---- Shapley ---- */

static void order_from(uint32_t n, uint32_t away, const double *value, double *share, double *orders) {
    if (away == (1u << n) - 1) {
        ++*orders;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        double before = *orders;
        if (away >> i & 1)
            continue;
        order_from(n, away | 1u << i, value, share, orders);
        share[i] += (*orders - before) * (value[away | 1u << i] - value[away]);
    }
}

static void test_shapley(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint32_t n = 1; n <= 4; n++) {
        double value[16], share[4] = {0}, got[4], orders = 0, sum = 0;
        for (uint32_t mask = 0; mask < 1u << n; mask++)
            value[mask] = make_uniform(&seed);
        order_from(n, 0, value, share, &orders);
        asif_shapley(got, n, value);
        for (uint32_t i = 0; i < n; i++) {
            CHECK_NEAR(got[i], share[i] / orders, 1e-12);
            sum += got[i];
        }
        CHECK_NEAR(sum, value[(1u << n) - 1] - value[0], 1e-12);
    }
}

/* ---- worth against plain simulation ---- */

static void mean_of(const double *value, uint64_t n, double *mean, double *error) {
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += value[i] / (double)n;
        squares += value[i] * value[i] / (double)n;
    }
    *mean = sum;
    *error = sqrt(fmax(0, squares - sum * sum) / (double)n);
}

static void compare_worth(const asif_context *context, const asif_setting *setting, double alpha, double beta,
                          double eta, uint32_t max_steps, uint64_t episodes) {
    enum { RUNS = 400 };
    double measure[64], error[64], plain[64], spread[64], long_run[RUNS], m[2], e[2];
    asif_theta *theta;
    asif_work *work;
    asif_policy_value_options options = {.episodes = 60, .max_steps = max_steps, .seed = 1};
    asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
    simulation.episodes = episodes;
    simulation.max_steps = max_steps;
    simulation.seed = 2;
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    asif_theta_set(theta, "alpha", alpha, NULL);
    asif_theta_set(theta, "beta", beta, NULL);
    asif_theta_set(theta, "eta", eta, NULL);
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    plan.resolution = 30;
    assert_int_equal(asif_work_create(&work, context, NULL, setting, &plan, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, NULL, NULL), ASIF_OK);
    const asif_behavior *b = asif_work_behavior(work);
    assert_int_equal(asif_policy_measures(measure, error, b, theta, &options, NULL), ASIF_OK);
    assert_int_equal(asif_episode_measures_simulate(plain, spread, b, theta, &simulation, NULL), ASIF_OK);
    for (uint32_t k = 0; k < asif_episode_measures_count(setting); k++) {
        assert_int_equal(isnan(measure[k]), isnan(plain[k]));
        if (!isnan(plain[k]))
            CHECK_NEAR(measure[k], plain[k],
                       4.5 * hypot(error[k], spread[k]) / fmax(1, fabs(plain[k])) + 1e-9);
    }
    /* The point of it: an episode tells far more than one of plain simulation. */
    assert_true(error[ASIF_MEASURE_UTILITY] * sqrt(60) <
                .5 * spread[ASIF_MEASURE_UTILITY] * sqrt((double)episodes));
    options.episodes = 20;
    simulation.episodes = RUNS;
    simulation.max_steps = 0;
    assert_int_equal(asif_policy_value_mean(&m[0], &e[0], b, theta, &options, 20, 0, NULL), ASIF_OK);
    e[0] = sqrt(e[0]);
    assert_int_equal(asif_episode_measures_values(long_run, b, theta, &simulation, NULL), ASIF_OK);
    mean_of(long_run, RUNS, &m[1], &e[1]);
    CHECK_NEAR(m[0], m[1], (4.5 * hypot(e[0], e[1]) + 1e-3 * fabs(m[1])) / fmax(1, fabs(m[1])));
    assert_true(e[0] < e[1]);
    asif_work_free(work);
    asif_theta_free(theta);
}

static void test_worth(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *diag = make_diag(context, NULL), *adni = make_adni_shape(context, NULL),
                 *mdp = make_mdp(context, 12, 3, 4, .9, NULL);
    compare_worth(context, diag, .6, 2, 15, 1000, 8000);
    compare_worth(context, diag, 3, -4, -2, 5, 8000);  /* cut after 5 decisions */
    compare_worth(context, adni, .5, 2, .1, 30, 1000); /* nothing ends; utility by belief */
    compare_worth(context, mdp, .1, INFINITY, 0, 50, 2000);
    asif_setting_free(diag);
    asif_setting_free(adni);
    asif_setting_free(mdp);
    asif_context_free(context);
}

/* ---- outcomes ---- */

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *given;
    asif_work *work;
    asif_estimates *estimates;
    asif_estimate_spec spec[3];
    double maximum[3];
    asif_fitted fitted;
} problem;

static asif_status try_open(problem *p, const asif_context_options *options) {
    memset(p, 0, sizeof *p);
    asif_status status = asif_context_create(&p->context, options, NULL);
    if (status == ASIF_OK)
        p->setting = make_diag(p->context, NULL);
    if (status != ASIF_OK || !p->setting)
        return ASIF_ENOMEM;
    static const char *const names[] = {"alpha", "optimism", "eta"};
    for (uint32_t i = 0; i < 3; i++)
        p->spec[i] = (asif_estimate_spec){.name = names[i], .standard = NAN};
    p->maximum[0] = log(.59);
    p->maximum[1] = .44;
    p->maximum[2] = 18;
    status = asif_theta_create(&p->given, p->context, p->setting, NULL);
    for (uint32_t i = 0; i < 3 && status == ASIF_OK; i++)
        status = asif_theta_unset(p->given, i == 1 ? "beta" : names[i], NULL);
    if (status == ASIF_OK)
        status = asif_work_create(&p->work, p->context, NULL, p->setting, NULL, NULL);
    if (status == ASIF_OK)
        status = asif_estimates_create(&p->estimates, p->context, p->given, p->spec, 3, ASIF_PRIORS_STATED,
                                       NULL, NULL);
    p->fitted = (asif_fitted)ASIF_FITTED_INIT;
    p->fitted.context = p->context;
    p->fitted.setting = p->setting;
    p->fitted.given = p->given;
    p->fitted.spec = p->spec;
    p->fitted.specs = 3;
    p->fitted.estimates = p->estimates;
    p->fitted.work = p->work;
    p->fitted.maximum = p->maximum;
    return status;
}

static void close_problem(problem *p) {
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_theta_free(p->given);
    asif_setting_free(p->setting);
    if (p->context)
        asif_context_free(p->context);
}

static asif_outcomes *run(const problem *p, const asif_outcomes_options *options, asif_outcomes_view *view) {
    asif_outcomes *o;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_outcomes_run(&o, &p->fitted, options, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    view->struct_size = sizeof *view;
    assert_int_equal(asif_outcomes_get(o, view, NULL), ASIF_OK);
    return o;
}

static const asif_outcome *number(const asif_outcomes_view *v, uint32_t agent, uint32_t measure) {
    return &v->number[agent * v->measures + measure];
}

/* Who knows the true world stops at three net results; values by the chain of net results. */
#define WRONG (1 / (1 + 343.0 / 27))
#define TESTS (3 * (1 - 2 * WRONG) / .4)

static double closed_value(void) {
    double v[2][7] = {{0}};
    for (uint32_t sweep = 0; sweep < 2000; sweep++) {
        double next = 0;
        for (uint32_t s = 0; s < 2; s++)
            next += .5 * ((s ? .7 : .3) * v[s][4] + (s ? .3 : .7) * v[s][2]);
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t n = 0; n < 7; n++)
                v[s][n] = n == 0 || n == 6
                              ? ((n == 6) == (s == 1) ? 10 : -36) + .95 * next
                              : -1 + .95 * ((s ? .7 : .3) * v[s][n + 1] + (s ? .3 : .7) * v[s][n - 1]);
    }
    return (v[0][3] + v[1][3]) / 2;
}

static void test_conduct(void **state) {
    (void)state;
    problem p;
    asif_outcomes_view v;
    assert_int_equal(try_open(&p, NULL), ASIF_OK);
    asif_outcomes *o = run(&p, NULL, &v);
    assert_int_equal(v.draws, 1);
    assert_int_equal(v.rows, 1);
    CHECK_NEAR(number(&v, ASIF_AGENT_TRUE, ASIF_OUTCOME_WRONG)->mean, WRONG, 2e-4);
    CHECK_NEAR(number(&v, ASIF_AGENT_TRUE, ASIF_OUTCOME_BEFORE_END)->mean, TESTS, 2e-3);
    CHECK_NEAR(number(&v, ASIF_AGENT_WITHOUT_BOUNDS, ASIF_OUTCOME_BEFORE_END)->mean, 3.9, .15 / 3.9);
    CHECK_NEAR(number(&v, ASIF_AGENT_WITHOUT_BOUNDS, ASIF_OUTCOME_WRONG)->mean, .141, .005);
    CHECK_NEAR(number(&v, ASIF_AGENT_FITTED, ASIF_OUTCOME_BEFORE_END)->mean, 3.5, .1 / 3.5);
    CHECK_NEAR(number(&v, ASIF_AGENT_FITTED, ASIF_OUTCOME_WRONG)->mean, .156, .005);
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++) {
        double wrong = number(&v, a, ASIF_OUTCOME_WRONG)->mean,
               tests = number(&v, a, ASIF_OUTCOME_BEFORE_END)->mean;
        /* The utility is a sum of the others, and every episode ends once. */
        CHECK_NEAR(number(&v, a, ASIF_OUTCOME_UTILITY)->mean, 10 - 46 * wrong - tests, 1e-2);
        CHECK_NEAR(number(&v, a, ASIF_OUTCOME_ACTIONS)->mean + number(&v, a, ASIF_OUTCOME_ACTIONS + 1)->mean,
                   1, 1e-3);
        assert_true(number(&v, a, ASIF_OUTCOME_NOT_ENDED)->mean == 0);
        assert_true(number(&v, a, ASIF_OUTCOME_WRONG)->error < 5e-4);
    }
    CHECK_NEAR(v.ideal_value.mean, closed_value(), 2e-3);
    /* After 3 alike, all declare; after 2 only the same model without bounds. */
    assert_int_equal(v.histories, 6);
    for (uint32_t h = 0; h < v.histories; h++) {
        const asif_outcome_history *history = &v.history[h];
        double declares = 1 - history->policy[ASIF_AGENT_TRUE * 3 + 2].mean;
        CHECK_NEAR(declares, history->events == 3, 1e-12);
        declares = 1 - history->policy[ASIF_AGENT_WITHOUT_BOUNDS * 3 + 2].mean;
        CHECK_NEAR(declares, history->events >= 2, 1e-12);
        declares = 1 - history->policy[2].mean;
        assert_true(history->events == 1 ? declares < .03 : declares > .9);
    }
    asif_outcomes_free(o);
    close_problem(&p);
}

/* Losses add up, do not depend on luck beyond their error, and begin from the value that plain simulation
 * finds. */
static void test_losses(void **state) {
    (void)state;
    enum { RUNS = 3000 };
    static double value[RUNS];
    problem p;
    asif_outcomes_view v[2];
    asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_BRIEF;
    asif_ideals unbound;
    asif_theta *theta;
    const asif_work *work;
    const asif_theta *solved;
    asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
    assert_int_equal(try_open(&p, NULL), ASIF_OK);
    asif_outcomes *o[2];
    for (uint32_t k = 0; k < 2; k++) {
        options.seed = 7 * k;
        o[k] = run(&p, &options, &v[k]);
        assert_int_equal(v[k].losses, 4);
        double sum = 0;
        for (uint32_t i = 0; i < 4; i++) {
            sum += v[k].loss[i].loss.mean;
            CHECK_NEAR(v[k].loss[i].per_decision.mean, .05 * v[k].loss[i].loss.mean, 1e-12);
        }
        CHECK_NEAR(sum, v[k].whole_loss.mean, 1e-9);
        CHECK_NEAR(v[k].whole_loss.mean, v[k].ideal_value.mean - v[k].value.mean, 1e-9);
        /* Who knows the world has nothing to be optimistic about. */
        CHECK_NEAR(v[k].loss[1].alone.mean, 0, 1e-9);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(v[0].loss[i].loss.mean != v[1].loss[i].loss.mean);
        CHECK_NEAR(v[0].loss[i].loss.mean, v[1].loss[i].loss.mean,
                   5 * hypot(v[0].loss[i].loss.error, v[1].loss[i].loss.error) + 1e-3);
    }
    assert_int_equal(asif_theta_copy(&theta, p.given, NULL), ASIF_OK);
    asif_theta_set(theta, "alpha", .59, NULL);
    asif_theta_set(theta, "optimism", .44, NULL);
    asif_theta_set(theta, "eta", 18, NULL);
    assert_int_equal(asif_ideals_create(&unbound, &p.fitted, NULL), ASIF_OK);
    for (uint32_t k = 0; k < 3; k++) {
        static const uint32_t masks[] = {0, ASIF_BOUND_CONSISTENCY, ASIF_BOUND_SURPRISE};
        static const uint32_t which[] = {0, 0, 2};
        double want = v[0].value.mean + (k ? v[0].loss[which[k]].last.mean : 0), mean, error;
        simulation.episodes = RUNS;
        simulation.max_steps = 0;
        assert_int_equal(asif_ideals_solve(&unbound, theta, masks[k], &work, &solved, NULL), ASIF_OK);
        assert_int_equal(
            asif_episode_measures_values(value, asif_work_behavior(work), solved, &simulation, NULL),
            ASIF_OK);
        mean_of(value, RUNS, &mean, &error);
        CHECK_NEAR(want, mean, 4 * error);
    }
    asif_ideals_free(&unbound);
    asif_theta_free(theta);
    for (uint32_t k = 0; k < 2; k++)
        asif_outcomes_free(o[k]);
    close_problem(&p);
}

static void test_evidence(void **state) {
    (void)state;
    static const double test[] = {.7, .3, .3, .7}, nothing[] = {.5, .5, .5, .5};
    CHECK_NEAR(asif_evidence_quality(test, NULL, 2, 2), .7, 1e-15);
    CHECK_NEAR(asif_evidence_quality(nothing, NULL, 2, 2), .5, 1e-15);
    problem p;
    asif_outcomes_view v;
    asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_BRIEF;
    options.loss_draws = 0;
    static const struct {
        double optimism, low, high;
    } rows[] = {{0, .7 - 1e-9, .7 + 1e-9}, {.44, .71, .76}, {30, .799, .8 + 1e-9}, {-30, .6 - 1e-9, .601}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(try_open(&p, NULL), ASIF_OK);
        p.maximum[1] = rows[i].optimism;
        p.maximum[2] = 0;
        asif_outcomes *o = run(&p, &options, &v);
        assert_int_equal(v.losses, 0);
        assert_int_equal(v.evidences, 1);
        assert_int_equal(v.evidence[0].action, 2);
        CHECK_NEAR(v.evidence[0].environment, .7, 1e-12);
        CHECK_NEAR(v.evidence[0].neutral, .7, 1e-12);
        CHECK(v.evidence[0].perceived.mean > rows[i].low && v.evidence[0].perceived.mean < rows[i].high,
              "optimism %g: %g", rows[i].optimism, v.evidence[0].perceived.mean);
        asif_outcomes_free(o);
        close_problem(&p);
    }
}

/* Every failure of memory is told. */
static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_BRIEF;
    context.reallocate = failing_reallocate;
    context.user = &memory;
    options.episodes = options.ideal_episodes = options.runs = 2;
    options.histories = 3;
    problem p;
    assert_int_equal(try_open(&p, &context), ASIF_OK);
    asif_outcomes *o = NULL;
    long opened = memory.made;
    assert_int_equal(asif_outcomes_run(&o, &p.fitted, &options, NULL), ASIF_OK);
    long all = memory.made - opened;
    asif_outcomes_free(o);
    long before = memory.alive;
    for (long fails = 0; fails < all; fails += 1 + fails / 6) {
        memory.left = fails;
        asif_status status = asif_outcomes_run(&o, &p.fitted, &options, NULL);
        memory.left = -1;
        if (status == ASIF_OK)
            asif_outcomes_free(o);
        else
            assert_int_equal(status, ASIF_ENOMEM);
        assert_int_equal(memory.alive, before);
    }
    options.draws = 0;
    assert_int_equal(asif_outcomes_run(&o, &p.fitted, &options, NULL), ASIF_EDOMAIN);
    options.draws = 1;
    p.fitted.maximum = NULL;
    assert_int_equal(asif_outcomes_run(&o, &p.fitted, &options, NULL), ASIF_EUNSET);
    assert_null(o);
    close_problem(&p);
    assert_int_equal(memory.alive, 0);
}

/* Three draws of 100 far below pull the mean out of the middle 90 %: it lies in its interval still. */
static void test_interval(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_outcome_table table;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (double far = -.06; far < 1; far += 1) {
        assert_int_equal(asif_outcome_table_create(&table, context, 1, 100, NULL), ASIF_OK);
        for (uint32_t d = 0; d < 100; d++)
            asif_outcome_table_set(&table, 0, d, d % 40 == 7 ? far : .01, 0);
        asif_outcome out = asif_outcome_table_sum(&table, 0, 100);
        CHECK_NEAR(out.mean, (97 * .01 + 3 * far) / 100, 1e-12);
        assert_true(out.q05 <= out.mean && out.mean <= out.q95);
        CHECK_NEAR(far < 0 ? out.q95 : out.q05, .01, 1e-12);
        asif_outcome_table_free(&table);
    }
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapley), cmocka_unit_test(test_worth),    cmocka_unit_test(test_conduct),
        cmocka_unit_test(test_losses),  cmocka_unit_test(test_evidence), cmocka_unit_test(test_interval),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
