/* Scores of subjects: in a choice whose likelihood is a logistic curve, and against exact derivatives of one
 * subject's logs. */
#include "check.h"
#include "problems.h"

#include "asif.h"
#include "fit/subject_scores.h"

#include <math.h>
#include <string.h>

/* One state and a choice: P(a) = 1 / (1 + exp(-gain)). */
static const char choice[] =
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
    asif_tree *tree;
    asif_target *target;
} problem;

static void open_problem(problem *p, const char *study, const char *logs) {
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_target_options what = ASIF_TARGET_OPTIONS_INIT;
    asif_estimate_spec spec[4];
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *all = NULL;
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    CHECK(asif_study_read(&p->study, p->context, study, strlen(study), "study", NULL, &error) == ASIF_OK,
          "%s", error.message);
    uint32_t specs = asif_study_estimates(p->study, spec, 4);
    assert_int_equal(asif_work_create(&p->work, p->context, asif_study_planner(p->study),
                                      asif_study_setting(p->study), asif_study_solver(p->study), &error),
                     ASIF_OK);
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, asif_study_theta(p->study), spec, specs,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    reading.setting = asif_study_setting(p->study);
    reading.subjects = true;
    CHECK(asif_logs_read_text(&all, p->context, logs, strlen(logs), "logs", &reading, NULL, NULL, &error) ==
              ASIF_OK,
          "%s", error.message);
    assert_int_equal(asif_tree_by_subject(&p->tree, all, NULL, NULL, NULL), ASIF_OK);
    asif_tree_free(all);
    assert_true(asif_subjects_known(p->tree));
    what.objective_only = true;
    assert_int_equal(asif_target_create(&p->target, p->work, p->estimates, p->tree, &what, NULL), ASIF_OK);
}

static void close_problem(problem *p) {
    asif_target_free(p->target);
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* P(a) = 1 / (1 + exp(-gain)): the score of a subject is its number of a minus what is expected, the
 * information n p (1 - p). */
static void test_logistic(void **state) {
    (void)state;
    static const char logs[] = "subject,episode,t,state,action\n"
                               "x,1,0,s,a\nx,1,1,s,a\nx,1,2,s,b\nx,2,0,s,a\n"
                               "y,1,0,s,b\ny,2,0,s,b\ny,3,0,s,a\n";
    static const double n[] = {4, 3}, taken[] = {3, 1};
    const double gain = .7, p = 1 / (1 + exp(-gain));
    asif_subject_scores s;
    asif_error error = ASIF_ERROR_INIT;
    problem here;
    open_problem(&here, choice, logs);
    CHECK(asif_subject_scores_create(&s, here.context, here.target, here.estimates, here.tree, &gain, NULL,
                                     &error) == ASIF_OK,
          "%s", error.message);
    assert_int_equal(s.subjects, 2);
    assert_int_equal(s.dimension, 1);
    for (uint64_t k = 0; k < 2; k++) {
        double information;
        asif_subject_information(&information, &s, k);
        CHECK_NEAR(s.loglik[k], taken[k] * log(p) + (n[k] - taken[k]) * log(1 - p), 1e-10);
        CHECK_NEAR(s.score[k], taken[k] - n[k] * p, 1e-7);
        CHECK_NEAR(information, n[k] * p * (1 - p), 1e-7);
    }
    asif_subject_scores_free(&s);
    close_problem(&here);
}

static void test_exact(void **state) {
    (void)state;
    static const char study[] = "asif: 1\nstates: [healthy, diseased]\n"
                                "actions: [declare_healthy, declare_diseased, monitor]\n"
                                "observations: [negative, positive]\n"
                                "environment:\n  start: [0.5, 0.5]\n  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                                "  ends: [declare_healthy, declare_diseased]\n"
                                "agent:\n  discount: 0.95\n"
                                "  worlds:\n"
                                "    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n"
                                "    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
                                "  utility:\n"
                                "    declare_healthy:  {healthy: 10, diseased: wrong}\n"
                                "    declare_diseased: {healthy: wrong, diseased: 10}\n"
                                "    monitor: -1\n"
                                "  parameters: {alpha: learn, optimism: learn, eta: learn, wrong: -36}\n"
                                "solver: {resolution: 30}\n";
    static const char logs[] = "subject,episode,t,action,observation\n"
                               "x,1,0,monitor,positive\nx,1,1,monitor,positive\nx,1,2,declare_diseased,\n"
                               "x,2,0,monitor,negative\nx,2,1,declare_diseased,\n"
                               "z,1,0,declare_healthy,\n"
                               "y,1,0,monitor,negative\ny,1,1,monitor,positive\ny,1,2,monitor,negative\n"
                               "y,1,3,declare_healthy,\n";
    const double x[] = {-.6, .4, 3};
    asif_subject_scores s;
    asif_error error = ASIF_ERROR_INIT;
    problem here;
    open_problem(&here, study, logs);
    CHECK(asif_subject_scores_create(&s, here.context, here.target, here.estimates, here.tree, x, NULL,
                                     &error) == ASIF_OK,
          "%s", error.message);
    assert_int_equal(s.subjects, 3);
    assert_int_equal(s.dimension, 3);
    double *count = calloc((size_t)s.tree->nodes * s.tree->actions, sizeof *count);
    assert_non_null(count);
    for (uint64_t k = 0; k < 3; k++) {
        bool chosen[3] = {k == 0, k == 1, k == 2};
        asif_target_options what = ASIF_TARGET_OPTIONS_INIT;
        asif_target *one = NULL;
        double value, gradient[3];
        what.objective_only = true;
        what.count = count;
        assert_int_equal(asif_tree_counts(here.tree, chosen, count, NULL), ASIF_OK);
        assert_int_equal(asif_target_create(&one, here.work, here.estimates, here.tree, &what, NULL),
                         ASIF_OK);
        assert_int_equal(asif_target_objective(one, x, &value, gradient, NULL), ASIF_OK);
        CHECK_NEAR(s.loglik[k], value, 1e-9);
        for (uint32_t j = 0; j < 3; j++)
            CHECK_NEAR(s.score[k * 3 + j], gradient[j], 1e-5 * fmax(1, fabs(gradient[j])));
        asif_target_free(one);
    }
    free(count);
    asif_subject_scores_free(&s);
    close_problem(&here);
}

static void test_without_subjects(void **state) {
    (void)state;
    static const char logs[] = "subject,episode,t,state,action\nx,1,0,s,a\nx,2,0,s,b\n";
    asif_subject_scores s;
    asif_tree *bare = NULL;
    double x = 0;
    problem here;
    open_problem(&here, choice, logs);
    assert_int_equal(asif_tree_select(&bare, here.tree, NULL, NULL), ASIF_OK);
    assert_false(asif_subjects_known(bare));
    assert_int_equal(
        asif_subject_scores_create(&s, here.context, here.target, here.estimates, bare, &x, NULL, NULL),
        ASIF_EINVALID);
    asif_tree_free(bare);
    close_problem(&here);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logistic),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_without_subjects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
