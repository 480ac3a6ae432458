/* What was given, varied: values and worlds against arithmetic, refits against agents whose maximum has a
 * closed form. */
#include "check.h"

#include "asif.h"
#include "base/text.h"
#include "planners/planner.h"
#include "questions/sensitivity/given_variation.h"
#include "questions/sensitivity/sensitivity.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* One choice, no future: take has the probability 1 / (1 + exp(-(worth - rest) / alpha)). */
#define CHOICE                                                                                               \
    "asif: 1\nstates: [s]\nactions: [take, leave]\nenvironment: {start: [1], ends: [take, leave]}\n"         \
    "agent: {discount: 0, utility: {take: worth, leave: rest}, parameters: {"
/* alpha from its default prior, which is scaled to the span of the utility. */
static const char scaled[] = CHOICE "worth: 2, rest: 0, alpha: learn}}\n";
/* What taking is worth from a prior that hardly says anything. */
static const char worth[] =
    CHOICE "worth: {learn: \"normal(0, 1000)\", standard: 1}, rest: 0.5, alpha: 1}}\n";

static const char diag[] =
    "asif: 1\nstates: [healthy, diseased]\nactions: [healthy_it_is, diseased_it_is, test]\n"
    "observations: [negative, positive]\n"
    "environment: {start: [0.5, 0.5], emissions: [[0.7, 0.3], [0.3, 0.7]],\n"
    "  ends: [healthy_it_is, diseased_it_is]}\n"
    "agent:\n  discount: 0.95\n  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n"
    "    - emissions: [[0.7, 0.3], [0.3, 0.7]]\n    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
    "  utility: {healthy_it_is: {healthy: right, diseased: wrong},\n"
    "    diseased_it_is: {healthy: wrong, diseased: right}, test: -1}\n"
    "  parameters: {right: 10, wrong: -36, alpha: 0.5, optimism: learn}\n"
    "solver: {resolution: 20}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_tree *tree;
    asif_estimates *estimates;
    asif_estimate_spec spec[4];
    asif_fitted fitted;
} problem;

static void open_study(problem *p, const char *text, const asif_context_options *options) {
    asif_error error = ASIF_ERROR_INIT;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, options, NULL), ASIF_OK);
    CHECK(asif_study_read(&p->study, p->context, text, strlen(text), "study", NULL, &error) == ASIF_OK, "%s",
          error.message);
    p->fitted = (asif_fitted)ASIF_FITTED_INIT;
    p->fitted.context = p->context;
    p->fitted.setting = asif_study_setting(p->study);
    p->fitted.solver = asif_study_solver(p->study);
    p->fitted.given = asif_study_theta(p->study);
    p->fitted.spec = p->spec;
    p->fitted.specs = asif_study_estimates(p->study, p->spec, 4);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, p->fitted.setting, p->fitted.solver, NULL),
                     ASIF_OK);
    p->fitted.work = p->work;
    CHECK(asif_estimates_create(&p->estimates, p->context, p->fitted.given, p->spec, p->fitted.specs,
                                ASIF_PRIORS_STATED, NULL, &error) == ASIF_OK,
          "%s", error.message);
    p->fitted.estimates = p->estimates;
}

static void read_logs(problem *p, const asif_text *logs) {
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    reading.setting = p->fitted.setting;
    CHECK(asif_logs_read_text(&p->tree, p->context, logs->data, logs->length, "logs", &reading, NULL, NULL,
                              &error) == ASIF_OK,
          "%s", error.message);
    p->fitted.tree = p->tree;
}

/* `took` of `all` episodes take. */
static void open_choice(problem *p, const char *text, int took, int all,
                        const asif_context_options *options) {
    open_study(p, text, options);
    asif_text logs = {.context = p->context};
    asif_text_add(&logs, "episode,t,state,action\n");
    for (int i = 0; i < all; i++)
        asif_text_addf(&logs, "%d,0,s,%s\n", i + 1, i < took ? "take" : "leave");
    read_logs(p, &logs);
    asif_text_free(&logs);
}

static asif_status take(void *user, const char *data, uint64_t length) {
    asif_text_add_n(user, data, length);
    return ASIF_OK;
}

