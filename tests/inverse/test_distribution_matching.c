/* Distribution matching: derivatives against central differences; histories whose distribution is known; the
 * likelihood, which KL of histories must agree with; what is refused; numbers that come back.
 * test_polytope.py has values and optima by NumPy and SciPy. */
#include "inverse/inverse.h"
#include "inverse/solve/divergence.h"
#include "tabular.h"

#define PLANNERS 2
static const char *const planners[PLANNERS] = {"bounded-rational", "decision-rule"};

static asif_target *make_target(const asif_context *context, const char *planner, const asif_setting *setting,
                                const asif_estimates *estimates, const asif_tree *tree, const double *count,
                                const asif_inverse_options *asked, asif_status want) {
    asif_work *work;
    asif_target *target = NULL;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    options.inverse = asked ? "distribution-matching" : NULL;
    options.inverse_options = asked;
    options.count = count;
    options.objective_only = true;
    plan.tol = 1e-14;
    assert_int_equal(asif_work_create(&work, context, planner, setting, &plan, &error), ASIF_OK);
    asif_status status = asif_target_create(&target, work, estimates, tree, &options, &error);
    if (status != want)
        fail_msg("%s: status %d, not %d: %s", planner, status, want, error.message);
    asif_work_free(work);
    return target;
}

static double value_at(asif_target *target, const double *x) {
    double value;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_target_objective(target, x, &value, NULL, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    return value;
}

/* Fourth-order differences in every sampled coordinate. */
static double check_gradient(asif_target *target, const double *at, double tolerance, const char *what) {
    uint32_t n = asif_target_density(target)->dimension;
    double x[MOST_CELLS + 1], gradient[MOST_CELLS + 1], value, most = 0, scale = 0;
    memcpy(x, at, n * sizeof *x);
    assert_int_equal(asif_target_objective(target, x, &value, gradient, NULL), ASIF_OK);
    CHECK_NEAR(value_at(target, x), value, 1e-12);
    for (uint32_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(gradient[i]));
    assert_true(scale > 0);
    for (uint32_t i = 0; i < n; i++) {
        double best = INFINITY;
        for (double h = 1e-2; h > 1e-5; h /= 3) {
            double side[4];
            for (int k = 0; k < 4; k++) {
                x[i] = at[i] + (k % 2 ? -1 : 1) * (k < 2 ? 1 : 2) * h;
                side[k] = value_at(target, x);
            }
            x[i] = at[i];
            best = fmin(best, fabs((8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h) - gradient[i]) /
                                  scale);
        }
        most = fmax(most, best);
        CHECK(best < tolerance, "%s: derivative %u is %.12g, off by %.2g", what, i, gradient[i], best);
    }
    asif_target_free(target);
    return most;
}

static void gradients_of_occupancy(void **state) {
    (void)state;
    uint64_t seed = 5;
    double most = 0;
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < PLANNERS; p++)
            for (int d = 0; asif_divergence_text((asif_divergence)d); d++) {
                bool features = d == ASIF_DIVERGENCE_FEATURES;
                tabular_options o = {.S = 4 + (uint32_t)k,
                                     .U = 3,
                                     .discount = .6 + .1 * k,
                                     .alpha = .7,
                                     .features = features ? 3 : 0,
                                     .learn_alpha = !features,
                                     .ends = k % 2};
                tabular t;
                tabular_open(&t, &o, &seed);
                tabular_demonstrator(&t, 3, &seed);
                asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
                asked.divergence = (asif_divergence)d;
                asked.entropy = k < 2 ? 0 : .3;
                asked.weight = .2;
                double x[MOST_CELLS + 1];
                for (uint32_t i = 0; i < t.free; i++)
                    x[i] = 2 * make_uniform(&seed) - 1;
                asif_target *target = make_target(t.context, planners[p], t.setting, t.estimates, t.tree,
                                                  t.count, &asked, ASIF_OK);
                most = fmax(most, check_gradient(target, x, 1e-8, asif_divergence_text(asked.divergence)));
                tabular_close(&t);
            }
    if (getenv("ASIF_SHOW"))
        printf("  largest difference of occupancies' derivatives %.1e\n", most);
}

