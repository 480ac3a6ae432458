/* A finished fit's folder read back: the same as what was fitted, and damage is an error. */
#include "check.h"

#include "acting/simulated.h"
#include "asif.h"
#include "base/error.h"
#include "base/os.h"
#include "base/text.h"
#include "fit/fit.h"
#include "runs/whole_fit.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A number is given by -p, one is at a limit, a utility and a distribution are estimated. */
static const char study_text[] = "asif: 1\n"
                                 "title: Two visits\n"
                                 "states: [well, ill]\n"
                                 "actions: [wait, treat]\n"
                                 "observations: [calm, pain]\n"
                                 "environment:\n"
                                 "  start: [0.6, 0.4]\n"
                                 "  reset: [0.6, 0.4]\n"
                                 "  emissions: [[0.8, 0.2], [0.3, 0.7]]\n"
                                 "  ends: treat\n"
                                 "agent:\n"
                                 "  discount: 0.9\n"
                                 "  action_prior: learn\n"
                                 "  utility: {treat: {well: -4, ill: gain}, wait: -1}\n"
                                 "  parameters:\n"
                                 "    alpha: learn\n"
                                 "    eta: learn\n"
                                 "    gain: {learn: 'normal(5, 3)', standard: 5}\n"
                                 "solver: {resolution: 12}\n";
static const char *const files[] = {"fit.json", "study.yaml", "logs.tree", "chain-1.csv", "chain-2.csv"};
enum { FILES = sizeof files / sizeof *files };

typedef struct {
    asif_context *context;
    char folder[32];
    asif_study *study;
    asif_theta *given;
    asif_work *work;
    asif_estimate_spec spec[8];
    uint32_t specs;
    asif_estimates *estimates;
    asif_tree *tree;
    asif_fit *fit;
    asif_fit_view view;
    char *json;
} problem;

static problem drawn; /* a fit with draws, which the tests leave as it is */

static const char *path_of(const problem *p, const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return path;
}

static void put(const problem *p, const char *name, const char *text, uint64_t length) {
    assert_int_equal(asif_file_write(p->context, path_of(p, name), text, length, NULL, NULL), ASIF_OK);
}

static void write_folder(problem *p) {
    asif_fit_about about = ASIF_FIT_ABOUT_INIT;
    about.title = "Two visits";
    about.given = p->given;
    about.solver = asif_study_solver(p->study);
    about.by = "arm";
    about.value = "control: 1"; /* a text that YAML would not take without quotes */
    asif_memory_free(p->context, p->json);
    assert_int_equal(asif_fit_json(&p->json, p->fit, &about, NULL), ASIF_OK);
    put(p, "fit.json", p->json, strlen(p->json));
    put(p, "study.yaml", study_text, strlen(study_text));
    assert_int_equal(asif_tree_save(p->tree, path_of(p, "logs.tree"), NULL), ASIF_OK);
    for (uint32_t k = 0; p->view.draws && k < 2; k++) {
        char *text = NULL;
        assert_int_equal(asif_draws_csv(&text, p->view.draws, k, "asif", NULL), ASIF_OK);
        put(p, files[3 + k], text, strlen(text));
        asif_memory_free(p->context, text);
    }
}

