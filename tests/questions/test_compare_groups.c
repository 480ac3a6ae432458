/* Groups against each other: against sums over all pairs, conduct simulated directly, and mixes that are
 * known. */
#include "check.h"
#include "problems.h"

#include "acting/episode_measures.h"
#include "acting/simulated.h"
#include "base/text.h"
#include "questions/compare/groups/compare_groups.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define DRAWS 60
#define EPISODES 40

static const char study_text[] = "asif: 1\n"
                                 "states: [healthy, diseased]\n"
                                 "actions: [declare_healthy, declare_diseased, monitor]\n"
                                 "observations: [negative, positive]\n"
                                 "environment:\n"
                                 "  start: {by: risk, low: [0.8, 0.2], high: [0.5, 0.5]}\n"
                                 "  reset: [0.65, 0.35]\n"
                                 "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                                 "  ends: [declare_healthy, declare_diseased]\n"
                                 "agent:\n"
                                 "  discount: 0.95\n"
                                 "  utility:\n"
                                 "    declare_healthy:  {healthy: 10, diseased: wrong}\n"
                                 "    declare_diseased: {healthy: wrong, diseased: 10}\n"
                                 "    monitor: -1\n"
                                 "  parameters: {alpha: learn, wrong: -36}\n"
                                 "solver: {resolution: 20}\n";

/* A study, and two groups of one agent each: alpha .5 with 30 and 10 cases of the classes, alpha 2 with 5
 * and 20. */
typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_theta *given[2];
    asif_estimates *estimates[2];
    asif_tree *tree[2];
    asif_draws *draws[2];
    double log_alpha[2];
    asif_estimate_spec spec;
    asif_fitted fitted[2];
    asif_compare_groups_group group[2];
} problem;

static const uint64_t cases[2][2] = {{30, 10}, {5, 20}};
static const double alpha[2] = {.5, 2};

static asif_status open_problem(problem *p, const asif_context_options *options) {
    memset(p, 0, sizeof *p);
    asif_status status = asif_context_create(&p->context, options, NULL);
    if (status == ASIF_OK)
        status = asif_study_read(&p->study, p->context, study_text, strlen(study_text), "study", NULL, NULL);
    if (status == ASIF_OK)
        status = asif_work_create(&p->work, p->context, NULL, asif_study_setting(p->study),
                                  asif_study_solver(p->study), NULL);
    for (int g = 0; g < 2 && status == ASIF_OK; g++) {
        asif_simulated_options simulated = {.episodes = cases[g], .seed = 3, .max_steps = 1000};
        p->log_alpha[g] = log(alpha[g]);
        asif_study_estimates(p->study, &p->spec, 1);
        asif_theta *theta = NULL;
        status = asif_theta_copy(&theta, asif_study_theta(p->study), NULL);
        if (status == ASIF_OK)
            status = asif_theta_set(theta, "alpha", alpha[g], NULL);
        if (status == ASIF_OK)
            status = asif_solve(p->work, theta, NULL, NULL);
        if (status == ASIF_OK)
            status = asif_simulated_tree(&p->tree[g], asif_work_behavior(p->work), &simulated, NULL);
        asif_theta_free(theta);
        if (status == ASIF_OK)
            status = asif_theta_copy(&p->given[g], asif_study_theta(p->study), NULL);
        if (status == ASIF_OK)
            status = asif_estimates_create(&p->estimates[g], p->context, p->given[g], &p->spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL);
        p->fitted[g] = (asif_fitted){.struct_size = sizeof(asif_fitted),
                                     .context = p->context,
                                     .setting = asif_study_setting(p->study),
                                     .given = p->given[g],
                                     .spec = &p->spec,
                                     .specs = 1,
                                     .estimates = p->estimates[g],
                                     .work = p->work,
                                     .tree = p->tree[g],
                                     .maximum = &p->log_alpha[g]};
        p->group[g] = (asif_compare_groups_group){.struct_size = sizeof(asif_compare_groups_group),
                                                  .name = g ? "b" : "a",
                                                  .fitted = &p->fitted[g],
                                                  .trusted = true};
    }
    return status;
}

