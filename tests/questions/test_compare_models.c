/* Comparison of models: against exact leave-one-out and leave-future-out of one unknown on a grid, and
 * against itself by way of tables. ctest label: slow */
#include "check.h"
#include "inverse/inverse.h"
#include "problems.h"

#include "asif.h"
#include "base/text.h"
#include "questions/compare/models/compare_models.h"

#include <string.h>

enum { EPISODES = 120, GRID = 240, STEPS = 40 };
#define LOW (-5.0)
#define HIGH 2.0

/* Fits of one study that differ in what is given. */
typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_estimates *estimates;
    asif_fit *fit;
    asif_fitted fitted;
} model;

static asif_status take(void *user, const char *data, uint64_t length) {
    asif_text_add_n(user, data, length);
    return ASIF_OK;
}

static void open_model(model *m, asif_context *context, double optimism) {
    const asif_estimate_spec spec = {.name = "alpha", .standard = NAN};
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    memset(m, 0, sizeof *m);
    m->context = context;
    m->setting = make_diag(context, NULL);
    assert_non_null(m->setting);
    assert_int_equal(asif_theta_create(&m->theta, context, m->setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(m->theta, "optimism", optimism, NULL), ASIF_OK);
    plan.resolution = 20;
    assert_int_equal(asif_work_create(&m->work, context, NULL, m->setting, &plan, NULL), ASIF_OK);
    assert_int_equal(
        asif_estimates_create(&m->estimates, context, m->theta, &spec, 1, ASIF_PRIORS_STATED, NULL, NULL),
        ASIF_OK);
}

static void close_model(model *m) {
    asif_fit_free(m->fit);
    asif_estimates_free(m->estimates);
    asif_work_free(m->work);
    asif_theta_free(m->theta);
    asif_setting_free(m->setting);
}

/* Logs of the agent with alpha .8. */
static char *make_text(const model *m, uint64_t episodes, uint64_t seed) {
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    asif_text text = {.context = m->context};
    asif_theta *theta = NULL;
    options.episodes = episodes;
    options.seed = seed;
    assert_int_equal(asif_theta_copy(&theta, m->theta, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", .8, NULL), ASIF_OK);
    assert_int_equal(asif_solve(m->work, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulate_csv(asif_work_behavior(m->work), &options, take, &text, NULL, NULL),
                     ASIF_OK);
    asif_theta_free(theta);
    return text.data;
}

/* Rows of at most `steps` first decisions, of episodes `odd` only or of all. */
static asif_tree *read_tree(const model *m, const char *text, uint64_t steps, bool odd) {
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_text kept = {.context = m->context};
    asif_tree *tree = NULL;
    bool header = true;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        unsigned long episode = strtoul(line, NULL, 10), t = strtoul(strchr(line, ',') + 1, NULL, 10);
        if (header || (t < steps && (!odd || episode % 2)))
            asif_text_add_n(&kept, line, length);
        header = false;
        line += length;
    }
    reading.setting = m->setting;
    reading.units = ASIF_UNITS_EPISODES;
    assert_int_equal(
        asif_logs_read_text(&tree, m->context, kept.data, kept.length, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    asif_text_free(&kept);
    return tree;
}

static void fit(model *m, const asif_tree *tree, uint64_t draws) {
    asif_fit_options options;
    asif_fit_view view = {.struct_size = sizeof view};
    asif_fit_defaults(&options, ASIF_FIT_METROPOLIS);
    options.sample.draws = draws;
    options.sample.warmup = 300;
    options.sample.thin = 2;
    options.starts = 2;
    asif_fit_free(m->fit);
    assert_int_equal(
        asif_fit_estimate(&m->fit, m->context, m->work, m->estimates, tree, &options, NULL, NULL), ASIF_OK);
    asif_fit_get(m->fit, &view, NULL);
    m->fitted = (asif_fitted)ASIF_FITTED_INIT;
    m->fitted.context = m->context;
    m->fitted.setting = m->setting;
    m->fitted.given = m->theta;
    m->fitted.estimates = m->estimates;
    m->fitted.work = m->work;
    m->fitted.tree = tree;
    m->fitted.draws = view.draws;
}

static asif_compare_models_model of_fit(const model *m, const char *name) {
    asif_compare_models_model out = ASIF_COMPARE_MODELS_MODEL_INIT;
    out.name = name;
    out.fitted = &m->fitted;
    out.trusted = true;
    return out;
}

static asif_compare_models_model of_table(const asif_pointwise *table, const char *name) {
    asif_compare_models_model out = ASIF_COMPARE_MODELS_MODEL_INIT;
    out.name = name;
    out.table = table;
    return out;
}

/* ---- exactly, on a grid ---- */

typedef struct {
    double prior[GRID];
    double unit[STEPS + 1][GRID][EPISODES]; /* of the first decisions, as many as the first index says */
} grid;

static void fill_grid(grid *g, const model *m, const char *text, uint64_t steps) {
    asif_tree *tree = read_tree(m, text, STEPS, false), *part[STEPS + 1];
    asif_target *target = NULL;
    assert_int_equal(asif_target_create(&target, m->work, m->estimates, tree, NULL, NULL), ASIF_OK);
    const asif_density *density = asif_target_density(target);
    for (uint64_t s = 1; s <= steps; s++)
        part[s] = read_tree(m, text, s, false);
    for (uint32_t i = 0; i < GRID; i++) {
        double x = LOW + (HIGH - LOW) * i / (GRID - 1), all, likelihood, total;
        const asif_work *work;
        assert_int_equal(density->evaluate(density->user, &x, &all, NULL, NULL), ASIF_OK);
        assert_int_equal(asif_target_objective(target, &x, &likelihood, NULL, NULL), ASIF_OK);
        g->prior[i] = all - likelihood;
        assert_int_equal(asif_target_solve(target, &x, &work, NULL), ASIF_OK);
        for (uint64_t s = 1; s <= steps; s++) {
            asif_loglik_options options = ASIF_LOGLIK_OPTIONS_INIT;
            options.by_unit = g->unit[s][i];
            assert_int_equal(asif_loglik(&total, asif_work_behavior(work), part[s], &options, NULL), ASIF_OK);
        }
    }
    for (uint64_t s = 1; s <= steps; s++)
        asif_tree_free(part[s]);
    asif_target_free(target);
    asif_tree_free(tree);
}

static double log_sum(const double *x) {
    double most = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < GRID; i++)
        most = fmax(most, x[i]);
    for (uint32_t i = 0; i < GRID; i++)
        sum += exp(x[i] - most);
    return most + log(sum);
}

static double exact_loo(const grid *g, uint64_t steps, uint32_t unit) {
    double with[GRID], without[GRID];
    for (uint32_t i = 0; i < GRID; i++) {
        with[i] = g->prior[i];
        for (uint32_t u = 0; u < EPISODES; u++)
            with[i] += g->unit[steps][i][u];
        without[i] = with[i] - g->unit[steps][i][unit];
    }
    return log_sum(with) - log_sum(without);
}

/* The decision after the first `step` of a unit, given those of all. */
static double exact_next(const grid *g, uint64_t step, uint32_t unit) {
    double with[GRID], without[GRID];
    for (uint32_t i = 0; i < GRID; i++) {
        without[i] = g->prior[i];
        for (uint32_t u = 0; u < EPISODES; u++)
            without[i] += g->unit[step][i][u];
        with[i] = without[i] + g->unit[step + 1][i][unit] - g->unit[step][i][unit];
    }
    return log_sum(with) - log_sum(without);
}

static void test_exact(void **state) {
    (void)state;
    static grid g;
    asif_context *context = NULL;
    model m;
    asif_compare_models *compare = NULL;
    asif_compare_models_view view = {.struct_size = sizeof view};
    asif_compare_models_options options = ASIF_COMPARE_MODELS_OPTIONS_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    open_model(&m, context, .8);
    char *text = make_text(&m, EPISODES, 3);
    asif_tree *tree = read_tree(&m, text, STEPS, false);
    uint64_t steps = asif_tree_info(tree)->longest;
    assert_true(steps < STEPS && asif_tree_info(tree)->episodes == EPISODES);
    fill_grid(&g, &m, text, steps);
    fit(&m, tree, 800);
    asif_compare_models_model one = of_fit(&m, "one");
    options.future = 2;
    assert_int_equal(asif_compare_models_run(&compare, context, tree, &one, 1, &options, NULL), ASIF_OK);
    asif_compare_models_get(compare, &view, NULL);
    assert_int_equal(view.units, EPISODES);
    double loo = 0, later = 0;
    for (uint32_t u = 0; u < EPISODES; u++) {
        double want = exact_loo(&g, steps, u), next = 0;
        CHECK_NEAR(view.row[0].loo.by_unit[u], want, .02);
        loo += want;
        for (uint64_t step = view.first_step; step <= view.last_step; step++)
            next += exact_next(&g, step, u);
        CHECK_NEAR(view.row[0].future.by_unit[u], next, .04);
        later += next;
    }
    assert_true(view.first_step == 2 && view.last_step > 2 && view.predicted >= 20);
    assert_true(fabs(view.row[0].loo.elpd - loo) < .15);
    assert_true(fabs(view.row[0].future.elpd - later) < .3);
    /* One unknown, in a model that is right: about one effective parameter. */
    assert_true(view.row[0].p > .4 && view.row[0].p < 2);
    assert_int_equal(view.row[0].above, 0);
    assert_int_equal(view.row[0].below + view.row[0].constant, EPISODES);
    asif_compare_models_free(compare);
    asif_tree_free(tree);
    asif_memory_free(context, text);
    close_model(&m);
    asif_context_free(context);
}

/* ---- two models, threads, parts of the logs ---- */

static char *json_of(asif_context *context, const model *a, const model *b, const asif_tree *tree,
                     const asif_compare_models_options *options) {
    asif_compare_models *compare = NULL;
    asif_error error = ASIF_ERROR_INIT;
    char *json = NULL;
    asif_compare_models_model both[] = {of_fit(a, "a"), of_fit(b, "b")};
    CHECK(asif_compare_models_run(&compare, context, tree, both, 2, options, &error) == ASIF_OK, "%s",
          error.message);
    assert_int_equal(asif_compare_models_json(&json, compare, NULL), ASIF_OK);
    asif_compare_models_free(compare);
    return json;
}

static void test_two(void **state) {
    (void)state;
    char *json[2] = {NULL, NULL};
    asif_context *context[2];
    for (uint32_t k = 0; k < 2; k++) {
        asif_context_options how = ASIF_CONTEXT_OPTIONS_INIT;
        model a, b;
        how.threads = k ? 3 : 1;
        assert_int_equal(asif_context_create(&context[k], &how, NULL), ASIF_OK);
        open_model(&a, context[k], .8);
        open_model(&b, context[k], -4);
        char *text = make_text(&a, EPISODES, 3);
        asif_tree *tree = read_tree(&a, text, STEPS, false);
        fit(&a, tree, 100);
        fit(&b, tree, 100);
        json[k] = json_of(context[k], &a, &b, tree, NULL);

        asif_compare_models_model both[] = {of_fit(&b, "b"), of_fit(&a, "a")};
        asif_compare_models *compare = NULL;
        asif_compare_models_view view = {.struct_size = sizeof view};
        assert_int_equal(asif_compare_models_run(&compare, context[k], tree, both, 2, NULL, NULL), ASIF_OK);
        asif_compare_models_get(compare, &view, NULL);
        /* Paired: the error of the difference is that of differences unit by unit. */
        double sum = 0, squares = 0, n = EPISODES;
        for (uint32_t u = 0; u < EPISODES; u++)
            sum += view.row[0].loo.by_unit[u] - view.row[1].loo.by_unit[u];
        for (uint32_t u = 0; u < EPISODES; u++)
            squares += pow(view.row[0].loo.by_unit[u] - view.row[1].loo.by_unit[u] - sum / n, 2);
        assert_int_equal(view.order[0], 1);
        assert_int_equal(view.row[1].loo.predicts, ASIF_PREDICTS_BEST);
        assert_true(view.row[1].loo.difference == 0);
        CHECK_NEAR(view.row[0].loo.difference, sum, 1e-12);
        CHECK_NEAR(view.row[0].loo.difference_se, sqrt(n * squares / (n - 1)), 1e-12);
        bool small = fabs(sum) < 4 || fabs(sum) < 2 * view.row[0].loo.difference_se;
        assert_int_equal(view.row[0].loo.predicts, small ? ASIF_PREDICTS_THE_SAME : ASIF_PREDICTS_WORSE);
        asif_compare_models_free(compare);
        asif_tree_free(tree);
        asif_memory_free(context[k], text);
        close_model(&a);
        close_model(&b);
    }
    assert_string_equal(json[0], json[1]);
    assert_null(strstr(json[0], "nan"));
    for (uint32_t k = 0; k < 2; k++) {
        asif_memory_free(context[k], json[k]);
        asif_context_free(context[k]);
    }
}

/* Choosing units is the same as never having read the others; and a fit of other logs is refused. */
static void test_chosen(void **state) {
    (void)state;
    asif_context *context = NULL;
    model m;
    asif_compare_models_options options = ASIF_COMPARE_MODELS_OPTIONS_INIT;
    asif_compare_models *compare = NULL;
    asif_error error = ASIF_ERROR_INIT;
    bool chosen[EPISODES];
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    open_model(&m, context, .8);
    char *text = make_text(&m, EPISODES, 5);
    asif_tree *all = read_tree(&m, text, STEPS, false), *odd = read_tree(&m, text, STEPS, true);
    for (uint64_t u = 0; u < EPISODES; u++)
        chosen[u] = strtoul(asif_tree_unit_name(all, u), NULL, 10) % 2;
    fit(&m, odd, 100);
    options.chosen = chosen;
    char *part = json_of(context, &m, &m, all, &options), *alone = json_of(context, &m, &m, odd, NULL);
    assert_string_equal(part, alone);
    asif_compare_models_model one = of_fit(&m, "one");
    assert_int_equal(asif_compare_models_run(&compare, context, all, &one, 1, NULL, &error), ASIF_EINVALID);
    assert_null(compare);
    assert_non_null(strstr(error.message, "not a fit of these logs"));
    m.fitted.draws = NULL;
    assert_int_equal(asif_compare_models_run(&compare, context, odd, &one, 1, NULL, &error), ASIF_EUNSET);
    options = (asif_compare_models_options)ASIF_COMPARE_MODELS_OPTIONS_INIT;
    options.future = 30;
    assert_int_equal(asif_compare_models_run(&compare, context, odd, &one, 1, &options, &error),
                     ASIF_EDOMAIN);
    memset(chosen, 0, sizeof chosen);
    options.future = 0;
    options.chosen = chosen;
    assert_int_equal(asif_compare_models_run(&compare, context, all, &one, 1, &options, &error),
                     ASIF_EINVALID);
    asif_memory_free(context, part);
    asif_memory_free(context, alone);
    asif_tree_free(all);
    asif_tree_free(odd);
    asif_memory_free(context, text);
    close_model(&m);
    asif_context_free(context);
}

/* ---- tables ---- */

static asif_pointwise *read_table(const asif_context *context, const char *text) {
    asif_pointwise *table = NULL;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_pointwise_read_text(&table, context, text, strlen(text), "table.csv", &error) == ASIF_OK, "%s",
          error.message);
    return table;
}

/* What a fit says, written and read back, is what it says; and so is its elpd. */
static void test_round_trip(void **state) {
    (void)state;
    asif_context *context = NULL;
    model m;
    asif_compare_models *compare = NULL, *again = NULL;
    asif_compare_models_view view = {.struct_size = sizeof view};
    asif_compare_models_options options = ASIF_COMPARE_MODELS_OPTIONS_INIT;
    char *draws = NULL, *points = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    open_model(&m, context, .8);
    char *text = make_text(&m, 30, 7);
    asif_tree *tree = read_tree(&m, text, STEPS, false);
    fit(&m, tree, 100);
    asif_compare_models_model first = of_fit(&m, "fit");
    options.keep = true;
    assert_int_equal(asif_compare_models_run(&compare, context, tree, &first, 1, &options, NULL), ASIF_OK);
    assert_int_equal(asif_compare_models_draws_csv(&draws, compare, 0, NULL), ASIF_OK);
    assert_int_equal(asif_compare_models_csv(&points, compare, NULL), ASIF_OK);
    asif_pointwise *matrix = read_table(context, draws), *column = read_table(context, points);
    asif_compare_models_model models[] = {first, of_table(matrix, "matrix"), of_table(column, "column")};
    assert_int_equal(asif_compare_models_run(&again, context, tree, models, 3, NULL, NULL), ASIF_OK);
    asif_compare_models_get(again, &view, NULL);
    for (uint32_t i = 1; i < 3; i++)
        for (uint64_t u = 0; u < view.units; u++) {
            assert_true(view.row[i].loo.by_unit[u] == view.row[0].loo.by_unit[u]);
            assert_true(view.row[i].k[u] == view.row[0].k[u] || view.row[0].k[u] == -INFINITY);
        }
    assert_true(view.row[1].loo.difference == 0 && view.row[1].loo.predicts == ASIF_PREDICTS_THE_SAME);
    asif_memory_free(context, draws);
    assert_int_equal(asif_compare_models_draws_csv(&draws, again, 1, NULL), ASIF_EUNSET);
    assert_null(draws);
    asif_compare_models_free(compare);
    asif_compare_models_free(again);
    asif_pointwise_free(matrix);
    asif_pointwise_free(column);
    asif_memory_free(context, points);
    asif_memory_free(context, text);
    asif_tree_free(tree);
    close_model(&m);
    asif_context_free(context);
}

static void check_table(const asif_context *context, const char *text, uint32_t chains, uint64_t draws,
                        uint64_t units, const double *want) {
    asif_pointwise_view view = {.struct_size = sizeof view};
    asif_pointwise *table = read_table(context, text);
    asif_pointwise_get(table, &view, NULL);
    assert_int_equal(view.chains, chains);
    assert_int_equal(view.draws, draws);
    assert_int_equal(view.units, units);
    for (uint64_t i = 0; i < units * (chains ? chains * draws : 1); i++)
        CHECK_NEAR(chains ? view.value[i] : view.elpd[i], want[i], 0);
    asif_pointwise_free(table);
}

static void test_forms(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    /* R's write.csv of loo's pointwise. */
    check_table(
        context,
        "\"\",\"elpd_loo\",\"mcse_elpd_loo\",\"p_loo\",\"influence_pareto_k\"\n\"1\",-1.5,0.1,0.2,0.3\n"
        "\"2\",-2.5,0.1,NA,Inf\n",
        0, 0, 2, (const double[]){-1.5, -2.5});
    check_table(context, "unit;elpd\nb;-1\na;-2\n", 0, 0, 2, (const double[]){-1, -2});
    /* Stan's own file: comments, the sampler's columns and parameters do not count. */
    check_table(context,
                "# model = x\n# save_warmup = 0 (Default)\nlp__,accept_stat__,theta,log_lik.1,log_lik.2\n"
                "# Adaptation terminated\n-7,0.9,0.1,-1,-2\n-8,0.8,0.2,-3,-4\n-9,1,0.3,-5,-6\n# Elapsed\n",
                1, 3, 2, (const double[]){-1, -3, -5, -2, -4, -6});
    /* posterior's: chains in any order of their rows. */
    check_table(context, ".chain,.iteration,.draw,a,b\n2,1,3,-1,-2\n1,1,1,-3,-4\n2,2,4,-5,-6\n1,2,2,-7,-8\n",
                2, 2, 2, (const double[]){-1, -5, -3, -7, -2, -6, -4, -8});
    static const struct {
        const char *text, *says;
        uint32_t line, column;
    } wrong[] = {
        {"", "empty", 1, 1},
        {"unit,elpd\n", "no rows", 1, 1},
        {"unit,elpd\na,-1\nb,x\n", "`x` is not a finite number", 3, 2},
        {"unit,elpd\na,-1\na,-2\n", "twice", 3, 1},
        {"unit,elpd\na,-1,3\n", "cells in the row: 3; expected 2", 2, 1},
        {"a,b\n-1,-2\n-3,-inf\n", "`-inf`", 3, 2},
        {"# c\na,b\n-1,-2\n-3,\n", "not a finite number", 4, 2},
        {"a,a\n-1,-2\n", "twice", 1, 2},
        {".chain,lp__\n1,2\n", "no column is a unit", 1, 1},
        {".chain,a\n1,-2\n1,-2\n2,-3\n", "not of one length", 4, 1},
        {"elpd,elpd_loo\n-1,-2\n", "several columns", 1, 1},
        {"# save_warmup = 1\nlog_lik.1\n-1\n", "warm-up", 0, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        asif_pointwise *table = NULL;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_pointwise_read_text(&table, context, wrong[i].text, strlen(wrong[i].text),
                                                  "table.csv", &error),
                         ASIF_EPARSE);
        assert_null(table);
        CHECK(strstr(error.message, wrong[i].says), "%s", error.message);
        assert_string_equal(error.file, "table.csv");
        CHECK(error.line == wrong[i].line, "%s: line %u", wrong[i].text, error.line);
        assert_int_equal(error.column, wrong[i].column);
        assert_true(error.hint[0] != 0);
    }
    asif_context_free(context);
}

/* Units by name, by order, and not at all. */
static void test_matching(void **state) {
    (void)state;
    static const char logs[] = "subject,t,action,observation\np1,0,monitor,negative\np1,1,declare_healthy,\n"
                               "p2,0,declare_healthy,\np10,0,declare_diseased,\n";
    static const struct {
        const char *table;
        asif_status status;
        double want[3]; /* of p1, p2, p10: the natural order */
        const char *says;
    } rows[] = {
        {"unit,elpd\np10,-10\np1,-1\np2,-2\n", ASIF_OK, {-1, -2, -10}, NULL},
        {"elpd\n-1\n-2\n-3\n", ASIF_OK, {-1, -2, -3}, NULL},
        {"unit,elpd\nx,-1\ny,-2\nz,-3\n", ASIF_OK, {-1, -2, -3}, NULL},
        {"unit,elpd\np1,-1\np2,-2\np3,-3\n", ASIF_EINVALID, {0}, "no unit `p3`"},
        {"unit,elpd\np1,-1\np2,-2\n", ASIF_EINVALID, {0}, "units in the table: 2; the logs have 3"},
        {"elpd\n-1\n-2\n-3\n-4\n", ASIF_EINVALID, {0}, "units in the table: 4; the logs have 3"},
    };
    asif_context *context = NULL;
    asif_tree *tree = NULL;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = make_diag(context, NULL);
    reading.setting = setting;
    reading.units = ASIF_UNITS_SUBJECTS;
    assert_int_equal(
        asif_logs_read_text(&tree, context, logs, sizeof logs - 1, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_pointwise *table = read_table(context, rows[i].table);
        asif_compare_models_model one = of_table(table, "one");
        asif_compare_models *compare = NULL;
        asif_compare_models_view view = {.struct_size = sizeof view};
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_compare_models_run(&compare, context, tree, &one, 1, NULL, &error),
                         rows[i].status);
        if (rows[i].status == ASIF_OK) {
            asif_compare_models_get(compare, &view, NULL);
            for (uint32_t u = 0; u < 3; u++)
                CHECK_NEAR(view.row[0].loo.by_unit[u], rows[i].want[u], 0);
            assert_true(isnan(view.row[0].threshold) && isnan(view.row[0].p));
        } else {
            CHECK(strstr(error.message, rows[i].says), "%s", error.message);
            assert_string_equal(error.file, "table.csv");
            assert_true(error.line > 0 && error.column > 0 && error.hint[0]);
        }
        asif_compare_models_free(compare);
        asif_pointwise_free(table);
    }
    asif_tree_free(tree);
    asif_setting_free(setting);
    asif_context_free(context);
}

/* ---- no memory ---- */

static void test_memory(void **state) {
    (void)state;
    static const char text[] = "# c\n.chain,a,b\n1,-1,-2\n2,-3,-4\n";
    failing_memory memory = {.left = -1};
    asif_context_options how = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context = NULL;
    model m;
    how.reallocate = failing_reallocate;
    how.user = &memory;
    assert_int_equal(asif_context_create(&context, &how, NULL), ASIF_OK);
    for (long left = 0;; left++) {
        asif_pointwise *table = NULL;
        long before = memory.alive;
        memory.left = left;
        asif_status status = asif_pointwise_read_text(&table, context, text, sizeof text - 1, "t", NULL);
        memory.left = -1;
        asif_pointwise_free(table);
        assert_int_equal(memory.alive, before);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
    }
    open_model(&m, context, .8);
    char *logs = make_text(&m, 12, 7);
    asif_tree *tree = read_tree(&m, logs, STEPS, false);
    fit(&m, tree, 8);
    asif_compare_models_model one = of_fit(&m, "one");
    for (long left = 0;; left += 1 + left / 50) {
        asif_compare_models *compare = NULL;
        char *json = NULL;
        long before = memory.alive;
        memory.left = left;
        asif_status status = asif_compare_models_run(&compare, context, tree, &one, 1, NULL, NULL);
        if (status == ASIF_OK)
            status = asif_compare_models_json(&json, compare, NULL);
        memory.left = -1;
        asif_memory_free(context, json);
        asif_compare_models_free(compare);
        assert_int_equal(memory.alive, before);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
    }
    asif_tree_free(tree);
    asif_memory_free(context, logs);
    close_model(&m);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),      cmocka_unit_test(test_two),   cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_forms), cmocka_unit_test(test_matching),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