/* Logs of alpha 1, eta .2, gain 5 and even action priors; then a fit of all but eta, which is given. */
static void make_fit(problem *p, asif_fit_method method) {
    asif_theta *theta = NULL;
    asif_fit_options options;
    asif_error error = ASIF_ERROR_INIT;
    const uint64_t episodes = 60;
    const double even[] = {.5, .5};
    asif_simulated_options simulated = {.episodes = &episodes, .seed = 2, .max_steps = 20};
    assert_int_equal(asif_theta_copy(&theta, asif_study_theta(p->study), NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", 1, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "eta", .2, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "gain", 5, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set_distribution(theta, ASIF_ACTION_PRIOR, 0, even, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->work, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulated_tree(&p->tree, asif_work_behavior(p->work), &simulated, NULL), ASIF_OK);
    asif_theta_free(theta);
    asif_fit_defaults(&options, method);
    options.sample.chains = 2;
    options.sample.warmup = 50;
    options.sample.draws = 40;
    options.sample.seed = 9;
    options.starts = 2;
    asif_status status =
        asif_fit_estimate(&p->fit, p->context, p->work, p->estimates, p->tree, &options, NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    p->view.struct_size = sizeof p->view;
    assert_int_equal(asif_fit_get(p->fit, &p->view, NULL), ASIF_OK);
}

static void open_problem(problem *p, asif_fit_method method) {
    asif_estimate_spec all[8];
    memset(p, 0, sizeof *p);
    strcpy(p->folder, "/tmp/asif-result-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    assert_int_equal(
        asif_study_read(&p->study, p->context, study_text, strlen(study_text), "study", NULL, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, asif_study_setting(p->study),
                                      asif_study_solver(p->study), NULL),
                     ASIF_OK);
    assert_int_equal(asif_theta_copy(&p->given, asif_study_theta(p->study), NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->given, "eta", .125, NULL), ASIF_OK); /* as -p eta=0.125 does */
    uint32_t count = asif_study_estimates(p->study, all, 8);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i].name, "eta") != 0)
            p->spec[p->specs++] = all[i];
    assert_int_equal(p->specs, 3);
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, p->given, p->spec, p->specs,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    make_fit(p, method);
    write_folder(p);
}

