/* Objects that are freed in any order, the context among them: whatever is left can still be used, and at the
 * end nothing is. */
#include "check.h"

#include "acting/simulated.h"
#include "asif.h"

#include <string.h>

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

enum { CONTEXT, STUDY, THETA, WORK, TREE, ESTIMATES, TARGET, CLONE, TEXT, FIT, WHOLE, OBJECTS };

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_theta *theta;
    asif_work *work;
    asif_tree *tree;
    asif_estimates *estimates;
    asif_target *target, *clone;
    char *text;
    asif_fit *fit;
    asif_whole_fit *whole;
} all;

#define MUST(call) assert_int_equal((call), ASIF_OK)

static void make_all(all *a, failing_memory *memory, bool fits) {
    const uint64_t episodes = 20;
    asif_simulated_options simulated = {.episodes = &episodes, .seed = 3, .max_steps = 6};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_estimate_spec spec[2];
    asif_fit_options how;
    uint64_t length = 0;
    *a = (all){0};
    options.reallocate = failing_reallocate;
    options.user = memory;
    MUST(asif_context_create(&a->context, &options, NULL));
    MUST(asif_study_read(&a->study, a->context, study_text, strlen(study_text), NULL, NULL, NULL));
    const asif_setting *setting = asif_study_setting(a->study);
    MUST(asif_theta_copy(&a->theta, asif_study_theta(a->study), NULL));
    MUST(asif_theta_set(a->theta, "alpha", 1, NULL));
    MUST(asif_theta_set(a->theta, "gain", 2, NULL));
    MUST(asif_work_create(&a->work, a->context, NULL, setting, NULL, NULL));
    MUST(asif_solve(a->work, a->theta, NULL, NULL));
    MUST(asif_simulated_tree(&a->tree, asif_work_behavior(a->work), &simulated, NULL));
    assert_int_equal(asif_study_estimates(a->study, spec, 2), 2);
    MUST(asif_estimates_create(&a->estimates, a->context, asif_study_theta(a->study), spec, 2,
                               ASIF_PRIORS_STATED, NULL, NULL));
    MUST(asif_target_create(&a->target, a->work, a->estimates, a->tree, NULL, NULL));
    MUST(asif_target_clone(&a->clone, a->target, NULL));
    MUST(asif_tree_bytes(&a->text, &length, a->tree, NULL));
    if (!fits)
        return;
    asif_fit_defaults(&how, ASIF_FIT_METROPOLIS);
    how.sample.chains = 1;
    how.sample.warmup = how.sample.draws = 20;
    how.starts = 1;
    asif_fit_request request = ASIF_FIT_REQUEST_INIT;
    request.study = a->study;
    request.logs = a->tree;
    request.how = &how;
    MUST(asif_fit_estimate(&a->fit, a->context, a->work, a->estimates, a->tree, &how, NULL, NULL));
    MUST(asif_fit_run(&a->whole, a->context, &request, NULL, NULL));
}

static void free_one(all *a, int which) {
    switch (which) {
    case CONTEXT:
        asif_context_free(a->context); /* the pointer is still of use: others keep the context */
        break;
    case STUDY:
        asif_study_free(a->study);
        a->study = NULL;
        break;
    case THETA:
        asif_theta_free(a->theta);
        a->theta = NULL;
        break;
    case WORK:
        asif_work_free(a->work);
        a->work = NULL;
        break;
    case TREE:
        asif_tree_free(a->tree);
        a->tree = NULL;
        break;
    case ESTIMATES:
        asif_estimates_free(a->estimates);
        a->estimates = NULL;
        break;
    case TARGET:
        asif_target_free(a->target);
        a->target = NULL;
        break;
    case CLONE:
        asif_target_free(a->clone);
        a->clone = NULL;
        break;
    case TEXT:
        asif_memory_free(a->context, a->text);
        a->text = NULL;
        break;
    case FIT:
        asif_fit_free(a->fit);
        a->fit = NULL;
        break;
    default:
        asif_whole_fit_free(a->whole);
        a->whole = NULL;
    }
}

/* Use what is left. */
static void use(const all *a, double value) {
    static const double x[] = {0.1, 1.5};
    double got = 0;
    if (a->target) {
        MUST(asif_target_objective(a->target, x, &got, NULL, NULL));
        CHECK_NEAR(got, value, 1e-8);
    }
    if (a->clone) {
        MUST(asif_target_objective(a->clone, x, &got, NULL, NULL));
        CHECK_NEAR(got, value, 1e-8);
    }
    if (a->work && a->theta)
        MUST(asif_solve(a->work, a->theta, NULL, NULL));
    if (a->estimates)
        assert_int_equal(asif_estimates_dimension(a->estimates), 2);
    if (a->text)
        assert_int_equal(memcmp(a->text, "asif", 4), 0);
    if (a->fit) {
        asif_fit_view view = {.struct_size = sizeof view};
        MUST(asif_fit_get(a->fit, &view, NULL));
        assert_int_equal(view.parameters, 2);
    }
    if (a->whole) {
        char *json = NULL;
        MUST(asif_whole_fit_json(&json, a->whole, NULL));
        assert_non_null(strstr(json, "gain"));
        asif_memory_free(a->context, json);
    }
}

static void run(int orders, bool fits) {
    static const double x[] = {0.1, 1.5};
    uint64_t seed = 5;
    for (int i = 0; i < orders; i++) {
        failing_memory memory = {.left = -1};
        int order[OBJECTS];
        double value = 0;
        all a;
        make_all(&a, &memory, fits);
        MUST(asif_target_objective(a.target, x, &value, NULL, NULL));
        for (int k = 0; k < OBJECTS; k++)
            order[k] = k;
        for (int k = OBJECTS - 1; k > 0; k--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            int other = (int)((seed >> 33) % (uint64_t)(k + 1)), kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
        for (int k = 0; k < OBJECTS; k++) {
            if (order[k] < FIT || fits)
                free_one(&a, order[k]);
            if (k + 1 < OBJECTS && memory.alive > 0)
                use(&a, value);
        }
        CHECK(memory.alive == 0, "order %d: %ld blocks are left", i, memory.alive);
    }
}

static void test_without_fits(void **state) {
    (void)state;
    run(1000, false);
}

static void test_with_fits(void **state) {
    (void)state;
    run(40, true);
}

/* A context without anything goes at once; one that something keeps goes with it. */
static void test_context(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    MUST(asif_context_create(&context, &options, NULL));
    asif_context_free(context);
    assert_int_equal(memory.alive, 0);
    MUST(asif_context_create(&context, &options, NULL));
    MUST(asif_problems_create(&problems, context, 3, NULL));
    asif_context_free(context);
    assert_true(memory.alive > 1);
    asif_problems_free(problems);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_without_fits),
        cmocka_unit_test(test_with_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
