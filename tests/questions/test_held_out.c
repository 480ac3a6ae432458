/* Out of memory anywhere in a comparison of models is a status, and leaks nothing; labels and folds that
 * cannot be are refused. */
#include "check.h"
#include "problems.h"
#include "questions/held_out/held_out.h"

#include <string.h>

static const char logs[] =
    "episode,t,action,observation\n"
    "1,0,monitor,positive\n1,1,monitor,positive\n1,2,declare_diseased,\n"
    "2,0,monitor,negative\n2,1,declare_healthy,\n3,0,monitor,positive\n3,1,declare_diseased,\n"
    "4,0,monitor,negative\n4,1,monitor,positive\n4,2,monitor,negative\n4,3,declare_healthy,\n";

static asif_status compare(const asif_context *context, uint32_t folds, asif_error *error) {
    static const asif_estimate_spec alpha = {.name = "alpha"};
    static const asif_rival *const rivals[] = {&asif_rival_base_rate, &asif_rival_last_visit};
    asif_setting *setting = make_diag(context, error);
    asif_theta *theta = NULL;
    asif_tree *tree = NULL;
    asif_held_out *faith = NULL;
    char *json = NULL, *csv = NULL;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_held_out_options options = ASIF_HELD_OUT_OPTIONS_INIT;
    asif_plan_options solver = ASIF_PLAN_OPTIONS_INIT;
    asif_held_out_model model = ASIF_HELD_OUT_MODEL_INIT;
    reading.setting = setting;
    reading.units = ASIF_UNITS_EPISODES;
    options.folds = folds;
    options.starts = 1;
    options.whole = true;
    options.positive = 2;
    options.from_step = 2;
    options.rivals = 2;
    options.rival = rivals;
    solver.resolution = 10;
    asif_status status = setting ? asif_theta_create(&theta, context, setting, error) : ASIF_ENOMEM;
    if (status == ASIF_OK)
        status =
            asif_logs_read_text(&tree, context, logs, sizeof logs - 1, "logs", &reading, NULL, NULL, error);
    model.name = "model";
    model.solver = &solver;
    model.given = theta;
    model.spec = &alpha;
    model.specs = 1;
    if (status == ASIF_OK)
        status = asif_held_out_run(&faith, context, &model, 1, tree, &options, error);
    if (status == ASIF_OK)
        status = asif_held_out_json(&json, faith, error);
    if (status == ASIF_OK)
        status = asif_held_out_csv(&csv, faith, error);
    if (status == ASIF_OK) {
        assert_string_equal(asif_held_out_get(faith, 0)->name, "uniform");
        assert_string_equal(asif_held_out_get(faith, 1)->parameter[0], "log_alpha");
        assert_string_equal(asif_held_out_get(faith, 3)->name, "last-visit");
        assert_null(asif_held_out_get(faith, 5));
        CHECK_NEAR(asif_held_out_get(faith, 0)->held_out.log_likelihood, -11 * log(3), 1e-12);
    }
    asif_memory_free(context, json);
    asif_memory_free(context, csv);
    asif_held_out_free(faith);
    asif_tree_free(tree);
    asif_theta_free(theta);
    asif_setting_free(setting);
    return status;
}

static void refused(void **state) {
    (void)state;
    asif_context *context;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(compare(context, 2, &error), ASIF_OK);
    assert_int_equal(compare(context, 1, &error), ASIF_EINVALID);
    assert_int_equal(compare(context, 5, &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "too few for 5 folds"));
    asif_context_free(context);
}

static void no_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options how = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context = NULL;
    how.reallocate = failing_reallocate;
    how.user = &memory;
    assert_int_equal(asif_context_create(&context, &how, NULL), ASIF_OK);
    for (long left = 0;; left += 1 + left / 20) {
        long before = memory.alive;
        memory.left = left;
        asif_status status = compare(context, 2, NULL);
        memory.left = -1;
        assert_int_equal(memory.alive, before);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
    }
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