static void close_problem(problem *p) {
    for (int i = 0; i < FILES; i++)
        unlink(path_of(p, files[i]));
    assert_int_equal(rmdir(p->folder), 0);
    asif_memory_free(p->context, p->json);
    asif_fit_free(p->fit);
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_theta_free(p->given);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

static asif_result *load(const problem *p) {
    asif_result *result = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_result_load(&result, p->context, p->folder, NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    return result;
}

/* ---- the same as what was fitted ---- */

static void check_estimates(const problem *p, const asif_fitted *fitted) {
    const asif_estimate_info *a, *b;
    uint32_t i = 0;
    assert_int_equal(fitted->specs, p->specs);
    for (; (a = asif_estimates_get(p->estimates, i)); i++) {
        b = asif_estimates_get(fitted->estimates, i);
        assert_non_null(b);
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->prior, b->prior);
        CHECK_NEAR(b->prior_q05, a->prior_q05, 0);
    }
    assert_null(asif_estimates_get(fitted->estimates, i));
    CHECK_NEAR(asif_estimates_span(fitted->estimates), asif_estimates_span(p->estimates), 0);
}

static void check_given(const problem *p, const asif_fitted *fitted) {
    for (uint32_t i = 0; i < asif_theta_count(p->given); i++) {
        const char *name = asif_theta_name(p->given, i);
        double a, b;
        assert_int_equal(asif_theta_get(p->given, name, &a, NULL), ASIF_OK);
        assert_int_equal(asif_theta_get(fitted->given, name, &b, NULL), ASIF_OK);
        if (isnan(a))
            assert_true(isnan(b));
        else
            CHECK_NEAR(b, a, 0);
    }
}

static void check_tree(const problem *p, const asif_fitted *fitted) {
    asif_tree_view a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    assert_int_equal(asif_tree_get(p->tree, &a, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(fitted->tree, &b, NULL), ASIF_OK);
    assert_int_equal(a.nodes, b.nodes);
    assert_memory_equal(a.count, b.count, (uint64_t)a.nodes * a.actions * sizeof *a.count);
}

/* The log-likelihood at a point, planned anew with the parts of either side. */
static double loglik(const asif_work *work, const asif_estimates *estimates, const asif_theta *given,
                     const asif_tree *tree, const double *x) {
    asif_work *clone = NULL;
    asif_theta *theta = NULL;
    double total = NAN;
    assert_int_equal(asif_work_clone(&clone, work, NULL), ASIF_OK);
    assert_int_equal(asif_theta_copy(&theta, given, NULL), ASIF_OK);
    assert_int_equal(asif_estimates_theta(estimates, x, theta, NULL), ASIF_OK);
    assert_int_equal(asif_solve(clone, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(clone), tree, NULL, NULL), ASIF_OK);
    asif_theta_free(theta);
    asif_work_free(clone);
    return total;
}

static void test_same(void **state) {
    (void)state;
    asif_result_view view = {.struct_size = sizeof view};
    asif_draws_view a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    double x[8 * 8];
    uint32_t made;
    asif_result *result = load(&drawn);
    assert_int_equal(asif_result_get(result, &view, NULL), ASIF_OK);
    assert_string_equal(view.title, "Two visits");
    assert_string_equal(view.group_column, "arm");
    assert_string_equal(view.group_value, "control: 1");
    assert_string_equal(view.json, drawn.json);
    assert_int_equal(view.length, strlen(drawn.json));
    assert_int_equal(view.method, ASIF_FIT_METROPOLIS);
    assert_int_equal(view.trusted, drawn.view.trusted);
    const asif_fitted *fitted = view.fitted;
    assert_int_equal(fitted->seed, 9);
    assert_int_equal(fitted->solver->resolution, 12);
    check_estimates(&drawn, fitted);
    check_given(&drawn, fitted);
    check_tree(&drawn, fitted);
    assert_int_equal(asif_draws_get(drawn.view.draws, &a, NULL), ASIF_OK);
    assert_int_equal(asif_draws_get(fitted->draws, &b, NULL), ASIF_OK);
    assert_int_equal(b.chains, 2);
    assert_int_equal(b.draws, 40);
    assert_memory_equal(a.value, b.value, a.columns * 80 * sizeof *a.value);
    for (uint32_t i = 0; i < drawn.view.parameters && fitted->maximum; i++)
        CHECK_NEAR(fitted->maximum[i], drawn.view.parameter[i].maximum, 0);
    /* Points that stand for the fit have the likelihood they had. */
    uint32_t n = asif_estimates_dimension(fitted->estimates);
    assert_true(n <= 8);
    assert_int_equal(asif_fitted_points(x, &made, fitted, 8, NULL), ASIF_OK);
    assert_int_equal(made, 8);
    for (uint32_t d = 0; d < made; d++) {
        double number[8];
        asif_estimates_report(fitted->estimates, x + d * n, number);
        for (uint32_t i = 0; i < a.columns; i++)
            CHECK_NEAR(number[i], a.value[i * 80 + d * 10], 1e-12);
        CHECK_NEAR(loglik(fitted->work, fitted->estimates, fitted->given, fitted->tree, x + d * n),
                   loglik(drawn.work, drawn.estimates, drawn.given, drawn.tree, x + d * n), 1e-9);
    }
    asif_result_free(result);
    asif_result_free(NULL);
}

/* A maximum alone: no draws, and one point. */
static void test_maximum(void **state) {
    (void)state;
    problem p;
    asif_result_view view = {.struct_size = sizeof view};
    double x[16], number[8];
    uint32_t made;
    open_problem(&p, ASIF_FIT_MAP);
    asif_result *result = load(&p);
    assert_int_equal(asif_result_get(result, &view, NULL), ASIF_OK);
    assert_null(view.fitted->draws);
    assert_int_equal(view.fitted->seed, 9);
    assert_non_null(view.fitted->maximum);
    assert_int_equal(asif_fitted_points(x, &made, view.fitted, 2, NULL), ASIF_OK);
    assert_int_equal(made, 1);
    asif_estimates_report(view.fitted->estimates, x, number);
    for (uint32_t i = 0; i < p.view.parameters; i++)
        CHECK_NEAR(number[i], p.view.parameter[i].maximum, 1e-12);
    CHECK_NEAR(loglik(view.fitted->work, view.fitted->estimates, view.fitted->given, view.fitted->tree, x),
               p.view.log_likelihood, 1e-9);
    asif_result_free(result);
    close_problem(&p);
}

/* ---- damage ---- */

static void refuse(const problem *p, const char *what) {
    asif_result *result = (asif_result *)1;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_result_load(&result, p->context, p->folder, NULL, &error);
    CHECK(status != ASIF_OK, "%s was not noticed", what);
    CHECK(result == NULL && error.status == status && error.message[0], "%s: no word on it", what);
}

/* The text of a file with one part replaced. */
static void change(const problem *p, const char *file, const char *from, const char *to) {
    char *text = NULL;
    uint64_t length;
    asif_text changed = {.context = p->context};
    assert_int_equal(asif_os_read_file(&text, &length, p->context, path_of(p, file), NULL), ASIF_OK);
    char *at = strstr(text, from);
    CHECK(at != NULL, "%s has no %s", file, from);
    asif_text_add_n(&changed, text, (uint64_t)(at - text));
    asif_text_add(&changed, to);
    asif_text_add(&changed, at + strlen(from));
    put(p, file, changed.data, changed.length);
    asif_text_free(&changed);
    asif_memory_free(p->context, text);
}

static uint64_t seed_of(const asif_result *result) {
    asif_result_view view = {.struct_size = sizeof view};
    assert_int_equal(asif_result_get(result, &view, NULL), ASIF_OK);
    return view.fitted->seed;
}

/* Seeds that a double does not hold, and those of files that have them only with the draws. */
static void test_seeds(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        uint64_t seed;
    } changes[] = {{"\"seed\": 9", "\"seed\": 9007199254740993", 9007199254740993u},
                   {"\"seed\": 9", "\"seed\": 18446744073709551615", UINT64_MAX},
                   {"\"seed\": 9", "\"sown\": 7", 9}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        change(&drawn, "fit.json", changes[i].from, changes[i].to);
        asif_result *result = load(&drawn);
        assert_true(seed_of(result) == changes[i].seed);
        asif_result_free(result);
        write_folder(&drawn);
    }
}

/* 1,001 chains are as many as the sampler made, and not none. */
static void test_many_chains(void **state) {
    (void)state;
    enum { CHAINS = 1001 };
    char name[32], *text = NULL;
    asif_result_view view = {.struct_size = sizeof view};
    asif_draws_view draws = {.struct_size = sizeof draws};
    assert_int_equal(asif_draws_csv(&text, drawn.view.draws, 0, "asif", NULL), ASIF_OK);
    for (int k = 1; k <= CHAINS; k++) {
        snprintf(name, sizeof name, "chain-%d.csv", k);
        put(&drawn, name, text, strlen(text));
    }
    change(&drawn, "fit.json", "\"chains\": 2", "\"chains\": 1001");
    asif_result *result = load(&drawn);
    assert_int_equal(asif_result_get(result, &view, NULL), ASIF_OK);
    assert_non_null(view.fitted->draws);
    assert_int_equal(asif_draws_get(view.fitted->draws, &draws, NULL), ASIF_OK);
    assert_int_equal(draws.chains, CHAINS);
    asif_result_free(result);
    asif_memory_free(drawn.context, text);
    for (int k = 3; k <= CHAINS; k++) {
        snprintf(name, sizeof name, "chain-%d.csv", k);
        assert_int_equal(unlink(path_of(&drawn, name)), 0);
    }
    write_folder(&drawn);
}

static void test_damaged(void **state) {
    (void)state;
    static const struct {
        const char *file, *from, *to;
    } changes[] = {
        {"fit.json", "\"method\": \"metropolis\"", "\"method\": \"guess\""},
        {"fit.json", "\"method\"", "\"way\""},
        {"fit.json", "\"given\": {", "\"taken\": {"},
        {"fit.json", "\"eta\": 0.125", "\"eta\": \"much\""},
        {"fit.json", "\"eta\": 0.125", "\"theta\": 0.125"},
        {"fit.json", "{", "["},
        {"fit.json", "\"chains\": 2", "\"chains\": 0"},
        {"fit.json", "\"chains\": 2", "\"chains\": 65537"},
        {"fit.json", "\"chains\": 2", "\"chains\": 1.5"},
        {"study.yaml", "asif: 1", "asif: 7"},
        {"study.yaml", "actions: [wait, treat]", "actions: [wait]"},
        {"study.yaml", "alpha: learn", "alpha: 1"},
        {"chain-1.csv", "log_alpha", "log_omega"},
        {"chain-2.csv", "gain", "pain"},
        {"chain-2.csv", "lp__", "p__"},
    };
    asif_result *result = NULL;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        change(&drawn, changes[i].file, changes[i].from, changes[i].to);
        refuse(&drawn, changes[i].to);
        write_folder(&drawn);
    }
    asif_result_free(load(&drawn));
    /* Without one of its files; a tree that was cut. */
    for (int i = 0; i < FILES; i++) {
        assert_int_equal(unlink(path_of(&drawn, files[i])), 0);
        refuse(&drawn, files[i]);
        write_folder(&drawn);
    }
    put(&drawn, "logs.tree", "asif", 4);
    refuse(&drawn, "a tree that was cut");
    write_folder(&drawn);
    assert_int_equal(asif_result_load(&result, drawn.context, "/nowhere/at/all", NULL, NULL), ASIF_ENOFILE);
    assert_null(result);
}