/* ---- histories ---- */

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_estimates *estimates;
    asif_tree *tree;
} diagnosis;

static asif_tree *read_logs(const diagnosis *d, const char *text, const char *weight) {
    asif_tree *tree = NULL;
    asif_log_map *map;
    asif_logs_options logs = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_log_map_create(&map, d->context, NULL), ASIF_OK);
    if (weight)
        assert_int_equal(asif_log_map_set(map, "weight", weight, NULL), ASIF_OK);
    logs.setting = d->setting;
    logs.map = map;
    if (asif_logs_read_text(&tree, d->context, text, strlen(text), "logs.csv", &logs, NULL, NULL, &error) !=
        ASIF_OK)
        fail_msg("row %llu: %s", (unsigned long long)error.row, error.message);
    asif_log_map_free(map);
    return tree;
}

typedef struct {
    char *text;
    size_t used, room;
} writing;

static asif_status take_text(void *user, const char *data, uint64_t length) {
    writing *w = user;
    if (w->used + length + 1 > w->room)
        w->text = realloc(w->text, w->room = 2 * (w->used + (size_t)length) + 1);
    memcpy(w->text + w->used, data, (size_t)length);
    w->used += (size_t)length;
    w->text[w->used] = 0;
    return ASIF_OK;
}

static void open_diagnosis_with(diagnosis *d, const asif_context_options *context) {
    memset(d, 0, sizeof *d);
    static const double start[] = {.4871, .5129}; /* not on the lattice, where V has a kink */
    const asif_estimate_spec spec[] = {{.name = "alpha"}, {.name = "optimism"}, {.name = "eta"}};
    assert_int_equal(asif_context_create(&d->context, context, NULL), ASIF_OK);
    d->setting = make_diag(d->context, NULL);
    assert_int_equal(asif_theta_create(&d->theta, d->context, d->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set_distribution(d->theta, ASIF_START, 0, start, NULL), ASIF_OK);
    assert_int_equal(
        asif_estimates_create(&d->estimates, d->context, d->theta, spec, 3, ASIF_PRIORS_STATED, NULL, NULL),
        ASIF_OK);
}

static void open_diagnosis(diagnosis *d) {
    open_diagnosis_with(d, NULL);
}

static void simulate_diagnosis(diagnosis *d, uint32_t max_steps) {
    asif_work *work;
    asif_simulate_options o = ASIF_SIMULATE_OPTIONS_INIT;
    writing w = {0};
    o.episodes = 300;
    o.max_steps = max_steps;
    assert_int_equal(asif_theta_set(d->theta, "alpha", 2, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&work, d->context, NULL, d->setting, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, d->theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulate_csv(asif_work_behavior(work), &o, take_text, &w, NULL, NULL), ASIF_OK);
    d->tree = read_logs(d, w.text, NULL);
    asif_work_free(work);
    free(w.text);
}

static void close_diagnosis(diagnosis *d) {
    asif_tree_free(d->tree);
    asif_estimates_free(d->estimates);
    asif_theta_free(d->theta);
    asif_setting_free(d->setting);
    asif_context_free(d->context);
}

static asif_target *of_histories(const diagnosis *d, asif_divergence divergence, uint32_t horizon) {
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    asked.divergence = divergence;
    asked.horizon = horizon;
    return make_target(d->context, "bounded-rational", d->setting, d->estimates, d->tree, NULL, &asked,
                       ASIF_OK);
}

static void gradients_of_histories(void **state) {
    (void)state;
    static const asif_divergence divergences[] = {ASIF_DIVERGENCE_KL, ASIF_DIVERGENCE_JS, ASIF_DIVERGENCE_TV,
                                                  ASIF_DIVERGENCE_CONJUGATE};
    static const double agents[][3] = {{.9, .3, .1}, {.2, -.4, -.5}};
    double most = 0;
    diagnosis d;
    open_diagnosis(&d);
    simulate_diagnosis(&d, 9);
    for (size_t k = 0; k < sizeof divergences / sizeof *divergences; k++)
        for (int a = 0; a < 2; a++)
            for (uint32_t horizon = 0; horizon < 7; horizon += 3)
                most = fmax(most, check_gradient(of_histories(&d, divergences[k], horizon), agents[a], 1e-6,
                                                 asif_divergence_text(divergences[k])));
    close_diagnosis(&d);
    if (getenv("ASIF_SHOW"))
        printf("  largest difference of histories' derivatives %.1e\n", most);
}

/* KL of histories is their negative entropy less the log-likelihood of an episode, and what the environment
 * adds. */
static void agrees_with_the_likelihood(void **state) {
    (void)state;
    static const double agents[][3] = {{.9, .3, .1}, {.2, -.4, -.5}, {1.5, 0, 0}};
    diagnosis d;
    open_diagnosis(&d);
    simulate_diagnosis(&d, 20);
    asif_target *kl = of_histories(&d, ASIF_DIVERGENCE_KL, 0);
    asif_target *likelihood =
        make_target(d.context, "bounded-rational", d.setting, d.estimates, d.tree, NULL, NULL, ASIF_OK);
    double first = value_at(kl, agents[0]) - value_at(likelihood, agents[0]) / 300;
    for (int a = 1; a < 3; a++)
        CHECK_NEAR(value_at(kl, agents[a]) - value_at(likelihood, agents[a]) / 300, first, 1e-12);
    asif_target_free(kl);
    asif_target_free(likelihood);
    close_diagnosis(&d);
}

/* An agent that does anything equally often: two thirds end at once, the rest sees either result half the
 * time. The logs have these shares, so that every divergence is 0, whatever was the reason that some were
 * lost. */
static void histories_that_are_known(void **state) {
    (void)state;
    static const char *const tables[] = {
        "episode,t,action,observation,w\n1,1,declare_healthy,,6\n2,1,declare_diseased,,6\n"
        "3,1,monitor,negative,1\n3,2,declare_healthy,,1\n4,1,monitor,negative,1\n4,2,declare_diseased,,1\n"
        "5,1,monitor,negative,1\n5,2,monitor,negative,1\n6,1,monitor,positive,1\n6,2,declare_healthy,,1\n"
        "7,1,monitor,positive,1\n7,2,declare_diseased,,1\n8,1,monitor,positive,1\n8,2,monitor,positive,1\n",
        /* the same with a third of those who monitored lost after it */
        "episode,t,action,observation,w\n1,1,declare_healthy,,9\n2,1,declare_diseased,,9\n"
        "3,1,monitor,negative,1\n3,2,declare_healthy,,1\n4,1,monitor,negative,1\n4,2,declare_diseased,,1\n"
        "5,1,monitor,negative,1\n5,2,monitor,,1\n6,1,monitor,positive,1\n6,2,declare_healthy,,1\n"
        "7,1,monitor,positive,1\n7,2,declare_diseased,,1\n8,1,monitor,positive,1\n8,2,monitor,,1\n"
        "9,1,monitor,,3\n"};
    static const asif_divergence divergences[] = {ASIF_DIVERGENCE_KL, ASIF_DIVERGENCE_JS, ASIF_DIVERGENCE_TV,
                                                  ASIF_DIVERGENCE_CONJUGATE};
    static const double half[] = {.5, .5};
    const asif_estimate_spec spec = {.name = "optimism"};
    for (int k = 0; k < 2; k++) {
        diagnosis d;
        open_diagnosis(&d);
        asif_estimates_free(d.estimates);
        assert_int_equal(asif_theta_set(d.theta, "alpha", INFINITY, NULL), ASIF_OK);
        assert_int_equal(asif_theta_set_distribution(d.theta, ASIF_START, 0, half, NULL), ASIF_OK);
        assert_int_equal(
            asif_estimates_create(&d.estimates, d.context, d.theta, &spec, 1, ASIF_PRIORS_STATED, NULL, NULL),
            ASIF_OK);
        d.tree = read_logs(&d, tables[k], "w");
        for (size_t i = 0; i < sizeof divergences / sizeof *divergences; i++)
            for (uint32_t horizon = 0; horizon < 3; horizon++) {
                asif_target *target = of_histories(&d, divergences[i], horizon);
                CHECK_NEAR(value_at(target, (double[]){.2}), 0, 1e-13);
                asif_target_free(target);
            }
        close_diagnosis(&d);
    }
}

/* Somebody always declares at once, and healthy: the agent that does anything equally often does so one time
 * in three. */
static void divergences_by_hand(void **state) {
    (void)state;
    diagnosis d;
    const asif_estimate_spec spec = {.name = "optimism"};
    open_diagnosis(&d);
    asif_estimates_free(d.estimates);
    assert_int_equal(asif_theta_set(d.theta, "alpha", INFINITY, NULL), ASIF_OK);
    assert_int_equal(
        asif_estimates_create(&d.estimates, d.context, d.theta, &spec, 1, ASIF_PRIORS_STATED, NULL, NULL),
        ASIF_OK);
    d.tree =
        read_logs(&d, "episode,t,action,observation\n1,1,declare_healthy,\n2,1,declare_healthy,\n", NULL);
    const struct {
        asif_divergence divergence;
        double want;
    } rows[] = {
        {ASIF_DIVERGENCE_KL, log(3)},
        {ASIF_DIVERGENCE_JS, .5 * log(1.5) + .5 * (log(.5) / 3 + 2 * log(2) / 3)},
        {ASIF_DIVERGENCE_TV, 2.0 / 3},
        {ASIF_DIVERGENCE_CONJUGATE, (4.0 / 9 + 4.0 / 9) / .02},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_target *target = of_histories(&d, rows[i].divergence, 0);
        CHECK_NEAR(-value_at(target, (double[]){.2}), rows[i].want, 1e-13);
        asif_target_free(target);
    }
    close_diagnosis(&d);
}

/* ---- what is refused ---- */

static void refusals(void **state) {
    (void)state;
    uint64_t seed = 3;
    tabular t;
    tabular_options o = {.S = 4, .U = 3, .discount = .9, .alpha = 1};
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    tabular_open(&t, &o, &seed);
    tabular_demonstrator(&t, 3, &seed);
    t.count[2 * t.U + 1] = 0;
    asked.divergence = ASIF_DIVERGENCE_REVERSE_KL;
    make_target(t.context, "decision-rule", t.setting, t.estimates, t.tree, t.count, &asked,
                ASIF_EUNSUPPORTED);
    tabular_close(&t);
    diagnosis d;
    open_diagnosis(&d);
    simulate_diagnosis(&d, 5);
    make_target(d.context, NULL, d.setting, d.estimates, d.tree, NULL, &asked, ASIF_EUNSUPPORTED);
    asked.divergence = ASIF_DIVERGENCE_FEATURES;
    make_target(d.context, NULL, d.setting, d.estimates, d.tree, NULL, &asked, ASIF_EUNSUPPORTED);
    asked.divergence = ASIF_DIVERGENCE_KL;
    asked.entropy = 1;
    make_target(d.context, NULL, d.setting, d.estimates, d.tree, NULL, &asked, ASIF_EUNSUPPORTED);
    close_diagnosis(&d);
    o.alpha = 0;
    tabular_open(&t, &o, &seed);
    make_target(t.context, "decision-rule", t.setting, t.estimates, t.tree, NULL, &asked, ASIF_EDOMAIN);
    tabular_close(&t);
}

static asif_status with_memory_for(long left, int divergence) {
    uint64_t seed = 3;
    bool seen = divergence >= 0;
    failing_memory memory = {.left = -1};
    asif_context_options c = ASIF_CONTEXT_OPTIONS_INIT;
    tabular_options o = {.S = 4, .U = 3, .discount = .9, .alpha = 1, .features = 2};
    asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    asif_target *target = NULL;
    asif_work *work;
    tabular t;
    diagnosis d;
    double value, gradient[3], x[3] = {.1, .2, .3};
    c.reallocate = failing_reallocate;
    c.user = &memory;
    options.inverse = "distribution-matching";
    options.inverse_options = &asked;
    if (seen) {
        asked.divergence = (asif_divergence)divergence;
        tabular_open_with(&t, &o, &seed, &c);
        tabular_demonstrator(&t, 3, &seed);
    } else {
        open_diagnosis_with(&d, &c);
        simulate_diagnosis(&d, 4);
    }
    assert_int_equal(
        asif_work_create(&work, seen ? t.context : d.context, NULL, seen ? t.setting : d.setting, NULL, NULL),
        ASIF_OK);
    options.count = seen ? t.count : NULL;
    memory.left = left;
    asif_status status = asif_target_create(&target, work, seen ? t.estimates : d.estimates,
                                            seen ? t.tree : d.tree, &options, NULL);
    if (status == ASIF_OK)
        status = asif_target_objective(target, x, &value, gradient, NULL);
    memory.left = -1;
    asif_target_free(target);
    asif_work_free(work);
    if (seen)
        tabular_close(&t);
    else
        close_diagnosis(&d);
    assert_int_equal(memory.alive, 0);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    for (int divergence = -1; divergence < 0 || asif_divergence_text((asif_divergence)divergence);
         divergence++) {
        asif_status status = ASIF_ENOMEM;
        for (long left = 0; status != ASIF_OK; left++) {
            status = with_memory_for(left, divergence);
            assert_true(status == ASIF_OK || status == ASIF_ENOMEM);
        }
    }
}

/* ---- what comes back ---- */

static void recovers(void **state) {
    (void)state;
    static const asif_divergence divergences[] = {ASIF_DIVERGENCE_KL, ASIF_DIVERGENCE_REVERSE_KL,
                                                  ASIF_DIVERGENCE_JS, ASIF_DIVERGENCE_TV,
                                                  ASIF_DIVERGENCE_FEATURES};
    uint64_t seed = 8;
    for (size_t i = 0; i < sizeof divergences / sizeof *divergences; i++) {
        tabular t;
        tabular_options o = {.S = 8, .U = 3, .discount = .9, .alpha = .5, .features = 3};
        asif_inverse_options asked = ASIF_INVERSE_OPTIONS_INIT;
        double truth[3], x[3], policy[MOST_CELLS];
        asked.divergence = divergences[i];
        tabular_open(&t, &o, &seed);
        for (uint32_t k = 0; k < 3; k++)
            truth[k] = 2 * make_uniform(&seed) - 1;
        /* exact shares: three features are identified, with alpha given */
        tabular_agent(&t, truth, t.count);
        tabular_fit(&t, "bounded-rational", "distribution-matching", &asked, 1e-14, x, policy);
        double exact = apart(x, truth, 3);
        bool kinked = divergences[i] >= ASIF_DIVERGENCE_TV;
        CHECK(exact < (kinked ? 1e-3 : 1e-5), "%s: numbers are off by %.2g",
              asif_divergence_text(divergences[i]), exact);
        /* and 500 episodes of 20 decisions */
        tabular_simulate(&t, truth, 500, 20);
        tabular_fit(&t, "bounded-rational", "distribution-matching", &asked, 1e-14, x, policy);
        double loss = tabular_loss(&t, truth, policy);
        if (getenv("ASIF_SHOW"))
            printf("  %-10s off by %.1e from exact shares; from logs %.3f, value loss %.3f %%\n",
                   asif_divergence_text(divergences[i]), exact, apart(x, truth, 3), 100 * loss);
        CHECK(loss < .01, "%s: value loss %.3f", asif_divergence_text(divergences[i]), loss);
        CHECK(apart(x, truth, 3) < .2, "%s: numbers are off", asif_divergence_text(divergences[i]));
        tabular_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_occupancy),
        cmocka_unit_test(gradients_of_histories),
        cmocka_unit_test(agrees_with_the_likelihood),
        cmocka_unit_test(histories_that_are_known),
        cmocka_unit_test(divergences_by_hand),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(recovers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
