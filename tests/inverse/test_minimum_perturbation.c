/* Minimum perturbation in a corridor: changes that can be worked out by hand, the three norms against a
 * search, what is infeasible, and memory that runs out. The comparison with another solver on random problems
 * is test_programmes.py. */
#include "check.h"

#include "asking.h"
#include "base/programmes/lp.h"
#include "corridor.h"

static asif_context *context;

static const char *const right[] = {"r", "r", "r", "r", "r"};

static void write_study(char *text, size_t size, double goal, double swamp, double step, const char *asked) {
    snprintf(text, size,
             "%s    goal: {learn: , standard: %.17g}\n    swamp: {learn: , standard: %.17g}\n"
             "    step: {learn: , standard: %.17g}\ninverse: {name: minimum-perturbation%s}\n",
             CORRIDOR_STUDY, goal, swamp, step, asked);
}

static asif_status ask(asking *a, double goal, double swamp, double step, const char *asked,
                       const char *const *did, double *found, double *value, asif_error *error) {
    char text[2000], logs[1000];
    write_study(text, sizeof text, goal, swamp, step, asked);
    corridor_logs(did, logs, sizeof logs);
    asif_status status = asking_open(a, context, text, logs, error);
    return status == ASIF_OK ? asking_answer(a, found, value, error) : status;
}

/* Who goes right wants the goal: standards that say so stay, to the last bit of rounding. */
static void complies(void **state) {
    (void)state;
    static const char *const asked[] = {"", ", p: 1", ", p: inf", ", p: 2, margin: 0"};
    for (size_t i = asif_lp_available() ? 0 : 3; i < sizeof asked / sizeof *asked; i++) {
        asking a;
        double found[3], value;
        assert_int_equal(ask(&a, 10, -.5, -.25, asked[i], right, found, &value, NULL), ASIF_OK);
        CHECK_NEAR(found[0], 10, 1e-9);
        CHECK_NEAR(found[1], -.5, 1e-9);
        CHECK_NEAR(found[2], -.25, 1e-9);
        CHECK_NEAR(value, 0, 1e-9);
        asking_close(&a);
    }
}

static double distance(const double *x, const double *y, int norm) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = fabs(x[k] - y[k]);
        sum = norm == 2 ? fmax(sum, d) : sum + (norm == 1 ? d * d : d);
    }
    return norm == 1 ? sqrt(sum) : sum;
}

/* Standards that say the swamp is nice: everything must change until right is best by 0.1. A lattice around
 * the answer finds nothing nearer that complies (elsewhere the objective is -inf), and points between the
 * answer and the standards do not comply. */
static void moves(void **state) {
    (void)state;
    static const double standard[] = {.2, .9, .1};
    static const char *const asked[] = {", p: 1, margin: 0.1", ", p: 2, margin: 0.1",
                                        ", p: inf, margin: 0.1"};
    for (int norm = 0; norm < 3; norm++) {
        asking a;
        double found[3], value, there, x[3];
        asif_error error = ASIF_ERROR_INIT;
        asif_status status =
            ask(&a, standard[0], standard[1], standard[2], asked[norm], right, found, &value, &error);
        if (!asif_lp_available() && norm != 1) {
            assert_int_equal(status, ASIF_EUNSUPPORTED);
            asking_close(&a);
            continue;
        }
        CHECK(status == ASIF_OK, "%s", error.message);
        CHECK_NEAR(value, -distance(found, standard, norm), 1e-12);
        assert_true(value < -.05);
        for (int k = 0; k < 3; k++)
            x[k] = found[k] + .001 * (standard[k] - found[k]);
        assert_int_equal(asking_objective(&a, x, &there, NULL, NULL), ASIF_OK);
        assert_true(isinf(there));
        double reach = -value, nearest = -INFINITY;
        enum { GRID = 30 };
        for (int i = 0; i < GRID * GRID * GRID; i++) {
            int at[] = {i % GRID, i / GRID % GRID, i / GRID / GRID};
            for (int k = 0; k < 3; k++)
                x[k] = standard[k] + reach * 1.1 * (2. * at[k] / (GRID - 1) - 1);
            if (distance(x, standard, norm) > 1.3 * reach)
                continue;
            assert_int_equal(asking_objective(&a, x, &there, NULL, NULL), ASIF_OK);
            nearest = fmax(nearest, there);
        }
        CHECK(nearest <= value + 1e-7 && nearest > 1.3 * value, "the search found %g, the answer is %g",
              nearest, value);
        asking_close(&a);
    }
}

/* Rooms that nobody was seen in ask for nothing, so that less has to change. */
static void unseen(void **state) {
    (void)state;
    static const char *const some[] = {"?", "?", "?", "r", "r"};
    double all[3], few[3], far, near;
    asking a;
    assert_int_equal(ask(&a, .2, .9, .1, ", margin: 0.1", right, all, &far, NULL), ASIF_OK);
    asking_close(&a);
    assert_int_equal(ask(&a, .2, .9, .1, ", margin: 0.1", some, few, &near, NULL), ASIF_OK);
    assert_true(near >= far - 1e-12);
    asking_close(&a);
}

/* Without a margin of its own, it is a hundredth of the span; what nobody could want is said to be so. */
static void margins(void **state) {
    (void)state;
    static const char *const apart[] = {"l", "r", "l", "r",
                                        "l"}; /* goal, swamp and step cannot all be fled from */
    double one[3], other[3], value, same;
    asif_error error = ASIF_ERROR_INIT;
    asking a;
    assert_int_equal(ask(&a, .2, .9, .1, "", right, one, &value, NULL), ASIF_OK);
    asking_close(&a);
    assert_int_equal(ask(&a, .2, .9, .1, ", margin: 0.008", right, other, &same, NULL), ASIF_OK);
    asking_close(&a);
    CHECK_NEAR(same, value, 1e-10);
    assert_int_equal(ask(&a, .2, .9, .1, "", apart, one, &value, &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "no values of the estimated utilities"));
    assert_non_null(strstr(error.hint, "lower `margin`"));
    asking_close(&a);
    assert_int_equal(ask(&a, .2, .9, .1, ", margin: 0", apart, one, &value, NULL), ASIF_OK);
    CHECK_NEAR(one[0], one[1], 1e-8); /* all the same: indifference explains everything */
    CHECK_NEAR(one[1], one[2], 1e-8);
    asking_close(&a);
}

static void memory(void **state) {
    (void)state;
    static const char *const did[] = {"r", "?", "r", "?", "r"};
    bool done = false;
    char text[2000], logs[1000];
    write_study(text, sizeof text, .2, .9, .1, "");
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
        asif_status status = asking_open(&a, poor, text, logs, NULL);
        if (status == ASIF_OK)
            status = asking_answer(&a, found, &value, NULL);
        done = status != ASIF_ENOMEM;
        assert_true(!done || status == ASIF_OK);
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
        cmocka_unit_test(complies), cmocka_unit_test(moves),  cmocka_unit_test(unseen),
        cmocka_unit_test(margins),  cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
