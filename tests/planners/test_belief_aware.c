/* Tiger with a utility of being sure, against the exact chain of beliefs: so much of it that listening on
 * pays, and so little that it does not. And what the planner refuses. */
#include "problems.h"
#include "tiger_chain.h"

static void sure(void **state) {
    (void)state;
    static double q[2 * REACH + 1][TIGER_ACTIONS];
    tiger_solve(8, q); /* sure, it listens on: 8 - 1 at every step */
    assert_true(q[REACH + 4][LISTEN] > q[REACH + 4][OPEN_LEFT]);
    tiger_solve(.5, q);
    assert_true(q[REACH + 4][LISTEN] < q[REACH + 4][OPEN_LEFT]);
    check_tiger("belief-aware", 8, 20000, 1e-4);
    check_tiger("belief-aware", .5, 20000, 1e-4);
}

static void refused(void **state) {
    (void)state;
    asif_context *context;
    asif_work *work;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *plain = tiger_setting(context, 0), *worlds = make_adni_shape(context, NULL);
    assert_int_equal(asif_work_create(&work, context, "belief-aware", plain, NULL, &error),
                     ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "depends on the belief, but none is given"));
    assert_int_equal(asif_work_create(&work, context, "belief-aware", worlds, NULL, &error),
                     ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "knows one world"));
    asif_setting_free(plain);
    asif_setting_free(worlds);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sure), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