static void close_problem(problem *p) {
    for (int g = 0; g < 2; g++) {
        asif_draws_free(p->draws[g]);
        asif_tree_free(p->tree[g]);
        asif_estimates_free(p->estimates[g]);
        asif_theta_free(p->given[g]);
    }
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* Draws of log alpha around that of the group, in the form of Stan's files. */
static void give_draws(problem *p, int g, double sd) {
    asif_text text = {.context = p->context};
    uint64_t state = 7 + (uint64_t)g;
    asif_text_add(&text, "lp__,accept_stat__,log_alpha\n");
    for (int d = 0; d < DRAWS; d++) {
        double sum = 0;
        for (int i = 0; i < 12; i++)
            sum += make_uniform(&state);
        asif_text_addf(&text, "0,1,%.17g\n", p->log_alpha[g] + sd * (sum - 6));
    }
    const char *const data = text.data, *const name = "draws";
    assert_int_equal(asif_draws_read_text(&p->draws[g], p->context, &data, &text.length, &name, 1, NULL),
                     ASIF_OK);
    p->fitted[g].draws = p->draws[g];
    asif_text_free(&text);
}

static asif_compare_groups *run(const problem *p, const asif_compare_groups_options *options) {
    asif_compare_groups *contrast = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_compare_groups_run(&contrast, p->group, 2, options, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    return contrast;
}

static asif_compare_groups_options few(void) {
    asif_compare_groups_options options = ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    options.draws = DRAWS;
    options.episodes = EPISODES;
    return options;
}

static const asif_compare_groups_cell *cell(const asif_compare_groups_table *table, uint32_t row,
                                            uint32_t group) {
    return &table->cell[(uint64_t)row * table->groups + group];
}

/* ---- pairs ---- */

static void test_pairs(void **state) {
    (void)state;
    enum { A = 37, B = 53 };
    double a[A], b[B], all[A * B], larger = 0;
    uint64_t seed = 1;
    for (int i = 0; i < A; i++)
        a[i] = floor(20 * make_uniform(&seed)) / 4; /* with ties */
    for (int i = 0; i < B; i++)
        b[i] = floor(24 * make_uniform(&seed)) / 4;
    for (int i = 0; i < A * B; i++) {
        all[i] = a[i / B] - b[i % B];
        larger += (all[i] > 0) + .5 * (all[i] == 0);
    }
    asif_pairs_sort(a, A);
    asif_pairs_sort(b, B);
    asif_pairs_sort(all, A * B);
    CHECK_NEAR(asif_pairs_larger(a, A, b, B), larger / (A * B), 1e-14);
    CHECK_NEAR(asif_pairs_larger(a, A, b, B) + asif_pairs_larger(b, B, a, A), 1, 1e-14);
    for (int k = 1; k < 20; k++) {
        int rank = (int)ceil(k / 20. * A * B);
        CHECK_NEAR(asif_pairs_quantile(a, A, b, B, k / 20.), all[rank - 1], 1e-12);
    }
    CHECK_NEAR(asif_pairs_quantile(a, A, a, A, .5), 0, 1e-12);
    double one = 3, two = 5.5;
    CHECK_NEAR(asif_pairs_quantile(&one, 1, &two, 1, .5), -2.5, 0);
}

/* Two simulations of each draw: what they share is the variance between draws. */
static void test_denoise(void **state) {
    (void)state;
    enum { N = 4000 };
    static double truth[N], one[N], two[N], out[N];
    uint64_t seed = 5;
    double mean = 0, mean_out = 0, v = 0, v_out = 0;
    for (int i = 0; i < N; i++) {
        double z[3] = {-6, -6, -6};
        for (int k = 0; k < 36; k++)
            z[k % 3] += make_uniform(&seed);
        truth[i] = 4 + .5 * z[0];
        one[i] = truth[i] + z[1];
        two[i] = truth[i] + z[2];
    }
    asif_pairs_denoise(out, one, two, N);
    for (int i = 0; i < N; i++) {
        mean += (one[i] + two[i]) / 2 / N;
        mean_out += out[i] / N;
    }
    for (int i = 0; i < N; i++) {
        v += (truth[i] - 4) * (truth[i] - 4) / N;
        v_out += (out[i] - mean_out) * (out[i] - mean_out) / N;
    }
    CHECK_NEAR(mean_out, mean, 1e-12);
    /* Unbiased but for the standard error added: with variances .25 and 1 that is sqrt((1.25^2 + .25^2)/N) =
     * .02. */
    CHECK_NEAR(v_out, v + .0202, .08);
    CHECK(v_out < .4, "the luck is still there: %g", v_out);
    asif_pairs_denoise(out, one, one, 1);
    CHECK_NEAR(out[0], one[0], 0);
    /* Without luck nothing is taken away. */
    asif_pairs_denoise(out, truth, truth, N);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(out[i], truth[i], 1e-12);
}

/* Holm's procedure by hand. The third row is the first with the other sign, the fourth is always 0: four
 * contrasts count. */
static void test_holm(void **state) {
    (void)state;
    static const struct {
        double d05, d50, d95, larger, tail;
        bool differs;
    } want[] = {
        {1, 2, 3, .999, .004, true}, {-1, 1, 2, .98, .04, false},     {-3, -2, -1, .001, .004, true},
        {0, 0, 0, .5, NAN, false},   {-4, -3, -.5, .003, .009, true}, {-5, -1, 5, .4, .4, false},
    };
    enum { ROWS = sizeof want / sizeof *want };
    asif_compare_groups_cell cells[ROWS][2];
    asif_compare_groups_table table = {ROWS, 2, cells[0]};
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < ROWS; i++)
        cells[i][1] = (asif_compare_groups_cell){.there = true,
                                                 .compared = true,
                                                 .d05 = want[i].d05,
                                                 .d50 = want[i].d50,
                                                 .d95 = want[i].d95,
                                                 .larger = want[i].larger};
    assert_int_equal(asif_pairs_judge(&table, context, NULL), ASIF_OK);
    for (int i = 0; i < ROWS; i++) {
        if (isnan(want[i].tail))
            assert_true(isnan(cells[i][1].tail));
        else
            CHECK_NEAR(cells[i][1].tail, want[i].tail, 1e-12);
        assert_int_equal(cells[i][1].differs, want[i].differs);
        assert_false(cells[i][0].differs);
        assert_int_equal(cells[i][1].same_as, i == 2 ? 0 : ASIF_ANY);
    }
    asif_context_free(context);
}

/* ---- agents ---- */

/* Fits without draws are single agents: their conduct is that of one simulation, and mixes are sums. */
static void test_mixes(void **state) {
    (void)state;
    problem p;
    double measure[2][2][ASIF_MEASURE_TAKEN + 3];
    asif_compare_groups_options options = few();
    assert_int_equal(open_problem(&p, NULL), ASIF_OK);
    asif_compare_groups *contrast = run(&p, &options);
    for (int g = 0; g < 2; g++)
        for (uint32_t c = 0; c < 2; c++) {
            asif_simulate_options simulate = ASIF_SIMULATE_OPTIONS_INIT;
            asif_theta *theta = NULL;
            simulate.episodes = EPISODES;
            simulate.start = c;
            assert_int_equal(asif_theta_copy(&theta, p.given[g], NULL), ASIF_OK);
            assert_int_equal(asif_theta_set(theta, "alpha", alpha[g], NULL), ASIF_OK);
            assert_int_equal(asif_solve(p.work, theta, NULL, NULL), ASIF_OK);
            assert_int_equal(asif_episode_measures_simulate(measure[g][c], NULL, asif_work_behavior(p.work),
                                                            theta, &simulate, NULL),
                             ASIF_OK);
            asif_theta_free(theta);
        }
    CHECK_NEAR(contrast->pooled[0], 35 / 65., 1e-15);
    for (uint32_t k = 0; k < ASIF_MEASURE_TAKEN + 3; k++) {
        double own[2], same[2];
        for (uint32_t g = 0; g < 2; g++) {
            double share = (double)cases[g][0] / (double)(cases[g][0] + cases[g][1]), all = 35 / 65.;
            own[g] = share * measure[g][0][k] + (1 - share) * measure[g][1][k];
            same[g] = all * measure[g][0][k] + (1 - all) * measure[g][1][k];
            CHECK_NEAR(contrast->group[g].share[0], share, 1e-15);
            CHECK_NEAR(cell(&contrast->own, k, g)->q50, own[g], 1e-12);
            CHECK_NEAR(cell(&contrast->same, k, g)->q50, same[g], 1e-12);
            for (uint32_t c = 0; c < 2; c++)
                CHECK_NEAR(cell(&contrast->by_class[c], k, g)->q50, measure[g][c][k], 1e-12);
        }
        CHECK_NEAR(cell(&contrast->own, k, 1)->d50, own[1] - own[0], 1e-12);
        CHECK_NEAR(cell(&contrast->same, k, 1)->d50, same[1] - same[0], 1e-12);
        assert_true(isnan(cell(&contrast->own, k, 1)->larger));
        assert_false(cell(&contrast->own, k, 1)->differs || cell(&contrast->own, k, 0)->compared);
    }
    const asif_compare_groups_cell *number = cell(&contrast->parameters, 0, 1);
    CHECK_NEAR(number->q50, 2, 1e-12);
    CHECK_NEAR(number->d50, 1.5, 1e-12);
    assert_int_equal(number->verdict, ASIF_IDENTIFIED_UNKNOWN);
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

/* What the logs hold is counted by the tree. */
static void test_observed(void **state) {
    (void)state;
    problem p;
    asif_compare_groups_options options = few();
    options.episodes = 2;
    assert_int_equal(open_problem(&p, NULL), ASIF_OK);
    asif_compare_groups *contrast = run(&p, &options);
    for (uint32_t g = 0; g < 2; g++) {
        double episodes = (double)(cases[g][0] + cases[g][1]), taken = 0;
        double decisions = (double)asif_tree_info(p.tree[g])->decisions;
        CHECK_NEAR(contrast->group[g].episodes, episodes, 0);
        CHECK_NEAR(contrast->group[g].decisions, decisions, 0);
        CHECK_NEAR(cell(&contrast->own, ASIF_MEASURE_LENGTH, g)->observed, decisions / episodes, 1e-12);
        /* Every episode ends with one of the two. */
        CHECK_NEAR(cell(&contrast->own, ASIF_MEASURE_BEFORE, g)->observed, decisions / episodes - 1, 1e-12);
        CHECK_NEAR(cell(&contrast->own, ASIF_MEASURE_CUT, g)->observed, 0, 1e-12);
        assert_true(isnan(cell(&contrast->own, ASIF_MEASURE_WRONG, g)->observed));
        assert_true(isnan(cell(&contrast->same, ASIF_MEASURE_LENGTH, g)->observed));
        for (uint32_t c = 0; c < 2; c++)
            taken += (double)cases[g][c] * cell(&contrast->by_class[c], ASIF_MEASURE_TAKEN + 2, g)->observed;
        CHECK_NEAR(taken, decisions - episodes, 1e-9);
    }
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

/* The same draws on both sides: nothing can differ. Alpha .5 against 2: it does, and the probability is that
 * of all pairs. */
static void test_draws(void **state) {
    (void)state;
    problem p;
    asif_compare_groups_options options = few();
    assert_int_equal(open_problem(&p, NULL), ASIF_OK);
    give_draws(&p, 0, .1);
    give_draws(&p, 1, .1);
    asif_compare_groups *contrast = run(&p, &options);
    const asif_compare_groups_cell *number = cell(&contrast->parameters, 0, 1);
    assert_true(number->differs && number->larger == 1);
    /* Medians of lognormal numbers; their standard errors are some 1.6 % (60 draws). */
    CHECK_NEAR(number->q50, 2, .05);
    CHECK_NEAR(number->d50, 1.5, .1);
    CHECK_NEAR(number->d95 - number->d05, 2 * 1.645 * sqrt(.2 * .2 + .05 * .05), .2);
    assert_int_equal(number->verdict, ASIF_IDENTIFIED_YES); /* .1 of a prior's 1.5 */
    assert_true(cell(&contrast->same, ASIF_MEASURE_UTILITY, 1)->compared);
    asif_compare_groups_free(contrast);

    p.group[1].fitted = &p.fitted[0];
    contrast = run(&p, &options);
    const asif_compare_groups_table *const tables[] = {&contrast->parameters, &contrast->own, &contrast->same,
                                                       &contrast->by_class[0], &contrast->by_class[1]};
    for (size_t t = 0; t < 5; t++)
        for (uint32_t k = 0; k < tables[t]->rows; k++) {
            const asif_compare_groups_cell *c = cell(tables[t], k, 1);
            CHECK_NEAR(c->larger, .5, 1e-12);
            assert_true(c->d05 <= 0 && c->d95 >= 0);
            assert_false(c->differs);
        }
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

static char *as_json(const problem *p, const asif_compare_groups_options *options) {
    asif_compare_groups *contrast = run(p, options);
    char *json = NULL;
    assert_int_equal(asif_compare_groups_json(&json, contrast, NULL), ASIF_OK);
    asif_compare_groups_free(contrast);
    return json;
}

/* The same bytes for any number of threads; other numbers for another seed. */
static void test_threads(void **state) {
    (void)state;
    char *json[3];
    asif_compare_groups_options contrast = few();
    problem p;
    for (uint32_t i = 0; i < 3; i++) {
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.threads = i == 1 ? 3 : 1;
        contrast.seed = i == 2;
        assert_int_equal(open_problem(&p, &options), ASIF_OK);
        give_draws(&p, 0, .1);
        give_draws(&p, 1, .1);
        char *text = as_json(&p, &contrast);
        json[i] = strdup(text);
        asif_memory_free(p.context, text);
        close_problem(&p);
    }
    assert_string_equal(json[0], json[1]);
    assert_string_not_equal(json[0], json[2]);
    for (int i = 0; i < 3; i++)
        free(json[i]);
}

static bool is_given(const asif_compare_groups *c, const char *what, const char *first, const char *here) {
    for (uint64_t i = 0; i < c->givens; i++)
        if (strcmp(c->given[i].what, what) == 0)
            return c->given[i].group == 1 && strcmp(c->given[i].first, first) == 0 &&
                   strcmp(c->given[i].here, here) == 0;
    return false;
}

/* What was given differently is told, and nothing else. */
static void test_given(void **state) {
    (void)state;
    problem p;
    asif_compare_groups_options options = few();
    options.episodes = 2;
    assert_int_equal(open_problem(&p, NULL), ASIF_OK);
    asif_compare_groups *contrast = run(&p, &options);
    assert_int_equal(contrast->givens, 0);
    asif_compare_groups_free(contrast);

    assert_int_equal(asif_theta_set(p.given[1], "wrong", -20, NULL), ASIF_OK);
    asif_estimates_free(p.estimates[1]);
    assert_int_equal(asif_estimates_create(&p.estimates[1], p.context, p.given[1], &p.spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    p.fitted[1].estimates = p.estimates[1];
    contrast = run(&p, &options);
    /* The span of the utility is another, and with it the default prior. */
    assert_int_equal(contrast->givens, 2);
    assert_true(is_given(contrast, "wrong", "-36", "-20"));
    assert_string_equal(contrast->given[1].what, "prior of log_alpha");
    assert_false(contrast->given[0].environment);
    asif_compare_groups_free(contrast);

    /* Other actions: behaviour is left out. */
    asif_setting *diag = make_diag(p.context, NULL);
    p.fitted[1].setting = diag;
    contrast = run(&p, &options);
    assert_non_null(contrast->silent);
    assert_string_equal(contrast->silent, "the fits do not have the same start classes");
    char *json = NULL;
    assert_int_equal(asif_compare_groups_json(&json, contrast, NULL), ASIF_OK);
    assert_non_null(strstr(json, "\"behaviour\": null"));
    asif_memory_free(p.context, json);
    asif_compare_groups_free(contrast);
    asif_setting_free(diag);
    close_problem(&p);
}

static void test_refused(void **state) {
    (void)state;
    problem p;
    asif_compare_groups *contrast = NULL;
    asif_compare_groups_options options = few();
    assert_int_equal(open_problem(&p, NULL), ASIF_OK);
    assert_int_equal(asif_compare_groups_run(&contrast, p.group, 1, NULL, NULL), ASIF_EDOMAIN);
    options.first = 2;
    assert_int_equal(asif_compare_groups_run(&contrast, p.group, 2, &options, NULL), ASIF_EDOMAIN);
    options.first = 0;
    options.episodes = 1;
    assert_int_equal(asif_compare_groups_run(&contrast, p.group, 2, &options, NULL), ASIF_EDOMAIN);
    options = few();
    p.fitted[1].maximum = NULL;
    assert_int_equal(asif_compare_groups_run(&contrast, p.group, 2, &options, NULL), ASIF_EUNSET);
    assert_null(contrast);
    asif_compare_groups_free(NULL);
    close_problem(&p);
}

/* The text is made of the JSON and of nothing else; what is not such a JSON is refused, whatever it is. */
static void test_report(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "7",
        "[]",
        "{}",
        "{\"first\": \"a\", \"groups\": [1], \"parameters\": []}",
        "{\"first\": \"a\", \"groups\": 2, \"parameters\": []}",
        "{\"groups\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"parameters\": []}"};
    /* Little as it is, it can be told. */
    static const char bare[] =
        "{\"first\": \"a\", \"groups\": [1, {\"mix\": {\"x\": 0}}], \"parameters\": [3, {}], "
        "\"behaviour\": {\"own_cases\": [4], \"same_cases\": []}, \"given_differs\": [5]}";
    problem p;
    char *text = NULL;
    asif_compare_groups_options options = few();
    asif_report_options report = ASIF_REPORT_OPTIONS_INIT;
    assert_int_equal(open_problem(&p, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_not_equal(
            asif_report_compare_groups(&text, p.context, wrong[i], strlen(wrong[i]), "wrong", NULL, NULL),
            ASIF_OK);
        assert_null(text);
    }
    assert_int_equal(asif_report_compare_groups(&text, p.context, bare, strlen(bare), "bare", NULL, NULL),
                     ASIF_OK);
    asif_memory_free(p.context, text);
    give_draws(&p, 0, .1);
    give_draws(&p, 1, .1);
    char *json = as_json(&p, &options);
    assert_int_equal(asif_report_compare_groups(&text, p.context, json, strlen(json), "json", NULL, NULL),
                     ASIF_OK);
    assert_non_null(strstr(text, "low 53.8 %, high 46.2 %")); /* 35 of 65 */
    assert_non_null(strstr(text, "choice randomness"));
    asif_memory_free(p.context, text);
    report.json = true;
    assert_int_equal(asif_report_compare_groups(&text, p.context, json, strlen(json), "json", &report, NULL),
                     ASIF_OK);
    assert_string_equal(text, json);
    asif_memory_free(p.context, text);
    asif_memory_free(p.context, json);
    close_problem(&p);
}

/* Memory that runs out anywhere is a status, and nothing is lost. */
static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_compare_groups_options contrast_options = few();
    problem p;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    contrast_options.episodes = 2;
    assert_int_equal(open_problem(&p, &options), ASIF_OK);
    p.given[1]->utility[0] = -30; /* so that something is told */
    long alive = memory.alive, failures = 0;
    for (long left = 0;; left += 1 + left / 40) {
        asif_compare_groups *contrast = NULL;
        char *json = NULL, *text = NULL;
        asif_error error = ASIF_ERROR_INIT;
        memory.left = left;
        asif_status status = asif_compare_groups_run(&contrast, p.group, 2, &contrast_options, &error);
        if (status == ASIF_OK)
            status = asif_compare_groups_json(&json, contrast, &error);
        if (status == ASIF_OK)
            status = asif_report_compare_groups(&text, p.context, json, strlen(json), "json", NULL, &error);
        memory.left = -1;
        asif_memory_free(p.context, text);
        asif_memory_free(p.context, json);
        asif_compare_groups_free(contrast);
        assert_int_equal(memory.alive, alive);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
        failures++;
    }
    CHECK(failures > 50, "only %ld allocations", failures);
    close_problem(&p);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),   cmocka_unit_test(test_denoise),  cmocka_unit_test(test_holm),
        cmocka_unit_test(test_mixes),   cmocka_unit_test(test_observed), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_given),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_report),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
