/* The check by subject: in a choice whose likelihood is a logistic curve it is Pearson's test of homogeneity.
 */
#include "check.h"

#include "asif.h"
#include "base/text.h"
#include "checks/predictive_checks.h"

#include <math.h>
#include <string.h>

/* One state and a choice: P(a) = 1 / (1 + exp(-gain)). */
static const char study_text[] =
    "asif: 1\nstates: [s]\nactions: [a, b]\n"
    "environment: {start: [1]}\n"
    "agent:\n  planner: maximum-entropy\n  discount: 0\n"
    "  utility: {a: gain, b: 0}\n"
    "  parameters:\n    gain: {learn: \"normal(0, 1)\", standard: 1}\n    alpha: 1\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_estimates *estimates;
    asif_estimate_spec spec;
    asif_tree *tree;
    double maximum;
    asif_fitted fitted;
    asif_predictive_checks *checks;
    asif_predictive_checks_view view;
    const asif_check_family *family; /* of subjects */
} problem;

static void open_problem(problem *p) {
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    assert_int_equal(
        asif_study_read(&p->study, p->context, study_text, strlen(study_text), "study", NULL, NULL), ASIF_OK);
    assert_int_equal(asif_study_estimates(p->study, &p->spec, 1), 1);
    assert_int_equal(asif_work_create(&p->work, p->context, asif_study_planner(p->study),
                                      asif_study_setting(p->study), NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, asif_study_theta(p->study), &p->spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    p->fitted = (asif_fitted)ASIF_FITTED_INIT;
    p->fitted.context = p->context;
    p->fitted.planner = asif_study_planner(p->study);
    p->fitted.setting = asif_study_setting(p->study);
    p->fitted.given = asif_study_theta(p->study);
    p->fitted.spec = &p->spec;
    p->fitted.specs = 1;
    p->fitted.estimates = p->estimates;
    p->fitted.work = p->work;
    p->fitted.maximum = &p->maximum;
}

static void close_problem(problem *p) {
    asif_predictive_checks_free(p->checks);
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* Subject i takes `a` in taken[i] of n episodes of one decision; the fit is the maximum of the likelihood. */
static void check(problem *p, const uint32_t *taken, uint32_t subjects, uint32_t n, bool named) {
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    asif_text text = {.context = p->context};
    asif_tree *all = NULL;
    asif_error error = ASIF_ERROR_INIT;
    double sum = 0;
    asif_text_add(&text, named ? "subject,episode,t,state,action\n" : "who,episode,t,state,action\n");
    for (uint32_t i = 0; i < subjects; i++)
        for (uint32_t k = 0; k < n; k++) {
            asif_text_addf(&text, "person%u,%u,0,s,%s\n", i, i * n + k, k < taken[i] ? "a" : "b");
            sum += k < taken[i];
        }
    reading.setting = asif_study_setting(p->study);
    reading.subjects = true;
    CHECK(asif_logs_read_text(&all, p->context, text.data, text.length, "logs", &reading, NULL, NULL,
                              &error) == ASIF_OK,
          "%s", error.message);
    assert_int_equal(asif_tree_by_subject(&p->tree, all, NULL, NULL, NULL), ASIF_OK);
    asif_tree_free(all);
    asif_text_free(&text);
    double share = sum / ((double)subjects * n);
    p->maximum = log(share / (1 - share));
    p->fitted.tree = p->tree;
    options.replicates = 20000;
    options.simulated = 0;
    CHECK(asif_predictive_checks_run(&p->checks, &p->fitted, &options, &error) == ASIF_OK, "%s",
          error.message);
    p->view.struct_size = sizeof p->view;
    assert_int_equal(asif_predictive_checks_get(p->checks, &p->view, NULL), ASIF_OK);
    p->family = &p->view.family[p->view.families - 1];
    assert_int_equal(p->family->kind, ASIF_CHECK_SUBJECTS);
}

/* (subjects - 1) spread is Pearson's chi-square, of 4 degrees of freedom: P(X > x) = exp(-x/2) (1 + x/2). The
 * likelihood of a choice between two is a line in the score, and so its spread is the same. */
static void check_pearson(const uint32_t *taken, uint32_t n, bool missed) {
    problem p;
    open_problem(&p);
    check(&p, taken, 5, n, true);
    double share = 1 / (1 + exp(-p.maximum)), square = 0, least = n, most = 0;
    for (uint32_t i = 0; i < 5; i++) {
        double off = taken[i] - n * share;
        square += off * off / (n * share * (1 - share));
        least = fmin(least, taken[i]);
        most = fmax(most, taken[i]);
    }
    assert_true(p.family->judged);
    assert_int_equal(p.family->groups, 3);
    assert_int_equal(p.family->subjects, 5);
    for (uint32_t g = 0; g < 2; g++) {
        const asif_check_cell *cell = p.family->group[g].cell;
        double tail = exp(-square / 2) * (1 + square / 2);
        CHECK_NEAR(4 * cell->observed, square, 1e-6 * square);
        CHECK_NEAR(cell->predicted, 1, 4 * sqrt(.5 / 20000));
        /* discrete counts: the tail is only about that of the continuous distribution */
        CHECK(fabs(cell->p - tail) < .015 + .1 * tail, "p %g, of the chi-square %g", cell->p, tail);
        assert_true(cell->adjusted >= cell->p && cell->adjusted >= p.family->p - 1e-12);
    }
    /* who is farthest out, by the variance that is left: n share (1 - share) (1 - 1/5) */
    double farthest = fmax(most - n * share, n * share - least) / sqrt(n * share * (1 - share) * .8);
    assert_string_equal(p.family->group[2].number, ASIF_CHECK_LARGEST);
    CHECK_NEAR(p.family->group[2].cell->observed, farthest, 1e-5 * farthest);
    assert_int_equal(p.family->missed, missed);
    assert_int_equal(asif_predictive_checks_doubt(p.checks), missed ? ASIF_DOUBT_SUBJECTS : ASIF_DOUBT_NONE);
    close_problem(&p);
}

static void test_pearson(void **state) {
    (void)state;
    static const uint32_t alike[] = {55, 68, 59, 66, 57}, differ[] = {40, 81, 55, 70, 66};
    check_pearson(alike, 100, false);
    check_pearson(differ, 100, true);
}

/* One of ten stands out, and the others do not because of it. */
static void test_who(void **state) {
    (void)state;
    static const uint32_t taken[] = {60, 62, 58, 61, 59, 60, 63, 57, 12, 60};
    problem p;
    open_problem(&p);
    check(&p, taken, 10, 100, true);
    assert_true(p.family->missed);
    assert_int_equal(p.family->apart, 1);
    close_problem(&p);
}

/* The same logs without a column of subjects: nothing is judged, and it is said why. */
static void test_unnamed(void **state) {
    (void)state;
    static const uint32_t taken[] = {10, 90};
    problem p;
    open_problem(&p);
    check(&p, taken, 2, 100, false);
    assert_false(p.family->judged);
    assert_non_null(p.family->why);
    assert_int_equal(p.family->groups, 0);
    assert_int_equal(asif_predictive_checks_doubt(p.checks), ASIF_DOUBT_NONE);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pearson),
        cmocka_unit_test(test_who),
        cmocka_unit_test(test_unnamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
