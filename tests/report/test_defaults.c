/* Defaults by name: the bytes of the macros, older and smaller structs, and what is refused. */
#include "check.h"

#include "asif.h"

#include <string.h>

static void as_the_macros(void **state) {
    (void)state;
#define SAME(type, init)                                                                                     \
    do {                                                                                                     \
        static const type want = init;                                                                       \
        type got;                                                                                            \
        memset(&got, 0x5a, sizeof got);                                                                      \
        assert_int_equal(asif_defaults(&got, sizeof got, #type, NULL), ASIF_OK);                             \
        assert_memory_equal(&got, &want, sizeof want);                                                       \
    } while (0)
    SAME(asif_fit_request, ASIF_FIT_REQUEST_INIT);
    SAME(asif_people_options, ASIF_PEOPLE_OPTIONS_INIT);
    SAME(asif_plan_options, ASIF_PLAN_OPTIONS_INIT);
    SAME(asif_error, ASIF_ERROR_INIT);
#undef SAME
}

static void older_structs(void **state) {
    (void)state;
    asif_people_options o;
    size_t before = offsetof(asif_people_options, chains);
    memset(&o, 0x5a, sizeof o);
    assert_int_equal(asif_defaults(&o, before, "asif_people_options", NULL), ASIF_OK);
    assert_int_equal(o.struct_size, before);
    assert_int_equal(o.sample, 20000);
    for (size_t i = before; i < sizeof o; i++)
        assert_int_equal(((const unsigned char *)&o)[i], 0x5a);
}

static void refusals(void **state) {
    (void)state;
    asif_fit_request r;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_defaults(&r, sizeof r, "asif_fit_requests", &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.message, "asif_fit_requests"));
    assert_int_equal(asif_defaults(&r, sizeof r, NULL, NULL), ASIF_EUNKNOWN);
    assert_int_equal(asif_defaults(&r, sizeof r + 1, "asif_fit_request", &error), ASIF_EDOMAIN);
    assert_int_equal(asif_defaults(&r, 0, "asif_fit_request", NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_defaults(NULL, sizeof r, "asif_fit_request", NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_abi(), ASIF_ABI);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_macros), cmocka_unit_test(older_structs),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
