/* A whole fit through the library alone: run, saved, found and read back; what is not asked for is not
 * touched. */
#include "check.h"

#include "acting/simulated.h"
#include "asif.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char study_text[] =
    "asif: 1\n"
    "states: [good, worn]\n"
    "actions: [run, service]\n"
    "environment:\n"
    "  transitions: {run: [[0.8, 0.2], [0.1, 0.9]], service: [[1, 0], [0.6, 0.4]]}\n"
    "agent:\n"
    "  discount: 0.9\n"
    "  utility: {run: {good: gain, worn: 0.5}, service: -0.1}\n"
    "  parameters:\n"
    "    alpha: learn\n"
    "    gain: {learn: 'normal(0, 5)', standard: 1}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_theta *given; /* alpha has a value: only gain is estimated */
    asif_tree *logs;
    asif_fit_options how;
    asif_fit_request request;
    char top[32], folder[48];
} problem;

static void open_problem(problem *p) {
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    const uint64_t episodes = 40;
    asif_simulated_options simulated = {.episodes = &episodes, .seed = 3, .max_steps = 10};
    memset(p, 0, sizeof *p);
    strcpy(p->top, "/tmp/asif-runs-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    snprintf(p->folder, sizeof p->folder, "%s/fit", p->top);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    assert_int_equal(
        asif_study_read(&p->study, p->context, study_text, strlen(study_text), "s.yaml", NULL, NULL),
        ASIF_OK);
    assert_int_equal(asif_theta_copy(&p->given, asif_study_theta(p->study), NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(p->given, "alpha", 1, NULL), ASIF_OK);
    assert_int_equal(asif_theta_copy(&theta, p->given, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "gain", 2, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&work, p->context, NULL, asif_study_setting(p->study), NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_solve(work, theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_simulated_tree(&p->logs, asif_work_behavior(work), &simulated, NULL), ASIF_OK);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_fit_defaults(&p->how, ASIF_FIT_METROPOLIS);
    p->how.sample.chains = 2;
    p->how.sample.warmup = p->how.sample.draws = 50;
    p->how.starts = 1;
    p->request = (asif_fit_request)ASIF_FIT_REQUEST_INIT;
    p->request.study = p->study;
    p->request.logs = p->logs;
    p->request.given = p->given;
    p->request.how = &p->how;
}

static void close_problem(problem *p) {
    static const char *const names[] = {"fit.json",    "run.json",    "study.yaml",   "logs.tree",
                                        "chain-1.csv", "chain-2.csv", "manifest.json"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", p->folder, names[i]);
        unlink(path);
    }
    rmdir(p->folder);
    assert_int_equal(rmdir(p->top), 0); /* nothing else was left */
    asif_tree_free(p->logs);
    asif_theta_free(p->given);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* Fit and save; the text of fit.json. */
static char *save(problem *p, bool force) {
    asif_folder *folder = NULL;
    asif_whole_fit *fit = NULL;
    asif_error error = ASIF_ERROR_INIT;
    char *json = NULL;
    asif_status status = asif_fit_open(&folder, p->context, &p->request, p->folder, force, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    status = asif_fit_run(&fit, p->context, &p->request, folder, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    status = asif_fit_save(fit, folder, NULL, &error);
    CHECK(status == ASIF_OK, "%s: %s", error.file, error.message);
    assert_int_equal(asif_whole_fit_json(&json, fit, NULL), ASIF_OK);
    asif_whole_fit_free(fit);
    asif_folder_close(folder);
    return json;
}

static void saved_and_read_back(void **state) {
    (void)state;
    problem p;
    asif_result *result = NULL;
    asif_result_view view = {.struct_size = sizeof view};
    open_problem(&p);
    char *json = save(&p, false);
    assert_int_equal(asif_result_load(&result, p.context, p.folder, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_result_get(result, &view, NULL), ASIF_OK);
    assert_string_equal(view.json, json);
    assert_int_equal(view.fitted->specs, 1); /* what was given is not estimated */
    assert_string_equal(view.fitted->spec[0].name, "gain");
    static const char *const parts[] = {"\"outcomes\": {", "\"checks\": {", "\"sensitivity\": {"};
    for (size_t i = 0; i < 3; i++)
        CHECK(strstr(json, parts[i]), "%s", parts[i]);
    asif_result_free(result);
    asif_memory_free(p.context, json);
    close_problem(&p);
}

/* The same request is finished there; another one is refused, and with `force` takes its place. */
static void known_again(void **state) {
    (void)state;
    problem p;
    asif_folder *folder = NULL;
    asif_folder_view view = {.struct_size = sizeof view};
    asif_error error = ASIF_ERROR_INIT;
    open_problem(&p);
    char *first = save(&p, false);
    assert_int_equal(asif_fit_open(&folder, p.context, &p.request, p.folder, false, NULL), ASIF_OK);
    assert_int_equal(asif_folder_get(folder, &view, NULL), ASIF_OK);
    assert_true(view.finished);
    /* One writer at a time, also in one process. */
    asif_folder *second = NULL;
    assert_int_equal(asif_fit_open(&second, p.context, &p.request, p.folder, true, &error), ASIF_EINVALID);
    CHECK(strstr(error.message, "another asif is writing"), "%s", error.message);
    assert_null(second);
    asif_folder_close(folder);
    p.how.sample.seed++;
    assert_int_equal(asif_fit_open(&folder, p.context, &p.request, p.folder, false, &error), ASIF_EINVALID);
    CHECK(strstr(error.message, "finished fit"), "%s", error.message);
    char *other = save(&p, true);
    assert_string_not_equal(first, other);
    p.how.sample.seed--;
    char *again = save(&p, true);
    assert_string_equal(first, again);
    asif_memory_free(p.context, first);
    asif_memory_free(p.context, other);
    asif_memory_free(p.context, again);
    close_problem(&p);
}

/* Without a folder nothing is written; a request that is none is a status. */
static void without_a_folder(void **state) {
    (void)state;
    problem p;
    asif_whole_fit *fit = NULL;
    asif_fit_request nothing = ASIF_FIT_REQUEST_INIT;
    open_problem(&p);
    assert_int_equal(asif_fit_run(&fit, p.context, &nothing, NULL, NULL), ASIF_EDOMAIN);
    assert_null(fit);
    p.request.no_sensitivity = true;
    assert_int_equal(asif_fit_run(&fit, p.context, &p.request, NULL, NULL), ASIF_OK);
    asif_fit_view view = {.struct_size = sizeof view};
    assert_int_equal(asif_fit_get(asif_whole_fit_numbers(fit), &view, NULL), ASIF_OK);
    assert_int_equal(view.parameters, 1);
    asif_whole_fit_free(fit);
    assert_int_equal(asif_os_look(p.folder), ASIF_OS_NOTHING);
    close_problem(&p);
}

/* Every option that changes the result changes the key; a copy of the request has the same. */
static void keys_differ(void **state) {
    (void)state;
    enum { MOST = 24 };
    problem p;
    char key[MOST][ASIF_DIGEST_SIZE];
    uint32_t keys = 0;
    open_problem(&p);
    const asif_fit_options how = p.how;
    const asif_fit_request request = p.request;
    asif_tree_view logs = {.struct_size = sizeof logs};
    assert_int_equal(asif_tree_get(p.logs, &logs, NULL), ASIF_OK);
    double *count = calloc((uint64_t)logs.nodes * logs.actions, sizeof *count);
    assert_non_null(count);
#define KEY_WITH(change)                                                                                     \
    do {                                                                                                     \
        p.how = how;                                                                                         \
        p.request = request;                                                                                 \
        change;                                                                                              \
        assert_true(keys < MOST);                                                                            \
        assert_int_equal(asif_fit_key(key[keys++], p.context, &p.request, NULL), ASIF_OK);                   \
    } while (0)
    KEY_WITH((void)0);
    KEY_WITH((void)0);
    assert_string_equal(key[0], key[1]);
    keys = 1;
    KEY_WITH(p.how.method = ASIF_FIT_PUBLISHED);
    KEY_WITH(p.how.starts = 3);
    KEY_WITH(p.how.predictive = 17);
    KEY_WITH(p.how.histories = 3);
    KEY_WITH(p.how.plain = true);
    KEY_WITH(p.how.draws_only = true);
    KEY_WITH(p.how.count = count);
    count[0] = 1;
    KEY_WITH(p.how.count = count);
    KEY_WITH(p.how.sample.max_depth = 7);
    KEY_WITH(p.how.sample.step = .2);
    KEY_WITH(p.how.sample.chains = 3);
    KEY_WITH(p.how.sample.thin = 2);
    KEY_WITH(p.how.sample.seed = 77);
    KEY_WITH(p.request.clusters = p.logs);
    KEY_WITH(p.request.people = "digest");
    KEY_WITH(p.request.partial = true);
    KEY_WITH(p.request.no_sensitivity = true);
    for (uint32_t i = 0; i < keys; i++)
        for (uint32_t j = 0; j < i; j++)
            CHECK(strcmp(key[i], key[j]) != 0, "keys %u and %u are the same", j, i);
    free(count);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(saved_and_read_back), cmocka_unit_test(known_again),
                                       cmocka_unit_test(without_a_folder), cmocka_unit_test(keys_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
