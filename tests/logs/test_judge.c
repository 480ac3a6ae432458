/* Decisions that an agent cannot have made: the message has the first row that is known. */
#include "check.h"
#include "problems.h"

#include "asif.h"
#include "logs/tree/tree.h"

enum { HEALTHY, DISEASED, MONITOR };
enum { NEGATIVE, POSITIVE };

/* An episode that declares the opposite of the only observation. */
static void add(asif_tree_builder *builder, uint32_t observation, uint32_t action, uint64_t row) {
    assert_int_equal(asif_tree_episode(builder, 0, ASIF_NO_UNIT, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(builder, MONITOR, 1, row, NULL), ASIF_OK);
    assert_int_equal(asif_tree_move(builder, MONITOR, observation, row, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(builder, action, 1, row, NULL), ASIF_OK);
}

static void test_row(void **state) {
    (void)state;
    static const char *const action[] = {"declare_healthy", "declare_diseased", "monitor"},
                             *const observation[] = {"negative", "positive"};
    static const struct {
        uint64_t negative, positive, want;
    } rows[] = {{0, 5, 5}, {5, 0, 5}, {5, 7, 5}, {7, 5, 5}, {0, 0, 0}};
    const asif_tree_labels labels = {3, 2, action, observation};
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    asif_context *context = NULL;
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    plan.resolution = 20;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = make_diag(context, NULL);
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", 0, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&work, context, NULL, setting, &plan, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_tree_builder *builder;
        asif_tree *tree = NULL;
        asif_problems *problems = NULL;
        double total;
        assert_int_equal(asif_tree_begin(&builder, context, 1, false, NULL), ASIF_OK);
        add(builder, NEGATIVE, DISEASED, rows[i].negative);
        add(builder, POSITIVE, HEALTHY, rows[i].positive);
        assert_int_equal(asif_tree_finish(&tree, builder, &labels, NULL, NULL, NULL, NULL, NULL), ASIF_OK);
        assert_int_equal(asif_problems_create(&problems, context, 5, NULL), ASIF_OK);
        assert_int_equal(asif_logs_judge(&total, asif_work_behavior(work), tree, "logs", problems, NULL),
                         ASIF_OK);
        assert_true(total == -INFINITY);
        const asif_error *found = asif_problems_get(problems, 0, NULL);
        assert_non_null(found);
        CHECK(found->row == rows[i].want, "case %zu: row %d: %s", i, (int)found->row, found->message);
        asif_problems_free(problems);
        asif_tree_free(tree);
    }
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