/* Logs of the agent of DIAG with this optimism. */
static void open_diag(problem *p, double optimism, uint64_t episodes, const asif_context_options *options) {
    open_study(p, diag, options);
    asif_text logs = {.context = p->context};
    asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
    asif_theta *theta = NULL;
    simulation.episodes = episodes;
    simulation.seed = 3;
    assert_int_equal(asif_theta_copy(&theta, p->fitted.given, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "optimism", optimism, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->work, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulate_csv(asif_work_behavior(p->work), &simulation, take, &logs, NULL, NULL),
                     ASIF_OK);
    read_logs(p, &logs);
    asif_theta_free(theta);
    asif_text_free(&logs);
}

static void close_problem(problem *p) {
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

static asif_sensitivity *vary(const problem *p, const char *name, double from, double to, uint32_t points,
                              uint64_t draws, asif_sensitivity_view *view) {
    const asif_sensitivity_range range = {name, from, to};
    asif_sensitivity_options options = ASIF_SENSITIVITY_OPTIONS_INIT;
    asif_sensitivity *made = NULL;
    asif_error error = ASIF_ERROR_INIT;
    options.range = &range;
    options.ranges = 1;
    options.points = points;
    options.draws = draws;
    CHECK(asif_sensitivity_run(&made, &p->fitted, &options, &error) == ASIF_OK, "%s", error.message);
    view->struct_size = sizeof *view;
    assert_int_equal(asif_sensitivity_get(made, view, NULL), ASIF_OK);
    assert_int_equal(view->variations, 1);
    return made;
}

/* ---- values ---- */

static void test_values(void **state) {
    (void)state;
    double value[20];
    asif_given_variation wrong = {.name = "wrong", .given = -36},
                         discount = {.name = "discount", .given = .95};
    /* The given value is one of them. */
    assert_int_equal(asif_given_variation_values(&wrong, -60, -20, 11, value), 11);
    for (int i = 0; i < 11; i++)
        CHECK_NEAR(value[i], -60 + 4 * i, 1e-12);
    assert_true(value[6] == -36);
    /* It is between two, or outside. */
    assert_int_equal(asif_given_variation_values(&wrong, -60, -20, 9, value), 10);
    assert_true(value[4] == -40 && value[5] == -36 && value[6] == -35);
    assert_int_equal(asif_given_variation_values(&wrong, -30, -20, 2, value), 3);
    assert_true(value[0] == -36 && value[1] == -30 && value[2] == -20);
    /* Steps of the discount are equal factors of what is left out. */
    assert_int_equal(asif_given_variation_values(&discount, .9, .99, 3, value), 4);
    CHECK_NEAR(value[2], 1 - sqrt(.1 * .01), 1e-12);
    assert_true(value[0] == .9 && value[1] == .95 && value[3] == .99);
    double from = NAN, to = NAN;
    assert_int_equal(asif_given_variation_range(&discount, &from, &to, NULL), ASIF_OK);
    CHECK_NEAR(from, .9, 1e-12);
    CHECK_NEAR(to, .975, 1e-12);
    from = to = NAN;
    assert_int_equal(asif_given_variation_range(&wrong, &from, &to, NULL), ASIF_OK);
    assert_true(from == -54 && to == -18);
    static const double few[] = {-52, -44, -36, -28, -20};
    assert_int_equal(asif_given_variation_few(&wrong, value), 5);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(value[i], few[i], 1e-12);
}

/* The emission of an observation in a state of a world, of the action that tests. */
static double emission(const asif_setting *setting, uint32_t world, uint32_t state, uint32_t observation) {
    const asif_matrix *m = asif_emissions(setting, world, 2);
    uint64_t begin, end;
    asif_matrix_row(m, state, &begin, &end);
    for (uint64_t e = begin; e < end; e++)
        if (m->column[e] == observation)
            return m->value[e];
    return 0;
}

static void test_worlds(void **state) {
    (void)state;
    static const struct {
        double factor, low, middle, high;
    } rows[] = {{0, .7, .7, .7},
                {.5, .65, .7, .75},
                {1, .6, .7, .8},
                {2, .5, .7, .9},
                /* .7 + 4 * .1 = 1.1 against -.1, which is clipped: then all of it. */
                {4, .3, .7, 1}};
    problem p;
    open_study(&p, diag, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_setting *made = NULL;
        assert_int_equal(
            asif_given_variation_worlds(&made, p.context, p.fitted.setting, rows[i].factor, NULL), ASIF_OK);
        const double want[4] = {rows[i].low, rows[i].middle, rows[i].high, .7};
        for (uint32_t m = 0; m < 4; m++)
            for (uint32_t s = 0; s < 2; s++) {
                CHECK_NEAR(emission(made, m, s, s), want[m], 1e-12);
                CHECK_NEAR(emission(made, m, s, 1 - s), 1 - want[m], 1e-12);
            }
        asif_setting_free(made);
    }
    close_problem(&p);
}

/* ---- refits ---- */

/* The default prior of alpha is scaled to the span, and so is what the agent does: alpha grows with the
 * utility, and no value costs anything. It would, if the span stayed. */
static void test_span(void **state) {
    (void)state;
    problem p;
    asif_sensitivity_view view;
    open_choice(&p, scaled, 70, 100, NULL);
    asif_sensitivity *made = vary(&p, "worth", 1, 8, 8, 0, &view);
    const asif_sensitivity_variation *v = &view.variation[0];
    assert_int_equal(v->points, 8);
    assert_int_equal(view.numbers, 1);
    double base = view.statement[0].maximum;
    /* alpha of the likelihood alone; the prior, 1.5 wide, pulls hardly. */
    CHECK_NEAR(base, log(2 / log(.7 / .3)), .3);
    for (uint32_t i = 0; i < v->points; i++) {
        const asif_sensitivity_point *point = &v->point[i];
        assert_null(point->why);
        CHECK_NEAR(point->value, i + 1, 1e-12);
        CHECK_NEAR(point->span, point->value, 1e-12);
        CHECK_NEAR(point->nats, 0, 1e-6);
        CHECK_NEAR(point->number[0].maximum, base + log(point->value / 2), 1e-4);
        CHECK_NEAR(point->number[0].moved, log(point->value / 2) / view.statement[0].sd, 1e-3);
        CHECK_NEAR(point->number[0].sd, view.statement[0].sd, 1e-3);
        assert_true(point->given == (i == 1));
    }
    CHECK_NEAR(v->effect[0].moved_at, 8, 1e-12);
    assert_int_equal(view.statement[0].statement, ASIF_STATEMENT_NONE);
    assert_false(view.worst->flips);
    asif_sensitivity_free(made);
    close_problem(&p);
}

/* worth = rest + log odds at the maximum of the likelihood: its sign is that of what `rest` is taken to be.
 */
static void test_flip(void **state) {
    (void)state;
    const double odds = log(.6 / .4);
    problem p;
    asif_sensitivity_view view;
    open_choice(&p, worth, 600, 1000, NULL);
    asif_sensitivity *made = vary(&p, "rest", -1.9, .9, 15, 400, &view);
    const asif_sensitivity_statement *s = &view.statement[0];
    CHECK_NEAR(s->maximum, .5 + odds, 1e-3);
    /* The variance of log odds is 1/took + 1/left. */
    CHECK_NEAR(s->sd, sqrt(1 / 600. + 1 / 400.), .02);
    assert_int_equal(s->sign, ASIF_SIGN_POSITIVE);
    assert_int_equal(s->statement, ASIF_STATEMENT_FLIPS);
    assert_int_equal(s->flip->variation, 0);
    const asif_sensitivity_effect *e = &view.variation[0].effect[0];
    assert_int_equal(e->flips, 1);
    CHECK_NEAR(e->flip[0].at, -odds, 1e-3);
    CHECK_NEAR(e->flip[0].nats, 0, 1e-3);
    assert_int_equal(e->flip[0].to, ASIF_SIGN_NEGATIVE);
    assert_true(e->flip[0].beyond < -odds && e->flip[0].before > -odds);
    assert_true(view.worst->flips && view.worst->variation == 0 && view.worst->number == 0);
    /* The posterior at the ends, and nowhere else. */
    const asif_sensitivity_variation *v = &view.variation[0];
    for (uint32_t i = 0; i < v->points; i++) {
        const asif_sensitivity_point *point = &v->point[i];
        assert_true(point->drawn == (i == 0 || i + 1 == v->points));
        if (point->drawn) {
            CHECK_NEAR(point->number[0].q50, point->value + odds, .03);
            CHECK_NEAR(point->number[0].q95 - point->number[0].q05, 2 * 1.645 * s->sd, .06);
            assert_int_equal(point->number[0].sign, i == 0 ? ASIF_SIGN_NEGATIVE : ASIF_SIGN_POSITIVE);
        }
    }
    asif_sensitivity_free(made);
    /* Where it is not varied that far, the statement survives; where the end is near 0, it weakens. */
    made = vary(&p, "rest", 0, 1, 3, 200, &view);
    assert_int_equal(view.statement[0].statement, ASIF_STATEMENT_SURVIVES);
    assert_false(view.worst->flips);
    asif_sensitivity_free(made);
    made = vary(&p, "rest", -.38, 1, 3, 200, &view);
    assert_int_equal(view.statement[0].statement, ASIF_STATEMENT_WEAKENS);
    asif_sensitivity_free(made);
    close_problem(&p);
}

/* A flip that the logs speak against is none. */
static void test_limit(void **state) {
    (void)state;
    problem p;
    asif_sensitivity_options options = ASIF_SENSITIVITY_OPTIONS_INIT;
    const asif_sensitivity_range range = {"wrong", -36, -6};
    asif_sensitivity_view view = {.struct_size = sizeof view};
    asif_sensitivity *made = NULL;
    open_diag(&p, .8, 400, NULL);
    options.range = &range;
    options.ranges = 1;
    options.points = 6;
    options.draws = 0;
    for (int strict = 0; strict < 2; strict++) {
        options.nats = strict ? 3 : 1e6;
        assert_int_equal(asif_sensitivity_run(&made, &p.fitted, &options, NULL), ASIF_OK);
        assert_int_equal(asif_sensitivity_get(made, &view, NULL), ASIF_OK);
        const asif_sensitivity_effect *e = &view.variation[0].effect[0];
        /* With alpha given the logs tell: a smaller loss would have to go with much pessimism, and fits
         * worse. */
        assert_int_equal(e->flips, 1);
        assert_true(e->flip[0].nats > 3);
        assert_int_equal(e->flip[0].within, !strict);
        assert_int_equal(view.statement[0].statement,
                         strict ? ASIF_STATEMENT_SURVIVES : ASIF_STATEMENT_FLIPS);
        for (uint32_t i = 0; i < view.variation[0].points; i++) {
            const asif_sensitivity_point *point = &view.variation[0].point[i];
            if (point->nats <= view.limit)
                assert_true(point->number[0].maximum >= e->low && point->number[0].maximum <= e->high);
        }
        asif_sensitivity_free(made);
    }
    close_problem(&p);
}

/* The log-likelihood that is told is that of the problem with the value set by hand, and no other optimism is
 * better. */
static void test_by_hand(void **state) {
    (void)state;
    problem p;
    asif_sensitivity_view view;
    open_diag(&p, .8, 300, NULL);
    asif_sensitivity *made = vary(&p, "wrong", -50, -20, 2, 0, &view);
    const asif_sensitivity_point *point = &view.variation[0].point[0];
    asif_theta *theta = NULL;
    assert_int_equal(asif_theta_copy(&theta, p.fitted.given, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "wrong", -50, NULL), ASIF_OK);
    double best = -INFINITY, at_best = NAN;
    for (int k = -400; k <= 400; k++) {
        double optimism = point->number[0].maximum + k * 1e-3, total;
        assert_int_equal(asif_theta_set(theta, "optimism", optimism, NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, theta, NULL, NULL), ASIF_OK);
        assert_int_equal(asif_loglik(&total, asif_work_behavior(p.work), p.tree, NULL, NULL), ASIF_OK);
        if (k == 0)
            CHECK_NEAR(point->log_likelihood, total, 1e-9);
        /* Its prior: D/beta ~ normal(0, 46), D = 60. */
        double scaled_by = optimism * 60 / 46, posterior = total - scaled_by * scaled_by / 2;
        if (posterior > best) {
            best = posterior;
            at_best = optimism;
        }
    }
    CHECK_NEAR(point->number[0].maximum, at_best, 2e-3);
    CHECK_NEAR(point->span, 60, 1e-12);
    CHECK_NEAR(point->nats, view.log_likelihood - point->log_likelihood, 1e-12);
    asif_theta_free(theta);
    asif_sensitivity_free(made);
    close_problem(&p);
}

/* ---- the short form, threads, memory, mistakes ---- */

static char *json_of(uint32_t threads, bool brief) {
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    asif_sensitivity_options options = ASIF_SENSITIVITY_OPTIONS_INIT;
    asif_sensitivity *made = NULL;
    char *json = NULL;
    problem p;
    context.threads = threads;
    open_diag(&p, .8, 200, &context);
    options.brief = brief;
    options.points = 2;
    options.starts = 1;
    options.draws = options.warmup = 30;
    assert_int_equal(asif_sensitivity_run(&made, &p.fitted, &options, NULL), ASIF_OK);
    asif_sensitivity_view view = {.struct_size = sizeof view};
    assert_int_equal(asif_sensitivity_get(made, &view, NULL), ASIF_OK);
    static const char *const names[] = {"right", "wrong", "discount", "worlds", "alpha", "eta"};
    static const uint32_t points[] = {5, 5, 3, 3, 5, 5};
    assert_int_equal(view.variations, brief ? 6 : 4);
    for (uint32_t v = 0; v < view.variations; v++) {
        assert_string_equal(view.variation[v].name, names[v]);
        assert_int_equal(view.variation[v].points, brief ? points[v] : 3);
    }
    assert_int_equal(asif_sensitivity_json(&json, made, NULL), ASIF_OK);
    char *copy = strdup(json);
    asif_memory_free(p.context, json);
    asif_sensitivity_free(made);
    close_problem(&p);
    return copy;
}

static void check_few(const asif_fitted *fitted, const char *name, uint32_t count, const double *want) {
    asif_given_variation v;
    double value[ASIF_GIVEN_VARIATION_BRIEF + 1];
    bool found = false;
    for (uint32_t i = 0; !found && asif_given_variation_usual(&v, fitted, true, i); i++)
        found = strcmp(v.name, name) == 0;
    CHECK(found == (count > 0), "%s", name);
    if (!found)
        return;
    assert_true(v.bound);
    assert_int_equal(asif_given_variation_few(&v, value), count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_NEAR(value[i], want[i], 1e-9 * fmax(1, fabs(want[i])));
}

/* Bounds that were given are varied by half and double; neutral ones by the default prior's standard
 * deviation: eta by the span, 46, optimism by 1.116 over the spread of the worlds; alpha 0 up to .01 of the
 * span. What is estimated, or makes no difference, is not varied. */
static void test_bounds(void **state) {
    (void)state;
    const double r = sqrt(2);
    problem p;
    asif_theta *given = NULL;
    open_study(&p, diag, NULL);
    assert_int_equal(asif_theta_copy(&given, p.fitted.given, NULL), ASIF_OK);
    p.fitted.given = given;
    check_few(&p.fitted, "alpha", 5, (const double[]){.25, .5 / r, .5, .5 * r, 1});
    check_few(&p.fitted, "eta", 5, (const double[]){-46, -23, 0, 23, 46});
    check_few(&p.fitted, "optimism", 0, NULL);
    check_few(&p.fitted, "act_alpha", 0, NULL);
    assert_int_equal(asif_theta_set(given, "eta", -8, NULL), ASIF_OK);
    check_few(&p.fitted, "eta", 5, (const double[]){-16, -8 * r, -8, -8 / r, -4});
    assert_int_equal(asif_theta_set(given, "eta", .001, NULL), ASIF_OK);
    check_few(&p.fitted, "eta", 5, (const double[]){-45.999, -22.999, .001, 23.001, 46.001});
    assert_int_equal(asif_theta_set(given, "alpha", 0, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(given, "act_alpha", .3, NULL), ASIF_OK);
    check_few(&p.fitted, "alpha", 3, (const double[]){0, .23, .46});
    check_few(&p.fitted, "act_alpha", 5, (const double[]){.15, .3 / r, .3, .3 * r, .6});
    p.spec[0].name = "alpha";
    assert_int_equal(asif_theta_set(given, "optimism", 0, NULL), ASIF_OK);
    double spread = 0;
    assert_int_equal(asif_world_spread(&spread, p.work, p.fitted.given, 46, NULL), ASIF_OK);
    CHECK(spread > 1 && spread < 1.2, "%g", spread);
    double sd = 1.116 / spread;
    check_few(&p.fitted, "optimism", 5, (const double[]){-sd, -sd / 2, 0, sd / 2, sd});
    check_few(&p.fitted, "alpha", 0, NULL);
    asif_theta_free(given);
    close_problem(&p);
}

static void test_threads(void **state) {
    (void)state;
    for (int brief = 0; brief < 2; brief++) {
        char *one = json_of(1, brief), *three = json_of(3, brief);
        assert_string_equal(one, three);
        free(one);
        free(three);
    }
}

static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    const asif_sensitivity_range range = {"worth", NAN, NAN};
    asif_sensitivity_options options = ASIF_SENSITIVITY_OPTIONS_INIT;
    asif_sensitivity *made = NULL;
    problem p;
    context.reallocate = failing_reallocate;
    context.user = &memory;
    open_choice(&p, scaled, 7, 10, &context);
    options.range = &range;
    options.ranges = 1;
    options.points = 2;
    options.starts = 0;
    options.draws = options.warmup = 10;
    long alive = memory.alive;
    asif_status status = ASIF_ENOMEM;
    for (long left = 0; status == ASIF_ENOMEM; left = left < 200 ? left + 1 : left + 13) {
        memory.left = left;
        status = asif_sensitivity_run(&made, &p.fitted, &options, NULL);
        CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "status %d after %ld blocks", status, left);
        if (status != ASIF_OK)
            assert_int_equal(memory.alive, alive);
    }
    memory.left = -1;
    asif_sensitivity_free(made);
    assert_int_equal(memory.alive, alive);
    close_problem(&p);
}

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double from, to;
        asif_status status;
        const char *word;
    } rows[] = {
        {"wrnog", NAN, NAN, ASIF_EUNKNOWN, "wrnog"},  {"optimism", -1, 1, ASIF_EINVALID, "estimated"},
        {"beta", 1, 2, ASIF_EINVALID, "estimated"},   {"wrong", -20, -20, ASIF_EINVALID, "different"},
        {"discount", .9, 1, ASIF_EDOMAIN, "below 1"}, {"worlds", -1, 1, ASIF_EINVALID, "at least 0"},
        {"eta", NAN, NAN, ASIF_EINVALID, "how far"},  {"act_alpha", .1, 1, ASIF_EINVALID, "not given"},
    };
    problem p;
    open_diag(&p, .8, 20, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const asif_sensitivity_range range = {rows[i].name, rows[i].from, rows[i].to};
        asif_sensitivity_options options = ASIF_SENSITIVITY_OPTIONS_INIT;
        asif_sensitivity *made = NULL;
        asif_error error = ASIF_ERROR_INIT;
        options.range = &range;
        options.ranges = 1;
        assert_int_equal(asif_sensitivity_run(&made, &p.fitted, &options, &error), rows[i].status);
        CHECK(strstr(error.message, rows[i].word), "%s: %s", rows[i].name, error.message);
        assert_null(made);
    }
    /* A value at which there is no likelihood is told as such, and is no failure. */
    asif_sensitivity_view view;
    asif_sensitivity *made = vary(&p, "alpha", 0, 1, 3, 30, &view);
    const asif_sensitivity_variation *v = &view.variation[0];
    assert_int_equal(v->points, 3);
    assert_non_null(v->point[0].why);
    assert_true(isnan(v->point[0].log_likelihood) && isnan(v->point[0].number[0].maximum));
    assert_true(!v->point[1].why && v->point[1].given && !v->point[2].why && v->point[2].drawn);
    asif_sensitivity_free(made);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_worlds),  cmocka_unit_test(test_span),
        cmocka_unit_test(test_flip),     cmocka_unit_test(test_limit),   cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_bounds),   cmocka_unit_test(test_threads), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
