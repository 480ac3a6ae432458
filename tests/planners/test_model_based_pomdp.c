/* Tiger against the exact chain of beliefs; its optimum; and what the planner refuses. */
#include "tiger_chain.h"

static void tiger(void **state) {
    (void)state;
    static double q[2 * REACH + 1][TIGER_ACTIONS];
    tiger_solve(0, q);
    CHECK_NEAR(q[REACH][LISTEN], 19.3713683, 1e-7); /* the literature's 19.37 */
    check_tiger("model-based-pomdp", 0, 2000, 2e-5);
}

static void refused(void **state) {
    (void)state;
    asif_context *context;
    asif_work *work;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = tiger_setting(context, 1);
    assert_int_equal(asif_work_create(&work, context, "model-based-pomdp", setting, NULL, &error),
                     ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "no utility that depends on the belief"));
    assert_non_null(strstr(error.hint, "belief-aware"));
    asif_setting_free(setting);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiger), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
