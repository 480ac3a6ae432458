/* Maximum margin in a corridor: what the game is worth, derivatives of the objective, refusals, and memory
 * that runs out. The comparison with another solver on random problems is test_programmes.py. */
#include "check.h"

#include "asking.h"
#include "base/programmes/lp.h"
#include "corridor.h"

static asif_context *context;

#define PARAMETERS                                                                                           \
    "    goal: {learn: , standard: 1}\n    swamp: {learn: , standard: 0}\n    step: {learn: , standard: "    \
    "0}\n"
static const char study[] = CORRIDOR_STUDY PARAMETERS "inverse: maximum-margin\n";
static const char ng_russell[] =
    CORRIDOR_STUDY PARAMETERS "inverse: {name: maximum-margin, variant: ng-russell, weight: 0.5}\n";

/* Everybody goes right: only the goal can be what they want, and the game is worth nothing. A larger margin
 * than with all the weight on the goal is not to be had: steps and swamps lie behind. */
static void to_the_goal(void **state) {
    (void)state;
    static const char *const did[] = {"r", "r", "r", "r", "r"};
    char logs[1000];
    double found[3], value;
    asking a;
    corridor_logs(did, logs, sizeof logs);
    assert_int_equal(asking_open(&a, context, study, logs, NULL), ASIF_OK);
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asking_answer(&a, found, &value, &error);
    if (!asif_lp_available()) {
        assert_int_equal(status, ASIF_EUNSUPPORTED);
        assert_non_null(strstr(error.hint, "coinor-libclp-dev"));
    } else {
        CHECK(status == ASIF_OK, "%s", error.message);
        CHECK_NEAR(value, 0, 1e-9);
        CHECK_NEAR(found[0], 1, 1e-9);
        CHECK_NEAR(found[1], 0, 1e-9);
        CHECK_NEAR(found[2], 0, 1e-9);
    }
    asking_close(&a);
}

/* In the middle they turn back and forth, in the last rooms they flee from the goal: no weights of goal and
 * swamp make that optimal, and the value is that of the best of them by search. */
static void in_vain(void **state) {
    (void)state;
    static const char *const did[] = {"rrl", "rl", "lr", "l", "l"};
    static const char two[] = CORRIDOR_STUDY "    goal: {learn: , standard: 1}\n    swamp: {learn: , "
                                             "standard: 0.5}\n    step: 0\ninverse: maximum-margin\n";
    char logs[1000];
    double found[2], value, best = -INFINITY;
    asking a;
    if (!asif_lp_available())
        skip();
    corridor_logs(did, logs, sizeof logs);
    assert_int_equal(asking_open(&a, context, two, logs, NULL), ASIF_OK);
    assert_int_equal(asking_answer(&a, found, &value, NULL), ASIF_OK);
    CHECK_NEAR(found[0] + found[1], 1, 1e-9);
    for (int i = 0; i <= 1000; i++) {
        double w[] = {i / 1000., 1 - i / 1000.}, there;
        assert_int_equal(asking_objective(&a, w, &there, NULL, NULL), ASIF_OK);
        best = fmax(best, there);
    }
    assert_true(value < -1e-3);
    assert_true(value >= best - 1e-9 && value <= best + 1e-3);
    asking_close(&a);
}

/* Where weights can be such that everything is worth the same, anything is explained, and by nothing else. */
static void indifferent(void **state) {
    (void)state;
    static const char *const did[] = {"rrl", "rl", "lr", "l", "l"};
    char logs[1000];
    double found[3], value;
    asking a;
    if (!asif_lp_available())
        skip();
    corridor_logs(did, logs, sizeof logs);
    assert_int_equal(asking_open(&a, context, study, logs, NULL), ASIF_OK);
    assert_int_equal(asking_answer(&a, found, &value, NULL), ASIF_OK);
    CHECK_NEAR(value, 0, 1e-7);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(found[k], 1. / 3, 1e-5);
    asking_close(&a);
}