/* An allocator that lets the folder change once while it is read. */
typedef struct {
    long left;
    bool changed;
} changing;

static void *change_meanwhile(void *user, void *old, size_t size) {
    changing *c = user;
    if (size && c->left >= 0 && c->left-- == 0) {
        put(&drawn, "manifest.json", "another", 7);
        c->changed = true;
    }
    if (size)
        return realloc(old, size);
    free(old);
    return NULL;
}

/* A folder that changes while it is read is read again, and the problems of its study are reported once. */
static void test_read_again(void **state) {
    (void)state;
    changing c = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context = NULL;
    options.reallocate = change_meanwhile;
    options.user = &c;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    change(&drawn, "study.yaml", "asif: 1", "asif: 7");
    for (long left = 20; left < 80; left += 20) {
        asif_result *result = NULL;
        asif_problems *problems = NULL;
        asif_error earlier = {.status = ASIF_EINVALID, .message = "found earlier"};
        assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
        asif_problems_add(problems, ASIF_PROBLEM_WARNING, &earlier);
        c = (changing){.left = left};
        assert_int_not_equal(asif_result_load(&result, context, drawn.folder, problems, NULL), ASIF_OK);
        assert_true(c.changed);
        CHECK(asif_problems_count(problems) == 2, "%u problems", asif_problems_count(problems));
        assert_int_equal(asif_problems_found(problems, ASIF_PROBLEM_ERROR), 1);
        assert_string_equal(asif_problems_get(problems, 0, NULL)->message, "found earlier");
        asif_problems_free(problems);
        c.left = -1;
        assert_int_equal(unlink(path_of(&drawn, "manifest.json")), 0);
    }
    write_folder(&drawn);
    asif_context_free(context);
}

/* Memory that runs out anywhere is a status, and nothing is lost. */
static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context = NULL;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
    long alive = memory.alive;
    for (long left = 0;; left += 1 + left / 25) {
        asif_result *result = NULL;
        memory.left = left;
        asif_status status = asif_result_load(&result, context, drawn.folder, NULL, NULL);
        memory.left = -1;
        asif_result_free(result);
        assert_int_equal(memory.alive, alive);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
        assert_null(result);
    }
    asif_context_free(context);
}

static int open_drawn(void **state) {
    (void)state;
    open_problem(&drawn, ASIF_FIT_METROPOLIS);
    return 0;
}

static int close_drawn(void **state) {
    (void)state;
    close_problem(&drawn);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),        cmocka_unit_test(test_maximum), cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_many_chains), cmocka_unit_test(test_damaged), cmocka_unit_test(test_read_again),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, open_drawn, close_drawn);
}
