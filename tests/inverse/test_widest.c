/* What programmes leave open is said, and what misses its own constraints is no answer. */
#include "check.h"

#include "inverse/solve/widest.h"

#include <string.h>

static void open_questions(void **state) {
    (void)state;
    static const struct {
        asif_widest_open open;
        const char *said[2];
    } rows[] = {
        {{false, false}, {NULL, NULL}},
        {{true, false}, {"could not decide whether any utilities make what was done optimal", NULL}},
        {{false, true}, {"could not choose among utilities that are equally good", NULL}},
        {{true, true}, {"could not decide", "could not choose"}},
    };
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_problems *problems;
        assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
        asif_widest_warn(&rows[i].open, "maximum-margin", problems);
        for (uint32_t k = 0; k < 2; k++) {
            asif_severity severity;
            const asif_error *problem = asif_problems_get(problems, k, &severity);
            assert_int_equal(problem != NULL, rows[i].said[k] != NULL);
            if (!problem)
                break;
            assert_int_equal(severity, ASIF_PROBLEM_WARNING);
            assert_non_null(strstr(problem->message, rows[i].said[k]));
        }
        asif_problems_free(problems);
    }
    asif_context_free(context);
}

static void constraints(void **state) {
    (void)state;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_must_keep("maximum-margin", "a margin is missed", 1e-9, 1e-7, &error), ASIF_OK);
    assert_int_equal(asif_must_keep("maximum-margin", "a margin is missed", 0.5, 1e-7, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "maximum-margin does not satisfy its own constraints"));
    assert_non_null(strstr(error.message, "0.5"));
    /* what is no number is missed */
    assert_int_equal(asif_must_keep("maximum-margin", "it", (double)NAN, 1e-7, &error), ASIF_EDOMAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_questions),
        cmocka_unit_test(constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
