/* Predictive checks: counts at random against exact distributions, expected counts by hand, what is wrong is
 * found. Whether p-values are uniform is in test_calibrated.c. */
#include "checks/checked.h"
#include "checks/predictive_checks.h"
#include "questions/predict/predictive_checks_text.h"

#include "base/random.h"
#include "base/text.h"

/* ---- counts at random ---- */

static double log_choose(double n, double k) {
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Chi-square of draws against the exact distribution, neighbours joined until 20 are expected. */
static void check_binomial(double n, double p, uint32_t draws) {
    asif_stream stream = {3, ASIF_FOR_TESTS, (uint64_t)n};
    uint32_t counter = 0, cells = (uint32_t)n + 1;
    double *count = calloc(cells, sizeof *count), sum = 0, expected = 0, observed = 0;
    uint32_t freedom = 0;
    for (uint32_t i = 0; i < draws; i++) {
        double k = asif_check_binomial(&stream, &counter, n, p);
        assert_true(k >= 0 && k <= n && k == floor(k));
        count[(uint32_t)k]++;
    }
    for (uint32_t k = 0; k < cells; k++) {
        expected += draws * exp(log_choose(n, k) + k * log(p) + (n - k) * log1p(-p));
        observed += count[k];
        if (expected < 20 && k + 1 < cells)
            continue;
        sum += expected > 1e-3 ? (observed - expected) * (observed - expected) / expected : 0;
        freedom++;
        expected = observed = 0;
    }
    free(count);
    /* Far out on the chi-square's right: four standard deviations. */
    CHECK(sum < freedom + 4 * sqrt(2. * freedom) + 8, "n %g, p %g: chi-square %g of %u", n, p, sum, freedom);
}

static void test_binomial(void **state) {
    (void)state;
    check_binomial(1, .3, 20000);
    check_binomial(7, .5, 20000);
    check_binomial(40, .2, 20000); /* counted up */
    check_binomial(60, .4, 20000); /* rejection */
    check_binomial(200, .93, 20000);
    check_binomial(5000, .5, 20000);
    check_binomial(3000, .004, 20000);
    asif_stream stream = {3, ASIF_FOR_TESTS, 1};
    uint32_t counter = 0;
    double sum = 0, squares = 0, n = 1e9, p = .37;
    for (uint32_t i = 0; i < 4000; i++) {
        double z = (asif_check_binomial(&stream, &counter, n, p) - n * p) / sqrt(n * p * (1 - p));
        sum += z;
        squares += z * z;
    }
    CHECK_NEAR(sum / 4000, 0, 4 / sqrt(4000));
    CHECK_NEAR(squares / 4000, 1, 4 * sqrt(2. / 4000));
    assert_true(asif_check_binomial(&stream, &counter, 5, 0) == 0);
    assert_true(asif_check_binomial(&stream, &counter, 5, 1) == 5);
}

static void test_multinomial(void **state) {
    (void)state;
    const double p[] = {.2, 0, .5, .3, 0};
    double drawn[5], mean[5] = {0}, alone[5] = {0}, product = 0;
    asif_stream stream = {9, ASIF_FOR_TESTS, 2};
    uint32_t counter = 0;
    enum { DRAWS = 20000, N = 30 };
    for (uint32_t i = 0; i < DRAWS; i++) {
        asif_check_multinomial(&stream, &counter, N, p, 5, drawn);
        double all = 0;
        for (uint32_t k = 0; k < 5; k++) {
            all += drawn[k];
            mean[k] += drawn[k] / DRAWS;
        }
        assert_true(all == N && drawn[1] == 0 && drawn[4] == 0);
        product += (drawn[0] - N * p[0]) * (drawn[2] - N * p[2]) / DRAWS;
        asif_check_multinomial(&stream, &counter, 1, p, 5, drawn);
        for (uint32_t k = 0; k < 5; k++)
            alone[k] += drawn[k] / DRAWS;
    }
    for (uint32_t k = 0; k < 5; k++) {
        CHECK_NEAR(mean[k], N * p[k], 4 * sqrt(N * p[k] * (1 - p[k]) / DRAWS));
        CHECK_NEAR(alone[k], p[k], 4 * sqrt(p[k] * (1 - p[k]) / DRAWS));
    }
    CHECK_NEAR(product, -N * p[0] * p[2], .2);
}

/* ---- by hand ---- */

/* Four episodes. Step 1: all monitor. Step 2: after positive (3) two declare_diseased, one goes on; after
 * negative (1) declare_healthy. Step 3: declare_diseased after positive, negative. */
static const char few[] = "episode,t,action,observation\n"
                          "1,1,monitor,positive\n1,2,declare_diseased,\n"
                          "2,1,monitor,positive\n2,2,declare_diseased,\n"
                          "3,1,monitor,positive\n3,2,monitor,negative\n3,3,declare_diseased,\n"
                          "4,1,monitor,negative\n4,2,declare_healthy,\n";

/* Policies at the four nodes, from asif_look() at beliefs that are updated one by one. */
static void look(const problem *p, double belief[4][2], double policy[4][3]) {
    static const uint32_t monitor = 2, seen[2] = {0, 1};
    const asif_behavior *behavior;
    asif_view view = ASIF_VIEW_INIT;
    solve(p, p->work);
    behavior = asif_work_behavior(p->work);
    asif_behavior_init(behavior, 0, ASIF_ANY, belief[0]);
    assert_int_equal(asif_behavior_step(behavior, 1, belief[0], &monitor, &seen[0], belief[1], NULL),
                     ASIF_OK);
    assert_int_equal(asif_behavior_step(behavior, 1, belief[0], &monitor, &seen[1], belief[2], NULL),
                     ASIF_OK);
    assert_int_equal(asif_behavior_step(behavior, 1, belief[2], &monitor, &seen[0], belief[3], NULL),
                     ASIF_OK);
    view.policy = policy[0];
    assert_int_equal(asif_look(behavior, 4, belief[0], &view, NULL), ASIF_OK);
}

static void test_by_hand(void **state) {
    (void)state;
    problem p;
    asif_predictive_checks_view view;
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    double belief[4][2], policy[4][3];
    open_problem(&p, NULL, few);
    look(&p, belief, policy);
    options.simulated = 20;
    asif_predictive_checks *checks = run(&p, &options, &view);
    assert_true(view.maximum && view.draws == 1 && view.replicates == 1000 && view.simulated == 20);

    /* Fewer than 20 decisions are left at the second step: it is told with the first. */
    const asif_check_family *steps = family(&view, ASIF_CHECK_STEPS);
    assert_int_equal(steps->groups, 1);
    assert_true(steps->group[0].later && steps->group[0].count == 9);
    for (uint32_t u = 0; u < 3; u++) {
        static const double observed[] = {1. / 9, 3. / 9, 5. / 9};
        CHECK_NEAR(steps->group[0].cell[u].observed, observed[u], 1e-12);
        CHECK_NEAR(steps->group[0].cell[u].predicted,
                   (4 * policy[0][u] + policy[1][u] + 3 * policy[2][u] + policy[3][u]) / 9, 1e-9);
    }
    const asif_check_family *histories = family(&view, ASIF_CHECK_HISTORIES);
    assert_int_equal(histories->groups, 4);
    assert_true(histories->group[0].count == 4 && histories->group[1].count == 3);
    CHECK_NEAR(histories->group[1].cell[1].observed, 2. / 3, 1e-12);
    CHECK_NEAR(histories->group[1].cell[1].predicted, policy[2][1], 1e-9);
    assert_int_equal(family(&view, ASIF_CHECK_SWITCHES)->groups, 0);

    /* Each node is in the bin of its own belief. */
    const asif_check_family *beliefs = family(&view, ASIF_CHECK_BELIEFS);
    static const double visits[] = {4, 1, 3, 1};
    for (uint32_t g = 0; g < beliefs->groups; g++) {
        const asif_check_group *group = &beliefs->group[g];
        double count = 0, expected = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (belief[i][1] >= group->low - 1e-9 && belief[i][1] < group->high - 1e-9) {
                count += visits[i];
                expected += visits[i] * policy[i][2];
            }
        assert_true(count > 0 && group->state == 1);
        CHECK_NEAR(group->count, count, 1e-12);
        CHECK_NEAR(group->cell[2].predicted, expected / count, 1e-9);
    }

    /* Lengths 2, 2, 3, 2. */
    const asif_check_family *lengths = family(&view, ASIF_CHECK_LENGTHS);
    assert_int_equal(lengths->groups, 3);
    CHECK_NEAR(lengths->group[0].cell[1].observed, .75, 1e-12);
    CHECK_NEAR(lengths->group[1].cell[0].observed, 9. / 4, 1e-12);
    CHECK_NEAR(lengths->group[2].cell[0].observed, 4, 1e-12);

    /* In the environment the first test is positive with .5, a second one after a positive with .7 .7 + .3 .3
     * = .58: a bin each, and one of what is that likely, whatever it is. */
    const asif_check_family *environment = family(&view, ASIF_CHECK_ENVIRONMENT);
    static const struct {
        uint32_t observation;
        double low, count, observed, predicted;
    } rows[] = {{1, .5, 4, 3. / 4, .5}, {1, .55, 1, 0, .58}, {ASIF_ANY, .55, 1, 0, .58}};
    assert_int_equal(environment->groups, 3);
    for (uint32_t g = 0; g < 3; g++) {
        const asif_check_group *group = &environment->group[g];
        assert_true(group->action == 2 && group->observation == rows[g].observation);
        CHECK_NEAR(group->low, rows[g].low, 1e-12);
        CHECK_NEAR(group->count, rows[g].count, 1e-12);
        CHECK_NEAR(group->cell[0].observed, rows[g].observed, 1e-12);
        CHECK_NEAR(group->cell[0].predicted, rows[g].predicted, 1e-12);
    }
    assert_true(environment->unseen == 0 && environment->impossible == 0);
    /* Three or more of four fair tests: 5/16; none where .58 is predicted: .42. */
    CHECK_NEAR(environment->group[0].cell[0].p, 2 * 5. / 16, .08);
    CHECK_NEAR(environment->group[1].cell[0].p, 2 * .42, .1);
    asif_predictive_checks_free(checks);
    close_problem(&p);
}

/* ---- what is wrong is found ---- */

static void write_row(asif_text *text, uint32_t episode, uint32_t step, const char *action,
                      const char *seen) {
    asif_text_addf(text, "%u,%u,%s,%s\n", episode + 1, step + 1, action, seen);
}

/* Logs of an agent that looks at no evidence from its fourth decision on; `quality` of the test as it really
 * is. */
static void make_logs(asif_text *text, const asif_work *agent, uint32_t episodes, uint32_t deaf_from,
                      double quality) {
    const asif_behavior *behavior = asif_work_behavior(agent);
    uint64_t random = 17;
    static const char *const actions[] = {"declare_healthy", "declare_diseased", "monitor"};
    asif_text_add(text, "episode,t,action,observation\n");
    for (uint32_t e = 0; e < episodes; e++) {
        bool diseased = make_uniform(&random) < .5;
        double belief[2], log_policy[3], policy[3];
        asif_behavior_init(behavior, 0, ASIF_ANY, belief);
        for (uint32_t step = 0; step < 50; step++) {
            assert_int_equal(asif_behavior_log_policy(behavior, 1, belief, log_policy, NULL), ASIF_OK);
            for (uint32_t u = 0; u < 3; u++)
                policy[u] = exp(log_policy[u]);
            uint32_t action = asif_draw(make_uniform(&random), policy, 3);
            uint32_t seen = (make_uniform(&random) < quality) == diseased;
            write_row(text, e, step, actions[action], action < 2 ? "" : seen ? "positive" : "negative");
            if (action < 2)
                break;
            if (step + 1 < deaf_from)
                assert_int_equal(asif_behavior_step(behavior, 1, belief, &action, &seen, belief, NULL),
                                 ASIF_OK);
        }
    }
}

static void check_against(uint32_t deaf_from, double quality, bool agent_missed, bool environment_missed) {
    problem p;
    asif_work *agent;
    asif_predictive_checks_view view;
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_text text = {0};
    open_problem(&p, NULL, NULL);
    p.maximum[0] = log(2);
    text.context = p.context;
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    make_logs(&text, agent, 1500, deaf_from, quality);
    options.simulated = 0;
    options.replicates = 300;
    reading.setting = p.setting;
    assert_int_equal(
        asif_logs_read_text(&p.tree, p.context, text.data, text.length, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    p.fitted.tree = p.tree;
    asif_predictive_checks *checks = run(&p, &options, &view);
    assert_int_equal(family(&view, ASIF_CHECK_STEPS)->missed || family(&view, ASIF_CHECK_BELIEFS)->missed,
                     agent_missed);
    assert_int_equal(family(&view, ASIF_CHECK_ENVIRONMENT)->missed, environment_missed);
    assert_int_equal(view.misses > 0, agent_missed || environment_missed);
    for (uint32_t i = 0; i < view.misses; i++) {
        const asif_check_miss *m = &view.miss[i];
        const asif_check_cell *c = &view.family[m->family].group[m->group].cell[m->cell];
        assert_true(c->missed && c->adjusted < view.level && c->adjusted >= view.family[m->family].p - 1e-12);
        assert_true(c->observed < c->q05 || c->observed > c->q95);
    }
    asif_predictive_checks_free(checks);
    asif_text_free(&text);
    asif_work_free(agent);
    close_problem(&p);
}

static void test_caught(void **state) {
    (void)state;
    check_against(50, .7, false, false); /* the model itself */
    check_against(3, .7, true, false);   /* deaf from the fourth decision on */
    check_against(50, .6, false, true);  /* a worse test: the agent is as stated, the environment is not */
}

/* ---- logs that are cut ---- */

static void test_cut(void **state) {
    (void)state;
    problem p;
    asif_work *agent;
    asif_predictive_checks_view view;
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    options.simulated = 20;
    open_problem(&p, NULL, NULL);
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    /* All at the same length: simulated ones are cut there, too, and nothing is unknown before it. */
    renew_logs(&p, agent, 300, 7, 2);
    asif_predictive_checks *checks = run(&p, &options, &view);
    const asif_check_family *lengths = family(&view, ASIF_CHECK_LENGTHS);
    assert_true(lengths->judged && lengths->group[0].cells == 3);
    CHECK_NEAR(lengths->group[0].cell[0].predicted + lengths->group[0].cell[1].predicted, 1, 1e-12);
    assert_true(family(&view, ASIF_CHECK_ENVIRONMENT)->judged);
    assert_true(family(&view, ASIF_CHECK_ENVIRONMENT)->unseen == 0);
    asif_predictive_checks_free(checks);
    asif_work_free(agent);
    close_problem(&p);
    /* At different lengths: what the third saw last is not known. */
    open_problem(&p, NULL,
                 "episode,t,action,observation\n1,1,monitor,positive\n1,2,monitor,positive\n1,3,monitor,\n"
                 "2,1,monitor,positive\n2,2,declare_diseased,\n3,1,monitor,\n");
    checks = run(&p, &options, &view);
    assert_true(!family(&view, ASIF_CHECK_LENGTHS)->judged && family(&view, ASIF_CHECK_LENGTHS)->groups == 0);
    const asif_check_family *environment = family(&view, ASIF_CHECK_ENVIRONMENT);
    assert_true(!environment->judged && environment->why && !environment->missed && environment->groups > 0);
    CHECK_NEAR(environment->unseen, 1. / 4, 1e-12);
    asif_predictive_checks_free(checks);
    close_problem(&p);
    /* What was seen last counts as all else: three first tests, two of them positive, and one second test
     * after a positive. */
    open_problem(&p, NULL,
                 "episode,t,action,observation\n1,1,monitor,positive\n1,2,monitor,negative\n"
                 "2,1,monitor,positive\n3,1,monitor,negative\n");
    checks = run(&p, &options, &view);
    environment = family(&view, ASIF_CHECK_ENVIRONMENT);
    assert_true(environment->judged && environment->unseen == 0);
    CHECK_NEAR(environment->group[0].count, 3, 1e-12);
    CHECK_NEAR(environment->group[0].cell[0].observed, 2. / 3, 1e-12);
    CHECK_NEAR(environment->group[0].cell[0].predicted, .5, 1e-12);
    CHECK_NEAR(environment->group[1].count, 1, 1e-12);
    CHECK_NEAR(environment->group[1].cell[0].observed, 0, 1e-12);
    CHECK_NEAR(environment->group[1].cell[0].predicted, .58, 1e-12);
    asif_predictive_checks_free(checks);
    close_problem(&p);
}

/* Weights that are not whole numbers: shares, but no tail probabilities. */
static void test_weights(void **state) {
    (void)state;
    problem p;
    asif_predictive_checks_view view;
    asif_log_map *map;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    static const char text[] = "episode,t,action,observation,w\n1,1,monitor,positive,1.5\n"
                               "1,2,declare_diseased,,1.5\n2,1,declare_healthy,,.5\n";
    open_problem(&p, NULL, NULL);
    assert_int_equal(asif_log_map_create(&map, p.context, NULL), ASIF_OK);
    assert_int_equal(asif_log_map_set(map, "weight", "w", NULL), ASIF_OK);
    reading.setting = p.setting;
    reading.map = map;
    assert_int_equal(
        asif_logs_read_text(&p.tree, p.context, text, strlen(text), "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    p.fitted.tree = p.tree;
    asif_predictive_checks *checks = run(&p, NULL, &view);
    const asif_check_family *histories = family(&view, ASIF_CHECK_HISTORIES);
    assert_true(!histories->judged && histories->why && isnan(histories->p) && view.misses == 0);
    CHECK_NEAR(histories->group[0].cell[2].observed, .75, 1e-12);
    assert_true(family(&view, ASIF_CHECK_ENVIRONMENT)->groups == 0);
    asif_predictive_checks_free(checks);
    asif_log_map_free(map);
    close_problem(&p);
}

/* ---- states that are seen ---- */

static void test_states(void **state) {
    (void)state;
    enum { STATES = 6 };
    problem p = {0};
    asif_predictive_checks_view view;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
    p.setting = make_mdp(p.context, STATES, 2, 3, .9, NULL);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, NULL, NULL), ASIF_OK);
    p.spec = (asif_estimate_spec){.name = "alpha", .standard = NAN};
    CHECK(asif_estimates_create(&p.estimates, p.context, p.theta, &p.spec, 1, ASIF_PRIORS_STATED, NULL,
                                &error) == ASIF_OK,
          "%s", error.message);
    p.fitted = (asif_fitted)ASIF_FITTED_INIT;
    p.fitted.context = p.context;
    p.fitted.setting = p.setting;
    p.fitted.given = p.theta;
    p.fitted.estimates = p.estimates;
    p.fitted.work = p.work;
    p.fitted.maximum = p.maximum;
    p.maximum[0] = log(.5);
    asif_work *agent;
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    renew_logs(&p, agent, 100, 3, 20);
    asif_predictive_checks *checks = run(&p, NULL, &view);
    assert_true(family(&view, ASIF_CHECK_STEPS)->groups == 0 && family(&view, ASIF_CHECK_STEPS)->why);
    const asif_check_family *states = family(&view, ASIF_CHECK_STATES);
    asif_tree_view tree = {.struct_size = sizeof tree};
    assert_int_equal(asif_tree_get(p.tree, &tree, NULL), ASIF_OK);
    assert_true(states->groups > 1 && states->p > .01 && !states->missed);
    const asif_behavior *behavior = asif_work_behavior(agent);
    for (uint32_t g = 0; g < states->groups; g++) {
        uint32_t s = states->group[g].state;
        double log_policy[2], at = s;
        assert_int_equal(asif_behavior_log_policy(behavior, 1, &at, log_policy, NULL), ASIF_OK);
        CHECK_NEAR(states->group[g].cell[0].predicted, exp(log_policy[0]), 1e-9);
        CHECK_NEAR(states->group[g].cell[0].observed,
                   tree.count[2 * s] / (tree.count[2 * s] + tree.count[2 * s + 1]), 1e-12);
    }
    const asif_check_family *environment = family(&view, ASIF_CHECK_ENVIRONMENT);
    assert_true(environment->judged && environment->p > .01 && environment->impossible == 0);
    assert_int_equal(environment->group[0].cells, STATES);
    asif_predictive_checks_free(checks);

    /* Another agent, twice as consistent, is seen through. */
    p.maximum[0] = log(.1);
    checks = run(&p, NULL, &view);
    assert_true(family(&view, ASIF_CHECK_STATES)->missed && view.misses > 0);
    asif_predictive_checks_free(checks);
    asif_work_free(agent);
    close_problem(&p);
}

/* ---- the same whoever computes it; no memory ---- */

static char *json_with(uint32_t threads) {
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    problem p;
    asif_predictive_checks_view view;
    asif_work *agent;
    asif_fit *fit;
    asif_fit_options how;
    asif_fit_view fitted = {.struct_size = sizeof fitted};
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    char *text = NULL, *copy;
    context.threads = threads;
    open_problem(&p, &context, NULL);
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    renew_logs(&p, agent, 100, 3, 1000);
    asif_fit_defaults(&how, ASIF_FIT_METROPOLIS);
    how.starts = 1;
    how.sample.chains = 2;
    how.sample.warmup = how.sample.draws = 50;
    assert_int_equal(asif_fit_estimate(&fit, p.context, p.work, p.estimates, p.tree, &how, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_fit_get(fit, &fitted, NULL), ASIF_OK);
    p.fitted.draws = fitted.draws;
    options.draws = 30;
    options.simulated = 40;
    asif_predictive_checks *checks = run(&p, &options, &view);
    assert_int_equal(asif_predictive_checks_json(&text, checks, NULL), ASIF_OK);
    copy = strdup(text);
    asif_memory_free(p.context, text);
    asif_predictive_checks_free(checks);
    asif_fit_free(fit);
    asif_work_free(agent);
    close_problem(&p);
    return copy;
}

static void test_threads(void **state) {
    (void)state;
    char *one = json_with(1), *three = json_with(3);
    assert_string_equal(one, three);
    free(one);
    free(three);
}

static void test_memory(void **state) {
    (void)state;
    bool succeeded = false;
    for (long left = 0; !succeeded; left += 1 + left / 20) {
        failing_memory memory = {.left = -1};
        asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
        asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
        asif_predictive_checks *checks = NULL;
        char *text = NULL, *said = NULL;
        problem p;
        context.reallocate = failing_reallocate;
        context.user = &memory;
        open_problem(&p, &context, few);
        options.replicates = options.simulated = 3;
        memory.left = left;
        asif_status status = asif_predictive_checks_run(&checks, &p.fitted, &options, NULL);
        if (status == ASIF_OK)
            status = asif_predictive_checks_json(&text, checks, NULL);
        if (status == ASIF_OK)
            status =
                asif_report_predictive_checks(&said, p.context, text, strlen(text), "checks", NULL, NULL);
        memory.left = -1;
        succeeded = status == ASIF_OK;
        CHECK(succeeded || status == ASIF_ENOMEM, "after %ld allocations: %s", left,
              asif_status_text(status));
        asif_memory_free(p.context, said);
        asif_memory_free(p.context, text);
        asif_predictive_checks_free(checks);
        close_problem(&p);
        assert_int_equal(memory.alive, 0);
    }
}

static void test_refused(void **state) {
    (void)state;
    problem p;
    asif_predictive_checks *checks = NULL;
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    open_problem(&p, NULL, few);
    options.bins = 0;
    assert_int_equal(asif_predictive_checks_run(&checks, &p.fitted, &options, NULL), ASIF_EDOMAIN);
    p.fitted.maximum = NULL;
    assert_int_equal(asif_predictive_checks_run(&checks, &p.fitted, NULL, NULL), ASIF_EUNSET);
    p.fitted.tree = NULL;
    assert_int_equal(asif_predictive_checks_run(&checks, &p.fitted, NULL, NULL), ASIF_EUNSET);
    assert_null(checks);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binomial), cmocka_unit_test(test_multinomial), cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_caught),   cmocka_unit_test(test_cut),         cmocka_unit_test(test_weights),
        cmocka_unit_test(test_states),   cmocka_unit_test(test_threads),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