static void derivatives(void **state) {
    (void)state;
    static const char *const did[] = {"rrl", "r", "lrr", "r", "rlr"};
    int checked = 0;
    static const double at[][3] = {{.3, .5, .2}, {-1, .4, 2}, {.9, .1, -.35}};
    /* of ng_russell only the last is within bounds and makes going right the best */
    char logs[1000];
    corridor_logs(did, logs, sizeof logs);
    for (int variant = 0; variant < 2; variant++) {
        asking a;
        assert_int_equal(asking_open(&a, context, variant ? ng_russell : study, logs, NULL), ASIF_OK);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            double x[3], value, gradient[3], up, down, h = 1e-6;
            memcpy(x, at[i], sizeof x);
            assert_int_equal(asking_objective(&a, x, &value, gradient, NULL), ASIF_OK);
            if (!isfinite(value)) {
                assert_true(variant);
                continue;
            }
            for (int k = 0; k < 3; k++) {
                x[k] = at[i][k] + h;
                assert_int_equal(asking_objective(&a, x, &up, NULL, NULL), ASIF_OK);
                x[k] = at[i][k] - h;
                assert_int_equal(asking_objective(&a, x, &down, NULL, NULL), ASIF_OK);
                x[k] = at[i][k];
                CHECK_NEAR(gradient[k], (up - down) / (2 * h), 1e-6);
            }
            checked++;
        }
        asking_close(&a);
    }
    assert_int_equal(checked, 4);
}

/* A penalty that nothing is worth leaves nothing; a light one brings the goal to its bound. */
static void penalty(void **state) {
    (void)state;
    static const char *const did[] = {"r", "r", "r", "r", "r"};
    static const struct {
        const char *weight;
        double goal;
    } rows[] = {{"100", 0}, {"0.001", 1}};
    char logs[1000], text[2000];
    if (!asif_lp_available())
        skip();
    corridor_logs(did, logs, sizeof logs);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double found[3], value;
        asking a;
        snprintf(text, sizeof text, "%sinverse: {name: maximum-margin, variant: ng-russell, weight: %s}\n",
                 CORRIDOR_STUDY PARAMETERS, rows[i].weight);
        assert_int_equal(asking_open(&a, context, text, logs, NULL), ASIF_OK);
        assert_int_equal(asking_answer(&a, found, &value, NULL), ASIF_OK);
        CHECK_NEAR(found[0], rows[i].goal, 1e-9);
        assert_true(value >= -1e-9);
        asking_close(&a);
    }
}

static void refusals(void **state) {
    (void)state;
    static const char *const did[] = {"r", "r", "r", "r", "r"};
    static const struct {
        const char *parameters, *message;
    } rows[] = {
        {"    goal: 1\n    swamp: 0\n    step: {learn: , standard: 0}\n    eta: learn\n",
         "estimates utilities, not eta"},
    };
    char logs[1000], text[2000];
    corridor_logs(did, logs, sizeof logs);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_error error = ASIF_ERROR_INIT;
        asking a;
        snprintf(text, sizeof text, "%s%sinverse: maximum-margin\n", CORRIDOR_STUDY, rows[i].parameters);
        assert_int_equal(asking_open(&a, context, text, logs, &error), ASIF_EUNSUPPORTED);
        CHECK(strstr(error.message, rows[i].message), "%s", error.message);
        asking_close(&a);
    }
}

static void memory(void **state) {
    (void)state;
    static const char *const did[] = {"rl", "r", "r", "?", "r"};
    char logs[1000];
    bool done = false;
    corridor_logs(did, logs, sizeof logs);
    for (long left = 0; !done; left++) {
        failing_memory failing = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &failing;
        asif_context *poor;
        double found[3], value;
        asking a;
        assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
        failing.left = left;
        asif_status status = asking_open(&a, poor, study, logs, NULL);
        if (status == ASIF_OK)
            status = asking_answer(&a, found, &value, NULL);
        done = status != ASIF_ENOMEM;
        assert_true(!done || status == (asif_lp_available() ? ASIF_OK : ASIF_EUNSUPPORTED));
        asking_close(&a);
        failing.left = -1;
        asif_context_free(poor);
        assert_int_equal(failing.alive, 0);
    }
}

static int open_context(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int close_context(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_the_goal), cmocka_unit_test(in_vain), cmocka_unit_test(indifferent),
        cmocka_unit_test(derivatives), cmocka_unit_test(penalty), cmocka_unit_test(refusals),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
